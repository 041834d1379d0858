"""tests/cuda/sass/sass.py -- a kernel's machine code: what its cubin and disassembly say, and its text promises."""
import functools
import re
import struct
import subprocess

SIZES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "float16": 2, "bfloat16": 2, "i32": 4, "u32": 4, "float": 4,
         "i64": 8, "u64": 8, "double": 8, "c64": 8, "c128": 16}
WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "256": 256}
INSTRUCTION = re.compile(r"/\*([0-9a-f]+)\*/\s+(@!?U?P\w+ )?\s*([A-Z][A-Z0-9_.]*)([^;]*);")
LABEL = re.compile(r"^\s*(\.L\w*|\S+):\s*$")


class Instruction:
    def __init__(self, address, name, operands):
        self.address, self.name, self.base, self.operands = address, name, name.split(".")[0], operands

    def width(self):
        """Bits of an access of memory."""
        return next((WIDTHS[part] for part in reversed(self.name.split(".")) if part in WIDTHS), 32)


class Cubin:
    """An ELF file of 64 bits. Its attributes are those that tests/cuda/cubin.h reads, and more."""
    REGISTERS, FRAME = 0x2F, 0x11

    def __init__(self, data):
        self.data = data
        table, = struct.unpack_from("<Q", data, 0x28)
        entry_size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        headers = [struct.unpack_from("<IIQQQQ", data, table + i * entry_size) for i in range(count)]
        start = headers[names][4]
        self.sections = {self._text(start + header[0]): header for header in headers}

    def _text(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def most(self, attribute):
        """The greatest value of an attribute of functions."""
        header, most = self.sections[".nv.info"], 0
        at, end = header[4], header[4] + header[5]
        while at < end:
            form, number, size = struct.unpack_from("<BBH", self.data, at)
            if form == 4 and number == attribute:
                most = max(most, struct.unpack_from("<I", self.data, at + 8)[0])
            at += 4 + (size if form == 4 else 0)
        return most

    def shared_bytes(self):
        return sum(header[5] for name, header in self.sections.items() if name.startswith(".nv.shared.")
                   and "reserved" not in name)


def disassemble(nvdisasm, path):
    """Returns the instructions of a cubin in order, and the addresses of labels."""
    text = subprocess.run([nvdisasm, "-c", str(path)], check=True, capture_output=True, text=True).stdout
    instructions, labels, waiting = [], {}, []
    for line in text.splitlines():
        if found := INSTRUCTION.search(line):
            address = int(found[1], 16)
            labels.update({name: address for name in waiting})
            waiting = []
            instructions.append(Instruction(address, found[3], found[4]))
        elif found := LABEL.match(line):
            waiting.append(found[1])
    return without_padding(instructions, labels), labels


def target(instruction, labels):
    """Where a branch goes; None for all else."""
    found = re.search(r"`\((\S+?)\)", instruction.operands)
    return labels.get(found[1]) if instruction.base == "BRA" and found else None


def without_padding(instructions, labels):
    """What can run: the end of a function is a branch to itself and NOPs."""
    return [i for i in instructions if i.base != "NOP" and target(i, labels) != i.address]


def innermost_loops(instructions, labels):
    """The loops that have no other loop in them, each as its instructions."""
    spans = [(to, i.address) for i in instructions if (to := target(i, labels)) is not None and to < i.address]
    inner = [span for span in spans if not any(other != span and span[0] <= other[0] and other[1] <= span[1]
                                               for other in spans)]
    return [[i for i in instructions if first <= i.address <= last] for first, last in sorted(set(inner))]


class Text:
    """What the text of a kernel says: its template, and what it reads and writes as vectors."""

    def __init__(self, text):
        call = re.search(r"\n  gpo::(\w+)(?:<([^>]*)>)?\(", text)
        self.template, arguments = call[1], (call[2] or "").split(",")
        self.threads = int(re.search(r"__launch_bounds__\((\d+)\)", text)[1])
        self.numbers = [int(a) for a in arguments if a.strip().isdigit()]
        reads = "Wide" if self.template == "reduce_rows" else "Reads"
        self.reads, self.writes = (self._vectors(text, name) for name in (reads, "Writes"))

    @staticmethod
    def _vectors(text, name):
        """Bytes of the elements of each vector in a struct."""
        body = re.search(r"struct " + name + r" \{(.*?)\n  \};", text, re.DOTALL)
        types = re.findall(r"gpo::Vector<(?:gpo::)?(\w+), \w+>", body[1]) if body else []
        return [SIZES[each] for each in types]

    def elements(self):
        """Elements that a thread takes between two loads of the same operand."""
        if self.template == "map_rows" or len(self.numbers) == 2:
            return self.numbers[0] * self.numbers[1]
        return {"map_points": 1, "reduce_rows": 1, "reduce_columns": 4}[self.template] * self.numbers[0]

    def expected(self, sizes):
        """Accesses of each width, in bits, that there are at least, as operands are contiguous and aligned."""
        if self.template not in ("map_rows", "reduce_rows") or len(self.numbers) < 2:
            return {}
        n, count = self.numbers if self.template == "map_rows" else reversed(self.numbers)
        if n == 1:
            return {}
        wanted = {}
        for size in sizes:
            width = min(128, 8 * n * size)
            wanted[width] = wanted.get(width, 0) + count * max(1, 8 * n * size // 128)
        return wanted


class Limits:
    """What a multiprocessor holds: warps, blocks, and bytes of shared memory."""
    OF = {80: (64, 32, 164), 90: (64, 32, 228), 100: (64, 32, 228), 120: (48, 24, 100)}
    REGISTERS, RESERVED_SHARED = 65536, 1024

    @classmethod
    def occupancy(cls, arch, registers, shared, threads):
        """The share of the warps that can be resident, in percent. Registers are given to warps by 256."""
        warps, blocks, shared_kib = cls.OF[arch]
        of_block = -(-threads // 32)
        of_warp = -(-max(registers, 1) * 32 // 256) * 256
        by_registers = cls.REGISTERS // of_warp // of_block
        by_shared = shared_kib * 1024 // (shared + cls.RESERVED_SHARED)
        return 100 * min(warps // of_block, blocks, by_registers, by_shared) * of_block // warps


class Kernel:
    """One kernel for one architecture."""

    def __init__(self, nvdisasm, arch, cubin_path, text):
        cubin = Cubin(cubin_path.read_bytes())
        self.arch, self.text, self.nvdisasm, self.path = arch, Text(text), nvdisasm, cubin_path
        self.registers, self.frame = cubin.most(Cubin.REGISTERS), cubin.most(Cubin.FRAME)
        self.occupancy = Limits.occupancy(arch, self.registers, cubin.shared_bytes(), self.text.threads)

    @functools.cached_property
    def disassembly(self):
        """Takes half a second."""
        return disassemble(self.nvdisasm, self.path)

    @property
    def instructions(self):
        return self.disassembly[0]

    def accesses(self, base):
        """How many accesses there are of each width, the widest first."""
        widths = [i.width() for i in self.instructions if i.base == base]
        return {width: widths.count(width) for width in sorted(set(widths), reverse=True)}

    def loads_local_memory(self):
        return any(i.base in ("LDL", "STL") for i in self.instructions)

    def narrow(self):
        """What is missing of the accesses that the text makes possible."""
        missing = []
        for base, sizes in (("LDG", self.text.reads), ("STG", self.text.writes)):
            there = self.accesses(base)
            if not there:
                continue  # the imaginary component of a real number needs no operand
            for width, wanted in self.text.expected(sizes).items():
                found = sum(count * at // width for at, count in there.items() if at >= width)
                if found < wanted:
                    missing.append(f"{found} of {wanted} {base} of {width} bits")
        return missing

    def costs(self):
        """Instructions for each element: all, those of double precision, and those of the special functions.

        Of a Map these are all instructions of the kernel, which is more than run: rare paths and the end of a row,
        which is shorter than a vector, count. Of a Reduce they are those of the loop that loads, of a Scan the
        loops over elements in global or shared memory.
        """
        if self.text.template.startswith("map"):
            return per_element(self.instructions, self.text.elements())
        loops = innermost_loops(*self.disassembly)
        if self.text.template.startswith("reduce"):
            loading = max(loops, key=lambda loop: sum(i.width() for i in loop if i.base == "LDG"))
            return per_element(loading, self.text.elements())
        return scan_costs(loops)


def per_element(instructions, elements):
    doubles = sum(i.base in ("DADD", "DMUL", "DFMA", "DSETP", "DMNMX") for i in instructions)
    special = sum(i.base == "MUFU" for i in instructions)
    return tuple(n / elements for n in (len(instructions), doubles, special))


def scan_costs(loops):
    """Loops that access the same memories are one, unrolled or not; the cheapest is what runs most."""
    cheapest = {}
    for loop in loops:
        counts = {base: n for base in ("LDG", "STG", "LDS", "STS") if (n := sum(i.base == base for i in loop))}
        if counts:
            costs = per_element(loop, max(counts.values()))
            cheapest[tuple(counts)] = min(cheapest.get(tuple(counts), costs), costs)
    return tuple(map(sum, zip(*cheapest.values()))) if cheapest else (0.0, 0.0, 0.0)

#!/usr/bin/env python3
"""tests/cuda/sass/check.py -- checks the machine code of the CUDA backend's kernels: `./dev sass`.

usage: check.py NVDISASM DIRECTORY [--all] [--record] [--only]

DIRECTORY is what gpuopt_sass_kernels wrote. No kernel may use local memory, nor load or store operands that lie
contiguous by narrower accesses than their vectors allow; of the common kernels the latter is checked with --all alone,
as it takes half a second for each. Those of named programs may have no more registers and instructions, and no lower
occupancy, than table.txt beside this file says, which --record writes anew, together with the estimates in
docs/gpu-results.md. With another NVRTC than the one recorded these are not compared. With --only, what is recorded
of kernels that are not in DIRECTORY is not missed.
"""
import pathlib
import sys

from estimate import write_estimates
from sass import Kernel

HERE = pathlib.Path(__file__).resolve().parent
TABLE, RESULTS = HERE / "table.txt", HERE.parents[2] / "docs/gpu-results.md"
COLUMNS = ("program", "kernel", "template", "sm", "registers", "occupancy", "instructions", "each", "loads", "stores")
HEADING = """\
# tests/cuda/sass/table.txt -- the machine code of named programs, written by ./dev sass --record
# kernel: its number in the program. registers: of a thread. occupancy: percent of the warps that can be resident.
# instructions: in the kernel; each: for each element, as Kernel.costs() of sass.py counts them. loads and stores of
# global memory: number x bits.
"""
LOWEST_OCCUPANCY = 20  # percent, of the common kernels: scans of 64-bit elements on sm_120, by shared memory
TOLERANCE = 1.02       # of the number of instructions


class Named:
    """A kernel of a program, with what `kernels` says of it."""

    def __init__(self, line):
        self.program, self.number, self.operation, read, written = line.split("\t")
        self.read, self.written = float(read), float(written)
        self.is_common = self.program == "common"
        self.stem = f"{self.program}.{self.number}"


def kernels_in(directory, nvdisasm):
    """All kernels with their names, for each architecture that they are there for."""
    archs = sorted(int(path.name) for path in directory.iterdir() if path.is_dir())
    for line in (directory / "kernels").read_text().splitlines():
        named = Named(line)
        text = (directory / f"{named.stem}.cu").read_text()
        for arch in archs:
            path = directory / str(arch) / f"{named.stem}.cubin"
            if path.exists():
                yield named, Kernel(nvdisasm, arch, path, text)


def widths_text(accesses):
    return ",".join(f"{count}x{width}" for width, count in accesses.items()) or "-"


def row_of(named, kernel):
    each = f"{kernel.costs()[0]:.2f}" if named.read else "-"
    return (named.program, named.number, kernel.text.template, str(kernel.arch), str(kernel.registers),
            str(kernel.occupancy), str(len(kernel.instructions)), each, widths_text(kernel.accesses("LDG")),
            widths_text(kernel.accesses("STG")))


def table_text(version, rows):
    rows = [COLUMNS] + rows
    sizes = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = [" ".join(cell.ljust(size) for cell, size in zip(row, sizes)).rstrip() for row in rows]
    return HEADING + f"NVRTC {version}\n" + "\n".join(lines) + "\n"


def recorded():
    """The version of NVRTC and the rows that are committed, by program, kernel and architecture."""
    if not TABLE.exists():
        return "", {}
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    rows = [tuple(line.split()) for line in lines[2:]]
    return lines[0].removeprefix("NVRTC "), {(row[0], row[1], row[3]): row for row in rows}


def faults_of(named, kernel, disassembles):
    """What holds with every compiler."""
    faults = kernel.narrow() if disassembles else []
    if kernel.frame > 0 or disassembles and kernel.loads_local_memory():
        faults.append(f"local memory ({kernel.frame} bytes)")
    if named.is_common and kernel.occupancy < LOWEST_OCCUPANCY:
        faults.append(f"occupancy {kernel.occupancy} % with {kernel.registers} registers")
    return faults


def worse(row, budget):
    """What a row has more of than its budget says."""
    if budget is None:
        return ["not in table.txt: ./dev sass --record"]
    found = []
    for column, is_worse in ((4, lambda now, was: now > was), (5, lambda now, was: now < was),
                             (6, lambda now, was: now > was * TOLERANCE)):
        if is_worse(int(row[column]), int(budget[column])):
            found.append(f"{COLUMNS[column]} {row[column]}, recorded {budget[column]}")
    return found


class Check:
    def __init__(self, directory, nvdisasm, everything):
        self.version = (directory / "version").read_text().strip()
        self.rows, self.costs, self.failures, self.count = [], [], [], 0
        for named, kernel in kernels_in(directory, nvdisasm):
            self.count += 1
            self.fail(named, kernel, faults_of(named, kernel, everything or not named.is_common))
            if not named.is_common:
                self.rows.append(row_of(named, kernel))
                self.costs.append((named, kernel.arch, kernel.costs() if named.read else (0, 0, 0)))

    def fail(self, named, kernel, faults):
        self.failures += [f"{named.stem} ({named.operation}), sm_{kernel.arch}: {fault}" for fault in faults]

    def compare(self, only):
        version, budgets = recorded()
        if version != self.version:
            print(f"NVRTC {self.version}, recorded with {version or 'none'}: budgets are not compared")
            return
        for row in self.rows:
            budget = budgets.pop((row[0], row[1], row[3]), None)
            self.failures += [f"{row[0]}.{row[1]}, sm_{row[3]}: {fault}" for fault in worse(row, budget)]
        if not only:
            self.failures += [f"{key[0]}.{key[1]}, sm_{key[2]}: recorded, but not there" for key in budgets]

    def record(self):
        TABLE.write_text(table_text(self.version, self.rows))
        write_estimates(RESULTS, self.costs)


def main(arguments):
    options = {"--all", "--record", "--only"}.intersection(arguments)
    words = [word for word in arguments if word not in options]
    if len(words) != 2 or {"--record", "--only"} <= options:
        sys.exit(__doc__)
    check = Check(pathlib.Path(words[1]), words[0], "--all" in options)
    if "--record" in options:
        check.record()
    else:
        check.compare("--only" in options)
    print("\n".join(check.failures + [f"sass: {check.count} kernels, {len(check.failures)} faults"]))
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

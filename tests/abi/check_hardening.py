#!/usr/bin/env python3
"""tests/abi/check_hardening.py -- are the installed binaries built to resist exploits of memory errors?

usage: check_hardening.py BINARY... Reads each by readelf:

- all addresses are chosen at run time: a shared library, or a position-independent executable
- the dynamic linker's tables are complete at the start and read-only from then on (relro, now); no memory of the stack
  is executable
- functions with arrays on their stack are guarded: __stack_chk_fail is called
- where the printf family is called, some calls check sizes (_FORTIFY_SOURCE); the compiler checks none whose sizes it
  does not know
- on x86-64, functions that may be called by address begin with endbr64 (-fcf-protection)
"""
import re
import subprocess
import sys
from pathlib import Path

UNCHECKED = ["printf", "fprintf", "sprintf", "snprintf", "vfprintf", "vsprintf", "vsnprintf"]
ENDBR64 = b"\xf3\x0f\x1e\xfa"
# Too small for arrays on a stack: what it does is to open the compiler's library.
WITHOUT_ARRAYS = {"gpuopt-jit-helper"}


def readelf(option, path):
    return subprocess.run(["readelf", option, "--wide", path], text=True, capture_output=True, check=True).stdout


def linking(path):
    """What is wrong with how it was linked."""
    header, segments, dynamic = (readelf(option, path) for option in ("-h", "-l", "-d"))
    if not re.search(r"Type: +DYN", header):
        yield "it is not position-independent"
    if "INTERP" in segments and not re.search(r"\(FLAGS_1\).*\bPIE\b", dynamic):
        yield "it is a program, and no position-independent executable (-pie)"
    if "GNU_RELRO" not in segments:
        yield "the dynamic linker's tables stay writable (-z relro)"
    if not re.search(r"BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic):
        yield "symbols are bound when they are first called (-z now)"
    stack = re.search(r"GNU_STACK +(?:0x\w+ +){5}(\w+)", segments)
    if not stack or "E" in stack[1]:
        yield "its stack is executable"


def symbols(path):
    """The names it takes from elsewhere, and the address of each function it exports."""
    imported, exported = set(), {}
    for line in readelf("--dyn-syms", path).splitlines():
        row = re.match(r" *\d+: (\w+) +\d+ (\w+) +\w+ +\w+ +(\w+) ([\w.]+)", line)
        if row and row[3] == "UND":
            imported.add(row[4])
        elif row and row[2] == "FUNC":
            exported[row[4]] = int(row[1], 16)
    return imported, exported


def file_offset(path, address):
    for line in readelf("-l", path).splitlines():
        row = re.match(r" +LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", line)
        if row:
            offset, start, size = (int(n, 16) for n in row.groups())
            if start <= address < start + size:
                return offset + address - start
    return None


def compiling(path):
    """What is wrong with how it was compiled."""
    imported, exported = symbols(path)
    if "__stack_chk_fail" not in imported and path.name not in WITHOUT_ARRAYS:
        yield "no function is guarded (-fstack-protector-strong)"
    unchecked = sorted(imported & set(UNCHECKED))
    checked = [name for name in imported if re.fullmatch(r"__\w+_chk", name)]
    if unchecked and not checked:
        yield f"it calls {', '.join(unchecked)}, and no function that checks sizes (-D_FORTIFY_SOURCE=2)"
    if not re.search(r"Machine: +Advanced Micro Devices X86-64", readelf("-h", path)):
        return
    code = path.read_bytes()
    if ENDBR64 not in code:
        yield "no function begins with endbr64 (-fcf-protection)"
    unmarked = [name for name, address in sorted(exported.items())
                if not name.startswith("_") and (at := file_offset(path, address)) is not None
                and code[at:at + 4] != ENDBR64]
    if unmarked:
        yield (f"{len(unmarked)} of {len(exported)} exported functions do not begin with endbr64 (-fcf-protection), "
               f"among them {unmarked[0]}")


def main():
    failed = False
    for name in sys.argv[1:]:
        path = Path(name)
        wrong = [*linking(path), *compiling(path)]
        for what in wrong:
            print(f"FAILED: {path.name}: {what}")
        failed = failed or bool(wrong)
    print(f"{len(sys.argv) - 1} binaries")
    return 1 if failed or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())

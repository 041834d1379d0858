#!/usr/bin/env python3
# bench/first_kernel.py -- how long a process waits for the code of its first program: compiled by NVRTC, and from the
# cache
"""usage: first_kernel.py BUILD_DIRECTORY [ROUNDS]

Runs <build>/bin/gpuopt_cuda_first_kernel (target of that name; needs NVRTC, no device), every time in a new process,
and prints the median and the least of ROUNDS (9) in milliseconds:
  machine   with an empty cache: NVRTC is opened and compiles one, which also tells which build of NVRTC it is
  process   with a cache that knows NVRTC from before but not the program: NVRTC is opened and compiles it
  cpu       the processor time of that, which differs less where the machine is busy
  next      the second program of such a process, always square
  cached    with a cache that has the program
A program has one kernel; `sum`, of an array that is long, has two. `empty` is a kernel that does nothing: what is
NVRTC's own.
"""
import statistics
import subprocess
import sys
import tempfile

COLUMNS = ["machine", "process", "cpu", "next", "cached"]
PROGRAMS = ["empty", "add", "sum", "subtract, divide", "abs, negative, exp, log1p, maximum, add"]


def wait(program, cache, *operations):
    lines = subprocess.run(
        [program, cache, *operations], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    fields = [line.split("\t") for line in lines]
    return [(float(wall), float(cpu), source) for wall, cpu, source, _ in fields]


def one_round(program, operation):
    with tempfile.TemporaryDirectory() as cache:
        machine = wait(program, cache, operation)[0]
    with tempfile.TemporaryDirectory() as cache:
        wait(program, cache, "negative")
        process, following = wait(program, cache, operation, "square")
        cached = wait(program, cache, operation)[0]
    for name, result in {"machine": machine, "process": process, "next": following, "cached": cached}.items():
        if (result[2] == "cached") != (name == "cached"):
            sys.exit(f"{name}: the program was {result[2]}")
    return machine[0], process[0], process[1], following[0], cached[0]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program, rounds = sys.argv[1] + "/bin/gpuopt_cuda_first_kernel", int((sys.argv + ["9"])[2])
    print(f"{'milliseconds, median (least)':42}" + "".join(f"{name:>18}" for name in COLUMNS))
    for operation in PROGRAMS:
        row = zip(*(one_round(program, operation) for _ in range(rounds)))
        print(f"{operation:42}" + "".join(f"{statistics.median(r):10.1f} ({min(r):5.1f})" for r in row))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# bench/first_kernel.py -- how long a process waits for the code of its first kernel: compiled by NVRTC, and from the cache
"""usage: first_kernel.py BUILD_DIRECTORY [ROUNDS]

Runs <build>/bin/gpuopt_cuda_first_kernel (target of that name; needs NVRTC, no device), every time in a new process, and
prints the median and the least of ROUNDS (9) in milliseconds:
  machine   with an empty cache: NVRTC is opened and compiles one, which also tells which build of NVRTC it is
  process   with a cache that knows NVRTC from before but not the kernel: NVRTC is opened and compiles one
  next      the second kernel of such a process
  cached    with a cache that has the kernel
"""
import statistics
import subprocess
import sys
import tempfile

KERNELS = ["add", "sum", "subtract, divide", "abs, negative, exp, log1p, maximum, add"]


def wait(program, cache, *operations):
    lines = subprocess.run([program, cache, *operations], check=True, capture_output=True, text=True).stdout.splitlines()
    return [(float(line.split("\t")[0]), line.split("\t")[1]) for line in lines]


def one_round(program, kernel):
    with tempfile.TemporaryDirectory() as cache:
        machine = wait(program, cache, kernel)[0]
    with tempfile.TemporaryDirectory() as cache:
        wait(program, cache, "negative")
        process = wait(program, cache, kernel, "square")
        cached = wait(program, cache, kernel)[0]
    found = {"machine": machine, "process": process[0], "next": process[1], "cached": cached}
    for name, (_, source) in found.items():
        if (source == "cached") != (name == "cached"):
            sys.exit(f"{name}: the kernel was {source}")
    return {name: milliseconds for name, (milliseconds, _) in found.items()}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program, rounds = sys.argv[1] + "/bin/gpuopt_cuda_first_kernel", int((sys.argv + ["9"])[2])
    print(f"{'milliseconds, median (least)':42}" + "".join(f"{name:>18}" for name in ("machine", "process", "next", "cached")))
    for kernel in KERNELS:
        results = [one_round(program, kernel) for _ in range(rounds)]
        row = [[result[name] for result in results] for name in results[0]]
        print(f"{kernel:42}" + "".join(f"{statistics.median(r):10.1f} ({min(r):5.1f})" for r in row))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# bench/against.py -- two builds of the library side by side: what got faster, and what slower
"""usage: bench/against.py PROGRAM BASE NEW [FILTER [ROUNDS [SECONDS]]]

PROGRAM is gpuopt_layout_bench; BASE and NEW are directories with a libgpuopt.so.1 and its plugins. Each round (3) runs
the program with one library and then with the other, on one thread unless GPUOPT_NUM_THREADS says otherwise, and the
least times of all rounds are compared: on a machine that others use too, minima of interleaved runs still say
something. Processor time is compared, which does not count the time in which others had the processor.
"""
import os
import subprocess
import sys


def times(program, library, pattern, seconds):
    """Returns {case: processor nanoseconds} of one run."""
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(library))
    environment.setdefault("GPUOPT_NUM_THREADS", "1")
    out = subprocess.run([program, pattern, seconds], env=environment, check=True, capture_output=True, text=True)
    rows = (line.split("\t") for line in out.stdout.splitlines())
    return {name: float(processor) for name, _, processor in rows}


def main(program, base, new, pattern="", rounds="3", seconds="0.1"):
    """Measures and prints the table."""
    least = {}
    for _ in range(int(rounds)):
        for side, library in enumerate((base, new)):
            for name, taken in times(program, library, pattern, seconds).items():
                best = least.setdefault(name, [float("inf")] * 2)
                best[side] = min(best[side], taken)
    print("| case | base, ms | new, ms | base / new |\n|---|---|---|---|")
    for name, (before, after) in least.items():
        print(f"| {name} | {before / 1e6:.3f} | {after / 1e6:.3f} | {before / after:.2f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])

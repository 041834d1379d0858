#!/usr/bin/env python3
# bench/against.py -- two builds of the library side by side: what got faster, and what slower
"""usage: bench/against.py PROGRAM BASE NEW [FILTER [ROUNDS [SECONDS]]]

PROGRAM is gpuopt_layout_bench; BASE and NEW are directories with a libgpuopt.so.1 and its plugins. Each round (3) runs
the program with one library and then with the other, on one thread unless GPUOPT_NUM_THREADS says otherwise, and the
least times of all rounds are compared: on a machine that others use too, minima of interleaved runs still say
something. Processor time is compared, which does not count the time in which others had the processor.

Cases that seem slower by more than a tenth are measured again for as many rounds; the exit status is 1 if any still
are. `./dev bench --against` builds what this needs.
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


SLOWER = 1.1


def measure(program, libraries, pattern, rounds, seconds, least):
    """Runs the cases in turns with both libraries. `least` is {case: [base, new]}, the least times so far."""
    for _ in range(rounds):
        for side, library in enumerate(libraries):
            for name, taken in times(program, library, pattern, seconds).items():
                best = least.setdefault(name, [float("inf")] * 2)
                best[side] = min(best[side], taken)


def slower(least):
    """Returns the cases in which the new library takes longer than what is put down to chance."""
    return [name for name, (before, after) in least.items() if after > before * SLOWER]


def main(program, base, new, pattern="", rounds="3", seconds="0.1"):
    """Measures and prints the table. Returns the exit status."""
    least = {}
    measure(program, (base, new), pattern, int(rounds), seconds, least)
    if not least:
        print(f"against.py: no case is named like {pattern!r}", file=sys.stderr)
        return 2
    for name in slower(least):
        measure(program, (base, new), name, int(rounds), seconds, least)
    print("| case | base, ms | new, ms | base / new |\n|---|---|---|---|")
    for name, (before, after) in least.items():
        print(f"| {name} | {before / 1e6:.3f} | {after / 1e6:.3f} | {before / after:.2f} |")
    for name in slower(least):
        print(f"slower: {name}")
    return 1 if slower(least) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

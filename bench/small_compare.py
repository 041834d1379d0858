#!/usr/bin/env python3
# bench/small_compare.py -- x + y of a few float64 elements: gpuopt's C ABI beside NumPy, on one thread
"""usage: bench/small_compare.py build/bench/bin/gpuopt_small_bench [ROUNDS]

prints a row of a table for each length: nanoseconds of a fresh result and of a result stored into an array that exists,
and their ratio to NumPy's `x + y` and `np.add(x, y, out=o)`. Each figure is the median over ROUNDS (9) rounds; in a
round both are measured one after the other, so that whatever else the machine does concerns both.
"""
import re
import statistics
import subprocess
import sys
import timeit

import numpy as np


def library(program):
    """Returns {n: (fresh, into)} of one run of small_bench, in nanoseconds."""
    lines = subprocess.run([program, "1"], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [re.findall(r"[\d.]+", line) for line in lines if re.match(r"\| \d", line)]
    return {int(row[0]): (float(row[1]), float(row[4])) for row in rows}


def nanoseconds(statement, **names):
    """Returns the median time of the statement in loops of 4000."""
    return statistics.median(timeit.repeat(statement, globals=names, number=4000, repeat=25)) / 4000 * 1e9


def numpy(n):
    """Returns (fresh, into) of NumPy, in nanoseconds."""
    x, y, o = np.full(n, 2.0), np.full(n, 3.0), np.empty(n)
    return nanoseconds("x + y", x=x, y=y), nanoseconds("add(x, y, out=o)", add=np.add, x=x, y=y, o=o)


def main(program, rounds=9):
    """Measures and prints the table."""
    times = {}
    for _ in range(int(rounds)):
        for n, ours in library(program).items():
            times.setdefault(n, []).append(ours + numpy(n))
    print(f"NumPy {np.__version__}\n")
    print("| n | fresh, ns | NumPy | ratio | into, ns | NumPy | ratio |\n|---|---|---|---|---|---|---|")
    for n, rows in times.items():
        fresh, into, their_fresh, their_into = (statistics.median(column) for column in zip(*rows))
        print(f"| {n} | {fresh:.0f} | {their_fresh:.0f} | {fresh / their_fresh:.2f} "
              f"| {into:.0f} | {their_into:.0f} | {into / their_into:.2f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])

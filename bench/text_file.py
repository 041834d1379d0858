#!/usr/bin/env python3
# bench/text_file.py -- gpuopt.loadtxt of a file of comma-separated numbers, beside the disk and numpy.loadtxt
"""usage: bench/text_file.py [NUMBERS [FOLDER]]

Writes a file of NUMBERS (1e7) float64 numbers with 18 digits, ten in a line, to FOLDER (a temporary one), and prints
how many bytes a second come from the disk alone, from gpuopt.loadtxt and from numpy.loadtxt, and the ratios to the
disk's. The system is asked to forget the file's pages before each reading, so that all read from the disk; each figure
is the best of three. Where the disk has a cache of its own, behind which this cannot look, its first reading is slower
than the others: ratios to both are printed. numpy.loadtxt reads the first tenth of the lines, because it takes long.
"""
import os
import sys
import tempfile
import time

import numpy as np

import gpuopt

COLUMNS = 10


def forget(path):
    """Has the system drop the pages of the file that it keeps in memory."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def seconds(path, read):
    """Returns how long `read` takes once the file has been forgotten."""
    forget(path)
    start = time.perf_counter()
    read()
    return time.perf_counter() - start


def read_bytes(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def main():
    numbers = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        path = os.path.join(folder, "numbers.csv")
        table = np.random.default_rng(1).standard_normal((max(numbers // COLUMNS, 1), COLUMNS))
        gpuopt.savetxt(path, gpuopt.asarray(table), delimiter=",")
        size, some = os.path.getsize(path), max(len(table) // 10, 1)

        first, *later = (seconds(path, lambda: read_bytes(path)) for _ in range(4))
        by_numpy = min(seconds(path, lambda: np.loadtxt(path, delimiter=",", max_rows=some)) for _ in range(3))
        rates = {
            "disk, first reading": size / first,
            "disk, later": size / min(later),
            "gpuopt.loadtxt": size / min(seconds(path, lambda: gpuopt.loadtxt(path, delimiter=",")) for _ in range(3)),
            "numpy.loadtxt": size * some / len(table) / by_numpy,
        }
        if not np.array_equal(gpuopt.asnumpy(gpuopt.loadtxt(path, delimiter=",")).reshape(table.shape), table):
            raise SystemExit("the numbers that were read are not those that were written")
        print(f"{size} bytes, {table.size} numbers\n")
        print("| reader | MB/s | of the disk's first reading | of its later ones |\n|---|---|---|---|")
        for name, rate in rates.items():
            ratios = (rate / rates[disk] for disk in ("disk, first reading", "disk, later"))
            print(f"| {name} | {rate / 1e6:.0f} |" + "".join(f" {ratio:.2f} |" for ratio in ratios))


if __name__ == "__main__":
    main()

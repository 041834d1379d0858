#!/usr/bin/env python3
# bench/product_levels.py -- products of square matrices at each level, beside OpenBLAS's kernels for such processors.
#
# usage: product_levels.py [--threads N] [--processes N] [LEVEL ...]
#
# Each library runs in processes of its own, in turn, so that neither finds the other's threads awake: gpuopt at a level
# (GPUOPT_CPU_LEVEL), and NumPy with OpenBLAS's kernels for processors of that level (OPENBLAS_CORETYPE). Times are the
# least of all. A ratio above 1 says that gpuopt is faster. Level v2 has no fused multiply-add: gpuopt computes it from
# other operations, so that the bits are those of the other levels, and OpenBLAS rounds twice.
import argparse
import os
import subprocess
import sys
import time

CORES = {"v2": "Nehalem", "v3": "Haswell", "v4": "SkylakeX"}
SIZES = {"v2": (256, 512, 1024), "v3": (256, 512, 1024, 2048, 4096), "v4": (256, 512, 1024, 2048, 4096)}


def measure(library, dtype, sizes):
    """Prints the least time, in seconds, of a product of each size."""
    import numpy as np
    if library == "gpuopt":
        import gpuopt as gp
    for n in sizes:
        a, b = (np.random.default_rng(seed).random((n, n)).astype(dtype) for seed in (1, 2))
        if library == "gpuopt":
            a, b = gp.asarray(a), gp.asarray(b)
        least, until = float("inf"), time.perf_counter() + 0.6
        while time.perf_counter() < until or least == float("inf"):
            begin = time.perf_counter()
            (a @ b).item(0)
            least = min(least, time.perf_counter() - begin)
        print(least, flush=True)


def times(library, level, dtype, threads):
    """The times of a process of its own."""
    settings = dict(os.environ, GPUOPT_CPU_LEVEL=level, GPUOPT_NUM_THREADS=threads, GPUOPT_MATMUL="exact",
                    OPENBLAS_CORETYPE=CORES[level], OPENBLAS_NUM_THREADS=threads if library == "NumPy" else "1")
    command = [sys.executable, __file__, "--measure", library, dtype, *map(str, SIZES[level])]
    return [float(line) for line in subprocess.run(command, env=settings, check=True, capture_output=True,
                                                   text=True).stdout.split()]


def main():
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], sys.argv[3], [int(n) for n in sys.argv[4:]])
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", default=str(os.cpu_count()))
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("levels", nargs="*", default=list(CORES))
    options = parser.parse_args()
    print("| level | dtype | n | gpuopt, ms | OpenBLAS, ms | its time / gpuopt's |\n|---|---|---:|---:|---:|---:|")
    for level in options.levels:
        for dtype in ("float32", "float64"):
            runs = {"gpuopt": [], "NumPy": []}
            for _ in range(options.processes):
                for library, found in runs.items():
                    found.append(times(library, level, dtype, options.threads))
            least = {library: [min(column) for column in zip(*found)] for library, found in runs.items()}
            for n, own, other in zip(SIZES[level], least["gpuopt"], least["NumPy"]):
                print(f"| {level} | {dtype} | {n} | {own * 1e3:.3f} | {other * 1e3:.3f} | {other / own:.2f} |",
                      flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# bench/fftw.py -- Fourier transforms of complex128 beside FFTW's, in one process, turn by turn.
#
# usage: fftw.py [--threads N] [--rounds N] [--patient]
#
# FFTW is looked for where the system has it (libfftw3.so.3, and libfftw3_threads.so.3 for several threads). It is under
# the GPL: measured, and neither linked nor shipped. Its plans, of FFTW_MEASURE or FFTW_PATIENT, are made before; so is
# the memory of its results, whereas gpuopt allocates its own. A ratio above 1 says that gpuopt is faster; each time is
# the least of the rounds.
import argparse
import ctypes
import os
import sys
import time

FFTW_FORWARD, FFTW_MEASURE, FFTW_PATIENT = -1, 0, 1 << 5
CASES = [(1000, 1024), (10000, 64), (100, 1 << 14), (1, 1 << 20)]


def library(threads):
    """FFTW, told how many threads to use; None if it is not installed."""
    try:
        fftw = ctypes.CDLL("libfftw3.so.3", mode=ctypes.RTLD_GLOBAL)
        if threads > 1:
            with_threads = ctypes.CDLL("libfftw3_threads.so.3")
            with_threads.fftw_init_threads()
            with_threads.fftw_plan_with_nthreads(threads)
    except OSError as error:
        print(error, file=sys.stderr)
        return None
    fftw.fftw_plan_many_dft.restype = ctypes.c_void_p
    fftw.fftw_execute.argtypes = [ctypes.c_void_p]
    return fftw


def planned(fftw, x, y, flags):
    """A function that transforms the rows of x into those of y."""
    count, n = x.shape
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y)]
    length = ctypes.c_int(n)
    plan = fftw.fftw_plan_many_dft(1, ctypes.byref(length), count, pointers[0], None, 1, n, pointers[1], None, 1, n,
                                   FFTW_FORWARD, flags)
    return lambda: fftw.fftw_execute(plan)


def least_times(rounds, *functions):
    """The least time of each function over the rounds, in which they take turns."""
    least = [float("inf")] * len(functions)
    for _ in range(rounds):
        for k, function in enumerate(functions):
            begin = time.perf_counter()
            function()
            least[k] = min(least[k], time.perf_counter() - begin)
    return least


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--patient", action="store_true")
    args = parser.parse_args()
    os.environ["GPUOPT_NUM_THREADS"] = str(args.threads)
    fftw = library(args.threads)
    if not fftw:
        return 1
    import numpy as np

    import gpuopt as gp

    print(f"{args.threads} threads; ms; FFTW's time in gpuopt's")
    for count, n in CASES:
        x, y = np.empty((count, n), complex), np.empty((count, n), complex)
        run_fftw = planned(fftw, x, y, FFTW_PATIENT if args.patient else FFTW_MEASURE)  # which overwrites them
        rng = np.random.default_rng(1)
        x[...] = rng.standard_normal((count, n)) + 1j * rng.standard_normal((count, n))
        ours = gp.asarray(x)
        made = np.asarray(gp.fft.fft(ours))
        run_fftw()
        if not np.allclose(made, y, rtol=0, atol=1e-12 * np.abs(y).max()):
            print("the results differ", file=sys.stderr)
            return 1
        theirs, own = least_times(args.rounds, run_fftw, lambda: gp.fft.fft(ours))
        print(f"{count:6d} of {n:8d}: gpuopt {own * 1e3:9.3f}, FFTW {theirs * 1e3:9.3f}, ratio {theirs / own:5.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""bench/jit_compare.py -- kernels of one's own on the CPU: how long they take to compile, and how fast what comes out
is.

  bench/jit_compare.py --build build/bench                   # everything
  bench/jit_compare.py --build build/bench --sections first  # without NumPy, Numba and PyTorch

Sections:
  first       milliseconds of the first call of a kernel: the first of a process, later ones, and the first from the
              disk cache, without the compiler; each in new processes
  loops       generated loops on one thread beside bench/jit_loops.c, compiled by `gcc -O3 -march=native`
  parallel    kernels on two threads beside Numba's parallel=True
  expression  sin(x) * 0.5 + x * x - 1 of 1e7 float64, recorded and as a kernel, beside STREAM's triad and the peers
In the last three a figure is the median over paired rounds of (contender / the one named in the head), every run
synchronised, every result checked before. Contenders that are not installed are named, never left out silently.
"""
import argparse
import ctypes as C
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECTIONS = {"first": 2, "loops": 1, "parallel": 2, "expression": 2}  # and on how many threads
FLOAT64 = 13
DTYPES = {"float32": 12, "float64": FLOAT64, "uint32": 8}


class Error(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("code", C.c_int32), ("reason", C.c_int32), ("backend_code", C.c_int32),
                ("message", C.c_char * 512)]


class Scalar(C.Structure):
    _fields_ = [("kind", C.c_int32), ("reserved", C.c_int32), ("value", C.c_double), ("imag", C.c_double)]


class Library:
    """The C ABI through ctypes; handles are void pointers."""

    def __init__(self, build):
        self.c = C.CDLL(str(build / "lib" / "libgpuopt.so"))
        self.device = self.make("gpuopt_device_open", b"cpu", None)

    def call(self, name, *arguments):
        error = Error(struct_size=C.sizeof(Error))
        if getattr(self.c, name)(*arguments, C.byref(error)):
            raise RuntimeError(error.message.decode())

    def make(self, name, *arguments):
        handle = C.c_void_p()
        self.call(name, *arguments, C.byref(handle))
        return handle

    def array(self, values):
        shape = (C.c_int64 * 1)(values.size)
        at = C.c_void_p(values.ctypes.data)
        return self.make("gpuopt_array_from", self.device, at, DTYPES[values.dtype.name], 1, shape)

    def read(self, x, into):
        self.call("gpuopt_to_host", x, C.c_void_p(into.ctypes.data), C.c_size_t(into.nbytes))
        return into

    def kernel(self, ins, outs, operation, name):
        return self.make("gpuopt_elementwise_kernel", *(text.encode() for text in (ins, outs, operation, name)), None)

    def launcher(self, kernel, *arrays):
        """A call of the kernel with these inputs and outputs, and its end."""
        arguments = (C.c_void_p * len(arrays))(*arrays)

        def run():
            self.call("gpuopt_kernel_call", kernel, len(arrays), arguments, None, None)
            self.call("gpuopt_device_synchronize", self.device)

        return run


# ---- first -----------------------------------------------------------------------------------------------------------


def first_calls(build, count):
    """In a process of its own: the milliseconds of the first calls of `count` kernels."""
    library = Library(build)
    shape = (C.c_int64 * 1)(1000)
    x, y = (library.make("gpuopt_ones", library.device, FLOAT64, 1, shape) for _ in range(2))
    library.call("gpuopt_eval", 2, (C.c_void_p * 2)(x, y))
    times = []
    for k in range(count):
        start = time.perf_counter()
        kernel = library.kernel("T x", "T y", f"y = x * {k}.5 + sqrt(x) / {k + 1}", f"kernel_{k}")
        library.launcher(kernel, x, y)()
        times.append((time.perf_counter() - start) * 1e3)
    print(*times)


def first(build, rounds):
    found = {"first of a process": [], "later ones": [], "first, from the disk cache": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            outputs = []
            for count, policy in ((10, "on"), (1, "cache_only")):
                command = [sys.executable, __file__, "--build", build, "--first-calls", str(count)]
                environment = dict(os.environ, GPUOPT_CACHE_DIR=cache, GPUOPT_JIT_POLICY=policy)
                outputs.append(subprocess.run(command, check=True, capture_output=True, text=True,
                                              env=environment).stdout.split())
        cold = [float(word) for word in outputs[0]]
        found["first of a process"].append(cold[0])
        found["later ones"].append(statistics.median(cold[1:]))
        found["first, from the disk cache"].append(float(outputs[1][0]))
    print("| kernel | ms, median | least | aim |\n|---|---|---|---|")
    for (name, times), aim in zip(found.items(), (30, 10, 1)):
        print(f"| {name} | {statistics.median(times):.2f} | {min(times):.2f} | {aim} |")


# ---- the sections that time loops ------------------------------------------------------------------------------------


def hand_written(scratch):
    compiled = Path(scratch) / "libjit_loops.so"
    flags = ["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, str(HERE / "jit_loops.c"), "-o", str(compiled), "-lm"], check=True)
    return C.CDLL(str(compiled))


def pointers(*arrays):
    return [C.c_void_p(a.ctypes.data) for a in arrays] + [C.c_int64(arrays[0].size)]


def repeated(run, count):
    def several():
        for _ in range(count):
            run()

    return several


def report(case, base, rounds):
    times = case.measure(rounds)
    for name, seconds in times.items():
        ratio = statistics.median(t / b for t, b in zip(seconds, times[base]))
        print(f"| {case.title} | {name} | {statistics.median(seconds) * 1e3:.3f} | {ratio:.2f} |", flush=True)


def head(base):
    print(f"| case | contender | ms | time / {base} |\n|---|---|---|---|")


LOOPS = {
    "axpy": ("float32", "z = 2.5f * x + y"),
    "polynomial": ("float64",
                   "z = ((((((0.1 * x + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6) * x + 0.7) * x + y"),
    "clip": ("float64", "z = x < y ? y : x > 1 ? 1 : x"),
    "length": ("float64", "z = sqrt(x * x + y * y)"),
    "mix": ("uint32", "z = ((x ^ (x >> 15)) * 2246822519u ^ y) * 3266489917u"),
}


def loops(build, rounds):
    import compare
    import numpy as np
    library, random, n = Library(build), np.random.default_rng(1), 1_000_000
    head("hand-written")
    with tempfile.TemporaryDirectory() as scratch:
        c = hand_written(scratch)
        for name, (dtype, operation) in LOOPS.items():
            whole = dtype == "uint32"
            x, y = (random.integers(0, 2**32, n, dtype) if whole else random.normal(size=n).astype(dtype)
                    for _ in range(2))
            z, got = np.empty_like(x), np.empty_like(x)
            arrays = [library.array(a) for a in (x, y, z)]
            run = library.launcher(library.kernel("T x, T y", "T z", operation, name), *arrays)
            peer = lambda f=getattr(c, "loop_" + name), a=pointers(x, y, z): f(*a)
            run(), peer()
            library.read(arrays[2], got)
            # Only C contracts products and sums; whole numbers are equal.
            precision = 1e-5 if dtype == "float32" else 1e-12
            assert (got == z).all() if whole else np.allclose(got, z, rtol=10 * precision, atol=precision)
            case = compare.Case(f"{name} {dtype} {n:.0e}, 10 times")
            case.add("hand-written", repeated(peer, 10))
            case.add("gpuopt", repeated(run, 10))
            report(case, "hand-written", rounds)


def parallel(build, rounds):
    import compare
    import numpy as np
    if not compare.numba:
        print("not run: numba is not installed")
        return
    from numba import njit, prange

    @njit(parallel=True)
    def axpy(x, y, z):
        for i in prange(x.size):
            z[i] = 2.5 * x[i] + y[i]

    @njit(parallel=True)
    def polynomial(x, y, z):
        for i in prange(x.size):
            v = x[i]
            z[i] = ((((((0.1 * v + 0.2) * v + 0.3) * v + 0.4) * v + 0.5) * v + 0.6) * v + 0.7) * v + y[i]

    @njit(parallel=True)
    def wave(x, y, z):
        for i in prange(x.size):
            z[i] = np.sin(x[i]) * np.exp(y[i])

    operations = {axpy: "z = 2.5 * x + y", polynomial: LOOPS["polynomial"][1], wave: "z = sin(x) * exp(y)"}
    library, random, n = Library(build), np.random.default_rng(2), 10_000_000
    head("numba")
    for peer, operation in operations.items():
        x, y = random.normal(size=n), random.normal(size=n)
        z, got = np.empty_like(x), np.empty_like(x)
        arrays = [library.array(a) for a in (x, y, z)]
        run = library.launcher(library.kernel("T x, T y", "T z", operation, peer.__name__), *arrays)
        run(), peer(x, y, z)
        assert np.allclose(library.read(arrays[2], got), z, rtol=1e-11, atol=1e-12)
        case = compare.Case(f"{peer.__name__} float64 {n:.0e}")
        case.add("numba", lambda: peer(x, y, z))
        case.add("gpuopt", run)
        report(case, "numba", rounds)
        for a in arrays:
            library.c.gpuopt_array_release(a)


def recorded(library, x, half, one):
    """sin(x) * 0.5 + x * x - 1 of arrays and weak numbers, evaluated."""
    made = [library.make("gpuopt_sin", x)]
    made.append(library.make("gpuopt_multiply", made[0], half))
    made.append(library.make("gpuopt_multiply", x, x))
    made.append(library.make("gpuopt_add", made[1], made[2]))
    result = library.make("gpuopt_subtract", made[3], one)
    for x in made:
        library.c.gpuopt_array_release(x)
    library.call("gpuopt_eval", 1, (C.c_void_p * 1)(result))
    library.call("gpuopt_device_synchronize", library.device)
    return result


def expression(build, rounds):
    import compare
    import numpy as np
    library, n = Library(build), 10_000_000
    x, y = np.random.default_rng(3).normal(size=n), np.empty(n)
    a, out, other = library.array(x), library.array(y), np.ones(n)
    half, one = (library.make("gpuopt_weak", Scalar(ord("f"), 0, value, 0)) for value in (0.5, 1.0))
    run = library.launcher(library.kernel("T x", "T y", "y = sin(x) * 0.5 + x * x - 1", "wave"), a, out)
    want, got = np.sin(x) * 0.5 + x * x - 1, np.empty(n)
    run()
    assert np.allclose(library.read(out, got), want, rtol=1e-12, atol=1e-14)
    for _ in range(40):  # hot programs are compiled in the background
        result = recorded(library, a, half, one)
        assert np.allclose(library.read(result, got), want, rtol=1e-12, atol=1e-14)
        library.c.gpuopt_array_release(result)
    case = compare.Case("sin(x) * 0.5 + x * x - 1, float64 1e7")
    with tempfile.TemporaryDirectory() as scratch:
        c, triad_arguments = hand_written(scratch), pointers(x, other, y)
        case.add("triad", lambda: c.triad(*triad_arguments))
        case.add("gpuopt kernel", run)
        case.add("gpuopt recorded", lambda: library.c.gpuopt_array_release(recorded(library, a, half, one)))
        case.add("numpy", lambda: np.sin(x) * 0.5 + x * x - 1)
        if compare.numba:
            fused = compare.numba.njit(parallel=True)(lambda v: np.sin(v) * 0.5 + v * v - 1)
            case.add("numba", lambda: fused(x))
        if compare.torch:
            t = compare.torch.from_numpy(x)
            case.add("torch", lambda: compare.torch.sin(t) * 0.5 + t * t - 1)
        head("triad")
        report(case, "triad", rounds)
    for name in ("numba", "torch"):
        if not getattr(compare, name):
            print(f"not run: {name} is not installed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", type=lambda path: Path(path).resolve())
    parser.add_argument("--sections", default=",".join(SECTIONS))
    parser.add_argument("--rounds", default=9, type=int)
    parser.add_argument("--first-calls", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first_calls:
        return first_calls(options.build, options.first_calls)
    if options.in_process:
        return globals()[options.sections](options.build, options.rounds)
    for section in options.sections.split(","):
        threads = str(SECTIONS[section])
        print(f"{section}, {threads} thread{'s' if threads != '1' else ''}\n", flush=True)
        environment = dict(os.environ, GPUOPT_NUM_THREADS=threads, OMP_NUM_THREADS=threads, NUMBA_NUM_THREADS=threads,
                           OMP_WAIT_POLICY="passive")
        command = [sys.executable, __file__, "--build", options.build, "--sections", section, "--rounds",
                   str(options.rounds), "--in-process"]
        subprocess.run(command, check=True, env=environment)
        print(flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

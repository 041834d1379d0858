#!/usr/bin/env python3
"""bench/compare.py -- the library beside its peers and the hand-written bound, in one process, in paired rounds.

Each round runs every contender in turn; a figure is the median over the rounds of (contender / bound) of the same
round, so that a drifting machine moves both sides. A contender is timed in its steady state: after a pause in which the
threads of the one before stop (OpenMP's spin for milliseconds after a loop) and some runs that are not timed. Every
contender's result is checked before it is timed. Contenders that are not installed are named in the output, never left
out silently. Three C++ libraries of expression templates (libeigen3-dev, libarmadillo-dev, and libxtensor-dev with
libxsimd-dev) take part if they were installed when the benchmarks were built.

  bench/compare.py --build build            # all cases, sizes 1e7 and 1e8
  bench/compare.py --build build --cases threefold,sum --sizes 1e7 --json out.json
"""
import argparse
import concurrent.futures
import ctypes as C
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

THREADS = 2
os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))
os.environ.setdefault("OPENBLAS_NUM_THREADS", str(THREADS))
os.environ.setdefault("GPUOPT_NUM_THREADS", str(THREADS))
os.environ.setdefault("NUMBA_NUM_THREADS", str(THREADS))
# OpenMP's threads spin for milliseconds after a loop: they would take the processors from whoever is timed next.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import numpy as np

try:
    import numba
except ImportError:
    numba = None
try:
    import torch
    torch.set_num_threads(THREADS)
except ImportError:
    torch = None

TEMPLATES = ("eigen", "armadillo", "xtensor")  # C++ libraries, in templates_*.cpp
DTYPES = {"f32": (12, np.float32, C.c_float), "f64": (13, np.float64, C.c_double)}


class Gpuopt:
    """The C ABI through ctypes: arrays as opaque pointers."""

    def __init__(self, build):
        self.lib = C.CDLL(str(build / "lib" / "libgpuopt.so"))
        self.cases = C.CDLL(str(build / "lib" / "libbench_cases.so"))
        self.cases.case_error.restype = C.c_char_p
        self.cases.case_small_add.restype = C.c_double
        self.device = C.c_void_p()
        self.check(self.lib.gpuopt_device_open(b"cpu", None, C.byref(self.device), None))

    def check(self, status):
        if status:
            raise RuntimeError(f"status {status}: {self.cases.case_error().decode()}")

    def array(self, a, dtype=None):
        number = dtype or {np.float32: 12, np.float64: 13, np.bool_: 1}[a.dtype.type]
        shape = (C.c_int64 * a.ndim)(*a.shape)
        out = C.c_void_p()
        self.check(self.lib.gpuopt_array_from(self.device, C.c_void_p(a.ctypes.data), number, a.ndim, shape,
                                              C.byref(out), None))
        return out

    def view(self, array, like):
        """Returns the memory of an array as a NumPy array that can be written; nothing may be recorded on it."""
        data = C.c_void_p()
        self.check(self.lib.gpuopt_array_data(array, C.byref(data), None))
        return np.frombuffer((C.c_char * like.nbytes).from_address(data.value), like.dtype).reshape(like.shape)

    def numpy(self, x, like):
        out = np.empty_like(like)
        self.check(self.lib.gpuopt_to_host(x, C.c_void_p(out.ctypes.data), C.c_size_t(out.nbytes), None))
        return out

    def free(self, x):
        self.lib.gpuopt_array_release(x)

    def run(self, name, *args):
        self.check(getattr(self.cases, "case_" + name)(*args))


def pointer(a):
    return C.c_void_p(a.ctypes.data)


def clock(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def idle(seconds):
    """Waits without letting this processor sleep."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Case:
    """Contenders of one job: name -> (prepare() run untimed before each round, run())."""

    def __init__(self, title):
        self.title = title
        self.runs = {}

    def add(self, name, run, prepare=lambda: None):
        self.runs[name] = (prepare, run)

    def measure(self, rounds):
        times = {name: [] for name in self.runs}
        for prepare, run in self.runs.values():  # so that nothing is compiled, and no way chosen, while it is timed
            start = time.perf_counter()
            while time.perf_counter() < start + 0.3:
                prepare()
                run()
        for _ in range(rounds):
            for name, (prepare, run) in self.runs.items():
                idle(0.02)
                start = time.perf_counter()
                while time.perf_counter() < start + 0.01:
                    prepare()
                    run()
                prepare()
                times[name].append(clock(run))
        return times


def add_templates(env, case, job, suffix, call, check, prepare=lambda: None, kind=""):
    """Adds the C++ libraries that have the job. call(function) runs it once, and check(what it returned) says whether
    the result is right."""
    for name in TEMPLATES:
        function = getattr(env.templates, f"{name}_{job}_{suffix}", None)
        if function:
            function.restype = C.c_double if job in ("sum", "mean", "add", "chain") else None
            prepare()
            assert check(call(function)), f"{case.title}: {name}"
            case.add(name + kind, lambda function=function: call(function), prepare)


def template_libraries(loaded):
    """Says of each C++ library whether it takes part."""
    return ", ".join(name if hasattr(loaded, f"{name}_sum_f64") else f"{name} not installed" for name in TEMPLATES)


# ---- jobs ------------------------------------------------------------------------------------------------------------


def threefold(env, suffix, n):
    _, dtype, _ = DTYPES[suffix]
    start = np.full(n, 0.25, dtype)
    case = Case(f"threefold {suffix} {n:.0e} (in place)")
    want = dtype(2 * (0.25 * 5) ** 2)
    bound = env.bound
    x = start.copy()
    f = getattr(bound, "bound_threefold_" + suffix)
    case.add("bound", lambda: f(pointer(x), C.c_int64(n)), lambda: x.fill(0.25))
    g = env.gpuopt.array(start)

    def refill():  # as the others do it: what fills an array decides how much of it is in the caches
        env.gpuopt.view(g, start).fill(0.25)

    case.add("gpuopt", lambda: env.gpuopt.run("threefold", g), refill)

    def chain(y):
        y *= 5
        y *= y
        y += y

    y = start.copy()
    case.add("numpy", lambda: chain(y), lambda: y.fill(0.25))
    if torch:
        t = torch.from_numpy(start.copy())
        case.add("torch", lambda: chain(t), lambda: t.fill_(0.25))
    if numba:
        @numba.njit(parallel=True, fastmath=True)
        def fused(z):
            for i in numba.prange(z.size):
                v = z[i] * z.dtype.type(5)
                v *= v
                z[i] = v + v

        z = start.copy()
        case.add("numba", lambda: fused(z), lambda: z.fill(0.25))
    c = start.copy()
    add_templates(env, case, "threefold", suffix, lambda run: run(pointer(c), C.c_int64(n)),
                  lambda _: (c == want).all(), lambda: c.fill(0.25))
    refill()
    env.gpuopt.run("threefold", g)
    assert (env.gpuopt.numpy(g, start) == want).all()
    return case


def softplus(env, suffix, n):
    _, dtype, _ = DTYPES[suffix]
    x = np.random.default_rng(1).normal(size=n).astype(dtype)
    out = np.empty_like(x)
    case = Case(f"softplus {suffix} {n:.0e} (out given)")
    f = getattr(env.bound, "bound_softplus_" + suffix)
    case.add("bound", lambda: f(pointer(x), pointer(out), C.c_int64(n)))
    g, go = env.gpuopt.array(x), env.gpuopt.array(out)
    case.add("gpuopt", lambda: env.gpuopt.run("softplus", g, go))
    case.add("gpuopt fresh", lambda: env.gpuopt.run("softplus", g, None))
    case.add("numpy", lambda: np.maximum(0, x) + np.log1p(np.exp(-np.abs(x))))
    if torch:
        t = torch.from_numpy(x)
        case.add("torch", lambda: torch.clamp(t, min=0) + torch.log1p(torch.exp(-torch.abs(t))))
    if numba:
        @numba.njit(parallel=True, fastmath=True)
        def fused(a, b):
            for i in numba.prange(a.size):
                b[i] = max(a[i], a.dtype.type(0)) + np.log1p(np.exp(-abs(a[i])))

        nb = np.empty_like(x)
        case.add("numba", lambda: fused(x, nb))
    want = np.maximum(0, x) + np.log1p(np.exp(-np.abs(x)))
    add_templates(env, case, "softplus", suffix, lambda run: run(pointer(x), pointer(out), C.c_int64(n)),
                  lambda _: np.allclose(out, want, rtol=16 * np.finfo(dtype).eps, atol=0))
    env.gpuopt.run("softplus", g, go)
    assert np.allclose(env.gpuopt.numpy(go, x), want, rtol=4 * np.finfo(dtype).eps, atol=0)
    return case


def sine(env, suffix, n):
    """Five operations against the triad's traffic: compiled, and interpreted by a thread that met the program while
    that was off."""
    _, dtype, _ = DTYPES[suffix]
    x, z = np.random.default_rng(1).normal(size=(2, n)).astype(dtype)
    out = np.empty_like(x)
    case = Case(f"sin(x) * 2 + z * 3 - 1 {suffix} {n:.0e} (out given)")
    f = getattr(env.bound, "bound_triad_" + suffix)
    case.add("bound", lambda: f(pointer(x), pointer(z), pointer(out), C.c_int64(n)))
    gx, gz, go = (env.gpuopt.array(a) for a in (x, z, out))
    want = np.sin(x) * dtype(2) + z * dtype(3) - dtype(1)
    bits = []
    for name, setting in (("gpuopt", "now"), ("gpuopt interpreted", "off")):
        os.environ["GPUOPT_CPU_TIER_UP"] = setting
        thread = concurrent.futures.ThreadPoolExecutor(1)
        call = lambda thread=thread: thread.submit(env.gpuopt.run, "sine", gx, gz, go).result()
        call()
        bits.append(env.gpuopt.numpy(go, x).tobytes())
        case.add(name, call)
    del os.environ["GPUOPT_CPU_TIER_UP"]
    case.add("numpy", lambda: np.sin(x) * dtype(2) + z * dtype(3) - dtype(1))
    if torch:
        tx, tz = torch.from_numpy(x), torch.from_numpy(z)
        case.add("torch", lambda: torch.sin(tx) * 2 + tz * 3 - 1)
    if numba:
        @numba.njit(parallel=True, fastmath=True)
        def fused(a, b, c):
            for i in numba.prange(a.size):
                c[i] = np.sin(a[i]) * a.dtype.type(2) + b[i] * a.dtype.type(3) - a.dtype.type(1)

        nb = np.empty_like(x)
        case.add("numba", lambda: fused(x, z, nb))
    add_templates(env, case, "sine", suffix, lambda run: run(pointer(x), pointer(z), pointer(out), C.c_int64(n)),
                  lambda _: np.allclose(out, want, rtol=0, atol=16 * np.finfo(dtype).eps))
    assert bits[0] == bits[1]
    assert np.allclose(env.gpuopt.numpy(go, x), want, rtol=0, atol=16 * np.finfo(dtype).eps)
    return case


def standardize(env, suffix, n):
    _, dtype, _ = DTYPES[suffix]
    rows, columns = 1000, n // 1000
    source = np.random.RandomState(1).randint(0, 4, size=(rows, columns)).astype(dtype)
    source[source == 3] = np.nan
    case = Case(f"standardize {suffix} {rows}x{columns} (in place)")

    def numpy_version(a):
        missing = np.isnan(a)
        deviation = np.nanstd(a, axis=0)
        mean = np.nanmean(a, axis=0)
        deviation[deviation == 0] = np.inf
        a -= mean
        a /= deviation
        a[missing] = 0

    x = source.copy()
    f = getattr(env.bound, "bound_standardize_" + suffix)
    case.add("bound", lambda: f(pointer(x), C.c_int64(rows), C.c_int64(columns)), lambda: np.copyto(x, source))
    g = env.gpuopt.array(source)

    def refill():
        np.copyto(env.gpuopt.view(g, source), source)

    case.add("gpuopt", lambda: env.gpuopt.run("standardize", g), refill)
    y = source.copy()
    case.add("numpy", lambda: numpy_version(y), lambda: np.copyto(y, source))
    if torch:
        t = torch.from_numpy(source.copy())
        ts = torch.from_numpy(source)

        def torch_version():
            missing = torch.isnan(t)
            mean = torch.nanmean(t, dim=0)
            deviation = torch.sqrt(torch.nanmean((t - mean) ** 2, dim=0))
            deviation[deviation == 0] = float("inf")
            t.sub_(mean).div_(deviation)
            t[missing] = 0

        case.add("torch", torch_version, lambda: t.copy_(ts))
    refill()
    env.gpuopt.run("standardize", g)
    want = source.copy()
    numpy_version(want)
    assert np.allclose(env.gpuopt.numpy(g, source), want, rtol=1e-3 if suffix == "f32" else 1e-12,
                       atol=1e-5 if suffix == "f32" else 1e-12)
    return case


def reduction(env, suffix, n, job):
    _, dtype, _ = DTYPES[suffix]
    x = np.random.default_rng(2).random(n).astype(dtype)
    case = Case(f"{job} {suffix} {n:.0e}")
    f = getattr(env.bound, "bound_sum_" + suffix)
    f.restype = C.c_double
    case.add("bound", lambda: f(pointer(x), C.c_int64(n)))
    g = env.gpuopt.array(x)
    case.add("gpuopt", (lambda: env.gpuopt.run("sum", g, C.c_int64(-1))) if job == "sum"
             else (lambda: env.gpuopt.run("mean", g)))
    case.add("numpy", lambda: getattr(x, job)())
    if torch:
        t = torch.from_numpy(x)
        case.add("torch", lambda: getattr(t, job)())
    if numba:
        @numba.njit(parallel=True, fastmath=True)
        def total(a):
            s = a.dtype.type(0)
            for i in numba.prange(a.size):
                s += a[i]
            return s

        case.add("numba", lambda: total(x))
    want = getattr(x.astype(np.float64), job)()  # some add up one after the other, in float32
    add_templates(env, case, job, suffix, lambda run: run(pointer(x), C.c_int64(n)),
                  lambda got: np.isclose(got, want, rtol=0.05 if suffix == "f32" else 1e-9))
    return case


def axis_sum(env, suffix, axis):
    _, dtype, _ = DTYPES[suffix]
    n = 4096
    x = np.random.default_rng(3).random((n, n)).astype(dtype)
    out = np.empty(n, dtype)
    case = Case(f"sum over axis {axis} of {n}x{n} {suffix}")
    f = getattr(env.bound, ("bound_sum_columns_" if axis == 0 else "bound_sum_rows_") + suffix)
    case.add("bound", lambda: f(pointer(x), pointer(out), C.c_int64(n), C.c_int64(n)))
    g = env.gpuopt.array(x)
    case.add("gpuopt", lambda: env.gpuopt.run("sum", g, C.c_int64(axis)))
    case.add("numpy", lambda: x.sum(axis=axis))
    if torch:
        t = torch.from_numpy(x)
        case.add("torch", lambda: t.sum(dim=axis))
    add_templates(env, case, "sum_columns" if axis == 0 else "sum_rows", suffix,
                  lambda run: run(pointer(x), pointer(out), C.c_int64(n), C.c_int64(n)),
                  lambda _: np.allclose(out, x.sum(axis=axis), rtol=1e-4))
    return case


def mask_select(env, suffix, n):
    _, dtype, _ = DTYPES[suffix]
    rng = np.random.default_rng(4)
    x, mask = rng.random(n).astype(dtype), rng.random(n) < 0.5
    out = np.empty_like(x)
    case = Case(f"mask select {suffix} {n:.0e}")
    f = getattr(env.bound, "bound_mask_select_" + suffix)
    case.add("bound", lambda: f(pointer(x), pointer(mask), pointer(out), C.c_int64(n)))
    g, gm = env.gpuopt.array(x), env.gpuopt.array(mask)
    case.add("gpuopt", lambda: env.gpuopt.run("mask_select", g, gm))
    case.add("numpy", lambda: x[mask])
    if torch:
        t, tm = torch.from_numpy(x), torch.from_numpy(mask)
        case.add("torch", lambda: t[tm])
    if numba:
        @numba.njit
        def select(a, m):
            return a[m]

        case.add("numba", lambda: select(x, mask))
    return case


def random(env, suffix, n, job):
    number, dtype, _ = DTYPES[suffix]
    out = np.empty(n, dtype)
    case = Case(f"{job} {suffix} {n:.0e}")
    f = getattr(env.bound, f"bound_{job}_{suffix}")
    case.add("bound", lambda: f(pointer(out), C.c_int64(n)))
    generator = C.c_void_p()
    env.gpuopt.check(env.gpuopt.lib.gpuopt_generator_create(env.gpuopt.device, C.c_uint64(1), C.byref(generator), None))
    case.add("gpuopt fresh", lambda: env.gpuopt.run(job, generator, number, C.c_int64(n)))
    rng = np.random.default_rng(1)
    draw = rng.random if job == "uniform" else rng.standard_normal
    case.add("numpy", lambda: draw(n, dtype=dtype))
    if torch:
        kind = torch.float32 if suffix == "f32" else torch.float64
        case.add("torch", lambda: (torch.rand if job == "uniform" else torch.randn)(n, dtype=kind))
    return case


def matmul(env, suffix, n):
    _, dtype, _ = DTYPES[suffix]
    rng = np.random.default_rng(5)
    a, b = rng.random((n, n)).astype(dtype), rng.random((n, n)).astype(dtype)
    out = np.empty_like(a)
    case = Case(f"matmul {n} {suffix}")
    if not env.bound.bound_blas_threads(THREADS):
        raise RuntimeError("OpenBLAS is not installed: no bound for matmul")
    f = getattr(env.bound, "bound_matmul_" + suffix)
    case.add("bound", lambda: f(pointer(a), pointer(b), pointer(out), C.c_int64(n)))
    ga, gb = env.gpuopt.array(a), env.gpuopt.array(b)
    case.add("gpuopt", lambda: env.gpuopt.run("matmul", ga, gb))
    case.add("numpy", lambda: a @ b)
    if torch:
        ta, tb = torch.from_numpy(a), torch.from_numpy(b)
        case.add("torch", lambda: ta @ tb)
    add_templates(env, case, "matmul", suffix, lambda run: run(pointer(a), pointer(b), pointer(out), C.c_int64(n)),
                  lambda _: np.allclose(out, a @ b, rtol=1e-4))
    return case


def fresh(env, suffix, n, job):
    """The bound is the library itself with `out` given; the allocator is warm after the first round."""
    _, dtype, _ = DTYPES[suffix]
    x, y = np.ones(n, dtype), np.ones(n, dtype)
    gx, gy, go = env.gpuopt.array(x), env.gpuopt.array(y), env.gpuopt.array(x)
    ours = {"x + y": ("add", gx, gy), "chain of three": ("chain", gx)}[job]

    def numpy_version():
        if job == "x + y":
            return x + y
        t = x * dtype(5)
        t = t * t
        return t + t

    case = Case(f"{job} {suffix} {n:.0e} (bound: out given)")
    case.add("bound", lambda: env.gpuopt.run(*ours, go))
    case.add("gpuopt fresh", lambda: env.gpuopt.run(*ours, None))
    case.add("numpy fresh", numpy_version)
    operands, total = ((x, y), 2) if job == "x + y" else ((x,), 50)
    add_templates(env, case, "add" if job == "x + y" else "chain", suffix,
                  lambda run: run(*map(pointer, operands), C.c_int64(n)), lambda last: last == total, kind=" fresh")
    env.gpuopt.run(*ours, go)
    assert (env.gpuopt.numpy(go, x) == numpy_version()).all()
    return case


def small(env):
    """x + y recorded, run and looked at, against NumPy's x + y; nanoseconds, medians of paired rounds."""
    rows = []
    for n in (1, 10, 100):
        x, y = np.ones(n), np.ones(n)
        gx, gy = env.gpuopt.array(x), env.gpuopt.array(y)
        count, ours, numpys = 20000, [], []
        for r in range(12):
            a = env.gpuopt.cases.case_small_add(gx, gy, C.c_int64(count))
            start = time.perf_counter()
            for _ in range(count):
                x + y
            b = (time.perf_counter() - start) / count * 1e9
            if r:
                ours.append(a), numpys.append(b)
        rows.append((f"x + y, n = {n}", statistics.median(ours), statistics.median(numpys),
                     statistics.median(a / b for a, b in zip(ours, numpys))))
    return rows


JOBS = {
    "threefold": lambda env, s, n: [threefold(env, s, n)],
    "softplus": lambda env, s, n: [softplus(env, s, n)],
    "sine": lambda env, s, n: [sine(env, s, n)],
    "standardize": lambda env, s, n: [standardize(env, s, n)],
    "sum": lambda env, s, n: [reduction(env, s, n, "sum")],
    "mean": lambda env, s, n: [reduction(env, s, n, "mean")],
    "mask": lambda env, s, n: [mask_select(env, s, n)],
    "uniform": lambda env, s, n: [random(env, s, n, "uniform")],
    "normal": lambda env, s, n: [random(env, s, n, "normal")],
    "fresh": lambda env, s, n: [fresh(env, s, n, "x + y"), fresh(env, s, n, "chain of three")],
}
FIXED = {
    "axis": lambda env, s: [axis_sum(env, s, 0), axis_sum(env, s, 1)],
    "matmul": lambda env, s: [matmul(env, s, 1024), matmul(env, s, 4096)],
}


def report(case, rounds, lines):
    times = case.measure(rounds)
    for name, seconds in times.items():
        ratio = statistics.median(t / b for t, b in zip(seconds, times["bound"]))
        lines.append({"case": case.title, "contender": name, "ms": statistics.median(seconds) * 1e3,
                      "over_bound": ratio})
        print(f"| {case.title} | {name} | {statistics.median(seconds) * 1e3:.2f} | {ratio:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", type=Path)
    parser.add_argument("--cases", default=",".join([*JOBS, *FIXED, "small", "process"]))
    parser.add_argument("--sizes", default="1e7,1e8")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--rounds", default=9, type=int)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    class Env:
        gpuopt = Gpuopt(options.build.resolve())
        bound = C.CDLL(str(options.build.resolve() / "lib" / "libbench_bound.so"))
        templates = options.build.resolve() / "lib" / "libbench_templates.so"
        templates = C.CDLL(str(templates)) if templates.exists() else None

    Env.bound.bound_set_threads(THREADS)
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")),
                 platform.machine())
    print(f"{datetime.date.today()}, {model}, {THREADS} threads; numpy {np.__version__}, "
          f"numba {numba.__version__ if numba else 'not installed'}, torch "
          f"{torch.__version__ if torch else 'not installed'}; "
          f"{template_libraries(Env.templates)}; medians of {options.rounds} paired rounds\n")
    print("| case | contender | ms | time / bound |\n|---|---|---|---|")
    lines, chosen = [], options.cases.split(",")
    for name in chosen:
        for suffix in options.dtypes.split(","):
            for n in [int(float(s)) for s in options.sizes.split(",")] if name in JOBS else []:
                for case in JOBS[name](Env, suffix, n):
                    report(case, options.rounds, lines)
            for case in FIXED[name](Env, suffix) if name in FIXED else []:
                report(case, options.rounds, lines)
    if "small" in chosen:
        print("\n| case | gpuopt ns | numpy ns | gpuopt / numpy |\n|---|---|---|---|")
        for title, ours, theirs, ratio in small(Env):
            lines.append({"case": title, "contender": "gpuopt", "ns": ours, "numpy_ns": theirs, "over_numpy": ratio})
            print(f"| {title} | {ours:.0f} | {theirs:.0f} | {ratio:.2f} |")
    if "process" in chosen:
        print("", subprocess.run([options.build / "bin" / "gpuopt_process_bench"], check=True, capture_output=True,
                                 text=True).stdout, sep="\n")
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

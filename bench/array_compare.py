#!/usr/bin/env python3
# bench/array_compare.py -- functions of whole arrays beside NumPy, SciPy, PyTorch, JAX, MLX and Numba
"""usage: bench/array_compare.py [--rounds N] [--cases PART,...] [--threads N] [--json FILE] [--build DIRECTORY]

Times products, sorts, transforms, decompositions, joins and the cases of layout_cases.py through the Python package
`gpuopt`, which must be importable, beside the same function of each peer that is installed; a peer that is missing is
named, never left out silently. First every contender's result of every case is compared with NumPy's. Then each round
runs each library in turn, in a process of its own: threads that a library leaves spinning after a call take a processor
from whoever is next in the same process, for longer than a pause of 50 ms. Of each case a process makes calls for 10
ms, one at least, and takes the least time of those of the next 100 ms. A figure is the median, over the rounds, of
contender / gpuopt of the same round, so that a machine whose speed changes moves both.

With `--build`, of a build of the preset `bench`, the bound is a contender, too: loops of C++ with OpenMP and the C++
library's parallel sorts (bound_arrays.cpp), OpenBLAS called directly, and FFTW, whose plan is made before. For
decompositions it would be LAPACK, which NumPy calls. Functions of JAX and MLX are compiled by their own compilers
before; MLX computes on the CPU, where it has float64, but nowhere complex128.

A ratio above 1 says that gpuopt is faster. `--cases sort,fft` keeps the cases whose name has one of the parts.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import time

PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--rounds", type=int, default=5)
PARSER.add_argument("--cases", default="")
PARSER.add_argument("--threads", type=int, default=os.cpu_count())
PARSER.add_argument("--json")
PARSER.add_argument("--build")
PARSER.add_argument("--only", help=argparse.SUPPRESS)  # in a process of a round: the contender that it times
ARGS = PARSER.parse_args()
for variable in ("OMP", "OPENBLAS", "MKL", "GPUOPT", "NUMBA"):
    os.environ[variable + "_NUM_THREADS"] = str(ARGS.threads)

import numpy as np  # noqa: E402 -- the variables above must be set first

import layout_cases  # noqa: E402
from layout_cases import exact  # noqa: E402
import gpuopt as gp  # noqa: E402


def optional(name):
    """Returns the module, or None: after saying that it is not installed, or if this process times another one."""
    if ARGS.only not in (None, name):
        return None
    try:
        return __import__(name)
    except ImportError:
        print(f"not compared with {name}: it is not installed", file=sys.stderr)
        return None


def mlx_on_cpu():
    """Returns mlx.core, whose arrays are then the CPU's; None as optional() does."""
    if optional("mlx") is None:
        return None
    import mlx.core
    mlx.core.set_default_device(mlx.core.cpu)
    return mlx.core


torch = optional("torch")
jax = optional("jax")
scipy = optional("scipy")
numba = optional("numba")
mx = mlx_on_cpu()
if torch is not None:
    torch.set_num_threads(ARGS.threads)
if jax is not None:
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
if scipy is not None:
    import scipy.fft
    import scipy.linalg


if numba is not None:
    import numba_loops

bound = None
if ARGS.build is not None and ARGS.only in (None, "bound"):
    from array_bound import Bound
    bound = Bound(ARGS.build, ARGS.threads)


def parts_of(result):
    """Returns the arrays of a result, which may be one array or a tuple of arrays."""
    return list(result) if isinstance(result, (tuple, list)) else [result]


def finish(result):
    """Waits until the result is computed: gpuopt and JAX may only have promised it. One array comes first, as what is
    asked here is a part of the time of the smallest cases."""
    if isinstance(result, np.ndarray):
        return
    if isinstance(result, gp.ndarray):
        gp.eval(result)
        return
    promised = [part for part in parts_of(result) if isinstance(part, gp.ndarray)]
    if promised:
        gp.eval(*promised)
    for part in parts_of(result):
        if hasattr(part, "block_until_ready"):
            part.block_until_ready()
    if mx is not None and any(isinstance(part, mx.array) for part in parts_of(result)):
        mx.eval(result)


def mlx_array(x):
    """Returns MLX's array of the same dtype, where it has that; it would make float32 of float64 unasked."""
    return mx.array(x, dtype=mx.float64) if x.dtype == np.float64 else mx.array(x)


class Case:
    """One job: NumPy inputs, and for each contender a function of inputs of its own kind."""

    def __init__(self, name, inputs, *, same=np.testing.assert_allclose, **functions):
        self.name = name
        self.inputs = inputs
        self.same = same
        self.functions = functions

    def contenders(self):
        """Returns {name: call without arguments} of the libraries that are installed."""
        convert = {"gpuopt": gp.asarray, "numpy": np.asarray}
        if scipy is not None:
            convert["scipy"] = np.asarray
        if torch is not None:
            convert["torch"] = torch.from_numpy
        if jax is not None:
            convert["jax"] = jnp.asarray
        if mx is not None:
            convert["mlx"] = mlx_array
        if numba is not None:
            convert["numba"] = np.asarray
        calls = {}
        if bound is not None and bound.has(self.name):
            calls["bound"] = bound.call(self.name, self.inputs)
        for name, function in self.functions.items():
            if name in convert and function is not None:
                arguments = [convert[name](x) for x in self.inputs]
                if name == "jax":
                    function = jax.jit(function)
                if name == "mlx":
                    function = mx.compile(function)
                calls[name] = lambda f=function, a=arguments: f(*a)
        return calls

    def check(self):
        """Compares each contender's result with NumPy's."""
        calls = self.contenders()
        want = parts_of(calls["numpy"]())
        for name, call in calls.items():
            for got, expected in zip(parts_of(call()), want):
                self.same(np.asarray(got), expected)

    def measure(self):
        """Returns the least time of the contender of this process, in seconds; None if it has no such function."""
        call = self.contenders().get(ARGS.only)
        if call is None:
            return None
        start = time.perf_counter()
        while time.perf_counter() < start + 0.01:
            finish(call())
        start, least = time.perf_counter(), float("inf")
        while time.perf_counter() < start + 0.1:
            begin = time.perf_counter()
            finish(call())
            least = min(least, time.perf_counter() - begin)
        return least


def close(relative):
    """Returns a comparison that allows an error relative to the largest element."""
    def compare(got, want):
        scale = float(np.max(np.abs(want))) if want.size else 0.0
        np.testing.assert_allclose(got, want, rtol=relative, atol=relative * scale)
    return compare


def product_cases(rng):
    """Matrix products: large ones of each float type, a batch of small ones, vectors."""
    for dtype in (np.float32, np.float64):
        for n in (256, 1024, 2048):
            a, b = (rng.standard_normal((n, n)).astype(dtype) for _ in range(2))
            yield Case(f"matmul {dtype.__name__} {n}", [a, b], same=close(1e-4 if dtype is np.float32 else 1e-12),
                       gpuopt=gp.matmul, numpy=np.matmul, **peers(torch="matmul", jax="matmul", mlx="matmul"))
    a, b = (rng.standard_normal((100000, 4, 4)) for _ in range(2))
    yield Case("matmul float64 100000 of 4 x 4", [a, b], same=close(1e-12), gpuopt=gp.matmul, numpy=np.matmul,
               **peers(torch="matmul", jax="matmul", mlx="matmul"))
    x, y = (rng.standard_normal(10**7) for _ in range(2))
    yield Case("dot float64 1e7", [x, y], same=close(1e-9), gpuopt=gp.vecdot, numpy=np.dot,
               **peers(torch="dot", jax="dot", mlx="inner"))


def sort_cases(rng):
    """Sorts, searches, sets and histograms."""
    x = rng.standard_normal(10**7)
    yield Case("sort float64 1e7", [x], same=exact, gpuopt=gp.sort, numpy=np.sort,
               torch=lambda x: torch.sort(x).values, jax=lambda x: jnp.sort(x), mlx=lambda x: mx.sort(x))
    x = rng.standard_normal(10**6)
    yield Case("argsort float64 1e6", [x], same=exact, gpuopt=gp.argsort,
               numpy=lambda x: np.argsort(x, stable=True),
               torch=lambda x: torch.argsort(x, stable=True), jax=lambda x: jnp.argsort(x, stable=True),
               mlx=lambda x: mx.argsort(x))
    k = rng.integers(0, 10**5, 10**6)
    yield Case("unique int64 1e6", [k], same=exact, gpuopt=gp.unique_values, numpy=np.unique,
               torch=lambda x: torch.unique(x, sorted=True))
    yield Case("histogram float64 1e6, 100 bins", [x], same=close(1e-12), gpuopt=lambda x: gp.histogram(x, 100),
               numpy=lambda x: np.histogram(x, 100))
    index = rng.integers(0, 10**6, 10**6)
    yield Case("take float64 1e6", [x, index], same=exact, gpuopt=gp.take, numpy=np.take,
               torch=lambda x, i: torch.take(x, i), jax=lambda x, i: jnp.take(x, i),
               mlx=lambda x, i: mx.take(x, i))
    y = rng.standard_normal(10**6)
    yield Case("concat float64 1e6 twice", [x, y], same=exact, gpuopt=lambda x, y: gp.concat([x, y]),
               numpy=lambda x, y: np.concatenate([x, y]), torch=lambda x, y: torch.cat([x, y]),
               jax=lambda x, y: jnp.concatenate([x, y]), mlx=lambda x, y: mx.concatenate([x, y]))


def transform_cases(rng):
    """Fourier transforms: a batch of short ones, long ones, a prime length, a real one, two dimensions."""
    def complex_of(*shape):
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    for title, x in (("1000 of 1024", complex_of(1000, 1024)), ("2^20", complex_of(2**20)),
                     ("1000003", complex_of(1000003))):
        yield Case(f"fft complex128 {title}", [x], same=close(1e-11), gpuopt=lambda x: gp.fft.fft(x), numpy=np.fft.fft,
                   scipy=lambda x: scipy.fft.fft(x, workers=ARGS.threads), torch=lambda x: torch.fft.fft(x),
                   jax=lambda x: jnp.fft.fft(x))
    x = rng.standard_normal(2**20)
    yield Case("rfft float64 2^20", [x], same=close(1e-11), gpuopt=lambda x: gp.fft.rfft(x), numpy=np.fft.rfft,
               scipy=lambda x: scipy.fft.rfft(x, workers=ARGS.threads), torch=lambda x: torch.fft.rfft(x),
               jax=lambda x: jnp.fft.rfft(x))
    x = complex_of(1024, 1024)
    yield Case("fft2 complex128 1024 x 1024", [x], same=close(1e-11), gpuopt=lambda x: gp.fft.fftn(x),
               numpy=np.fft.fftn, scipy=lambda x: scipy.fft.fftn(x, workers=ARGS.threads),
               torch=lambda x: torch.fft.fftn(x), jax=lambda x: jnp.fft.fftn(x))


def decomposition_cases(rng):
    """Solving and decomposing; of vectors, whose signs are free, only the values are compared."""
    for n in (100, 500, 1000):
        a, b = rng.standard_normal((n, n)), rng.standard_normal((n, 10))
        s = a @ a.T + n * np.eye(n)
        yield Case(f"solve float64 {n}", [a, b], same=close(1e-7), gpuopt=lambda a, b: gp.linalg.solve(a, b),
                   numpy=np.linalg.solve, torch=lambda a, b: torch.linalg.solve(a, b),
                   jax=lambda a, b: jnp.linalg.solve(a, b), mlx=lambda a, b: mx.linalg.solve(a, b))
        yield Case(f"cholesky float64 {n}", [s], same=close(1e-10), gpuopt=lambda s: gp.linalg.cholesky(s),
                   numpy=np.linalg.cholesky, torch=lambda s: torch.linalg.cholesky(s),
                   jax=lambda s: jnp.linalg.cholesky(s), mlx=lambda s: mx.linalg.cholesky(s))
        # Both factors, of which JAX would leave out one that is not used; absolute values, for signs are free.
        yield Case(f"qr float64 {n}", [a], same=close(1e-8), gpuopt=lambda a: [abs(x) for x in gp.linalg.qr(a)],
                   numpy=lambda a: [abs(x) for x in np.linalg.qr(a)],
                   torch=lambda a: [abs(x) for x in torch.linalg.qr(a)],
                   jax=lambda a: [abs(x) for x in jnp.linalg.qr(a)],
                   mlx=lambda a: [mx.abs(x) for x in mx.linalg.qr(a)])
        yield Case(f"eigh float64 {n}", [s], same=close(1e-9), gpuopt=lambda s: gp.linalg.eigh(s)[0],
                   numpy=lambda s: np.linalg.eigh(s)[0], torch=lambda s: torch.linalg.eigh(s)[0],
                   jax=lambda s: jnp.linalg.eigh(s)[0], mlx=lambda s: mx.linalg.eigh(s)[0])
        yield Case(f"svd float64 {n}", [a], same=close(1e-9), gpuopt=lambda a: gp.linalg.svd(a)[1],
                   numpy=lambda a: np.linalg.svd(a)[1], torch=lambda a: torch.linalg.svd(a)[1],
                   jax=lambda a: jnp.linalg.svd(a)[1], mlx=lambda a: mx.linalg.svd(a)[1])


def peers(**names):
    """Returns functions of torch, JAX and MLX by their names, without asking whether these are installed."""
    modules = {"torch": torch, "jax": jnp if jax is not None else None, "mlx": mx}
    return {peer: getattr(modules[peer], name) for peer, name in names.items() if modules[peer] is not None}


class Libraries:
    """What layout_cases.py needs."""
    Case, gp, torch, jnp, mx = Case, gp, torch, jnp if jax is not None else None, mx

    @staticmethod
    def loops(name):
        """Returns a function of numba_loops.py; None without Numba."""
        return getattr(numba_loops, name) if numba is not None else None


def all_cases():
    """Yields the cases, each with numbers that do not depend on which others are chosen."""
    for make in (product_cases, sort_cases, transform_cases, decomposition_cases):
        yield from make(np.random.default_rng(1))
    for make in layout_cases.GROUPS:
        yield from make(np.random.default_rng(1), Libraries)


def chosen_cases():
    """Yields the cases that the command line asks for."""
    chosen = [part for part in ARGS.cases.split(",") if part]
    return (case for case in all_cases() if not chosen or any(part in case.name for part in chosen))


def times_of(contender):
    """Returns {case: seconds} of a process of its own."""
    command = [sys.executable, __file__, "--only", contender, "--cases", ARGS.cases, "--threads", str(ARGS.threads)]
    command += ["--build", ARGS.build] if ARGS.build is not None else []
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def ratios_of(name, rounds):
    """Returns {contender: ratio to gpuopt} of a case."""
    contenders = [contender for contender, times in rounds[0].items() if times[name] is not None]
    return {contender: statistics.median(times[contender][name] / times["gpuopt"][name] for times in rounds)
            for contender in contenders}


def heading():
    """Returns lines that say when and with what was measured."""
    versions = [f"{m.__name__.partition('.')[0]} {m.__version__}" for m in (np, scipy, torch, jax, mx, numba)
                if m is not None]
    return (f"{datetime.date.today()}, {platform.processor() or platform.machine()}, {ARGS.threads} threads, "
            f"{', '.join(versions)}\n\n"
            "| case | gpuopt, ms | NumPy / gpuopt | SciPy | PyTorch | JAX | MLX | Numba | bound |\n"
            "|---|---|---|---|---|---|---|---|---|")


def main():
    """Measures the chosen cases and prints their table."""
    if ARGS.only:
        print(json.dumps({case.name: case.measure() for case in chosen_cases()}))
        return
    names = []
    for case in chosen_cases():
        case.check()
        names.append(case.name)
    modules = {"numpy": np, "scipy": scipy, "torch": torch, "jax": jax, "mlx": mx, "numba": numba,
               "bound": bound}
    installed = ["gpuopt"] + [name for name, module in modules.items() if module is not None]
    rounds = [{contender: times_of(contender) for contender in installed} for _ in range(ARGS.rounds)]
    print(heading())
    found = {name: ratios_of(name, rounds) for name in names}
    for name, ratios in found.items():
        ours = statistics.median(times["gpuopt"][name] for times in rounds)
        cells = [f"{ratios[peer]:.2f}" if peer in ratios else "-" for peer in modules]
        print(f"| {name} | {ours * 1e3:.4g} | {' | '.join(cells)} |")
    if ARGS.json:
        with open(ARGS.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


main()

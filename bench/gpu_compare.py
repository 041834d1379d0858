#!/usr/bin/env python3
"""bench/gpu_compare.py -- the GPU backend beside CuPy, PyTorch and JAX in one run, as a Markdown table.

Runs gpuopt_gpu_bench for the library's own figures, then the same jobs with each peer that can be imported, on inputs
drawn anew, timed between two device events, the median of seven rounds. The ratios are to the device's measured copy
bandwidth. A peer that is not there is named.

  bench/gpu_compare.py --build build/bench
  bench/gpu_compare.py --build build/bench --plumbing    # a driver that is no GPU: nothing is measured
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS, REPEAT = 7, 5
SIZES = {"1e8": 10**8, "1e9": 10**9}
SIDE, PRODUCT_SIDE = 32768, 8192


def lines_of(build, *options, **environment):
    """{name: (value, unit, bytes)} and the remarks of one run of the bench."""
    # Carried binaries find the library beside them.
    paths = [str(build / "lib")] + os.environ.get("LD_LIBRARY_PATH", "").split(":")
    env = dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, paths)), **environment)
    command = [str(build / "bin" / "gpuopt_gpu_bench"), *options]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=400)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed ({done.returncode}): {done.stderr}")
    figures, remarks = {}, []
    for line in done.stdout.splitlines():
        if line.startswith("#"):
            remarks.append(line[2:])
            continue
        name, value, unit, moved = line.split("\t")
        figures[name] = (value if value == "ran" else float(value), unit, float(moved))
    return figures, remarks


def first_uses(build, options):
    with tempfile.TemporaryDirectory() as cache:
        os.chmod(cache, 0o700)
        cold, _ = lines_of(build, "--first-use", *options, GPUOPT_CACHE_DIR=cache)
        warm, _ = lines_of(build, "--first-use", *options, GPUOPT_CACHE_DIR=cache)
    return {"first use, compiled": cold["first use"], "first use, from disk": warm["first use"]}


def jobs(np, normal, uses_dims=False):
    """(name, make inputs, run) for a module that speaks NumPy's language, or PyTorch's."""
    over = (lambda axis: {} if axis is None else {"dim": axis}) if uses_dims else lambda axis: {"axis": axis}
    variance = (
        (lambda x, axis: np.var(x, correction=0, **over(axis))) if uses_dims else lambda x, axis: np.var(x, axis=axis)
    )

    def threefold(x):
        a = x * 5
        b = a * a
        return b + b

    def softplus(x):
        top = np.clamp(x, min=0) if uses_dims else np.maximum(0, x)
        return top + np.log1p(np.exp(-np.abs(x)))

    for text, n in SIZES.items():
        yield f"threefold {text}", lambda n=n: normal(n), threefold
        yield f"softplus {text}", lambda n=n: normal(n), softplus
    for text, axis in (("all", None), ("axis 0", 0), ("axis 1", 1)):
        square = lambda: normal((SIDE, SIDE))
        yield f"sum {text}", square, lambda x, a=axis: np.sum(x, **over(a))
        yield f"mean {text}", square, lambda x, a=axis: np.mean(x, **over(a))
        yield f"var {text}", square, lambda x, a=axis: variance(x, a)
    yield f"matmul {PRODUCT_SIDE}", lambda: normal((PRODUCT_SIDE, PRODUCT_SIDE)), lambda x: x @ x


def timed(jobs_of_peer, measure, launch):
    figures = {}
    for name, make, run in jobs_of_peer:
        try:
            figures[name] = measure(make(), run)
        except Exception as problem:  # a peer that runs out of memory is a figure, not an end
            figures[name] = type(problem).__name__
    figures["launch small"] = launch()
    return figures


def host_cost(x, run, wait, count=2000):
    times = []
    for _ in range(9):
        wait()
        start = time.perf_counter()
        for _ in range(count):
            run(x)
        times.append((time.perf_counter() - start) / count * 1e6)
        wait()
    return statistics.median(times)


def cupy_figures():
    import cupy

    def measure(x, run):
        for _ in range(2):
            run(x)
        times = []
        for _ in range(ROUNDS):
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            for _ in range(REPEAT):
                run(x)
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, end) / REPEAT)
        return statistics.median(times)

    random = cupy.random.default_rng()
    normal = lambda shape: random.standard_normal(shape, dtype=cupy.float32)
    wait = cupy.cuda.Device().synchronize
    return f"CuPy {cupy.__version__}", timed(jobs(cupy, normal), measure,
                                             lambda: host_cost(normal(16), lambda x: x + 1, wait))


def torch_figures():
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False

    def measure(x, run):
        for _ in range(2):
            run(x)
        times = []
        for _ in range(ROUNDS):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(REPEAT):
                run(x)
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) / REPEAT)
        return statistics.median(times)

    normal = lambda shape: torch.randn(shape, device="cuda", dtype=torch.float32)
    launch = lambda: host_cost(normal(16), lambda x: x + 1, torch.cuda.synchronize)
    return f"PyTorch {torch.__version__}", timed(jobs(torch, normal, True), measure, launch)


def jax_figures():
    import jax

    def measure(x, run):
        compiled = jax.jit(run)
        for _ in range(2):
            compiled(x).block_until_ready()
        times = []
        for _ in range(ROUNDS):  # JAX offers no events: the wall clock around work that takes much longer than a launch
            start = time.perf_counter()
            results = [compiled(x) for _ in range(REPEAT)]
            for y in results:
                y.block_until_ready()
            times.append((time.perf_counter() - start) / REPEAT * 1e3)
        return statistics.median(times)

    if jax.devices()[0].platform != "gpu":
        raise ImportError("it has no GPU backend here")
    jax.config.update("jax_default_matmul_precision", "highest")
    keys = iter(jax.random.split(jax.random.PRNGKey(time.time_ns() % 2**31), 1000))
    normal = lambda shape: jax.random.normal(next(keys), (shape,) if isinstance(shape, int) else shape)
    increment = jax.jit(lambda x: x + 1)
    small = normal(16)
    increment(small).block_until_ready()
    launch = lambda: host_cost(small, increment, lambda: increment(small).block_until_ready())
    return f"JAX {jax.__version__} (jit, wall clock)", timed(jobs(jax.numpy, normal), measure, launch)


def in_process_of_its_own(which):
    """A peer's figures, from a process that gives all its memory back at the end."""
    code = f"import gpu_compare, json; print('FIGURES' + json.dumps(gpu_compare.{which}_figures()))"
    env = dict(os.environ, PYTHONPATH=str(Path(__file__).parent) + ":" + os.environ.get("PYTHONPATH", ""),
               XLA_PYTHON_CLIENT_PREALLOCATE="false")
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=400)
    import json

    for line in done.stdout.splitlines():
        if line.startswith("FIGURES"):
            return json.loads(line[len("FIGURES"):])
    reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return f"{which}: not measured: {reason}", None


def cell(value):
    return "" if value is None else value if isinstance(value, str) else f"{value:.3g}"


def table(figures, peers):
    bandwidth = figures["copy"][0] if "copy" in figures else None
    columns = ["job", "unit", "gpuopt", "of copy bandwidth"] + [name for name, _ in peers]
    rows = [columns, ["---"] * len(columns)]
    for name, (value, unit, moved) in figures.items():
        if name == "copy":
            continue
        share = ""
        if bandwidth and moved:
            share = f"{100 * moved / (value * 1e-3) / bandwidth:.0f} %"
        rows.append([name, unit, cell(value), share] + [cell(of_peer.get(name)) for _, of_peer in peers])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--plumbing", action="store_true")
    options = parser.parse_args()
    flags = ["--plumbing"] if options.plumbing else []
    figures, remarks = lines_of(options.build.resolve(), *flags)
    figures.update(first_uses(options.build.resolve(), flags))
    peers = []
    for which in () if options.plumbing else ("cupy", "torch", "jax"):
        name, of_peer = in_process_of_its_own(which)
        peers.append((name, of_peer)) if of_peer else remarks.append(name)
    if "copy" in figures:
        print(f"Copy bandwidth of the device (driver's copy, bytes read plus written): {figures['copy'][0] / 1e9:.0f} "
              "GB/s\n")
    print(table(figures, peers))
    for remark in remarks:
        print(f"\n{remark}")


if __name__ == "__main__":
    main()

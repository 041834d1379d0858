#!/usr/bin/env python3
# bench/python_overhead.py -- what a call of a few elements costs from Python: gpuopt beside NumPy and MLX
"""usage: bench/python_overhead.py [ROUNDS]

prints two tables. The first: nanoseconds of a statement on float64 arrays (MLX: float32) of a few elements, medians
over ROUNDS (9) rounds; in a round all are measured one after the other, so that whatever else the machine does concerns
all. Operations are evaluated where the package would only record them. The second: how much more two threads of Python
do in a time than one, each on arrays of its own.
"""
import os
import statistics
import sys
import threading
import time
import timeit

import gpuopt as gp
import numpy as np

try:
    import mlx.core as mx
except ImportError:
    mx = None

# The statement, what MLX needs around it to compute it, the number of elements.
STATEMENTS = [
    ("x + y", "ev(x + y)", 1),
    ("x + 1.0", "ev(x + 1.0)", 1),
    ("x.sum()", "ev(x.sum())", 1),
    ("x[0]", "ev(x[0])", 8),
    ("x[1:3]", "ev(x[1:3])", 8),
    ("float(x.sum())", "x.sum().item()", 8),
]


def nanoseconds(statement, names):
    """The least time of the statement in loops of 4000."""
    return min(timeit.repeat(statement, globals=names, number=4000, repeat=5)) / 4000 * 1e9


def packages(n):
    """(name, variables of the statements) for each package."""
    yield "NumPy", {"x": np.full(n, 2.0), "y": np.full(n, 3.0)}
    yield "gpuopt", {"x": gp.full(n, 2.0), "y": gp.full(n, 3.0), "ev": gp.eval}
    if mx:
        yield "MLX", {"x": mx.full((n,), 2.0), "y": mx.full((n,), 3.0), "ev": mx.eval}


def overhead(rounds):
    times = {}
    for _ in range(rounds):
        for statement, evaluated, n in STATEMENTS:
            for name, names in packages(n):
                text = evaluated if name == "MLX" else statement
                times.setdefault(statement, {}).setdefault(name, []).append(nanoseconds(text, names))
                if name == "gpuopt" and statement in ("x + y", "x + 1.0", "x.sum()"):
                    with_eval = nanoseconds(f"ev({statement})", names)
                    times[statement].setdefault("gpuopt, eval", []).append(with_eval)
    columns = ["gpuopt", "gpuopt, eval", "NumPy"] + (["MLX"] if mx else [])
    print("| statement | " + " | ".join(columns) + " | gpuopt : NumPy |")
    print("|---" * (len(columns) + 2) + "|")
    for statement, row in times.items():
        median = {name: statistics.median(values) for name, values in row.items()}
        cells = [f"{median[c]:.0f}" if c in median else "" for c in columns]
        print(f"| `{statement}` | " + " | ".join(cells) + f" | {median['gpuopt'] / median['NumPy']:.2f} |")


def work(seconds, xp, evaluate, counts, place):
    """Counts how often a chain of operations on a million elements is computed in the time."""
    x = xp.full(1_000_000, 0.5)
    end, count = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        evaluate(xp.exp(x) * x + xp.sin(x))
        count += 1
    counts[place] = count


def throughput(threads, xp, evaluate, seconds=0.5):
    counts = [0] * threads
    running = [threading.Thread(target=work, args=(seconds, xp, evaluate, counts, i)) for i in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return sum(counts)


def threads(rounds):
    print("\n| package | two threads : one |\n|---|---|")
    ratios = {"gpuopt": [], "NumPy": []}
    for _ in range(rounds):
        for name, xp, evaluate in (("gpuopt", gp, gp.eval), ("NumPy", np, lambda x: x)):
            ratios[name].append(throughput(2, xp, evaluate) / max(throughput(1, xp, evaluate), 1))
    for name, values in ratios.items():
        print(f"| {name} | {statistics.median(values):.2f} |")
    lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    own = os.environ.get("GPUOPT_NUM_THREADS", "as many as there are processors")
    print(f"\nPython {sys.version.split()[0]}, {'with' if lock else 'without'} the interpreter's lock; gpuopt's own "
          f"threads: {own}.")


def main(rounds="9"):
    overhead(int(rounds))
    threads(int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])

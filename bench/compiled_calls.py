#!/usr/bin/env python3
# bench/compiled_calls.py -- what a call of a function compiled from Python costs, and how long the first one takes
"""usage: compiled_calls.py [ROUNDS]

Prints, for gpuopt.njit and for Numba where it is installed:
  call       nanoseconds of a call with an integer, a float, an array, two arrays, an instance of a jitclass, a list;
             what an empty Python function costs with the integer stands beside them. Least of 7 rounds.
  first      milliseconds of a process's first call of any function, with an empty cache: the compiler starts
  later      of the first call of another function in that process
  cached     of the first call of that function in a process that finds it in the cache (and has called another one)
Each of the last three is the median (least) of ROUNDS (7) processes of their own. Nothing is asserted.
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import timeit

FIRST = """
import sys, time
import numpy as np
if "{module}" == "numba":
    from numba import njit
else:
    from gpuopt import njit
def scalar(x):
    return x + 1
def loop(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * 2.0
    return s
a = np.ones(10)
options = dict(cache=True) if "{module}" == "numba" else {{}}
one, two = njit(**options)(scalar), njit(**options)(loop)
begin = time.perf_counter()
one(1)
middle = time.perf_counter()
two(a)
print((middle - begin) * 1e3, (time.perf_counter() - middle) * 1e3)
"""


def calls(module):
    """Nanoseconds of calls, by name."""
    import numpy as np

    space = {"np": np, "module": module, "jitclass": getattr(module, "jitclass", None)}
    if module.__name__ == "numba":
        space["jitclass"] = module.experimental.jitclass
    one, two, read = module.njit(lambda x: x), module.njit(lambda x, y: x[0] + y[0]), module.njit(lambda x: x[0])

    class Point:
        def __init__(self):
            self.x = 1.0

    point = space["jitclass"]([("x", module.types.float64)])(Point)()
    field = module.njit(lambda p: p.x)
    a = np.ones(3)
    cases = {
        "an integer": (one, (1,)), "a float": (one, (1.5,)), "an array": (read, (a,)), "two arrays": (two, (a, a)),
        "an instance": (field, (point,)), "a list": (read, ([1.0, 2.0],)),
    }  # fmt: skip
    return {name: least(function, given) for name, (function, given) in cases.items()}


def least(function, given, number=20000):
    function(*given)
    text = f"f({', '.join(f'x{k}' for k in range(len(given)))})"
    space = {"f": function, **{f"x{k}": x for k, x in enumerate(given)}}
    return min(timeit.repeat(text, globals=space, number=number, repeat=7)) / number * 1e9


def process(program, cache):
    environment = {**os.environ, "GPUOPT_CACHE_DIR": cache, "NUMBA_CACHE_DIR": cache, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, program], env=environment, check=True, capture_output=True, text=True)
    return tuple(map(float, done.stdout.split()))


def first(name, rounds):
    """Milliseconds: first, later, cached."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write(FIRST.format(module=name))
        for k in range(rounds):
            cache = os.path.join(folder, f"cache{k}")
            os.mkdir(cache)
            cold = process(program, cache)
            rows.append((*cold, process(program, cache)[1]))
    return rows


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(f"an empty Python function: {least(lambda x: None, (1,)):.0f} ns")
    for name in ("gpuopt", "numba"):
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed")
            continue
        costs = calls(importlib.import_module(name))
        print(name + ": " + ", ".join(f"{what} {ns:.0f} ns" for what, ns in costs.items()))
        columns = zip(("first", "later", "cached"), zip(*first(name, rounds)))
        print(name + ": " + ", ".join(f"{what} {statistics.median(c):.1f} ({min(c):.1f}) ms" for what, c in columns))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# bindings/python/tests/search_threads.py -- random operations of several threads at once, on arrays that they share and
# on their own, beside NumPy.
"""usage: search_threads.py [SECONDS [THREADS [SEED]]]

Runs for SECONDS (60) in THREADS (8) threads, each of which takes random steps: it computes with a shared array, which
others read and whose place in the list of shared ones they give to another array; it changes an array of its own; it
draws from a shared generator; it exchanges memory, pickles, prints, and calls a compiled function. What comes out is
compared with NumPy's. Ends with 1 at a difference. Meant for interpreters without a lock, where all of this is at once.
"""
import gc
import pickle
import random
import sys
import threading
import time
import traceback

import gpuopt as gp
import numpy as np

DTYPES = ("float32", "float64", "int32", "int64", "uint8", "complex128", "bool")
SIZES = (0, 1, 3, 17, 300, 5000, 70_000)


def made(choose):
    """An array of both libraries, that of gpuopt recorded or computed."""
    n, dtype = choose.choice(SIZES), choose.choice(DTYPES)
    values = np.random.default_rng(choose.getrandbits(30)).integers(0, 2 if dtype == "bool" else 100, n).astype(dtype)
    x = gp.asarray(values)
    if dtype == "float64" and choose.random() < 0.5:  # recorded, for whoever looks first
        return gp.sqrt(x) * 2 + 1, np.sqrt(values) * 2 + 1
    return x, values


class Search:
    """What the threads share."""

    def __init__(self, seed):
        choose = random.Random(seed)
        self.shared = [made(choose) for _ in range(12)]
        self.generator = gp.random.RandomState(seed)
        self.drawn = []
        self.end = 0.0
        self.wrong = []
        self.steps = {}
        try:
            self.total = gp.njit(_total)
            self.total(np.arange(2.0))
        except (gp.Unavailable, NotImplementedError):
            self.total = None  # no compiler here


def _total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s


def same(actual, expected):
    actual, expected = gp.asnumpy(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape, (actual.dtype, expected.dtype)
    # Sums differ by their order; small integers and square roots do not.
    rtol = {"f": 2e-4 if expected.dtype.itemsize < 8 else 1e-11, "c": 1e-11}.get(expected.dtype.kind, 0)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=0, equal_nan=True)


def part_of(choose, n):
    kind = choose.randrange(4)
    if kind == 0 or n == 0:
        return slice(None)
    if kind == 1:
        return slice(choose.randrange(n), None, choose.choice((1, 2, 3)))
    return slice(None, None, -1) if kind == 2 else np.arange(choose.randrange(n), n, 7)


def read(search, choose):
    x, values = choose.choice(search.shared)
    part = part_of(choose, x.size)
    same(x[part], values[part])
    same(x[part].sum(), values[part].sum())


def compute(search, choose):
    x, values = choose.choice(search.shared)
    if x.dtype == bool:
        same(~x, ~values)
        return
    by = choose.randrange(1, 5)
    same((x * by + x)[1:], (values * np.asarray(by, values.dtype) + values)[1:])
    same(gp.where(x == by, x, 0), np.where(values == by, values, np.asarray(0, values.dtype)))


def sort(search, choose):
    x, values = choose.choice(search.shared)
    if x.dtype.kind != "c":
        same(gp.sort(x), np.sort(values))
        same(gp.cumsum(x), np.cumsum(values))


def replace(search, choose):
    search.shared[choose.randrange(len(search.shared))] = made(choose)


def change_own(search, choose):
    x, values = made(choose)
    if x.dtype == bool:
        return
    for _ in range(choose.randrange(1, 6)):
        part = part_of(choose, x.size)
        value = np.asarray(choose.randrange(9), values.dtype)
        if choose.random() < 0.5:
            x[part], values[part] = value.item(), value
        else:
            x += value.item()
            values += value
    same(x, values)


def exchange(search, choose):
    x, values = choose.choice(search.shared)
    kind = choose.randrange(5)
    if kind == 0:
        same(pickle.loads(pickle.dumps(x, protocol=5)), values)
    elif kind == 1:
        same(gp.asarray(np.asarray(x)), values)
    elif kind == 2:
        same(gp.from_dlpack(np.from_dlpack(x)), values)
    elif kind == 3:
        assert memoryview(x).nbytes == values.nbytes
    else:
        assert x.__array_interface__["shape"] == values.shape


def draw(search, choose):
    search.drawn.append(gp.asnumpy(search.generator.random_sample(100)))


def show(search, choose):
    x, values = choose.choice(search.shared)
    if x.dtype.kind in "iub":
        assert repr(x).startswith("array(") and str(x[:5]) == str(values[:5])
    assert (x.device, x.dtype, x.shape) == (gp.Device(), values.dtype, values.shape)


def fail(search, choose):
    x, _ = choose.choice(search.shared)
    try:
        gp.ones(3) + gp.ones(4)
    except ValueError as error:
        assert error.reason == "NONE"
    else:
        raise AssertionError("shapes that do not match were added")
    try:
        x[x.size]
    except IndexError:
        return
    raise AssertionError("there is an element behind the last")


def compiled(search, choose):
    x = np.arange(float(choose.randrange(50)))
    if search.total:
        kind = choose.choice((np.float64, np.float32, np.int64, np.int16))
        assert search.total(x.astype(kind)) == x.sum()


def solve(search, choose):
    n = choose.randrange(1, 6)
    a = np.random.default_rng(n).random((n, n)) + n * np.eye(n)
    same(gp.linalg.solve(gp.asarray(a), gp.asarray(a[0])) * 1, np.linalg.solve(a, a[0]))


STEPS = (read, read, compute, compute, sort, replace, change_own, exchange, draw, show, fail, compiled, solve)


def work(search, seed):
    choose, steps = random.Random(seed), 0
    while time.monotonic() < search.end and not search.wrong:
        step = choose.choice(STEPS)
        try:
            step(search, choose)
        except BaseException:  # noqa: BLE001: it is printed, and ends the search
            search.wrong.append(f"{step.__name__}: {traceback.format_exc()}")
        steps += 1
        if seed % 8 == 0 and steps % 200 == 0:
            gc.collect()
    search.steps[seed] = steps


def main(seconds="60", threads="8", seed="1"):
    lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    search = Search(int(seed))
    search.end = time.monotonic() + float(seconds)
    running = [threading.Thread(target=work, args=(search, int(seed) * 1000 + k)) for k in range(int(threads))]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if search.drawn:
        expected = np.random.RandomState(int(seed)).random_sample(100 * len(search.drawn)).reshape(-1, 100)
        found = np.array(search.drawn)
        if not np.array_equal(found[np.argsort(found[:, 0])], expected[np.argsort(expected[:, 0])]):
            search.wrong.append("draw: the numbers of the shared generator are not those of one thread")
    print(f"Python {sys.version.split()[0]}, {'with' if lock else 'without'} the interpreter's lock: "
          f"{sum(search.steps.values())} steps in {threads} threads, {len(search.drawn)} shared draws")
    for text in search.wrong:
        print(f"FAILED: {text}")
    return 1 if search.wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

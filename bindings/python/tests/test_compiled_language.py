# bindings/python/tests/test_compiled_language.py -- what of the language compiled functions have beyond numbers and
# arrays: lists, exceptions, closures, instances, random numbers. What is right say plain Python and
# NumPy's RandomState.
import copy
import gc
import math
import subprocess
import sys

import gpuopt as gp
import numpy as np
import pytest
from gpuopt import jitclass, njit, types

pytestmark = pytest.mark.compiled


def agrees(function, *arguments):
    """Compares what a function gives, raises and changes in its arguments with what Python's own does."""
    results = []
    for f in (function, njit(function)):
        given = copy.deepcopy(arguments)
        try:
            result = f(*given)
        except Exception as error:
            result = type(error)
        results.append((result, [g.tolist() if isinstance(g, np.ndarray) else g for g in given]))
    assert repr(results[1]) == repr(results[0])


# ---- Lists ---------------------------------------------------------------------------------------------------------


def made(n):
    xs = []
    for i in range(n):
        xs.append(i * i)
    return xs, len(xs), sum(xs), xs[-1] if xs else -1, [i for i in xs if i % 2], [(i, 0.5 * i) for i in range(n)]


def nested(n):
    rows = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            rows[i][j] = i * j
    rows.append([])
    return rows


def methods(n):
    a = [0] * n
    a.extend([4, 1, 9])
    a.insert(1, 7)
    a.insert(-100, 8)
    a += [2, 2]
    b = a[1:4] + a[::-2]
    a.remove(4)
    del a[0]
    last, first = a.pop(), a.pop(0)
    a.sort()
    b.reverse()
    c = a.copy()
    c.clear()
    return (
        a,
        b,
        c == [],
        last,
        first,
        a.index(9),
        a.count(2),
        9 in a,
        5 not in a,
        min(b),
        max(b),
        sorted(b, reverse=True),
    )


def grows(n):
    s, xs = 0, [1, 2, 3]
    for x in xs:
        s += x
        if len(xs) < n:
            xs.append(x + 1)
    while xs:
        s += 3 * xs.pop()
    return s


def unpacked(n):
    pairs, s = [], 0.0
    for k, v in enumerate([3, 1, 2]):
        pairs.append((k, v * 0.5))
    for (i, (k, v)), x in zip(enumerate(pairs), reversed(range(n))):
        s += i * k + v * x
    first, second = [n, 2]
    return s, pairs, first - second, any([v > 1 for k, v in pairs]), all([k >= 0 for k, v in pairs])


def out_of_range(xs, k):
    x = xs[k]
    xs[0] = xs[-1]
    return x


@pytest.mark.parametrize("function", [made, nested, methods, grows, unpacked])
@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_lists(function, n):
    agrees(function, n)


@pytest.mark.parametrize("k", [0, -1, 2, 3, -4])
def test_lists_as_arguments(k):
    agrees(out_of_range, [1, 2, 3], k)
    agrees(out_of_range, [1.5, 2.5, math.inf], k)
    agrees(out_of_range, [True, False, True], k)

    @njit
    def longer(xs):
        xs.append(7)
        return len(xs)

    given = [1, 2]
    assert longer(given) == 3 and given == [1, 2, 7]
    for wrong in ([], [1, 2.5], ["a"], [[1]]):
        with pytest.raises(TypeError):
            longer(wrong)


def test_types_of_items():
    @njit
    def in_tuples(x):
        t = (x, [x], ([],), {x: [2.5]})
        t[2][0].append(1.5)
        return t, (1, [[x]])

    assert repr(in_tuples(3)) == "((3, [3], ([1.5],), {3: [2.5]}), (1, [[3]]))"

    @njit
    def joined():
        xs = [1]
        xs.append(2.5)
        return xs, np.array(xs).sum()

    assert joined() == ([1.0, 2.5], 3.5)

    @njit
    def never(n):
        xs = []
        return len(xs)

    with pytest.raises(gp.TypingError, match="'xs' cannot be found"):
        never(1)

    @njit
    def mixed(n):
        return [n, (n, n)]

    with pytest.raises(gp.TypingError, match="one type"):
        mixed(1)


# ---- Dictionaries --------------------------------------------------------------------------------------------------


def counted(n):
    d = {}
    for i in range(n):
        k = i * 7919 % 101
        if k in d:
            d[k] += i
        else:
            d[k] = i
    for i in range(0, n, 3):
        if i in d:
            del d[i]
    for i in range(n):
        d[i] = d.get(i, -5) + 1
    return d, len(d), sorted(d)


def entries(n):
    d = {1: 2.5, 3: 4.0}
    d[n], d[1] = 1.0, 7.0
    s = 0.0
    for k, v in d.items():
        s += k * v
    for k in d:
        s += k
    return d, s, d.get(99, -1.0), d.pop(1), 1 in d, list(d.values()), d.setdefault(8, 2.0), d.pop(77, 3.0), d[n + 0]


def of_tuples(n):
    d = dict()
    for i in range(n):
        d[(i % 3, i)] = [i]
    d[(0, 0)].append(5)
    return [k[0] * k[1] for k in d.keys()], d[(0, 0)], len(d)


def floats(n):
    d = {}
    for x in [0.5, -0.0, 0.0, math.inf]:
        d[x] = n
    return d


@pytest.mark.parametrize("n", [0, 1, 3, 400])
def test_dictionaries(n):
    for function in (counted, entries, of_tuples, floats):
        agrees(function, n)
    agrees(lambda n: {1: 2}[n], n)

    @njit
    def of_complex_numbers(n):
        return {n * 1j: n}

    with pytest.raises(gp.TypingError, match="a key of a dictionary is a number"):
        of_complex_numbers(1)


# ---- Exceptions ----------------------------------------------------------------------------------------------------


def in_loop(n):
    r = 0
    for i in range(-2, n):
        try:
            r += 10 // i
            if i == 2:
                continue
            if i == 4:
                break
            r += 1000
        except ZeroDivisionError:
            r += 7
        else:
            r += 100000
        finally:
            r += 3
    return r


def by_class(n):
    try:
        if n == 1:
            raise ValueError("one")
        if n == 2:
            raise KeyError("two")
        if n == 3:
            raise TypeError("three")
        x = 5
    except (ValueError, KeyError):
        x = 1
    except Exception:
        x = 2
        raise
    return x


def last_word(a, k):
    try:
        return a[k]
    except IndexError:
        return -1.0
    finally:
        a[0] += 1


def unbound(n):
    try:
        y = 1 // n
    except:
        pass
    return y


def inside(n):
    s = 0
    for k in range(n):
        try:
            try:
                s += 6 // (k - 1)
            finally:
                s += 100
        except ZeroDivisionError:
            s += 5
    return s


@pytest.mark.parametrize("n", range(7))
def test_exceptions(n):
    for function in (in_loop, by_class, unbound, inside):
        agrees(function, n)
    agrees(last_word, np.arange(3.0).tolist(), n)


def test_an_exception_stands_in_its_column():
    @njit
    def f(a, b):
        return a + (a // b)

    with pytest.raises(ZeroDivisionError) as caught:
        f(1, 0)
    frame = caught.traceback[-1]
    assert frame.lineno == f.py_func.__code__.co_firstlineno + 1 and "a // b" in str(frame.statement)

    @njit
    def wrong(n):
        return n + n.nothing

    with pytest.raises(gp.TypingError, match=r"test_compiled_language.py:\d+:20: Unknown attribute 'nothing'"):
        wrong(1)


# ---- Functions -----------------------------------------------------------------------------------------------------


def closures(n):
    k = n * 2

    def g(x, m=3):
        return x + k * m

    h = lambda x: g(x) + k
    s = 0
    for i in range(n):
        s += h(i) + g(i, m=1)
    k = 100
    return s + g(1)


def recursive(n):
    def f(k):
        return 1 if k < 2 else k * f(k - 1)

    return f(n)


def rest(a, *others, scale=2):
    s = a * scale
    for o in others:
        s += o
    return s


def test_functions():
    for n in range(6):
        agrees(closures, n)
        agrees(recursive, n)
    f = njit(rest)
    assert f(1, 2, 3) == 7 and f(1) == 2 and f(3, scale=5) == 15

    @njit
    def calls(n):
        return f(n, 1, 2.5, scale=3), f(n)

    assert calls(2) == (9.5, 4)


def test_overload():
    def kind_of(x):
        return "python"

    @gp.overload(kind_of)
    def _(x):
        if isinstance(x, types.Integer):
            return lambda x: 1
        if isinstance(x, types.Array):
            return lambda x: x.size
        return None

    @gp.overload_method(types.Array, "twice")
    def _(x):
        return lambda x: 2 * x

    @gp.overload_attribute(types.Array, "half")
    def _(x):
        return lambda x: x.size // 2

    @gp.register_jitable
    def helper(x):
        return x + 1

    @njit
    def f(a):
        return kind_of(3), kind_of(a), a.twice().sum(), a.half, helper(1)

    assert f(np.ones(6)) == (1, 6, 12.0, 3, 2)
    with pytest.raises(gp.TypingError, match="kind_of is not compiled"):
        njit(lambda: kind_of(2.5))()

    @gp.generated_jit
    def by_type(x):
        if isinstance(x, types.Integer):
            return lambda x: x + 1
        return lambda x: x - 1

    assert (by_type(1), by_type(1.5), njit(lambda: by_type(4))()) == (2, 0.5, 5)


# ---- Classes -------------------------------------------------------------------------------------------------------


@jitclass([("x", types.float64), ("data", types.float64[:]), ("log", types.List(types.int64))])
class Bag:
    """A bag."""

    def __init__(self, n, x=1.5):
        self.x = x
        self.data = np.zeros(n)
        self.log = []

    def add(self, i, v=1.0):
        self.data[i] += v
        self.log.append(i)
        return self.total

    @property
    def total(self):
        return self.data.sum()

    @property
    def scale(self):
        return self.x

    @scale.setter
    def scale(self, value):
        self.x = 2 * value

    @staticmethod
    def twice(v):
        return 2 * v

    def myself(self):
        return self


def test_jitclass():
    bag = Bag(4)
    assert bag.x == 1.5 and bag.add(1, 2.5) == 2.5 and bag.add(2) == 3.5 and bag.log == [1, 2]
    bag.scale = 4
    assert bag.x == 8 and bag.scale == 8 and Bag.twice(3) == 6 and isinstance(bag, Bag) and Bag.__doc__ == "A bag."
    bag.myself().x = 1
    assert bag.x == 1

    @njit
    def use(bag, n):
        for i in range(n):
            bag.add(i % 3)
        bag.x += 0.5
        bag.data *= 2
        other = Bag(2, x=bag.x)
        other.scale = 1.0
        return bag.total, other, len(bag.log), bag.twice(4)

    total, other, count, eight = use(bag, 5)
    assert (total, other.x, count, eight, bag.x) == (17.0, 2.0, 7, 8, 1.5)
    with pytest.raises(IndexError):
        bag.add(9)
    with pytest.raises(gp.TypingError, match="Unknown attribute 'y'"):
        njit(lambda bag: bag.y)(bag)
    with pytest.raises(TypeError):
        use(5, bag)


def test_instances_keep_the_memory_of_arrays():
    bag, given = Bag(1), np.arange(4.0)
    bag.data = given[::2]
    bag.add(1, 7.0)
    assert given.tolist() == [0, 1, 9, 3]
    del given
    gc.collect()
    others = [np.full(4, 5.0) for _ in range(100)]
    assert bag.data.tolist() == [0, 9] and len(others) == 100
    for _ in range(500):
        Bag(1000)  # is released, or this takes 4 MB


def test_instances_outlive_their_functions(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import gpuopt\n"
        "@gpuopt.jitclass([('x', gpuopt.types.float64)])\n"
        "class Point:\n    def __init__(self, x):\n        self.x = x\n"
        "@gpuopt.njit\n"
        "def made(x):\n    return Point(x)\n"
        "points = [made(1.0), Point(2.0)]\n"
        "del made, Point\n"
        "print(points[0].x + points[1].x)\n"
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("3.0\n", 0), done.stderr


# ---- Random numbers ------------------------------------------------------------------------------------------------


def test_random_numbers_are_those_of_numpy():
    for seed in (0, 42, 2**32 - 1):
        compiled = njit(_drawn_text)(seed)
        expected = _drawn_text(seed)
        assert compiled[0].tolist() == expected[0].tolist() and compiled[1:] == expected[1:]

    @njit
    def normal(seed, n):
        np.random.seed(seed)
        return np.random.normal(1.0, 2.0, n), np.random.standard_exponential(n), np.random.lognormal(0.5, 0.25, n)

    state = np.random.RandomState(5)
    for got, want in zip(normal(5, 999), (state.normal(1, 2, 999), state.standard_exponential(999))):
        np.testing.assert_allclose(got, want, rtol=1e-13)
    assert njit(lambda: np.random.random())() != njit(lambda: np.random.random())()
    with pytest.raises(gp.TypingError, match="not supported"):
        njit(lambda: np.random.dirichlet((1.0, 2.0)))()


def _drawn_text(seed):
    np.random.seed(seed)
    a = np.arange(10)
    np.random.shuffle(a)
    b = np.random.randint(0, 10)
    c = np.random.randint(-5, 2**40)
    d = np.random.uniform(2.0, 5.0)
    return a, np.random.random(), b, c, d, np.random.randint(7)


# ---- NumPy's own functions, print ----------------------------------------------------------------------------------


def algebra(a, s, b):
    w, v = np.linalg.eigh(s)
    q, r = np.linalg.qr(a)
    return np.linalg.solve(a, b), np.linalg.inv(a[::-1, :]), np.linalg.det(a), np.linalg.cholesky(s), w, q, r


def joins(a, b, m):
    return (
        np.concatenate((a, b)), np.vstack((a, b)), np.stack((a, b), 1), np.outer(a, b), np.diag(a), np.trace(m),
        np.unique(a), np.argsort(b), np.median(b), np.diff(a), np.roll(a, 2), np.searchsorted(a, 2.5),
        np.concatenate((m, m), axis=1), np.convolve(a, b),
    )  # fmt: skip


def test_functions_of_numpy():
    state = np.random.RandomState(1)
    a, b = state.normal(size=(4, 4)), state.normal(size=4)
    s = a @ a.T + np.eye(4)
    for got, want in zip(njit(algebra)(a, s, b), algebra(a, s, b)):
        np.testing.assert_allclose(got, want, rtol=1e-12)

    for got, want in zip(njit(joins)(np.arange(4.0), b, a), joins(np.arange(4.0), b, a)):
        assert got.dtype == want.dtype if isinstance(got, np.ndarray) else True
        np.testing.assert_allclose(got, want, rtol=1e-12)

    @njit
    def inverse(a):
        try:
            return np.linalg.inv(a)
        except np.linalg.LinAlgError:
            return np.zeros((1, 1))

    assert inverse(np.zeros((2, 2))).tolist() == [[0.0]]
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        njit(lambda a: np.linalg.inv(a))(np.zeros((2, 2)))


def test_print_of_formatted_texts(capfd):
    @njit
    def f(n, x):
        print(f"n={n} x={x:.3f} {n > 1}", n, (n, x, (1,)), str(n), 'a"b\\')

    f(2, 1.23456)
    assert capfd.readouterr().out == 'n=2 x=1.235 True 2 (2, 1.23456, (1,)) 2 a"b\\\n'
    with pytest.raises(gp.TypingError, match="keywords"):
        njit(lambda n: print(n, end=""))(1)


def first_that_decides(n):
    xs = [3, 1, 0, 2]
    return (
        any(6 // x > n for x in xs), all(6 // x < n for x in xs), any(x * y == n for x in xs for y in range(4)),
        sum(x for x in xs), max(x for x in xs), sorted(x * n for x in xs),
    )  # fmt: skip


def test_generators_as_arguments():
    for n in range(-1, 9):
        agrees(first_that_decides, n)


def test_a_parallel_loop_changes_no_list():
    @njit(parallel=True)
    def f(n):
        xs = [0] * n
        for i in gp.prange(n):
            own = [i]
            own.append(2)
            xs[i] = sum(own)
        return xs

    assert f(5) == [2, 3, 4, 5, 6]

    @njit(parallel=True)
    def wrong(n):
        xs = [0]
        for i in gp.prange(n):
            xs.append(i)
        return xs

    with pytest.raises(gp.TypingError, match="cannot change one list"):
        wrong(3)


def test_parallel_loops_in_threads():
    from concurrent.futures import ThreadPoolExecutor

    @njit(parallel=True)
    def total(n):
        s = 0.0
        for i in gp.prange(n):
            s += i * 0.5
        return s

    expected = total(10000)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(total, [10000] * 64)) == [expected] * 64

# bindings/python/tests/test_compiled_values.py -- named tuples, texts, sets, what exceptions are raised with and random
# distributions in compiled functions. What is right say plain Python and NumPy's RandomState.
import ast
import collections
import copy
import inspect
import linecache
import math
import subprocess
import sys
import typing

import gpuopt as gp
import numpy as np
import pytest
from gpuopt import jitclass, njit, types
from gpuopt.compiled.source import nodes_of

pytestmark = pytest.mark.compiled


def outcome(function, arguments):
    """What a call gives or raises, and what it leaves in its arguments."""
    given = copy.deepcopy(arguments)
    try:
        result = function(*given)
    except gp.TypingError:
        raise
    except Exception as error:
        result = type(error), error.args
    return result, given


def agrees(function, *arguments):
    """Compares a compiled function with Python's own: values, their types, and the arguments of exceptions."""
    want, got = outcome(function, arguments), outcome(njit(function), arguments)
    assert got == want and types_in(got) == types_in(want)


def function_of(text):
    """The function f of a text, whose lines errors can show."""
    name, space = f"<text of {len(text)} letters, {hash(text)}>", {"np": np}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    return space["f"]


def types_in(value):
    """The types of a value and of what it consists of; sets have no order."""
    if isinstance(value, dict):
        return [(types_in(k), types_in(v)) for k, v in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value), [types_in(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return type(value), {type(v) for v in value}
    return type(value)


# ---- Named tuples --------------------------------------------------------------------------------------------------

Point = collections.namedtuple("Point", "x y", defaults=[4])


class Pair(typing.NamedTuple):
    """A class with more than items."""

    a: int
    b: float = 2.5

    def norm(self):
        return math.sqrt(self.a * self.a + self.b * self.b)

    @property
    def twice(self):
        return 2 * self.a

    @staticmethod
    def one():
        return 1


ORIGIN = Point(0.5, 2)


def made(p, n):
    q = Point(y=n, x=p.x)
    x, y = q._replace(x=7)
    return q, Point(1), x + y, p[0], p[-1], len(p), p == (1, 2.5), p < (1, 3.0), p >= q, p + q, p[:1], ORIGIN.x, (1, p)


def members(p):
    s = 0.0
    for v in p:
        s += v
    return s, p.norm(), Pair(3).norm(), p.twice, p.one(), Pair.one(), isinstance(p, Pair), isinstance(p, (int, tuple))


def kept(n):
    points, seen = [], {Point(1, 2): 3}
    for i in range(n):
        points.append(Point(i, 0.5 * i))
        seen[Point(i, n)] = i
    best = Point(-1, 0.0)
    for p in points:
        if p.y > best.y:
            best = p
    return points, best, seen, (Point(1, 2) in seen), best if n > 100 else Point(0, 0.0)


def test_named_tuples():
    agrees(made, Point(1, 2.5), 3)
    agrees(made, Point(1, 2.5), 1.5)
    agrees(members, Pair(3, 4.0))
    for n in (0, 5):
        agrees(kept, n)
    assert njit(lambda p: p.x.sum() + p.y)(Point(np.arange(4.0), 1)) == 7.0
    point = types.NamedTuple([types.float64, types.int64], Point)
    assert njit(point(types.int64))(lambda n: Point(n * 0.5, n))(3) == Point(1.5, 3)
    assert types.NamedUniTuple(types.int64, 2, Point) == gp.typeof(Point(1, 2)) != types.UniTuple(types.int64, 2)


class Odd(Point):
    def __new__(cls, x):
        return super().__new__(cls, x, x)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda p: p.z, "Unknown attribute 'z' of type Point"),
        (lambda p: Point(1, 2, 3), "takes 2 items"),
        (lambda p: Point(z=3), "unexpected argument 'z'"),
        (lambda p: Point(y=3), "missing the argument 'x'"),
        (lambda p: p._replace(z=1), "unexpected field names"),
        (lambda p: p._asdict(), "not supported"),
        (lambda p: p if p.x > 0 else Pair(1, 2.0), "cannot unify"),
        (lambda p: Odd(1), "not supported"),
    ],
)
def test_errors_of_named_tuples(function, message):
    with pytest.raises(gp.TypingError, match=message) as caught:
        njit(function)(Point(1, 2))
    assert "test_compiled_values.py:" in str(caught.value)


# ---- Arguments of exceptions ---------------------------------------------------------------------------------------


def missing(k):
    return {1: 2, 3: 4}[k]


def missing_tuple(k):
    d = {(1, 0.5): 2}
    del d[(k, 0.5)]
    return d


def missing_after_another(k):
    d = {1.5: 2}
    for _ in range(3):
        try:
            d.pop(-1.0)
        except KeyError:
            pass
    return d.pop(k * 1.0)


def missing_point(k):
    return {Point(1, 2): 1}[Point(k, k)]


def missing_text(k):
    d = {"a": 1}
    return d["a" + "b" * k]


def raised(k):
    if k == 1:
        raise ValueError("one")
    if k == 2:
        raise KeyError(k, 1.5, (k > 1, k + 1j))
    if k == 3:
        raise ValueError
    if k == 4:
        raise IndexError(f"place {k}", None)
    return k


def raised_again(k):
    try:
        return {1: 2}[k]
    except KeyError:
        try:
            return {2: 3}[k + 1]
        except KeyError:
            pass
        raise


@pytest.mark.parametrize("k", range(7))
def test_exceptions_have_arguments(k):
    for function in (missing, missing_tuple, missing_after_another, missing_point, missing_text, raised):
        agrees(function, k)
    agrees(raised_again, 1)
    with pytest.raises(KeyError):
        njit(raised_again)(5)


def test_assertions_have_arguments():
    asserts = function_of("def f(k):\n    assert k > 5, ('small', k)\n    assert k < 9\n    return k\n")
    for k in (0, 7, 10):
        agrees(asserts, k)


def test_exceptions_of_parallel_loops():
    @njit(parallel=True)
    def f(n):
        d = {k: k for k in range(n)}
        s = 0
        for i in gp.prange(2 * n):
            s += d[i]
        return s

    with pytest.raises(KeyError) as caught:
        f(100)
    assert caught.value.args[0] in range(100, 200)


# ---- Texts ---------------------------------------------------------------------------------------------------------


def grown(n):
    s = ""
    for i in range(n):
        s += str(i) + ","
    part = s[0] if s else "none"
    return s, len(s), part, s[-2:], s[::-1], s[1:9:2], s == "0,1,", "1," in s, not s, s or "z", s and "y"


def two(a, b):
    return (
        a + b, a == b, a != "abc", a < b, a >= b, a * 2, 2 * b, a[1:], "ab" + a, a in b, "b" in a, a + "x" * len(b),
        a.find(b), a.rfind("b"), a.count(b), a.startswith("a"), a.endswith(b), a.replace("b", b), a.split("b"),
        b.split(), b.join([a, "-", a]), a.join(b), b.strip(), b.lstrip(), b.rstrip(), isinstance(a, str),
        max([a, b, "b"]),
    )  # fmt: skip


def counted(words):
    d = {}
    for w in words.split():
        d[w] = d.get(w, 0) + 1
    longest = ""
    for w in d:
        if len(w) > len(longest):
            longest = w
    return d, longest, sorted(d), [w + "!" for w in d], "a" in d, {"x": 1.5}["x"]


def formatted(n, x, t):
    return (
        f"n={n} x={x:.3f} {n > 1} {t!r} {t:>5} {n:04d} {x}", str(x), str(n), repr(t), str((n, t, x, (1,))), f"{n}",
        str(True), str(1j * n), str(-n), f"{None} {1} {'a'}", str(Point(n, t)), f"{(n, 'a')!r:>20}", str(n > 3),
    )  # fmt: skip


def letters(t, i):
    r, n = "", 0
    for k, c in enumerate(t):
        if c != "l":
            r = c + r
        n += k * ord(c)
    for a, b in zip("abc", t):
        r += a + b
    return r, n, chr(n % 1000), t[i]


def chosen(n):
    x = "a"
    for i in range(n):
        if i % 2:
            x = "b"
    mode = "abc" if n > 2 else "def"
    names = ("zero", "one", "two")
    pair = ("a", n)
    return x, mode, names[n], pair, (x, (mode, n)), [x, "q"], x in ("a", "c"), names.index("one")


@pytest.mark.parametrize("n", [0, 1, 2, 12])
def test_texts(n):
    for function in (grown, chosen):
        agrees(function, n)
    text = ["", "abcab", "h\u00e9llo \U0001f600 w", " b\u00a0 "][n % 4]
    for other in ("", "b", "ab", " b c "):
        if other:
            agrees(two, text, other)
        agrees(two, "abcab", "b")
    agrees(letters, text, n)
    agrees(counted, text + " a bc a " + text)
    for x in (1.5, -0.0, math.inf, 1e22):
        agrees(formatted, n - 1, x, text)


def test_texts_that_are_no_characters():
    agrees(lambda t, c: (ord(t), chr(c)), "\ud800", 1)
    agrees(lambda t, c: (ord(t), chr(c)), "ab", 1)
    agrees(lambda t, c: (ord(t), chr(c)), "a", 0x110000)
    agrees(lambda t: t.split(""[:0] + t), "")
    agrees(lambda x: f"{x:q}", 1)
    with pytest.raises(gp.TypingError, match=r"test_compiled_values.py:\d+:\d+: unsupported operand types for \+"):
        njit(lambda t: t + 1)("a")
    with pytest.raises(gp.TypingError, match="Unknown attribute 'upper'"):
        njit(lambda t: t.upper())("a")


@pytest.mark.parametrize("indent", ["", "    ", "\t"])
def test_texts_of_several_lines_stay_as_they_are(indent):
    text = f'if True:\n{indent}def f(n):\n{indent}  s = """a\n      b\n   \nc"""\n{indent}  return s, ord(s[n])\n'
    function = function_of(text if indent else text.removeprefix("if True:\n"))
    agrees(function, 4)
    with pytest.raises(gp.TypingError) as caught:
        njit(function)(1.5)
    at = text.splitlines()[-1].index("s[n]") + 1
    assert f":{7 if indent else 6}:{at}:" in str(caught.value)


def test_nodes_stand_in_the_order_of_walk():
    tree = ast.parse(inspect.getsource(sys.modules[__name__]))
    assert nodes_of(tree) == list(ast.walk(tree))


@jitclass([("name", types.unicode_type), ("seen", types.Set(types.int64)), ("words", types.List(types.unicode_type))])
class Labelled:
    def __init__(self, name):
        self.name = name
        self.seen = {1}
        self.words = ["first"]

    def see(self, n):
        self.seen.add(n)
        self.words.append(self.name + str(n))
        return self.words


def test_instances_have_texts_and_sets():
    one = Labelled("n")
    one.see(7)
    njit(lambda x: x.see(9))(one)
    one.name = "new"
    assert one.see(9) == ["first", "n7", "n9", "new9"] and one.seen == {1, 7, 9} and one.name == "new"


def test_print_of_texts(capfd):
    @njit
    def f(t, n):
        print(t, (t, n, "a'b"), f"{t!r} {t}", str(t), Point(n, t))

    f("\u00e9'", 3)
    f.py_func("\u00e9'", 3)
    first, second = capfd.readouterr().out.splitlines()
    assert first == second


# ---- Sets ----------------------------------------------------------------------------------------------------------


def sets(n):
    s = set()
    for i in range(n):
        s.add(i * i % 7)
    s.discard(2)
    s.discard(100)
    u, v = {1, 2, n}, {x * 0.5 for x in range(n)}
    return (
        s, len(s), 4 in s, u, v, s | u, s & u, s - u, s ^ u, s <= u, s < u, s == u, u >= {1}, u > u, u != s, sorted(s),
        sum(u), max(u), bool(s), 2.5 in u, 2.0 in u, not set([1]), v | {0.25}, set((1, 2)), list({5}), s > {9},
    )  # fmt: skip


def changed(n):
    s = {1, 2, 3}
    t = s
    s |= {n}
    s.update([7, 8])
    s -= {1}
    s &= {2, 3, 7, n}
    s ^= {2, 99}
    s.remove(3)
    c = s.copy()
    c.add(1234)
    k = 0
    for x in s:
        k += x
    c.intersection_update(s, [7, n, 99])
    return (
        s, t, c, k, s.union([1], {2}), s.intersection({7}), s.difference([n]), s.symmetric_difference({n, 1}),
        s.issubset(c), c.issuperset([7]), s.isdisjoint({0}), {q % 3 for q in s}, set("hello"), {"a"} | {"c"},
        {(1, 2), (3, n)},
        {"a": {1}, "b": {n}}, {q: [q] for q in s if q > 1}, [{1}, {2, n}], [{1: n}, {2: 3}],
    )  # fmt: skip


def drained(n):
    s, total = set(range(n)), 0
    while s:
        total += s.pop()
    s.add(5)
    return total, s.pop(), s.remove(n)


def with_argument(s, x):
    s.add(x)
    s.discard(1)
    return len(s), x in s, s


@pytest.mark.parametrize("n", [0, 1, 5, 300])
def test_sets(n):
    for function in (sets, changed, drained):
        agrees(function, n)
    agrees(with_argument, {1, 2, 3}, n)
    agrees(with_argument, {1.5, 1.0}, n + 0.25)


def test_errors_of_sets():
    agrees(lambda n: {n}.remove(n + 1), 3)
    agrees(lambda n: ({n}.pop(), set([n])), 3)
    with pytest.raises(gp.TypingError, match=r"test_compiled_values.py:\d+:\d+: items of a set have one type"):
        njit(lambda n: {n, "a"})(1)
    with pytest.raises(gp.TypingError, match="unsupported operand types"):
        njit(lambda n: {n} | n)(1)
    with pytest.raises(gp.TypingError, match="cannot be indexed"):
        njit(lambda s: s[0])({1})
    with pytest.raises(TypeError, match="empty set"):
        njit(lambda s: len(s))(set())


def test_arrays_are_not_taken_for_lists():
    f = njit(lambda x: len(x))
    assert [f(x) for x in ([1, 2, 3], np.arange(2), {5}, "abcd", np.zeros(6, np.uint32), [1])] == [3, 2, 1, 4, 6, 1]


# ---- Random numbers ------------------------------------------------------------------------------------------------

CALLS = """
beta(0.5, 0.25) beta(2.0,3) binomial(10,0.3) binomial(1000,0.6) chisquare(2.5) exponential(2.0) f(3.0,4.0) gamma(0.5)
gamma(2.5,3.0) gamma(1.0) gamma(shape=7.5,scale=0.5) geometric(0.1) geometric(0.6) gumbel(1.0,2.0)
hypergeometric(10,20,5) hypergeometric(100,200,50) laplace() logistic(0.0,2.0) lognormal(0.5,0.25) logseries(0.7)
negative_binomial(3,0.4) noncentral_chisquare(3.0,1.5) noncentral_chisquare(0.5,1.5) noncentral_f(3.0,4.0,1.5)
normal(1.0,2.0) pareto(3.0) poisson(3.0) poisson(50.0) poisson() power(2.0) rayleigh(2.0) standard_cauchy()
standard_exponential() standard_gamma(3.5) standard_normal() standard_t(3.0) triangular(0.0,1.0,3.0) uniform(1.0,4.0)
vonmises(0.5,2.0) wald(2.0,3.0) weibull(1.5) zipf(2.5) random() randint(3,900) choice(7) randn() rand()
gamma(2.0,size=(3,2)) poisson(3.0,size=7) normal(size=5) binomial(9,0.5,6)
""".replace(", ", ",").split()
WRONG = """
gamma(-1.0) beta(0.0,1.0) binomial(3,1.5) binomial(-1,0.5) poisson(-1.0) zipf(1.0) hypergeometric(1,1,5)
hypergeometric(1,1,0) triangular(2.0,1.0,3.0) triangular(1.0,1.0,1.0) poisson(1e300) geometric(0.0) logseries(1.0)
uniform(-1e308,1e308) normal(0.0,-0.0) gamma(np.nan)
""".split()


def drawing(calls):
    """A function that draws random numbers."""
    values = ",\n        ".join(f"np.random.{c}" for c in calls)
    return function_of(f"def f(seed):\n    np.random.seed(seed)\n    return ({values},)\n")


def test_distributions_are_those_of_numpy():
    f = drawing(CALLS)
    compiled = njit(f)
    for seed in (0, 5, 2**32 - 1):
        for call, got, want in zip(CALLS, compiled(seed), f(seed)):
            # NumPy may have been built with another C library's logarithms.
            np.testing.assert_allclose(got, want, rtol=1e-13, err_msg=call)
            assert np.asarray(got).dtype == np.asarray(want).dtype and np.shape(got) == np.shape(want)


def test_parameters_of_distributions_are_checked():
    for call in WRONG:
        agrees_in_words(drawing([call]))
    with pytest.raises(gp.TypingError, match="n of binomial.. is an integer"):
        njit(lambda: np.random.binomial(2.5, 0.5))()
    with pytest.raises(gp.TypingError, match="missing the argument 'a'"):
        njit(lambda: np.random.zipf())()


def agrees_in_words(function):
    want, got = outcome(function, (3,)), outcome(njit(function), (3,))
    assert str(got) == str(want)


def test_functions_for_c_draw_no_numbers():
    # On a line each: before Python 3.11 functions do not know their columns.
    uniform = lambda: np.random.random()  # noqa: E731
    gamma = lambda: np.random.gamma(2.0)  # noqa: E731
    for wrong in (uniform, gamma):
        with pytest.raises(gp.TypingError, match="functions that C calls"):
            gp.cfunc("float64()")(wrong)


def test_lambdas_of_one_line():
    k = 3
    one, two, three, real = njit(lambda x: x + 1), njit(lambda x: x + 2), njit(lambda x: x * k), njit(lambda x: x + 1.0)
    assert [f(5) for f in (one, two, three, real)] == [6, 7, 15, 6.0] and isinstance(real(5), float)
    choose = [njit(lambda x: x if x > k else -x), njit(lambda x: x if x < k else -x)]
    assert [f(5) for f in choose] == [5, -5]
    nested = (lambda x: njit(lambda x: x + 10)), (lambda x: njit(lambda x: x - 10))
    assert [make(1)(5) for make in nested] == [15, -5]
    constants = njit(lambda x: 1), njit(lambda x: 2), njit(lambda x: x)
    assert [f(5) for f in constants] == [1, 2, 5]


def test_lambdas_of_one_line_without_columns(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from gpuopt import njit\n"
        "k = 3\n"
        "all = njit(lambda x: x + 1), njit(lambda x: x + 2), njit(lambda x: x * k), njit(lambda x: 1)\n"
        "print([f(5) for f in all])\n"
    )
    command = [sys.executable, "-X", "no_debug_ranges", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "[6, 7, 15, 1]\n", done.stderr


@njit
def reads_a_list(x):
    total = 0.0
    for k, value in enumerate(x):
        total += value * k
    return total + x[0] + len(x) + max(x) + (2.0 in x)


@njit
def renames_a_list(x):
    y = x
    y[0] = 9.0
    return y[0]


@njit
def gives_a_list_on(x):
    renames_a_list(x)
    return len(x)


@njit
def takes_an_item(x):
    return x.pop()


@njit
def binds_anew(x):
    x = x + [1.0]
    x[0] = 5.0
    return x[-1]


@njit
def reads_one_of_two(x, y):
    y.append(sum(x))
    return x[0]


def test_lists_that_are_only_read():
    for function, changed in (
        (reads_a_list, 0),
        (renames_a_list, 1),
        (gives_a_list_on, 1),
        (takes_an_item, 1),
        (binds_anew, 1),
    ):
        ours, theirs = [1.0, 2.0, 4.0], [1.0, 2.0, 4.0]
        assert function(ours) == function.py_func(theirs) and ours == theirs
        [text] = function.inspect_cpp().values()
        assert text.count("gp_store(slots + ") == changed, function  # what comes out costs more than the call
    kept, longer = [1.0, 2.0], [3.0]
    assert reads_one_of_two(kept, longer) == 1.0 and kept == [1.0, 2.0] and longer == [3.0, 3.0]

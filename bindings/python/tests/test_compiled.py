# bindings/python/tests/test_compiled.py -- functions compiled from Python: against plain Python, NumPy, and the results
# that Numba has, which are written down here.
import math
import os
import pathlib
import subprocess
import sys

import gpuopt as gp
import numpy as np
import pytest
from gpuopt import cfunc, guvectorize, njit, prange, stencil, vectorize

pytestmark = pytest.mark.compiled

# Types of results, measured with Numba 0.68.1: rows and columns are these types of operands.
NAMES = "b i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16".split()
ADD = """
b    i8  i8  i8  i8  i8  i8  i8  i8  i8  f4  f8  c8  c16
i1   i8  i8  i8  i8  i8  i8  i8  i8  i8  f4  f8  c8  c16
i2   i8  i8  i8  i8  i8  i8  i8  i8  i8  f4  f8  c8  c16
i4   i8  i8  i8  i8  i8  i8  i8  i8  i8  f8  f8  c16 c16
i8   i8  i8  i8  i8  i8  i8  i8  i8  i8  f8  f8  c16 c16
u1   i8  i8  i8  i8  i8  u8  u8  u8  u8  f4  f8  c8  c16
u2   i8  i8  i8  i8  i8  u8  u8  u8  u8  f8  f8  c16 c16
u4   i8  i8  i8  i8  i8  u8  u8  u8  u8  f8  f8  c16 c16
u8   i8  i8  i8  i8  i8  u8  u8  u8  u8  f8  f8  c16 c16
f4   f4  f4  f4  f8  f8  f4  f8  f8  f8  f4  f8  c8  c16
f8   f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  c16 c16
c8   c8  c8  c8  c16 c16 c8  c16 c16 c16 c8  c16 c8  c16
c16  c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
"""
UNIFY = """
b    b   i1  i2  i4  i8  u1  u2  u4  u8  f4  f8  c8  c16
i1   i1  i1  i2  i4  i8  i2  i4  i8  f8  f4  f8  c8  c16
i2   i2  i2  i2  i4  i8  i2  i4  i8  f8  f4  f8  c8  c16
i4   i4  i4  i4  i4  i8  i4  i4  i8  f8  f8  f8  c16 c16
i8   i8  i8  i8  i8  i8  i8  i8  i8  f8  f8  f8  c16 c16
u1   u1  i2  i2  i4  i8  u1  u2  u4  u8  f4  f8  c8  c16
f4   f4  f4  f4  f8  f8  f4  f4  f8  f8  f4  f8  c8  c16
f8   f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  c16 c16
"""


def _rows(table):
    for line in table.split("\n")[1:-1]:
        first, *results = line.split()
        for second, result in zip(NAMES, results):
            yield first, second, result


def test_types_of_results():
    from gpuopt.compiled import types

    for table, rule in ((ADD, types.arithmetic), (UNIFY, types.unify)):
        for first, second, result in _rows(table):
            found = rule(types.by_name(first.replace("b", "bool")), types.by_name(second.replace("b", "bool")))
            assert found is types.by_name(result.replace("b", "bool")), (first, second, found)


def test_numbers():
    @njit
    def f(a, b):
        return a // b, a % b, a / b, a * b - b, -a, abs(b), a**2, a < b, min(a, b), max(a, b)

    for a, b in [(-7, 2), (7, -2), (7.5, -2.0), (-0.0, 3.0), (5, 2.5), (1e150, 1e-300), (-7, -7)]:
        with np.errstate(all="ignore"):
            expected = f.py_func(a, b)
        got = f(a, b)
        assert got == expected and list(map(type, got[:7])) == list(map(type, expected[:7]))
        assert math.copysign(1, got[1]) == math.copysign(1, expected[1])


def test_numba_s_results():
    @njit
    def powers():
        return 2**10, 2**-1, 2.0**-1

    assert powers() == (1024, 0, 0.5)

    @njit
    def wraps(x):
        return x + 1, x * 2

    assert wraps(2**63 - 1) == (-(2**63), -2)

    @njit
    def rounded(x):
        return round(x), int(x), math.floor(x), math.ceil(x)

    assert rounded(2.5) == (2, 2, 2, 3) and rounded(-2.7) == (-3, -2, -3, -2)
    assert rounded(float("nan"))[1] == 0

    @njit
    def special():
        return math.sqrt(-1.0), np.sqrt(-1.0), math.log(0.0)

    got = special()
    assert math.isnan(got[0]) and math.isnan(got[1]) and got[2] == -math.inf

    @njit
    def joined(a):
        return 1 if a > 0 else 2.5

    assert joined(1) == 1.0 and isinstance(joined(1), float)

    @njit
    def add(a, b):
        return a + b

    assert add(np.int8(127), np.int8(1)) == 128 and add(np.uint8(255), np.uint8(1)) == 256 and add(True, True) == 2
    assert isinstance(add(np.float32(1), 2), float)


def test_division_by_zero_raises():
    @njit
    def divide(a, b):
        return a / b

    @njit(error_model="numpy")
    def numpy_s(a, b):
        return a / b

    for a in (7, 7.0):
        with pytest.raises(ZeroDivisionError):
            divide(a, a - a)
    assert numpy_s(7.0, 0.0) == math.inf and numpy_s(7, 0) == math.inf

    @njit
    def modulo(a, b):
        return a % b

    with pytest.raises(ZeroDivisionError) as caught:
        modulo(7, 0)
    place = caught.traceback[-1]
    assert place.path == pathlib.Path(__file__) and "a % b" in str(place.statement)


def test_control_flow():
    @njit
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    @njit
    def loops(n):
        total = 0
        for i in range(n, -n, -3):
            if i == 2:
                continue
            for j in range(i):
                if j > 5:
                    break
                total += i * j
            else:
                total -= 1000
        for k, v in enumerate((1, 2.5, 4)):
            total += k * v
        for a, b in zip(range(3), (5, 6, 7)):
            total += a * b
        return total

    for n in (1, 7, 27, 97):
        assert collatz(n) == collatz.py_func(n)
    for n in (0, 1, 5, 20):
        assert loops(n) == loops.py_func(n)

    @njit
    def chained(a, b, c):
        return a < b <= c, (a and b), (a or b), not a, a in (1, 2, 3)

    for args in [(1, 2, 3), (0, 5, 4), (3, 2, 2)]:
        assert chained(*args) == chained.py_func(*args)


def test_functions_call_functions():
    @njit
    def fib(n):
        if n < 2:
            return n
        return fib(n - 1) + fib(n - 2)

    @njit
    def scaled(x, by=3):
        return x * by

    @njit
    def outer(x):
        return scaled(x) + scaled(x, by=0.5) + fib(7)

    assert fib(20) == 6765 and outer(2) == 20.0 and scaled(2) == 6 and scaled(by=4, x=2) == 8


def test_exceptions():
    @njit
    def check(x):
        if x < 0:
            raise ValueError("x is negative")
        assert x < 10, "too large"
        if x > 5:
            y = 2
        return y

    with pytest.raises(ValueError, match="x is negative"):
        check(-1)
    with pytest.raises(AssertionError, match="too large"):
        check(11)
    with pytest.raises(UnboundLocalError, match="'y'"):
        check(1)
    assert check(6) == 2


def test_elements_of_arrays():
    @njit
    def fill(a, b):
        m, n = a.shape
        for i in range(m):
            for j in range(n):
                a[i, j] = b[j] * i
        a[-1, -1] += 100
        a[0][1] = 7
        return a

    for base in (np.zeros((3, 4)), np.zeros((4, 3)).T, np.zeros((6, 8))[::2, ::-2], np.zeros((3, 4), np.float32)):
        expected = fill.py_func(base.copy(), np.arange(4))
        result = fill(base, np.arange(4))
        assert result is base
        np.testing.assert_array_equal(base, expected)

    @njit
    def read(a, i):
        return a[i]

    assert read(np.arange(3), -1) == 2
    for i in (3, -4):
        with pytest.raises(IndexError, match=f"index {i} is out of bounds for axis 0 with size 3"):
            read(np.arange(3), i)
    locked = np.zeros((3, 4))
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fill(locked, np.arange(4))
    assert read(locked[0], 0) == 0


@pytest.mark.parametrize("dtype", "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
                         " complex64 complex128".split())  # fmt: skip
def test_every_dtype(dtype):
    @njit
    def copied(a, b):
        for i in range(a.size):
            b[i] = a[i]
        return b

    a = np.array([0, 1, 3, 100]).astype(dtype)
    np.testing.assert_array_equal(copied(a, np.zeros(4, dtype)), a)

    @njit
    def doubled(a):
        return a + a

    result = doubled(a)
    assert result.dtype == (a + a).dtype
    np.testing.assert_array_equal(result, a + a)


def test_windows_and_new_arrays():
    @njit
    def windows(a):
        b = a[1:]
        c = a[::-1, 1]
        b[0, 0] = 50
        return b, c, a.T, a[:, None, 0], a[..., -1], a[1:100:2]

    a = np.arange(12.0).reshape(3, 4)
    expected = windows.py_func(a.copy())
    got = windows(a)
    for g, e in zip(got, expected):
        np.testing.assert_array_equal(g, e)
        assert g.strides == e.strides and np.shares_memory(g, a)

    @njit
    def made(n):
        a, b = np.zeros((n, 2)), np.ones(n, np.int32)
        c, d = np.full(n, 2.5), np.arange(1, n, 2)
        e = np.array([1, 2, n])
        return a, b, c, d, e, np.linspace(0, 1, n), np.eye(n), np.empty_like(b).shape

    for g, e in zip(made(4), made.py_func(4)):
        np.testing.assert_array_equal(g, e)
        assert np.asarray(g).dtype == np.asarray(e).dtype
    with pytest.raises(ValueError, match="negative dimensions"):
        made(-1)

    @njit
    def temporaries(n):
        total = 0.0
        for k in range(n):
            x = np.ones(1000) * k
            total += x.sum()
        return total

    assert temporaries(2000) == 1000.0 * 1999 * 1000


def test_array_expressions():
    @njit
    def expression(a, b):
        c = np.sqrt(a) * 2 + b - np.minimum(a, 3)
        c += 1
        return c, a > 2, np.where(a > 2, a, -a), (a * b).astype(np.int64), -a, a / 2, a // 2, a % 2

    for a, b in [(np.arange(6.0), np.ones(6)), (np.arange(6.0).reshape(2, 3), np.arange(3.0)), (np.arange(4), 2)]:
        for g, e in zip(expression(a, b), expression.py_func(a, b)):
            np.testing.assert_array_equal(g, e)
            assert g.dtype == e.dtype
    with pytest.raises(ValueError, match="could not be broadcast"):
        expression(np.zeros(3), np.zeros(4))

    @njit
    def shifted(a):
        a[1:] = a[:-1] * 2
        a[0] = -1
        return a

    np.testing.assert_array_equal(shifted(np.arange(5.0)), [-1, 0, 2, 4, 6])


def test_arrays_as_indices():
    @njit
    def selected(a, index):
        b = a[a > 2]
        c = a[index]
        a[a < 1] = 50
        a[index] += 1
        a[index] = c
        a[a == 50] = np.arange(1)
        return a, b, c

    for a in (np.arange(6.0), np.arange(12)[::2]):
        index = np.array([0, -1, 3])
        expected = selected.py_func(a.copy(), index)
        for g, e in zip(selected(a.copy(), index), expected):
            np.testing.assert_array_equal(g, e)
            assert g.dtype == e.dtype
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 6"):
        selected(np.arange(6.0), np.array([7]))

    @njit
    def masked(a, mask):
        return a[mask]

    a = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(masked(a, a % 2 == 0), a[a % 2 == 0])
    with pytest.raises(IndexError, match="size of axis is 2 but size of corresponding boolean axis is 3"):
        masked(a, np.ones((3, 3), bool))


def test_reductions():
    @njit
    def whole(a):
        return a.sum(), a.min(), a.max(), a.mean(), a.argmin(), np.prod(a), a.any(), a.all(), a.std(), a.var()

    @njit
    def axes(a):
        return a.sum(axis=0), a.max(axis=1), np.mean(a, axis=-1), a.argmax(axis=0), a.cumsum()

    for a in (np.arange(1.0, 7), np.arange(1, 7).reshape(2, 3), np.array([[1.5, -2], [3, 0.25]])[:, ::-1]):
        np.testing.assert_allclose(whole(a), whole.py_func(a), rtol=1e-14)
        if a.ndim == 2:
            for g, e in zip(axes(a), axes.py_func(a)):
                np.testing.assert_array_equal(g, e)
    with pytest.raises(ValueError, match="zero-size array"):
        whole(np.zeros(0))

    @njit
    def products(a, b):
        return a @ b, np.dot(a, a.T), a[0] @ a[0]

    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    for g, e in zip(products(a, b), products.py_func(a, b)):
        np.testing.assert_array_equal(g, e)
    with pytest.raises(ValueError, match="not aligned"):
        products(a, a)


def test_arrays_of_gpuopt():
    @njit
    def twice(a):
        return a * 2

    x = gp.arange(5)
    y = twice(x)
    assert isinstance(y, gp.ndarray) and y.tolist() == [0, 2, 4, 6, 8]
    assert isinstance(twice(np.arange(5)), np.ndarray)


def test_parallel_sums_have_one_shape():
    text = (
        "import sys, numpy as np\nfrom gpuopt import njit, prange\n"
        "@njit(parallel=True)\ndef f(a, out):\n    s, m = 0.0, 0.0\n"
        "    for i in prange(len(a)):\n        x = a[i] * 1.1\n        out[i] = x\n        s += x\n"
        "        m = max(m, x)\n    return s, m\n"
        "a = np.random.RandomState(1).rand(100003)\nout = np.zeros_like(a)\ns, m = f(a, out)\n"
        "assert (out == a * 1.1).all() and m == (a * 1.1).max() and abs(s - out.sum()) < 1e-9 * s\nprint(s.hex())\n"
    )
    path = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"gpuopt_parallel_{os.getpid()}.py"
    path.write_text(text)
    try:
        results = {
            subprocess.run(
                [sys.executable, str(path)],
                env={**os.environ, "GPUOPT_NUM_THREADS": n},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for n in "123"
        }
    finally:
        path.unlink()
    assert len(results) == 1

    @njit(parallel=True)
    def failing(a):
        for i in prange(100):
            a[i] = 1

    with pytest.raises(IndexError, match="out of bounds"):
        failing(np.zeros(50))

    @njit(parallel=True)
    def mixed(a):
        s = 0.0
        for i in prange(len(a)):
            s += a[i]
            a[i] = s

    with pytest.raises(gp.TypingError, match="'s'"):
        mixed(np.zeros(3))


def test_signatures(capfd):
    assert gp.int32(gp.int32, gp.int32).args == (gp.int32, gp.int32)
    assert gp.int32(3) == 3 and type(gp.int32(3.7)) is np.int32
    assert str(gp.float64[:, ::1]) == "array(float64, 2d, C)"

    @gp.jit("float64(float64)", nopython=True)
    def square(x):
        return x * x

    assert square(112.0) == 12544.0 and isinstance(square(3), float)
    with pytest.raises(TypeError, match=r"No matching definition for argument type\(s\) complex128"):
        square(1j)

    @gp.jit([gp.int32(gp.int32), gp.float64(gp.float64)])
    def same(x):
        return x

    assert same(3) == 3 and same(2.5) == 2.5 and len(same.signatures) == 2
    with pytest.raises(TypeError, match="is no signature"):
        gp.jit("float64(")(lambda x: x)
    with pytest.raises(TypeError, match="float99"):
        gp.jit("float99(int32)")(lambda x: x)


@pytest.mark.parametrize(
    "body, words",
    [
        ("return x.foo", "Unknown attribute 'foo' of type int64"),
        ("return x + 'a'", "unsupported operand types for +: int64"),
        ("return undefined_name", "name 'undefined_name' is not defined"),
        ("y = z; z = 1; return y", "used before it is bound"),
        ("y = 1\n    if x: y = 'a'\n    return y", "cannot unify"),
        ("return [k for k in x]", "int64 cannot be iterated over"),
        ("with x: pass", "With statements are not supported"),
        ("return sorted(x)", "int64 cannot be iterated over"),
        ("return 1 if x else (1, 2)", "cannot unify int64 and Tuple(int64, int64)"),
        ("return x[0]", "int64 cannot be indexed"),
        ("return len(x)", "len() of int64"),
        ("return len()", "len: missing a required argument"),
        ("return len(x, x)", "len: too many positional arguments"),
        ("return len(x, of=x)", "len: got an unexpected keyword argument 'of'"),
    ],
)
def test_errors_show_the_line(tmp_path, body, words):
    program = tmp_path / "program.py"
    program.write_text(f"def f(x):\n    {body}\n")
    space = {}
    exec(compile(program.read_text(), str(program), "exec"), space)
    with pytest.raises(gp.TypingError) as caught:
        njit(space["f"])(3)
    message = str(caught.value)
    assert words in message and f"{program}:" in message and "^" in message


def test_vectorize():
    @vectorize
    def f(a, b):
        if a > b:
            return a - b
        return a + b

    x = np.arange(6.0).reshape(2, 3)
    expected = np.where(x > 2, x - 2, x + 2)
    np.testing.assert_array_equal(f(x, 2.0), expected)
    np.testing.assert_array_equal(gp.asnumpy(f(gp.asarray(x), 2.0)), expected)
    assert f(3, 4) == 7 and f(x.astype("f4"), np.float32(1)).dtype == np.float32
    out = np.zeros((2, 3))
    assert f(x, 2.0, out=out) is out and (out == expected).all()

    @vectorize(["int32(int32, int32)", "float64(float64, float64)"], identity=0)
    def add(a, b):
        return a + b

    assert add(np.arange(3, dtype="i4"), np.int32(1)).dtype == np.int32 and add(x, 1).dtype == np.float64
    np.testing.assert_array_equal(add.reduce(x), x.sum(axis=0))
    np.testing.assert_array_equal(add.accumulate(x, 1), x.cumsum(axis=1))
    np.testing.assert_array_equal(
        add.outer(np.arange(3.0), np.arange(2.0)), np.add.outer(np.arange(3.0), np.arange(2.0))
    )
    values = np.zeros(3)
    add.at(values, [0, 0, 2], 1.0)
    assert values.tolist() == [2, 0, 1]

    @njit
    def used(a):
        return f(a, 2.0).sum() + f(1, 2)

    assert used(x) == expected.sum() + 3


def test_guvectorize():
    @guvectorize([(gp.int64[:], gp.int64, gp.int64[:])], "(n),()->(n)")
    def add(x, y, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + y

    a = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(add(a, 10), a + 10)
    np.testing.assert_array_equal(add(a, np.array([10, 20])), a + np.array([[10], [20]]))

    @guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)")
    def matmul(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                c[i, j] = total

    a, b = np.random.RandomState(0).rand(5, 3, 4), np.random.RandomState(1).rand(4, 2)
    np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-14)
    with pytest.raises(ValueError):
        matmul(np.zeros((2, 3)), np.zeros((4, 2)))


def test_stencils():
    @stencil
    def mean(a):
        return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])

    a = np.arange(20).reshape(4, 5)
    expected = np.zeros((4, 5))
    expected[1:-1, 1:-1] = 0.25 * (a[1:-1, 2:] + a[2:, 1:-1] + a[1:-1, :-2] + a[:-2, 1:-1])
    np.testing.assert_array_equal(mean(a), expected)
    assert isinstance(mean(gp.asarray(a)), gp.ndarray)

    @stencil(neighborhood=((-2, 0),), cval=1.0)
    def trailing(a):
        total = 0.0
        for i in range(-2, 1):
            total += a[i]
        return total / 3

    np.testing.assert_array_equal(trailing(np.arange(6.0)), [1, 1, 1, 2, 3, 4])


def test_functions_for_c():
    @cfunc("float64(float64, int32)")
    def power(x, n):
        y = 1.0
        for _ in range(n):
            y *= x
        return y

    assert power.ctypes(2.0, 10) == 1024.0 and power(2.0, 3) == 8.0 and power.address

    @cfunc("float64(CPointer(float64), int64)")
    def total(p, n):
        s = 0.0
        for x in gp.carray(p, n):
            s += x
        return s

    import ctypes

    assert total.ctypes((ctypes.c_double * 3)(1, 2, 4.5), 3) == 7.5


def test_print(capfd):
    @njit
    def shown(x):
        print("x is", x, x * 0.5, x > 2, None)

    shown(3)
    assert capfd.readouterr().out == "x is 3 1.5 True None\n"


def test_disabled():
    text = "from gpuopt import njit\n@njit\ndef f(x):\n    return [x] * 2\nprint(f('a'), type(f).__name__)\n"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "GPUOPT_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['a', 'a'] function\n"

# bindings/python/tests/test_operations.py -- every row of ops.def, in each of its forms, against the oracle and NumPy.
import gpuopt as gp
import numpy as np
import pytest
from gpuopt import _core
from operations import ARGUMENTS, OPERATIONS

NUMPY_NAMES = {"pow": "power", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift"}
NUMPY_NAMES |= {"bitwise_right_shift": "right_shift", "round": "round"}
# Rows that NumPy has no function for.
ONLY_HERE = {"digamma", "erf", "erfc", "gamma", "lgamma", "expit"}
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *INTEGERS, "float32", "float64", "complex64", "complex128")
# Operations that compute in float64 where NumPy stays in the dtype: of bool, and of integers.
FLOAT_OF_BOOL = {"ceil", "floor", "trunc", "real", "imag", "clip"}
FLOAT_OF_INTEGERS = {"reciprocal"}


def given(names):
    arrays = [np.array(ARGUMENTS[name][1], ARGUMENTS[name][0]) for name in names]
    return [gp.asarray(array) for array in arrays]


def standard_quotients(x, y, values):
    """The array API standard's quotients of an infinity by a finite number, and the other way round."""
    with np.errstate(all="ignore"):
        return np.where(np.isinf(x) != np.isinf(y), x / y, values)


@pytest.mark.parametrize("name, dtype, exact, names, values", OPERATIONS, ids=[row[0] for row in OPERATIONS])
def test_operation_gives_what_the_oracle_says(name, dtype, exact, names, values):
    inputs = given(names)
    function = getattr(_core, name)
    if name == "floor_divide":  # the oracle's infinities are NumPy's
        values = standard_quotients(*(np.array(ARGUMENTS[argument][1]) for argument in names), values)
    result = function(*inputs)
    assert result.dtype == np.dtype(dtype)
    out = gp.empty(result.shape, result.dtype)
    assert function(*inputs, out=out) is out
    for each in (result, out):
        actual = gp.asnumpy(each).astype("float64")
        if exact:
            np.testing.assert_array_equal(actual, np.array(values, "float64"))
        else:
            np.testing.assert_allclose(actual, values, rtol=1e-13)


def test_every_row_is_tested():
    tested = {row[0] for row in OPERATIONS}
    signatures = {name: getattr(_core, name).__text_signature__ or "" for name in _core.__all__}
    functions = {name for name, signature in signatures.items() if "out=None, dtype=None" in signature}
    assert tested and tested <= functions
    assert {name for name in functions if "axis" not in getattr(_core, name).__text_signature__} == tested


def samples(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True, True, False]), np.array([False, True, False, True])
    if kind in "iu":
        return np.array([0, 1, 7, 100], dtype), np.array([3, 1, 2, 5], dtype)
    x, y = np.array([0.25, 1.5, 0.75, 2.5]), np.array([0.5, 2.0, 0.125, 1.25])
    first, second = (x, y) if kind == "f" else (x + 1j * y, y - 2j * x)
    return first.astype(dtype), second.astype(dtype)


def inputs_of(count, dtype):
    x, y = samples(dtype)
    return {1: (x,), 2: (x, y), 3: (x, y, y)}[count]


def expected_in(name, dtype, inputs):
    """NumPy's result, or None where it has none or computes in another dtype: in that of bool or in small floats."""
    if np.dtype(dtype).kind in "biu" and name in FLOAT_OF_INTEGERS or (dtype == "bool" and name in FLOAT_OF_BOOL):
        return None
    function = getattr(np, NUMPY_NAMES.get(name, name), None)
    if function is None:
        return None
    try:
        with np.errstate(all="ignore"):
            result = function(*inputs)
    except TypeError:
        return None
    floats = np.dtype(dtype).kind in "biu" and result.dtype.kind == "f" and result.dtype != np.float64
    bools = np.dtype(dtype).kind == "b" and result.dtype.kind != "b"
    return None if floats or bools else result


CASES = [(row[0], len(row[3]), dtype) for row in {r[0]: r for r in OPERATIONS}.values() for dtype in DTYPES]


@pytest.mark.parametrize("name, count, dtype", CASES, ids=[f"{n}-{d}" for n, _, d in CASES])
def test_operation_gives_what_numpy_gives(name, count, dtype, same):
    inputs = inputs_of(count, dtype)
    expected = expected_in(name, dtype, inputs)
    arrays = [gp.asarray(value) for value in inputs]
    if expected is None:
        try:
            result = getattr(_core, name)(*arrays)
        except TypeError as error:
            assert error.code == "GPUOPT_ERR_TYPE"
        else:
            assert result.shape == inputs[0].shape
        return
    try:
        result = getattr(_core, name)(*arrays)
    except TypeError:
        if np.dtype(dtype).kind == "c" or (name, dtype) == ("sign", "bool"):
            return  # NumPy orders complex numbers, the standard does not
        raise
    precise = {"float32": 1e-6, "complex64": 1e-6}.get(dtype, 1e-13)
    same(result, expected, precise if expected.dtype.kind in "fc" else 0)


def test_there_are_enough_comparisons():
    compared = [name for name, count, dtype in CASES if expected_in(name, dtype, inputs_of(count, dtype)) is not None]
    assert len(compared) > 500
    assert {name for name, _, _ in CASES} - set(compared) == ONLY_HERE


OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">="]
BITWISE = ["&", "|", "^", "<<", ">>"]


@pytest.mark.parametrize("operator", OPERATORS + BITWISE)
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float64"])
def test_operators_with_arrays_and_numbers(operator, dtype, same):
    if operator in BITWISE and np.dtype(dtype).kind == "f":
        with pytest.raises(TypeError):
            eval(f"gp.ones(2, dtype) {operator} gp.ones(2, dtype)", {"gp": gp, "dtype": dtype})
        return
    x, y = samples(dtype)
    a, b = gp.asarray(x), gp.asarray(y)
    rtol = 1e-6 if np.dtype(dtype).kind == "f" else 0
    for left, right, nleft, nright in ((a, b, x, y), (a, 2, x, 2), (2, b, 2, y)):
        actual = eval(f"left {operator} right", {"left": left, "right": right})
        expected = eval(f"left {operator} right", {"left": nleft, "right": nright})
        same(actual, expected, rtol)


COUNTS = [-(2**63), -300, -129, -128, -64, -1, 0, 1, 7, 8, 9, 63, 64, 127, 128, 255, 256, 300, 2**31, 2**63, 2**64 - 1]
FORMS = ["x << n", "x >> n", "n << x", "n >> x", "x <<= n", "x >>= n"]


def shifted(form, x, n):
    """What a statement or an expression gives; OverflowError if it raises that."""
    names = {"x": x, "n": n}
    try:
        exec(form if "=" in form else f"x = {form}", names)
    except OverflowError as error:
        return type(error)
    return names["x"]


@pytest.mark.parametrize("size", [5, 5000])  # those of few elements run at once
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_shifts_by_any_number(dtype, size, same):
    info = np.iinfo(dtype)
    values = np.resize(np.array([info.min, info.max, 1, info.min // 2, 13], dtype), size)
    overflows = 0
    for count in COUNTS:
        for form in FORMS:
            wanted, got = shifted(form, values.copy(), count), shifted(form, gp.asarray(values), count)
            if wanted is OverflowError:
                assert got is OverflowError, (form, count)
                overflows += 1
            else:
                same(got, wanted)
    assert overflows == len(FORMS) * sum(not info.min <= n <= info.max for n in COUNTS)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**"])
def test_operators_in_place(operator, same):
    x, y = samples("float64")
    a, n = gp.asarray(x), x.copy()
    before = a
    names = {"a": a, "n": n, "b": gp.asarray(y), "y": y}
    exec(f"a {operator}= b; n {operator}= y; a {operator}= 2; n {operator}= 2", names)
    assert names["a"] is before
    same(before, n, 1e-13)


def test_unary_operators(same):
    x = np.array([-1.5, 2.0])
    a = gp.asarray(x)
    same(-a, -x)
    same(+a, +x)
    same(abs(a), abs(x))
    same(~gp.asarray([1, 2]), ~np.array([1, 2]))
    quotient, rest = divmod(gp.asarray([7, -7]), 2)
    same(quotient, np.array([3, -4]))
    same(rest, np.array([1, 1]))


def test_weak_numbers_take_the_dtype_of_the_array():
    x = gp.ones(2, "float32")
    assert (x + 1).dtype == (x * 2.5).dtype == np.float32
    assert (x + np.float64(1)).dtype == np.float64
    assert (x + 1j).dtype == np.complex64
    assert (gp.ones(2, "int8") + 1).dtype == np.int8
    assert (gp.ones(2, "int8") + 1.5).dtype == np.float64


def test_arrays_of_bool_have_no_minus():
    x = gp.asarray([True, False])
    for wrong in (lambda: x - x, lambda: -x, lambda: +x, lambda: True - x):
        with pytest.raises(TypeError):
            wrong()


def test_functions_of_numbers_alone_make_arrays():
    assert gp.add(1, 2).dtype == np.int64
    assert float(gp.sqrt(2.0)) == 2.0**0.5


def test_arguments_of_functions():
    x = gp.arange(3.0)
    assert gp.add(x1=x, x2=1)[2] == 3
    assert gp.add(x, x, dtype="float32").dtype == np.float32
    for wrong in (
        lambda: gp.add(x),
        lambda: gp.add(x, x, bad=1),
        lambda: gp.add(x, x, x1=x),
        lambda: gp.sin(x, x, x, x),
    ):
        with pytest.raises(TypeError):
            wrong()
    assert gp.add(x, x, where=x > 1).tolist() == [0.0, 0.0, 4.0]


def test_every_function_has_a_text_and_a_signature():
    import inspect

    for name in _core.__all__:
        function = getattr(_core, name)
        assert len(function.__doc__) > 40, name
        assert "x" in str(inspect.signature(function)), name

# bindings/python/tests/test_options.py -- out=, where=, casting= and dtype= of operations, where=, initial= and out= of
# reductions, against NumPy; and where the namespace follows the array API standard instead.
import gpuopt as gp
import numpy as np
import pytest

X = np.array([[1.5, -2.0, 0.5], [4.0, 0.25, -1.0]])
MASK = np.array([[True, False, True], [False, True, True]])


def both(function, *arrays, **options):
    """What NumPy and gpuopt give, the latter in NumPy's arrays."""

    def turned(value):
        return gp.asarray(value) if isinstance(value, np.ndarray) else value

    expected = getattr(np, function)(*arrays, **options)
    options = {name: turned(value) for name, value in options.items()}
    return gp.asnumpy(getattr(gp, function)(*map(turned, arrays), **options)), expected


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("name", ["add", "multiply", "subtract"])
def test_where_of_operations(name, dtype):
    x = X.astype(dtype)
    for mask in (MASK, MASK[0], np.array([[True], [False]])):
        actual, expected = both(name, x, x[1], out=x.copy(), where=mask)
        np.testing.assert_array_equal(actual, expected)
    alone = gp.asnumpy(getattr(gp, name)(gp.asarray(x), 2, where=gp.asarray(MASK)))
    np.testing.assert_array_equal(alone, np.where(MASK, getattr(np, name)(x, 2), 0))


def test_masks_may_be_python_s():
    x = gp.asarray(X)
    assert gp.add(x, 1, where=True).tolist() == (X + 1).tolist()
    assert gp.add(x, 1, where=False).tolist() == np.zeros_like(X).tolist()
    assert gp.add(x, 1, where=[True, False, True])[0].tolist() == [2.5, 0.0, 1.5]
    assert gp.add(x, 1, where=np.array([False, False, True]))[1].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(TypeError, match="'safe'"):
        gp.add(x, 1, where=[1, 0, 1])


def test_outputs_are_broadcast_to():
    out = gp.zeros((2, 2, 3))
    assert gp.add(gp.asarray(X), 1, out=out) is out
    np.testing.assert_array_equal(gp.asnumpy(out), np.add(X, 1, out=np.zeros((2, 2, 3))))
    for wrong in (gp.zeros(3), gp.zeros((2, 1))):
        with pytest.raises(ValueError, match="non-broadcastable output operand"):
            gp.add(gp.asarray(X), 1, out=wrong)


def test_casting_and_dtype():
    x = gp.asarray(X)
    for casting in ("no", "equiv", "safe", "same_kind"):
        with pytest.raises(TypeError, match="with casting rule"):
            gp.add(x, 1, out=gp.zeros((2, 3), dtype="int64"), casting=casting)
    actual, expected = both("add", X, 1, out=np.zeros((2, 3), "int64"), casting="unsafe")
    np.testing.assert_array_equal(actual, expected)
    assert gp.add(x, 1, out=gp.zeros((2, 3), dtype="float32")).dtype == "float32"
    with pytest.raises(TypeError):
        gp.add(x, 1, out=gp.zeros((2, 3), dtype="float32"), casting="safe")
    with pytest.raises(TypeError, match="input 0"):
        gp.add(x, 1, dtype="int32")
    assert gp.add(x, 1, dtype="int32", casting="unsafe").dtype == "int32"
    assert gp.add(x, 1, dtype="float32").dtype == "float32"
    with pytest.raises(ValueError, match="casting must be one of"):
        gp.add(x, 1, casting="some")


def test_numpy_s_ufuncs_pass_options_on():
    x, out = gp.asarray(X), gp.zeros((2, 3))
    assert np.add(x, 1, out=out, where=gp.asarray(MASK)) is out
    np.testing.assert_array_equal(gp.asnumpy(out), np.where(MASK, X + 1, 0))
    assert np.add.reduce(x, initial=10).tolist() == np.add.reduce(X, initial=10).tolist()


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std"])
def test_outputs_of_reductions(name):
    for dtype in ("float32", "float64", "complex64"):
        out = gp.zeros(3, dtype=dtype)
        assert getattr(gp, name)(gp.asarray(X), axis=0, out=out) is out
        np.testing.assert_allclose(gp.asnumpy(out), getattr(np, name)(X, axis=0).astype(dtype), rtol=1e-6)
    with pytest.raises(ValueError, match="output array"):
        getattr(gp, name)(gp.asarray(X), axis=0, out=gp.zeros(2))
    with pytest.raises(TypeError):
        getattr(gp, name)(gp.asarray(X), axis=0, out=np.zeros(3))


def test_masks_and_starts_of_reductions():
    for name, options in (
        ("sum", {"axis": (0, 1), "where": MASK, "initial": 2.5}),
        ("prod", {"axis": 1, "where": MASK[0], "initial": np.float32(2), "keepdims": True}),
        ("max", {"axis": 0, "where": MASK, "initial": -5.0}),
        ("nanmin", {"axis": 1, "where": MASK, "initial": 0.25}),
        ("nansum", {"where": MASK}),
        ("std", {"axis": 1, "where": MASK, "ddof": 1}),
    ):
        actual, expected = both(name, X, **options)
        np.testing.assert_allclose(actual, expected, rtol=1e-14)
    actual, expected = both("sum", np.array([1, 2]), initial=2.5)
    assert actual == expected and actual.dtype == expected.dtype
    with pytest.raises(ValueError, match="does not have an identity"):
        gp.max(gp.asarray(X), where=gp.asarray(MASK))
    with pytest.raises(OverflowError):
        gp.max(gp.asarray([1], dtype="int8"), initial=300)


def test_infinities_are_divided_as_the_standard_says():
    inf = np.inf
    x, y = [inf, inf, -inf, -inf, 3.0, -3.0, 7.0, -7.0], [2.0, -2.0, 2.0, -2.0, -inf, inf, 2.0, 2.0]
    wanted = [inf, -inf, -inf, inf, -0.0, -0.0, 3.0, -4.0]
    for dtype in ("float32", "float64"):
        a, b = gp.asarray(x, dtype=dtype), gp.asarray(y, dtype=dtype)
        in_place = gp.asarray(a, copy=True)
        in_place //= b
        for result in (a // b, gp.floor_divide(a, b), np.floor_divide(a, b), divmod(a, b)[0], in_place):
            np.testing.assert_array_equal(gp.asnumpy(result), wanted)
            np.testing.assert_array_equal(np.signbit(gp.asnumpy(result)), np.signbit(wanted))
    assert (inf // gp.asarray([2.0])).tolist() == [inf] and (gp.asarray([-7, 7]) // 2).tolist() == [-4, 3]


def test_complex_limits_are_the_standard_s():
    z = gp.tanh(gp.asarray([complex(np.inf, 2), complex(np.inf, -2), complex(-np.inf, 4)]))
    assert gp.real(z).tolist() == [1.0, 1.0, -1.0]
    assert np.signbit(gp.asnumpy(gp.imag(z))).tolist() == [False, True, False]
    w = gp.expm1(gp.asarray([complex(-0.0, 0.0), complex(0.0, -0.0)]))
    assert np.signbit(gp.asnumpy(gp.real(w))).tolist() == [False, False]
    assert np.signbit(gp.asnumpy(gp.imag(w))).tolist() == [False, True]


def test_ends_that_are_integers_are_exact():
    big = 2**62 + 1
    assert gp.linspace(-big, big, 2, dtype="int64").tolist() == [-big, big]
    values, step = gp.linspace(0, 2 + 4j, 3, retstep=True)
    assert values.tolist() == [0, 1 + 2j, 2 + 4j] and step == 1 + 2j
    assert gp.linspace(0, 10**30, 2).tolist() == [0.0, 1e30]


def test_streams_and_devices_answer_queries():
    device = gp.Device("cpu")
    stream = gp.cuda.Stream()
    assert stream.done and stream.ptr == 0 and stream.record().done and gp.cuda.Event().done
    free, total = device.mem_info
    assert 0 < free <= total == device.info["memory_bytes"]
    assert device.attributes.keys() == {
        "memory_total",
        "memory_free",
        "processors",
        "host_access",
        "compiled_kept",
        "interpreter_kept",
    }
    assert device.attribute("processors") == device.info["processors"]
    with pytest.raises(NotImplementedError):
        device.attribute("warp_size")
    with pytest.raises(ValueError):
        device.attribute(5)

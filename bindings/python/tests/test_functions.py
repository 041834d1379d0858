# bindings/python/tests/test_functions.py -- functions that are composed of others, against NumPy's of the same name.
import gpuopt as gp
import numpy as np
import pytest

A = np.arange(24.0).reshape(2, 3, 4) - 7
B = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -6.0]])
V = np.array([3.0, 1.0, 2.0, 1.0])
I = np.array([[2, 0, 1], [1, 1, 0]])  # noqa: E741
M = B > 0
CALLS = {
    "reshape": [(A, (4, 6)), (A, -1), (A.T, (3, 8)), (A, (8, -1), "F"), (A.T, 24, "F")],
    "ravel": [(A,), (A.T,), (A, "F")],
    "permute_dims": [(A, (2, 0, 1))],
    "transpose": [(A,), (A, (1, 0, 2))],
    "swapaxes": [(A, 0, 2)],
    "moveaxis": [(A, 0, -1), (A, (0, 1), (-1, 0))],
    "rollaxis": [(A, 2), (A, 0, 2)],
    "expand_dims": [(B, 0), (B, (0, 3)), (B, -1)],
    "squeeze": [(B[None, :, None],), (B[None], 0)],
    "flip": [(A,), (A, 1), (A, (0, 2))],
    "fliplr": [(B,)],
    "flipud": [(B,)],
    "rot90": [(B,), (B, 2), (B, 3), (B, 0)],
    "broadcast_to": [(V, (2, 4))],
    "atleast_1d": [(V,), (np.array(1.0),)],
    "atleast_2d": [(V,), (B,)],
    "atleast_3d": [(V,), (B,), (A,)],
    "concatenate": [([B, B],), ([B, B], 1), ([B, V], None), ([I, B],)],
    "stack": [([B, B],), ([B, B], 1), ([B, B], -1)],
    "vstack": [([V, V],), ([B, B],)],
    "hstack": [([V, V],), ([B, B],)],
    "dstack": [([B, B],)],
    "column_stack": [([V, V],)],
    "append": [(V, V), (B, B, 0)],
    "array_split": [(V, 3), (A, [1, 2], 1)],
    "split": [(V, 2), (A, 3, 1)],
    "tile": [(V, 2), (B, (2, 1)), (B, (3, 1, 2)), (B, 2)],
    "repeat": [(B, 2), (B, 2, 1), (B, [1, 2], 0)],
    "roll": [(V, 1), (B, 2), (B, 1, 0), (B, (1, -1), (0, 1)), (V, -5), (V, 0)],
    "pad": [(B, 1), (B, ((1, 0), (0, 2))), (V, 2, "edge"), (V, 2, "reflect"), (V, 2, "wrap")],
    "delete": [(V, 1), (B, [0, 2], 1)],
    "diag": [(V,), (V, 1), (V, -2), (B,), (B, 1), (B, -1)],
    "diagonal": [(B,), (A,), (A, 1, 1, 2), (B, -1)],
    "ix_": [(np.array([0, 1]), np.array([2, 0])), (np.array([True, False]), np.array([1]))],
    "indices": [((2, 3),), ((2, 3), int, True), ((2,), float, True)],
    "linspace": [(V, B[:, :1], 5), (V, 2.0, 4, False, False, None, -1), (I, 7, 3, True, False, int)],
    "logspace": [(V, 4.0, 3), (0, 2, 4, True, V), (0, B[1] / 9, 1)],
    "geomspace": [(V, 9, 4), (-V, -9, 3, True, None, 1)],
    "triu": [(B,), (B, 1)],
    "tril": [(B,), (A, -1)],
    "tri": [(3,), (3, 4, 1)],
    "clip": [(B, -1, 2), (B, None, 1.0), (B, 0, None), (I, 0, 1)],
    "around": [(B * 1.2345, 2), (B * 100, -2), (I, 1)],
    "angle": [(B + 1j,), (B,)],
    "isclose": [(B, B + 1e-9), (B, B + 1)],
    "allclose": [(B, B + 1e-9), (B, B + 1)],
    "array_equal": [(B, B), (B, V), (B, B + 1)],
    "array_equiv": [(V, np.stack([V, V])), (B, V)],
    "nan_to_num": [(np.array([np.nan, np.inf, 1.0]),)],
    "isneginf": [(np.array([-np.inf, np.inf, 1]),)],
    "isposinf": [(np.array([-np.inf, np.inf, 1]),)],
    "iscomplexobj": [(B,), (B * 1j,)],
    "isreal": [(B + 0j,)],
    "iscomplex": [(B * 1j,)],
    "modf": [(B * 1.25,)],
    "divmod": [(I, 2)],
    "where": [(M, B, 0.0), (M, B, I), (M,)],
    "select": [([M, B < -2], [B, B * 10], 5.0)],
    "argwhere": [(M,)],
    "nonzero": [(M,), (B,)],
    "flatnonzero": [(M,)],
    "extract": [(M, B)],
    "compress": [(np.array([True, False, True]), B, 1)],
    "take": [(V, I), (B, np.array([1, 0]), 1), (B, np.array([5, 0]))],
    "take_along_axis": [(B, I, 1), (B, I[:, :1] * 0, 0)],
    "unravel_index": [(I, (2, 3)), (I, (2, 3), "F"), (I, 3)],
    "ptp": [(B,), (B, 0)],
    "average": [(B,), (B, 0), (B, 1, np.array([1.0, 2.0, 3.0])), (B, None, B * B)],
    "diff": [(V,), (B,), (B, 1, 0), (V, 2)],
    "trapezoid": [(V,), (B, None, 0.5), (V, np.array([0.0, 1.0, 3.0, 4.0]))],
    "polyval": [(V, B)],
    "tril_indices": [(3,), (3, 1)],
    "triu_indices": [(3,), (3, -1)],
    "apply_along_axis": [],
    "meshgrid": [(V, V)],
    "sort": [(V,), (B,), (B, 0)],
    "argsort": [(V,), (B,)],
    "unique": [(V,)],
    "searchsorted": [(np.sort(V), B)],
    "isin": [(I, np.array([1]))],
    "median": [(B,)],
    "percentile": [(B, 30)],
    "histogram": [(V, 3)],
    "histogram_bin_edges": [(V, 3), (V, "sqrt"), (V, 2, (0, 5)), (V, [0, 1, 4])],
    "bincount": [(I.ravel(),)],
    "convolve": [(V, V)],
    "interp": [(B, np.array([0.0, 1.0, 2.0]), np.array([1.0, 5.0, 2.0]))],
    "setdiff1d": [(V, np.array([1.0])), (V, np.array([1.0]), True)],
    "matmul": [(B, B.T), (V, V), (A, A.transpose(0, 2, 1)), (I, I.T)],
    "matvec": [(A, V), (A * 1j, A[:, 0] * 1j)],
    "vecmat": [(B[0], A), (A[:, :, 0] * 1j, A + 2j)],
    "dot": [(B, B.T), (V, V), (A, V), (B, 2.0)],
    "inner": [(V, V), (B, B)],
    "outer": [(V, V)],
    "vdot": [(V, V), (B * 1j, B)],
    "einsum": [("ij,kj->ik", B, B), ("ijk->k", A), ("ii", np.eye(3)), ("i,j", V, V), ("...i,...i", A, A),
               (B, [0, 1], B, [2, 1], [0, 2]), (A, [..., 3], V, [3]), (A, [5, 3, 4])],
    "tensordot": [(A, A.transpose(1, 2, 0)), (A, A, ([0, 1], [0, 1]))],
    "kron": [(B, V), (B, B)],
    "cross": [(B, B + 1)],
    "trace": [(B,), (A,)],
}


def to_gpuopt(value):
    if isinstance(value, np.ndarray):
        return gp.asarray(value)
    return type(value)(map(to_gpuopt, value)) if isinstance(value, (list, tuple)) else value


def compare(actual, expected, same):
    if isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected):
            compare(a, e, same)
    elif isinstance(expected, (bool, np.bool_)) and isinstance(actual, bool):
        assert actual == expected
    else:
        same(actual, expected, 1e-13)


@pytest.mark.parametrize("name", CALLS)
def test_function(name, same):
    for arguments in CALLS[name]:
        compare(getattr(gp, name)(*to_gpuopt(arguments)), getattr(np, name)(*arguments), same)


def test_fix(same):
    same(gp.fix(gp.asarray(B * 1.5)), np.trunc(B * 1.5))  # numpy.fix is deprecated


def test_apply_along_axis(same):
    same(gp.apply_along_axis(lambda r: r.sum(), 1, gp.asarray(B)), np.apply_along_axis(lambda r: r.sum(), 1, B))
    same(gp.apply_along_axis(lambda r: r[::-1], 0, gp.asarray(B)), np.apply_along_axis(lambda r: r[::-1], 0, B))


def test_functions_that_write(same):
    for name, arguments in (("put", ([0, 3], 9.0)), ("putmask", (M, V)), ("place", (M, V)), ("fill_diagonal", (5.0,))):
        x, n = gp.asarray(B), B.copy()
        getattr(gp, name)(x, *to_gpuopt(arguments))
        getattr(np, name)(n, *arguments)
        same(x, n)
    x = gp.zeros((2, 3))
    gp.copyto(x, gp.asarray(B), where=gp.asarray(M))
    same(x, np.where(M, B, 0))


def test_of_the_standard(same):
    x = gp.asarray(A)
    assert [p.shape for p in gp.unstack(x, axis=1)] == [(2, 4)] * 3
    same(gp.linalg.diagonal(x), np.linalg.diagonal(A))
    same(gp.linalg.vector_norm(x, axis=1, ord=1), np.linalg.vector_norm(A, axis=1, ord=1), 1e-13)
    same(gp.linalg.matrix_norm(x), np.linalg.matrix_norm(A), 1e-13)
    same(gp.linalg.norm(x, axis=2, keepdims=True), np.linalg.norm(A, axis=2, keepdims=True), 1e-13)
    same(gp.linalg.matrix_power(gp.asarray(B[:, :2]), 3), np.linalg.matrix_power(B[:, :2], 3), 1e-13)
    same(gp.vecdot(x, x), np.vecdot(A, A), 1e-13)
    assert gp.isdtype(gp.float32, "real floating") and not gp.isdtype(gp.int8, ("bool", "unsigned integer"))
    assert gp.result_type(gp.ones(1, "float32"), 1.0, gp.int8) == np.float32
    assert gp.can_cast("int8", "int16") and not gp.can_cast("float64", "int8", "same_kind")
    assert gp.finfo("float32").eps == 2.0**-23 and gp.iinfo("int8").max == 127
    info = gp.__array_namespace_info__()
    assert info.default_device() == gp.Device("cpu") and info.dtypes(kind="bool") == {"bool": np.dtype(bool)}
    assert x.__array_namespace__() is gp


def test_options(same):
    x = gp.asarray(B)
    values = ((1, 2), (3, 4))
    same(gp.pad(x, 2, constant_values=values), np.pad(B, 2, constant_values=values))
    same(gp.pad(x, {1: (1, 2)}), np.pad(B, ((0, 0), (1, 2))))
    same(gp.fft.irfft2(gp.fft.rfft2(x), s=(2, 3)), B, 1e-13)
    same(gp.fft.rfft2(x, axes=(1, 0)), np.fft.rfft2(B, axes=(1, 0)), 1e-13)
    for name, weights in (("quantile", V[:3]), ("nanquantile", B * B), ("percentile", B * B)):
        given = {"axis": 1, "method": "inverted_cdf", "keepdims": True}
        expected = getattr(np, name)(B, 0.4, weights=weights, **given)
        same(getattr(gp, name)(x, 0.4, weights=gp.asarray(weights), **given), expected)
    same(gp.fft.fftfreq(5, 0.1), np.fft.fftfreq(5, 0.1), 1e-13)
    same(gp.einsum("ij,jk,kl", x, x.T, x, optimize=True), np.einsum("ij,jk,kl", B, B.T, B), 1e-13)
    same(gp.frombuffer(b"12345678", ">i2", offset=2), np.frombuffer(b"12345678", ">i2", offset=2).astype("int16"))
    same(gp.linalg.norm(gp.zeros((2, 0)), np.inf, axis=1), np.zeros(2))  # NumPy's before 2.3 raised
    same(gp.nan_to_num(gp.asarray([complex(np.nan, 1)])), np.nan_to_num(np.array([complex(np.nan, 1)])))
    same(gp.concat([x, x], dtype="int32", casting="unsafe"), np.concatenate([B, B], dtype="int32", casting="unsafe"))
    lines = ["1,2 # c", "3,4 % d"]
    same(gp.loadtxt(lines, comments=["#", "%"], delimiter=","), np.array([[1.0, 2], [3, 4]]))
    doubled = gp.loadtxt(["1,2", "3,4"], delimiter=",", converters=lambda text: float(text) * 2)
    same(doubled, np.array([[2.0, 4], [6, 8]]))
    rng, theirs = gp.random.default_rng(5), np.random.default_rng(5)
    same(rng.choice(x, 4, axis=1), theirs.choice(B, 4, axis=1))
    same(rng.permutation(x, axis=1), theirs.permutation(B, axis=1))
    with pytest.raises(TypeError, match="same_kind"):
        gp.concat([x, x], dtype="int32")
    with pytest.raises(ValueError, match="index 6 is out of bounds for array with size 6"):
        gp.unravel_index(gp.asarray([1, 6]), (2, 3))


def test_errors_name_shapes():
    with pytest.raises(ValueError, match=r"shapes \(3,3\) and \(2,2\) not aligned: 3 \(dim 1\) != 2 \(dim 0\)"):
        gp.dot(gp.zeros((3, 3)), gp.ones((2, 2)))
    for wrong in (
        lambda: gp.concat([gp.ones(2), gp.ones((2, 2))]),
        lambda: gp.concat([]),
        lambda: gp.stack([gp.ones(2), gp.ones(3)]),
        lambda: gp.reshape(gp.ones(4), (3, -1)),
        lambda: gp.squeeze(gp.ones((2, 1)), 0),
        lambda: gp.permute_dims(gp.ones((2, 1)), (0, 0)),
        lambda: gp.moveaxis(gp.ones((2, 1)), 2, 0),
        lambda: gp.broadcast_to(gp.ones(3), (2, 2)),
        lambda: gp.split(gp.ones(3), 2),
        lambda: gp.linalg.solve(gp.zeros((2, 2)), gp.ones(2)),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(np.linalg.LinAlgError):
        gp.linalg.inv(gp.zeros((2, 2)))


def test_views_of_other_dtypes():
    n = np.arange(12, dtype=np.int32).reshape(3, 4)
    x = gp.asarray(n)
    for dtype in (np.float32, np.uint8, np.int64, "int16", np.complex64):
        actual, expected = x.view(dtype), n.view(dtype)
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        assert gp.asnumpy(actual).tobytes() == expected.tobytes()
    x.view(np.uint32)[0, 0] = 7
    assert int(x[0, 0]) == 7 and x.view() is not x and x.view().dtype == np.int32
    with pytest.raises(ValueError):
        x[:, ::2].view(np.int64)
    with pytest.raises(ValueError):
        x[:, :3].view(np.int64)
    with pytest.raises(TypeError):
        x.view(type=np.ndarray)


def test_methods_of_selection():
    n = np.random.default_rng(1).permutation(20)
    x = gp.asarray(n)
    assert sorted(n[gp.asnumpy(x.argpartition(5))][:5]) == [0, 1, 2, 3, 4]
    x.partition(5)
    assert int(x[5]) == 5 and sorted(x.tolist()[:5]) == [0, 1, 2, 3, 4]
    assert gp.asarray([0, 1, 0]).choose([gp.asarray([1, 2, 3]), gp.asarray([4, 5, 6])]).tolist() == [1, 5, 3]


def test_shared_memory():
    n = np.arange(24.0).reshape(4, 6)
    x, y = gp.asarray(n), gp.zeros((4, 6))
    parts = [np.s_[...], np.s_[1], np.s_[::2], np.s_[1::2], np.s_[:, ::2], np.s_[:, 1::2], np.s_[::-1, 3:], np.s_[:0]]
    for a in parts:
        assert not gp.may_share_memory(x[a], y) and not np.shares_memory(y, x[a])
        for b in parts:
            assert gp.shares_memory(x[a], x[b]) == np.shares_memory(n[a], n[b])
            assert gp.may_share_memory(x[a], x[b]) == np.may_share_memory(n[a], n[b])
    assert gp.may_share_memory(x, np.asarray(x)) and not gp.may_share_memory(n, x)


def test_order_in_memory():
    x = gp.asarray(np.arange(6.0).reshape(2, 3))
    f = gp.asfortranarray(x)
    assert gp.isfortran(f) and not gp.isfortran(x) and f.tolist() == x.tolist() and f.strides == (8, 16)
    assert gp.asfortranarray(f) is f and gp.asfortranarray([1, 2], "float32").dtype == np.float32
    assert gp.asarray_chkfinite([1.0, 2.0]).tolist() == [1, 2] and gp.asarray_chkfinite([1, 2]).dtype == np.int64
    for wrong in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match="must not contain infs or NaNs"):
            gp.asarray_chkfinite([1.0, wrong])


def test_names_that_numpy_has_for_dtypes():
    names = "half byte ubyte short ushort uint longlong ulonglong csingle cdouble intc single double".split()
    for name in names:
        assert gp.zeros(1, getattr(gp, name)).dtype == np.dtype(getattr(np, name))
    assert gp.issubdtype(gp.zeros(1).dtype, gp.floating) and gp.issubdtype(gp.int8, gp.signedinteger)
    assert list(gp.ndindex(2, 1)) == [(0, 0), (1, 0)] and gp.s_[1:, None] == np.s_[1:, None]
    with gp.errstate(all="ignore"):
        assert gp.bitwise_not(gp.asarray([1])).tolist() == [-2]
    assert gp.min_scalar_type(300) == np.uint16 and gp.min_scalar_type(gp.ones(2)) == np.float64
    assert gp.min_scalar_type(gp.asarray(-3)) == np.int8


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (["a", "b"], "texts"),
        (np.array([b"a"]), "texts"),
        (np.array(["2020-01-01"], "M8[D]"), "dates"),
        (np.array([1, None]), "objects"),
        (np.zeros(1, [("a", "i4")]), "records"),
    ],
)
def test_dtypes_that_there_are_not(value, what):
    """The error says what is wrong with the dtype, and who has such arrays."""
    with pytest.raises(TypeError, match=f"Unsupported dtype .*: arrays of {what} are NumPy's alone"):
        gp.asarray(value)


def test_functions_of_numpy_s_on_the_host(tmp_path):
    bits = gp.asarray([1, 0, 1, 1, 0, 0, 0, 1, 1], dtype="uint8")
    assert np.packbits(bits).tolist() == gp.packbits(bits).tolist() == [177, 128]
    assert gp.unpackbits(gp.packbits(bits)).tolist()[:9] == bits.tolist()
    x = gp.asarray([1.0, 2.5])
    assert np.array_repr(x) == "array([1. , 2.5])" and np.array_str(x) == "[1.  2.5]"
    assert np.array2string(x, separator=";") == "[1. ;2.5]"
    gp.asnumpy(x).tofile(tmp_path / "x")
    assert isinstance(gp.fromfile(tmp_path / "x"), gp.ndarray) and gp.fromfile(tmp_path / "x").tolist() == [1.0, 2.5]
    assert gp.genfromtxt(["1,2", "3,"], delimiter=",", filling_values=7).tolist() == [[1, 2], [3, 7]]


def test_ufunc_methods_of_numpy_s():
    x = gp.asarray([[1.0, 2.0], [3.0, 4.0]])
    for ufunc in (np.add, np.multiply):
        found = ufunc.accumulate(x)
        assert isinstance(found, gp.ndarray) and found.tolist() == ufunc.accumulate(gp.asnumpy(x)).tolist()
        assert ufunc.accumulate(x, axis=1).tolist() == ufunc.accumulate(gp.asnumpy(x), axis=1).tolist()
    assert np.add.at(x, (0, [0, 0, 1]), 1.0) is None and x.tolist() == [[3.0, 3.0], [3.0, 4.0]]
    np.maximum.at(x, [1, 1], 3.5)
    assert x.tolist() == [[3.0, 3.0], [3.5, 4.0]]
    with pytest.raises(TypeError):
        np.add.at(np.zeros(3), [0], gp.ones(1))


def test_errors_of_indices_have_codes():
    for wrong in (lambda x: x[7], lambda x: x[0, 1], lambda x: x.sum(axis=3), lambda x: x[..., ...]):
        with pytest.raises(IndexError) as caught:
            wrong(gp.ones(3))
        assert caught.value.code.startswith("GPUOPT_ERR_") and caught.value.reason == "NONE"


def test_the_runtime_of_cuda():
    runtime = gp.cuda.runtime
    assert runtime.getDeviceCount() >= 1 and runtime.getDevice() == gp.Device().id
    free, total = runtime.memGetInfo()
    assert 0 < free <= total and runtime.getDeviceProperties(0)["name"]
    runtime.deviceSynchronize()


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"])
@pytest.mark.parametrize("indices", [[0], [0, 2, 1, 4], [3, 3, 0], [4, 0], []])
@pytest.mark.parametrize("dtype", ["float64", "int16", "bool"])
def test_reduceat(name, indices, dtype, same):
    n = (np.arange(10).reshape(2, 5) * 7 % 5).astype(dtype)
    ufunc, places = getattr(np, name), np.array(indices, dtype=np.intp)
    same(ufunc.reduceat(gp.asarray(n), places, axis=-1), ufunc.reduceat(n, places, axis=-1))
    same(ufunc.reduceat(gp.asarray(n[0]), places), ufunc.reduceat(n[0], places))


def test_reduceat_says_what_is_wrong(same):
    x, out = gp.arange(5), gp.zeros(2)
    for wrong in (5, -1):
        with pytest.raises(IndexError, match=rf"index {wrong} out-of-bounds in add.reduceat \[0, 5\)"):
            np.add.reduceat(x, [0, wrong])
    assert np.add.reduceat(x, [0, 3], dtype="float32").dtype == np.float32
    assert np.add.reduceat(x, [0, 3], out=out) is out
    same(out, np.array([3.0, 7.0]))

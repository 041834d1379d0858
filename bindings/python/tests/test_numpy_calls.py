# bindings/python/tests/test_numpy_calls.py -- NumPy's functions, ufuncs and their methods called on arrays of gpuopt,
# and what is written through views: each beside the same call on NumPy's arrays.
import io

import gpuopt as gp
import numpy as np
import pytest

F = np.array([[1.5, -2.0, 0.25], [0.5, 3.0, -1.0]])
V = np.array([3.0, -1.0, 2.0, 5.0, 0.5])
I = np.array([[7, -8, 0], [127, 64, -1]])  # noqa: E741
K = np.array([200, 7, 0, 255, 128], "uint8")
B = np.array([True, False, True, True])
C = np.array([[1 + 2j, -3j, 4 + 0j], [5 - 1j, 0j, np.inf + 1j]])
ODD = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0])


def compare(function, *arrays):
    """What a function gives for arrays of gpuopt, and what it leaves in them, is what it does with NumPy's."""
    theirs, ours = [a.copy() for a in arrays], [gp.asarray(a) for a in arrays]
    expected, actual = function(*theirs), function(*ours)
    equal(actual, expected)
    for mine, given in zip(ours, theirs):
        np.testing.assert_array_equal(gp.asnumpy(mine), given)


def equal(actual, expected):
    if isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected)
        for mine, theirs in zip(actual, expected):
            equal(mine, theirs)
    elif isinstance(expected, (np.ndarray, np.generic)):
        values = gp.asnumpy(actual)
        assert (values.dtype, values.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(values, expected, rtol=1e-13)
    else:
        assert actual == expected


CALLS = {
    "subtract.reduce": (lambda x: np.subtract.reduce(x, axis=1), F),
    "logaddexp.reduce": (np.logaddexp.reduce, V),
    "hypot.reduce": (lambda x: np.hypot.reduce(x, axis=None), F),
    "divide.reduce": (np.divide.reduce, V),
    "bitwise_or.reduce": (lambda x: np.bitwise_or.reduce(x, axis=1, keepdims=True), I),
    "bitwise_and.reduce": (lambda x: np.bitwise_and.reduce(x, axis=(0, 1)), I),
    "bitwise_xor.reduce, nothing": (lambda x: np.bitwise_xor.reduce(x[:, :0], axis=1), I),
    "bitwise_xor.reduce, initial": (lambda x: np.bitwise_xor.reduce(x, initial=5), I),
    "bitwise_or.reduce, where": (lambda x: np.bitwise_or.reduce(x, where=x > 0, axis=1), I),
    "logical_xor.reduce": (np.logical_xor.reduce, B),
    "fmax.reduce": (np.fmax.reduce, ODD),
    "gcd.reduce": (lambda x: np.gcd.reduce(x, axis=1), I),
    "gcd.reduce of one": (lambda x: np.gcd.reduce(x[:, 1:2], axis=1), I),
    "hypot.reduce of one": (lambda x: np.hypot.reduce(x[:, 1:2], axis=1), F),
    "bitwise_and.reduce of nothing": (lambda x: np.bitwise_and.reduce(x[:0]), K),
    "maximum.accumulate": (np.maximum.accumulate, V),
    "minimum.accumulate": (lambda x: np.minimum.accumulate(x, axis=1), F),
    "logical_or.accumulate": (np.logical_or.accumulate, B),
    "logical_and.accumulate": (lambda x: np.logical_and.accumulate(x, axis=1), I),
    "subtract.accumulate": (np.subtract.accumulate, V),
    "hypot.accumulate of integers": (np.hypot.accumulate, I),
    "rint of integers": (np.rint, I),
    "fabs of integers": (np.fabs, I),
    "bitwise_count": (np.bitwise_count, I),
    "bitwise_count, uint8": (np.bitwise_count, K),
    "bitwise_count, int8": (np.bitwise_count, np.array([-128, 127, -1], "int8")),
    "bitwise_count, bool": (np.bitwise_count, B),
    "clip beyond int8": (lambda x: np.clip(x, -200, 200), np.array([-128, 3, 127], "int8")),
    "clip beyond uint8": (lambda x: np.clip(x, -1, 250), K),
    "ravel as it lies": (lambda x: np.ravel(x.T, order="K"), F),
    "ravel backwards": (lambda x: np.ravel(x[::-1, ::2], order="C"), F),
    "ravel as Fortran's": (lambda x: np.ravel(x.T, order="A"), F),
    "flatten as Fortran's": (lambda x: x.T.flatten("A"), F),
    "take nothing": (lambda x: np.take(x, [], axis=1), F),
    "apply_along_axis of nothing": (lambda x: np.apply_along_axis(np.sum, 0, x[:0]), F),
    "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x, (0, -1)), F),
    "einsum_path": (lambda x: np.einsum_path("ij,kj,kl", x, x, x)[0], F),
    "moveaxis by name": (lambda x: np.moveaxis(x, source=0, destination=-1), F),
    "tile by name": (lambda x: np.tile(x, reps=(2, 1)), F),
    "outer by name": (lambda x, y: np.outer(x, b=y), V, V),
    "tensordot by name": (lambda x, y: np.tensordot(x, b=y, axes=2), F, F),
    "isin by name": (lambda x: np.isin(element=x, test_elements=[0, 64]), I),
    "solve by name": (lambda x: np.linalg.solve(a=x @ x.T, b=x), F),
    "cross along columns": (lambda x, y: np.cross(x, y, axis=0), F.T, F.T + 1),
    "cross of axes": (lambda x, y: np.cross(x, y, axisa=0, axisc=0), F.T, F + 1),
    "sliding windows": (lambda x: np.lib.stride_tricks.sliding_window_view(x, 3), V),
    "sliding windows of planes": (lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2)), F),
    "sliding windows of an axis": (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=-1), F),
    "vstack to float32": (lambda x: np.vstack([x, x], dtype="float32", casting="same_kind"), F),
    "stack to int64": (lambda x: np.stack([x, x], dtype="int64", casting="unsafe"), F),
    **{
        f"pad, {mode}": (lambda x, mode=mode, options=options: np.pad(x, 2, mode=mode, **options), V)
        for mode, options in (
            ("linear_ramp", {"end_values": 3}),
            ("mean", {}),
            ("median", {"stat_length": 2}),
            ("maximum", {}),
            ("minimum", {"stat_length": (1, 2)}),
            ("reflect", {"reflect_type": "odd"}),
        )
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    compare(*CALLS[name])


WRITES = {
    "nan_to_num in place": (lambda x: np.nan_to_num(x, copy=False), ODD),
    "modf to arrays": (lambda x, y, z: np.modf(x, out=(y, z)), F, F, F),
    "divmod to its inputs": (lambda x, y: np.divmod(x, y, out=(y, x)), F, F + 7),
    "frexp to one": (lambda x, y: np.frexp(x, out=(y, None)), F, F),
    "take to an array": (lambda x, y: np.take(x, [2, 0, 1], out=y[:3]), V, V + 1),
    "take to itself": (lambda x: np.take(x, [2, 0, 1], out=x[:3]), V),
    "outputs of functions": (lambda x, y: np.cumulative_sum(np.isposinf(x, out=y), out=x), ODD, ODD.astype(bool)),
    "ptp to an array": (lambda x, y: np.ptp(x, axis=0, out=y[0]), F, F),
    "compress to an array": (lambda x, y: np.compress([True, False, True], x, axis=1, out=y[:, :2]), F, F),
    "put at the ends": (lambda x: np.put(x, [0, 25], 9, mode="clip"), F),
    "put around": (lambda x: np.put(x, [-1, 25], [9, 8], mode="wrap"), F),
    "put again from the first": (lambda x: np.put(x, [[0, 1], [2, 3]], [9, 8, 7]), F),
    "put nothing": (lambda x: np.put(x, [], []), F),
    "diagonal of a matrix": (lambda x: np.fill_diagonal(x, [7, 8, 9]), F),
    "diagonal of a high matrix": (lambda x: np.fill_diagonal(x, 7), np.zeros((7, 2))),
    "diagonal of a high matrix, again": (lambda x: np.fill_diagonal(x, [7, 8, 9], wrap=True), np.zeros((9, 2))),
    "diagonal of a cube": (lambda x: np.fill_diagonal(x, [7, 8]), np.zeros((3, 3, 3))),
    "diagonal of nothing": (lambda x: np.fill_diagonal(x, 7), np.zeros((0, 3))),
    "copyto at random": (lambda x: np.copyto(x, 2, where=x > 0), F),
    "real components": (lambda x: x.real.__setitem__((0, 1), 9), C),
    "imaginary components of a mask": (lambda x: x.imag.__setitem__(x.real > 1, 0), C),
    "real components of columns": (lambda x: x.T[::-1].real.__setitem__(slice(1), -2), C),
    "real components, infinite": (lambda x: setattr(x, "real", np.inf), C),
    "imaginary components, infinite": (lambda x: setattr(x, "imag", [np.inf, 1, -np.inf]), C),
    "imaginary components, complex64": (lambda x: setattr(x, "imag", 4), C.astype("complex64")),
    "no dimensions": (lambda x: setattr(x[0, 0:1].reshape(()), "imag", 4), C),
    "flat": (lambda x: setattr(x, "flat", [1, 2, 3, 4]), F),
    "flat, one number": (lambda x: setattr(x, "flat", 5), F),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes(name):
    compare(*WRITES[name])


def test_components_of_what_is_recorded():
    z = gp.asarray(C) * 2
    part = z.real
    z[0, 0] = 7 - 1j
    assert part[0].tolist() == [7, 0, 8]
    assert (gp.asarray(C) * 1j).imag.sum(axis=1).tolist() == [5.0, np.inf]
    with pytest.raises(TypeError):
        gp.asarray(F).imag = 3


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.astype("int64", casting="same_kind"),
        lambda x: x.astype("float32", casting="safe"),
        lambda x: np.copyto(x.astype("int64"), x),
        lambda x: np.copyto(x.astype("int64"), 1.5),
        lambda x: np.copyto(x, 1j),
        lambda x: np.add(x.astype("int64"), 1.5, dtype="int64"),
        lambda x: np.add(x.astype(bool), 1, dtype=bool),
        lambda x: np.add(x, 1j, dtype="float64"),
        lambda x: np.fabs(x + 0j),
        lambda x: np.bitwise_count(x),
        lambda x: np.frexp(x + 0j),
    ],
)
def test_casts_that_are_not_allowed(call):
    for x in (F, gp.asarray(F)):
        with pytest.raises(TypeError):
            call(x)


def test_numbers_are_cast_to_a_dtype():
    given = F.astype("int32")
    for dtype, number in (("int64", 1.5), ("float64", 1 + 2j), ("bool", 3), ("int8", 1.75), ("float32", 1e-3)):
        found = gp.add(gp.asarray(given), number, dtype=dtype, casting="unsafe")
        equal(found, given.astype(dtype) + np.array(number).real.astype(dtype))


def test_reductions_without_an_identity():
    x = gp.asarray(F)
    assert np.hypot.reduce(x[:, :0], axis=1).tolist() == [0.0, 0.0]
    for call in (lambda: np.fmax.reduce(x[:0]), lambda: np.fmax.reduce(x, where=x > 0)):
        with pytest.raises(ValueError, match="identity"):
            call()


def test_astype_may_give_the_array_itself():
    x = gp.asarray(F)
    assert x.astype("float64", copy=False) is x and gp.astype(x, float, copy=False) is x
    assert x.astype("float64") is not x and x.astype("float32", copy=False) is not x


def test_fix_to_an_array():
    out = gp.zeros(3)
    assert gp.fix([-1.5, 1.5, 2.0], out=out) is out and out.tolist() == [-1.0, 1.0, 2.0]


def test_copies_as_fortran_s():
    x = gp.asarray(F)
    assert x.copy("F").strides == (8, 16) and x.copy().strides == (24, 8) and x.copy("F").tolist() == F.tolist()


def test_open_files():
    x = gp.asarray(F)
    for save in (np.save, gp.save):
        file = io.BytesIO()
        save(file, x)
        for load in (np.load, gp.load):
            file.seek(0)
            assert load(file).tolist() == F.tolist()
    for save in (np.savez, gp.savez, gp.savez_compressed):
        file = io.BytesIO()
        save(file, x, name=x + 1)
        for load in (np.load, gp.load):
            file.seek(0)
            found = load(file)
            assert found["arr_0"].tolist() == F.tolist() and found["name"].tolist() == (F + 1).tolist()
    file.seek(0)
    assert isinstance(gp.load(file)["name"], gp.ndarray)

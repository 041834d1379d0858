# bindings/python/tests/test_selection.py -- choosing, editing, grids and windows against NumPy's of the same name.
import gpuopt as gp
import numpy as np
import pytest

X = np.arange(12.0).reshape(3, 4)
I = np.array([0, 2, 1])  # noqa: E741
CALLS = {
    "choose": [(I, [I, I * 10, I * 3])],
    "piecewise": [(X, [X < 3, X > 8], [1, 2, 5]), (X, [X < 3], [np.negative, 4])],
    "trim_zeros": [(np.array([0, 0, 1, 2, 0]),), (np.array([0, 0, 1, 2, 0]), "f")],
    "diag_indices": [(3,), (2, 3)],
    "tril_indices_from": [(X,), (X, 1)],
    "triu_indices_from": [(X,), (X, -1)],
    "ravel_multi_index": [((I, I), (3, 4)), ((I + 3, I), (3, 4), ("wrap", "raise"), "F")],
    "resize": [(X, (2, 9)), (X, 5)],
    "diagflat": [(I, 1)],
    "hsplit": [(X, 2)],
    "vsplit": [(X, [1])],
    "block": [([[X, X], [X, X]],), ([I, I],)],
    "ediff1d": [(I,), (X, np.array([1.0, 2.0]), -9)],
    "geomspace": [(1, 1000, 4), (1, 16, 3, False)],
    "vander": [(I,), (I, 2, True)],
    "bartlett": [(7,)],
    "kaiser": [(8, 14.0)],
    "i0": [(X,)],
}


def to_gpuopt(value):
    if isinstance(value, np.ndarray):
        return gp.asarray(value)
    if callable(value):
        return lambda x: -x
    return type(value)(map(to_gpuopt, value)) if isinstance(value, (tuple, list)) else value


@pytest.mark.parametrize("name", CALLS)
def test_function(name, same):
    for arguments in CALLS[name]:
        actual, expected = getattr(gp, name)(*to_gpuopt(arguments)), getattr(np, name)(*arguments)
        several = isinstance(expected, (tuple, list))
        for a, e in zip(actual if several else (actual,), expected if several else (expected,)):
            same(a, e, 1e-12)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
@pytest.mark.parametrize("shape", [(3, 4), (0, 2, 3, 0), (3, 0), (0, 3)])
def test_take(shape, mode, same):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    for axis in range(-1, x.ndim):
        for at in (np.array([0, 0, -1]), np.array([[7], [-9]]), np.array([], int), np.array(1)):
            if mode == "wrap" and not x.shape[axis]:
                continue  # NumPy 2.4's does not end.
            try:
                expected = np.take(x, at, axis=axis, mode=mode)
            except IndexError:
                with pytest.raises(IndexError):
                    gp.take(gp.asarray(x), gp.asarray(at), axis=axis, mode=mode)
            else:
                same(gp.take(gp.asarray(x), gp.asarray(at), axis=axis, mode=mode), expected)


def test_take_wraps_around_nothing(same):
    same(gp.take(gp.empty((0, 2, 3, 0)), gp.asarray([5, -5]), axis=0, mode="wrap"), np.empty((2, 2, 3, 0)))
    with pytest.raises(IndexError):
        gp.take(gp.empty((0, 3)), gp.asarray([5]), axis=0, mode="wrap")


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "minimum", "maximum"])
def test_accumulation(name, same):
    x, n, at = gp.asarray(X), X.copy(), np.array([0, 0, 1])
    getattr(gp, name + "_at")(x, (gp.asarray(at), 2), 5.5)
    getattr(np, name).at(n, (at, 2), 5.5)
    same(x, n)


def test_grids(same):
    same(gp.mgrid[0:3, 0:1:5j], np.mgrid[0:3, 0:1:5j])
    same(gp.ogrid[0:3, 0:2][1], np.ogrid[0:3, 0:2][1])
    same(gp.fromfunction(lambda a, b: a + 10 * b, (2, 3)), np.fromfunction(lambda a, b: a + 10 * b, (2, 3)))

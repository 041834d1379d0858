# bindings/python/tests/test_reductions.py -- reductions and scans against NumPy, with axes, initial, where and more.
import gpuopt as gp
import numpy as np
import pytest

VALUES = np.array([[[1.5, -2.0, 0.0], [4.0, 0.25, -1.0]], [[3.0, 3.0, 7.5], [0.5, -6.0, 2.0]]])
WITH_NAN = VALUES.copy()
WITH_NAN[0, 1, 1] = np.nan
NAMES = [
    "sum",
    "prod",
    "min",
    "max",
    "any",
    "all",
    "mean",
    "var",
    "std",
    "nansum",
    "nanprod",
    "nanmin",
    "nanmax",
    "nanmean",
]
NAMES += ["nanvar", "nanstd", "count_nonzero"]
AXES = [None, 0, -1, (0, 2), (0, 1, 2)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(name, axis, keepdims, same):
    for values in (VALUES, WITH_NAN, VALUES.astype("int32"), VALUES.astype("float32")):
        expected = getattr(np, name)(values, axis=axis, keepdims=keepdims)
        actual = getattr(gp, name)(gp.asarray(values), axis=axis, keepdims=keepdims)
        same(
            actual,
            expected,
            1e-5 if values.dtype == "float32" else 1e-12 if np.asarray(expected).dtype.kind == "f" else 0,
        )


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax"])
def test_methods(name, same):
    x = gp.asarray(VALUES)
    same(getattr(x, name)(), getattr(VALUES, name)(), 1e-12 if name in ("mean", "var", "std") else 0)
    same(getattr(x, name)(axis=1), getattr(VALUES, name)(axis=1), 1e-12 if name in ("mean", "var", "std") else 0)
    same(getattr(x, name)(1), getattr(VALUES, name)(1), 1e-12 if name in ("mean", "var", "std") else 0)


@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_positions(name, same):
    for axis in (None, 0, 1, 2, -1):
        same(getattr(gp, name)(gp.asarray(WITH_NAN), axis=axis), getattr(np, name)(WITH_NAN, axis=axis))


def test_parameters_by_position(same):
    x = gp.asarray(VALUES)
    same(gp.sum(x, 0, "float32"), np.sum(VALUES, 0, "float32"))
    same(gp.max(x, 0, None, True), np.max(VALUES, 0, None, True))
    same(gp.std(x, 0, None, None, 1), np.std(VALUES, 0, None, None, 1), 1e-12)
    same(gp.var(x, axis=0, correction=1), np.var(VALUES, axis=0, ddof=1), 1e-12)
    out = gp.empty(())
    assert gp.sum(x, out=out) is out and out == VALUES.sum()


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std"])
def test_where(name, same):
    mask = VALUES > 0
    options = {"initial": 2.0} if name in ("max", "min") else {}
    expected = getattr(np, name)(VALUES, axis=2, where=mask, **options)
    same(getattr(gp, name)(gp.asarray(VALUES), axis=2, where=gp.asarray(mask), **options), expected, 1e-12)


def test_initial(same):
    same(gp.sum(gp.asarray(VALUES), axis=0, initial=10), np.sum(VALUES, axis=0, initial=10))
    same(gp.prod(gp.asarray(VALUES), axis=0, initial=2), np.prod(VALUES, axis=0, initial=2))
    same(gp.max(gp.zeros((0, 2)), axis=0, initial=5), np.max(np.zeros((0, 2)), axis=0, initial=5))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_scans(axis, same):
    x = gp.asarray(VALUES)
    same(gp.cumsum(x, axis), np.cumsum(VALUES, axis))
    same(gp.cumprod(x, axis), np.cumprod(VALUES, axis))
    if axis is not None:
        same(
            gp.cumulative_sum(x, axis=axis, include_initial=True),
            np.cumulative_sum(VALUES, axis=axis, include_initial=True),
        )
        same(gp.cumulative_prod(x, axis=axis), np.cumulative_prod(VALUES, axis=axis))


def test_errors():
    x = gp.ones((2, 3))
    for wrong in (lambda: x.sum(axis=2), lambda: x.max(-3)):
        with pytest.raises(IndexError) as caught:
            wrong()
        assert isinstance(caught.value, getattr(np, "exceptions", np).AxisError)
    with pytest.raises(ValueError):
        gp.max(gp.zeros(0))
    with pytest.raises(ValueError):
        gp.cumulative_sum(x)
    with pytest.raises(TypeError):
        gp.sum()
    with pytest.raises(TypeError):
        x.sum(0, None, None, False, 0, True, 7)

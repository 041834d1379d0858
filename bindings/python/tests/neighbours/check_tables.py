# bindings/python/tests/neighbours/check_tables.py -- xarray, einops, pandas.
import einops
import einops.array_api
import gpuopt as gp
import numpy as np
import pandas as pd
import xarray as xr

X = np.arange(24.0).reshape(2, 3, 4)


def test_xarray():
    data = xr.DataArray(gp.asarray(X), dims=("a", "b", "c"))
    assert isinstance(data.data, gp.ndarray)
    for result, expected in (
        (data.mean("b"), X.mean(1)),
        ((data + 1).sum(("a", "c")), (X + 1).sum((0, 2))),
        (data.isel(a=0, c=slice(1, 3)), X[0, :, 1:3]),
        (data.transpose("c", "a", "b"), X.transpose(2, 0, 1)),
        (xr.concat([data, data], "a"), np.concatenate([X, X])),
        (data.where(data > 5, 0), np.where(X > 5, X, 0)),
    ):
        assert isinstance(result.data, gp.ndarray)
        np.testing.assert_allclose(gp.asnumpy(result.data), expected)


def test_einops():
    x = gp.asarray(X)
    by_standard = einops.array_api  # einops' functions for arrays of the array API standard
    for result, expected in (
        (by_standard.rearrange(x, "a b c -> c (a b)"), einops.rearrange(X, "a b c -> c (a b)")),
        (by_standard.reduce(x, "a b c -> a c", "mean"), X.mean(1)),
        (by_standard.repeat(x, "a b c -> a b c r", r=2), einops.repeat(X, "a b c -> a b c 2")),
    ):
        np.testing.assert_array_equal(gp.asnumpy(gp.asarray(result)), expected)


def test_pandas():
    x = gp.asarray(X[0])
    assert pd.DataFrame(gp.asnumpy(x)).equals(pd.DataFrame(X[0]))
    assert pd.Series(x[0]).equals(pd.Series(X[0, 0]))
    np.testing.assert_array_equal(gp.asnumpy(gp.asarray(pd.Series([1.0, 2.0]))), [1.0, 2.0])

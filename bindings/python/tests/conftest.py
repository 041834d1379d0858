# bindings/python/tests/conftest.py -- what the tests share.
import gpuopt as gp
import numpy as np
import pytest


@pytest.fixture
def same():
    """Compares an array with NumPy's: dtype, shape and every element, NaN with NaN."""

    def check(actual, expected, rtol=0.0):
        assert isinstance(actual, gp.ndarray)
        expected = np.asarray(expected)
        values = gp.asnumpy(actual)
        assert values.dtype == expected.dtype
        assert values.shape == expected.shape
        if rtol:
            np.testing.assert_allclose(values, expected, rtol=rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(values, expected)

    return check

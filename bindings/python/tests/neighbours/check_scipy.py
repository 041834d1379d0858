# bindings/python/tests/neighbours/check_scipy.py -- functions of SciPy's with SCIPY_ARRAY_API=1 (run.sh sets it).
import gpuopt as gp
import numpy as np
import pytest
from scipy import cluster, fft, special, stats

X = np.random.default_rng(1).normal(size=(20, 6))
CASES = {
    "zscore": lambda x: stats.zscore(x),
    "skew": lambda x: stats.skew(x),
    "kurtosis": lambda x: stats.kurtosis(x),
    "moment": lambda x: stats.moment(x, order=3),
    "gmean": lambda x: stats.gmean(x * x),
    "sem": lambda x: stats.sem(x),
    "logsumexp": lambda x: special.logsumexp(x, axis=1),
    "softmax": lambda x: special.softmax(x, axis=1),
    "erf": lambda x: special.erf(x),
    "expit": lambda x: special.expit(x),
    "fft": lambda x: fft.fft(x),
    "rfft": lambda x: fft.rfft(x),
    "fftshift": lambda x: fft.fftshift(x),
    "whiten": lambda x: cluster.vq.whiten(x),
}


@pytest.mark.parametrize("name", CASES)
def test_as_with_numpy(name):
    result = CASES[name](gp.asarray(X))
    assert isinstance(result, gp.ndarray)
    np.testing.assert_allclose(gp.asnumpy(result), CASES[name](X), rtol=1e-9, atol=1e-12)


def test_pearsonr():
    result = stats.pearsonr(gp.asarray(X[:, 0]), gp.asarray(X[:, 1]))
    assert float(result.statistic) == pytest.approx(stats.pearsonr(X[:, 0], X[:, 1]).statistic)

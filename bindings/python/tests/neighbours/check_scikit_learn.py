# bindings/python/tests/neighbours/check_scikit_learn.py -- estimators of scikit-learn's with array API dispatch.
import gpuopt as gp
import numpy as np
import pytest
import sklearn
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, mean_squared_error, r2_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 5))
Y = X @ [1.0, -2.0, 0.5, 0.0, 3.0] + 0.1 * RNG.normal(size=100)
LABELS = (Y > 0).astype(np.int64)


@pytest.fixture(autouse=True)
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler])
def test_scalers(scaler):
    result = scaler().fit_transform(gp.asarray(X))
    assert isinstance(result, gp.ndarray)
    np.testing.assert_allclose(gp.asnumpy(result), scaler().fit_transform(X), rtol=1e-9, atol=1e-12)


def test_pca():
    result = PCA(n_components=2, svd_solver="full").fit_transform(gp.asarray(X))
    expected = PCA(n_components=2, svd_solver="full").fit_transform(X)
    assert isinstance(result, gp.ndarray)
    np.testing.assert_allclose(abs(gp.asnumpy(result)), abs(expected), rtol=1e-7, atol=1e-9)


def test_ridge():
    model = Ridge(alpha=1.0, solver="svd").fit(gp.asarray(X), gp.asarray(Y))
    expected = Ridge(alpha=1.0, solver="svd").fit(X, Y)
    assert isinstance(model.coef_, gp.ndarray)
    np.testing.assert_allclose(gp.asnumpy(model.coef_), expected.coef_, rtol=1e-8)


def test_discriminant_analysis():
    model = LinearDiscriminantAnalysis(solver="svd").fit(gp.asarray(X), gp.asarray(LABELS))
    expected = LinearDiscriminantAnalysis(solver="svd").fit(X, LABELS)
    np.testing.assert_array_equal(gp.asnumpy(model.predict(gp.asarray(X))), expected.predict(X))


def test_metrics():
    noisy = Y + 0.5
    for metric in (mean_squared_error, r2_score):
        assert float(metric(gp.asarray(Y), gp.asarray(noisy))) == pytest.approx(metric(Y, noisy))
    assert accuracy_score(gp.asarray(LABELS), gp.asarray(1 - LABELS)) == 0.0

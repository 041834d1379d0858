# bindings/python/tests/test_numbers.py -- numbers, polynomials, histograms, lines and normal vectors against NumPy's of
# the same name, and convolutions by their definition.
import gpuopt as gp
import numpy as np
import pytest

X = np.array([[3.0, -1.5, 0.0], [6.5, 1e-310, -np.inf]])
P, Q = np.array([2.0, -3.0, 0.5, 1.0]), np.array([1, 4, -2])
T = np.linspace(-1, 2, 9)
POINTS = np.array([[0.0, 0.5], [1.0, 2.0], [1.0, 2.0], [0.25, 1.5]])
I = np.array([12, -18, 0, 7])  # noqa: E741
CALLS = {
    "frexp": [(X,), (I,)],
    "modf": [(X,), (I,)],
    "ldexp": [(X, np.array([3, -2, 1])), (X, 4)],
    "divmod": [(X, 2.0), (I, 5), (7, Q), (np.array([0.5]), np.array([-0.2]))],
    "spacing": [(X,)],
    "float_power": [(Q, 2), (P, Q[:1]), (2, P)],
    "gcd": [(I, 8)],
    "lcm": [(I, 8)],
    "logaddexp2": [(P, 1.0)],
    "polyval": [(P, T), (Q, I), (P, 2.0)],
    "polyadd": [(P, Q), ([1, 2], [3])],
    "polysub": [(P, Q)],
    "polymul": [(P, Q), (np.array([0.0, 0.0, 1.0]), P)],
    "polydiv": [(P, Q), (Q, P)],
    "polyder": [(P,), (P, 2), (Q, 5)],
    "polyint": [(P,), (P, 2), (P, 2, 3.0), (P, 2, [1, 2])],
    "polyfit": [(T, T**2 + 1, 2), (T, np.stack([T, T**3], 1), 3)],
    "roots": [([1.0, -3.0, 2.0, 0.0],), ([0, 0, 2, 4],), (np.zeros(3),)],
    "poly": [(P,), (Q,), ([],), ([1j, -1j],), ([[1.0, 2.0], [3.0, 4.0]],)],
    "histogramdd": [(POINTS,), (POINTS, (2, 3), [(0, 1), (0, 4)]), (POINTS, 2, None, True, T[:4])],
    "histogram2d": [(POINTS[:, 0], POINTS[:, 1], 3), (POINTS[:, 0], POINTS[:, 1], ([0, 0.5, 1], [0, 2]))],
}


def to_gpuopt(value):
    return gp.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("name", CALLS)
def test_function(name, same):
    for arguments in CALLS[name]:
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(*arguments)
        actual = getattr(gp, name)(*map(to_gpuopt, arguments))
        several = isinstance(expected, tuple)
        for a, e in zip(actual if several else (actual,), expected if several else (expected,)):
            for each, wanted in zip(a, e) if isinstance(e, (list, tuple)) else ((a, e),):
                same(each, wanted, 1e-12)


def test_fits_say_more(same):
    y = np.sin(T)
    expected = np.polyfit(T, y, 3, full=True, w=T + 2)
    actual = gp.polyfit(gp.asarray(T), y, 3, full=True, w=T + 2)
    for a, e in zip((*actual[:2], actual[3]), (*expected[:2], expected[3])):
        same(a, e, 1e-10)
    assert (int(actual[2]), actual[4]) == (expected[2], expected[4])
    for cov in (True, "unscaled"):
        for a, e in zip(gp.polyfit(gp.asarray(T), y, 3, cov=cov), np.polyfit(T, y, 3, cov=cov)):
            same(a, e, 1e-10)
    with pytest.warns(RuntimeWarning, match="poorly conditioned"):
        gp.polyfit(gp.asarray([1.0, 1.0, 1.0]), [1.0, 2.0, 3.0], 2)


def by_definition(x, y):
    full = np.zeros(np.add(x.shape, y.shape) - 1, np.result_type(x, y))
    for at in np.ndindex(*x.shape):
        full[tuple(slice(i, i + n) for i, n in zip(at, y.shape))] += x[at] * y
    return full


@pytest.mark.parametrize("method", ["auto", "direct", "fft"])
def test_convolutions(method, same):
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(8.0).reshape(2, 2, 2) - 3
    full = by_definition(x, y)
    same(gp.signal.convolve(gp.asarray(x), y, "full", method), full, 1e-12)
    same(gp.signal.convolve(gp.asarray(x), y, "same", method), full[:2, :3, :4], 1e-12)
    same(gp.signal.convolve(gp.asarray(x), y, "valid", method), full[1:2, 1:3, 1:4], 1e-12)
    same(gp.signal.correlate(gp.asarray(x), y, "full", method), by_definition(x, y[::-1, ::-1, ::-1]), 1e-12)
    integers = x.astype("int16")
    same(gp.signal.convolve(gp.asarray(integers), integers, "full", method), by_definition(integers, integers))


def test_what_convolutions_refuse():
    x = gp.asarray(np.ones((2, 2)))
    assert gp.signal.choose_conv_method(x, x) == "direct"
    assert gp.signal.fftconvolve(x, x).shape == (3, 3)
    for arguments in ((x, x, "some"), (x, x, "full", "some"), (x, x[0]), (x, x[:0])):
        with pytest.raises(ValueError):
            gp.signal.convolve(*arguments)


def test_special_functions(same):
    same(gp.digamma(gp.asarray([1.0, 0.5])), [-0.57721566490153286, -1.9635100260214235], 1e-15)
    same(gp.xlogy(gp.asarray([0.0, 2.0]), [0.0, 1.0]), [0.0, 0.0])
    same(gp.entr(gp.asarray([-1.0, 0.0, 1.0])), [-np.inf, 0.0, 0.0])


def test_lines(same):
    x = np.arange(24.0).reshape(2, 3, 4)
    same(gp.apply_along_axis(lambda line: line[::-1], 1, gp.asarray(x)), x[:, ::-1])


@pytest.mark.parametrize("method", ["cholesky", "svd", "eigh"])
def test_normal_vectors(method, same):
    mean, cov = [1.0, -2.0], np.diag([4.0, 1.0])
    actual = gp.random.default_rng(3).multivariate_normal(mean, cov, (2, 2), method=method)
    expected = np.random.default_rng(3).multivariate_normal(mean, cov, (2, 2), method=method)
    same(gp.abs(actual - gp.asarray(mean)), np.abs(expected - mean), 1e-13)  # the vectors have any sign
    actual = gp.random.RandomState(3).multivariate_normal(mean, cov, 3)
    expected = np.random.RandomState(3).multivariate_normal(mean, cov, 3)
    same(gp.abs(actual - gp.asarray(mean)), np.abs(expected - mean), 1e-13)


def test_what_normal_vectors_refuse():
    negative = [[1.0, 0.0], [0.0, -1.0]]
    state = gp.random.RandomState(3)
    with pytest.warns(RuntimeWarning, match="positive-semidefinite"):
        assert state.multivariate_normal([0, 0], negative).shape == (2,)
    with pytest.raises(ValueError, match="positive-semidefinite"):
        state.multivariate_normal([0, 0], negative, check_valid="raise")
    with pytest.raises(ValueError, match="same length"):
        state.multivariate_normal([0, 0, 0], negative)
    with pytest.raises(ValueError, match="method"):
        gp.random.default_rng(1).multivariate_normal([0, 0], negative, method="lu")

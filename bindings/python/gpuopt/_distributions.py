# bindings/python/gpuopt/_distributions.py -- the distributions that RandomState and Generator have, and seeds.
"""What gpuopt.random is made of."""

import operator

from . import _convert, _core
from ._creation import as_shape

# The numbers of abi/gpuopt/distributions.h that are not in the methods below.
STANDARD_EXPONENTIAL, STANDARD_GAMMA, STANDARD_NORMAL, TOMAXINT, BY_INVERSION = 23, 24, 25, 33, 34


def sizes(size):
    """The number of axes and the sizes of what is drawn; -1 axes: those of the parameters."""
    if size is None:
        return -1, ()
    shape = as_shape(size)
    return len(shape), shape


def operands(parameters):
    """Numbers as they are, and all else as arrays."""
    return [x if isinstance(x, (bool, int, float, _core.ndarray)) else _convert.asarray(x) for x in parameters]


class Distributions:
    """The distributions. Parameters are numbers or arrays, which are broadcast to `size`, or to each other if it is
    None. Numbers are float64 unless a method says int64. A class draws by _draw(distribution, parameters, size)."""

    def beta(self, a, b, size=None):
        """Of the beta distribution."""
        return self._draw(1, (a, b), size)

    def binomial(self, n, p, size=None):
        """How many of n trials succeed, each with the probability p; int64."""
        return self._draw(2, (n, p), size)

    def chisquare(self, df, size=None):
        """Of the chi-square distribution."""
        return self._draw(3, (df,), size)

    def exponential(self, scale=1.0, size=None):
        """Of the exponential distribution of this mean."""
        return self._draw(4, (scale,), size)

    def f(self, dfnum, dfden, size=None):
        """Of the F distribution."""
        return self._draw(5, (dfnum, dfden), size)

    def gamma(self, shape, scale=1.0, size=None):
        """Of the gamma distribution."""
        return self._draw(6, (shape, scale), size)

    def geometric(self, p, size=None):
        """The number of the first trial that succeeds; int64."""
        return self._draw(7, (p,), size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Of the Gumbel distribution."""
        return self._draw(8, (loc, scale), size)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """How many of nsample items are good ones; int64."""
        return self._draw(9, (ngood, nbad, nsample), size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Of the Laplace distribution."""
        return self._draw(10, (loc, scale), size)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Of the logistic distribution."""
        return self._draw(11, (loc, scale), size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Numbers whose logarithms are normal, of this mean and deviation."""
        return self._draw(12, (mean, sigma), size)

    def logseries(self, p, size=None):
        """Of the logarithmic series distribution; int64."""
        return self._draw(13, (p,), size)

    def negative_binomial(self, n, p, size=None):
        """Failures before n successes; int64."""
        return self._draw(14, (n, p), size)

    def noncentral_chisquare(self, df, nonc, size=None):
        """Of the noncentral chi-square distribution."""
        return self._draw(15, (df, nonc), size)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """Of the noncentral F distribution."""
        return self._draw(16, (dfnum, dfden, nonc), size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Of the normal distribution."""
        return self._draw(17, (loc, scale), size)

    def pareto(self, a, size=None):
        """Of the Pareto distribution of the second kind."""
        return self._draw(18, (a,), size)

    def poisson(self, lam=1.0, size=None):
        """Of the Poisson distribution of this mean; int64."""
        return self._draw(19, (lam,), size)

    def power(self, a, size=None):
        """In [0, 1], of the density a x^(a - 1)."""
        return self._draw(20, (a,), size)

    def rayleigh(self, scale=1.0, size=None):
        """Of the Rayleigh distribution."""
        return self._draw(21, (scale,), size)

    def standard_cauchy(self, size=None):
        """Of the Cauchy distribution."""
        return self._draw(22, (), size)

    def standard_t(self, df, size=None):
        """Of Student's t distribution."""
        return self._draw(26, (df,), size)

    def triangular(self, left, mode, right, size=None):
        """Of the triangular distribution."""
        return self._draw(27, (left, mode, right), size)

    def uniform(self, low=0.0, high=1.0, size=None):
        """In [low, high), each number as likely as the others."""
        return self._draw(28, (low, high), size)

    def vonmises(self, mu, kappa, size=None):
        """Angles of the von Mises distribution, in [-pi, pi]."""
        return self._draw(29, (mu, kappa), size)

    def wald(self, mean, scale, size=None):
        """Of the Wald, or inverse Gaussian, distribution."""
        return self._draw(30, (mean, scale), size)

    def weibull(self, a, size=None):
        """Of the Weibull distribution of scale 1."""
        return self._draw(31, (a,), size)

    def zipf(self, a, size=None):
        """Of the Zipf distribution; int64."""
        return self._draw(32, (a,), size)

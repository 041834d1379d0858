# bindings/python/gpuopt/random.py -- random numbers: NumPy's RandomState bit for bit, and a generator that is parallel.
"""Random numbers. RandomState draws what numpy.random.RandomState draws, and default_rng gives a Generator that draws
what numpy.random.Generator draws with PCG64, bit for bit. Generator(Philox(seed)) is based on counters: it is drawn in
parallel, with the same numbers on every device. The module's functions draw from one RandomState of the process; seed()
seeds it."""

import operator

from . import _convert, _core, _device, _dtypes
from ._creation import as_shape
from ._distributions import (
    BY_INVERSION,
    STANDARD_EXPONENTIAL,
    STANDARD_GAMMA,
    STANDARD_NORMAL,
    TOMAXINT,
    Distributions,
    operands,
    sizes,
)
from ._manipulation import _axis
from ._seeds import PCG64, Philox, SeedSequence  # noqa: F401
from ._sequences import are_several


def _size(size):
    shape = () if size is None else as_shape(size)
    return len(shape), shape


def _seed(seed):
    import os

    return int.from_bytes(os.urandom(4), "little") if seed is None else seed


def _population(a):
    return _core.gpuopt_arange(None, "int64", 0, operator.index(a), 1) if isinstance(a, int) else _convert.asarray(a)


def _taken(a, indices, axis):
    from ._functions import take

    return take(a, indices, axis)


def _weights(p):
    return None if p is None else _convert.asarray(p, "float64")


class RandomState(Distributions):
    """The numbers of numpy.random.RandomState(seed), bit for bit, as arrays on the device on which it was made."""

    def __init__(self, seed=None):
        self._device = _device.current()
        self.seed(seed)

    def seed(self, seed=None):
        """Begins anew with a seed: a number, or several."""
        seed = _seed(seed)
        if hasattr(seed, "__index__") and not getattr(seed, "ndim", 0):
            self._state = _core.gpuopt_random_state_create(self._device, _checked_seed(seed))
        else:
            words = [_checked_seed(word) for word in seed]
            self._state = _core.gpuopt_random_state_create_array(self._device, len(words), words)

    def __reduce__(self):
        return _rebuild_state, (self.get_state(), _place(self._device))

    def random_sample(self, size=None):
        """float64 in [0, 1)."""
        return _core.gpuopt_random_state_random_sample(self._state, *_size(size))

    random = random_sample

    def rand(self, *size):
        """float64 in [0, 1), in the shape of the arguments."""
        return self.random_sample(size)

    def _draw(self, distribution, parameters, size):
        return _core.gpuopt_random_state_draw(
            self._state, distribution, len(parameters), operands(parameters), *sizes(size)
        )

    def standard_exponential(self, size=None):
        """Of the exponential distribution of mean 1."""
        return self._draw(STANDARD_EXPONENTIAL, (), size)

    def standard_gamma(self, shape, size=None):
        """Of the gamma distribution of scale 1."""
        return self._draw(STANDARD_GAMMA, (shape,), size)

    def standard_normal(self, size=None):
        """Of the standard normal distribution."""
        return self.normal(size=size)

    def tomaxint(self, size=None):
        """0 to 2**63 - 1; int64."""
        return self._draw(TOMAXINT, (), size)

    def multinomial(self, n, pvals, size=None):
        """How often each outcome comes in n trials, along the last axis; int64."""
        return _core.gpuopt_random_state_multinomial(
            self._state, operator.index(n), _convert.asarray(pvals, "float64"), *sizes(size)
        )

    def dirichlet(self, alpha, size=None):
        """Positive numbers that add up to 1 along the last axis."""
        return _core.gpuopt_random_state_dirichlet(self._state, _convert.asarray(alpha, "float64"), *sizes(size))

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Normal vectors; those of NumPy but for the signs of the covariances' singular vectors."""
        mean, cov = _convert.asarray(mean, "float64"), _convert.asarray(cov, "float64")

        def draw(check):
            return _core.gpuopt_random_state_multivariate_normal(self._state, mean, cov, check, tol, *sizes(size))

        return _checked_draw(draw, check_valid)

    def bytes(self, length):
        """Random bytes."""
        return self.randint(0, 2**32, (length + 3) // 4, "uint32").tobytes()[:length]

    def get_state(self):
        """("MT19937", the 624 words of the key, the position in it, whether a normal number waits, that number)."""
        return ("MT19937", *_core.gpuopt_random_state_get_words(self._state))

    def set_state(self, state):
        """Goes on from what get_state(), or NumPy's, has given."""
        name, key, position, *gauss = state
        if name != "MT19937":
            raise ValueError("set_state can only be used with legacy MT19937 state instances.")
        has_gauss, number = gauss if gauss else (0, 0.0)
        words = [int(word) for word in key]
        if len(words) != 624:
            raise ValueError("state must have 624 words")
        _core.gpuopt_random_state_set_words(self._state, (words, int(position), int(has_gauss), float(number)))

    def randn(self, *size):
        """Of the standard normal distribution, in the shape of the arguments."""
        return self.normal(size=size)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers in [low, high), or in [0, low)."""
        low, high = (0, low) if high is None else (low, high)
        if _are_wide(low, high):
            low, high = _bounds(low, high)
            return _core.gpuopt_random_state_randint_between(self._state, low, high, dtype, *sizes(size))
        return _core.gpuopt_random_state_randint(self._state, low, high, dtype, *_size(size))

    def random_integers(self, low, high=None, size=None):
        """Integers in [low, high], or in [1, low]; NumPy's advice is to call randint."""
        import warnings

        warnings.warn("This function is deprecated. Please call randint instead", DeprecationWarning, stacklevel=2)
        low, high = (1, low) if high is None else (low, high)
        return self.randint(low, operator.index(high) + 1, size)

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a, or of range(a)."""
        return _core.gpuopt_random_state_choice(self._state, _population(a), *_size(size), int(replace), _weights(p))

    def shuffle(self, x):
        """Shuffles x along its first axis, in place: an array, NumPy's too, or a list."""
        if isinstance(x, _core.ndarray):
            _core.gpuopt_random_state_shuffle(self._state, x)
        else:
            _reorder(x, self.permutation(len(x)).tolist())

    def permutation(self, x):
        """0 ... x-1 in random order, or a shuffled copy of x."""
        if isinstance(x, int):
            return _core.gpuopt_random_state_permutation(self._state, x, None)
        return _core.gpuopt_random_state_permutation(self._state, 0, _convert.asarray(x))


def _place(device):
    """A device as a text, with which its like is found in another process."""
    return f"{device.backend}:{device.id}"


def _rebuild_state(state, place):
    """The RandomState that was pickled."""
    with _device.Device(place):
        made = RandomState(0)
    made.set_state(state)
    return made


def _reorder(x, order):
    """Puts the items of a list, or the parts of an array of NumPy's, in an order, in place."""
    x[:] = x[order] if hasattr(x, "dtype") else [x[at] for at in order]


def _are_wide(low, high):
    """Whether bounds are arrays, or numbers that no int64 holds."""
    return are_several(low, high) or any(isinstance(b, int) and b >= 2**63 for b in map(_plain, (low, high)))


def _plain(bound):
    """NumPy's integers as Python's."""
    return operator.index(bound) if hasattr(bound, "__index__") and not getattr(bound, "ndim", 0) else bound


def _bounds(*bounds):
    """Bounds as the library takes them: numbers, and arrays of integers."""
    return [b if isinstance(b, int) else _convert.asarray(b) for b in map(_plain, bounds)]


def _checked_draw(draw, check_valid):
    """What draw(check) draws, with NumPy's choices of what to say of invalid covariances."""
    import warnings

    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    if check_valid == "ignore":
        return draw(0)
    try:
        return draw(1)
    except ValueError as problem:
        if check_valid == "raise" or "positive-semidefinite" not in str(problem):
            raise
        warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=3)
    return draw(0)


def _checked_seed(seed):
    seed = operator.index(seed)
    if not 0 <= seed < 2**32:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    return seed


class Generator(Distributions):
    """Draws from PCG64, as numpy.random.Generator does, or from Philox. A number stands for Philox with that seed."""

    def __init__(self, bit_generator):
        if not isinstance(bit_generator, (PCG64, Philox)):
            bit_generator = Philox(bit_generator)
        self.bit_generator = bit_generator
        self._device, self._generator = bit_generator._device, bit_generator._generator

    def _draw(self, distribution, parameters, size, dtype=None):
        return _core.gpuopt_generator_draw(
            self._generator, distribution, len(parameters), operands(parameters), dtype, *sizes(size)
        )

    def spawn(self, n_children):
        """Independent generators with seeds of their own; of PCG64 alone."""
        return [Generator(child) for child in self.bit_generator.spawn(n_children)]

    def __reduce__(self):
        return Generator, (self.bit_generator,)

    def random(self, size=None, dtype=None, out=None):
        """Numbers in [0, 1), in `out` if it is given."""
        if out is not None:
            return _into(self.random, out, size, dtype)
        return _core.gpuopt_generator_uniform(self._generator, 0.0, 1.0, dtype, *_size(size))

    def _simple(self, function, distribution, parameters, size, dtype):
        if all(isinstance(x, (int, float)) for x in parameters):
            return function(self._generator, *parameters, dtype, *_size(size))
        return self._draw(distribution, parameters, size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=None):
        """Numbers in [low, high)."""
        return self._simple(_core.gpuopt_generator_uniform, 28, (low, high), size, dtype)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=None):
        """Of the normal distribution."""
        return self._simple(_core.gpuopt_generator_normal, 17, (loc, scale), size, dtype)

    def standard_normal(self, size=None, dtype=None, out=None):
        """Of the standard normal distribution."""
        if out is not None:
            return _into(self.standard_normal, out, size, dtype)
        if isinstance(self.bit_generator, Philox):
            return self.normal(size=size, dtype=dtype)
        return self._draw(STANDARD_NORMAL, (), size, dtype)

    def exponential(self, scale=1.0, size=None, dtype=None):
        """Of the exponential distribution."""
        return self._simple(_core.gpuopt_generator_exponential, 4, (scale,), size, dtype)

    def standard_exponential(self, size=None, dtype=None, method="zig", out=None):
        """Of the exponential distribution of mean 1, by the ziggurat method or, with "inv", by inversion."""
        if out is not None:
            return _into(self.standard_exponential, out, size, dtype, method)
        return self._draw(STANDARD_EXPONENTIAL if method == "zig" else BY_INVERSION, (), size, dtype)

    def standard_gamma(self, shape, size=None, dtype=None, out=None):
        """Of the gamma distribution of scale 1."""
        if out is not None:
            return _into(lambda *given: self.standard_gamma(shape, *given), out, size, dtype)
        return self._draw(STANDARD_GAMMA, (shape,), size, dtype)

    def multinomial(self, n, pvals, size=None):
        """How often each outcome comes in n trials, along the last axis; int64."""
        n, pvals = operands((n,))[0], _convert.asarray(pvals, "float64")
        return _core.gpuopt_generator_multinomial(self._generator, n, pvals, *sizes(size))

    def dirichlet(self, alpha, size=None):
        """Positive numbers that add up to 1 along the last axis."""
        return _core.gpuopt_generator_dirichlet(self._generator, _convert.asarray(alpha, "float64"), *sizes(size))

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Normal vectors: to a few ULP those of NumPy with method "cholesky", else but for the vectors' signs."""
        methods = ("svd", "eigh", "cholesky")  # the numbers of gpuopt_normal_method
        if method not in methods:
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        mean, cov = _convert.asarray(mean, "float64"), _convert.asarray(cov, "float64")

        def draw(check):
            return _core.gpuopt_generator_multivariate_normal(
                self._generator, mean, cov, methods.index(method), check, tol, *sizes(size)
            )

        return _checked_draw(draw, check_valid)

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """How many of each colour are among nsample items, along the last axis; int64."""
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        return _core.gpuopt_generator_multivariate_hypergeometric(
            self._generator, _convert.asarray(colors), operator.index(nsample), int(method == "count"), *sizes(size)
        )

    def integers(self, low, high=None, size=None, dtype=None, endpoint=False):
        """Integers in [low, high), or with endpoint in [low, high]."""
        low, high = (0, low) if high is None else (low, high)
        if _are_wide(low, high):
            low, high, last = *_bounds(low, high), int(endpoint)
            return _core.gpuopt_generator_integers_between(self._generator, low, high, last, dtype, *sizes(size))
        return _core.gpuopt_generator_integers(self._generator, low, high, int(endpoint), dtype, *_size(size))

    def bytes(self, length):
        """Random bytes."""
        return self.integers(0, 2**32, (length + 3) // 4, "uint32").tobytes()[:length]

    def choice(self, a, size=None, replace=True, p=None, axis=0):
        """Elements of a, or parts of it along an axis, or elements of range(a)."""
        a = _population(a)
        if a.ndim > 1:
            return _taken(a, self.choice(a.shape[_axis(axis, a.ndim)], size, replace, p), axis)
        return _core.gpuopt_generator_choice(self._generator, a, *_size(size), int(replace), _weights(p))

    def permutation(self, x, axis=0):
        """0 ... x-1 in random order, or a copy of x with its parts along an axis in random order."""
        if isinstance(x, int):
            return _core.gpuopt_generator_permutation(self._generator, x, None)
        x = _convert.asarray(x)
        if x.ndim and _axis(axis, x.ndim) > 0:
            return _taken(x, self.permutation(x.shape[axis]), axis)
        return _core.gpuopt_generator_permutation(self._generator, 0, x)

    def permuted(self, x, *, axis=None):
        """A copy of x whose elements along the axis are in another random order in each row; None: all of them."""
        x = _convert.asarray(x)
        if axis is None:
            return self.permutation(x.reshape(-1)).reshape(x.shape)
        return _core.gpuopt_generator_permuted(self._generator, x, axis)

    def shuffle(self, x, axis=0):
        """Shuffles x along an axis, in place: an array, NumPy's too, or a list."""
        if isinstance(x, _core.ndarray):
            if x.size:
                x[...] = self.permutation(x, axis)
        elif hasattr(x, "dtype"):
            _reorder(x.swapaxes(0, axis), self.permutation(x.shape[axis]).tolist())
        elif axis:
            raise NotImplementedError("Axis argument is only supported on ndarray objects")
        else:
            _reorder(x, self.permutation(len(x)).tolist())


def _into(draw, out, size, *options):
    """Draws into an array, whose shape and dtype the numbers have."""
    if size is not None and as_shape(size) != out.shape:
        raise ValueError("size must match out.shape when used together")
    dtype, *more = options
    if dtype is not None and _dtypes.of(dtype) != out.dtype:
        raise TypeError(f"Supplied output array has wrong type. Expected {_dtypes.of(dtype)}, got {out.dtype}")
    out[...] = draw(out.shape, out.dtype, *more)
    return out


def default_rng(seed=None):
    """A Generator of PCG64: the numbers of numpy.random.default_rng(seed). `seed` is a number, several, or a
    SeedSequence; a PCG64 or Philox becomes a Generator, and a Generator itself is returned as it is.

    >>> gp.random.default_rng(1).integers(0, 10, 4)
    array([4, 5, 7, 9])
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, (PCG64, Philox)) else PCG64(seed))


_state = None


def _global():
    global _state
    if _state is None or _state._device is not _device.current():
        _state = RandomState()
    return _state


def seed(seed=None):
    """Seeds the numbers of the module's functions.

    >>> gp.random.seed(1)
    >>> gp.random.rand()
    array(0.417022)
    """
    global _state
    _state = RandomState(seed)


def __getattr__(name):
    method = "random_sample" if name in ("ranf", "sample") else name
    if name.startswith("_") or not hasattr(RandomState, method):
        raise AttributeError(f"module 'gpuopt.random' has no attribute {name!r}")

    def draw(*args, **kwargs):
        return getattr(_global(), method)(*args, **kwargs)

    draw.__name__, draw.__doc__ = name, getattr(RandomState, method).__doc__
    return draw

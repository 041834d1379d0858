# bindings/python/gpuopt/random.py -- random numbers: NumPy's RandomState bit for bit, and a generator that is parallel.
"""Random numbers. RandomState draws what numpy.random.RandomState draws; default_rng gives a counter-based generator
(Philox4x32-10)
whose numbers are the same on every device. The module's functions draw from one RandomState of the process; seed()
seeds it."""

import operator

from . import _convert, _core, _device
from ._creation import as_shape


def _size(size):
    shape = () if size is None else as_shape(size)
    return len(shape), shape


def _seed(seed):
    import os

    return int.from_bytes(os.urandom(4), "little") if seed is None else seed


def _population(a):
    return _core.gpuopt_arange(None, "int64", 0, operator.index(a), 1) if isinstance(a, int) else _convert.asarray(a)


def _weights(p):
    return None if p is None else _convert.asarray(p, "float64")


class RandomState:
    """The numbers of numpy.random.RandomState(seed), bit for bit, as arrays on the device on which it was made."""

    def __init__(self, seed=None):
        seed = _seed(seed)
        self._device = _device.current()
        if isinstance(seed, int) or hasattr(seed, "__index__"):
            self._state = _core.gpuopt_random_state_create(self._device, _checked_seed(seed))
        else:
            words = [int(word) for word in seed]
            self._state = _core.gpuopt_random_state_create_array(self._device, len(words), words)

    def seed(self, seed=None):
        """Begins anew with a seed."""
        _core.gpuopt_random_state_seed(self._state, _checked_seed(_seed(seed)))

    def random_sample(self, size=None):
        """float64 in [0, 1)."""
        return _core.gpuopt_random_state_random_sample(self._state, *_size(size))

    random = random_sample

    def rand(self, *size):
        """float64 in [0, 1), in the shape of the arguments."""
        return self.random_sample(size)

    def uniform(self, low=0.0, high=1.0, size=None):
        """float64 in [low, high)."""
        return _core.gpuopt_random_state_uniform(self._state, low, high, *_size(size))

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Of the normal distribution."""
        if scale < 0:
            raise ValueError("scale < 0")
        return _core.gpuopt_random_state_normal(self._state, loc, scale, *_size(size))

    def standard_normal(self, size=None):
        """Of the standard normal distribution."""
        return self.normal(size=size)

    def randn(self, *size):
        """Of the standard normal distribution, in the shape of the arguments."""
        return self.normal(size=size)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers in [low, high), or in [0, low)."""
        low, high = (0, low) if high is None else (low, high)
        return _core.gpuopt_random_state_randint(self._state, low, high, dtype, *_size(size))

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a, or of range(a)."""
        return _core.gpuopt_random_state_choice(self._state, _population(a), *_size(size), int(replace), _weights(p))

    def shuffle(self, x):
        """Shuffles x along its first axis, in place."""
        _core.gpuopt_random_state_shuffle(self._state, x)

    def permutation(self, x):
        """0 ... x-1 in random order, or a shuffled copy of x."""
        if isinstance(x, int):
            return _core.gpuopt_random_state_permutation(self._state, x, None)
        return _core.gpuopt_random_state_permutation(self._state, 0, _convert.asarray(x))


def _checked_seed(seed):
    seed = operator.index(seed)
    if not 0 <= seed < 2**32:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    return seed


class Generator:
    """A counter-based generator, Philox4x32-10: the same numbers on every device."""

    def __init__(self, seed=None):
        self._device = _device.current()
        self._generator = _core.gpuopt_generator_create(self._device, operator.index(_seed(seed)))

    def random(self, size=None, dtype=None):
        """Numbers in [0, 1)."""
        return _core.gpuopt_generator_uniform(self._generator, 0.0, 1.0, dtype, *_size(size))

    def uniform(self, low=0.0, high=1.0, size=None, dtype=None):
        """Numbers in [low, high)."""
        return _core.gpuopt_generator_uniform(self._generator, low, high, dtype, *_size(size))

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=None):
        """Of the normal distribution."""
        return _core.gpuopt_generator_normal(self._generator, loc, scale, dtype, *_size(size))

    def standard_normal(self, size=None, dtype=None):
        """Of the standard normal distribution."""
        return self.normal(size=size, dtype=dtype)

    def exponential(self, scale=1.0, size=None, dtype=None):
        """Of the exponential distribution."""
        return _core.gpuopt_generator_exponential(self._generator, scale, dtype, *_size(size))

    def integers(self, low, high=None, size=None, dtype=None, endpoint=False):
        """Integers in [low, high), or with endpoint in [low, high]."""
        low, high = (0, low) if high is None else (low, high)
        return _core.gpuopt_generator_integers(self._generator, low, high, int(endpoint), dtype, *_size(size))

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a, or of range(a)."""
        return _core.gpuopt_generator_choice(self._generator, _population(a), *_size(size), int(replace), _weights(p))

    def permutation(self, x):
        """0 ... x-1 in random order, or a shuffled copy of x."""
        if isinstance(x, int):
            return _core.gpuopt_generator_permutation(self._generator, x, None)
        return _core.gpuopt_generator_permutation(self._generator, 0, _convert.asarray(x))

    def shuffle(self, x):
        """Shuffles x along its first axis, in place."""
        x[...] = self.permutation(x)


def default_rng(seed=None):
    """A Generator; a Generator itself is returned as it is."""
    return seed if isinstance(seed, Generator) else Generator(seed)


_state = None


def _global():
    global _state
    if _state is None or _state._device is not _device.current():
        _state = RandomState()
    return _state


def seed(seed=None):
    """Seeds the numbers of the module's functions."""
    global _state
    _state = RandomState(seed)


def __getattr__(name):
    if name.startswith("_") or not hasattr(RandomState, name):
        raise AttributeError(f"module 'gpuopt.random' has no attribute {name!r}")

    def draw(*args, **kwargs):
        return getattr(_global(), name)(*args, **kwargs)

    draw.__name__, draw.__doc__ = name, getattr(RandomState, name).__doc__
    return draw

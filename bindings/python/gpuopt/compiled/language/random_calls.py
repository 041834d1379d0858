# bindings/python/gpuopt/compiled/language/random_calls.py -- np.random in compiled functions.
"""Each thread has a Mersenne twister of its own, which is not NumPy's: np.random.seed() in a compiled function seeds
that of the thread that runs it. Where NumPy's RandomState has the same distribution, the numbers are its numbers."""

from .. import types
from ..errors import Unsupported
from ..values import Value, cast, constant, tuple_of


class RandomMixin:
    """Calls of np.random."""

    def random_handler(self, target):
        """The method for a function of np.random or gpuopt.random, or None."""
        owner = getattr(target, "__self__", None)
        # NumPy 1 has "numpy.random.mtrand" of some of its functions.
        ours = getattr(target, "__module__", None) in ("gpuopt.random", "numpy.random", "numpy.random.mtrand")
        if not ours and not (type(owner).__name__ == "RandomState" and type(owner).__module__.startswith("numpy.")):
            return None
        return getattr(self, f"random_{target.__name__}", self._no_distribution)

    def _no_distribution(self, node, *args, **keywords):
        raise self.error(node, "this distribution is not supported in compiled functions", Unsupported)

    def _twister(self, node):
        if not self.options.host:
            raise self.error(node, "np.random is not for kernels: use cuda.random", Unsupported)
        name = self.new_name("rng")
        self.emit(f"gp_twister &{name} = gp_random_state(cx);")
        return name

    def _floats(self, node, values):
        for v in values:
            if not v.is_number or v.type.kind == "c":
                raise self.error(node, f"parameters of a distribution are numbers, not {v.type}")
        return [self.temp(types.float64, cast(v, types.float64).text).text for v in values]

    def _random_values(self, node, size, t, text):
        """One number, or an array of them, drawn by the C++ text."""
        if size is None or size.type is types.none:
            return self.temp(t, text)
        result = self.filled(node, self.shape_of(node, size), t, None)
        i = self.new_name("i")
        self.emit(f"for (int64_t {i} = 0; {i} < gp_size({result.text}); {i}++) {result.text}.data[{i}] = {text};")
        return result

    def _distribution(self, node, size, text, *parameters):
        """A distribution of floats; text of the names of the generator and of its parameters."""
        values = self._floats(node, parameters)
        state = self._twister(node)
        return self._random_values(node, size, types.float64, text(state, *values))

    def random_seed(self, node, seed):
        state = self._twister(node)
        self.emit(f"gp_random_seed({state}, uint32_t({cast(seed, types.int64).text}));")
        return Value(types.none, const=None)

    def random_random(self, node, size=None):
        return self._distribution(node, size, lambda s: f"gp_random_double({s})")

    random_random_sample = random_sample = random_ranf = random_random

    def random_rand(self, node, *shape):
        return self.random_random(node, tuple_of(shape) if shape else None)

    def random_randn(self, node, *shape):
        return self.random_standard_normal(node, tuple_of(shape) if shape else None)

    def random_standard_normal(self, node, size=None):
        return self._distribution(node, size, lambda s: f"gp_random_normal({s})")

    def random_normal(self, node, loc=None, scale=None, size=None):
        def text(s, mean, width):
            return f"{mean} + {width} * gp_random_normal({s})"

        return self._distribution(node, size, text, loc or constant(0.0), scale or constant(1.0))

    def random_lognormal(self, node, mean=None, sigma=None, size=None):
        def text(s, mean, width):
            return f"exp({mean} + {width} * gp_random_normal({s}))"

        return self._distribution(node, size, text, mean or constant(0.0), sigma or constant(1.0))

    def random_uniform(self, node, low=None, high=None, size=None):
        def text(s, low, high):
            return f"{low} + ({high} - {low}) * gp_random_double({s})"

        return self._distribution(node, size, text, low or constant(0.0), high or constant(1.0))

    def random_exponential(self, node, scale=None, size=None):
        scale = scale or constant(1.0)
        return self._distribution(node, size, lambda s, scale: f"gp_random_exponential({s}) * {scale}", scale)

    def random_standard_exponential(self, node, size=None):
        return self._distribution(node, size, lambda s: f"gp_random_exponential({s})")

    def random_weibull(self, node, a, size=None):
        return self._distribution(node, size, lambda s, a: f"pow(gp_random_exponential({s}), 1.0 / {a})", a)

    def random_pareto(self, node, a, size=None):
        return self._distribution(node, size, lambda s, a: f"exp(gp_random_exponential({s}) / {a}) - 1.0", a)

    def random_triangular(self, node, left, mode, right, size=None):
        def text(s, *edges):
            return f"gp_random_triangular({s}, {', '.join(edges)})"

        return self._distribution(node, size, text, left, mode, right)

    def random_randint(self, node, low, high=None, size=None):
        if high is None or high.type is types.none:
            low, high = constant(0), low
        for v in (low, high):
            if not v.is_number or v.type.kind not in "biu":
                raise self.error(node, f"randint() of {v.type}: integers are expected")
        first, last = (self.temp(types.int64, cast(v, types.int64).text).text for v in (low, high))
        self.raise_if(f"{first} >= {last}", ValueError, "low >= high", node)
        state = self._twister(node)
        text = f"int64_t(uint64_t({first}) + gp_random_below({state}, uint64_t({last}) - uint64_t({first})))"
        return self._random_values(node, size, types.int64, text)

    def random_shuffle(self, node, x):
        if isinstance(x.type, types.List):
            window = f"gp_list_window({x.text})"
        elif x.is_array and x.type.ndim == 1:
            x = self.materialize(x)
            self.mark_written(x)
            window = x.text
        else:
            raise self.error(node, f"shuffle() of {x.type} is not supported", Unsupported)
        self.emit(f"gp_random_shuffle({self._twister(node)}, {window});")
        return Value(types.none, const=None)

    def random_permutation(self, node, x):
        result = self.call_numpy_arange(node, x) if x.is_number else self.method_copy(node, self.materialize(x))
        self.random_shuffle(node, result)
        return result

    def random_choice(self, node, a, size=None, replace=None):
        if replace is not None and replace.const is not True:
            raise self.error(node, "choice() without replacement is not supported", Unsupported)
        a = self.call_numpy_arange(node, a) if a.is_number else self.materialize(a)
        if not a.is_array or a.type.ndim != 1:
            raise self.error(node, "choice() is from an array of one dimension", Unsupported)
        n = f"{a.text}.shape[0]"
        self.raise_if(f"{n} == 0", ValueError, "'a' cannot be empty unless no samples are taken", node)
        at = f"int64_t(gp_random_below({self._twister(node)}, uint64_t({n})))"
        element = f"*({a.type.element.cpp} *)((char *){a.text}.data + {at} * {a.text}.strides[0])"
        return self._random_values(node, size, a.type.element, element)

# bindings/python/gpuopt/compiled/language/random_calls.py -- np.random in compiled functions.
"""Each thread has a Mersenne twister of its own, which is not NumPy's: np.random.seed() in a compiled function seeds
that of the thread that runs it. The numbers are those of NumPy's RandomState. Distributions that need logarithms and
the like are drawn by the runtime, which has the C library's; uniform numbers and integers by the text itself."""

from .. import types
from ..errors import Unsupported
from ..values import Value, cast, constant, tuple_of


# For each distribution its number in abi/gpuopt/distributions.h, the kind of its numbers, and its parameters: name,
# range, and default where it has one. A parameter in capital letters is an integer.
_DISTRIBUTIONS = {
    "beta": (1, "f", "a:+ b:+"),
    "binomial": (2, "i", "N:0+ p:unit"),
    "chisquare": (3, "f", "df:+"),
    "exponential": (4, "f", "scale:0+=1"),
    "f": (5, "f", "dfnum:+ dfden:+"),
    "gamma": (6, "f", "shape:0+ scale:0+=1"),
    "geometric": (7, "i", "p:unit>0"),
    "gumbel": (8, "f", "loc:=0 scale:0+=1"),
    "hypergeometric": (9, "i", "NGOOD:0+ NBAD:0+ NSAMPLE:1+"),
    "laplace": (10, "f", "loc:=0 scale:0+=1"),
    "logistic": (11, "f", "loc:=0 scale:0+=1"),
    "lognormal": (12, "f", "mean:=0 sigma:0+=1"),
    "logseries": (13, "i", "p:unit<1"),
    "negative_binomial": (14, "i", "n:+ p:unit"),
    "noncentral_chisquare": (15, "f", "df:+ nonc:0+"),
    "noncentral_f": (16, "f", "dfnum:+ dfden:+ nonc:0+"),
    "normal": (17, "f", "loc:=0 scale:0+=1"),
    "pareto": (18, "f", "a:+"),
    "poisson": (19, "i", "lam:mean=1"),
    "power": (20, "f", "a:+"),
    "rayleigh": (21, "f", "scale:0+=1"),
    "standard_cauchy": (22, "f", ""),
    "standard_exponential": (23, "f", ""),
    "standard_gamma": (24, "f", "shape:0+"),
    "standard_normal": (25, "f", ""),
    "standard_t": (26, "f", "df:+"),
    "triangular": (27, "f", "left: mode: right:"),
    "vonmises": (29, "f", "mu: kappa:0+"),
    "wald": (30, "f", "mean:+ scale:+"),
    "weibull": (31, "f", "a:0+"),
    "zipf": (32, "i", "a:>1"),
}
# What is wrong with a parameter {x} named {n}, a C++ condition, and how NumPy says so.
_RANGES = {
    "": [],
    "0+": [("{x} == {x} && __builtin_signbit(double({x}))", "{n} < 0")],
    "+": [("{x} <= 0", "{n} <= 0")],
    "1+": [("{x} < 1", "{n} < 1 or {n} is NaN")],
    ">1": [("!({x} > 1)", "{n} <= 1 or {n} is NaN")],
    "unit": [("!({x} >= 0 && {x} <= 1)", "{n} < 0, {n} > 1 or {n} is NaN")],
    "unit>0": [("!({x} > 0 && {x} <= 1)", "{n} <= 0, {n} > 1 or {n} contains NaNs")],
    "unit<1": [("!({x} >= 0 && {x} < 1)", "{n} < 0, {n} >= 1 or {n} is NaN")],
    "mean": [("!({x} >= 0)", "{n} < 0 or {n} is NaN"), ("{x} > 9.223372006484771e+18", "{n} value too large")],
}
# The same for parameters together: {0}, {1} and so on.
_TOGETHER = {
    "hypergeometric": [
        ("{1} > 9223372036854775805 - {0}", "ngood + nbad is out of bounds for int64"),
        ("{0} + {1} < {2}", "ngood + nbad < nsample"),
    ],
    "triangular": [
        ("{0} > {1}", "left > mode"),
        ("{1} > {2}", "mode > right"),
        ("{0} == {2}", "left == right"),
    ],
}


def _parameters(name):
    """Name, whether it is an integer, range and default (or None) of each parameter of a distribution."""
    for text in _DISTRIBUTIONS[name][2].split():
        parameter, _, rest = text.partition(":")
        limits, _, default = rest.partition("=")
        yield parameter.lower(), parameter.isupper(), limits, float(default) if default else None


class RandomMixin:
    """Calls of np.random."""

    def random_handler(self, target):
        """The method for a function of np.random or gpuopt.random, or None."""
        owner = getattr(target, "__self__", None)
        # NumPy 1 has "numpy.random.mtrand" of some of its functions.
        ours = getattr(target, "__module__", None) in ("gpuopt.random", "numpy.random", "numpy.random.mtrand")
        if not ours and not (type(owner).__name__ == "RandomState" and type(owner).__module__.startswith("numpy.")):
            return None
        name = target.__name__
        if name in _DISTRIBUTIONS:
            return self._distribution_handler(name)
        return getattr(self, f"random_{name}", self._no_distribution)

    def _distribution_handler(self, name):
        """The method for a distribution of the table."""

        def handler(node, *args, **keywords):
            return self._sampled(node, name, list(args), keywords)

        return handler

    def _no_distribution(self, node, *args, **keywords):
        raise self.error(node, "this distribution is not supported in compiled functions", Unsupported)

    def _check_runtime(self, node):
        if not self.options.host:
            raise self.error(node, "np.random is not for kernels: use cuda.random", Unsupported)
        if not self.options.runtime:
            raise self.error(node, "np.random is not for functions that C calls", Unsupported)

    def _twister(self, node):
        self._check_runtime(node)
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

    def _sampled(self, node, name, args, keywords):
        """Numbers of a distribution."""
        number, kind, _ = _DISTRIBUTIONS[name]
        parameters = list(_parameters(name))
        names = [p[0] for p in parameters] + ["size"]
        unknown = [k for k in keywords if k not in names[len(args) :]]
        if unknown or len(args) > len(names):
            raise self.error(node, f"{name}() takes the arguments ({', '.join(names)})")
        given = {**dict(zip(names, args)), **keywords}
        texts = [self._parameter_text(node, name, p, given.get(p[0])) for p in parameters]
        for condition, message in _TOGETHER.get(name, ()):
            self.raise_if(condition.format(*texts), ValueError, message, node)
        self._check_runtime(node)
        reals = ["0" if p[1] else t for p, t in zip(parameters, texts)]
        whole = [t if p[1] else "0" for p, t in zip(parameters, texts)]
        reals, whole = ([*texts, "0", "0", "0"][:3] for texts in (reals, whole))
        if kind == "f":
            text = f"cx->rt->draw_real({number}, {', '.join(reals)})"
        else:
            text = f"cx->rt->draw_integer({number}, {', '.join(reals[:2] + whole)})"
        return self._random_values(node, given.get("size"), types.float64 if kind == "f" else types.int64, text)

    def _parameter_text(self, node, function, parameter, value):
        """The C++ name of a checked parameter."""
        name, whole, limits, default = parameter
        if value is None and default is None:
            raise self.error(node, f"{function}() missing the argument {name!r}")
        value = constant(default) if value is None else value
        if not value.is_number or value.type.kind not in ("biu" if whole else "biuf"):
            what = "an integer" if whole else "a number"
            raise self.error(node, f"{name} of {function}() is {what}, not {value.type}")
        t = types.int64 if whole else types.float64
        text = self.temp(t, cast(value, t).text).text
        for condition, message in _RANGES[limits]:
            self.raise_if(condition.format(x=text), ValueError, message.format(n=name), node)
        return text

    def random_seed(self, node, seed):
        state = self._twister(node)
        self.emit(f"gp_random_seed({state}, uint32_t({cast(seed, types.int64).text}));")
        return Value(types.none, const=None)

    def random_random(self, node, size=None):
        return self._random_values(node, size, types.float64, f"gp_random_double({self._twister(node)})")

    random_random_sample = random_sample = random_ranf = random_random

    def random_rand(self, node, *shape):
        return self.random_random(node, tuple_of(shape) if shape else None)

    def random_randn(self, node, *shape):
        return self._sampled(node, "standard_normal", [tuple_of(shape)] if shape else [], {})

    def random_uniform(self, node, low=None, high=None, size=None):
        low, high = self._floats(node, [low or constant(0.0), high or constant(1.0)])
        width = self.temp(types.float64, f"{high} - {low}").text
        self.raise_if(f"!(fabs({width}) <= 1.7976931348623157e308)", OverflowError, "Range exceeds valid bounds", node)
        unit = f"gp_random_double({self._twister(node)})"
        return self._random_values(node, size, types.float64, f"{low} + {width} * {unit}")

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

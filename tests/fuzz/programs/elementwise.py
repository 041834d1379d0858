# tests/fuzz/programs/elementwise.py -- NumPy's answers for the elementwise operations of ops.def.
#
# An operation without an entry here is NumPy's function of the same name: computed in the loop's dtype if
# tests/oracle.def calls it exact (float16 and bfloat16 in float32, and rounded), else in long double and compared
# within the ULPs given there. Where NumPy has none, it is the expression of tests/oracle.def, as long as that has only
# operators and functions of std:: that NumPy has, too.
import math
import re

import numpy as np

from expected import Exact, Fails, Near, Unknown, within_ulps
from tables import KIND, OPS, ORACLE, ULPS, loop_of, promote_all, promote_weak, real_of, stored
from values import cast, encoded, spacing, widened

_NAMES = {"pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
          "acosh": "arccosh",
          "atanh": "arctanh", "round": "rint", "conj": "conjugate"}
# Norm-wise, in units of the complex dtype's spacing; docs/accuracy.md. The oracle's own error is in it.
_COMPLEX_ULPS = 8
# NumPy's own formulas cancel near zero.
_COMPLEX_ULPS_OF = {"expm1": 2.0 ** 12, "log1p": 2.0 ** 12, "pow": 64}


class Weak:
    """A number without an array: it takes the dtype of the arrays beside it."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value

    @staticmethod
    def parse(word):
        kind, text = word[0], word[2:]
        if kind == "c":
            re, im = text.split(":")
            return Weak(kind, complex(float.fromhex(re), float.fromhex(im)))
        return Weak(kind, float.fromhex(text) if kind == "f" else int(text))

    def array(self, dtype):
        """As one element of a dtype."""
        if dtype == "bool":
            return np.asarray(bool(self.value))
        if KIND[dtype] in "iu":
            if self.kind in "fc":
                raise Fails()
            limits = np.iinfo(dtype)
            if not limits.min <= int(self.value) <= limits.max:
                raise Fails("OVERFLOW")
            return np.asarray(int(self.value), dtype)
        if KIND[dtype] == "f" and self.kind == "c":
            raise Fails()
        wide = np.clongdouble(self.value) if KIND[dtype] == "c" else np.longdouble(self.value)
        return encoded(np.asarray(wide), dtype)


def promoted_dtype(operands):
    """Of (dtype, elements) pairs and weak numbers."""
    strong = [x[0] for x in operands if not isinstance(x, Weak)]
    if not strong:
        raise Fails("INVALID_ARGUMENT")
    dtype = promote_all(strong)
    # Together, not one after the other: float32, int16, float16 in any order.
    for kind in (x.kind for x in operands if isinstance(x, Weak)):
        dtype = promote_weak(dtype, kind)
    return dtype


def as_dtype(x, dtype):
    """An operand's elements, cast."""
    return x.array(dtype) if isinstance(x, Weak) else cast(x[1], x[0], dtype)


def _computed_in(dtype, function, *args):
    """By NumPy's own loop; float16 and bfloat16 in float32, rounded once."""
    with np.errstate(all="ignore"):
        if dtype in ("float16", "bfloat16"):
            wide = function(*(widened(x, dtype).astype(np.float32) for x in args))
            return wide if wide.dtype == bool else encoded(wide.astype(np.longdouble), dtype)
        return np.asarray(function(*args))


def _vectorized(function):
    """A function of Python's math; its poles and overflows as C has them."""
    def of_one(x):
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return lambda x: np.vectorize(of_one, otypes=[np.float64])(x.astype(np.float64)).astype(np.longdouble)


def _gamma(x):
    result = _vectorized(math.gamma)(x)
    # below zero only the pole at zero is that steep
    result = np.where(np.isinf(result), np.copysign(result, x), result)
    result = np.where(x == 0, np.copysign(np.longdouble(np.inf), x), result)
    return np.where(x == np.inf, x, result)


def _lgamma(x):
    return np.where((x <= 0) & (x == np.floor(x)) | np.isinf(x), np.longdouble(np.inf), _vectorized(math.lgamma)(x))


def _digamma(x):
    """The recurrence up to 40, six terms of the asymptotic series, and for x < 0 the reflection."""
    with np.errstate(all="ignore"):
        pi, one = np.arccos(np.longdouble(-1)), np.longdouble(1)
        up, below = np.where(x < 0, 1 - x, x), np.zeros_like(x)
        for _ in range(40):
            small = up < 40
            below, up = np.where(small, below + 1 / up, below), np.where(small, up + 1, up)
        z = 1 / (up * up)
        series = np.zeros_like(z)
        for term in (one * 691 / 32760, one / 132, one / 240, one / 252, one / 120, one / 12):
            series = z * (term - series)
        positive = np.log(up) - 1 / (2 * up) - series - below
        part = x - np.rint(x)
        beyond = np.copysign(np.tan(pi * (0.5 - np.abs(part))), part)
        cotangent = np.where(np.abs(part) > 0.25, beyond, 1 / np.tan(pi * part))
        result = np.where(x < 0, positive - pi * cotangent, positive)
        result = np.where((x < 0) & ((part == 0) | np.isinf(x)), np.nan, result)
        return np.where(x == 0, -1 / x, np.where((x == np.inf) | np.isnan(x), x, result))


def _sinc(x):
    with np.errstate(all="ignore"):
        pi = np.arccos(np.longdouble(-1))
        part = np.fmod(np.abs(x), 2)
        whole = part - np.rint(part)
        sine = np.where(np.rint(part) == 1, -1, 1) * np.sin(pi * whole)
        return np.where(x == 0, 1, sine / (pi * np.abs(x)))


def _integer_power(a, b):
    with np.errstate(all="ignore"):
        if not np.issubdtype(b.dtype, np.signedinteger):
            return np.power(a, b)
        powers = np.power(a, np.maximum(b, 0))
        odd = (b & 1) == 1
        negative = np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0)).astype(a.dtype)
        return np.where(b < 0, negative, powers)


def _shift(left):
    def shift(a, b):
        bits = a.dtype.itemsize * 8
        with np.errstate(all="ignore"):
            outside = (b < 0) | (b >= bits)
            amount = np.where(outside, 0, b).astype(a.dtype)
            inside = np.left_shift(a, amount) if left else np.right_shift(a, amount)
            beyond = np.zeros_like(a) if left else np.where(a < 0, -1, 0).astype(a.dtype)
            return np.where(outside, beyond, inside)
    return shift


def _extreme(function, greater):
    """maximum, minimum, fmax, fmin: of two zeros the one with the sign asked for."""
    def extreme(a, b):
        result = np.asarray(function(a, b))
        if result.dtype.kind != "f":
            return result
        both = (a == 0) & (b == 0)
        negative = (np.signbit(a) & np.signbit(b)) if greater else (np.signbit(a) | np.signbit(b))
        return np.where(both, np.where(negative, np.float32(-0.0), np.float32(0.0)).astype(result.dtype), result)
    return extreme


_maximum, _minimum = _extreme(np.maximum, True), _extreme(np.minimum, False)


def _sign(x):
    if x.dtype.kind == "c":
        raise Unknown
    return (
        np.where(np.isnan(x), x, (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype))
        if x.dtype.kind == "f"
        else np.sign(x)
    )


def _heaviside(a, b):
    return np.where(np.isnan(a), a, np.where(a < 0, 0, np.where(a > 0, 1, b))).astype(a.dtype)


def _remainder(a, b):
    if a.dtype.kind != "f":
        return np.remainder(a, b)
    rest = np.fmod(a, b)
    adjusted = np.where((rest != 0) & (np.signbit(rest) != np.signbit(b)), rest + b, rest)
    return np.where(rest == 0, np.copysign(np.zeros_like(rest), b), adjusted)


# Exact operations that are not NumPy's function of that name, on elements of the loop's dtype (float32 for the 16-bit
# floats).
_EXACT = {
    "remainder": _remainder,
    "sign": _sign,
    "heaviside": _heaviside,
    "bitwise_left_shift": _shift(True),
    "bitwise_right_shift": _shift(False),
    "bitwise_invert": lambda x: ~x,
    "maximum": _maximum,
    "minimum": _minimum,
    "fmax": _extreme(np.fmax, True),
    "fmin": _extreme(np.fmin, False),
    "clip": lambda x, low, high: _minimum(_maximum(x, low), high),
    "real": lambda x: x.real.copy(),
    "imag": lambda x: x.imag.copy(),
    "square": lambda x: x * x,
    "reciprocal": lambda x: np.ones_like(x) / x,
}
# In long double.
_WIDE = {
    "erf": _vectorized(math.erf),
    "erfc": _vectorized(math.erfc),
    "gamma": _gamma,
    "lgamma": _lgamma,
    "digamma": _digamma,
    "sinc": _sinc,
    "log1p": lambda x: _complex_log1p(x) if x.dtype.kind == "c" else np.log1p(x),
    "exp2": lambda x: np.exp(x * np.log(np.longdouble(2))) if x.dtype.kind == "c" else np.exp2(x),
}


def _oracle(name):
    """The expression of tests/oracle.def, read as Python's: a function of as many arguments as the operation has."""
    of_numpy = re.sub(r"\bstd::(\w+)", lambda m: "np." + _NAMES.get(m[1], m[1]), ORACLE[name])
    try:
        function = eval(f"lambda a, b=None, c=None: {of_numpy}", {"np": np, "pi": np.arccos(np.longdouble(-1))})
        with np.errstate(all="ignore"):
            function(*np.ones((OPS[name].inputs, 1), np.longdouble))
    except (SyntaxError, NameError, AttributeError, TypeError) as e:
        raise LookupError(f"NumPy has no {name}, and the expression of tests/oracle.def is not Python's: "
                          "tests/fuzz/programs/elementwise.py must say what it gives") from e
    return function


def _function(name):
    return getattr(np, _NAMES.get(name, name), None) or _oracle(name)


def _nextafter_bfloat16(a, b):
    x, y = widened(a, "bfloat16"), widened(b, "bfloat16")
    magnitude, sign = a & 0x7FFF, a & 0x8000
    away = (y > x) == (x > 0)
    moved = np.where(x == 0, np.where(y > 0, 1, 0x8001), sign | np.where(away, magnitude + 1, magnitude - 1)).astype(
        np.uint16
    )
    return np.where(np.isnan(x) | np.isnan(y), 0x7FC0, np.where(x == y, b, moved)).astype(np.uint16)


def _complex_log1p(z):
    """Without NumPy's cancellation near zero."""
    away = 0.5 * np.log1p(z.real * (2 + z.real) + z.imag * z.imag)
    near = np.log(np.abs(1 + z))  # near -1, where the sum above loses its bits, and 1 + z none
    return np.where(np.abs(1 + z) < 0.5, near, away) + 1j * np.arctan2(z.imag, 1 + z.real)


def _of_sign(name, result, args, loop):
    """copysign and signbit; where the sign is a NaN's the result is free."""
    wide = [widened(x, loop) for x in args]
    values = np.signbit(wide[0]).astype(np.longdouble) if name == "signbit" else np.copysign(*wide)
    return Exact(result, values != 0 if name == "signbit" else encoded(values, loop), free=np.isnan(wide[-1]))


def _mixed_comparison(row, operands):
    """NumPy compares integers of any dtypes, and those of numbers, as integers, though int64 and uint64 promote to
    float64."""
    kinds = [x.kind if isinstance(x, Weak) else KIND[x[0]] for x in operands]
    if row.result != "BOOL" or row.inputs != 2 or not all(kind in "iu" for kind in kinds):
        return None
    a, b = (np.asarray(x.value if isinstance(x, Weak) else x[1]).astype(object) for x in operands)
    return Exact("bool", np.asarray(_function(row.name)(a, b)).astype(bool))


def _logical(row, operands):
    args = [as_dtype(x, "bool") for x in operands]
    return Exact("bool", _function(row.name)(*args))


def _select(operands):
    condition, rest = operands[0], operands[1:]
    dtype = promoted_dtype(rest) if not all(isinstance(x, Weak) for x in rest) else None
    if dtype is None:
        raise Unknown
    return Exact(dtype, np.where(as_dtype(condition, "bool"), *(as_dtype(x, dtype) for x in rest)))


def _ulps(name, dtype):
    return ULPS[name][1 if real_of(dtype) == "float64" else 0] * 1.01


def _complex(row, loop, args):
    """Values by modulus; what is not finite is for the comparison of bits alone."""
    name = row.name
    if name in ("add", "subtract", "negative", "positive", "conj", "real", "imag", "round"):
        return Exact(real_of(loop) if row.result == "REAL" else loop,
                     _computed_in(loop, _EXACT.get(name) or _function(name), *args))
    wide = [widened(x, loop) for x in args]
    with np.errstate(all="ignore"):
        special = ~np.isfinite(sum(np.abs(x) for x in wide))
        if name == "abs":
            return within_ulps(real_of(loop), np.hypot(wide[0].real, wide[0].imag), 1.5, special)
        if name == "sign":
            values = np.where(wide[0] == 0, 0, wide[0] / np.hypot(wide[0].real, wide[0].imag))
        elif name == "square":
            values = wide[0] * wide[0]
        elif name == "reciprocal":
            values = 1 / wide[0]
        else:
            values = (_WIDE.get(name) or _function(name))(*wide)
        if name == "pow":
            special |= (np.abs(wide[0]) == 0) | (np.abs(values) < 1e-30)
        if name == "exp2":  # the argument of the oracle's own sine is rounded
            special |= np.abs(wide[0].imag) > 2.0 ** 8
        if name in ("divide", "reciprocal"):
            special |= np.abs(wide[-1]) == 0
        ulps = _COMPLEX_ULPS_OF.get(name, _COMPLEX_ULPS)
        if name == "pow":  # both sides lose as many bits as the logarithm's multiple has in front of the point
            turns = np.nan_to_num(np.abs(wide[1] * np.log(wide[0])))
            ulps = ulps + turns * (2.0 ** -8 if real_of(loop) == "float64" else 2.0 ** -30)
            special |= turns > 2.0 ** 60  # no bit is left
        return within_ulps(loop, values, ulps, special)


def _real(row, loop, args):
    name = row.name
    wide = [widened(x, loop) for x in args]
    with np.errstate(all="ignore"):
        if name == "floor_divide":
            # NumPy's formula, which rounds a - fmod(a, b): quotients of nearly all the bits of the significand are up
            # to two units off.
            return Exact(loop, _computed_in(loop, np.floor_divide, *args))
        if name == "abs":
            return Exact(loop, encoded(np.abs(wide[0]), loop))
        ulps = _ulps(name, loop)
        if ulps == 0:
            return None
        values = (_WIDE.get(name) or _function(name))(*wide)
        if name == "lgamma":  # it has zeros that no number of the format is near
            ulps += 20 if loop == "float64" else 0.01
            return Near(loop, values, ulps * np.maximum(spacing(values, loop), spacing(np.ones_like(values), loop))
                        + 2.0 ** -50)
        if name in ("digamma", "logaddexp", "logaddexp2"):  # they have zeros, too
            return Near(loop, values, ulps * np.maximum(spacing(values, loop),
                                                        spacing(np.full_like(values, 0.25), loop)))
        if name in ("erf", "erfc", "gamma"):  # Python's own are not better
            ulps += 20 if loop == "float64" else 0.01
        return within_ulps(loop, values, ulps)


def shows_free_sign(name, operands):
    """Whether a result has the sign of a NaN, which is free, and other bits in other modes."""
    if name not in ("copysign", "signbit"):
        return False
    source = operands[-1]
    return isinstance(source, Weak) or KIND[source[0]] == "f" and bool(np.isnan(widened(source[1], source[0])).any())


def answer(name, operands):
    """What an operation gives for (dtype, elements) pairs and weak numbers."""
    if any(not isinstance(x, Weak) and x[1].ndim for x in operands):
        return _answer(OPS[name], operands)
    # NumPy before 2 makes numbers of 0-d arrays, and promotes by value.
    return _answer(OPS[name], [x if isinstance(x, Weak) else (x[0], x[1].reshape(1)) for x in operands]).reshaped(())


def _answer(row, operands):
    name = row.name
    if row.result == "LOGICAL":
        promoted_dtype(operands)
        return _logical(row, operands)
    if row.result == "SELECT":
        return _select(operands)
    promoted = promoted_dtype(operands)
    loop = loop_of(row, promoted)
    if loop is None:
        raise Fails("TYPE")
    mixed = _mixed_comparison(row, operands)
    if mixed is not None:
        return mixed
    args = np.broadcast_arrays(*(as_dtype(x, loop) for x in operands))
    result = "bool" if row.result == "BOOL" else loop
    if name == "nextafter" and loop == "bfloat16":
        return Exact(loop, _nextafter_bfloat16(*args))
    if name in ("copysign", "signbit"):
        return _of_sign(name, result, args, loop)
    if name == "nextafter" and loop == "float16":  # NumPy's own gives the first of two zeros, C's the second
        with np.errstate(all="ignore"):
            return Exact(result, np.where(args[0] == args[1], args[1], np.nextafter(*args)))
    if KIND[loop] == "c" and row.result != "BOOL":
        return _complex(row, loop, args)
    if KIND[loop] == "f" and row.result != "BOOL":
        near = _real(row, loop, args)
        if near is not None:
            return near
    if KIND[loop] in "iu" and name == "pow":
        return Exact(loop, _integer_power(*args))
    if KIND[loop] in "?iu" and name in ("isnan", "isinf", "isfinite"):
        return Exact("bool", np.full(args[0].shape, name == "isfinite"))
    if KIND[loop] in "?iu" and name in ("ceil", "floor", "trunc", "round", "real", "conj", "positive"):
        return Exact(loop, args[0].copy())
    if KIND[loop] in "?iu" and name == "imag":
        return Exact(loop, np.zeros(args[0].shape, stored(loop)))
    return Exact(result, _computed_in(loop, _EXACT.get(name) or _function(name), *args))

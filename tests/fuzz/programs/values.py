# tests/fuzz/programs/values.py -- numbers of every dtype, decoded to wider ones and rounded back: the one place that
# knows bfloat16.
import numpy as np

from tables import KIND, real_of, stored



def of_vectors(function):
    """A function of arrays, first argument and result, that sees no 0-d one: NumPy before 2 makes numbers of these, and
    promotes by value."""
    def wrapped(x, *rest):
        return np.asarray(function(np.atleast_1d(x), *rest)).reshape(np.shape(x))
    return wrapped


# Bits of the significand, and the exponent of the least subnormal number.
_FORMATS = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}
_LARGEST = {"float16": 65504.0, "bfloat16": float(np.ldexp(255.0, 120)), "float32": float(np.finfo(np.float32).max),
            "float64": float(np.finfo(np.float64).max)}


def widened(x, dtype):
    """The values of stored elements as what the oracle computes with: long double, complex of those, or the integers
    themselves."""
    if dtype == "bfloat16":
        return np.left_shift(x.astype(np.uint32), np.uint32(16)).view(np.float32).astype(np.longdouble)
    if KIND[dtype] == "f":
        return x.astype(np.longdouble)
    if KIND[dtype] == "c":
        return x.astype(np.clongdouble)
    return x


@of_vectors
def spacing(x, dtype):
    """One ULP of a real dtype at the (long double) values x."""
    precision, least = _FORMATS[real_of(dtype)]
    finite = np.where(np.isfinite(x), np.abs(x), 1)
    _, exponent = np.frexp(finite)
    exponent = np.where(finite == 0, least, exponent - precision)
    return np.ldexp(np.longdouble(1), np.maximum(exponent, least))


def largest(dtype):
    return np.longdouble(_LARGEST[real_of(dtype)])


@of_vectors
def rounded(x, dtype):
    """Long double values rounded once to a real dtype, halves to even; still long double."""
    with np.errstate(all="ignore"):
        unit = spacing(x, dtype)
        near = np.where(np.isfinite(x), np.copysign(np.rint(x / unit) * unit, x), x)
        return np.where(np.abs(near) > largest(dtype), np.copysign(np.longdouble(np.inf), near), near)


@of_vectors
def encoded(x, dtype):
    """Values, rounded to a floating dtype, as its stored elements."""
    with np.errstate(all="ignore"):
        if KIND[dtype] == "c":
            parts = np.empty(x.shape, stored(dtype))
            parts.real, parts.imag = rounded(x.real, dtype), rounded(x.imag, dtype)
            return parts
        exact = rounded(x, dtype)
        if dtype == "bfloat16":
            bits = exact.astype(np.float32).view(np.uint32)
            return np.where(np.isnan(exact), 0x7FC0, bits >> 16).astype(np.uint16)
        return exact.astype(stored(dtype))


_INTEGER_LIMITS = {name: (int(np.iinfo(name).min), int(np.iinfo(name).max)) for name in KIND if KIND[name] in "iu"}


def _to_integer(x, dtype):
    """Truncates and saturates real numbers; NaN gives 0."""
    low, high = _INTEGER_LIMITS[dtype]
    with np.errstate(all="ignore"):
        inside = np.where(np.isnan(x), 0, np.trunc(x))
        result = np.clip(inside, np.longdouble(low), np.longdouble(high))
        return np.where(result < 0, result.astype(np.int64).astype(dtype),
                        np.maximum(result, 0).astype(np.uint64).astype(dtype)).astype(dtype)


@of_vectors
def cast(x, source, target):
    """gpuopt_astype: floats to integers truncate and saturate, NaN gives 0, integers wrap, complex to real drops the
    imaginary part."""
    with np.errstate(all="ignore"):
        if source == target:
            return x.copy()
        values = widened(x, source)
        if target == "bool":
            return np.asarray(values != 0)
        if KIND[source] == "c" and KIND[target] != "c":
            values = values.real
        if KIND[target] in "iu":
            if KIND[source] in "?iu":
                return values.astype(target)
            return _to_integer(values, target)
        if KIND[source] in "?iu":
            values = values.astype(np.longdouble)
        if KIND[target] == "c" and KIND[source] != "c":
            values = values.astype(np.clongdouble)
        return encoded(np.asarray(values), target)


def same(a, b, dtype):
    """Elementwise: equal, and zeros of one sign; or both NaN."""
    with np.errstate(all="ignore"):
        if KIND[dtype] == "c":
            return same(a.real, b.real, real_of(dtype)) & same(a.imag, b.imag, real_of(dtype))
        if KIND[dtype] != "f":
            return np.asarray(a == b)
        x, y = widened(a, dtype), widened(b, dtype)
        equal = (x == y) | (np.isnan(x) & np.isnan(y))
        return np.asarray(equal & (np.isnan(x) | (np.signbit(x) == np.signbit(y))))

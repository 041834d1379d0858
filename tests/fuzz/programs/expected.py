# tests/fuzz/programs/expected.py -- what a statement must give: exact elements, values within bounds, or an error.
from collections import Counter

import numpy as np

from tables import KIND, STATUS, real_of
from values import cast, largest, rounded, same, spacing, widened


class Fails(Exception):
    """The statement must fail, with one of these statuses (none named: with any)."""

    def __init__(self, *names):
        super().__init__(", ".join(names))
        self.statuses = {STATUS[name] for name in names}


class Unknown(Exception):
    """The oracle has no answer for this statement: only its bits are compared between modes."""


class Exact:
    """Stored elements of a dtype, equal element by element; NaNs are alike. What `free` marks is not looked at."""

    def __init__(self, dtype, elements, free=False):
        self.dtype, self.elements = dtype, np.asarray(elements)
        self.free = np.broadcast_to(free, self.elements.shape)

    @property
    def shape(self):
        return self.elements.shape

    def wrong(self, got):
        return ~(same(self.elements, got, self.dtype) | self.free)

    def text(self, place):
        return str(self.elements[place] if self.dtype != "bfloat16" else widened(self.elements, self.dtype)[place])

    def cast(self, target):
        return Exact(target, cast(self.elements, self.dtype, target), self.free)

    def reshaped(self, shape):
        return Exact(self.dtype, self.elements.reshape(shape), self.free.reshape(shape))


class Near:
    """Long double values, and how far an element may be from its own (of complex numbers: the modulus of the
    difference). What `free` marks is not looked at."""

    def __init__(self, dtype, values, bound, free=False):
        self.dtype, self.values = dtype, np.asarray(values)
        self.bound = np.broadcast_to(np.asarray(bound, np.longdouble), self.values.shape)
        self.free = np.broadcast_to(free, self.values.shape)

    @property
    def shape(self):
        return self.values.shape

    def wrong(self, got):
        with np.errstate(all="ignore"):
            wide = widened(got, self.dtype)
            if KIND[self.dtype] == "c":
                good = np.abs(wide - self.values) <= self.bound
                finite = np.isfinite(self.values.real) & np.isfinite(self.values.imag)
                near_the_end = np.abs(self.values) + self.bound > largest(self.dtype) / 2
                return ~(good | self.free | ~finite | near_the_end)
            if KIND[self.dtype] != "f":
                return ~((np.abs(wide.astype(np.longdouble) - self.values) <= self.bound) | self.free)
            good = (
                (wide == self.values)
                | (np.isnan(wide) & np.isnan(self.values))
                | (np.abs(wide - self.values) <= self.bound)
            )
            good |= wide == rounded(self.values, self.dtype)
            good |= (
                np.isinf(wide)
                & (np.abs(self.values) + self.bound > largest(self.dtype))
                & ((wide > 0) == (self.values > 0))
            )
            return ~(good | self.free)

    def text(self, place):
        return f"{self.values[place]} within {self.bound[place]}"

    def cast(self, target):
        """As this dtype's result, cast once more."""
        if target == self.dtype:
            return self
        if KIND[target] not in "fc":
            raise Unknown
        values = self.values if KIND[target] == KIND[self.dtype] else self.values.astype(np.clongdouble)
        rounding = 0.51 if KIND[target] == "f" else 0.75  # of both parts
        overflows = np.abs(self.values) + self.bound > largest(self.dtype)
        return Near(target, values, self.bound + rounding * spacing(np.abs(values), target), self.free | overflows)

    def reshaped(self, shape):
        return Near(self.dtype, self.values.reshape(shape), self.bound.reshape(shape), self.free.reshape(shape))


class Among:
    """Elements of a vector in any order; without replacement, no place of it twice."""

    def __init__(self, dtype, elements, shape, replace):
        self.dtype, self.elements, self.shape, self.replace = dtype, elements, tuple(shape), replace

    def wrong(self, got):
        left = Counter(element.tobytes() for element in self.elements)
        wrong = np.zeros(got.size, bool)
        for place, element in enumerate(got.ravel()):
            wrong[place] = left[element.tobytes()] <= 0
            left[element.tobytes()] -= 0 if self.replace else 1
        return wrong.reshape(got.shape)

    def text(self, place):
        return "an element of the vector" + ("" if self.replace else ", none twice")


def within_ulps(dtype, values, ulps, free=False):
    """Values within so many ULPs of a dtype; float16 and bfloat16 are computed in float32 and rounded."""
    values = np.asarray(values)
    with np.errstate(all="ignore"):
        if KIND[dtype] == "c":
            size = np.abs(values)
            near_zero = 4 * spacing(np.zeros_like(size), dtype)
            return Near(dtype, values, ulps * spacing(size, dtype) + near_zero, free)
        if dtype in ("float16", "bfloat16"):
            return Near(dtype, values, 0.51 * spacing(values, dtype) + ulps * spacing(values, "float32"), free)
        return Near(dtype, values, ulps * spacing(values, dtype), free)


def epsilon(dtype):
    """Half an ULP of 1 in the dtype in which sums and products accumulate: float16 and bfloat16 do so in float32."""
    return np.longdouble({"float64": 2.0 ** -53}.get(real_of(dtype), 2.0 ** -24))


def half_a_unit(values, dtype):
    """The error of rounding to the result's dtype, where that is narrower than what accumulates."""
    return (0.51 if KIND[dtype] == "f" else 0.75) * spacing(np.abs(values), dtype)


def difference(expected, record):
    """None where the record is what was expected; else a sentence."""
    got = record.array()
    if record.dtype != expected.dtype:
        return f"dtype {record.dtype}, expected {expected.dtype}"
    if tuple(record.shape) != tuple(expected.shape):
        return f"shape {tuple(record.shape)}, expected {tuple(expected.shape)}"
    wrong = expected.wrong(got)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    value = widened(got, expected.dtype)[place]
    count = f"{int(wrong.sum())} of {wrong.size} elements are wrong"
    return f"{count}; element {place} is {value}, expected {expected.text(place)}"

# bindings/python/tests/search_families.py -- a search for calls of whole families on which gpuopt and NumPy differ.
"""usage: search_families.py [SECONDS [SEED [FAMILY ..]]]

Makes random calls of sorting, searching, sets, indexing, statistics, Fourier transforms, linear algebra, and of the
families of search_arrays.py, or of those that are named, on arrays of random shapes, dtypes and layouts with NaN,
infinities, ties and extremes among their elements, and compares with NumPy: exactly where NumPy's result is exact,
within rounding errors elsewhere, and decompositions by what they promise. An error of NumPy's must be an error here,
and the other way round. What differs is printed, with the seed of the call; the exit status says whether anything did.
"""

import collections
import sys
import time
import warnings

import gpuopt as gp
import numpy as np
import search_arrays
from search_arrays import COMPLEX, INTEGERS, REAL

METHODS = ("linear lower higher midpoint nearest inverted_cdf averaged_inverted_cdf closest_observation "
           "interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased").split()


class Case:
    """The random choices of one call."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def pick(self, *choices):
        return choices[self.random.integers(len(choices))]

    def number(self, low, high):
        """An integer from low to high."""
        return int(self.random.integers(low, high + 1))

    def shape(self, least=0, most=4, size=7):
        return tuple(self.number(0 if self.number(0, 9) == 0 else 1, size) for _ in range(self.number(least, most)))

    def values(self, shape, dtype, special=True):
        """An array of NumPy's, with ties."""
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.random.random(shape) < 0.5
        if kind in "iu":
            info = np.iinfo(dtype)
            x = self.random.integers(0 if kind == "u" else -5, 6, shape).astype(dtype)
            return np.where(self.random.random(shape) < 0.1, self.pick(info.min, info.max), x).astype(dtype)
        x = self.random.standard_normal(shape)
        x = np.where(self.random.random(shape) < 0.3, np.round(x), x)
        if kind == "c":
            x = x + 1j * np.round(self.random.standard_normal(shape), self.pick(0, 6))
        if special and self.number(0, 2) == 0:
            x = np.where(self.random.random(shape) < 0.15, self.pick(np.nan, np.inf, -np.inf, -0.0), x)
        return np.asarray(x).astype(dtype)

    def layout(self, x):
        """The same view of both libraries' copies of an array."""
        ours, index = gp.asarray(x), []
        if x.ndim > 1 and self.number(0, 2) == 0:
            order = [int(i) for i in self.random.permutation(x.ndim)]
            x, ours = x.transpose(order), gp.permute_dims(ours, tuple(order))
        for size in x.shape:
            step = self.pick(1, 1, 1, -1, 2, -2)
            index.append(slice(None, None, step if size > 1 else 1))
        return x[tuple(index)], ours[tuple(index)]

    def array(self, shape, dtype, special=True):
        return self.layout(self.values(shape, dtype, special))

    def axis(self, x):
        return self.number(-x.ndim, x.ndim - 1)

    def index(self, x):
        """The same random index for both libraries; integers may be out of bounds."""
        both, shape = [], self.shape(0, 2, 3)
        for size in x.shape:
            kind = self.number(0, 8)
            if kind < 3:
                bounds = [self.pick(None, self.number(-size - 2, size + 2)) for _ in range(2)]
                one = slice(*bounds, self.pick(None, 1, 2, -1, -2))
                both.append((one, one))
            elif kind < 5:
                i = self.number(-size, max(size - 1, 0))
                both.append((i, i))
            elif kind == 5 and self.number(0, 3) == 0:
                mask = self.values((size,), "bool")
                both.append((mask, gp.asarray(mask)))
            elif kind < 8:
                i = self.random.integers(-size, max(size, 1), shape)
                both.append((i, gp.asarray(i)))
            if self.number(0, 9) == 0:
                both.append((None, None))
            if self.number(0, 9) == 0:
                both.append((Ellipsis, Ellipsis))
                break
        return tuple(b[0] for b in both), tuple(b[1] for b in both)


def plain(value):
    """The arrays of a result, as NumPy's."""
    if isinstance(value, gp.ndarray):
        return [gp.asnumpy(value)]
    if isinstance(value, (tuple, list)):
        return [array for one in value for array in plain(one)]
    return [np.asarray(value)]


def outcome(call):
    """What a call gives, or its error."""
    try:
        return plain(call())
    except (ValueError, LookupError, TypeError, ArithmeticError, RuntimeError) as error:
        return error


def equal(ours, theirs, rounding):
    """Whether arrays are equal: `rounding` is 0, how many units of their dtype they may differ by, or an array of how
    far elements may be apart."""
    if ours.shape != theirs.shape:
        return False
    kinds = ours.dtype.kind + theirs.dtype.kind
    if isinstance(rounding, np.ndarray) and set(kinds) & set("fc"):
        wide = "complex128" if "c" in kinds else "float64"
        return bool(np.all((np.abs(ours.astype(wide) - theirs.astype(wide)) <= rounding) | (ours == theirs)))
    if isinstance(rounding, np.ndarray) or not rounding or not set(kinds) & set("fc"):
        return np.array_equal(ours, theirs, equal_nan=set(kinds) <= set("fc"))
    single = any(np.dtype(x.dtype).name in ("float32", "complex64") for x in (ours, theirs))
    unit = np.finfo("float32" if single else "float64").eps
    finite = theirs[np.isfinite(theirs)]
    scale = max(1.0, float(np.max(np.abs(finite)))) if finite.size else 1.0
    parts = [(ours.real, theirs.real), (ours.imag, theirs.imag)] if "c" in kinds else [(ours, theirs)]
    return all(np.allclose(x, y, rtol=rounding * unit, atol=rounding * unit * scale, equal_nan=True) for x, y in parts)


class Search:
    def __init__(self):
        self.counts, self.differing, self.seed = collections.Counter(), collections.Counter(), 0

    def compare(self, name, ours, theirs, rounding=0, *arguments):
        """Calls both. An error of one must be one of the other."""
        self.counts[name.split()[0]] += 1
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            a, b = outcome(ours), outcome(theirs)
        if isinstance(a, Exception) or isinstance(b, Exception):
            same = isinstance(a, Exception) and isinstance(b, Exception)
        else:
            same = len(a) == len(b) and all(equal(x, y, rounding) for x, y in zip(a, b))
        if not same:
            self.tell(name, a, b, arguments)

    def tell(self, name, a, b, arguments=()):
        self.differing[name.split()[0]] += 1
        if self.differing[name.split()[0]] <= 5:
            print(f"seed {self.seed}: {name}\n  ours   {a!r:.300}\n  theirs {b!r:.300}\n  of {arguments!r:.400}")
            sys.stdout.flush()

    def check(self, name, holds, *arguments):
        self.counts[name.split()[0]] += 1
        if not holds:
            self.tell(name, "does not hold", "", arguments)


# ---- The families


def sorting(case, s):
    x, y = case.array(case.shape(1), case.pick("bool", *INTEGERS, *REAL))
    if case.number(0, 30) == 0:
        x, y = case.array((case.number(1, 5000),), case.pick(*INTEGERS, *REAL))
    axis = case.axis(x)
    s.compare("sort", lambda: gp.sort(y, axis=axis), lambda: np.sort(x, axis=axis), 0, x, axis)
    s.compare("argsort", lambda: gp.argsort(y, axis=axis), lambda: np.argsort(x, axis=axis, stable=True), 0, x, axis)
    if x.shape[axis]:
        kth = case.number(0, x.shape[axis] - 1)
        s.compare("partition", lambda: gp.take(gp.partition(y, kth, axis), gp.asarray([kth]), axis),
                  lambda: np.take(np.partition(x, kth, axis), [kth], axis), 0, x, kth, axis)
    keys = [case.array(x.shape, case.pick("int8", "float32"), False) for _ in range(case.number(1, 3))]
    s.compare("lexsort", lambda: gp.lexsort([k[1] for k in keys], axis), lambda: np.lexsort([k[0] for k in keys], axis))


def searching(case, s):
    dtype = case.pick(*INTEGERS, *REAL)
    base, v = np.sort(case.values((case.number(0, 9),), dtype)), case.array(case.shape(0, 3), dtype)
    ours, side = gp.asarray(base), case.pick("left", "right")
    s.compare("searchsorted", lambda: gp.searchsorted(ours, v[1], side=side),
              lambda: np.searchsorted(base, v[0], side=side), 0, base, v[0], side)
    bins = np.unique(base[~np.isnan(base)] if base.dtype.kind == "f" else base)
    if not np.isnan(v[0]).any():
        right = case.pick(True, False)
        s.compare("digitize", lambda: gp.digitize(v[1], gp.asarray(bins), right),
                  lambda: np.digitize(v[0], bins, right), 0, v[0], bins, right)
    counts = case.array((case.number(0, 12),), case.pick("int64", "uint8", "int32"))
    if counts[0].size == 0 or abs(int(counts[0].max())) < 1000:
        least = case.number(0, 9)
        s.compare("bincount", lambda: gp.bincount(counts[1], minlength=least),
                  lambda: np.bincount(counts[0], minlength=least), 0, counts[0], least)
    x = case.array(case.shape(1, 3), case.pick("int32", "float64", "bool"))
    s.compare("nonzero", lambda: gp.nonzero(x[1]), lambda: np.nonzero(x[0]), 0, x[0])
    for name in ("argmax", "argmin"):
        axis = case.pick(None, case.axis(x[0]))
        s.compare(name, lambda: getattr(gp, name)(x[1], axis=axis), lambda: getattr(np, name)(x[0], axis=axis), 0, x[0])


def sets(case, s):
    dtype = case.pick("bool", *INTEGERS, *REAL)
    x, y = (case.array(case.shape(1, 2), dtype) for _ in range(2))
    s.compare("unique_all", lambda: gp.unique_all(x[1]), lambda: np.unique_all(x[0]), 0, x[0])
    s.compare("unique_counts", lambda: gp.unique_counts(x[1]), lambda: np.unique_counts(x[0]), 0, x[0])
    s.compare("unique_values", lambda: gp.sort(gp.unique_values(x[1])), lambda: np.sort(np.unique_values(x[0])), 0,
              x[0])
    invert = case.pick(True, False)
    s.compare("isin", lambda: gp.isin(x[1], y[1], invert=invert), lambda: np.isin(x[0], y[0], invert=invert), 0, x, y)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        s.compare(name, lambda: getattr(gp, name)(x[1], y[1]), lambda: getattr(np, name)(x[0], y[0]), 0, x[0], y[0])


def indexing(case, s):
    x, y = case.array(case.shape(1), case.pick("bool", "int16", "float32", "complex128"))
    theirs, ours = case.index(x)
    s.compare("x[index]", lambda: y[ours], lambda: x[theirs], 0, x.shape, theirs)
    a, b = x.copy(), gp.copy(y)
    try:
        shape = a[theirs].shape
    except (IndexError, ValueError):
        return
    value = case.values(shape[case.number(0, len(shape)):] if shape else (), x.dtype)

    def write(to, index, what):
        to[index] = what
        return to

    repeated = any(isinstance(i, np.ndarray) and i.dtype.kind == "i" for i in theirs)
    if not repeated:  # which of two writes to one element stays is not NumPy's to say
        s.compare("x[index]=v", lambda: write(b, ours, gp.asarray(value)), lambda: write(a, theirs, value), 0, x.shape,
                  theirs, value.shape)
    axis = case.axis(x)
    i = case.random.integers(-x.shape[axis], max(x.shape[axis], 1), case.shape(0, 2))
    s.compare("take", lambda: gp.take(y, gp.asarray(i), axis), lambda: np.take(x, i, axis), 0, x.shape, i, axis)
    along = case.random.integers(0, max(x.shape[axis], 1), x.shape)
    s.compare("take_along_axis", lambda: gp.take_along_axis(y, gp.asarray(along), axis),
              lambda: np.take_along_axis(x, along, axis), 0, x.shape, along, axis)


def statistics(case, s):
    x, y = case.array(case.shape(1, 3), case.pick(*REAL))  # between integers far apart NumPy's quantiles wrap around
    axis, keep = case.pick(None, case.axis(x)), case.pick(True, False)
    for name in ("median", "nanmedian"):
        s.compare(name, lambda: getattr(gp, name)(y, axis=axis, keepdims=keep),
                  lambda: getattr(np, name)(x, axis=axis, keepdims=keep), 8, x, axis)
    q, method = case.random.random(case.shape(0, 1)).round(case.pick(1, 6)), case.pick(*METHODS)
    # A quantile that is an element is that element here, also beside infinities, where NumPy's is NaN; and of no
    # elements NumPy has none for each q.
    for name in ("quantile", "nanquantile") if x.size and not np.isinf(x).any() else ():
        s.compare(name, lambda: getattr(gp, name)(y, gp.asarray(q), axis=axis, method=method, keepdims=keep),
                  lambda: getattr(np, name)(x, q, axis=axis, method=method, keepdims=keep), 16, x, q, axis, method)
    along = case.pick(None, case.axis(x), tuple(range(case.number(1, x.ndim))))
    shape = x.shape if along is None or case.number(0, 1) else tuple(x.shape[i] for i in np.atleast_1d(along))
    counts = case.random.integers(0, 4, shape) * case.pick(1, 0.25)
    # NumPy 2.4's nanquantile fails for weights of another shape.
    for name in ("quantile", "nanquantile") if x.size and shape == x.shape else ("quantile",) if x.size else ():
        s.compare(name, lambda: getattr(gp, name)(y, gp.asarray(q), axis=along, method="inverted_cdf", keepdims=keep,
                                                  weights=gp.asarray(counts)),
                  lambda: getattr(np, name)(x, q, axis=along, method="inverted_cdf", keepdims=keep, weights=counts), 0,
                  x, q, along, counts)
    a, b = case.array(case.shape(1, 3), case.pick(*REAL), False)
    for name in ("mean", "var", "std", "sum", "prod", "max", "min", "ptp", "cumsum"):
        along = case.pick(None, case.axis(a))
        s.compare(name, lambda: getattr(gp, name)(b, axis=along), lambda: getattr(np, name)(a, axis=along), 200, a,
                  along)
    m, n = case.array((case.number(1, 5), case.number(2, 9)), case.pick(*REAL), False)
    for name in ("cov", "corrcoef"):
        rows = case.pick(True, False)
        if min(m.shape) > 1:
            s.compare(name, lambda: getattr(gp, name)(n, rowvar=rows), lambda: getattr(np, name)(m, rowvar=rows), 2000,
                      m)
    times = case.number(0, 3)
    s.compare("diff", lambda: gp.diff(b, axis=-1, n=times), lambda: np.diff(a, n=times, axis=-1), 8, a, times)
    at = case.axis(a)
    if a.shape[at] > 2:
        s.compare("gradient", lambda: gp.gradient(b, 0.5, axis=at), lambda: np.gradient(a, 0.5, axis=at), 32, a, at)
    s.compare("trapezoid", lambda: gp.trapezoid(b, axis=at), lambda: np.trapezoid(a, axis=at), 64, a, at)
    v, w = (case.array((case.number(1, 9),), case.pick(*REAL), False) for _ in range(2))
    mode = case.pick("full", "same", "valid")
    for name in ("convolve", "correlate"):
        s.compare(name, lambda: getattr(gp, name)(v[1], w[1], mode), lambda: getattr(np, name)(v[0], w[0], mode), 100,
                  v[0], w[0], mode)
    points = np.sort(case.values((w[0].size,), "float64", False))
    s.compare("interp", lambda: gp.interp(v[1], gp.asarray(points), w[1]), lambda: np.interp(v[0], points, w[0]), 64,
              v[0], points, w[0])
    bins = case.number(1, 9)
    if np.ptp(v[0]):  # around a single number NumPy rounds the range to the dtype first
        s.compare("histogram", lambda: gp.histogram(v[1], bins)[0], lambda: np.histogram(v[0], bins)[0], 0, v[0], bins)
    weights = abs(case.values(v[0].shape, "float64", False)) + 1
    s.compare("average", lambda: gp.average(v[1], weights=gp.asarray(weights)),
              lambda: np.average(v[0], weights=weights), 64, v[0], weights)


def transforms(case, s):
    size = case.pick(4, 12, 40, 300, 2000)
    shape = (*case.shape(0, 2, 4), case.number(1, size))
    x, y = case.array(shape, case.pick("int32", *REAL, *COMPLEX), False)
    norm, axis = case.pick("backward", "ortho", "forward"), case.axis(x)
    n = case.pick(None, case.number(1, 2 * size))
    rounding = 200
    if 0 in x.shape:
        return
    names = ("fft", "ifft", "hfft", "irfft") if x.dtype.kind == "c" else ("fft", "ifft", "rfft", "ihfft")
    for name in names:
        s.compare(name, lambda: getattr(gp.fft, name)(y, n, axis, norm),
                  lambda: getattr(np.fft, name)(x, n, axis, norm), rounding, x.shape, x.dtype, n, axis, norm)
    for name in ("fftn", "ifftn") + (("irfftn",) if x.dtype.kind == "c" else ("rfftn",)):
        s.compare(name, lambda: getattr(gp.fft, name)(y, norm=norm), lambda: getattr(np.fft, name)(x, norm=norm),
                  rounding, x.shape, x.dtype, norm)
    for name in ("fftshift", "ifftshift"):
        s.compare(name, lambda: getattr(gp.fft, name)(y), lambda: getattr(np.fft, name)(x), 0, x.shape)


def near(a, b, size, dtype, scale=1.0):
    """Whether matrices are equal within rounding errors of an algorithm on so many rows."""
    unit = np.finfo(dtype).eps
    most = max(scale, float(np.max(np.abs(b))) if np.size(b) else 0.0)
    return np.shape(a) == np.shape(b) and bool(np.all(np.abs(np.asarray(a) - b) <= 40 * max(size, 4) * unit * most))


def linear_algebra(case, s):
    m, n = (case.number(1, case.pick(4, 9, 40, 150)) for _ in range(2))
    dtype = case.pick(*REAL, *COMPLEX)
    stack = case.shape(0, 1, 3)
    x, y = case.array((*stack, m, n), dtype, False)
    m, n = x.shape[-2:]
    if 0 in x.shape or x.ndim < 2:
        return
    k, wide = min(m, n), np.dtype(dtype)
    full = case.pick(True, False)
    host = x.astype("complex128" if wide.kind == "c" else "float64")

    def adjoint(a):
        return np.conj(np.swapaxes(a, -1, -2))

    size = max(m, n)
    u, w, vh = (gp.asnumpy(a) for a in gp.linalg.svd(y, full_matrices=full))
    s.check("svd", near((u[..., :k] * w[..., None, :]) @ vh[..., :k, :], host, size, dtype), x)
    ones = np.broadcast_to(np.eye(u.shape[-1]), (*x.shape[:-2], *[u.shape[-1]] * 2))
    s.check("svd u", near(adjoint(u) @ u, ones, size, dtype), x)
    s.check("svdvals", near(w, np.linalg.svd(host, compute_uv=False), size, dtype), x)
    mode = case.pick("reduced", "complete")
    q, r = (gp.asnumpy(a) for a in gp.linalg.qr(y, mode=mode))
    s.check("qr", near(q @ r, host, size, dtype) and not np.any(np.tril(r, -1)), x, mode)
    s.compare("matrix_rank", lambda: gp.linalg.matrix_rank(y), lambda: np.linalg.matrix_rank(x), 0, x)
    p = gp.asnumpy(gp.linalg.pinv(y))
    most = float(np.max(np.abs(host)))
    s.check("pinv", near(host @ p @ host, host, size, dtype, float(np.max(np.abs(p))) * most**2), x)
    order = case.pick(None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    s.compare("norm", lambda: gp.linalg.norm(y, order, axis=(-2, -1)), lambda: np.linalg.norm(x, order, axis=(-2, -1)),
              100 * size, x, order)
    if m != n:
        return
    b = case.values((*x.shape[:-2], n, case.number(1, 4)), dtype, False)
    b = b, gp.asarray(b)
    condition = np.max(np.linalg.cond(host))
    scale = float(condition) if np.isfinite(condition) else np.inf
    if scale < 1e5:
        z = gp.asnumpy(gp.linalg.solve(y, b[1]))
        s.check("solve", near(host @ z, b[0], size, dtype, most * float(np.max(np.abs(z))) * n), x)
        inverse = gp.asnumpy(gp.linalg.inv(y))
        s.check("inv", near(host @ inverse, np.broadcast_to(np.eye(n), x.shape), size, dtype, scale), x)
    zeros = np.zeros_like(x)
    s.compare("solve of zeros", lambda: gp.linalg.solve(gp.asarray(zeros), b[1]), lambda: np.linalg.solve(zeros, b[0]))
    sign, log = (gp.asnumpy(a) for a in gp.linalg.slogdet(y))
    expected = np.linalg.slogdet(host)
    if scale < 1e5:
        right = near(sign, expected[0], size, dtype, scale) and near(log, expected[1], size, dtype, scale)
        s.check("slogdet", right, x)
    h = (x + adjoint(x)).astype(dtype)
    uplo = case.pick("L", "U")
    e, v = (gp.asnumpy(a) for a in gp.linalg.eigh(gp.asarray(h), UPLO=uplo))
    s.check("eigh", near(h @ v, v * e[..., None, :], size, dtype, float(np.max(np.abs(h)))), h, uplo)
    expected = np.linalg.eigvalsh(h.astype(host.dtype))
    s.check("eigvalsh", near(e, expected, size, dtype, float(np.max(np.abs(h)))), h)
    e, v = (gp.asnumpy(a) for a in gp.linalg.eig(y))
    s.check("eig", near(host @ v, v * e[..., None, :], size, dtype, most * n), x)
    s.check("eig trace", near(np.sum(e, -1), np.trace(host, axis1=-2, axis2=-1), size, dtype, most * n), x)
    spd = (host @ adjoint(host) + n * np.eye(n)).astype(dtype)
    upper = case.pick(True, False)
    c = gp.asnumpy(gp.linalg.cholesky(gp.asarray(spd), upper=upper))
    s.check("cholesky", near(adjoint(c) @ c if upper else c @ adjoint(c), spd, size, dtype), spd, upper)


FAMILIES = (sorting, searching, sets, indexing, statistics, transforms, linear_algebra, *search_arrays.FAMILIES)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    search = Search()
    search.seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    families = [family for family in FAMILIES if family.__name__ in sys.argv[3:] or len(sys.argv) < 4]
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        family = families[search.seed % len(families)]
        try:
            family(Case(search.seed), search)
        except Exception as error:  # noqa: BLE001
            search.tell(f"{family.__name__} ({type(error).__name__})", error, "")
        search.seed += 1
    total, wrong = sum(search.counts.values()), sum(search.differing.values())
    print(f"{time.monotonic() - begin:.0f} s, {total} calls of {len(search.counts)} functions, {wrong} differ: "
          f"{dict(search.differing)}; next seed {search.seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

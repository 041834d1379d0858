# bindings/python/tests/search_arrays.py -- the families of search_families.py that make, join, move, sum and multiply
# arrays, draw random numbers, and read and write text.
"""Each family takes the random choices of one call, and what compares the results of both libraries."""

import io
import os
import tempfile

import gpuopt as gp
import numpy as np

REAL, COMPLEX = ("float32", "float64"), ("complex64", "complex128")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
ALL = ("bool", *INTEGERS, "float16", *REAL, *COMPLEX)


def both(s, name, arrays, arguments=(), rounding=0, **options):
    """Compares a function of arrays, and of arguments behind them, of both libraries."""
    theirs, ours = [a[0] for a in arrays], [a[1] for a in arrays]
    s.compare(name, lambda: function_of(gp, name)(*ours, *arguments, **options),
              lambda: function_of(np, name)(*theirs, *arguments, **options), rounding, theirs, arguments, options)


def function_of(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def accumulation(case, s):
    """ufunc.at: equal indices count one after the other."""
    dtype = case.pick(*ALL)
    x, y = case.array(case.shape(1, 3, 5), dtype)
    theirs, ours = case.index(x)
    if case.number(0, 5) == 0 and x.ndim:
        size = max(x.shape[0], 1)
        theirs = case.random.integers(-size - 1, size + 1, case.number(0, 30))
        ours = gp.asarray(theirs)
    try:
        whole = x[theirs].shape
    except (IndexError, ValueError):
        whole = ()
    value = case.values(whole[case.number(0, len(whole)):], case.pick(dtype, dtype, dtype, *ALL))
    name = case.pick("add", "subtract", "multiply", "minimum", "maximum")
    if not np.can_cast(value.dtype, x.dtype, "safe"):
        return  # the values are cast here, where NumPy casts the sums
    if name in ("minimum", "maximum") and "c" in value.dtype.kind + x.dtype.kind:
        return  # complex numbers have no order here
    if name == "multiply" and x.dtype.kind == "c" and not (np.isfinite(x).all() and np.isfinite(value).all()):
        return  # infinite products are those of C's Annex G here
    a, b = x.copy(), gp.copy(y)
    if case.number(0, 1):
        a, b = x, y  # views of larger arrays

    def accumulate():
        getattr(gp, name + "_at")(b, ours, gp.asarray(value))
        return b

    def accumulated():  # NumPy 2.4.6 reads behind values that have fewer dimensions than the index
        getattr(np, name).at(a, theirs, np.broadcast_to(value, whole).copy())
        return a

    s.compare(f"{name}_at", accumulate, accumulated, 64 if x.dtype.kind == "c" and name == "multiply" else 0, dtype,
              x.shape, theirs, value)


def joining(case, s):
    x = case.array(case.shape(1, 3, 4), case.pick(*ALL))
    axis, shape = case.axis(x[0]), list(x[0].shape)
    shape[axis] = case.number(0, 3)
    y = case.array(tuple(shape), case.pick(*ALL))
    for name, end in (("concatenate", case.pick(axis, None)), ("append", case.pick(axis, None))):
        if name == "append":
            both(s, name, [x, y], (end,))
        else:
            s.compare(name, lambda: gp.concatenate([x[1], y[1], x[1]], end),
                      lambda: np.concatenate([x[0], y[0], x[0]], end), 0, x[0].shape, y[0].shape, end)
    s.compare("stack", lambda: gp.stack([x[1], x[1]], axis), lambda: np.stack([x[0], x[0]], axis), 0, x[0], axis)
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        s.compare(name, lambda: getattr(gp, name)([x[1], x[1]]), lambda: getattr(np, name)([x[0], x[0]]), 0, x[0])
    sections = case.pick(case.number(1, 4), [case.number(-3, 6) for _ in range(case.number(0, 3))])
    for name in ("split", "array_split"):
        both(s, name, [x], (sections, axis))
    both(s, "delete", [x], (case.pick(case.number(-5, 5), [case.number(-3, 3) for _ in range(3)],
                                      slice(case.number(-3, 3), None, case.pick(1, 2, -1))), case.pick(axis, None)))
    at = case.number(-x[0].shape[axis] - 1, x[0].shape[axis] + 1)
    both(s, "insert", [x], (at, case.number(0, 9), case.pick(axis, None)))


def moving(case, s):
    x = case.array(case.shape(1, 4, 5), case.pick(*ALL))
    ndim, axis, other = x[0].ndim, case.axis(x[0]), case.axis(x[0])
    shift = case.number(-9, 9)
    both(s, "roll", [x], case.pick((shift,), (shift, axis), ((shift, 2), (axis, other))))
    both(s, "repeat", [x], (case.number(0, 3), case.pick(None, axis)))
    counts = case.random.integers(0, 3, x[0].shape[axis])
    s.compare("repeat each", lambda: gp.repeat(x[1], gp.asarray(counts), axis),
              lambda: np.repeat(x[0], counts, axis), 0, x[0].shape, counts, axis)
    both(s, "tile", [x], (tuple(case.number(0, 3) for _ in range(case.number(0, 4))),))
    both(s, "moveaxis", [x], (axis, other))
    both(s, "swapaxes", [x], (axis, other))
    both(s, "flip", [x], (case.pick(None, axis, (axis,)),))
    both(s, "expand_dims", [x], (case.pick(axis, -ndim - 1, ndim, (0, -1)),))
    both(s, "rot90", [x], (case.number(-5, 5), (axis, other)))
    widths = [(case.number(0, 6), case.number(0, 6)) for _ in range(ndim)]
    both(s, "pad", [x], (case.pick(widths, case.number(0, 4)),
                         case.pick("constant", "edge", "reflect", "symmetric", "wrap")))
    k = case.number(-4, 4)
    if ndim > 1:
        both(s, "diagonal", [x], (k, axis, other))
        both(s, "tril", [x], (k,))
        both(s, "triu", [x], (k,))
        if x[0].dtype.name != "float16":
            both(s, "trace", [x], (k, axis, other), 16)
    both(s, "diagflat", [x], (k,))
    both(s, "trim_zeros", [x])
    both(s, "resize", [x], (case.shape(0, 3, 4),))
    both(s, "ravel", [x], (case.pick("C", "F"),))
    both(s, "squeeze", [x])
    a, b = (case.array((case.number(0, 4),), case.pick(*ALL)) for _ in range(2))
    both(s, "meshgrid", [a, b], (), 0, indexing=case.pick("xy", "ij"), sparse=case.pick(True, False))


def creation(case, s):
    low, high = (case.pick(case.number(-20, 20), round(float(case.random.standard_normal()) * 5, 2)) for _ in range(2))
    count, end = case.number(0, 12), case.pick(True, False)
    dtype = case.pick(None, None, "float32", "int64", "complex128")
    first = low + 1j if dtype in (None, "complex128") and case.number(0, 1) else low
    both(s, "linspace", [], (first, high, count, end), 8, dtype=dtype)
    both(s, "logspace", [], (low / 10, high / 10, count, end, case.pick(10.0, 2.0, 0.5)), 64)
    both(s, "geomspace", [], (abs(low) + 1, abs(high) + 1, count, end), 64)
    starts, stops = (case.array(case.shape(0, 1, 3), case.pick("float64", "int32", "float32"), False) for _ in range(2))
    starts, stops = starts[0] % 50, stops[0] % 50
    axis = case.pick(0, -1)
    for name, least in (("linspace", 0), ("logspace", -25), ("geomspace", 1)):
        ends = [(abs(end) if least > 0 else end / (10 if least else 1)) + max(least, 0) for end in (starts, stops)]
        s.compare(f"{name} several", lambda: getattr(gp, name)(*map(gp.asarray, ends), count, end, axis=axis),
                  lambda: getattr(np, name)(*ends, count, end, axis=axis), 256, ends, count, end, axis)
    step = case.pick(1, 2, -1, -3, 0.5, 0.25)
    both(s, "arange", [], (low, high, step), 8)
    both(s, "tri", [], (case.number(0, 5), case.number(0, 5), case.number(-6, 6)))
    both(s, "eye", [], (case.number(0, 5), case.number(0, 5), case.number(-6, 6), case.pick("bool", "int8", "float32")))
    both(s, "indices", [], (case.shape(0, 3, 4),))
    x = case.array((case.number(0, 6),), case.pick(*INTEGERS, *REAL, *COMPLEX), False)
    both(s, "vander", [x], (case.pick(None, case.number(0, 5)), case.pick(True, False)), 64)
    shape = case.shape(1, 4, 5)
    where = case.random.integers(0, max(1, int(np.prod(shape))), case.shape(0, 2))
    order = case.pick("C", "F")
    s.compare("unravel_index", lambda: gp.unravel_index(gp.asarray(where), shape, order),
              lambda: np.unravel_index(where, shape, order), 0, where, shape, order)
    name = case.pick("bartlett", "blackman", "hamming", "hanning")
    both(s, name, [], (case.number(0, 20),), 16)
    data, kind = case.random.bytes(case.number(0, 40)), case.pick("int16", ">u4", "<i8", "uint8", ">i2")
    s.compare("frombuffer", lambda: gp.frombuffer(data, kind, -1, 2), lambda: np.frombuffer(data, kind, -1, 2), 0, data,
              kind)


def summing(case, s):
    x = case.array(case.shape(1, 4, 6), case.pick("bool", *INTEGERS, *REAL, *COMPLEX))
    axes = case.pick(None, case.axis(x[0]), tuple(range(case.number(0, x[0].ndim))))
    options = {"axis": axes, "keepdims": case.pick(True, False)}
    real = x[0].dtype.kind != "c"
    finite = bool(np.isfinite(x[0]).all())
    mask = case.values(x[0].shape, "bool")
    names = ["any", "all", "count_nonzero", *(["max", "min", "nanmax", "nanmin"] if real else [])]
    if finite:
        names += ["sum", "prod", "mean", "nansum", "nanprod", "nanmean"]
        names += ["var", "std", "nanvar", "nanstd"] if x[0].dtype.kind in "fc" else ["var", "std"]
    name = case.pick(*names)
    more = {"ddof": case.number(0, 1)} if name.endswith(("var", "std")) else {}
    both(s, name, [x], (), 500, **options, **more)
    if name != "count_nonzero" and not name.startswith("nan"):
        given = {"initial": 1} if name in ("max", "min", "sum", "prod") else {}
        s.compare(name + " where", lambda: getattr(gp, name)(x[1], where=gp.asarray(mask), **options, **given, **more),
                  lambda: getattr(np, name)(x[0], where=mask, **options, **given, **more), 500, x[0], options, mask)
    if finite:
        axis = case.axis(x[0])
        for name in ("cumsum", "cumprod", "nancumsum"):
            both(s, name, [x], (case.pick(None, axis),), 500)
        both(s, "cumulative_sum", [x], (), 500, axis=axis, include_initial=case.pick(True, False))


def product(s, name, arrays, arguments=(), first=()):
    """Compares a function that sums products. Whatever the order of the sum, its error is at most (terms + 3) units of
    the sum of the products' magnitudes: a rounding for each product and each sum, and one for each operand that is
    converted. Both numbers come from the function itself, of ones and of magnitudes. float16 is summed in float32 and
    then rounded, by einsum also the sums of either operand alone; NumPy, which rounds partial sums, is asked for the
    sum in float64."""
    theirs, ours = [a[0] for a in arrays], [a[1] for a in arrays]
    function, dtype = function_of(np, name), np.result_type(*theirs)
    half, bound = dtype == "float16", 0
    if dtype.kind in "fc":
        with np.errstate(all="ignore"):
            try:
                terms = function(*first, *(np.ones(x.shape) for x in theirs), *arguments)
                most = function(*first, *(np.abs(x * 1.0).astype("float64") for x in theirs), *arguments)
            except ValueError:  # shapes that do not fit, which both have to say
                terms = most = np.zeros(())
        if half and np.max(most, initial=0) > 6e4:
            return  # sums that a float16 cannot hold
        unit = np.finfo("float32" if half else dtype)
        bound = np.asarray((2 if dtype.kind == "c" else 1) * (terms + 3) * unit.eps * most + terms * unit.tiny)

    def expected():
        if not half:
            return function(*first, *theirs, *arguments)
        return np.asarray(function(*first, *(x.astype("float64") for x in theirs), *arguments)).astype("float16")

    if half:
        info = np.finfo("float16")
        bound = np.asarray(bound + (2 if first else 1) * info.eps * (most + bound) + float(info.smallest_subnormal))
    s.compare(name, lambda: function_of(gp, name)(*first, *ours, *arguments), expected, bound, theirs, first, arguments)


def products(case, s):
    dtypes = case.pick(INTEGERS, REAL, COMPLEX, ("bool",), ("float16",), ALL[:-3])
    m, k, n = (case.number(0 if case.number(0, 9) == 0 else 1, case.pick(3, 9, 40)) for _ in range(3))
    stack = case.shape(0, 2, 3)
    x = case.layout(case.values((*stack, m, k), case.pick(*dtypes), False))
    y = case.layout(case.values((*(stack if case.number(0, 1) else ()), k, n), case.pick(*dtypes), False))
    v = case.array((k,), case.pick(*dtypes), False)
    product(s, "matmul", [x, y])
    product(s, "dot", [x, y])
    for name in ("matvec", "vecdot", "inner"):
        product(s, name, [x, v])
    product(s, "vdot", [v, v])
    product(s, "outer", [v, y])
    product(s, "kron", [v, x])
    product(s, "tensordot", [x, y], (case.pick(0, 1, ([-1], [-2])),))
    letters = "abcd"
    one = "".join(case.pick(*letters) for _ in range(x[0].ndim))
    two = "".join(case.pick(*letters) for _ in range(v[0].ndim))
    result = "".join(c for c in letters if c in one + two and case.number(0, 1))
    product(s, "einsum", [x, v], first=(f"{one},{two}" + case.pick("", f"->{result}"),))


# ---- Random numbers: NumPy's, bit for bit

_PARAMETERS = {
    "beta": "pp", "binomial": "nq", "chisquare": "p", "exponential": "p", "f": "pp", "gamma": "pp", "geometric": "q",
    "gumbel": "rp", "hypergeometric": "nnm", "laplace": "rp", "logistic": "rp", "lognormal": "rp", "logseries": "q",
    "negative_binomial": "nq", "noncentral_chisquare": "pp", "noncentral_f": "ppp", "normal": "rp", "pareto": "p",
    "poisson": "p", "power": "p", "rayleigh": "p", "standard_cauchy": "", "standard_exponential": "",
    "standard_gamma": "p", "standard_normal": "", "standard_t": "p", "uniform": "rp", "vonmises": "rp", "wald": "pp",
    "weibull": "p", "zipf": "z",
}


def _parameter(case, kind):
    numbers = {"p": abs(float(case.random.standard_normal())) * case.pick(0.3, 3, 30), "q": float(case.random.random()),
               "r": float(case.random.standard_normal()) * 3, "n": case.number(1, 60), "m": 1,
               "z": 1.1 + 4 * float(case.random.random())}
    if kind in "nm" or case.number(0, 40):
        return numbers[kind]
    return case.pick(0.0, -1.0, float("nan"))


def drawing(case, s):
    seed, legacy = case.number(0, 2**31), case.pick(True, False)
    name = case.pick(*_PARAMETERS)
    arguments = [_parameter(case, kind) for kind in _PARAMETERS[name]]
    sizes = [case.pick(None, (), 3, (2, 40)), case.pick(None, 1, 300)]
    arrays = bool(arguments) and case.number(0, 3) == 0
    if arrays:
        arguments[0] = np.full(case.pick((3,), (2, 1)), arguments[0])
        sizes = [None, None]
    low, width = case.number(-100, 100), 2 ** case.number(0, 30)
    kind = case.pick("int32", "int64", "uint32")
    low = max(low, 0) if kind == "uint32" else low
    chosen = case.number(1, 30)
    few, replace = case.number(0, chosen), case.pick(True, False)

    def drawn(module):
        random = module.random.RandomState(seed) if legacy else module.random.default_rng(seed)
        given = [module.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        found = [getattr(random, name)(*given, size=size) for size in sizes]
        found.append(getattr(random, "randint" if legacy else "integers")(low, low + width, 5, dtype=kind))
        found.append(random.choice(chosen, few, replace=replace))
        found.append(random.permutation(few))
        return found + [random.standard_normal(2)]

    s.compare(f"random.{name}", lambda: drawn(gp), lambda: drawn(np), 0, seed, legacy, arguments, sizes)


def bounded(case, s):
    """Integers within arrays of bounds, now and then such as leave none."""
    seed, legacy, kind = case.number(0, 2**31), case.pick(True, False), case.pick("bool", *INTEGERS)
    least, most = (0, 1) if kind == "bool" else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    wide, shape = "uint64" if kind == "uint64" else "int64", case.shape(0, 2, 4)
    low = case.random.integers(least, most, shape, wide, True)
    low = np.minimum(low, most - 1) if case.number(0, 5) else low
    far = case.random.integers(low, most, shape, wide, True)
    near = np.minimum(far, np.minimum(low, most - 9) + case.number(0, 9)).astype(wide)
    high = np.maximum(case.pick(far, near), low + (1 if case.number(0, 9) and (low < most).all() else 0)).astype(wide)
    low, high = case.pick((low, high), (low, high), (low, int(high.max(initial=1))), (int(low.min(initial=0)), high))
    size, closed = case.pick(None, None, (3, *shape), shape), case.pick(True, False)

    def drawn(module):
        random = module.random.RandomState(seed) if legacy else module.random.default_rng(seed)
        ends = [module.asarray(end) if isinstance(end, np.ndarray) else end for end in (low, high)]
        more = {} if legacy else {"endpoint": closed}
        found = getattr(random, "randint" if legacy else "integers")(*ends, size=size, dtype=kind, **more)
        return [found, random.standard_normal(2)]

    s.compare("random.integers", lambda: drawn(gp), lambda: drawn(np), 0, seed, legacy, kind, low, high, size, closed)


# ---- Text

_WORDS = ("1", "-2.5", "+3e5", ".5", "7.", "nan", "-inf", "1e400", "0x1F", "300", "-1", "9007199254740993", "1_0", "",
          "a", "1e", '"4"', '"5""6"', "1+2j", "(3-4j)", "5j", "18446744073709551615", " 8", "9 ", "True", "1d2", "\t6")


def text_files(case, s):
    delimiter = case.pick(None, ",", ";", "\t")
    columns, end = case.number(1, 3), case.pick("\n", "\r\n", "\r")
    numbers = case.number(0, 3) > 0

    def word():
        return str(case.random.standard_normal())[:6] if numbers and case.number(0, 30) else case.pick(*_WORDS)

    lines = [(delimiter or " ").join(word() for _ in range(columns)) for _ in range(case.number(0, 4))]
    # A line of white space alone is no row here, and an error of NumPy's beside a delimiter.
    lines = [line + case.pick("", "", "", " # c" if line else "# c", " " if line else "") for line in lines]
    text = end.join(lines) + case.pick("", end, end + end)
    options = {"delimiter": delimiter, "dtype": case.pick("float64", "float64", "int64", "complex128", "uint8"),
               "skiprows": case.pick(0, 0, 1), "max_rows": case.pick(None, None, 1, 2), "ndmin": case.pick(0, 1, 2),
               "usecols": case.pick(None, None, 0, (-1,), (1, 0)), "quotechar": case.pick(None, None, '"'),
               "comments": case.pick("#", "#", None), "unpack": case.pick(False, False, True)}
    if delimiter is None and options["quotechar"] and any('"' in x and x.endswith((" ", " # c")) for x in lines):
        return  # NumPy reads one more, empty field from white space at the end of a line with quotes
    s.compare("loadtxt", lambda: gp.loadtxt(io.StringIO(text, newline=""), **options),
              lambda: np.loadtxt(io.StringIO(text, newline=""), **options), 0, text, options)
    x = case.array(case.shape(1, 2, 4), case.pick("int64", "float32", *REAL, *COMPLEX))
    one = case.pick("%.18e", "%.3f", "%g", "%12.4e", "%-9.2f|", "%+.1E", "%d", "%5d", "%.2f and %.3e")
    if x[0].dtype.kind == "f" and "d" in one and not np.isfinite(x[0]).all():
        return
    how = {"fmt": one, "delimiter": case.pick(" ", ",", "; "), "newline": case.pick("\n", "\r\n"),
           "header": case.pick("", "h\ni"), "footer": case.pick("", "f"), "comments": case.pick("# ", "%")}
    s.compare("savetxt", lambda: _written(gp, x[1], how), lambda: _written(np, x[0], how), 0, x[0], how)


def _written(module, x, how):
    handle, path = tempfile.mkstemp()
    os.close(handle)
    try:
        module.savetxt(path, x, **how)
        with open(path, "rb") as file:
            return np.frombuffer(file.read(), "uint8")
    finally:
        os.unlink(path)


def in_place(case, s, name, x, y, write):
    """Compares what a function leaves in an array; it gives nothing."""

    def written(z, module):
        write(z, module)
        return z

    s.compare(name, lambda: written(gp.copy(y), gp), lambda: written(x.copy(), np), 0, x.dtype, x.shape)


def protocols(case, s):
    """Methods of ufuncs and functions that NumPy calls for arrays of gpuopt, and writes through views."""
    x, y = case.array(case.shape(1, 3, 9), case.pick(*INTEGERS, *REAL))
    axis = case.axis(x)
    integral = ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd")
    names = ("fmax", "fmin", "logical_and", "logical_or", "logical_xor", "maximum", "minimum")
    ufunc = getattr(np, case.pick(*names, *(integral if x.dtype.kind in "iu" else ())))
    if ufunc is np.gcd and x.dtype.kind == "i":
        x, y = case.layout(np.ascontiguousarray(np.maximum(x, -100)))  # the magnitude of the least is none
        axis = case.axis(x)
    options = {"axis": case.pick(axis, None), "keepdims": case.pick(True, False)}
    s.compare(f"{ufunc.__name__}.reduce", lambda: ufunc.reduce(y, **options), lambda: ufunc.reduce(x, **options), 0,
              x, options)
    s.compare(f"{ufunc.__name__}.accumulate", lambda: ufunc.accumulate(y, axis), lambda: ufunc.accumulate(x, axis), 0,
              x, axis)
    s.compare("subtract.reduce", lambda: np.subtract.reduce(y, axis), lambda: np.subtract.reduce(x, axis), 64, x, axis)
    order = case.pick("C", "F", "A", "K")
    both(s, "ravel", [(x, y)], (order,))
    s.compare("flatten", lambda: y.flatten(order), lambda: x.flatten(order), 0, x, order)
    if x.dtype.kind in "iu":
        low, high = (case.pick(-(2**64), -200, -3, 0), case.pick(2, 300, 2**64))
        both(s, "clip", [(x, y)], (low, high))
        if x.dtype.kind == "u" or x.dtype.itemsize < 8:
            both(s, "bitwise_count", [(x, y)])
        both(s, "rint", [(x, y)])
    value = case.values((case.number(1, 5),), x.dtype.name)
    wrap = case.pick(True, False)
    in_place(case, s, "fill_diagonal", x, y, lambda z, module: np.fill_diagonal(z, value, wrap))
    places, mode = case.random.integers(-9, 30, case.number(0, 6)), case.pick("raise", "wrap", "clip")
    if mode != "raise" or places.size == 0 or (-x.size <= places.min() and places.max() < x.size):
        in_place(case, s, "put", x, y, lambda z, module: np.put(z, places, value, mode))
    both(s, "tile", [(x, y)], (), reps=(2, case.number(0, 2)))
    window = case.number(1, 4)
    s.compare("sliding_window_view", lambda: np.lib.stride_tricks.sliding_window_view(y, window, axis=axis),
              lambda: np.lib.stride_tricks.sliding_window_view(x, window, axis=axis), 0, x, window, axis)
    z = case.array(x.shape, case.pick(*COMPLEX))
    part, number = case.pick("real", "imag"), case.pick(3.0, float("inf"), -0.0)
    in_place(case, s, f"{part} components", *z, lambda z, module: getattr(z[::2], part).__setitem__(..., number))


FAMILIES = (accumulation, joining, moving, creation, summing, products, drawing, bounded, text_files, protocols)

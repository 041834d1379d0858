# tests/fuzz/programs/oracle_numbers.py -- NumPy's answers for the statements that compute: operations, reductions,
# products, random numbers.
import numpy as np

import elementwise
import reductions
from elementwise import Weak, as_dtype, promoted_dtype
from expected import Among, Exact, Fails, Near, Unknown, epsilon, half_a_unit
from oracle_arrays import broadcast, strong, writable
from program import split
from tables import KIND, real_of, same_kind
from values import cast, encoded, largest, spacing, widened


def _op(model, s):
    operands = [model.arrays[word] for word in s.words[1:]]
    model.free_signs |= elementwise.shows_free_sign(s.words[0], operands)
    try:
        return elementwise.answer(s.words[0], operands)
    except ValueError as problem:
        raise _fails_of(problem) from None


def _fails_of(problem):
    if "broadcast" in str(problem) or "shape mismatch" in str(problem):
        return Fails("SHAPE")
    return problem


def _op_into(model, s):
    dtype, elements = writable(model, s.words[-1])
    operands = [model.arrays[word] for word in s.words[1:-1]]
    model.free_signs |= elementwise.shows_free_sign(s.words[0], operands)
    try:
        result = elementwise.answer(s.words[0], operands)
    except ValueError as problem:
        raise _fails_of(problem) from None
    if result.shape != elements.shape:
        raise Fails("SHAPE")
    if not same_kind(result.dtype, dtype):
        raise Fails("TYPE")
    return result.cast(dtype)


def _nan_to_num(model, s):
    dtype, elements = strong(model, s.words[0])
    if KIND[dtype] in "?iu":
        return Exact(dtype, elements.copy())
    if KIND[dtype] == "c":
        parts = np.ascontiguousarray(elements).reshape(-1).view(real_of(dtype))
        return Exact(dtype, _replaced(s, parts, real_of(dtype)).view(elements.dtype).reshape(elements.shape))
    return Exact(dtype, _replaced(s, elements, dtype))


def _replaced(s, elements, dtype):
    ends = [largest(dtype), -largest(dtype)]
    nan, *given = (None if word == "-" else np.longdouble(float.fromhex(word)) for word in s.words[1:])
    high, low = (end if value is None else value for end, value in zip(ends, given))
    wide = widened(elements, dtype)
    wide = np.where(np.isnan(wide), nan, np.where(wide == np.inf, high, np.where(wide == -np.inf, low, wide)))
    return encoded(wide, dtype)


def _isclose(model, s):
    operands = [model.arrays[word] for word in s.words[:2]]
    dtype = promoted_dtype(operands)
    if KIND[dtype] in "?iu":
        dtype = "float64"
    rtol, atol, equal_nan = float.fromhex(s.words[2]), float.fromhex(s.words[3]), s.words[4] == "1"
    try:
        a, b = np.broadcast_arrays(*(widened(as_dtype(x, dtype), dtype) for x in operands))
    except ValueError as problem:
        raise _fails_of(problem) from None
    with np.errstate(all="ignore"):
        apart, allowed = np.abs(a - b), atol + rtol * np.abs(b)
        finite = np.isfinite(a) & np.isfinite(b)
        close = np.where(finite, apart <= allowed, a == b) | (equal_nan & np.isnan(a) & np.isnan(b))
        margin = 0.02 if dtype in ("float16", "bfloat16") else 1e-5
        unsure = finite & (np.abs(apart - allowed) <= margin * (allowed + spacing(np.abs(b), dtype)))
        unsure |= np.abs(a) + np.abs(b) + allowed > largest(dtype) / 4
    result = Exact("bool", close)
    return (
        Near("bool", close.astype(np.longdouble), 0, unsure | (KIND[dtype] == "c") & ~finite)
        if unsure.any() or KIND[dtype] == "c"
        else result
    )


def _optional_dtype(word):
    return None if word == "-" else word


def _axes(word):
    return None if word == "*" else split(word)


def _reduce(model, s):
    dtype, elements = strong(model, s.words[1])
    return reductions.reduce(s.words[0], elements, dtype, _axes(s.words[2]), s.words[3] == "1",
                             _optional_dtype(s.words[4]),
                             float.fromhex(s.words[5]))


def _scan(model, s):
    dtype, elements = strong(model, s.words[1])
    return reductions.scan(s.words[0], elements, dtype, int(s.words[2]), _optional_dtype(s.words[3]), s.words[4] == "1")


# ---- products


def _product(function, model, s, conjugate=False):
    """`function` in long double, and of the magnitudes for the bound."""
    operands = [strong(model, word) for word in s.words[:2]]
    dtype = promoted_dtype(operands)
    a, b = (as_dtype(x, dtype) for x in operands)
    try:
        if KIND[dtype] in "iu":
            return Exact(dtype, function(a, b))
        if KIND[dtype] == "?":
            raise Unknown
        a, b = widened(a, dtype), widened(b, dtype)
        with np.errstate(all="ignore"):
            values = np.asarray(function(np.conj(a) if conjugate else a, b))
            magnitude = np.asarray(function(np.abs(a), np.abs(b)))
    except (ValueError, IndexError):
        raise Fails() from None
    length = a.size + 2
    free = ~(magnitude < largest("float64" if real_of(dtype) == "float64" else "float32") / 8)
    with np.errstate(all="ignore"):
        bound = 4 * reductions._steps(length) * epsilon(dtype) * magnitude + half_a_unit(values, dtype)
        return Near(dtype, values, bound + 4 * length * spacing(np.zeros_like(magnitude), dtype), free)


def _matmul(model, s):
    return _product(np.matmul, model, s)


def _dot(model, s):
    return _product(lambda a, b: np.asarray(np.dot(a, b)), model, s)


def _outer(model, s):
    return _product(lambda a, b: np.outer(a.ravel(), b.ravel()), model, s)


def _vecdot(model, s):
    axis = int(s.words[2])

    def along(a, b):
        if not -min(a.ndim, b.ndim) <= axis < min(a.ndim, b.ndim):
            raise IndexError
        if a.shape[axis] != b.shape[axis]:  # what is summed over does not broadcast
            raise ValueError
        a, b = np.broadcast_arrays(a, b)
        return np.add.reduce(a * b, axis=axis, dtype=a.dtype)
    return _product(along, model, s, conjugate=True)


def _tensordot(model, s):
    count = int(s.words[2])
    axes = count if len(s.words) == 3 else (split(s.words[3]), split(s.words[4]))
    return _product(lambda a, b: np.asarray(np.tensordot(a, b, axes)), model, s)


# ---- norms


def _norm_values(wide, order, axis):
    """The norm along one axis of long double magnitudes."""
    with np.errstate(all="ignore"):
        if order == 0:
            return (wide != 0).sum(axis=axis).astype(np.longdouble)
        if np.isinf(order):
            return wide.max(axis=axis) if order > 0 else wide.min(axis=axis)
        return (wide ** np.longdouble(order)).sum(axis=axis) ** (1 / np.longdouble(order))


def _norm_result(dtype, values, length, order, wide, shape):
    result = real_of(dtype)
    with np.errstate(all="ignore"):
        loose = (
            (1 if order in (0, 1, 2) or np.isinf(order) else 16 + 16 * abs(order))
            * 4
            * reductions._steps(length)
            * epsilon(dtype)
        )
        bound = np.abs(values) * loose + half_a_unit(values, result)
        # Powers that leave the format's range on their way.
        power = 1 if order in (0, 1) or np.isinf(order) else abs(order)
        top = np.longdouble(2.0) ** ((900 if real_of(dtype) == "float64" else 100) / max(power, 1))
        size = np.max(np.where(np.isfinite(wide), wide, 0), initial=0)
        least = np.min(np.where(wide > 0, wide, 1), initial=1)
        free = bool(size > top or least < 1 / top) or not np.isfinite(wide).all() or order < 0 and (wide == 0).any()
    return Near(result, np.asarray(values).reshape(shape), bound.reshape(shape), free)


def _vector_norm(model, s):
    dtype, elements = strong(model, s.words[0])
    order = float(s.words[1])
    layout = reductions.Layout(elements.shape, _axes(s.words[2]), s.words[3] == "1")
    if KIND[dtype] in "?iu":
        dtype, elements = "float64", cast(elements, dtype, "float64")
    if layout.length == 0 or layout.rows == 0:
        raise Unknown
    wide = np.abs(widened(layout.matrix(elements), dtype))
    return _norm_result(dtype, _norm_values(wide, order, 1), layout.length, order, wide, layout.shape)


def _matrix_norm(model, s):
    dtype, elements = strong(model, s.words[0])
    order, keep = float(s.words[1]), s.words[2] == "1"
    if elements.ndim < 2:
        raise Fails()
    if elements.size == 0:
        raise Unknown
    if KIND[dtype] in "?iu":
        dtype, elements = "float64", cast(elements, dtype, "float64")
    wide = np.abs(widened(elements, dtype))
    if order == 0:
        values, power = np.sqrt((wide ** 2).sum(axis=(-2, -1))), 2
    else:
        sums = wide.sum(axis=-2 if abs(order) == 1 else -1)
        values, power = (sums.max(axis=-1) if order > 0 else sums.min(axis=-1)), 1
    shape = elements.shape[:-2] + ((1, 1) if keep else ())
    return _norm_result(dtype, values, elements.shape[-1] * elements.shape[-2], power, wide, shape)


def _norm(model, s):
    dtype, elements = strong(model, s.words[0])
    if elements.size == 0:
        raise Unknown
    if KIND[dtype] in "?iu":
        dtype, elements = "float64", cast(elements, dtype, "float64")
    wide = np.abs(widened(elements, dtype)).ravel()
    return _norm_result(dtype, np.sqrt((wide ** 2).sum()), wide.size, 2, wide, ())


# ---- random numbers


def _random_state(model, s):
    model.states[s.words[0]] = np.random.RandomState(int(s.words[1]))


def _random_state_array(model, s):
    model.states[s.words[0]] = np.random.RandomState(split(s.words[1]))


def _rs_seed(model, s):
    _state(model, s).seed(int(s.words[1]))


def _state(model, s):
    return model.states[s.words[0]]


def _rs_uniform(model, s):
    return Exact("float64", _state(model, s).uniform(float.fromhex(s.words[1]), float.fromhex(s.words[2]),
                                                     split(s.words[3])))


def _rs_normal(model, s):
    return Exact("float64", _state(model, s).normal(float.fromhex(s.words[1]), float.fromhex(s.words[2]),
                                                    split(s.words[3])))


def _rs_randint(model, s):
    return Exact(s.words[3], _state(model, s).randint(int(s.words[1]), int(s.words[2]), split(s.words[4]),
                                                      np.dtype(s.words[3]).type))


def _probabilities(model, s):
    """Of a choice, or None: then all elements have the same."""
    return None if s.words[4] == "-" else strong(model, s.words[4])[1]


def _rs_choice(model, s):
    dtype, elements = strong(model, s.words[1])
    try:
        return Exact(dtype, _state(model, s).choice(elements, split(s.words[2]), s.words[3] == "1",
                                                    _probabilities(model, s)))
    except ValueError:
        raise Fails() from None


def _rs_permuted(model, s):
    dtype, elements = strong(model, s.words[1])
    return Exact(dtype, _state(model, s).permutation(elements))


def _rs_shuffle(model, s):
    dtype, elements = writable(model, s.words[1])
    result = elements.copy()
    _state(model, s).shuffle(result)
    return Exact(dtype, result)


def _rs_permutation(model, s):
    return Exact("int64", _state(model, s).permutation(int(s.words[1])).astype(np.int64))


def _generator(model, s):
    model.states[s.words[0]] = None


def _generated(dtype_at, shape_at, low_at=None, high_at=None):
    """Numbers of the counter-based generator, which is not NumPy's: their dtype, shape and range; their bits are
    compared between modes."""
    def make(model, s):
        dtype, shape = s.words[dtype_at], split(s.words[shape_at])
        middle, reach = 0, np.inf
        if low_at is not None:
            low, high = (np.longdouble(float.fromhex(s.words[i]) if "x" in s.words[i] else int(s.words[i]))
                         for i in (low_at, high_at))
            middle, reach = (low + high) / 2, (high - low) / 2
        return Near(dtype, np.full(shape, middle, np.longdouble), reach)
    return make


def _gen_choice(model, s):
    dtype, elements = strong(model, s.words[1])
    shape, replace, p = split(s.words[2]), s.words[3] == "1", _probabilities(model, s)
    elements = elements if p is None else elements[p > 0]
    count = int(np.prod(shape, dtype=np.int64))
    if count > elements.size and not replace or count and not elements.size:
        raise Fails()
    return Among(dtype, elements, shape, replace)


def _gen_permuted(model, s):
    """Its rows in another order."""
    dtype, elements = strong(model, s.words[1])
    rows = (
        np.ascontiguousarray(elements).reshape(len(elements), -1).view(np.dtype((np.void, elements[0].nbytes))).ravel()
    )
    return Among(dtype, rows, elements.shape, False) if elements.ndim == 1 else _RowsAmong(dtype, rows, elements.shape)


class _RowsAmong(Among):
    def __init__(self, dtype, rows, shape):
        super().__init__(dtype, rows, shape, False)

    def wrong(self, got):
        rows = np.ascontiguousarray(got).reshape(len(got), -1).view(self.elements.dtype).ravel()
        return np.broadcast_to(super().wrong(rows).reshape((-1,) + (1,) * (got.ndim - 1)), got.shape)


def _gen_permutation(model, s):
    return Near("int64", np.full(int(s.words[1]), (int(s.words[1]) - 1) / 2, np.longdouble), int(s.words[1]) / 2)


VERBS = {
    "op": _op, "op_into": _op_into, "nan_to_num": _nan_to_num, "isclose": _isclose, "reduce": _reduce, "scan": _scan,
    "matmul": _matmul, "dot": _dot, "outer": _outer, "vecdot": _vecdot, "tensordot": _tensordot,
    "vector_norm": _vector_norm, "matrix_norm": _matrix_norm, "norm": _norm,
    "random_state": _random_state,
    "rs_sample": lambda model, s: Exact("float64", _state(model, s).random_sample(split(s.words[1]))),
    "rs_uniform": _rs_uniform, "rs_normal": _rs_normal, "rs_randint": _rs_randint, "rs_choice": _rs_choice,
    "rs_shuffle": _rs_shuffle,
    "rs_permutation": _rs_permutation, "rs_permuted": _rs_permuted, "random_state_array": _random_state_array,
    "rs_seed": _rs_seed,
    "gen_choice": _gen_choice, "gen_permuted": _gen_permuted, "generator": _generator,
    "gen_uniform": _generated(3, 4, 1, 2), "gen_normal": _generated(3, 4),
    "gen_exponential": _generated(2, 3), "gen_integers": _generated(4, 5, 1, 2), "gen_permutation": _gen_permutation,
}

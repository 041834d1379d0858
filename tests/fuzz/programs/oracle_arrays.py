# tests/fuzz/programs/oracle_arrays.py -- NumPy's answers for the statements that make, view, look at, write and select
# from arrays.
import struct

import numpy as np

from elementwise import Weak, promoted_dtype
from expected import Exact, Fails, Near, Unknown
from program import split
from tables import KIND, SIZE, promote, same_kind, stored
from values import cast, spacing, widened


# Before 2.4 NumPy chose between positions and exponents by other limits.
_NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])


class View:
    """A result that shares memory with an operand."""

    def __init__(self, dtype, elements, read_only):
        self.dtype, self.elements, self.read_only = dtype, elements, read_only

    def expected(self):
        return Exact(self.dtype, self.elements.copy())


class Payload:
    """Bytes that are no array: what `item` and `print` give."""

    def __init__(self, payload):
        self.payload = payload

    def difference(self, record):
        return None if record.payload == self.payload else f"gives {record.payload!r}, expected {self.payload!r}"


def target_of(statement):
    """The array that a statement without a result writes."""
    if statement.verb in ("op_into", "rs_shuffle", "kernel_into", "raw", "module"):
        return statement.words[-1]
    return statement.words[1 if statement.verb == "ufunc_at" else 0]


def strong(model, name):
    """The (dtype, elements) of an array; a number in its place is a matter without an answer."""
    x = model.arrays[name]
    if isinstance(x, Weak):
        raise Unknown
    return x


def assigned(value, dtype):
    """A number as it is assigned to elements of a dtype: floats are cast to integers, integers have to fit."""
    if value.kind == "c" and KIND[dtype] != "c":
        raise Fails("TYPE")
    if value.kind == "f" and KIND[dtype] in "iu":
        return cast(np.asarray(value.value), "float64", dtype)
    return value.array(dtype)


def writable(model, name):
    dtype, elements = strong(model, name)
    if name in model.read_only:
        raise Fails("READ_ONLY")
    return dtype, elements


def broadcast(elements, shape):
    try:
        return np.broadcast_to(elements, shape)
    except ValueError:
        raise Fails("SHAPE") from None


# ---- making arrays


def _palette(word, size):
    palette = bytes.fromhex(word)
    return (palette * (size // len(palette) + 1))[:size]


def _data(model, s):
    dtype, shape = s.words[0], split(s.words[1])
    size = int(np.prod(shape, dtype=np.int64)) * stored(dtype).itemsize
    return Exact(dtype, np.frombuffer(_palette(s.words[2], size), stored(dtype)).reshape(shape))


def _host(model, s):
    dtype, shape, strides = s.words[0], split(s.words[1]), split(s.words[2])
    memory = np.frombuffer(bytearray(_palette(s.words[5], int(s.words[4]))), np.uint8)
    elements = np.ndarray(shape, stored(dtype), memory.data, int(s.words[3]), strides)
    return View(dtype, elements, False)


def _constant(value):
    def make(model, s):
        return Exact(s.words[0], cast(np.full(split(s.words[1]), value, np.int64), "int64", s.words[0]))
    return make


def _full(model, s):
    return Exact(s.words[0], np.broadcast_to(Weak.parse(s.words[2]).array(s.words[0]), split(s.words[1])))


def _arange(model, s):
    dtype, (start, stop, step) = s.words[0], (Weak.parse(w) for w in s.words[1:4])
    if KIND[dtype] in "iu":
        return Exact(dtype, np.arange(start.value, stop.value, step.value).astype(dtype))
    count = len(np.arange(start.value, stop.value, step.value))
    values = np.longdouble(start.value) + np.arange(count) * np.longdouble(step.value)
    largest = max(abs(start.value), abs(stop.value))
    return Near(dtype, values, 0.51 * spacing(values, dtype) + 2 * spacing(np.longdouble(largest), "float64"))


def _linspace(model, s):
    dtype, start, stop = s.words[0], float.fromhex(s.words[1]), float.fromhex(s.words[2])
    count = int(s.words[3])
    values = np.linspace(np.longdouble(start), np.longdouble(stop), count, endpoint=s.words[4] == "1")
    # The step is rounded once, which of subnormal numbers is much, and multiplied.
    bound = 2 * spacing(np.longdouble(max(abs(start), abs(stop))), "float64") + count * spacing(
        np.longdouble(0), "float64"
    )
    return Near(dtype, values, 0.51 * spacing(values, dtype) + bound)


def _diagonal(function):
    def make(model, s):
        dtype, (rows, columns, k) = s.words[0], (int(w) for w in s.words[1:4])
        return Exact(dtype, cast(function(rows, rows if columns < 0 else columns, k, dtype=np.int64), "int64", dtype))
    return make


def _triangle(function):
    def make(model, s):
        dtype, elements = strong(model, s.words[0])
        if elements.ndim < 2:
            raise Fails()
        return Exact(dtype, function(elements, int(s.words[1])))
    return make


def _like(value):
    def make(model, s):
        dtype, elements = strong(model, s.words[0])
        dtype = dtype if s.words[1] == "-" else s.words[1]
        if value is None:
            return Exact(dtype, np.broadcast_to(Weak.parse(s.words[2]).array(dtype), elements.shape))
        return Exact(dtype, cast(np.full(elements.shape, value, np.int64), "int64", dtype))
    return make


# ---- views


def _view(function):
    def make(model, s):
        dtype, elements = strong(model, s.words[0])
        return View(dtype, function(elements, s), s.words[0] in model.read_only)
    return make


def _index_item(word):
    if word in "ne":
        return None if word == "n" else Ellipsis
    if ":" not in word:
        return int(word)
    return slice(*(int(part) if part else None for part in word.split(":")))


def _slice(x, s):
    items = tuple(_index_item(word) for word in s.words[1:])
    try:
        return x[items if Ellipsis in items else items + (Ellipsis,)]
    except IndexError:
        raise Fails("INDEX") from None
    except ValueError:
        raise Fails() from None


def _axes_of(x, word):
    axes = split(word)
    if any(not -x.ndim <= axis < x.ndim for axis in axes):
        raise Fails("INDEX")
    if len({axis % x.ndim for axis in axes}) != len(axes):
        raise Fails()
    return axes


def _permute(x, s):
    if s.words[1] == "-":
        return x.transpose()
    axes = _axes_of(x, s.words[1])
    if len(axes) != x.ndim:
        raise Fails()
    return x.transpose(axes)


def _transpose(x, s):
    if x.ndim < 2:
        raise Fails()
    return x.swapaxes(-1, -2)


def _reshape(model, s):
    dtype, elements = strong(model, s.words[0])
    try:
        result = elements.reshape(split(s.words[1]))
    except ValueError:
        raise Fails("SHAPE") from None
    shared = result.size == 0 or np.shares_memory(result, elements)
    if s.words[2] == "2" and not shared:
        raise Fails("INVALID_ARGUMENT")
    if s.words[2] == "1" or not shared:
        return Exact(dtype, result.copy())
    return View(dtype, result, s.words[0] in model.read_only)


def _broadcast(model, s):
    dtype, elements = strong(model, s.words[0])
    return View(dtype, broadcast(elements, split(s.words[1])), True)


def _expand(x, s):
    axis = int(s.words[1])
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise Fails("INDEX")
    return np.expand_dims(x, axis)


def _squeeze(x, s):
    axes = _axes_of(x, s.words[1])
    if any(x.shape[axis] != 1 for axis in axes):
        raise Fails()
    return np.squeeze(x, tuple(axes)) if axes else np.squeeze(x)


def _flip(x, s):
    axes = _axes_of(x, s.words[1])
    return np.flip(x, tuple(axes) if axes else None) if x.ndim else x.view()


def _copy(model, s):
    dtype, elements = strong(model, s.words[0])
    return Exact(dtype, elements.copy())


def _astype(model, s):
    dtype, elements = strong(model, s.words[0])
    if dtype == s.words[1] and s.words[2] != "1":
        return View(dtype, elements.view(), s.words[0] in model.read_only)
    if s.words[2] == "2":
        raise Fails("INVALID_ARGUMENT")
    return Exact(s.words[1], cast(elements, dtype, s.words[1]))


def _weak(model, s):
    return Weak.parse(s.words[0])


# ---- writing


def cast_operand(x, dtype):
    return assigned(x, dtype) if isinstance(x, Weak) else cast(x[1], x[0], dtype)


def _assign(model, s):
    dtype, elements = writable(model, s.words[0])
    value = cast_operand(model.arrays[s.words[1]], dtype)
    while value.ndim > elements.ndim and value.shape[0] == 1:  # as NumPy's x[...] = value
        value = value[0]
    return Exact(dtype, broadcast(value, elements.shape).copy())


def _fill(model, s):
    dtype, elements = writable(model, s.words[0])
    return Exact(dtype, np.broadcast_to(assigned(Weak.parse(s.words[1]), dtype), elements.shape))


def _set_item(model, s):
    dtype, elements = writable(model, s.words[0])
    value, index = Weak.parse(s.words[2]), _place(elements, s.words[1])
    if value.kind == "f" and KIND[dtype] not in "fc":
        raise Unknown
    result = elements.copy()
    result[index] = value.array(dtype)
    return Exact(dtype, result)


def _place(elements, word):
    index = split(word)
    if len(index) != elements.ndim:
        raise Fails()
    if any(not -n <= i < n for i, n in zip(index, elements.shape)):
        raise Fails("INDEX")
    return tuple(index)


def _mask_of(elements, mask):
    dtype, truth = mask
    if dtype != "bool":
        raise Fails("TYPE")
    if truth.shape != elements.shape[:truth.ndim]:
        raise Fails()
    return truth


def _mask_select(model, s):
    dtype, elements = strong(model, s.words[0])
    return Exact(dtype, elements[_mask_of(elements, strong(model, s.words[1]))])


def _mask_assign(model, s):
    dtype, elements = writable(model, s.words[0])
    mask = _mask_of(elements, strong(model, s.words[1]))
    value = cast_operand(model.arrays[s.words[2]], dtype)
    result = elements.copy()
    try:
        result[mask] = value
    except ValueError:
        raise Fails("SHAPE") from None
    return Exact(dtype, result)


# ---- selecting


def _indices(model, name, length):
    dtype, indices = strong(model, name)
    if KIND[dtype] not in "iu":
        raise Fails("TYPE")
    indices = indices.astype(object) if dtype == "uint64" else indices.astype(np.int64)
    if indices.size and (indices.min() < -length or indices.max() >= length):
        raise Fails("INDEX")
    return indices.astype(np.int64)


def _axis(elements, word):
    axis = int(word)
    if not -elements.ndim <= axis < elements.ndim:
        raise Fails("INDEX")
    return axis % elements.ndim


def _take(model, s):
    dtype, elements = strong(model, s.words[0])
    if elements.ndim == 0:
        raise Unknown
    axis = _axis(elements, s.words[2])
    return Exact(dtype, np.take(elements, _indices(model, s.words[1], elements.shape[axis]), axis))


def _put(model, s):
    dtype, elements = writable(model, s.words[0])
    if elements.ndim == 0:
        raise Unknown
    axis = _axis(elements, s.words[2])
    indices = _indices(model, s.words[1], elements.shape[axis])
    shape = elements.shape[:axis] + indices.shape + elements.shape[axis + 1:]
    value = model.arrays[s.words[3]]
    if isinstance(value, Weak):
        raise Unknown
    values = broadcast(cast_operand(value, dtype), shape)
    values = np.moveaxis(values.reshape(elements.shape[:axis] + (indices.size,) + elements.shape[axis + 1:]), axis, 0)
    result = elements.copy()
    front = np.moveaxis(result, axis, 0)
    for k, index in enumerate(indices.ravel()):
        front[index] = values[k]
    return Exact(dtype, result)


def _argwhere(model, s):
    dtype, elements = strong(model, s.words[0])
    return Exact("int64", np.argwhere(cast(elements, dtype, "bool")))


# ---- looking


def _read(model, s):
    dtype, elements = strong(model, s.words[0])
    return Exact(dtype, elements.copy())


def _item(model, s):
    dtype, elements = strong(model, s.words[0])
    element = widened(elements, dtype)[_place(elements, s.words[1])]
    kind = KIND[dtype]
    if kind in "?iu":
        return Payload(struct.pack("<iiqd" if kind != "u" else "<iiQd", ord(kind), 0, int(element), 0.0))
    nan = struct.pack("<Q", 0x7FF8000000000000)
    parts = [element.real, element.imag] if kind == "c" else [element, 0.0]
    return Payload(struct.pack("<ii", ord(kind), 0)
                   + b"".join(nan if np.isnan(x) else struct.pack("<d", float(x)) for x in parts))


def _print(model, s):
    dtype, elements = strong(model, s.words[0])
    if dtype == "bfloat16" or KIND[dtype] in "fc" and _NUMPY < (2, 4):
        raise Unknown
    return Payload(str(elements).encode())


def _to_device(model, s):
    dtype, elements = strong(model, s.words[0])
    if s.words[1] == "1":
        return Exact(dtype, elements.copy())
    return View(dtype, elements.view(), s.words[0] in model.read_only)


def _describe(model, s):
    dtype, elements = strong(model, s.words[0])
    read_only, contiguous = int(s.words[0] in model.read_only), int(elements.flags.c_contiguous)
    return Payload(f"{dtype} {KIND[dtype]} {SIZE[dtype]} contiguous {contiguous} read_only {read_only}".encode())


def _result_type(model, s):
    return Payload(promoted_dtype([model.arrays[word] for word in s.words]).encode())


def _can_cast(model, s):
    a, b, rule = s.words
    return Payload(b"1" if (promote(a, b) == b if rule == "0" else same_kind(a, b)) else b"0")


def _broadcast_shapes(model, s):
    try:
        shape = np.broadcast_shapes(*(tuple(split(word)) for word in s.words))
    except ValueError:
        raise Fails("SHAPE") from None
    return Payload(np.asarray(shape, np.int64).tobytes())


def _stream(model, s):
    dtype, elements = strong(model, s.words[0])
    return View(dtype, elements.view(), s.words[0] in model.read_only)


def _nothing(model, s):
    return None


VERBS = {
    "data": _data, "host": _host, "zeros": _constant(0), "ones": _constant(1), "full": _full, "arange": _arange,
    "linspace": _linspace,
    "eye": _diagonal(np.eye), "tri": _diagonal(np.tri), "tril": _triangle(np.tril), "triu": _triangle(np.triu),
    "zeros_like": _like(0), "ones_like": _like(1), "full_like": _like(None), "weak": _weak,
    "slice": _view(_slice), "permute": _view(_permute), "transpose": _view(_transpose), "reshape": _reshape,
    "broadcast": _broadcast,
    "expand": _view(_expand), "squeeze": _view(_squeeze), "flip": _view(_flip), "copy": _copy, "astype": _astype,
    "stream": _stream,
    "assign": _assign, "fill": _fill, "set_item": _set_item, "mask_select": _mask_select, "mask_assign": _mask_assign,
    "empty": _full, "empty_like": _like(None), "to_device": _to_device, "describe": _describe,
    "result_type": _result_type,
    "promote_types": lambda model, s: Payload(promote(*s.words).encode()), "can_cast": _can_cast,
    "broadcast_shapes": _broadcast_shapes,
    "take": _take, "put": _put, "argwhere": _argwhere, "item": _item, "print": _print, "read": _read,
    "eval": _nothing, "synchronize": _nothing, "drop": _nothing,
}

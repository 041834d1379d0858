# bindings/python/gpuopt/compiled/transfer.py -- how values get into a compiled function's frame, and out of it.
"""A frame has slots of eight bytes. A number has one (a complex one two); an array its address, shape, strides and
owner. A list goes in and out as arrays of its numbers: a list of tuples has an array for each of their items, a list
of lists the lengths of these, and then their items one behind the other. A text is the array of its code points."""

import itertools
import struct
import sys

from .. import _core
from . import types
from .errors import Unsupported


def slots(t):
    """How many slots a value has in a frame."""
    if isinstance(t, types.Tuple):
        return sum(map(slots, t.items))
    if isinstance(t, (types.List, types.Set)):
        return 4 * len(list_columns(t))
    if isinstance(t, types.Array):
        return 2 * t.ndim + 2
    if isinstance(t, types.Instance):
        return 1
    if t is types.unicode_type:
        return 4
    if isinstance(t, types.Dict):
        return slots(types.List(t.key)) + slots(types.List(t.value))
    return 0 if not isinstance(t, types.Number) else 2 if t.kind == "c" else 1


def _wide(t):
    return {"b": "int64_t", "i": "int64_t", "u": "uint64_t", "f": "double", "c": "complex<double>"}[t.kind]


def read(t, slot):
    """The C++ text of an argument in a frame."""
    if isinstance(t, types.Set):
        return f"gp_set_of((gp_context *)frame, gp_load<{t.element.cpp}, 1>(slots + {slot}))"
    if isinstance(t, types.List):
        return f"gp_list_of((gp_context *)frame, gp_load<{t.element.cpp}, 1>(slots + {slot}))"
    if isinstance(t, types.Array):
        return f"gp_load<{t.element.cpp}, {t.ndim}>(slots + {slot})"
    if isinstance(t, types.Instance):
        return f"gp_object_load<{t.known.struct}>(slots[{slot}])"
    if t is types.unicode_type:
        return f"gp_str_of(gp_load<uint32_t, 1>(slots + {slot}))"
    wide = _wide(t)
    text = f"*({wide} *)(slots + {slot})"
    if t.kind == "c":
        return f"{t.cpp}(({text}).real(), ({text}).imag())"
    return f"({text} != 0)" if t.kind == "b" else f"{t.cpp}({text})"


def write(t, name, slot):
    """The C++ statements that put a result into a frame."""
    if isinstance(t, types.List):
        texts = _columns(t, name)
        return "".join(f"gp_store(slots + {slot + 4 * k}, {text});\n" for k, (_, text) in enumerate(texts))
    if isinstance(t, types.Array):
        return f"gp_store(slots + {slot}, {name});\n"
    if isinstance(t, types.Set):
        return write(types.List(t.element), f"gp_dict_keys((gp_context *)frame, {name})", slot)
    if isinstance(t, types.Dict):
        keys, values = (f"gp_dict_{what}((gp_context *)frame, {name})" for what in ("keys", "values"))
        first, second = types.List(t.key), types.List(t.value)
        return write(first, keys, slot) + write(second, values, slot + slots(first))
    if isinstance(t, types.Instance):
        return f"slots[{slot}] = gp_object_store({name});\n"
    if t is types.unicode_type:
        return f"gp_store(slots + {slot}, {name}.chars);\n"
    wide = _wide(t)
    text = f"complex<double>({name}.real(), {name}.imag())" if t.kind == "c" else f"{wide}({name})"
    return f"*({wide} *)(slots + {slot}) = {text};\n"


def leaves(prefix, t):
    """Types and names of what a value consists of: tuples are taken apart."""
    if isinstance(t, types.Tuple):
        return [leaf for k, item in enumerate(t.items) for leaf in leaves(f"{prefix}_{k}", item)]
    return [] if t is types.none else [(t, prefix)]


# ---- Lists ---------------------------------------------------------------------------------------------------------


def list_columns(t):
    """The types of the arrays that a list leaves as."""
    return [element for element, _ in _columns(t, "")]


def _columns(t, text):
    """Types of elements and C++ texts of the arrays of a list of the type t."""
    element, cx = t.element, "(gp_context *)frame"
    if isinstance(element, types.Number):
        return [(element, f"gp_list_column<{element.cpp}>({cx}, {text}, [](const {element.cpp} &e) {{ return e; }})")]
    if isinstance(element, types.List):
        lengths = f"gp_list_column<int64_t>({cx}, {text}, [](const {element.cpp} &e) {{ return e.size(); }})"
        return [(types.int64, lengths), *_columns(element, f"gp_list_flat({cx}, {text})")]
    if element is types.unicode_type:
        lengths = f"gp_list_column<int64_t>({cx}, {text}, [](const gp_str &e) {{ return e.size(); }})"
        return [(types.int64, lengths), *_columns(types.List(types.NUMBERS["uint32"]), f"gp_words_flat({cx}, {text})")]
    if isinstance(element, types.Dict):
        whats = ("keys",) if isinstance(element, types.Set) else ("keys", "values")
        return [column for what in whats for column in _columns_of(element, what, text)]
    if isinstance(element, types.Tuple) and element.items:
        found = []
        for k, item in enumerate(element.items):
            taken = f"[](const {element.cpp} &e) {{ return e{'.rest' * k}.first; }}"
            found += _columns(types.List(item), f"gp_list_map<{item.cpp}>({cx}, {text}, {taken})")
        return found
    raise Unsupported(f"a {t} cannot be returned to Python")


def _columns_of(element, what, text):
    """The arrays of the keys or values of a list of dictionaries."""
    inner = types.List(element.key if what == "keys" else element.value)
    taken = f"[&](const {element.cpp} &e) {{ return gp_dict_{what}((gp_context *)frame, e); }}"
    return _columns(types.List(inner), f"gp_list_map<{inner.cpp}>((gp_context *)frame, {text}, {taken})")


def _list_of(t, columns):
    """The Python list of the arrays that a list has left as."""
    element = t.element
    if isinstance(element, types.Number):
        return next(columns)
    if isinstance(element, types.List):
        lengths = next(columns)
        flat = iter(_list_of(element, columns))
        return [[next(flat) for _ in range(n)] for n in lengths]
    if element is types.unicode_type:
        lengths, points = next(columns), next(columns)
        ends = itertools.accumulate(lengths)
        return ["".join(map(chr, points[end - n : end])) for n, end in zip(lengths, ends)]
    if isinstance(element, types.Dict):
        keys = _list_of(types.List(types.List(element.key)), columns)
        if isinstance(element, types.Set):
            return list(map(set, keys))
        return [dict(zip(*pair)) for pair in zip(keys, _list_of(types.List(types.List(element.value)), columns))]
    return [element.box(row) for row in zip(*[_list_of(types.List(item), columns) for item in element.items])]


# ---- Results -------------------------------------------------------------------------------------------------------


def boxed(t, data, words, at, args):
    """The Python value of a result, and the slot behind it."""
    if isinstance(t, types.Tuple):
        items = []
        for item in t.items:
            value, at = boxed(item, data, words, at, args)
            items.append(value)
        return t.box(items), at
    if t is types.none:
        return None, at
    if isinstance(t, types.Set):
        items, at = boxed(types.List(t.element), data, words, at, args)
        return set(items), at
    if isinstance(t, types.List):
        arrays = [
            _boxed_array(types.Array(element, 1), words[at + 4 * k : at + 4 * k + 4], ()).tolist()
            for k, element in enumerate(list_columns(t))
        ]
        return _list_of(t, iter(arrays)), at + slots(t)
    if isinstance(t, types.Dict):
        keys, at = boxed(types.List(t.key), data, words, at, args)
        values, at = boxed(types.List(t.value), data, words, at, args)
        return dict(zip(keys, values)), at
    if isinstance(t, types.Instance):
        from .language.classes import boxed as boxed_instance

        return boxed_instance(t, words[at]), at + 1
    if isinstance(t, types.Array):
        return _boxed_array(t, words[at : at + slots(t)], args), at + slots(t)
    if t is types.unicode_type:
        points = _boxed_array(types.Array(types.NUMBERS["uint32"], 1), words[at : at + 4], ())
        return points.tobytes().decode(f"utf-32-{sys.byteorder[0]}e", "surrogatepass"), at + 4
    if t.kind in "fc":
        parts = struct.unpack_from("dd" if t.kind == "c" else "d", data, 8 * at)
        return (complex(*parts) if t.kind == "c" else parts[0]), at + len(parts)
    value = words[at]
    return (bool(value) if t.kind == "b" else value + 2**64 if t.kind == "u" and value < 0 else value), at + 1


def _boxed_array(t, words, args):
    """An array that was returned: one of the arguments itself, a window on it, or a new one."""
    import numpy

    n = t.ndim
    address, shape, strides, owner = words[0], words[1 : 1 + n], words[1 + n : 1 + 2 * n], words[1 + 2 * n]
    ours = any(isinstance(a, _core.ndarray) for a in args)
    base = None
    if not owner:
        base = next((a for a in args if _covers(a, address, shape)), None)
        if base is not None and _is_same(base, t, address, shape, strides):
            return base
    low = sum((s - 1) * k for s, k in zip(shape, strides) if k < 0 and s)
    high = sum((s - 1) * k for s, k in zip(shape, strides) if k > 0 and s) + t.element.bytes
    if 0 in shape:
        low, high = 0, 0
    memory = _core.Memory((address + low) % 2**64, high - low, owner % 2**64, args if base is not None else None)
    made = numpy.ndarray(shape, t.dtype, memory, -low, strides)
    if base is None and not owner:
        made = made.copy()  # a constant of the text
    if not ours:
        return made
    from .._convert import asarray

    return asarray(made)


def _covers(value, address, shape):
    if not hasattr(value, "__array_interface__") or not getattr(value, "ndim", 0):
        return False
    begin = value.__array_interface__["data"][0]
    steps = [(s - 1) * k for s, k in zip(value.shape, value.strides)]
    return begin + sum(s for s in steps if s < 0) <= address <= begin + sum(s for s in steps if s > 0) + value.itemsize


def _is_same(value, t, address, shape, strides):
    return (
        value.__array_interface__["data"][0] == address
        and tuple(value.shape) == tuple(shape)
        and tuple(value.strides) == tuple(strides)
        and value.dtype == t.dtype
    )

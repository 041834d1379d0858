# bindings/python/gpuopt/compiled/values.py -- what expressions become: a type and a C++ text, or what is known of it.
from . import types

MISSING = object()


class Value:
    """A value of a compiled function. text: its C++ expression, which has no side effects; const: what it is, where
    that is known when the function is compiled; items: those of a tuple.
    """

    __slots__ = ("const", "items", "text", "type")

    def __init__(self, type, text="", const=MISSING, items=None):
        self.type, self.text, self.const, self.items = type, text, const, items

    @property
    def is_number(self):
        return isinstance(self.type, types.Number)

    @property
    def is_array(self):
        return isinstance(self.type, types.Array)

    @property
    def is_tuple(self):
        return isinstance(self.type, types.Tuple)

    @property
    def static(self):
        """The Python object of a static value, else MISSING."""
        return self.type.value if isinstance(self.type, types.Static) else MISSING


class Lazy(Value):
    """An elementwise expression that is not computed yet. body(names) is its text for elements with these names, one
    for each of `leaves`, which are arrays."""

    __slots__ = ("body", "leaves")

    def __init__(self, element, leaves, body):
        super().__init__(types.Array(element, max(leaf.type.ndim for leaf in leaves), "C"))
        self.leaves, self.body = leaves, body


class Items(Value):
    """What stands in [...]: its items, as those of a tuple. It becomes a list where it gets a name."""

    __slots__ = ()


def tuple_of(items, like=types.Tuple(())):
    """A tuple of values, of the kind that the type `like` has: a named tuple, for one of those."""
    items = list(items)
    const = MISSING if any(v.const is MISSING for v in items) else like.box(v.const for v in items)
    return Value(like.of(v.type for v in items), items=items, const=const)


def static(value):
    """A value that is an object of Python's."""
    return Value(types.Static(value), const=value)


_LEAST = -(2**63)


def _integer(value):
    if value == _LEAST:
        return f"(int64_t({_LEAST + 1}) - 1)"
    return f"int64_t({value})" if value < 2**63 else f"uint64_t({value}u)"


def _float(value):
    if value != value:
        return 'double(__builtin_nan(""))'
    if value in (float("inf"), float("-inf")):
        return "double(__builtin_inf())" if value > 0 else "(-double(__builtin_inf()))"
    return f"({float(value).hex()})"


def constant(value):
    """A Python number as a value."""
    t = types.typeof(value)
    if t is types.none:
        return Value(t, const=None)
    if t is types.boolean:
        return Value(t, "true" if value else "false", value)
    if t.kind in "iu":
        return Value(t, _integer(value), value)
    if t.kind == "f":
        return Value(t, _float(value), value)
    return Value(t, f"complex<double>({_float(value.real)}, {_float(value.imag)})", value)


def of_object(value):
    """A captured or global Python object as a value: a number as a constant, a tuple item by item."""
    if isinstance(value, (bool, int, float, complex)) or value is None:
        if type(value) not in (bool, int, float, complex, type(None)) and hasattr(value, "dtype"):
            return cast(constant(value.item()), types.of_dtype(value.dtype))
        return constant(value)
    if type(value) is tuple:
        return tuple_of(of_object(v) for v in value)
    if isinstance(value, tuple) and types.named_fields(type(value)) is not None:
        items = [of_object(v) for v in value]
        return tuple_of(items, types.NamedTuple([v.type for v in items], type(value)))
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 and hasattr(value, "item"):
        if not hasattr(value, "__setitem__") and value.dtype.kind in "biufc":
            return cast(constant(value.item()), types.of_dtype(value.dtype))
    return static(value)


def cast(value, t):
    """A number as one of another type: int(nan) is 0, as the library's own conversions have it."""
    source = value.type
    if source is t:
        return value
    const = value.const
    if t.kind == "c":
        part = "float" if t.bytes == 8 else "double"
        text = (
            f"{t.cpp}({value.text}.real(), {value.text}.imag())"
            if source.kind == "c"
            else f"{t.cpp}({part}({value.text}), {part}(0))"
        )
    elif t.kind == "b":
        text = truth(value)
    elif t.kind in "iu" and source.kind == "f":
        text = f"gp_to<{t.cpp}>({value.text})"
        const = MISSING
    else:
        text = f"{t.cpp}({value.text})"
    if const is not MISSING and t.kind in "iu" and source.kind in "biu" and not _holds(t, const):
        const = MISSING
    return Value(t, text, const)


def _holds(t, number):
    low = -(2 ** (t.bits - 1)) if t.kind == "i" else 0
    return low <= number < 2 ** (t.bits if t.kind == "u" else t.bits - 1)


def truth(value):
    """The C++ condition of a number."""
    if value.type.kind == "b":
        return value.text
    if value.type.kind == "c":
        return f"({value.text}.real() != 0 || {value.text}.imag() != 0)"
    return f"({value.text} != 0)"

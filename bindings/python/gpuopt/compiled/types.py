# bindings/python/gpuopt/compiled/types.py -- types of compiled functions: numbers, arrays, tuples, signatures.
"""Types as Numba has them: float64, float64[:, ::1], int32(int32, int32).

A number's type is also what NumPy takes as a dtype: it has the attribute dtype, equals it, and called with a value
converts it.
"""

import ast

_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


class Type:
    """What a value of a compiled function is. Types are immutable, compared by what they say, and hashable."""

    __slots__ = ()

    def __call__(self, *arguments):
        return signature(self, *arguments)

    def __repr__(self):
        return str(self)

    def __getitem__(self, key):
        return array_of(self, key)


class Number(Type):
    """The type of a number of one dtype. float32(x) converts x; float32(float64) is a signature."""

    __slots__ = ("_dtype", "bits", "bytes", "cpp", "kind", "name")

    def __init__(self, name, kind, size, cpp):
        self.name, self.kind, self.bytes, self.cpp, self._dtype = name, kind, size, cpp, None
        self.bits = 8 * size

    @property
    def dtype(self):
        """The numpy.dtype."""
        if self._dtype is None:
            from .._dtypes import make

            self._dtype = make(self.name)
        return self._dtype

    @property
    def type(self):
        """NumPy's class of such a number."""
        return self.dtype.type

    def __call__(self, *arguments, **keywords):
        if not keywords and arguments and all(isinstance(a, Type) or a is None for a in arguments):
            return signature(self, *arguments)
        return self.dtype.type(*arguments, **keywords)

    def __eq__(self, other):
        if isinstance(other, Type):
            return self is other
        if other is None:
            return False
        import numpy

        try:
            return bool(numpy.dtype(other) == self.dtype)
        except (TypeError, ValueError, AttributeError):
            return NotImplemented

    def __hash__(self):
        return hash(self.dtype)

    def __reduce__(self):
        return by_name, (self.name,)

    def __str__(self):
        return self.name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dtype, name)


class Array(Type):
    """An array of numbers. layout "C": packed in C order; "A": with any strides."""

    __slots__ = ("element", "layout", "ndim")

    def __init__(self, element, ndim, layout="C"):
        self.element, self.ndim, self.layout = element, ndim, layout

    def _key(self):
        return self.element.name, self.ndim, self.layout

    def __eq__(self, other):
        return isinstance(other, Array) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        return f"array({self.element}, {self.ndim}d, {self.layout})"

    @property
    def cpp(self):
        """Its type in C++."""
        return f"gp_array<{self.element.cpp}, {self.ndim}>"

    @property
    def dtype(self):
        """The numpy.dtype of its elements."""
        return self.element.dtype


class Tuple(Type):
    """A tuple, with a type for each item. python: the class that its values have in Python."""

    __slots__ = ("items",)
    python = tuple

    def __init__(self, items):
        self.items = tuple(items)

    def __eq__(self, other):
        return isinstance(other, Tuple) and (self.python, self.items) == (other.python, other.items)

    def __hash__(self):
        return hash((self.python, self.items))

    def __str__(self):
        return f"Tuple({', '.join(map(str, self.items))})"

    def of(self, items):
        """The same kind of tuple, with items of other types."""
        return Tuple(items)

    def box(self, items):
        """Python's tuple of these items."""
        return tuple(items)

    @property
    def cpp(self):
        """Its type in C++."""
        return "gp_tuple<" + ", ".join(t.cpp for t in self.items) + ">"


class NamedTuple(Tuple):
    """A named tuple, of collections.namedtuple or typing.NamedTuple: NamedTuple([float64, int64], Point)."""

    __slots__ = ("python",)

    def __init__(self, items, python):
        super().__init__(items)
        self.python = python
        if named_fields(python) is None or len(self.items) != len(python._fields):
            raise TypeError(f"{python!r} is no class of named tuples with {len(self.items)} fields")

    def __str__(self):
        fields = ", ".join(f"{name}={t}" for name, t in zip(self.python._fields, self.items))
        return f"{self.python.__name__}({fields})"

    def of(self, items):
        return NamedTuple(items, self.python)

    def box(self, items):
        return tuple.__new__(self.python, items)


def UniTuple(dtype, count):
    """The type of a tuple of `count` items of one type."""
    return Tuple([dtype] * count)


def NamedUniTuple(dtype, count, python):
    """The type of a named tuple whose `count` items have one type."""
    return NamedTuple([dtype] * count, python)


def named_fields(cls):
    """The names of the items that a class of named tuples has; None for other classes, and for those with a __new__ or
    an __init__ of their own, which may do anything."""
    fields = getattr(cls, "_fields", None)
    if not (isinstance(cls, type) and issubclass(cls, tuple) and isinstance(fields, tuple)):
        return None
    maker = next(base for base in cls.__mro__ if "__new__" in vars(base))
    return fields if "_fields" in vars(maker) and cls.__init__ is tuple.__init__ else None


class List(Type):
    """A list, whose items have one type."""

    __slots__ = ("element",)

    def __init__(self, element):
        self.element = element

    def __eq__(self, other):
        return isinstance(other, List) and self.element == other.element

    def __hash__(self):
        return hash(("list", self.element))

    def __str__(self):
        return f"list({self.element})"

    @property
    def cpp(self):
        """Its type in C++."""
        return f"gp_list<{self.element.cpp}>"

    @property
    def dtype(self):
        """The numpy.dtype of its items."""
        return self.element.dtype


class Dict(Type):
    """A dictionary, whose keys have one type, and its values one."""

    __slots__ = ("key", "value")

    def __init__(self, key, value):
        self.key, self.value = key, value

    def __eq__(self, other):
        return type(other) is type(self) and (self.key, self.value) == (other.key, other.value)

    def __hash__(self):
        return hash((type(self), self.key, self.value))

    def __str__(self):
        return f"dict({self.key}, {self.value})"

    @property
    def content(self):
        """The C++ type of its content."""
        return f"gp_dict<{self.key.cpp}, {self.value.cpp}>"

    @property
    def cpp(self):
        """Its type in C++."""
        return f"gp_object<{self.content}>"


class Set(Dict):
    """A set, whose items have one type: a dictionary of truth values that nobody reads."""

    __slots__ = ()

    def __init__(self, element, value=None):
        super().__init__(element, boolean)

    def __str__(self):
        return f"set({self.key})"

    @property
    def element(self):
        """The type of its items."""
        return self.key

    @property
    def dtype(self):
        """The numpy.dtype of its items."""
        return self.key.dtype


class Instance(Type):
    """An instance of a jitclass."""

    __slots__ = ("known",)

    def __init__(self, known):
        self.known = known

    def __eq__(self, other):
        return isinstance(other, Instance) and self.known is other.known

    def __hash__(self):
        return hash(("instance", id(self.known)))

    def __str__(self):
        return f"instance of {self.known.__name__}"

    @property
    def cpp(self):
        """Its type in C++."""
        return f"gp_object<{self.known.struct}>"


class Pointer(Type):
    """The address of numbers, as C functions take it: CPointer(float64)."""

    __slots__ = ("element",)

    def __init__(self, element):
        self.element = element

    def __eq__(self, other):
        return isinstance(other, Pointer) and self.element == other.element

    def __hash__(self):
        return hash(("pointer", self.element))

    def __str__(self):
        return f"{self.element}*"

    @property
    def cpp(self):
        """Its type in C++."""
        return f"{self.element.cpp} *"


class Special(Type):
    """none, and types that only the compiler meets."""

    __slots__ = ("cpp", "name")

    def __init__(self, name, cpp="void"):
        self.name, self.cpp = name, cpp

    def __str__(self):
        return self.name


class UnicodeType(Special):
    """A text, as Numba calls it."""

    __slots__ = ()


class Static(Type):
    """What is known when the function is compiled: a module, a function, a text, a dtype, a slice."""

    __slots__ = ("value",)
    cpp = "void"

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Static) and (self.value is other.value or self.value == other.value)

    def __hash__(self):
        return hash(id(self.value))

    def __str__(self):
        return f"{type(self.value).__name__} {getattr(self.value, '__name__', self.value)!s}"


class _Kind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Number) and value.kind in cls.kinds


class Integer(metaclass=_Kind):
    """What isinstance finds integer types to be."""

    kinds = "iu"


class Boolean(metaclass=_Kind):
    """What isinstance finds the type of truth values to be."""

    kinds = "b"


class Float(metaclass=_Kind):
    """What isinstance finds types of floating-point numbers to be."""

    kinds = "f"


class Complex(metaclass=_Kind):
    """What isinstance finds types of complex numbers to be."""

    kinds = "c"


def _numbers():
    rows = [("bool", "b", 1, "bool")]
    rows += [(f"int{8 * n}", "i", n, f"int{8 * n}_t") for n in (1, 2, 4, 8)]
    rows += [(f"uint{8 * n}", "u", n, f"uint{8 * n}_t") for n in (1, 2, 4, 8)]
    rows += [("float16", "f", 2, "float16"), ("bfloat16", "f", 2, "bfloat16")]
    rows += [("float32", "f", 4, "float"), ("float64", "f", 8, "double")]
    rows += [("complex64", "c", 8, "complex<float>"), ("complex128", "c", 16, "complex<double>")]
    return {row[0]: Number(*row) for row in rows}


NUMBERS = _numbers()
_BUILTIN = {(t.kind, t.bytes): t for t in NUMBERS.values() if t.name != "bfloat16"}  # NumPy's own, by kind and itemsize
boolean, int64, uint64 = NUMBERS["bool"], NUMBERS["int64"], NUMBERS["uint64"]
float32, float64 = NUMBERS["float32"], NUMBERS["float64"]
complex64, complex128 = NUMBERS["complex64"], NUMBERS["complex128"]
none, unknown = Special("none"), Special("unknown", "int64_t")
void = none
unicode_type = string = UnicodeType("unicode_type", "gp_str")
CPointer = Pointer

# Numba's other names.
ALIASES = {
    "boolean": "bool", "bool_": "bool", "b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64",
    "c8": "complex64", "c16": "complex128", "byte": "uint8", "char": "int8", "uchar": "uint8", "short": "int16",
    "ushort": "uint16", "intc": "int32", "uintc": "uint32", "int_": "int64", "uint": "uint64", "long_": "int64",
    "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "intp": "int64", "uintp": "uint64",
    "ssize_t": "int64", "size_t": "uint64", "float_": "float64", "double": "float64", "single": "float32",
}  # fmt: skip


def by_name(name):
    """The number's type of this name, or None."""
    return NUMBERS.get(ALIASES.get(name, name))


def array_of(element, key):
    """The array type of element[:], element[:, ::1] and so on."""
    slices = key if isinstance(key, tuple) else (key,)
    if not isinstance(element, Number) or not all(isinstance(s, slice) for s in slices):
        raise TypeError(f"{element} is indexed with slices, as in {element}[:, ::1]")
    return Array(element, len(slices), "C" if slices[-1].step == 1 else "A")


# ---- Signatures ----------------------------------------------------------------------------------------------------


class Signature:
    """Types of arguments, and of the result: None, if it is to be found out."""

    __slots__ = ("args", "return_type")

    def __init__(self, result, arguments):
        self.return_type, self.args = result, tuple(arguments)

    def __eq__(self, other):
        return isinstance(other, Signature) and (self.return_type, self.args) == (other.return_type, other.args)

    def __hash__(self):
        return hash((self.return_type, self.args))

    def __repr__(self):
        return f"({', '.join(map(str, self.args))}) -> {self.return_type}"


def signature(result, *arguments):
    """The signature of a function with these types of arguments."""
    return Signature(none if result is None else result, arguments)


def _type_of_node(node, text):
    if isinstance(node, ast.Constant) and node.value is None:
        return none
    if isinstance(node, ast.Attribute):
        return _type_of_node(ast.Name(node.attr), text)
    if isinstance(node, ast.Name):
        found = {"void": none, "none": none, "unicode_type": unicode_type}.get(node.id) or by_name(node.id)
        if found is not None:
            return found
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if all(isinstance(p, ast.Slice) for p in parts):
            steps = [getattr(p.step, "value", None) for p in parts]
            return array_of(_type_of_node(node.value, text), tuple(slice(None, None, s) for s in steps))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "CPointer":
        return Pointer(_type_of_node(node.args[0], text))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Tuple", "UniTuple"):
        return _tuple_of_node(node, text)
    raise TypeError(f"{text!r} is no type or signature: {ast.unparse(node)!r} is not known")


def _tuple_of_node(node, text):
    if node.func.id == "UniTuple":
        return Tuple([_type_of_node(node.args[0], text)] * node.args[1].value)
    given = node.args[0].elts if isinstance(node.args[0], (ast.Tuple, ast.List)) else node.args
    return Tuple([_type_of_node(n, text) for n in given])


def parse(given):
    """The Signature of Numba's ways to write one: a text, a Signature, a tuple of types of arguments."""
    if isinstance(given, Signature):
        return given
    if isinstance(given, (tuple, list)):
        return Signature(None, [parse_type(t) for t in given])
    if not isinstance(given, str):
        raise TypeError(f"{given!r} is no signature")
    try:
        node = ast.parse(given.strip(), mode="eval").body
    except SyntaxError as error:
        raise TypeError(f"{given!r} is no signature") from error
    if isinstance(node, ast.Tuple):
        return Signature(None, [_type_of_node(n, given) for n in node.elts])
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") not in ("Tuple", "UniTuple"):
        return Signature(_type_of_node(node.func, given), [_type_of_node(n, given) for n in node.args])
    return Signature(None, [_type_of_node(node, given)])


def parse_type(given):
    """The type that a text, a type, or what NumPy takes as a dtype names."""
    if isinstance(given, Type):
        return given
    if given is None:
        return none
    if isinstance(given, str):
        return _type_of_node(ast.parse(given.strip(), mode="eval").body, given)
    return of_dtype(given)


def of_dtype(given):
    """The number's type of what NumPy takes as a dtype."""
    if getattr(given, "isbuiltin", 0) == 1:  # a numpy.dtype of the usual ones, in this machine's order of bytes
        found = _BUILTIN.get((given.kind, given.itemsize))
        if found is not None:
            return found
    from .. import _dtypes

    return NUMBERS[_dtypes.name(given)]


# ---- Types of Python's values --------------------------------------------------------------------------------------

_PYTHON = {bool: boolean, int: int64, float: float64, complex: complex128, type(None): none, str: unicode_type}


def _packed(value):
    import numpy

    return value.flags.c_contiguous if isinstance(value, numpy.ndarray) else bool(value.flags["C_CONTIGUOUS"])


def typeof(value):
    """The type that a value has as an argument. TypeError for what compiled functions do not take.

    >>> gp.typeof(2.5)
    float64
    """
    found = _PYTHON.get(type(value))
    if found is not None:
        return uint64 if found is int64 and value >= 2**63 else found
    if isinstance(value, tuple):
        items = [typeof(v) for v in value]
        return Tuple(items) if named_fields(type(value)) is None else NamedTuple(items, type(value))
    if isinstance(value, list):
        return List(_typeof_items(value, "list"))
    if type(value) is set:
        return Set(_typeof_items(list(value), "set"))
    known = getattr(type(value), "_gpuopt_class", None)
    if known is not None:
        return known.instance
    if isinstance(value, str):
        return unicode_type
    if isinstance(value, (bool, int, float, complex)) and not hasattr(value, "dtype"):
        return next(t for kind, t in _PYTHON.items() if isinstance(value, kind))
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        from .. import _core

        element = of_dtype(value.dtype)
        if (
            getattr(value, "ndim", 0) == 0
            and not isinstance(value, _core.ndarray)
            and not hasattr(value, "__setitem__")
        ):
            return element
        return Array(element, value.ndim, "C" if _packed(value) else "A")
    raise TypeError(f"cannot determine the type of {type(value)}")


def _typeof_items(value, what):
    """The one type of the items of a list or a set."""
    if not value:
        raise TypeError(f"cannot determine the type of an empty {what}")
    if len(set(map(type, value))) == 1 and type(value[0]) in (bool, float):
        return _PYTHON[type(value[0])]
    items = {typeof(v) for v in value}
    if len(items) > 1 or not isinstance(next(iter(items)), Number):
        found = ", ".join(sorted(map(str, items)))
        raise TypeError(f"the items of a {what} that is an argument are numbers of one type, not {found}")
    return items.pop()


# ---- Which type a result has ---------------------------------------------------------------------------------------


def _float_bytes(t):
    """Bytes of the float that holds a number: as Numba has it, float32 holds int8, int16, uint8 and itself."""
    if t.kind == "f":
        return max(t.bytes, 4)
    if t.kind == "c":
        return t.bytes // 2
    return 4 if t.kind == "b" or t.bytes == 1 or (t.kind == "i" and t.bytes == 2) else 8


def arithmetic(a, b):
    """The type of a + b for numbers: integers have 64 bits, as Numba's NBEP 1 says."""
    if "c" in (a.kind, b.kind) or "f" in (a.kind, b.kind):
        size = max(_float_bytes(a), _float_bytes(b))
        if "c" in (a.kind, b.kind):
            return complex64 if size == 4 else complex128
        return float32 if size == 4 else float64
    return uint64 if a.kind == b.kind == "u" else int64


def division(a, b):
    """The type of a / b."""
    return float64 if a.kind in "biu" and b.kind in "biu" else arithmetic(a, b)


def _unify_numbers(a, b):
    if a is b:
        return a
    kinds = {a.kind, b.kind}
    if "b" in kinds:
        return b if a.kind == "b" else a
    if kinds == {"i"} or kinds == {"u"}:
        return a if a.bytes >= b.bytes else b
    if kinds == {"i", "u"}:
        unsigned, signed = (a, b) if a.kind == "u" else (b, a)
        size = max(signed.bytes, 2 * unsigned.bytes)
        return NUMBERS[f"int{8 * size}"] if size <= 8 else float64
    if kinds == {"f"}:
        return a if a.bytes > b.bytes else b if b.bytes > a.bytes else float32
    size = max(4 if t.kind in "iu" and t.bytes == 2 else _float_bytes(t) for t in (a, b))
    return (complex64 if size == 4 else complex128) if "c" in kinds else float32 if size == 4 else float64


def classes_in(t):
    """The jitclasses that a type names."""
    if isinstance(t, Tuple):
        return [known for item in t.items for known in classes_in(item)]
    if isinstance(t, Dict):
        return classes_in(t.value)
    return classes_in(t.element) if isinstance(t, List) else [t.known] if isinstance(t, Instance) else []


def unify(a, b):
    """The type that holds values of both, or None."""
    if a == b or b is unknown:
        return a
    if a is unknown:
        return b
    if isinstance(a, Number) and isinstance(b, Number):
        return _unify_numbers(a, b)
    if isinstance(a, Array) and isinstance(b, Array) and (a.element, a.ndim) == (b.element, b.ndim):
        return Array(a.element, a.ndim, "A")
    if isinstance(a, Tuple) and isinstance(b, Tuple) and (a.python, len(a.items)) == (b.python, len(b.items)):
        items = [unify(x, y) for x, y in zip(a.items, b.items)]
        return None if None in items else a.of(items)
    if isinstance(a, Dict) and isinstance(b, Dict):
        key, value = unify(a.key, b.key), unify(a.value, b.value)
        return None if None in (key, value) or type(a) is not type(b) else type(a)(key, value)
    if isinstance(a, List) and isinstance(b, List):
        if isinstance(a.element, Number) and isinstance(b.element, Number):
            return List(_unify_numbers(a.element, b.element))
        element = unify(a.element, b.element)
        return None if element is None else List(element)
    return None


def has_unknown(t):
    """Whether a type is not wholly known yet."""
    if isinstance(t, Tuple):
        return any(map(has_unknown, t.items))
    if isinstance(t, Dict):
        return has_unknown(t.key) or has_unknown(t.value)
    return has_unknown(t.element) if isinstance(t, List) else t is unknown


def promote_arrays(parts):
    """The type of elements of an operation on arrays and numbers: NumPy's, where a number of 64 bits counts as one of
    Python's own, which has only a kind.
    """
    import numpy

    strong = [p.element.dtype for p in parts if isinstance(p, Array)]
    weak = []
    for p in parts:
        if isinstance(p, Number):
            python = {"bool": True, "int64": 0, "float64": 0.0, "complex128": 0j}.get(p.name)
            (strong if python is None else weak).append(p.dtype if python is None else python)
    return of_dtype(numpy.result_type(*strong, *weak))

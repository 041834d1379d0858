# bindings/python/gpuopt/compiled/arrays.py -- whole arrays: elementwise expressions, new arrays, attributes.
from . import types
from .errors import Unsupported
from .ufuncs import UFUNCS, computing, operand_type, result_type
from .values import MISSING, Lazy, Value, cast, constant, tuple_of

_OPERATORS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "remainder", "**": "power",
    "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "==": "equal", "!=": "not_equal", "<": "less",
    "<=": "less_equal", ">": "greater", ">=": "greater_equal",
}  # fmt: skip


class ArrayMixin:
    """Operations of a function on whole arrays."""

    # ---- Element by element ------------------------------------------------------------------------------------

    def array_operation(self, node, sign, left, right):
        """left OPERATOR right, one of them an array."""
        if sign not in _OPERATORS:
            raise self.error(node, f"{sign} of arrays is not supported", Unsupported)
        return self.ufunc(node, _OPERATORS[sign], [left, right])

    def array_unary(self, node, sign, value):
        return self.ufunc(node, {"-": "negative", "+": "positive", "~": "invert"}[sign], [value])

    def ufunc(self, node, name, args):
        """A ufunc of numbers and arrays."""
        u = UFUNCS[name]
        if len(args) != u.count:
            raise self.error(node, f"{name} takes {u.count} arguments, and {len(args)} are given")
        if any(a.type is types.unknown for a in args):
            return Value(types.unknown, "0")
        for a in args:
            if not a.is_number and not a.is_array:
                raise self.error(node, f"{name}: numbers or arrays are expected, not {a.type}")
        if any(a.is_array for a in args):
            t = types.promote_arrays([a.type for a in args])
            return self._lazy_ufunc(u, t, args)
        t = args[0].type
        for a in args[1:]:
            t = types.arithmetic(t, a.type) if u.result != "bool" else types.unify(t, a.type)
        t = operand_type(u, t)
        at = computing(t)
        return self.temp(result_type(u, t), u.text(at, *(cast(a, at).text for a in args)))

    def _lazy_ufunc(self, u, t, args):
        t = operand_type(u, t)
        at = computing(t)
        element = result_type(u, t)
        return self.lazy(element, args, lambda *texts: f"{element.cpp}({u.text(at, *texts)})", at)

    def lazy(self, element, args, text, operand=None):
        """An elementwise expression: text(names) of the arguments' elements, converted to the type `operand`."""
        leaves, takers = [], []
        for a in args:
            count = len(leaves)
            if isinstance(a, Lazy):
                leaves += a.leaves
                source, body, end = a.type.element, a.body, len(leaves)
                takers.append((source, lambda names, b=body, k=count, e=end: f"({b(names[k:e])})"))
            elif a.is_array:
                leaves.append(a)
                takers.append((a.type.element, lambda names, k=count: names[k]))
            else:
                held = a if a.const is not MISSING else self.temp(a.type, a.text)
                takers.append((a.type, lambda names, x=held: x.text))

        def body(names):
            parts = (Value(source, take(names)) for source, take in takers)
            return text(*(p.text if operand is None else _converted(p, operand) for p in parts))

        return Lazy(element, leaves, body)

    def materialize(self, value):
        """The value with a lazy expression computed into a new array, also in a tuple."""
        if isinstance(value, Lazy):
            return self._computed(value)
        if value.is_tuple and any(isinstance(v, Lazy) for v in value.items):
            return tuple_of((self.materialize(v) for v in value.items), value.type)
        return value

    def _computed(self, value):
        shape = self.new_name("n")
        leaves = [leaf.text for leaf in value.leaves]
        ndim = value.type.ndim
        self.emit(f"int64_t {shape}[{max(ndim, 1)}];")
        message = "operands could not be broadcast together"
        self.raise_if(f"!gp_broadcast<{ndim}>({', '.join([shape, *leaves])})", ValueError, message, None)
        result = self.new_array(None, value.type.element, ndim, shape)
        self._map(result, value)
        if ndim == 0:
            return self.load_place(self.place_at(None, result, []))
        return result

    def _map(self, target, value):
        names = [f"e{k}" for k in range(len(value.leaves))]
        parameters = ", ".join(f"{leaf.type.element.cpp} {n}" for leaf, n in zip(value.leaves, names))
        body = value.body(names)
        arguments = ", ".join([target.text, f"[&]({parameters}) {{ return {body}; }}", *(v.text for v in value.leaves)])
        self.emit(f"gp_map({arguments});")

    def new_array(self, node, element, ndim, shape):
        """A new array whose elements have no values; `shape` is a C array of its extents."""
        if not self.options.host:
            raise self.error(node, "kernels make no arrays: use cuda.local.array or cuda.shared.array", Unsupported)
        t = types.Array(element, ndim, "C")
        name = self.new_name("w")
        self.emit(f"{t.cpp} {name}; gp_empty(cx, {name}, {shape});")
        self.raise_if(f"!{name}.owner", MemoryError, "array is too large", node)
        return Value(t, name)

    def write_elements(self, node, target, value):
        """target[...] = value, broadcast."""
        self.mark_written(target)
        if value.is_tuple:
            value = self.array_of_items(node, value)
        if value.is_number:
            element, text = target.type.element, cast(value, target.type.element).text
            self.emit(f"gp_map({target.text}, [&]() {{ return {element.cpp}({text}); }});")
            return
        if not value.is_array:
            raise self.error(node, f"elements of {target.type} cannot become {value.type}")
        if not (isinstance(value, Lazy) and all(leaf.text == target.text for leaf in value.leaves)):
            value = self.materialize(value)
        if not value.is_array:
            return self.write_elements(node, target, value)
        if value.type.ndim > target.type.ndim:
            raise self.error(node, f"could not broadcast {value.type} into {target.type}")
        lazy = value if isinstance(value, Lazy) else self.lazy(value.type.element, [value], lambda x: x)
        self._check_shape(node, target, lazy)
        body, t = lazy.body, target.type.element
        source = lazy.type.element
        made = Lazy(t, lazy.leaves, lambda names: _converted(Value(source, f"({body(names)})"), t))
        if any(leaf.text != target.text for leaf in lazy.leaves):
            made = self._apart(made)
        self._map(target, made)

    def _apart(self, lazy):
        """The expression of copies of its arrays, which may share memory with what is written."""
        copies = []
        for leaf in lazy.leaves:
            if leaf.text in self.origins or not leaf.text.startswith("w"):
                copies.append(self.copied(leaf))
            else:
                copies.append(leaf)
        return Lazy(lazy.type.element, copies, lazy.body)

    def copied(self, value):
        """A new array with the elements of one."""
        return self._computed(self.lazy(value.type.element, [value], lambda x: x))

    def _check_shape(self, node, target, value):
        ndim = target.type.ndim
        shape = self.new_name("n")
        self.emit(f"int64_t {shape}[{max(ndim, 1)}];")
        leaves = ", ".join(leaf.text for leaf in value.leaves)
        tests = [f"!gp_broadcast<{ndim}>({shape}, {leaves})"]
        tests += [f"({shape}[{d}] != 1 && {shape}[{d}] != {target.text}.shape[{d}])" for d in range(ndim)]
        message = "could not broadcast input array into the shape of the array that is written"
        self.raise_if(" || ".join(tests), ValueError, message, node)

    # ---- Attributes --------------------------------------------------------------------------------------------

    def array_attribute(self, node, value):
        """x.shape and so on."""
        name, t = node.attr, value.type
        if name == "ndim":
            return constant(t.ndim)
        if name == "dtype":
            return Value(types.Static(t.element), const=t.element)
        if name == "itemsize":
            return constant(t.element.bytes)
        value = self.materialize(value)
        if name == "shape":
            return tuple_of(Value(types.int64, f"{value.text}.shape[{d}]") for d in range(t.ndim))
        if name == "strides":
            return tuple_of(Value(types.int64, f"{value.text}.strides[{d}]") for d in range(t.ndim))
        if name == "size":
            return self.temp(types.int64, f"gp_size({value.text})")
        if name == "nbytes":
            return self.temp(types.int64, f"gp_size({value.text}) * {t.element.bytes}")
        if name == "T":
            return self.transposed(value, list(range(t.ndim))[::-1])
        if name in ("real", "imag"):
            return self._part(node, value, name)
        if name == "flat":
            return self.reshaped(node, value, [constant(-1)])
        raise self.error(node, f"Unknown attribute {name!r} of type {t}")

    def _part(self, node, value, name):
        t = value.type.element
        if t.kind != "c":
            return value if name == "real" else self.lazy(t, [value], lambda x: f"{t.cpp}(0)")
        part = types.float32 if t.bytes == 8 else types.float64
        made = types.Array(part, value.type.ndim, "A")
        window = self.new_name("w")
        self.emit(f"{made.cpp} {window};")
        for d in range(made.ndim):
            self.emit(
                f"{window}.shape[{d}] = {value.text}.shape[{d}]; {window}.strides[{d}] = {value.text}.strides[{d}];"
            )
        self.emit(f"{window}.data = ({part.cpp} *){value.text}.data + {int(name == 'imag')};")
        self.keep_owner(window, value)
        return Value(made, window)

    def transposed(self, value, axes):
        """A window with the axes in another order."""
        if value.type.ndim < 2:
            return value
        t = types.Array(value.type.element, value.type.ndim, "A")
        name = self.new_name("w")
        self.emit(f"{t.cpp} {name}; {name}.data = {value.text}.data;")
        for d, axis in enumerate(axes):
            self.emit(
                f"{name}.shape[{d}] = {value.text}.shape[{axis}]; {name}.strides[{d}] = {value.text}.strides[{axis}];"
            )
        self.keep_owner(name, value)
        return Value(t, name)

    def packed(self, value):
        """The array itself, or a packed copy of it, in C order."""
        value = self.materialize(value)
        return value if value.type.layout == "C" else self.copied(value)

    def reshaped(self, node, value, sizes):
        """The elements in another shape."""
        value = self.packed(value)
        t = types.Array(value.type.element, len(sizes), "C")
        name, known = self.new_name("w"), self.new_name("n")
        sizes = [cast(s, types.int64) for s in sizes]
        product = " * ".join([f"({s.text} < 0 ? 1 : {s.text})" for s in sizes] or ["1"])
        self.emit(f"const int64_t {known} = {product}, {known}_all = gp_size({value.text});")
        wholes = [f"({s.text} < 0 ? ({known} ? {known}_all / {known} : 0) : {s.text})" for s in sizes]
        self.emit(f"{t.cpp} {name}; {name}.data = {value.text}.data;")
        stride = str(t.element.bytes)
        for d in reversed(range(len(sizes))):
            self.emit(f"{name}.shape[{d}] = {wholes[d]}; {name}.strides[{d}] = {stride};")
            stride = f"{name}.strides[{d}] * {name}.shape[{d}]"
        self.keep_owner(name, value)
        message = "cannot reshape array into that shape"
        self.raise_if(f"gp_size({name}) != {known}_all", ValueError, message, node)
        return Value(t, name)

    def shape_of(self, node, value):
        """The extents that a number or a tuple names, as values."""
        items = value.items if value.is_tuple else [value]
        for item in items:
            if item.is_number and item.type.kind not in "iub":
                raise self.error(node, f"a shape is of integers, not {item.type}")
        return [cast(v, types.int64) if v.is_number else v for v in items]

    def filled(self, node, sizes, element, text):
        """A new array, with the same value everywhere; text None: without values."""
        if any(not s.is_number for s in sizes):
            return Value(types.unknown, "0")
        shape = self.new_name("n")
        self.emit(f"const int64_t {shape}[] = {{{', '.join(s.text for s in sizes) or '1'}}};")
        negative = " || ".join(f"{s.text} < 0" for s in sizes)
        if negative:
            self.raise_if(negative, ValueError, "negative dimensions are not allowed", node)
        result = self.new_array(node, element, len(sizes), shape)
        if text is not None:
            self.emit(f"gp_map({result.text}, [&]() {{ return {element.cpp}({text}); }});")
        return result

    def array_of_items(self, node, value):
        """A new array of a tuple's or list's items, which are numbers, or tuples of them."""
        rows = [self.array_of_items(node, v) if v.is_tuple else self.materialize(v) for v in value.items]
        if not rows:
            return self.filled(node, [constant(0)], types.float64, None)
        if rows[0].is_array:
            return self.stacked(node, rows)
        t = rows[0].type
        for row in rows[1:]:
            t = types.unify(t, row.type)
        result = self.filled(node, [constant(len(rows))], t, None)
        for k, row in enumerate(rows):
            self.emit(f"{result.text}.data[{k}] = {cast(row, t).text};")
        return result

    def stacked(self, node, rows):
        """A new array whose first axis goes over arrays of one shape."""
        first = rows[0]
        sizes = [constant(len(rows))] + [Value(types.int64, f"{first.text}.shape[{d}]") for d in range(first.type.ndim)]
        result = self.filled(node, sizes, first.type.element, None)
        for k, row in enumerate(rows):
            self.store_place(node, self.place_at(node, result, [constant(k)]), row)
        return result

    def captured_array(self, array):
        """A constant array of the text."""
        if getattr(array, "size", 0) > 1 << 16:
            raise self.error(self.source.node, "a captured array is too large: make it an argument", Unsupported)
        name = self.unit.constant_array(array)
        element = types.of_dtype(array.dtype)
        t = types.Array(element, array.ndim, "C")
        window = self.new_name("w")
        self.emit(f"{t.cpp} {window}; {window}.data = ({element.cpp} *){name};")
        stride = element.bytes
        for d in reversed(range(array.ndim)):
            self.emit(f"{window}.shape[{d}] = {array.shape[d]}; {window}.strides[{d}] = {stride};")
            stride *= array.shape[d]
        return Value(t, window)


def _converted(value, t):
    return value.text if value.type is t else cast(value, t).text

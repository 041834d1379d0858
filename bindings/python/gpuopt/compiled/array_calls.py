# bindings/python/gpuopt/compiled/array_calls.py -- NumPy's functions and methods of arrays in compiled functions.
from . import types
from .errors import Unsupported
from .language import extending
from .loops import Iteration
from .values import MISSING, Value, cast, constant, tuple_of

_REDUCTIONS = ("sum", "prod", "min", "max", "mean", "any", "all", "argmin", "argmax", "var", "std")


class ArrayCallMixin:
    """Calls that make arrays or look at them."""

    def method_call(self, node, target, name):
        """target.name(...) of an array, a number or a tuple."""
        args, keywords = self.arguments(node)
        if isinstance(target.type, types.Instance):
            return self.instance_call(node, target, name, args, keywords)
        if target.type is types.unknown or any(a.type is types.unknown for a in args):
            return Value(types.unknown, "0", const=None if isinstance(target.type, types.List) else MISSING)
        made = extending.method_for(name, target.type, [a.type for a in args], {k: v.type for k, v in keywords.items()})
        if made is not None:
            return self.call_function(node, made, [target, *args], keywords)
        if isinstance(target.type, types.Set):
            return self.set_call(node, target, name, args)
        if isinstance(target.type, types.Dict):
            return self.dict_call(node, target, name, [*args, *keywords.values()])
        if isinstance(target.type, types.List):
            return self._handled(node, name, self.list_call, [target, name, [*args, *keywords.values()]], {})
        if target.type is types.unicode_type or isinstance(target.static, str):
            return self.text_call(node, target, name, args, keywords)
        if target.is_tuple:
            return self._tuple_method(node, target, name, args, keywords)
        if target.is_number and name in ("conjugate", "item"):
            return self.ufunc(node, "conjugate", [target]) if name == "conjugate" else target
        if name in _REDUCTIONS:
            return self._handled(node, name, getattr(self, f"call_numpy_{name}"), [target, *args], keywords)
        handler = getattr(self, f"method_{name}", None)
        if handler is None or not target.is_array:
            raise self.error(node, f"Unknown attribute {name!r} of type {target.type}")
        return self._handled(node, name, handler, [target, *args], keywords)

    def _tuple_method(self, node, target, name, args, keywords):
        found = None if target.type.python is tuple else self.named_call(node, target, name, args, keywords)
        if found is not None:
            return found
        if name in ("index", "count") and target.const is not MISSING and args[0].const is not MISSING:
            return constant(getattr(target.const, name)(args[0].const))
        raise self.error(node, f"Unknown attribute {name!r} of type {target.type}")

    # ---- New arrays --------------------------------------------------------------------------------------------

    def _dtype(self, node, dtype, default=types.float64):
        if dtype is None or dtype.type is types.none:
            return default
        found = dtype.static
        if isinstance(found, type) and found in (int, float, bool, complex):
            return {int: types.int64, float: types.float64, bool: types.boolean, complex: types.complex128}[found]
        try:
            return types.of_dtype(found.dtype if isinstance(found, types.Number) else found)
        except (TypeError, KeyError, AttributeError):
            raise self.error(node, f"{dtype.type} is no dtype") from None

    def call_numpy_zeros(self, node, shape, dtype=None):
        return self.filled(node, self.shape_of(node, shape), self._dtype(node, dtype), "0")

    def call_numpy_ones(self, node, shape, dtype=None):
        return self.filled(node, self.shape_of(node, shape), self._dtype(node, dtype), "1")

    def call_numpy_empty(self, node, shape, dtype=None):
        return self.filled(node, self.shape_of(node, shape), self._dtype(node, dtype), "0")

    def call_numpy_full(self, node, shape, fill_value, dtype=None):
        element = self._dtype(node, dtype, fill_value.type)
        return self.filled(node, self.shape_of(node, shape), element, cast(fill_value, element).text)

    def _like(self, node, x, dtype, text):
        element = self._dtype(node, dtype, x.type.element if x.is_array else x.type)
        x = self.materialize(x)
        sizes = [Value(types.int64, f"{x.text}.shape[{d}]") for d in range(x.type.ndim if x.is_array else 0)]
        return self.filled(node, sizes, element, text)

    def call_numpy_zeros_like(self, node, x, dtype=None):
        return self._like(node, x, dtype, "0")

    def call_numpy_ones_like(self, node, x, dtype=None):
        return self._like(node, x, dtype, "1")

    def call_numpy_empty_like(self, node, x, dtype=None):
        return self._like(node, x, dtype, "0")

    def call_numpy_full_like(self, node, x, fill_value, dtype=None):
        element = self._dtype(node, dtype, x.type.element)
        return self._like(node, x, dtype, cast(fill_value, element).text)

    def call_numpy_eye(self, node, N, M=None, k=None, dtype=None):
        n = cast(N, types.int64)
        m = n if M is None else cast(M, types.int64)
        result = self.filled(node, [n, m], self._dtype(node, dtype), "0")
        i, shift = self.new_name("i"), "0" if k is None else cast(k, types.int64).text
        self.emit(f"for (int64_t {i} = 0; {i} < {n.text}; {i}++) {{ const int64_t j = {i} + {shift};")
        self.emit(
            f"if (j >= 0 && j < {m.text}) {result.text}.data[{i} * {m.text} + j] = {result.type.element.cpp}(1); }}"
        )
        return result

    call_numpy_identity = call_numpy_eye

    def call_numpy_arange(self, node, start, stop=None, step=None, dtype=None):
        if stop is None:
            start, stop = constant(0), start
        step = constant(1) if step is None else step
        t = types.int64
        for part in (start, stop, step):
            t = types.arithmetic(t, part.type)
        first, last, by = (self.temp(t, cast(v, t).text).text for v in (start, stop, step))
        if t.kind == "f":
            count = f"gp_to<int64_t>(ceil(({last} - {first}) / {by}))"
        else:
            self.raise_if(f"{by} == 0", ZeroDivisionError, "division by zero", node)
            count = f"gp_range({first}, {last}, {by})"
        n = self.temp(types.int64, count)
        n = self.temp(types.int64, f"{n.text} < 0 ? 0 : {n.text}")
        return self._progression(node, n, self._dtype(node, dtype, t), lambda i: f"{first} + {i} * {by}")

    def call_numpy_linspace(self, node, start, stop, num=None):
        n = constant(50) if num is None else self.temp(types.int64, cast(num, types.int64).text)
        first, last = (self.temp(types.float64, cast(v, types.float64).text).text for v in (start, stop))
        step = self.temp(types.float64, f"{n.text} > 1 ? ({last} - {first}) / double({n.text} - 1) : 0.0").text
        return self._progression(
            node, n, types.float64, lambda i: f"{i} && {i} == {n.text} - 1 ? {last} : {first} + double({i}) * {step}"
        )

    def _progression(self, node, count, element, text):
        result = self.filled(node, [count], element, None)
        i = self.new_name("i")
        self.emit(
            f"for (int64_t {i} = 0; {i} < {count.text}; {i}++) {result.text}.data[{i}] = {element.cpp}({text(i)});"
        )
        return result

    def call_numpy_array(self, node, value, dtype=None):
        if value.is_array:
            result = self.copied(value) if not hasattr(value, "leaves") else self.materialize(value)
        elif value.is_tuple:
            result = self.array_of_items(node, value)
        elif isinstance(value.type, types.List):
            result = self.list_as_array(node, value)
        else:
            raise self.error(node, f"array() of {value.type}")
        return result if dtype is None else self.method_astype(node, result, dtype)

    def call_numpy_asarray(self, node, value, dtype=None):
        if not value.is_array:
            return self.call_numpy_array(node, value, dtype)
        return value if dtype is None else self.method_astype(node, value, dtype)

    call_numpy_ascontiguousarray = call_numpy_asarray

    def call_gpuopt_carray(self, node, ptr, shape, dtype=None):
        """The array at an address."""
        if not isinstance(ptr.type, types.Pointer):
            raise self.error(node, f"carray() of {ptr.type}: an address is expected")
        sizes = self.shape_of(node, shape)
        element = self._dtype(node, dtype, ptr.type.element)
        t = types.Array(element, len(sizes), "C")
        name, stride = self.new_name("w"), str(element.bytes)
        self.emit(f"{t.cpp} {name}; {name}.data = ({element.cpp} *){ptr.text};")
        for d in reversed(range(len(sizes))):
            self.emit(f"{name}.shape[{d}] = {sizes[d].text}; {name}.strides[{d}] = {stride};")
            stride = f"{name}.strides[{d}] * {name}.shape[{d}]"
        return Value(t, name)

    # ---- Reductions --------------------------------------------------------------------------------------------

    def call_numpy_sum(self, node, x, axis=None, dtype=None):
        return self.reduction(node, "sum", x if dtype is None else self.method_astype(node, x, dtype), axis)

    def call_numpy_prod(self, node, x, axis=None):
        return self.reduction(node, "prod", x, axis)

    def call_numpy_min(self, node, x, axis=None):
        return self.reduction(node, "min", x, axis)

    def call_numpy_max(self, node, x, axis=None):
        return self.reduction(node, "max", x, axis)

    call_numpy_amin, call_numpy_amax = call_numpy_min, call_numpy_max

    def call_numpy_any(self, node, x, axis=None):
        return self.reduction(node, "any", x, axis)

    def call_numpy_all(self, node, x, axis=None):
        return self.reduction(node, "all", x, axis)

    def call_numpy_argmin(self, node, x, axis=None):
        return self.reduction(node, "argmin", x, axis)

    def call_numpy_argmax(self, node, x, axis=None):
        return self.reduction(node, "argmax", x, axis)

    def call_numpy_mean(self, node, x, axis=None):
        x = self.materialize(x)
        t = x.type.element if x.type.element.kind in "fc" else types.float64
        total = self.reduction(node, "sum", self.method_astype(node, x, None, t), axis)
        count = f"gp_size({x.text})" if axis is None else f"{x.text}.shape[{self._axis(node, x, axis)}]"
        n = self.temp(types.float64, f"double({count})")
        if total.is_array:
            return self.lazy(t, [total], lambda e: f"{e} / {_real_cpp(t)}({n.text})")
        return self.temp(t, f"{total.text} / {_real_cpp(t)}({n.text})")

    def call_numpy_var(self, node, x, axis=None, ddof=None):
        x = self.materialize(x)
        if axis is not None and axis.type is not types.none:
            raise self.error(node, "var() along an axis is not supported", Unsupported)
        mean = self.call_numpy_mean(node, x)
        part = {"complex64": types.float32, "complex128": types.float64}.get(mean.type.name, mean.type)
        off = f"({{}} - {mean.text})"
        square = (
            (lambda e: f"norm({off.format(e)})")
            if mean.type.kind == "c"
            else lambda e: f"{off.format(e)} * {off.format(e)}"
        )
        total = self.reduction(node, "sum", self.lazy(part, [x], square, mean.type), None)
        less = "0" if ddof is None else cast(ddof, types.int64).text
        return self.temp(part, f"{total.text} / {part.cpp}(gp_size({x.text}) - {less})")

    def call_numpy_std(self, node, x, axis=None, ddof=None):
        return self.ufunc(node, "sqrt", [self.call_numpy_var(node, x, axis, ddof)])

    def _axis(self, node, x, axis):
        if axis.const is MISSING or not isinstance(axis.const, int):
            raise self.error(node, "an axis must be a constant", Unsupported)
        k = axis.const + x.type.ndim if axis.const < 0 else axis.const
        if not 0 <= k < x.type.ndim:
            raise self.error(node, f"axis {axis.const} is out of bounds for array of dimension {x.type.ndim}")
        return k

    def reduction(self, node, name, x, axis):
        """A reduction of all elements, or along one axis."""
        if x.is_number:
            return x
        if not x.is_array:
            raise self.error(node, f"{name}() of {x.type}")
        x = self.materialize(x)
        if not x.is_array:
            return x
        if axis is None or axis.type is types.none:
            n = self.temp(types.int64, f"gp_size({x.text})")
            flat = x.type.layout == "C"
            read = (lambda i: f"{x.text}.data[{i}]") if flat else lambda i: f"gp_flat({x.text}, {i})"
            return self._reduce(node, name, x.type.element, n, read)
        return self._reduce_axis(node, name, x, self._axis(node, x, axis))

    def _reduce_axis(self, node, name, x, axis):
        rest = [d for d in range(x.type.ndim) if d != axis]
        sizes = [Value(types.int64, f"{x.text}.shape[{d}]") for d in rest]
        t = _reduced_type(name, x.type.element)
        if not rest:
            return self.reduction(node, name, x, None)
        result = self.filled(node, sizes, t, None)
        names = [self.new_name("i") for _ in rest]
        for index, size in zip(names, sizes):
            self.emit(f"for (int64_t {index} = 0; {index} < {size.text}; {index}++) {{")
        base = " + ".join(f"{i} * {x.text}.strides[{d}]" for i, d in zip(names, rest))
        cpp = x.type.element.cpp

        def read(i):
            return f"(*({cpp} *)((char *){x.text}.data + {base} + {i} * {x.text}.strides[{axis}]))"

        n = Value(types.int64, f"{x.text}.shape[{axis}]")
        value = self._reduce(node, name, x.type.element, n, read)
        place = self.place_at(node, result, [Value(types.int64, i) for i in names], checked=False)
        self.emit(f"{place.text} = {cast(value, t).text};" + "}" * len(rest))
        return result

    def _reduce(self, node, name, element, n, read):
        t = _reduced_type(name, element)
        if name in ("min", "max", "argmin", "argmax"):
            what = {"min": "minimum", "max": "maximum"}.get(name)
            message = (
                f"zero-size array to reduction operation {what} which has no identity"
                if what
                else f"attempt to get {name} of an empty sequence"
            )
            self.raise_if(f"{n.text} == 0", ValueError, message, node)
            return self._extreme_of(name, element, n, read)
        result, i = self.new_name("s"), self.new_name("i")
        start = "1" if name in ("prod", "all") else "0"
        self.emit(f"{t.cpp} {result} = {t.cpp}({start});")
        x = cast(Value(element, read(i)), t).text
        step = {
            "sum": f"{result} = gp_add({result}, {x});" if t.kind in "iu" else f"{result} += {x};",
            "prod": f"{result} = gp_mul({result}, {x});" if t.kind in "iu" else f"{result} *= {x};",
            "any": f"if ({x}) {{ {result} = true; break; }}",
            "all": f"if (!({x})) {{ {result} = false; break; }}",
        }[name]
        self.emit(f"for (int64_t {i} = 0; {i} < {n.text}; {i}++) {{ {step} }}")
        return Value(t, result)

    def _extreme_of(self, name, element, n, read):
        best, i, at = self.new_name("m"), self.new_name("i"), self.new_name("k")
        sign = "<" if name.endswith("min") else ">"
        self.emit(f"{element.cpp} {best} = {read('0')}; int64_t {at} = 0;")
        self.emit(f"for (int64_t {i} = 1; {i} < {n.text} && {best} == {best}; {i}++) {{")
        self.emit(f"const {element.cpp} x = {read(i)}; if (x {sign} {best} || x != x) {{ {best} = x; {at} = {i}; }} }}")
        return Value(types.int64, at) if name.startswith("arg") else Value(element, best)

    def call_numpy_cumsum(self, node, x):
        return self._accumulated(node, x, "sum", "+")

    def call_numpy_cumprod(self, node, x):
        return self._accumulated(node, x, "prod", "*")

    def _accumulated(self, node, x, name, sign):
        x = self.packed(x)
        t = _reduced_type(name, x.type.element)
        n = self.temp(types.int64, f"gp_size({x.text})")
        result = self.filled(node, [n], t, None)
        s, i = self.new_name("s"), self.new_name("i")
        self.emit(f"{t.cpp} {s} = {t.cpp}({int(sign == '*')});")
        item = cast(Value(x.type.element, f"{x.text}.data[{i}]"), t).text
        step = f"gp_{'add' if sign == '+' else 'mul'}({s}, {item})" if t.kind in "iu" else f"{s} {sign} {item}"
        self.emit(f"for (int64_t {i} = 0; {i} < {n.text}; {i}++) {result.text}.data[{i}] = {s} = {step};")
        return result

    # ---- Elementwise functions that are no ufuncs --------------------------------------------------------------

    def call_numpy_where(self, node, condition, x, y):
        parts = [condition, x, y]
        if not any(p.is_array for p in parts):
            t = types.unify(x.type, y.type)
            test = self.truth_value(node, condition)
            return self.temp(t, f"{test.text} ? {cast(x, t).text} : {cast(y, t).text}")
        t = types.promote_arrays([x.type, y.type]) if x.is_array or y.is_array else types.unify(x.type, y.type)
        held = [p if p.is_array else Value(p.type, self.temp(p.type, p.text).text) for p in parts]
        kinds = [p.type.element if p.is_array else p.type for p in held]
        return self.lazy(
            t,
            held,
            lambda c, a, b: (
                f"({cast(Value(kinds[0], c), types.boolean).text} ? {cast(Value(kinds[1], a), t).text}"
                f" : {cast(Value(kinds[2], b), t).text})"
            ),
        )

    def call_numpy_clip(self, node, x, a_min, a_max):
        return self.ufunc(node, "minimum", [self.ufunc(node, "maximum", [x, a_min]), a_max])

    def call_numpy_round(self, node, x, decimals=None):
        if decimals is not None and decimals.const != 0:
            raise self.error(node, "round() of arrays is to integers only", Unsupported)
        return self.ufunc(node, "rint", [x])

    def call_numpy_abs(self, node, x):
        return self.ufunc(node, "absolute", [x])

    # ---- Shapes ------------------------------------------------------------------------------------------------

    def call_numpy_transpose(self, node, x):
        x = self.materialize(x)
        return self.transposed(x, list(range(x.type.ndim))[::-1])

    def call_numpy_reshape(self, node, x, shape):
        return self.reshaped(node, x, self.shape_of(node, shape))

    def call_numpy_ravel(self, node, x):
        return self.reshaped(node, x, [constant(-1)])

    def call_numpy_copy(self, node, x):
        return self.method_copy(node, x)

    def call_numpy_shape(self, node, x):
        x = self.materialize(x)
        return tuple_of(Value(types.int64, f"{x.text}.shape[{d}]") for d in range(x.type.ndim))

    def call_numpy_ndenumerate(self, node, x):
        x = self.packed(x)
        n = self.temp(types.int64, f"gp_size({x.text})")
        return self._nd_iteration(x, n, lambda i, at: tuple_of([at, self.temp(x.type.element, f"{x.text}.data[{i}]")]))

    def call_numpy_ndindex(self, node, *shape):
        sizes = self.shape_of(node, shape[0] if len(shape) == 1 else tuple_of(shape))
        text = " * ".join(s.text for s in sizes) or "1"
        n = self.temp(types.int64, text)
        return self._nd_iteration(sizes, n, lambda i, at: at)

    def _nd_iteration(self, over, n, item):
        from .loops import Iterable

        sizes = (
            [s.text for s in over]
            if isinstance(over, list)
            else [f"{over.text}.shape[{d}]" for d in range(over.type.ndim)]
        )

        def get(i):
            left, items = i, []
            for size in reversed(sizes):
                items.append(self.temp(types.int64, f"({left}) % {size}"))
                left = f"({left}) / {size}"
            return item(i, tuple_of(items[::-1]))

        return Iterable(Iteration(n.text, get))

    # ---- Products ----------------------------------------------------------------------------------------------

    def call_numpy_dot(self, node, a, b):
        if a.is_number or b.is_number:
            return self.binary(node, "*", a, b)
        return self.matrix_product(node, a, b)

    call_numpy_matmul = call_numpy_dot

    def call_numpy_vdot(self, node, a, b):
        return self.matrix_product(node, self.ufunc(node, "conjugate", [a]), b)

    def matrix_product(self, node, a, b):
        """a @ b of arrays of one or two dimensions."""
        if types.unknown in (a.type, b.type):
            return Value(types.unknown, "0")
        if not (a.is_array and b.is_array and a.type.ndim in (1, 2) and b.type.ndim in (1, 2)):
            raise self.error(node, f"unsupported operand types for @: {a.type} and {b.type}")
        a, b = self.materialize(a), self.materialize(b)
        t = types.promote_arrays([a.type, b.type])
        inner = f"{a.text}.shape[{a.type.ndim - 1}]"
        message = "shapes are not aligned: the last axis of the first and the first axis of the second differ"
        self.raise_if(f"{inner} != {b.text}.shape[{0}]", ValueError, message, node)
        names = [self.new_name("i") for _ in range(a.type.ndim - 1)]
        columns = [self.new_name("j") for _ in range(b.type.ndim - 1)]
        sizes = [Value(types.int64, f"{a.text}.shape[0]") for _ in names]
        sizes += [Value(types.int64, f"{b.text}.shape[1]") for _ in columns]
        result = self.filled(node, sizes, t, "0") if sizes else None
        total, k = self.new_name("s"), self.new_name("k")
        for index, size in zip(names + columns, sizes):
            self.emit(f"for (int64_t {index} = 0; {index} < {size.text}; {index}++) {{")
        self.emit(f"{t.cpp} {total} = {t.cpp}(0);")
        x = self._element(a, [*names, k], t)
        y = self._element(b, [k, *columns], t)
        product = f"gp_add({total}, gp_mul({x}, {y}))" if t.kind in "iu" else f"{total} + {x} * {y}"
        self.emit(f"for (int64_t {k} = 0; {k} < {inner}; {k}++) {total} = {product};")
        if result is None:
            return Value(t, total)
        place = self._element(result, names + columns, t)
        self.emit(f"{place} = {total};" + "}" * len(sizes))
        return result

    def _element(self, value, names, t):
        place = self.place_at(None, value, [Value(types.int64, n) for n in names], checked=False)
        return cast(Value(value.type.element, place.text), t).text

    # ---- Methods -----------------------------------------------------------------------------------------------

    def method_copy(self, node, x):
        return self.materialize(x) if hasattr(x, "leaves") else self.copied(x)

    def method_fill(self, node, x, value):
        self.write_elements(node, x, value)
        return Value(types.none, const=None)

    def method_reshape(self, node, x, *shape):
        return self.reshaped(node, x, self.shape_of(node, shape[0] if len(shape) == 1 else tuple_of(shape)))

    def method_ravel(self, node, x):
        return self.reshaped(node, x, [constant(-1)])

    def method_flatten(self, node, x):
        return self.copied(self.reshaped(node, x, [constant(-1)]))

    def method_astype(self, node, x, dtype, element=None):
        element = element or self._dtype(node, dtype)
        source = x.type.element
        return self.lazy(element, [x], lambda e: cast(Value(source, e), element).text)

    def method_transpose(self, node, x):
        return self.call_numpy_transpose(node, x)

    def method_dot(self, node, x, y):
        return self.call_numpy_dot(node, x, y)

    def method_item(self, node, x, *index):
        x = self.materialize(x)
        if not index:
            self.raise_if(
                f"gp_size({x.text}) != 1", ValueError, "can only convert an array of size 1 to a Python scalar", node
            )
            return self.load_place(self.place_at(node, x, [constant(0)] * x.type.ndim))
        return self.load_place(self.place_at(node, x, list(index)))

    def method_conjugate(self, node, x):
        return self.ufunc(node, "conjugate", [x])

    method_conj = method_conjugate

    def method_round(self, node, x, decimals=None):
        return self.call_numpy_round(node, x, decimals)

    def method_clip(self, node, x, a_min, a_max):
        return self.call_numpy_clip(node, x, a_min, a_max)

    def method_cumsum(self, node, x):
        return self.call_numpy_cumsum(node, x)

    def method_cumprod(self, node, x):
        return self.call_numpy_cumprod(node, x)

    def method_sort(self, node, x):
        if x.type.ndim != 1:
            raise self.error(node, "sort() is of one dimension", Unsupported)
        x = self.materialize(x)
        self.mark_written(x)
        self.emit(f"gp_sort({x.text});")
        return Value(types.none, const=None)

    def call_numpy_sort(self, node, x):
        result = self.method_copy(node, x)
        self.method_sort(node, result)
        return result


def _reduced_type(name, element):
    if name in ("argmin", "argmax"):
        return types.int64
    if name in ("any", "all"):
        return types.boolean
    if name in ("sum", "prod"):
        return {"b": types.int64, "i": types.int64, "u": types.uint64}.get(element.kind, element)
    return element


def _real_cpp(t):
    return "float" if t.bytes == (8 if t.kind == "c" else 4) else "double"

# bindings/python/gpuopt/compiled/calls.py -- calls: of Python's own functions, math and other compiled functions.
import ast

from . import types
from .array_calls import ArrayCallMixin
from .device_calls import DeviceCallMixin
from .errors import Unsupported
from .language import extending
from .language.host_calls import HostCallMixin, name_of
from .language.printing import PrintMixin
from .language.random_calls import RandomMixin
from .loops import Iterable, prange
from .source import Source
from .ufuncs import UFUNCS, absolute_text
from .values import MISSING, Value, cast, constant, tuple_of

_PYTHON_TYPES = {int: types.int64, float: types.float64, bool: types.boolean, complex: types.complex128}


class CallMixin(ArrayCallMixin, DeviceCallMixin, RandomMixin, PrintMixin, HostCallMixin):
    """Calls in a function."""

    def expr_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            target = self.expr(node.func.value)
            known = (
                target.is_array
                or target.is_number
                or target.is_tuple
                or isinstance(target.type, (types.List, types.Dict, types.Instance, types.UnicodeType))
                or isinstance(target.static, str)
            )
            if known or target.type is types.unknown:
                return self.method_call(node, target, node.func.attr)
            if types.named_fields(target.static) is not None and self.is_static_method(target.static, node.func.attr):
                args, keywords = self.arguments(node)
                return self.call_function(node, getattr(target.static, node.func.attr), args, keywords)
        function = self.expr(node.func)
        if function.type is types.unknown:
            return function
        target = function.static
        if target is MISSING:
            raise self.error(node, f"{function.type} cannot be called")
        if target is print:
            return self._print(node)
        if (target is any or target is all) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self.any_of(node, node.args[0], target is any)
        args, keywords = self.arguments(node)
        return self.call_object(node, target, args, keywords)

    def arguments(self, node):
        """Values of a call's arguments."""
        if any(k.arg is None for k in node.keywords):
            raise self.error(node, "** in a call is not supported", Unsupported)
        return self.arguments_of(node.args), {k.arg: self.expr(k.value) for k in node.keywords}

    def arguments_of(self, nodes):
        """Values of expressions, with *tuple taken apart."""
        args = []
        for a in nodes:
            if isinstance(a, ast.Starred):
                value = self.expr(a.value)
                if not value.is_tuple:
                    raise self.error(a, f"*{value.type}: only tuples are taken apart", Unsupported)
                args += value.items
            else:
                args.append(self.expr(a))
        return args

    def call_object(self, node, target, args, keywords):
        """A call of a Python object that is known when the function is compiled."""
        if types.named_fields(target) is not None:
            return self.new_named(node, target, args, keywords)
        if hasattr(target, "_gpuopt_class"):
            return self.new_instance(node, target._gpuopt_class, args, keywords)
        given = [v.type for v in args], {k: v.type for k, v in keywords.items()}
        if not any(types.has_unknown(t) for t in (*given[0], *given[1].values())):
            found = extending.function_for(target, *given)
            generator = getattr(target, "_gpuopt_generator", None)
            found = found or generator and extending._implementation(generator, *given)
            if found is not None:
                return self.call_function(node, found, args, keywords)
        compiled = target if extending.is_jitable(target) else getattr(target, "_gpuopt_function", None)
        if compiled is not None and getattr(target, "nin", None) and any(a.is_array for a in args):
            return self.call_elementwise(node, compiled, args)
        if compiled is not None:
            return self.call_function(node, compiled, args, keywords)
        handler = self._handler(target)
        if handler is not None:
            if any(v.type is types.unknown for v in [*args, *keywords.values()]) and not getattr(
                handler, "takes_unknown", False
            ):
                return Value(types.unknown, "0")
            return self._handled(node, target, handler, args, keywords)
        converted = _PYTHON_TYPES.get(target) if isinstance(target, type) else None
        t = target if isinstance(target, types.Number) else converted or _numpy_type(target)
        if t is not None:
            return self._conversion(node, t, args)
        name = getattr(target, "__name__", None)
        if name in UFUNCS and _module(target) in ("numpy", "math", "gpuopt"):
            return self.ufunc(node, name, args)
        if hasattr(target, "__code__"):
            raise self.error(node, f"{name} is not compiled: decorate it with @njit", Unsupported)
        raise self.error(node, f"a call of {name or target} is not supported", Unsupported)

    def _handler(self, target):
        name, module = getattr(target, "__name__", None), _module(target)
        if target is prange:
            return self.call_builtins_range
        found = self.random_handler(target)
        if found is not None:
            return found
        for prefix in {"gpuopt": ("gpuopt", "numpy"), "numpy": ("numpy",)}.get(module, (module,)):
            found = getattr(self, f"call_{prefix}_{name}", None)
            if found is not None and name_of(target) != f"linalg.{name}":
                return found
        return self.host_handler(target)

    def _handled(self, node, target, handler, args, keywords):
        if not keywords and _takes(handler, 1 + len(args)):
            return handler(node, *args)
        import inspect

        try:
            inspect.signature(handler).bind(node, *args, **keywords)
        except TypeError as error:
            name = getattr(target, "__name__", target)
            raise self.error(node, f"{name}: {error}") from None
        return handler(node, *args, **keywords)

    def _conversion(self, node, t, args):
        if not args:
            return cast(constant(0), t)
        if t.kind == "c" and len(args) == 2:
            part = types.float32 if t.bytes == 8 else types.float64
            return self.temp(t, f"{t.cpp}({cast(args[0], part).text}, {cast(args[1], part).text})")
        value = args[0]
        if value.type is types.unknown:
            return Value(types.unknown, "0")
        if t is types.boolean and not (value.is_number or value.is_array):
            return self.truth_value(node, value)
        if value.is_array and value.type.ndim == 0:
            value = self.load_place(self.place_at(node, self.materialize(value), []))
        if not value.is_number or len(args) != 1:
            raise self.error(node, f"{t}() of {', '.join(str(a.type) for a in args)}")
        if value.type.kind == "c" and t.kind in "iuf":
            raise self.error(node, f"a complex number cannot become {t}")
        result = cast(value, t)
        return result if result.const is not MISSING else self.temp(t, result.text)

    # ---- Compiled functions ------------------------------------------------------------------------------------

    def call_function(self, node, dispatcher, args, keywords):
        """A call of a function that is compiled with this one."""
        args = [self.as_list(node, self.materialize(a)) for a in self._ordered(node, dispatcher, args, keywords)]
        if any(types.has_unknown(a.type) for a in args):
            return Value(types.unknown, "0")
        function = self.unit.function(dispatcher, [a.type for a in args])
        names = self._parameter_names(dispatcher)
        for name, a in zip(names, args):
            if name in function.written and a.is_array:
                self.mark_written(a)
        if types.has_unknown(function.result):
            return Value(types.unknown, "0")
        result = self.new_name("r")
        texts = ["cx"] if self.options.host else []
        for a in args:
            texts += self._flat(a)
        for t, name in self._declared(result, function.result):
            self.emit(f"{t.cpp} {name}{{}};")
            texts.append(name)
        call = f"{function.name}({', '.join(texts)})"
        if self.options.host:
            self.emit(f"if (const int32_t status = {call}) return status;")
        else:
            self.emit(f"{call};")
        return self._variable(result, function.result)

    def call_elementwise(self, node, function, args):
        """A call of a vectorized function with arrays: an elementwise expression."""
        kinds = [a.type.element if a.is_array else a.type for a in args]
        compiled = self.unit.function(function, kinds)
        if not isinstance(compiled.result, types.Number):
            return Value(types.unknown, "0")
        context = "cx, " if self.options.host else ""
        names = [f"e{k}" for k in range(len(args))]
        result = compiled.result

        def text(*elements):
            converted = ", ".join(elements)
            return f"{compiled.name}_value({context}{converted})"

        wrapper = f"{compiled.name}_value"
        if wrapper not in self.unit.wrappers:
            parameters = ["gp_context *cx"] if self.options.host else []
            parameters += [f"{t.cpp} {n}" for t, n in zip(kinds, names)]
            body = f"{result.cpp} r{{}}; {compiled.name}({context}{', '.join([*names, 'r'])}); return r;"
            head = f"static __device__ {result.cpp} {wrapper}({', '.join(parameters)})"
            self.unit.wrappers[wrapper] = head + " { " + body + " }\n"
        return self.lazy(result, args, text)

    def _flat(self, value):
        if value.is_tuple:
            return [t for item in value.items for t in self._flat(item)]
        return [] if value.type is types.none or isinstance(value.type, types.Static) else [value.text]

    def _parameter_names(self, function):
        return Source.of(function).parameters

    def _ordered(self, node, function, args, keywords):
        """The arguments in the order of the parameters, with defaults."""
        source = Source.of(function)
        inner = self.captured_values(node, function)
        names = source.parameters[: len(source.parameters) - len(inner)]
        count = source.positional
        defaults = dict(zip(names[:count][::-1], (function.__defaults__ or ())[::-1]))
        defaults.update(function.__kwdefaults__ or {})
        values, rest, keywords = list(args[:count]), args[count:], dict(keywords)
        if rest and not source.node.args.vararg:
            raise self.error(node, f"{function.__name__}() takes the arguments ({', '.join(names)})")
        for name in names[len(values) :]:
            if source.node.args.vararg and name == source.node.args.vararg.arg:
                values.append(tuple_of(rest))
            elif name in keywords:
                values.append(keywords.pop(name))
            elif name in defaults:
                values.append(self.object_value(defaults[name]))
            else:
                raise self.error(node, f"{function.__name__}() missing the argument {name!r}")
        if keywords:
            raise self.error(node, f"{function.__name__}() takes the arguments ({', '.join(names)})")
        return values + inner

    # ---- Python's own functions --------------------------------------------------------------------------------

    def call_builtins_range(self, node, *args):
        for a in args:
            if not a.is_number or a.type.kind not in "biu":
                raise self.error(node, f"range() of {a.type}: an integer is expected")
        return Iterable(self.range_iteration(list(args), node))

    def call_builtins_enumerate(self, node, values, start=None):
        start = constant(0) if start is None else cast(start, types.int64)
        return Iterable(self.enumerate_iteration(self.iteration(node, values), start))

    def call_builtins_zip(self, node, *args):
        return Iterable(self.zip_iteration([self.iteration(node, a) for a in args]))

    def call_builtins_len(self, node, value):
        if value.is_tuple:
            return constant(len(value.items))
        if value.is_array and value.type.ndim:
            return Value(types.int64, f"{self.materialize(value).text}.shape[0]")
        if isinstance(value.static, str):
            return constant(len(value.static))
        if value.type is types.unicode_type:
            return self.temp(types.int64, f"{value.text}.size()")
        if isinstance(value.type, types.List):
            return self.temp(types.int64, f"{value.text}.size()")
        if isinstance(value.type, types.Dict):
            return self.dict_length(value)
        raise self.error(node, f"len() of {value.type}")

    def call_builtins_abs(self, node, x):
        if x.is_array:
            return self.ufunc(node, "absolute", [x])
        t = x.type if x.type.kind != "b" else types.int64
        value = self.temp(t, cast(x, t).text) if x.const is MISSING else cast(x, t)
        result = t if t.kind != "c" else types.float32 if t.bytes == 8 else types.float64
        return self.temp(result, absolute_text(t, value.text))

    def call_builtins_min(self, node, *args):
        return self._extreme(node, "<", args)

    def call_builtins_max(self, node, *args):
        return self._extreme(node, ">", args)

    def _extreme(self, node, sign, args):
        """The first of the least or greatest, as Python's min and max."""
        if len(args) == 1 and isinstance(args[0].type, types.Dict) and not types.has_unknown(args[0].type):
            args = [self.dict_list(args[0], "keys")]
        if len(args) == 1 and args[0].is_tuple:
            args = args[0].items
        elif len(args) == 1 and args[0].is_array:
            return self.reduction(node, "min" if sign == "<" else "max", args[0], None)
        elif len(args) == 1 and isinstance(args[0].type, types.List):
            return self.list_extreme(node, sign, args[0])
        args = [self.textual(a) for a in args]
        texts = args and all(a.type is types.unicode_type for a in args)
        if not texts and (not args or any(not a.is_number or a.type.kind == "c" for a in args)):
            raise self.error(node, f"min or max of {', '.join(str(a.type) for a in args)}")
        t = args[0].type
        for a in args[1:]:
            t = types.unify(t, a.type)
        best = self.new_name("m")
        self.emit(f"{t.cpp} {best} = {args[0].text if texts else cast(args[0], t).text};")
        for a in args[1:]:
            x = self.temp(t, a.text if texts else cast(a, t).text)
            self.emit(f"if ({x.text} {sign} {best}) {best} = {x.text};")
        return Value(t, best)

    def call_builtins_sum(self, node, value, start=None):
        if value.is_array:
            total = self.reduction(node, "sum", value, None)
            return total if start is None else self.binary(node, "+", total, start)
        if isinstance(value.type, types.Dict) and not types.has_unknown(value.type):
            value = self.dict_list(value, "keys")
        if isinstance(value.type, types.List):
            return self.list_total(node, value, start)
        if not value.is_tuple:
            raise self.error(node, f"sum() of {value.type}")
        total = constant(0) if start is None else start
        for item in value.items:
            total = self.binary(node, "+", total, item)
        return total

    def call_builtins_round(self, node, x, ndigits=None):
        if x.type.kind == "c":
            raise self.error(node, f"round() of {x.type}")
        if x.type.kind in "biu":
            return x if ndigits is not None else cast(x, types.int64)
        if ndigits is None or ndigits.type is types.none:
            return self.temp(types.int64, f"gp_to<int64_t>(rint({x.text}))")
        t = x.type
        return self.temp(t, f"{t.cpp}(gp_round(double({x.text}), {cast(ndigits, types.int64).text}))")

    def call_builtins_pow(self, node, a, b):
        return self.binary(node, "**", a, b)

    def call_builtins_divmod(self, node, a, b):
        return tuple_of([self.binary(node, "//", a, b), self.binary(node, "%", a, b)])

    def call_builtins_tuple(self, node, value=None):
        if value is None:
            return tuple_of([])
        if not value.is_tuple:
            raise self.error(node, "tuple() is of tuples only", Unsupported)
        return tuple_of(value.items)

    def call_builtins_slice(self, node, *args):
        return self.slice_call(node, list(args))

    def call_builtins_isinstance(self, node, value, kinds):
        kinds = [v.static for v in kinds.items] if kinds.is_tuple else [kinds.static]
        if value.is_tuple:
            return constant(any(isinstance(k, type) and issubclass(value.type.python, k) for k in kinds))
        if value.type is types.unicode_type or isinstance(value.static, str):
            return constant(any(k is str for k in kinds))
        names = {int: "iu", float: "f", bool: "b", complex: "c"}
        return constant(any(value.is_number and value.type.kind in names.get(k, "") for k in kinds))

    # ---- math --------------------------------------------------------------------------------------------------

    def _whole(self, node, name, x):
        if x.type.kind in "biu":
            return cast(x, types.uint64 if x.type.kind == "u" else types.int64)
        return self.temp(types.int64, f"gp_to<int64_t>({name}({x.text}))")

    def call_math_floor(self, node, x):
        return self._whole(node, "floor", x)

    def call_math_ceil(self, node, x):
        return self._whole(node, "ceil", x)

    def call_math_trunc(self, node, x):
        return self._whole(node, "trunc", x)

    def call_math_pow(self, node, x, y):
        t = types.float32 if x.type is y.type is types.float32 else types.float64
        return self.temp(t, f"pow({cast(x, t).text}, {cast(y, t).text})")

    def call_math_fabs(self, node, x):
        t = x.type if x.type.kind == "f" else types.float64
        return self.temp(t, f"fabs({cast(x, t).text})")

    def call_math_log(self, node, x, base=None):
        top = self.ufunc(node, "log", [x])
        return top if base is None else self.temp(top.type, f"{top.text} / {self.ufunc(node, 'log', [base]).text}")

    def call_math_ldexp(self, node, x, e):
        x = cast(x, types.float64) if x.type.kind != "f" else x
        return self.temp(x.type, f"ldexp({x.text}, int({cast(e, types.int64).text}))")

    def call_math_gcd(self, node, a, b):
        name = self.new_name("g")
        x, y = cast(a, types.int64).text, cast(b, types.int64).text
        self.emit(f"int64_t {name} = {x}, {name}_b = {y};")
        self.emit(f"while ({name}_b) {{ const int64_t r = {name} % {name}_b; {name} = {name}_b; {name}_b = r; }}")
        return self.temp(types.int64, f"{name} < 0 ? -{name} : {name}")

    def call_math_isclose(self, node, a, b, rel_tol=None, abs_tol=None):
        x, y = (self.temp(types.float64, cast(v, types.float64).text).text for v in (a, b))
        relative = "1e-09" if rel_tol is None else cast(rel_tol, types.float64).text
        absolute = "0.0" if abs_tol is None else cast(abs_tol, types.float64).text
        near = f"fabs({x} - {y}) <= fmax({relative} * fmax(fabs({x}), fabs({y})), {absolute})"
        return self.temp(types.boolean, f"{x} == {y} || (fabs({x}) <= 1.7976931348623157e308 && {near})")


def _takes(handler, count):
    """Whether a method takes so many arguments by position, for sure: inspect.signature() takes longer to say so."""
    function = getattr(handler, "__func__", None)
    code = getattr(function, "__code__", None)
    if code is None or code.co_kwonlyargcount or hasattr(function, "__wrapped__"):
        return False
    most = code.co_argcount - 1
    has_rest = code.co_flags & 4  # inspect.CO_VARARGS
    return most - len(function.__defaults__ or ()) <= count and (count <= most or bool(has_rest))


def _module(target):
    name = getattr(target, "__module__", None) or type(target).__module__
    if name in ("_operator",):
        return "operator"
    return (name or "").partition(".")[0]


def _numpy_type(target):
    if isinstance(target, type) and target.__module__.partition(".")[0] in ("numpy", "ml_dtypes"):
        try:
            return types.of_dtype(target)
        except (TypeError, KeyError):
            return None
    return types.of_dtype(target) if type(target).__name__.endswith("DType") else None

# bindings/python/gpuopt/compiled/language/lists.py -- lists in compiled functions: literals, comprehensions, methods.
import ast

from .. import types
from ..errors import Unsupported
from ..loops import Iterable, Iteration
from ..values import MISSING, Items, Value, cast, constant, tuple_of

_FOREVER = str(2**63 - 1)


def _has_order(t):
    return isinstance(t, types.Number) and t.kind != "c" or t is types.unicode_type


class ListMixin:
    """Lists. What type the items have is found from what is put into them, as variables' types are."""

    # ---- Making lists ------------------------------------------------------------------------------------------

    def expr_List(self, node):
        """[a, b, c]: a list where it gets a name; as an argument of array() and its like its items only."""
        items = self.arguments_of(node.elts)
        made = tuple_of(self.materialize(v) for v in items)
        return Items(made.type, const=made.const, items=made.items)

    def as_list(self, node, value, wanted=None):
        """A list's literal as a list, whose items have the type `wanted` has; other values stay."""
        if not self.options.host or not value.is_tuple:
            return value
        if not isinstance(value, Items):
            if not any(v.is_tuple for v in value.items):
                return value
            known = wanted.items if isinstance(wanted, types.Tuple) else ()
            known = known if len(known) == len(value.items) else [None] * len(value.items)
            return tuple_of((self.as_list(node, v, t) for v, t in zip(value.items, known)), value.type)
        items = [self.textual(v) for v in value.items]
        if any(isinstance(v.type, types.Static) for v in items):
            return value
        items = [self.as_list(node, v) for v in items]
        t = wanted.element if isinstance(wanted, types.List) else types.unknown
        for item in items:
            joined = types.unify(t, item.type)
            if joined is None:
                raise self.error(node, f"items of a list have one type: {t} and {item.type} are given")
            t = joined
        if t is types.unknown:
            return Value(types.List(t), "")
        result = self.new_list(t)
        for item in items:
            self.list_append(node, result, item)
        return result

    def new_list(self, element):
        """A new list without items."""
        t = types.List(element)
        name = self.new_name("l")
        self.emit(f"{t.cpp} {name} = gp_list_new<{element.cpp}>(cx);")
        self._check_memory(f"!{name}.block")
        return Value(t, name)

    def _check_memory(self, condition):
        self.raise_if(condition, MemoryError, "list is too large", None)

    def list_append(self, node, target, value):
        """Emits target.append(value)."""
        if target.type.element is types.unknown or value.type is types.unknown:
            return
        self._check_memory(f"!{target.text}.append(cx, {self.packed_text(node, value, target.type.element)})")

    def packed_text(self, node, value, t):
        """A value as one C++ expression of the type t."""
        value = self.textual(self.as_list(node, self.materialize(value), t))
        if t is types.unicode_type and value.type is t:
            return self.text_held(f"gp_str_owned(cx, {value.text})").text
        if isinstance(t, types.Number) and value.is_number:
            return cast(value, t).text
        if isinstance(t, types.Tuple) and value.is_tuple and len(t.items) == len(value.items):
            parts = [self.packed_text(node, v, k) for v, k in zip(value.items, t.items)]
            kinds = ", ".join(k.cpp for k in t.items)
            return f"gp_pack<{kinds}>({', '.join(parts)})" if parts else f"{t.cpp}()"
        if isinstance(t, types.List) and isinstance(value.type, types.List) and value.type.element is types.unknown:
            return self.new_list(t.element).text if t.element is not types.unknown else f"{t.cpp}()"
        if isinstance(t, types.Dict) and isinstance(value.type, types.Dict) and not value.text:
            return f"{t.cpp}()" if types.has_unknown(t) else self.new_dict(node, t).text
        if value.type == t or types.unify(t, value.type) == t and isinstance(t, types.Array):
            return f"gp_owned(cx, {value.text})" if value.is_array else value.text
        raise self.error(node, f"{value.type} cannot become {t}")

    def unpacked(self, text, t):
        """The value of a C++ expression that packed_text has made."""
        if not isinstance(t, types.Tuple):
            return Value(t, text)
        return tuple_of((self.unpacked(text + ".rest" * k + ".first", item) for k, item in enumerate(t.items)), t)

    def held(self, text, t):
        """The same, computed once."""
        if t is types.unknown:
            return Value(t, "0")
        name = self.new_name()
        self.emit(f"const {t.cpp} {name} = {text};")
        return self.unpacked(name, t)

    def refine(self, node, t):
        """Tells of the type of a list that a variable holds."""
        if isinstance(node, ast.Name) and node.id in self.current:
            key = self.current[node.id]
            joined = types.unify(self.variables[key], t)
            if joined is None:
                raise self.error(node, f"cannot unify {self.variables[key]} and {t} for the variable {node.id!r}")
            self.variables[key] = joined
        elif isinstance(node, ast.Subscript):
            outer = self.expr(node.value)
            if outer.is_tuple:
                self._refine_item(node, outer, t)
                return
            is_dict = isinstance(outer.type, types.Dict)
            self.refine(node.value, types.Dict(outer.type.key, t) if is_dict else types.List(t))

    def _refine_item(self, node, outer, t):
        at = self.expr(node.slice).const
        if isinstance(at, int) and -len(outer.items) <= at < len(outer.items):
            items = list(outer.type.items)
            items[at] = t
            self.refine(node.value, outer.type.of(items))

    def expr_ListComp(self, node):
        """[... for ... in ... if ...]"""
        if not self.options.host:
            raise self.error(node, "kernels make no lists: use cuda.local.array", Unsupported)
        name = self.new_name("l")
        value, lines = self.captured(lambda: self._in_scope(node, lambda: self.materialize(self.expr(node.elt)), name))
        if value.type is types.unknown:
            return Value(types.unknown, "0")
        t = types.List(value.type)
        self.emit(f"{t.cpp} {name} = gp_list_new<{value.type.cpp}>(cx);")
        self._check_memory(f"!{name}.block")
        self.lines += lines
        return Value(t, name)

    expr_GeneratorExp = expr_ListComp

    def _in_scope(self, node, element, name):
        """Emits the loops of a comprehension, whose variables are its own; the value that is appended."""
        names = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        outer = {n: (self.current.pop(n, None), self.aliases.pop(n, None)) for n in names}
        defined = set(self.defined)
        self._first_iterable = self.expr_in(outer, node.generators[0].iter)
        value = self._generated(node, list(node.generators), element, name)
        self.defined = defined
        for n, (key, alias) in outer.items():
            self.current.pop(n, None)
            self.aliases.pop(n, None)
            if key is not None:
                self.current[n] = key
            if alias is not None:
                self.aliases[n] = alias
        return value

    def expr_in(self, outer, node):
        """The first iterable of a comprehension, which sees the names outside."""
        inside = {n: (self.current.get(n), self.aliases.get(n)) for n in outer}
        for n, (key, alias) in outer.items():
            if key is not None:
                self.current[n] = key
            if alias is not None:
                self.aliases[n] = alias
        try:
            return self.expr(node)
        finally:
            for n in inside:
                self.current.pop(n, None)
                self.aliases.pop(n, None)

    def _generated(self, node, generators, element, name):
        """Emits the loops of a comprehension; the value that is appended."""
        if not generators and name is None:
            return element()
        if not generators:
            value = self.textual(self.as_list(node, element()))
            if isinstance(value.type, types.Static) or value.type is types.none:
                raise self.error(node, f"a list of {value.type} is not supported", Unsupported)
            if value.type is not types.unknown:
                self._check_memory(f"!{name}.append(cx, {self.packed_text(node, value, value.type)})")
            return value
        generator, rest = generators[0], generators[1:]
        if generator.is_async:
            raise self.error(node, "asynchronous comprehensions are not supported", Unsupported)
        first, self._first_iterable = getattr(self, "_first_iterable", None), None
        over = first if first is not None else self.expr(generator.iter)
        if over.type is types.unknown:
            iteration = Iteration("0", lambda i: over)
        else:
            iteration = self.iteration(generator.iter, over)
        count, i = self.new_name("n"), self.new_name("i")
        self.emit(f"const int64_t {count} = {iteration.count};")
        self.emit(f"for (int64_t {i} = 0; {i} < {count}; {i}++) {{")
        self.depth += 1
        self.assign(generator.target, iteration.item(i))
        for test in generator.ifs:
            self.emit(f"if (!({self.condition(test).text})) continue;")
        value = self._generated(node, rest, element, name)
        if rest and name is None:
            self.emit(f"if ({self.stops[-1]}) break;")
        self.depth -= 1
        self.emit("}")
        return value

    def any_of(self, node, generator, wanted):
        """any() or all() of a generator, which ends with the first that decides."""
        result, stop = self.new_name("s"), self.new_name("stop")
        self.emit(f"bool {result} = {'false' if wanted else 'true'}, {stop} = false;")
        self.stops.append(stop)

        def element():
            test = self.condition(generator.elt).text
            self.emit(f"if ({'' if wanted else '!'}({test})) {{ {result} = {'true' if wanted else 'false'};")
            self.emit(f"{stop} = true; break; }}")

        self._in_scope(generator, element, None)
        self.stops.pop()
        return Value(types.boolean, result)

    # ---- Items -------------------------------------------------------------------------------------------------

    def list_iteration(self, value):
        """Over the items that are there when their turn comes."""
        name = self.new_name("l")
        self.emit(f"const {value.type.cpp} {name} = {value.text};")

        def item(i):
            self.emit(f"if ({i} >= {name}.size()) break;")
            return self.held(f"{name}.data()[{i}]", value.type.element)

        return Iteration(_FOREVER, item)

    def list_position(self, node, value, index):
        """The C++ text of a checked index of a list."""
        if not index.is_number or index.type.kind not in "biu":
            raise self.error(node, f"list indices must be integers or slices, not {index.type}")
        return self.position(node, f"{value.text}.size()", index, "list index out of range")

    def list_slice(self, node, value, part):
        """value[start:stop:step]: a new list."""
        start, n, step = self.slice_parts(node, f"{value.text}.size()", part)
        return self._list_made(value.type, f"gp_list_part(cx, {value.text}, {start}, {n}, {step})")

    def delete_item(self, node, value, index):
        """del value[index]"""
        if value.type.element is not types.unknown:
            self.emit(f"{value.text}.take({self.list_position(node, value, index)});")

    def list_operation(self, node, sign, left, right):
        """+, * and comparisons of lists."""
        if sign == "*" and (left.is_number or right.is_number):
            one, count = (right, left) if left.is_number else (left, right)
            return self._list_made(one.type, f"gp_list_times(cx, {one.text}, {cast(count, types.int64).text})")
        if not (isinstance(left.type, types.List) and isinstance(right.type, types.List)):
            raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")
        t = types.unify(left.type, right.type)
        if t is None or types.has_unknown(t):
            if t is None:
                raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")
            return Value(types.unknown, "0")
        a, b = (self.packed_text(node, v, t) for v in (left, right))
        if sign in ("==", "!="):
            return self.temp(types.boolean, f"{'!' if sign == '!=' else ''}gp_equal({a}, {b})")
        if sign != "+":
            raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")
        return self._list_made(t, f"gp_list_sum(cx, {a}, {b})")

    def _list_made(self, t, text):
        if types.has_unknown(t):
            return Value(types.unknown, "0")
        name = self.new_name("l")
        self.emit(f"{t.cpp} {name} = {text};")
        self._check_memory(f"!{name}.block")
        return Value(t, name)

    # ---- Methods -----------------------------------------------------------------------------------------------

    def check_not_shared(self, node, place):
        """Refuses to change, in a parallel loop, the length of a list or a dictionary from outside of it."""
        if not self.in_parallel:
            return
        while isinstance(place, (ast.Subscript, ast.Attribute)):
            place = place.value
        if not (isinstance(place, ast.Name) and self.current.get(place.id) in self.assigned):
            raise self.error(node, "iterations of a parallel loop cannot change one list or dictionary", Unsupported)

    def list_call(self, node, target, name, args):
        """target.name(*args)"""
        place = node.func.value
        if name not in ("copy", "count", "index"):
            self.check_not_shared(node, place)
        if (
            name in ("append", "insert", "extend")
            and target.type.element is types.unknown
            or name in ("append", "insert")
        ):
            target = self._refined(node, place, target, name, args)
        if name not in ("clear", "copy", "reverse", "sort", "pop") and not args:
            raise self.error(node, f"{name}() takes an argument")
        handler = getattr(self, f"list_method_{name}", None)
        if handler is None:
            raise self.error(node, f"Unknown attribute {name!r} of type {target.type}")
        if types.has_unknown(target.type):
            nothing = name in ("append", "insert", "extend", "clear", "sort", "reverse", "remove")
            return self._nothing() if nothing else Value(types.unknown, "0")
        return handler(node, target, *args)

    def _refined(self, node, place, target, name, args):
        if not args or args[-1].type is types.unknown:
            return target
        item = self.textual(self.as_list(node, self.materialize(args[-1])))
        t = item.type if name == "extend" and isinstance(item.type, types.List) else types.List(item.type)
        if isinstance(item.type, types.Array) and name == "extend":
            t = types.List(item.type.element)
        if isinstance(item.type, types.Static) or item.type is types.none:
            raise self.error(node, f"a list of {item.type} is not supported", Unsupported)
        self.refine(place, t)
        args[-1] = item
        return self.expr(place) if types.has_unknown(target.type) else target

    def _nothing(self):
        return Value(types.none, const=None)

    def list_method_append(self, node, target, value):
        self.list_append(node, target, value)
        return self._nothing()

    def list_method_insert(self, node, target, index, value):
        text = self.packed_text(node, value, target.type.element)
        self._check_memory(f"!{target.text}.insert(cx, {cast(index, types.int64).text}, {text})")
        return self._nothing()

    def list_method_extend(self, node, target, values):
        made = self._converted(self.call_builtins_list(node, values), target.type.element)
        if made.type is not types.unknown:
            self._check_memory(f"!{target.text}.extend(cx, {self.packed_text(node, made, target.type)})")
        return self._nothing()

    def list_method_pop(self, node, target, index=None):
        self.raise_if(f"{target.text}.size() == 0", IndexError, "pop from empty list", node)
        if index is None:
            return self.held(f"{target.text}.take({target.text}.size() - 1)", target.type.element)
        at = self.position(node, f"{target.text}.size()", index, "pop index out of range")
        return self.held(f"{target.text}.take({at})", target.type.element)

    def list_method_clear(self, node, target):
        self.emit(f"{target.text}.clear();")
        return self._nothing()

    def list_method_copy(self, node, target):
        return self._list_made(target.type, f"gp_list_part(cx, {target.text}, 0, {target.text}.size(), 1)")

    def list_method_reverse(self, node, target):
        self.emit(f"{target.text}.reverse();")
        return self._nothing()

    def list_method_sort(self, node, target, reverse=None):
        if not _has_order(target.type.element):
            raise self.error(node, f"{target.type} cannot be sorted", Unsupported)
        self.emit(f"gp_sort(gp_list_window({target.text}));")
        if reverse is not None:
            self.emit(f"if ({self.truth_value(node, reverse).text}) {target.text}.reverse();")
        return self._nothing()

    def _found(self, node, target, value, message):
        text = self.packed_text(node, value, target.type.element)
        at = self.temp(types.int64, f"{target.text}.find({text}, 0)")
        self.raise_if(f"{at.text} < 0", ValueError, message, node)
        return at

    def _comparable(self, node, target, value):
        """The value as an item, and the list, both as the type that holds them: 2.5 is not in [2]."""
        t = types.unify(target.type.element, self.textual(value).type)
        if t is None:
            raise self.error(node, f"{value.type} is not compared with items of {target.type}")
        return self._converted(target, t)

    def _converted(self, value, t):
        """A list of numbers with its items as the type t; others as they are."""
        source = getattr(value.type, "element", t)
        if source == t or not (isinstance(source, types.Number) and isinstance(t, types.Number)):
            return value
        item = cast(Value(source, "e"), t).text
        text = f"gp_list_map<{t.cpp}>(cx, {value.text}, [](const {source.cpp} &e) {{ return {item}; }})"
        return self._list_made(types.List(t), text)

    def list_method_index(self, node, target, value):
        return self._found(node, self._comparable(node, target, value), value, "value is not in list")

    def list_method_remove(self, node, target, value):
        at = self._found(node, self._comparable(node, target, value), value, "list.remove(x): x not in list")
        self.emit(f"{target.text}.take({at.text});")
        return self._nothing()

    def list_method_count(self, node, target, value):
        target = self._comparable(node, target, value)
        return self.temp(types.int64, f"{target.text}.count({self.packed_text(node, value, target.type.element)})")

    def list_contains(self, node, target, value):
        """The C++ condition of `value in target`."""
        target = self._comparable(node, target, value)
        return f"{target.text}.find({self.packed_text(node, value, target.type.element)}, 0) >= 0"

    # ---- Python's functions ------------------------------------------------------------------------------------

    def call_builtins_list(self, node, values=None):
        if values is None:
            return Items(types.Tuple([]), items=[], const=())
        values = self.as_list(node, self.materialize(values))
        if isinstance(values.type, types.List):
            if values.type.element is types.unknown:
                return values
            return self.list_method_copy(node, values)
        if types.has_unknown(values.type):
            return Value(types.unknown, "0")
        iteration = self.iteration(node, values)
        name, count, i = self.new_name("l"), self.new_name("n"), self.new_name("i")

        def walk():
            value = self.textual(self.as_list(node, self.materialize(iteration.item(i))))
            if value.type is not types.unknown:
                self._check_memory(f"!{name}.append(cx, {self.packed_text(node, value, value.type)})")
            return value

        value, lines = self.captured(walk)
        if value.type is types.unknown:
            return Value(types.unknown, "0")
        t = types.List(value.type)
        self.emit(f"{t.cpp} {name} = gp_list_new<{value.type.cpp}>(cx);")
        self._check_memory(f"!{name}.block")
        self.emit(f"const int64_t {count} = {iteration.count};")
        self.emit(f"for (int64_t {i} = 0; {i} < {count}; {i}++) {{")
        self.lines += lines
        self.emit("}")
        return Value(t, name)

    def call_builtins_sorted(self, node, values, reverse=None):
        made = self.call_builtins_list(node, values)
        if types.has_unknown(made.type) or made.is_tuple:
            return made
        self.list_method_sort(node, made, reverse)
        return made

    def call_builtins_reversed(self, node, values):
        iteration = self.iteration(node, values)
        if isinstance(values.type, types.List):
            count = f"{values.text}.size()"
        else:
            count = iteration.count
        n = self.temp(types.int64, count).text
        return Iterable(Iteration(n, lambda i: iteration.item(f"({n} - 1 - {i})")))

    def list_total(self, node, value, start):
        """sum() of a list."""
        iteration = self.list_iteration(value)
        element = value.type.element
        t = types.arithmetic(types.int64 if start is None else start.type, element)
        total, i = self.new_name("s"), self.new_name("i")
        self.emit(f"{t.cpp} {total} = {cast(start or constant(0), t).text};")
        self.emit(f"for (int64_t {i} = 0;; {i}++) {{")
        item = iteration.item(i)
        self.emit(f"{total} = {self._number_operation(node, '+', Value(t, total), item).text}; }}")
        return Value(t, total)

    def list_extreme(self, node, sign, value):
        """min() or max() of a list."""
        t, what = value.type.element, "min" if sign == "<" else "max"
        if not _has_order(t):
            raise self.error(node, f"{what}() of {value.type}", Unsupported)
        self.raise_if(f"{value.text}.size() == 0", ValueError, f"{what}() iterable argument is empty", node)
        best = self.new_name("m")
        self.emit(f"{t.cpp} {best} = {value.text}.data()[0];")
        self.emit(f"for (int64_t i = 1; i < {value.text}.size(); i++)")
        self.emit(f"if ({value.text}.data()[i] {sign} {best}) {best} = {value.text}.data()[i];")
        return Value(t, best)

    def _all_of(self, node, value, wanted):
        """any() or all() of what is iterated over."""
        if value.is_array:
            return self.reduction(node, "any" if wanted else "all", value, None)
        iteration, result = self.iteration(node, value), self.new_name("s")
        count, i = self.new_name("n"), self.new_name("i")
        self.emit(f"bool {result} = {'false' if wanted else 'true'};")
        self.emit(f"const int64_t {count} = {iteration.count};")
        self.emit(f"for (int64_t {i} = 0; {i} < {count}; {i}++) {{")
        test = self.truth_value(node, iteration.item(i)).text
        self.emit(f"if ({'' if wanted else '!'}({test})) {{ {result} = {'true' if wanted else 'false'}; break; }} }}")
        return Value(types.boolean, result)

    def call_builtins_any(self, node, value):
        return self._all_of(node, value, True)

    def call_builtins_all(self, node, value):
        return self._all_of(node, value, False)

    def list_as_array(self, node, value):
        """np.array(list)"""
        inner = value.type.element
        if isinstance(inner, types.Number):
            window = self.temp(types.Array(inner, 1, "C"), f"gp_list_window({value.text})")
            return self.copied(window)
        raise self.error(node, f"array() of {value.type} is not supported", Unsupported)

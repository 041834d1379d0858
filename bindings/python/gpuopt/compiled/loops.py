# bindings/python/gpuopt/compiled/loops.py -- for and while.
from . import types
from .errors import Unsupported
from .values import MISSING, Value, cast, constant, tuple_of


class Iteration:
    """What a for loop goes over: how many items, and the value of item number i, a C++ name."""

    def __init__(self, count, item):
        self.count, self.item = count, item


class prange:
    """A range whose iterations may run at the same time, in a function compiled with parallel=True.

    In plain Python it is range.
    """

    def __new__(cls, *arguments):
        return range(*arguments)


class LoopMixin:
    """Loops of a function."""

    def stmt_While(self, node):
        broke = self._begin_loop(node)
        self.emit("for (;;) {")
        test = self.condition(node.test)
        if not (test.const is not MISSING and test.const):
            self.emit(f"if (!({test.text})) break;")
        before = set(self.defined)
        self.block(node.body, True)
        endless = test.const is not MISSING and bool(test.const)
        self.emit("}")
        self._end_loop(node, before, broke, endless)

    def _begin_loop(self, node):
        broke = self.new_name("broke") if node.orelse else None
        if broke:
            self.emit(f"bool {broke} = false;")
        self.loops.append({"broke": broke, "left": False})
        return broke

    def _end_loop(self, node, before, broke, endless=False):
        loop = self.loops.pop()
        self.defined = before
        if broke:
            self.emit(f"if (!{broke}) {{")
            self.block(node.orelse, True)
            self.emit("}")
            self.defined = before
        if endless and not loop["left"]:
            self.defined = None

    def stmt_Break(self, node):
        if self.loops[-1].get("parallel"):
            raise self.error(node, "a parallel loop cannot be left", Unsupported)
        self.loops[-1]["left"] = True
        if self.loops[-1]["broke"]:
            self.emit(f"{self.loops[-1]['broke']} = true;")
        self.emit(self.jump_text("break"))
        self.defined = None

    def stmt_Continue(self, node):
        self.emit(self.jump_text("continue"))
        self.defined = None

    def stmt_For(self, node):
        if self.is_parallel(node):
            self.parallel_for(node)
            return
        self.emit("{")
        value = self.expr(node.iter)
        if value.type is types.unknown:
            iteration = Iteration("0", lambda i: value)
        elif isinstance(value.type, (types.List, types.Dict)) and types.has_unknown(value.type):
            iteration = Iteration("0", lambda i: Value(types.unknown, "0"))
        elif value.is_tuple and not _alike(value):
            self._unrolled(node, value)
            self.emit("}")
            return
        else:
            iteration = self.iteration(node.iter, value)
        broke = self._begin_loop(node)
        before = set(self.defined)
        count, i = self.new_name("n"), self.new_name("i")
        self.emit(f"const int64_t {count} = {iteration.count};")
        self.emit(f"for (int64_t {i} = 0; {i} < {count}; {i}++) {{")
        self.depth += 1
        self.assign(node.target, iteration.item(i))
        self.block(node.body)
        self.depth -= 1
        self.emit("}")
        self._end_loop(node, before, broke)
        self.emit("}")

    def _unrolled(self, node, value):
        """A loop over a tuple of different types: its body for each of them."""
        if node.orelse:
            raise self.error(node, "else of a loop over a tuple of different types is not supported", Unsupported)
        before = set(self.defined)
        for item in value.items:
            self.loops.append({"broke": None, "left": False, "parallel": True})
            self.defined = set(before)
            self.emit("do {")
            self.depth += 1
            self.assign(node.target, item)
            self.block(node.body)
            self.depth -= 1
            self.emit("} while (false);")
            self.loops.pop()
        self.defined = before

    def iteration(self, node, value):
        """How a value is iterated over."""
        made = getattr(value.static, "gpuopt_iteration", None)
        if made is not None:
            return made
        if value.is_array:
            return self._array_iteration(node, self.materialize(value))
        if value.is_tuple:
            return self._tuple_iteration(value)
        if value.type is types.unicode_type or isinstance(value.static, str):
            return self.text_iteration(value)
        if isinstance(value.type, types.Dict):
            value = self.dict_list(value, "keys")
        if value.type is types.unknown:
            return Iteration("0", lambda i: value)
        if isinstance(value.type, types.List):
            return self.list_iteration(value)
        if isinstance(value.static, range):
            r = value.static
            return self.range_iteration([constant(k) for k in (r.start, r.stop, r.step)], node)
        raise self.error(node, f"{value.type} cannot be iterated over")

    def _array_iteration(self, node, value):
        if value.type.ndim == 0:
            raise self.error(node, "iteration over a 0-d array")
        return Iteration(
            f"{value.text}.shape[0]",
            lambda i: self.load_place(self.place_at(node, value, [Value(types.int64, i)], checked=False)),
        )

    def _tuple_iteration(self, value):
        if not value.items:
            return Iteration("0", lambda i: constant(0))
        value = self.textual(value)
        t = value.items[0].type
        for item in value.items[1:]:
            t = types.unify(t, item.type)
        if t is None or isinstance(t, types.Static):
            raise self.error(None, f"items of a {value.type} have no type that holds them all", Unsupported)
        name = self.new_name("a")
        texts = [cast(v, t).text if v.is_number else self.packed_text(None, v, t) for v in value.items]
        self.emit(f"const {t.cpp} {name}[] = {{{', '.join(texts)}}};")
        return Iteration(str(len(value.items)), lambda i: self.unpacked(f"{name}[{i}]", t))

    def range_iteration(self, values, node):
        """range(...) of one to three integers."""
        if any(v.type is types.unknown for v in values):
            return Iteration("0", lambda i: constant(0))
        values = [cast(v, types.int64) for v in values]
        start, stop = (constant(0), values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else constant(1)
        if step.const == 1:
            first = start if start.const is not MISSING else self.temp(types.int64, start.text)
            count = stop.text if first.const == 0 else f"gp_range({first.text}, {stop.text}, 1)"
            return Iteration(count, lambda i: Value(types.int64, i if first.const == 0 else f"{first.text} + {i}"))
        self.raise_if(f"{step.text} == 0", ValueError, "range() arg 3 must not be zero", node)
        first, by = self.temp(types.int64, start.text), self.temp(types.int64, step.text)
        return Iteration(
            f"gp_range({first.text}, {stop.text}, {by.text})",
            lambda i: Value(types.int64, f"gp_add({first.text}, gp_mul({i}, {by.text}))"),
        )

    def enumerate_iteration(self, inner, start):
        return Iteration(
            inner.count, lambda i: tuple_of([Value(types.int64, f"gp_add({start.text}, {i})"), inner.item(i)])
        )

    def zip_iteration(self, inner):
        names = [self.temp(types.int64, each.count).text for each in inner]
        least = names[0]
        for name in names[1:]:
            least = self.temp(types.int64, f"{least} < {name} ? {least} : {name}").text
        return Iteration(least, lambda i: tuple_of(each.item(i) for each in inner))


def _alike(value):
    """Whether a loop over a tuple is one over numbers."""
    return all(item.is_number for item in value.items)


def Iterable(iteration):
    """A value that stands for an iteration."""

    class Made:
        gpuopt_iteration = iteration

    return Value(types.Static(Made()))

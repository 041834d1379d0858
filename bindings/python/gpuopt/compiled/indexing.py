# bindings/python/gpuopt/compiled/indexing.py -- elements and windows of arrays, items of tuples.
from . import types
from .errors import Unsupported
from .values import MISSING, Value, cast, constant, tuple_of


class Slice:
    """start:stop:step as values; None where nothing stands."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step


class Place:
    """What a subscript names. kind: "element" (text is the C++ element), "window" (value is the array),
    "selected" (value is an array, and one of truth values or positions), "item"."""

    def __init__(self, kind, type, text="", value=None):
        self.kind, self.type, self.text, self.value = kind, type, text, value


class IndexingMixin:
    """Subscripts of a function."""

    def expr_Subscript(self, node):
        return self.load_place(self.place_of(node))

    def expr_Slice(self, node):
        parts = [None if n is None else self.integer(n) for n in (node.lower, node.upper, node.step)]
        return Value(types.Static(Slice(*parts)))

    def place_of(self, node):
        """The place of a subscript."""
        value = self.expr(node.value)
        if value.type is types.unknown:
            return Place("item", types.unknown, value=value)
        if isinstance(value.type, types.Static) and not isinstance(value.static, str):
            return self._static_item(node, value, self.expr(node.slice))
        index = self.expr(node.slice)
        if isinstance(value.static, str) or value.type is types.unicode_type:
            return self._text_place(node, value, index)
        if isinstance(value.type, types.List):
            return self._list_place(node, value, index)
        if isinstance(value.type, types.Dict) and not isinstance(value.type, types.Set):
            return Place("keyed", value.type.value, value=(value, index, node.value))
        if value.is_tuple:
            return self._tuple_item(node, value, index)
        if not value.is_array:
            raise self.error(node, f"{value.type} cannot be indexed")
        indices = index.items if index.is_tuple else [index]
        if any(i.type is types.unknown for i in indices):
            return Place("item", types.unknown, value=Value(types.unknown, "0"))
        if any(i.is_array for i in indices):
            return self.selected(node, self.materialize(value), indices)
        return self.place_at(node, self.materialize(value), indices)

    def _list_place(self, node, value, index):
        if types.has_unknown(value.type) or index.type is types.unknown:
            return Place("item", types.unknown, value=Value(types.unknown, "0"))
        if isinstance(index.static, Slice):
            return Place("item", types.none, value=self.list_slice(node, value, index.static))
        at = self.list_position(node, value, index)
        return Place("listed", value.type.element, f"{value.text}.data()[{at}]", value)

    def _text_place(self, node, value, index):
        if index.type is types.unknown:
            return Place("item", types.unknown, value=index)
        if isinstance(value.static, str) and isinstance(index.const, int):
            return self._static_item(node, value, index)
        return Place("item", types.none, value=self.text_item(node, value, index))

    def slice_parts(self, node, size, part):
        """The C++ texts of where a slice begins, how many items it has, and its step."""
        step = constant(1) if part.step is None else self.temp(types.int64, part.step.text, part.step.const)
        self.raise_if(f"{step.text} == 0", ValueError, "slice step cannot be zero", node)
        start, stop = self.new_name("s"), self.new_name("s")
        self.emit(f"int64_t {start} = {part.start.text if part.start else 0};")
        self.emit(f"int64_t {stop} = {part.stop.text if part.stop else 0};")
        given = ", ".join("false" if p is None else "true" for p in (part.start, part.stop))
        self.emit(f"gp_slice({size}, {start}, {stop}, {step.text}, {given});")
        return start, stop, step.text

    def position(self, node, size, index, message):
        """The C++ text of a checked index of a list or a text, counted from the beginning."""
        i = self.temp(types.int64, cast(index, types.int64).text).text
        at = self.temp(types.int64, f"{i} < 0 ? {i} + {size} : {i}").text
        self.raise_if(f"uint64_t({at}) >= uint64_t({size})", IndexError, message, node)
        return at

    def _static_item(self, node, value, index):
        if isinstance(value.static, types.Number) and not isinstance(index.static, Slice):
            raise self.error(node, f"{value.type} cannot be indexed")
        try:
            return Place("item", types.none, value=self.object_value(value.const[index.const]))
        except Exception as error:
            raise self.error(node, f"{value.type} cannot be indexed: {error}") from None

    def _tuple_item(self, node, value, index):
        if isinstance(index.static, Slice):
            part = index.static
            edges = [None if v is None else v.const for v in (part.start, part.stop, part.step)]
            if MISSING in edges:
                raise self.error(node, "slices of tuples are of constants", Unsupported)
            return Place("item", types.none, value=tuple_of(value.items[slice(*edges)]))
        if index.const is not MISSING:
            try:
                return Place("item", types.none, value=value.items[index.const])
            except (IndexError, TypeError):
                raise self.error(node, "tuple index out of range") from None
        return Place("item", types.none, value=self._item_by_number(node, value, index))

    def _item_by_number(self, node, value, index):
        iteration = self._tuple_iteration(value)
        i, n = self.temp(types.int64, cast(index, types.int64).text), len(value.items)
        at = self.temp(types.int64, f"{i.text} < 0 ? {i.text} + {n} : {i.text}")
        self.raise_if(f"uint64_t({at.text}) >= {n}", IndexError, "tuple index out of range", node)
        return iteration.item(at.text)

    # ---- Arrays ------------------------------------------------------------------------------------------------

    def place_at(self, node, value, indices, checked=True):
        """The place of an array at some indices."""
        indices = self._whole_index(node, value, indices)
        if len(indices) == value.type.ndim and all(i.is_number for i in indices):
            texts = [self._position(node, value, d, i, checked) for d, i in enumerate(indices)]
            return Place("element", value.type.element, element_text(value, texts), value)
        return self._window(node, value, indices)

    def _whole_index(self, node, value, indices):
        """The index with Ellipsis written out, and a slice for each axis that it does not name."""
        full = Value(types.Static(Slice(None, None, None)))
        named = sum(1 for i in indices if i.type is not types.none and i.const is not Ellipsis)
        missing = value.type.ndim - named
        if missing < 0:
            raise self.error(node, f"too many indices for {value.type}: {named} are given")
        dots = [k for k, i in enumerate(indices) if i.const is Ellipsis]
        if len(dots) > 1:
            raise self.error(node, "an index can only have a single ellipsis ('...')")
        at = dots[0] if dots else len(indices)
        return indices[:at] + [full] * missing + indices[at + 1 :]

    def _position(self, node, value, axis, index, checked=True):
        """The C++ text of a checked index, counted from the beginning."""
        if index.type.kind not in "biu":
            raise self.error(node, f"an array is indexed with integers, not {index.type}")
        i = cast(index, types.int64)
        if not checked:
            return i.text
        n = f"{value.text}.shape[{axis}]"
        if i.const is MISSING:
            i = self.temp(types.int64, i.text)
            at = self.temp(types.int64, f"{i.text} < 0 ? {i.text} + {n} : {i.text}")
        else:
            at = i if i.const >= 0 else self.temp(types.int64, f"{n} + {i.text}")
        if self.options.boundscheck and self.options.host:
            message = f"index %d is out of bounds for axis {axis} with size %d"
            site = self.unit.site(IndexError, message, self.source, node)
            self.emit(
                f"if (__builtin_expect(uint64_t({at.text}) >= uint64_t({n}), 0)) "
                f"{{ cx->detail[0] = {i.text}; cx->detail[1] = {n}; return {site}; }}"
            )
        return at.text

    def _window(self, node, value, indices):
        """A window on an array: slices, and axes that are left out or new."""
        ndim = sum(1 for i in indices if not i.is_number)
        packed = value.type.layout == "C" and all(i.is_number for i in indices[: len(indices) - ndim])
        packed = packed and all(_is_full(i) for i in indices if not i.is_number)
        t = types.Array(value.type.element, ndim, "C" if packed else "A")
        name = self.new_name("w")
        self.emit(f"{t.cpp} {name};")
        offset, axis, out = ["0"], 0, 0
        for index in indices:
            if index.type is types.none:
                self.emit(f"{name}.shape[{out}] = 1; {name}.strides[{out}] = 0;")
                out += 1
                continue
            if index.is_number:
                at = self._position(node, value, axis, index)
                offset.append(f"{at} * {value.text}.strides[{axis}]")
            else:
                offset.append(self._sliced(node, name, out, value, axis, index))
                out += 1
            axis += 1
        self.emit(f"{name}.data = ({t.element.cpp} *)((char *){value.text}.data + {' + '.join(offset)});")
        self.keep_owner(name, value)
        return Place("window", t, value=Value(t, name))

    def keep_owner(self, name, value):
        """A window keeps the memory of the array that it looks on."""
        self.origins[name] = set(self.origins.get(value.text, ()))
        if self.options.host:
            self.emit(f"{name}.owner = {value.text}.owner;")
            self.emit(f"if ({name}.owner) __atomic_fetch_add(&{name}.owner->references, 1, __ATOMIC_RELAXED);")

    def _sliced(self, node, name, out, value, axis, index):
        """Emits an axis of a window, and gives its offset in bytes."""
        part = index.static
        if not isinstance(part, Slice):
            raise self.error(node, f"an array is not indexed with {index.type}", Unsupported)
        shape, stride = f"{value.text}.shape[{axis}]", f"{value.text}.strides[{axis}]"
        if part.start is None and part.stop is None and part.step is None:
            self.emit(f"{name}.shape[{out}] = {shape}; {name}.strides[{out}] = {stride};")
            return "0"
        step = constant(1) if part.step is None else self.temp(types.int64, part.step.text, part.step.const)
        if step.const in (MISSING, 0):
            self.raise_if(f"{step.text} == 0", ValueError, "slice step cannot be zero", node)
        start, stop = self.new_name("s"), self.new_name("s")
        self.emit(f"int64_t {start} = {part.start.text if part.start else 0};")
        self.emit(f"int64_t {stop} = {part.stop.text if part.stop else 0};")
        given = ", ".join("false" if p is None else "true" for p in (part.start, part.stop))
        self.emit(f"gp_slice({shape}, {start}, {stop}, {step.text}, {given});")
        self.emit(f"{name}.shape[{out}] = {stop}; {name}.strides[{out}] = {stride} * {step.text};")
        return f"({stop} ? {start} * {stride} : 0)"

    def load_place(self, place):
        """The value at a place."""
        if place.kind == "element":
            return self.temp(place.type, place.text)
        if place.kind == "keyed":
            target, key, _ = place.value
            known = not types.has_unknown(target.type) and not types.has_unknown(key.type)
            return self.dict_item(None, target, key) if known else Value(types.unknown, "0")
        if place.kind == "listed":
            return self.held(place.text, place.type)
        if place.kind == "selected":
            return self.load_selected(*place.value)
        return place.value

    def store_place(self, node, place, value):
        """Writes a value to a place."""
        if place.kind == "keyed":
            self._store_keyed(node, *place.value, value)
            return
        if place.type is types.unknown or value.type is types.unknown:
            return
        if place.kind == "window":
            self.write_elements(node, place.value, value)
            return
        if place.kind == "selected":
            self.store_selected(node, *place.value, value)
            return
        if place.kind == "listed":
            self.emit(f"{place.text} = {self.packed_text(node, value, place.type)};")
            return
        if place.kind != "element":
            raise self.error(node, "this cannot be assigned to", Unsupported)
        self.mark_written(place.value)
        if value.is_array and value.type.ndim == 0:
            value = self.load_place(self.place_at(node, self.materialize(value), []))
        if not value.is_number:
            raise self.error(node, f"an element of {place.value.type} cannot become {value.type}")
        if value.type.kind == "c" and place.type.kind != "c":
            raise self.error(node, f"a complex number cannot become an element of {place.value.type}")
        self.emit(f"{place.text} = {cast(value, place.type).text};")

    def _store_keyed(self, node, target, key, name, value):
        value, key = self.textual(self.as_list(node, self.materialize(value))), self.textual(key)
        if types.has_unknown(key.type) or value.type is types.unknown:
            return
        if isinstance(value.type, types.Static) or value.type is types.none:
            raise self.error(node, f"a value of a dictionary cannot be {value.type}", Unsupported)
        self.check_not_shared(node, name)
        self.refine(name, types.Dict(key.type, value.type))
        if not types.has_unknown(target.type):
            self.dict_put(node, target, key, value)

    def mark_written(self, value):
        self.compiled.written |= self.origins.get(value.text, set())

    def slice_call(self, node, args):
        parts = [None if a.type is types.none else a for a in args]
        parts = [None, parts[0], None] if len(parts) == 1 else parts + [None] * (3 - len(parts))
        return Value(types.Static(Slice(*parts)))


def _is_full(index):
    part = index.static
    return isinstance(part, Slice) and part.start is part.stop is part.step is None


def element_text(value, positions):
    """The C++ text of an element, as something that can be written to."""
    t = value.type
    if not positions:
        return f"(*{value.text}.data)"
    if t.layout == "C" and t.ndim == 1:
        return f"{value.text}.data[{positions[0]}]"
    steps = [f"{value.text}.strides[{d}]" for d in range(t.ndim)]
    if t.layout == "C":
        steps[-1] = f"int64_t({t.element.bytes})"
    offset = " + ".join(f"({p}) * {s}" for p, s in zip(positions, steps))
    return f"(*({t.element.cpp} *)((char *){value.text}.data + ({offset})))"

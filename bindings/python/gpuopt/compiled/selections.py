# bindings/python/gpuopt/compiled/selections.py -- arrays as indices: elements where a mask is true, or at positions.
from . import types
from .errors import Unsupported
from .indexing import Place, element_text
from .values import Value, cast


class SelectionMixin:
    """Elements that an array selects."""

    def selected(self, node, value, indices):
        """The place of value[index] for an array as the index."""
        if len(indices) != 1 or not indices[0].is_array:
            raise self.error(node, "an index with an array and something else is not supported", Unsupported)
        if not self.options.host:
            raise self.error(node, "kernels do not index arrays with arrays", Unsupported)
        index = self.materialize(indices[0])
        kind = index.type.element.kind
        if kind == "b":
            self._check_mask(node, value, index)
        elif kind not in "iu" or index.type.ndim != 1 or value.type.ndim != 1:
            raise self.error(node, f"{value.type} is not indexed with {index.type}", Unsupported)
        return Place("selected", value.type, value=(value, index))

    def _check_mask(self, node, value, index):
        if index.type.ndim != value.type.ndim:
            raise self.error(node, f"{value.type} is not indexed with {index.type}", Unsupported)
        for d in range(value.type.ndim):
            message = f"boolean index did not match indexed array along axis {d}; size of axis is %d but size of"
            n, m = f"{value.text}.shape[{d}]", f"{index.text}.shape[{d}]"
            site = self.unit.site(IndexError, message + " corresponding boolean axis is %d", self.source, node)
            self.emit(f"if ({n} != {m}) {{ cx->detail[0] = {n}; cx->detail[1] = {m}; return {site}; }}")

    def _count(self, index):
        """How many elements are selected."""
        if index.type.element.kind != "b":
            return Value(types.int64, f"{index.text}.shape[0]")
        count, i = self.new_name("n"), self.new_name("i")
        self.emit(f"int64_t {count} = 0;")
        self.emit(f"for (int64_t {i} = 0; {i} < gp_size({index.text}); {i}++) {count} += gp_flat({index.text}, {i});")
        return Value(types.int64, count)

    def _each(self, value, index, k, text):
        """A loop over what is selected: text(element) for each, where k counts."""
        i = self.new_name("i")
        self.emit(f"int64_t {k} = 0;")
        if index.type.element.kind == "b":
            self.emit(f"for (int64_t {i} = 0; {i} < gp_size({index.text}); {i}++)")
            self.emit(f"if (gp_flat({index.text}, {i})) {{ {text(f'gp_flat({value.text}, {i})')} {k}++; }}")
            return
        at, n = self.new_name("k"), f"{value.text}.shape[0]"
        site = self.unit.site(
            IndexError, "index %d is out of bounds for axis 0 with size %d", self.source, self.statement
        )
        self.emit(f"for (int64_t {i} = 0; {i} < {index.text}.shape[0]; {i}++) {{")
        self.emit(f"int64_t {at} = int64_t(gp_flat({index.text}, {i}));")
        self.emit(f"if ({at} < -{n} || {at} >= {n}) {{ cx->detail[0] = {at}; cx->detail[1] = {n}; return {site}; }}")
        self.emit(f"if ({at} < 0) {at} += {n};")
        self.emit(f"{text(element_text(value, [at]))} {k}++; }}")

    def load_selected(self, value, index):
        """A new array of the elements that are selected."""
        result = self.filled(None, [self._count(index)], value.type.element, None)
        k = self.new_name("k")
        self._each(value, index, k, lambda element: f"{result.text}.data[{k}] = {element};")
        return result

    def store_selected(self, node, value, index, given):
        """Writes a number, or the elements of an array in order, to what is selected."""
        self.mark_written(value)
        t = value.type.element
        given = self.materialize(given)
        k = self.new_name("k")
        if given.is_number:
            source = cast(given, t).text
        elif given.is_array and given.type.ndim == 1:
            given, n = self.copied(given), f"{self.new_name('w')}"
            self.emit(f"const int64_t {n} = {given.text}.shape[0];")
            message = "an array of another size cannot be assigned to the elements that are selected"
            self.raise_if(f"{n} != 1 && {n} != {self._count(index).text}", ValueError, message, node)
            source = cast(Value(given.type.element, f"{given.text}.data[{n} == 1 ? 0 : {k}]"), t).text
        else:
            raise self.error(node, f"elements that are selected cannot become {given.type}")
        self._each(value, index, k, lambda element: f"{element} = {source};")

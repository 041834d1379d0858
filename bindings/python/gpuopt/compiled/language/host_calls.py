# bindings/python/gpuopt/compiled/language/host_calls.py -- functions that compiled functions leave to NumPy itself:
# linear algebra, sorting, joining.
"""A call hands NumPy windows on its arrays, and gets arrays whose types are known when the function is compiled: RULES
says for each function which. Numbers come back as arrays of no dimension. Several threads may call at the same time:
each takes the interpreter's lock meanwhile."""

import ast
import struct

from ... import _core
from .. import types
from ..errors import Unsupported
from ..values import MISSING, Value, tuple_of

_FLOAT = {"float32": "float32", "complex64": "complex64", "complex128": "complex128"}


def _floating(*elements):
    """The type in which linear algebra computes."""
    t = types.NUMBERS[_FLOAT.get(elements[0].name, "float64")]
    for e in elements[1:]:
        t = types.arithmetic(t, types.NUMBERS[_FLOAT.get(e.name, "float64")])
    return t


def _real(t):
    return types.float32 if t.name in ("float32", "complex64") else types.float64


def _first(e, n):
    return [(e[0], n[0])]


def _common(e):
    t = types.Array(e[0], 1)
    return types.promote_arrays([t, *(types.Array(x, 1) for x in e[1:])])


_F, _I = _floating, types.int64
RULES = {
    "linalg.solve": lambda e, n: [(_F(*e), n[1])],
    "linalg.inv": lambda e, n: [(_F(*e), 2)],
    "linalg.pinv": lambda e, n: [(_F(*e), 2)],
    "linalg.cholesky": lambda e, n: [(_F(*e), 2)],
    "linalg.matrix_power": lambda e, n: [(e[0], 2)],
    "linalg.det": lambda e, n: [(_F(*e), 0)],
    "linalg.slogdet": lambda e, n: [(_F(*e), 0), (_real(_F(*e)), 0)],
    "linalg.norm": lambda e, n: [(_real(_F(*e)), 0)],
    "linalg.cond": lambda e, n: [(_real(_F(*e)), 0)],
    "linalg.matrix_rank": lambda e, n: [(_I, 0)],
    "linalg.eigh": lambda e, n: [(_real(_F(*e)), 1), (_F(*e), 2)],
    "linalg.eigvalsh": lambda e, n: [(_real(_F(*e)), 1)],
    "linalg.eig": lambda e, n: [(_F(*e), 1), (_F(*e), 2)],
    "linalg.eigvals": lambda e, n: [(_F(*e), 1)],
    "linalg.svd": lambda e, n: [(_F(*e), 2), (_real(_F(*e)), 1), (_F(*e), 2)],
    "linalg.qr": lambda e, n: [(_F(*e), 2), (_F(*e), 2)],
    "linalg.lstsq": lambda e, n: [(_F(*e), n[1]), (_real(_F(*e)), 1), (_I, 0), (_real(_F(*e)), 1)],
    "concatenate": lambda e, n: [(_common(e), n[0])],
    "hstack": lambda e, n: [(_common(e), n[0])],
    "vstack": lambda e, n: [(_common(e), max(n[0], 2))],
    "column_stack": lambda e, n: [(_common(e), 2)],
    "stack": lambda e, n: [(_common(e), n[0] + 1)],
    "outer": lambda e, n: [(_common(e), 2)],
    "kron": lambda e, n: [(_common(e), max(n))],
    "cross": lambda e, n: [(_common(e), max(n))],
    "convolve": lambda e, n: [(_common(e), 1)],
    "correlate": lambda e, n: [(_common(e), 1)],
    "diag": lambda e, n: [(e[0], 3 - n[0])],
    "trace": lambda e, n: [(types.arithmetic(e[0], e[0]), 0)],
    "tril": _first,
    "triu": _first,
    "unique": lambda e, n: [(e[0], 1)],
    "argsort": lambda e, n: [(_I, n[0])],
    "bincount": lambda e, n: [(_I if len(e) == 1 else types.float64, 1)],
    "median": lambda e, n: [(_real(e[0]), 0)],
    "diff": _first,
    "flip": _first,
    "fliplr": _first,
    "flipud": _first,
    "roll": _first,
    "repeat": lambda e, n: [(e[0], 1)],
    "interp": lambda e, n: [(types.float64, n[0])],
    "count_nonzero": lambda e, n: [(_I, 0)],
    "searchsorted": lambda e, n: [(_I, n[1] if len(n) > 1 else 0)],
    "percentile": lambda e, n: [(_real(e[0]), n[1] if len(n) > 1 else 0)],
    "quantile": lambda e, n: [(_real(e[0]), n[1] if len(n) > 1 else 0)],
    "cov": lambda e, n: [(types.float64, 2)],
    "corrcoef": lambda e, n: [(types.float64, 2)],
}
_SEQUENCES = ("concatenate", "hstack", "vstack", "column_stack", "stack")


def name_of(target):
    """The row of RULES for a function of NumPy or gpuopt, or None."""
    name, module = getattr(target, "__name__", None), getattr(target, "__module__", None) or ""
    if module.partition(".")[0] not in ("numpy", "gpuopt") or not callable(target):
        return None
    linear = f"linalg.{name}"
    return linear if "linalg" in module and linear in RULES else name if name in RULES else None


class HostCallMixin:
    """Calls of functions that NumPy itself computes."""

    def host_call(self, node, name, args, keywords):
        """name(*args, **keywords): arrays go as windows, numbers as arrays of no dimension, the rest is constant."""
        if not self.options.host:
            raise self.error(node, f"{name} is not supported in kernels", Unsupported)
        if not self.options.runtime:
            raise self.error(node, f"{name} is not supported in functions that C calls", Unsupported)
        if name in _SEQUENCES and args and args[0].is_tuple:
            args = [*args[0].items, *args[1:]]
        arrays, layout, kinds = [], [], []
        for key, value in [*((None, a) for a in args), *keywords.items()]:
            value = self.materialize(value)
            if isinstance(value.type, types.List):
                value = self.list_as_array(node, value)
            if value.is_array or value.is_number and value.const is MISSING:
                layout.append((key, len(arrays)))
                arrays.append(value)
            elif value.const is not MISSING and not callable(value.const):
                layout.append((key, repr(value.const)))
            else:
                raise self.error(node, f"{name}() of {value.type} is not supported", Unsupported)
            kinds.append(value.type)
        first = [t for t in kinds if isinstance(t, (types.Array, types.Number))]
        if not first or not isinstance(first[0], types.Array):
            raise self.error(node, f"{name}() of {', '.join(map(str, kinds))}: an array is expected")
        return self._host_results(node, name, arrays, layout)

    def _host_results(self, node, name, arrays, layout):
        elements = [a.type.element if a.is_array else a.type for a in arrays]
        dims = [a.type.ndim if a.is_array else 0 for a in arrays]
        try:
            results = RULES[name](elements, dims)
        except IndexError:
            raise self.error(node, f"{name}() takes more arrays than are given") from None
        if any(not 0 <= n <= 7 for _, n in results):
            raise self.error(node, f"{name}() of arrays of {dims} dimensions")
        words, out = self.new_name("words"), self.new_name("out")
        self._host_words(words, arrays)
        count = sum(2 + 2 * n for _, n in results)
        self.emit(f"int64_t {out}[{count}];")
        shapes = [(e.name, n) for e, n in zip(elements, dims)]
        text = repr((name, layout, shapes, [(t.name, n) for t, n in results]))
        text = text.replace("\\", "\\\\").replace('"', '\\"')
        kind = ValueError
        if name.startswith("linalg."):
            import numpy

            kind = numpy.linalg.LinAlgError
        call = f'cx->rt->host_call("{text}", {words}, sizeof({words}) / 8, {out})'
        self.raise_if(call, kind, HOST_ERROR, node)
        return self._host_values(results, out)

    def _host_words(self, words, arrays):
        held, items = [], []
        for a in arrays:
            if a.is_array:
                items.append(f"int64_t({a.text}.data)")
                items += [f"{a.text}.{what}[{d}]" for what in ("shape", "strides") for d in range(a.type.ndim)]
            else:
                name = self.new_name("h")
                held.append(f"{a.type.cpp} {name} = {a.text};")
                items.append(f"int64_t(&{name})")
        for line in held:
            self.emit(line)
        self.emit(f"const int64_t {words}[] = {{{', '.join(items)}}};")

    def _host_values(self, results, out):
        values, at = [], 0
        for t, n in results:
            name, kind = self.new_name("w"), types.Array(t, n, "C")
            self.emit(f"{kind.cpp} {name} = gp_load<{t.cpp}, {n}>({out} + {at});")
            self.emit(f"{name}.owner = (gp_block *){out}[{at + 1 + 2 * n}];")
            at += 2 + 2 * n
            values.append(Value(kind, name) if n else self.temp(t, f"*{name}.data"))
        return values[0] if len(values) == 1 else tuple_of(values)

    def host_handler(self, target):
        """The method for a function that NumPy computes, or None."""
        name = name_of(target)
        if name is None:
            return None

        def handler(node, *args, **keywords):
            return self.host_call(node, name, list(args), keywords)

        return handler


# The text of the place that raises what NumPy has raised.
HOST_ERROR = "%host"
_plans = {}


def _plan(text):
    import numpy

    name, layout, shapes, results = ast.literal_eval(text)
    function = numpy
    for part in name.split("."):
        function = getattr(function, part)
    layout = [(key, at if isinstance(at, int) else (ast.literal_eval(at),)) for key, at in layout]
    return name, function, layout, [(numpy.dtype(d), n) for d, n in shapes], [(numpy.dtype(d), n) for d, n in results]


def _windows(shapes, words):
    import numpy

    arrays, at = [], 0
    for dtype, n in shapes:
        address, shape, strides = words[at], words[at + 1 : at + 1 + n], words[at + 1 + n : at + 1 + 2 * n]
        at += 1 + 2 * n
        low = sum((s - 1) * k for s, k in zip(shape, strides) if k < 0 and s)
        high = sum((s - 1) * k for s, k in zip(shape, strides) if k > 0 and s) + dtype.itemsize
        if 0 in shape:
            arrays.append(numpy.empty(shape, dtype))
            continue
        memory = _core.Memory((address + low) % 2**64, high - low, 0, None)
        arrays.append(numpy.ndarray(shape, dtype, memory, -low, strides))
    return arrays


def run(text, data):
    """What a compiled function calls: the arrays that a function of NumPy gives for those at these addresses."""
    import numpy

    if text not in _plans:
        _plans[text] = _plan(text)
    name, function, layout, shapes, results = _plans[text]
    arrays = _windows(shapes, struct.unpack(f"{len(data) // 8}q", data))
    args, keywords = [], {}
    for key, at in layout:
        value = arrays[at] if isinstance(at, int) else at[0]
        if isinstance(value, numpy.ndarray) and value.ndim == 0:
            value = value[()]
        if key is None:
            args.append(value)
        else:
            keywords[key] = value
    if name in _SEQUENCES:
        count = sum(1 for a in args if isinstance(a, numpy.ndarray))
        args = [tuple(args[:count]), *args[count:]]
    found = function(*args, **keywords)
    found = found if isinstance(found, tuple) else (found,)
    return tuple(_as(f, dtype, n, name) for f, (dtype, n) in zip(found, results, strict=True))


def _as(value, dtype, ndim, name):
    import numpy

    made = numpy.asarray(value)
    if made.dtype.kind == "c" and dtype.kind != "c":
        raise ValueError(f"{name}() argument must not cause a domain change.")
    if made.ndim != ndim:
        raise ValueError(f"{name}() gives {made.ndim} dimensions here, and not {ndim}: this form is not supported")
    return numpy.array(made, dtype, order="C", copy=True)

# bindings/python/gpuopt/compiled/stencils.py -- stencil: a Python function of an element's neighbourhood.
import ast
import copy
import functools
import types as python_types

from .. import _convert, _core
from . import types
from .dispatch import Dispatcher
from .errors import Unsupported, located
from .source import Source

ndarray = _core.ndarray


def _offset(node, source):
    """The constant of a relative index."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    if not isinstance(value, int):
        raise located("a relative index is an integer", source, node)
    return value


class _Relative(ast.NodeTransformer):
    """Adds the element's own index to relative ones, and notes how far they reach."""

    def __init__(self, source, arrays, ndim):
        self.source, self.arrays, self.ndim = source, arrays, ndim
        self.reach = [[0, 0] for _ in range(ndim)]
        self.dynamic = False

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in self.arrays):
            return node
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(parts) != self.ndim:
            raise located(f"{len(parts)} relative indices for an array of {self.ndim} dimensions", self.source, node)
        made = []
        for d, part in enumerate(parts):
            offset = _offset(part, self.source)
            if offset is None:
                self.dynamic = True
            else:
                self.reach[d][0], self.reach[d][1] = min(self.reach[d][0], offset), max(self.reach[d][1], offset)
            made.append(ast.BinOp(ast.Name(f"_index_{d}", ast.Load()), ast.Add(), part))
        index = made[0] if self.ndim == 1 else ast.Tuple(made, ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Subscript(node.value, index, node.ctx), node))


class _Derived(Source):
    """The source of a function that was made of another one's syntax tree."""

    def __init__(self, base, node, values=None):
        self.function, self.filename, self.first, self.before = base.function, base.filename, base.first, base.before
        self.node, self._base, self._values = node, base, values or {}

    def lookup(self, name):
        return self._values[name] if name in self._values else self._base.lookup(name)


def _function(source, name):
    """A function object that stands for a derived source."""
    made = python_types.FunctionType(source.function.__code__, {"__name__": name}, name)
    made._gpuopt_source, source.owner = source, made
    return made


class Stencil:
    """A kernel of relative indices, as a function of whole arrays.

    Where the neighbourhood leaves the array, the result is cval, or 0.
    """

    def __init__(self, function, neighborhood=None, cval=0, standard_indexing=()):
        functools.update_wrapper(self, function)
        self.py_func, self.neighborhood, self.cval = function, neighborhood, cval
        self.standard = {standard_indexing} if isinstance(standard_indexing, str) else set(standard_indexing)
        self._compiled = {}

    def __repr__(self):
        return f"<gpuopt.stencil {self.__name__!r}>"

    def _parts(self, found):
        """The function of one element, and the one that loops over the array, for these types."""
        source = Source.of(self.py_func)
        ndim = found[0].ndim
        arrays = {
            name
            for name, t in zip(source.parameters, found)
            if isinstance(t, types.Array) and name not in self.standard
        }
        node = copy.deepcopy(source.node)
        relative = _Relative(source, arrays, ndim)
        node.body = [relative.visit(s) for s in node.body]
        if relative.dynamic and self.neighborhood is None:
            raise located("an index that is no constant needs a neighborhood", source, source.node, Unsupported)
        node.args.args = node.args.args + [ast.arg(f"_index_{d}") for d in range(ndim)]
        node.args.defaults = []
        element = Dispatcher(_function(_Derived(source, ast.fix_missing_locations(node)), self.__name__))
        reach = [list(map(int, n)) for n in self.neighborhood] if self.neighborhood else relative.reach
        return source, element, reach

    def _for(self, found):
        made = self._compiled.get(found)
        if made is None:
            if not found or not isinstance(found[0], types.Array):
                raise TypeError("the first argument of a stencil is an array")
            source, element, reach = self._parts(found)
            at = element.compile((*found, *(types.int64,) * found[0].ndim))
            result = element.entries[at].result
            if not isinstance(result, types.Number):
                raise located(f"the result of a stencil is a number, not {result}", source, source.node)
            made = self._compiled[found] = Dispatcher(self._loop(source, element, reach, found[0].ndim)), result
        return made

    def _loop(self, source, element, reach, ndim):
        names = source.parameters
        lines = [f"def loop({', '.join([*names, '_out'])}):"]
        for d, (low, high) in enumerate(reach):
            lines.append(
                "    " * (d + 1) + f"for _i{d} in range({max(-low, 0)}, {names[0]}.shape[{d}] - {max(high, 0)}):"
            )
        index = ", ".join(f"_i{d}" for d in range(ndim))
        lines.append("    " * (ndim + 1) + f"_out[{index}] = _element({', '.join(names)}, {index})")
        node = ast.parse("\n".join(lines)).body[0]
        for each in ast.walk(node):
            if hasattr(each, "lineno"):
                each.lineno, each.col_offset = source.node.lineno, source.node.col_offset
        return _function(_Derived(source, node, {"_element": element}), self.__name__)

    def __call__(self, *args, out=None):
        import numpy

        ours = any(isinstance(a, ndarray) for a in args)
        found = tuple(map(types.typeof, args))
        loop, result = self._for(found)
        dtype = result.dtype
        if not numpy.can_cast(type(self.cval), dtype) and numpy.asarray(self.cval).astype(dtype) != self.cval:
            raise ValueError("cval type does not match stencil return type.")
        made = numpy.full(args[0].shape, self.cval, dtype) if out is None else out
        if out is not None and out.shape != args[0].shape:
            raise ValueError(f"out has the shape {out.shape}, not {args[0].shape}")
        if out is not None and out.dtype == dtype:
            self._clear(made, found[0].ndim)
        loop(*args, made)
        return _convert.asarray(made) if ours and out is None else made

    def _clear(self, out, ndim):
        """Writes cval to the border of a given output."""
        _, _, reach = self._parts((types.typeof(out),) * len(Source.of(self.py_func).parameters))
        for d, (low, high) in enumerate(reach):
            before, after = max(-low, 0), max(high, 0)
            if before:
                out[(slice(None),) * d + (slice(0, before),)] = self.cval
            if after:
                out[(slice(None),) * d + (slice(max(out.shape[d] - after, 0), None),)] = self.cval


def stencil(func_or_mode="constant", **options):
    """numba.stencil: a function of relative indices, applied to every element.

        @stencil
        def mean(a):
            return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])

    >>> @gp.stencil
    ... def slope(a):
    ...     return a[1] - a[-1]
    >>> slope(gp.array([1.0, 2.0, 4.0, 8.0]))
    array([0., 3., 6., 0.])

    neighborhood: pairs (least, greatest) of offsets, where indices are no constants; cval: the result at the border;
    standard_indexing: the names of arrays with indices of their own.
    """
    if callable(func_or_mode):
        return Stencil(func_or_mode, **options)
    if func_or_mode != "constant":
        raise ValueError(f"Unsupported mode style {func_or_mode}")
    return lambda function: Stencil(function, **options)

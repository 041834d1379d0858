# bindings/python/gpuopt/compiled/vectorized.py -- vectorize and guvectorize: Python functions as universal functions.
import functools

from .. import _convert, _core, _device
from . import dispatch, types
from .unit import Options, Unit
from .values import Value, cast

ndarray = _core.ndarray
_DEVICE_OPTIONS = {"host": False, "boundscheck": False, "python_errors": False}


def _name(t):
    return t.name


def _numbers(args):
    return all(isinstance(a, types.Number) for a in args)


class _Universal:
    """What vectorize and guvectorize share: loops for types, and calls with arrays of gpuopt and of NumPy."""

    def __init__(self, function, target):
        functools.update_wrapper(self, function)
        self.py_func, self.target = function, target
        self._kernels = {}  # types of inputs -> kernel, where none were declared
        self._declared = None  # the kernel of all declared types

    @property
    def device(self):
        """Where calls without arrays of gpuopt run."""
        if self.target == "cuda":
            from .kernels import kernel_device

            return kernel_device()
        return _device.Device("cpu")

    def _kernel(self, found):
        if self._declared is not None:
            return self._declared
        kernel = self._kernels.get(found)
        if kernel is None:
            kernel = self._kernels[found] = self._made([types.Signature(None, found)])
        return kernel

    def _made(self, signatures):
        raise NotImplementedError

    def _element_types(self, args):
        found = (types.typeof(a) for a in args)
        return tuple(t.element if isinstance(t, types.Array) else t for t in found)

    def _called(self, inputs, outputs):
        """The results for inputs and given outputs, in the kind of arrays that the inputs are."""
        ours = any(isinstance(a, ndarray) for a in (*inputs, *outputs))
        inputs = [_prepared(a) for a in inputs]
        kernel = self._kernel(self._element_types(inputs))
        device = next((a.device for a in (*inputs, *outputs) if isinstance(a, ndarray)), None) or self.device
        given = [_operand(a, device) for a in inputs]
        held = [a if isinstance(a, ndarray) else _convert.from_numpy(a, device) for a in outputs]
        results = _core.kernel_call(kernel, (*given, *held), device, None, 0, None, 0)
        for target, array in zip(outputs, held):
            if target is not array:
                target[...] = _convert.asnumpy(array)
        if outputs:
            results = tuple(outputs)
        elif not ours:
            results = tuple(_plain(r) for r in results)
        return results[0] if len(results) == 1 else results


def _prepared(value):
    """An argument as a number or an array."""
    if isinstance(value, (list, tuple)):
        import numpy

        return numpy.asarray(value)
    return value


def _operand(value, device):
    if isinstance(value, ndarray) or isinstance(value, (bool, int, float, complex)) and not hasattr(value, "dtype"):
        return value
    return _convert.from_numpy(value, device)


def _plain(result):
    value = _convert.asnumpy(result)
    return value if value.ndim else value[()]


class Ufunc(_Universal):
    """A Python function of numbers as a universal function: broadcasting, out=, reduce, accumulate, outer, at.

    For arrays of gpuopt it gives arrays of gpuopt, for all else NumPy's. With types declared, inputs are cast to the
    first that can hold them; else each call's own types are compiled.
    """

    def __init__(self, function, signatures=(), identity=None, target="cpu"):
        super().__init__(function, target)
        self._gpuopt_function, self.identity = function, identity
        self.nin, self.nout = function.__code__.co_argcount, 1
        self.nargs, self.signature, self.types = self.nin + 1, None, []
        if signatures:
            self._declared = self._made([types.parse(s) for s in signatures])

    def __repr__(self):
        return f"<gpuopt.vectorize {self.__name__!r}>"

    @property
    def ntypes(self):
        """How many types it is compiled for."""
        return len(self.types)

    def _made(self, signatures):
        unit = Unit(Options(**_DEVICE_OPTIONS))
        entries, rows = [], []
        for signature in signatures:
            if not _numbers(signature.args):
                raise TypeError(f"vectorize: the types of numbers are expected, not {signature}")
            function = unit.compile(self.py_func, signature.args)
            result = signature.return_type or function.result
            if not isinstance(result, types.Number) or not isinstance(function.result, types.Number):
                from .kernels import types_error

                raise types_error(self.py_func, f"the result is {function.result}, not a number")
            names = [f"a{k}" for k in range(len(signature.args))]
            parameters = ", ".join(f"{t.cpp} {n}" for t, n in zip(signature.args, names))
            call = f"{function.result.cpp} r{{}};\n{function.name}({', '.join([*names, 'r'])});\n"
            text = cast(Value(function.result, "r"), result).text
            entries.append(f"__device__ {result.cpp} gp_ufunc({parameters}) {{\n{call}return {text};\n}}\n")
            row = ",".join(map(_name, signature.args)) + "->" + result.name
            rows.append(row)
            if row not in self.types:
                self.types.append(row)
        identity = None if self.identity is None else str(self.identity)
        return _core.gpuopt_vectorize(unit.text("".join(entries)), "gp_ufunc", "; ".join(rows), identity)

    def __call__(self, *args, out=None):
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments")
        outputs = args[self.nin :] or (() if out is None else out if isinstance(out, tuple) else (out,))
        return self._called(args[: self.nin], outputs)

    def _alone(self, array, call):
        """A method's result for one array."""
        array = _prepared(array)
        ours = isinstance(array, ndarray)
        x = array if ours else _convert.from_numpy(array, self.device)
        t = types.of_dtype(x.dtype)
        if self._declared is None:
            result = call(self._kernel((t,) * self.nin), x)
        else:
            result = call(self._declared, x)
        return result if ours else _plain(result)

    def reduce(self, array, axis=0, keepdims=False):
        """The function put between all elements along axes; axis None: along all."""
        axes = None if axis is None else axis if isinstance(axis, tuple) else (axis,)
        count = 0 if axes is None else len(axes)
        return self._alone(array, lambda k, x: _core.gpuopt_ufunc_reduce(k, x, count, axes, int(keepdims)))

    def accumulate(self, array, axis=0):
        """The results of reducing up to each element."""
        return self._alone(array, lambda k, x: _core.gpuopt_ufunc_accumulate(k, x, axis))

    def outer(self, a, b):
        """The function of all pairs of elements."""
        import numpy

        a = a if isinstance(a, ndarray) else numpy.asarray(a)
        return self(a[(..., *(None,) * numpy.ndim(b))] if a.ndim else a, b)

    def at(self, a, indices, b=None):
        """a[indices] = f(a[indices], b), in place; an index that comes twice counts twice."""
        ours = isinstance(a, ndarray)
        x = a if ours else _convert.from_numpy(a, self.device)
        t = types.of_dtype(x.dtype)
        values = None if b is None else _convert.asarray(b, x.dtype, device=x.device)
        kernel = self._kernel((t,) * self.nin)
        _core.gpuopt_ufunc_at(kernel, x, _convert.asarray(indices, device=x.device), values)
        if not ours:
            a[...] = _convert.asnumpy(x)


def vectorize(ftylist_or_function=None, target="cpu", identity=None, **options):
    """numba.vectorize: a Python function of numbers as a universal function.

        @vectorize
        def f(a, b): ...

        @vectorize(['float64(float64, float64)', ...], target='parallel')

    >>> @gp.vectorize
    ... def clipped(x, most):
    ...     return most if x > most else x
    >>> clipped(gp.array([1.0, 2.0, 3.0]), 2.5)
    array([1. , 2. , 2.5])

    target: "cpu" and "parallel" (all processors), or "cuda". identity makes the function one whose order of reduction
    does not matter.
    """
    if (
        isinstance(ftylist_or_function, str)
        or not callable(ftylist_or_function)
        or isinstance(ftylist_or_function, types.Type)
    ):
        signatures = dispatch._signatures_of(ftylist_or_function)
        return lambda function: Ufunc(function, signatures, identity, target)
    return Ufunc(ftylist_or_function, (), identity, target)


# ---- Generalized ufuncs --------------------------------------------------------------------------------------------


def _dimensions(text):
    return [d.strip() for d in text.strip().strip("()").split(",") if d.strip()]


def _operands(layout):
    """Core dimensions of inputs and of outputs."""
    import re

    sides = layout.split("->")
    if len(sides) != 2:
        raise ValueError(f"{layout!r} is no signature: '(m,n),(n)->(m)' is one")
    return [[_dimensions(t) for t in re.findall(r"\([^()]*\)", side)] for side in sides]


class Gufunc(_Universal):
    """A Python function of arrays, which writes its outputs, as a generalized universal function."""

    def __init__(self, function, signatures, layout, target="cpu"):
        super().__init__(function, target)
        self.signature = layout
        self._inputs, self._outputs = _operands(layout)
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        if len(function.__code__.co_varnames[: function.__code__.co_argcount]) != self.nin + self.nout:
            raise TypeError(f"guvectorize: {layout} has {self.nin + self.nout} operands, and the function has others")
        if signatures:
            self._declared = self._made([types.parse(s) for s in signatures])

    def __repr__(self):
        return f"<gpuopt.guvectorize {self.__name__!r}>"

    def __call__(self, *args, out=None):
        outputs = args[self.nin :] or (() if out is None else out if isinstance(out, tuple) else (out,))
        if len(args) < self.nin or len(outputs) not in (0, self.nout):
            raise TypeError(f"{self.__name__}() takes {self.nin} inputs and {self.nout} outputs")
        return self._called(args[: self.nin], outputs)

    def _kernel(self, found):
        if self._declared is None and len(found) < self.nin + self.nout:
            t = found[0]
            for other in found[1:]:
                t = types.unify(t, other)
            found = (*found, *(t,) * self.nout)
        return super()._kernel(found)

    def _made(self, signatures):
        unit = Unit(Options(**_DEVICE_OPTIONS))
        entries, rows = [], []
        ranks = [len(d) for d in self._inputs + self._outputs]
        for signature in signatures:
            given = [
                self._operand_type(t, rank, k >= self.nin) for k, (t, rank) in enumerate(zip(signature.args, ranks))
            ]
            function = unit.compile(self.py_func, given)
            entries.append(self._entry(function, given, ranks))
            names = [t.element.name if isinstance(t, types.Array) else t.name for t in given]
            rows.append(",".join(names[: self.nin]) + "->" + ",".join(names[self.nin :]))
        return _core.gpuopt_guvectorize(unit.text("".join(entries)), "gp_gufunc", "; ".join(rows), self.signature)

    def _operand_type(self, t, rank, is_output):
        if isinstance(t, types.Array):
            return types.Array(t.element, max(rank, t.ndim), "A")
        return types.Array(t, max(rank, 1), "A") if rank or is_output else t

    def _entry(self, function, given, ranks):
        parameters, lines = [], []
        for k, (t, rank) in enumerate(zip(given, ranks)):
            element = t.element if isinstance(t, types.Array) else t
            is_input = k < self.nin
            if rank == 0 and is_input:
                parameters.append(f"{element.cpp} p{k}")
            else:
                parameters.append(f"array<{'const ' if is_input else ''}{element.cpp}, {rank}> p{k}")
            lines.append(_core_array(k, t, rank, is_input))
        names = ", ".join(f"a{k}" for k in range(len(given)))
        return f"__device__ void gp_gufunc({', '.join(parameters)}) {{\n{''.join(lines)}{function.name}({names});\n}}\n"


def _core_array(k, t, rank, is_input):
    """The C++ text that makes an operand what the function takes."""
    if not isinstance(t, types.Array):
        return f"const {t.cpp} a{k} = p{k};\n"
    cpp = t.element.cpp
    if rank == 0:
        place = f"&p{k}" if is_input else f"&p{k}[0]"
        return f"{t.cpp} a{k}; a{k}.data = ({cpp} *){place}; a{k}.shape[0] = 1; a{k}.strides[0] = {t.element.bytes};\n"
    zero = ", ".join(["0"] * rank)
    text = f"{t.cpp} a{k}; a{k}.data = ({cpp} *)&p{k}({zero});\n"
    for d in range(rank):
        one = ", ".join("1" if e == d else "0" for e in range(rank))
        step = f"(const char *)&p{k}({one}) - (const char *)&p{k}({zero})"
        text += f"a{k}.shape[{d}] = p{k}.shape({d}); a{k}.strides[{d}] = {step};\n"
    return text


def guvectorize(ftylist=None, signature=None, target="cpu", **options):
    """numba.guvectorize: a Python function of arrays that writes its outputs, as a generalized ufunc.

        @guvectorize([(int64[:], int64, int64[:])], '(n),()->(n)')
        def add(x, y, out): ...

    >>> @gp.guvectorize("(n),()->(n)")
    ... def add(x, y, out):
    ...     for i in range(x.shape[0]):
    ...         out[i] = x[i] + y
    >>> add(gp.array([[1, 2], [3, 4]]), gp.array([10, 20]))
    array([[11, 12],
           [23, 24]])

    Without types, those of a call count; outputs that are not given have the type that all inputs fit in.
    """
    if signature is None:
        ftylist, signature = None, ftylist
    signatures = dispatch._signatures_of(ftylist)
    return lambda function: Gufunc(function, signatures, signature, target)

# bindings/python/gpuopt/compiled/kernels.py -- cuda.jit: Python functions as kernels, launched over blocks of threads.
import functools
import os

from .. import _convert, _core, _device
from . import dispatch, types
from .unit import Options, Unit

ndarray = _core.ndarray


def kernel_device():
    """The device of kernels: the one that the thread or the environment has chosen, else a GPU, if one works."""
    if _device._stack() or os.environ.get("GPUOPT_BACKEND"):
        return _device.current()
    return _device.Device("cuda")


def _parameters(argument_types):
    """The C++ parameters of a kernel, what makes its arguments of them, and the arguments."""
    parameters, lines, names = [], [], []
    for k, t in enumerate(argument_types):
        for leaf, name in dispatch.leaves(f"a{k}", t):
            if isinstance(leaf, (types.List, types.Instance)):
                raise TypeError(f"kernels take numbers, arrays and tuples of them, not {leaf}")
            names.append(name)
            if not isinstance(leaf, types.Array):
                parameters.append(f"{leaf.cpp} {name}")
                continue
            parameters.append(f"{leaf.element.cpp} *{name}_data")
            lines.append(f"{leaf.cpp} {name}; {name}.data = {name}_data;\n")
            for d in range(leaf.ndim):
                parameters += [f"int64_t {name}_n{d}", f"int64_t {name}_s{d}"]
                lines.append(f"{name}.shape[{d}] = {name}_n{d}; {name}.strides[{d}] = {name}_s{d};\n")
    return parameters, lines, names


class _Launch:
    """A kernel with a grid: called with its arguments."""

    __slots__ = ("block", "grid", "kernel", "shared", "stream")

    def __init__(self, kernel, grid, block, stream=None, shared=0):
        self.kernel, self.grid, self.block = kernel, _three(grid), _three(block)
        self.stream, self.shared = stream, shared

    def __call__(self, *args):
        self.kernel.launch(self.grid, self.block, args, self.stream, self.shared)


def _three(sizes):
    sizes = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"a grid and a block have one to three sizes, not {len(sizes)}")
    return tuple(int(s) for s in sizes) + (1,) * (3 - len(sizes))


class _Compiled:
    __slots__ = ("arguments", "kernel", "text", "written")

    def __init__(self, arguments, kernel, text, written):
        self.arguments, self.kernel, self.text, self.written = arguments, kernel, text, written


class Kernel:
    """A Python function as a kernel: kernel[blocks, threads](arguments), or a function that kernels call.

    Arrays of gpuopt are passed as they are. Those of NumPy are copied to the device, and what the kernel has written
    is copied back before the call returns. Integers are int64, floats float64; NumPy's numbers keep their dtype.
    """

    def __init__(self, function, signatures=(), device=False):
        functools.update_wrapper(self, function)
        self.py_func = self._gpuopt_function = function
        self.device, self.compiled = device, {}
        self.declared = [types.parse(s).args for s in signatures]
        if not device:
            for arguments in self.declared:
                self._compile(arguments)

    def __repr__(self):
        return f"<gpuopt.cuda.jit {self.py_func.__qualname__}>"

    def __getitem__(self, configuration):
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise ValueError("must specify at least the griddim and blockdim")
        return _Launch(self, *configuration)

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """The kernel with a grid, as kernel[griddim, blockdim, stream, sharedmem]."""
        return _Launch(self, griddim, blockdim, stream, sharedmem)

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """The kernel with a grid of at least so many threads in one dimension."""
        threads = tpb or 128
        return _Launch(self, max((ntasks + threads - 1) // threads, 1), threads, stream, sharedmem)

    def __call__(self, *args, **kwargs):
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: kernels call it")
        raise ValueError(
            f"Kernel launch configuration was not specified. Use the syntax:\n\n"
            f"{self.__name__}[blockspergrid, threadsperblock](arg0, arg1, ..., argn)"
        )

    @property
    def signatures(self):
        """The types of arguments that it is compiled for."""
        return list(self.compiled)

    def inspect_cpp(self):
        """The C++ text of each signature."""
        return {arguments: c.text for arguments, c in self.compiled.items()}

    def _compile(self, arguments):
        unit = Unit(Options(host=False, boundscheck=False, python_errors=False))
        function = unit.compile(self.py_func, arguments)
        if function.result is not types.none:
            raise types_error(self.py_func, f"CUDA kernel must have void return type, not {function.result}")
        parameters, lines, names = _parameters(arguments)
        entry = f'extern "C" __global__ void gp_kernel({", ".join(parameters)}) {{\n'
        entry += "".join(lines) + f"{function.name}({', '.join(names)});\n}}\n"
        text = unit.text(entry)
        order = self.py_func.__code__.co_varnames
        written = {order.index(n) for n in function.written}
        self.compiled[arguments] = _Compiled(arguments, _core.gpuopt_raw_kernel(text, "gp_kernel"), text, written)
        return self.compiled[arguments]

    def _for(self, found):
        compiled = self.compiled.get(found)
        if compiled is not None:
            return compiled
        for arguments in self.declared:
            if len(arguments) == len(found) and all(map(dispatch._converts, found, arguments)):
                return self.compiled[arguments]
        if self.declared:
            raise TypeError(f"No matching definition for argument type(s) {', '.join(map(str, found))}")
        return self._compile(found)

    def launch(self, grid, block, args, stream=None, shared=0):
        """Runs the kernel."""
        args = self._with_defaults(args)
        compiled = self._for(tuple(map(types.typeof, args)))
        device = next((a.device for a in args if isinstance(a, ndarray)), None) or kernel_device()
        raw, back = [], []
        for k, (value, t) in enumerate(zip(args, compiled.arguments)):
            _add_argument(raw, back if k in compiled.written else None, value, t, device)
        handle = getattr(stream, "_handle", None)
        _core.raw_kernel_launch(compiled.kernel, grid, block, shared, tuple(raw), handle, device)
        for target, array in back:
            target[...] = _convert.asnumpy(array)

    def _with_defaults(self, args):
        code, defaults = self.py_func.__code__, self.py_func.__defaults__ or ()
        missing = code.co_argcount - len(args)
        if missing < 0 or missing > len(defaults):
            raise TypeError(f"{self.__name__}() takes {code.co_argcount} arguments, and {len(args)} are given")
        return args + defaults[len(defaults) - missing :] if missing else args


def types_error(function, message):
    """An error of a whole function."""
    from .errors import located
    from .source import Source

    source = Source.of(function)
    return located(message, source, source.node)


def _add_argument(raw, back, value, t, device):
    """Appends what a launch takes for one argument: the address, extents and strides of an array, bytes of a number."""
    import numpy

    if isinstance(t, types.Tuple):
        for item, kind in zip(value, t.items):
            _add_argument(raw, back, item, kind, device)
    elif isinstance(t, types.Array):
        if not isinstance(value, ndarray):
            value = _on_device(value, device, back)
        raw.append(value)
        for n, s in zip(value.shape, value.strides):
            raw += [_number(numpy.int64(n)), _number(numpy.int64(s))]
    elif t is not types.none:
        raw.append(_number(t.dtype.type(value)))


def _number(value):
    return value.dtype, value.tobytes()


def _on_device(value, device, back):
    array = _convert.from_numpy(value, device)
    if back is not None:
        if not value.flags.writeable:
            raise ValueError("assignment destination is read-only")
        back.append((value, array))
    return array


def jit(func_or_sig=None, device=False, **options):
    """numba.cuda.jit: a Python function as a kernel, or with device=True as a function that kernels call.

        @cuda.jit
        def add(x, y, out):
            i = cuda.grid(1)
            if i < len(out):
                out[i] = x[i] + y[i]

        add[blocks, threads](x, y, out)

    >>> @gp.cuda.jit
    ... def double(x):
    ...     i = gp.cuda.grid(1)
    ...     if i < len(x):
    ...         x[i] *= 2
    >>> x = gp.arange(3)
    >>> double[1, 32](x)
    >>> x
    array([0, 2, 4])

    Other options of Numba's (inline, fastmath, max_registers, lineinfo, debug, opt, link, cache) are accepted.
    """
    if callable(func_or_sig) and not isinstance(func_or_sig, types.Type):
        return Kernel(func_or_sig, (), device)
    signatures = dispatch._signatures_of(func_or_sig)
    return lambda function: Kernel(function, signatures, device)

# bindings/python/gpuopt/_kernels.py -- kernels of the user's own, as CuPy has them.
"""Kernels given as CUDA C++ text. They run on any device; each is compiled when it is first called with some dtypes."""

from . import _core, _device

ndarray = _core.ndarray
# C's names of types, which CuPy takes beside those of dtypes.
_C_TYPES = [
    (r"unsigned\s+long\s+long|unsigned\s+long|size_t", "uint64"),
    (r"long\s+long|long|ptrdiff_t", "int64"),
    (r"unsigned\s+int|unsigned", "uint32"),
    (r"int", "int32"),
    (r"unsigned\s+short", "uint16"),
    (r"short", "int16"),
    (r"unsigned\s+char", "uint8"),
    (r"signed\s+char|char", "int8"),
    (r"float", "float32"),
    (r"double", "float64"),
    (r"complex<float>", "complex64"),
    (r"complex<double>", "complex128"),
]


def _parameters(text):
    """A list of parameters with the library's names of types."""
    return ",".join(map(_parameter, text.split(","))) if text.strip() else text


def _parameter(text):
    import re

    for pattern, name in _C_TYPES:
        changed, count = re.subn(rf"^(\s*(?:raw\s+)?)(?:{pattern})(\s+\w+\s*)$", rf"\g<1>{name}\g<2>", text)
        if count:
            return changed
    return text


def _argument(value):
    if isinstance(value, ndarray):
        return value
    if isinstance(value, (bool, int, float, complex)):
        return value if type(value).__module__ != "numpy" else value.item()
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        return value.item()
    raise TypeError(f"Unsupported type {type(value)}")


def _results(results):
    return results[0] if len(results) == 1 else results


class ElementwiseKernel:
    """A kernel that is run for each element.

    in_params and out_params are lists of "[raw] TYPE NAME"; a TYPE of one letter is generic. `operation` reads
    inputs and writes
    outputs by name. Called with the inputs, or with inputs and outputs; returns the output, or a tuple of several.
    """

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        options=(),
        loop_prep="",
        after_loop="",
        **_,
    ):
        self.name, self.return_tuple, self.no_return = name, return_tuple, no_return
        self._kernel = _core.elementwise_kernel(
            _parameters(in_params), _parameters(out_params), operation, name, preamble, loop_prep, after_loop, None
        )

    def __call__(self, *args, size=None, block_size=0):
        device = None if any(isinstance(a, ndarray) for a in args) else _device.current()
        results = _core.kernel_call(self._kernel, tuple(map(_argument, args)), device, size, block_size, None, 0)
        if self.no_return:
            return None
        return results if self.return_tuple else _results(results)


class ReductionKernel:
    """A kernel that maps each element and combines the results over axes."""

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.name = name
        self._kernel = _core.reduction_kernel(
            _parameters(in_params),
            _parameters(out_params),
            map_expr,
            reduce_expr,
            post_map_expr,
            None if identity is None else str(identity),
            name,
            preamble,
            None,
            None,
            None if reduce_type is None else _parameter(reduce_type + " x").split()[0],
        )

    def __call__(self, *args, out=None, axis=None, keepdims=False):
        axes = None if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        arguments = tuple(map(_argument, args)) + (() if out is None else (out,))
        return _results(_core.kernel_call(self._kernel, arguments, None, None, 0, axes, int(keepdims)))


class RawKernel:
    """A __global__ function of CUDA C++ text: kernel(grid, block, arguments, shared_mem=0)."""

    def __init__(self, code, name, options=(), backend="nvrtc", **_):
        self.code, self.name = code, name
        self._kernel = _core.gpuopt_raw_kernel(code, name)

    @classmethod
    def _of(cls, handle, code, name):
        kernel = object.__new__(cls)
        kernel._kernel, kernel.code, kernel.name = handle, code, name
        return kernel

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        device = next((a.device for a in args if isinstance(a, ndarray)), None)
        device = device or next((a.array.device for a in args if _is_texture(a)), None)
        handle = None if stream is None else stream._handle
        _core.raw_kernel_launch(
            self._kernel, _three(grid), _three(block), shared_mem, tuple(map(_raw, args)), handle, device
        )


def _three(sizes):
    sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    return sizes + (1,) * (3 - len(sizes))


def _is_texture(value):
    """Whether it is a TextureObject or SurfaceObject of _texture.py, which need not be loaded to know."""
    return hasattr(value, "_texture_handle")


def _raw(value):
    """An argument of a launch: an array, or (dtype, bytes) of a number or a texture. Python's have 64 bits."""
    if isinstance(value, ndarray):
        return value
    import numpy

    if _is_texture(value):
        value = numpy.uint64(value.ptr)

    value = numpy.asarray(value)
    if value.ndim or value.dtype.kind not in "biufc":
        raise TypeError(f"Unsupported type {type(value)}")
    return value.dtype, value.tobytes()


class RawModule:
    """Kernels of one CUDA C++ text, which share its variables."""

    def __init__(self, *, code=None, path=None, options=(), backend="nvrtc", name_expressions=None, **_):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        if path is not None:
            with open(path, encoding="utf-8") as file:
                code = file.read()
        self.code, self._kernels = code, {}
        names = tuple(name_expressions or ())
        for name, handle in zip(names, _core.raw_module(code, names) if names else ()):
            self._kernels[name] = RawKernel._of(handle, code, name)

    def get_function(self, name):
        """The kernel of this name."""
        if name not in self._kernels:
            self._kernels[name] = RawKernel(self.code, name)
        return self._kernels[name]

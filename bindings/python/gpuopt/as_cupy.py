# bindings/python/gpuopt/as_cupy.py -- programs that say `import cupy`, with gpuopt in its place.
"""python -m gpuopt.as_cupy program.py [arguments]: runs a program for which cupy and cupyx are gpuopt.

In a program of one's own: `import gpuopt.as_cupy; gpuopt.as_cupy.install()` before cupy is imported.
"""

import sys
import types

import gpuopt


class _Module(types.ModuleType):
    """A module whose attributes are those of another."""

    def __init__(self, name, target):
        super().__init__(name, target.__doc__)
        self.__dict__["_target"] = target
        self.__path__ = []

    def __getattr__(self, name):
        return getattr(self.__dict__["_target"], name)

    def __dir__(self):
        return dir(self._target)


def _get_array_module(*args):
    """cupy, if one of the arguments is an array of it, else numpy."""
    if any(isinstance(a, gpuopt.ndarray) for a in args):
        return sys.modules["cupy"]
    import numpy

    return numpy


def install():
    """Makes cupy and cupyx name gpuopt, and arrays say that they are of cupy. Doing it twice is doing it once."""
    if isinstance(sys.modules.get("cupy"), _Module):
        return
    from .compiled import cupyx_jit

    cupy = _Module("cupy", gpuopt)
    cupy.get_array_module, cupy.__version__ = _get_array_module, "13.0.0"
    gpuopt.ndarray.__module__ = "cupy"
    cupyx = types.ModuleType("cupyx", "What CuPy has beside NumPy's functions.")
    cupyx.__path__ = []
    cupyx.scatter_add, cupyx.scatter_max, cupyx.scatter_min = gpuopt.add_at, gpuopt.maximum_at, gpuopt.minimum_at
    cupyx.jit = _Module("cupyx.jit", cupyx_jit)
    sys.modules.update({"cupy": cupy, "cupyx": cupyx, "cupyx.jit": cupyx.jit})
    for name in ("cuda", "linalg", "fft", "random"):
        part = _Module(f"cupy.{name}", getattr(gpuopt, name))
        setattr(cupy, name, part)
        sys.modules[f"cupy.{name}"] = part


def main():
    """The command: runs the program that the first argument names."""
    import runpy

    if len(sys.argv) < 2:
        sys.exit("usage: python -m gpuopt.as_cupy program.py [arguments]")
    del sys.argv[0]
    install()
    sys.path.insert(0, sys.argv[0].rpartition("/")[0] or ".")
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()

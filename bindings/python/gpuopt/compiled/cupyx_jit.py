# bindings/python/gpuopt/compiled/cupyx_jit.py -- cupyx.jit: Python functions as raw kernels, with CuPy's words.
from . import kernels, words
from .words import Word, blockDim, blockIdx, gridDim, threadIdx

_SAME = (
    "grid gridsize syncthreads syncwarp laneid warpsize shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync"
).split()
_ATOMICS = {
    "add": "add", "sub": "sub", "exch": "exch", "min": "min", "max": "max", "inc": "inc", "dec": "dec", "cas": "cas",
    "and": "and_", "or": "or_", "xor": "xor",
}  # fmt: skip
grid, gridsize, syncthreads, syncwarp = words.grid, words.gridsize, words.syncthreads, words.syncwarp
laneid, warpsize, range = words.laneid, words.warpsize, range
shared_memory = Word("shared_memory")
globals().update({f"atomic_{name}": getattr(words.atomic, word) for name, word in _ATOMICS.items()})
globals().update({name: getattr(words, name) for name in _SAME})


class RawKernel(kernels.Kernel):
    """A Python function as a kernel: kernel((blocks,), (threads,), arguments, shared_mem=0), or
    kernel[blocks, threads](*arguments)."""

    def __repr__(self):
        return f"<gpuopt rawkernel {self.py_func.__qualname__}>"

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: kernels call it")
        self.launch(kernels._three(grid), kernels._three(block), tuple(args), stream, shared_mem)

    def __getitem__(self, configuration):
        grid, block = configuration
        return kernels._Launch(self, grid, block)


def rawkernel(*, mode="cuda", device=False):
    """cupyx.jit.rawkernel: a Python function as a kernel, compiled for the types of each launch.

        @jit.rawkernel()
        def copy(x, y, size):
            i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
            if i < size:
                y[i] = x[i]

        copy((4,), (128,), (x, y, size))

    Numbers follow the rules of the other compiled functions in both modes.
    """
    if mode not in ("cuda", "numpy"):
        raise ValueError(f"the mode is 'cuda' or 'numpy', not {mode!r}")
    return lambda function: RawKernel(function, (), device)


__all__ = ["RawKernel", "blockDim", "blockIdx", "gridDim", "rawkernel", "shared_memory", "threadIdx"]

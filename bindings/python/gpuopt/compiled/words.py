# bindings/python/gpuopt/compiled/words.py -- words of kernels: cuda.grid, threadIdx, shared.array, atomic.
from .errors import Unsupported


class Word:
    """A function that only kernels can call."""

    __slots__ = ("__name__",)
    __module__ = "words"

    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return f"<cuda.{self.__name__.replace('_', '.', 1)}>"

    def __call__(self, *_, **__):
        raise Unsupported(f"cuda.{self.__name__} can be called in kernels only")


class Three:
    """threadIdx and its like: three numbers of a kernel."""

    def __init__(self, name):
        self.name = name


class Number:
    """A number that every thread has, as cuda.laneid."""

    def __init__(self, text):
        self.text = text


class Words:
    """Words under one name: cuda.atomic."""

    def __init__(self, prefix, names):
        for name in names:
            setattr(self, name, Word(f"{prefix}_{name}"))


threadIdx, blockIdx, blockDim, gridDim = map(Three, ("threadIdx", "blockIdx", "blockDim", "gridDim"))
laneid, warpsize = Number("(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32"), 32
shared, local, const = Words("shared", ["array"]), Words("local", ["array"]), Words("const", ["array_like"])
atomic = Words(
    "atomic",
    [
        "add",
        "sub",
        "max",
        "min",
        "nanmax",
        "nanmin",
        "and_",
        "or_",
        "xor",
        "exch",
        "inc",
        "dec",
        "cas",
        "compare_and_swap",
    ],
)
FUNCTIONS = (
    "grid gridsize syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp threadfence"
    " threadfence_block threadfence_system shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync all_sync any_sync"
    " ballot_sync match_any_sync activemask lanemask_lt popc clz brev ffs fma cbrt selp nanosleep"
    " xoroshiro128p_uniform_float32 xoroshiro128p_uniform_float64 xoroshiro128p_normal_float32"
    " xoroshiro128p_normal_float64"
).split()
globals().update({name: Word(name) for name in FUNCTIONS})
NAMES = (
    *FUNCTIONS,
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "laneid",
    "warpsize",
    "shared",
    "local",
    "const",
    "atomic",
)

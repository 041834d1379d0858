#!/usr/bin/env python3
"""tests/kernels/make_table.py -- writes docs/cuda-words.md: which words of the CUDA C++ Programming Guide and
of the CUDA Math API kernels may use.

    tests/kernels/make_table.py            writes it
    tests/kernels/make_table.py --check    only says whether it is up to date

A word is there if the corpus has it: words.txt, or a kernel of the tests named below. Every other word has a reason
here.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OUT = ROOT / "docs" / "cuda-words.md"
TESTS = [
    "tests/conformance/word_kernel_test.cpp",
    "tests/conformance/raw_kernels.h",
    "tests/kernels/collectives.h",
    "tests/kernels/device_functions.h",
    "tests/kernels/launches.h",
    "tests/kernels/library_texts.h",
    "tests/kernels/textures.h",
    "tests/conformance/raw_kernel_test.cpp",
    "tests/conformance/cuda_library_kernel_test.cpp",
    "tests/conformance/coalesced_kernel_test.cpp",
    "tests/unit/cpu_machine_code_posix_test.cpp",
]

MODES = ["rn", "rz", "ru", "rd"]


def modes(*words):
    return [f"{word}_{mode}" for word in words for mode in MODES]


def both(*words):
    return [name for word in words for name in (word, word + "f")]


def lanes(*words):
    return [f"{word}{n}" for word in words for n in (2, 4)]


# A chapter and its words.
CHAPTERS = {
    "Language extensions: specifiers and directives": """__global__ __device__ __host__ __noinline__ __forceinline__
__constant__ __shared__ __managed__ __restrict__ __grid_constant__ __launch_bounds__ __maxnreg__
__cluster_dims__ __align__ unroll __CUDA_ARCH__ asm""".split(),
    "Language extensions: types and variables": [
        f"make_{name}{n}"
        for name in (
            "char",
            "uchar",
            "short",
            "ushort",
            "int",
            "uint",
            "long",
            "ulong",
            "longlong",
            "ulonglong",
            "float",
            "double",
        )
        for n in (1, 2, 3, 4)
    ]
    + "dim3 gridDim blockIdx blockDim threadIdx warpSize uint uchar ushort ulong".split(),
    "Language extensions: synchronization and memory": """__syncthreads __syncthreads_count __syncthreads_and
__syncthreads_or __syncwarp __threadfence __threadfence_block __threadfence_system __ldg __ldcg __ldca __ldcs
__ldlu __ldcv __stwb __stcg __stcs __stwt memcpy memset malloc free new delete alloca __isGlobal __isShared __isConstant
__isLocal __isGridConstant __cvta_generic_to_global __cvta_generic_to_shared __cvta_generic_to_constant
__cvta_generic_to_local""".split(),
    "Language extensions: textures and surfaces": """cudaTextureObject_t cudaSurfaceObject_t tex1Dfetch tex1D tex2D
tex3D tex1DLayered tex2DLayered tex1DLod tex2DLod tex3DLod tex1DLayeredLod tex2DLayeredLod tex1DGrad tex2DGrad tex3DGrad
tex2Dgather surf1Dread surf1Dwrite surf2Dread surf2Dwrite surf3Dread surf3Dwrite surf1DLayeredread surf1DLayeredwrite
surf2DLayeredread surf2DLayeredwrite cudaBoundaryModeTrap cudaBoundaryModeClamp cudaBoundaryModeZero texCubemap
texCubemapLod texCubemapLayered texCubemapLayeredLod surfCubemapread surfCubemapwrite surfCubemapLayeredread
surfCubemapLayeredwrite texture surface""".split(),
    "Language extensions: warps": """__activemask __all_sync __any_sync __ballot_sync __shfl_sync __shfl_up_sync
__shfl_down_sync __shfl_xor_sync __match_any_sync __match_all_sync __reduce_add_sync __reduce_min_sync
__reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync __shfl __shfl_up __shfl_down __shfl_xor
__all __any __ballot""".split(),
    "Language extensions: warp matrix functions": """wmma::fragment wmma::matrix_a wmma::matrix_b wmma::accumulator
wmma::row_major wmma::col_major wmma::mem_row_major wmma::mem_col_major wmma::precision::tf32 wmma::load_matrix_sync
wmma::store_matrix_sync wmma::fill_fragment wmma::mma_sync wmma::__float_to_tf32""".split(),
    "Language extensions: atomics": """atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec
atomicCAS atomicAnd atomicOr atomicXor atomicAdd_block atomicAdd_system __nv_atomic_load_n __nv_atomic_store_n
__nv_atomic_exchange_n __nv_atomic_fetch_add __nv_atomic_fetch_xor __nv_atomic_fetch_min
__nv_atomic_fetch_max""".split(),
    "Language extensions: time, traps, output": """clock clock64 __nanosleep __trap __brkpt __prof_trigger assert
printf __builtin_assume __builtin_expect __builtin_unreachable""".split(),
    "Integer intrinsics": """__brev __brevll __byte_perm __clz __clzll __ffs __ffsll __fns __funnelshift_l
__funnelshift_lc __funnelshift_r __funnelshift_rc __hadd __mul24 __mul64hi __mulhi __popc __popcll __rhadd
__sad __uhadd __umul24 __umul64hi __umulhi __urhadd __usad __dp2a_lo __dp2a_hi __dp4a min max umin umax llmin
llmax ullmin ullmax abs labs llabs""".split(),
    "SIMD intrinsics": lanes(
        *"""__vabs __vabsdiffs __vabsdiffu __vabsss __vadd __vaddss __vaddus __vavgs __vavgu __vcmpeq __vcmpges
__vcmpgeu __vcmpgts __vcmpgtu __vcmples __vcmpleu __vcmplts __vcmpltu __vcmpne __vhaddu __vmaxs __vmaxu
__vmins __vminu __vneg __vnegss __vsads __vsadu __vseteq __vsetges __vsetgeu __vsetgts __vsetgtu __vsetles
__vsetleu __vsetlts __vsetltu __vsetne __vsub __vsubss __vsubus""".split()
    )
    + [
        f"{word}_{kind}"
        for word in ("__vimax3", "__vimin3", "__viaddmax", "__viaddmin")
        for kind in ("s32", "u32", "s16x2", "u16x2", "s32_relu", "s16x2_relu")
    ]
    + ["__vimax_s32_relu", "__vimin_s32_relu", "__vibmax_s32", "__vibmin_u32"],
    "Type casting intrinsics": modes(
        *"""__double2float __double2int __double2uint __double2ll __double2ull __float2int __float2uint __float2ll
__float2ull __int2float __uint2float __ll2float __ull2float __ll2double __ull2double""".split()
    )
    + """__int2double_rn __uint2double_rn __float_as_int __float_as_uint __int_as_float __uint_as_float
__double_as_longlong __longlong_as_double __double2hiint __double2loint __hiloint2double""".split(),
    "Intrinsics with a rounding mode": modes(*"""__fadd __fsub __fmul __fdiv __frcp __fsqrt __fmaf __dadd __dsub
__dmul __ddiv __drcp __dsqrt __fma""".split())
    + ["__frsqrt_rn"],
    "Fast intrinsics": """__cosf __exp10f __expf __fdividef __log10f __log2f __logf __powf __saturatef __sincosf
__sinf __tanf __tanhf fdividef""".split(),
    "Mathematical functions": both(
        *"""acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf
erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb j0 j1 jn
ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter norm norm3d
norm4d normcdf normcdfinv pow rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln
scalbn sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn""".split()
    )
    + ["isfinite", "isinf", "isnan", "signbit"],
    "8-bit floats": [f"__nv_fp8{n}_{kind}" for n in ("", "x2", "x4") for kind in ("e4m3", "e5m2")]
    + """__nv_cvt_float_to_fp8 __nv_cvt_double_to_fp8 __nv_cvt_float2_to_fp8x2 __nv_cvt_fp8_to_halfraw""".split(),
    "Complex numbers (cuComplex.h)": both(*"cuCadd cuCsub cuCmul cuCdiv cuCabs cuConj".split()),
    "Constants": """INT_MAX INT_MIN UINT_MAX LONG_MAX LLONG_MAX ULLONG_MAX FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX
DBL_MIN DBL_EPSILON INT32_MAX UINT64_MAX SIZE_MAX NULL INFINITY NAN HUGE_VAL HUGE_VALF M_PI M_E M_SQRT2
CUDART_PI CUDART_PI_F CUDART_INF CUDART_INF_F CUDART_NAN CUDART_NAN_F""".split(),
    "The C++ library": """std::numeric_limits std::min std::max std::clamp std::swap std::move std::pair std::tuple
std::tie std::array std::complex std::is_same std::is_integral std::conditional_t std::enable_if_t
std::common_type_t std::lower_bound std::plus std::sqrt cuda::std::array cuda::atomic_ref std::atomic_ref
std::accumulate std::iota std::partial_sum std::gcd std::begin std::distance std::sort std::transform std::count_if
std::max_element std::find std::reverse
std::optional std::nullopt std::variant std::visit std::get_if std::holds_alternative std::monostate""".split(),
    "Cooperative groups": """cg::this_thread_block cg::this_grid cg::grid_group cg::tiled_partition
cg::thread_block_tile cg::block_tile_memory cg::thread_group cg::coalesced_threads cg::binary_partition
cg::labeled_partition cg::sync cg::reduce cg::inclusive_scan cg::exclusive_scan multi_grid_group""".split(),
    "Dynamic parallelism": """<<<>>> cudaStreamFireAndForget cudaStreamTailLaunch cudaStreamCreateWithFlags
cudaStreamDestroy cudaGetLastError cudaPeekAtLastError cudaMalloc cudaFree cudaStreamGraphFireAndForget
cudaDeviceSynchronize cudaGetParameterBufferV2 cudaLaunchDeviceV2""".split(),
    "Asynchronous copies and barriers": """cuda::barrier cuda::latch cuda::binary_semaphore cuda::pipeline
cuda::pipeline_shared_state cuda::pipeline_role cuda::make_pipeline cuda::memcpy_async cuda::aligned_size_t
cuda::pipeline_consumer_wait_prior cg::memcpy_async cg::wait __pipeline_memcpy_async __pipeline_commit
__pipeline_wait_prior cuda::ptx""".split(),
    "cuRAND": """curand_init curand curand_uniform curand_uniform_double curand_normal curand_normal_double
curand_log_normal curand_poisson curand_poisson4 curandStateSobol32_t curandStateScrambledSobol64_t""".split(),
    "CUB": """cub::WarpReduce cub::WarpScan cub::BlockReduce cub::BlockScan cub::BlockLoad cub::BlockStore
cub::BlockRadixSort cub::Max cub::Min cub::LaneId cub::BlockExchange cub::BlockHistogram
cub::BlockDiscontinuity cub::BlockAdjacentDifference
cub::KeyValuePair cub::ArgMax cub::ArgMin cub::Traits cub::DeviceReduce""".split(),
    "Thrust": """thrust::seq thrust::device thrust::sequence thrust::sort thrust::stable_sort thrust::sort_by_key
thrust::reduce thrust::transform_reduce thrust::inner_product thrust::count thrust::count_if thrust::min_element
thrust::max_element thrust::find thrust::find_if thrust::all_of thrust::any_of thrust::equal thrust::lower_bound
thrust::binary_search thrust::inclusive_scan thrust::exclusive_scan thrust::transform thrust::fill thrust::copy
thrust::copy_if thrust::reverse thrust::adjacent_difference thrust::for_each thrust::counting_iterator
thrust::make_transform_iterator thrust::make_zip_iterator thrust::pair thrust::tuple
thrust::shuffle thrust::device_ptr thrust::raw_pointer_cast thrust::tie thrust::swap thrust::min
thrust::max thrust::plus thrust::minus thrust::maximum thrust::greater thrust::complex thrust::abs thrust::exp
thrust::conj thrust::norm thrust::default_random_engine thrust::uniform_real_distribution
thrust::uniform_int_distribution
thrust::device_vector""".split(),
}

# Words that no case is made for, because each kernel that compiles proves them.
PLAIN = {
    "<<<>>>": "see above; on GPUs with `libcudadevrt` of the CUDA toolkit",
    "cg::coalesced_threads": "see above; on the CPU the lanes that come to this very call",
    "__activemask": "as cg::coalesced_threads",
    "__host__": "ignored",
    "__forceinline__": "",
    "__managed__": "a variable of the module",
    "__maxnreg__": "ignored",
    "__cluster_dims__": "ignored on the CPU",
    "__grid_constant__": "ignored on the CPU",
    "__align__": "",
    "__ldlu": "",
    "__ldcv": "",
    "__stwb": "",
    "__stcs": "",
    "__stwt": "",
    "__trap": "the launch fails",
    "assert": "the launch fails; see above",
    "printf": "see above",
    "malloc": "see above",
    "free": "",
    "curand_poisson": "the distribution is that; the numbers are not cuRAND's",
    "curand_poisson4": "as curand_poisson",
    "curandStateSobol32_t": "integers and uniform numbers; also of 64 bits",
    "curandStateScrambledSobol64_t": "integers and uniform numbers; also of 32 bits",
    "__match_all_sync": "",
    "atomicAdd_system": "",
    "asm": "on the CPU the common instructions; see above",
    "texture": "of version 11 and older; see above",
    "surface": "as texture",
    "__builtin_assume": "",
    "__builtin_expect": "",
    "__builtin_unreachable": "",
    "uint": "",
}
NONE = {
    "cudaStreamGraphFireAndForget": "there are no graphs",
    "cudaDeviceSynchronize": "CUDA 13 has it no more in kernels; cudaStreamTailLaunch waits for all others",
    "cudaGetParameterBufferV2": "what compilers make of `<<<>>>`",
    "cudaLaunchDeviceV2": "as cudaGetParameterBufferV2",
    "multi_grid_group": "of several GPUs; CUDA 13 has it no more",
    "alloca": "local arrays have constant sizes",
    "__brkpt": "for debuggers of GPUs",
    "__prof_trigger": "for profilers of GPUs",
    "cuda::ptx": "instructions of GPUs",
    "thrust::device_vector": "for programs of the host; gpuopt's arrays take its place",
    "cub::DeviceReduce": "for programs of the host; gpuopt's own functions do that",
}
ON_GPU = "on NVIDIA's GPUs, not on the CPU, which has one address space"
for word in "__isGlobal __isShared __isConstant __isLocal __isGridConstant".split():
    NONE[word] = ON_GPU
for space in ("global", "shared", "constant", "local"):
    PLAIN[f"__cvta_generic_to_{space}"] = "on the CPU the address itself, of 64 bits"

HEAD = """# The words of CUDA C++

Kernels given as texts are CUDA C++ on every device. This page is generated by `tests/kernels/make_table.py` from the
corpus of tests: a word counts as there if a test computes with it (`tests/kernels/words.txt`, on the CPU and on the
fake driver, and compiled by NVIDIA's compiler) or launches a kernel with it. The chapters are those of the CUDA C++
Programming Guide and of the CUDA Math API.

The same bits come out on every device. Hence the fast intrinsics (`__sinf` and its like) are the accurate functions,
and mathematical functions are this library's own, not those of the device. On random arguments, compared with 60
digits: the inverse error functions and `normcdfinv` within 2 ULP, `erfcx`, `normcdf`, `exp10`, `rcbrt`, `sinpi` and
`cospi` within 1, `cyl_bessel_i0` and `_i1` within 3; `j0`, `j1`, `y0` and `y1` up to 25 within 1, and beyond within 4
ULP of their amplitude, not of values near zeros. Those of float are rounded from double.

Headers that kernels may include, whose words are there without them, too: {headers}.

On the CPU, all lanes of a warp count as active for shuffles and votes without a mask, and `__CUDA_ARCH__` is 750.

{suites}## Functions that take the host

- A failed `assert` ends the launch with `GPUOPT_ERR_KERNEL_FAULT`. On the CPU the message has the expression, file and
  line, block and thread, and the arrays and the device can be used on. CUDA's driver writes all that to the standard
  error, and gives up the device: its arrays are gone. `NDEBUG` in front of `#include <assert.h>` or `<cassert>` turns
  assertions off.
- `printf` writes to the standard output, on a GPU when the stream or device is synchronized, on the CPU by the end of
  the launch. On the CPU, blocks print in their order, and the threads of a block in theirs, from barrier to barrier; it
  keeps all output, while a GPU's buffer of 1 MiB loses the oldest. Conversions are `c d i o u x X p e E f F g G a A s`
  with C's flags, widths, precisions and sizes; at most 32 arguments count, and the result is their number.
- `malloc` and `new` take memory of a heap of 8 MiB, and are NULL where it is exhausted. Memory stays allocated until a
  kernel frees it, in any thread and any launch. Freeing anything else is `GPUOPT_ERR_KERNEL_FAULT` on the CPU.
- Functions may call themselves, be called through pointers and be virtual. On the CPU they cannot wait for others
  then (`GPUOPT_ERR_KERNEL_FAULT`), pointers to functions are those of one kernel, and `GPUOPT_CPU_CHECK`
  does not look into such functions.
- Sums of `cub` and products of `wmma` have the same bits on every device. The former combine neighbors, then pairs of
  them, and so on; the latter are chains of fused multiply-adds, and take the place of tensor cores on a GPU, too, where
  they are much slower: where speed counts more than bits, use `gpuopt_matmul`.
- Asynchronous copies (`cuda::memcpy_async`, `cooperative_groups::memcpy_async`, `__pipeline_memcpy_async`) are done
  when the function returns, and barriers and pipelines are counters in memory, on a GPU, too. What is read after the
  wait is the same; copies do not overlap with computation.
- Thrust's algorithms run in the thread that calls them, whatever the policy, in the order of the elements; sorts are
  stable and take no memory.
- Texture and surface objects are made of arrays by `gpuopt_texture_create` (`gp::texture` and `gp::surface`). Textures
  are read by plain loads on every device, so that a linear filter has the same bits: its weights have 8 bits after the
  point, as in CUDA, rounded to nearest, ties to even. There is one level of detail, and a border is 0. A cubemap is a
  layered texture, whose layers are the faces +x, -x, +y, -y, +z and -z, each of the same height and width, of one cube
  or several; it is filtered within a face, and on an edge the face of the first axis counts. References,
  `texture<float, 2> image;` and `surface<void, 2> target;`, which CUDA 12 removed, are variables of the text: the host
  writes an object to one by `gpuopt_raw_kernel_set_global` (`kernel.set_global("image", t.object())`), whose settings
  count, not those of the reference. A launch does not know of it, so that it is only ordered behind work on the array
  where that was submitted to the same stream before.
- `asm` is PTX on every device. On the CPU it may be common instructions on numbers, memory and threads of all types:
  `mov` `ld` `st` with vectors, `add` `sub` `mul` `mad` `div` `rem` with `.lo` `.hi` `.wide` `.sat` and carries within
  one statement, `min` `max` `abs` `neg` `sad` `and` `or` `xor` `not` `shl` `shr` `shf` `lop3` `prmt` `bfe` `bfi`
  `bfind` `brev` `clz` `popc` `vabsdiff2` `vabsdiff4` `dp4a` `fma` `rcp` `sqrt` `copysign` `testp` with a rounding,
  `cvt` `setp` `selp` and predicates, `atom` `red` `membar` `fence` `bar.sync 0` `shfl.sync` `vote.sync` `match.any`
  `redux` `activemask`, registers of the text's own, and special registers such as `%laneid`, `%tid.x` and `%clock64`
  (`%smid` is 0, and `%globaltimer` counts the processor's ticks), labels, each once in a statement, and `bra` to them.
  What only GPUs have or round in their own way (`ex2.approx`, `cp.async`, `mma`, addresses of shared memory of 32
  bits) are errors that name the instruction; `#ifdef __CUDACC_RTC__` and `#else` around them is for both.
- A launch of a kernel that calls `this_grid().sync()` is a cooperative one, with nothing to be said by the host. On a
  GPU all blocks have to fit on it at a time; a kernel that waits in a larger grid traps. On the CPU up to 262144
  threads may wait at a time, in blocks of any number; more are `GPUOPT_ERR_INVALID_ARGUMENT`, and blocks that wait for
  others that have ended `GPUOPT_ERR_KERNEL_FAULT`. `GPUOPT_CPU_CHECK` does not follow such kernels. Grids of several
  GPUs (`multi_grid_group`) are not there.
- Kernels launch kernels (CUDA's dynamic parallelism, version 2): `child<<<grid, block, shared, stream>>>(arguments)`,
  in the default stream, a stream of the kernel's own, `cudaStreamFireAndForget` or `cudaStreamTailLaunch`. On the CPU a
  launch is recorded and runs when the grid that made it has ended, so that its writes are not seen before, as CUDA has
  it; one after the other in the order of the blocks, and in a block in that of its launches (by the threads of a block
  in their order, from barrier to barrier), whatever the number of the host's threads, each with all that it launches
  itself; those of `cudaStreamTailLaunch` last. The host's launch has ended when all have. `cudaGetLastError` has the
  numbers of CUDA for what launches nothing: wrong configurations, and more than 24 grids in each other. Launches that
  wait may take 256 MiB with their arguments for each grid; more are `GPUOPT_ERR_OUT_OF_MEMORY`, and none of them runs.
  What a child does that no kernel may is the failure of the host's launch, and nothing else is begun. Arguments are
  copied byte by byte, and what is launched has to be named: there are no launches through pointers. On a GPU it takes
  NVRTC and, beside it, `libcudadevrt` and nvJitLink of the same CUDA toolkit; without them compiling such a kernel is
  an error that says what is missing.
- `__activemask()` and `cg::coalesced_threads()` give, on the CPU, the lanes that come to the very call, in branches and
  loops, too: the call waits until all others of the warp have returned, wait elsewhere for who does not come, or ask
  the same at a place behind it. So lanes that took different ways meet where the ways meet, which a GPU
  does as a rule but does not promise; where lanes may come in different iterations of a loop, those of several may be
  together. Functions that call themselves or are called through pointers are told of their own lane. Where all lanes
  of the block are proved to come, the threads are loops as with any other vote.
- A `bool` in memory whose byte is neither 0 nor 1 is true where it decides, as NVIDIA's compiler has it.

"""


# Counted on the day that the text names; nothing of these suites is in this repository.
SUITES = """## Programs of public suites

How much of other people's CUDA C++ compiles was counted on 28 November 2026 with NVIDIA's cuda-samples, Rodinia,
PolyBench-GPU and HeCBench (their CUDA programs). A script took one text from each `.cu` file with kernels: the
program's own headers were put in, conditionals were decided as nvcc does, and the host's functions and what only they
use were left out, with headers of the host. The first kernel of each text was compiled for the CPU, and all of them by
NVRTC 13.0 for compute capability 7.5. Arguments of templates were those of a launch; where the script could not find
them, they were read in the programs. A program counts if all its texts compile.

| Suite | Texts | for the CPU | by NVRTC | by both | Programs | by both |
|---|---|---|---|---|---|---|
| cuda-samples | 164 | 154 | 153 | 152 | 146 | 134 |
| Rodinia | 35 | 35 | 33 | 33 | 23 | 22 |
| PolyBench-GPU | 21 | 21 | 21 | 21 | 21 | 21 |
| HeCBench | 509 | 503 | 498 | 498 | 478 | 467 |
| all | 729 | 713 | 705 | 704 | 668 | 644 |

That is 98 of 100 texts for the CPU, and 97 by NVRTC. All texts that had failed before were extracted and compiled
again: of 92, 52 had been faults of the script (arguments of templates that it had guessed wrongly, macros of makefiles,
functions of other files that nvcc links), and nine were no texts of their own, as another file includes them or nothing
instantiates their templates; these nine no longer count. Of the others, which had compiled, 139 were compiled again by
NVRTC, and 150 for the CPU: all still do. Of the 25 that did not compile by both, six launch kernels or graphs from
kernels, three need headers that are not there (DirectX, PyTorch), five are faults of the script that are left, and one
wants `texCubemap`; cubemaps and launches of kernels are there since. Clang refuses a missing comma in `asm` that
NVIDIA's compilers take (1). NVRTC refuses what nvcc takes: constants at namespace scope that have to be computed (2),
statement expressions and compound literals of GCC (2), an abstract class (1), and `uint64_t` as `unsigned long`, which
is `unsigned long long` there (2); one text does not end in two minutes, and one more is a fault of the script.

Kernels that compile were then run with random arguments on the CPU and as NVRTC's PTX in the interpreter of the tests,
and all bits of all arrays compared, but for those of NaN. All 47 kernels of PolyBench-GPU agree. Of 131 of the other
suites, drawn by chance where there are many, 103 agreed. Of the 28 that differed the race checker of the CPU names a
data race, an access out of bounds or an uninitialized value, with these arguments, in 22; two depend on the order of
atomic functions; one reads a local variable that it sets for two of the values of an argument only; and three took a
`bool` from bytes that were neither 0 nor 1, of which NVIDIA's compiler makes true and the CPU made what the lowest bit
is: these were mended, and agree.

`tests/kernels/programs/run.py CHECKOUT` runs whole programs on the CPU: the kernels of each file as libgpuopt_jit
compiles them, and the rest as Clang 14 compiles CUDA for hosts, with a small runtime of the tests in place of CUDA's.
Of the texts nothing is changed, but that the host's leaves out the bodies of functions that the device alone runs, and
the kernels' what the host alone needs, and `static` of variables that the host writes. A program agrees if it prints,
or says by its status, that its results are those of its own C functions, and does not when its launches do nothing. It
agrees weakly if it does not end by itself without its kernels: then its comparison was never seen to fail. The counts
are those of `tests/kernels/programs/results`, which the script wrote on 30 November 2026: HeCBench in two runs, from a
to l on an Intel Xeon and from l to z on an AMD EPYC; simpleCubemapTexture and cdpBezierTessellation of cuda-samples and
lulesh of HeCBench were run again, after what they had failed for was mended. Others used the machines meanwhile, but
processor time is what limits a program:

{programs}
A program had 6 seconds of processor time (cuda-samples and Rodinia 10, PolyBench-GPU 60), with arguments for GPUs
divided by 64 or 1024, those of `arguments.txt` or its makefile's own; "take too long" says nothing of what it would
print. What is not there: inputs that are no part of the checkout or arguments, cuBLAS, cuSPARSE, MPI, Thrust and CUB on
the host, CUDA's driver, OpenGL, and other libraries. Most of Rodinia's programs have nothing of their own to compare
with. Of those that fail, the script's kernels of dxtc and interval lack operators or a class that they use; some assert
that the GPU is a newer one, or, as meanshift, mpc and minibude, that a file is there. bscan calls `__ballot_sync` with
masks that leave the calling thread out. fpdc, radixsort and split write where another thread's value was to be, as
threads of a warp do not run in lockstep here: of radixsort `GPUOPT_CPU_CHECK=1` names the data race. merge reads
`BSm1[~Ax]` of an array in shared memory, 16 GiB behind its end, which is in front of it where addresses have 32 bits.
quantAQLM writes 12288 numbers where it has 384, four times, which ends the process when memory is freed.

None of those that differ showed a fault of gpuopt's. Threads of HeCBench's dct8x8 and romberg and PolyBench-GPU's MVT
exchange values without a barrier, as if warps ran in lockstep, data races that `GPUOPT_CPU_CHECK=1` names. dxtc2
permutes an array in shared memory in one statement, `colors[xrefs[idx]] = colors[idx]`, without a barrier between
reading and writing. gru compares memory that nobody has written, and graphMemoryNodes asks a flag in managed memory
that nobody has set: its five other checks pass. Two print a figure that the script takes for a difference:
HSOpticalFlow an error of 0.044, which is below the 0.05 that it accepts, and langevin how far exact functions are from
the first terms of their series. gemv wants 0.1 of sums of `__half` of about 620, where neighbors are 0.5 apart. ans
does not write the last symbol of some of its texts: where that symbol takes no bits and the one before it takes the
last bit of the input, the loop of its decoder is over (`while(at < bits_in_unit)`, line 129 of
multians_gpu_decoder.cu), and what `cudaMalloc()` gave (line 92 of main.cu) stays. In memory that is 0 nothing differs,
as 0 is that symbol. Its kernels as plain C++ functions that run on other bytes differ at the same symbol of the same
text, and with a `cudaMemset()` behind that line all texts agree on the CPU. `GPUOPT_CPU_CHECK=1` names a barrier in a
branch that the threads beyond the end of the input do not take. CUDA leaves that undefined; GPUs since Volta and the
CPU take threads that have ended for arrived. ans also shifts numbers of 32 bits by 32, which gives 0 on a GPU, and gave
either that or the number itself on the CPU, depending on whether the loop over threads became one of vectors: such
shifts are defined now, as PTX defines them. HeCBench's convolution1D copies to a variable that is an instance of a
template, which the host can find by its name now. Of PolyBench-GPU, GEMVER has no comparison and 3MM compares zeros, as
it passes its arrays in another order than its functions take them.

"""


PROGRAMS = {"cuda-samples": "cuda-samples", "rodinia": "Rodinia", "polybench": "PolyBench-GPU", "hecbench": "HeCBench"}
OUTCOMES = {"agrees": "agree", "agrees weakly": "agree weakly", "differs": "differ",
            "compares nothing": "compare nothing", "needs more": "need what is not there",
            "takes too long": "take too long", "fails": "fail"}


def table_of_programs():
    """The counts of what tests/kernels/programs/run.py --record wrote."""
    rows, sums = [], [0] * len(OUTCOMES)
    for suite, name in PROGRAMS.items():
        lines = (HERE / f"programs/results/{suite}.txt").read_text().splitlines()
        tried, of = re.fullmatch(r"# (\d+) of (\d+) programs", lines[0]).groups()
        found = [line.rsplit(": ", 1)[1] for line in lines[1:]]
        row = [found.count(what) for what in OUTCOMES]
        rows.append([name, f"{sum(row)}" + ("" if tried == of else f", the run having tried {tried} of {of}"), *row])
        sums = [a + b for a, b in zip(sums, row)]
    rows.append(["all", sum(sums), *sums])
    head = ["Suite", "Programs", *OUTCOMES.values()]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines).replace("| --- ", "|---").replace(
        "|--- |", "|---|") + "\n"


def known_headers():
    text = (ROOT / "plugins/shared/words/known_headers.h").read_text()
    return re.findall(r'^GPO_KNOWN_(?:HEADER|PART)\("([^"]+)"\)', text, re.M)


def tested_words():
    lines = (HERE / "words.txt").read_text().splitlines()
    listed = {line.split(" | ")[0] for line in lines if not line.startswith("#")}
    text = " ".join((ROOT / file).read_text() for file in TESTS)
    return listed, set(re.findall(r"(?:(?:std|cuda|cub|wmma|precision|thrust|cg)::)*[A-Za-z_]\w*", text))


def row(word, listed, others):
    if word in listed or word in others or word in PLAIN:
        note = PLAIN.get(word, "")
        return f"| `{word}` | yes | {note} |" if note else None
    if word not in NONE:
        sys.exit(f"make_table.py: no test has {word}, and no reason is given for that")
    return f"| `{word}` | no | {NONE[word]} |"


def chapter(title, words, listed, others):
    rows = {word: row(word, listed, others) for word in words}
    plain = [word for word in words if rows[word] is None]
    out = f"## {title}\n\n"
    if plain:
        out += "There: " + " ".join(f"`{word}`" for word in plain) + ".\n\n"
    noted = [text for text in rows.values() if text]
    if noted:
        out += "| Word | There | |\n|---|---|---|\n" + "\n".join(noted) + "\n\n"
    return out


def wrapped(text):
    lines = []
    for line in text.split("\n"):
        while len(line) > 120 and not line.startswith("|") and " " in line[:120]:
            at = line.rfind(" ", 0, 120)
            lines.append(line[:at])
            line = line[at + 1 :]
        lines.append(line)
    return "\n".join(lines)


def main():
    listed, others = tested_words()
    suites = SUITES.replace("{programs}", table_of_programs())
    text = HEAD.format(suites=suites, headers=", ".join(f"`{name}`" for name in known_headers()))
    text += "".join(chapter(title, words, listed, others) for title, words in CHAPTERS.items())
    text = wrapped(text).rstrip() + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(
            0 if OUT.exists() and OUT.read_text() == text else "docs/cuda-words.md is not what make_table.py writes"
        )
    OUT.write_text(text)


if __name__ == "__main__":
    main()

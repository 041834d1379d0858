/* abi/gpuopt/gpuopt_compiled.h -- compiled code on its own: native functions, and kernels compiled ahead of time; part
 * of gpuopt.h, which includes it. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_COMPILED_H)
#define GPUOPT_COMPILED_H

/* ---- Native functions: numba.cfunc ------------------------------------------------------------------------------- */

typedef struct gpuopt_cfunc_s *gpuopt_cfunc;

/* Compiles a function for the CPU that C can call, as qsort and integrators call back. `code` is CUDA C++ with a
 * function NAME (one, overloads, or a template), as of gpuopt_vectorize: it includes nothing, and functions of math.h
 * are the library's own, the same bits. `signature` is the function's C type, "float64,float64->float64": a dtype name,
 * the same with * for the address of such elements ("const float64*,int64->float64"), void* for any, ->void for no
 * result. bool is C's, complex64 and complex128 are C99's complex numbers; float16 and bfloat16, of which C compilers
 * differ, are passed by address only. A malformed signature is GPUOPT_ERR_INVALID_ARGUMENT; what the compiler says is
 * GPUOPT_ERR_COMPILE, with lines counted in `code`; without a compiler, and where neither the cache nor a bundle has
 * the code, it is GPUOPT_ERR_JIT_UNAVAILABLE. Compiled code is kept in the cache, as kernels'. */
GPUOPT_CALL gpuopt_compile_cfunc(const char *code, const char *name, const char *signature, gpuopt_cfunc *function,
                                 gpuopt_error *error);
/* Where it begins, as dlsym gives a function's address: to be converted to a pointer to a function of the signature.
 * The code stays in place until the last reference goes; no thread may run it then. Any threads may call it, at once
 * too: it has no state but the variables of its text. As any function of C it computes in the floating-point
 * environment of its caller, so its bits are those of the other operations where that is the default one. */
GPUOPT_API void *gpuopt_cfunc_address(gpuopt_cfunc function);
/* Counts a reference more, or one less; NULL is allowed. */
GPUOPT_API gpuopt_cfunc gpuopt_cfunc_retain(gpuopt_cfunc function);
GPUOPT_API void gpuopt_cfunc_release(gpuopt_cfunc function);

/* ---- Bundles: kernels compiled ahead of time --------------------------------------------------------------------- */

/* A bundle is a file with the code of kernels, of any kind and for many dtypes, for several processors. Where one is
 * loaded, calls of these kernels find their code in it, and need neither libgpuopt_jit nor NVRTC. Nothing else is
 * different: the program makes the same kernels of the same texts.
 *
 * What goes into a bundle is what a program was seen to use: with GPUOPT_RECORD_KERNELS=FILE in its environment each
 * kernel that it calls is written down in that file, for the dtypes and layouts of the call. gpuopt_bundle_build
 * compiles those for every processor that the compilers installed here can: on x86-64 levels v2, v3 and v4, by
 * libgpuopt_jit; every architecture of NVIDIA's that NVRTC knows, and PTX for newer ones. No device is needed. The
 * command gpuopt-aot does both. A bundle belongs to the release of gpuopt that made it. */

/* Makes the bundle `path` of the kernels that were recorded in the file `recorded`; a file there is replaced once it is
 * complete. Backends without a compiler are left out, with a warning, and so is what does not compile for one of them;
 * a kernel that compiles for none is GPUOPT_ERR_COMPILE, no compiler at all GPUOPT_ERR_JIT_UNAVAILABLE. */
GPUOPT_CALL gpuopt_bundle_build(const char *recorded, const char *path, gpuopt_error *error);
/* Loads a bundle, for the whole process and until it ends: kernels are looked for there first. Those of GPUOPT_BUNDLES
 * (absolute paths, separated as in PATH) are loaded before any device is opened. A file that others than its owner may
 * write to is GPUOPT_ERR_IO; one that is damaged, cut short, or of another release is GPUOPT_ERR_FORMAT: then nothing
 * of it is used, and everything works as without it. A backend of a GPU that refuses what is in it for its devices does
 * without, with a warning. */
GPUOPT_CALL gpuopt_bundle_load(const char *path, gpuopt_error *error);
/* The same for a bundle that is part of a program; the bytes are copied. */
GPUOPT_CALL gpuopt_bundle_load_memory(const void *bytes, uint64_t size, gpuopt_error *error);

#endif

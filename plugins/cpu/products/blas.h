// plugins/cpu/products/blas.h -- the system's BLAS library, found at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuopt::cpu {

// The Fortran interface, which every BLAS has. Integers are passed by address as 64 bits: on a little-endian machine a
// library with 32-bit integers reads the low half and one with 64-bit integers (ILP64) all, so both work. Values must
// fit 32 bits. The last arguments are the hidden lengths of the character arguments.
using BlasInt = const int64_t *;
using Gemm = void (*)(const char *trans_a, const char *trans_b, BlasInt m, BlasInt n, BlasInt k, const void *alpha,
                      const void *a, BlasInt lda, const void *b, BlasInt ldb, const void *beta, void *c, BlasInt ldc,
                      size_t, size_t);
using Gemv = void (*)(const char *trans, BlasInt m, BlasInt n, const void *alpha, const void *a, BlasInt lda,
                      const void *x, BlasInt incx, const void *beta, void *y, BlasInt incy, size_t);

enum { kBlasS, kBlasD, kBlasC, kBlasZ, kBlasTypes };  // float32, float64, complex64, complex128

struct Blas {
  void *library;
  Gemm gemm[kBlasTypes];
  Gemv gemv[kBlasTypes];
  std::string name;
};

// Returns the BLAS, which is loaded at the first call and never unloaded; NULL if there is none. The choice is logged
// once (event cpu.blas). Safe from any threads.
//
// GPUOPT_BLAS decides (an absolute path, or "none"). Without it, and if it cannot be loaded, libopenblas.so.0 is tried,
// then libblas.so.3. The latter is taken only if it is a tuned implementation, since our own kernels are faster than
// the reference one. OpenBLAS and MKL are told to use pool_size() threads; OpenBLAS's own fork handlers stop and
// restart them. MKL (libmkl_rt.so, whose version suffix varies) is used only if GPUOPT_BLAS names it or the system has
// made it its libblas.so.3, because it brings an OpenMP runtime into the process, which is for the user to decide.
const Blas *blas();

// Returns whether an open library, with those it depends on, is a tuned implementation.
bool is_tuned_blas(void *library) noexcept;

// Returns the name of the BLAS in use; "" if there is none, or blas() has not been called. Does not load one.
const char *blas_name() noexcept;

}  // namespace gpuopt::cpu

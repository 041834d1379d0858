// plugins/cpu/linalg/lapack.h -- the system's LAPACK library, found at run time, to which GPUOPT_LINALG=fast leaves
// large decompositions.
#pragma once

#include <cstdint>
#include <string>

namespace gpuopt::cpu {

struct Lapack {
  void *library;
  bool wide;  // its integers have 64 bits
  std::string name;
};

// Returns the LAPACK library, which is looked for at the first call and never unloaded; NULL if GPUOPT_LINALG is not
// "fast", or if there is none. What was found is logged once (event cpu.lapack). Safe from any threads.
//
// It is the BLAS library (blas.h) if that has LAPACK's functions, as OpenBLAS and MKL have, or else liblapack.so.3 if
// the BLAS below that is a tuned one, since our own algorithms are faster than the reference one's products.
const Lapack *lapack();

enum class Outcome { kDone, kNoAnswer, kRefused };

// The functions below replace one of our own algorithms each, with the same arguments and results, but for the bits.
// Matrices are in column-major order without gaps. kNoAnswer is what makes GPUOPT_ERR_LINALG of our own; with kRefused,
// where the library's integers or the memory do not suffice, nothing has been changed. T is float, double, gpo::c64 or
// gpo::c128, and R the type of its parts.
template <class T>
Outcome lapack_cholesky(const Lapack &library, int64_t n, T *a) noexcept;
template <class T>
Outcome lapack_qr(const Lapack &library, int64_t m, int64_t n, T *a, T *tau) noexcept;
// a and tau as lapack_qr() left them, in the first columns of q.
template <class T>
Outcome lapack_form_q(const Lapack &library, int64_t m, int64_t columns, int64_t count, T *q, const T *tau) noexcept;
template <class T>
Outcome lapack_lu(const Lapack &library, int64_t m, int64_t n, T *a, int64_t *pivots) noexcept;
// Factorizes a, and replaces the columns of b by the solutions.
template <class T>
Outcome lapack_solve(const Lapack &library, int64_t n, T *a, int64_t columns, T *b) noexcept;
// As gpo::linalg::symmetric_eigen() of the lower triangle, symmetric vectors' phases included.
template <class T, class R>
Outcome lapack_eigh(const Lapack &library, int64_t n, T *a, R *w, bool vectors) noexcept;
// u has u_columns columns, vh vh_rows rows: m and n, or both the lesser of them. Both may be null.
template <class T, class R>
Outcome lapack_svd(const Lapack &library, int64_t m, int64_t n, T *a, R *s, T *u, T *vh, bool full) noexcept;
// w and v have complex numbers, as pairs of R; v may be null.
template <class T, class R>
Outcome lapack_eig(const Lapack &library, int64_t n, T *a, R *w, R *v) noexcept;

}  // namespace gpuopt::cpu

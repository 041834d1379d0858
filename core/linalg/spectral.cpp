// core/linalg/spectral.cpp -- gpuopt_eigh, eigvalsh, eig, eigvals, svd and svdvals.
#include "core/linalg/spectral.h"

#include "core/linalg/matrices.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

constexpr const char *kNoEigenvalues = "Eigenvalues did not converge", *kNoSvd = "SVD did not converge";

// Returns the eigenvalues, and the vectors if they are asked for, of Hermitian matrices.
std::vector<ArrayRef> hermitian_eigen(gpuopt_array given, bool upper, bool vectors, const char *what) {
  const ArrayRef x = square_matrices(given, what);
  const int64_t n = rows_of(x);
  std::vector<ArrayRef> out{for_each_matrix(x, real_component(x->dtype), {n})};
  if (vectors) out.push_back(for_each_matrix(x, x->dtype, {n, n}));
  if (!x->size) return out;
  MatrixCall call(GPUOPT_CALL_EIGH, what, kNoEigenvalues, x);
  for (const ArrayRef &array : out) call.output(array);
  call.integer(upper).run();
  return out;
}

gpuopt_dtype complex_with(gpuopt_dtype dtype) {
  return real_component(dtype) == GPUOPT_FLOAT32 ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;
}

std::vector<ArrayRef> general_eigen(gpuopt_array given, bool vectors, const char *what) {
  const ArrayRef x = square_matrices(given, what);
  const int64_t n = rows_of(x);
  std::vector<ArrayRef> out{for_each_matrix(x, complex_with(x->dtype), {n})};
  if (vectors) out.push_back(for_each_matrix(x, complex_with(x->dtype), {n, n}));
  if (!x->size) return out;
  MatrixCall call(GPUOPT_CALL_EIG, what, kNoEigenvalues, x);
  for (const ArrayRef &array : out) call.output(array);
  call.run();
  return out;
}

}  // namespace

ArrayRef singular_values(const ArrayRef &x, const char *what) {
  ArrayRef s = for_each_matrix(x, real_component(x->dtype), {std::min(rows_of(x), columns_of(x))});
  if (s->size) MatrixCall(GPUOPT_CALL_SVD, what, kNoSvd, x).output(s).run();
  return s;
}

SvdFactors svd(const ArrayRef &x, bool full, const char *what) {
  const int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n), rows = full ? m : k, columns = full ? n : k;
  const ArrayRef s = for_each_matrix(x, real_component(x->dtype), {k});
  if (!x->size) {
    const auto basis = [&](bool left) {
      return full ? identities(x, x->dtype, left ? m : n) : for_each_matrix(x, x->dtype, {left ? m : k, left ? k : n});
    };
    return {basis(true), s, basis(false)};
  }
  SvdFactors result{for_each_matrix(x, x->dtype, {m, rows}), s, for_each_matrix(x, x->dtype, {columns, n})};
  MatrixCall(GPUOPT_CALL_SVD, what, kNoSvd, x).output(s).output(result.u).output(result.vh).run();
  return result;
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_eigh(gpuopt_array x, int32_t upper, gpuopt_array *w, gpuopt_array *v, gpuopt_error *error) {
  return giving_each({w, v}, error, [&] { return hermitian_eigen(x, upper != 0, true, "eigh"); });
}

gpuopt_status gpuopt_eigvalsh(gpuopt_array x, int32_t upper, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return hermitian_eigen(x, upper != 0, false, "eigvalsh")[0]; });
}

gpuopt_status gpuopt_eig(gpuopt_array x, gpuopt_array *w, gpuopt_array *v, gpuopt_error *error) {
  return giving_each({w, v}, error, [&] { return general_eigen(x, true, "eig"); });
}

gpuopt_status gpuopt_eigvals(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return general_eigen(x, false, "eigvals")[0]; });
}

gpuopt_status gpuopt_svd(gpuopt_array x, int32_t full, gpuopt_array *u, gpuopt_array *s, gpuopt_array *vh,
                         gpuopt_error *error) {
  return giving_each({u, s, vh}, error, [&]() -> std::vector<ArrayRef> {
    SvdFactors factors = svd(matrices(x, "svd"), full != 0, "svd");
    return {std::move(factors.u), std::move(factors.s), std::move(factors.vh)};
  });
}

gpuopt_status gpuopt_svdvals(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return singular_values(matrices(x, "svdvals"), "svdvals"); });
}

}  // extern "C"

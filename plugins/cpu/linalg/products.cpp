// plugins/cpu/linalg/products.cpp -- see products.h.
#include "plugins/cpu/linalg/products.h"

#include <gpuopt/types.h>

#include "plugins/cpu/products/gemm.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {
namespace {

template <class T>
plugin::Matrix matrix_of(const gpo::linalg::View<T> &x) noexcept {
  constexpr int64_t element = sizeof(T);
  return {reinterpret_cast<char *>(x.data), x.rows, x.columns, x.row * element, x.column * element};
}

// Without memory for the kernels the definition itself is run, which needs none.
template <class T, int32_t dtype>
void add_product(const gpo::linalg::View<T> &c, const gpo::linalg::View<T> &a, const gpo::linalg::View<T> &b,
                 gpo::linalg::Terms terms) noexcept {
  const AddedTerms added = {terms.negative, terms.conjugated};
  if (!multiply_add(dtype, added, matrix_of(a), matrix_of(b), matrix_of(c)))
    gpo::linalg::InOrder().add_product(c, a, b, terms);
}

void loop(bool threads, int64_t count, void (*body)(const void *context, int64_t i), const void *context) noexcept {
  if (threads && count > 1) return parallel_for(count, [=](int64_t i, int) { body(context, i); });
  for (int64_t i = 0; i < count; i++) body(context, i);
}

}  // namespace

Runner make_runner(bool threads, const Lapack *lapack) noexcept {
  const LinalgRunner how = {threads,
                            loop,
                            add_product<float, GPUOPT_FLOAT32>,
                            add_product<double, GPUOPT_FLOAT64>,
                            add_product<gpo::c64, GPUOPT_COMPLEX64>,
                            add_product<gpo::c128, GPUOPT_COMPLEX128>};
  return {how, lapack};
}

}  // namespace gpuopt::cpu

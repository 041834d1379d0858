// plugins/cpu/linalg/products.cpp -- see products.h.
#include "plugins/cpu/linalg/products.h"

#include <gpuopt/types.h>

#include "plugins/cpu/library/gemm.h"

namespace gpuopt::cpu {
namespace {

template <class T>
plugin::Matrix matrix_of(const gpo::linalg::View<T> &x) noexcept {
  constexpr int64_t element = sizeof(T);
  return {reinterpret_cast<char *>(x.data), x.rows, x.columns, x.row * element, x.column * element};
}

// Without memory for the kernels the definition itself is run, which needs none.
template <class T>
void add_by_kernels(int32_t dtype, const gpo::linalg::View<T> &c, const gpo::linalg::View<T> &a,
                    const gpo::linalg::View<T> &b, gpo::linalg::Terms terms) noexcept {
  const AddedTerms added = {terms.negative, terms.conjugated};
  if (!multiply_add(dtype, added, matrix_of(a), matrix_of(b), matrix_of(c)))
    gpo::linalg::InOrder().add_product(c, a, b, terms);
}

}  // namespace

void add_product_of(const gpo::linalg::View<float> &c, const gpo::linalg::View<float> &a,
                    const gpo::linalg::View<float> &b, gpo::linalg::Terms terms) noexcept {
  add_by_kernels(GPUOPT_FLOAT32, c, a, b, terms);
}
void add_product_of(const gpo::linalg::View<double> &c, const gpo::linalg::View<double> &a,
                    const gpo::linalg::View<double> &b, gpo::linalg::Terms terms) noexcept {
  add_by_kernels(GPUOPT_FLOAT64, c, a, b, terms);
}
void add_product_of(const gpo::linalg::View<gpo::c64> &c, const gpo::linalg::View<gpo::c64> &a,
                    const gpo::linalg::View<gpo::c64> &b, gpo::linalg::Terms terms) noexcept {
  add_by_kernels(GPUOPT_COMPLEX64, c, a, b, terms);
}
void add_product_of(const gpo::linalg::View<gpo::c128> &c, const gpo::linalg::View<gpo::c128> &a,
                    const gpo::linalg::View<gpo::c128> &b, gpo::linalg::Terms terms) noexcept {
  add_by_kernels(GPUOPT_COMPLEX128, c, a, b, terms);
}

}  // namespace gpuopt::cpu

// plugins/cpu/linalg/products.h -- how the CPU backend runs the algorithms of plugins/shared/linalg: their loops on the
// threads of the pool, and their products by the kernels of matrix products.
#pragma once

#include "plugins/cpu/runtime/pool.h"
#include "plugins/shared/linalg/blocks.h"

namespace gpuopt::cpu {

// c += a b, as gpo::linalg::InOrder::add_product() defines it, on several threads if the product is large.
void add_product_of(const gpo::linalg::View<float> &c, const gpo::linalg::View<float> &a,
                    const gpo::linalg::View<float> &b, gpo::linalg::Terms terms) noexcept;
void add_product_of(const gpo::linalg::View<double> &c, const gpo::linalg::View<double> &a,
                    const gpo::linalg::View<double> &b, gpo::linalg::Terms terms) noexcept;
void add_product_of(const gpo::linalg::View<gpo::c64> &c, const gpo::linalg::View<gpo::c64> &a,
                    const gpo::linalg::View<gpo::c64> &b, gpo::linalg::Terms terms) noexcept;
void add_product_of(const gpo::linalg::View<gpo::c128> &c, const gpo::linalg::View<gpo::c128> &a,
                    const gpo::linalg::View<gpo::c128> &b, gpo::linalg::Terms terms) noexcept;

// The runner that the algorithms take (blocks.h).
struct Runner {
  bool threads;  // whether loops run on the threads of the pool

  template <class F>
  void operator()(int64_t count, const F &f) const noexcept {
    if (!threads || count < 2) {
      for (int64_t i = 0; i < count; i++) f(i);
    } else {
      parallel_for(count, [&](int64_t i, int) { f(i); });
    }
  }
  template <class T>
  void add_product(const gpo::linalg::View<T> &c, const gpo::linalg::View<T> &a, const gpo::linalg::View<T> &b,
                   gpo::linalg::Terms terms) const noexcept {
    add_product_of(c, a, b, terms);
  }
};

}  // namespace gpuopt::cpu

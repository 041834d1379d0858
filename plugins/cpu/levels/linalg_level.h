// plugins/cpu/levels/linalg_level.h -- the runner of the algorithms of linear algebra, for the files that are compiled
// once per instruction set level (level.h).
#pragma once

#include "plugins/cpu/levels/level.h"
#include "plugins/cpu/levels/linalg_loops.h"

// As GPUOPT_INSTALL (level.h), of the table of algorithms.
#define GPUOPT_INSTALL_ALGORITHMS(part) \
  void gpuopt::cpu::GPUOPT_PASTE(GPUOPT_PASTE(install_, part), GPUOPT_PASTE(_, GPUOPT_LEVEL))(LinalgLoops & table)

namespace gpuopt::cpu {

void GPUOPT_PASTE(install_factors_, GPUOPT_LEVEL)(LinalgLoops &);
void GPUOPT_PASTE(install_spectra_, GPUOPT_LEVEL)(LinalgLoops &);

namespace {

struct LevelRunner {
  const LinalgRunner &how;

  template <class F>
  void operator()(gpo::i64 count, const F &f) const {
    how.loop(
        how.threads, count, [](const void *context, int64_t i) { (*static_cast<const F *>(context))(i); }, &f);
  }
  void add_product(const gpo::linalg::View<float> &c, const gpo::linalg::View<float> &a,
                   const gpo::linalg::View<float> &b, gpo::linalg::Terms terms) const {
    how.add_float32(c, a, b, terms);
  }
  void add_product(const gpo::linalg::View<double> &c, const gpo::linalg::View<double> &a,
                   const gpo::linalg::View<double> &b, gpo::linalg::Terms terms) const {
    how.add_float64(c, a, b, terms);
  }
  void add_product(const gpo::linalg::View<gpo::c64> &c, const gpo::linalg::View<gpo::c64> &a,
                   const gpo::linalg::View<gpo::c64> &b, gpo::linalg::Terms terms) const {
    how.add_complex64(c, a, b, terms);
  }
  void add_product(const gpo::linalg::View<gpo::c128> &c, const gpo::linalg::View<gpo::c128> &a,
                   const gpo::linalg::View<gpo::c128> &b, gpo::linalg::Terms terms) const {
    how.add_complex128(c, a, b, terms);
  }
};

}  // namespace
}  // namespace gpuopt::cpu

// plugins/cpu/levels/spectra.cpp -- eigenvalues, singular values, and their vectors.
#include "plugins/cpu/levels/linalg_level.h"
#include "plugins/shared/linalg/spectral.h"

namespace gpuopt::cpu {
namespace {

namespace la = gpo::linalg;

template <class T>
void install_of(LinalgAlgorithms<T> &to) {
  using R = gpo::real_of<T>;
  using Run = const LinalgRunner &;
  to.symmetric_eigen = [](int64_t n, T *a, R *w, bool vectors, R *work, Run run) {
    return la::symmetric_eigen(n, a, w, vectors, work, LevelRunner{run});
  };
  to.svd = [](int64_t m, int64_t n, T *a, R *s, T *u, T *vh, R *work, Run run) {
    return la::svd(m, n, a, s, u, vh, work, LevelRunner{run});
  };
  to.general_eigen = [](int64_t n, T *a, gpo::cplx<R> *w, gpo::cplx<R> *v, R *work, Run run) {
    return la::general_eigen(n, a, w, v, work, LevelRunner{run});
  };
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL_ALGORITHMS(spectra) {
  install_of(table.of_float32);
  install_of(table.of_float64);
  install_of(table.of_complex64);
  install_of(table.of_complex128);
}

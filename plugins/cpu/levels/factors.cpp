// plugins/cpu/levels/factors.cpp -- Cholesky, LU and QR factors, and systems of equations.
#include "plugins/cpu/levels/linalg_level.h"
#include "plugins/shared/linalg/cholesky.h"
#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/lu.h"

namespace gpuopt::cpu {
namespace {

namespace la = gpo::linalg;

template <class T>
void install_of(LinalgAlgorithms<T> &to) {
  using Run = const LinalgRunner &;
  if constexpr (gpo::is_complex<T>) {
    to.transpose = nullptr;
  } else {
    to.transpose = la::transpose<T>;
  }
  to.factorize_cholesky = [](int64_t n, T *a, Run run) { return la::factorize_cholesky(n, a, LevelRunner{run}); };
  to.factorize_lu = [](int64_t m, int64_t n, T *a, int64_t *pivots, Run run) {
    la::factorize_lu(m, n, a, pivots, LevelRunner{run});
  };
  to.solve_lu = [](const la::View<T> &a, const int64_t *pivots, const la::View<T> &b, Run run) {
    la::solve_lu(a, pivots, b, LevelRunner{run});
  };
  to.solve_triangle = [](const la::Triangle<T> &t, const la::View<T> &b, Run run) {
    la::solve_triangle(t, b, LevelRunner{run});
  };
  using Kept = la::KeptTriangles<T>;
  to.factorize_qr = [](int64_t m, int64_t n, T *a, T *tau, T *memory, Run run, Kept kept) {
    la::factorize_qr(m, n, a, tau, memory, LevelRunner{run}, kept);
  };
  to.form_q = [](int64_t m, int64_t columns, int64_t count, T *a, const T *tau, T *q, T *memory, Run run, Kept kept) {
    la::form_q(m, columns, count, a, tau, q, memory, LevelRunner{run}, kept);
  };
  to.complete_basis = [](int64_t m, int64_t given, T *q, T *memory, Run run) {
    la::complete_basis(m, given, q, memory, LevelRunner{run});
  };
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL_ALGORITHMS(factors) {
  install_of(table.of_float32);
  install_of(table.of_float64);
  install_of(table.of_complex64);
  install_of(table.of_complex128);
}

// plugins/cpu/linalg/spectral.cpp -- eigenvalues, singular values, and their vectors.
#include "plugins/cpu/linalg/spectral.h"

#include "plugins/cpu/linalg/stack.h"
#include "plugins/shared/linalg/general_eigen.h"
#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/svd.h"
#include "plugins/shared/linalg/symmetric_eigen.h"

namespace gpuopt::cpu {
namespace {

using gpo::cplx;
using gpo::real_of;

// About as many operations as an iteration over n columns of m elements takes.
double spectral_work(int64_t m, int64_t n) noexcept {
  const double rows = static_cast<double>(m), columns = static_cast<double>(n);
  return 10 * rows * columns * std::min(rows, columns);
}

template <class T>
struct HermitianJob {
  int64_t n, w_at, work_at, bytes;
  bool upper, vectors;
  double work;

  explicit HermitianJob(const gpuopt_call &call)
      : n(rows_of(call, 0)), upper(call.ints[1] != 0), vectors(call.ntensors == 3), work(spectral_work(n, n)) {
    Layout layout;
    layout.add<T>(n * n);
    w_at = layout.add<real_of<T>>(n);
    work_at = layout.add<real_of<T>>(gpo::linalg::symmetric_eigen_work<T>(n));
    bytes = layout.bytes();
  }

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch);
    real_of<T> *const w = reinterpret_cast<real_of<T> *>(scratch + w_at);
    load_matrix(x[0], n, n, a);
    make_hermitian(upper, n, a);
    const bool converged = by_either(
        run, [=, this](const Lapack &library) { return lapack_eigh(library, n, a, w, vectors); },
        [&] {
          real_of<T> *const memory = reinterpret_cast<real_of<T> *>(scratch + work_at);
          return algorithms<T>().symmetric_eigen(n, a, w, vectors, memory, run.how);
        });
    if (!converged) return false;
    store_matrix(w, n, 1, x[1]);
    if (vectors) store_matrix(a, n, n, x[2]);
    return true;
  }
};

template <class T>
struct GeneralJob {
  using Complex = cplx<real_of<T>>;
  int64_t n, w_at, v_at, work_at, bytes;
  bool vectors;
  double work;

  explicit GeneralJob(const gpuopt_call &call)
      : n(rows_of(call, 0)), vectors(call.ntensors == 3), work(spectral_work(n, n)) {
    Layout layout;
    layout.add<T>(n * n);
    w_at = layout.add<Complex>(n);
    v_at = layout.add<Complex>(vectors ? n * n : 0);
    work_at = layout.add<real_of<T>>(gpo::linalg::general_eigen_work<T>(n));
    bytes = layout.bytes();
  }

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch);
    Complex *const w = reinterpret_cast<Complex *>(scratch + w_at);
    Complex *const v = vectors ? reinterpret_cast<Complex *>(scratch + v_at) : nullptr;
    load_matrix(x[0], n, n, a);
    const bool converged = by_either(
        run,
        [=, this](const Lapack &library) {
          return lapack_eig(library, n, a, gpo::linalg::parts(w), gpo::linalg::parts(v));
        },
        [&] {
          return algorithms<T>().general_eigen(n, a, w, v, reinterpret_cast<real_of<T> *>(scratch + work_at), run.how);
        });
    if (!converged) return false;
    store_matrix(w, n, 1, x[1]);
    if (vectors) store_matrix(v, n, n, x[2]);
    return true;
  }
};

template <class T>
struct SvdJob {
  int64_t m, n, k, rows, columns;  // u is m x rows, vh columns x n
  int64_t s_at, u_at, vh_at, v_at, basis_at, work_at, bytes;
  bool vectors;
  double work;

  explicit SvdJob(const gpuopt_call &call)
      : m(rows_of(call, 0)),
        n(columns_of(call, 0)),
        k(std::min(m, n)),
        rows(0),
        columns(0),
        vectors(call.ntensors == 4),
        work(spectral_work(m, n)) {
    if (vectors) rows = columns_of(call, 2), columns = rows_of(call, 3);
    Layout layout;
    layout.add<T>(m * n);
    s_at = layout.add<real_of<T>>(k);
    u_at = layout.add<T>(vectors ? m * rows : 0);
    vh_at = layout.add<T>(vectors ? columns * n : 0);
    v_at = layout.add<T>(columns > k ? n * n : 0);
    const int64_t longest = std::max(rows > k ? m : 0, columns > k ? n : 0);
    basis_at = layout.add<T>(longest ? gpo::linalg::complete_basis_work<T>(longest, k) : 0);
    work_at = layout.add<real_of<T>>(gpo::linalg::svd_work<T>(m, n));
    bytes = layout.bytes();
  }

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch);
    real_of<T> *const s = reinterpret_cast<real_of<T> *>(scratch + s_at), *const memory =
                                                                              reinterpret_cast<real_of<T> *>(scratch +
                                                                                                             work_at);
    T *const u = vectors ? reinterpret_cast<T *>(scratch + u_at) : nullptr;
    T *const vh = vectors ? reinterpret_cast<T *>(scratch + vh_at) : nullptr;
    load_matrix(x[0], m, n, a);
    if (run.lapack) {
      const Outcome outcome = lapack_svd(*run.lapack, m, n, a, s, u, vh, rows > k || columns > k);
      if (outcome != Outcome::kRefused) return outcome == Outcome::kDone && store_theirs(s, u, vh, x);
    }
    if (!algorithms<T>().svd(m, n, a, s, u, vh, memory, run.how)) return false;
    store_matrix(s, k, 1, x[1]);
    if (!vectors) return true;
    if (rows > k) complete(m, u, scratch, run);
    store_matrix(u, m, rows, x[2]);
    store_right(vh, x[3], scratch, run);
    return true;
  }

 private:
  bool store_theirs(const real_of<T> *s, const T *u, const T *vh, const MatrixOfCall &x) const noexcept {
    store_matrix(s, k, 1, x[1]);
    if (vectors) store_matrix(u, m, rows, x[2]), store_matrix(vh, columns, n, x[3]);
    return true;
  }

  // Makes a square matrix of k orthonormal columns.
  void complete(int64_t size, T *basis, char *scratch, const Runner &run) const noexcept {
    algorithms<T>().complete_basis(size, k, basis, reinterpret_cast<T *>(scratch + basis_at), run.how);
  }

  void store_right(const T *vh, const MatrixPlace &to, char *scratch, const Runner &run) const noexcept {
    if (columns == k) return store_matrix(vh, k, n, to);
    T *const v = reinterpret_cast<T *>(scratch + v_at);
    for (int64_t i = 0; i < k; i++) {
      for (int64_t j = 0; j < n; j++) v[j + i * n] = gpo::linalg::conj(vh[i + j * k]);
    }
    complete(n, v, scratch, run);
    transpose_in_place(true, n, v);
    store_matrix(v, n, n, to);
  }
};

template <class T>
void run_spectral_of(const gpuopt_call &call) {
  switch (call.kind) {
    case GPUOPT_CALL_EIGH:
      return run_stack(call, HermitianJob<T>(call));
    case GPUOPT_CALL_EIG:
      return run_stack(call, GeneralJob<T>(call));
    default:
      return run_stack(call, SvdJob<T>(call));
  }
}

}  // namespace

void run_spectral(const gpuopt_call &call) {
  with_element_type(call.tensors[0].dtype, [&](auto type) { run_spectral_of<decltype(type)>(call); });
}

}  // namespace gpuopt::cpu

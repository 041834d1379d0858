// plugins/cpu/linalg/factorizations.cpp -- Cholesky, QR and LU factors, and determinants.
#include "plugins/cpu/linalg/factorizations.h"

#include <cstring>

#include "plugins/cpu/linalg/stack.h"
#include "plugins/shared/linalg/cholesky.h"
#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/lu.h"

namespace gpuopt::cpu {
namespace {

using namespace gpo::linalg;

double cubes(int64_t m, int64_t n, int64_t k) noexcept {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

template <class T>
struct CholeskyJob {
  int64_t n, bytes;
  double work;
  bool upper;

  explicit CholeskyJob(const gpuopt_call &call)
      : n(rows_of(call, 0)), bytes(n * n * int64_t{sizeof(T)}), work(cubes(n, n, n) / 3), upper(call.ints[1] != 0) {}

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch);
    load_matrix(x[0], n, n, a);
    if (upper) transpose_in_place(true, n, a);
    const bool definite = by_either(
        run, [=, this](const Lapack &library) { return lapack_cholesky(library, n, a); },
        [&] { return algorithms<T>().factorize_cholesky(n, a, run.how); });
    if (!definite) return false;
    if (upper) transpose_in_place(true, n, a);
    store_matrix(a, n, n, x[1]);
    return true;
  }
};

template <class T>
struct QrJob {
  int64_t m, n, k, columns, kept, bytes, tau_at, q_at, kept_at, work_at;  // `columns` of q; 0: r alone
  int32_t r;
  double work;

  explicit QrJob(const gpuopt_call &call)
      : m(rows_of(call, 0)),
        n(columns_of(call, 0)),
        k(std::min(m, n)),
        columns(call.ntensors == 3 ? columns_of(call, 1) : 0),
        kept(columns ? kept_reflections(m, n) : 0),
        r(call.ntensors - 1),
        work(2 * cubes(m, n, k) + 2 * cubes(m, columns, k)) {
    Layout layout;
    layout.add<T>(m * n);
    tau_at = layout.add<T>(k);
    q_at = layout.add<T>(m * columns);
    kept_at = layout.add<T>(kept_work(kept));
    work_at = layout.add<T>(std::max(qr_work<T>(m, n), form_q_work<T>(m, columns)));
    bytes = layout.bytes();
  }

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch), *const tau = reinterpret_cast<T *>(scratch + tau_at);
    T *const q = reinterpret_cast<T *>(scratch + q_at), *const memory = reinterpret_cast<T *>(scratch + work_at);
    KeptTriangles<T> triangles = {reinterpret_cast<T *>(scratch + kept_at), 0};
    load_matrix(x[0], m, n, a);
    by_either(
        run, [=, this](const Lapack &library) { return lapack_qr(library, m, n, a, tau); },
        [&] {
          triangles.count = kept;
          return algorithms<T>().factorize_qr(m, n, a, tau, memory, run.how, triangles), true;
        });
    if (columns) {
      by_either(
          run,
          [=, this](const Lapack &library) {
            std::copy(a, a + m * k, q);
            return lapack_form_q(library, m, columns, k, q, tau);
          },
          [&] { return algorithms<T>().form_q(m, columns, k, a, tau, q, memory, run.how, triangles), true; });
      store_matrix(q, m, columns, x[1]);
    }
    const int64_t rows = columns > k ? m : k;
    const MatrixPlace to = x[r];
    store_matrix(a, m, rows, n, to);
    for_tiles(rows, k, [=, this](int64_t first, int64_t end) {
      for (int64_t i = first; i < end; i++) {
        for (int64_t j = 0; j < std::min(i, n); j++) to.at<T>(i, j) = number<T>(0);
      }
    });
    return true;
  }
};

template <class T>
void factorize(const Runner &run, int64_t m, int64_t n, T *a, int64_t *pivots) noexcept {
  by_either(
      run, [=](const Lapack &library) { return lapack_lu(library, m, n, a, pivots); },
      [&] { return algorithms<T>().factorize_lu(m, n, a, pivots, run.how), true; });
}

template <class T>
struct LuJob {
  int64_t m, n, k, bytes, pivots_at, order_at;
  double work;

  explicit LuJob(const gpuopt_call &call)
      : m(rows_of(call, 0)), n(columns_of(call, 0)), k(std::min(m, n)), work(cubes(m, n, k)) {
    Layout layout;
    layout.add<T>(m * n);
    pivots_at = layout.add<int64_t>(k);
    order_at = layout.add<int64_t>(m);
    bytes = layout.bytes();
  }

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch);
    int64_t *const pivots = reinterpret_cast<int64_t *>(scratch + pivots_at);
    int64_t *const order = reinterpret_cast<int64_t *>(scratch + order_at);
    load_matrix(x[0], m, n, a);
    factorize(run, m, n, a, pivots);
    for (int64_t i = 0; i < m; i++) order[i] = i;
    for (int64_t i = 0; i < k; i++) std::swap(order[i], order[pivots[i]]);
    store_matrix(a, m, n, x[1]);
    store_matrix(pivots, k, 1, x[2]);
    store_matrix(order, m, 1, x[3]);
    return true;
  }
};

template <class T>
struct DetJob {
  int64_t n, bytes, pivots_at;
  double work;

  explicit DetJob(const gpuopt_call &call) : n(rows_of(call, 0)), work(cubes(n, n, n)) {
    Layout layout;
    layout.add<T>(n * n);
    pivots_at = layout.add<int64_t>(n);
    bytes = layout.bytes();
  }

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch);
    int64_t *const pivots = reinterpret_cast<int64_t *>(scratch + pivots_at);
    load_matrix(x[0], n, n, a);
    factorize(run, n, n, a, pivots);
    x[1].at<T>(0, 0) = determinant(n, a, pivots);
    return true;
  }
};

template <class T>
void run_factorization_of(const gpuopt_call &call) {
  switch (call.kind) {
    case GPUOPT_CALL_CHOLESKY:
      return run_stack(call, CholeskyJob<T>(call));
    case GPUOPT_CALL_QR:
      return run_stack(call, QrJob<T>(call));
    case GPUOPT_CALL_LU:
      return run_stack(call, LuJob<T>(call));
    default:
      return run_stack(call, DetJob<T>(call));
  }
}

}  // namespace

void run_factorization(const gpuopt_call &call) {
  with_element_type(call.tensors[0].dtype, [&](auto type) { run_factorization_of<decltype(type)>(call); });
}

}  // namespace gpuopt::cpu

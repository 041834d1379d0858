// plugins/cpu/linalg/solve.cpp -- systems of equations: with any square matrix, with one that has been factorized, and
// with a triangular one.
#include "plugins/cpu/linalg/solve.h"

#include "plugins/cpu/linalg/stack.h"
#include "plugins/shared/linalg/lu.h"

namespace gpuopt::cpu {
namespace {

using namespace gpo::linalg;

// How the matrix of a call is transposed; 1 is transposed without conjugating.
constexpr int64_t kNotTransposed = 0, kConjugate = 2;

// What the three kinds have in common: a matrix a of n rows and columns, and p columns of right sides, with the number
// of the tensor that has them; the solution is the tensor behind it.
template <class T>
struct Sides {
  int64_t n, p, bytes, pivots_at, b_at;
  int32_t b;
  double work;

  Sides(const gpuopt_call &call, int32_t at, double divisor) : n(rows_of(call, 0)), p(columns_of(call, at)), b(at) {
    const double rows = static_cast<double>(n);
    work = rows * rows * (rows / divisor + static_cast<double>(p));
    Layout layout;
    layout.add<T>(n * n);
    pivots_at = layout.add<int64_t>(n);
    b_at = layout.add<T>(n * p);
    bytes = layout.bytes();
  }

  // Solves by `solve`, which replaces the right sides by the solutions, and returns whether there are any.
  template <class Solve>
  bool with_sides(const MatrixOfCall &x, char *scratch, const Solve &solve) const noexcept {
    T *const sides = reinterpret_cast<T *>(scratch + b_at);
    load_matrix(x[b], n, p, sides);
    if (!solve(view_of(sides, n, p))) return false;
    store_matrix(sides, n, p, x[b + 1]);
    return true;
  }
};

template <class T>
struct SolveJob : Sides<T> {
  explicit SolveJob(const gpuopt_call &call) : Sides<T>(call, 1, 1.5) {}

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    const int64_t rows = this->n;
    T *const a = reinterpret_cast<T *>(scratch);
    int64_t *const pivots = reinterpret_cast<int64_t *>(scratch + this->pivots_at);
    load_matrix(x[0], rows, rows, a);
    const View<T> matrix = view_of(a, rows, rows);
    return this->with_sides(x, scratch, [&](const View<T> &sides) {
      return by_either(
          run, [&](const Lapack &library) { return lapack_solve(library, rows, a, sides.columns, sides.data); },
          [&] {
            algorithms<T>().factorize_lu(rows, rows, a, pivots, run.how);
            if (!is_regular(Triangle<T>{matrix, false, false})) return false;
            algorithms<T>().solve_lu(matrix, pivots, sides, run.how);
            return true;
          });
    });
  }
};

// Solves (p l u)^T x = b, of which `a` is the transpose of what factorize_lu() made.
template <class T>
void solve_transposed_lu(const View<T> &a, const int64_t *pivots, const View<T> &b, const Runner &run) noexcept {
  algorithms<T>().solve_triangle(Triangle<T>{a, true, false}, b, run.how);
  algorithms<T>().solve_triangle(Triangle<T>{a, false, true}, b, run.how);
  for (int64_t j = 0; j < b.columns; j++) {
    for (int64_t k = b.rows; k-- > 0;) exchange(b.at(k, j), b.at(pivots[k], j));
  }
}

template <class T>
struct SolveLuJob : Sides<T> {
  int64_t trans;
  explicit SolveLuJob(const gpuopt_call &call) : Sides<T>(call, 2, 1e30), trans(call.ints[1]) {}

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    const int64_t rows = this->n;
    T *const a = reinterpret_cast<T *>(scratch);
    int64_t *const pivots = reinterpret_cast<int64_t *>(scratch + this->pivots_at);
    load_matrix(x[0], rows, rows, a);
    load_matrix(x[1], rows, 1, pivots);
    if (!is_regular(Triangle<T>{view_of(a, rows, rows), false, false})) return false;
    const View<T> matrix = view_of(a, rows, rows);
    if (trans != kNotTransposed) transpose_in_place(trans == kConjugate, rows, a);
    return this->with_sides(x, scratch, [&](const View<T> &sides) {
      trans == kNotTransposed ? algorithms<T>().solve_lu(matrix, pivots, sides, run.how)
                              : solve_transposed_lu(matrix, pivots, sides, run);
      return true;
    });
  }
};

template <class T>
struct SolveTriangularJob : Sides<T> {
  bool lower, unit_diagonal;
  int64_t trans;
  explicit SolveTriangularJob(const gpuopt_call &call)
      : Sides<T>(call, 1, 1e30), lower(call.ints[1] != 0), unit_diagonal(call.ints[2] != 0), trans(call.ints[3]) {}

  bool operator()(const MatrixOfCall &x, char *scratch, const Runner &run) const noexcept {
    T *const a = reinterpret_cast<T *>(scratch);
    load_matrix(x[0], this->n, this->n, a);
    if (trans != kNotTransposed) transpose_in_place(trans == kConjugate, this->n, a);
    const Triangle<T> triangle = {view_of(a, this->n, this->n), lower != (trans != kNotTransposed), unit_diagonal};
    if (!is_regular(triangle)) return false;
    return this->with_sides(x, scratch, [&](const View<T> &sides) {
      return algorithms<T>().solve_triangle(triangle, sides, run.how), true;
    });
  }
};

// Throws ERR_INDEX if a pivot is no row.
void check_pivots(const gpuopt_call &call) {
  const gpuopt_tensor &pivots = call.tensors[1];
  const int64_t n = pivots.shape[pivots.ndim - 1], vectors = n ? size_of(pivots) / n : 0;
  for (int64_t index = 0; index < vectors; index++) {
    const MatrixPlace place = MatrixOfCall(call, index)[1];
    for (int64_t i = 0; i < n; i++) {
      const int64_t row = place.at<int64_t>(i, 0);
      if (row < 0 || row >= n)
        fail(GPUOPT_ERR_INDEX, "pivot %lld is out of bounds for %lld rows", static_cast<long long>(row),
             static_cast<long long>(n));
    }
  }
}

template <class T>
void run_solve_of(const gpuopt_call &call) {
  switch (call.kind) {
    case GPUOPT_CALL_SOLVE:
      return run_stack(call, SolveJob<T>(call));
    case GPUOPT_CALL_SOLVE_LU:
      return run_stack(call, SolveLuJob<T>(call));
    default:
      return run_stack(call, SolveTriangularJob<T>(call));
  }
}

}  // namespace

void run_solve(const gpuopt_call &call) {
  if (call.kind == GPUOPT_CALL_SOLVE_LU) check_pivots(call);
  with_element_type(call.tensors[0].dtype, [&](auto type) { run_solve_of<decltype(type)>(call); });
}

}  // namespace gpuopt::cpu

// tests/unit/cpu_lapack_posix_test.cpp -- decompositions by a LAPACK (GPUOPT_LINALG=fast), by what they promise; and
// which library is chosen. Each choice in a child process, as it is made once per process.
//
// POSIX only: each choice needs a forked process, and Debian has no LAPACK for Windows
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/linalg/lapack.h"
#include "plugins/cpu/linalg/linalg.h"
#include "plugins/shared/host/tensor.h"
#include "tests/unit/call_array.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/dense_matrix.h"

namespace gpuopt::cpu {
namespace {

using namespace test::dense;
using test::Array;
using test::Call;
using test::TestHost;

// Runs in a child with GPUOPT_LINALG=fast; whatever `check` says of a failure is on standard error.
bool holds_in_child(const std::function<bool()> &check) {
  const pid_t child = fork();
  if (child == 0) {
    TestHost::install();
    TestHost::set("GPUOPT_LINALG", "fast");
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

// Runs a call whose first integer is the first matrix without an answer; returns that.
int64_t run(int32_t kind, std::vector<gpuopt_tensor> tensors, std::vector<int64_t> others = {}) {
  others.insert(others.begin(), 0);
  const Call call(kind, std::move(tensors), std::move(others));
  run_linalg(*call);
  return (*call).ints[0];
}

constexpr int64_t kSize = 120;  // whose decompositions are large

bool factorizes(int32_t dtype) {
  const Dense a = some_matrix(dtype, kSize, kSize), h = some_matrix(dtype, kSize, kSize, true);
  Array x = a.array(dtype), positive = h.array(dtype), l(dtype, {kSize, kSize});
  bool right = run(GPUOPT_CALL_CHOLESKY, {positive.tensor(), l.tensor()}, {0}) == -1;
  const Dense lower = Dense::of(l, dtype);
  right = is_near("cholesky", dtype, lower * adjoint(lower), h) && right;
  for (int64_t j = 1; j < kSize; j++) right = right && lower.at(0, j) == 0.0;
  Array pivots(GPUOPT_INT64, {kSize}), order(GPUOPT_INT64, {kSize}), lu(dtype, {kSize, kSize});
  right = run(GPUOPT_CALL_LU, {x.tensor(), lu.tensor(), pivots.tensor(), order.tensor()}) == -1 && right;
  const Dense both = Dense::of(lu, dtype);
  Dense unit = identity(kSize), upper(kSize, kSize), permuted(kSize, kSize);
  for (int64_t i = 0; i < kSize; i++) {
    for (int64_t j = 0; j < kSize; j++) {
      (i > j ? unit : upper).at(i, j) = both.at(i, j);
      permuted.at(i, j) = a.at(order.get<int64_t>(i), j);
    }
  }
  right = is_near("lu", dtype, unit * upper, permuted) && right;
  Array sides = some_matrix(dtype, kSize, 7).array(dtype), solution(dtype, {kSize, 7});
  right = run(GPUOPT_CALL_SOLVE, {x.tensor(), sides.tensor(), solution.tensor()}) == -1 && right;
  Dense given = Dense::of(sides, dtype), made = a * Dense::of(solution, dtype);
  for (Complex &element : made.x) element /= 100;  // the matrix is not well-conditioned
  for (Complex &element : given.x) element /= 100;
  return is_near("solve", dtype, made, given) && right;
}

bool makes_bases(int32_t dtype, int64_t m, int64_t n, bool full) {
  const int64_t k = std::min(m, n), rows = full ? m : k;
  const Dense a = some_matrix(dtype, m, n);
  Array x = a.array(dtype), q(dtype, {m, rows}), r(dtype, {rows, n});
  bool right = run(GPUOPT_CALL_QR, {x.tensor(), q.tensor(), r.tensor()}) == -1;
  const Dense basis = Dense::of(q, dtype);
  right = is_near("q r", dtype, basis * Dense::of(r, dtype), a) && right;
  right = is_near("q", dtype, adjoint(basis) * basis, identity(rows)) && right;
  const int64_t columns = full ? n : k;
  Array s(real_of(dtype), {k}), u(dtype, {m, rows}), vh(dtype, {columns, n}), alone(real_of(dtype), {k});
  right = run(GPUOPT_CALL_SVD, {x.tensor(), s.tensor(), u.tensor(), vh.tensor()}) == -1 && right;
  right = run(GPUOPT_CALL_SVD, {x.tensor(), alone.tensor()}) == -1 && right;
  const Dense left = Dense::of(u, dtype), other = Dense::of(vh, dtype), values = Dense::of(s, real_of(dtype));
  right = is_near("svd", dtype, left * diagonal(values, rows, columns) * other, a) && right;
  right = is_near("singular values", dtype, Dense::of(alone, real_of(dtype)), values) && right;
  right = is_near("u", dtype, adjoint(left) * left, identity(rows)) && right;
  return is_near("vh", dtype, other * adjoint(other), identity(columns)) && right;
}

bool finds_eigenvalues(int32_t dtype) {
  const Dense a = some_matrix(dtype, kSize, kSize), h = some_matrix(dtype, kSize, kSize, true);
  Array x = a.array(dtype), y = h.array(dtype), w(real_of(dtype), {kSize}), v(dtype, {kSize, kSize});
  bool right = run(GPUOPT_CALL_EIGH, {y.tensor(), w.tensor(), v.tensor()}, {0}) == -1;
  const Dense values = Dense::of(w, real_of(dtype)), vectors = Dense::of(v, dtype);
  right = is_near("eigh", dtype, h * vectors, vectors * diagonal(values, kSize, kSize)) && right;
  right = is_near("its vectors", dtype, adjoint(vectors) * vectors, identity(kSize)) && right;
  for (int64_t i = 1; i < kSize; i++) right = right && values.at(i - 1, 0).real() <= values.at(i, 0).real();
  const int32_t wide = complex_of(dtype);
  Array z(wide, {kSize}), p(wide, {kSize, kSize});
  right = run(GPUOPT_CALL_EIG, {x.tensor(), z.tensor(), p.tensor()}) == -1 && right;
  const Dense general = Dense::of(p, wide);
  return is_near("eig", dtype, a * general, general * diagonal(Dense::of(z, wide), kSize, kSize)) && right;
}

bool decomposes() {
  bool right = true;
  for (const int32_t dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    right = factorizes(dtype) && right;
    for (const bool full : {false, true})
      right = makes_bases(dtype, 160, 90, full) && makes_bases(dtype, 90, 160, full) && right;
    right = finds_eigenvalues(dtype) && right;
  }
  return right;
}

TEST(LapackTest, DecompositionsAreRight) {
  EXPECT_TRUE(holds_in_child([] {
    const bool right = decomposes();
    return right && TestHost::get().logged("cpu.lapack");
  }));
}

TEST(LapackTest, WithoutOneTheOwnAlgorithmsServe) {
  EXPECT_TRUE(holds_in_child([] {
    TestHost::set("GPUOPT_BLAS", "none");
    const bool right = decomposes();
    int lines = 0;
    for (const test::LogLine &line : TestHost::get().lines) lines += line.event == "cpu.lapack";
    return right && lines == 1 && !lapack();
  }));
}

TEST(LapackTest, ExactOnesLookForNone) {
  EXPECT_TRUE(holds_in_child([] {
    TestHost::set("GPUOPT_LINALG", "exact");
    return factorizes(GPUOPT_FLOAT64) && !TestHost::get().logged("cpu.lapack");
  }));
}

// Zeros have no Cholesky factor and no inverse, and NaN no eigenvalues.
TEST(LapackTest, MatricesWithoutAnAnswerAreNamed) {
  EXPECT_TRUE(holds_in_child([] {
    const int32_t dtype = GPUOPT_FLOAT64;
    Array zeros = Dense(kSize, kSize).array(dtype), out(dtype, {kSize, kSize}), w(dtype, {kSize}),
          z(GPUOPT_COMPLEX128, {kSize});
    bool named = run(GPUOPT_CALL_CHOLESKY, {zeros.tensor(), out.tensor()}, {0}) == 0;
    named = run(GPUOPT_CALL_SOLVE, {zeros.tensor(), zeros.tensor(), out.tensor()}) == 0 && named;
    zeros.set<double>(5, NAN);
    named = run(GPUOPT_CALL_EIG, {zeros.tensor(), z.tensor()}) == 0 && named;
    named = run(GPUOPT_CALL_SVD, {zeros.tensor(), w.tensor()}) == 0 && named;
    return named;
  }));
}

}  // namespace
}  // namespace gpuopt::cpu

// tests/cuda/fast_linalg_test.cpp -- decompositions by a fake cuSOLVER (GPUOPT_LINALG=fast), by what they promise:
// every kind and dtype, stacks, layouts, matrices without an answer, a fault in any call of the driver and of cuSOLVER;
// and what becomes of the same calls without it.
#include "plugins/cuda/vendor/cusolver.h"
#include "tests/cuda/library_support.h"
#include "tests/unit/dense_matrix.h"

namespace gpuopt::cuda {
namespace {

using namespace test::dense;
using test::Array;
using test::Layout;
using test::Shape;

constexpr int64_t kSize = 130;     // more rows than our own kernels take of few matrices
constexpr int64_t kSpectral = 66;  // cuSOLVER's eigenvalues begin there
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

class FastLinalg : public LibraryTest {
 protected:
  std::vector<int64_t> ints;

  void SetUp() override {
    LibraryTest::SetUp();
    test::TestHost::set("GPUOPT_LINALG", "fast");
  }
  void TearDown() override {
    for (const char *const name :
         {"FAKE_CUSOLVER_FAIL", "FAKE_CUSOLVER_STATUS", "FAKE_CUSOLVER_INFO", "FAKE_CUSOLVER_MAJOR"})
      unsetenv(name);
    test::TestHost::set("GPUOPT_LINALG", "exact");
    LibraryTest::TearDown();
    EXPECT_EQ(handles(), 0);
  }

  // What the fake has not been told to destroy.
  static int handles() {
    void *const library = dlopen(std::getenv("GPUOPT_CUSOLVER"), RTLD_NOW | RTLD_NOLOAD);
    return library ? reinterpret_cast<int (*)()>(dlsym(library, "fake_cusolver_handles"))() : 0;
  }

  gpuopt_status attempt(int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> more = {}) {
    ints = std::move(more);
    ints.insert(ints.begin(), 77);
    return run<&slots::linalg>(kind, arrays, ints, &error);
  }
  void call(int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> more = {}) {
    ASSERT_EQ(attempt(kind, arrays, std::move(more)), GPUOPT_OK) << error.message;
    ASSERT_EQ(ints[0], -1);
  }
  // cuSOLVER is told to refuse everything.
  bool uses_cusolver(int32_t kind, const std::vector<Array *> &arrays, const std::vector<int64_t> &more = {}) {
    setenv("FAKE_CUSOLVER_FAIL", "cusolverDnSetStream", 1);
    const gpuopt_status status = attempt(kind, arrays, more);
    unsetenv("FAKE_CUSOLVER_FAIL");
    return status == GPUOPT_ERR_INTERNAL && std::string(error.message).find("cuSOLVER") != std::string::npos;
  }

  // ---- Each checks a stack of two matrices, which differ

  static Dense given(int32_t dtype, int64_t m, int64_t n, int64_t number, bool hermitian = false) {
    Dense a = some_matrix(dtype, m, n, hermitian);
    for (int64_t i = 0; i < std::min(m, n); i++) a.at(i, (i + (hermitian ? 0 : 1)) % n) += 3.0 * double(number);
    return a;
  }
  static Array stack_of(int32_t dtype, int64_t m, int64_t n, Layout layout, bool hermitian = false) {
    Array to(dtype, {2, m, n}, layout);
    for (int64_t number = 0; number < 2; number++) given(dtype, m, n, number, hermitian).put(to, dtype, number);
    return to;
  }

  void check_cholesky(int32_t dtype, bool upper, Layout layout) {
    Array x = stack_of(dtype, kSize, kSize, layout, true), out(dtype, x.shape(), layout);
    for (int64_t number = 0; number < 2; number++) {  // the other triangle does not count, nor do imaginary parts
      for (int64_t i = 0; i < kSize; i++) {
        const int64_t at = (number * kSize + i) * kSize;
        if (i) set_element(x, dtype, upper ? at : at - i * kSize + i, kNan);
        set_element(x, dtype, at + i, element_of(x, dtype, at + i) + Complex(0, is_complex(dtype) ? 5 : 0));
      }
    }
    call(GPUOPT_CALL_CHOLESKY, {&x, &out}, {upper});
    for (int64_t number = 0; number < 2; number++) {
      Dense l = Dense::of(out, dtype, kSize, kSize, number);
      if (upper) l = adjoint(l);
      for (int64_t j = 1; j < kSize; j++) EXPECT_EQ(l.at(0, j), 0.0);
      Dense h = given(dtype, kSize, kSize, number, true);
      for (int64_t i = 0; i < kSize; i++) h.at(i, i) = h.at(i, i).real();
      EXPECT_TRUE(is_near("cholesky", dtype, l * adjoint(l), h));
    }
  }

  void check_lu(int32_t dtype, int64_t m, int64_t n, Layout layout) {
    const int64_t k = std::min(m, n);
    Array x = stack_of(dtype, m, n, layout), lu(dtype, x.shape(), layout);
    Array pivots(GPUOPT_INT64, {2, k}, layout), order(GPUOPT_INT64, {2, m}, layout);
    call(GPUOPT_CALL_LU, {&x, &lu, &pivots, &order});
    for (int64_t number = 0; number < 2; number++) {
      const Dense a = given(dtype, m, n, number), both = Dense::of(lu, dtype, m, n, number);
      Dense l(m, k), u(k, n), permuted(m, n);
      std::vector<int64_t> rows(static_cast<size_t>(m));
      std::iota(rows.begin(), rows.end(), 0);
      for (int64_t i = 0; i < k; i++)
        std::swap(rows[static_cast<size_t>(i)], rows.at(static_cast<size_t>(pivots.get<int64_t>(number * k + i))));
      for (int64_t i = 0; i < m; i++) {
        EXPECT_EQ(order.get<int64_t>(number * m + i), rows[static_cast<size_t>(i)]);
        if (i < k) l.at(i, i) = 1;
        for (int64_t j = 0; j < n; j++) {
          permuted.at(i, j) = a.at(rows[static_cast<size_t>(i)], j);
          (i > j ? l.at(i, j) : u.at(i, j)) = both.at(i, j);
        }
      }
      EXPECT_TRUE(is_near("lu", dtype, l * u, permuted));
    }
  }

  // Row i has a power of 2 in column (i + 1) % n and nothing else: the determinant is exact.
  void check_det(int32_t dtype) {
    Array x(dtype, {2, kSize, kSize}), out(dtype, {2});
    std::vector<Complex> expected;
    for (int64_t number = 0; number < 2; number++) {
      Dense a(kSize, kSize);
      Complex det = kSize % 2 ? 1 : -1;  // a cycle of all rows
      for (int64_t i = 0; i < kSize; i++) {
        Complex factor = i % 3 == number ? 2 : i % 3 == 2 ? 0.5 : 1;
        if (i % 5 == 1) factor *= is_complex(dtype) ? Complex(0, 1) : Complex(-1);
        a.at(i, (i + 1) % kSize) = factor;
        det *= factor;
      }
      a.put(x, dtype, number);
      expected.push_back(det);
    }
    call(GPUOPT_CALL_DET, {&x, &out});
    for (int64_t number = 0; number < 2; number++)
      EXPECT_EQ(element_of(out, dtype, number), expected[static_cast<size_t>(number)]) << dtype;
  }

  // The matrix has a large element in each row and column, so that its condition is good.
  static Dense regular(int32_t dtype, int64_t number) {
    Dense a = given(dtype, kSize, kSize, number);
    for (int64_t i = 0; i < kSize; i++) a.at(i, (i + 7) % kSize) += 4.0 * kSize;
    return a;
  }
  void check_solve(int32_t dtype, Layout layout) {
    Array x(dtype, {2, kSize, kSize}, layout), b = stack_of(dtype, kSize, 3, layout), out(dtype, b.shape(), layout);
    for (int64_t number = 0; number < 2; number++) regular(dtype, number).put(x, dtype, number);
    call(GPUOPT_CALL_SOLVE, {&x, &b, &out});
    for (int64_t number = 0; number < 2; number++) {
      const Dense solution = Dense::of(out, dtype, kSize, 3, number);
      EXPECT_TRUE(is_near("solve", dtype, regular(dtype, number) * solution, given(dtype, kSize, 3, number)));
    }
  }
  void check_solve_lu(int32_t dtype, Layout layout) {
    Array x(dtype, {2, kSize, kSize}, layout), lu(dtype, x.shape(), layout);
    Array pivots(GPUOPT_INT64, {2, kSize}, layout), order = pivots;
    Array b = stack_of(dtype, kSize, 3, layout), out(dtype, b.shape(), layout);
    for (int64_t number = 0; number < 2; number++) regular(dtype, number).put(x, dtype, number);
    call(GPUOPT_CALL_LU, {&x, &lu, &pivots, &order});
    for (int64_t trans = 0; trans < 3; trans++) {
      call(GPUOPT_CALL_SOLVE_LU, {&lu, &pivots, &b, &out}, {trans});
      for (int64_t number = 0; number < 2; number++) {
        Dense a = regular(dtype, number);
        if (trans) a = adjoint(a);
        for (Complex &element : a.x) element = trans == 1 ? std::conj(element) : element;
        const Dense solution = Dense::of(out, dtype, kSize, 3, number);
        EXPECT_TRUE(is_near("solve_lu", dtype, a * solution, given(dtype, kSize, 3, number))) << trans;
      }
    }
  }

  // `columns` of q; 0: r alone.
  void check_qr(int32_t dtype, int64_t m, int64_t n, int64_t columns, Layout layout) {
    const int64_t k = std::min(m, n), rows = columns > k ? m : k;
    Array x = stack_of(dtype, m, n, layout), q(dtype, {2, m, columns}, layout), r(dtype, {2, rows, n}, layout);
    call(GPUOPT_CALL_QR, columns ? std::vector<Array *>{&x, &q, &r} : std::vector<Array *>{&x, &r});
    for (int64_t number = 0; number < 2; number++) {
      const Dense a = given(dtype, m, n, number), right = Dense::of(r, dtype, rows, n, number);
      for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < std::min(i, n); j++) EXPECT_EQ(right.at(i, j), 0.0);
      if (columns) {
        const Dense basis = Dense::of(q, dtype, m, columns, number);
        EXPECT_TRUE(is_near("q r", dtype, basis * right, a));
        EXPECT_TRUE(is_near("q", dtype, adjoint(basis) * basis, identity(columns)));
      } else {
        EXPECT_TRUE(is_near("r", dtype, adjoint(right) * right, adjoint(a) * a));
      }
    }
  }

  void check_eigh(int32_t dtype, bool upper, Layout layout) {
    const int64_t n = kSpectral;
    const int32_t real = real_of(dtype);
    Array x = stack_of(dtype, n, n, layout, true), w(real, {2, n}, layout), v(dtype, x.shape(), layout), alone = w;
    for (int64_t number = 0; number < 2; number++) {  // the other triangle does not count
      for (int64_t i = 1; i < n; i++) set_element(x, dtype, number * n * n + (upper ? i * n : i), kNan);
    }
    call(GPUOPT_CALL_EIGH, {&x, &w, &v}, {upper});
    call(GPUOPT_CALL_EIGH, {&x, &alone}, {upper});
    for (int64_t number = 0; number < 2; number++) {
      Dense h = given(dtype, n, n, number, true);
      for (int64_t i = 0; i < n; i++) h.at(i, i) = h.at(i, i).real();
      const Dense values = Dense::of(w, real, n, 1, number), vectors = Dense::of(v, dtype, n, n, number);
      EXPECT_TRUE(is_near("eigh", dtype, h * vectors, vectors * diagonal(values, n, n)));
      EXPECT_TRUE(is_near("its vectors", dtype, adjoint(vectors) * vectors, identity(n)));
      EXPECT_TRUE(is_near("eigvalsh", dtype, Dense::of(alone, real, n, 1, number), values));
      for (int64_t j = 0; j < n; j++) {
        expect_turned(vectors, j);
        EXPECT_LE(values.at(std::max<int64_t>(j - 1, 0), 0).real(), values.at(j, 0).real());
      }
    }
  }
  // The first of the components that are nearly the greatest is real and positive.
  static void expect_turned(const Dense &vectors, int64_t j) {
    double most = 0;
    for (int64_t i = 0; i < vectors.m; i++) most = std::max(most, std::abs(vectors.at(i, j)));
    for (int64_t i = 0; i < vectors.m; i++) {
      if (std::abs(vectors.at(i, j)) < most * (1 - 1.0 / 1024)) continue;
      EXPECT_GT(vectors.at(i, j).real(), 0) << j;
      EXPECT_EQ(vectors.at(i, j).imag(), 0) << j;
      return;
    }
  }

  void check_svd(int32_t dtype, int64_t m, int64_t n, bool full, Layout layout) {
    const int64_t k = std::min(m, n), rows = full ? m : k, columns = full ? n : k;
    const int32_t real = real_of(dtype);
    Array x = stack_of(dtype, m, n, layout), s(real, {2, k}, layout), alone = s;
    Array u(dtype, {2, m, rows}, layout), vh(dtype, {2, columns, n}, layout);
    call(GPUOPT_CALL_SVD, {&x, &s, &u, &vh});
    call(GPUOPT_CALL_SVD, {&x, &alone});
    for (int64_t number = 0; number < 2; number++) {
      const Dense left = Dense::of(u, dtype, m, rows, number), right = Dense::of(vh, dtype, columns, n, number);
      const Dense values = Dense::of(s, real, k, 1, number);
      const Dense made = left * diagonal(values, rows, columns) * right;
      EXPECT_TRUE(is_near("svd", dtype, made, given(dtype, m, n, number)));
      EXPECT_TRUE(is_near("u", dtype, adjoint(left) * left, identity(rows)));
      EXPECT_TRUE(is_near("vh", dtype, right * adjoint(right), identity(columns)));
      EXPECT_TRUE(is_near("svdvals", dtype, Dense::of(alone, real, k, 1, number), values));
      for (int64_t i = 1; i < k; i++) EXPECT_GE(values.at(i - 1, 0).real(), values.at(i, 0).real());
    }
  }
};

// ---- What is computed

constexpr int32_t kTypes[] = {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128};

TEST_F(FastLinalg, Cholesky) {
  for (const int32_t dtype : kTypes) check_cholesky(dtype, dtype % 2 == 0, Layout::kC);
  for (const Layout layout : test::kWritableLayouts)
    check_cholesky(GPUOPT_COMPLEX64, layout == Layout::kFortran, layout);
}

TEST_F(FastLinalg, FactorsAndSystems) {
  for (const int32_t dtype : {GPUOPT_FLOAT64, GPUOPT_COMPLEX64}) {
    check_lu(dtype, kSize, kSize, Layout::kC);
    check_det(dtype);
    check_solve(dtype, Layout::kC);
    check_solve_lu(dtype, Layout::kC);
  }
  check_lu(GPUOPT_FLOAT32, kSize, 40, Layout::kC);
  check_lu(GPUOPT_COMPLEX128, 40, kSize, Layout::kC);
  check_solve(GPUOPT_FLOAT32, Layout::kC);
  check_solve(GPUOPT_COMPLEX128, Layout::kC);
  for (const Layout layout : test::kWritableLayouts) {
    check_lu(GPUOPT_COMPLEX64, kSize, 40, layout);
    check_solve(GPUOPT_COMPLEX64, layout);
  }
  check_solve(GPUOPT_COMPLEX64, Layout::kOffAlignment);
  check_solve_lu(GPUOPT_COMPLEX64, Layout::kShuffled);
}

TEST_F(FastLinalg, Qr) {
  for (const int32_t dtype : kTypes) check_qr(dtype, kSize, 40, dtype % 2 ? kSize : 40, Layout::kC);
  for (const Layout layout : {Layout::kFortran, Layout::kReversed}) {
    for (const int64_t columns : {int64_t{0}, int64_t{40}}) check_qr(GPUOPT_COMPLEX64, 40, kSize, columns, layout);
    check_qr(GPUOPT_COMPLEX64, kSize, 40, kSize, layout);
    check_qr(GPUOPT_COMPLEX64, kSize, 40, 0, layout);
  }
}

TEST_F(FastLinalg, Eigenvalues) {
  for (const int32_t dtype : kTypes) check_eigh(dtype, dtype % 2 == 0, Layout::kC);
  for (const Layout layout : {Layout::kFortran, Layout::kShuffled})
    check_eigh(GPUOPT_COMPLEX64, layout == Layout::kFortran, layout);
}

TEST_F(FastLinalg, SingularValues) {
  for (const int32_t dtype : kTypes) {
    check_svd(dtype, 80, kSpectral, is_complex(dtype), Layout::kC);
    check_svd(dtype, kSpectral, 80, !is_complex(dtype), Layout::kC);
  }
  check_svd(GPUOPT_COMPLEX64, kSpectral, kSpectral, true, Layout::kC);
  check_svd(GPUOPT_COMPLEX64, kSpectral, 80, true, Layout::kFortran);
  check_svd(GPUOPT_COMPLEX64, 80, kSpectral, false, Layout::kReversed);
}

TEST_F(FastLinalg, ABroadcastMatrixIsReadAgain) {
  Array x(GPUOPT_FLOAT64, {2, kSize, kSize}), b = stack_of(GPUOPT_FLOAT64, kSize, 3, Layout::kC), out = b;
  regular(GPUOPT_FLOAT64, 0).put(x, GPUOPT_FLOAT64);
  const_cast<int64_t *>(x.tensor().strides)[0] = 0;
  call(GPUOPT_CALL_SOLVE, {&x, &b, &out});
  for (int64_t number = 0; number < 2; number++) {
    const Dense solution = Dense::of(out, GPUOPT_FLOAT64, kSize, 3, number);
    EXPECT_TRUE(is_near("solve", GPUOPT_FLOAT64, regular(GPUOPT_FLOAT64, 0) * solution,
                        given(GPUOPT_FLOAT64, kSize, 3, number)));
  }
}

// ---- Which calls go there

TEST_F(FastLinalg, OnlyWhatOurOwnKernelsDoNotCompute) {
  Array large(GPUOPT_FLOAT32, {kSize, kSize}), small(GPUOPT_FLOAT32, {128, 128}), many(GPUOPT_FLOAT32, {16, kSize, 2}),
      det(GPUOPT_FLOAT32, {}), r(GPUOPT_FLOAT32, {16, 2, 2}), w(GPUOPT_FLOAT32, {kSize}), none(GPUOPT_FLOAT32, {0});
  EXPECT_TRUE(uses_cusolver(GPUOPT_CALL_DET, {&large, &det}));
  EXPECT_FALSE(uses_cusolver(GPUOPT_CALL_DET, {&small, &det}));
  EXPECT_FALSE(uses_cusolver(GPUOPT_CALL_QR, {&many, &r}));
  EXPECT_TRUE(uses_cusolver(GPUOPT_CALL_EIGH, {&large, &w}, {0}));
  EXPECT_TRUE(uses_cusolver(GPUOPT_CALL_SVD, {&large, &w}));
  // Of no kind or size for cuSOLVER: the CPU does it.
  Array tiny(GPUOPT_FLOAT32, {63, 80}), s(GPUOPT_FLOAT32, {63}), empty(GPUOPT_FLOAT32, {kSize, 0}),
      q(GPUOPT_FLOAT32, {kSize, kSize}), nothing(GPUOPT_FLOAT32, {kSize, 0}), z(GPUOPT_COMPLEX64, {kSize}),
      no_stack(GPUOPT_FLOAT32, {0, kSize, kSize}), no_values(GPUOPT_FLOAT32, {0, kSize}), b = large, out = large;
  EXPECT_EQ(attempt(GPUOPT_CALL_SVD, {&tiny, &s}), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(attempt(GPUOPT_CALL_QR, {&empty, &q, &nothing}), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(attempt(GPUOPT_CALL_EIGH, {&no_stack, &no_values}, {0}), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(attempt(GPUOPT_CALL_EIG, {&large, &z}), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(attempt(GPUOPT_CALL_SOLVE_TRIANGULAR, {&large, &b, &out}, {0, 0, 0}), GPUOPT_ERR_UNSUPPORTED);
  Array integers(GPUOPT_INT32, {kSize, kSize}), integer(GPUOPT_INT32, {});
  EXPECT_EQ(attempt(GPUOPT_CALL_DET, {&integers, &integer}), GPUOPT_ERR_TYPE);
  test::TestHost::set("GPUOPT_LINALG", "exact");
  EXPECT_EQ(attempt(GPUOPT_CALL_DET, {&large, &det}), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(attempt(GPUOPT_CALL_EIGH, {&large, &w}, {0}), GPUOPT_ERR_UNSUPPORTED);
}

// ---- Matrices without an answer

TEST_F(FastLinalg, TheFirstMatrixWithoutAnAnswerIsNamed) {
  const int32_t dtype = GPUOPT_FLOAT64;
  Array h = stack_of(dtype, kSize, kSize, Layout::kC, true), out = h;
  set_element(h, dtype, kSize * kSize + 3 * kSize + 3, -1.0);
  ASSERT_EQ(attempt(GPUOPT_CALL_CHOLESKY, {&h, &out}, {0}), GPUOPT_OK) << error.message;
  EXPECT_EQ(ints[0], 1);
  set_element(h, dtype, 3 * kSize + 3, kInf);
  ASSERT_EQ(attempt(GPUOPT_CALL_CHOLESKY, {&h, &out}, {1}), GPUOPT_OK) << error.message;
  EXPECT_EQ(ints[0], 0);

  Array x(dtype, {2, kSize, kSize}), b = stack_of(dtype, kSize, 3, Layout::kC), solution = b;
  regular(dtype, 0).put(x, dtype, 0);
  Dense(kSize, kSize).put(x, dtype, 1);
  ASSERT_EQ(attempt(GPUOPT_CALL_SOLVE, {&x, &b, &solution}), GPUOPT_OK) << error.message;
  EXPECT_EQ(ints[0], 1);
  Array pivots(GPUOPT_INT64, {2, kSize});
  for (int64_t i = 0; i < 2 * kSize; i++) pivots.set(i, i % kSize);
  for (int64_t i = 0; i < kSize; i++) set_element(x, dtype, i * kSize + i, 1.0);
  ASSERT_EQ(attempt(GPUOPT_CALL_SOLVE_LU, {&x, &pivots, &b, &solution}, {0}), GPUOPT_OK) << error.message;
  EXPECT_EQ(ints[0], 1);

  Array w(dtype, {2, kSize});
  for (const double value : {kNan, kInf}) {
    set_element(x, dtype, kSize * kSize + 5 * kSize, value);
    ASSERT_EQ(attempt(GPUOPT_CALL_EIGH, {&x, &w}, {0}), GPUOPT_OK) << error.message;
    EXPECT_EQ(ints[0], 1);
    ASSERT_EQ(attempt(GPUOPT_CALL_SVD, {&x, &w}), GPUOPT_OK) << error.message;
    EXPECT_EQ(ints[0], 1);
  }
  setenv("FAKE_CUSOLVER_INFO", "3", 1);  // an iteration that does not end
  ASSERT_EQ(attempt(GPUOPT_CALL_SVD, {&x, &w}), GPUOPT_OK) << error.message;
  EXPECT_EQ(ints[0], 0);
}

TEST_F(FastLinalg, PivotsOutOfBoundsAreNamed) {
  Array x(GPUOPT_FLOAT64, {2, kSize, kSize}), b(GPUOPT_FLOAT64, {2, kSize, 1}), out = b;
  Array pivots(GPUOPT_INT64, {2, kSize}, Layout::kGaps);
  for (int64_t i = 0; i < 2 * kSize; i++) pivots.set(i, i % kSize);
  pivots.set(kSize + 5, int64_t{kSize});
  pivots.set(kSize + 7, int64_t{-5});
  EXPECT_EQ(attempt(GPUOPT_CALL_SOLVE_LU, {&x, &pivots, &b, &out}, {0}), GPUOPT_ERR_INDEX);
  EXPECT_STREQ(error.message, "pivot 130 is out of bounds for 130 rows");
  pivots.set(kSize - 1, int64_t{-5});
  EXPECT_EQ(attempt(GPUOPT_CALL_SOLVE_LU, {&x, &pivots, &b, &out}, {0}), GPUOPT_ERR_INDEX);
  EXPECT_STREQ(error.message, "pivot -5 is out of bounds for 130 rows");
}

// ---- Faults

TEST_F(FastLinalg, AFaultInAnyCallOfTheDriverIsReported) {
  Array h(GPUOPT_FLOAT64, {1, 64, 64}), a(GPUOPT_FLOAT64, {1, kSize, 2});
  given(GPUOPT_FLOAT64, 64, 64, 0, true).put(h, GPUOPT_FLOAT64);
  given(GPUOPT_FLOAT64, kSize, 2, 0).put(a, GPUOPT_FLOAT64);
  const std::vector<Array> eigh = {h, Array(GPUOPT_FLOAT64, {1, 64}), h}, qr = {a, a, Array(GPUOPT_FLOAT64, {1, 2, 2})};
  expect_faults_reported<&slots::linalg>(GPUOPT_CALL_EIGH, [&] { return eigh; }, {0, 0});
  expect_faults_reported<&slots::linalg>(GPUOPT_CALL_QR, [&] { return qr; }, {0});
}

// Each function that computes something fails: for want of memory, so that one more try may do; because the device
// cannot do it, so that the CPU is asked; and because of itself. The same call works right after.
TEST_F(FastLinalg, AFaultInAnyCallOfCusolverIsReported) {
  const char *const names[] = {
#define GPUOPT_CUSOLVER_SYMBOL(result, name, args) #name,
#include "plugins/cuda/vendor/cusolver_symbols.def"
  };
  const int32_t dtype = GPUOPT_FLOAT64;
  Array a(dtype, {kSize, kSize}), x(dtype, {kSize, 2}), b = x, q = x, r(dtype, {2, 2}), l = a;
  Array h(dtype, {64, 64}), w(dtype, {64}), u = h, vh = h;
  given(dtype, kSize, kSize, 0, true).put(a, dtype);
  given(dtype, kSize, 2, 0).put(b, dtype);
  given(dtype, 64, 64, 0, true).put(h, dtype);
  const struct {
    const char *part;  // of the names of the functions that the call needs
    int32_t kind;
    std::vector<Array *> arrays;
    std::vector<int64_t> more;
  } calls[] = {{"SetStream", GPUOPT_CALL_CHOLESKY, {&a, &l}, {0}}, {"Xpotrf", GPUOPT_CALL_CHOLESKY, {&a, &l}, {0}},
               {"Xgetr", GPUOPT_CALL_SOLVE, {&a, &b, &x}, {}},     {"Xgeqrf", GPUOPT_CALL_QR, {&b, &q, &r}, {}},
               {"Dorgqr", GPUOPT_CALL_QR, {&b, &q, &r}, {}},       {"Xsyevd", GPUOPT_CALL_EIGH, {&h, &w, &u}, {0}},
               {"Xgesvd", GPUOPT_CALL_SVD, {&h, &w, &u, &vh}, {}}};
  int functions = 0;
  for (const char *const name : names) {
    for (const auto &[part, kind, arrays, more] : calls) {
      if (!std::strstr(name, part)) continue;
      functions++;
      for (const auto &[status, expected] :
           {std::pair{"2", GPUOPT_ERR_OUT_OF_MEMORY}, std::pair{"9", GPUOPT_ERR_UNSUPPORTED},
            std::pair{"6", GPUOPT_ERR_INTERNAL}}) {
        setenv("FAKE_CUSOLVER_FAIL", name, 1);
        setenv("FAKE_CUSOLVER_STATUS", status, 1);
        EXPECT_EQ(attempt(kind, arrays, more), expected) << name << ": " << error.message;
        EXPECT_NE(std::string(error.message).find("cuSOLVER says cusolverDn"), std::string::npos) << error.message;
        unsetenv("FAKE_CUSOLVER_FAIL");
      }
      call(kind, arrays, more);
    }
  }
  EXPECT_EQ(functions, 14);
}

TEST_F(FastLinalg, WhatCusolverSaysIsSaid) {
  Array a(GPUOPT_FLOAT64, {kSize, kSize}), b(GPUOPT_FLOAT64, {kSize, 1}), x = b;
  regular(GPUOPT_FLOAT64, 0).put(a, GPUOPT_FLOAT64);
  setenv("FAKE_CUSOLVER_FAIL", "cusolverDnXgetrs", 1);
  EXPECT_EQ(attempt(GPUOPT_CALL_SOLVE, {&a, &b, &x}), GPUOPT_ERR_INTERNAL);
  EXPECT_STREQ(error.message, "cuda:0: linalg: cuSOLVER says cusolverDnXgetrs: CUSOLVER_STATUS_INTERNAL_ERROR (7)");
  EXPECT_EQ(error.backend_code, 7);
  setenv("FAKE_CUSOLVER_STATUS", "1", 1);
  EXPECT_EQ(attempt(GPUOPT_CALL_SOLVE, {&a, &b, &x}), GPUOPT_ERR_INTERNAL);
  EXPECT_STREQ(error.message, "cuda:0: linalg: cuSOLVER says cusolverDnXgetrs: status (1)");
  unsetenv("FAKE_CUSOLVER_FAIL");
  setenv("FAKE_CUSOLVER_INFO", "-6", 1);
  EXPECT_EQ(attempt(GPUOPT_CALL_SOLVE, {&a, &b, &x}), GPUOPT_ERR_INTERNAL);
  EXPECT_STREQ(error.message, "cuda:0: linalg: cuSOLVER refuses argument 6");
}

TEST_F(FastLinalg, AHandleThatCannotBeMadeIsUnsupportedUnlessMemoryIsShort) {
  Array a(GPUOPT_FLOAT64, {kSize, kSize}), det(GPUOPT_FLOAT64, {});
  setenv("FAKE_CUSOLVER_STATUS", "2", 1);
  for (const char *const name : {"cusolverDnCreate", "cusolverDnCreateParams"}) {
    setenv("FAKE_CUSOLVER_FAIL", name, 1);
    EXPECT_EQ(attempt(GPUOPT_CALL_DET, {&a, &det}), GPUOPT_ERR_OUT_OF_MEMORY) << name;
  }
  setenv("FAKE_CUSOLVER_STATUS", "1", 1);
  EXPECT_EQ(attempt(GPUOPT_CALL_DET, {&a, &det}), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_STREQ(error.message, "linalg: cuda:0: cusolverDnCreateParams: status (1)");
  unsetenv("FAKE_CUSOLVER_FAIL");  // it is not tried again
  EXPECT_EQ(attempt(GPUOPT_CALL_DET, {&a, &det}), GPUOPT_ERR_UNSUPPORTED);
}

// ---- Finding cuSOLVER

SearchInput only_in(const std::string &place) {
  SearchInput input;
  input.setting = [place](const char *name) { return std::string(name) == "GPUOPT_CUSOLVER" ? place : ""; };
  return input;
}

TEST(FindCusolver, TheReasonNamesWhatWasTried) {
  const std::string path = std::getenv("GPUOPT_CUSOLVER");
  std::string problem = "unset";
  EXPECT_NE(find_cusolver(only_in(path), 13000, problem).cusolverDnCreate, nullptr);
  EXPECT_EQ(problem, "");
  const std::string begin = "no cuSOLVER (libcusolver.so.12, libcusolver.so.11) works here: ";
  find_cusolver(only_in(path), 12080, problem);
  EXPECT_EQ(problem, begin + path + ": it is of CUDA 13, newer than the driver's 12");
  setenv("FAKE_CUSOLVER_MAJOR", "11", 1);  // that of CUDA 11 and 12
  find_cusolver(only_in(path), 12080, problem);
  EXPECT_EQ(problem, "");
  unsetenv("FAKE_CUSOLVER_MAJOR");
  setenv("FAKE_CUSOLVER_FAIL", "cusolverGetProperty", 1);
  find_cusolver(only_in(path), 13000, problem);
  EXPECT_EQ(problem, begin + path + ": it does not tell its version");
  unsetenv("FAKE_CUSOLVER_FAIL");
  find_cusolver(only_in("/nowhere/libcusolver.so.12"), 13000, problem);
  EXPECT_NE(problem.find("/nowhere/libcusolver.so.12"), std::string::npos) << problem;
  const std::string other = std::getenv("GPUOPT_CUBLAS");
  find_cusolver(only_in(other), 13000, problem);
  EXPECT_NE(problem.find(other + ": it has no cusolverGetProperty"), std::string::npos) << problem;
}

// Run by itself with a GPUOPT_CUSOLVER that does not exist: one line says so, and the CPU is asked as without `fast`.
TEST_F(FastLinalg, DISABLED_NoCusolver) {
  Array a(GPUOPT_FLOAT64, {kSize, kSize}), det(GPUOPT_FLOAT64, {}), small(GPUOPT_FLOAT64, {3, 3});
  for (int round = 0; round < 2; round++) {
    EXPECT_EQ(attempt(GPUOPT_CALL_DET, {&a, &det}), GPUOPT_ERR_UNSUPPORTED);
    EXPECT_STREQ(error.message,
                 "linalg: no cuSOLVER (libcusolver.so.12, libcusolver.so.11) works here: /nonexistent: "
                 "there is no such file");
  }
  int lines = 0;
  for (const test::LogLine &line : test::TestHost::get().lines) lines += line.event == "cuda.cusolver";
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(attempt(GPUOPT_CALL_DET, {&small, &det}), GPUOPT_OK) << error.message;
}

}  // namespace
}  // namespace gpuopt::cuda

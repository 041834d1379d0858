// tests/unit/core_linalg_test.cpp -- linear algebra against the answers of NumPy and SciPy, on operands of several
// layouts; decompositions, which are not unique, by what they promise; what fails.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/unit/core_bare_device.h"
#include "tests/unit/core_linalg_cases.h"
#include "tests/unit/core_numpy_cases.h"

namespace {

using numpy_cases::array_of;
using numpy_cases::cast;
using numpy_cases::Complex;
using numpy_cases::complex_values;
using numpy_cases::Form;
using numpy_cases::Given;
using support::Array;
using support::Result;
using support::Shape;
using support::shape_of;

bool is_single(gpuopt_dtype d) { return d == GPUOPT_FLOAT32 || d == GPUOPT_COMPLEX64; }

// How the operands lie in memory: in C order, in Fortran's, backwards with gaps, or nowhere yet.
enum class Layout { PLAIN, FORTRAN, BACKWARDS, RECORDED };

// Changes the matrices of n x n elements as the kind says.
void change_matrices(const std::string &kind, int64_t n, std::vector<Complex> &x) {
  const size_t size = static_cast<size_t>(n * n), rows = static_cast<size_t>(n);
  for (size_t at = 0; size && at + size <= x.size(); at += size) {
    const std::vector<Complex> old(x.begin() + static_cast<int64_t>(at), x.begin() + static_cast<int64_t>(at + size));
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < rows; ++j) {
        Complex &e = x[at + i * rows + j];
        if (kind == "h") e += std::conj(old[j * rows + i]) + (i == j ? 16.0 : 0.0);
        if (kind == "s" && i + 1 == rows) e = old[j];
      }
    }
  }
}

// The elements of the generator's formula.
std::vector<Complex> elements_of(const Form &form, int64_t j) {
  int64_t size = 1;
  for (const int64_t n : form.shape) size *= n;
  const char dtype = static_cast<char>(gpuopt_dtype_kind(form.dtype));
  const size_t ndim = form.shape.size();
  std::vector<Complex> x;
  for (int64_t k = 0; k < size; ++k) {
    double re = static_cast<double>((k * k + 7 * k + 13 * j + 1) % 23) / 4 - 2.75;
    const double im = dtype == 'c' ? static_cast<double>((k * k + 3 * k + 5 * j) % 19) / 4 - 2 : 0;
    if (dtype != 'f' && dtype != 'c') {
      re = std::trunc(4 * re);
    } else if (ndim > 1 && k % form.shape[ndim - 1] == k / form.shape[ndim - 1] % form.shape[ndim - 2]) {
      re += 4;
    }
    x.emplace_back(re, im);
  }
  if (!form.kind.empty()) change_matrices(form.kind, form.shape.back(), x);
  return x;
}

Array flipped(const Array &x) {
  Result r;
  return r.take(gpuopt_flip(x.get(), 0, nullptr, &r.array, &r.error));
}

Array laid_out(const Array &plain, Layout layout) {
  Result r;
  const bool matrix = gpuopt_array_ndim(plain.get()) >= 2;
  switch (layout) {
    case Layout::FORTRAN: {
      if (!matrix) break;
      const Array other = r.take(gpuopt_matrix_transpose(plain.get(), &r.array, &r.error));
      const Array copy = r.take(gpuopt_copy_array(other.get(), &r.array, &r.error));
      return r.take(gpuopt_matrix_transpose(copy.get(), &r.array, &r.error));
    }
    case Layout::BACKWARDS: {
      if (!gpuopt_array_ndim(plain.get())) break;
      const int64_t axis = -1;
      const Array twice = r.take(gpuopt_repeat(flipped(plain).get(), 2, &axis, &r.array, &r.error));
      const Array back = flipped(twice);
      std::vector<gpuopt_index> items(static_cast<size_t>(gpuopt_array_ndim(plain.get())));
      for (gpuopt_index &item : items) item = {GPUOPT_INDEX_SLICE, 0, 0, INT64_MAX, 1};
      items.back().step = 2;
      return r.take(gpuopt_slice(back.get(), static_cast<int32_t>(items.size()), items.data(), &r.array, &r.error));
    }
    case Layout::RECORDED: {
      const Array mask = cast(plain, GPUOPT_BOOL);
      return r.take(gpuopt_where(mask.get(), plain.get(), plain.get(), &r.array, &r.error));
    }
    default:
      break;
  }
  return r.take(gpuopt_copy_array(plain.get(), &r.array, &r.error));
}

Array operand(const Form &form, int64_t j, Layout layout = Layout::PLAIN) {
  return laid_out(array_of(form, elements_of(form, j)), layout);
}

using Call = gpuopt_status (*)(const Given &, const std::vector<gpuopt_array> &, gpuopt_array *, gpuopt_error *);

#define GPUOPT_CASE(name, ...)                                                                          \
  {                                                                                                     \
#name, [](const Given &given, const std::vector<gpuopt_array> &x, gpuopt_array *r, gpuopt_error *e) { \
     (void)given;                                                                                        \
     return gpuopt_##name(__VA_ARGS__, e);                                                               \
   } \
  }
const std::map<std::string, Call> kCalls = {
    GPUOPT_CASE(cholesky, x[0], given.flag("upper"), r),
    GPUOPT_CASE(qr, x[0], given.flag("mode"), &r[0], &r[1]),
    GPUOPT_CASE(lu, x[0], &r[0], &r[1], &r[2]),
    GPUOPT_CASE(lu_factor, x[0], &r[0], &r[1]),
    GPUOPT_CASE(inv, x[0], r),
    GPUOPT_CASE(det, x[0], r),
    GPUOPT_CASE(slogdet, x[0], &r[0], &r[1]),
    GPUOPT_CASE(solve, x[0], x[1], r),
    GPUOPT_CASE(solve_triangular, x[0], x[1], given.flag("lower"), given.flag("unit"), given.flag("trans"), r),
    GPUOPT_CASE(tensorsolve, x[0], x[1], 1, given.list("axes"), r),
    GPUOPT_CASE(tensorinv, x[0], given.flag("ind"), r),
    GPUOPT_CASE(eigvalsh, x[0], given.flag("upper"), r),
    GPUOPT_CASE(svdvals, x[0], r),
    GPUOPT_CASE(matrix_norm, x[0], given.number("ord"), given.flag("keepdims"), r),
    GPUOPT_CASE(matrix_rank, x[0], nullptr, r),
    GPUOPT_CASE(cond, x[0], given.number("ord"), r),
    GPUOPT_CASE(pinv, x[0], nullptr, r),
    GPUOPT_CASE(matrix_power, x[0], given.flag("n"), r),
    GPUOPT_CASE(expm, x[0], r),
    GPUOPT_CASE(multi_dot, static_cast<int32_t>(x.size()), x.data(), r),
};
#undef GPUOPT_CASE

// Calls the function of a case, which writes one array or more to `results`.
gpuopt_status call(const std::string &name, const Given &given, const std::vector<gpuopt_array> &x,
                   gpuopt_array *results, gpuopt_error *error) {
  if (name == "lstsq") {
    const double rcond = given.has("rcond") ? given.number("rcond") : 0;
    return gpuopt_lstsq(x[0], x[1], given.has("rcond") ? &rcond : nullptr, &results[0], &results[1], &results[2],
                        &results[3], error);
  }
  if (name == "lu_solve") {
    Result r;
    gpuopt_array pivots = nullptr;
    const gpuopt_status status = gpuopt_lu_factor(x[0], &r.array, &pivots, error);
    const Array lu = r.take(status), owned(pivots);
    return gpuopt_lu_solve(lu.get(), pivots, x[1], given.flag("trans"), results, error);
  }
  return kCalls.at(name)(given, x, results, error);
}

// Elements agree to a multiple of the largest one's epsilon, as results of other orders of operations do.
double tolerance(const numpy_cases::Answer &answer, Complex) {
  return answer.largest * (is_single(answer.form.dtype) ? 1e-4 : 1e-12);
}

void check(const std::string &text, Layout layout) {
  SCOPED_TRACE(text + ", layout " + std::to_string(static_cast<int>(layout)));
  numpy_cases::check_case(
      text, [&](const Form &form, size_t j) { return operand(form, static_cast<int64_t>(j), layout); }, call,
      [](const std::string &, const Array &x, const std::string &answer) {
        numpy_cases::expect_answer(x, answer, tolerance);
      },
      [](const std::string &, const std::vector<gpuopt_array> &) { return false; });
}

TEST(Linalg, HasNumpysAnswers) {
  for (const char *text : kCases) {
    for (const Layout layout : {Layout::PLAIN, Layout::FORTRAN, Layout::BACKWARDS, Layout::RECORDED})
      check(text, layout);
  }
}

// ---- Decompositions, by what they promise, in sizes at which matrices are cut into blocks

// A matrix in the host's memory.
struct HostMatrix {
  int64_t m = 0, n = 0;
  std::vector<Complex> x;

  Complex operator()(int64_t i, int64_t j) const { return x[static_cast<size_t>(i * n + j)]; }
  Complex &operator()(int64_t i, int64_t j) { return x[static_cast<size_t>(i * n + j)]; }
};

HostMatrix host_matrix(const Array &x) {
  const Shape shape = shape_of(x);
  EXPECT_EQ(shape.size(), 2u);
  return {shape[0], shape[1], complex_values(x)};
}
HostMatrix product(const HostMatrix &a, const HostMatrix &b) {
  EXPECT_EQ(a.n, b.m);
  HostMatrix c{a.m, b.n, std::vector<Complex>(static_cast<size_t>(a.m * b.n))};
  for (int64_t i = 0; i < a.m; ++i)
    for (int64_t k = 0; k < a.n; ++k)
      for (int64_t j = 0; j < b.n; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}
HostMatrix adjoint(const HostMatrix &a) {
  HostMatrix c{a.n, a.m, std::vector<Complex>(a.x.size())};
  for (int64_t i = 0; i < a.m; ++i)
    for (int64_t j = 0; j < a.n; ++j) c(j, i) = std::conj(a(i, j));
  return c;
}
HostMatrix diagonal(const Array &values, int64_t m, int64_t n) {
  HostMatrix c{m, n, std::vector<Complex>(static_cast<size_t>(m * n))};
  const std::vector<Complex> x = complex_values(values);
  for (size_t i = 0; i < x.size(); ++i) c(static_cast<int64_t>(i), static_cast<int64_t>(i)) = x[i];
  return c;
}
double largest(const HostMatrix &a) {
  double most = 0;
  for (const Complex &x : a.x) most = std::fmax(most, std::isnan(x.real()) ? INFINITY : std::abs(x));
  return most;
}
void expect_near(const HostMatrix &a, const HostMatrix &b, gpuopt_dtype dtype, double scale) {
  ASSERT_EQ(a.m, b.m);
  ASSERT_EQ(a.n, b.n);
  HostMatrix difference = a;
  for (size_t i = 0; i < a.x.size(); ++i) difference.x[i] -= b.x[i];
  const double epsilon = is_single(dtype) ? 1.2e-7 : 2.2e-16;
  EXPECT_LE(largest(difference), 8 * epsilon * static_cast<double>(std::max(a.m, a.n) + 2) * scale);
}
void expect_orthonormal(const HostMatrix &q, gpuopt_dtype dtype) {
  HostMatrix one{q.n, q.n, std::vector<Complex>(static_cast<size_t>(q.n * q.n))};
  for (int64_t i = 0; i < q.n; ++i) one(i, i) = 1;
  expect_near(product(adjoint(q), q), one, dtype, 1);
}

constexpr gpuopt_dtype kDtypes[] = {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128};
const Shape kShapes[] = {{1, 1}, {2, 3}, {17, 17}, {33, 20}, {20, 33}, {64, 64}, {75, 40}, {40, 75}, {97, 97}};

class Decompositions : public ::testing::TestWithParam<gpuopt_dtype> {
 protected:
  void SetUp() override { dtype_ = GetParam(); }
  gpuopt_dtype dtype_ = 0;
  gpuopt_error error_ = GPUOPT_ERROR_INIT;
  gpuopt_array a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

TEST_P(Decompositions, QrIsOrthogonalAndTriangular) {
  for (const Shape &shape : kShapes) {
    for (const gpuopt_qr_mode mode : {GPUOPT_QR_REDUCED, GPUOPT_QR_COMPLETE}) {
      const Array x = operand({dtype_, shape}, 3, Layout::FORTRAN);
      ASSERT_EQ(gpuopt_qr(x.get(), mode, &a_, &b_, &error_), GPUOPT_OK) << error_.message;
      const HostMatrix q = host_matrix(Array(a_)), r = host_matrix(Array(b_)), given = host_matrix(x);
      expect_orthonormal(q, dtype_);
      expect_near(product(q, r), given, dtype_, largest(given));
      for (int64_t i = 0; i < r.m; ++i)
        for (int64_t j = 0; j < std::min(i, r.n); ++j) ASSERT_EQ(r(i, j), 0.0);
      gpuopt_array none = nullptr, alone = nullptr;
      ASSERT_EQ(gpuopt_qr(x.get(), GPUOPT_QR_R, &none, &alone, &error_), GPUOPT_OK) << error_.message;
      const Array r_alone(alone);
      EXPECT_EQ(none, nullptr);
      if (mode == GPUOPT_QR_REDUCED) {
        EXPECT_EQ(host_matrix(r_alone).x, r.x);
      }
    }
  }
}

TEST_P(Decompositions, LuIsWithPivots) {
  for (const Shape &shape : kShapes) {
    const Array x = operand({dtype_, shape}, 1, Layout::BACKWARDS);
    ASSERT_EQ(gpuopt_lu(x.get(), &a_, &b_, &c_, &error_), GPUOPT_OK) << error_.message;
    const HostMatrix p = host_matrix(Array(a_)), l = host_matrix(Array(b_)), u = host_matrix(Array(c_)),
                     given = host_matrix(x);
    expect_near(product(p, product(l, u)), given, dtype_, largest(u) + largest(given));
    EXPECT_LE(largest(l), 1.5);  // |re| + |im| are compared
  }
}

TEST_P(Decompositions, CholeskyIsTriangular) {
  for (const int64_t n : {1, 5, 31, 32, 33, 70}) {
    // diagonally dominant: positive definite
    HostMatrix given{n, n, elements_of(Form(dtype_, {n, n}, "h"), 2)};
    for (int64_t i = 0; i < n; ++i) given(i, i) += 8.0 * static_cast<double>(n);
    const Array x = cast(support::make_bytes(GPUOPT_COMPLEX128, {n, n}, given.x.data()), dtype_);
    for (const int32_t upper : {0, 1}) {
      Result r;
      const Array factor = r.take(gpuopt_cholesky(x.get(), upper, &r.array, &r.error));
      const HostMatrix f = host_matrix(factor);
      expect_near(upper ? product(adjoint(f), f) : product(f, adjoint(f)), given, dtype_, largest(given));
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j) ASSERT_EQ(upper ? f(i, j) : f(j, i), 0.0);
    }
  }
}

TEST_P(Decompositions, SolutionsSolve) {
  for (const int64_t n : {1, 9, 32, 65}) {
    const Array a = operand(Form(dtype_, {n, n}, "h"), 1), b = operand({dtype_, {n, 5}}, 2, Layout::FORTRAN);
    Result r;
    const Array x = r.take(gpuopt_solve(a.get(), b.get(), &r.array, &r.error));
    const HostMatrix given = host_matrix(a), solution = host_matrix(x);
    expect_near(product(given, solution), host_matrix(b), dtype_,
                static_cast<double>(n) * largest(given) * largest(solution));
  }
}

TEST_P(Decompositions, EigenvectorsOfHermitianMatrices) {
  for (const int64_t n : {1, 2, 3, 8, 17, 40}) {
    const Array x = operand(Form(dtype_, {n, n}, "h"), 4, Layout::BACKWARDS);
    ASSERT_EQ(gpuopt_eigh(x.get(), 0, &a_, &b_, &error_), GPUOPT_OK) << error_.message;
    const Array w(a_), v(b_);
    const HostMatrix given = host_matrix(x), vectors = host_matrix(v);
    expect_orthonormal(vectors, dtype_);
    expect_near(product(given, vectors), product(vectors, diagonal(w, n, n)), dtype_,
                static_cast<double>(n) * largest(given));
    const std::vector<Complex> values = complex_values(w);
    for (size_t i = 1; i < values.size(); ++i) EXPECT_LE(values[i - 1].real(), values[i].real());
  }
}

TEST_P(Decompositions, EigenvectorsOfAnyMatrices) {
  for (const int64_t n : {1, 2, 3, 8, 17, 40}) {
    const Array x = operand({dtype_, {n, n}}, 4, Layout::FORTRAN);
    ASSERT_EQ(gpuopt_eig(x.get(), &a_, &b_, &error_), GPUOPT_OK) << error_.message;
    const Array w(a_), v(b_);
    EXPECT_EQ(gpuopt_array_dtype(w.get()), is_single(dtype_) ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128);
    const HostMatrix given = host_matrix(x), vectors = host_matrix(v);
    expect_near(product(given, vectors), product(vectors, diagonal(w, n, n)), dtype_,
                static_cast<double>(n) * largest(given));
    for (int64_t j = 0; j < n; ++j) {
      double square = 0;
      for (int64_t i = 0; i < n; ++i) square += std::norm(vectors(i, j));
      EXPECT_NEAR(square, 1, 1e-5);
    }
    Result r;
    const Array alone = r.take(gpuopt_eigvals(x.get(), &r.array, &r.error));
    EXPECT_EQ(complex_values(alone), complex_values(w));
  }
}

TEST_P(Decompositions, SingularVectors) {
  for (const Shape &shape : kShapes) {
    for (const int32_t full : {0, 1}) {
      const Array x = operand({dtype_, shape}, 5, Layout::FORTRAN);
      ASSERT_EQ(gpuopt_svd(x.get(), full, &a_, &b_, &c_, &error_), GPUOPT_OK) << error_.message;
      const Array left(a_), s(b_), right(c_);
      const HostMatrix u = host_matrix(left), vh = host_matrix(right), given = host_matrix(x);
      expect_orthonormal(u, dtype_);
      expect_orthonormal(adjoint(vh), dtype_);
      expect_near(product(u, product(diagonal(s, u.n, vh.m), vh)), given, dtype_,
                  static_cast<double>(shape[0]) * largest(given));
      Result r;
      const Array alone = r.take(gpuopt_svdvals(x.get(), &r.array, &r.error));
      EXPECT_EQ(complex_values(alone), complex_values(s));
    }
  }
}

// One matrix of a stack has the bits that it has alone, in every layout.
TEST_P(Decompositions, OfStacksAreThoseOfTheirMatrices) {
  const Array stack = operand({dtype_, {5, 6, 6}}, 1);
  const Array two = operand({dtype_, {5, 6, 2}}, 2);
  Result r;
  const Array all = r.take(gpuopt_solve(stack.get(), two.get(), &r.array, &r.error));
  const std::vector<Complex> expected = complex_values(all);
  for (const Layout layout : {Layout::FORTRAN, Layout::BACKWARDS}) {
    for (int64_t i = 0; i < 5; ++i) {
      const gpuopt_index item{GPUOPT_INDEX_INTEGER, 0, i, 0, 0};
      const Array a = r.take(gpuopt_slice(stack.get(), 1, &item, &r.array, &r.error));
      const Array b = r.take(gpuopt_slice(two.get(), 1, &item, &r.array, &r.error));
      const Array x = r.take(gpuopt_solve(laid_out(a, layout).get(), laid_out(b, layout).get(), &r.array, &r.error));
      const std::vector<Complex> got = complex_values(x);
      EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + 12 * i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, Decompositions, ::testing::ValuesIn(kDtypes));

// ---- A device without the slot: the CPU backend computes, and the bits are those of the CPU device

TEST(Linalg, OfDevicesWithoutTheSlot) {
  support::BareDevice bare;
  const std::vector<double> numbers = {4, 2, 1, 2, 5, 3, 1, 3, 7};
  const Array here = support::make<double>({3, 3}, numbers), there = support::make<double>({3, 3}, numbers, bare.get());
  Result r;
  for (const auto function : {gpuopt_inv, gpuopt_det, gpuopt_expm, gpuopt_svdvals}) {
    const Array expected = r.take(function(here.get(), &r.array, &r.error));
    const Array got = r.take(function(there.get(), &r.array, &r.error));
    EXPECT_EQ(support::bytes_of(got), support::bytes_of(expected));
  }
  const Array zero = support::make<double>({2, 2}, {0, 0, 0, 0}, bare.get());
  EXPECT_EQ(gpuopt_inv(zero.get(), &r.array, &r.error), GPUOPT_ERR_LINALG);
}

// ---- Ranges

TEST(Linalg, DeterminantsDoNotOverflowOnTheWay) {
  const Array x = support::make<double>({4, 4}, {1e200, 0, 0, 0, 0, 1e-200, 0, 0, 0, 0, 1e200, 0, 0, 0, 0, 1e-200});
  Result r;
  EXPECT_NEAR(support::values_of<double>(r.take(gpuopt_det(x.get(), &r.array, &r.error)))[0], 1, 1e-12);
  const Array y = support::make<float>({3, 3}, {1e30f, 0, 0, 0, 1e30f, 0, 0, 0, 1e-30f});
  EXPECT_NEAR(support::values_of<float>(r.take(gpuopt_det(y.get(), &r.array, &r.error)))[0] / 1e30f, 1, 1e-5);
}

TEST(Linalg, QrOfHugeAndTinyNumbers) {
  for (const double scale : {1e300, 1e-300, 5e-324}) {
    const Array x = support::make<double>({2, 1}, {3 * scale, 4 * scale});
    gpuopt_array q = nullptr, r = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    ASSERT_EQ(gpuopt_qr(x.get(), GPUOPT_QR_REDUCED, &q, &r, &error), GPUOPT_OK) << error.message;
    EXPECT_NEAR(support::values_of<double>(Array(r))[0] / scale, -5, 1e-12);
    EXPECT_NEAR(support::values_of<double>(Array(q))[1], -0.8, 1e-12);
  }
}

TEST(Linalg, OneSingularMatrixOfAStackFailsTheCall) {
  const Array x = support::make<double>({3, 2, 2}, {1, 0, 0, 1, 1, 2, 2, 4, 1, 0, 0, 1});
  Result r;
  EXPECT_EQ(gpuopt_inv(x.get(), &r.array, &r.error), GPUOPT_ERR_LINALG);
  EXPECT_STREQ(r.error.message, "inv: Singular matrix");
  EXPECT_EQ(r.array, nullptr);
  const Array c = r.take(gpuopt_cond(x.get(), 1, &r.array, &r.error));
  EXPECT_EQ(support::values_of<double>(c), (std::vector<double>{1, INFINITY, 1}));
}

TEST(Linalg, TrianglesNeedADiagonalUnlessItIsOnes) {
  const Array x = support::make<double>({2, 2}, {0, 9, 3, 0}), b = support::make<double>({2}, {1, 5});
  Result r;
  EXPECT_EQ(gpuopt_solve_triangular(x.get(), b.get(), 1, 0, GPUOPT_TRANS_NONE, &r.array, &r.error), GPUOPT_ERR_LINALG);
  const Array y = r.take(gpuopt_solve_triangular(x.get(), b.get(), 1, 1, GPUOPT_TRANS_NONE, &r.array, &r.error));
  EXPECT_EQ(support::values_of<double>(y), (std::vector<double>{1, 2}));
}

TEST(Linalg, WhatIsNotFiniteIsNoAnswer) {
  const Array x = support::make<double>({2, 2}, {NAN, 1, 1, INFINITY});
  Result r;
  for (const auto function : {gpuopt_eigvals, gpuopt_svdvals}) {
    EXPECT_EQ(function(x.get(), &r.array, &r.error), GPUOPT_ERR_LINALG);
    EXPECT_EQ(r.array, nullptr);
  }
  EXPECT_EQ(gpuopt_cholesky(x.get(), 0, &r.array, &r.error), GPUOPT_ERR_LINALG);
}

TEST(Linalg, OtherArgumentsFail) {
  const Array x = support::make<double>({2, 2}, {1, 2, 3, 4}), half = cast(x, GPUOPT_BFLOAT16);
  const Array pivots = support::make<int64_t>({2}, {0, 2}), fractions = support::make<double>({2}, {0, 1});
  Result r;
  gpuopt_array other = nullptr;
  EXPECT_EQ(gpuopt_lu_solve(x.get(), pivots.get(), x.get(), 0, &r.array, &r.error), GPUOPT_ERR_INDEX);
  EXPECT_EQ(gpuopt_lu_solve(x.get(), fractions.get(), x.get(), 0, &r.array, &r.error), GPUOPT_ERR_TYPE);
  EXPECT_EQ(gpuopt_lu_solve(x.get(), pivots.get(), x.get(), 3, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_solve(x.get(), half.get(), &r.array, &r.error), GPUOPT_ERR_TYPE);
  EXPECT_EQ(gpuopt_solve(nullptr, x.get(), &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_inv(x.get(), nullptr, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_qr(x.get(), 7, &r.array, &other, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_qr(x.get(), GPUOPT_QR_REDUCED, nullptr, &other, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_multi_dot(2, nullptr, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_tensorsolve(x.get(), x.get(), 5, nullptr, &r.array, &r.error), GPUOPT_ERR_SHAPE);
  const int64_t axes[] = {0, 0};
  EXPECT_EQ(gpuopt_tensorsolve(x.get(), x.get(), 2, axes, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace

// tests/unit/linalg_spectral_test.cpp -- plugins/shared/linalg: eigenvalues, singular values and their vectors, by
// their properties in long double and against matrices whose spectra are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "plugins/shared/linalg/spectral.h"

namespace {

using gpo::i64;
using Long = long double;
using Wide = std::complex<Long>;
using Formula = std::function<Wide(i64, i64)>;

template <class T>
Wide wide(T x) {
  return {gpo::linalg::re(x), gpo::linalg::im(x)};
}
// The product without C's care for infinities, which takes most of the time.
Wide product(Wide a, Wide b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T>
constexpr Long epsilon = std::numeric_limits<gpo::real_of<T>>::epsilon();

// A matrix in column-major order.
template <class T>
struct Matrix {
  i64 m, n;
  std::vector<T> data;
  Matrix(i64 rows, i64 columns) : m(rows), n(columns), data(static_cast<size_t>(rows * columns)) {}
  Matrix(i64 rows, i64 columns, const Formula &f) : Matrix(rows, columns) {
    for (i64 j = 0; j < n; ++j) {
      for (i64 i = 0; i < m; ++i) (*this)(i, j) = number(f(i, j));
    }
  }
  static T number(Wide x) {
    using R = gpo::real_of<T>;
    return gpo::linalg::number<T>(static_cast<R>(x.real()), static_cast<R>(x.imag()));
  }
  T &operator()(i64 i, i64 j) { return data[static_cast<size_t>(i + j * m)]; }
  Wide at(i64 i, i64 j) const { return wide(data[static_cast<size_t>(i + j * m)]); }
  Long norm() const {
    Long sum = 0;
    for (T x : data) sum += std::norm(wide(x));
    return std::sqrt(sum);
  }
};

// Sees that the columns are orthonormal.
template <class T>
void expect_orthonormal(const Matrix<T> &a) {
  for (i64 j = 0; j < a.n; ++j) {
    for (i64 k = 0; k <= j; ++k) {
      Wide sum = 0;
      for (i64 i = 0; i < a.m; ++i) sum += product(std::conj(a.at(i, k)), a.at(i, j));
      ASSERT_LE(std::abs(sum - Wide(j == k ? 1 : 0)), epsilon<T> * static_cast<Long>(10 + a.n)) << k << " and " << j;
    }
  }
}

template <class T>
struct Symmetric {
  bool converged;
  std::vector<gpo::real_of<T>> w;
  Matrix<T> v;
};
template <class T>
Symmetric<T> symmetric(const Matrix<T> &a, bool vectors = true) {
  Symmetric<T> r = {false, std::vector<gpo::real_of<T>>(static_cast<size_t>(a.n)), a};
  std::vector<gpo::real_of<T>> work(static_cast<size_t>(gpo::linalg::symmetric_eigen_work<T>(a.n)));
  r.converged =
      gpo::linalg::symmetric_eigen(a.n, r.v.data.data(), r.w.data(), vectors, work.data(), gpo::linalg::InOrder());
  return r;
}

template <class T>
struct Svd {
  bool converged;
  std::vector<gpo::real_of<T>> s;
  Matrix<T> u, vh;
};
template <class T>
Svd<T> svd(Matrix<T> a, bool left = true, bool right = true) {
  const i64 k = std::min(a.m, a.n);
  Svd<T> r = {false, std::vector<gpo::real_of<T>>(static_cast<size_t>(k)), {a.m, k}, {k, a.n}};
  std::vector<gpo::real_of<T>> work(static_cast<size_t>(gpo::linalg::svd_work<T>(a.m, a.n)));
  r.converged = gpo::linalg::svd(a.m, a.n, a.data.data(), r.s.data(), left ? r.u.data.data() : nullptr,
                                 right ? r.vh.data.data() : nullptr, work.data(), gpo::linalg::InOrder());
  return r;
}

template <class T>
struct General {
  using C = gpo::cplx<gpo::real_of<T>>;
  bool converged;
  std::vector<C> w;
  Matrix<C> v;
};
template <class T>
General<T> general(Matrix<T> a, bool vectors = true) {
  using C = typename General<T>::C;
  General<T> r = {false, std::vector<C>(static_cast<size_t>(a.n)), {a.n, a.n}};
  std::vector<gpo::real_of<T>> work(static_cast<size_t>(gpo::linalg::general_eigen_work<T>(a.n)));
  r.converged = gpo::linalg::general_eigen(a.n, a.data.data(), r.w.data(), vectors ? r.v.data.data() : nullptr,
                                           work.data(), gpo::linalg::InOrder());
  return r;
}

template <class X>
bool same_bits(const std::vector<X> &a, const std::vector<X> &b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(X)) == 0);
}

// Sees that |a v - v w| is small.
template <class T, class V, class W>
void expect_eigenvectors(const Matrix<T> &a, const Matrix<V> &v, const std::vector<W> &w, Long factor) {
  const Long most = factor * epsilon<T> * a.norm();
  for (i64 k = 0; k < a.n; ++k) {
    for (i64 i = 0; i < a.n; ++i) {
      Wide sum = -product(v.at(i, k), wide(w[static_cast<size_t>(k)]));
      for (i64 j = 0; j < a.n; ++j) sum += product(a.at(i, j), v.at(j, k));
      ASSERT_LE(std::abs(sum), most) << "component " << i << " of vector " << k;
    }
  }
}

template <class T>
Symmetric<T> expect_symmetric(const Matrix<T> &a) {
  const Symmetric<T> r = symmetric(a);
  EXPECT_TRUE(r.converged);
  expect_orthonormal(r.v);
  expect_eigenvectors(a, r.v, r.w, 20);
  EXPECT_TRUE(std::is_sorted(r.w.begin(), r.w.end()));
  EXPECT_TRUE(same_bits(r.w, symmetric(a, false).w)) << "the vectors change the values";
  for (i64 k = 0; k < a.n; ++k) {  // the phase
    Long most = 0, positive = 0;
    for (i64 i = 0; i < a.n; ++i) {
      const Wide x = r.v.at(i, k);
      most = std::max(most, std::abs(x));
      if (x.imag() == 0 && x.real() > 0) positive = std::max(positive, x.real());
    }
    EXPECT_GE(positive, most * 0.998L) << "no component of greatest modulus is real and positive";
  }
  return r;
}

template <class T>
Svd<T> expect_svd(const Matrix<T> &a) {
  const Svd<T> r = svd(a);
  EXPECT_TRUE(r.converged);
  const i64 k = std::min(a.m, a.n);
  Matrix<T> rows(a.n, k);
  for (i64 j = 0; j < k; ++j) {
    for (i64 i = 0; i < a.n; ++i) rows(i, j) = Matrix<T>::number(std::conj(r.vh.at(j, i)));
  }
  expect_orthonormal(r.u);
  expect_orthonormal(rows);
  const Long most = 20 * epsilon<T> * a.norm();
  for (i64 i = 0; i < a.m; ++i) {
    for (i64 j = 0; j < a.n; ++j) {
      Wide sum = -a.at(i, j);
      for (i64 l = 0; l < k; ++l) {
        sum += product(r.u.at(i, l), r.vh.at(l, j)) * static_cast<Long>(r.s[static_cast<size_t>(l)]);
      }
      EXPECT_LE(std::abs(sum), most) << i << ", " << j;
    }
  }
  EXPECT_TRUE(std::is_sorted(r.s.rbegin(), r.s.rend()));
  for (auto s : r.s) EXPECT_FALSE(std::signbit(s));
  EXPECT_TRUE(same_bits(r.s, svd(a, false, false).s)) << "the vectors change the values";
  EXPECT_TRUE(same_bits(r.u.data, svd(a, true, false).u.data));
  EXPECT_TRUE(same_bits(r.vh.data, svd(a, false, true).vh.data));
  return r;
}

template <class T>
void expect_conjugate_pairs(const General<T> &r) {
  for (size_t k = 0; k < r.w.size(); ++k) {
    const i64 column = static_cast<i64>(k);
    if (r.w[k].im == 0) {
      for (i64 i = 0; i < r.v.n; ++i) EXPECT_EQ(r.v.at(i, column).imag(), 0);
      continue;
    }
    ASSERT_LT(k + 1, r.w.size());
    EXPECT_GT(r.w[k].im, 0);
    EXPECT_EQ(wide(r.w[k + 1]), std::conj(wide(r.w[k])));
    for (i64 i = 0; i < r.v.n; ++i) EXPECT_EQ(r.v.at(i, column + 1), std::conj(r.v.at(i, column)));
    ++k;
  }
}

template <class T>
General<T> expect_general(const Matrix<T> &a) {
  const General<T> r = general(a);
  EXPECT_TRUE(r.converged);
  expect_eigenvectors(a, r.v, r.w, static_cast<Long>(20 + a.n / 4));
  Wide trace = 0;
  for (i64 k = 0; k < a.n; ++k) {
    trace += a.at(k, k) - wide(r.w[static_cast<size_t>(k)]);
    Long square = 0, most = 0, real = 0;
    for (i64 i = 0; i < a.n; ++i) {
      square += std::norm(r.v.at(i, k));
      most = std::max(most, std::abs(r.v.at(i, k)));
      if (r.v.at(i, k).imag() == 0) real = std::max(real, std::abs(r.v.at(i, k)));
    }
    EXPECT_NEAR(square, 1, 16 * epsilon<T>);
    EXPECT_GE(real, most * 0.998L) << "no component of greatest modulus is real";
  }
  EXPECT_LE(std::abs(trace), static_cast<Long>(20 + a.n) * epsilon<T> * a.norm());
  if constexpr (!gpo::is_complex<T>) expect_conjugate_pairs(r);
  EXPECT_TRUE(same_bits(r.w, general(a, false).w)) << "the vectors change the values";
  return r;
}

Formula random_formula(unsigned seed) {
  auto engine = std::make_shared<std::mt19937>(seed);
  return [engine](i64, i64) {
    const auto next = [&] { return static_cast<Long>((*engine)()) / 2147483648.0L - 1; };
    const Long re = next();
    return Wide(re, next());
  };
}
template <class T>
Matrix<T> hermitian(Matrix<T> a) {
  for (i64 j = 0; j < a.n; ++j) {
    a(j, j) = gpo::linalg::number<T>(gpo::linalg::re(a(j, j)));
    for (i64 i = 0; i < j; ++i) a(i, j) = gpo::linalg::conj(a(j, i));
  }
  return a;
}
template <class T>
Matrix<T> random_matrix(i64 m, i64 n, unsigned seed) {
  return Matrix<T>(m, n, random_formula(seed));
}

template <class T>
class LinalgSpectral : public testing::Test {};
using Types = testing::Types<float, double, gpo::c64, gpo::c128>;
TYPED_TEST_SUITE(LinalgSpectral, Types);

TYPED_TEST(LinalgSpectral, SolvesRandomSymmetricProblems) {
  for (i64 n = 0; n <= 40; ++n) expect_symmetric(hermitian(random_matrix<TypeParam>(n, n, static_cast<unsigned>(n))));
  expect_symmetric(hermitian(random_matrix<TypeParam>(100, 100, 100)));
}
TYPED_TEST(LinalgSpectral, DecomposesRandomMatrices) {
  for (i64 n = 0; n <= 20; ++n) {
    for (i64 m : {i64(0), n, n + 1, n / 2, 3 * n + 2}) {
      expect_svd(random_matrix<TypeParam>(m, n, static_cast<unsigned>(m + 50 * n)));
    }
  }
  expect_svd(random_matrix<TypeParam>(80, 60, 1));
}
TYPED_TEST(LinalgSpectral, SolvesRandomGeneralProblems) {
  for (i64 n = 0; n <= 40; ++n) expect_general(random_matrix<TypeParam>(n, n, static_cast<unsigned>(n)));
  expect_general(random_matrix<TypeParam>(100, 100, 100));
}

TEST(LinalgSpectralLarge, KeepsItsAccuracy) {
  expect_symmetric(hermitian(random_matrix<double>(300, 300, 7)));
  expect_svd(random_matrix<double>(300, 200, 8));
  expect_general(random_matrix<double>(300, 300, 9));
}

// Every kind of matrix with many zeros or equal numbers, with multiple eigenvalues, of low rank, nearly one of these,
// or with elements of very different sizes.
std::vector<Formula> structured(i64 n) {
  const auto tiny = [](i64 i, i64 j) { return Wide(std::pow(10.0L, -static_cast<Long>(i + j) / 2)); };
  const auto kahan = [](i64 i, i64 j) {
    const Long s = std::pow(std::sin(1.2L), static_cast<Long>(i));
    return i > j ? Wide(0) : Wide(i == j ? s : -std::cos(1.2L) * s);
  };
  return {
      [](i64, i64) { return Wide(0); },
      [](i64 i, i64 j) { return Wide(i == j ? 1 : 0); },
      [](i64 i, i64 j) { return Wide(i == j ? -3 : 0); },
      [](i64, i64) { return Wide(1); },
      [](i64 i, i64 j) { return Wide(1 / static_cast<Long>(i + j + 1)); },
      [](i64 i, i64 j) {
        return Wide(i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0);
      },
      [](i64 i, i64 j) { return Wide(i - j == 1 || j - i == 1 ? 1 : 0); },
      [n](i64 i, i64 j) {
        return Wide(i == j ? std::abs(2 * i - n + 1) : i - j == 1 || j - i == 1 ? 2 : 0);
      },
      tiny,
      [tiny, n](i64 i, i64 j) { return tiny(n - 1 - i, n - 1 - j); },
      [](i64 i, i64 j) { return Wide(i == j ? 1 : 1e-7L * static_cast<Long>((i * j + i + j) % 7)); },
      [n](i64 i, i64 j) { return Wide((i + 1) % n == j ? 1 : 0); },
      [](i64 i, i64 j) {
        return Wide(i == j ? 5 : j == i + 1 ? 1 : 0);
      },
      [](i64 i, i64 j) { return Wide(i < j ? 0 : i + j + 1); },
      [](i64 i, i64 j) { return Wide(static_cast<Long>((i + 1) * (j + 1))); },
      kahan,
      [n](i64 i, i64 j) { return Wide(i + j == n - 1 ? 1 : 0); },
      [](i64 i, i64 j) {
        return Wide(i / 2 == j / 2 ? (i == j ? 1 : i < j ? 2 : -2) : 0);
      },
  };
}

// Calls check(formula, n) for each kind of matrix and each size.
template <class Check>
void for_structured(std::initializer_list<i64> sizes, const Check &check) {
  for (const i64 n : sizes) {
    size_t which = 0;
    for (const Formula &f : structured(n)) {
      SCOPED_TRACE(testing::Message() << "matrix " << which++ << " of size " << n);
      check(f, n);
    }
  }
}

TYPED_TEST(LinalgSpectral, SolvesStructuredProblems) {
  for_structured({1, 2, 3, 5, 12, 30}, [](const Formula &f, i64 n) {
    const Matrix<TypeParam> a(n, n, f);
    expect_symmetric(hermitian(a));
    expect_svd(a);
    expect_svd(Matrix<TypeParam>(n + 2, n, f));
    expect_svd(Matrix<TypeParam>(n, 2 * n + 1, f));
    expect_general(a);
  });
}

// The same kinds of matrices, so large that they are divided, in parts of equal size or not, of which nearly all
// columns are kept or nearly none.
TYPED_TEST(LinalgSpectral, DividesStructuredProblems) {
  for_structured({48, 65, 100}, [](const Formula &f, i64 n) {
    const Matrix<TypeParam> a(n, n, f);
    expect_symmetric(hermitian(a));
    expect_svd(a);
  });
  expect_svd(random_matrix<TypeParam>(66, 130, 1));
  expect_svd(random_matrix<TypeParam>(80, 70, 2));
}

// Bidiagonal matrices of small integers, many of which are singular by a row or a column of zeros, and of numbers of
// any size.
TYPED_TEST(LinalgSpectral, DividesBidiagonalMatrices) {
  std::mt19937 random(9);
  for (int round = 0; round < 6; ++round) {
    const i64 n = 64 + static_cast<i64>(random() % 50);
    const bool integers = round % 3 != 0;
    const auto number = [&] {
      const Long size = static_cast<Long>(random() % 1000) / 1000;
      return integers ? static_cast<Long>(random() % 5) - 2 : std::pow(10.0L, -size * 7);
    };
    const Matrix<TypeParam> a(n, n, [&](i64 i, i64 j) { return Wide(i == j || j == i + 1 ? number() : 0); });
    const auto s = svd(a);
    ASSERT_TRUE(s.converged);
    ASSERT_TRUE(std::is_sorted(s.s.rbegin(), s.s.rend()));
    Matrix<TypeParam> rows(n, n);
    for (i64 j = 0; j < n; ++j) {
      for (i64 i = 0; i < n; ++i) rows(i, j) = gpo::linalg::conj(s.vh.data[static_cast<size_t>(j + i * n)]);
    }
    expect_orthonormal(s.u);
    expect_orthonormal(rows);
    for (i64 k = 0; k < n; ++k) {  // a v = s u
      for (i64 i = 0; i < n; ++i) {
        Wide sum = product(s.u.at(i, k), wide(s.s[static_cast<size_t>(k)]));
        for (i64 j = i; j < std::min(n, i + 2); ++j) sum -= product(a.at(i, j), rows.at(j, k));
        ASSERT_LE(std::abs(sum), 20 * epsilon<TypeParam> * a.norm()) << round << ", vector " << k;
      }
    }
  }
}

// Where a part is singular and the row between parts vanishes in the direction that is taken to 0, distances from the
// least root are smallest: vectors have components of about 10^18 before they get their length.
TYPED_TEST(LinalgSpectral, DividesWhereTheRowBetweenVanishes) {
  for (Long between : {0.5L, 1.9L}) {
    const Matrix<TypeParam> a(64, 64, [between](i64 i, i64 j) {
      return Wide(i == 30 && j == 31 ? 1 : i != 31 ? 0 : j == 31 ? between : j == 32 ? 1.9L : 0);
    });
    const auto s = expect_svd(a).s;
    for (size_t k = 2; k < 64; ++k) EXPECT_EQ(s[k], 0);
  }
}

// Matrices that have exact answers: parts that do not touch each other, equal numbers, and zeros.
TYPED_TEST(LinalgSpectral, DividesExactly) {
  const i64 n = 100;
  const Matrix<TypeParam> diagonal(n, n, [](i64 i, i64 j) { return Wide(i == j ? (7 * i) % 25 - 4 : 0); });
  const Matrix<TypeParam> shift(n, n, [](i64 i, i64 j) { return Wide(j == i + 1 ? 2 : 0); });
  const auto w = expect_symmetric(diagonal).w;
  const auto s = expect_svd(diagonal).s, t = expect_svd(shift).s;
  std::vector<gpo::real_of<TypeParam>> values;
  for (i64 i = 0; i < n; ++i) values.push_back(gpo::linalg::re(diagonal.data[static_cast<size_t>(i * (n + 1))]));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(w, values);
  for (auto &x : values) x = std::abs(x);
  std::sort(values.rbegin(), values.rend());
  EXPECT_EQ(s, values);
  for (i64 k = 0; k < n; ++k) EXPECT_EQ(t[static_cast<size_t>(k)], k + 1 < n ? 2 : 0) << k;
}

// Numbers of any size: multiplying a matrix by a power of two does that to eigenvalues, and nothing to vectors.
TYPED_TEST(LinalgSpectral, ScalesExactly) {
  using R = gpo::real_of<TypeParam>;
  const int most = std::numeric_limits<R>::max_exponent - 8;
  const Matrix<TypeParam> a = random_matrix<TypeParam>(9, 9, 3), h = hermitian(a);
  for (int e : {most, -most, 64, -33}) {
    const auto scale = [e](R x) { return std::ldexp(x, e); };
    const auto scaled = [scale](Matrix<TypeParam> b) {
      for (auto &x : b.data) x = gpo::linalg::number<TypeParam>(scale(gpo::linalg::re(x)), scale(gpo::linalg::im(x)));
      return b;
    };
    const auto one = symmetric(h), other = symmetric(scaled(h));
    const auto svd_one = svd(a), svd_other = svd(scaled(a));
    const auto general_one = general(a), general_other = general(scaled(a));
    for (size_t k = 0; k < 9; ++k) {
      const R below = std::numeric_limits<R>::denorm_min();  // where results are denormal
      EXPECT_NEAR(scale(one.w[k]), other.w[k], below);
      EXPECT_NEAR(scale(svd_one.s[k]), svd_other.s[k], below);
      EXPECT_NEAR(scale(general_one.w[k].re), general_other.w[k].re, below);
      EXPECT_NEAR(scale(general_one.w[k].im), general_other.w[k].im, below);
    }
    EXPECT_TRUE(same_bits(one.v.data, other.v.data));
    EXPECT_TRUE(same_bits(svd_one.u.data, svd_other.u.data));
    EXPECT_TRUE(same_bits(general_one.v.data, general_other.v.data));
  }
}

TYPED_TEST(LinalgSpectral, RefusesWhatIsNotFinite) {
  using R = gpo::real_of<TypeParam>;
  for (R bad :
       {std::numeric_limits<R>::infinity(), -std::numeric_limits<R>::infinity(), std::numeric_limits<R>::quiet_NaN()}) {
    for (i64 n : {1, 2, 5}) {
      Matrix<TypeParam> a = random_matrix<TypeParam>(n, n, 1);
      a(n - 1, 0) = gpo::linalg::number<TypeParam>(bad);
      EXPECT_FALSE(symmetric(a).converged);
      EXPECT_FALSE(svd(a).converged);
      EXPECT_FALSE(general(a).converged);
    }
  }
}

// The upper triangle and imaginary parts of the diagonal are not read.
TYPED_TEST(LinalgSpectral, ReadsTheLowerTriangle) {
  using R = gpo::real_of<TypeParam>;
  const Matrix<TypeParam> a = random_matrix<TypeParam>(7, 7, 2);
  Matrix<TypeParam> b = a;
  for (i64 j = 0; j < 7; ++j) {
    for (i64 i = 0; i < j; ++i) b(i, j) = gpo::linalg::number<TypeParam>(std::numeric_limits<R>::quiet_NaN());
  }
  const auto expected = symmetric(hermitian(a)), got = symmetric(b);
  EXPECT_TRUE(same_bits(expected.w, got.w));
  EXPECT_TRUE(same_bits(expected.v.data, got.v.data));
}

// ---- Known spectra

TEST(LinalgSpectralKnown, ToeplitzMatricesHaveCosines) {
  const Long pi = std::acos(-1.0L);
  for (i64 n : {1, 2, 3, 10, 60, 257}) {
    const Matrix<double> a(n, n, structured(n)[5]);
    const auto r = symmetric(a);
    const auto s = svd(a);
    const auto g = general(a);
    std::vector<double> real;
    for (auto w : g.w) real.push_back(w.re);
    std::sort(real.begin(), real.end());
    for (i64 k = 0; k < n; ++k) {
      const double exact =
          static_cast<double>(2 - 2 * std::cos(pi * static_cast<Long>(k + 1) / static_cast<Long>(n + 1)));
      EXPECT_NEAR(r.w[static_cast<size_t>(k)], exact, 1e-14);
      EXPECT_NEAR(s.s[static_cast<size_t>(n - 1 - k)], exact, 1e-14);
      EXPECT_NEAR(real[static_cast<size_t>(k)], exact, 2e-14);
    }
  }
}

// W21+ has pairs of eigenvalues that differ by much less than units in the last place (J. Wilkinson, "The Algebraic
// Eigenvalue Problem", page 309).
TEST(LinalgSpectralKnown, WilkinsonsMatrixHasPairs) {
  const Matrix<double> a(21, 21, [](i64 i, i64 j) { return Wide(i == j ? std::abs(i - 10) : std::abs(i - j) == 1); });
  const auto r = expect_symmetric(a);
  EXPECT_NEAR(r.w[20], 10.746194182903393, 2e-14);
  EXPECT_NEAR(r.w[19], 10.746194182903322, 2e-14);
  EXPECT_NEAR(r.w[18], 9.210678647361332, 2e-14);
  EXPECT_NEAR(r.w[0], -1.125441522119984, 2e-14);
}

TEST(LinalgSpectralKnown, CyclicShiftsHaveRootsOfUnity) {
  for (i64 n : {3, 4, 7, 16, 31}) {
    const auto r = expect_general(Matrix<double>(n, n, structured(n)[11]));
    std::vector<bool> seen(static_cast<size_t>(n));
    for (auto w : r.w) {
      EXPECT_NEAR(std::hypot(w.re, w.im), 1, 1e-14);
      const Long turn = std::atan2(static_cast<Long>(w.im), static_cast<Long>(w.re)) / (2 * std::acos(-1.0L));
      const Long at = (turn < -0.25L / static_cast<Long>(n) ? turn + 1 : turn) * static_cast<Long>(n);
      EXPECT_NEAR(at, std::round(at), 1e-13);
      seen[static_cast<size_t>(std::llround(at)) % static_cast<size_t>(n)] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), n);
  }
}

// The companion matrix of (x - 1) (x - 2) ... (x - 8).
TEST(LinalgSpectralKnown, CompanionMatricesHaveRoots) {
  const i64 n = 8;
  std::vector<Long> c = {1};  // the lowest coefficient first
  for (int root = 1; root <= n; ++root) {
    c.insert(c.begin(), 0);
    for (size_t i = 0; i + 1 < c.size(); ++i) c[i] -= root * c[i + 1];
  }
  const Formula companion = [c, n](i64 i, i64 j) {
    return Wide(j == n - 1 ? -c[static_cast<size_t>(i)] : i == j + 1 ? 1 : 0);
  };
  auto r = general(Matrix<double>(n, n, companion));
  ASSERT_TRUE(r.converged);
  std::sort(r.w.begin(), r.w.end(), [](auto a, auto b) { return a.re < b.re; });
  for (i64 k = 0; k < n; ++k) {
    EXPECT_NEAR(r.w[static_cast<size_t>(k)].re, static_cast<double>(k + 1), 1e-8);
    EXPECT_EQ(r.w[static_cast<size_t>(k)].im, 0);
  }
}

// A defective matrix's only eigenvalue is found with an error of eps^(1 / n), and the residual is small all the same.
TEST(LinalgSpectralKnown, DefectiveMatricesHaveNearlyParallelVectors) {
  const Matrix<double> shifted(4, 4, [](i64 i, i64 j) { return Wide(i == j ? 2 : i == j + 1 ? 1 : 0); });
  const auto r = expect_general(shifted);
  for (auto w : r.w) EXPECT_NEAR(std::hypot(w.re - 2, w.im), 0, 1e-3);
  for (i64 k = 0; k < 4; ++k) EXPECT_NEAR(std::abs(r.v.at(3, k)), 1, 1e-3);
}

// Demmel and Kahan: small singular values of bidiagonal matrices have small relative errors. Their product is that of
// the diagonal, and those of a graded matrix are near its diagonal elements.
TYPED_TEST(LinalgSpectral, FindsSmallSingularValues) {
  using R = gpo::real_of<TypeParam>;
  const i64 n = 10;
  const Long ratio = sizeof(R) == 8 ? 1e-9L : 1e-3L;
  for (bool upwards : {false, true}) {
    const auto d = [=](i64 i) { return std::pow(ratio, static_cast<Long>(upwards ? n - 1 - i : i)); };
    const Matrix<TypeParam> a(n, n, [&](i64 i, i64 j) {
      return Wide(i == j ? d(i) : j == i + 1 ? std::min(d(i), d(j)) * 0.5L : 0);
    });
    const auto r = svd(a);
    ASSERT_TRUE(r.converged);
    Long ratios = 1;
    for (i64 k = 0; k < n; ++k) ratios *= static_cast<Long>(r.s[static_cast<size_t>(k)]) / std::abs(a.at(k, k));
    EXPECT_NEAR(ratios, 1, 100 * epsilon<TypeParam>);
    for (i64 k = 0; k < n; ++k) {
      const Long exact = std::abs(a.at(upwards ? n - 1 - k : k, upwards ? n - 1 - k : k));
      EXPECT_NEAR(static_cast<Long>(r.s[static_cast<size_t>(k)]) / exact, 1, ratio * 2 + 100 * epsilon<TypeParam>);
    }
  }
}

// Triangular matrices have their eigenvalues on the diagonal, exactly, also with rows and columns in another order.
TYPED_TEST(LinalgSpectral, KeepsTriangularMatrices) {
  const i64 n = 12;
  const Matrix<TypeParam> full = random_matrix<TypeParam>(n, n, 4);
  const auto order = [](Wide x, Wide y) { return std::pair(x.real(), x.imag()) < std::pair(y.real(), y.imag()); };
  for (i64 step : {1, 5, 11}) {
    Matrix<TypeParam> a(n, n);
    std::vector<Wide> expected, found;
    for (i64 j = 0; j < n; ++j) {
      for (i64 i = 0; i <= j; ++i) a(i * step % n, j * step % n) = full.data[static_cast<size_t>(i + j * n)];
    }
    const auto r = expect_general(a);
    for (i64 k = 0; k < n; ++k) {
      expected.push_back(a.at(k, k));
      found.push_back(wide(r.w[static_cast<size_t>(k)]));
    }
    std::sort(expected.begin(), expected.end(), order);
    std::sort(found.begin(), found.end(), order);
    EXPECT_EQ(found, expected);
  }
}

// The secular equation in long double, at a distance from a pole: its value, the sum of its terms' absolute values, and
// how much it changes where the distance changes by its own size.
struct Secular {
  Long value, size, change;
};
template <class R, bool squares>
Secular secular(const std::vector<R> &d, const std::vector<R> &z, R constant, i64 origin, Long shift) {
  Secular r = {constant, constant, 0};
  const Long at = static_cast<Long>(d[static_cast<size_t>(origin)]);
  for (size_t i = 0; i < d.size(); ++i) {
    const Long pole = static_cast<Long>(d[i]), near = (pole - at) - shift, far = squares ? (pole + at) + shift : 1;
    const Long term = static_cast<Long>(z[i]) * static_cast<Long>(z[i]) / (near * far);
    r.value += term;
    r.size += std::abs(term);
    r.change += std::abs(term / (near * far) * shift * (squares ? 2 * at + shift : 1));
  }
  return r;
}
// Sees that every root is between its poles, and as near to the exact one as its number and the sum's rounding allow.
template <class R, bool squares>
void expect_roots(const std::vector<R> &d, const std::vector<R> &z, R constant) {
  const i64 n = static_cast<i64>(d.size());
  const gpo::linalg::SecularEquation<R, squares> f = {n, d.data(), z.data(), constant};
  for (i64 j = 0; j < n; ++j) {
    const auto root = gpo::linalg::find_root(f, j);
    const bool left = root.origin == j;
    ASSERT_TRUE(left || (root.origin == j + 1 && j + 1 < n)) << j;
    ASSERT_TRUE(left ? root.shift > 0 : root.shift < 0) << j;
    if (j + 1 < n) {
      EXPECT_LT(std::abs(root.shift), (d[static_cast<size_t>(j + 1)] - d[static_cast<size_t>(j)]) * R(0.51));
    }
    const Secular at = secular<R, squares>(d, z, constant, root.origin, static_cast<Long>(root.shift));
    EXPECT_LE(std::abs(at.value), epsilon<R> * (16 * at.size + 2 * at.change)) << "root " << j << " of " << n;
  }
}

// Poles that are evenly spread, or clustered, with weights from large ones down to the smallest that are kept.
TYPED_TEST(LinalgSpectral, SolvesSecularEquations) {
  using R = gpo::real_of<TypeParam>;
  std::mt19937 random(5);
  const auto unit = [&] { return static_cast<R>((random() >> 8) + 1) / static_cast<R>(1 << 24); };
  const int digits = sizeof(R) == 8 ? 13 : 5;
  for (int round = 0; round < 300; ++round) {
    const size_t n = 1 + random() % 70;
    std::vector<R> d(n), z(n);
    R at = 0;
    for (size_t i = 0; i < n; ++i) {
      d[i] = at;
      at += round % 3 ? unit() : std::pow(R(10), -static_cast<R>(random() % static_cast<unsigned>(digits)));
      z[i] = (random() % 2 ? 1 : -1) * (round % 2 ? unit() : std::pow(R(10), -static_cast<R>(digits) * unit()));
    }
    const R constant = round % 5 ? R(1) : unit();
    expect_roots<R, false>(d, z, constant);
    expect_roots<R, true>(d, z, constant);
  }
}

// A rotation of two columns of m elements, with real c and s.
template <class T, class R>
void rotate_columns(i64 m, R c, R s, T *x, T *y) {
  R *const left = gpo::linalg::parts(x), *const right = gpo::linalg::parts(y);
  for (i64 i = 0; i < m * gpo::linalg::components<T>; ++i) {
    const R a = left[i], b = right[i];
    left[i] = c * a + s * b;
    right[i] = c * b - s * a;
  }
}

// Sweeps that wait give the same bits as their rotations one by one: sweeps of any lengths, that begin at the same
// column or at others, in either direction, on any number of rows.
TYPED_TEST(LinalgSpectral, AppliesSweepsInOrder) {
  using R = gpo::real_of<TypeParam>;
  std::mt19937 random(11);
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 400; ++round) {
    const i64 m = 1 + below(round % 4 ? 40 : 200), n = 2 + below(20);
    Matrix<TypeParam> a = random_matrix<TypeParam>(m, n, static_cast<unsigned>(round)), expected = a;
    std::vector<R> work(static_cast<size_t>(gpo::linalg::sweeps_work<R>(n)));
    gpo::linalg::Sweeps<R> sweeps = gpo::linalg::make_sweeps(n, work.data());
    i64 first = 0, length = n - 1;
    int step = 1;
    for (i64 k = below(80); k-- > 0;) {
      if (below(4) == 0) {  // else as the sweep before, or shorter
        step = below(2) ? 1 : -1;
        first = below(n);
      }
      length = step > 0 ? n - 1 - first : first;
      if (below(3) == 0) length = below(length + 1);
      R *cs = gpo::linalg::begin_sweep(sweeps, first, step, length, m, a.data.data(), gpo::linalg::InOrder());
      for (i64 p = 0; p < length; ++p) {
        const R angle = static_cast<R>(random() % 1000) / 100;
        *cs++ = std::cos(angle);
        *cs++ = std::sin(angle);
        const i64 x = first + p * step;
        rotate_columns(m, cs[-2], cs[-1], &expected(0, x), &expected(0, x + step));
      }
    }
    gpo::linalg::apply_sweeps(m, sweeps, a.data.data(), gpo::linalg::InOrder());
    ASSERT_EQ(std::memcmp(a.data.data(), expected.data.data(), a.data.size() * sizeof(TypeParam)), 0) << round;
  }
}

}  // namespace

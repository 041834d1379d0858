// tests/unit/cpu_linalg_test.cpp -- what linear algebra adds to matrices, against loops of std::fma, and that every
// level and any threads give the bits of loops in order.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/linalg/products.h"
#include "plugins/cpu/products/gemm.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/shared/linalg/cholesky.h"
#include "plugins/shared/linalg/lu.h"
#include "plugins/shared/linalg/spectral.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cpu {
namespace {

namespace la = gpo::linalg;
using gpo::c128;
using gpo::c64;
using gpo::real_of;

template <class T>
std::vector<T> numbers(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<real_of<T>> normal;
  std::vector<T> x(static_cast<size_t>(count));
  for (T &element : x) {
    const real_of<T> re = normal(random);
    element = la::number<T>(re, gpo::is_complex<T> ? normal(random) : real_of<T>(0));
  }
  return x;
}
template <class T>
bool same_bits(const std::vector<T> &x, const std::vector<T> &y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

template <class T>
class LinalgOf : public testing::Test {
 protected:
  static constexpr int32_t dtype() {
    if (std::is_same_v<T, float>) return GPUOPT_FLOAT32;
    if (std::is_same_v<T, double>) return GPUOPT_FLOAT64;
    return std::is_same_v<T, c64> ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;
  }
  void SetUp() override { test::TestHost::install(); }
};
using Types = testing::Types<float, double, c64, c128>;
TYPED_TEST_SUITE(LinalgOf, Types);

// ---- Products

// An element's component c, to which the terms, in their order, are added.
template <class R>
R with_blocks(R c, const std::vector<std::pair<R, R>> &terms) {
  for (size_t first = 0; first < terms.size(); first += 512) {
    R sum = 0;
    for (size_t k = first; k < std::min(terms.size(), first + 512); k++)
      sum = std::fma(terms[k].first, terms[k].second, sum);
    c += sum;
  }
  return c;
}
template <class T>
T expected_element(T c, const la::View<T> &a, const la::View<T> &b, int64_t i, int64_t j, AddedTerms added) {
  using R = real_of<T>;
  std::vector<std::pair<R, R>> re, im;
  for (int64_t k = 0; k < a.columns; k++) {
    const R sign = added.negative ? R(-1) : R(1), part = added.conjugated ? -sign : sign;
    const T x = a.at(i, k), y = b.at(k, j);
    re.emplace_back(sign * la::re(x), la::re(y));
    if (!gpo::is_complex<T>) continue;
    re.emplace_back(-part * la::im(x), la::im(y));
    im.emplace_back(sign * la::re(x), la::im(y));
    im.emplace_back(part * la::im(x), la::re(y));
  }
  return la::number<T>(with_blocks(la::re(c), re), with_blocks(la::im(c), im));
}

template <class T>
Matrix matrix_of(const la::View<T> &x) {
  constexpr int64_t element = sizeof(T);
  return {reinterpret_cast<char *>(x.data), x.rows, x.columns, x.row * element, x.column * element};
}
// Row-major or column-major, with a gap.
template <class T>
la::View<T> laid_out(std::vector<T> &memory, int64_t m, int64_t n, bool rows) {
  return {memory.data(), m, n, rows ? n + 1 : 1, rows ? 1 : m + 1};
}

TYPED_TEST(LinalgOf, ProductsAreAddedInTheirOrder) {
  using T = TypeParam;
  const int64_t shapes[][3] = {{1, 1, 1},  {8, 8, 8},      {13, 9, 40},    {1, 70, 33},   {70, 1, 600},  {3, 90, 5},
                               {90, 3, 5}, {37, 41, 1100}, {130, 140, 64}, {20, 75, 530}, {12, 511, 30}, {9, 90, 5}};
  for (int level = 2; level <= isa_level(); level++) {
    for (const auto &[m, n, k] : shapes) {
      for (int way = 0; way < 32; way += m * n * k < 100000 ? 1 : 5) {
        const AddedTerms added = {(way & 1) != 0, (way & 2) != 0};
        std::vector<T> left = numbers<T>((m + 1) * (k + 1), 1), right = numbers<T>((k + 1) * (n + 1), 2),
                       sum = numbers<T>((m + 1) * (n + 1), 3);
        const la::View<T> a = laid_out(left, m, k, way & 4), b = laid_out(right, k, n, way & 8),
                          c = laid_out(sum, m, n, way & 16);
        std::vector<T> expected = sum;
        for (int64_t i = 0; i < m; i++) {
          for (int64_t j = 0; j < n; j++) {
            T &element = expected[static_cast<size_t>(&c.at(i, j) - sum.data())];
            element = expected_element(element, a, b, i, j, added);
          }
        }
        std::vector<T> by_definition = sum;
        const la::View<T> other = laid_out(by_definition, m, n, way & 16);
        la::InOrder().add_product(other, a, b, la::Terms{added.negative, added.conjugated});
        EXPECT_TRUE(same_bits(by_definition, expected)) << m << " x " << n << " x " << k << ", " << way;
        ASSERT_TRUE(multiply_add(this->dtype(), level, added, matrix_of(a), matrix_of(b), matrix_of(c)));
        ASSERT_TRUE(same_bits(sum, expected))
            << "level " << level << ": " << m << " x " << n << " x " << k << ", " << way;
      }
    }
  }
}

TYPED_TEST(LinalgOf, WithoutMemoryNothingIsAdded) {
  using T = TypeParam;
  std::vector<T> left = numbers<T>(40 * 40, 1), right = left, sum = left;
  const std::vector<T> before = sum;
  const la::View<T> a = la::view_of(left.data(), 40, 40), b = la::view_of(right.data(), 40, 40),
                    c = la::view_of(sum.data(), 40, 40);
  Allocator::get().trim();
  Allocator::get().set_limit(1);
  const bool added = multiply_add(this->dtype(), {true, false}, matrix_of(a), matrix_of(b), matrix_of(c));
  Allocator::get().set_limit(0);
  EXPECT_FALSE(added);
  EXPECT_TRUE(same_bits(sum, before));
}

// ---- Algorithms

// What one way of running gives, one array after the other.
template <class T>
struct Results {
  std::vector<std::vector<T>> arrays;
  std::vector<std::vector<real_of<T>>> reals;
  std::vector<int64_t> pivots;
  bool answers = true;

  bool operator==(const Results &other) const {
    bool same = pivots == other.pivots && answers == other.answers;
    for (size_t i = 0; i < arrays.size(); i++) same = same && same_bits(arrays[i], other.arrays[i]);
    for (size_t i = 0; i < reals.size(); i++) same = same && same_bits(reals[i], other.reals[i]);
    return same;
  }
};

// The functions of a level under one set of names with those of InOrder.
template <class T, class Functions, class Run>
Results<T> run_all(int64_t n, const Functions &f, const Run &run) {
  using R = real_of<T>;
  Results<T> to;
  const auto keep = [&](std::vector<T> &x) { to.arrays.push_back(x); };
  const auto work = [](int64_t count) { return std::vector<R>(static_cast<size_t>(count * 2 + 64)); };
  std::vector<T> a = numbers<T>(n * n, 7), b = numbers<T>(n * 5, 8), tau(static_cast<size_t>(n)), q = a, u = a, vh = a;
  std::vector<R> w(static_cast<size_t>(n));
  to.pivots.resize(static_cast<size_t>(n));
  f.factorize_lu(n, n, a.data(), to.pivots.data(), run);
  keep(a);
  f.solve_lu(la::view_of(a.data(), n, n), to.pivots.data(), la::view_of(b.data(), n, int64_t{5}), run);
  keep(b);
  a = numbers<T>(n * n, 9);
  std::vector<R> memory = work(2 * la::qr_work<T>(n, n));
  std::vector<T> triangles(static_cast<size_t>(la::kept_work(la::kept_reflections(n, n))));
  const la::KeptTriangles<T> kept = {triangles.data(), la::kept_reflections(n, n)};
  f.factorize_qr(n, n, a.data(), tau.data(), reinterpret_cast<T *>(memory.data()), run, kept);
  f.form_q(n, n, n, a.data(), tau.data(), q.data(), reinterpret_cast<T *>(memory.data()), run, kept);
  keep(a), keep(q);
  for (int64_t i = 0; i < n * n; i++)
    a[static_cast<size_t>(i)] =
        i % (n + 1) == 0 ? la::number<T>(R(2 * n)) : numbers<T>(1, static_cast<unsigned>(i % 50))[0];
  to.answers = f.factorize_cholesky(n, a.data(), run);
  keep(a);
  a = numbers<T>(n * n, 10);
  memory = work(la::symmetric_eigen_work<T>(n));
  to.answers = f.symmetric_eigen(n, a.data(), w.data(), true, memory.data(), run) && to.answers;
  keep(a), to.reals.push_back(w);
  a = numbers<T>(n * n, 11);
  memory = work(la::svd_work<T>(n, n));
  to.answers = f.svd(n, n, a.data(), w.data(), u.data(), vh.data(), memory.data(), run) && to.answers;
  keep(u), keep(vh), to.reals.push_back(w);
  a = numbers<T>(n * n, 12);
  memory = work(la::general_eigen_work<T>(n));
  std::vector<gpo::cplx<R>> values(static_cast<size_t>(n)), vectors(static_cast<size_t>(n * n));
  to.answers = f.general_eigen(n, a.data(), values.data(), vectors.data(), memory.data(), run) && to.answers;
  for (const auto &list : {values, vectors}) {
    std::vector<R> parts;
    for (const auto &z : list) parts.push_back(z.re), parts.push_back(z.im);
    to.reals.push_back(parts);
  }
  return to;
}

// The definition, for a runner of a type of its own.
struct InOrderFunctions {
  template <class... A>
  static auto factorize_lu(A... a) {
    return la::factorize_lu(a...);
  }
  template <class... A>
  static auto solve_lu(A... a) {
    return la::solve_lu(a...);
  }
  template <class T>
  static auto factorize_qr(int64_t m, int64_t n, T *a, T *tau, T *memory, const la::InOrder &run,
                           la::KeptTriangles<T> /*unused: form_q() computes all triangles*/) {
    return la::factorize_qr(gpo::i64{m}, gpo::i64{n}, a, tau, memory, run);
  }
  template <class T>
  static auto form_q(int64_t m, int64_t columns, int64_t count, T *a, const T *tau, T *q, T *memory,
                     const la::InOrder &run, la::KeptTriangles<T> /*unused*/) {
    return la::form_q(gpo::i64{m}, gpo::i64{columns}, gpo::i64{count}, a, tau, q, memory, run);
  }
  template <class... A>
  static auto factorize_cholesky(A... a) {
    return la::factorize_cholesky(a...);
  }
  template <class... A>
  static auto symmetric_eigen(A... a) {
    return la::symmetric_eigen(a...);
  }
  template <class... A>
  static auto svd(A... a) {
    return la::svd(a...);
  }
  template <class... A>
  static auto general_eigen(A... a) {
    return la::general_eigen(a...);
  }
};

TYPED_TEST(LinalgOf, LevelsAndThreadsGiveTheBitsOfLoopsInOrder) {
  using T = TypeParam;
  for (const int64_t n : {1, 5, 8, 9, 33, 72, 150}) {
    const Results<T> expected = run_all<T>(n, InOrderFunctions(), la::InOrder());
    EXPECT_TRUE(expected.answers) << n;
    for (int level = 2; level <= isa_level(); level++) {
      for (const bool threads : {false, true}) {
        const Runner runner = make_runner(threads, nullptr);
        const Results<T> got = run_all<T>(n, linalg_loops(level).of<T>(), runner.how);
        EXPECT_TRUE(got == expected) << n << " rows, level " << level << (threads ? ", on threads" : "");
      }
    }
  }
}

TYPED_TEST(LinalgOf, ThePivotIsTheFirstOfTheGreatest) {
  using T = TypeParam;
  using R = real_of<T>;
  const auto size_of = [](T x) { return std::fabs(la::re(x)) + std::fabs(la::im(x)); };
  for (int64_t m = 1; m < 70; m++) {
    for (unsigned seed = 0; seed < 40; seed++) {
      std::vector<T> column = numbers<T>(m, seed + 100);
      // Many are as large as each other, as rounded numbers are, and all in some columns; some are NaN, or infinite.
      for (T &x : column) x = la::number<T>(std::round(R(seed % 4) * la::re(x)), R(0));
      const size_t at = (seed * 7) % static_cast<size_t>(m), other = (seed * 13) % static_cast<size_t>(m);
      if (seed % 5 == 1) column[at] = column[other] = la::number<T>(std::numeric_limits<R>::quiet_NaN());
      if (seed % 5 == 2) column[at] = column[other] = la::number<T>(-std::numeric_limits<R>::infinity());
      const int64_t first = seed % 3 < m ? seed % 3 : 0;
      int64_t expected = first;
      for (int64_t i = first; i < m; i++) {
        const R best = size_of(column[static_cast<size_t>(expected)]), here = size_of(column[static_cast<size_t>(i)]);
        if (!std::isnan(best) && (std::isnan(here) || here > best)) expected = i;
      }
      EXPECT_EQ(la::pivot_row(first, gpo::i64{m}, column.data()), expected) << m << " rows, seed " << seed;
    }
  }
}

template <class T>
void test_transposes(int level) {
  const auto transpose = linalg_loops(level).of<T>().transpose;
  for (int64_t m = 0; m < 22; m++) {
    for (int64_t n = 0; n < 22; n++) {
      const int64_t row = n + 3, column = m + 2;
      const std::vector<T> from = numbers<T>((m + 1) * row, 5);
      std::vector<T> to(static_cast<size_t>((n + 1) * column), T(7)), expected = to;
      for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++)
          expected[static_cast<size_t>(i + j * column)] = from[static_cast<size_t>(i * row + j)];
      }
      transpose(m, n, from.data(), row, to.data(), column);
      EXPECT_EQ(to, expected) << m << " rows and " << n << " columns, level " << level;
    }
  }
}
TEST(Linalg, TransposesWriteNothingElse) {
  for (int level = 2; level <= isa_level(); level++) test_transposes<float>(level), test_transposes<double>(level);
}

}  // namespace
}  // namespace gpuopt::cpu

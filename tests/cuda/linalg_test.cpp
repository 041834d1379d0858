// tests/cuda/linalg_test.cpp -- the slot linalg on the device: the bits of the shared algorithms carried out in order
// (plugins/shared/linalg), for every kind that the device computes, sizes around the edges of blocks, stacks, layouts,
// matrices without an answer, and a fault in any call of the driver.
#include <limits>
#include <random>
#include <utility>

#include "plugins/shared/linalg/cholesky.h"
#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/lu.h"
#include "tests/cuda/library_support.h"

namespace gpuopt::cuda {
namespace {

namespace la = gpo::linalg;
using gpo::c128;
using gpo::c64;
using test::Array;
using test::Layout;
using test::Shape;

template <class T>
constexpr int32_t linalg_dtype = gpo::is_complex<T> ? (sizeof(T) == 8 ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128)
                                                    : (sizeof(T) == 4 ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64);

// A column-major matrix, or vector (one column), of a stack in C order.
template <class T>
struct Columns {
  int64_t m, n;
  std::vector<T> data;
  Columns(int64_t rows, int64_t columns) : m(rows), n(columns), data(static_cast<size_t>(rows * columns)) {}
  Columns(Array &from, int64_t index, int64_t rows, int64_t columns) : Columns(rows, columns) {
    for (int64_t i = 0; i < m; i++) {
      for (int64_t j = 0; j < n; j++) at(i, j) = from.get<T>((index * m + i) * n + j);
    }
  }
  T &at(int64_t i, int64_t j) { return data[static_cast<size_t>(i + j * m)]; }
  la::View<T> view() { return la::view_of(data.data(), m, n); }
  Columns transposed(bool conjugated) {
    Columns to(n, m);
    for (int64_t i = 0; i < m; i++) {
      for (int64_t j = 0; j < n; j++) to.at(j, i) = conjugated ? la::conj(at(i, j)) : at(i, j);
    }
    return to;
  }
  // Whether these are the bits of a matrix of `from`.
  bool is_in(Array &from, int64_t index) {
    const Columns other(from, index, m, n);
    return data.empty() || std::memcmp(data.data(), other.data.data(), data.size() * sizeof(T)) == 0;
  }
};

template <class T>
void fill_linalg(Array &x, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < x.size(); i++) {
    const auto re = static_cast<gpo::real_of<T>>(random() % 16 ? uniform(random) : 0);
    x.set(i, la::number<T>(re, gpo::is_complex<T> ? static_cast<gpo::real_of<T>>(uniform(random)) : 0));
  }
}

struct Pivoted {
  std::vector<int64_t> pivots, order;
};
// Replaces a by its factors.
template <class T>
Pivoted factorized(Columns<T> &a) {
  Pivoted made{std::vector<int64_t>(static_cast<size_t>(std::min(a.m, a.n))), {}};
  std::vector<gpo::i64> rows(made.pivots.size());
  la::factorize_lu(gpo::i64{a.m}, gpo::i64{a.n}, a.data.data(), rows.data(), la::InOrder());
  for (int64_t i = 0; i < a.m; i++) made.order.push_back(i);
  for (size_t i = 0; i < rows.size(); i++) {
    made.pivots[i] = rows[i];
    std::swap(made.order[i], made.order[static_cast<size_t>(rows[i])]);
  }
  return made;
}
template <class T>
void solve_with(Columns<T> &lu, const Pivoted &by, int64_t trans, Columns<T> &b) {
  const std::vector<gpo::i64> pivots(by.pivots.begin(), by.pivots.end());
  if (trans == 0) return la::solve_lu(lu.view(), pivots.data(), b.view(), la::InOrder());
  Columns<T> turned = lu.transposed(trans == 2);
  la::solve_triangle(la::Triangle<T>{turned.view(), true, false}, b.view(), la::InOrder());
  la::solve_triangle(la::Triangle<T>{turned.view(), false, true}, b.view(), la::InOrder());
  for (int64_t j = 0; j < b.n; j++) {
    for (int64_t k = b.m; k-- > 0;) std::swap(b.at(k, j), b.at(pivots[static_cast<size_t>(k)], j));
  }
}

// The layouts of a call's tensors.
struct Ways {
  Layout from = Layout::kC, to = Layout::kC;
};

class Linalg : public LibraryTest {
 protected:
  std::vector<int64_t> ints;

  void call(int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> more = {}) {
    ints = std::move(more);
    ints.insert(ints.begin(), 77);
    ASSERT_EQ((run<&slots::linalg>(kind, arrays, ints, &error)), GPUOPT_OK) << error.message;
  }
  static Shape stacked(const Shape &stack, std::initializer_list<int64_t> own) {
    Shape shape = stack;
    shape.insert(shape.end(), own);
    return shape;
  }

  template <class T>
  void check_lu(const Shape &stack, int64_t m, int64_t n, Ways ways = {}) {
    const int64_t k = std::min(m, n), count = test::count_of(stack);
    SCOPED_TRACE("lu " + std::to_string(m) + " x " + std::to_string(n) + " of " + std::to_string(sizeof(T)));
    Array a(linalg_dtype<T>, stacked(stack, {m, n}), ways.from, 2), out(linalg_dtype<T>, a.shape(), ways.to, 3);
    Array pivots(GPUOPT_INT64, stacked(stack, {k}), ways.to, 4), order(GPUOPT_INT64, stacked(stack, {m}), ways.to, 5);
    fill_linalg<T>(a, static_cast<unsigned>(m));
    call(GPUOPT_CALL_LU, {&a, &out, &pivots, &order});
    EXPECT_EQ(ints[0], -1);
    for (int64_t index = 0; index < count; index++) {
      Columns<T> lu(a, index, m, n);
      const Pivoted made = factorized(lu);
      ASSERT_TRUE(lu.is_in(out, index)) << index;
      for (int64_t i = 0; i < k; i++)
        ASSERT_EQ(pivots.get<int64_t>(index * k + i), made.pivots[static_cast<size_t>(i)]);
      for (int64_t i = 0; i < m; i++) ASSERT_EQ(order.get<int64_t>(index * m + i), made.order[static_cast<size_t>(i)]);
    }
  }

  template <class T>
  void check_det(const Shape &stack, int64_t n, Ways ways = {}) {
    SCOPED_TRACE("det " + std::to_string(n) + " of " + std::to_string(sizeof(T)));
    Array a(linalg_dtype<T>, stacked(stack, {n, n}), ways.from, 2), out(linalg_dtype<T>, stack, ways.to, 3);
    fill_linalg<T>(a, static_cast<unsigned>(n));
    call(GPUOPT_CALL_DET, {&a, &out});
    for (int64_t index = 0; index < test::count_of(stack); index++) {
      Columns<T> lu(a, index, n, n), expected(1, 1);
      const Pivoted made = factorized(lu);
      const std::vector<gpo::i64> pivots(made.pivots.begin(), made.pivots.end());
      expected.data[0] = la::determinant(gpo::i64{n}, lu.data.data(), pivots.data());
      ASSERT_TRUE(expected.is_in(out, index)) << index;
    }
  }

  template <class T>
  void check_solve(const Shape &stack, int64_t n, int64_t p, Ways ways = {}) {
    SCOPED_TRACE("solve " + std::to_string(n) + ", " + std::to_string(p) + " of " + std::to_string(sizeof(T)));
    Array a(linalg_dtype<T>, stacked(stack, {n, n}), ways.from, 2),
        b(linalg_dtype<T>, stacked(stack, {n, p}), ways.from), out(linalg_dtype<T>, b.shape(), ways.to, 3);
    fill_linalg<T>(a, static_cast<unsigned>(n));
    fill_linalg<T>(b, static_cast<unsigned>(p));
    for (int64_t i = 0; i < a.size(); i++) {  // rows have to be exchanged, and no matrix is singular
      if ((i / n + 1) % n == i % n) a.set(i, la::number<T>(static_cast<gpo::real_of<T>>(2 * n)));
    }
    call(GPUOPT_CALL_SOLVE, {&a, &b, &out});
    ASSERT_EQ(ints[0], -1);
    for (int64_t index = 0; index < test::count_of(stack); index++) {
      Columns<T> lu(a, index, n, n), x(b, index, n, p);
      const Pivoted made = factorized(lu);
      solve_with(lu, made, 0, x);
      ASSERT_TRUE(x.is_in(out, index)) << index;
    }
  }

  template <class T>
  void check_solve_lu(const Shape &stack, int64_t n, int64_t p, int64_t trans, Ways ways = {}) {
    SCOPED_TRACE("solve_lu " + std::to_string(n) + ", " + std::to_string(trans) + " of " + std::to_string(sizeof(T)));
    Array a(linalg_dtype<T>, stacked(stack, {n, n}), ways.to, 2), b(linalg_dtype<T>, stacked(stack, {n, p}), ways.from);
    Array out(linalg_dtype<T>, b.shape(), ways.to, 3), pivots(GPUOPT_INT64, stacked(stack, {n}), ways.to, 4);
    fill_linalg<T>(a, static_cast<unsigned>(n));
    fill_linalg<T>(b, static_cast<unsigned>(p));
    std::vector<Pivoted> all;
    for (int64_t index = 0; index < test::count_of(stack); index++) {
      Columns<T> lu(a, index, n, n);
      all.push_back(factorized(lu));
      for (int64_t i = 0; i < n * n; i++) a.set(index * n * n + i, lu.at(i / n, i % n));
      for (int64_t i = 0; i < n; i++) pivots.set(index * n + i, all.back().pivots[static_cast<size_t>(i)]);
    }
    call(GPUOPT_CALL_SOLVE_LU, {&a, &pivots, &b, &out}, {trans});
    ASSERT_EQ(ints[0], -1);
    for (size_t index = 0; index < all.size(); index++) {
      const auto at = static_cast<int64_t>(index);
      Columns<T> lu(a, at, n, n), x(b, at, n, p);
      solve_with(lu, all[index], trans, x);
      ASSERT_TRUE(x.is_in(out, at)) << index;
    }
  }

  template <class T>
  void check_triangular(const Shape &stack, int64_t n, int64_t p, int flags, int64_t trans, Ways ways = {}) {
    SCOPED_TRACE("triangle " + std::to_string(n) + ", " + std::to_string(flags) + " " + std::to_string(trans) + " of " +
                 std::to_string(sizeof(T)));
    Array a(linalg_dtype<T>, stacked(stack, {n, n}), ways.from, 2),
        b(linalg_dtype<T>, stacked(stack, {n, p}), ways.from), out(linalg_dtype<T>, b.shape(), ways.to, 3);
    fill_linalg<T>(a, static_cast<unsigned>(n));
    fill_linalg<T>(b, static_cast<unsigned>(p));
    for (int64_t i = 0; i < a.size(); i++) {
      if (i / n % n == i % n) a.set(i, la::number<T>(2));
    }
    call(GPUOPT_CALL_SOLVE_TRIANGULAR, {&a, &b, &out}, {flags & 1, flags >> 1, trans});
    ASSERT_EQ(ints[0], -1);
    for (int64_t index = 0; index < test::count_of(stack); index++) {
      Columns<T> given(a, index, n, n), x(b, index, n, p);
      Columns<T> triangle = trans ? given.transposed(trans == 2) : given;
      const bool lower = ((flags & 1) != 0) != (trans != 0);
      la::solve_triangle(la::Triangle<T>{triangle.view(), lower, (flags & 2) != 0}, x.view(), la::InOrder());
      ASSERT_TRUE(x.is_in(out, index)) << index;
    }
  }

  template <class T>
  void check_cholesky(const Shape &stack, int64_t n, bool upper, Ways ways = {}) {
    SCOPED_TRACE("cholesky " + std::to_string(n) + " of " + std::to_string(sizeof(T)));
    Array a(linalg_dtype<T>, stacked(stack, {n, n}), ways.from, 2), out(linalg_dtype<T>, a.shape(), ways.to, 3);
    fill_linalg<T>(a, static_cast<unsigned>(n));
    for (int64_t index = 0; index < test::count_of(stack); index++) {
      for (int64_t i = 0; i < n; i++) {
        const auto size = static_cast<gpo::real_of<T>>(2 * n);
        a.set((index * n + i) * n + i, la::number<T>(size, gpo::is_complex<T> ? size : 0));
      }
    }
    call(GPUOPT_CALL_CHOLESKY, {&a, &out}, {upper});
    ASSERT_EQ(ints[0], -1);
    for (int64_t index = 0; index < test::count_of(stack); index++) {
      Columns<T> given(a, index, n, n), l = upper ? given.transposed(true) : given;
      ASSERT_TRUE(la::factorize_cholesky(gpo::i64{n}, l.data.data(), la::InOrder()));
      ASSERT_TRUE((upper ? l.transposed(true) : l).is_in(out, index)) << index;
    }
  }

  // `columns` of q, or 0 for r alone.
  template <class T>
  void check_qr(const Shape &stack, int64_t m, int64_t n, int64_t columns, Ways ways = {}) {
    SCOPED_TRACE("qr " + std::to_string(m) + " x " + std::to_string(n) + ", " + std::to_string(columns) + " of " +
                 std::to_string(sizeof(T)));
    const int64_t k = std::min(m, n), rows = columns > k ? m : k;
    Array a(linalg_dtype<T>, stacked(stack, {m, n}), ways.from, 2),
        r(linalg_dtype<T>, stacked(stack, {rows, n}), ways.to);
    Array q(linalg_dtype<T>, stacked(stack, {m, columns}), ways.to, 3);
    fill_linalg<T>(a, static_cast<unsigned>(m));
    call(GPUOPT_CALL_QR, columns ? std::vector<Array *>{&a, &q, &r} : std::vector<Array *>{&a, &r});
    EXPECT_EQ(ints[0], -1);
    for (int64_t index = 0; index < test::count_of(stack); index++) {
      Columns<T> left(a, index, m, n), tau(k, 1), upper(rows, n), full(m, columns);
      std::vector<T> work(static_cast<size_t>(la::panel_work<T>(m, std::max(n, columns))));
      la::factorize_qr(gpo::i64{m}, gpo::i64{n}, left.data.data(), tau.data.data(), work.data(), la::InOrder());
      la::form_q(gpo::i64{m}, gpo::i64{columns}, gpo::i64{k}, left.data.data(), tau.data.data(), full.data.data(),
                 work.data(), la::InOrder());
      for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = i; j < n; j++) upper.at(i, j) = left.at(i, j);
      }
      ASSERT_TRUE(upper.is_in(r, index)) << index;
      ASSERT_TRUE(columns == 0 || full.is_in(q, index)) << index;
    }
  }

  // Few sizes for each type, as kernels of a type are compiled slowly on the stand-in.
  template <class T>
  void check_all(const Shape &stack, int64_t n, int64_t p, Ways ways = {}) {
    check_lu<T>(stack, n, n, ways);
    check_det<T>(stack, n, ways);
    check_solve<T>(stack, n, p, ways);
    for (int64_t trans = 0; trans < 3; trans++) {
      check_solve_lu<T>(stack, n, p, trans, ways);
      check_triangular<T>(stack, n, p, static_cast<int>((n + trans) % 4), trans, ways);
    }
    for (const bool upper : {false, true}) check_cholesky<T>(stack, n, upper, ways);
  }
};

TEST_F(Linalg, Float32OfEverySizeAndLayout) {
  for (const int64_t n : {1, 2, 7, 8, 9, 16, 17, 31, 48}) check_all<float>({3}, n, n % 3 + 1);
  for (const auto &[m, n] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 9}, {9, 1}, {12, 30}, {30, 12}, {3, 5}, {5, 3}})
    check_lu<float>({2}, m, n);
  for (int flags = 0; flags < 4; flags++) {
    for (int64_t trans = 0; trans < 3; trans++) check_triangular<float>({2}, 19, 3, flags, trans);
  }
  for (const Layout to : test::kWritableLayouts) check_all<float>({3}, 9, 3, {to, to});
  check_solve<float>({4}, 10, 2, {Layout::kGaps, Layout::kFortran});
  check_lu<float>({4, 2}, 10, 12, {Layout::kBroadcast, Layout::kC});
  check_solve<float>({}, 5, 1);
}

TEST_F(Linalg, Float32Qr) {
  for (const auto &[m, n] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {2, 2}, {8, 8}, {9, 9}, {1, 9}, {9, 1}, {33, 20}, {20, 33}, {7, 12}}) {
    for (const int64_t columns : {int64_t{0}, std::min(m, n), m}) check_qr<float>({2}, m, n, columns);
  }
  for (const Layout to : test::kWritableLayouts) check_qr<float>({3}, 11, 9, 9, {to, to});
  check_qr<float>({1}, 75, 70, 75);  // two panels, in global memory
  check_qr<float>({1}, 70, 90, 70);
  check_qr<float>({2}, 3, 0, 3);
}

// Two kinds at least for each type: the stand-in compiles kernels slowly.
TEST_F(Linalg, OtherTypes) {
  check_lu<double>({2}, 26, 26);
  check_solve_lu<double>({2}, 20, 2, 1);
  check_qr<double>({2}, 26, 20, 20);
  check_cholesky<c64>({2}, 21, true);
  check_solve<c64>({2}, 21, 2);
  check_qr<c64>({2}, 12, 20, 12);
  check_det<c128>({2}, 18);
  check_solve_lu<c128>({2}, 18, 2, 2);
  check_triangular<c128>({2}, 18, 2, 1, 2);
  check_cholesky<c128>({2}, 18, false);
  check_qr<c128>({2}, 20, 18, 20);
}

// What does not fit into shared memory, and products of more than 512 terms.
TEST_F(Linalg, LargeMatrices) {
  check_lu<float>({1}, 105, 91);
  check_solve<float>({1}, 110, 3);
  check_cholesky<float>({1}, 100, false);
  check_qr<float>({16}, 600, 10, 0);
}

// More matrices than there are blocks.
TEST_F(Linalg, ManyMatrices) {
  check_det<float>({300}, 2);
  check_solve<float>({200}, 3, 1);
}

TEST_F(Linalg, EmptyArrays) {
  check_lu<float>({2}, 0, 3);
  check_lu<float>({2}, 3, 0);
  check_lu<float>({0}, 3, 3);
  check_det<float>({3}, 0);
  check_solve<float>({2}, 0, 2);
  check_solve<float>({0}, 3, 2);
  check_cholesky<float>({2}, 0, false);
  Array a(GPUOPT_FLOAT32, {2, 2}), b(GPUOPT_FLOAT32, {2, 0}), out = b;
  for (int64_t i = 0; i < 4; i++) a.set(i, 0.0f);  // as there is no right side, the matrix is not looked at
  call(GPUOPT_CALL_SOLVE, {&a, &b, &out});
  EXPECT_EQ(ints[0], -1);
}

// The first matrix without an answer is reported.
TEST_F(Linalg, MatricesWithoutAnAnswer) {
  Array a(GPUOPT_FLOAT32, {5, 9, 9}), b(GPUOPT_FLOAT32, {5, 9, 1}), out(GPUOPT_FLOAT32, {5, 9, 1});
  Array factor(GPUOPT_FLOAT32, {5, 9, 9}), pivots(GPUOPT_INT64, {5, 9});
  fill_linalg<float>(b, 1);
  for (int64_t i = 0; i < a.size(); i++) {
    const int64_t index = i / 81, row = i / 9 % 9, column = i % 9;
    a.set(i, row == column && !(index >= 2 && row == 8 && index != 3) ? 1.0f : 0.0f);
  }
  for (int64_t i = 0; i < 45; i++) pivots.set(i, i % 9);
  call(GPUOPT_CALL_SOLVE, {&a, &b, &out});
  EXPECT_EQ(ints[0], 2);
  call(GPUOPT_CALL_CHOLESKY, {&a, &factor}, {0});
  EXPECT_EQ(ints[0], 2);
  call(GPUOPT_CALL_SOLVE_TRIANGULAR, {&a, &b, &out}, {1, 0, 0});
  EXPECT_EQ(ints[0], 2);
  call(GPUOPT_CALL_SOLVE_TRIANGULAR, {&a, &b, &out}, {1, 1, 0});
  EXPECT_EQ(ints[0], -1);
  call(GPUOPT_CALL_SOLVE_LU, {&a, &pivots, &b, &out}, {0});
  EXPECT_EQ(ints[0], 2);
  a.set(0, -1.0f);
  call(GPUOPT_CALL_CHOLESKY, {&a, &factor}, {0});
  EXPECT_EQ(ints[0], 0);
}

TEST_F(Linalg, InfinityAndNaN) {
  Array a(GPUOPT_FLOAT32, {3, 12, 12}), out = a, factor = a, pivots(GPUOPT_INT64, {3, 12}), order = pivots;
  fill_linalg<float>(a, 3);
  a.set(40, std::numeric_limits<float>::quiet_NaN());
  a.set(144 + 30, std::numeric_limits<float>::infinity());
  for (int64_t i = 0; i < 12; i++) a.set(288 + 12 * i, 0.0f);  // a column without a pivot
  call(GPUOPT_CALL_LU, {&a, &out, &pivots, &order});
  for (int64_t index = 0; index < 3; index++) {
    Columns<float> lu(a, index, 12, 12), got(out, index, 12, 12);
    const Pivoted made = factorized(lu);
    for (size_t i = 0; i < lu.data.size(); i++)
      ASSERT_TRUE(lu.data[i] == got.data[i] || (lu.data[i] != lu.data[i] && got.data[i] != got.data[i])) << i;
    for (int64_t i = 0; i < 12; i++)
      ASSERT_EQ(pivots.get<int64_t>(index * 12 + i), made.pivots[static_cast<size_t>(i)]) << index << " " << i;
  }
  a.set(0, std::numeric_limits<float>::infinity());
  call(GPUOPT_CALL_CHOLESKY, {&a, &factor}, {0});
  EXPECT_EQ(ints[0], 0);
}

TEST_F(Linalg, TheFirstOfEqualPivotsIsTaken) {
  constexpr int64_t n = 40;
  Array a(GPUOPT_FLOAT32, {n, n}), out = a, pivots(GPUOPT_INT64, {n}), order = pivots;
  for (int64_t i = 0; i < a.size(); i++) a.set(i, i * 7919 % 13 < 6 ? 1.0f : -1.0f);
  call(GPUOPT_CALL_LU, {&a, &out, &pivots, &order});
  Columns<float> lu(a, 0, n, n);
  const Pivoted made = factorized(lu);
  for (int64_t i = 0; i < n; i++) EXPECT_EQ(pivots.get<int64_t>(i), made.pivots[static_cast<size_t>(i)]) << i;
  EXPECT_EQ(pivots.get<int64_t>(0), 0);
}

TEST_F(Linalg, PivotsAreChecked) {
  Array a(GPUOPT_FLOAT32, {2, 4, 4}), b(GPUOPT_FLOAT32, {2, 4, 1}), out = b, pivots(GPUOPT_INT64, {2, 4});
  fill_linalg<float>(a, 1);
  fill_linalg<float>(b, 2);
  for (int64_t i = 0; i < 8; i++) pivots.set(i, int64_t{3});
  pivots.set(6, int64_t{-5});
  pivots.set(7, int64_t{4});
  ints = {0, 0};
  EXPECT_EQ((run<&slots::linalg>(GPUOPT_CALL_SOLVE_LU, {&a, &pivots, &b, &out}, ints, &error)), GPUOPT_ERR_INDEX);
  EXPECT_STREQ(error.message, "pivot -5 is out of bounds for 4 rows");
}

TEST_F(Linalg, AFaultInAnyCallIsReportedAndTheNextCallWorks) {
  for (const int64_t n : {6, 92}) {
    Array a(GPUOPT_FLOAT32, {1, n, n}), b(GPUOPT_FLOAT32, {1, n, 1}), out = b;
    fill_linalg<float>(a, 1);
    fill_linalg<float>(b, 2);
    const std::vector<Array> given = {a, b, out};
    expect_faults_reported<&slots::linalg>(GPUOPT_CALL_SOLVE, [&] { return given; }, {0});
  }
}

TEST_F(Linalg, WhatTheCpuDoesIsUnsupported) {
  Array a(GPUOPT_FLOAT32, {129, 129}), out(GPUOPT_FLOAT32, {}), r = a;
  ints = {0};
  EXPECT_EQ((run<&slots::linalg>(GPUOPT_CALL_DET, {&a, &out}, ints, &error)), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ((run<&slots::linalg>(GPUOPT_CALL_EIG, {&a, &r}, ints, &error)), GPUOPT_ERR_UNSUPPORTED);
  Array integers(GPUOPT_INT32, {2, 2}), one(GPUOPT_INT32, {});
  EXPECT_EQ((run<&slots::linalg>(GPUOPT_CALL_DET, {&integers, &one}, ints, &error)), GPUOPT_ERR_TYPE);
}

}  // namespace
}  // namespace gpuopt::cuda

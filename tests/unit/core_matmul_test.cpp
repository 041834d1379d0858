// tests/unit/core_matmul_test.cpp -- products and norms against sums written out here, with and without the backend's
// slot.
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "tests/unit/core_bare_device.h"

using namespace support;

namespace {

class Products : public OnBothDevices {
 protected:
  using Call = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_error *);
  Array call(Call f, const Array &a, const Array &b) {
    Result r;
    return r.take(f(a.get(), b.get(), &r.array, &r.error));
  }
  std::string failure(Call f, const Array &a, const Array &b, gpuopt_status code) {
    Result r;
    EXPECT_EQ(f(a.get(), b.get(), &r.array, &r.error), code);
    return r.error.message;
  }
  Array matmul(const Array &a, const Array &b) { return call(gpuopt_matmul, a, b); }
};
INSTANTIATE_TEST_SUITE_P(Devices, Products, ::testing::Bool(), device_title);

// Small integers, so that sums are exact in every dtype whatever the order.
template <class T>
std::vector<T> small_values(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &v : values) v = static_cast<T>(static_cast<int>(random() % 7) - 3);
  return values;
}

// (batch, m, k) @ (batch, k, n), by the definition.
template <class T>
std::vector<T> product(const std::vector<T> &a, const std::vector<T> &b, size_t batch, size_t m, size_t k, size_t n) {
  std::vector<T> c(batch * m * n, T{});
  for (size_t q = 0; q < batch; ++q)
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t l = 0; l < k; ++l)
          c[(q * m + i) * n + j] =
              static_cast<T>(c[(q * m + i) * n + j] + a[(q * m + i) * k + l] * b[(q * k + l) * n + j]);
  return c;
}

template <class T>
void expect_product(const Array &a, const Array &b, const std::vector<T> &left, const std::vector<T> &right) {
  Result r;
  const Array c = r.take(gpuopt_matmul(a.get(), b.get(), &r.array, &r.error));
  EXPECT_EQ(shape_of(c), (Shape{2, 3, 5}));
  EXPECT_EQ(values_of<T>(c), product<T>(left, right, 2, 3, 4, 5));
}

// Sums of small integers have one value in any order.
TEST_P(Products, OptionsSayWhoMultiplies) {
  const auto left = small_values<float>(24, 1), right = small_values<float>(40, 2);
  const Array a = make<float>({2, 3, 4}, left), b = make<float>({2, 4, 5}, right);
  const auto product_by = [&](const gpuopt_product_options *options) {
    Result r;
    return values_of<float>(r.take(gpuopt_matmul_with(a.get(), b.get(), options, &r.array, &r.error)));
  };
  const std::vector<float> expected = product<float>(left, right, 2, 3, 4, 5);
  EXPECT_EQ(product_by(nullptr), expected);
  gpuopt_product_options options{};
  options.struct_size = sizeof options;
  for (options.mode = GPUOPT_PRODUCT_DEFAULT; options.mode <= GPUOPT_PRODUCT_FAST; ++options.mode) {
    EXPECT_EQ(product_by(&options), expected) << options.mode;
  }
  for (const gpuopt_product_mode wrong : {-1, 3}) {
    options.mode = wrong;
    Result r;
    EXPECT_EQ(gpuopt_matmul_with(a.get(), b.get(), &options, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(r.array, nullptr);
  }
}

TEST_P(Products, MatmulOfRealDtypes) {
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> a = small_values<T>(24, 1), b = small_values<T>(40, 2);
    expect_product(make<T>({2, 3, 4}, a), make<T>({2, 4, 5}, b), a, b);
  };
  check(int8_t{});
  check(int16_t{});
  check(int32_t{});
  check(int64_t{});
  check(uint8_t{});
  check(uint32_t{});
  check(uint64_t{});
  check(float{});
  check(double{});
}

TEST_P(Products, MatmulOfComplexBoolAndHalf) {
  const std::vector<std::complex<double>> a = {{1, 2}, {3, -1}, {0, 1}, {2, 0}}, b = {{1, 1}, {2, -3}};
  const Array z = matmul(make_bytes(GPUOPT_COMPLEX128, {2, 2}, a.data()), make_bytes(GPUOPT_COMPLEX128, {2}, b.data()));
  const std::complex<double> expected[] = {a[0] * b[0] + a[1] * b[1], a[2] * b[0] + a[3] * b[1]};
  std::complex<double> got[2];
  std::memcpy(got, bytes_of(z).data(), sizeof got);
  EXPECT_EQ(got[0], expected[0]);
  EXPECT_EQ(got[1], expected[1]);
  EXPECT_EQ(values_of<bool>(matmul(make<bool>({2, 2}, {true, true, false, true}), make<bool>({2}, {true, false}))),
            (std::vector<bool>{true, false}));
  const uint16_t ones[] = {0x3c00, 0x4000};  // 1, 2
  const Array h = matmul(make_bytes(GPUOPT_FLOAT16, {2}, ones), make_bytes(GPUOPT_FLOAT16, {2}, ones));
  EXPECT_EQ(bytes_of(h), (std::vector<unsigned char>{0x00, 0x45}));  // 5
}

TEST_P(Products, IntegersWrap) {
  const Array a = make<int8_t>({1, 2}, {100, 100}), b = make<int8_t>({2, 1}, {2, 1});
  EXPECT_EQ(values_of<int8_t>(matmul(a, b)), std::vector<int8_t>{44});
}

TEST_P(Products, VectorsAndTheirShapes) {
  const Array v = make<double>({2}, {1, 2}), m = make<double>({2, 3}, {1, 2, 3, 4, 5, 6}),
              w = make<double>({3}, {1, 0, 2});
  EXPECT_EQ(values_of<double>(matmul(v, v)), std::vector<double>{5});
  EXPECT_EQ(shape_of(matmul(v, v)), Shape{});
  EXPECT_EQ(values_of<double>(matmul(v, m)), (std::vector<double>{9, 12, 15}));
  EXPECT_EQ(values_of<double>(matmul(m, w)), (std::vector<double>{7, 16}));
  EXPECT_EQ(shape_of(matmul(make<double>({4, 2, 3}, std::vector<double>(24, 1)), w)), (Shape{4, 2}));
  EXPECT_EQ(shape_of(matmul(v, make<double>({4, 2, 3}, std::vector<double>(24, 1)))), (Shape{4, 3}));
}

TEST_P(Products, BatchesBroadcastAndViewsWork) {
  const std::vector<double> a = small_values<double>(12, 3), b = small_values<double>(2 * 20, 4);
  std::vector<double> twice = a;
  twice.insert(twice.end(), a.begin(), a.end());
  expect_product(make<double>({3, 4}, a), make<double>({2, 4, 5}, b), twice, b);
  expect_product(make<double>({1, 3, 4}, a), make<double>({2, 4, 5}, b), twice, b);
  const std::vector<double> at = {a[0], a[4], a[8], a[1], a[5], a[9], a[2], a[6], a[10], a[3], a[7], a[11]};
  expect_product(transposed(make<double>({4, 3}, at)), make<double>({2, 4, 5}, b), twice, b);
}

TEST_P(Products, DtypesPromote) {
  const Array c = matmul(make<int32_t>({1, 2}, {1, 2}), make<float>({2, 1}, {0.5, 0.25}));
  EXPECT_EQ(values_of<double>(c), std::vector<double>{1});
}

TEST_P(Products, EmptyProducts) {
  EXPECT_EQ(values_of<double>(matmul(make<double>({2, 0}, {}), make<double>({0, 2}, {}))),
            (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(shape_of(matmul(make<double>({0, 3}, {}), make<double>({3, 2}, std::vector<double>(6)))), (Shape{0, 2}));
}

TEST_P(Products, MatmulErrors) {
  const Array a = make<double>({3, 4}, std::vector<double>(12)), b = make<double>({5, 6}, std::vector<double>(30));
  EXPECT_EQ(failure(gpuopt_matmul, a, b, GPUOPT_ERR_SHAPE),
            "matmul: shapes (3, 4) and (5, 6) not aligned: 4 (dim 1) != 5 (dim 0)");
  EXPECT_EQ(failure(gpuopt_dot, a, b, GPUOPT_ERR_SHAPE),
            "dot: shapes (3, 4) and (5, 6) not aligned: 4 (dim 1) != 5 (dim 0)");
  EXPECT_NE(failure(gpuopt_matmul, a, make<double>({}, {1}), GPUOPT_ERR_SHAPE).find("()"), std::string::npos);
  const Array two = make<double>({2, 3, 4}, std::vector<double>(24)),
              three = make<double>({3, 4, 2}, std::vector<double>(24));
  EXPECT_NE(failure(gpuopt_matmul, two, three, GPUOPT_ERR_SHAPE).find("broadcast"), std::string::npos);
  Result r;
  EXPECT_EQ(gpuopt_matmul(a.get(), nullptr, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST_P(Products, Dot) {
  const Array v = make<double>({2}, {1, 2}), t = make<double>({2, 3, 2}, counting<double>(12));
  EXPECT_EQ(values_of<double>(call(gpuopt_dot, v, weak(gpuopt_scalar_int(3)))), (std::vector<double>{3, 6}));
  EXPECT_EQ(values_of<double>(call(gpuopt_dot, make<double>({}, {2}), v)), (std::vector<double>{2, 4}));
  EXPECT_EQ(values_of<double>(call(gpuopt_dot, t, v)), (std::vector<double>{2, 8, 14, 20, 26, 32}));
  const Array u = make<double>({2, 2, 3}, counting<double>(12)), d = call(gpuopt_dot, t, u);
  EXPECT_EQ(shape_of(d), (Shape{2, 3, 2, 3}));
  const std::vector<double> got = values_of<double>(d);
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < 2; ++j)
      for (size_t k = 0; k < 3; ++k) {
        double sum = 0;
        for (size_t l = 0; l < 2; ++l) sum += static_cast<double>((2 * i + l) * ((2 * j + l) * 3 + k));
        EXPECT_EQ(got[(i * 2 + j) * 3 + k], sum);
      }
}

TEST_P(Products, Tensordot) {
  const Array a = make<int64_t>({2, 3, 4}, counting<int64_t>(24)), b = make<int64_t>({4, 2, 5}, counting<int64_t>(40));
  const int64_t axes1[] = {-1, 0}, axes2[] = {0, 1};
  Result r;
  const Array c = r.take(gpuopt_tensordot(a.get(), b.get(), 2, axes1, axes2, &r.array, &r.error));
  EXPECT_EQ(shape_of(c), (Shape{3, 5}));
  const std::vector<int64_t> got = values_of<int64_t>(c);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j) {
      int64_t sum = 0;
      for (int64_t p = 0; p < 2; ++p)
        for (int64_t q = 0; q < 4; ++q) sum += ((p * 3 + i) * 4 + q) * ((q * 2 + p) * 5 + j);
      EXPECT_EQ(got[static_cast<size_t>(i * 5 + j)], sum);
    }
  const Array v = make<int64_t>({4}, {1, 2, 3, 4});
  EXPECT_EQ(shape_of(r.take(gpuopt_tensordot(a.get(), v.get(), 1, nullptr, nullptr, &r.array, &r.error))),
            (Shape{2, 3}));
  EXPECT_EQ(shape_of(r.take(gpuopt_tensordot(v.get(), v.get(), 0, nullptr, nullptr, &r.array, &r.error))),
            (Shape{4, 4}));
  EXPECT_EQ(gpuopt_tensordot(a.get(), b.get(), 1, axes1, axes1, &r.array, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_tensordot(a.get(), b.get(), 1, axes1, nullptr, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_tensordot(v.get(), b.get(), 2, nullptr, nullptr, &r.array, nullptr), GPUOPT_ERR_SHAPE);
}

TEST_P(Products, Vecdot) {
  const Array a = make<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), b = make<int32_t>({3}, {1, 0, -1});
  Result r;
  EXPECT_EQ(values_of<int32_t>(r.take(gpuopt_vecdot(a.get(), b.get(), -1, &r.array, &r.error))),
            (std::vector<int32_t>{-2, -2}));
  const std::complex<double> z[] = {{1, 2}, {3, 4}};
  const Array c = make_bytes(GPUOPT_COMPLEX128, {2}, z);
  std::complex<double> got;
  std::memcpy(&got, bytes_of(r.take(gpuopt_vecdot(c.get(), c.get(), -1, &r.array, &r.error))).data(), sizeof got);
  EXPECT_EQ(got, std::complex<double>(30, 0));
  EXPECT_EQ(gpuopt_vecdot(a.get(), b.get(), 0, &r.array, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_vecdot(a.get(), b.get(), 2, &r.array, nullptr), GPUOPT_ERR_INDEX);
}

TEST_P(Products, Outer) {
  const Array a = make<double>({2, 1}, {2, 3}), b = make<double>({3}, {1, 10, 100});
  const Array c = call(gpuopt_outer, a, b);
  EXPECT_EQ(shape_of(c), (Shape{2, 3}));
  EXPECT_EQ(values_of<double>(c), (std::vector<double>{2, 20, 200, 3, 30, 300}));
  EXPECT_EQ(shape_of(call(gpuopt_outer, weak(gpuopt_scalar_int(2)), b)), (Shape{1, 3}));
}

class Norms : public OnBothDevices {
 protected:
  // ord over the given axes (none: all).
  std::vector<double> norm(const Array &x, double ord, const Shape &axes = {}) {
    gpuopt_reduce_options options{};
    options.struct_size = sizeof options;
    options.axes = axes.empty() ? nullptr : axes.data();
    options.naxes = static_cast<int32_t>(axes.size());
    Result r;
    return values_of<double>(r.take(gpuopt_vector_norm(x.get(), ord, &options, &r.array, &r.error)));
  }
  std::vector<double> matrix_norm(const Array &x, double ord) {
    Result r;
    return values_of<double>(r.take(gpuopt_matrix_norm(x.get(), ord, 0, &r.array, &r.error)));
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Norms, ::testing::Bool(), device_title);

TEST_P(Norms, VectorNorms) {
  const Array x = make<double>({4}, {3, -4, 0, 12});
  EXPECT_EQ(norm(x, 2), std::vector<double>{13});
  EXPECT_EQ(norm(x, 1), std::vector<double>{19});
  EXPECT_EQ(norm(x, 0), std::vector<double>{3});
  EXPECT_EQ(norm(x, INFINITY), std::vector<double>{12});
  EXPECT_EQ(norm(x, -INFINITY), std::vector<double>{0});
  EXPECT_NEAR(norm(x, 3)[0], std::cbrt(27.0 + 64 + 1728), 1e-13);
  EXPECT_EQ(norm(make<int32_t>({2}, {3, 4}), 2), std::vector<double>{5});
  EXPECT_EQ(norm(make<double>({2, 2}, {3, 5, 4, 12}), 2, {0}), (std::vector<double>{5, 13}));
  const std::complex<double> z[] = {{3, 4}, {0, 12}};
  EXPECT_EQ(norm(make_bytes(GPUOPT_COMPLEX128, {2}, z), 2), std::vector<double>{13});
  EXPECT_EQ(norm(make_bytes(GPUOPT_COMPLEX128, {2}, z), 1), std::vector<double>{17});
  Result r;
  EXPECT_EQ(values_of<double>(r.take(gpuopt_norm(x.get(), &r.array, &r.error))), std::vector<double>{13});
}

// The squares of these do not fit float16; the norm does.
TEST_P(Norms, HalfIsSummedInFloat) {
  const uint16_t values[] = {0x6268, 0xe268};  // 820, -820
  const Array x = make_bytes(GPUOPT_FLOAT16, {2}, values);
  Result r;
  const Array n = r.take(gpuopt_norm(x.get(), &r.array, &r.error));
  gpuopt_scalar v{};
  ASSERT_EQ(gpuopt_array_item(n.get(), nullptr, &v, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_array_dtype(n.get()), GPUOPT_FLOAT16);
  EXPECT_EQ(v.value.f, 1160.0);  // 820 * sqrt(2) = 1159.65...; float16 has steps of 1 there
}

// NumPy 2.4's values: the greatest of no magnitudes is 0, the least an error, unless no norm is asked for.
TEST_P(Norms, OfNothing) {
  const Array none = make<double>({0}, {}), wide = make<double>({2, 0, 3}, {}), tall = make<double>({3, 0}, {});
  for (double ord : {HUGE_VAL, 1.0, 2.0, 3.0, 0.0}) EXPECT_EQ(norm(none, ord), std::vector<double>{0}) << ord;
  EXPECT_EQ(norm(tall, INFINITY, {1}), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(norm(tall, INFINITY, {0, 1}), std::vector<double>{0});
  for (double ord : {1.0, 2.0, HUGE_VAL, GPUOPT_NORM_FROBENIUS, GPUOPT_NORM_NUCLEAR}) {
    EXPECT_EQ(matrix_norm(wide, ord), (std::vector<double>{0, 0})) << ord;
    EXPECT_EQ(matrix_norm(tall, ord), std::vector<double>{0}) << ord;
  }
  Result r;
  EXPECT_EQ(shape_of(r.take(gpuopt_matrix_norm(wide.get(), 2, 1, &r.array, &r.error))), (Shape{2, 1, 1}));
  EXPECT_EQ(shape_of(r.take(gpuopt_matrix_norm(wide.get(), INFINITY, 1, &r.array, &r.error))), (Shape{2, 1, 1}));
  EXPECT_EQ(gpuopt_vector_norm(none.get(), -INFINITY, nullptr, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_matrix_norm(wide.get(), -2, 0, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST_P(Norms, MatrixNorms) {
  const Array x = make<double>({2, 2, 3}, {1, -2, 3, -4, 5, -6, 0, 0, 1, 0, 2, 0});
  EXPECT_EQ(matrix_norm(x, 1), (std::vector<double>{9, 2}));
  EXPECT_EQ(matrix_norm(x, -1), (std::vector<double>{5, 0}));
  EXPECT_EQ(matrix_norm(x, INFINITY), (std::vector<double>{15, 2}));
  EXPECT_EQ(matrix_norm(x, -INFINITY), (std::vector<double>{6, 1}));
  EXPECT_EQ(matrix_norm(x, GPUOPT_NORM_FROBENIUS), (std::vector<double>{std::sqrt(91.0), std::sqrt(5.0)}));
  Result r;
  EXPECT_EQ(shape_of(r.take(gpuopt_matrix_norm(x.get(), 1, 1, &r.array, &r.error))), (Shape{2, 1, 1}));
  // The squares of the singular values are the eigenvalues of x x^T: [[14, -32], [-32, 77]] and [[1, 0], [0, 4]].
  const double most = std::sqrt((91 + std::sqrt(8065.0)) / 2), least = std::sqrt((91 - std::sqrt(8065.0)) / 2);
  const std::pair<double, std::vector<double>> by_singular_values[] = {
      {2, {most, 2}}, {-2, {least, 1}}, {GPUOPT_NORM_NUCLEAR, {most + least, 3}}};
  for (const auto &[ord, wanted] : by_singular_values) {
    const std::vector<double> got = matrix_norm(x, ord);
    for (size_t i = 0; i < wanted.size(); i++) EXPECT_NEAR(got[i], wanted[i], 1e-13) << ord;
  }
  EXPECT_EQ(gpuopt_matrix_norm(x.get(), 3, 0, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_matrix_norm(make<double>({2}, {1, 2}).get(), 1, 0, &r.array, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_vector_norm(x.get(), NAN, nullptr, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace

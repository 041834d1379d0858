// tests/unit/core_dtype_test.cpp -- promotion and casts against NumPy's tables; conversion of scalars.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/array/array.h"
#include "core/array/dtype.h"
#include "core/base/error.h"
#include "tests/unit/core_promotion_table.h"
#include "tests/unit/cpu_program_reference.h"

namespace gpuopt::test {
namespace {

TEST(Dtype, NamesSizesAndKinds) {
  EXPECT_STREQ(gpuopt_dtype_name(GPUOPT_BFLOAT16), "bfloat16");
  EXPECT_EQ(gpuopt_dtype_size(GPUOPT_COMPLEX128), 16u);
  EXPECT_EQ(gpuopt_dtype_kind(GPUOPT_UINT8), 'u');
  for (gpuopt_dtype other : {-1, 0, GPUOPT_DTYPE_COUNT + 0, 1000}) {
    EXPECT_EQ(gpuopt_dtype_name(other), nullptr);
    EXPECT_EQ(gpuopt_dtype_size(other), 0u);
    EXPECT_EQ(gpuopt_dtype_kind(other), 0);
  }
}

TEST(Dtype, FromName) {
  const std::pair<const char *, gpuopt_dtype> known[] = {
      {"float32", GPUOPT_FLOAT32}, {"f4", GPUOPT_FLOAT32}, {"<f4", GPUOPT_FLOAT32},    {"bool_", GPUOPT_BOOL},
      {"|b1", GPUOPT_BOOL},        {"bool", GPUOPT_BOOL},  {"c16", GPUOPT_COMPLEX128}, {"bfloat16", GPUOPT_BFLOAT16}};
  for (auto [name, expected] : known) {
    gpuopt_dtype dtype = 0;
    EXPECT_EQ(gpuopt_dtype_from_name(name, &dtype, nullptr), GPUOPT_OK) << name;
    EXPECT_EQ(dtype, expected) << name;
  }
  for (const char *name : {"", "float", "f5", ">f4", "float32 ", "default"}) {
    gpuopt_dtype dtype = 7;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_dtype_from_name(name, &dtype, &error), GPUOPT_ERR_INVALID_ARGUMENT) << name;
    EXPECT_EQ(dtype, 0);
    EXPECT_NE(std::string(error.message).find("bfloat16"), std::string::npos);
  }
  EXPECT_EQ(gpuopt_dtype_from_name(nullptr, nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Dtype, PromotionIsNumPys) {
  for (gpuopt_dtype a = 1; a < GPUOPT_DTYPE_COUNT; ++a) {
    for (gpuopt_dtype b = 1; b < GPUOPT_DTYPE_COUNT; ++b) {
      gpuopt_dtype result = 0;
      ASSERT_EQ(gpuopt_promote_types(a, b, &result, nullptr), GPUOPT_OK);
      EXPECT_STREQ(dtype_name(result), kPromotion[a - 1][b - 1]) << dtype_name(a) << " " << dtype_name(b);
    }
  }
  gpuopt_dtype result = 5;
  EXPECT_EQ(gpuopt_promote_types(0, 1, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(result, 0);
}

TEST(Dtype, CastRulesAreNumPys) {
  for (int rule : {0, 1}) {
    for (gpuopt_dtype a = 1; a < GPUOPT_DTYPE_COUNT; ++a) {
      for (gpuopt_dtype b = 1; b < GPUOPT_DTYPE_COUNT; ++b) {
        int32_t allowed = -1;
        ASSERT_EQ(gpuopt_can_cast(a, b, rule, &allowed, nullptr), GPUOPT_OK);
        EXPECT_EQ(allowed, kCastable[rule][a - 1][b - 1]) << dtype_name(a) << " " << dtype_name(b) << " rule " << rule;
      }
    }
  }
  int32_t allowed;
  EXPECT_EQ(gpuopt_can_cast(1, 2, 2, &allowed, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Dtype, WeakScalarsAreNumPys) {
  constexpr char kinds[] = {'?', 'i', 'f', 'c'};
  for (gpuopt_dtype a = 1; a < GPUOPT_DTYPE_COUNT; ++a) {
    for (int k = 0; k < 4; ++k) {
      EXPECT_STREQ(dtype_name(promote_weak(a, kinds[k])), kWeakPromotion[a - 1][k]) << dtype_name(a) << kinds[k];
    }
  }
  EXPECT_EQ(promote_weak(0, 'i'), GPUOPT_INT64);
  EXPECT_EQ(promote_weak(0, 'u'), GPUOPT_UINT64);
  EXPECT_EQ(promote_weak(0, 'c'), GPUOPT_COMPLEX128);
  EXPECT_EQ(promote_weak(GPUOPT_BOOL, 'u'), GPUOPT_INT64);
}

template <class T>
T stored(const gpuopt_scalar &value, gpuopt_dtype d, bool cast = false) {
  unsigned char bytes[16];
  store_scalar(value, d, bytes, cast);
  T out;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

gpuopt_status failure(const gpuopt_scalar &value, gpuopt_dtype d) {
  try {
    stored<unsigned char>(value, d);
  } catch (const Failure &f) {
    return f.code;
  }
  return GPUOPT_OK;
}

TEST(Scalar, IntegersHaveToFit) {
  EXPECT_EQ(stored<uint8_t>(gpuopt_scalar_int(255), GPUOPT_UINT8), 255);
  EXPECT_EQ(failure(gpuopt_scalar_int(256), GPUOPT_UINT8), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(failure(gpuopt_scalar_int(-1), GPUOPT_UINT8), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(failure(gpuopt_scalar_int(-1), GPUOPT_UINT64), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(stored<int8_t>(gpuopt_scalar_int(-128), GPUOPT_INT8), -128);
  EXPECT_EQ(failure(gpuopt_scalar_int(-129), GPUOPT_INT8), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(failure(gpuopt_scalar_int(128), GPUOPT_INT8), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(stored<int64_t>(gpuopt_scalar_int(INT64_MIN), GPUOPT_INT64), INT64_MIN);
  EXPECT_EQ(failure(gpuopt_scalar_uint(uint64_t{1} << 63), GPUOPT_INT64), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(stored<uint64_t>(gpuopt_scalar_uint(UINT64_MAX), GPUOPT_UINT64), UINT64_MAX);
  EXPECT_EQ(failure(gpuopt_scalar_real(1.0), GPUOPT_INT32), GPUOPT_ERR_TYPE);
  EXPECT_EQ(failure(gpuopt_scalar_complex(1, 0), GPUOPT_FLOAT64), GPUOPT_ERR_TYPE);
  EXPECT_EQ(stored<uint8_t>(gpuopt_scalar_int(2), GPUOPT_BOOL), 1);
}

TEST(Scalar, CastsAreThoseOfAstype) {
  const double reals[] = {0.0,        -0.0,       1.5,      -1.5,        127.9,
                          128.0,      -128.9,     -129.0,   255.5,       300.0,
                          1e10,       -1e10,      9.3e18,   1.9e19,      1e300,
                          -1e300,     NAN,        INFINITY, -INFINITY,   65504,
                          65519.9,    65520,      5.96e-8,  2.98e-8,     2.9802322387695312e-8,
                          6.1e-5,     1e-40,      3.4e38,   1 + 0x1p-11, 1 + 0x3p-11,
                          1.00390625, 1.01171875, 0.1};
  const int64_t integers[] = {0,
                              1,
                              -1,
                              127,
                              128,
                              255,
                              256,
                              -129,
                              65535,
                              65536,
                              2049,
                              2051,
                              16777217,
                              -16777219,
                              INT64_MAX,
                              INT64_MIN,
                              (int64_t{1} << 53) + 1,
                              257,
                              259,
                              (int64_t{1} << 60) + (int64_t{1} << 52),
                              (int64_t{1} << 60) + (int64_t{1} << 52) + 1};
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) {
    for (double x : reals) {
      unsigned char expected[16] = {}, got[16] = {};
      cast_element(expected, d, &x, GPUOPT_FLOAT64);
      store_scalar(gpuopt_scalar_real(x), d, got, true);
      EXPECT_TRUE(same_value(expected, got, d)) << x << " to " << dtype_name(d);
    }
    for (int64_t i : integers) {
      unsigned char expected[16] = {}, got[16] = {};
      cast_element(expected, d, &i, GPUOPT_INT64);
      store_scalar(gpuopt_scalar_int(i), d, got, true);
      EXPECT_TRUE(same_value(expected, got, d)) << i << " to " << dtype_name(d);
    }
  }
}

TEST(Scalar, EveryHalfIsLoadedAndStoredExactly) {
  for (gpuopt_dtype d : {GPUOPT_FLOAT16, GPUOPT_BFLOAT16}) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const auto half = static_cast<uint16_t>(bits);
      const gpuopt_scalar value = load_scalar(d, &half);
      double expected;
      cast_element(&expected, GPUOPT_FLOAT64, &half, d);
      ASSERT_TRUE(same_value(&expected, &value.value.f, GPUOPT_FLOAT64)) << bits;
      if (std::isnan(expected)) continue;
      ASSERT_EQ(stored<uint16_t>(value, d), half);
    }
  }
}

TEST(Scalar, LoadsWhatWasStored) {
  for (gpuopt_dtype d = 2; d < GPUOPT_DTYPE_COUNT; ++d) {
    unsigned char bytes[16];
    store_scalar(gpuopt_scalar_int(42), d, bytes);
    const gpuopt_scalar back = load_scalar(d, bytes);
    EXPECT_EQ(back.kind, dtype_kind(d));
    EXPECT_EQ(back.kind == 'i' || back.kind == 'u' ? static_cast<double>(back.value.i) : back.value.f, 42);
  }
  unsigned char bytes[16];
  store_scalar(gpuopt_scalar_complex(1.5, -2.5), GPUOPT_COMPLEX64, bytes);
  EXPECT_EQ(load_scalar(GPUOPT_COMPLEX64, bytes).imag, -2.5);
}

TEST(Scalar, UnknownKindsAreRefused) {
  gpuopt_scalar bad = gpuopt_scalar_int(1);
  bad.kind = 'x';
  gpuopt_array result;
  EXPECT_EQ(gpuopt_weak(bad, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  bad.kind = 0;
  EXPECT_EQ(gpuopt_weak(bad, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(result, nullptr);
}

}  // namespace
}  // namespace gpuopt::test

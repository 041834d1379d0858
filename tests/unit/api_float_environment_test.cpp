// tests/unit/api_float_environment_test.cpp -- public calls give the same bits in whatever floating-point environment
// the program is, and leave it as it is: rounding, flushing of denormals, traps, flags.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <gpuopt/gpuopt.hpp>
#include <limits>

#include "tests/unit/float_modes.h"

namespace gp = gpuopt;
using namespace float_modes;

namespace {

constexpr double kDenormal = 5e-324;
constexpr float kFloatDenormal = 1e-45f;

// Numbers that show rounding, overflow, division by zero, and denormals going in and coming out.
template <class T>
gp::array awkward() {
  const T tiny = std::numeric_limits<T>::denorm_min(), least = std::numeric_limits<T>::min(),
          largest = std::numeric_limits<T>::max(), inf = std::numeric_limits<T>::infinity();
  return gp::array(std::vector<T>{T(0.1), T(1) / 3, tiny, 7 * tiny, least, -least, largest, -largest, inf, 0, T(-2.5),
                                  T(1e-3), T(12345.678), T(0.9), T(-1), T(2)});
}

// Evaluated here, in the default environment: what is called later computes with them.
struct Data {
  gp::array f32 = evaluated(awkward<float>()), f64 = evaluated(awkward<double>());
  gp::array f16 = evaluated(awkward<float>().astype(gp::float16)),
            bf16 = evaluated(awkward<float>().astype(gp::bfloat16));
  gp::array square = evaluated(gp::array(std::vector<double>(256, 0.1)).reshape({16, 16}));
  gp::array weights = gp::array(std::vector<double>{0.1, 0.2, 0.3, 0.15, 0.25});
  gp::array ints = gp::array(std::vector<int64_t>{1, 2, 3, 9007199254740993});

  static gp::array evaluated(const gp::array &x) {
    x.eval();
    return x;
  }
};

template <class T>
Bytes elements(const gp::array &x) {
  return bytes_of(x.to_vector<T>());
}
Bytes doubles(const gp::array &x) { return elements<double>(x); }
Bytes floats(const gp::array &x) { return elements<float>(x); }

Bytes scalar_bytes(const gpuopt_scalar &s) {
  Bytes bytes(sizeof s.value + sizeof s.imag);
  std::memcpy(bytes.data(), &s.value, sizeof s.value);
  std::memcpy(bytes.data() + sizeof s.value, &s.imag, sizeof s.imag);
  return bytes;
}

// The message of what fails.
template <class Body>
Bytes message_of(const Body &body) {
  try {
    body();
  } catch (const gp::error &failure) {
    return bytes_of(std::string(failure.what()));
  }
  return {};
}

TEST(FloatEnvironment, OperationsAndReductions) {
  const Data d;
  expect_no_difference({
      {"x + y", [&] { return floats(d.f32 + gp::flip(d.f32)); }},
      {"x * y", [&] { return doubles(d.f64 * gp::flip(d.f64)); }},
      {"x / y", [&] { return doubles(d.f64 / gp::flip(d.f64)); }},
      {"x * number", [&] { return floats(d.f32 * 0.1); }},
      {"x * a number that is denormal in float32", [&] { return floats(d.f32 * 1e-42); }},
      {"float16", [&] { return floats((d.f16 * 0.1 + d.f16).astype(gp::float32)); }},
      {"bfloat16", [&] { return floats((d.bf16 * 0.1 + 1e-39).astype(gp::float32)); }},
      {"sqrt, exp, log, sin",
       [&] { return doubles(gp::sqrt(d.f64) + gp::exp(d.f64) + gp::log(d.f64) + gp::sin(d.f64)); }},
      {"float64 to float32", [&] { return floats(d.f64.astype(gp::float32)); }},
      {"int64 to float64", [&] { return doubles(d.ints.astype(gp::float64)); }},
      {"sum", [&] { return doubles(gp::sum(d.square, 0)); }},
      {"mean, var, std", [&] { return doubles(gp::mean(d.square, 1) + gp::var(d.square, 1) + gp::std(d.square, 1)); }},
      {"nanmean", [&] { return doubles(gp::nanmean(d.square, 1)); }},
      {"cumulative_sum", [&] { return doubles(gp::cumulative_sum(d.square, 1)); }},
      {"matmul", [&] { return doubles(gp::matmul(d.square, d.square)); }},
      {"vector_norm", [&] { return doubles(gp::vector_norm(d.square, 3)); }},
      {"isclose",
       [&] { return elements<int64_t>(gp::isclose(d.f64, d.f64 * (1 + 1e-5), 1e-5, kDenormal).astype(gp::int64)); }},
      {"nan_to_num", [&] { return floats(gp::nan_to_num(d.f32 * 0, 0.1, 0.2, -1e-42)); }},
  });
}

TEST(FloatEnvironment, OnAllThreads) {
  const gp::array x = gp::linspace(-1, 1, 300000), y = gp::linspace(0, 1e-310, 300000);
  x.eval(), y.eval();
  expect_no_difference({
      {"x * x / 3 + y * x", [&] { return doubles(x * x / 3 + y * x); }},
      {"sum", [&] { return doubles(gp::sum(x * 0.1).reshape(1)); }},
      {"cumulative_sum", [&] { return doubles(gp::cumulative_sum(x * y)); }},
  });
}

TEST(FloatEnvironment, Creation) {
  const auto filled = [](double value, gp::dtype dtype) { return gp::full({2}, value, dtype).astype(gp::float32); };
  expect_no_difference({
      {"full of float32", [&] { return floats(filled(0.1, gp::float32)); }},
      {"full of a denormal float32", [&] { return floats(filled(1.1e-42, gp::float32)); }},
      {"full of float16", [&] { return floats(filled(0.1, gp::float16)); }},
      {"full of a denormal float16", [&] { return floats(filled(3.1e-6, gp::float16)); }},
      {"full of bfloat16", [&] { return floats(filled(0.1, gp::bfloat16)); }},
      {"full of a denormal bfloat16", [&] { return floats(filled(3.3e-40, gp::bfloat16)); }},
      {"full of a large integer", [] { return doubles(gp::full({2}, int64_t{9007199254740993}, gp::float64)); }},
      {"arange", [] { return doubles(gp::arange(0.1, 3.7, 0.1)); }},
      {"arange of float32", [] { return floats(gp::arange(-0.1, -1, -0.01, gp::float32)); }},
      {"arange whose length rounding decides", [] { return doubles(gp::arange(0, 0.3, 0.1)); }},
      {"linspace", [] { return doubles(gp::linspace(0, 1, 7)); }},
      {"linspace without its end", [] { return doubles(gp::linspace(0.1, 0.7, 11, false)); }},
      {"linspace of denormals", [] { return doubles(gp::linspace(0, 1e-322, 7)); }},
      {"linspace of float16", [] { return floats(gp::linspace(0, 1, 7, true, gp::float16).astype(gp::float32)); }},
      {"linspace of integers", [] { return elements<int64_t>(gp::linspace(0, 10, 7, true, gp::int64)); }},
      {"eye", [] { return doubles(gp::eye(3)); }},
  });
}

TEST(FloatEnvironment, Items) {
  const Data d;
  std::vector<Call> calls;
  for (const gp::array *x : {&d.f32, &d.f64, &d.f16, &d.bf16, &d.ints}) {
    calls.push_back({"item of " + std::string(gp::name(x->dtype())), [x] {
                       Bytes bytes;
                       for (int64_t i = 0; i < x->size(); i++) {
                         gpuopt_scalar s{};
                         if (gpuopt_array_item(x->get(), &i, &s, nullptr)) return Bytes();
                         const Bytes more = scalar_bytes(s);
                         bytes.insert(bytes.end(), more.begin(), more.end());
                       }
                       return bytes;
                     }});
  }
  for (const gp::dtype dtype : {gp::float16, gp::bfloat16, gp::float32, gp::float64}) {
    calls.push_back({"braces of " + std::string(gp::name(dtype)), [dtype] {
                       return doubles(gp::array({0.1, 1e-42, 123456789.123, 3e-310}, dtype).astype(gp::float64));
                     }});
    calls.push_back({"set_item of " + std::string(gp::name(dtype)), [dtype] {
                       const gp::array x = gp::zeros({4}, dtype);
                       x.set_item(0, 0.1);
                       x.set_item(1, 1e-42);
                       x.set_item(2, 123456789.123);
                       x.set_item(3, uint64_t{18446744073709550591u});
                       return doubles(x.astype(gp::float64));
                     }});
  }
  expect_no_difference(calls);
}

// Numbers of C++ on their way in and out.
TEST(FloatEnvironment, ScalarsOfCpp) {
  const Data d;
  expect_no_difference({
      {"item<float>",
       [&] {
         std::vector<float> values;
         for (int64_t i = 0; i < d.f32.size(); i++) values.push_back(d.f32.item<float>(i));
         return bytes_of(values);
       }},
      {"item<complex<float>>",
       [] {
         const gp::array z = gp::full({}, std::complex<float>(kFloatDenormal, -kFloatDenormal), gp::complex64);
         const std::complex<float> value = z.item<std::complex<float>>();
         return bytes_of(std::vector<std::complex<float>>{value});
       }},
      {"a denormal float as an operand", [&] { return floats(d.f32 + kFloatDenormal); }},
      {"denormal floats in braces",
       [] {
         return floats(gp::array({kFloatDenormal, -kFloatDenormal, 0.1f}));
       }},
      {"complex numbers in braces",
       [] {
         const gp::array z = gp::array({std::complex<double>(0.1, 1e-42)}, gp::complex64);
         return bytes_of(z.to_vector<std::complex<float>>());
       }},
  });
  EXPECT_EQ(d.f32.item<float>(2), kFloatDenormal);
  EXPECT_EQ(gp::array({-kFloatDenormal}).item<float>(0), -kFloatDenormal);
}

// 1 + 2^-11 + 2^-40 lies above the middle of two float16; rounded to float32 first it would be the middle itself.
TEST(FloatEnvironment, NumbersInBracesAreRoundedOnce) {
  const gp::array x({1 + 0x1p-11 + 0x1p-40, -(1 + 0x1p-11 + 0x1p-40)}, gp::float16);
  EXPECT_EQ(x.astype(gp::float64).to_vector<double>(), (std::vector<double>{1 + 0x1p-10, -(1 + 0x1p-10)}));
}

TEST(FloatEnvironment, Text) {
  const Data d;
  std::vector<Call> calls;
  for (const gp::array *x : {&d.f32, &d.f64, &d.f16, &d.bf16, &d.square}) {
    calls.push_back({"str of " + std::string(gp::name(x->dtype())), [x] { return bytes_of(x->str()); }});
    calls.push_back({"repr of " + std::string(gp::name(x->dtype())), [x] { return bytes_of(x->str(true)); }});
  }
  calls.push_back({"str of a number", [] { return bytes_of(gp::full({}, 0.1).str()); }});
  calls.push_back(
      {"str of a complex number", [] { return bytes_of(gp::full({}, std::complex<double>(0.1, 1e-310)).str()); }});
  calls.push_back({"the message of an error", [] { return message_of([] { gp::full({2}, 0.1, gp::int32).eval(); }); }});
  calls.push_back({"the message of another error",
                   [&] { return message_of([&] { gp::generator(1).choice(d.weights, {2}, true, d.weights * 2); }); }});
  expect_no_difference(calls);
}

TEST(FloatEnvironment, RandomNumbers) {
  const Data d;
  expect_no_difference({
      {"uniform", [] { return doubles(gp::generator(7).uniform(0.1, 0.7, {50})); }},
      {"uniform of float32", [] { return floats(gp::generator(7).uniform(0, 1e-40, {50}, gp::float32)); }},
      {"normal", [] { return doubles(gp::generator(7).normal(0.1, 3, {50})); }},
      {"exponential", [] { return doubles(gp::generator(7).exponential(0.1, {50})); }},
      {"choice with probabilities", [&] { return doubles(gp::generator(7).choice(d.weights, {50}, true, d.weights)); }},
      {"choice without replacement",
       [&] { return doubles(gp::generator(7).choice(d.weights, {4}, false, d.weights)); }},
      {"RandomState.normal", [] { return doubles(gp::random_state(7).normal(0.1, 3, {50})); }},
      {"RandomState.choice", [&] { return doubles(gp::random_state(7).choice(d.weights, {50}, true, d.weights)); }},
      {"RandomState.choice without replacement",
       [&] { return doubles(gp::random_state(7).choice(d.weights, {4}, false, d.weights)); }},
  });
}

TEST(FloatEnvironment, Files) {
  const Data d;
  const std::string path = (std::filesystem::temp_directory_path() / "gpuopt_float_environment_test.npy").string();
  expect_no_difference({{"save_npy and load_npy", [&] {
                           gp::save_npy(d.f32, path);
                           return floats(gp::load_npy(path));
                         }}});
  std::filesystem::remove(path);
}

// A device that is opened, and so a backend that is loaded and tested, in a foreign environment.
TEST(FloatEnvironment, Devices) {
  expect_no_difference({{"a device of its own", [] {
                           const gp::device cpu("cpu");
                           return floats(gp::full({2}, 0.1, gp::float32, cpu) * kFloatDenormal);
                         }}});
}

}  // namespace

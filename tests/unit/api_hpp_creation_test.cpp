// tests/unit/api_hpp_creation_test.cpp -- gpuopt_creation.h by way of C++: NumPy's answers, exact ends, host buffers,
// views of memory and limits of dtypes.
#include <cmath>
#include <functional>
#include <limits>

#include "tests/unit/creation_cases.h"
#include "tests/unit/numpy_cases.h"

namespace {

using numpy_cases::Arrays;
using numpy_cases::Complex;
using numpy_cases::Given;
using numpy_cases::Layout;
using numpy_cases::pieces;
namespace gp = gpuopt;

using Function = std::function<Arrays(const Arrays &, const Given &)>;

// A number as the generator writes it: i5, f0.5, c1.0:2.0 or c1.0,2.0.
gp::scalar number(const std::string &text) {
  const std::string rest = text.substr(1);
  if (text[0] == 'i') return static_cast<int64_t>(std::stoll(rest));
  if (text[0] == 'f') return numpy_cases::real(rest);
  const std::vector<std::string> parts = pieces(rest, rest.find(',') == std::string::npos ? ":" : ",");
  return Complex(numpy_cases::real(parts[0]), numpy_cases::real(parts[1]));
}

gp::dtype dtype_of(const Given &given) {
  return given.text("dtype") == "default" ? gp::default_dtype : numpy_cases::dtype_named(given.text("dtype"));
}

std::vector<gp::grid_axis> axes_of(const Given &given) {
  std::vector<gp::grid_axis> axes;
  for (const std::string &axis : pieces(given.text("axes"), ";")) {
    const std::vector<std::string> ends = pieces(axis, ":");
    axes.push_back({number(ends[0]), number(ends[1]), number(ends[2])});
  }
  return axes;
}

bool truth(const Given &given, const char *name) { return given.integer(name) != 0; }

Function window(gp::array (*function)(int64_t, const gp::device &)) {
  return [function](const Arrays &, const Given &given) {
    return Arrays{function(given.integer("n"), gp::device("cpu"))};
  };
}

const std::map<std::string, Function> kFunctions = {
    {"linspace",
     [](auto &, auto &o) {
       return Arrays{gp::linspace_step(number(o.text("start")), number(o.text("stop")), o.integer("num"),
                                       truth(o, "endpoint"), dtype_of(o), gp::device("cpu"))
                         .values};
     }},
    {"logspace",
     [](auto &, auto &o) {
       return Arrays{gp::logspace(o.number("start"), o.number("stop"), o.integer("num"), truth(o, "endpoint"),
                                  o.number("base"), dtype_of(o), gp::device("cpu"))};
     }},
    {"geomspace",
     [](auto &, auto &o) {
       return Arrays{gp::geomspace(number(o.text("start")), number(o.text("stop")), o.integer("num"),
                                   truth(o, "endpoint"), dtype_of(o), gp::device("cpu"))};
     }},
    {"linspace_between",
     [](auto &x, auto &o) {
       return Arrays{
           gp::linspace_between(x[0], x[1], o.integer("num"), truth(o, "endpoint"), o.integer("axis"), dtype_of(o))
               .values};
     }},
    {"steps_between",
     [](auto &x, auto &o) {
       return Arrays{gp::linspace_between(x[0], x[1], o.integer("num"), truth(o, "endpoint")).steps};
     }},
    {"logspace_between",
     [](auto &x, auto &o) {
       return Arrays{gp::logspace_between(x[0], x[1], o.integer("num"), truth(o, "endpoint"), 2.0, o.integer("axis"),
                                          dtype_of(o))};
     }},
    {"bases_between",
     [](auto &x, auto &o) {
       return Arrays{gp::logspace_between(x[0], x[1], o.integer("num"), true, x[2], o.integer("axis"))};
     }},
    {"geomspace_between",
     [](auto &x, auto &o) {
       return Arrays{gp::geomspace_between(x[0] * 2 + 1, x[1] * 2 + 1, o.integer("num"), truth(o, "endpoint"),
                                           o.integer("axis"), dtype_of(o))};
     }},
    {"vander", [](auto &x, auto &o) { return Arrays{gp::vander(x[0], o.integer("n"), truth(o, "increasing"))}; }},
    {"indices",
     [](auto &, auto &o) { return Arrays{gp::indices(gp::dims(o.list("shape")), dtype_of(o), gp::device("cpu"))}; }},
    {"mgrid", [](auto &, auto &o) { return Arrays{gp::mgrid(axes_of(o), gp::device("cpu"))}; }},
    {"ogrid", [](auto &, auto &o) { return gp::ogrid(axes_of(o), gp::device("cpu")); }},
    {"bartlett", window(gp::bartlett)},
    {"blackman", window(gp::blackman)},
    {"hamming", window(gp::hamming)},
    {"hanning", window(gp::hanning)},
    {"kaiser", [](auto &, auto &o) { return Arrays{gp::kaiser(o.integer("n"), o.number("beta"), gp::device("cpu"))}; }},
    {"i0", [](auto &x, auto &o) { return Arrays{gp::i0(o.integer("scale") == 1 ? x[0] : x[0] * o.integer("scale"))}; }},
    {"sliding_window_view",
     [](auto &x, auto &o) {
       const gp::dims sizes(o.list("sizes"));
       return Arrays{o.text("axes") == "none" ? gp::sliding_window_view(x[0], sizes)
                                              : gp::sliding_window_view(x[0], sizes, gp::dims(o.list("axes")))};
     }},
    {"round",
     [](auto &x, auto &o) {
       const int32_t kind = gpuopt_dtype_kind(static_cast<gpuopt_dtype>(x[0].dtype()));
       const gp::array scaled = kind == 'i' || kind == 'u' ? x[0] : x[0] / o.integer("by");
       return Arrays{gp::round(scaled, static_cast<int32_t>(o.integer("decimals")))};
     }},
};

TEST(Creation, AnswersAsNumPy) {
  for (const Layout layout : {Layout::kPlain, Layout::kReversed, Layout::kRecorded})
    for (const char *const text : kCreationCases) numpy_cases::check_case(text, kFunctions, layout, 16);
}

TEST(Creation, KeepsIntegerEnds) {
  const gp::with_device on("cpu");
  const int64_t big = std::numeric_limits<int64_t>::max();
  const gp::array x = gp::linspace_step(-big, big, 3, true, gp::int64).values;
  EXPECT_EQ(x[0].item<int64_t>(), -big);
  EXPECT_EQ(x[2].item<int64_t>(), big);
  EXPECT_EQ(gp::linspace_step(0, 1, 5).step, 0.25);
  EXPECT_TRUE(std::isnan(gp::linspace_step(0, 1, 1).step.real()));
  EXPECT_EQ(gp::linspace_step(0, Complex(2, 4), 3).step, Complex(1, 2));
}

TEST(Creation, TakesNumbersBesideArraysAsEnds) {
  const gp::with_device on("cpu");
  const gp::array x = gp::linspace_between(0, gp::array({1.0, 2.0}), 3, true, 1).values;
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{0, 0.5, 1, 0, 1, 2}));
  EXPECT_EQ(gp::linspace_between(0.5, gp::ones({2}, gp::float32), 2).values.dtype(), gp::float32);
  EXPECT_EQ(gp::linspace_between(gp::array({1e-323, 0.0}), 0.0, 3).values.to_vector<double>(),
            (std::vector<double>{1e-323, 0, 5e-324, 0, 0, 0}));
  EXPECT_EQ(gp::geomspace_between(1, gp::array({100.0, -0.01}), 3, true, 1)[0].to_vector<double>(),
            (std::vector<double>{1, 10, 100}));
  EXPECT_THROW(gp::linspace_between(0, 1, 3), gp::error);
  EXPECT_THROW(gp::geomspace_between(0, x, 3), gp::error);
  EXPECT_THROW(gp::linspace_between(x, Complex(0, 1), 3, true, 0, gp::float64), gp::error);
}

TEST(Creation, CopiesHostBuffers) {
  const gp::with_device on("cpu");
  const std::vector<int16_t> data{1, 2, 3, 4};
  const size_t bytes = data.size() * sizeof(int16_t);
  EXPECT_EQ(gp::frombuffer(data.data(), bytes, gp::int16).to_vector<int16_t>(), data);
  EXPECT_EQ(gp::frombuffer(data.data(), bytes, gp::int16, 2, 2).to_vector<int16_t>(), (std::vector<int16_t>{2, 3}));
  EXPECT_EQ(gp::frombuffer(data.data(), bytes, gp::int16, -1, 8).size(), 0);
  EXPECT_EQ(gp::frombuffer("\0\7\1", 3, gp::bool_).astype(gp::uint8).to_vector<uint8_t>(),
            (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_THROW(gp::frombuffer(data.data(), bytes, gp::int16, 5), gp::error);
  EXPECT_THROW(gp::frombuffer(data.data(), bytes, gp::int16, -1, 1), gp::error);
  EXPECT_THROW(gp::frombuffer(data.data(), bytes, gp::int16, -1, 9), gp::error);
  EXPECT_THROW(gp::frombuffer(data.data(), bytes, gp::int16, -1, -2), gp::error);
}

TEST(Creation, ChecksTheBoundsOfStridedViews) {
  const gp::with_device on("cpu");
  const gp::array x = gp::arange(10);
  EXPECT_EQ(gp::as_strided(x, {3, 2}, {16, 8}).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(gp::as_strided(x[gp::slice(9, 10)], {3}, {-8}).to_vector<int64_t>(), (std::vector<int64_t>{9, 8, 7}));
  EXPECT_EQ(gp::as_strided(x + 1, {2, 2}, {8, 8}).to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 2, 3}));
  EXPECT_THROW(gp::as_strided(x, {11}, {8}), gp::error);
  EXPECT_THROW(gp::as_strided(x, {2}, {-8}), gp::error);
  EXPECT_THROW(gp::as_strided(x, {2}, {4}), gp::error);
  EXPECT_THROW(gp::as_strided(x, {2, 2}, {std::numeric_limits<int64_t>::max() - 7, 8}), gp::error);
  EXPECT_EQ(gp::as_strided(x, {0, 5}, {800, 8}).size(), 0);
  EXPECT_THROW(gp::as_strided(x, {2}, {8}) += 1, gp::error);
}

TEST(Creation, ViewsBytesAsOtherDtypes) {
  const gp::with_device on("cpu");
  gp::array x = gp::array({1.0, 2.0});
  EXPECT_EQ(gp::view(x, gp::uint64).to_vector<uint64_t>(), (std::vector<uint64_t>{0x3ff0ull << 48, 0x4000ull << 48}));
  EXPECT_EQ(gp::view(x, gp::uint8).shape(), gp::dims({16}));
  EXPECT_EQ(gp::view(gp::view(x, gp::float32), gp::float64).to_vector<double>(), (std::vector<double>{1, 2}));
  const gp::array bits = gp::view(x, gp::uint64);
  x *= 2.0;
  EXPECT_EQ(bits.to_vector<uint64_t>()[0], 0x4000ull << 48);
  gp::view(x, gp::uint64).assign(0);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{0, 0}));
  EXPECT_THROW(gp::view(gp::ones({3}, gp::float32), gp::float64), gp::error);
  EXPECT_THROW(gp::view(gp::ones({4}, gp::float32)[gp::slice(1, 3)], gp::float64), gp::error);
  EXPECT_THROW(gp::view(gp::ones({4, 2})[gp::slice(0, 4)].transpose(), gp::float32), gp::error);
  EXPECT_THROW(gp::view(x, gp::bool_), gp::error);
  EXPECT_THROW(gp::view(x[0], gp::float32), gp::error);
}

TEST(Creation, KnowsTheLimitsOfDtypes) {
  const gpuopt_float_limits f = gp::finfo(gp::complex64), h = gp::finfo(gp::float16), b = gp::finfo(gp::bfloat16);
  using Float = std::numeric_limits<float>;
  EXPECT_EQ(f.bits, 32);
  EXPECT_EQ(f.dtype, GPUOPT_FLOAT32);
  EXPECT_EQ(f.eps, double{Float::epsilon()});
  EXPECT_EQ(f.max, double{Float::max()});
  EXPECT_EQ(f.smallest_normal, double{Float::min()});
  EXPECT_EQ(f.smallest_subnormal, double{Float::denorm_min()});
  EXPECT_EQ(f.precision, 6);
  EXPECT_EQ(f.max_exponent, Float::max_exponent);
  EXPECT_EQ(f.resolution, double{1e-6F});
  EXPECT_EQ(gp::finfo(gp::float64).max, std::numeric_limits<double>::max());
  EXPECT_EQ(h.max, 65504.0);
  EXPECT_EQ(h.precision, 3);
  EXPECT_EQ(b.eps, 0.0078125);
  EXPECT_EQ(gp::iinfo(gp::int64).min, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(gp::iinfo(gp::uint64).max, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(gp::iinfo(gp::int8).max, 127U);
  EXPECT_THROW(gp::finfo(gp::int8), gp::error);
  EXPECT_THROW(gp::iinfo(gp::bool_), gp::error);
}

TEST(Creation, ComputesFunctionsOfIndices) {
  const gp::with_device on("cpu");
  try {
    EXPECT_EQ(gp::fromfunction("10 * i0 + i1", {2, 3}, gp::int32).to_vector<int32_t>(),
              (std::vector<int32_t>{0, 1, 2, 10, 11, 12}));
    EXPECT_EQ(gp::fromfunction("7", {}, gp::int32).item<int32_t>(), 7);
  } catch (const gp::error &failure) {
    if (failure.code() != GPUOPT_ERR_JIT_UNAVAILABLE) throw;
    GTEST_SKIP() << failure.what();
  }
  EXPECT_EQ(gp::fromfunction("i0", {0}).size(), 0);
}

}  // namespace

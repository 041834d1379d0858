// tests/unit/api_hpp_apply_test.cpp -- options of reductions and of elementwise operations by way of C++: NumPy's
// answers, the array API standard's special cases, arrays that are read and written by one call, and errors.
#include <cmath>
#include <functional>
#include <limits>

#include "tests/unit/apply_cases.h"
#include "tests/unit/numpy_cases.h"

namespace {

using numpy_cases::Arrays;
using numpy_cases::Complex;
using numpy_cases::Given;
using numpy_cases::Layout;
using numpy_cases::pieces;
namespace gp = gpuopt;

using Function = std::function<Arrays(const Arrays &, const Given &)>;
using Reduction = gp::array (*)(gp::array, const gp::axes &);

gp::scalar number(const std::string &text) {
  const std::string rest = text.substr(1);
  if (text[0] == 'i') return static_cast<int64_t>(std::stoll(rest));
  if (text[0] == 'f') return numpy_cases::real(rest);
  const std::vector<std::string> parts = pieces(rest, ":");
  return Complex(numpy_cases::real(parts[0]), numpy_cases::real(parts[1]));
}

gp::axes axes_of(const Arrays &x, const Given &given) {
  gp::axes axes;
  if (given.text("axes") != "all") axes = gp::axes(gp::dims(given.list("axes")));
  axes.keepdims(given.integer("keepdims") != 0).correction(given.number("correction"));
  if (given.text("initial") != "none") axes.initial(number(given.text("initial")));
  size_t next = 1;
  if (given.integer("where")) axes.where(x[next++]);
  if (given.integer("out")) axes.out(x[next]);
  return axes;
}

Function reduced(Reduction function) {
  return [function](const Arrays &x, const Given &given) { return Arrays{function(x[0], axes_of(x, given))}; };
}
Function reduced(gpuopt_reduction reduction) {
  return [reduction](const Arrays &x, const Given &given) {
    return Arrays{gp::detail::reduce(reduction, x[0], axes_of(x, given))};
  };
}

gp::apply_options options_of(const Arrays &x, size_t inputs, const Given &given) {
  static const std::map<std::string, gp::casting> castings = {{"no", gp::casting::no},
                                                              {"safe", gp::casting::safe},
                                                              {"same_kind", gp::casting::same_kind},
                                                              {"unsafe", gp::casting::unsafe}};
  gp::apply_options how;
  how.cast = castings.at(given.text("casting"));
  if (given.text("dtype") != "default") how.type = numpy_cases::dtype_named(given.text("dtype"));
  if (given.integer("where")) how.where = x[inputs++];
  if (given.integer("out")) how.out = x[inputs];
  return how;
}

Function unary(gpuopt_op op) {
  return [op](const Arrays &x, const Given &given) { return Arrays{gp::apply(op, options_of(x, 1, given), x[0])}; };
}
Function binary(gpuopt_op op) {
  return
      [op](const Arrays &x, const Given &given) { return Arrays{gp::apply(op, options_of(x, 2, given), x[0], x[1])}; };
}

const std::map<std::string, Function> kFunctions = {
    {"sum", reduced(GPUOPT_REDUCTION_sum)},
    {"prod", reduced(GPUOPT_REDUCTION_prod)},
    {"max", reduced(GPUOPT_REDUCTION_max)},
    {"min", reduced(GPUOPT_REDUCTION_min)},
    {"nanmax", reduced(GPUOPT_REDUCTION_nanmax)},
    {"nanmin", reduced(GPUOPT_REDUCTION_nanmin)},
    {"any", reduced(GPUOPT_REDUCTION_any)},
    {"all", reduced(GPUOPT_REDUCTION_all)},
    {"argmax", reduced(GPUOPT_REDUCTION_argmax)},
    {"mean", reduced(gp::mean)},
    {"var", reduced(gp::var)},
    {"std", reduced(gp::std)},
    {"nansum", reduced(gp::nansum)},
    {"nanprod", reduced(gp::nanprod)},
    {"nanmean", reduced(gp::nanmean)},
    {"nanvar", reduced(gp::nanvar)},
    {"add", binary(GPUOPT_OP_add)},
    {"multiply", binary(GPUOPT_OP_multiply)},
    {"maximum", binary(GPUOPT_OP_maximum)},
    {"equal", binary(GPUOPT_OP_equal)},
    {"negative", unary(GPUOPT_OP_negative)},
    {"sqrt", unary(GPUOPT_OP_sqrt)},
};

TEST(Apply, AnswersAsNumPy) {
  for (const Layout layout : {Layout::kPlain, Layout::kReversed, Layout::kRecorded})
    for (const char *const text : kApplyCases) numpy_cases::check_case(text, kFunctions, layout, 16);
}

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

gp::apply_options standard() {
  gp::apply_options how;
  how.standard = true;
  return how;
}

// The special cases of floor_divide in the array API standard 2025.12.
TEST(Apply, DividesInfinitiesAsTheStandard) {
  const gp::with_device on("cpu");
  const double cases[][3] = {{kInf, 2, kInf},    {kInf, -2, -kInf},  {-kInf, 2, -kInf},  {-kInf, -2, kInf},
                             {3, kInf, 0.0},     {3, -kInf, -0.0},   {-3, kInf, -0.0},   {-3, -kInf, 0.0},
                             {kInf, kInf, kNan}, {kNan, kInf, kNan}, {kInf, kNan, kNan}, {7, 2, 3},
                             {-7, 2, -4},        {1, 0.0, kInf},     {-1, 0.0, -kInf},   {0.0, 0.0, kNan}};
  for (const gp::dtype t : {gp::float64, gp::float32, gp::float16, gp::bfloat16}) {
    for (const auto &[a, b, wanted] : cases) {
      const gp::array x = gp::full({2}, a).astype(t), y = gp::full({2}, b).astype(t);
      for (const gp::array &got :
           {gp::apply(GPUOPT_OP_floor_divide, standard(), x, y), gp::apply(GPUOPT_OP_floor_divide, standard(), x, b),
            gp::apply(GPUOPT_OP_floor_divide, standard(), a, y)})
        EXPECT_TRUE(same(got[1].item<double>(), wanted)) << a << " // " << b << ": " << got[1].item<double>();
    }
  }
  EXPECT_TRUE(std::isnan(gp::floor_divide(gp::full({1}, kInf), 2)[0].item<double>())) << "NumPy's without the flag";
  const gp::array integers = gp::apply(GPUOPT_OP_floor_divide, standard(), gp::array({-7, 7}), 2);
  EXPECT_EQ(integers.to_vector<int64_t>(), (std::vector<int64_t>{-4, 3}));
}

// Those of tanh and expm1 of complex numbers.
TEST(Apply, ComputesComplexLimitsAsTheStandard) {
  const gp::with_device on("cpu");
  for (const gp::dtype t : {gp::complex128, gp::complex64}) {
    for (const double im : {0.5, 2.0, 4.0, -0.5, -2.0, 0.0, -0.0}) {
      for (const double re : {kInf, -kInf}) {
        const auto got = gp::apply(GPUOPT_OP_tanh, standard(), gp::full({1}, Complex(re, im)).astype(t));
        const auto value = got[0].item<Complex>();
        EXPECT_TRUE(same(value.real(), re > 0 ? 1 : -1) && same(value.imag(), std::copysign(0.0, im))) << value << im;
      }
    }
    for (const Complex z : {Complex(0.0, 0.0), Complex(-0.0, 0.0), Complex(0.0, -0.0), Complex(-0.0, -0.0)}) {
      const auto value = gp::apply(GPUOPT_OP_expm1, standard(), gp::full({1}, z).astype(t))[0].item<Complex>();
      EXPECT_TRUE(same(value.real(), 0) && same(value.imag(), z.imag())) << z << value;
    }
    const gp::array z = gp::full({1}, Complex(0.25, -0.5)).astype(t);
    for (const gpuopt_op op : {GPUOPT_OP_tanh, GPUOPT_OP_expm1})
      EXPECT_EQ(gp::apply(op, standard(), z)[0].item<Complex>(),
                gp::apply(op, gp::apply_options(), z)[0].item<Complex>());
  }
}

TEST(Apply, ReadsWhatItWrites) {
  const gp::with_device on("cpu");
  gp::array x = gp::arange(6).reshape({2, 3});
  gp::apply_options how;
  how.out = x;
  how.where = x > 2;
  gp::apply(GPUOPT_OP_add, how, x, x[0]);  // 3, 4 and 5 alone
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3, 5, 7}));
  gp::add_into(x[1], 1, x);  // broadcast to both rows, one of which it is read from
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{4, 6, 8, 4, 6, 8}));
  const gp::array total = gp::sum(x, gp::axes(0).out(x[0]).initial(100));
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{108, 112, 116, 4, 6, 8}));
  EXPECT_EQ(total.data<int64_t>(), x.data<int64_t>());
}

template <class Call>
void expect_refused(gpuopt_status code, const char *says, Call call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << says;
  } catch (const gp::error &failure) {
    EXPECT_EQ(failure.code(), code) << failure.what();
    EXPECT_NE(std::string(failure.what()).find(says), std::string::npos) << failure.what();
  }
}

TEST(Apply, RefusesOptionsThatDoNotFit) {
  const gp::with_device on("cpu");
  const gp::array x = gp::ones({2, 3}), mask = x > 0;
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "does not have an identity", [&] { gp::max(x, gp::axes().where(mask)); });
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "where is no option", [&] { gp::argmax(x, gp::axes().where(mask)); });
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "initial is no option", [&] { gp::mean(x, gp::axes().initial(1)); });
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "no options", [&] { gp::ptp(x, gp::axes().where(mask)); });
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "no options", [&] { gp::median(x, gp::axes().initial(1)); });
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "no options", [&] { gp::vector_norm(x, 2, gp::axes().where(mask)); });
  expect_refused(GPUOPT_ERR_TYPE, "'safe'", [&] { gp::sum(x, gp::axes().where(x)); });
  expect_refused(GPUOPT_ERR_TYPE, "complex", [&] { gp::sum(x, gp::axes().initial(Complex(0, 1))); });
  expect_refused(GPUOPT_ERR_SHAPE, "output array", [&] { gp::sum(x, gp::axes(0).out(gp::zeros({2}))); });
  expect_refused(GPUOPT_ERR_READ_ONLY, "", [&] { gp::sum(x, gp::axes(0).out(gp::broadcast_to(gp::zeros({1}), {3}))); });
  expect_refused(GPUOPT_ERR_SHAPE, "non-broadcastable output operand with shape (3,)",
                 [&] { gp::add_into(x, x, gp::zeros({3})); });
  gp::apply_options how;
  how.cast = static_cast<gp::casting>(9);
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "casting 9", [&] { gp::apply(GPUOPT_OP_add, how, x, x); });
  gpuopt_apply_options raw = GPUOPT_APPLY_OPTIONS_INIT;
  raw.flags = 2;
  gpuopt_array result = nullptr;
  const gpuopt_array inputs[] = {x.get(), x.get()};
  EXPECT_EQ(gpuopt_apply_with(GPUOPT_OP_add, 2, inputs, &raw, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_apply_with(GPUOPT_OP_add, 2, inputs, nullptr, nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Apply, CastsNumbersOfAHigherKind) {
  const gp::with_device on("cpu");
  const gp::array x = gp::arange(3);
  gp::apply_options how;
  how.type = gp::int64;
  expect_refused(GPUOPT_ERR_TYPE, "'add' input 1 from dtype('float64') to dtype('int64')",
                 [&] { gp::apply(GPUOPT_OP_add, how, x, 1.5); });
  how.cast = gp::casting::unsafe;
  const gp::array sums = gp::apply(GPUOPT_OP_add, how, x, 1.5);
  EXPECT_EQ(sums.dtype(), gp::int64);
  EXPECT_EQ(sums.to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 3}));
}

TEST(Apply, PtpMedianAndNormsTakeAnOutput) {
  const gp::with_device on("cpu");
  const gp::array x = gp::arange(6.0).reshape({2, 3}), out = gp::zeros({3}, gp::float32);
  gp::ptp(x, gp::axes(0).out(out));
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{3, 3, 3}));
  gp::median(x, gp::axes(0).out(out));
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{1.5F, 2.5F, 3.5F}));
  gp::vector_norm(x, 1, gp::axes(0).out(out));
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{3, 5, 7}));
}

TEST(Apply, AnswersQueriesOfTheCpu) {
  const gp::device cpu("cpu");
  gp::stream queue(cpu);
  const gp::event marker = queue.record();
  EXPECT_TRUE(queue.done());
  EXPECT_TRUE(marker.done());
  EXPECT_EQ(queue.native(), nullptr);
  EXPECT_EQ(cpu.attribute(GPUOPT_ATTRIBUTE_PROCESSORS), cpu.info().processors);
  EXPECT_EQ(cpu.attribute(GPUOPT_ATTRIBUTE_HOST_ACCESS), 1);
  EXPECT_EQ(cpu.attribute(GPUOPT_ATTRIBUTE_MEMORY_TOTAL), static_cast<int64_t>(cpu.info().memory_bytes));
  EXPECT_GT(cpu.free_memory(), 0);
  EXPECT_LE(cpu.free_memory(), cpu.attribute(GPUOPT_ATTRIBUTE_MEMORY_TOTAL));
  expect_refused(GPUOPT_ERR_UNSUPPORTED, "attribute", [&] { cpu.attribute(GPUOPT_ATTRIBUTE_WARP_SIZE); });
  expect_refused(GPUOPT_ERR_INVALID_ARGUMENT, "attribute", [&] { cpu.attribute(5); });
}

}  // namespace

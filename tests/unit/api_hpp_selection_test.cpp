// tests/unit/api_hpp_selection_test.cpp -- gpuopt_selection.h by way of C++: NumPy's answers on operands of three
// layouts, orders of accumulation, aliases, and comparisons of whole arrays.
#include <cmath>
#include <functional>

#include "tests/unit/numpy_cases.h"
#include "tests/unit/selection_cases.h"

namespace {

using numpy_cases::Arrays;
using numpy_cases::Given;
using numpy_cases::Layout;
namespace gp = gpuopt;

using Function = std::function<Arrays(const Arrays &, const Given &)>;

std::vector<gp::operand> operands_from(const Arrays &x, size_t first, size_t last) {
  return {x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(last)};
}

gp::index_mode mode_of(const Given &given) { return gp::index_mode{static_cast<int32_t>(given.integer("mode"))}; }

Arrays both(const gp::row_column_indices &made) { return {made.rows, made.columns}; }

// x[rows] = op(x[rows], values).
Function accumulation(gpuopt_op op) {
  return [op](const Arrays &x, const Given &) {
    gp::apply_at(op, x[0], {x[1]}, x[2]);
    return Arrays{x[0]};
  };
}

const std::map<std::string, Function> kChoosing = {
    {"choose", [](auto &x, auto &o) { return Arrays{gp::choose(x[0], operands_from(x, 1, x.size()), mode_of(o))}; }},
    {"select",
     [](auto &x, auto &) {
       return Arrays{gp::select({x[0], x[1]}, operands_from(x, 2, 4), x[4])};
     }},
    {"piecewise",
     [](auto &x, auto &o) {
       const auto count = static_cast<size_t>(o.integer("conditions"));
       return Arrays{gp::piecewise(x[0], Arrays(x.begin() + 1, x.begin() + 1 + static_cast<int>(count)),
                                   operands_from(x, 1 + count, x.size()))};
     }},
    {"compress", [](auto &x, auto &o) { return Arrays{gp::compress(x[0], x[1], o.integer("axis"))}; }},
    {"extract", [](auto &x, auto &) { return Arrays{gp::extract(x[0], x[1])}; }},
    {"flatnonzero", [](auto &x, auto &) { return Arrays{gp::flatnonzero(x[0])}; }},
    {"trim_zeros", [](auto &x, auto &o) { return Arrays{gp::trim_zeros(x[0], true, true, o.integer("axis"))}; }},
    {"copyto", [](auto &x, auto &) { return gp::copyto(x[0], x[1], x[2]), Arrays{x[0]}; }},
    {"putmask", [](auto &x, auto &) { return gp::putmask(x[0], x[1], x[2]), Arrays{x[0]}; }},
    {"place", [](auto &x, auto &) { return gp::place(x[0], x[1], x[2]), Arrays{x[0]}; }},
    {"fill_diagonal",
     [](auto &x, auto &o) { return gp::fill_diagonal(x[0], x[1], o.integer("wrap") != 0), Arrays{x[0]}; }},
    {"put_along_axis",
     [](auto &x, auto &o) { return gp::put_along_axis(x[0], x[1], x[2], o.integer("axis")), Arrays{x[0]}; }},
    {"add_at", accumulation(GPUOPT_OP_add)},
    {"subtract_at", accumulation(GPUOPT_OP_subtract)},
    {"multiply_at", accumulation(GPUOPT_OP_multiply)},
    {"minimum_at", accumulation(GPUOPT_OP_minimum)},
    {"maximum_at", accumulation(GPUOPT_OP_maximum)},
    {"fmin_at", accumulation(GPUOPT_OP_fmin)},
    {"fmax_at", accumulation(GPUOPT_OP_fmax)},
};

const std::map<std::string, Function> kIndices = {
    {"tril_indices",
     [](auto &, auto &o) {
       return both(gp::tril_indices(o.integer("n"), o.integer("k"), o.integer("m"), gp::device("cpu")));
     }},
    {"triu_indices",
     [](auto &, auto &o) {
       return both(gp::triu_indices(o.integer("n"), o.integer("k"), o.integer("m"), gp::device("cpu")));
     }},
    {"diag_indices",
     [](auto &, auto &o) {
       return gp::diag_indices(o.integer("n"), static_cast<int32_t>(o.integer("ndim")), gp::device("cpu"));
     }},
    {"diag_indices_from", [](auto &x, auto &) { return gp::diag_indices_from(x[0]); }},
    {"ravel_multi_index",
     [](auto &x, auto &o) {
       return Arrays{gp::ravel_multi_index(x, gp::dims(o.list("shape")), mode_of(o), o.integer("fortran") != 0)};
     }},
    {"unravel_index",
     [](auto &x, auto &o) { return gp::unravel_index(x[0], gp::dims(o.list("shape")), o.integer("fortran") != 0); }},
    {"ix", [](auto &x, auto &) { return gp::ix(x); }},
};

const std::map<std::string, Function> kShapes = {
    {"resize", [](auto &x, auto &o) { return Arrays{gp::resize(x[0], gp::dims(o.list("shape")))}; }},
    {"rollaxis", [](auto &x, auto &o) { return Arrays{gp::rollaxis(x[0], o.integer("axis"), o.integer("start"))}; }},
    {"fliplr", [](auto &x, auto &) { return Arrays{gp::fliplr(x[0])}; }},
    {"flipud", [](auto &x, auto &) { return Arrays{gp::flipud(x[0])}; }},
    {"diagflat", [](auto &x, auto &o) { return Arrays{gp::diagflat(x[0], o.integer("k"))}; }},
    {"hstack", [](auto &x, auto &) { return Arrays{gp::hstack(x)}; }},
    {"vstack", [](auto &x, auto &) { return Arrays{gp::vstack(x)}; }},
    {"dstack", [](auto &x, auto &) { return Arrays{gp::dstack(x)}; }},
    {"column_stack", [](auto &x, auto &) { return Arrays{gp::column_stack(x)}; }},
    {"hsplit", [](auto &x, auto &o) { return gp::hsplit(x[0], static_cast<int32_t>(o.integer("sections"))); }},
    {"vsplit", [](auto &x, auto &o) { return gp::vsplit(x[0], static_cast<int32_t>(o.integer("sections"))); }},
    {"dsplit", [](auto &x, auto &o) { return gp::dsplit(x[0], static_cast<int32_t>(o.integer("sections"))); }},
    {"block",
     [](auto &x, auto &) {
       return Arrays{gp::block({{x[0], x[1]}, {x[2]}})};
     }},
    {"ediff1d", [](auto &x, auto &) { return Arrays{gp::ediff1d(x[0], x[1], x[2])}; }},
    {"isreal", [](auto &x, auto &) { return Arrays{gp::isreal(x[0])}; }},
    {"iscomplex", [](auto &x, auto &) { return Arrays{gp::iscomplex(x[0])}; }},
};

std::map<std::string, Function> all_functions() {
  std::map<std::string, Function> all = kChoosing;
  all.insert(kIndices.begin(), kIndices.end());
  all.insert(kShapes.begin(), kShapes.end());
  return all;
}

TEST(Selection, AnswersAsNumPy) {
  const std::map<std::string, Function> functions = all_functions();
  for (const Layout layout : {Layout::kPlain, Layout::kReversed, Layout::kRecorded})
    for (const char *const text : kSelectionCases) numpy_cases::check_case(text, functions, layout);
}

TEST(Selection, AccumulatesInTheOrderOfTheIndices) {
  const gp::with_device on("cpu");
  const gp::array x = gp::zeros({2}), at{0, 0, 0, 1}, values{1e17, 1.0, -1e17, 3.0};
  gp::add_at(x, {at}, values);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{(1e17 + 1.0) - 1e17, 3}));
}

TEST(Selection, AccumulatesAsALoopWithManyIndices) {
  const gp::with_device on("cpu");
  constexpr int64_t kCount = 300000, kBins = 17;
  const gp::array at = (gp::arange(kCount) * 7919) % kBins, values = gp::sqrt(gp::arange(kCount).astype(gp::float32));
  const gp::array x = gp::ones({kBins}, gp::float32);
  gp::add_at(x, {at}, values);
  std::vector<float> wanted(kBins, 1.0F);
  const std::vector<float> added = values.to_vector<float>();
  for (int64_t k = 0; k < kCount; ++k) wanted[static_cast<size_t>(k * 7919 % kBins)] += added[static_cast<size_t>(k)];
  EXPECT_EQ(x.to_vector<float>(), wanted);
}

TEST(Selection, AccumulatesInViewsAndByMixedIndices) {
  const gp::with_device on("cpu");
  gp::array x = gp::zeros({3, 4});
  gp::add_at(x.transpose(), {gp::array{1, 1, 3}}, 1.0);
  EXPECT_EQ(x(0, gp::all).to_vector<double>(), (std::vector<double>{0, 2, 0, 1}));
  gp::subtract_at(x, {0, gp::slice(0, 2)}, 5);
  EXPECT_EQ(x(0, gp::all).to_vector<double>(), (std::vector<double>{-5, -3, 0, 1}));
  gp::maximum_at(x, {x < 0}, 7.0);
  EXPECT_EQ(x(0, gp::all).to_vector<double>(), (std::vector<double>{7, 7, 0, 1}));
}

TEST(Selection, KeepsTheArrayWhereAnIndexIsOutOfRange) {
  const gp::with_device on("cpu");
  const gp::array x{1, 2, 3};
  EXPECT_THROW(gp::add_at(x, {gp::array{0, 3}}, 1), gp::error);
  EXPECT_THROW(gp::add_at(x, {gp::array{0}}, 0.5), gp::error);
  EXPECT_THROW(gp::apply_at(GPUOPT_OP_divide, x, {gp::array{0}}, 1), gp::error);
  EXPECT_THROW(gp::add_at(gp::broadcast_to(x, {2, 3}), {gp::array{0}}, 1), gp::error);
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 3}));
}

TEST(Selection, WritesValuesThatLieInTheArrayItself) {
  const gp::with_device on("cpu");
  const gp::array x{1, 2, 3, 4};
  gp::copyto(x(gp::slice(1, 4)), x(gp::slice(0, 3)), gp::array{true, true, true});
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 2, 3}));
  gp::putmask(x, gp::flip(x) > 1, gp::flip(x));
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{3, 2, 2, 3}));
}

TEST(Selection, ComparesWholeArrays) {
  const gp::with_device on("cpu");
  const gp::array x{1.0, NAN}, y{1.0, NAN}, big{(int64_t{1} << 53) + 1};
  EXPECT_FALSE(gp::array_equal(x, y));
  EXPECT_TRUE(gp::array_equal(x, y, true));
  EXPECT_FALSE(gp::array_equal(gp::ones({2}), gp::ones({3})));
  EXPECT_TRUE(gp::array_equal(gp::ones({0}), gp::zeros({0})));
  EXPECT_TRUE(gp::array_equiv(gp::ones({2, 3}), 1));
  EXPECT_FALSE(gp::array_equiv(gp::ones({2}), gp::ones({3})));
  EXPECT_FALSE(gp::array_equal(big, big.astype(gp::uint64) - 1));
  EXPECT_TRUE(gp::allclose(gp::ones({3}), 1 + 1e-9));
  EXPECT_FALSE(gp::allclose(x, y));
  EXPECT_TRUE(gp::allclose(x, y, 1e-5, 1e-8, true));
}

TEST(Selection, TellsInfinitiesApart) {
  const gp::with_device on("cpu");
  const gp::array x{INFINITY, -INFINITY, NAN, 0.0};
  EXPECT_EQ(gp::isposinf(x).astype(gp::uint8).to_vector<uint8_t>(), (std::vector<uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(gp::isneginf(x).astype(gp::uint8).to_vector<uint8_t>(), (std::vector<uint8_t>{0, 1, 0, 0}));
  EXPECT_THROW(gp::isposinf(x.astype(gp::complex64)), gp::error);
}

TEST(Selection, RefusesBlocksThatTheCountsDoNotDescribe) {
  const gp::array x = gp::ones({2, 2}, gp::float64, gp::device("cpu"));
  const gpuopt_array raw[] = {x.get(), x.get()};
  gpuopt_array made = nullptr;
  for (const std::vector<int32_t> &counts : std::vector<std::vector<int32_t>>{{3}, {1}, {0}, {2, 1}, {2, 1, 1, 1}}) {
    const auto depth = counts.size() > 1 ? 2 : 1;
    EXPECT_EQ(gpuopt_block(depth, static_cast<int32_t>(counts.size()), counts.data(), 2, raw, &made, nullptr),
              GPUOPT_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(made, nullptr);
  }
}

}  // namespace

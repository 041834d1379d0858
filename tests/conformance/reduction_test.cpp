// tests/conformance/reduction_test.cpp -- reductions, statistics and scans x dtype x layout x axes against plain loops
// in long double.
//
// After a failure the rest is computed and not compared.
#include <functional>

#include "tests/conformance/harness.h"

namespace {

using namespace oracle;
using harness::Handle;
using harness::Operand;

struct Reduction {
  gpuopt_reduction id;
  const char *name;
  std::string kinds, result;
};
const std::vector<Reduction> &reductions() {
  static const std::vector<Reduction> all = {
#define GPUOPT_REDUCTION(name, kinds, result, doc) {GPUOPT_REDUCTION_##name, #name, kinds, #result},
#include <gpuopt/ops.def>
  };
  return all;
}

gpuopt_dtype summed(gpuopt_dtype id) {
  switch (dtype(id).kind) {
    case '?':
    case 'i':
      return GPUOPT_INT64;
    case 'u':
      return GPUOPT_UINT64;
    default:
      return id;
  }
}

bool truth(const Element &e, char kind) {
  if (kind == 'f') return e.r != 0 || std::isnan(e.r);
  if (kind == 'c') return e.c != Complex(0) || std::isnan(e.c.real()) || std::isnan(e.c.imag());
  return kind == '?' ? e.b : e.w.v != 0;
}

// Compares as the ordering reductions do: NaN first when it counts, else by value.
bool better(const Element &a, const Element &b, char kind, bool least) {
  if (kind == 'f') return least ? a.r < b.r : a.r > b.r;
  if (kind == '?') return least ? a.b < b.b : a.b > b.b;
  return least ? a.w < b.w : a.w > b.w;
}

Element extreme(const std::vector<Element> &sequence, char kind, bool least, bool skip_nan, int64_t *position) {
  size_t best = sequence.size();
  for (size_t i = 0; i < sequence.size(); ++i) {
    const bool nan = kind == 'f' && std::isnan(sequence[i].r);
    if (nan && skip_nan) continue;
    if (nan) {
      best = i;
      break;
    }
    if (best == sequence.size() || better(sequence[i], sequence[best], kind, least)) best = i;
  }
  if (best == sequence.size()) best = 0;  // all NaN
  if (position) *position = int64_t(best);
  return sequence[best];
}

// The reduction of one sequence, by the book.
Element reduced(const Reduction &r, const std::vector<Element> &sequence, char kind) {
  const std::string name = r.name;
  Element out;
  if (name == "sum" || name == "prod") {
    const bool product_of = name == "prod";
    out.w = product_of, out.r = product_of, out.c = product_of;
    for (const Element &e : sequence) {
      out.w = product_of ? product(out.w, e.w) : sum(out.w, e.w);
      out.r = product_of ? out.r * e.r : out.r + e.r;
      out.c = product_of ? out.c * e.c : out.c + e.c;
    }
  } else if (name == "any" || name == "all") {
    out.b = name == "all";
    for (const Element &e : sequence) out.b = name == "all" ? out.b && truth(e, kind) : out.b || truth(e, kind);
  } else if (name == "count_nonzero") {
    for (const Element &e : sequence) out.w.v += truth(e, kind);
  } else {
    int64_t position = 0;
    out = extreme(sequence, kind, name.find("min") != std::string::npos, name.find("nan") == 0, &position);
    if (name.find("arg") == 0) out.w = position;
  }
  return out;
}

gpuopt_dtype result_dtype(const Reduction &r, gpuopt_dtype id) {
  if (r.result == "SUM") return summed(id);
  if (r.result == "BOOL") return GPUOPT_BOOL;
  if (r.result == "INDEX") return GPUOPT_INT64;
  return id;
}

// Pairwise in chunks: far better than n units; 16-bit results are rounded once from float32.
Real allowance(gpuopt_dtype out, Real magnitudes) {
  const Format f = format_of(out);
  if (out == GPUOPT_FLOAT16 || out == GPUOPT_BFLOAT16)
    return magnitudes * std::ldexp(Real(1), -f.precision + 1) + std::ldexp(Real(1), f.min_exponent);
  return magnitudes * std::ldexp(Real(64), -f.precision) + std::ldexp(Real(4), f.min_exponent);
}

void expect_same(const Reduction &r, gpuopt_dtype out, const Element &got, const Element &exact, Real magnitudes,
                 const std::string &where) {
  bool good = false;
  switch (dtype(out).kind) {
    case '?':
      good = got.b == exact.b;
      break;
    case 'i':
    case 'u':
      good = got.w == wrapped(exact.w, out);
      break;
    case 'f':
      good = (std::isnan(got.r) && std::isnan(exact.r)) || got.r == exact.r ||
             (r.result == "SUM" && (std::fabs(got.r - exact.r) <= allowance(out, magnitudes) ||
                                    (std::isinf(got.r) && std::fabs(exact.r) >= format_of(out).largest)));
      break;
    case 'c':
      good = std::abs(got.c - exact.c) <= allowance(out, magnitudes) * 2;
      break;
  }
  EXPECT_TRUE(good) << r.name << " " << where << ": got " << (double)got.r << "/" << (long long)got.w.v << "/" << got.b
                    << ", exactly " << (double)exact.r << "/" << (long long)exact.w.v << "/" << exact.b;
}

// Moderate values, so that products stay finite, with some special ones where order is all that counts.
std::vector<Element> values(const Reduction &r, gpuopt_dtype id, size_t count) {
  std::mt19937_64 rng(uint64_t(r.id * 31 + id));
  std::vector<Element> out, special = special_elements(id);
  const bool summing = r.result == "SUM", factor = std::string(r.name) == "prod";
  for (size_t i = 0; i < count; ++i) {
    Element e = random_element(id, rng);
    if (!summing && rng() % 7 == 0) e = special[rng() % special.size()];
    if (factor && dtype(id).kind == 'f') {
      e.r = std::copysign(Real(0.75) + Real(rng() % 8) / 16, e.r);
    }
    if (factor && dtype(id).kind == 'c') e.c = {Real(0.5), Real(rng() % 8) / 8 - Real(0.5)};
    out.push_back(e);
  }
  return out;
}

struct Axes {
  const char *name;
  std::vector<int64_t> axes;
};
const Axes kAllAxes[] = {{"axis 0", {0}}, {"axis 1", {1}}, {"axis -1", {-1}}, {"both axes", {0, 1}}, {"no list", {}}};

// Sequences of a (rows, columns) operand along the axes, one per result element.
std::vector<std::vector<Element>> sequences(const std::vector<Element> &x, int64_t rows, int64_t columns,
                                            const Axes &axes) {
  const bool over_rows = axes.axes.size() != 1 || axes.axes[0] == 0,
             over_columns = axes.axes.size() != 1 || axes.axes[0] != 0;
  std::vector<std::vector<Element>> out(size_t(over_rows && over_columns ? 1 : over_rows ? columns : rows));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      out[size_t(over_rows && over_columns ? 0 : over_rows ? j : i)].push_back(x[size_t(i * columns + j)]);
  return out;
}

gpuopt_reduce_options options_for(const Axes &axes, int keepdims) {
  gpuopt_reduce_options options = {};
  options.struct_size = sizeof options;
  options.axes = axes.axes.empty() ? nullptr : axes.axes.data();
  options.naxes = int32_t(axes.axes.size());
  options.keepdims = keepdims;
  return options;
}

class Reductions : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Reductions, EveryLayoutAndAxisAgreesWithPlainLoops) {
  const Reduction &r = reductions()[size_t(std::get<0>(GetParam()))];
  const Dtype &d = dtypes()[size_t(std::get<1>(GetParam()))];
  const bool allowed = r.kinds == "?" || r.kinds.find(d.kind) != std::string::npos;
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{5, 7}, {1, 1}, {70, 3}, {70, 33}, {3, 1100}}) {
    const std::vector<Element> x = values(r, d.id, size_t(rows * columns));
    for (int layout = 0; layout < harness::LAYOUTS; ++layout) {
      Operand operand = harness::make_operand(d.id, x, rows, columns, layout);
      for (const Axes &axes : kAllAxes) {
        if (std::string(r.name).find("arg") == 0 && axes.axes.size() == 2) continue;
        for (int keepdims : {0, 1}) {
          const gpuopt_reduce_options options = options_for(axes, keepdims);
          Handle result;
          if (!allowed) {
            gpuopt_error error = GPUOPT_ERROR_INIT;
            EXPECT_EQ(gpuopt_reduce(r.id, operand.array, &options, result.out(), &error), GPUOPT_ERR_TYPE);
            EXPECT_NE(std::string(error.message).find(d.name), std::string::npos) << error.message;
            continue;
          }
          ASSERT_GPUOPT_OK(gpuopt_reduce(r.id, operand.array, &options, result.out(), error));
          const gpuopt_dtype out = result_dtype(r, d.id);
          ASSERT_EQ(gpuopt_array_dtype(result), out);
          const auto lists = sequences(operand.elements, rows, columns, axes);
          ASSERT_EQ(gpuopt_array_ndim(result), keepdims ? 2 : axes.axes.size() == 1 ? 1 : 0);
          const std::vector<Element> got = harness::contents(result);
          ASSERT_EQ(got.size(), lists.size());
          for (size_t i = 0; i < got.size() && !HasFailure(); ++i) {
            Real magnitudes = 0;
            for (const Element &e : lists[i]) magnitudes += d.kind == 'c' ? std::abs(e.c) : std::fabs(e.r);
            if (std::string(r.name) == "prod") {
              const Element p = reduced(r, lists[i], d.kind);
              magnitudes = (d.kind == 'c' ? std::abs(p.c) : std::fabs(p.r)) * Real(lists[i].size());
            }
            expect_same(r, out, got[i], reduced(r, lists[i], d.kind), magnitudes,
                        std::string(d.name) + " " + harness::layout_name(layout) + " " + axes.name);
          }
        }
      }
    }
  }
}

TEST_P(Reductions, NoElements) {
  const Reduction &r = reductions()[size_t(std::get<0>(GetParam()))];
  const Dtype &d = dtypes()[size_t(std::get<1>(GetParam()))];
  if (r.kinds != "?" && r.kinds.find(d.kind) == std::string::npos) return;  // the type error is the other test's
  const int64_t shape[2] = {0, 3};
  Handle x, result;
  ASSERT_GPUOPT_OK(gpuopt_empty(harness::device(), d.id, 2, shape, x.out(), error));
  const gpuopt_reduce_options options = options_for(kAllAxes[0], 0);
  gpuopt_error error_ = GPUOPT_ERROR_INIT;
  const gpuopt_status status = gpuopt_reduce(r.id, x, &options, result.out(), &error_);
  const std::string name = r.name;
  if (name.find("min") != std::string::npos || name.find("max") != std::string::npos) {
    EXPECT_EQ(status, GPUOPT_ERR_INVALID_ARGUMENT);
    EXPECT_NE(std::string(error_.message).find(name), std::string::npos) << error_.message;
    return;
  }
  ASSERT_EQ(status, GPUOPT_OK) << error_.message;
  const Element identity = reduced(r, {}, d.kind);
  for (const Element &e : harness::contents(result))
    expect_same(r, result_dtype(r, d.id), e, identity, 0, "of nothing");
}

// Long rows are folded chunk by chunk and any and all may stop early: no value a sum passes through may look like that.
TEST(Sums, EveryPartialSumIsCarriedOn) {
  for (int64_t ones = 0; ones <= 1024; ++ones) {
    std::vector<int64_t> x(1100, 0);
    std::fill(x.begin(), x.begin() + ones, 1);
    x[1099] = 5000;
    const int64_t shape[2] = {1, 1100};
    Handle array, result;
    ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), x.data(), GPUOPT_INT64, 2, shape, array.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_sum(array, nullptr, result.out(), error));
    ASSERT_EQ(harness::contents(result)[0].w, Wide(ones + 5000));
  }
}

// Columns are reduced in blocks, rows of a block in tiles, chunks and lanes: sizes around all of these, in rows that
// are neighbours, lie apart, or run backwards.
TEST(Columns, OfAnyNumberAndLength) {
  for (const int64_t columns : {1, 63, 65, 257, 513, 1025, 4097}) {
    for (const int64_t length : {1, 31, 33, 129, 1025, 2050}) {
      std::vector<float> x(size_t(2 * length * columns));
      for (size_t i = 0; i < x.size(); ++i) x[i] = float(int64_t(i * 2654435761u >> 7 & 15) - 5);
      const int64_t shape[2] = {2 * length, columns};
      Handle array;
      ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), x.data(), GPUOPT_FLOAT32, 2, shape, array.out(), error));
      const gpuopt_index near = harness::slice(0, length, 1),
                         apart = harness::slice(GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, 2),
                         back = harness::slice(length - 1, GPUOPT_SLICE_ALL, -1);
      for (const gpuopt_index &rows : {near, apart, back}) {
        Handle view, sum, count, least;
        ASSERT_GPUOPT_OK(gpuopt_slice(array, 1, &rows, view.out(), error));
        const gpuopt_reduce_options options = options_for(kAllAxes[0], 0);
        ASSERT_GPUOPT_OK(gpuopt_sum(view, &options, sum.out(), error));
        ASSERT_GPUOPT_OK(gpuopt_count_nonzero(view, &options, count.out(), error));
        ASSERT_GPUOPT_OK(gpuopt_argmin(view, &options, least.out(), error));
        const std::vector<Element> sums = harness::contents(sum), counts = harness::contents(count),
                                   places = harness::contents(least);
        for (int64_t c = 0; c < columns; ++c) {
          float total = 0;
          int64_t nonzero = 0, place = 0;
          const int64_t first = rows.step < 0 ? length - 1 : 0;
          const auto at = [&](int64_t r) { return x[size_t((first + r * rows.step) * columns + c)]; };
          for (int64_t r = 0; r < length; ++r) {
            total += at(r);
            nonzero += at(r) != 0;
            if (at(r) < at(place)) place = r;
          }
          ASSERT_EQ(sums[size_t(c)].r, total) << columns << " columns of " << length << ", column " << c;
          ASSERT_EQ(counts[size_t(c)].w, Wide(nonzero)) << columns << " columns of " << length << ", column " << c;
          ASSERT_EQ(places[size_t(c)].w, Wide(place)) << columns << " columns of " << length << ", column " << c;
        }
      }
    }
  }
}

std::string case_name(const testing::TestParamInfo<std::tuple<int, int>> &info) {
  return std::string(reductions()[size_t(std::get<0>(info.param))].name) + "_" +
         dtypes()[size_t(std::get<1>(info.param))].name;
}
INSTANTIATE_TEST_SUITE_P(Table, Reductions, testing::ValuesIn(harness::pairs_with_dtypes(int(GPUOPT_REDUCTION_COUNT))),
                         case_name);

// ---- mean, var, std and the nan forms
// ---------------------------------------------------------------------------------

using Statistic = gpuopt_status (*)(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *, gpuopt_error *);

Real spread(const std::vector<Real> &x, Real correction, bool root) {
  Real total = 0, squares = 0;
  for (Real v : x) total += v;
  for (Real v : x) squares += (v - total / x.size()) * (v - total / x.size());
  const Real divisor = std::fmax(Real(x.size()) - correction, 0);
  return root ? std::sqrt(squares / divisor) : squares / divisor;
}

struct Named {
  const char *name;
  Statistic call;
  bool skip_nan;
  std::function<Real(const std::vector<Real> &)> exact;
};
const Named kStatistics[] = {
    {"mean", gpuopt_mean, false,
     [](auto &x) {
       Real s = 0;
       for (Real v : x) s += v;
       return s / Real(x.size());
     }},
    {"var", gpuopt_var, false, [](auto &x) { return spread(x, 1, false); }},
    {"std", gpuopt_std, false, [](auto &x) { return spread(x, 1, true); }},
    {"nansum", gpuopt_nansum, true,
     [](auto &x) {
       Real s = 0;
       for (Real v : x) s += v;
       return s;
     }},
    {"nanprod", gpuopt_nanprod, true,
     [](auto &x) {
       Real s = 1;
       for (Real v : x) s *= v;
       return s;
     }},
    {"nanmean", gpuopt_nanmean, true,
     [](auto &x) {
       Real s = 0;
       for (Real v : x) s += v;
       return s / Real(x.size());
     }},
    {"nanvar", gpuopt_nanvar, true, [](auto &x) { return spread(x, 1, false); }},
    {"nanstd", gpuopt_nanstd, true, [](auto &x) { return spread(x, 1, true); }},
};

TEST(Statistics, AgreeWithPlainLoops) {
  std::mt19937_64 rng(3);
  for (gpuopt_dtype id :
       {GPUOPT_FLOAT16, GPUOPT_BFLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_INT32, GPUOPT_UINT8, GPUOPT_BOOL}) {
    const bool floating = dtype(id).kind == 'f';
    const int64_t rows = 41, columns = 57;
    std::vector<Element> x;
    for (int64_t i = 0; i < rows * columns; ++i) {
      Element e = random_element(id, rng);
      if (!floating) {
        e.w = int(rng() % 2);
        e.b = e.w.v;
      }
      e.r = floating ? Real(1) + Real(int(rng() % 64)) / 64 : Real(e.w.v);
      x.push_back(e);
    }
    for (const Named &s : kStatistics) {
      std::vector<Element> input = x;
      if (floating && s.skip_nan)
        for (size_t i = 0; i < input.size(); i += 5) input[i].r = std::numeric_limits<Real>::quiet_NaN();
      for (int layout = 0; layout < harness::LAYOUTS; ++layout) {
        Operand operand = harness::make_operand(id, input, rows, columns, layout);
        for (const Axes &axes : kAllAxes) {
          gpuopt_reduce_options options = options_for(axes, 0);
          options.correction = 1;
          Handle result;
          ASSERT_GPUOPT_OK(s.call(operand.array, &options, result.out(), error));
          gpuopt_dtype out = gpuopt_array_dtype(result);
          const bool summing = std::string(s.name) == "nansum" || std::string(s.name) == "nanprod";
          ASSERT_EQ(out, floating ? id : summing ? summed(id) : GPUOPT_FLOAT64) << s.name;
          const std::vector<Element> got = harness::contents(result);
          const auto lists = sequences(operand.elements, rows, columns, axes);
          ASSERT_EQ(got.size(), lists.size());
          for (size_t i = 0; i < got.size() && !HasFailure(); ++i) {
            std::vector<Real> kept;
            for (const Element &e : lists[i])
              if (!(s.skip_nan && std::isnan(e.r))) kept.push_back(e.r);
            const Real exact = s.exact(kept), found = dtype(out).kind == 'f' ? got[i].r : Real(got[i].w.v);
            if (std::string(s.name) == "nanprod" && floating && std::fabs(exact) > format_of(out).largest) continue;
            if (std::isnan(exact)) {  // a slice of NaN alone, where the layout repeats a row
              EXPECT_TRUE(std::isnan(found)) << s.name;
              continue;
            }
            const Real bound = (std::fabs(exact) + (std::string(s.name).find("var") != std::string::npos ? 1 : 0)) *
                               std::ldexp(Real(256), -format_of(out).precision);
            EXPECT_LE(std::fabs(found - exact), dtype(out).kind == 'f' ? bound : 0)
                << s.name << " " << dtype(id).name << " " << harness::layout_name(layout) << " " << axes.name;
          }
        }
      }
    }
  }
}

TEST(Statistics, SlicesOfNaNAloneAreNaN) {
  const double x[4] = {NAN, 1, NAN, 3};
  const int64_t shape[2] = {2, 2};
  Handle array, result;
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), x, GPUOPT_FLOAT64, 2, shape, array.out(), error));
  const gpuopt_reduce_options columns = options_for(kAllAxes[0], 0);
  for (const Named &s : kStatistics) {
    if (!s.skip_nan) continue;
    ASSERT_GPUOPT_OK(s.call(array, &columns, result.out(), error));
    const std::string name = s.name;
    const double first = double(harness::contents(result)[0].r);
    if (name == "nansum")
      EXPECT_EQ(first, 0);
    else if (name == "nanprod")
      EXPECT_EQ(first, 1);
    else
      EXPECT_TRUE(std::isnan(first)) << name;
  }
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_nanargmin(array, &columns, result.out(), &error), GPUOPT_ERR_INVALID_ARGUMENT);
  const gpuopt_reduce_options rows = options_for(kAllAxes[1], 0);
  ASSERT_EQ(gpuopt_nanargmax(array, &rows, result.out(), &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(harness::contents(result)[0].w, Wide(1));
}

// An array of one dtype from numbers given in float64.
void make_of(gpuopt_dtype dtype, const std::vector<double> &numbers, int64_t rows, Handle &made) {
  const int64_t shape[2] = {rows, int64_t(numbers.size()) / rows};
  Handle wide;
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), numbers.data(), GPUOPT_FLOAT64, 2, shape, wide.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_astype(wide, dtype, GPUOPT_COPY_ALWAYS, made.out(), error));
}

// The variance, 250000, is beyond the greatest float16, 65504.
TEST(Statistics, DeviationsOf16BitFloatsAreRoundedOnce) {
  const gpuopt_reduce_options rows = options_for(kAllAxes[1], 0);
  for (gpuopt_dtype id : {GPUOPT_FLOAT16, GPUOPT_BFLOAT16}) {
    Handle x, result;
    make_of(id, {0, 1000, 0, 1000}, 1, x);
    ASSERT_GPUOPT_OK(gpuopt_std(x, &rows, result.out(), error));
    EXPECT_EQ(harness::contents(result)[0].r, 500);
    make_of(id, {0, NAN, 1000}, 1, x);
    ASSERT_GPUOPT_OK(gpuopt_nanstd(x, &rows, result.out(), error));
    EXPECT_EQ(harness::contents(result)[0].r, 500);
  }
}

TEST(Statistics, PositionsOfInfinitiesAmongNaNs) {
  const gpuopt_reduce_options rows = options_for(kAllAxes[1], 0);
  for (gpuopt_dtype id : {GPUOPT_FLOAT16, GPUOPT_BFLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
    Handle x, result;
    make_of(id, {NAN, -INFINITY, -INFINITY, -INFINITY, NAN, 1, NAN, 0, -0.0}, 3, x);
    ASSERT_GPUOPT_OK(gpuopt_nanargmax(x, &rows, result.out(), error));
    const std::vector<Element> greatest = harness::contents(result);
    EXPECT_EQ(greatest[0].w, Wide(1));
    EXPECT_EQ(greatest[1].w, Wide(2));
    EXPECT_EQ(greatest[2].w, Wide(1));
    make_of(id, {NAN, INFINITY, NAN, INFINITY, -INFINITY, NAN}, 2, x);
    ASSERT_GPUOPT_OK(gpuopt_nanargmin(x, &rows, result.out(), error));
    EXPECT_EQ(harness::contents(result)[0].w, Wide(1));
    EXPECT_EQ(harness::contents(result)[1].w, Wide(1));
  }
}

// Long sequences of numbers of which some are NaN, infinite or zeros of either sign.
std::vector<Real> awkward_numbers(size_t n, int kind, std::mt19937_64 &rng) {
  const Real inf = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> x(n);
  for (Real &e : x) e = Real(int(rng() % 101)) - 50;
  if (kind == 1 || kind == 2) std::fill(x.begin(), x.end(), kind == 1 ? Real(-0.0) : Real(0));
  if (kind == 1 || kind == 2) x[rng() % n] = kind == 1 ? Real(0) : Real(-0.0);
  if (kind == 3) x[rng() % n] = nan;
  if (kind == 4) std::fill(x.begin(), x.end(), nan);
  if (kind == 5 || kind == 6) std::fill(x.begin(), x.end(), kind == 5 ? inf : -inf);
  if (kind == 6) x[rng() % n] = nan;
  if (kind == 7) x[rng() % n] = inf, x[rng() % n] = -inf;
  return x;
}

// The extreme by the book: +0 is greater than -0. NaN counts unless it is skipped; if all are skipped it is the result.
Real plain_extreme(const std::vector<Real> &x, bool least, bool skip_nan) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  Real best = nan;
  for (const Real e : x) {
    if (std::isnan(e) && !skip_nan) return nan;
    if (std::isnan(e)) continue;
    const bool wins = e == best ? std::signbit(e) == least : least ? e < best : e > best;
    if (std::isnan(best) || wins) best = e;
  }
  return best;
}

void expect_number(Real got, Real exact, const std::string &where) {
  if (std::isnan(exact)) {
    EXPECT_TRUE(std::isnan(got)) << where << ": " << got;
  } else {
    EXPECT_EQ(got, exact) << where;
    EXPECT_EQ(std::signbit(got), std::signbit(exact)) << where;
  }
}

// Extremes of many chunks are found together, both at once if both are asked for.
void expect_extremes(gpuopt_dtype id, const std::vector<Real> &x, const std::string &where) {
  std::vector<Element> elements(x.size());
  for (size_t i = 0; i < x.size(); ++i) elements[i].r = x[i];
  const Operand operand = harness::make_operand(id, elements, 1, int64_t(x.size()), harness::CONTIGUOUS);
  for (const bool skip_nan : {false, true}) {
    for (const int wanted : {1, 2, 3}) {
      Handle extreme[2];
      for (const int k : {0, 1}) {
        if (!(wanted & (1 << k))) continue;
        const auto reduction = k == 0 ? (skip_nan ? GPUOPT_REDUCTION_nanmin : GPUOPT_REDUCTION_min)
                                      : (skip_nan ? GPUOPT_REDUCTION_nanmax : GPUOPT_REDUCTION_max);
        ASSERT_GPUOPT_OK(gpuopt_reduce(reduction, operand.array, nullptr, extreme[k].out(), error));
      }
      const gpuopt_array both[] = {extreme[0], extreme[1]};
      if (wanted == 3) ASSERT_GPUOPT_OK(gpuopt_eval(2, both, error));
      for (const int k : {0, 1}) {
        if (wanted & (1 << k))
          expect_number(harness::contents(extreme[k])[0].r, plain_extreme(x, k == 0, skip_nan),
                        where + (k == 0 ? " least" : " greatest") + (skip_nan ? " number" : ""));
      }
    }
  }
  if (dtype(id).size == 2) return;
  for (const int replacement : {0, 3}) {
    Real total = 0;
    for (const Real e : x) total += std::isnan(e) ? replacement : e;
    Handle tests, weak, numbers, all;
    ASSERT_GPUOPT_OK(gpuopt_isnan(operand.array, tests.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_weak(gpuopt_scalar_real(replacement), weak.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_where(tests, weak, operand.array, numbers.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_sum(numbers, nullptr, all.out(), error));
    expect_number(harness::contents(all)[0].r, total, where + " sum with " + std::to_string(replacement));
  }
}

TEST(LongReductions, ExtremesAndSumsWithoutNan) {
  std::mt19937_64 rng(23);
  for (const gpuopt_dtype id : {GPUOPT_FLOAT16, GPUOPT_BFLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
    for (const size_t n : {1024, 2048, 3072, 5127, 8192, 40 * 1024, 300 * 1024 + 5}) {
      for (int kind = 0; kind < 8; ++kind) {
        const std::string where = std::string(dtype(id).name) + " " + std::to_string(n) + " " + std::to_string(kind);
        expect_extremes(id, awkward_numbers(n, kind, rng), where);
        if (HasFailure()) return;
      }
    }
  }
}

// ---- scans
// ------------------------------------------------------------------------------------------------------------

TEST(Scans, AgreeWithPlainLoops) {
  std::mt19937_64 rng(11);
  for (const Dtype &d : dtypes()) {
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{4, 6}, {3, 2100}, {1100, 5}}) {
      std::vector<Element> x;
      for (int64_t i = 0; i < rows * columns; ++i) {
        Element e = random_element(d.id, rng);
        if (d.kind == 'f') e.r = Real(int(rng() % 16)) / 8 - Real(0.875);
        x.push_back(e);
      }
      for (int layout = 0; layout < harness::LAYOUTS; ++layout) {
        Operand operand = harness::make_operand(d.id, x, rows, columns, layout);
        for (int64_t axis : {0, 1}) {
          Handle result;
          ASSERT_GPUOPT_OK(gpuopt_cumulative_sum(operand.array, axis, 0, 0, result.out(), error));
          const gpuopt_dtype out = gpuopt_array_dtype(result);
          ASSERT_EQ(out, summed(d.id));
          const std::vector<Element> got = harness::contents(result);
          ASSERT_EQ(got.size(), x.size());
          const int64_t lines = axis == 0 ? columns : rows, length = axis == 0 ? rows : columns;
          for (int64_t line = 0; line < lines; ++line) {
            Element total;
            Real magnitudes = 0;
            for (int64_t k = 0; k < length && !HasFailure(); ++k) {
              const size_t at = size_t(axis == 0 ? k * columns + line : line * columns + k);
              const Element &e = operand.elements[at];
              total.w = sum(total.w, e.w), total.r += e.r, total.c += e.c;
              magnitudes += d.kind == 'c' ? std::abs(e.c) : std::fabs(e.r);
              if (d.kind == 'f')
                EXPECT_LE(std::fabs(got[at].r - total.r), allowance(out, magnitudes))
                    << d.name << " " << harness::layout_name(layout) << " axis " << axis;
              else if (d.kind == 'c')
                EXPECT_LE(std::abs(got[at].c - total.c), 2 * allowance(out, magnitudes)) << d.name;
              else
                EXPECT_EQ(got[at].w, wrapped(total.w, out))
                    << d.name << " " << harness::layout_name(layout) << " axis " << axis << " at " << k;
            }
          }
        }
      }
    }
  }
}

TEST(Scans, InitialValueAndProduct) {
  const int32_t x[5] = {1, 2, 3, 4, 5};
  const int64_t shape[1] = {5};
  Handle array, result;
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), x, GPUOPT_INT32, 1, shape, array.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_cumulative_prod(array, 0, 0, 1, result.out(), error));
  const int64_t expected[6] = {1, 1, 2, 6, 24, 120};
  const std::vector<Element> got = harness::contents(result);
  ASSERT_EQ(got.size(), 6u);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(got[i].w, Wide(expected[i]));
}

}  // namespace

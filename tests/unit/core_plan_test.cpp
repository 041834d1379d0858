// tests/unit/core_plan_test.cpp -- how many programs known expressions take, and what is in them.
#include <gtest/gtest.h>

#include <cmath>

#include "core/array/view.h"
#include "core/engine/expression.h"
#include "core/engine/transfer.h"
#include "tests/unit/core_fake_device.h"
#include "tests/unit/core_naive_model.h"

namespace gpuopt::test {
namespace {

class Plans : public testing::Test {
 protected:
  Value array(Sizes shape, gpuopt_dtype dtype = GPUOPT_FLOAT64) {
    Elements e = make_elements(dtype, shape);
    for (int64_t i = 0; i < e.count(); ++i) {
      const double value = static_cast<double>(i * 7 % 11) - 3;
      cast_element(e.at(i), dtype, &value, GPUOPT_FLOAT64);
    }
    ArrayRef x = make_array(fake.get()->default_stream, dtype, static_cast<int>(shape.size()), shape.data());
    copy_from_host(x.get(), e.bytes.data());
    return x;
  }
  Elements read(const Value &x) {
    Elements e = make_elements(x.dtype(), Sizes(x.get()->shape, x.get()->shape + x.get()->ndim));
    copy_to_host(x.get(), e.bytes.data());
    return e;
  }
  double at(const Elements &e, int64_t i) {
    double value;
    cast_element(&value, GPUOPT_FLOAT64, e.at(i), e.dtype);
    return value;
  }
  // Programs that evaluating the arrays takes.
  int64_t programs(std::initializer_list<Value> values) {
    std::vector<gpuopt_array> arrays;
    for (const Value &v : values) arrays.push_back(v.get());
    const int64_t before = fake.programs;
    evaluate(arrays);
    EXPECT_EQ(fake.violation, "");
    return fake.programs - before;
  }
  static Value reduce(gpuopt_reduction r, const Value &x, uint64_t axes, bool keepdims) {
    return record_reduction(r, x.get(), axes, keepdims, 0);
  }
  template <class Call>
  static Value made(Call call) {
    gpuopt_array result = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(call(&result, &error), GPUOPT_OK) << error.message;
    return ArrayRef::adopt(result);
  }
  static Value statistic(gpuopt_status (*call)(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *,
                                               gpuopt_error *),
                         const Value &x, std::vector<int64_t> axes, bool keepdims = false) {
    gpuopt_reduce_options options{};
    options.struct_size = sizeof options;
    options.axes = axes.data();
    options.naxes = static_cast<int32_t>(axes.size());
    options.keepdims = keepdims;
    return made([&](gpuopt_array *r, gpuopt_error *e) { return call(x.get(), &options, r, e); });
  }
  static void in_place(gpuopt_op op, const Value &a, const Value &b) {
    const gpuopt_array inputs[] = {a.get(), b.get()};
    record_op(op, inputs, a.get());
  }

  FakeDevice fake;
};

TEST_F(Plans, AChainIsOneProgram) {
  const Value x = array({5, 7}), y = x * Value(2.0) + x * x - sqrt(abs(x));
  EXPECT_EQ(programs({y}), 1);
  const Elements in = read(x), out = read(y);
  for (int64_t i = 0; i < 35; ++i) {
    const double v = at(in, i);
    EXPECT_EQ(at(out, i), v * 2 + v * v - std::sqrt(std::fabs(v)));
  }
}

TEST_F(Plans, ThreeUsesOfOneArrayAreOneProgram) {
  const Value x = array({40}), a = x * Value(5.0), b = x * x, c = x + x;
  EXPECT_EQ(programs({a, b, c}), 1);
}

TEST_F(Plans, EqualExpressionsAreComputedOnce) {
  const Value x = array({40}), a = sqrt(x * x + Value(1.0)), b = sqrt(x * x + Value(1.0));
  EXPECT_EQ(programs({a, b}), 1);
  // input, constant, multiply, add, sqrt and the two outputs
  EXPECT_EQ(fake.last_steps.size(), 7u);
}

TEST_F(Plans, EqualOperandsOfOneResultAreComputedOnce) {
  const Value x = array({40}), y = sqrt(x * x + Value(1.0)) - sqrt(x * x + Value(1.0));
  EXPECT_EQ(programs({y}), 1);
  // input, constant, multiply, add, sqrt, subtract and the output
  EXPECT_EQ(fake.last_steps.size(), 7u);
  EXPECT_EQ(at(read(y), 39), 0);
}

TEST_F(Plans, WhatIsHeldOnTheWayToASumIsStoredByItsProgram) {
  const Value x = array({5, 8}), row = array({8}), square = x * x, again = x * x;
  const Value sum = reduce(GPUOPT_REDUCTION_sum, square + x, 1, false),
              broadcast = reduce(GPUOPT_REDUCTION_sum, x + row, 2, true);
  EXPECT_EQ(programs({sum}), 1);
  EXPECT_EQ(programs({square}), 0);
  EXPECT_EQ(programs({again}), 1);
  EXPECT_EQ(programs({broadcast}), 1);
  const Elements values = read(x), in_row = read(row), sums = read(sum), totals = read(broadcast),
                 squares = read(square);
  for (int64_t i = 0; i < 5; ++i) {
    double total = 0;
    for (int64_t k = 0; k < 8; ++k) total += at(values, 8 * i + k) + at(in_row, k);
    EXPECT_EQ(at(totals, i), total);
  }
  for (int64_t k = 0; k < 8; ++k) {
    double total = 0;
    for (int64_t i = 0; i < 5; ++i) total += at(squares, 8 * i + k) + at(values, 8 * i + k);
    EXPECT_EQ(at(sums, k), total);
    EXPECT_EQ(at(squares, k), at(values, k) * at(values, k));
  }
}

// The planner's hash table is small, so that with casts to every dtype some meet in one slot, whatever their addresses.
TEST_F(Plans, CastsToOtherDtypesAreOtherValues) {
  for (int64_t size = 1; size <= 30; ++size) {
    const Value x = array({size});
    std::vector<Value> casts;
    std::vector<gpuopt_array> arrays;
    for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) casts.push_back(cast(x, static_cast<gpuopt_dtype>(dtype)));
    for (const Value &y : casts) arrays.push_back(y.get());
    evaluate(arrays);
    EXPECT_EQ(fake.violation, "");
    const Elements in = read(x);
    for (const Value &y : casts) {
      Elements expected = make_elements(y.dtype(), {size});
      for (int64_t i = 0; i < size; ++i) cast_element(expected.at(i), y.dtype(), in.at(i), in.dtype);
      EXPECT_EQ(read(y).bytes, expected.bytes) << dtype_name(y.dtype());
    }
  }
}

TEST_F(Plans, SoftmaxIsOneProgram) {
  for (uint64_t axes : {1u, 2u, 3u}) {
    const Value x = array({6, 9});
    const Value e = apply_op(GPUOPT_OP_exp, x - reduce(GPUOPT_REDUCTION_max, x, axes, true));
    const Value y = e / reduce(GPUOPT_REDUCTION_sum, e, axes, true);
    EXPECT_EQ(programs({y}), 1);
  }
}

TEST_F(Plans, MeansAndSpreadsAreOneProgram) {
  const Value x = array({6, 9});
  EXPECT_EQ(programs({statistic(gpuopt_mean, x, {0})}), 1);
  EXPECT_EQ(programs({statistic(gpuopt_std, x, {1}, true)}), 1);
  EXPECT_EQ(programs({statistic(gpuopt_nanstd, x, {0, 1})}), 1);
  EXPECT_EQ(programs({statistic(gpuopt_var, x, {0}), statistic(gpuopt_mean, x, {0}), statistic(gpuopt_sum, x, {0})}),
            1);
}

// The standardisation of a matrix with missing values, column by column, in place.
TEST_F(Plans, StandardizingIsOneProgram) {
  Value a = array({20, 6});
  const Value nan = where(equal(a, Value(2.0)), Value(NAN), a);
  evaluate(nan.get());
  a = nan;
  const Elements before = read(a);
  const int64_t programs_before = fake.programs;
  {
    const Value missing = isnan(a), s = statistic(gpuopt_nanstd, a, {0}), m = statistic(gpuopt_nanmean, a, {0});
    const Value fixed = where(equal(s, Value(0.0)), Value(INFINITY), s);
    record_assign(s.get(), fixed.get());
    in_place(GPUOPT_OP_subtract, a, m);
    in_place(GPUOPT_OP_divide, a, s);
    const Value filled = where(missing, Value(0.0), a);
    record_assign(a.get(), filled.get());
  }
  evaluate(a.get());
  EXPECT_EQ(fake.programs - programs_before, 1);
  EXPECT_EQ(fake.in_place, 1);
  EXPECT_EQ(fake.violation, "");
  const Elements after = read(a);
  for (int64_t column = 0; column < 6; ++column) {
    double sum = 0, squares = 0, count = 0;
    for (int64_t i = column; i < 120; i += 6) {
      if (!std::isnan(at(before, i))) sum += at(before, i), count += 1;
    }
    const double mean = sum / count;
    for (int64_t i = column; i < 120; i += 6) {
      if (!std::isnan(at(before, i))) squares += (at(before, i) - mean) * (at(before, i) - mean);
    }
    for (int64_t i = column; i < 120; i += 6) {
      const double expected = std::isnan(at(before, i)) ? 0.0 : (at(before, i) - mean) / std::sqrt(squares / count);
      EXPECT_NEAR(at(after, i), expected, 1e-14);
    }
  }
}

TEST_F(Plans, RowValuesAreComputedOncePerRow) {
  const Value x = array({8, 5}), v = array({5}), y = x + sqrt(abs(v) * Value(3.0));
  EXPECT_EQ(programs({y}), 1);
  for (const gpuopt_step &step : fake.last_steps) {
    if (step.kind == GPUOPT_STEP_ELEMENTWISE) {
      EXPECT_EQ(step.level, step.index == GPUOPT_OP_add ? GPUOPT_LEVEL_FULL : GPUOPT_LEVEL_REDUCED);
    }
  }
}

TEST_F(Plans, ARowValueDoesNotStandInTheWayOfAReductionOverRows) {
  const Value x = array({8, 5}), v = array({5}, GPUOPT_FLOAT32), y = x + v;
  const Value s = reduce(GPUOPT_REDUCTION_sum, y, 2, false);
  EXPECT_EQ(programs({s}), 2);  // the cast of v alone, and all the rest
}

TEST_F(Plans, MeanThenExpandDimsKeepsFusing) {
  const Value x = array({8, 5}), m = statistic(gpuopt_mean, x, {1}), y = x - Value(expanded_view(m.get(), 1));
  EXPECT_EQ(programs({y}), 1);
}

TEST_F(Plans, ReductionsOverOtherAxesAreOtherPrograms) {
  const Value x = array({8, 5}), a = reduce(GPUOPT_REDUCTION_sum, x, 1, false),
              b = reduce(GPUOPT_REDUCTION_sum, x, 2, false);
  EXPECT_EQ(programs({a, b}), 2);
}

// The example of core/engine/README.md.
TEST_F(Plans, OneSumJoinsAndAnotherStaysApart) {
  const Value x = array({8, 5}), s = reduce(GPUOPT_REDUCTION_sum, x, 1, false), d = x - s,
              a = reduce(GPUOPT_REDUCTION_sum, d, 1, false), c = d * Value(2.0);
  EXPECT_EQ(programs({s, d, a, c}), 1);
  std::string steps;
  for (const gpuopt_step &step : fake.last_steps) {
    constexpr const char *kKinds[] = {"", "INPUT", "CONSTANT", "ELEMENTWISE", "CAST", "REDUCE", "SCAN", "OUTPUT"};
    steps += std::string(kKinds[step.kind]) + (step.level == GPUOPT_LEVEL_REDUCED ? "-" : "") + " ";
    for (int i = 0; i < step.nsrc; ++i) steps += std::to_string(step.src[i]) + " ";
  }
  EXPECT_EQ(
      steps,
      "INPUT REDUCE- 0 ELEMENTWISE 0 1 REDUCE- 2 CONSTANT ELEMENTWISE 2 4 OUTPUT- 1 OUTPUT 2 OUTPUT- 3 OUTPUT 5 ");
  const int64_t before = fake.steps;
  const Value t = reduce(GPUOPT_REDUCTION_sum, x, 1, false), e = x - t, f = reduce(GPUOPT_REDUCTION_sum, e, 1, false),
              b = reduce(GPUOPT_REDUCTION_sum, e, 2, false), g = e * Value(2.0);
  EXPECT_EQ(programs({t, e, f, b, g}), 2);
  EXPECT_EQ(fake.steps - before, 13);
}

TEST_F(Plans, OuterExpressionsComputeEachSideOnce) {
  const Value r = array({8}), c = array({5});
  const Value y = sqrt(abs(Value(expanded_view(r.get(), 1)))) * sqrt(abs(c));
  EXPECT_EQ(programs({y}), 2);
}

TEST_F(Plans, AScanTakesItsNeighboursAlong) {
  const Value x = array({50}),
              y = Value(record_scan(GPUOPT_SCAN_cumulative_sum, (x * Value(2.0)).get(), 0, 0)) + Value(1.0);
  EXPECT_EQ(programs({y}), 1);
}

TEST_F(Plans, ZerosFuseIntoWhatUsesThem) {
  const Value x = array({50}),
              zeros = made([&](gpuopt_array *r, gpuopt_error *e) { return gpuopt_zeros_like(x.get(), 0, r, e); });
  EXPECT_EQ(programs({x + zeros}), 1);
  for (const gpuopt_step &step : fake.last_steps) EXPECT_FALSE(step.kind == GPUOPT_STEP_INPUT && step.index == 1);
}

TEST_F(Plans, LongExpressionsAreCutIntoProgramsOfBoundedSize) {
  Value y = array({3});
  for (int i = 0; i < 1000; ++i) y = y + Value(1.0);
  const int64_t count = programs({y});
  EXPECT_GE(count, 4);
  EXPECT_LE(count, 8);
  EXPECT_EQ(at(read(y), 0), -3 + 1000.0);
}

TEST_F(Plans, ManyOperandsAreCutToo) {
  std::vector<Value> leaves;
  for (int i = 0; i < 100; ++i) leaves.push_back(array({6}));
  Value sum = leaves[0];
  for (int i = 1; i < 100; ++i) sum = sum + leaves[i];
  EXPECT_GE(programs({sum}), 5);
  EXPECT_EQ(at(read(sum), 1), 400.0);
}

// Values along one axis are taken out of a group that has a reduction merged to it. What is left may have more operands
// than one program can have, and is divided later: until then nobody may miss one of them.
class ManyRowOperands : public Plans {
 protected:
  ManyRowOperands() {
    for (int k = 0; k < 12; ++k) {
      rows_.push_back(array({6}));
      squares_.push_back(rows_.back() * rows_.back());
      u_ = u_ + rows_.back() + squares_.back();
    }
  }
  Value sum_of_rows() { return reduce(GPUOPT_REDUCTION_sum, z_, 2, true); }
  // Element i of u_, and of sum_of_rows() broadcast to its shape.
  double expected(int64_t i) {
    const double row = at(read(rows_[0]), i % 6);
    double sum = 0;
    for (int64_t j = 0; j < 6; ++j) sum += at(read(z_), i / 6 * 6 + j);
    return at(read(x_), i) + 12 * (row + row * row) + sum;
  }

  const Value x_ = array({5, 6}), z_ = array({5, 6});
  std::vector<Value> rows_, squares_;
  Value u_ = x_;
};

TEST_F(ManyRowOperands, OneThatIsWrittenLaterIsReadBefore) {
  const Value w = array({6}), before = array({6}), y = u_ + w + sum_of_rows();
  in_place(GPUOPT_OP_add, w, Value(1.0));
  programs({w});
  const Elements out = read(y);
  for (int64_t i = 0; i < 30; ++i) EXPECT_EQ(at(out, i), expected(i) + at(read(before), i % 6)) << i;
}

TEST_F(ManyRowOperands, NoGroupMovesPastOneThatReadsIt) {
  const Value y = u_ + sum_of_rows(), other = array({5, 6});
  const Value b = squares_.back() * abs(reduce(GPUOPT_REDUCTION_sum, other, 1, false));
  squares_.clear();
  programs({y, b});
  const Elements out = read(y), product = read(b);
  for (int64_t i = 0; i < 30; ++i) EXPECT_EQ(at(out, i), expected(i)) << i;
  for (int64_t j = 0; j < 6; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < 5; ++i) sum += at(read(other), i * 6 + j);
    const double row = at(read(rows_[0]), j);
    EXPECT_EQ(at(product, j), row * row * std::fabs(sum)) << j;
  }
}

// Each product has one axis more than the one before, and the first is stored.
TEST_F(Plans, NestedBroadcastsStoreEachValueOnce) {
  const Sizes full = {2, 3, 4, 5, 6};
  std::vector<Value> operands, kept;
  for (size_t n = 1; n <= full.size(); ++n)
    operands.push_back(array(Sizes(full.end() - static_cast<long>(n), full.end())));
  for (size_t stored = 0; stored < operands.size(); ++stored) {
    Value y = operands[0] * operands[0];
    std::vector<Value> values = {y};
    for (size_t n = 1; n < operands.size(); ++n) values.push_back(y = y + operands[n]);
    programs({values[stored], y});
    const Elements out = read(y);
    for (int64_t i = 0; i < out.count(); ++i) {
      const double first = at(read(operands[0]), i % 6);
      double sum = first * first;
      for (size_t n = 1, size = 30; n < operands.size(); ++n) {
        sum += at(read(operands[n]), i % static_cast<int64_t>(size));
        if (n + 1 < full.size()) size *= static_cast<size_t>(full[full.size() - 2 - n]);
      }
      ASSERT_EQ(at(out, i), sum) << stored << " " << i;
    }
  }
}

TEST_F(Plans, ManyOutputsAreCutToo) {
  const Value x = array({6});
  std::vector<Value> results;
  std::vector<gpuopt_array> arrays;
  for (int i = 0; i < 100; ++i) results.push_back(x * Value(static_cast<double>(i)));
  for (auto &r : results) arrays.push_back(r.get());
  evaluate(arrays);
  EXPECT_EQ(fake.violation, "");
  EXPECT_EQ(fake.programs, 13);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(at(read(results[i]), 1), 4.0 * i);
}

TEST_F(Plans, ManyConstantsAreCutToo) {
  Value y = array({6});
  for (int i = 0; i < 100; ++i) y = y + Value(i + 0.5);
  EXPECT_EQ(programs({y}), 2);
  EXPECT_EQ(at(read(y), 1), 4 + 4950 + 50.0);
}

TEST_F(Plans, ScalarsAreParametersNotPartOfTheProgram) {
  const Value x = array({6});
  programs({x * Value(2.0)});
  const auto first = fake.last_steps;
  programs({x * Value(3.0)});
  ASSERT_EQ(first.size(), fake.last_steps.size());
  EXPECT_EQ(std::memcmp(first.data(), fake.last_steps.data(), first.size() * sizeof(gpuopt_step)), 0);
}

TEST_F(Plans, DroppedHandlesAreNotStored) {
  const Value x = array({6});
  Value y = x + Value(1.0);
  y = y * Value(2.0);
  const int64_t before = fake.allocations;
  programs({y});
  EXPECT_EQ(fake.allocations - before, 1);
}

TEST_F(Plans, DroppedResultsAreNotComputed) {
  const Value x = array({6});
  { const Value y = x + Value(1.0); }
  flush(fake.get());
  EXPECT_EQ(fake.programs, 0);
  in_place(GPUOPT_OP_add, x, Value(1.0));
  { const Value gone = x; }
  EXPECT_EQ(fake.programs, 0);
}

}  // namespace
}  // namespace gpuopt::test

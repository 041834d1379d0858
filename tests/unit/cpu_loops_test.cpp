// tests/unit/cpu_loops_test.cpp -- the loop table of every instruction set level has what ops.def lists, no more; and
// its loops of reductions have the bits of the definition, for rows of any number and length.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/shared/ops/reduce_ops.h"
#include "plugins/shared/program/op_table.h"
#include "plugins/shared/reduce_shape.h"
#include "tests/unit/cpu_program_reference.h"

namespace gpuopt::test {
namespace {

// A family that no file of levels/ selects has no loops: its rows are missed here.
TEST(CpuLoops, EveryRowHasALoopForEachOfItsKinds) {
  for (int level = 2; level <= std::max(2, cpu::detected_isa_level()); level++) {
    const cpu::LoopTable &table = cpu::loop_table(level);
    for (int op = 0; op < GPUOPT_OP_COUNT; op++) {
      for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
        const ScalarOp wanted = scalar_op(op, dtype);
        EXPECT_EQ(table.elementwise[op][dtype].vector != nullptr, wanted.call != nullptr)
            << "level " << level << ", operation " << op << ", dtype " << dtype;
        EXPECT_EQ(table.elementwise_result[op][dtype], wanted.result_dtype)
            << "level " << level << ", operation " << op << ", dtype " << dtype;
      }
    }
  }
}

TEST(CpuLoops, EveryRowHasACost) {
  EXPECT_EQ(std::size(plugin::kOpCost), size_t{GPUOPT_OP_COUNT});
  EXPECT_EQ(plugin::kOpCost[GPUOPT_OP_add], 1);
  EXPECT_EQ(std::count(std::begin(plugin::kOpCost), std::end(plugin::kOpCost), 0), 0);
}

// ---- Reductions

// The result of a chunk as gpuopt_plugin.h defines it ("Fixed reduction shape"), one element after the other.
template <class Op, class T>
auto by_definition(const T *x, int64_t length, int64_t first) {
  typename Op::template accumulator<T> lane[GPUOPT_LANES];
  using A = typename Op::template accumulator<T>;
  for (int64_t i = 0; i < length; i++) {
    const A one = Op::template lift<A>(x[i], first + i);
    lane[i % GPUOPT_LANES] = i < GPUOPT_LANES ? one : Op::combine(lane[i % GPUOPT_LANES], one);
  }
  return gpo::combine_lanes<Op>(lane, static_cast<int>(std::min<int64_t>(length, GPUOPT_LANES)));
}

// Lists of which the elements of a test are drawn. NaNs differ in sign and payload, so that it shows which one is kept.
template <class T>
std::vector<std::vector<T>> element_lists() {
  if constexpr (gpo::is_float<T>) {
    const T nan = gpo::nan<T>(), inf = gpo::inf<T>();
    const auto bits = gpo::to_bits(nan);
    const T other = gpo::from_bits(static_cast<decltype(bits)>(bits | 5)), negative = gpo::copysign(other, T(-1));
    return {{T(-0.0)},
            {T(0), T(-0.0)},
            {T(0), T(-0.0), T(-1), T(-2.5)},
            {T(0), T(-0.0), T(1), T(2.5)},
            {T(3), T(-2), T(1e-30), T(-7)},
            {inf, -inf, T(1), T(-0.0)},
            {T(1), T(0), T(-0.0), T(-3), T(2), T(7), T(-1), nan},
            {nan, other, negative},
            {T(0), T(-0.0), nan, other, negative}};
  } else if constexpr (gpo::is_bool<T>) {
    return {{false}, {true}, {false, true}};
  } else {
    return {{gpo::int_min<T>, gpo::int_max<T>, T(0), T(1), T(100)}};
  }
}

// vector<bool> has no elements in memory.
template <class T>
struct Elements {
  explicit Elements(size_t n) : data(new T[n]) {}
  std::unique_ptr<T[]> data;
};

template <class T>
bool same_bits(T a, T b, bool any_nan) {
  if constexpr (gpo::is_float<T>) {
    if (any_nan && a != a && b != b) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
bool same_bits(const gpo::indexed<T> &a, const gpo::indexed<T> &b, bool any_nan) {
  return a.index == b.index && same_bits(a.value, b.value, any_nan);
}

// Compares nrows rows. Of a sum's NaNs the definition fixes neither sign nor payload.
template <class Op, class T>
void check_rows(const cpu::ReductionLoops &loops, const T *x, int64_t nrows, int64_t length, int64_t pitch,
                const std::string &where) {
  using A = typename Op::template accumulator<T>;
  constexpr bool arithmetic = std::is_same_v<Op, gpo::reduce::sum> || std::is_same_v<Op, gpo::reduce::prod>;
  ASSERT_EQ(loops.accumulator_size, static_cast<int32_t>(sizeof(A)));
  Elements<A> out(static_cast<size_t>(nrows));
  loops.rows(out.data.get(), x, nrows, length, pitch, 7, 3);
  for (int64_t r = 0; r < nrows; r++) {
    const A wanted = by_definition<Op>(x + r * pitch, length, 7 + r * 3);
    ASSERT_TRUE(same_bits(out.data[static_cast<size_t>(r)], wanted, arithmetic))
        << where << ", row " << r << " of " << nrows << ", length " << length << ", pitch " << pitch;
  }
}

// Compares sums of products with those of the definition for products that are rounded first.
template <class T>
void check_products(int dtype) {
  std::mt19937 random(5);
  std::normal_distribution<T> normal;
  for (int level = 2; level <= std::max(2, cpu::detected_isa_level()); level++) {
    const cpu::ReductionLoops &loops = cpu::loop_table(level).reduction[GPUOPT_REDUCTION_sum][dtype];
    ASSERT_NE(loops.source.products, nullptr);
    for (const int64_t length : {1, 2, 15, 31, 32, 33, 63, 64, 100, 513, 1023, 1024}) {
      constexpr int64_t nrows = 3;
      Elements<T> x(static_cast<size_t>(nrows * length)), y(static_cast<size_t>(nrows * length));
      Elements<T> products(static_cast<size_t>(nrows * length)), out(static_cast<size_t>(nrows));
      for (size_t i = 0; i < static_cast<size_t>(nrows * length); i++) {
        x.data[i] = normal(random), y.data[i] = normal(random);
        volatile T product = x.data[i] * y.data[i];
        products.data[i] = product;
      }
      loops.source.products(out.data.get(), x.data.get(), y.data.get(), nrows, length);
      for (int64_t r = 0; r < nrows; r++) {
        const T wanted = by_definition<gpo::reduce::sum>(products.data.get() + r * length, length, 0);
        ASSERT_TRUE(same_bits(out.data[static_cast<size_t>(r)], wanted, false))
            << "level " << level << ", row " << r << ", length " << length;
      }
    }
  }
}

template <class Op, class T>
void check_reduction(int reduction, int dtype, const std::string &name) {
  std::mt19937 random(3);
  for (int level = 2; level <= std::max(2, cpu::detected_isa_level()); level++) {
    const cpu::ReductionLoops &loops = cpu::loop_table(level).reduction[reduction][dtype];
    for (const std::vector<T> &list : element_lists<T>()) {
      for (const int64_t length : {1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 64, 100, 512, 513, 1000, 1023, 1024}) {
        for (const int64_t nrows : {int64_t{1}, int64_t{5}, length > 64 ? int64_t{8} : int64_t{70}}) {
          const int64_t pitch = length + random() % 2;
          Elements<T> x(static_cast<size_t>(nrows * pitch));
          for (int64_t i = 0; i < nrows * pitch; i++) x.data[static_cast<size_t>(i)] = list[random() % list.size()];
          const std::string where = name + ", level " + std::to_string(level);
          ASSERT_NO_FATAL_FAILURE((check_rows<Op>(loops, x.data.get(), nrows, length, pitch, where)));
        }
      }
    }
  }
}

#define GPUOPT_CHECK(op, T, dtype) check_reduction<gpo::reduce::op, T>(GPUOPT_REDUCTION_##op, dtype, #op " of " #T)

TEST(CpuReductionLoops, ExtremesHaveTheBitsOfTheDefinition) {
  GPUOPT_CHECK(max, double, GPUOPT_FLOAT64);
  GPUOPT_CHECK(min, double, GPUOPT_FLOAT64);
  GPUOPT_CHECK(nanmax, double, GPUOPT_FLOAT64);
  GPUOPT_CHECK(nanmin, double, GPUOPT_FLOAT64);
  GPUOPT_CHECK(max, float, GPUOPT_FLOAT32);
  GPUOPT_CHECK(min, float, GPUOPT_FLOAT32);
  GPUOPT_CHECK(nanmax, float, GPUOPT_FLOAT32);
  GPUOPT_CHECK(nanmin, float, GPUOPT_FLOAT32);
  GPUOPT_CHECK(max, gpo::i8, GPUOPT_INT8);
  GPUOPT_CHECK(max, bool, GPUOPT_BOOL);
}

TEST(CpuReductionLoops, SumsHaveTheBitsOfTheDefinition) {
  GPUOPT_CHECK(sum, double, GPUOPT_FLOAT64);
  GPUOPT_CHECK(prod, float, GPUOPT_FLOAT32);
  GPUOPT_CHECK(sum, gpo::i16, GPUOPT_INT16);
  GPUOPT_CHECK(sum, bool, GPUOPT_BOOL);
  GPUOPT_CHECK(prod, bool, GPUOPT_BOOL);
  GPUOPT_CHECK(count_nonzero, bool, GPUOPT_BOOL);
  GPUOPT_CHECK(all, bool, GPUOPT_BOOL);
}

TEST(CpuReductionLoops, SumsOfProductsRoundEachProduct) {
  check_products<double>(GPUOPT_FLOAT64);
  check_products<float>(GPUOPT_FLOAT32);
}

// The values of equal elements are the same but for the sign of zero, which no result shows: positions are compared.
TEST(CpuReductionLoops, PositionsAreThoseOfTheDefinition) {
  GPUOPT_CHECK(argmax, double, GPUOPT_FLOAT64);
  GPUOPT_CHECK(argmin, float, GPUOPT_FLOAT32);
  GPUOPT_CHECK(argmax, gpo::u8, GPUOPT_UINT8);
}
#undef GPUOPT_CHECK

// Of chunks of one sequence a loop may search only those whose extreme is the best so far.
template <class Op, class T>
void check_joined_chunks(int reduction, int dtype) {
  std::mt19937 random(9);
  constexpr int64_t chunks = 70;
  for (int level = 2; level <= std::max(2, cpu::detected_isa_level()); level++) {
    const cpu::ReductionLoops &loops = cpu::loop_table(level).reduction[reduction][dtype];
    for (const std::vector<T> &list : element_lists<T>()) {
      // The later elements of the list are rare, so that chunks differ in what is in them.
      Elements<T> x(chunks * GPUOPT_CHUNK);
      for (int64_t i = 0; i < chunks * GPUOPT_CHUNK; i++)
        x.data[static_cast<size_t>(i)] = list[random() % 5000 == 0 ? random() % list.size() : 0];
      gpo::indexed<T> found[chunks], wanted = by_definition<Op>(x.data.get(), GPUOPT_CHUNK, 11);
      loops.rows(found, x.data.get(), chunks, GPUOPT_CHUNK, GPUOPT_CHUNK, 11, GPUOPT_CHUNK);
      loops.join(found, chunks, 1);
      for (int64_t c = 1; c < chunks; c++)
        wanted = Op::combine(wanted,
                             by_definition<Op>(x.data.get() + c * GPUOPT_CHUNK, GPUOPT_CHUNK, 11 + c * GPUOPT_CHUNK));
      ASSERT_EQ(found[0].index, wanted.index) << "level " << level;
    }
  }
}
TEST(CpuReductionLoops, PositionsInSequencesOfChunks) {
  check_joined_chunks<gpo::reduce::argmax, double>(GPUOPT_REDUCTION_argmax, GPUOPT_FLOAT64);
  check_joined_chunks<gpo::reduce::argmin, float>(GPUOPT_REDUCTION_argmin, GPUOPT_FLOAT32);
  check_joined_chunks<gpo::reduce::argmin, gpo::u8>(GPUOPT_REDUCTION_argmin, GPUOPT_UINT8);
}

}  // namespace
}  // namespace gpuopt::test

// tests/unit/core_hazard_test.cpp -- random programs of operations, views, in-place writes and dropped handles give the
// bits of a model that does everything at once; recorded and eager alike, and when they are done again with other
// numbers, so that known plans are used. GPUOPT_TEST_SEARCH_SECONDS=600 tries others for so long, from the seed
// GPUOPT_TEST_SEED on.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>

#include "core/array/view.h"
#include "core/engine/access.h"
#include "core/engine/known_plans.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "tests/unit/core_async_device.h"
#include "tests/unit/core_naive_model.h"

namespace gpuopt::test {
namespace {

// An array and what it is meant to hold.
struct Pair {
  ArrayRef array;
  NaiveArray naive;
};

constexpr int kDtypes[] = {GPUOPT_BOOL, GPUOPT_INT32, GPUOPT_UINT8, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64};
constexpr int kUnary[] = {GPUOPT_OP_negative, GPUOPT_OP_abs, GPUOPT_OP_square, GPUOPT_OP_isnan, GPUOPT_OP_logical_not};
constexpr int kBinary[] = {GPUOPT_OP_add,     GPUOPT_OP_subtract, GPUOPT_OP_multiply, GPUOPT_OP_divide,
                           GPUOPT_OP_maximum, GPUOPT_OP_less,     GPUOPT_OP_equal,    GPUOPT_OP_logical_and};
constexpr int kReductions[] = {GPUOPT_REDUCTION_sum, GPUOPT_REDUCTION_max, GPUOPT_REDUCTION_argmax,
                               GPUOPT_REDUCTION_any, GPUOPT_REDUCTION_count_nonzero};

class Session {
 public:
  // What is done depends on `seed` alone, the elements on `time`, too, and the shapes of new arrays on a third of it.
  Session(FakeDevice &fake, uint32_t seed, uint32_t time, bool streams)
      : random_(seed), numbers_(seed + 1000003 * time), shapes_(seed + time / 3), fake_(fake), streams_(streams) {
    if (streams_) second_ = make_stream(fake_.get());
    for (int i = 0; i < 3; ++i) add_random_array();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    for (size_t i = 0; i < pairs_.size(); ++i) expect_same(i, "at the end");
    EXPECT_EQ(fake_.violation, "");
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  Pair &pick() { return pairs_[static_cast<size_t>(below(static_cast<int>(pairs_.size())))]; }
  template <size_t N>
  int choose(const int (&list)[N]) {
    return list[below(N)];
  }

  void note(const std::string &text) { log_ += text + "\n"; }

  Elements random_elements(int dtype, Sizes shape) {
    Elements e = make_elements(dtype, std::move(shape));
    for (int64_t i = 0; i < e.count(); ++i) {
      const double value = numbers_() % 10 == 0 ? NAN : static_cast<int>(numbers_() % 21) - 10.0;
      cast_element(e.at(i), dtype, &value, GPUOPT_FLOAT64);
    }
    return e;
  }

  void add(ArrayRef array, NaiveArray naive) {
    const size_t most = 12;
    if (pairs_.size() >= most) pairs_.erase(pairs_.begin() + below(static_cast<int>(pairs_.size())));
    EXPECT_EQ(array->dtype, naive.dtype);
    EXPECT_EQ(Sizes(array->shape, array->shape + array->ndim), naive.shape);
    pairs_.push_back({std::move(array), std::move(naive)});
  }

  void add_random_array() {
    static const Sizes shapes[] = {{},        {4},    {3}, {3, 4}, {1, 4},    {3, 1},
                                   {2, 3, 4}, {4, 4}, {1}, {0, 4}, {4, 1, 4}, {70, 33}};
    const Elements e = random_elements(choose(kDtypes), shapes[shapes_() % std::size(shapes)]);
    if (below(4) == 0) return add_constant(e);
    ArrayRef x = make_array(fake_.get()->default_stream, e.dtype, static_cast<int>(e.shape.size()), e.shape.data());
    copy_from_host(x.get(), e.bytes.data());
    if (streams_ && below(2)) {
      x = make_view(x->storage.get(), second_, x->dtype, x->ndim, x->shape, x->strides, x->offset, false);
    }
    note("new " + describe(*x));
    add(x, fresh(e));
  }

  // Records a constant of the shape of `e` with the value of its first element.
  void add_constant(const Elements &e) {
    if (e.count() == 0) return;
    Elements all = make_elements(e.dtype, e.shape);
    for (int64_t i = 0; i < all.count(); ++i) std::memcpy(all.at(i), e.at(0), static_cast<size_t>(dtype_size(e.dtype)));
    const ArrayRef x = record_constant(fake_.get()->default_stream, e.dtype, static_cast<int>(e.shape.size()),
                                       e.shape.data(), e.at(0));
    note("constant " + describe(*x));
    add(x, fresh(all));
  }

  static std::string describe(const gpuopt_array_s &x) {
    return std::string(dtype_name(x.dtype)) + shape_text(x.ndim, x.shape);
  }

  void expect_same(size_t i, const char *when) {
    Elements got = make_elements(pairs_[i].naive.dtype, pairs_[i].naive.shape);
    copy_to_host(pairs_[i].array.get(), got.bytes.data());
    EXPECT_TRUE(same_elements(got, pairs_[i].naive.read())) << when << ": " << describe(*pairs_[i].array) << "\n"
                                                            << log_;
  }

  // The elements of an operand converted as record_op converts them.
  static Elements operand(const Elements &x, int loop) {
    return is_half(loop) ? naive_cast(naive_cast(x, loop), GPUOPT_FLOAT32) : naive_cast(x, loop);
  }

  // The operands of an operation, and the elements that the model has for them. All but the first may be numbers.
  struct Operands {
    std::vector<ArrayRef> arrays;
    std::vector<Elements> values;
  };

  Operands pick_operands(int arity) {
    Operands all;
    for (int i = 0; i < arity; ++i) {
      const Pair &x = pick();
      all.arrays.push_back(x.array);
      all.values.push_back(x.naive.read());
      if (i > 0 && below(4) == 0) {
        all.arrays.back() = make_weak(gpuopt_scalar_bool(below(2)));
        all.values.back() = make_elements(GPUOPT_BOOL, {});
        all.values.back().bytes[0] = static_cast<unsigned char>(all.arrays.back()->scalar.value.i);
      }
    }
    return all;
  }

  gpuopt_op choose_op(int arity) {
    return arity == 1 ? choose(kUnary) : arity == 2 ? choose(kBinary) : int{GPUOPT_OP_where};
  }

  // Records an operation. Returns nothing if it is refused.
  static ArrayRef try_record(gpuopt_op op, const Operands &x, gpuopt_array out) {
    std::vector<gpuopt_array> raw;
    for (auto &array : x.arrays) raw.push_back(array.get());
    try {
      return record_op(op, raw, out);
    } catch (const Failure &failure) {
      EXPECT_TRUE(failure.code == GPUOPT_ERR_SHAPE || failure.code == GPUOPT_ERR_TYPE ||
                  failure.code == GPUOPT_ERR_READ_ONLY || failure.code == GPUOPT_ERR_INVALID_ARGUMENT)
          << failure.message;
      return {};
    }
  }

  // What the operation gives of these values.
  static Elements naive_result(gpuopt_op op, const Operands &x, const Sizes &shape) {
    const RowInfo &info = op_info(op);
    const bool selects = op == GPUOPT_OP_where;
    std::vector<gpuopt_array> raw;
    for (auto &array : x.arrays) raw.push_back(array.get());
    const gpuopt_dtype promoted =
        info.result == ResultRule::LOGICAL ? GPUOPT_BOOL : common_dtype(std::span(raw).subspan(selects));
    const int loop = std::strchr(info.kinds, dtype_kind(promoted)) ? promoted : int{GPUOPT_FLOAT64};
    std::vector<Elements> values = x.values;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = selects && i == 0 ? naive_cast(values[i], GPUOPT_BOOL) : operand(values[i], loop);
    }
    const Elements r = naive_op(op, is_half(loop) ? int{GPUOPT_FLOAT32} : loop, values, shape);
    return is_half(loop) && info.result != ResultRule::BOOL ? naive_cast(r, loop) : r;
  }

  // Records an operation, in place if `out` is not NULL, and computes it for the model. Returns nothing if it is
  // refused.
  std::optional<Pair> compute(gpuopt_op op, const Operands &x, Pair *out) {
    ArrayRef result = try_record(op, x, out ? out->array.get() : nullptr);
    if (!result) return {};
    note(std::string(op_info(op).name) + " -> " + describe(*result) + (out ? " in place" : ""));
    const Elements r = naive_result(op, x, Sizes(result->shape, result->shape + result->ndim));
    if (out) out->naive.write(naive_cast(r, out->naive.dtype));
    return Pair{std::move(result), out ? out->naive : fresh(r)};
  }

  void elementwise(bool in_place) {
    const int arity = 1 + below(3);
    const gpuopt_op op = choose_op(arity);
    const Operands x = pick_operands(arity);
    auto result = compute(op, x, in_place ? &pick() : nullptr);
    if (result && !in_place) add(std::move(result->array), std::move(result->naive));
  }

  // The same operands, with numbers of their own.
  static Operands again(const Operands &x) {
    Operands all = x;
    for (ArrayRef &array : all.arrays) {
      if (array->weak) array = make_weak(gpuopt_scalar_bool(array->scalar.value.i != 0));
    }
    return all;
  }

  // Records the same operation twice, with other operations on either side, for a third one: it may be done once.
  void twins() {
    const int arity = 1 + below(3);
    const gpuopt_op op = choose_op(arity);
    const Operands x = pick_operands(arity);
    Operands sides;
    for (int i = 0; i < 2; ++i) {
      auto side = compute(op, again(x), nullptr);
      for (int more = below(3); side && more > 0; --more) {
        side = compute(choose_op(1), {{side->array}, {side->naive.read()}}, nullptr);
      }
      if (!side) return;
      sides.arrays.push_back(side->array);
      sides.values.push_back(side->naive.read());
    }
    auto result = compute(choose_op(2), sides, nullptr);
    if (result) add(std::move(result->array), std::move(result->naive));
  }

  // Records a constant and reduces it along its first axis.
  Pair reduced_constant(int reduction, const Elements &value, Sizes shape) {
    Elements all = make_elements(value.dtype, shape);
    for (int64_t i = 0; i < all.count(); ++i) {
      std::memcpy(all.at(i), value.at(0), static_cast<size_t>(dtype_size(value.dtype)));
    }
    const ArrayRef x = record_constant(fake_.get()->default_stream, all.dtype, static_cast<int>(shape.size()),
                                       shape.data(), value.at(0));
    const bool counts = !std::strcmp(reduction_info(reduction).kinds, "?");
    const Elements r = naive_reduce(reduction, counts ? naive_cast(all, GPUOPT_BOOL) : all, 1, false);
    return Pair{record_reduction(reduction, x.get(), 1, false, 0), fresh(r)};
  }

  // Reduces equal constants of different extents for one operation.
  void reduced_constants() {
    const int reduction = below(2) ? GPUOPT_REDUCTION_sum : GPUOPT_REDUCTION_count_nonzero;
    const Elements value = random_elements(below(2) ? GPUOPT_INT32 : GPUOPT_FLOAT64, {});
    const Sizes rest = below(2) ? Sizes{} : Sizes{4};
    Operands sides;
    for (int i = 0; i < 2; ++i) {
      Sizes shape = rest;
      shape.insert(shape.begin(), 1 + below(3));
      const Pair side = reduced_constant(reduction, value, shape);
      sides.arrays.push_back(side.array);
      sides.values.push_back(side.naive.read());
      note("reduced constant " + std::to_string(shape[0]) + " -> " + describe(*side.array));
    }
    auto result = compute(choose_op(2), sides, nullptr);
    if (result) add(std::move(result->array), std::move(result->naive));
  }

  void reduce() {
    const Pair &x = pick();
    const int reduction = choose(kReductions);
    const uint64_t axes = static_cast<uint64_t>(below(8)) & ((1u << x.array->ndim) - 1);
    const bool keepdims = below(2);
    if (x.array->size == 0 || axes == 0) return;
    const RowInfo &info = reduction_info(reduction);
    Elements value = x.naive.read();
    const int dtype = value.dtype;
    value = !std::strcmp(info.kinds, "?") ? naive_cast(value, GPUOPT_BOOL) : operand(value, dtype);
    Elements r = naive_reduce(reduction, value, axes, keepdims);
    if (is_half(dtype) && info.result != ResultRule::BOOL && info.result != ResultRule::INDEX) r = naive_cast(r, dtype);
    ArrayRef result = record_reduction(reduction, x.array.get(), axes, keepdims, 0);
    note(std::string(info.name) + " axes " + std::to_string(axes) + " -> " + describe(*result));
    add(result, fresh(r));
  }

  void scan() {
    const Pair &x = pick();
    if (x.array->ndim == 0) return;
    const int axis = below(x.array->ndim), dtype = x.naive.dtype;
    Elements r = naive_scan(GPUOPT_SCAN_cumulative_sum, operand(x.naive.read(), dtype), axis);
    if (is_half(dtype)) r = naive_cast(r, dtype);
    ArrayRef result = record_scan(GPUOPT_SCAN_cumulative_sum, x.array.get(), axis, 0);
    note("scan -> " + describe(*result));
    add(result, fresh(r));
  }

  void assign() {
    Pair &x = pick();
    const Pair &value = pick();
    try {
      record_assign(x.array.get(), value.array.get());
    } catch (const Failure &) {
      return;
    }
    note("assign " + describe(*value.array) + " to " + describe(*x.array));
    x.naive.write(naive_broadcast(naive_cast(value.naive.read(), x.naive.dtype), x.naive.shape));
  }

  void cast() {
    const Pair &x = pick();
    const int dtype = choose(kDtypes);
    note("cast " + describe(*x.array) + " to " + dtype_name(dtype));
    ArrayRef result = record_cast(x.array.get(), dtype);
    add(result, fresh(naive_cast(x.naive.read(), dtype)));
  }

  // The view is taken from the array itself: its geometry has tests of its own.
  void view() {
    const Pair &x = pick();
    ArrayRef v = make_view_of(x.array.get());
    if (!v) return;
    NaiveArray naive = x.naive;
    naive.shape.assign(v->shape, v->shape + v->ndim);
    naive.strides.assign(v->strides, v->strides + v->ndim);
    naive.offset = v->offset;
    note("view " + describe(*x.array) + " -> " + describe(*v));
    add(v, naive);
  }

  ArrayRef make_view_of(gpuopt_array x) {
    switch (below(6)) {
      case 0:
        return permuted_view(x, nullptr);
      case 1:
        return flipped_view(x, 0, nullptr);
      case 2:
        return x->ndim < 4 ? expanded_view(x, below(x->ndim + 1)) : ArrayRef();
      case 3:
        return squeezed_view(x, 0, nullptr);
      case 4:
        return reshaped_view(x, std::span(&x->size, 1));
      default:
        break;
    }
    if (x->ndim == 0) return {};
    const gpuopt_index item{GPUOPT_INDEX_SLICE, 0, below(2) ? below(2) : GPUOPT_SLICE_ALL,
                            below(2) ? -1 : GPUOPT_SLICE_ALL, below(3) ? 1 : 2};
    return sliced_view(x, 1, &item);
  }

  void step() {
    const int what = below(22);
    if (what == 20) return twins();
    if (what == 21) return reduced_constants();
    if (what < 6) return elementwise(false);
    if (what < 9) return elementwise(true);
    if (what < 11) return reduce();
    if (what < 12) return scan();
    if (what < 14) return assign();
    if (what < 15) return cast();
    if (what < 17) return view();
    if (what < 18) return add_random_array();
    if (what < 19 && pairs_.size() > 3) {
      note("drop");
      pairs_.erase(pairs_.begin() + below(static_cast<int>(pairs_.size())));
      return;
    }
    note("read");
    expect_same(static_cast<size_t>(below(static_cast<int>(pairs_.size()))), "on the way");
  }

  std::mt19937 random_, numbers_, shapes_;
  FakeDevice &fake_;
  bool streams_;
  Ref<gpuopt_stream_s> second_;
  std::vector<Pair> pairs_;
  std::string log_;
};

// How the sessions of a test are run.
struct Way {
  bool eager = false, streams = false, later = false;
  int most_steps = GPUOPT_PROGRAM_MAX_STEPS;  // operations of more steps are done by the CPU backend
  uint32_t times = 1;                         // how often each is done on one device, every time with other elements
};

// Returns how many evaluations used a known plan.
uint64_t run_seed(uint32_t seed, const Way &way) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto fake = way.later ? std::make_unique<AsyncDevice>() : std::make_unique<FakeDevice>(way.eager);
  fake->refuse_more_steps_than = way.most_steps;
  for (uint32_t time = 0; time < way.times; ++time) Session(*fake, seed, time, way.streams).run(60);
  const Engine &engine = engine_of(fake->get());
  return engine.known_plans ? engine.known_plans->uses : 0;
}

uint64_t run_sessions(int count, const Way &way) {
  uint64_t uses = 0;
  for (int seed = 0; seed < count / GPUOPT_TEST_SHARE && !testing::Test::HasFailure(); ++seed) {
    uses += run_seed(static_cast<uint32_t>(seed), way);
  }
  return uses;
}

TEST(Hazards, RecordedProgramsGiveTheModelsBits) { run_sessions(1500, {}); }
TEST(Hazards, EagerProgramsGiveTheModelsBits) { run_sessions(200, {.eager = true}); }
TEST(Hazards, RoundTripsToTheCpuGiveTheModelsBits) {
  run_sessions(150, {.streams = true, .most_steps = 2});  // every operation
  run_sessions(150, {.streams = true, .most_steps = 3});  // those of two operands
}
TEST(Hazards, WorkThatRunsLaterGivesTheModelsBits) {
  run_sessions(300, {.later = true});
  run_sessions(300, {.streams = true, .later = true});
  run_sessions(100, {.streams = true, .later = true, .most_steps = 3});
}
TEST(Hazards, TwoStreamsGiveTheModelsBits) { run_sessions(300, {.streams = true}); }
TEST(Hazards, KnownPlansGiveTheModelsBits) {
  EXPECT_GT(run_sessions(400, {.times = 5}), 0u);
  EXPECT_GT(run_sessions(100, {.streams = true, .times = 4}), 0u);
  EXPECT_GT(run_sessions(100, {.later = true, .times = 4}), 0u);
  run_sessions(100, {.most_steps = 4, .times = 4});
}
TEST(Hazards, Search) {
  const char *const seconds = std::getenv("GPUOPT_TEST_SEARCH_SECONDS"), *const from = std::getenv("GPUOPT_TEST_SEED");
  if (!seconds) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(seconds));
  const auto first = static_cast<uint32_t>(from ? std::strtoul(from, nullptr, 10) : 2000);
  uint32_t seed = first;
  uint64_t uses = 0;
  while (std::chrono::steady_clock::now() < end && !HasFailure()) {
    for (const Way &way : {Way{.times = 5}, Way{.streams = true, .times = 4}, Way{.later = true, .times = 4},
                           Way{.most_steps = 4, .times = 4}, Way{.streams = true, .later = true}}) {
      uses += run_seed(seed, way);
    }
    ++seed;
  }
  std::printf("%u seeds from %u on, known plans used %llu times\n", seed - first, first,
              static_cast<unsigned long long>(uses));
}

}  // namespace
}  // namespace gpuopt::test

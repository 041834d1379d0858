// tests/fake_cuda/random_programs_test.cpp -- random recorded programs give the same bytes on the CPU and on CUDA,
// recorded and eager: operations, reductions, scans, views, in-place writes, dropped handles, over all dtypes.
#include <cmath>
#include <random>

#include "tests/fake_cuda/on_fake.h"

namespace {

using on_fake::Handle;

// The same array on both devices.
struct Pair {
  Handle on[2];
};

struct Row {
  int number, inputs;
  const char *name, *kinds;
};
const Row kOps[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) {GPUOPT_OP_##name, nin, #name, kinds},
#include <gpuopt/ops.def>
};
const Row kReductions[] = {
#define GPUOPT_REDUCTION(name, kinds, result, doc) {GPUOPT_REDUCTION_##name, 1, #name, kinds},
#include <gpuopt/ops.def>
};
const Row kScans[] = {
#define GPUOPT_SCAN(name, kinds, result, doc) {GPUOPT_SCAN_##name, 1, #name, kinds},
#include <gpuopt/ops.def>
};

class Session {
 public:
  explicit Session(uint32_t seed) : random_(seed) {
    devices_[0] = on_fake::open("cpu");
    devices_[1] = on_fake::open("cuda!");
    for (int i = 0; i < 3; ++i) add_random_array();
  }
  ~Session() {
    pairs_.clear();
    for (gpuopt_device device : devices_) gpuopt_device_release(device);
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    for (const Pair &pair : pairs_) expect_same(pair);
  }

 private:
  int below(size_t n) { return int(random_() % n); }
  Pair &pick() { return pairs_[size_t(below(pairs_.size()))]; }

  void note(const std::string &text) { log_ += text + "\n"; }

  // Runs a call on both devices; both must agree on the status.
  template <class Call>
  bool both(const std::string &what, Pair &result, Call &&call) {
    gpuopt_status status[2];
    gpuopt_error error[2] = {GPUOPT_ERROR_INIT, GPUOPT_ERROR_INIT};
    for (int d : {0, 1}) status[d] = call(d, result.on[d].out(), &error[d]);
    EXPECT_EQ(status[0], status[1]) << what << ": " << error[0].message << " / " << error[1].message << "\n" << log_;
    if (status[0] != GPUOPT_OK || status[1] != GPUOPT_OK) return false;
    note(what + " -> " + describe(result.on[0]));
    return true;
  }

  void keep(Pair pair) {
    if (pairs_.size() >= 8) pairs_.erase(pairs_.begin() + below(pairs_.size()));
    pairs_.push_back(std::move(pair));
  }

  static std::string describe(gpuopt_array x) {
    std::string text = gpuopt_dtype_name(gpuopt_array_dtype(x));
    for (int i = 0; i < gpuopt_array_ndim(x); ++i) text += " " + std::to_string(gpuopt_array_shape(x)[i]);
    return text;
  }

  // Small integers, and sometimes what breaks arithmetic.
  void add_random_array() {
    static const std::vector<int64_t> shapes[] = {{},     {7},      {1},        {7, 33},   {33, 7},   {1, 33},
                                                  {7, 1}, {0, 33},  {3, 7, 33}, {2500},    {2, 1100}, {1100, 2},
                                                  {64},   {40, 64}, {64, 40},   {3, 1030}, {1030, 3}};
    const auto &shape = shapes[below(std::size(shapes))];
    int64_t size = 1;
    for (int64_t n : shape) size *= n;
    std::vector<double> values(static_cast<size_t>(size));
    for (double &v : values) {
      v = below(41) - 20 + below(8) * 0.125;
      if (below(60) == 0) v = NAN;
      if (below(60) == 0) v = INFINITY;
      if (below(60) == 0) v = -0.0;
    }
    const gpuopt_dtype dtype = 1 + below(GPUOPT_DTYPE_COUNT - 1);
    Pair wide, out;
    both("new", wide, [&](int d, gpuopt_array *result, gpuopt_error *error) {
      return gpuopt_array_from(devices_[d], values.data(), GPUOPT_FLOAT64, int(shape.size()), shape.data(), result,
                               error);
    });
    if (both("as dtype", out, [&](int d, gpuopt_array *result, gpuopt_error *error) {
          return gpuopt_astype(wide.on[d], dtype, GPUOPT_COPY_IF_NEEDED, result, error);
        }))
      keep(std::move(out));
  }

  void elementwise(bool in_place) {
    const Row &op = kOps[below(std::size(kOps))];
    const Pair *inputs[3] = {&pick(), &pick(), &pick()};
    const Pair *target = in_place ? inputs[below(size_t(op.inputs))] : nullptr;
    Pair out;
    if (both(std::string(op.name) + (in_place ? " in place" : ""), out,
             [&](int d, gpuopt_array *result, gpuopt_error *error) {
               const gpuopt_array raw[3] = {inputs[0]->on[d], inputs[1]->on[d], inputs[2]->on[d]};
               return gpuopt_apply(op.number, op.inputs, raw, target ? target->on[d].a : nullptr, result, error);
             }))
      keep(std::move(out));
  }

  void reduce() {
    const Row &row = kReductions[below(std::size(kReductions))];
    const Pair &x = pick();
    const int ndim = gpuopt_array_ndim(x.on[0]);
    const int64_t axis = ndim ? below(size_t(ndim)) : 0;
    gpuopt_reduce_options options = {};
    options.struct_size = sizeof options;
    options.keepdims = below(2);
    if (ndim && below(3)) options.axes = &axis, options.naxes = 1;
    Pair out;
    if (both(row.name, out, [&](int d, gpuopt_array *result, gpuopt_error *error) {
          return gpuopt_reduce(row.number, x.on[d], &options, result, error);
        }))
      keep(std::move(out));
  }

  void scan() {
    const Pair &x = pick();
    const int ndim = gpuopt_array_ndim(x.on[0]), axis = ndim ? below(size_t(ndim)) : 0;
    const bool product = below(2);
    Pair out;
    if (both(kScans[product].name, out, [&](int d, gpuopt_array *result, gpuopt_error *error) {
          return (product ? gpuopt_cumulative_prod : gpuopt_cumulative_sum)(x.on[d], axis, 0, 0, result, error);
        }))
      keep(std::move(out));
  }

  void view() {
    const Pair &x = pick();
    const int kind = below(4), ndim = gpuopt_array_ndim(x.on[0]);
    const gpuopt_index items[1] = {{GPUOPT_INDEX_SLICE, 0, below(3), GPUOPT_SLICE_ALL, 1 + below(3)}};
    Pair out;
    if (both("view", out, [&](int d, gpuopt_array *result, gpuopt_error *error) {
          if (kind == 0) return gpuopt_permute_dims(x.on[d], nullptr, result, error);
          if (kind == 1) return gpuopt_flip(x.on[d], 0, nullptr, result, error);
          if (kind == 2 && ndim > 0) return gpuopt_slice(x.on[d], 1, items, result, error);
          const int64_t shape[4] = {2, 1, 7, 33};
          return gpuopt_broadcast_to(x.on[d], 4, shape, result, error);
        }))
      keep(std::move(out));
  }

  void assign() {
    const Pair &x = pick(), &value = pick();
    Pair none;
    gpuopt_status status[2];
    gpuopt_error error = GPUOPT_ERROR_INIT;
    for (int d : {0, 1}) status[d] = gpuopt_assign(x.on[d], value.on[d], &error);
    EXPECT_EQ(status[0], status[1]) << error.message;
    note("assign to " + describe(x.on[0]));
  }

  void step() {
    switch (below(12)) {
      case 0:
        return add_random_array();
      case 1:
      case 2:
        return reduce();
      case 3:
        return scan();
      case 4:
        return view();
      case 5:
        return assign();
      case 6:
        return expect_same(pick());
      case 7:
        return elementwise(true);
      default:
        return elementwise(false);
    }
  }

  // Equal bytes, any NaN being like any other.
  template <class T>
  static bool same_numbers(const std::vector<char> &a, const std::vector<char> &b) {
    for (size_t i = 0; i < a.size(); i += sizeof(T)) {
      T x, y;
      std::memcpy(&x, &a[i], sizeof x);
      std::memcpy(&y, &b[i], sizeof y);
      if (std::memcmp(&x, &y, sizeof x) != 0 && (x == x || y == y)) return false;
    }
    return true;
  }

  // A half as the float that has the same sign, exponent and mantissa bits at its top: NaN is still NaN.
  static bool same_halves(const std::vector<char> &a, const std::vector<char> &b, uint16_t infinity) {
    for (size_t i = 0; i < a.size(); i += 2) {
      uint16_t x, y;
      std::memcpy(&x, &a[i], 2);
      std::memcpy(&y, &b[i], 2);
      if (x != y && !((x & 0x7fff) > infinity && (y & 0x7fff) > infinity)) return false;
    }
    return true;
  }

  void expect_same(const Pair &pair) {
    std::vector<char> bytes[2];
    gpuopt_error error = GPUOPT_ERROR_INIT;
    for (int d : {0, 1}) {
      bytes[d].resize(size_t(gpuopt_array_nbytes(pair.on[d])));
      ASSERT_EQ(gpuopt_to_host(pair.on[d], bytes[d].data(), bytes[d].size(), &error), GPUOPT_OK)
          << error.message << "\n"
          << log_;
    }
    const gpuopt_dtype dtype = gpuopt_array_dtype(pair.on[0]);
    const char kind = gpuopt_dtype_kind(dtype);
    const size_t size = gpuopt_dtype_size(dtype) / (kind == 'c' ? 2 : 1);
    const bool same = kind != 'f' && kind != 'c' ? bytes[0] == bytes[1]
                      : size == 2 ? same_halves(bytes[0], bytes[1], dtype == GPUOPT_FLOAT16 ? 0x7c00 : 0x7f80)
                      : size == 4 ? same_numbers<float>(bytes[0], bytes[1])
                                  : same_numbers<double>(bytes[0], bytes[1]);
    ASSERT_TRUE(same) << describe(pair.on[0]) << " differs after\n" << log_;
  }

  std::mt19937 random_;
  gpuopt_device devices_[2];
  std::vector<Pair> pairs_;
  std::string log_;
};

class RandomPrograms : public testing::TestWithParam<bool> {};

TEST_P(RandomPrograms, TheCpuAndCudaGiveTheSameBytes) {
  setenv("GPUOPT_EAGER", GetParam() ? "1" : "0", 1);
  const uint64_t before = on_fake::counters().launches;
  const uint32_t seeds = 30 / GPUOPT_TEST_SHARE;
  for (uint32_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Session(seed).run(40);
  }
  EXPECT_GT(on_fake::counters().launches - before, 10 * seeds);
}
INSTANTIATE_TEST_SUITE_P(, RandomPrograms, testing::Bool(),
                         [](const auto &mode) { return mode.param ? "Eager" : "Recorded"; });

}  // namespace

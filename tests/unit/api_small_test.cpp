// tests/unit/api_small_test.cpp -- operations on a few computed elements, which run without being recorded, against the
// same operations on more elements, which are recorded. unit/api_small_recorded runs these tests with
// GPUOPT_SMALL_OPERATIONS=off.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int64_t kMany = 4097;  // elements of an array whose operations are always recorded

struct Releaser {
  void operator()(gpuopt_array x) const { gpuopt_array_release(x); }
};
using Array = std::unique_ptr<gpuopt_array_s, Releaser>;
using Shape = std::vector<int64_t>;
using Bytes = std::vector<unsigned char>;

gpuopt_device cpu() {
  static const gpuopt_device device = [] {
    gpuopt_device opened = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_device_open("cpu!", nullptr, &opened, &error), GPUOPT_OK) << error.message;
    return opened;
  }();
  return device;
}

// Whether small operations are recorded as well, as this process was asked for.
bool records_all() {
  const char *const setting = std::getenv("GPUOPT_SMALL_OPERATIONS");
  return setting && std::string(setting) == "off";
}

// Calls a function whose last arguments are a result and an error, and takes the result.
template <class Function, class... Arguments>
Array take(const Function &function, const Arguments &...arguments) {
  gpuopt_array result = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(function(arguments..., &result, &error), GPUOPT_OK) << error.message;
  return Array(result);
}

Array make(gpuopt_dtype dtype, const Shape &shape, const void *data) {
  return take(gpuopt_array_from, cpu(), data, dtype, static_cast<int32_t>(shape.size()), shape.data());
}
Array make(const Shape &shape, const std::vector<double> &values) { return make(GPUOPT_FLOAT64, shape, values.data()); }
Array make(const std::vector<double> &values) { return make({static_cast<int64_t>(values.size())}, values); }
Array weak(double value) { return take(gpuopt_weak, gpuopt_scalar_real(value)); }
Array weak_integer(int64_t value) { return take(gpuopt_weak, gpuopt_scalar_int(value)); }

Array slice(const Array &x, int64_t start, int64_t stop, int64_t step = 1) {
  const gpuopt_index item = {GPUOPT_INDEX_SLICE, 0, start, stop, step};
  return take(gpuopt_slice, x.get(), 1, &item);
}

Bytes bytes_of(const Array &x) {
  Bytes bytes(static_cast<size_t>(gpuopt_array_nbytes(x.get())));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(x.get(), bytes.data(), bytes.size(), &error), GPUOPT_OK) << error.message;
  return bytes;
}
std::vector<double> values_of(const Array &x) {
  EXPECT_EQ(gpuopt_array_dtype(x.get()), GPUOPT_FLOAT64);
  const Bytes bytes = bytes_of(x);
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

gpuopt_engine_stats stats() {
  gpuopt_engine_stats stats = {};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(gpuopt_engine_get_stats(cpu(), &stats, nullptr), GPUOPT_OK);
  return stats;
}
// How many operations the calls of `body` record.
template <class Body>
uint64_t recorded_by(const Body &body) {
  const uint64_t before = stats().operations;
  body();
  return stats().operations - before;
}

using Unary = gpuopt_status (*)(gpuopt_array, gpuopt_array *, gpuopt_error *);
using Binary = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_error *);
using Ternary = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_error *);
using Reduce = gpuopt_status (*)(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *, gpuopt_error *);

// An operation of any number of operands.
struct Operation {
  const char *name;
  int nin;
  const char *kinds;
  std::string result;
  Unary unary = nullptr;
  Binary binary = nullptr;
  Ternary ternary = nullptr;
  void set(Unary function) { unary = function; }
  void set(Binary function) { binary = function; }
  void set(Ternary function) { ternary = function; }
  gpuopt_status call(const gpuopt_array *x, gpuopt_array *result_out, gpuopt_error *error) const {
    if (unary) return unary(x[0], result_out, error);
    if (binary) return binary(x[0], x[1], result_out, error);
    return ternary(x[0], x[1], x[2], result_out, error);
  }
};

std::vector<Operation> operations() {
  std::vector<Operation> all;
#define GPUOPT_OP(name, nin, kinds, result, doc)           \
  all.push_back({#name, nin, kinds, #result, {}, {}, {}}); \
  all.back().set(gpuopt_##name);
#include <gpuopt/ops.def>
  return all;
}

bool has_kind(const Operation &operation, gpuopt_dtype dtype) {
  return std::string(operation.kinds).find(gpuopt_dtype_kind(dtype)) != std::string::npos;
}

// Elements of a dtype: any bits at all, and numbers of moderate size, which make more of a difference to most
// functions.
class Elements {
 public:
  explicit Elements(unsigned seed) : random_(seed) {}
  Bytes make(gpuopt_dtype dtype) {
    Bytes bytes(kMany * gpuopt_dtype_size(dtype));
    for (auto &byte : bytes) byte = static_cast<unsigned char>(random_());
    if (dtype == GPUOPT_BOOL) {
      for (auto &byte : bytes) byte &= 1;
    }
    if (dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64) moderate<float>(bytes);
    if (dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX128) moderate<double>(bytes);
    return bytes;
  }

 private:
  template <class T>
  void moderate(Bytes &bytes) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      const T value = static_cast<T>(static_cast<int>(random_() % 2001) - 1000) / T(128);
      if (random_() % 4) std::memcpy(&bytes[at], &value, sizeof value);
    }
  }
  std::mt19937 random_;
};

// The operands of an operation, of kMany elements.
struct Operands {
  Operands(const Operation &operation, gpuopt_dtype operand_dtype, unsigned seed) : dtype(operand_dtype) {
    Elements elements(seed);
    for (int k = 0; k < operation.nin; ++k) {
      dtypes.push_back(operation.result == "SELECT" && k == 0 ? GPUOPT_BOOL : dtype);
      bytes.push_back(elements.make(dtypes.back()));
    }
  }
  // Those operands as arrays of their first n elements; `one` is the operand that is an array of one element.
  std::vector<Array> arrays(int64_t n, int one = -1) const {
    std::vector<Array> all;
    for (size_t k = 0; k < dtypes.size(); ++k) {
      all.push_back(make(dtypes[k], {static_cast<int>(k) == one ? 1 : n}, bytes[k].data()));
    }
    return all;
  }
  gpuopt_dtype dtype;
  std::vector<gpuopt_dtype> dtypes;
  std::vector<Bytes> bytes;
};

Array call(const Operation &operation, const std::vector<Array> &inputs) {
  gpuopt_array handles[3] = {};
  for (size_t k = 0; k < inputs.size(); ++k) handles[k] = inputs[k].get();
  return take([&](gpuopt_array *result, gpuopt_error *error) { return operation.call(handles, result, error); });
}

// Compares results of a few elements with the beginning of the result of many. Returns how many were not recorded.
uint64_t compare(const Operation &operation, const Operands &operands, int one) {
  const Bytes expected = bytes_of(call(operation, operands.arrays(kMany, one)));
  const size_t itemsize = expected.size() / kMany;
  uint64_t at_once = 0;
  for (const int64_t n : {1, 2, 3, 5, 8, 13, 16, 31, 64, 100, 255, 256, 257, 511, 512, 1000, 4096}) {
    const std::vector<Array> inputs = operands.arrays(n, one);
    Array result;
    at_once += recorded_by([&] { result = call(operation, inputs); }) == 0;
    const Bytes bytes = bytes_of(result);
    const bool same = bytes.size() == itemsize * static_cast<size_t>(n) &&
                      std::memcmp(bytes.data(), expected.data(), bytes.size()) == 0;
    EXPECT_TRUE(same) << operation.name << " of " << gpuopt_dtype_name(operands.dtype) << ", n = " << n;
  }
  return at_once;
}

TEST(Small, EveryOperationHasTheBitsOfARecordedOne) {
  uint64_t at_once = 0, recorded = 0;
  for (const Operation &operation : operations()) {
    for (gpuopt_dtype dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) {
      if (!has_kind(operation, dtype)) continue;
      for (int one = -1; one < operation.nin; ++one) {
        if (one >= 0 && operation.nin == 1) continue;
        const uint64_t count = compare(operation, Operands(operation, dtype, static_cast<unsigned>(dtype)), one);
        (count ? at_once : recorded) += 1;
        EXPECT_TRUE(count == 0 || !records_all()) << operation.name;
      }
    }
  }
  if (records_all()) return;
  // Recorded are those of 16-bit floats that compute in float32, and logic of other dtypes than bool.
  EXPECT_GT(at_once, 1000u);
  EXPECT_LT(recorded, at_once / 2);
}

// NumPy's where(c, a, b) takes each number that is not zero as true, NaN too.
TEST(Small, AConditionMayHaveTheDtypeOfTheValues) {
  const double c[] = {0, 2.5, -0.0, std::nan(""), -1}, a[] = {1, 2, 3, 4, 5}, b[] = {-1, -2, -3, -4, -5};
  const int64_t shape[] = {5};
  const auto array_of = [&](const double *values) {
    return take([&](gpuopt_array *result, gpuopt_error *error) {
      return gpuopt_array_from(cpu(), values, GPUOPT_FLOAT64, 1, shape, result, error);
    });
  };
  const Array condition = array_of(c), yes = array_of(a), no = array_of(b);
  const Bytes bytes = bytes_of(take([&](gpuopt_array *result, gpuopt_error *error) {
    return gpuopt_where(condition.get(), yes.get(), no.get(), result, error);
  }));
  const double expected[] = {-1, 2, -3, 4, 5};
  ASSERT_EQ(bytes.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(bytes.data(), expected, sizeof expected), 0);
}

// The bindings call this function for all operations.
TEST(Small, OperationsByNumberAreTheSame) {
  const Array x = make({1, 2, 3, 4}), out = make({0, 0, 0, 0});
  const gpuopt_array both[] = {x.get(), x.get()};
  gpuopt_array result = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(recorded_by([&] { EXPECT_EQ(gpuopt_apply(GPUOPT_OP_add, 2, both, nullptr, &result, &error), GPUOPT_OK); }),
            records_all() ? 1u : 0u);
  EXPECT_EQ(values_of(Array(result)), (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(gpuopt_apply(GPUOPT_OP_add, 2, both, out.get(), nullptr, &error), GPUOPT_OK);
  EXPECT_EQ(gpuopt_apply(GPUOPT_OP_multiply, 2, both, out.get(), &result, &error), GPUOPT_OK);
  EXPECT_EQ(values_of(Array(result)), (std::vector<double>{1, 4, 9, 16}));
  EXPECT_EQ(values_of(out), (std::vector<double>{1, 4, 9, 16}));
  for (const gpuopt_op wrong : {-1, int{GPUOPT_OP_COUNT}, 1 << 20}) {
    EXPECT_EQ(gpuopt_apply(wrong, 2, both, nullptr, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(result, nullptr);
  }
  EXPECT_EQ(gpuopt_apply(GPUOPT_OP_add, 1, both, nullptr, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_apply(GPUOPT_OP_add, 2, nullptr, nullptr, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_apply(GPUOPT_OP_add, 2, both, nullptr, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Small, OnlyWhatIsComputedContiguousAndOfOneDtypeIsNotRecorded) {
  const Array x = make(std::vector<double>(20, 1.5)), row = make({1, 20}, std::vector<double>(20, 2));
  const Array long_one = make(std::vector<double>(4097, 1)), single = make(GPUOPT_FLOAT32, {1}, "\0\0\0\0");
  const Array every_other = slice(x, 0, 20, 2), ten = slice(x, 0, 10);
  const uint64_t once = records_all() ? 1 : 0;
  const auto count = [](const Array &a, const Array &b) {
    return recorded_by([&] { take(gpuopt_add, a.get(), b.get()); });
  };
  EXPECT_EQ(count(x, x), once);
  EXPECT_EQ(count(x, row), once + (records_all() ? 0 : 1));  // broadcast
  EXPECT_EQ(count(row, row), once);
  EXPECT_EQ(count(x, weak(3)), once);
  EXPECT_EQ(count(ten, ten), once);
  EXPECT_GE(count(every_other, ten), 1u);
  EXPECT_GE(count(long_one, long_one), 1u);
  EXPECT_EQ(count(slice(long_one, 0, 4096), slice(long_one, 1, 4097)), once);
  const auto gammas = [&](int64_t n) { return recorded_by([&] { take(gpuopt_gamma, slice(long_one, 0, n).get()); }); };
  EXPECT_EQ(gammas(256), once);
  EXPECT_GE(gammas(257), 1u);  // so that threads share it
  EXPECT_GE(count(x, single), 1u);
  const Array pending = take(gpuopt_add, long_one.get(), long_one.get());
  const Array few = slice(pending, 0, 20);
  EXPECT_GE(count(few, x), 1u);  // so that it is fused
  EXPECT_EQ(values_of(take(gpuopt_add, few.get(), x.get())), std::vector<double>(20, 3.5));
}

TEST(Small, ShapesAreThoseOfTheOperands) {
  const Array a = make({2, 3}, {1, 2, 3, 4, 5, 6}), one = make({1, 1, 1}, {10}), scalar = make(Shape{}, {100});
  for (const Array *other : {&one, &scalar}) {
    const Array sum = take(gpuopt_add, a.get(), other->get());
    const Array same = take(gpuopt_add, other->get(), a.get());
    EXPECT_EQ(gpuopt_array_ndim(sum.get()), other == &one ? 3 : 2);
    EXPECT_EQ(bytes_of(sum), bytes_of(same));
  }
  const Array both = take(gpuopt_add, scalar.get(), scalar.get());
  EXPECT_EQ(gpuopt_array_ndim(both.get()), 0);
  EXPECT_EQ(values_of(both), std::vector<double>{200});
  const Array nothing = make({0, 3}, {}), of_nothing = take(gpuopt_add, nothing.get(), one.get());
  EXPECT_EQ(gpuopt_array_size(of_nothing.get()), 0);
  EXPECT_EQ(gpuopt_array_ndim(of_nothing.get()), 3);
  gpuopt_array result = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const Array four = make({1, 2, 3, 4});
  EXPECT_EQ(gpuopt_add(a.get(), four.get(), &result, &error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(result, nullptr);
  EXPECT_EQ(gpuopt_add(nullptr, a.get(), &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_add(a.get(), a.get(), nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Small, WeakScalarsKeepTheirRules) {
  const int8_t bytes[] = {-128, -1, 0, 127};
  const Array x = make(GPUOPT_INT8, {4}, bytes);
  const Array inside = weak_integer(7), outside = weak_integer(1000), real = weak(0.5);
  EXPECT_EQ(bytes_of(take(gpuopt_add, x.get(), inside.get())), (Bytes{0x87, 6, 7, 0x86}));
  gpuopt_array result = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_add(x.get(), outside.get(), &result, &error), GPUOPT_ERR_OVERFLOW) << error.message;
  EXPECT_EQ(bytes_of(take(gpuopt_less, x.get(), outside.get())), (Bytes{1, 1, 1, 1}));
  const Array promoted = take(gpuopt_add, x.get(), real.get());
  EXPECT_EQ(values_of(promoted), (std::vector<double>{-127.5, -0.5, 0.5, 127.5}));
}

void add_into(const Array &a, const Array &b, const Array &out, gpuopt_status expected = GPUOPT_OK) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_add_into(a.get(), b.get(), out.get(), &error), expected) << error.message;
}

TEST(Small, StoresIntoAnArray) {
  const Array x = make({1, 2, 3, 4}), y = make({10, 20, 30, 40}), out = make({0, 0, 0, 0});
  EXPECT_EQ(recorded_by([&] { add_into(x, y, out); }), records_all() ? 1u : 0u);
  EXPECT_EQ(values_of(out), (std::vector<double>{11, 22, 33, 44}));
  add_into(x, x, x);
  EXPECT_EQ(values_of(x), (std::vector<double>{2, 4, 6, 8}));
  add_into(slice(x, 0, 3), slice(x, 1, 4), slice(x, 0, 3));
  EXPECT_EQ(values_of(x), (std::vector<double>{6, 10, 14, 8}));
  add_into(slice(x, 0, 3), weak(1), slice(x, 1, 4));  // each reads what the one before it would have overwritten
  EXPECT_EQ(values_of(x), (std::vector<double>{6, 7, 11, 15}));
  add_into(slice(x, 2, 3), y, out);  // a single element, of x
  EXPECT_EQ(values_of(out), (std::vector<double>{21, 31, 41, 51}));
  add_into(slice(out, 1, 2), out, out);  // a single element of the array that is written
  EXPECT_EQ(values_of(out), (std::vector<double>{52, 62, 72, 82}));
}

TEST(Small, RefusesToStoreWhereItMayNot) {
  const Array x = make({1, 2, 3, 4}), other = make({0, 0, 0}), single = make(GPUOPT_FLOAT32, {4}, Bytes(16).data());
  const int64_t shape[] = {4};
  const Array one = make(Shape{1}, {7});
  const Array read_only = take(gpuopt_broadcast_to, one.get(), 1, shape);
  add_into(x, x, other, GPUOPT_ERR_SHAPE);
  add_into(x, x, read_only, GPUOPT_ERR_READ_ONLY);
  add_into(x, x, weak(1), GPUOPT_ERR_INVALID_ARGUMENT);
  add_into(x, x, single);  // cast
  float values[4];
  std::memcpy(values, bytes_of(single).data(), sizeof values);
  EXPECT_EQ(values[3], 8.0f);
  EXPECT_EQ(values_of(one), std::vector<double>{7});
}

TEST(Small, WritesWaitForWhatHasYetToReadTheArray) {
  const Array x = make(Shape{1}, {3}), large = make(std::vector<double>(kMany, 1));
  const Array reader = take(gpuopt_add, large.get(), x.get());
  add_into(x, x, x);
  EXPECT_EQ(values_of(reader), std::vector<double>(kMany, 4));
  EXPECT_EQ(values_of(x), std::vector<double>{6});
  // The same with a reader that another thread recorded.
  Array elsewhere;
  std::thread([&] { elsewhere = take(gpuopt_add, large.get(), x.get()); }).join();
  add_into(x, x, x);
  EXPECT_EQ(values_of(elsewhere), std::vector<double>(kMany, 7));
  EXPECT_EQ(values_of(x), std::vector<double>{12});
}

double *data_of(const Array &x) {
  void *data = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_array_data(x.get(), &data, &error), GPUOPT_OK) << error.message;
  return static_cast<double *>(data);
}

TEST(Small, TheAddressIsThatOfWhatNobodyHasYetToRead) {
  const Array x = make(Shape{1}, {3}), large = make(std::vector<double>(kMany, 1));
  EXPECT_EQ(*data_of(x), 3);
  const Array reader = take(gpuopt_add, large.get(), x.get());
  *data_of(x) = 100;
  EXPECT_EQ(values_of(reader), std::vector<double>(kMany, 4));
  Array elsewhere;
  std::thread([&] { elsewhere = take(gpuopt_add, large.get(), x.get()); }).join();
  *data_of(x) = 1000;
  EXPECT_EQ(values_of(elsewhere), std::vector<double>(kMany, 101));
  const Array sum = take(gpuopt_add, x.get(), x.get());
  EXPECT_EQ(*data_of(sum), 2000);
  *data_of(sum) = 5;
  EXPECT_EQ(values_of(take(gpuopt_add, sum.get(), sum.get())), std::vector<double>{10});
}

TEST(Small, MemoryOfTheHostIsReadAndWritten) {
  alignas(8) unsigned char memory[4 * sizeof(double) + 1];
  const int64_t shape[] = {4};
  const auto nothing = [](void *) {};
  for (const int offset : {0, 1}) {
    const double values[] = {1, 2, 3, 4};
    std::memcpy(memory + offset, values, sizeof values);
    gpuopt_array wrapped = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_status status = gpuopt_from_host(cpu(), memory + offset, GPUOPT_FLOAT64, 1, shape, nullptr,
                                                  GPUOPT_COPY_NEVER, nothing, nullptr, &wrapped, &error);
    if (offset && status != GPUOPT_OK) continue;  // it need not take memory that is not aligned
    ASSERT_EQ(status, GPUOPT_OK) << error.message;
    const Array x(wrapped);
    add_into(x, x, x);
    double sums[4];
    data_of(x);
    std::memcpy(sums, memory + offset, sizeof sums);
    EXPECT_EQ(sums[3], 8);
    EXPECT_EQ(values_of(take(gpuopt_add, x.get(), x.get()))[3], 16);
  }
}

TEST(Small, ResultsOutliveTheirViewsAndTheReverse) {
  const Array x = make({1, 2, 3, 4});
  Array sum = take(gpuopt_add, x.get(), x.get());
  const Array tail = slice(sum, 2, 4), again(gpuopt_array_retain(sum.get()));
  sum.reset();
  EXPECT_EQ(values_of(again), (std::vector<double>{2, 4, 6, 8}));
  Array large = take(gpuopt_add, make(std::vector<double>(kMany, 1)).get(), slice(tail, 0, 1).get());  // recorded
  EXPECT_EQ(values_of(tail), (std::vector<double>{6, 8}));
  Array assigned = take(gpuopt_add, x.get(), x.get());
  const Array copy = take(gpuopt_add, make(std::vector<double>(kMany, 1)).get(), weak(1).get());
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_assign(assigned.get(), slice(copy, 0, 4).get(), &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(values_of(assigned), std::vector<double>(4, 2));
  std::thread([&] { assigned.reset(); }).join();
  EXPECT_EQ(values_of(large), std::vector<double>(kMany, 7));
}

// One sequence of up to 256 elements is reduced without being cut into tiles, and several are not; the bits are those
// of the fixed shape of reductions in either case. That the integers are converted lets the product be a part of the
// program.
TEST(Small, OneSequenceIsReducedToTheBitsThatItHasAmongSeveral) {
  const Reduce reductions[] = {
      gpuopt_sum,           gpuopt_prod,   gpuopt_max,  gpuopt_min, gpuopt_argmax, gpuopt_argmin, gpuopt_any,
      gpuopt_count_nonzero, gpuopt_nansum, gpuopt_mean, gpuopt_var, gpuopt_all,    gpuopt_std};
  const int64_t last_axis = 1;
  gpuopt_reduce_options options = {};
  options.struct_size = sizeof options;
  options.axes = &last_axis;
  options.naxes = 1;
  for (const int64_t n : {1, 2, 31, 32, 33, 255, 256, 257, 1025}) {
    std::vector<double> values(static_cast<size_t>(2 * n));
    std::vector<int32_t> integers(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(i * 37 % 101) / 7 - 6.5;
      integers[i] = static_cast<int32_t>(i * 11 % 5) - 1;
    }
    const Array x = make({n}, values), xs = make({2, n}, values), k = make(GPUOPT_INT32, {n}, integers.data()),
                ks = make(GPUOPT_INT32, {2, n}, integers.data());
    for (const Reduce reduce : reductions) {
      const auto number = static_cast<long>(std::find(reductions, std::end(reductions), reduce) - reductions);
      const Bytes one = bytes_of(take(reduce, take(gpuopt_multiply, x.get(), k.get()).get(), nullptr));
      Bytes several = bytes_of(take(reduce, take(gpuopt_multiply, xs.get(), ks.get()).get(), &options));
      several.resize(one.size());
      EXPECT_EQ(one, several) << "reduction " << number << " of " << n << " elements";
      const Bytes plain = bytes_of(take(reduce, x.get(), nullptr));
      several = bytes_of(take(reduce, xs.get(), &options));
      several.resize(plain.size());
      EXPECT_EQ(plain, several) << "reduction " << number << " of " << n << " elements in memory";
    }
  }
}

// ---- Reductions

struct Reduction {
  const char *name;
  Reduce call;
};
const Reduction kReductions[] = {
#define GPUOPT_REDUCTION(name, kinds, result, doc) {#name, gpuopt_##name},
#include <gpuopt/ops.def>
};

gpuopt_reduce_options over(const Shape &axes, bool keepdims) {
  gpuopt_reduce_options options = {};
  options.struct_size = sizeof options;
  options.axes = axes.empty() ? nullptr : axes.data();
  options.naxes = static_cast<int32_t>(axes.size());
  options.keepdims = keepdims;
  return options;
}

// Makes all NaN the same: which NaN is the sum of two of them depends on what else the program does.
template <class T>
void unite_nan(Bytes &bytes) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[at], sizeof value);
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(&bytes[at], &value, sizeof value);
  }
}

// A result, or what the call says instead.
struct Outcome {
  explicit Outcome(const Reduction &reduction, const Array &x, const gpuopt_reduce_options &options) {
    gpuopt_array result = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    status = reduction.call(x.get(), &options, &result, &error);
    message = error.message;
    if (!result) return;
    const Array owned(result);
    dtype = gpuopt_array_dtype(result);
    shape.assign(gpuopt_array_shape(result), gpuopt_array_shape(result) + gpuopt_array_ndim(result));
    bytes = bytes_of(owned);
    if (dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64) unite_nan<float>(bytes);
    if (dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX128) unite_nan<double>(bytes);
  }
  bool operator==(const Outcome &) const = default;
  gpuopt_status status;
  std::string message;
  gpuopt_dtype dtype = 0;
  Shape shape;
  Bytes bytes;
};

// Compares the reduction of an array with that of a recorded copy, which is recorded, too.
void compare_reduction(const Reduction &reduction, const Array &x, const Shape &axes, bool keepdims) {
  const gpuopt_dtype dtype = gpuopt_array_dtype(x.get());
  const gpuopt_reduce_options options = over(axes, keepdims);
  const Array copy = take(gpuopt_astype, x.get(), dtype, GPUOPT_COPY_ALWAYS);
  EXPECT_EQ(Outcome(reduction, x, options), Outcome(reduction, copy, options))
      << reduction.name << " of " << gpuopt_array_size(x.get()) << " elements of " << gpuopt_dtype_name(dtype)
      << (axes.empty() ? "" : ", over axis " + std::to_string(axes[0]));
}

TEST(Small, EveryReductionHasTheBitsOfARecordedOne) {
  Elements elements(7);
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) {
    const Bytes bytes = elements.make(dtype);
    for (const Shape &shape : {Shape{1}, {2}, {33}, {256}, {257}, {4096}, {3, 5}, {4, 1, 7}, {1, 1}, {2, 2, 300}, {}}) {
      const Array x = make(dtype, shape, bytes.data());
      for (const Reduction &reduction : kReductions) {
        for (const bool keepdims : {false, true}) {
          compare_reduction(reduction, x, {}, keepdims);
          for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis)
            compare_reduction(reduction, x, {axis}, keepdims);
        }
      }
      if (shape.size() == 3) compare_reduction(kReductions[0], x, {-1, 0}, false);
    }
  }
}

TEST(Small, OnlyWhatIsComputedContiguousAndFewIsReducedAtOnce) {
  const Array few = make({3, 4}, std::vector<double>(12, 1.5)), many = make(std::vector<double>(kMany, 1));
  const auto count = [](const Array &x) {
    return recorded_by([&] { EXPECT_EQ(gpuopt_array_ndim(take(gpuopt_sum, x.get(), nullptr).get()), 0); });
  };
  const uint64_t once = records_all() ? 1 : 0;
  EXPECT_EQ(count(few), once);
  EXPECT_EQ(count(slice(many, 0, 4096)), once);
  EXPECT_EQ(count(many), 1u);
  EXPECT_EQ(count(slice(many, 0, 20, 2)), 1u);
  EXPECT_GE(count(take(gpuopt_add, many.get(), many.get())), 1u);
  const uint16_t halves[] = {0x3C00, 0x4000};
  EXPECT_GE(count(make(GPUOPT_FLOAT16, {2}, halves)), 1u);
  gpuopt_reduce_options options = over({}, false);
  options.dtype = GPUOPT_FLOAT32;  // computed in another dtype than that of the elements
  EXPECT_GE(recorded_by([&] { take(gpuopt_sum, few.get(), &options); }), 1u);
  options.dtype = GPUOPT_FLOAT64;
  EXPECT_EQ(recorded_by([&] { EXPECT_EQ(values_of(take(gpuopt_sum, few.get(), &options)), std::vector<double>{18}); }),
            once);
}

TEST(Small, EqualNumbersAreWrittenInsteadOfRecorded) {
  const auto filled = [](int64_t n, gpuopt_dtype dtype, gpuopt_scalar value) {
    return take(gpuopt_full, cpu(), dtype, 1, &n, value);
  };
  for (const int64_t n : {1, 2, 3, 17, 1000, 4095, 4096, 4097}) {
    const bool at_once = n <= 4096 && !records_all();
    EXPECT_EQ(recorded_by([&] { (void)filled(n, GPUOPT_FLOAT64, gpuopt_scalar_real(2.5)); }), 0u);
    const Array x = filled(n, GPUOPT_FLOAT64, gpuopt_scalar_real(2.5));
    const uint64_t programs = stats().programs;
    EXPECT_EQ(values_of(x), std::vector<double>(static_cast<size_t>(n), 2.5));
    EXPECT_EQ(stats().programs - programs, at_once ? 0u : 1u) << n;
    add_into(x, x, x);
    EXPECT_EQ(values_of(x), std::vector<double>(static_cast<size_t>(n), 5));
    EXPECT_EQ(bytes_of(filled(n, GPUOPT_INT8, gpuopt_scalar_int(-3))), Bytes(static_cast<size_t>(n), 0xfd));
    const Bytes complex = bytes_of(filled(n, GPUOPT_COMPLEX128, gpuopt_scalar_complex(1, -1)));
    ASSERT_EQ(complex.size(), static_cast<size_t>(n) * 16);
    for (size_t i = 16; i < complex.size(); ++i) ASSERT_EQ(complex[i], complex[i - 16]) << n;
  }
  EXPECT_EQ(bytes_of(filled(0, GPUOPT_INT8, gpuopt_scalar_int(1))), Bytes());
}

// The array, its storage and its elements are one block of memory, which goes with the last of the array, its views and
// the operations that read it, in whichever order and thread they go.
TEST(Small, ViewsAndArraysGoInAnyOrder) {
  const std::vector<double> ones(kMany, 1);
  const Array many = make(ones);
  for (int order = 0; order < 6; ++order) {
    Array all[3];
    all[0] = take(gpuopt_add, make({1, 2, 3, 4}).get(), make({4, 3, 2, 1}).get());
    all[1] = slice(all[0], 1, 3);
    all[2] = take(gpuopt_add, many.get(), slice(all[1], 1, 2).get());  // recorded: it reads the block
    const int first = order / 2, second = (first + 1 + order % 2) % 3;
    std::thread([&] { all[first].reset(); }).join();
    for (int k = 0; k < 3; ++k) {
      if (!all[k]) continue;
      EXPECT_EQ(values_of(all[k]), k == 0   ? std::vector<double>(4, 5)
                                   : k == 1 ? std::vector<double>(2, 5)
                                            : std::vector<double>(kMany, 6));
    }
    all[second].reset();
    std::thread([&] { all[3 - first - second].reset(); }).join();
  }
}

// A thread keeps a few blocks for its next arrays: some of each size are released at once, before others are made.
TEST(Small, BlocksThatAThreadKeepsAreUsedAgain) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Array> arrays;
    for (int k = 0; k < 200; ++k) {
      arrays.push_back(make(std::vector<double>(static_cast<size_t>(k % 50 + 1), k)));
      arrays.push_back(take(gpuopt_add, arrays.back().get(), weak(1).get()));
      arrays.push_back(slice(arrays.back(), 0, 1));
      arrays.push_back(take(gpuopt_reshape, arrays.back().get(), 8, Shape(8, 1).data(), GPUOPT_COPY_NEVER));
    }
    for (size_t k = 0; k < arrays.size(); k += 4) {
      EXPECT_EQ(values_of(arrays[k + 1])[0], static_cast<double>(k / 4 + 1));
      EXPECT_EQ(values_of(arrays[k + 3]), (std::vector<double>{static_cast<double>(k / 4 + 1)}));
    }
    std::thread([&] { arrays.resize(arrays.size() / 2); }).join();
  }
}

TEST(Small, ThreadsReadTheSameArrays) {
  const Array x = make({1, 2, 3, 4}), y = take(gpuopt_add, x.get(), x.get());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Array own = take(gpuopt_add, y.get(), weak(t).get());
      for (int k = 0; k < 1000; ++k) {
        own = take(gpuopt_add, own.get(), x.get());
        add_into(own, y, own);
      }
      EXPECT_EQ(values_of(own), (std::vector<double>{2. + t + 3000, 4. + t + 6000, 6. + t + 9000, 8. + t + 12000}));
    });
  }
  for (std::thread &thread : threads) thread.join();
}

}  // namespace

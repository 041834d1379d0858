// tests/unit/core_sort_test.cpp -- sorting, searching and sets: against NumPy's answers, bit for bit, on operands of
// several layouts; on a device without the slot; what fails, and what is left then.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>

#include "tests/unit/core_bare_device.h"
#include "tests/unit/core_cases.h"
#include "tests/unit/core_sort_cases.h"

using namespace support;

namespace {

// ---- The cases that make_core_sort_cases.py writes

struct Elements {
  gpuopt_dtype dtype = 0;
  int layout = 0;
  Shape shape;
  std::vector<unsigned char> bytes;
};

struct Case {
  std::string op, refused;
  std::vector<Elements> operands, answers;
  std::vector<int64_t> numbers;
};

// Appends the bytes of a number in hexadecimal digits, the least significant first.
void append_bytes(const std::string &digits, size_t size, std::vector<unsigned char> &bytes) {
  const std::string padded = std::string(2 * size - digits.size(), '0') + digits;
  for (size_t k = size; k-- > 0;)
    bytes.push_back(static_cast<unsigned char>(std::stoi(padded.substr(2 * k, 2), nullptr, 16)));
}

Elements read_elements(const std::string &text, bool with_layout) {
  const std::vector<std::string> sides = pieces(text, "=");
  std::istringstream in(sides.at(0)), words(sides.at(1));
  Elements elements;
  elements.dtype = read_dtype(in);
  if (with_layout) in >> elements.layout;
  elements.shape = numbers_of(in);
  for (std::string word; words >> word;) append_bytes(word, gpuopt_dtype_size(elements.dtype), elements.bytes);
  return elements;
}

Case read_case(const char *line) {
  const std::vector<std::string> fields = pieces(line, "|");
  Case c;
  std::istringstream(fields.at(0)) >> c.op;
  for (const std::string &text : pieces(fields.at(1), ",")) c.operands.push_back(read_elements(text, true));
  c.numbers = numbers_of(fields.at(2));
  if (!is_blank(fields.at(3))) {
    for (const std::string &text : pieces(fields.at(3), ",")) c.answers.push_back(read_elements(text, false));
  }
  std::istringstream(fields.at(4)) >> c.refused;
  return c;
}

// ---- The calls

// What a call gets, and where it leaves its results.
struct Call {
  std::vector<gpuopt_array> x;
  std::vector<int64_t> n;
  std::vector<gpuopt_array> results;
  gpuopt_error error = GPUOPT_ERROR_INIT;

  gpuopt_array *out(size_t count, size_t k = 0) {
    results.resize(count, reinterpret_cast<gpuopt_array>(1));  // a failing call has to set them to NULL
    return &results[k];
  }
  // The numbers begin with whether there is an axis, and which.
  const int64_t *axis() const { return n[0] ? &n[1] : nullptr; }
  int32_t flag(size_t k) const { return static_cast<int32_t>(n[k]); }
  gpuopt_array optional(size_t k) const { return k < x.size() ? x[k] : nullptr; }
};

gpuopt_status histogram(Call &c) {
  const double range[] = {static_cast<double>(c.n[2]), static_cast<double>(c.n[3])};
  c.out(2);
  return gpuopt_histogram(c.x[0], c.n[0], c.n[1] ? range : nullptr, c.optional(1), c.flag(4), c.out(2), c.out(2, 1),
                          &c.error);
}

gpuopt_status unique_all(Call &c) {
  c.out(4);
  return gpuopt_unique_all(c.x[0], c.flag(0), c.out(4), c.out(4, 1), c.out(4, 2), c.out(4, 3), &c.error);
}

gpuopt_status lexsort(Call &c) {
  return gpuopt_lexsort(static_cast<int32_t>(c.x.size()), c.x.data(), c.n[0], c.out(1), &c.error);
}

// The numbers are the method, keepdims, whether there are axes, and which.
gpuopt_reduce_options options_of(const Call &c) {
  gpuopt_reduce_options options{};
  options.struct_size = sizeof options;
  options.keepdims = c.flag(1);
  options.axes = c.n[2] ? c.n.data() + 3 : nullptr;
  options.naxes = static_cast<int32_t>(c.n.size() - 3);
  return options;
}

using Median = gpuopt_status (*)(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *, gpuopt_error *);
using Quantile = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_quantile_method, const gpuopt_reduce_options *,
                                   gpuopt_array *, gpuopt_error *);
template <Median function>
gpuopt_status median(Call &c) {
  const gpuopt_reduce_options options = options_of(c);
  return function(c.x[0], &options, c.out(1), &c.error);
}
template <Quantile function>
gpuopt_status quantile(Call &c) {
  const gpuopt_reduce_options options = options_of(c);
  return function(c.x[0], c.x[1], c.flag(0), &options, c.out(1), &c.error);
}

const std::map<std::string, gpuopt_status (*)(Call &)> kCalls = {
    {"median", median<gpuopt_median>},
    {"nanmedian", median<gpuopt_nanmedian>},
    {"quantile", quantile<gpuopt_quantile>},
    {"percentile", quantile<gpuopt_percentile>},
    {"nanquantile", quantile<gpuopt_nanquantile>},
    {"nanpercentile", quantile<gpuopt_nanpercentile>},
    {"sort", [](Call &c) { return gpuopt_sort(c.x[0], c.axis(), c.flag(2), c.out(1), &c.error); }},
    {"argsort", [](Call &c) { return gpuopt_argsort(c.x[0], c.axis(), c.flag(2), c.out(1), &c.error); }},
    {"partition", [](Call &c) { return gpuopt_partition(c.x[0], c.n[2], c.axis(), c.out(1), &c.error); }},
    {"argpartition", [](Call &c) { return gpuopt_argpartition(c.x[0], c.n[2], c.axis(), c.out(1), &c.error); }},
    {"top_k",
     [](Call &c) {
       c.out(2);
       return gpuopt_top_k(c.x[0], c.n[0], c.n[1], c.flag(2), c.out(2), c.out(2, 1), &c.error);
     }},
    {"lexsort", lexsort},
    {"take_along_axis", [](Call &c) { return gpuopt_take_along_axis(c.x[0], c.x[1], c.n[0], c.out(1), &c.error); }},
    {"searchsorted",
     [](Call &c) { return gpuopt_searchsorted(c.x[0], c.x[1], c.flag(0), c.optional(2), c.out(1), &c.error); }},
    {"digitize", [](Call &c) { return gpuopt_digitize(c.x[0], c.x[1], c.flag(0), c.out(1), &c.error); }},
    {"bincount", [](Call &c) { return gpuopt_bincount(c.x[0], c.optional(1), c.n[0], c.out(1), &c.error); }},
    {"histogram", histogram},
    {"histogram_with",
     [](Call &c) { return gpuopt_histogram_with(c.x[0], c.x[1], c.optional(2), c.flag(0), c.out(1), &c.error); }},
    {"unique_all", unique_all},
    {"unique_values", [](Call &c) { return gpuopt_unique_values(c.x[0], c.flag(0), c.out(1), &c.error); }},
    {"unique_counts",
     [](Call &c) {
       c.out(2);
       return gpuopt_unique_counts(c.x[0], c.flag(0), c.out(2), c.out(2, 1), &c.error);
     }},
    {"unique_inverse",
     [](Call &c) {
       c.out(2);
       return gpuopt_unique_inverse(c.x[0], c.flag(0), c.out(2), c.out(2, 1), &c.error);
     }},
    {"isin", [](Call &c) { return gpuopt_isin(c.x[0], c.x[1], c.flag(0), c.out(1), &c.error); }},
    {"union1d", [](Call &c) { return gpuopt_union1d(c.x[0], c.x[1], c.out(1), &c.error); }},
    {"intersect1d", [](Call &c) { return gpuopt_intersect1d(c.x[0], c.x[1], c.out(1), &c.error); }},
    {"setdiff1d", [](Call &c) { return gpuopt_setdiff1d(c.x[0], c.x[1], c.out(1), &c.error); }},
    {"setxor1d", [](Call &c) { return gpuopt_setxor1d(c.x[0], c.x[1], c.out(1), &c.error); }},
};

// Whether the status is one for which Python has this kind of error.
bool fits(const std::string &refused, gpuopt_status status) {
  if (refused == "AxisError" || refused == "IndexError") return status == GPUOPT_ERR_INDEX;
  if (refused == "TypeError") return status == GPUOPT_ERR_TYPE;
  return status == GPUOPT_ERR_SHAPE || status == GPUOPT_ERR_INVALID_ARGUMENT || status == GPUOPT_ERR_INDEX;
}

// Of a partition NumPy's answer says only which dtype and shape it has, and whether there is one.
bool is_partition(const std::string &op) { return op == "partition" || op == "argpartition"; }

template <typename T>
void make_nans_positive(std::vector<unsigned char> &bytes) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, &bytes[at], sizeof element);
    if (std::isnan(element)) element = std::fabs(element);
    std::memcpy(&bytes[at], &element, sizeof element);
  }
}

// The bytes of a result to be compared. The sign of the NaN that 0 / 0 gives, as in a histogram of nothing, is that of
// the processor: x86 sets it, AArch64 does not.
std::vector<unsigned char> comparable(const Case &c, gpuopt_dtype dtype, std::vector<unsigned char> bytes) {
  if (c.op.rfind("histogram", 0) != 0) return bytes;
  if (dtype == GPUOPT_FLOAT32) make_nans_positive<float>(bytes);
  if (dtype == GPUOPT_FLOAT64) make_nans_positive<double>(bytes);
  return bytes;
}

void expect_answers(const Case &c, const std::vector<Array> &results) {
  ASSERT_EQ(results.size(), c.answers.size());
  for (size_t k = 0; k < results.size(); ++k) {
    EXPECT_EQ(gpuopt_array_dtype(results[k].get()), c.answers[k].dtype) << k;
    EXPECT_EQ(shape_of(results[k]), c.answers[k].shape) << k;
    if (!is_partition(c.op)) {
      const gpuopt_dtype dtype = c.answers[k].dtype;
      EXPECT_EQ(comparable(c, dtype, bytes_of(results[k])), comparable(c, dtype, c.answers[k].bytes)) << k;
    }
  }
}

void expect_case(const Case &c) {
  std::vector<Array> operands, results;
  Call call;
  for (const Elements &x : c.operands) {
    operands.push_back(laid_out(make_bytes(x.dtype, x.shape, x.bytes.data()), x.layout));
    call.x.push_back(operands.back().get());
  }
  call.n = c.numbers;
  const gpuopt_status status = kCalls.at(c.op)(call);
  if (!c.refused.empty()) {
    EXPECT_TRUE(fits(c.refused, status)) << status << " " << call.error.message;
    for (gpuopt_array x : call.results) EXPECT_EQ(x, nullptr);
    return;
  }
  ASSERT_EQ(status, GPUOPT_OK) << call.error.message;
  for (gpuopt_array x : call.results) results.emplace_back(x);
  expect_answers(c, results);
}

TEST(SortCases, AsNumPyAnswers) {
  for (const char *line : kCases) {
    SCOPED_TRACE(line);
    expect_case(read_case(line));
  }
}

// ---- Properties, on a device with the slot and on one without

class Sort : public OnBothDevices {
 protected:
  Array sorted(const Array &x, int64_t axis, bool descending = false) {
    Result r;
    return r.take(gpuopt_sort(x.get(), &axis, descending, &r.array, &r.error));
  }
  Array order(const Array &x, int64_t axis, bool descending = false) {
    Result r;
    return r.take(gpuopt_argsort(x.get(), &axis, descending, &r.array, &r.error));
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Sort, ::testing::Bool(), device_title);

TEST_P(Sort, TakesFromTheFarDeviceAndBack) {
  const Array x = make<float>({2, 4}, {3, NAN, 1, 2, 0, 7, -1, 7});
  EXPECT_EQ(values_of<int64_t>(order(x, 1)), (std::vector<int64_t>{2, 3, 0, 1, 2, 0, 1, 3}));
  EXPECT_EQ(values_of<int64_t>(order(x, 1, true)), (std::vector<int64_t>{0, 3, 2, 1, 1, 3, 0, 2}));
  EXPECT_EQ(values_of<float>(sorted(x, 0, true))[0], 3);
  EXPECT_EQ(bytes_of(sorted(transposed(x), 1)), bytes_of(transposed(sorted(x, 0))));
}

TEST_P(Sort, SearchesAndSets) {
  Result r, s;
  const Array x = make<int32_t>({6}, {5, 1, 5, 2, 1, 9}), y = make<int32_t>({2}, {1, 7});
  const Array found = r.take(gpuopt_isin(x.get(), y.get(), 0, &r.array, &r.error));
  EXPECT_EQ(bytes_of(found), (std::vector<unsigned char>{0, 1, 0, 0, 1, 0}));
  const Array counts = r.take(gpuopt_bincount(x.get(), nullptr, 0, &r.array, &r.error));
  EXPECT_EQ(values_of<int64_t>(counts), (std::vector<int64_t>{0, 2, 1, 0, 0, 2, 0, 0, 0, 1}));
  const Array values = r.take(gpuopt_unique_inverse(x.get(), 0, &r.array, &s.array, &r.error));
  const Array inverse(s.array);
  EXPECT_EQ(values_of<int32_t>(values), (std::vector<int32_t>{1, 2, 5, 9}));
  EXPECT_EQ(values_of<int64_t>(inverse), (std::vector<int64_t>{2, 0, 2, 1, 0, 3}));
  const Array bins = r.take(gpuopt_histogram(x.get(), 2, nullptr, nullptr, 0, &r.array, &s.array, &r.error));
  const Array edges(s.array);
  EXPECT_EQ(values_of<int64_t>(bins), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(values_of<double>(edges), (std::vector<double>{1, 5, 9}));
}

TEST_P(Sort, TheInverseMakesTheArrayAgain) {
  std::vector<float> elements(5000);
  for (size_t k = 0; k < elements.size(); ++k) elements[k] = static_cast<float>(k * k % 97) - 40;
  const Array x = make<float>({50, 100}, elements);
  Result r;
  gpuopt_array out[4];
  ASSERT_EQ(gpuopt_unique_all(x.get(), 0, &out[0], &out[1], &out[2], &out[3], &r.error), GPUOPT_OK) << r.error.message;
  const Array values(out[0]), indices(out[1]), inverse(out[2]), counts(out[3]);
  const Array again = r.take(gpuopt_take(values.get(), inverse.get(), 0, &r.array, &r.error));
  EXPECT_EQ(values_of<float>(again), elements);
  EXPECT_EQ(shape_of(again), (Shape{50, 100}));
  const std::vector<float> distinct = values_of<float>(values);
  const std::vector<int64_t> first = values_of<int64_t>(indices), count = values_of<int64_t>(counts);
  ASSERT_TRUE(std::is_sorted(distinct.begin(), distinct.end()));
  for (size_t k = 0; k < distinct.size(); ++k) {
    EXPECT_EQ(std::find(elements.begin(), elements.end(), distinct[k]) - elements.begin(), first[k]);
    EXPECT_EQ(std::count(elements.begin(), elements.end(), distinct[k]), count[k]);
  }
}

TEST_P(Sort, PartitionsPart) {
  const std::vector<double> elements = {5, 2, 8, 1, 9, 3, 3, 7};
  const Array x = make<double>({8}, elements);
  const int64_t axis = -1;
  for (int64_t kth : {0, 3, -1}) {
    Result r;
    const Array parted = r.take(gpuopt_partition(x.get(), kth, &axis, &r.array, &r.error));
    const Array places = r.take(gpuopt_argpartition(x.get(), kth, &axis, &r.array, &r.error));
    const std::vector<double> values = values_of<double>(parted);
    const std::vector<int64_t> at = values_of<int64_t>(places);
    std::vector<double> wanted = elements;
    std::sort(wanted.begin(), wanted.end());
    const size_t k = static_cast<size_t>(kth < 0 ? kth + 8 : kth);
    EXPECT_EQ(values[k], wanted[k]);
    EXPECT_EQ(elements[static_cast<size_t>(at[k])], wanted[k]);
    for (size_t i = 0; i < 8; ++i) EXPECT_TRUE(i < k ? values[i] <= values[k] : values[i] >= values[k]);
  }
}

// ---- bfloat16, which NumPy has not

TEST(SortBfloat16, NanIsLastInBothDirections) {
  const uint16_t bits[] = {0x3F80, 0x7FC0, 0x8000, 0x0000, 0xBF80, 0xFF80, 0x7F80};  // 1 NaN -0 0 -1 -inf inf
  const Array x = make_bytes(GPUOPT_BFLOAT16, {7}, bits);
  Result r;
  const Array up = r.take(gpuopt_argsort(x.get(), nullptr, 0, &r.array, &r.error));
  const Array down = r.take(gpuopt_argsort(x.get(), nullptr, 1, &r.array, &r.error));
  EXPECT_EQ(values_of<int64_t>(up), (std::vector<int64_t>{5, 4, 2, 3, 0, 6, 1}));
  EXPECT_EQ(values_of<int64_t>(down), (std::vector<int64_t>{6, 0, 2, 3, 4, 5, 1}));
}

// ---- Weak scalars, and what is refused

TEST(SortArguments, NumbersBesideArrays) {
  Result r;
  const Array x = make<int8_t>({4}, {1, 2, 2, 4});
  const Array place =
      r.take(gpuopt_searchsorted(x.get(), weak(gpuopt_scalar_real(2.5)).get(), 0, nullptr, &r.array, &r.error));
  EXPECT_EQ(values_of<int64_t>(place), (std::vector<int64_t>{3}));
  EXPECT_EQ(shape_of(place), Shape{});
  const Array found = r.take(gpuopt_isin(x.get(), weak(gpuopt_scalar_int(2)).get(), 0, &r.array, &r.error));
  EXPECT_EQ(bytes_of(found), (std::vector<unsigned char>{0, 1, 1, 0}));
}

TEST(SortArguments, Refused) {
  const Array x = make<double>({2, 3}, {1, 2, 3, 4, 5, 6}), number = weak(gpuopt_scalar_int(1));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_array a = nullptr, b = nullptr;
  const int64_t zero = 0;
  EXPECT_EQ(gpuopt_sort(nullptr, &zero, 0, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_sort(x.get(), &zero, 0, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_sort(number.get(), &zero, 0, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_top_k(x.get(), 4, 1, 1, &a, &b, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_top_k(x.get(), -1, 1, 1, &a, &b, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_top_k(x.get(), 1, 1, 1, &a, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(a, nullptr);
  EXPECT_EQ(gpuopt_top_k(x.get(), 1, 2, 1, &a, &b, &error), GPUOPT_ERR_INDEX);
  EXPECT_EQ(gpuopt_lexsort(0, nullptr, 0, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_take_along_axis(x.get(), x.get(), 0, &a, &error), GPUOPT_ERR_TYPE);
  const Array huge = make<int64_t>({1}, {std::numeric_limits<int64_t>::max()});
  EXPECT_EQ(gpuopt_bincount(huge.get(), nullptr, 0, &a, &error), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(gpuopt_bincount(make<int64_t>({1}, {3}).get(), nullptr, int64_t{1} << 60, &a, &error),
            GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(a, nullptr);
  EXPECT_EQ(b, nullptr);
}

}  // namespace

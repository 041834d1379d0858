// tests/unit/core_join_test.cpp -- concat, split, pad and their like: against NumPy's answers, on operands of several
// layouts; that results are views where NumPy's are; that recorded operands are computed in their place; what fails.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "core/array/overlap.h"
#include "tests/unit/core_cases.h"
#include "tests/unit/core_join_cases.h"

namespace {

using support::Array;
using support::bytes_of;
using support::cast;
using support::cpu;
using support::is_blank;
using support::laid_out;
using support::make;
using support::numbers_of;
using support::pieces;
using support::read_dtype;
using support::Result;
using support::Shape;
using support::shape_of;
using support::sliced;
using support::transposed;
using support::values_of;
using support::weak;

// ---- The cases that make_core_join_cases.py writes

struct Operand {
  gpuopt_dtype dtype;
  int layout;
  Shape shape;
};

struct Answer {
  gpuopt_dtype dtype;
  Shape shape;
  std::vector<int64_t> elements;
};

struct Case {
  std::string op, refused;
  std::vector<Operand> operands;
  std::vector<int64_t> numbers;
  std::vector<Answer> answers;
};

Operand read_operand(const std::string &text) {
  std::istringstream in(text);
  Operand operand;
  operand.dtype = read_dtype(in);
  in >> operand.layout;
  operand.shape = numbers_of(in);
  return operand;
}

Answer read_answer(const std::string &text) {
  const std::vector<std::string> sides = pieces(text, "=");
  std::istringstream in(sides.at(0));
  Answer answer;
  answer.dtype = read_dtype(in);
  answer.shape = numbers_of(in);
  answer.elements = numbers_of(sides.at(1));
  return answer;
}

Case read_case(const char *line) {
  const std::vector<std::string> fields = pieces(line, "|");
  Case c;
  std::istringstream(fields.at(0)) >> c.op;
  for (const std::string &text : pieces(fields.at(1), ",")) c.operands.push_back(read_operand(text));
  c.numbers = numbers_of(fields.at(2));
  if (!is_blank(fields.at(3))) {
    for (const std::string &text : pieces(fields.at(3), ",")) c.answers.push_back(read_answer(text));
  }
  std::istringstream(fields.at(4)) >> c.refused;
  return c;
}

// ---- Operands: the elements of the generator's formula, in a layout

int64_t count(const Shape &shape) {
  int64_t n = 1;
  for (int64_t size : shape) n *= size;
  return n;
}

Array make_operand(const Operand &operand, size_t j) {
  std::vector<int64_t> elements(static_cast<size_t>(count(operand.shape)));
  for (size_t k = 0; k < elements.size(); ++k) {
    const int64_t number = static_cast<int64_t>(7 * k + 13 * j + 1) % 100;
    elements[k] = operand.dtype == GPUOPT_BOOL ? number % 2 : number;
  }
  return laid_out(cast(make(operand.shape, elements), operand.dtype), operand.layout);
}

// ---- The calls

// What a call gets, and where it leaves its results.
struct Call {
  std::vector<gpuopt_array> x;
  std::vector<int64_t> n;
  std::vector<gpuopt_array> results;
  gpuopt_error error = GPUOPT_ERROR_INIT;

  gpuopt_array *out(size_t count) {
    results.assign(count, reinterpret_cast<gpuopt_array>(1));  // a failing call has to set them to NULL
    return results.data();
  }
  int32_t count() const { return static_cast<int32_t>(x.size()); }
  // The numbers begin with whether there is an axis, and which.
  const int64_t *axis() const { return n[0] ? &n[1] : nullptr; }
  const int64_t *from(size_t k) const { return n.data() + k; }
  int32_t left(size_t k) const { return static_cast<int32_t>(n.size() - k); }
  // What delete and insert get: an integer, a list of them or a mask.
  Array indices() const {
    const std::vector<int64_t> list(n.begin() + 3, n.end());
    const Shape shape = n[2] == 0 ? Shape{} : Shape{left(3)};
    return n[2] == 2 ? make(shape, std::vector<bool>(list.begin(), list.end())) : make(shape, list);
  }
};

gpuopt_status roll(Call &c) {
  const auto shifts = static_cast<size_t>(c.n[1]);
  return gpuopt_roll(c.x[0], static_cast<int32_t>(shifts), c.from(2), c.n[0] ? c.from(2 + shifts) : nullptr, c.out(1),
                     &c.error);
}

gpuopt_status repeat_each(Call &c) {
  const Array counts = make(Shape{c.left(2)}, std::vector<int64_t>(c.n.begin() + 2, c.n.end()));
  return gpuopt_repeat_each(c.x[0], counts.get(), c.axis(), c.out(1), &c.error);
}

gpuopt_status pad(Call &c) {
  return gpuopt_pad(c.x[0], c.from(1), static_cast<gpuopt_pad_mode>(c.n[0]), gpuopt_scalar_int(9), c.out(1), &c.error);
}

gpuopt_status split_at(Call &c) {
  const size_t positions = c.n.size() - 1;
  return gpuopt_split_at(c.x[0], c.left(1), c.from(1), c.n[0], c.out(positions + 1), &c.error);
}

gpuopt_status moveaxis(Call &c) {
  const size_t half = c.n.size() / 2;
  return gpuopt_moveaxis(c.x[0], static_cast<int32_t>(half), c.from(0), c.from(half), c.out(1), &c.error);
}

gpuopt_status rot90(Call &c) {
  return gpuopt_rot90(c.x[0], c.n[0], c.n.size() > 1 ? c.from(1) : nullptr, c.out(1), &c.error);
}

int32_t narrow(int64_t number) { return static_cast<int32_t>(number); }
size_t as_size(int64_t number) { return static_cast<size_t>(number); }

const std::map<std::string, gpuopt_status (*)(Call &)> kCalls = {
    {"concat", [](Call &c) { return gpuopt_concat(c.count(), c.x.data(), c.axis(), c.out(1), &c.error); }},
    {"stack", [](Call &c) { return gpuopt_stack(c.count(), c.x.data(), c.n[0], c.out(1), &c.error); }},
    {"append", [](Call &c) { return gpuopt_append(c.x[0], c.x[1], c.axis(), c.out(1), &c.error); }},
    {"meshgrid",
     [](Call &c) { return gpuopt_meshgrid(c.count(), c.x.data(), narrow(c.n[0]), c.out(c.x.size()), &c.error); }},
    {"broadcast_arrays",
     [](Call &c) { return gpuopt_broadcast_arrays(c.count(), c.x.data(), c.out(c.x.size()), &c.error); }},
    {"unstack",
     [](Call &c) { return gpuopt_unstack(c.x[0], c.n[0], narrow(c.n[1]), c.out(as_size(c.n[1])), &c.error); }},
    {"split", [](Call &c) { return gpuopt_split(c.x[0], narrow(c.n[0]), c.n[1], c.out(as_size(c.n[0])), &c.error); }},
    {"array_split",
     [](Call &c) { return gpuopt_array_split(c.x[0], narrow(c.n[0]), c.n[1], c.out(as_size(c.n[0])), &c.error); }},
    {"split_at", split_at},
    {"roll", roll},
    {"repeat", [](Call &c) { return gpuopt_repeat(c.x[0], c.n[2], c.axis(), c.out(1), &c.error); }},
    {"repeat_each", repeat_each},
    {"tile", [](Call &c) { return gpuopt_tile(c.x[0], c.left(0), c.from(0), c.out(1), &c.error); }},
    {"pad", pad},
    {"moveaxis", moveaxis},
    {"swapaxes", [](Call &c) { return gpuopt_swapaxes(c.x[0], c.n[0], c.n[1], c.out(1), &c.error); }},
    {"rot90", rot90},
    {"diagonal", [](Call &c) { return gpuopt_diagonal(c.x[0], c.n[0], c.n[1], c.n[2], c.out(1), &c.error); }},
    {"diag", [](Call &c) { return gpuopt_diag(c.x[0], c.n[0], c.out(1), &c.error); }},
    {"ravel", [](Call &c) { return gpuopt_ravel(c.x[0], c.out(1), &c.error); }},
    {"atleast_nd", [](Call &c) { return gpuopt_atleast_nd(c.x[0], narrow(c.n[0]), c.out(1), &c.error); }},
    {"expand_dims_n", [](Call &c) { return gpuopt_expand_dims_n(c.x[0], c.left(0), c.from(0), c.out(1), &c.error); }},
    {"delete", [](Call &c) { return gpuopt_delete(c.x[0], c.indices().get(), c.axis(), c.out(1), &c.error); }},
    {"insert", [](Call &c) { return gpuopt_insert(c.x[0], c.indices().get(), c.x[1], c.axis(), c.out(1), &c.error); }},
};

// Whether the status is one for which Python has this kind of error.
bool fits(const std::string &op, const std::string &refused, gpuopt_status status) {
  if (refused == "AxisError" || refused == "IndexError") return status == GPUOPT_ERR_INDEX;
  if (refused == "TypeError") return status == GPUOPT_ERR_TYPE;
  if (op == "rot90" && status == GPUOPT_ERR_INDEX) return true;  // NumPy checks the range of these axes by itself
  return status == GPUOPT_ERR_SHAPE || status == GPUOPT_ERR_INVALID_ARGUMENT;
}

void expect_answer(const Array &result, const Answer &answer) {
  EXPECT_EQ(gpuopt_array_dtype(result.get()), answer.dtype)
      << gpuopt_dtype_name(gpuopt_array_dtype(result.get())) << ", not " << gpuopt_dtype_name(answer.dtype);
  EXPECT_EQ(shape_of(result), answer.shape);
  EXPECT_EQ(values_of<int64_t>(cast(result, GPUOPT_INT64)), answer.elements);
}

void expect_case(const Case &c) {
  std::vector<Array> operands;
  Call call;
  for (size_t j = 0; j < c.operands.size(); ++j) {
    operands.push_back(make_operand(c.operands[j], j));
    call.x.push_back(operands.back().get());
  }
  call.n = c.numbers;
  const gpuopt_status status = kCalls.at(c.op)(call);
  if (!c.refused.empty()) {
    EXPECT_TRUE(fits(c.op, c.refused, status)) << gpuopt_status_name(status) << ": " << call.error.message;
    EXPECT_GT(std::strlen(call.error.message), 10u);
    for (gpuopt_array result : call.results) EXPECT_EQ(result, nullptr);
    return;
  }
  ASSERT_EQ(status, GPUOPT_OK) << call.error.message;
  ASSERT_EQ(call.results.size(), c.answers.size());
  for (size_t k = 0; k < c.answers.size(); ++k) expect_answer(Array(call.results[k]), c.answers[k]);
}

TEST(Join, GivesNumPysAnswers) {
  for (const char *line : kCases) {
    SCOPED_TRACE(line);
    expect_case(read_case(line));
  }
}

TEST(Join, HasCasesForEachFunction) {
  std::map<std::string, int> answered;
  for (const char *line : kCases) {
    const Case c = read_case(line);
    answered[c.op] += c.refused.empty();
  }
  for (const auto &[name, call] : kCalls) EXPECT_GT(answered[name], 2) << name;
}

// ---- Views and copies

Array matrix() { return make<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}); }

// Writes 9 to all of x, which y shows if it is a view of x.
void expect_view(const Array &x, const Array &y, bool is_view) {
  EXPECT_EQ(gpuopt_fill(x.get(), gpuopt_scalar_int(9), nullptr), GPUOPT_OK);
  EXPECT_EQ(values_of<int32_t>(y)[0] == 9, is_view);
}

template <class F, class... Args>
Array call(F function, Args... args) {
  Result r;
  return r.take(function(args..., &r.array, &r.error));
}

TEST(JoinViews, ShareMemoryWhereNumPysDo) {
  const auto check = [](bool is_view, auto make_one) {
    const Array x = matrix();
    const Array y = make_one(x.get());
    expect_view(x, y, is_view);
  };
  const int64_t zero = 0, one = 1, axes[] = {0, 2}, widths[] = {0, 0, 0, 0};
  check(true, [&](gpuopt_array x) { return call(gpuopt_moveaxis, x, 1, &zero, &one); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_swapaxes, x, zero, one); });
  for (int64_t k : {0, 1, 2, 3}) {
    check(true, [&](gpuopt_array x) { return call(gpuopt_rot90, x, k, nullptr); });
  }
  check(true, [&](gpuopt_array x) { return call(gpuopt_diagonal, x, zero, zero, one); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_diag, x, zero); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_ravel, x); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_atleast_nd, x, 1); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_atleast_nd, x, 3); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_expand_dims_n, x, 2, axes); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_split, x, 1, zero); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_array_split, x, 1, one); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_split_at, x, 0, nullptr, one); });
  check(true, [&](gpuopt_array x) { return call(gpuopt_broadcast_arrays, 1, &x); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_concat, 1, &x, &zero); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_concat, 1, &x, nullptr); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_stack, 1, &x, zero); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_roll, x, 1, &zero, &one); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_roll, x, 0, nullptr, &one); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_repeat, x, one, &one); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_tile, x, 0, nullptr); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_pad, x, widths, GPUOPT_PAD_EDGE, gpuopt_scalar_int(0)); });
  check(false, [&](gpuopt_array x) { return call(gpuopt_meshgrid, 1, &x, 0); });
}

TEST(JoinViews, RavelCopiesWhatIsNotContiguous) {
  const Array x = matrix(), turned = transposed(x), flat = call(gpuopt_ravel, turned.get());
  EXPECT_TRUE(gpuopt_array_is_contiguous(flat.get()));
  expect_view(x, flat, false);
}

TEST(JoinViews, AreReadOnlyWhereNumPysAre) {
  const Array x = matrix(), diagonal = call(gpuopt_diagonal, x.get(), int64_t{0}, int64_t{0}, int64_t{1});
  const gpuopt_array list[] = {x.get()};
  const Array same = call(gpuopt_broadcast_arrays, 1, list), diag = call(gpuopt_diag, x.get(), int64_t{0});
  for (const Array *view : {&diagonal, &same, &diag}) {
    EXPECT_TRUE(gpuopt_array_is_read_only(view->get()));
    EXPECT_EQ(gpuopt_fill(view->get(), gpuopt_scalar_int(0), nullptr), GPUOPT_ERR_READ_ONLY);
  }
  // Parts of a read-only array are read-only, and the others may be written.
  Array parts[3];
  gpuopt_array raw[3];
  for (const Array *whole : {&x, &same}) {
    ASSERT_EQ(gpuopt_unstack(whole->get(), 1, 3, raw, nullptr), GPUOPT_OK);
    for (int i = 0; i < 3; ++i) parts[i].reset(raw[i]);
    EXPECT_EQ(gpuopt_array_is_read_only(parts[1].get()), whole == &same);
  }
  ASSERT_EQ(gpuopt_unstack(x.get(), 1, 3, raw, nullptr), GPUOPT_OK);
  for (int i = 0; i < 3; ++i) parts[i].reset(raw[i]);
  EXPECT_EQ(gpuopt_fill(parts[1].get(), gpuopt_scalar_int(0), nullptr), GPUOPT_OK);
  EXPECT_EQ(values_of<int32_t>(x), (std::vector<int32_t>{1, 0, 3, 4, 0, 6}));
  const Array new_matrix = call(gpuopt_diag, parts[0].get(), int64_t{0});
  EXPECT_FALSE(gpuopt_array_is_read_only(new_matrix.get()));
}

TEST(JoinViews, WeakScalarsTakeTheDtypeOfTheOthers) {
  const Array x = matrix(), five = weak(gpuopt_scalar_int(5)), half = weak(gpuopt_scalar_real(0.5));
  const gpuopt_array list[] = {five.get(), x.get()};
  EXPECT_EQ(values_of<int32_t>(call(gpuopt_concat, 2, list, nullptr)), (std::vector<int32_t>{5, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of<double>(call(gpuopt_append, x.get(), half.get(), nullptr)).back(), 0.5);
  const int64_t at = 1, zero = 0;
  const Array index = make<int64_t>({}, {at});
  EXPECT_EQ(values_of<int32_t>(call(gpuopt_insert, x.get(), index.get(), five.get(), &zero)),
            (std::vector<int32_t>{1, 2, 3, 5, 5, 5, 4, 5, 6}));
  Result r;
  EXPECT_EQ(gpuopt_concat(1, list, nullptr, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  const Array huge = weak(gpuopt_scalar_int(int64_t{1} << 40));
  EXPECT_EQ(gpuopt_append(x.get(), huge.get(), nullptr, &r.array, &r.error), GPUOPT_ERR_OVERFLOW);
}

// ---- Recorded operands

// The bytes that the device's arrays hold.
uint64_t bytes_in_use() {
  gpuopt_memory_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(gpuopt_memory_get_stats(cpu(), &stats, nullptr), GPUOPT_OK);
  return stats.in_use;
}

gpuopt_engine_stats engine() {
  gpuopt_engine_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(gpuopt_engine_get_stats(cpu(), &stats, nullptr), GPUOPT_OK);
  return stats;
}

void evaluate(const Array &x) {
  const gpuopt_array raw = x.get();
  ASSERT_EQ(gpuopt_eval(1, &raw, nullptr), GPUOPT_OK);
}

constexpr int64_t kSide = 256;
constexpr uint64_t kBytes = kSide * kSide * sizeof(double);

// A square of the numbers first, first + 1, and so on.
Array square(double first) {
  std::vector<double> values(kSide * kSide);
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<double>(i);
  return make<double>({kSide, kSide}, values);
}

Array doubled(const Array &x) { return call(gpuopt_add, x.get(), x.get()); }

// Joins along axis 0, 1 or none (2), or as a stack along axis 0, 1 or 2 (3, 4, 5).
Array join(const std::vector<gpuopt_array> &list, int way) {
  const int64_t axis = way % 3;
  const auto count = static_cast<int32_t>(list.size());
  if (way < 3) return call(gpuopt_concat, count, list.data(), way == 2 ? nullptr : &axis);
  return call(gpuopt_stack, count, list.data(), axis);
}

class JoinRecorded : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (std::getenv("GPUOPT_EAGER")) GTEST_SKIP() << "nothing is recorded";
  }
};

// The expressions live longer than their result is computed, and get no memory.
TEST_P(JoinRecorded, AreComputedInTheirPlace) {
  const Array x = square(0), y = square(0.5);
  const uint64_t bytes = bytes_in_use(), programs = engine().programs;
  const Array a = doubled(x), b = doubled(y), c = call(gpuopt_sqrt, y.get());
  const Array joined = join({a.get(), b.get(), c.get()}, GetParam());
  evaluate(joined);
  EXPECT_GE(bytes_in_use() - bytes, 3 * kBytes);
  EXPECT_LT(bytes_in_use() - bytes, 3 * kBytes + kBytes / 2);
  EXPECT_EQ(engine().programs - programs, 3u);
  // Whoever reads one of them gets its values, also after the result has been overwritten.
  EXPECT_EQ(values_of<double>(a), values_of<double>(doubled(square(0))));
  ASSERT_EQ(gpuopt_fill(joined.get(), gpuopt_scalar_int(7), nullptr), GPUOPT_OK);
  evaluate(joined);
  EXPECT_EQ(values_of<double>(a), values_of<double>(doubled(square(0))));
  EXPECT_EQ(values_of<double>(b), values_of<double>(doubled(square(0.5))));
  EXPECT_EQ(values_of<double>(c), values_of<double>(call(gpuopt_sqrt, square(0.5).get())));
  EXPECT_EQ(values_of<double>(joined), std::vector<double>(3 * kSide * kSide, 7));
}

TEST_P(JoinRecorded, OutliveTheResult) {
  const Array x = square(1), a = doubled(x), b = doubled(a);
  Array joined = join({b.get(), a.get(), b.get()}, GetParam());
  if (GetParam() % 2) evaluate(joined);
  joined.reset();
  EXPECT_EQ(values_of<double>(b), values_of<double>(doubled(doubled(square(1)))));
  EXPECT_EQ(values_of<double>(a), values_of<double>(doubled(square(1))));
}

// The same array twice, one that another one is computed from, and an operand that changes afterwards.
TEST_P(JoinRecorded, HaveTheValuesOfTheCall) {
  const Array x = square(1), a = doubled(x), b = doubled(a);
  const Array c = doubled(b), joined = join({b.get(), a.get(), b.get(), x.get()}, GetParam());
  const Array copy = call(gpuopt_copy_array, joined.get());
  evaluate(copy);
  ASSERT_EQ(gpuopt_fill(joined.get(), gpuopt_scalar_int(7), nullptr), GPUOPT_OK);
  evaluate(joined);
  const Array plain_a = doubled(square(1)), plain_b = doubled(plain_a), plain_x = square(1);
  for (const Array *done : {&plain_a, &plain_b}) evaluate(*done);
  ASSERT_EQ(gpuopt_fill(x.get(), gpuopt_scalar_int(0), nullptr), GPUOPT_OK);
  ASSERT_EQ(gpuopt_fill(a.get(), gpuopt_scalar_int(0), nullptr), GPUOPT_OK);
  const Array expected = join({plain_b.get(), plain_a.get(), plain_b.get(), plain_x.get()}, GetParam());
  EXPECT_EQ(values_of<double>(copy), values_of<double>(expected));
  EXPECT_EQ(values_of<double>(b), values_of<double>(plain_b));
  EXPECT_EQ(values_of<double>(c), values_of<double>(doubled(plain_b)));
  EXPECT_EQ(values_of<double>(a)[5], 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, JoinRecorded, testing::Range(0, 6));

// An operand that is a part of another, of which a result was a part before.
TEST(JoinOverlap, ReadsPartsOfOneArray) {
  const Array x = matrix(), first = sliced(x, 0, 1, 1), second = sliced(x, 1, 2, 1);
  const gpuopt_array list[] = {second.get(), first.get(), x.get()};
  const int64_t axis = 0;
  const Array joined = call(gpuopt_concat, 3, list, &axis);
  const gpuopt_array twice[] = {joined.get(), joined.get()};
  const Array again = call(gpuopt_concat, 2, twice, &axis);
  ASSERT_EQ(gpuopt_assign(first.get(), second.get(), nullptr), GPUOPT_OK);
  EXPECT_EQ(values_of<int32_t>(joined), (std::vector<int32_t>{4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of<int32_t>(again).size(), 24u);
  EXPECT_EQ(values_of<int32_t>(x), (std::vector<int32_t>{4, 5, 6, 4, 5, 6}));
}

// ---- Errors

struct Refusal {
  gpuopt_status status;
  std::string message;
};

template <class F, class... Args>
Refusal refusal(F function, Args... args) {
  Result r;
  const gpuopt_status status = function(args..., &r.array, &r.error);
  EXPECT_EQ(r.array, nullptr);
  return {status, r.error.message};
}

void expect_refusal(const Refusal &refusal, gpuopt_status status, const std::string &words) {
  EXPECT_EQ(refusal.status, status) << refusal.message;
  EXPECT_NE(refusal.message.find(words), std::string::npos) << refusal.message;
}

TEST(JoinErrors, NameWhatIsWrong) {
  const Array x = matrix(), row = make<int32_t>({3}, {1, 2, 3}), zero = make<int32_t>({}, {0});
  const Array wide = make<int32_t>({1, 4}, {1, 2, 3, 4}), real = make<double>({1}, {0.5});
  const int64_t first = 0, fourth = 4, minus = -1;
  const gpuopt_array mixed[] = {x.get(), row.get()}, sizes[] = {x.get(), wide.get()}, none[] = {x.get(), nullptr};
  const gpuopt_array scalars[] = {zero.get()};
  const auto shape = GPUOPT_ERR_SHAPE;
  const auto invalid = GPUOPT_ERR_INVALID_ARGUMENT;
  expect_refusal(refusal(gpuopt_concat, 0, mixed, &first), invalid, "need at least one array");
  expect_refusal(refusal(gpuopt_concat, 2, none, &first), invalid, "concat");
  expect_refusal(refusal(gpuopt_concat, 2, mixed, &first), shape, "same number of dimensions");
  expect_refusal(refusal(gpuopt_concat, 2, sizes, &first), shape,
                 "along dimension 1, the array at index 0 has size 3 and the array at index 1 has size 4");
  expect_refusal(refusal(gpuopt_concat, 1, scalars, &first), shape, "zero-dimensional arrays cannot be concatenated");
  expect_refusal(refusal(gpuopt_stack, 2, mixed, first), shape, "must have the same shape, not (2, 3) and (3,)");
  expect_refusal(refusal(gpuopt_roll, x.get(), 1, nullptr, nullptr), invalid, "the shifts are missing");
  expect_refusal(refusal(gpuopt_roll, x.get(), 1, &first, &fourth), GPUOPT_ERR_INDEX, "roll");
  expect_refusal(refusal(gpuopt_repeat, x.get(), minus, nullptr), invalid, "negative");
  expect_refusal(refusal(gpuopt_repeat_each, x.get(), real.get(), nullptr), GPUOPT_ERR_TYPE, "float64");
  expect_refusal(refusal(gpuopt_tile, x.get(), 1, &minus), shape, "negative");
  expect_refusal(refusal(gpuopt_pad, x.get(), nullptr, 0, gpuopt_scalar_int(0)), invalid, "widths");
  const int64_t widths[] = {1, 1, 1, 1};
  expect_refusal(refusal(gpuopt_pad, x.get(), widths, 5, gpuopt_scalar_int(0)), invalid, "5 is not a mode");
  expect_refusal(refusal(gpuopt_pad, x.get(), widths, 0, gpuopt_scalar_int(int64_t{1} << 40)), GPUOPT_ERR_OVERFLOW,
                 "int32");
  expect_refusal(refusal(gpuopt_delete, x.get(), real.get(), nullptr), GPUOPT_ERR_TYPE, "float64");
  const Array far = make<int64_t>({1}, {9});
  expect_refusal(refusal(gpuopt_delete, x.get(), far.get(), &first), GPUOPT_ERR_INDEX,
                 "index 9 is out of bounds for axis 0 with size 2");
  expect_refusal(refusal(gpuopt_insert, x.get(), far.get(), row.get(), &first), GPUOPT_ERR_INDEX,
                 "index 9 is out of bounds for axis 0 with size 2");
  expect_refusal(refusal(gpuopt_atleast_nd, x.get(), 4), invalid, "4 is not 1, 2 or 3");
  expect_refusal(refusal(gpuopt_diag, zero.get(), first), shape, "1- or 2-dimensional");
  expect_refusal(refusal(gpuopt_ravel, nullptr), invalid, "ravel");
}

TEST(JoinErrors, SetAllResultsToNull) {
  const Array x = matrix(), row = make<int32_t>({4}, {1, 2, 3, 4});
  const gpuopt_array list[] = {x.get(), row.get()}, with_none[] = {x.get(), nullptr};
  const auto expect_null = [&](gpuopt_status expected, auto make_some) {
    gpuopt_array results[4];
    std::fill_n(results, 4, x.get());
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(make_some(results, &error), expected) << error.message;
    for (gpuopt_array result : results) EXPECT_EQ(result, nullptr);
  };
  using E = gpuopt_error *;
  expect_null(GPUOPT_ERR_INVALID_ARGUMENT, [&](gpuopt_array *r, E e) { return gpuopt_unstack(x.get(), 0, 4, r, e); });
  expect_null(GPUOPT_ERR_INDEX, [&](gpuopt_array *r, E e) { return gpuopt_split(x.get(), 4, 5, r, e); });
  expect_null(GPUOPT_ERR_INVALID_ARGUMENT, [&](gpuopt_array *r, E e) { return gpuopt_split(x.get(), 4, 1, r, e); });
  expect_null(GPUOPT_ERR_INDEX, [&](gpuopt_array *r, E e) { return gpuopt_array_split(x.get(), 4, 5, r, e); });
  expect_null(GPUOPT_ERR_INVALID_ARGUMENT,
              [&](gpuopt_array *r, E e) { return gpuopt_split_at(x.get(), 3, nullptr, 0, r, e); });
  gpuopt_array two[] = {x.get(), x.get()};
  EXPECT_EQ(gpuopt_broadcast_arrays(2, list, two, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(two[0], nullptr);
  EXPECT_EQ(two[1], nullptr);
  two[0] = two[1] = x.get();
  EXPECT_EQ(gpuopt_meshgrid(2, with_none, 0, two, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(two[0], nullptr);
  EXPECT_EQ(two[1], nullptr);
  EXPECT_EQ(gpuopt_split(x.get(), 2, 0, nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

// ---- Overlap: against a search of all bytes

TEST(Overlap, IsThatOfTheBytes) {
  struct View {
    std::vector<int64_t> shape, strides;
    int64_t offset;
  };
  const auto bytes = [](const View &v) {
    std::vector<bool> touched(400, false);
    for (int64_t i = 0; i < v.shape[0]; ++i) {
      for (int64_t k = 0; k < v.shape[1]; ++k) {
        for (int64_t b = 0; b < 4; ++b) touched[200 + v.offset + i * v.strides[0] + k * v.strides[1] + b] = true;
      }
    }
    return touched;
  };
  uint32_t state = 1;
  const auto below = [&](uint32_t n) { return static_cast<int64_t>((state = state * 1664525 + 1013904223) >> 8) % n; };
  int apart = 0;
  for (int round = 0; round < 20000; ++round) {
    View v[2];
    for (View &view : v) {
      view.shape = {1 + below(3), 1 + below(3)};
      view.strides = {(below(7) - 3) * 4, (below(11) - 5) * 4};
      view.offset = below(40) - 20;
    }
    const std::vector<bool> a = bytes(v[0]), b = bytes(v[1]);
    bool common = false;
    for (size_t i = 0; i < a.size(); ++i) common |= a[i] && b[i];
    const auto of = [](const View &view) {
      return gpuopt::StridedView{view.offset, 2, view.shape.data(), view.strides.data(), 4};
    };
    EXPECT_EQ(gpuopt::may_overlap(of(v[0]), of(v[1])), common);
    apart += !common;
  }
  EXPECT_GT(apart, 1000);
}

}  // namespace

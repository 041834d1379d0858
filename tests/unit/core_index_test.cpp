// tests/unit/core_index_test.cpp -- gpuopt_get and gpuopt_set: any mixture of items, against NumPy's answers, on arrays
// of three layouts; what results share; what fails, and leaves the array as it was.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_index_cases.h"

namespace {

using support::Array;
using support::make;
using support::Result;
using support::Shape;
using support::shape_of;
using support::transposed;
using support::values_of;
using support::weak;

// ---- The cases that make_core_index_cases.py writes

std::vector<std::string> pieces(const std::string &text, const std::string &between) {
  std::vector<std::string> list;
  size_t start = 0;
  for (size_t end; (end = text.find(between, start)) != std::string::npos; start = end + between.size()) {
    list.push_back(text.substr(start, end - start));
  }
  list.push_back(text.substr(start));
  return list;
}

std::vector<int64_t> numbers_of(const std::string &text) {
  std::istringstream in(text);
  std::vector<int64_t> list;
  for (int64_t n; in >> n;) list.push_back(n);
  return list;
}

// A list of items, and the arrays among them.
struct Index {
  std::vector<gpuopt_index> items;
  std::vector<Array> arrays;

  std::vector<gpuopt_array> raw() const {
    std::vector<gpuopt_array> list;
    for (const Array &x : arrays) list.push_back(x.get());
    return list;
  }
  void add(int32_t kind, int64_t start = 0, int64_t stop = 0, int64_t step = 0) {
    items.push_back({kind, 0, start, stop, step});
  }
  void add_array(Array x) {
    add(GPUOPT_INDEX_ARRAY);
    arrays.push_back(std::move(x));
  }
  void read(const std::string &text) {
    std::istringstream in(text);
    std::string kind, bounds[3];
    in >> kind;
    if (kind == "n") return add(GPUOPT_INDEX_NEWAXIS);
    if (kind == "e") return add(GPUOPT_INDEX_ELLIPSIS);
    if (kind == "i") return add(GPUOPT_INDEX_INTEGER, numbers_of(text.substr(1)).at(0));
    if (kind == "s") {
      in >> bounds[0] >> bounds[1] >> bounds[2];
      const auto bound = [](const std::string &word) { return word == "_" ? GPUOPT_SLICE_ALL : std::stoll(word); };
      return add(GPUOPT_INDEX_SLICE, bound(bounds[0]), bound(bounds[1]), bound(bounds[2]));
    }
    const std::vector<std::string> sides = pieces(text.substr(2), ":");
    const Shape shape = numbers_of(sides.at(0));
    const std::vector<int64_t> elements = numbers_of(sides.at(1));
    add_array(kind == "m" ? make(shape, std::vector<bool>(elements.begin(), elements.end())) : make(shape, elements));
  }
};

Index read_index(const std::string &text) {
  Index index;
  for (const std::string &item : pieces(text, ";")) {
    if (item.find_first_not_of(' ') != std::string::npos) index.read(item.substr(item.find_first_not_of(' ')));
  }
  return index;
}

gpuopt_status get(const Array &x, const Index &index, Result &r) {
  const std::vector<gpuopt_array> arrays = index.raw();
  r.array = reinterpret_cast<gpuopt_array>(1);  // a failing call has to set it to NULL
  return gpuopt_get(x.get(), static_cast<int32_t>(index.items.size()), index.items.data(),
                    static_cast<int32_t>(arrays.size()), arrays.data(), &r.array, &r.error);
}

gpuopt_status set(const Array &x, const Index &index, gpuopt_array value, Result &r) {
  const std::vector<gpuopt_array> arrays = index.raw();
  return gpuopt_set(x.get(), static_cast<int32_t>(index.items.size()), index.items.data(),
                    static_cast<int32_t>(arrays.size()), arrays.data(), value, &r.error);
}

Array counting(const Shape &shape, int64_t first, int64_t step) {
  std::vector<int64_t> elements(1);
  for (const int64_t n : shape) elements.resize(elements.size() * static_cast<size_t>(n));
  for (size_t k = 0; k < elements.size(); ++k) elements[k] = first + step * static_cast<int64_t>(k);
  return make(shape, elements);
}

// 0, 1, 2, ... in C order, in memory (0) as they come, (1) with the axes in reverse order, (2) of every second element.
Array elements(const Shape &shape, int layout) {
  Array plain = counting(shape, 0, 1);
  Result r;
  if (layout == 1) {
    const Array reversed = transposed(plain);
    return transposed(Array(r.take(gpuopt_copy_array(reversed.get(), &r.array, &r.error))));
  }
  if (layout == 0) return plain;
  Shape wide = shape;
  wide.push_back(2);
  Index half;
  half.add(GPUOPT_INDEX_ELLIPSIS);
  half.add(GPUOPT_INDEX_INTEGER, 1);
  const Array all = counting(wide, 0, 0);
  Array part = r.take(get(all, half, r));
  EXPECT_EQ(gpuopt_assign(part.get(), plain.get(), &r.error), GPUOPT_OK) << r.error.message;
  return part;
}

void expect_case(const std::string &line, int layout) {
  const std::vector<std::string> fields = pieces(line, "|");
  const Array x = elements(numbers_of(fields.at(1)), layout);
  const Index index = read_index(fields.at(2));
  Result r;
  if (fields.at(3) == " refused") {
    EXPECT_EQ(get(x, index, r), GPUOPT_ERR_INDEX) << r.error.message;
    EXPECT_EQ(r.array, nullptr);
    const std::vector<int64_t> before = values_of<int64_t>(x);
    EXPECT_EQ(set(x, index, weak(gpuopt_scalar_int(-1)).get(), r), GPUOPT_ERR_INDEX) << r.error.message;
    EXPECT_EQ(values_of<int64_t>(x), before);
    return;
  }
  const std::vector<std::string> sides = pieces(fields.at(3), "=");
  const Shape shape = numbers_of(sides.at(0));
  if (fields.at(0) == "get ") {
    const Array y = r.take(get(x, index, r));
    EXPECT_EQ(shape_of(y), shape);
    EXPECT_EQ(values_of<int64_t>(y), numbers_of(sides.at(1)));
  } else {
    ASSERT_EQ(set(x, index, counting(shape, -1, -1).get(), r), GPUOPT_OK) << r.error.message;
    EXPECT_EQ(values_of<int64_t>(x), numbers_of(sides.at(1)));
  }
}

TEST(Index, AnswersAsNumPy) {
  for (const char *line : kCases) {
    SCOPED_TRACE(line);
    for (const int layout : {0, 1, 2}) expect_case(line, layout);
  }
}

// ---- What is promised beside the values

TEST(Index, ArraysGiveCopiesAndSlicesViews) {
  const Array x = counting({3, 2}, 0, 1);
  for (const char *text : {"a 1 : 1", "i 1", "e"}) {
    Result r;
    const Array y = r.take(get(x, read_index(text), r));
    ASSERT_EQ(gpuopt_fill(y.get(), gpuopt_scalar_int(9), &r.error), GPUOPT_OK);
    EXPECT_EQ(values_of<int64_t>(x)[2], text[0] == 'a' ? 2 : 9) << text;
  }
}

TEST(Index, UnsignedAndNarrowIndices) {
  const Array x = counting({4}, 10, 1);
  Index index;
  index.add_array(make<uint8_t>({3}, {3, 0, 3}));
  Result r;
  EXPECT_EQ(values_of<int64_t>(r.take(get(x, index, r))), (std::vector<int64_t>{13, 10, 13}));
  index.arrays[0] = make<uint64_t>({1}, {UINT64_MAX});
  EXPECT_EQ(get(x, index, r), GPUOPT_ERR_INDEX);
  index.arrays[0] = make<double>({1}, {1});
  EXPECT_EQ(get(x, index, r), GPUOPT_ERR_TYPE);
}

TEST(Index, MessagesNameTheAxisOfTheArray) {
  const Array x = counting({2, 3, 4}, 0, 1);
  Result r;
  EXPECT_EQ(get(x, read_index("i 0 ; s _ _ _ ; a 2 : 1 4"), r), GPUOPT_ERR_INDEX);
  EXPECT_STREQ(r.error.message, "get: index 4 is out of bounds for axis 2 with size 4");
  EXPECT_EQ(get(x, read_index("a 1 : 0 ; a 1 : -4"), r), GPUOPT_ERR_INDEX);
  EXPECT_STREQ(r.error.message, "get: index -4 is out of bounds for axis 1 with size 3");
}

TEST(Index, AWeakValueGoesEverywhere) {
  const Array x = counting({2, 3}, 0, 1);
  Result r;
  ASSERT_EQ(set(x, read_index("s _ _ _ ; a 2 : 0 2"), weak(gpuopt_scalar_int(7)).get(), r), GPUOPT_OK);
  EXPECT_EQ(values_of<int64_t>(x), (std::vector<int64_t>{7, 1, 7, 7, 4, 7}));
}

TEST(Index, ValuesAndIndicesThatOverlapTheArray) {
  const Array x = make<int64_t>({4}, {3, 2, 1, 0});
  const gpuopt_index by = {GPUOPT_INDEX_ARRAY, 0, 0, 0, 0};
  const gpuopt_array raw = x.get();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(gpuopt_set(raw, 1, &by, 1, &raw, raw, &error), GPUOPT_OK) << error.message;  // x[x] = x
  EXPECT_EQ(values_of<int64_t>(x), (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST(Index, WhatFailsLeavesTheArray) {
  const Array x = counting({2, 3}, 0, 1), wide = counting({4}, 0, 1);
  Result r;
  EXPECT_EQ(set(x, read_index("a 2 : 0 1 ; a 2 : 0 1"), wide.get(), r), GPUOPT_ERR_SHAPE);
  const gpuopt_index array = {GPUOPT_INDEX_ARRAY, 0, 0, 0, 0}, unknown = {9, 0, 0, 0, 0};
  const gpuopt_array one = wide.get();
  EXPECT_EQ(gpuopt_get(x.get(), 1, &array, 0, nullptr, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_get(x.get(), 0, nullptr, 1, &one, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_get(x.get(), -1, &array, 1, &one, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_get(x.get(), 1, nullptr, 0, nullptr, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_get(x.get(), 1, &unknown, 0, nullptr, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_get(nullptr, 0, nullptr, 0, nullptr, &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(values_of<int64_t>(x), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

}  // namespace

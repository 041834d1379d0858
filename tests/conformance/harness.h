// tests/conformance/harness.h -- arrays in every layout with their logical contents, and the device under test.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <tuple>
#include <vector>

#include "tests/conformance/elements.h"

namespace harness {

using oracle::Element;

#define ASSERT_GPUOPT_OK(call)                                     \
  do {                                                             \
    gpuopt_error error_ = GPUOPT_ERROR_INIT;                       \
    gpuopt_error *error = &error_;                                 \
    ASSERT_EQ(call, GPUOPT_OK) << #call << ": " << error_.message; \
  } while (0)

// The device the suite proves: GPUOPT_TEST_DEVICE, else the CPU.
inline gpuopt_device device() {
  static gpuopt_device opened = [] {
    const char *request = std::getenv("GPUOPT_TEST_DEVICE");
    gpuopt_device d = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    if (gpuopt_device_open(request ? request : "cpu", nullptr, &d, &error) != GPUOPT_OK) {
      std::fprintf(stderr, "cannot open the device under test: %s\n", error.message);
      std::exit(1);
    }
    return d;
  }();
  return opened;
}

// Owns array handles for the length of a test.
struct Handle {
  gpuopt_array a = nullptr;
  Handle() = default;
  explicit Handle(gpuopt_array x) : a(x) {}
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  Handle(Handle &&o) noexcept : a(std::exchange(o.a, nullptr)) {}
  Handle &operator=(Handle &&o) noexcept {
    std::swap(a, o.a);
    return *this;
  }
  ~Handle() { gpuopt_array_release(a); }
  gpuopt_array *out() {
    gpuopt_array_release(a);
    a = nullptr;
    return &a;
  }
  operator gpuopt_array() const { return a; }
};

// An array of shape (rows, columns) and, in C order, what it holds.
struct Operand {
  Handle array;
  std::vector<Element> elements;
};

enum Layout { CONTIGUOUS, TRANSPOSED, STRIDED, REVERSED, PADDED, BROADCAST, LAYOUTS };
inline const char *layout_name(int layout) {
  static const char *names[] = {"contiguous", "transposed", "strided", "reversed", "padded", "broadcast"};
  return names[layout];
}

inline gpuopt_index slice(int64_t start, int64_t stop, int64_t step) {
  return {GPUOPT_INDEX_SLICE, 0, start, stop, step};
}

// Places `elements` (rows * columns of them) in a base array laid out as asked and gives the view. BROADCAST repeats
// the first row.
inline Operand make_operand(gpuopt_dtype id, const std::vector<Element> &elements, int64_t rows, int64_t columns,
                            int layout) {
  const int size = oracle::dtype(id).size;
  int64_t base_shape[2] = {rows, columns};
  if (layout == TRANSPOSED) base_shape[0] = columns, base_shape[1] = rows;
  if (layout == STRIDED) base_shape[0] = rows * 2, base_shape[1] = columns * 3;
  if (layout == PADDED) base_shape[0] = rows + 2, base_shape[1] = columns + 3;
  if (layout == BROADCAST) base_shape[0] = 1;
  std::vector<char> bytes(size_t(base_shape[0] * base_shape[1] * size), 0);
  Operand operand;
  operand.elements.resize(elements.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      int64_t at = r * columns + c;
      switch (layout) {
        case TRANSPOSED:
          at = c * rows + r;
          break;
        case STRIDED:
          at = (r * 2) * base_shape[1] + c * 3;
          break;
        case REVERSED:
          at = (rows - 1 - r) * columns + (columns - 1 - c);
          break;
        case PADDED:
          at = (r + 1) * base_shape[1] + c + 2;
          break;
        case BROADCAST:
          at = c;
          break;
      }
      const Element &e = elements[size_t(layout == BROADCAST ? c : r * columns + c)];
      oracle::encode(id, e, bytes.data() + at * size);
      operand.elements[size_t(r * columns + c)] = e;
    }
  gpuopt_error error = GPUOPT_ERROR_INIT;
  Handle base;
  EXPECT_EQ(gpuopt_array_from(device(), bytes.data(), id, 2, base_shape, base.out(), &error), GPUOPT_OK)
      << error.message;
  gpuopt_status status = GPUOPT_OK;
  const int64_t all = GPUOPT_SLICE_ALL, shape[2] = {rows, columns};
  if (layout == CONTIGUOUS) operand.array = std::move(base);
  if (layout == TRANSPOSED) status = gpuopt_permute_dims(base, nullptr, operand.array.out(), &error);
  if (layout == BROADCAST) status = gpuopt_broadcast_to(base, 2, shape, operand.array.out(), &error);
  gpuopt_index items[2] = {slice(all, all, 1), slice(all, all, 1)};
  if (layout == STRIDED) items[0] = slice(all, all, 2), items[1] = slice(all, all, 3);
  if (layout == REVERSED) items[0] = slice(all, all, -1), items[1] = slice(all, all, -1);
  if (layout == PADDED) items[0] = slice(1, -1, 1), items[1] = slice(2, -1, 1);
  if (layout == STRIDED || layout == REVERSED || layout == PADDED)
    status = gpuopt_slice(base, 2, items, operand.array.out(), &error);
  EXPECT_EQ(status, GPUOPT_OK) << layout_name(layout) << ": " << error.message;
  return operand;
}

// Everything an array holds, in C order.
inline std::vector<Element> contents(gpuopt_array x) {
  const gpuopt_dtype id = gpuopt_array_dtype(x);
  const int size = oracle::dtype(id).size;
  std::vector<char> bytes(size_t(gpuopt_array_nbytes(x)));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(x, bytes.data(), bytes.size(), &error), GPUOPT_OK) << error.message;
  std::vector<Element> out;
  for (size_t i = 0; i < bytes.size(); i += size_t(size)) out.push_back(oracle::decode(id, bytes.data() + i));
  return out;
}

// The parameters of tests of each operation with each dtype: numbers from 0. On the fake GPU, where a pair is a kernel
// that a compiler makes, the gate has a third of them (GPUOPT_TEST_PAIRS=third), each operation and each dtype among
// them, and all of float32; the CPU and `./dev test --all` have all.
inline std::vector<std::tuple<int, int>> pairs_with_dtypes(int operations) {
  const char *const chosen = std::getenv("GPUOPT_TEST_PAIRS");
  const bool third = chosen && std::strcmp(chosen, "third") == 0;
  std::vector<std::tuple<int, int>> pairs;
  for (int operation = 0; operation < operations; ++operation) {
    for (int dtype = 0; dtype < int(GPUOPT_DTYPE_COUNT) - 1; ++dtype)
      if (!third || (operation + dtype) % 3 == 0 || dtype + 1 == GPUOPT_FLOAT32) pairs.emplace_back(operation, dtype);
  }
  return pairs;
}

}  // namespace harness

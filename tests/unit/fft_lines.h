// tests/unit/fft_lines.h -- the lines of an array along an axis, one by one: for tests of transforms.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/unit/call_array.h"

namespace gpuopt::test {

// The positions, in C order, of the lines along an axis: of the first element of each, and the step to the next.
struct LinePositions {
  std::vector<int64_t> first;
  int64_t step = 1;
  LinePositions(const Shape &shape, size_t axis) {
    for (size_t i = axis + 1; i < shape.size(); i++) step *= shape[i];
    const int64_t outer = count_of(shape) / step / shape[axis];
    for (int64_t i = 0; i < outer; i++) {
      for (int64_t j = 0; j < step; j++) first.push_back(i * step * shape[axis] + j);
    }
  }
};

template <class E>
std::vector<E> line_of(Array &x, int64_t first, int64_t step, int64_t n) {
  std::vector<E> line;
  for (int64_t j = 0; j < n; j++) line.push_back(x.get<E>(first + j * step));
  return line;
}

template <class E>
bool same_bits(const std::vector<E> &a, const std::vector<E> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(E)) == 0;
}

}  // namespace gpuopt::test

// core/select_host.cpp -- selection by a round trip through host memory.
#include "select_host.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine.h"

namespace gpuopt::select_host {
namespace {

// All elements of an array in C order.
struct HostCopy {
  explicit HostCopy(gpuopt_array x) : bytes(static_cast<size_t>(x->size) * static_cast<size_t>(dtype_size(x->dtype))) {
    if (!bytes.empty()) copy_to_host(x, bytes.data());
  }
  template <class T>
  const T *as() const {
    return reinterpret_cast<const T *>(bytes.data());
  }
  std::vector<char> bytes;
};

void write_back(gpuopt_array x, const std::vector<char> &bytes) {
  if (!bytes.empty()) copy_from_host(x, bytes.data());
}

// Bytes of one row of x when the axes before `axis` are taken as one.
size_t row_bytes(gpuopt_array x, int axis) {
  size_t bytes = static_cast<size_t>(dtype_size(x->dtype));
  for (int k = axis; k < x->ndim; ++k) bytes *= static_cast<size_t>(x->shape[k]);
  return bytes;
}

int64_t checked_index(int64_t index, int64_t size) {
  if (index < -size || index >= size)
    fail(GPUOPT_ERR_INDEX, "index %lld is out of bounds for axis with size %lld", static_cast<long long>(index),
         static_cast<long long>(size));
  return index < 0 ? index + size : index;
}

// Calls `move(row of the array with the axis, row of the gathered one)` for every pair, rows numbered over all outer
// positions.
template <class Move>
void for_each_index(const HostCopy &indices, int64_t count, gpuopt_array x, int axis, Move move) {
  const int64_t size = x->shape[axis];
  int64_t outer = 1;
  for (int k = 0; k < axis; ++k) outer *= x->shape[k];
  for (int64_t k = 0; k < count; ++k) checked_index(indices.as<int64_t>()[k], size);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < count; ++k)
      move(static_cast<size_t>(o * size + checked_index(indices.as<int64_t>()[k], size)),
           static_cast<size_t>(o * count + k));
}

}  // namespace

int64_t mask_count(gpuopt_array mask) {
  const HostCopy m(mask);
  return std::count_if(m.bytes.begin(), m.bytes.end(), [](char c) { return c != 0; });
}

void mask_select(gpuopt_array x, gpuopt_array mask, gpuopt_array out) {
  const HostCopy from(x), m(mask);
  const size_t row = row_bytes(x, mask->ndim);
  std::vector<char> to;
  for (size_t k = 0; k < m.bytes.size(); ++k)
    if (m.bytes[k])
      to.insert(to.end(), from.bytes.begin() + static_cast<ptrdiff_t>(k * row),
                from.bytes.begin() + static_cast<ptrdiff_t>((k + 1) * row));
  write_back(out, to);
}

void mask_assign(gpuopt_array mask, gpuopt_array values, gpuopt_array out) {
  const HostCopy m(mask), from(values);
  HostCopy to(out);
  const size_t row = row_bytes(out, mask->ndim);
  const bool one_row = from.bytes.size() == row;
  size_t next = 0;
  for (size_t k = 0; k < m.bytes.size(); ++k)
    if (m.bytes[k]) std::memcpy(to.bytes.data() + k * row, from.bytes.data() + (one_row ? 0 : next++ * row), row);
  write_back(out, to.bytes);
}

void take(gpuopt_array x, gpuopt_array indices, int axis, gpuopt_array out) {
  const HostCopy from(x), at(indices);
  const size_t row = row_bytes(x, axis + 1);
  std::vector<char> to(static_cast<size_t>(out->size) * static_cast<size_t>(dtype_size(out->dtype)));
  for_each_index(at, indices->size, x, axis, [&](size_t source, size_t target) {
    std::memcpy(to.data() + target * row, from.bytes.data() + source * row, row);
  });
  write_back(out, to);
}

void put(gpuopt_array indices, gpuopt_array values, int axis, gpuopt_array out) {
  const HostCopy at(indices), from(values);
  HostCopy to(out);
  const size_t row = row_bytes(out, axis + 1);
  for_each_index(at, indices->size, out, axis, [&](size_t target, size_t source) {
    std::memcpy(to.bytes.data() + target * row, from.bytes.data() + source * row, row);
  });
  write_back(out, to.bytes);
}

void nonzero(gpuopt_array mask, gpuopt_array out) {
  const HostCopy m(mask);
  std::vector<int64_t> found, index(static_cast<size_t>(mask->ndim), 0);
  for (char c : m.bytes) {
    if (c) found.insert(found.end(), index.begin(), index.end());
    for (int k = mask->ndim - 1; k >= 0 && ++index[static_cast<size_t>(k)] == mask->shape[k]; --k)
      index[static_cast<size_t>(k)] = 0;
  }
  if (!found.empty()) copy_from_host(out, found.data());
}

}  // namespace gpuopt::select_host

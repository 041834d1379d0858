// plugins/cpu/library/sort_elements.h -- elements of all dtypes by their keys, for sorting and searching.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <algorithm>
#include <cstring>

#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/sort_key.h"

namespace gpuopt::cpu {

// Calls body(T{}) with the type of the elements; bool is uint8. Throws ERR_UNSUPPORTED for a number that is no dtype.
template <typename Body>
void with_sorted_type(int32_t dtype, Body &&body) {
  switch (dtype) {
    case GPUOPT_BOOL:
    case GPUOPT_UINT8:
      return body(gpo::u8{});
    case GPUOPT_UINT16:
      return body(gpo::u16{});
    case GPUOPT_UINT32:
      return body(gpo::u32{});
    case GPUOPT_UINT64:
      return body(gpo::u64{});
    case GPUOPT_INT8:
      return body(gpo::i8{});
    case GPUOPT_INT16:
      return body(gpo::i16{});
    case GPUOPT_INT32:
      return body(gpo::i32{});
    case GPUOPT_INT64:
      return body(gpo::i64{});
    case GPUOPT_FLOAT16:
      return body(gpo::float16{});
    case GPUOPT_BFLOAT16:
      return body(gpo::bfloat16{});
    case GPUOPT_FLOAT32:
      return body(float{});
    case GPUOPT_FLOAT64:
      return body(double{});
    case GPUOPT_COMPLEX64:
      return body(gpo::c64{});
    case GPUOPT_COMPLEX128:
      return body(gpo::c128{});
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend does not sort dtype %d", dtype);
  }
}

template <typename T>
T read_element(const char *place) noexcept {
  T element;
  std::memcpy(&element, place, sizeof(T));
  return element;
}
template <typename T>
void write_element(char *place, const T &element) noexcept {
  std::memcpy(place, &element, sizeof(T));
}

// Calls body(begin, end) for the parts of [0, n): in parallel, or once.
template <typename Body>
void for_parts_of_line(int64_t n, bool parallel, Body &&body) {
  constexpr int64_t kPiece = int64_t{1} << 15;
  if (!parallel) return body(int64_t{0}, n);
  parallel_for((n + kPiece - 1) / kPiece,
               [&](int64_t piece, int) { body(piece * kPiece, std::min(n, (piece + 1) * kPiece)); });
}

// Elements along an axis. Those that lie side by side have a loop of their own, which the compiler makes vectors of.
struct Line {
  char *first;
  int64_t step;
  char *at(int64_t i) const noexcept { return first + i * step; }
};
template <typename T, typename Body>
void for_places(const Line &line, int64_t begin, int64_t end, Body &&body) {
  if (line.step == int64_t{sizeof(T)}) {
    for (int64_t i = begin; i < end; i++) body(i, line.first + i * int64_t{sizeof(T)});
  } else {
    for (int64_t i = begin; i < end; i++) body(i, line.at(i));
  }
}

}  // namespace gpuopt::cpu

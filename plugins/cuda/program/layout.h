// plugins/cuda/program/layout.h -- how the operands of a pass lie in memory, in as few dimensions and kinds as
// possible.
//
// The dimensions of a pass form two groups. Outer ones select a row: a run of adjacent elements for a Map, one sequence
// for a Reduce or Scan. Inner ones select an element of the row. Dimensions that all operands traverse as if they were
// one are merged. Only Shape is written into the text of a kernel, so that passes of one Shape share the kernel; sizes,
// strides and addresses are its parameters.
//
// For example, let x and y be C-contiguous float32 arrays of shape (8, 100, 256), with byte strides (102400, 1024, 4),
// and let b be broadcast to it, with byte strides (0, 0, 4).
//
//  y = x + b      The first two dimensions merge to one of size 800; the last stays apart, since b repeats along them.
//                 outer {800}, inner {256}: kMapRows. All lie kContiguous, and rows begin at multiples of 1024 bytes
//                 or of 0, so that vectors of 4 elements are loaded (if the addresses are multiples of 16).
//  sum(x, 2)      outer {800}, inner {256}: kReduceRows, since rows are contiguous. x lies kContiguous, and vectors of
//                 4 elements are loaded, as above. The result lies kRow.
//  sum(x, 0)      outer {25600}, inner {8}: kReduceColumns, since rows are many and short. x lies kStrided.
#pragma once

#include <array>
#include <vector>

#include "plugins/cuda/program/lower.h"

namespace gpuopt::cuda {

enum class KernelKind : uint8_t { kMapRows, kMapPoints, kReduceRows, kReduceColumns, kScanRows, kScanColumns };

// How the elements of an operand lie along a row.
enum class Lie : uint8_t {
  kUniform,     // one element for all rows
  kRow,         // one element for each row
  kContiguous,  // adjacent elements
  kStrided
};

// What the text of a kernel depends on, besides the steps and operands of its pass.
struct Shape {
  KernelKind kind = KernelKind::kMapRows;
  uint8_t outer = 0, inner = 0;  // numbers of dimensions
  uint8_t vector = 1;            // adjacent elements that a thread takes at once
  bool wide = false;             // the number of an element or an offset needs more than 31 bits
  bool split = false;            // several warps or blocks share a row, which takes two or three kernels
  std::vector<Lie> lies;         // for each operand of the pass

  bool operator==(const Shape &) const = default;
};

// The memory of an operand of a pass.
struct OperandMemory {
  uint64_t address = 0;
  const int64_t *strides = nullptr;  // bytes, over the dimensions of the program
};

// A group of dimensions, outermost first.
struct Dimensions {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // [dimension][operand], bytes

  int rank() const { return static_cast<int>(sizes.size()); }
  int64_t elements() const;
};

// How many bytes of operands a thread loads before it computes.
inline constexpr int kBytesOnTheirWay = 64;

struct Layout {
  Shape shape;
  Dimensions outer, inner;
  int64_t rows = 0, length = 0;  // rows, and elements of each
  // The shape of a Reduce or Scan: chunks of GPUOPT_CHUNK elements in a row. A Reduce has groups of chunks_of_group
  // chunks, a power of two: a group is what one warp reduces, or in kReduceColumns one block for each of its columns.
  int64_t chunks = 0, chunks_of_group = 1, groups = 1;

  // The byte stride of an operand along an inner or outer dimension.
  int64_t stride(bool is_inner, int dimension, size_t operand) const {
    const Dimensions &group = is_inner ? inner : outer;
    return group.strides[static_cast<size_t>(dimension) * shape.lies.size() + operand];
  }
};

// Fills `layout`, whose vectors are reused. `memory` is that of the pass's operands, in their order. There is at least
// one row; rows may be empty.
void find_layout(const gpuopt_program &program, const Pass &pass, const std::vector<OperandMemory> &memory,
                 Layout &layout);

}  // namespace gpuopt::cuda

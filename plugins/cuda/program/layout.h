// plugins/cuda/program/layout.h -- how the operands of a pass lie, in as few dimensions and kinds as can be.
//
// Dimensions form two groups. Outer ones select a row: a stretch of neighbouring elements of a Map, a sequence of a
// Reduce or Scan. Inner ones select an element of it. Only Shape is in the text of a kernel; the numbers are
// parameters.
#pragma once

#include <array>
#include <vector>

#include "plugins/cuda/program/lower.h"

namespace gpuopt::cuda {

enum class KernelKind : uint8_t { kMapRows, kMapPoints, kReduceRows, kReduceColumns, kScanRows, kScanColumns };

// Where an operand's element of a row is.
enum class Lie : uint8_t {
  kUniform,     // one element for all rows
  kRow,         // one element for each row
  kContiguous,  // next to the one before
  kStrided
};

struct Shape {
  KernelKind kind = KernelKind::kMapRows;
  uint8_t outer = 0, inner = 0;  // dimensions
  uint8_t vector = 1;            // elements loaded at once
  bool wide = false;             // the number of an element or an offset needs more than 31 bits
  bool split = false;            // rows so long that several kernels share them
  std::vector<Lie> lies;         // of the pass's operands

  bool operator==(const Shape &) const = default;
};

// Where an operand of a pass is.
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

struct Layout {
  Shape shape;
  Dimensions outer, inner;
  int64_t rows = 0, length = 0;  // rows, and elements of each
  // Of a reduction: a group is what one warp or column takes, a power of two of chunks.
  int64_t chunks = 0, chunks_of_group = 1, groups = 1;

  int64_t stride(bool is_inner, int dimension, size_t operand) const {
    const Dimensions &group = is_inner ? inner : outer;
    return group.strides[static_cast<size_t>(dimension) * shape.lies.size() + operand];
  }
};

// Fills `layout`, whose memory is used again. There is at least one row.
void find_layout(const gpuopt_program &program, const Pass &pass, const std::vector<OperandMemory> &memory,
                 Layout &layout);

}  // namespace gpuopt::cuda

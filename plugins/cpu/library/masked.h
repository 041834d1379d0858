// plugins/cpu/library/masked.h -- counts the true elements of a mask by blocks, and finds them in order.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <algorithm>
#include <cstdint>

#include "plugins/cpu/library/mask_loops.h"
#include "plugins/cpu/library/rows.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
using plugin::Walk;

// Returns the number of true elements in [begin, end). The mask is the first operand of `walk` and begins at `mask`.
template <size_t operands>
int64_t count_true(const Walk<operands> &walk, const char *mask, int64_t begin, int64_t end) {
  const int64_t step = walk.inner_stride(0);
  int64_t total = 0;
  walk.runs(begin, end, [&](int64_t, const auto &offsets, int64_t count) {
    const auto *const run = reinterpret_cast<const uint8_t *>(mask + offsets[0]);
    if (step == 1) {
      total += mask_loops().count(run, count);
    } else {
      for (int64_t i = 0; i < count; i++) total += run[i * step] != 0;
    }
  });
  return total;
}

// Cuts the mask into blocks of `block` elements and counts in parallel. starts[b] becomes the number of true elements
// before block b, for every block and one more. Returns the last of these, the total.
template <size_t operands>
int64_t find_starts(const Walk<operands> &walk, const char *mask, int64_t block, int64_t *starts) {
  const int64_t n = walk.size(), blocks = (n + block - 1) / block;
  parallel_for(
      blocks, [&](int64_t b, int) { starts[b + 1] = count_true(walk, mask, b * block, std::min(n, (b + 1) * block)); });
  starts[0] = 0;
  for (int64_t b = 0; b < blocks; b++) starts[b + 1] += starts[b];
  return starts[blocks];
}

// Calls body(position, offsets, index, n) for pieces of [begin, end) that have true elements, in order. A piece begins
// at element `position`, where the operands are at `offsets`; its true elements are those at position + index[k] for k
// < n. Along a piece the operands advance by walk.inner_stride().
template <size_t operands, typename Body>
void for_true(const Walk<operands> &walk, const char *mask, int64_t begin, int64_t end, Body &&body) {
  constexpr int64_t kPiece = 1024;
  uint8_t packed[kPiece];
  int32_t index[kPiece + kIndexSlack];
  const int64_t step = walk.inner_stride(0);
  walk.runs(begin, end, [&](int64_t position, auto offsets, int64_t count) {
    for (int64_t n; count > 0; count -= n, position += n) {
      n = std::min(count, kPiece);
      const auto *piece = reinterpret_cast<const uint8_t *>(mask + offsets[0]);
      if (step != 1) {
        for (int64_t i = 0; i < n; i++) packed[i] = piece[i * step];
        piece = packed;
      }
      const int64_t found = mask_loops().collect(piece, n, index);
      if (found) body(position, offsets, index, found);
      for (size_t j = 0; j < operands; j++) offsets[j] += n * walk.inner_stride(j);
    }
  });
}

}  // namespace gpuopt::cpu

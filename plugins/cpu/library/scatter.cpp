// plugins/cpu/library/scatter.cpp -- mask_assign and put.
#include "plugins/cpu/library/scatter.h"

#include <algorithm>

#include "plugins/cpu/library/accumulate.h"
#include "plugins/cpu/library/index.h"
#include "plugins/cpu/library/masked.h"
#include "plugins/cpu/runtime/memory.h"

namespace gpuopt::cpu {
namespace {

void check_rows(int64_t found, int64_t rows) {
  if (rows == found || rows == 1) return;
  fail(GPUOPT_ERR_SHAPE, "the mask has %lld true elements but there are %lld rows of values",
       static_cast<long long>(found), static_cast<long long>(rows));
}

void mask_assign(const gpuopt_call &call) {
  const gpuopt_tensor &mask = call.tensors[0], &values = call.tensors[1], &out = call.tensors[2];
  const Walk<2> walk(mask.ndim, mask.shape, {mask.strides, out.strides});
  const RowCopy row(out.ndim - mask.ndim, out.shape + mask.ndim, out.strides + mask.ndim, values.strides + 1,
                    element_size(out.dtype));
  const int64_t n = walk.size(), block = rows_per_task(row.bytes()), blocks = (n + block - 1) / block;
  const uint64_t bytes = static_cast<uint64_t>(blocks + 1) * sizeof(int64_t);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  int64_t *const starts = memory.as<int64_t>();
  const int64_t found = find_starts(walk, bytes_of(mask), block, starts);
  check_rows(found, values.shape[0]);
  const int64_t to_step = walk.inner_stride(1), from_step = values.shape[0] == 1 ? 0 : values.strides[0];
  for_blocks(n, block, row.bytes(), [&](int64_t b, int64_t begin, int64_t end) {
    const char *from = bytes_of(values) + starts[b] * from_step;
    for_true(walk, bytes_of(mask), begin, end, [&](int64_t, const auto &offsets, const int32_t *index, int64_t count) {
      char *const to = bytes_of(out) + offsets[1];
      copy_rows(
          row, count, [=](int64_t k) { return to + index[k] * to_step; },
          [=](int64_t k) { return from + k * from_step; });
      from += count * from_step;
    });
  });
}

// Writes the rows of places [begin, end) whose index is in [low, high), in order.
void put_range(const IndexedRows &rows, const RowCopy &row, const gpuopt_call &call, int64_t begin, int64_t end,
               int64_t low, int64_t high) {
  const gpuopt_tensor &indices = call.tensors[0], &values = call.tensors[1], &out = call.tensors[2];
  const Walk<3> &places = rows.places;
  const int64_t from_step = places.inner_stride(rows.kPart), index_step = places.inner_stride(rows.kIndices),
                to_step = places.inner_stride(rows.kWhole), size = rows.axis_size, stride = rows.axis_stride;
  places.runs(begin, end, [&](int64_t, const auto &offsets, int64_t n) {
    const char *const index_of = bytes_of(indices) + offsets[rows.kIndices];
    char *const to = bytes_of(out) + offsets[rows.kWhole];
    const char *const from = bytes_of(values) + offsets[rows.kPart];
    const auto index_at = [=](int64_t k) { return wrapped(load_index(index_of + k * index_step), size); };
    if (low == 0 && high == size) {
      return copy_rows(
          row, n, [=](int64_t k) { return to + index_at(k) * stride + k * to_step; },
          [=](int64_t k) { return from + k * from_step; });
    }
    constexpr int64_t kPiece = 1024;
    int64_t place[kPiece], to_offset[kPiece];
    for (int64_t first = 0; first < n; first += kPiece) {
      int64_t found = 0;
      for (int64_t k = first; k < std::min(n, first + kPiece); k++) {
        const int64_t index = index_at(k);
        place[found] = k;
        to_offset[found] = index * stride + k * to_step;
        found += (index >= low) & (index < high);
      }
      copy_rows(
          row, found, [&](int64_t k) { return to + to_offset[k]; },
          [&](int64_t k) { return from + place[k] * from_step; });
    }
  });
}

// Two threads that go through all indices, each for half of the axis, take as long as one that need not choose.
constexpr int64_t kFewThreads = 2;

// A task has some prefixes and a range of the axis. It goes through all indices in order, so that of equal indices the
// last one wins whatever the order of the tasks.
void put(const gpuopt_call &call) {
  const gpuopt_tensor &indices = call.tensors[0], &values = call.tensors[1], &out = call.tensors[2];
  const auto axis = static_cast<int32_t>(call.ints[0]);
  const IndexedRows rows(out, indices, values, axis);
  check_indices(indices, rows.axis_size, axis);
  const RowCopy row(rows.row_ndim, rows.row_shape, rows.whole_row_strides, rows.part_row_strides,
                    element_size(out.dtype));
  const int64_t n = rows.indices_per_prefix;
  if (n == 0 || row.bytes() == 0) return;
  const int64_t enough = rows_per_task(row.bytes());
  const int64_t block = std::max<int64_t>(enough / n, 1), blocks = (rows.prefixes + block - 1) / block;
  const bool cut_axis =
      n > enough && blocks < pool_size() && pool_size() > kFewThreads && row.bytes() < RowCopy::kLargeRow;
  const int64_t ranges = cut_axis ? std::min<int64_t>(pool_size(), rows.axis_size) : 1;
  for_blocks(blocks * ranges, 1, row.bytes(), [&](int64_t task, int64_t, int64_t) {
    const int64_t range = task % ranges, begin = task / ranges * block;
    const int64_t end = std::min(rows.prefixes, begin + block);
    put_range(rows, row, call, begin * n, end * n, rows.axis_size * range / ranges,
              rows.axis_size * (range + 1) / ranges);
  });
}

}  // namespace

void run_scatter(const gpuopt_call &call) {
  switch (call.kind) {
    case GPUOPT_CALL_MASK_ASSIGN:
      return mask_assign(call);
    case GPUOPT_CALL_PUT:
      return put(call);
    case GPUOPT_CALL_ACCUMULATE:
      return accumulate(call);
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend knows no scatter operation %d", call.kind);
  }
}

}  // namespace gpuopt::cpu

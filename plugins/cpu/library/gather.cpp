// plugins/cpu/library/gather.cpp -- mask_count, mask_select, take and nonzero.
//
// mask_select and nonzero take two parallel passes over blocks of the mask: the first counts the true elements of each
// block, from which follows where the rows of each block go, and the second copies them.
#include "plugins/cpu/library/gather.h"

#include <atomic>

#include "plugins/cpu/library/index.h"
#include "plugins/cpu/library/masked.h"
#include "plugins/cpu/library/take_elements.h"
#include "plugins/cpu/library/take_loops.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/range.h"

namespace gpuopt::cpu {
namespace {

void check_count(int64_t found, int64_t rows) {
  if (found == rows) return;
  fail(GPUOPT_ERR_SHAPE, "the mask has %lld true elements but the result has %lld rows", static_cast<long long>(found),
       static_cast<long long>(rows));
}

void mask_count(const gpuopt_call &call) {
  const gpuopt_tensor &mask = call.tensors[0];
  const Walk<1> walk(mask.ndim, mask.shape, {mask.strides});
  const int64_t n = walk.size(), block = rows_per_task(1);
  std::atomic<int64_t> total{0};
  for_blocks(n, block, 1, [&](int64_t, int64_t begin, int64_t end) {
    total.fetch_add(count_true(walk, bytes_of(mask), begin, end), std::memory_order_relaxed);
  });
  call.ints[0] = total;
}

// Selects elements of the mask's range [begin, end) with the compressing loops (mask_loops.h). Returns false, and does
// nothing, unless mask, elements and result are contiguous and the elements have 4 or 8 bytes.
template <typename T>
bool compress(const Walk<2> &walk, const gpuopt_tensor &x, const gpuopt_tensor &mask, char *to, int64_t begin,
              int64_t end, int64_t count) {
  constexpr bool has_loop = sizeof(T) == 4 || sizeof(T) == 8;
  if constexpr (has_loop) {
    const auto *const bytes = reinterpret_cast<const uint8_t *>(bytes_of(mask)) + begin;
    const auto *const from = reinterpret_cast<const T *>(bytes_of(x)) + begin;
    if (!walk.is_one_run() || walk.inner_stride(0) != 1 || walk.inner_stride(1) != int64_t{sizeof(T)}) return false;
    if ((reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to)) % sizeof(T)) return false;
    if constexpr (sizeof(T) == 4) {
      mask_loops().compress4(reinterpret_cast<T *>(to), from, bytes, end - begin, count);
    } else {
      mask_loops().compress8(reinterpret_cast<T *>(to), from, bytes, end - begin, count);
    }
  }
  return has_loop;
}

void select_block(const Walk<2> &walk, const RowCopy &row, const gpuopt_tensor &x, const gpuopt_tensor &mask, char *to,
                  int64_t to_step, int64_t begin, int64_t end, int64_t count) {
  bool done = false;
  if (row.block() && row.block() == to_step) {
    with_unit(row.block(), [&](auto unit) {
      if constexpr (!std::is_same_v<decltype(unit), std::nullptr_t>) {
        done = compress<decltype(unit)>(walk, x, mask, to, begin, end, count);
      }
    });
  }
  if (done) return;
  const int64_t step = walk.inner_stride(1);
  for_true(walk, bytes_of(mask), begin, end, [&](int64_t, const auto &offsets, const int32_t *index, int64_t n) {
    const char *const from = bytes_of(x) + offsets[1];
    copy_rows(
        row, n, [=](int64_t k) { return to + k * to_step; }, [=](int64_t k) { return from + index[k] * step; });
    to += n * to_step;
  });
}

void mask_select(const gpuopt_call &call) {
  const gpuopt_tensor &x = call.tensors[0], &mask = call.tensors[1], &out = call.tensors[2];
  const Walk<2> walk(mask.ndim, mask.shape, {mask.strides, x.strides});
  const RowCopy row(x.ndim - mask.ndim, x.shape + mask.ndim, out.strides + 1, x.strides + mask.ndim,
                    element_size(x.dtype));
  const int64_t n = walk.size(), block = rows_per_task(row.bytes()), blocks = (n + block - 1) / block;
  const uint64_t bytes = static_cast<uint64_t>(blocks + 1) * sizeof(int64_t);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  int64_t *const starts = memory.as<int64_t>();
  const int64_t found = find_starts(walk, bytes_of(mask), block, starts);
  check_count(found, out.shape[0]);
  for_blocks(n, block, row.bytes(), [&](int64_t b, int64_t begin, int64_t end) {
    char *const to = bytes_of(out) + starts[b] * out.strides[0];
    select_block(walk, row, x, mask, to, out.strides[0], begin, end, starts[b + 1] - starts[b]);
  });
}

// Takes n elements of type T side by side, as take_elements() does.
template <typename T>
void take_side_by_side(char *to, const char *index, const char *from, int64_t size, int64_t n) {
  if constexpr (sizeof(T) == 4) return take_loops().take4(to, index, from, size, n);
  if constexpr (sizeof(T) == 8) return take_loops().take8(to, index, from, size, n);
  take_elements<T>(to, index, from, size, n);
}

// Does that piece by piece, each of which is checked first, so that its indices are read from memory once. Returns
// false at the first piece with a wrong index.
template <typename T>
bool take_pieces(char *to, const char *index, const char *from, int64_t size, int64_t n) {
  constexpr int64_t kPiece = 1024;
  for (const Range piece : parts_of({0, n}, kPiece)) {
    const char *const indices = index + piece.first * int64_t{sizeof(int64_t)};
    if (!are_inside(indices, piece.count(), size)) return false;
    take_side_by_side<T>(to + piece.first * int64_t{sizeof(T)}, indices, from, size, piece.count());
  }
  return true;
}

// Returns take_pieces() for the rows of an array, or NULL if these are no elements side by side.
using TakePieces = bool (*)(char *to, const char *index, const char *from, int64_t size, int64_t n);
TakePieces pieces_of(const RowCopy &row, const IndexedRows &rows) {
  TakePieces taken = nullptr;
  const bool side_by_side = row.block() && rows.places.inner_stride(rows.kPart) == row.block() &&
                            rows.axis_stride == row.block() && rows.places.inner_stride(rows.kWhole) == 0 &&
                            rows.places.inner_stride(rows.kIndices) == sizeof(int64_t);
  if (!side_by_side || rows.places.size() == 0) return nullptr;
  with_unit(row.block(), [&](auto unit) {
    if constexpr (!std::is_same_v<decltype(unit), std::nullptr_t>) taken = take_pieces<decltype(unit)>;
  });
  return taken;
}

void take(const gpuopt_call &call) {
  const gpuopt_tensor &x = call.tensors[0], &indices = call.tensors[1], &out = call.tensors[2];
  const auto axis = static_cast<int32_t>(call.ints[0]);
  const IndexedRows rows(x, indices, out, axis);
  const RowCopy row(rows.row_ndim, rows.row_shape, rows.part_row_strides, rows.whole_row_strides,
                    element_size(x.dtype));
  const TakePieces take_checked = pieces_of(row, rows);
  if (!take_checked) check_indices(indices, rows.axis_size, axis);
  if (row.bytes() == 0) return;
  const Walk<3> &places = rows.places;
  const int64_t to_step = places.inner_stride(rows.kPart), index_step = places.inner_stride(rows.kIndices),
                from_step = places.inner_stride(rows.kWhole), size = rows.axis_size, stride = rows.axis_stride;
  std::atomic<bool> inside{true};
  for_blocks(places.size(), rows_per_task(row.bytes()), row.bytes(), [&](int64_t, int64_t begin, int64_t end) {
    places.runs(begin, end, [&](int64_t, const auto &offsets, int64_t n) {
      char *const to = bytes_of(out) + offsets[rows.kPart];
      const char *const index = bytes_of(indices) + offsets[rows.kIndices];
      const char *const from = bytes_of(x) + offsets[rows.kWhole];
      if (take_checked) {
        if (!take_checked(to, index, from, size, n)) inside.store(false, std::memory_order_relaxed);
        return;
      }
      copy_rows(
          row, n, [=](int64_t k) { return to + k * to_step; },
          [=](int64_t k) { return from + k * from_step + wrapped(load_index(index + k * index_step), size) * stride; });
    });
  });
  if (!inside) check_indices(indices, size, axis);
}

void store_index(char *to, int64_t index) noexcept { std::memcpy(to, &index, sizeof(index)); }

// Writes, for each k, the index along every axis of x of the element at position base + index[k] in C order, into row k
// at `to`.
void write_indices(const gpuopt_tensor &x, int64_t base, const int32_t *index, int64_t n, char *to,
                   const gpuopt_tensor &out) {
  const int64_t row = out.strides[0], column = out.strides[1];
  if (x.ndim == 1) {
    for (int64_t k = 0; k < n; k++) store_index(to + k * row, base + index[k]);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    int64_t position = base + index[k];
    for (int32_t axis = x.ndim - 1; axis >= 0; axis--) {
      store_index(to + k * row + axis * column, position % x.shape[axis]);
      position /= x.shape[axis];
    }
  }
}

void nonzero(const gpuopt_call &call) {
  const gpuopt_tensor &x = call.tensors[0], &out = call.tensors[1];
  const Walk<1> walk(x.ndim, x.shape, {x.strides});
  const int64_t n = walk.size(), block = rows_per_task(8), blocks = (n + block - 1) / block;
  const uint64_t bytes = static_cast<uint64_t>(blocks + 1) * sizeof(int64_t);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  int64_t *const starts = memory.as<int64_t>();
  const int64_t found = find_starts(walk, bytes_of(x), block, starts);
  check_count(found, out.shape[0]);
  for_blocks(n, block, 1, [&](int64_t b, int64_t begin, int64_t end) {
    char *to = bytes_of(out) + starts[b] * out.strides[0];
    for_true(walk, bytes_of(x), begin, end, [&](int64_t position, const auto &, const int32_t *index, int64_t count) {
      write_indices(x, position, index, count, to, out);
      to += count * out.strides[0];
    });
  });
}

}  // namespace

void run_gather(const gpuopt_call &call) {
  switch (call.kind) {
    case GPUOPT_CALL_MASK_COUNT:
      return mask_count(call);
    case GPUOPT_CALL_MASK_SELECT:
      return mask_select(call);
    case GPUOPT_CALL_TAKE:
      return take(call);
    case GPUOPT_CALL_NONZERO:
      return nonzero(call);
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend knows no gather operation %d", call.kind);
  }
}

}  // namespace gpuopt::cpu

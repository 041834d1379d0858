// plugins/cpu/library/accumulate.cpp -- operations accumulated in elements that indices name; see accumulate.h.
#include "plugins/cpu/library/accumulate.h"

#include <algorithm>

#include "plugins/cpu/library/index.h"
#include "plugins/cpu/library/rows.h"
#include "plugins/cpu/library/sort_elements.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/shared/casts.h"
#include "plugins/shared/ops/arithmetic.h"
#include "plugins/shared/ops/extremes.h"

namespace gpuopt::cpu {
namespace {

// Returns Op of two elements; 16-bit floats are computed in float32 and rounded, as by operations of programs.
template <typename Op, typename T>
T combined(T a, T b) {
  if constexpr (std::is_same_v<T, gpo::float16>) {
    return gpo::to_float16(Op::apply(gpo::to_float(a), gpo::to_float(b)));
  } else if constexpr (std::is_same_v<T, gpo::bfloat16>) {
    return gpo::to_bfloat16(Op::apply(gpo::to_float(a), gpo::to_float(b)));
  } else {
    return Op::apply(a, b);
  }
}

// Accumulates rows of one layout in rows of another.
template <typename Op, typename T>
class RowAccumulation {
 public:
  explicit RowAccumulation(const IndexedRows &rows)
      : walk_(rows.row_ndim, rows.row_shape, {rows.whole_row_strides, rows.part_row_strides}), size_(walk_.size()) {}

  int64_t size() const noexcept { return size_; }

  void operator()(char *to, const char *from) const {
    if (size_ == 1) return add(to, from);
    const int64_t to_step = walk_.inner_stride(0), from_step = walk_.inner_stride(1);
    walk_.runs(0, size_, [&](int64_t, const auto &offsets, int64_t count) {
      for (int64_t i = 0; i < count; i++) add(to + offsets[0] + i * to_step, from + offsets[1] + i * from_step);
    });
  }

 private:
  static void add(char *to, const char *from) {
    write_element(to, combined<Op, T>(read_element<T>(to), read_element<T>(from)));
  }

  const Walk<2> walk_;
  const int64_t size_;
};

// Accumulates the rows of places [begin, end) whose index is in [low, high), in order.
template <typename Row>
void accumulate_range(const IndexedRows &rows, const Row &row, const gpuopt_call &call, int64_t begin, int64_t end,
                      int64_t low, int64_t high) {
  char *const indices = bytes_of(call.tensors[0]), *const values = bytes_of(call.tensors[1]);
  char *const out = bytes_of(call.tensors[2]);
  const int64_t from_step = rows.places.inner_stride(rows.kPart), to_step = rows.places.inner_stride(rows.kWhole);
  const int64_t index_step = rows.places.inner_stride(rows.kIndices);
  rows.places.runs(begin, end, [&](int64_t, const auto &offsets, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
      const int64_t index = wrapped(load_index(indices + offsets[rows.kIndices] + k * index_step), rows.axis_size);
      if (index < low || index >= high) continue;
      row(out + offsets[rows.kWhole] + index * rows.axis_stride + k * to_step,
          values + offsets[rows.kPart] + k * from_step);
    }
  });
}

// A task has a range of the axis, and goes through all indices in order, so that an element gets its values in the same
// order whatever the number of tasks.
template <typename Op, typename T>
void accumulate_as(const gpuopt_call &call) {
  const auto axis = static_cast<int32_t>(call.ints[0]);
  const IndexedRows rows(call.tensors[2], call.tensors[0], call.tensors[1], axis);
  check_indices(call.tensors[0], rows.axis_size, axis);
  const RowAccumulation<Op, T> row(rows);
  const int64_t places = rows.prefixes * rows.indices_per_prefix;
  if (places == 0 || row.size() == 0) return;
  constexpr int64_t kEnough = int64_t{1} << 16;  // elements that are worth another task
  const int64_t ranges = std::clamp<int64_t>(places / kEnough * std::max<int64_t>(row.size() / 4, 1), 1,
                                             std::min<int64_t>(pool_size(), rows.axis_size));
  parallel_for(ranges, [&](int64_t range, int) {
    accumulate_range(rows, row, call, 0, places, rows.axis_size * range / ranges,
                     rows.axis_size * (range + 1) / ranges);
  });
}

// `of_complex` says whether the operation is defined for complex numbers, which have no order.
template <typename Op, bool of_complex>
void accumulate_with(const gpuopt_call &call) {
  const int32_t dtype = call.tensors[2].dtype;
  if (dtype == GPUOPT_BOOL) return accumulate_as<Op, bool>(call);
  with_sorted_type(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (of_complex || !gpo::is_complex<T>)
      accumulate_as<Op, T>(call);
    else
      fail(GPUOPT_ERR_UNSUPPORTED, "complex numbers have no extremes");
  });
}

}  // namespace

void accumulate(const gpuopt_call &call) {
  switch (static_cast<gpuopt_op>(call.ints[1])) {
    case GPUOPT_OP_add:
      return accumulate_with<gpo::ops::add, true>(call);
    case GPUOPT_OP_subtract:
      return accumulate_with<gpo::ops::subtract, true>(call);
    case GPUOPT_OP_multiply:
      return accumulate_with<gpo::ops::multiply, true>(call);
    case GPUOPT_OP_minimum:
      return accumulate_with<gpo::ops::minimum, false>(call);
    case GPUOPT_OP_maximum:
      return accumulate_with<gpo::ops::maximum, false>(call);
    case GPUOPT_OP_fmin:
      return accumulate_with<gpo::ops::fmin, false>(call);
    case GPUOPT_OP_fmax:
      return accumulate_with<gpo::ops::fmax, false>(call);
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend does not accumulate by operation %lld",
           static_cast<long long>(call.ints[1]));
  }
}

}  // namespace gpuopt::cpu

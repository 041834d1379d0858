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

// Places of a run whose values go to the elements of `out` that indices name.
struct IndexedRun {
  const char *indices, *values;
  char *out;
  int64_t index_step, value_step, out_step;  // bytes
  int64_t n;
  int64_t axis_size, axis_stride;
  int64_t low, high;  // other indices belong to other tasks

  // Calls add(element of out, value), in order.
  template <typename Add>
  void each(Add &&add) const {
    for (int64_t k = 0; k < n; k++) {
      const int64_t index = wrapped(load_index(indices + k * index_step), axis_size);
      if (low <= index && index < high) add(out + index * axis_stride + k * out_step, values + k * value_step);
    }
  }
};

// What differs from operation to operation and from type to type: the innermost loops alone. All else is compiled once.
struct Accumulation {
  void (*run)(const IndexedRun &places);  // the rows are single elements
  void (*row)(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n);
};

template <typename Op, typename T>
void add_element(char *to, const char *from) {
  write_element(to, combined<Op, T>(read_element<T>(to), read_element<T>(from)));
}

template <typename Op, typename T>
void add_run(const IndexedRun &places) {
  places.each(add_element<Op, T>);
}

template <typename Op, typename T>
void add_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n) {
  for (int64_t i = 0; i < n; i++) add_element<Op, T>(to + i * to_step, from + i * from_step);
}

// Accumulates rows of one layout in rows of another, for the places of a range whose index is in a range.
class RowAccumulation {
 public:
  RowAccumulation(const IndexedRows &rows, const gpuopt_call &call, const Accumulation &loops)
      : rows_(rows),
        call_(call),
        loops_(loops),
        walk_(rows.row_ndim, rows.row_shape, {rows.whole_row_strides, rows.part_row_strides}),
        size_(walk_.size()) {}

  int64_t size() const noexcept { return size_; }

  // Places [begin, end), in order, whose index is in [low, high).
  void operator()(int64_t begin, int64_t end, int64_t low, int64_t high) const {
    rows_.places.runs(begin, end, [&](int64_t, const auto &offsets, int64_t n) {
      const IndexedRun run = {bytes_of(call_.tensors[0]) + offsets[rows_.kIndices],
                              bytes_of(call_.tensors[1]) + offsets[rows_.kPart],
                              bytes_of(call_.tensors[2]) + offsets[rows_.kWhole],
                              rows_.places.inner_stride(rows_.kIndices),
                              rows_.places.inner_stride(rows_.kPart),
                              rows_.places.inner_stride(rows_.kWhole),
                              n,
                              rows_.axis_size,
                              rows_.axis_stride,
                              low,
                              high};
      if (size_ == 1) return loops_.run(run);
      run.each([&](char *to, const char *from) { add(to, from); });
    });
  }

 private:
  void add(char *to, const char *from) const {
    walk_.runs(0, size_, [&](int64_t, const auto &offsets, int64_t n) {
      loops_.row(to + offsets[0], walk_.inner_stride(0), from + offsets[1], walk_.inner_stride(1), n);
    });
  }

  const IndexedRows &rows_;
  const gpuopt_call &call_;
  const Accumulation &loops_;
  const Walk<2> walk_;
  const int64_t size_;
};

// A task has a range of the axis, and goes through all indices in order, so that an element gets its values in the same
// order whatever the number of tasks.
void accumulate_by(const gpuopt_call &call, const Accumulation &loops) {
  const auto axis = static_cast<int32_t>(call.ints[0]);
  const IndexedRows rows(call.tensors[2], call.tensors[0], call.tensors[1], axis);
  check_indices(call.tensors[0], rows.axis_size, axis);
  const RowAccumulation accumulation(rows, call, loops);
  const int64_t places = rows.prefixes * rows.indices_per_prefix, row_size = accumulation.size();
  if (places == 0 || row_size == 0) return;
  constexpr int64_t kEnough = int64_t{1} << 16;  // elements that are worth another task
  const int64_t ranges = std::clamp<int64_t>(places / kEnough * std::max<int64_t>(row_size / 4, 1), 1,
                                             std::min<int64_t>(pool_size(), rows.axis_size));
  parallel_for(ranges, [&](int64_t range, int) {
    accumulation(0, places, rows.axis_size * range / ranges, rows.axis_size * (range + 1) / ranges);
  });
}

template <typename Op, typename T>
void accumulate_as(const gpuopt_call &call) {
  accumulate_by(call, {add_run<Op, T>, add_row<Op, T>});
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

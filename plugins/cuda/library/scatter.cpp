// plugins/cuda/library/scatter.cpp -- the slot scatter: mask_assign and put.
#include <bit>

#include "plugins/cuda/library/select.h"
#include "plugins/cuda/plugin/slots.h"

namespace gpuopt::cuda {
namespace {

// Writes one row of values to all places at which the mask is true. They need not be numbered for that.
void fill_where(const Work &work, const gpuopt_tensor &mask, const gpuopt_tensor &values, const gpuopt_tensor &out) {
  Axes<3> axes;  // of (mask, values, out)
  for (int32_t k = 0; k < mask.ndim; k++) axes.append(mask.shape[k], {mask.strides[k], 0, out.strides[k]});
  const auto grain = address_of(values) | address_of(out) | static_cast<uint64_t>(axes.grain(2));
  const RowUnits row(out.ndim - mask.ndim, out.shape + mask.ndim, out.strides + mask.ndim, values.strides + 1,
                     element_size(out.dtype), grain);
  for (size_t k = 0; k < row.axes.shape.size(); k++)
    axes.append(row.axes.shape[k], {0, row.axes.strides[1][k], row.axes.strides[0][k]});
  const Walk<3> walk = axes.walk();
  const int64_t n = walk.size();
  if (!n) return;
  KernelWords parameters{static_cast<uint64_t>(n), address_of(mask), address_of(values), address_of(out)};
  launch_moves(work, "scatter.h",
               instance("mask_fill", {count_type(n), unit_type(row.unit), std::to_string(walk.ndim())}),
               parameters.add(walk), n);
}

// Writes rows of values to the places at which the mask is true. There are as many rows as such places, since the host
// has counted the mask, or one.
void mask_assign(const Work &work, const gpuopt_call &call) {
  const gpuopt_tensor &mask = call.tensors[0], &values = call.tensors[1], &out = call.tensors[2];
  const int64_t rows = values.shape[0];
  if (!rows) return;
  if (rows == 1 || values.strides[0] == 0) return fill_where(work, mask, values, out);
  const TrueUnits units(mask, out, values);
  if (units.fit()) return units.move(work, rows, values.strides[0], true);
  const TrueRows places(work, mask, out, rows);
  places.move(values, true).run(work);
}

// For each index its place along the axis, or -1 if a later index has the same place, so that the last one wins.
class Targets {
 public:
  Targets(const Work &work, const gpuopt_tensor &indices, int64_t size)
      : n_(size_of(indices)),
        hashed_(size / 4 > n_),
        entries_(hashed_ ? std::bit_ceil(static_cast<uint64_t>(n_)) * 2 : static_cast<uint64_t>(size)),
        position_bytes_(n_ <= INT32_MAX ? 4 : 8),
        table_(work.device, work.stream, table_bytes()),
        targets_(work.device, work.stream, static_cast<uint64_t>(n_) * sizeof(int64_t)) {
    fill_bytes(work, table_.address(), 0, table_bytes());
    const Walk<1> walk(indices.ndim, indices.shape, {indices.strides});
    const uint64_t keys = table_.address(), positions = keys + key_bytes();
    KernelWords parameters{static_cast<uint64_t>(n_),
                           address_of(indices),
                           static_cast<uint64_t>(size),
                           positions,
                           keys,
                           entries_ - 1,
                           address()};
    parameters.add(walk);
    for (const char *const kernel : {"index_note", "index_targets"}) {
      launch_moves(work, "scatter.h",
                   instance(kernel, {count_type(n_), std::to_string(walk.ndim()), hashed_ ? "true" : "false"}),
                   parameters, n_);
    }
  }
  uint64_t address() const noexcept { return targets_.address(); }

 private:
  uint64_t key_bytes() const noexcept { return hashed_ ? entries_ * sizeof(uint64_t) : 0; }
  uint64_t table_bytes() const noexcept { return key_bytes() + entries_ * position_bytes_; }

  const int64_t n_;
  const bool hashed_;  // because the axis is more than four times as long as there are indices
  const uint64_t entries_, position_bytes_;
  const Scratch table_, targets_;
};

// Writes rows of values to the places that indices name. With fewer than two indices none can repeat, and they are used
// as they are; otherwise Targets takes their place.
void put(const Work &work, const gpuopt_call &call) {
  const gpuopt_tensor &indices = call.tensors[0], &values = call.tensors[1], &out = call.tensors[2];
  const int64_t axis = call.ints[0], size = out.shape[axis], n = size_of(indices);
  check_indices(work, indices, size, axis);
  RowMove rows = indexed_rows(out, indices, values, axis, true);
  if (n < 2 || !size_of(values)) return rows.run(work);
  const Targets targets(work, indices, size);
  rows.indices = targets.address();
  rows.axis_size = 0;
  int64_t step = sizeof(int64_t);  // the targets are contiguous
  for (int32_t k = indices.ndim - 1; k >= 0; k--) {
    rows.places.strides[1][static_cast<size_t>(axis + k)] = step;
    step *= indices.shape[k];
  }
  rows.run(work);
}

}  // namespace

gpuopt_status slots::scatter(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                             gpuopt_error *) {
  const ContextScope context(*device);
  switch (call->kind) {
    case GPUOPT_CALL_MASK_ASSIGN:
      mask_assign({*device, *stream, "mask_assign"}, *call);
      return GPUOPT_OK;
    case GPUOPT_CALL_PUT:
      put({*device, *stream, "put"}, *call);
      return GPUOPT_OK;
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cuda backend knows no scatter operation %d", static_cast<int>(call->kind));
  }
}

}  // namespace gpuopt::cuda

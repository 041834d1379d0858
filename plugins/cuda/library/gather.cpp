// plugins/cuda/library/gather.cpp -- the slot gather: mask_count, mask_select, take and nonzero.
#include "plugins/cuda/library/select.h"
#include "plugins/cuda/plugin/slots.h"

namespace gpuopt::cuda {
namespace {

void mask_count(const Work &work, const gpuopt_call &call) {
  call.ints[0] = TrueElements(work, call.tensors[0]).count();
}

// Copies the rows of x at which the mask is true to `out`, which has as many rows, since the host has counted the mask.
// Rows of one unit are copied directly; for others a list of their offsets is made first.
void mask_select(const Work &work, const gpuopt_call &call) {
  const gpuopt_tensor &x = call.tensors[0], &mask = call.tensors[1], &out = call.tensors[2];
  if (!size_of(out)) return;
  const TrueUnits units(mask, x, out);
  if (units.fit()) return units.move(work, out.shape[0], out.strides[0], false);
  const TrueRows rows(work, mask, x, out.shape[0]);
  rows.move(out, false).run(work);
}

void take(const Work &work, const gpuopt_call &call) {
  const gpuopt_tensor &x = call.tensors[0], &indices = call.tensors[1], &out = call.tensors[2];
  const int64_t axis = call.ints[0];
  check_indices(work, indices, x.shape[axis], axis);
  indexed_rows(x, indices, out, axis, false).run(work);
}

void nonzero(const Work &work, const gpuopt_call &call) {
  const gpuopt_tensor &x = call.tensors[0], &out = call.tensors[1];
  if (!size_of(out)) return;
  const TrueElements found(work, x);
  const TrueElements::Kernel kernel{"mask_indices",
                                    "",
                                    std::to_string(x.ndim),
                                    {0, address_of(out), static_cast<uint64_t>(out.strides[0]),
                                     static_cast<uint64_t>(out.shape[0]), static_cast<uint64_t>(out.strides[1])},
                                    {x.shape, x.shape + x.ndim}};
  found.launch(kernel, Walk<1>(x.ndim, x.shape, {x.strides}));
}

}  // namespace

gpuopt_status slots::gather(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                            gpuopt_error *) {
  const ContextScope context(*device);
  switch (call->kind) {
    case GPUOPT_CALL_MASK_COUNT:
      mask_count({*device, *stream, "mask_count"}, *call);
      return GPUOPT_OK;
    case GPUOPT_CALL_MASK_SELECT:
      mask_select({*device, *stream, "mask_select"}, *call);
      return GPUOPT_OK;
    case GPUOPT_CALL_TAKE:
      take({*device, *stream, "take"}, *call);
      return GPUOPT_OK;
    case GPUOPT_CALL_NONZERO:
      nonzero({*device, *stream, "nonzero"}, *call);
      return GPUOPT_OK;
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cuda backend knows no gather operation %d", static_cast<int>(call->kind));
  }
}

}  // namespace gpuopt::cuda

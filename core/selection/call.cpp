// core/selection/call.cpp -- lists of operands, casts within a kind, and repeated elements; see call.h.
#include "core/selection/call.h"

#include "core/ops/join.h"

namespace gpuopt {

std::span<const gpuopt_array> checked_list(int32_t count, const gpuopt_array *list, int32_t least, const char *what) {
  if (count < least || (count && !list))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: need at least %d array%s", what, least, least == 1 ? "" : "s");
  gpuopt_array first = nullptr;
  for (int32_t i = 0; i < count; ++i) {
    if (deref(list[i], what).weak) continue;
    if (!first) first = list[i];
    check_same_device(what, {first, list[i]});
  }
  return {list, static_cast<size_t>(count)};
}

gpuopt_stream stream_among(std::span<const gpuopt_array> arrays) {
  for (const gpuopt_array x : arrays) {
    if (!x->weak) return x->stream.get();
  }
  return nullptr;
}

void check_same_kind(const gpuopt_array_s &value, gpuopt_dtype dtype, const char *what) {
  const bool fits = value.weak ? promote_weak(dtype, value.scalar.kind) == dtype : can_cast(value.dtype, dtype, 1);
  if (fits) return;
  fail(GPUOPT_ERR_TYPE, "%s: Cannot cast array data from dtype('%s') to dtype('%s') according to the rule 'same_kind'",
       what, dtype_name(value.weak ? promote_weak(0, value.scalar.kind) : value.dtype), dtype_name(dtype));
}

ArrayRef repeated_to(gpuopt_array x, int64_t total) {
  const ArrayRef flat = raveled(x);
  if (flat->size >= total) return record_copy(part_view(flat.get(), 0, 0, total).get());
  const int64_t repeats = (total + flat->size - 1) / flat->size, shape[] = {repeats, flat->size};
  const ArrayRef all = record_copy(broadcast_view(flat.get(), shape, "repeat").get());
  return part_view(raveled(all.get()).get(), 0, 0, total);
}

ArrayRef zeros_of(gpuopt_stream stream, gpuopt_dtype dtype, std::span<const int64_t> shape) {
  const unsigned char zero[16] = {};
  return record_constant(stream, dtype, static_cast<int>(shape.size()), shape.data(), zero);
}

}  // namespace gpuopt

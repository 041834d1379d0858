// core/selection/call.h -- what the operations of this folder and of core/creation share: calls of C functions, tests
// of masks, and checks of casts.
#pragma once
#include <vector>

#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/ops/create.h"
#include "core/ops/select.h"
#include "core/sorting/sort.h"

namespace gpuopt {

// Returns the array that a C function makes. Throws its failure; `what` names the caller in the message.
template <class Function, class... Arguments>
ArrayRef made_by(Function function, const char *what, const Arguments &...arguments) {
  gpuopt_array result = nullptr;
  SlotError error;
  const gpuopt_status status = function(arguments..., &result, &error);
  check_slot(status, error, what);
  return ArrayRef::adopt(result);
}

inline Value as_bool(gpuopt_array x) { return cast(x, GPUOPT_BOOL); }
inline Value remainder(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_remainder, a, b); }
inline Value minimum(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_minimum, a, b); }
inline Value maximum(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_maximum, a, b); }
inline Value less(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_less, a, b); }
// Returns whether all elements are true. Waits for the device.
inline bool all_of(const Value &mask) { return !any_of(logical_not(mask)); }

// Returns the handles of references, which have to live as long.
inline std::vector<gpuopt_array> handles(const std::vector<ArrayRef> &arrays) {
  std::vector<gpuopt_array> raw;
  for (const ArrayRef &x : arrays) raw.push_back(x.get());
  return raw;
}

// Returns the list as a span. Throws ERR_INVALID_ARGUMENT if it is missing, shorter than `least` or has a NULL, and
// ERR_DEVICE_MISMATCH if its arrays, weak scalars apart, are on several devices.
std::span<const gpuopt_array> checked_list(int32_t count, const gpuopt_array *list, int32_t least, const char *what);
// Returns the stream of the first array that is no weak scalar, or NULL.
gpuopt_stream stream_among(std::span<const gpuopt_array> arrays);
// Throws ERR_TYPE unless the value can be cast to the dtype by NumPy's rule same_kind.
void check_same_kind(const gpuopt_array_s &value, gpuopt_dtype dtype, const char *what);
// Returns `total` elements of x in C order, of one dimension, beginning anew where there are too few. They are in
// memory of their own. x has at least one element.
ArrayRef repeated_to(gpuopt_array x, int64_t total);
// Returns an array of zeros.
ArrayRef zeros_of(gpuopt_stream stream, gpuopt_dtype dtype, std::span<const int64_t> shape);

}  // namespace gpuopt

// core/comm/calls.h -- what the C functions of groups have in common: which call a rank makes, and who gets its result.
#pragma once
#include "core/comm/staging.h"

namespace gpuopt {

// What a rank says it is calling; numbers go over the wire.
enum CallKind : int32_t {
  kBarrier = 1,
  kSplit,
  kAllReduce,
  kReduce,
  kReduceScatter,
  kBroadcast,
  kAllGather,
  kGather,
  kScatter,
  kAllToAll,
  kMessage,
  kShardFromParts,
  kShardFromArray,
  kShardFromWhole,
  kShardLoad,
  kShardSave,
  kShardReduce,
  kShardCrossprod,
  kShardSort,
  kShardGather,
  kShardHalo,
  kShardRecut,
  kShardAlong,
  kShardMatmul
};

// Where the caller wants a result: in `out`, or in a new array, if `anywhere` is set.
struct Taker {
  gpuopt_array out;
  bool anywhere;  // whether the caller gave any place for it
  // Throws unless a result of this dtype and shape can be taken.
  void check(const char *name, gpuopt_dtype dtype, std::span<const int64_t> shape) const {
    if (!anywhere) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", name);
    check_out(name, out, dtype, shape);
  }
};

// Runs the body of a call. If it fails while other ranks count on this one, they are told.
template <class Body>
auto told(Call &call, Body &&body) {
  try {
    return body();
  } catch (const Failure &failure) {
    if (!call.is_counted_on()) throw;
    call.give_up(failure);
  } catch (const std::bad_alloc &) {
    if (!call.is_counted_on()) throw;
    call.give_up({GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, "the host has no memory left"});
  }
}

// Implements a C function on a group: `body` gets the call and the taker, and returns an ArrayRef, which may be empty.
template <class Body>
gpuopt_status taking(gpuopt_comm comm, const char *name, gpuopt_array out, gpuopt_array *result, gpuopt_error *error,
                     Body &&body) noexcept {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    Call call(deref(comm, name), name);
    ArrayRef made = told(call, [&] { return body(call, Taker{out, out || result}); });
    if (result) *result = made.leave();
  });
}

}  // namespace gpuopt

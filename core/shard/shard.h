// core/shard/shard.h -- sharded arrays (gpuopt_shard.h): what the handle holds, how arrays are cut, how ranks agree on
// a call with shards, and rows that are fetched from the ranks that have them.
#pragma once
#include <utility>
#include <vector>

#include "core/comm/calls.h"
#include "core/engine/engine.h"

struct gpuopt_shard_s : gpuopt::RefCounted<gpuopt_shard_s> {
  gpuopt::Ref<gpuopt_comm_s> comm;
  std::vector<int64_t> bounds;  // rank r has the rows from bounds[r] to bounds[r + 1]
  gpuopt::ArrayRef part;
  int axis = 0;  // along which the array is cut; its "rows" are what lies at one place of this axis
  int64_t begin() const { return bounds[static_cast<size_t>(comm->rank)]; }
  int64_t end() const { return bounds[static_cast<size_t>(comm->rank) + 1]; }
  int64_t rows() const { return bounds.back(); }
  static void destroy(gpuopt_shard_s *shard) { delete shard; }
};

namespace gpuopt {

using ShardRef = Ref<gpuopt_shard_s>;

// Returns the handle as a reference. Throws ERR_INVALID_ARGUMENT if it is NULL.
gpuopt_shard_s &deref(gpuopt_shard shard, const char *what);
// Returns a new shard. The part has as many rows as the bounds say.
ShardRef make_shard(gpuopt_comm_s &comm, std::vector<int64_t> bounds, ArrayRef part, int axis = 0);
// Returns x with this axis first, and with its first axis as this one: views.
ArrayRef axis_to_front(gpuopt_array x, int axis);
ArrayRef axis_from_front(gpuopt_array x, int axis);
// Returns the array, with the axis along which it is cut moved to the front; `shard` itself if it is there.
ShardRef cut_axis_first(gpuopt_shard_s &shard);
// Returns the shape of the whole array.
Dims whole_shape(const gpuopt_shard_s &shard);
// Where the library cuts n rows: gpuopt_shard.h.
std::vector<int64_t> shard_bounds(int64_t rows, int32_t parts);
// Throws ERR_SHAPE unless x has rows.
void check_has_rows(const gpuopt_array_s &x, const char *what);
// Returns the sizes of x with another number of rows.
Dims with_rows(const gpuopt_array_s &x, int64_t rows);
// Returns a * b. Throws ERR_SHAPE if that is no number of elements.
int64_t checked_times(int64_t a, int64_t b, const char *what);

// One number of many, for Intent::detail: ranks that give other arguments have, almost certainly, another one.
class Digest {
 public:
  Digest &add(uint64_t number) {
    value_ ^= number;
    value_ *= 0xff51afd7ed558ccd;
    value_ ^= value_ >> 33;
    return *this;
  }
  Digest &add(std::span<const int64_t> numbers);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0x9e3779b97f4a7c15;
};

// Writes dtype and shape of the whole array into the intent, and a number that stands for where it is cut.
void describe_shard(Intent &intent, const gpuopt_shard_s &shard);
// Throws ERR_COMM, for all ranks alike, unless they have said the same of the whole array.
void check_shards(Call &call, const Intents &all);

// Lets the ranks agree on a call with a shard, whose part is evaluated first. `prepare` gets the intent, which it may
// add to; what it throws is told to the others. `has_place`: whether the caller gave pointers for the results.
// `second`: another shard whose rows are fetched in the call, or NULL.
template <class Prepare>
void agree_on_shard(Call &call, CallKind kind, const gpuopt_shard_s &shard, bool has_place, Prepare prepare,
                    gpuopt_shard second = nullptr) {
  Intent own;
  own.call = kind;
  prepare_intent(own, [&] {
    if (!has_place) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", call.name());
    evaluate(shard.part.get());
    describe_shard(own, shard);
    prepare(own);
  });
  own.on_device = own.status == GPUOPT_OK && can_stay(call, shard.part.get(), nullptr) &&
                  (!second || can_stay(call, second->part.get(), nullptr));
  const Intents all = call.agree(own);
  call.move_on_device(call.all_can_stay());
  check_shards(call, all);
}

// Implements a C function with a shard that is collective: `body` gets the call and the shard, and returns a reference,
// which may be empty, to what *result gets.
template <class Result, class Body>
gpuopt_status with_shard(gpuopt_shard shard, const char *name, Result *result, gpuopt_error *error,
                         Body &&body) noexcept {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    gpuopt_shard_s &s = deref(shard, name);
    Call call(*s.comm, name);
    auto made = told(call, [&] { return body(call, s); });
    if (result) *result = made.leave();
  });
}

}  // namespace gpuopt

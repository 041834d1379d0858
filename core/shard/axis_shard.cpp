// core/shard/axis_shard.cpp -- see axis_shard.h; and gpuopt_shard_along.
//
// A rank has some places of one axis and wants some of the other: each gets a block of every rank, what both ranks'
// places have in common, and puts these one behind the other along the axis that was cut before.
#include "core/shard/axis_shard.h"

#include <memory>

#include "core/ops/join.h"

namespace gpuopt {
namespace {

// One call of turned().
class Turn {
 public:
  Turn(Call &call, const gpuopt_shard_s &s, int axis, std::vector<int64_t> bounds)
      : call_(call), s_(s), axis_(axis), bounds_(std::move(bounds)) {}

  ShardRef run() {
    const int64_t places = place(call_.rank() + 1) - place(call_.rank());
    std::vector<Outgoing> sent;
    std::vector<std::unique_ptr<Incoming>> coming(static_cast<size_t>(call_.size()));
    sent.reserve(static_cast<size_t>(call_.size()));
    for (int32_t i = 1; i < call_.size(); ++i) {
      const int32_t to = (call_.rank() + i) % call_.size(), from = (call_.rank() - i + call_.size()) % call_.size();
      const ArrayRef block = block_for(to);
      sent.emplace_back(block.get(), place_of(call_));
      call_.send_some(to, sent.back().data(), block->bytes());
      Dims shape(s_.part->shape, s_.part->shape + s_.part->ndim);
      shape[static_cast<size_t>(s_.axis)] = s_.bounds[static_cast<size_t>(from) + 1] - rows_before(from);
      shape[static_cast<size_t>(axis_)] = places;
      auto &one = coming[static_cast<size_t>(from)];
      one = std::make_unique<Incoming>(s_.part->stream.get(), s_.part->dtype, shape, place_of(call_));
      call_.receive_some(from, one->data(), bytes_of(shape));
    }
    call_.flush();
    return assembled(coming);
  }

 private:
  int64_t place(int32_t rank) const { return bounds_[static_cast<size_t>(rank)]; }
  int64_t rows_before(int32_t rank) const { return s_.bounds[static_cast<size_t>(rank)]; }
  int64_t bytes_of(const Dims &shape) const {
    int64_t bytes = dtype_size(s_.part->dtype);
    for (const int64_t size : shape) bytes *= size;
    return bytes;
  }
  // What this rank has of the places that another one wants.
  ArrayRef block_for(int32_t rank) const {
    return part_view(s_.part.get(), axis_, place(rank), place(rank + 1) - place(rank));
  }

  ShardRef assembled(std::vector<std::unique_ptr<Incoming>> &coming) {
    std::vector<ArrayRef> blocks;
    std::vector<gpuopt_array> handles;
    for (int32_t r = 0; r < call_.size(); ++r) {
      auto &one = coming[static_cast<size_t>(r)];
      blocks.push_back(one ? one->finish() : block_for(r));
    }
    for (const ArrayRef &block : blocks) handles.push_back(block.get());
    ArrayRef part = joined(handles, s_.axis, s_.part->dtype, call_.name());
    evaluate(part.get());
    return make_shard(*s_.comm, bounds_, std::move(part), axis_);
  }

  Call &call_;
  const gpuopt_shard_s &s_;
  const int axis_;
  std::vector<int64_t> bounds_;  // of the result
};

ShardRef cut_along(Call &call, gpuopt_shard_s &s, int64_t axis, bool has_place) {
  int wanted = 0;
  agree_on_shard(call, kShardAlong, s, has_place, [&](Intent &own) {
    wanted = checked_axis(axis, s.part->ndim, call.name());
    own.detail = Digest().add(own.detail).add(static_cast<uint64_t>(wanted)).value();
  });
  ShardRef made = wanted == s.axis ? ShardRef::share(&s)
                                   : turned(call, s, wanted, shard_bounds(s.part->shape[wanted], call.size()));
  call.finish();
  return made;
}

}  // namespace

ShardRef turned(Call &call, const gpuopt_shard_s &s, int axis, std::vector<int64_t> bounds) {
  return Turn(call, s, axis, std::move(bounds)).run();
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_shard_along(gpuopt_shard shard, int64_t axis, gpuopt_shard *result, gpuopt_error *error) {
  return with_shard(shard, "shard_along", result, error,
                    [&](Call &call, gpuopt_shard_s &s) { return cut_along(call, s, axis, result != nullptr); });
}

}  // extern "C"

// tests/fake_cuda/ptx/meeting.cpp -- shuffles, votes, matches and reductions over a warp.
#include "tests/fake_cuda/ptx/meeting.h"

namespace fake_cuda::ptx {
namespace {

// What a lane gets that asks one of which it must not: PTX says that it is undefined.
constexpr uint32_t kUndefined = 0xdead5eed;

bool is_shuffle(Meeting kind) { return kind >= Meeting::kShuffleUp && kind <= Meeting::kShuffleIndex; }

struct Source {
  int lane;
  bool inside;
};

// The lane whose value `lane` gets; itself, and not inside, where that would be beyond its segment. c has the segment's
// mask in bits 8 to 12 and the bound in bits 0 to 4.
Source source_of(Meeting kind, int lane, uint32_t b, uint32_t c) {
  const int by = int(b & 31), bound = int(c & 31), segment = int(c >> 8 & 31);
  const int most = (lane & segment) | (bound & ~segment), least = lane & segment;
  int from = lane;
  bool inside = false;
  switch (kind) {
    case Meeting::kShuffleUp:
      from = lane - by;
      inside = from >= most;
      break;
    case Meeting::kShuffleDown:
      from = lane + by;
      inside = from <= most;
      break;
    case Meeting::kShuffleXor:
      from = lane ^ by;
      inside = from <= most;
      break;
    default:
      from = least | (by & ~segment);
      inside = from <= most;
      break;
  }
  return inside ? Source{from, true} : Source{lane, false};
}

void shuffle(Warp &warp, Mask lanes) {
  for_lanes(lanes, [&](int l) {
    const Lane &lane = warp.lanes[l];
    const Source source = source_of(Meeting(lane.op->kind), l, uint32_t(lane.brought[1]), uint32_t(lane.brought[2]));
    const bool there = lanes >> source.lane & 1;
    give(warp, l, lane.op->to[0], there ? warp.lanes[source.lane].brought[0] : kUndefined);
    if (lane.op->to_predicate) give_predicate(warp, l, lane.op->predicate[1], source.inside);
  });
}

void vote(Warp &warp, Mask lanes, Meeting kind) {
  Mask yes = 0;
  for_lanes(lanes, [&](int l) { yes |= Mask(warp.lanes[l].brought[0] & 1) << l; });
  const bool answer = kind == Meeting::kVoteAll   ? yes == lanes
                      : kind == Meeting::kVoteAny ? yes != 0
                                                  : yes == 0 || yes == lanes;
  for_lanes(lanes, [&](int l) {
    const Op &op = *warp.lanes[l].op;
    if (kind == Meeting::kBallot)
      give(warp, l, op.to[0], yes);
    else
      give_predicate(warp, l, op.predicate[1], answer);
  });
}

void match(Warp &warp, Mask lanes, Meeting kind) {
  for_lanes(lanes, [&](int l) {
    Mask same = 0;
    for_lanes(lanes, [&](int k) { same |= Mask(warp.lanes[k].brought[0] == warp.lanes[l].brought[0]) << k; });
    const Op &op = *warp.lanes[l].op;
    const bool all = same == lanes;
    give(warp, l, op.to[0], kind == Meeting::kMatchAny ? same : all ? lanes : 0);
    if (op.to_predicate) give_predicate(warp, l, op.predicate[1], all);
  });
}

uint32_t reduced(Meeting kind, uint32_t a, uint32_t b) {
  switch (kind) {
    case Meeting::kReduceAdd:
      return a + b;
    case Meeting::kReduceMin:
      return a < b ? a : b;
    case Meeting::kReduceMax:
      return a < b ? b : a;
    case Meeting::kReduceMinSigned:
      return int32_t(a) < int32_t(b) ? a : b;
    case Meeting::kReduceMaxSigned:
      return int32_t(a) < int32_t(b) ? b : a;
    case Meeting::kReduceAnd:
      return a & b;
    case Meeting::kReduceOr:
      return a | b;
    default:
      return a ^ b;
  }
}

void reduce(Warp &warp, Mask lanes, Meeting kind) {
  const int first = std::countr_zero(lanes);
  uint32_t all = uint32_t(warp.lanes[first].brought[0]);
  for_lanes(lanes & (lanes - 1), [&](int l) { all = reduced(kind, all, uint32_t(warp.lanes[l].brought[0])); });
  for_lanes(lanes, [&](int l) { give(warp, l, warp.lanes[l].op->to[0], all); });
}

void elect(Warp &warp, Mask lanes) {
  const int chosen = std::countr_zero(lanes);
  for_lanes(lanes, [&](int l) {
    const Op &op = *warp.lanes[l].op;
    give(warp, l, op.to[0], uint64_t(chosen));
    if (op.to_predicate) give_predicate(warp, l, op.predicate[1], l == chosen);
  });
}

}  // namespace

void bring(Warp &warp, const Op &op, Mask lanes) {
  const Meeting kind = Meeting(op.kind);
  const bool predicate = op.count == 0;
  const Mask brought = predicate ? warp.predicate(op.predicate[0]) ^ (op.from_negated ? kAllLanes : 0) : 0;
  for_lanes(lanes, [&](int l) {
    Lane &lane = warp.lanes[l];
    lane.op = &op;
    lane.mask = Mask(warp.row(op.from[3])[l]);
    lane.brought[0] = predicate ? brought >> l & 1 : kind == Meeting::kSync ? 0 : warp.row(op.from[0])[l];
    if (!is_shuffle(kind)) return;
    lane.brought[1] = warp.row(op.from[1])[l];
    lane.brought[2] = warp.row(op.from[2])[l];
  });
}

void give(Warp &warp, int lane, Row to, uint64_t bits) {
  if (to >> 30 == 0) warp.lanes[lane].frame->rows[size_t(to) * kLanes + size_t(lane)] = bits;
}

void give_predicate(Warp &warp, int lane, uint32_t predicate, bool value) {
  Mask &mask = warp.lanes[lane].frame->predicates[predicate];
  mask = (mask & ~(Mask{1} << lane)) | Mask(value) << lane;
}

void meet(Warp &warp, Mask lanes) {
  const Meeting kind = Meeting(warp.lanes[std::countr_zero(lanes)].op->kind);
  if (kind == Meeting::kSync) return;
  if (is_shuffle(kind)) return shuffle(warp, lanes);
  if (kind == Meeting::kMatchAny || kind == Meeting::kMatchAll) return match(warp, lanes, kind);
  if (kind == Meeting::kElect) return elect(warp, lanes);
  if (kind >= Meeting::kReduceAdd) return reduce(warp, lanes, kind);
  vote(warp, lanes, kind);
}

}  // namespace fake_cuda::ptx

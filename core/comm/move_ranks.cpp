// core/comm/move_ranks.cpp -- gpuopt_comm_broadcast, all_gather, gather, scatter and all_to_all: arrays that go from
// ranks to ranks as they are.
#include "core/comm/calls.h"
#include "core/engine/engine.h"
#include "core/engine/record.h"

namespace gpuopt {
namespace {

// An array without dimensions counts as one row.
int64_t rows_of(const Intent &intent) { return intent.ndim ? intent.shape[0] : 1; }

int64_t bytes_of_row(const Intent &intent) {
  int64_t bytes = dtype_size(intent.dtype);
  for (int axis = 1; axis < intent.ndim; ++axis) bytes *= intent.shape[axis];
  return bytes;
}

// Throws unless the arrays of all ranks can be joined along axis 0.
void check_rows(Call &call, const Intents &all) {
  const auto rest = [](const Intent &intent) { return intent.sizes().subspan(intent.ndim ? 1 : 0); };
  for (int32_t r = 1; r < call.size(); ++r) {
    const Intent &one = all[r], &first = all[0];
    if (one.dtype != first.dtype || !std::ranges::equal(rest(one), rest(first)))
      call.disagree(r, "its array is " + described(one) + ", rank 0's " + described(first));
  }
}

// The shape of `rows` rows as the intent's array has them.
Dims shape_of_rows(const Intent &intent, int64_t rows) {
  Dims shape{rows};
  for (int axis = 1; axis < intent.ndim; ++axis) shape.push_back(intent.shape[axis]);
  return shape;
}

// The rank that many steps on, or back.
int32_t stepped(const Call &call, int32_t steps) { return (call.rank() + steps + call.size()) % call.size(); }

// What this rank says of a call for which it gives x, if `gives` is set, and takes a result, if `takes` is; and the
// elements.
Intent prepared(Call &call, CallKind kind, gpuopt_array x, bool gives, int32_t root, Outgoing &mine, const Taker &taker,
                bool takes) {
  Intent own;
  own.call = kind;
  own.root = root;
  prepare_intent(own, [&] {
    checked_rank(call.comm(), root, call.name());
    if (takes && !taker.anywhere) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", call.name());
    if (takes && taker.out) deref_strong(taker.out, call.name());
    if (x || gives) deref_strong(x, call.name());
    if (!gives) return;
    if (kind == kScatter && !x->ndim)
      fail(GPUOPT_ERR_SHAPE, "%s: an array without dimensions has no rows", call.name());
    mine = Outgoing(x, can_stay(call, x, taker.out) ? Where::kDevice : Where::kHost);
    describe(own, x);
  });
  return own;
}

// Lets the ranks agree on a call to which each gives an array.
Intents agree_on(Call &call, Intent own, Outgoing &mine, gpuopt_array x, const Taker &taker) {
  Intents all = agree_where(call, own, x, taker.out);
  if (!call.moves_on_device()) mine.bring_to_host();
  return all;
}

// The same where the root alone gives one: returns what it says of it.
Intent agree_with_root(Call &call, Intent own, int32_t root, Outgoing &mine, gpuopt_array x, const Taker &taker) {
  own.on_device = own.status == GPUOPT_OK && can_stay(call, x, taker.out);
  const Intent what = call.agree_with_root(own, root);
  call.move_on_device(call.all_can_stay());
  if (!call.moves_on_device()) mine.bring_to_host();
  return what;
}

ArrayRef broadcast_from(Call &call, gpuopt_array x, int32_t root, const Taker &taker) {
  const bool is_root = call.rank() == root;
  Outgoing mine;
  const Intent what =
      agree_with_root(call, prepared(call, kBroadcast, x, is_root, root, mine, taker, true), root, mine, x, taker);
  Incoming received(stream_for(call, x, taker.out), what.dtype, what.sizes(), place_of(call));
  if (is_root) received.copy(0, mine.data(), what.bytes());
  if (what.bytes()) call.broadcast(root, received.data(), what.bytes());
  call.finish();
  return delivered(call.name(), received.finish(), taker.out);
}

// The arrays of all ranks, joined: on all of them if root is negative.
ArrayRef gather_to(Call &call, gpuopt_array x, int32_t root, const Taker &taker) {
  const bool takes = root < 0 || call.rank() == root;
  Outgoing mine;
  const CallKind kind = root < 0 ? kAllGather : kGather;
  const Intents all =
      agree_on(call, prepared(call, kind, x, true, std::max(root, 0), mine, taker, takes), mine, x, taker);
  check_rows(call, all);
  std::vector<int64_t> begin{0};
  for (int32_t r = 0; r < call.size(); ++r) begin.push_back(begin.back() + rows_of(all[r]));
  const int64_t row = bytes_of_row(all[0]);
  const auto place = [&](int32_t r) { return begin[static_cast<size_t>(r)] * row; };
  const auto bytes = [&](int32_t r) { return place(r + 1) - place(r); };
  int32_t widest = 0;  // an array without dimensions is one row of the others' kind
  while (widest + 1 < call.size() && !all[widest].ndim) ++widest;
  Incoming result(stream_for(call, x, taker.out), x->dtype, shape_of_rows(all[widest], takes ? begin.back() : 0),
                  place_of(call));
  for (int32_t i = 1; i < call.size(); ++i) {
    const int32_t to = stepped(call, i), from = stepped(call, -i);
    if (root < 0 || to == root) call.send_some(to, mine.data(), bytes(call.rank()));
    if (takes) call.receive_some(from, result.data() + place(from), bytes(from));
  }
  if (takes) result.copy(place(call.rank()), mine.data(), bytes(call.rank()));
  call.flush();
  call.finish();
  return takes ? delivered(call.name(), result.finish(), taker.out) : ArrayRef();
}

ArrayRef scatter_from(Call &call, gpuopt_array x, int32_t root, const Taker &taker) {
  const bool is_root = call.rank() == root;
  Outgoing mine;
  const Intent what =
      agree_with_root(call, prepared(call, kScatter, x, is_root, root, mine, taker, true), root, mine, x, taker);
  const std::vector<int64_t> bounds = part_bounds(rows_of(what), call.size());
  const int64_t row = bytes_of_row(what);
  const auto place = [&](int32_t r) { return bounds[static_cast<size_t>(r)] * row; };
  const auto bytes = [&](int32_t r) { return place(r + 1) - place(r); };
  const auto me = static_cast<size_t>(call.rank());
  Incoming result(stream_for(call, x, taker.out), what.dtype, shape_of_rows(what, bounds[me + 1] - bounds[me]),
                  place_of(call));
  for (int32_t i = 1; is_root && i < call.size(); ++i)
    call.send_some(stepped(call, i), mine.data() + place(stepped(call, i)), bytes(stepped(call, i)));
  if (is_root) result.copy(0, mine.data() + place(root), bytes(root));
  if (!is_root) call.receive_some(root, result.data(), bytes(call.rank()));
  call.flush();
  call.finish();
  return delivered(call.name(), result.finish(), taker.out);
}

ArrayRef exchange_all(Call &call, gpuopt_array x, const Taker &taker) {
  Outgoing mine;
  const Intents all = agree_on(call, prepared(call, kAllToAll, x, true, 0, mine, taker, true), mine, x, taker);
  for (int32_t r = 0; r < call.size(); ++r)
    if (!all[r].ndim) call.disagree(r, "an array without dimensions has no rows");
  check_rows(call, all);
  const int64_t row = bytes_of_row(all[0]);
  const std::vector<int64_t> mine_at = part_bounds(x->shape[0], call.size());
  std::vector<int64_t> begin{0};
  for (int32_t r = 0; r < call.size(); ++r)
    begin.push_back(begin.back() + part_rows(rows_of(all[r]), call.size(), call.rank()));
  const auto part = [&](const std::vector<int64_t> &at, int32_t r) {  // where it begins, and its size, in bytes
    const auto k = static_cast<size_t>(r);
    return std::pair(at[k] * row, (at[k + 1] - at[k]) * row);
  };
  Incoming result(stream_for(call, x, taker.out), x->dtype, shape_of_rows(all[0], begin.back()), place_of(call));
  for (int32_t i = 1; i < call.size(); ++i) {
    const auto [out_at, out_bytes] = part(mine_at, stepped(call, i));
    const auto [in_at, in_bytes] = part(begin, stepped(call, -i));
    call.send_some(stepped(call, i), mine.data() + out_at, out_bytes);
    call.receive_some(stepped(call, -i), result.data() + in_at, in_bytes);
  }
  result.copy(part(begin, call.rank()).first, mine.data() + part(mine_at, call.rank()).first,
              part(begin, call.rank()).second);
  call.flush();
  call.finish();
  return delivered(call.name(), result.finish(), taker.out);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_comm_broadcast(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_array out,
                                    gpuopt_array *result, gpuopt_error *error) {
  return taking(comm, "broadcast", out, result, error,
                [&](Call &call, const Taker &taker) { return broadcast_from(call, x, root, taker); });
}

gpuopt_status gpuopt_comm_all_gather(gpuopt_comm comm, gpuopt_array x, gpuopt_array out, gpuopt_array *result,
                                     gpuopt_error *error) {
  return taking(comm, "all_gather", out, result, error,
                [&](Call &call, const Taker &taker) { return gather_to(call, x, -1, taker); });
}

gpuopt_status gpuopt_comm_gather(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_array out, gpuopt_array *result,
                                 gpuopt_error *error) {
  return taking(comm, "gather", out, result, error, [&](Call &call, const Taker &taker) {
    // A negative root stands for all ranks inside, and is none that a caller may give.
    return gather_to(call, x, root < 0 ? INT32_MAX : root, taker);
  });
}

gpuopt_status gpuopt_comm_scatter(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_array out,
                                  gpuopt_array *result, gpuopt_error *error) {
  return taking(comm, "scatter", out, result, error,
                [&](Call &call, const Taker &taker) { return scatter_from(call, x, root, taker); });
}

gpuopt_status gpuopt_comm_all_to_all(gpuopt_comm comm, gpuopt_array x, gpuopt_array out, gpuopt_array *result,
                                     gpuopt_error *error) {
  return taking(comm, "all_to_all", out, result, error,
                [&](Call &call, const Taker &taker) { return exchange_all(call, x, taker); });
}

}  // extern "C"

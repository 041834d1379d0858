// core/comm/reduce_ranks.cpp -- gpuopt_comm_all_reduce, reduce and reduce_scatter: the arrays of all ranks, combined.
//
// Each rank gets one piece of every rank's array, combines these in the fixed tree, and passes the result on where it
// is wanted: in all, what Rabenseifner's algorithm sends (Thakur, Rabenseifner and Gropp, 2005). Small arrays are sent
// whole. An element is combined by the same operations either way.
#include "core/comm/reduce_ranks.h"

#include "core/comm/calls.h"
#include "core/comm/staging.h"
#include "core/engine/expression.h"
#include "core/engine/library_call.h"

namespace gpuopt {

gpuopt_op combining_op(gpuopt_reduction reduction, gpuopt_dtype dtype) {
  const bool logical = dtype == GPUOPT_BOOL;
  switch (reduction) {
    case GPUOPT_REDUCTION_prod:
      return GPUOPT_OP_multiply;
    case GPUOPT_REDUCTION_min:
      return logical ? GPUOPT_OP_logical_and : GPUOPT_OP_minimum;
    case GPUOPT_REDUCTION_max:
      return logical ? GPUOPT_OP_logical_or : GPUOPT_OP_maximum;
    case GPUOPT_REDUCTION_nanmin:
      return logical ? GPUOPT_OP_logical_and : GPUOPT_OP_fmin;
    case GPUOPT_REDUCTION_nanmax:
      return logical ? GPUOPT_OP_logical_or : GPUOPT_OP_fmax;
    case GPUOPT_REDUCTION_any:
      return GPUOPT_OP_logical_or;
    case GPUOPT_REDUCTION_all:
      return GPUOPT_OP_logical_and;
    default:
      return GPUOPT_OP_add;
  }
}

namespace {

void check_reduction(const char *name, gpuopt_reduction reduction, gpuopt_dtype dtype) {
  const bool extreme = reduction == GPUOPT_REDUCTION_min || reduction == GPUOPT_REDUCTION_max;
  const bool known = extreme || reduction == GPUOPT_REDUCTION_sum || reduction == GPUOPT_REDUCTION_prod ||
                     reduction == GPUOPT_REDUCTION_any || reduction == GPUOPT_REDUCTION_all;
  if (!known)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: reduction %d is none of sum, prod, min, max, any and all", name, reduction);
  if (extreme && dtype_kind(dtype) == 'c')
    fail(GPUOPT_ERR_TYPE, "%s: complex numbers have no order: %s", name, dtype_name(dtype));
}

// Returns x in the dtype of the result.
ArrayRef in_result_dtype(gpuopt_array x, gpuopt_reduction reduction) {
  if (reduction == GPUOPT_REDUCTION_any || reduction == GPUOPT_REDUCTION_all) return in_dtype(x, GPUOPT_BOOL);
  const bool counted = reduction == GPUOPT_REDUCTION_sum || reduction == GPUOPT_REDUCTION_prod;
  return counted && x->dtype == GPUOPT_BOOL ? in_dtype(x, GPUOPT_INT64) : ArrayRef::share(x);
}

// The dtype in which elements are combined.
gpuopt_dtype combining_dtype(gpuopt_dtype dtype) {
  return dtype == GPUOPT_FLOAT16 || dtype == GPUOPT_BFLOAT16 ? GPUOPT_FLOAT32 : dtype;
}

// Combines the ranks' parts, which are given in the order of ranks, pairwise in rounds.
ArrayRef combined(const std::vector<ArrayRef> &parts, gpuopt_reduction reduction) {
  const gpuopt_dtype dtype = parts[0]->dtype;
  const gpuopt_op op = combining_op(reduction, dtype);
  std::vector<Value> values;
  for (const ArrayRef &part : parts) values.push_back(cast(part, combining_dtype(dtype)));
  while (values.size() > 1) {
    std::vector<Value> next;
    for (size_t j = 0; j + 1 < values.size(); j += 2) next.push_back(apply_op(op, values[j], values[j + 1]));
    if (values.size() % 2) next.push_back(values.back());
    values = std::move(next);
  }
  return cast(values[0], dtype).array();
}

// One call of the three: this rank's array, in the dtype of the result, and what all of them agree on.
struct Reducing {
  Call &call;
  gpuopt_reduction reduction;
  Outgoing mine = {};
  gpuopt_array x() const { return mine.array(); }
  int64_t item() const { return dtype_size(x()->dtype); }

  // Prepares x and lets the ranks agree. `check` looks at what only some of the three ask for, on this rank's result.
  template <class Check>
  void begin(gpuopt_array given, gpuopt_array out, CallKind kind, int32_t root, Check check) {
    Intent own;
    own.call = kind;
    own.reduction = reduction;
    own.root = root;
    own.detail = call.world().fast;
    prepare_intent(own, [&] {
      deref_strong(given, call.name());
      check_reduction(call.name(), reduction, given->dtype);
      const ArrayRef converted = in_result_dtype(given, reduction);
      mine = Outgoing(converted.get(), can_stay(call, converted.get(), out) ? Where::kDevice : Where::kHost);
      describe(own, x());
      check();
    });
    const Intents all = agree_where(call, own, given, out);
    if (!call.moves_on_device()) mine.bring_to_host();
    for (int32_t r = 1; r < call.size(); ++r) {
      const Intent &one = all[r], &first = all[0];
      if (one.dtype != first.dtype || !std::ranges::equal(one.sizes(), first.sizes()))
        call.disagree(r, "its array is " + described(one) + ", rank 0's " + described(first));
    }
  }

  // Returns elements [from, to) of x as one dimension.
  ArrayRef own_part(int64_t from, int64_t to) const { return part_view(raveled(x()).get(), 0, from, to - from); }

  // Returns this rank's piece of the result: elements [bounds[rank], bounds[rank + 1]), in one dimension.
  ArrayRef piece(const std::vector<int64_t> &bounds) {
    const auto from = [&](int32_t r) { return bounds[static_cast<size_t>(r)]; };
    const int32_t me = call.rank();
    const int64_t count[] = {from(me + 1) - from(me)};
    std::vector<Incoming> parts;
    parts.reserve(static_cast<size_t>(call.size()));
    for (int32_t r = 0; r < call.size(); ++r)
      parts.emplace_back(x()->stream.get(), x()->dtype, std::span(count, r == me ? 0 : 1), place_of(call));
    for (int32_t i = 1; i < call.size(); ++i) {
      const int32_t to = (me + i) % call.size(), source = (me - i + call.size()) % call.size();
      call.send_some(to, mine.data() + from(to) * item(), (from(to + 1) - from(to)) * item());
      call.receive_some(source, parts[static_cast<size_t>(source)].data(), count[0] * item());
    }
    call.flush();
    std::vector<ArrayRef> arrays;
    for (int32_t r = 0; r < call.size(); ++r)
      arrays.push_back(r == me ? own_part(from(me), from(me + 1)) : parts[static_cast<size_t>(r)].finish());
    return combined(arrays, reduction);
  }

  bool is_small() const { return x()->bytes() <= Call::kSentWhole; }

  // Returns the result of a small array, in one dimension, where it is wanted, else nothing.
  ArrayRef whole(bool to_all, int32_t root) {
    if (call.size() > Call::kFew) return by_tree(to_all, root);
    std::vector<int64_t> bounds(static_cast<size_t>(call.size()) + 1);
    for (int32_t r = root + 1; r <= call.size(); ++r) bounds[static_cast<size_t>(r)] = x()->size;
    ArrayRef result = piece(bounds);
    return call.rank() == root ? result : ArrayRef();
  }

  // The ranks combine along the tree itself: in round k a rank whose number is an odd multiple of 2^k sends what it has
  // combined to the one 2^k below, and is done. Rank 0 has the result.
  ArrayRef by_tree(bool to_all, int32_t root) {
    const gpuopt_op op = combining_op(reduction, x()->dtype);
    ArrayRef own = cast(own_part(0, x()->size), combining_dtype(x()->dtype)).array();
    int32_t step = 1;
    for (; step < call.size() && call.rank() % (2 * step) == 0; step *= 2)
      if (call.rank() + step < call.size())
        own = apply_op(op, Value(own), received_like(own.get(), call.rank() + step)).array();
    if (call.rank()) send_whole(own.get(), call.rank() - step);
    Incoming result(x()->stream.get(), x()->dtype, own->sizes(), place_of(call));
    const bool has = call.rank() == 0;
    if (has) {
      const Outgoing made(cast(own, x()->dtype).array().get(), place_of(call));
      result.copy(0, made.data(), x()->bytes());
    }
    if (to_all) {
      if (x()->size) call.broadcast(0, result.data(), x()->bytes());
    } else if (root && has) {
      call.send_some(root, result.data(), x()->bytes());
    } else if (root && call.rank() == root) {
      call.receive_some(0, result.data(), x()->bytes());
    }
    call.flush();
    return to_all || call.rank() == root ? result.finish() : ArrayRef();
  }

  // Receives an array of the dtype and size of `own` at once.
  ArrayRef received_like(gpuopt_array own, int32_t from) {
    Incoming incoming(own->stream.get(), own->dtype, own->sizes(), place_of(call));
    call.receive_some(from, incoming.data(), own->bytes());
    call.flush();
    return incoming.finish();
  }

  void send_whole(gpuopt_array own, int32_t to) {
    const Outgoing sent(own, place_of(call));
    call.send_some(to, sent.data(), own->bytes());
    call.flush();
  }

  // The arrays keep their shape, so that the result is written to where it is wanted.
  ArrayRef whole_on_all() {
    const std::span<const int64_t> shape = x()->sizes(), none;
    std::vector<Incoming> parts;
    parts.reserve(static_cast<size_t>(call.size()));
    for (int32_t r = 0; r < call.size(); ++r)
      parts.emplace_back(x()->stream.get(), x()->dtype, r == call.rank() ? none : shape, place_of(call));
    for (int32_t i = 1; i < call.size(); ++i) {
      const int32_t source = (call.rank() - i + call.size()) % call.size();
      call.send_some((call.rank() + i) % call.size(), mine.data(), x()->bytes());
      call.receive_some(source, parts[static_cast<size_t>(source)].data(), x()->bytes());
    }
    call.flush();
    std::vector<ArrayRef> arrays;
    for (int32_t r = 0; r < call.size(); ++r)
      arrays.push_back(r == call.rank() ? ArrayRef::share(x()) : parts[static_cast<size_t>(r)].finish());
    return combined(arrays, reduction);
  }

  // Sends this rank's piece to the ranks that want the whole, and returns the whole, in one dimension, if this is one.
  ArrayRef joined(gpuopt_array own, const std::vector<int64_t> &bounds, bool to_all, int32_t root) {
    const auto place = [&](int32_t r) { return bounds[static_cast<size_t>(r)] * item(); };
    const Outgoing sent(own, place_of(call));
    const bool wanted = to_all || call.rank() == root;
    const int64_t shape[] = {wanted ? x()->size : 0};
    Incoming result(x()->stream.get(), x()->dtype, shape, place_of(call));
    for (int32_t i = 1; i < call.size(); ++i) {
      const int32_t to = (call.rank() + i) % call.size(), from = (call.rank() - i + call.size()) % call.size();
      if (to_all || to == root) call.send_some(to, sent.data(), own->bytes());
      if (wanted) call.receive_some(from, result.data() + place(from), place(from + 1) - place(from));
    }
    if (wanted) result.copy(place(call.rank()), sent.data(), own->bytes());
    call.flush();
    return wanted ? result.finish() : ArrayRef();
  }

  // Whether the order of the sums is left to the plugin: of floats, over all ranks of the job.
  bool is_free() const {
    const char kind = dtype_kind(x()->dtype);
    const bool ordered = reduction == GPUOPT_REDUCTION_sum || reduction == GPUOPT_REDUCTION_prod;
    return call.world().fast && ordered && (kind == 'f' || kind == 'c') && x()->size > 0 &&
           call.size() == call.world().size;
  }

  // Returns what the plugin makes of the arrays, in one dimension, or nothing if it does not do that.
  ArrayRef by_plugin() {
    const int64_t shape[] = {x()->size};
    Incoming result(x()->stream.get(), x()->dtype, shape, place_of(call));
    result.copy(0, mine.data(), x()->bytes());
    const bool done = call.all_reduce(result.data(), x()->size, x()->dtype, reduction);
    return done ? result.finish() : ArrayRef();
  }

  // Returns the result in x's shape where it is wanted, else nothing.
  ArrayRef run(bool to_all, int32_t root) {
    ArrayRef flat;
    if (call.size() == 1) return record_copy(x());
    if (to_all && is_free()) flat = by_plugin();
    if (flat) {
      // The plugin has computed it.
    } else if (is_small() && to_all && call.size() <= Call::kFew) {
      return whole_on_all();
    } else if (is_small()) {
      flat = whole(to_all, root);
    } else {
      const std::vector<int64_t> bounds = part_bounds(x()->size, call.size());
      flat = joined(piece(bounds).get(), bounds, to_all, root);
    }
    return flat ? reshaped(flat.get(), Dims(x()->shape, x()->shape + x()->ndim)) : flat;
  }
};

ArrayRef all_reduce(Call &call, gpuopt_array x, gpuopt_reduction reduction, const Taker &taker) {
  Reducing r{call, reduction};
  r.begin(x, taker.out, CallKind::kAllReduce, 0, [&] { taker.check(call.name(), r.x()->dtype, r.x()->sizes()); });
  ArrayRef result = r.run(true, 0);
  call.finish();
  return delivered(call.name(), std::move(result), taker.out);
}

ArrayRef reduce_to(Call &call, gpuopt_array x, gpuopt_reduction reduction, int32_t root, const Taker &taker) {
  Reducing r{call, reduction};
  const bool wanted = call.rank() == root;
  r.begin(x, taker.out, CallKind::kReduce, root, [&] {
    checked_rank(call.comm(), root, call.name());
    if (wanted) taker.check(call.name(), r.x()->dtype, r.x()->sizes());
  });
  ArrayRef result = r.run(false, root);
  call.finish();
  return wanted ? delivered(call.name(), std::move(result), taker.out) : ArrayRef();
}

ArrayRef reduce_scatter(Call &call, gpuopt_array x, gpuopt_reduction reduction, const Taker &taker) {
  Reducing r{call, reduction};
  Dims shape;
  std::vector<int64_t> bounds;
  r.begin(x, taker.out, CallKind::kReduceScatter, 0, [&] {
    if (!r.x()->ndim) fail(GPUOPT_ERR_SHAPE, "%s: an array without dimensions has no rows", call.name());
    bounds = part_bounds(r.x()->shape[0], call.size());
    shape.assign(r.x()->shape, r.x()->shape + r.x()->ndim);
    const auto me = static_cast<size_t>(call.rank());
    shape[0] = bounds[me + 1] - bounds[me];
    taker.check(call.name(), r.x()->dtype, shape);
  });
  const int64_t row = r.x()->shape[0] ? r.x()->size / r.x()->shape[0] : 0;
  for (int64_t &bound : bounds) bound *= row;
  ArrayRef flat = call.size() == 1 ? record_copy(r.x()) : r.piece(bounds);
  call.finish();
  return delivered(call.name(), reshaped(flat.get(), shape), taker.out);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_comm_all_reduce(gpuopt_comm comm, gpuopt_array x, gpuopt_reduction reduction, gpuopt_array out,
                                     gpuopt_array *result, gpuopt_error *error) {
  return taking(comm, "all_reduce", out, result, error,
                [&](Call &call, const Taker &taker) { return all_reduce(call, x, reduction, taker); });
}

gpuopt_status gpuopt_comm_reduce(gpuopt_comm comm, gpuopt_array x, gpuopt_reduction reduction, int32_t root,
                                 gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
  return taking(comm, "reduce", out, result, error,
                [&](Call &call, const Taker &taker) { return reduce_to(call, x, reduction, root, taker); });
}

gpuopt_status gpuopt_comm_reduce_scatter(gpuopt_comm comm, gpuopt_array x, gpuopt_reduction reduction, gpuopt_array out,
                                         gpuopt_array *result, gpuopt_error *error) {
  return taking(comm, "reduce_scatter", out, result, error,
                [&](Call &call, const Taker &taker) { return reduce_scatter(call, x, reduction, taker); });
}

}  // extern "C"

// core/comm/messages.cpp -- gpuopt_comm_send, recv and send_recv: arrays from one rank to another. A record that says
// what is coming goes before the elements.
#include "core/comm/calls.h"
#include "core/engine/engine.h"

namespace gpuopt {
namespace {

constexpr int32_t kTags = 0x8000;

void check_tag(const char *name, int32_t tag) {
  if (tag < 0 || tag >= kTags)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the tag %d is not from 0 to %d", name, tag, kTags - 1);
}

// Where arrays wait that this process has for itself: from a rank, with a tag.
std::deque<Parcel> &parcels_from(Call &call, int32_t source, int32_t tag) {
  const gpuopt_comm_s &comm = call.comm();
  return call.world().parcels[{comm.context, comm.members[static_cast<size_t>(source)], tag}];
}

// What this rank sends in a call, which stays where it is until the call is over.
struct Shipment {
  Intent intent;
  Outgoing elements;
};

// Adds x to what the call sends; one for this rank itself is stored.
void ship(Call &call, Shipment &shipment, int32_t to, int32_t tag) {
  const Intent &intent = shipment.intent;
  if (to == call.rank()) {
    Parcel parcel{intent, {}};
    if (intent.bytes()) parcel.data.assign(shipment.elements.data(), shipment.elements.data() + intent.bytes());
    parcels_from(call, to, tag).push_back(std::move(parcel));
    return;
  }
  call.send(to, &shipment.intent, sizeof shipment.intent, tag);
  if (intent.bytes()) call.send(to, shipment.elements.data(), intent.bytes(), tag);
}

Shipment prepared(gpuopt_array x) {
  Shipment shipment;
  shipment.elements = Outgoing(x);
  shipment.intent.call = kMessage;
  describe(shipment.intent, x);
  return shipment;
}

bool is_message(const Intent &intent) {
  return intent.magic == Intent{}.magic && intent.call == kMessage && intent.dtype > 0 &&
         intent.dtype < GPUOPT_DTYPE_COUNT && intent.ndim >= 0 && intent.ndim <= GPUOPT_MAX_NDIM;
}

// Returns the array of a parcel, which is taken from its queue only if there is room for it.
ArrayRef unpack(Call &call, std::deque<Parcel> &queue, const Taker &taker) {
  const Parcel &first = queue.front();
  check_out(call.name(), taker.out, first.intent.dtype, first.intent.sizes());
  Incoming received(stream_for(call, nullptr, taker.out), first.intent.dtype, first.intent.sizes());
  if (!first.data.empty()) std::memcpy(received.data(), first.data.data(), first.data.size());
  ArrayRef result = delivered(call.name(), received.finish(), taker.out);
  queue.pop_front();
  return result;
}

// Stores an array for which `out` has no room, so that the next receive gets it.
void keep(Call &call, const Intent &intent, const char *data, int32_t source, int32_t tag) {
  Parcel parcel{intent, {}};
  if (intent.bytes()) parcel.data.assign(data, data + intent.bytes());
  parcels_from(call, source, tag).push_back(std::move(parcel));
}

// Receives the elements that a record announces. A failure by then leaves them in the way of everything else.
ArrayRef receive_elements(Call &call, const Intent &intent, int32_t source, int32_t tag, const Taker &taker) {
  if (!is_message(intent))
    fail(GPUOPT_ERR_COMM, "rank %d has another version of gpuopt, or another byte order", source);
  Incoming received(stream_for(call, nullptr, taker.out), intent.dtype, intent.sizes());
  if (intent.bytes()) call.receive(source, received.data(), intent.bytes(), tag);
  call.flush();
  call.finish();
  try {
    check_out(call.name(), taker.out, intent.dtype, intent.sizes());
  } catch (const Failure &) {
    keep(call, intent, received.data(), source, tag);
    throw;
  }
  return delivered(call.name(), received.finish(), taker.out);
}

void check_destination(const Call &call, gpuopt_array x, int32_t destination, int32_t tag) {
  check_tag(call.name(), tag);
  checked_rank(call.comm(), destination, call.name());
  deref_strong(x, call.name());
}

void send_to(Call &call, gpuopt_array x, int32_t destination, int32_t tag) {
  check_destination(call, x, destination, tag);
  Shipment shipment = prepared(x);
  ship(call, shipment, destination, tag);
  call.flush();
}

ArrayRef send_and_receive(Call &call, gpuopt_array x, int32_t destination, int32_t source, int32_t tag,
                          const Taker &taker) {
  check_tag(call.name(), tag);
  if (x) check_destination(call, x, destination, tag);
  if (source >= 0) {
    checked_rank(call.comm(), source, call.name());
    if (!taker.anywhere) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", call.name());
    if (taker.out) deref_strong(taker.out, call.name());
  }
  Shipment shipment;
  if (x) {
    shipment = prepared(x);
    ship(call, shipment, destination, tag);
  }
  const bool waits = source >= 0 && parcels_from(call, source, tag).empty();
  if (waits && source == call.rank())
    fail(GPUOPT_ERR_COMM, "%s: rank %d has sent nothing to itself with tag %d", call.name(), source, tag);
  Intent intent;
  if (waits) call.receive(source, &intent, sizeof intent, tag);
  call.flush();
  if (source < 0) return {};
  if (!waits) return unpack(call, parcels_from(call, source, tag), taker);
  call.count_on();
  return receive_elements(call, intent, source, tag, taker);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_comm_send(gpuopt_comm comm, gpuopt_array x, int32_t destination, int32_t tag,
                               gpuopt_error *error) {
  return guarded(error, [&] {
    Call call(deref(comm, "send"), "send");
    send_to(call, x, destination, tag);
  });
}

gpuopt_status gpuopt_comm_recv(gpuopt_comm comm, int32_t source, int32_t tag, gpuopt_array out, gpuopt_array *result,
                               gpuopt_error *error) {
  return taking(comm, "recv", out, result, error, [&](Call &call, const Taker &taker) {
    checked_rank(call.comm(), source, call.name());
    return send_and_receive(call, nullptr, 0, source, tag, taker);
  });
}

gpuopt_status gpuopt_comm_send_recv(gpuopt_comm comm, gpuopt_array x, int32_t destination, int32_t source, int32_t tag,
                                    gpuopt_array out, gpuopt_array *result, gpuopt_error *error) {
  return taking(comm, "send_recv", out, result, error, [&](Call &call, const Taker &taker) {
    return send_and_receive(call, x, destination, source, tag, taker);
  });
}

}  // extern "C"

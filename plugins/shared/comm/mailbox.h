// plugins/shared/comm/mailbox.h -- which of the messages that arrive are those that are waited for; others are kept.
#pragma once

#include <gpuopt/gpuopt_comm_plugin.h>

#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::plugin {

// A message whose first bytes have arrived: where its elements go, and whether they are all there.
struct Arrival {
  uint32_t tag = 0;
  uint64_t bytes = 0;
  char *to = nullptr;
  std::unique_ptr<char[]> own;  // the memory at `to`, if nobody waited for the message when it began to arrive
  int32_t receive = -1;         // the receive that gets it, -1 if there is none yet
  bool complete = false;
};

// The messages of all peers. Of one peer and tag they are received in the order in which they begin to arrive.
class Mailbox {
 public:
  explicit Mailbox(int32_t peers) : kept_(static_cast<size_t>(peers)) {}

  // Begins an exchange with these receives, which are kept in memory by the caller; those whose messages are here
  // already are done at once. Throws ERR_COMM if a size is another.
  void wait_for(const gpuopt_comm_message *receives, int32_t count) {
    receives_.clear();
    open_ = count;
    for (int32_t i = 0; i < count; ++i) {
      receives_.push_back({receives[i], false, false});
      match(i);
    }
  }

  // Return how many receives are not done, and whether one of them is of this peer.
  int32_t open() const { return open_; }
  bool waits_for(int32_t peer) const {
    for (const Receive &one : receives_)
      if (!one.done && one.message.peer == peer) return true;
    return false;
  }
  // Returns the peers of all receives that are not done.
  std::vector<int32_t> open_peers() const {
    std::vector<int32_t> peers;
    for (const Receive &one : receives_)
      if (!one.done) peers.push_back(one.message.peer);
    return peers;
  }

  // A message begins to arrive. Its bytes are to be stored at the result's `to`, and complete() called then.
  Arrival &begin(int32_t peer, uint32_t tag, uint64_t bytes) {
    std::list<Arrival> &kept = kept_[static_cast<size_t>(peer)];
    Arrival arrival;
    arrival.tag = tag;
    arrival.bytes = bytes;
    arrival.receive = free_receive(peer, tag);
    if (arrival.receive >= 0) {
      Receive &receive = receives_[static_cast<size_t>(arrival.receive)];
      check_size(receive.message, bytes);
      receive.taken = true;
      arrival.to = static_cast<char *>(receive.message.data);
    } else {
      arrival.own = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(bytes));
      arrival.to = arrival.own.get();
    }
    return kept.emplace_back(std::move(arrival));
  }

  void complete(int32_t peer, Arrival &arrival) {
    arrival.complete = true;
    if (arrival.receive >= 0) hand_over(peer, arrival);
  }

 private:
  struct Receive {
    gpuopt_comm_message message;
    bool taken, done;  // whether a message is meant for it, and whether that is complete
  };

  static void check_size(const gpuopt_comm_message &wanted, uint64_t bytes) {
    if (wanted.bytes != bytes)
      throw Failure{GPUOPT_ERR_COMM, GPUOPT_REASON_NONE, 0,
                    "rank " + std::to_string(wanted.peer) + " has sent " + std::to_string(bytes) + " bytes where " +
                        std::to_string(wanted.bytes) + " were expected"};
  }

  int32_t free_receive(int32_t peer, uint32_t tag) const {
    for (size_t i = 0; i < receives_.size(); ++i)
      if (!receives_[i].taken && receives_[i].message.peer == peer && receives_[i].message.tag == tag)
        return static_cast<int32_t>(i);
    return -1;
  }

  // Looks for the message of a receive among those that are here or on their way.
  void match(int32_t index) {
    Receive &receive = receives_[static_cast<size_t>(index)];
    for (Arrival &arrival : kept_[static_cast<size_t>(receive.message.peer)]) {
      if (arrival.receive >= 0 || arrival.tag != receive.message.tag) continue;
      check_size(receive.message, arrival.bytes);
      receive.taken = true;
      arrival.receive = index;
      if (arrival.complete) hand_over(receive.message.peer, arrival);
      return;
    }
  }

  void hand_over(int32_t peer, Arrival &arrival) {
    Receive &receive = receives_[static_cast<size_t>(arrival.receive)];
    if (arrival.own && arrival.bytes)
      std::memcpy(receive.message.data, arrival.own.get(), static_cast<size_t>(arrival.bytes));
    receive.done = true;
    --open_;
    kept_[static_cast<size_t>(peer)].remove_if([&](const Arrival &one) { return &one == &arrival; });
  }

  std::vector<std::list<Arrival>> kept_;  // by peer, in the order of arrival
  std::vector<Receive> receives_;
  int32_t open_ = 0;
};

}  // namespace gpuopt::plugin

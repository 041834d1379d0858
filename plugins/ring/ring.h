// plugins/ring/ring.h -- a job whose ranks are connected by sockets, each with every other, and share memory where
// they are processes of one machine.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "plugins/ring/join.h"
#include "plugins/shared/comm/mailbox.h"
#include "plugins/shared/comm/waits.h"

namespace gpuopt::ring {

// What goes over a connection: a header, and the bytes that it announces.
enum FrameKind : uint32_t { kData = 1, kLeaving = 2, kGivingUp = 3, kWaiting = 4 };
struct Frame {
  uint32_t kind, tag;  // kWaiting: the rank that is waited for, or -1
  uint64_t bytes;
};

// A frame that is being sent.
struct Outbound {
  Frame frame;
  const char *data;
  uint64_t sent;  // of the frame and its bytes
  uint64_t total() const { return sizeof(Frame) + frame.bytes; }
};

// Another rank, and what is on the way to and from it.
struct Peer {
  Socket socket;
  std::unique_ptr<SharedMemory> memory;  // if there is any, bytes go through it, and the socket wakes the other side
  bool left = false;                     // it has said that it leaves
  bool ended = false;  // its connection is closed, and it has not said so; `error` is the system's number, or 0
  int error = 0;
  std::string gave_up;  // what it has said before it gave up
  bool is_there() const { return socket && !left && !ended && gave_up.empty(); }
  std::deque<Outbound> outbound;
  Frame frame{};                       // that which is being received
  uint64_t received = 0;               // of the frame and its bytes
  plugin::Arrival *arrival = nullptr;  // where its bytes go, if they are data
  std::string farewell;                // the bytes of a frame that says why the peer gives up
};

class Ring {
 public:
  // Joins the job. Throws what join() throws.
  Ring(Place place, double timeout);
  // Does what the slot of this name does.
  void exchange(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                const gpuopt_comm_message *receives, double timeout);
  // Receives what is there, without waiting, for whoever asks for it later. Throws ERR_COMM if a peer has ended or
  // given up: for those who wait for something else than messages.
  void watch();
  bool has_left(int32_t rank) const { return peers_[static_cast<size_t>(rank)].left; }
  // Tells the peers that this rank leaves, and waits until they have room for that, but not longer than the time-out.
  void leave() noexcept;
  // Tells the peers why this rank gives up, as far as they hear it within a moment.
  void give_up(const char *why) noexcept;
  int32_t rank() const { return place_.rank; }
  int32_t size() const { return place_.size(); }
  std::string description() const;

 private:
  Peer &peer(int32_t rank) { return peers_[static_cast<size_t>(rank)]; }
  std::string named(int32_t rank) const;
  void post(const gpuopt_comm_message &message);
  bool busy() const;
  void check_awaited();
  void wait(Clock::time_point until);
  std::vector<int32_t> awaited() const;
  void tell_awaited(int32_t rank);
  [[noreturn]] void fail_waiting(double timeout);
  void move_some(int32_t rank, int events);
  bool write_some(int32_t rank);
  bool read_some(int32_t rank);
  bool read_bytes(int32_t rank, char *to, uint64_t bytes, size_t *count);
  bool read_memory(Peer &from, char *to, uint64_t bytes, size_t *count);
  void begin_frame(int32_t rank);
  void end_frame(int32_t rank);
  void check_ended();
  static void add_last_words(Peer &to, FrameKind kind, const std::string &text);
  bool has_words_to_send() const;
  void send_last_words(FrameKind kind, const std::string &text, double seconds) noexcept;

  Place place_;
  double timeout_;           // seconds that a rank which leaves may be kept waiting
  std::vector<Peer> peers_;  // by rank; this rank's own is unused
  plugin::Mailbox mailbox_;
  plugin::Waits waits_;
  bool moved_ = false;  // whether a byte of data has been sent or received
};

}  // namespace gpuopt::ring

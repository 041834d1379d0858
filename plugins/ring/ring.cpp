// plugins/ring/ring.cpp -- see ring.h.
#include "plugins/ring/ring.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "plugins/shared/comm/late_text.h"

namespace gpuopt::ring {
namespace {

constexpr uint64_t kLongestFarewell = 4096;
constexpr double kMoment = 0.3;               // seconds that a rank which fails takes to tell the others why
constexpr size_t kOneCall = size_t{1} << 30;  // bytes that are sent or received by one call of the system

void ring_bell(const Peer &peer) {
  const char bell = 0;  // where the socket takes no more, others wait there that wake as well
  if (send(peer.socket.get(), &bell, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) errno = 0;
}

// Takes the bytes that have woken this side. Returns false if the peer has ended: then there are no more.
bool take_bells(Peer &peer) {
  char bells[64];
  for (;;) {
    const ssize_t received = recv(peer.socket.get(), bells, sizeof bells, MSG_DONTWAIT);
    if (received > 0 || (received < 0 && errno == EINTR)) continue;
    if (received < 0 && errno == EAGAIN) return true;
    peer.error = received < 0 ? errno : 0;
    return false;
  }
}

// Sends some of what the parts have. Returns how much, or -1 with the reason in errno.
ssize_t send_some(const Peer &to, const iovec *parts, int count) {
  if (!to.memory) {
    msghdr message{};
    message.msg_iov = const_cast<iovec *>(parts);
    message.msg_iovlen = static_cast<size_t>(count);
    return sendmsg(to.socket.get(), &message, MSG_NOSIGNAL);
  }
  size_t sent = 0;
  bool wakes = false;
  for (int i = 0; i < count; ++i) {
    const size_t some = to.memory->write(static_cast<const char *>(parts[i].iov_base), parts[i].iov_len, &wakes);
    sent += some;
    if (some < parts[i].iov_len) break;
  }
  if (wakes) ring_bell(to);
  if (sent) return static_cast<ssize_t>(sent);
  errno = EAGAIN;
  return -1;
}

}  // namespace

Ring::Ring(Place place, double timeout)
    : place_(std::move(place)),
      timeout_(timeout),
      peers_(static_cast<size_t>(place_.size())),
      mailbox_(place_.size()),
      waits_(place_.size()) {
  std::vector<Connection> connections = join(place_, timeout);
  for (size_t r = 0; r < connections.size(); ++r) {
    peers_[r].socket = std::move(connections[r].socket);
    peers_[r].memory = std::move(connections[r].memory);
  }
  place_.secret.clear();
}

std::string Ring::named(int32_t rank) const {
  return "rank " + std::to_string(rank) + " (" + place_.hosts[static_cast<size_t>(rank)].text + ")";
}

std::string Ring::description() const {
  if (size() == 1) return "one process";
  for (const Peer &one : peers_)
    if (one.memory) return "shared memory of one machine";
  return place_.hosts[0].is_unix() ? "sockets of one machine" : "TCP";
}

void Ring::post(const gpuopt_comm_message &message) {
  Peer &to = peer(message.peer);
  if (to.left) fail_comm(named(message.peer) + " has left the job");
  to.outbound.push_back({{kData, message.tag, message.bytes}, static_cast<const char *>(message.data), 0});
  write_some(message.peer);
}

bool Ring::busy() const {
  if (mailbox_.open()) return true;
  for (const Peer &one : peers_)
    if (!one.outbound.empty()) return true;
  return false;
}

void Ring::check_awaited() {
  for (int32_t r = 0; r < size(); ++r)
    if (peer(r).left && (mailbox_.waits_for(r) || !peer(r).outbound.empty()))
      fail_comm(named(r) + " has left the job and is waited for");
}

void Ring::exchange(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                    const gpuopt_comm_message *receives, double timeout) {
  mailbox_.wait_for(receives, nreceives);
  for (int32_t i = 0; i < nsends; ++i) post(sends[i]);
  waits_.restart(timeout);
  while (busy()) {
    check_ended();
    check_awaited();
    moved_ = false;
    wait(waits_.next());
    check_ended();
    if (moved_) {
      if (waits_.has_told()) tell_awaited(-1);
      waits_.restart(timeout);
    } else if (!busy()) {
      return;
    } else if (const auto due = waits_.due(); due == plugin::Waits::Due::kFailing) {
      fail_waiting(timeout);
    } else if (due == plugin::Waits::Due::kTelling) {
      tell_awaited(awaited().front());
      waits_.set_told();
    }
  }
}

// Waits until something can be sent or received, and does so. All peers are listened to, so that the end of any is
// noticed. The caller calls check_ended(), which fails if there was one.
void Ring::wait(Clock::time_point until) {
  std::vector<pollfd> polled;
  std::vector<int32_t> ranks;
  bool sleeps = true;
  for (int32_t r = 0; r < size(); ++r) {
    if (!peer(r).is_there()) continue;
    const bool writes = !peer(r).outbound.empty();
    if (peer(r).memory && !peer(r).memory->may_sleep(writes)) sleeps = false;
    const bool by_socket = writes && !peer(r).memory;
    polled.push_back({peer(r).socket.get(), static_cast<short>(by_socket ? POLLIN | POLLOUT : POLLIN), 0});
    ranks.push_back(r);
  }
  const int ready = poll(polled.data(), polled.size(), sleeps ? milliseconds_until(until) : 0);
  if (ready < 0 && errno != EINTR) fail_comm(std::string("poll: ") + std::strerror(errno), errno);
  for (const int32_t r : ranks)
    if (peer(r).memory) peer(r).memory->wake();
  if (ready <= 0 && sleeps) return;
  for (size_t i = 0; i < polled.size(); ++i) move_some(ranks[i], polled[i].revents);
}

// Receives from a peer and sends to it what is possible now, after poll() has said what that is.
void Ring::move_some(int32_t rank, int events) {
  Peer &one = peer(rank);
  // What has been received counts, also of a peer that has ended since.
  if (events & (POLLIN | POLLHUP | POLLERR) || (one.memory && one.memory->has_bytes()))
    while (read_some(rank)) {
    }
  if ((events & POLLOUT || one.memory) && one.is_there()) write_some(rank);
}

// The ranks from which this one waits for something, or else those that have yet to receive something.
std::vector<int32_t> Ring::awaited() const {
  std::vector<int32_t> ranks = mailbox_.open_peers();
  for (int32_t r = 0; !mailbox_.open() && r < size(); ++r)
    if (!peers_[static_cast<size_t>(r)].outbound.empty()) ranks.push_back(r);
  return ranks;
}

// Tells the others for which rank this one waits (Waits), so that they do not take it for the one that has failed, or
// that it waits no longer. Those that do not take what was sent before are not told.
void Ring::tell_awaited(int32_t rank) {
  for (int32_t r = 0; r < size(); ++r) {
    Peer &to = peer(r);
    if (!to.is_there() || !to.outbound.empty()) continue;
    to.outbound.push_back({{kWaiting, static_cast<uint32_t>(rank), 0}, nullptr, 0});
    write_some(r);
    if (!to.outbound.empty() && to.outbound.front().sent == 0) to.outbound.pop_front();
  }
}

void Ring::fail_waiting(double timeout) {
  const std::vector<int32_t> ranks = awaited();
  fail_comm(late_text(ranks.front(), mailbox_.open() > 0, timeout, waits_.late(rank(), ranks),
                      [this](int32_t r) { return named(r); }));
}

// Throws if a peer has ended or given up. What one has said is passed on; else all that have ended are named, for the
// first to be noticed may have ended because another one did.
void Ring::check_ended() {
  const auto failed = [](const Peer &one) { return one.ended || !one.gave_up.empty(); };
  if (std::none_of(peers_.begin(), peers_.end(), failed)) return;
  std::string ended;
  int error = 0;
  for (int32_t r = 0; r < size(); ++r) {
    while (read_some(r)) {
    }
    if (!peer(r).gave_up.empty()) fail_comm(peer(r).gave_up);
    if (!peer(r).ended) continue;
    ended += (ended.empty() ? "" : ", ") + named(r);
    error = peer(r).error ? peer(r).error : error;
  }
  fail_comm(ended + " has ended, or lost its connection" + (error ? std::string(": ") + std::strerror(error) : ""),
            error);
}

// Sends what the system takes now of what waits for the peer. Returns whether all of it is sent.
bool Ring::write_some(int32_t rank) {
  Peer &to = peer(rank);
  while (!to.outbound.empty()) {
    Outbound &one = to.outbound.front();
    iovec parts[2];
    int count = 0;
    const uint64_t of_frame = std::min<uint64_t>(one.sent, sizeof(Frame)), of_data = one.sent - of_frame;
    if (of_frame < sizeof(Frame))
      parts[count++] = {reinterpret_cast<char *>(&one.frame) + of_frame, sizeof(Frame) - of_frame};
    if (of_data < one.frame.bytes)
      parts[count++] = {const_cast<char *>(one.data) + of_data,
                        static_cast<size_t>(std::min<uint64_t>(one.frame.bytes - of_data, kOneCall))};
    const ssize_t sent = send_some(to, parts, count);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return false;
    if (sent < 0) {
      // The peer's last words, if there are any, say more than that it does not listen.
      to.error = errno;
      while (read_some(rank)) {
      }
      to.ended = !to.left && to.gave_up.empty();
      return false;
    }
    one.sent += static_cast<uint64_t>(sent);
    if (one.frame.kind == kData) moved_ = true;
    if (one.sent == one.total()) to.outbound.pop_front();
  }
  return true;
}

// The socket tells that the peer has ended. What it had written before counts.
bool Ring::read_memory(Peer &from, char *to, uint64_t bytes, size_t *count) {
  for (bool has_ended = false;; has_ended = true) {
    bool wakes = false;
    *count = from.memory->read(to, bytes, &wakes);
    if (wakes) ring_bell(from);
    if (*count) return true;
    if (has_ended) from.ended = true;
    if (has_ended || take_bells(from)) return false;
  }
}

// Reads at most `bytes` bytes. Returns false if there are none now; *count is how many there were.
bool Ring::read_bytes(int32_t rank, char *to, uint64_t bytes, size_t *count) {
  if (peer(rank).memory) return read_memory(peer(rank), to, bytes, count);
  for (;;) {
    const ssize_t received =
        recv(peer(rank).socket.get(), to, static_cast<size_t>(std::min<uint64_t>(bytes, kOneCall)), 0);
    if (received > 0) {
      *count = static_cast<size_t>(received);
      return true;
    }
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && errno == EAGAIN) return false;
    peer(rank).ended = true;
    peer(rank).error = received < 0 ? errno : 0;
    return false;
  }
}

// Reads a part of a frame. Returns false if there is nothing to read now, or ever.
bool Ring::read_some(int32_t rank) {
  Peer &from = peer(rank);
  if (!from.is_there()) return false;
  size_t count = 0;
  if (from.received < sizeof(Frame)) {
    char *to = reinterpret_cast<char *>(&from.frame) + from.received;
    if (!read_bytes(rank, to, sizeof(Frame) - from.received, &count)) return false;
    from.received += count;
    if (from.received == sizeof(Frame)) begin_frame(rank);
  } else {
    const uint64_t at = from.received - sizeof(Frame);
    char *to = (from.arrival ? from.arrival->to : from.farewell.data()) + at;
    if (!read_bytes(rank, to, from.frame.bytes - at, &count)) return false;
    from.received += count;
    moved_ = true;
  }
  if (from.received >= sizeof(Frame) && from.received == sizeof(Frame) + from.frame.bytes) end_frame(rank);
  return true;
}

void Ring::begin_frame(int32_t rank) {
  Peer &from = peer(rank);
  const Frame &frame = from.frame;
  if (frame.kind == kData) {
    moved_ = true;
    waits_.hear(rank, -1);
    from.arrival = &mailbox_.begin(rank, frame.tag, frame.bytes);
  } else if (frame.kind == kWaiting && frame.bytes == 0) {
    waits_.hear(rank, static_cast<int32_t>(frame.tag));
  } else if (frame.kind == kLeaving || (frame.kind == kGivingUp && frame.bytes <= kLongestFarewell)) {
    from.farewell.assign(static_cast<size_t>(frame.bytes), '\0');
  } else {
    fail_comm(named(rank) + " has sent what is no message");
  }
}

void Ring::end_frame(int32_t rank) {
  Peer &from = peer(rank);
  from.received = 0;
  if (from.frame.kind == kData) {
    mailbox_.complete(rank, *std::exchange(from.arrival, nullptr));
  } else if (from.frame.kind == kLeaving) {
    from.left = true;
  } else if (from.frame.kind == kGivingUp) {
    from.gave_up = from.farewell.empty() ? named(rank) + " has given up" : from.farewell;
  }
}

void Ring::watch() {
  for (int32_t r = 0; r < size(); ++r)
    while (read_some(r)) {
    }
  check_ended();
}

// Puts a last frame behind what is being sent to a peer. Messages that have not begun are dropped.
void Ring::add_last_words(Peer &to, FrameKind kind, const std::string &text) {
  while (!to.outbound.empty() && to.outbound.back().sent == 0) to.outbound.pop_back();
  to.outbound.push_back({{kind, 0, text.size()}, text.data(), 0});
}

bool Ring::has_words_to_send() const {
  const auto waits = [](const Peer &one) { return one.is_there() && !one.outbound.empty(); };
  return std::any_of(peers_.begin(), peers_.end(), waits);
}

// Sends a last frame to all peers that are there and closes this side of the connections. A peer that has not yet
// received what was sent before may have no room for it: it is waited for, but no longer than so many seconds.
void Ring::send_last_words(FrameKind kind, const std::string &text, double seconds) noexcept {
  try {
    for (Peer &one : peers_) add_last_words(one, kind, text);
    for (int32_t r = 0; r < size(); ++r)
      if (peer(r).is_there()) write_some(r);
    const Clock::time_point deadline = deadline_in(seconds);
    while (has_words_to_send() && Clock::now() < deadline) wait(deadline);
  } catch (...) {  // there is no memory for them, or a peer sends what is no message: the peers notice the end
  }
  for (Peer &one : peers_) {
    one.outbound.clear();
    if (one.socket) shutdown(one.socket.get(), SHUT_WR);
  }
}

// After an exchange that has failed, the caller's memory is no longer sent.
void Ring::leave() noexcept {
  for (Peer &one : peers_) one.left = one.left || !one.outbound.empty();
  send_last_words(kLeaving, {}, timeout_);
}

void Ring::give_up(const char *why) noexcept try {
  send_last_words(kGivingUp, std::string(why, strnlen(why, kLongestFarewell)), kMoment);
  for (Peer &one : peers_) one.left = true;
} catch (...) {  // there is no memory for the words: the peers notice the end of the connection
}

}  // namespace gpuopt::ring

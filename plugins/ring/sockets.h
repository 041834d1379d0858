// plugins/ring/sockets.h -- sockets with a deadline, and the addresses of a job's ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::ring {

using Clock = std::chrono::steady_clock;

// The end of a span of seconds from now; never, if there are none.
Clock::time_point deadline_in(double seconds);
// The milliseconds until then for poll(), at least 0, at most `most`.
int milliseconds_until(Clock::time_point deadline, int most = 1000);

// Throws ERR_COMM.
[[noreturn]] void fail_comm(std::string message, int error_number = 0);

// An open file descriptor, closed with the object.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket &&o) noexcept : descriptor_(std::exchange(o.descriptor_, -1)) {}
  Socket &operator=(Socket o) noexcept {
    std::swap(descriptor_, o.descriptor_);
    return *this;
  }
  ~Socket();
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

// An item of GPUOPT_RING_HOSTS: "host:port", "[::1]:port" or "unix:/path".
struct Address {
  std::string text, host, port, path;
  bool is_unix() const { return !path.empty(); }
};
// Parses the list. Throws ERR_INVALID_ARGUMENT with the item that is no address.
std::vector<Address> parse_addresses(const std::string &list);

// Listens at the address, and at no other. Throws ERR_UNAVAILABLE if that cannot be had, or its name is not known at
// the deadline; a name that is not known at first is a warning.
Socket listen_at(const Address &address, Clock::time_point deadline);
// Warns if the name of the address is not known now.
void warn_if_unknown(const Address &address);
// Waits for a connection until the deadline; none comes by then: an empty socket.
Socket accept_until(const Socket &listening, Clock::time_point deadline);
// Connects to the address, again and again while nobody listens there. Throws ERR_COMM at the deadline, or
// ERR_UNAVAILABLE if its name is not known then; that it is not known at first is a warning.
Socket connect_until(const Address &address, Clock::time_point deadline);

// Move all bytes or return false: at the deadline, or where the other side has closed the connection.
bool send_all(const Socket &socket, const void *data, size_t bytes, Clock::time_point deadline);
bool receive_all(const Socket &socket, void *data, size_t bytes, Clock::time_point deadline);
// The same of a file descriptor, between processes of one machine; -1: of none.
bool send_descriptor(const Socket &socket, int descriptor, Clock::time_point deadline);
bool receive_descriptor(const Socket &socket, Socket *descriptor, Clock::time_point deadline);

}  // namespace gpuopt::ring

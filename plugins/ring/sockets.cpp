// plugins/ring/sockets.cpp -- see sockets.h.
#include "plugins/ring/sockets.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

namespace gpuopt::ring {
namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo *)>;

// Asks for a name once. Returns what getaddrinfo() does.
int resolve(const Address &address, bool to_listen, Addresses &found) {
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  const int failure = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &list);
  if (failure == 0) found.reset(list);
  return failure;
}

std::string refusal_of(const Address &address, int failure) {
  return "GPUOPT_RING_HOSTS: " + address.text + ": " + gai_strerror(failure);
}

void warn_of_name(const Address &address, int failure) {
  const std::string text = refusal_of(address, failure) + "; asking again until it is known, or the time is over";
  plugin::log(GPUOPT_LOG_WARN, "ring.unknown_host", text.c_str());
}

// Asks for a name again and again until the deadline: a container gets its name when it starts, and others may look for
// it before. Says at once that there is none, for it may as well be mistyped.
Addresses resolve_until(const Address &address, bool to_listen, Clock::time_point deadline) {
  Addresses found(nullptr, freeaddrinfo);
  for (bool first = true;; first = false) {
    const int failure = resolve(address, to_listen, found);
    if (failure == 0) return found;
    const bool passes = failure == EAI_NONAME || failure == EAI_AGAIN;
    if (!passes || Clock::now() >= deadline)
      throw plugin::Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NONE, failure, refusal_of(address, failure)};
    if (first) warn_of_name(address, failure);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

sockaddr_un unix_address(const Address &address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.path.c_str(), address.path.size() + 1);  // parse_addresses() checks the length
  return name;
}

Socket new_socket(int family) { return Socket(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

// Small messages are sent at once, and a host that has vanished is noticed while nothing is sent to it.
void tune(const Socket &socket) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

bool bind_and_listen(const Socket &socket, const sockaddr *name, socklen_t length) {
  constexpr int most_waiting = 4096;
  return socket && bind(socket.get(), name, length) == 0 && listen(socket.get(), most_waiting) == 0;
}

[[noreturn]] void fail_to_listen(const Address &address, int error_number) {
  throw plugin::Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NONE, error_number,
                        "cannot listen at " + address.text + ": " + std::strerror(error_number)};
}

Socket listen_at_path(const Address &address) {
  Socket socket = new_socket(AF_UNIX);
  const sockaddr_un name = unix_address(address);
  if (!bind_and_listen(socket, reinterpret_cast<const sockaddr *>(&name), sizeof name)) fail_to_listen(address, errno);
  chmod(address.path.c_str(), S_IRUSR | S_IWUSR);  // the directory decides, too; who connects has to prove himself
  return socket;
}

bool wait_for(const Socket &socket, short events, Clock::time_point deadline) {
  pollfd one{socket.get(), events, 0};
  for (;;) {
    const int ready = poll(&one, 1, milliseconds_until(deadline));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (Clock::now() >= deadline) return false;
  }
}

// Tries once. Returns an empty socket, and the reason in errno, if that fails.
Socket connect_once(int family, const sockaddr *name, socklen_t length, Clock::time_point deadline) {
  Socket socket = new_socket(family);
  if (!socket) return socket;
  if (connect(socket.get(), name, length) == 0) return socket;
  if (errno != EINPROGRESS && errno != EINTR) return Socket();
  int error = ETIMEDOUT;
  socklen_t size = sizeof error;
  if (wait_for(socket, POLLOUT, deadline)) getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0 ? std::move(socket) : Socket();
}

Socket try_address(const Address &address, const addrinfo *resolved, Clock::time_point deadline) {
  if (address.is_unix()) {
    const sockaddr_un name = unix_address(address);
    return connect_once(AF_UNIX, reinterpret_cast<const sockaddr *>(&name), sizeof name, deadline);
  }
  for (const addrinfo *one = resolved; one; one = one->ai_next) {
    Socket socket = connect_once(one->ai_family, one->ai_addr, one->ai_addrlen, deadline);
    if (!socket) continue;
    tune(socket);
    return socket;
  }
  return Socket();
}

Address parse_address(const std::string &text) {
  const auto refuse = [&](const char *why) {
    throw plugin::Failure{GPUOPT_ERR_INVALID_ARGUMENT, GPUOPT_REASON_NONE, 0,
                          "GPUOPT_RING_HOSTS: \"" + text + "\" " + why};
  };
  Address address;
  address.text = text;
  if (text.starts_with("unix:")) {
    address.path = text.substr(5);
    if (address.path.empty() || address.path[0] != '/') refuse("is no absolute path");
    if (address.path.size() >= sizeof(sockaddr_un::sun_path)) refuse("is too long for the path of a socket");
    return address;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) refuse("is not host:port or unix:/path");
  address.port = text.substr(colon + 1);
  if (address.port.find_first_not_of("0123456789") != std::string::npos) refuse("has a port that is no number");
  address.host = text.substr(0, colon);
  if (address.host.front() == '[' && address.host.back() == ']')
    address.host = address.host.substr(1, address.host.size() - 2);
  else if (address.host.find(':') != std::string::npos)
    refuse("has more than one colon; write [address]:port");
  return address;
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Clock::time_point deadline_in(double seconds) {
  constexpr double ages = 1e9;  // more would overflow the clock
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds > 0 ? std::min(seconds, ages) : ages));
}

int milliseconds_until(Clock::time_point deadline, int most) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count() + 1;
  return static_cast<int>(std::clamp<long long>(left, 0, most));
}

void fail_comm(std::string message, int error_number) {
  throw plugin::Failure{GPUOPT_ERR_COMM, GPUOPT_REASON_NONE, error_number, std::move(message)};
}

std::vector<Address> parse_addresses(const std::string &list) {
  std::vector<Address> addresses;
  for (size_t start = 0; start <= list.size();) {
    const size_t end = std::min(list.find(',', start), list.size());
    addresses.push_back(parse_address(list.substr(start, end - start)));
    start = end + 1;
  }
  return addresses;
}

Socket listen_at(const Address &address, Clock::time_point deadline) {
  if (address.is_unix()) return listen_at_path(address);
  int last = EADDRNOTAVAIL;
  const Addresses found = resolve_until(address, true, deadline);
  for (const addrinfo *one = found.get(); one; one = one->ai_next) {
    Socket socket = new_socket(one->ai_family);
    const int on = 1;
    if (socket) setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind_and_listen(socket, one->ai_addr, one->ai_addrlen)) return socket;
    last = errno;
  }
  fail_to_listen(address, last);
}

void warn_if_unknown(const Address &address) {
  if (address.is_unix()) return;
  Addresses found(nullptr, freeaddrinfo);
  if (const int failure = resolve(address, false, found)) warn_of_name(address, failure);
}

Socket accept_until(const Socket &listening, Clock::time_point deadline) {
  while (wait_for(listening, POLLIN, deadline)) {
    Socket socket(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) continue;  // the other side has gone meanwhile
    tune(socket);
    return socket;
  }
  return Socket();
}

Socket connect_until(const Address &address, Clock::time_point deadline) {
  const Addresses found =
      address.is_unix() ? Addresses(nullptr, freeaddrinfo) : resolve_until(address, false, deadline);
  for (;;) {
    if (Socket socket = try_address(address, found.get(), deadline)) return socket;
    const int error = errno;
    const bool passes = error == ECONNREFUSED || error == ENOENT || error == EAGAIN || error == EINTR ||
                        error == ECONNRESET || error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
    if (!passes || Clock::now() >= deadline) fail_comm(address.text + ": " + std::strerror(error), error);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool send_all(const Socket &socket, const void *data, size_t bytes, Clock::time_point deadline) {
  const char *at = static_cast<const char *>(data);
  while (bytes) {
    const ssize_t sent = send(socket.get(), at, bytes, MSG_NOSIGNAL);
    if (sent >= 0) {
      at += sent;
      bytes -= static_cast<size_t>(sent);
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool receive_all(const Socket &socket, void *data, size_t bytes, Clock::time_point deadline) {
  char *at = static_cast<char *>(data);
  while (bytes) {
    const ssize_t received = recv(socket.get(), at, bytes, 0);
    if (received > 0) {
      at += received;
      bytes -= static_cast<size_t>(received);
    } else if (received == 0) {
      return false;
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLIN, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

namespace {

// A byte, which says whether a descriptor comes with it, and room for one.
struct DescriptorMessage {
  char byte = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr header{};
  DescriptorMessage() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  DescriptorMessage(const DescriptorMessage &) = delete;
  DescriptorMessage &operator=(const DescriptorMessage &) = delete;
};

}  // namespace

bool send_descriptor(const Socket &socket, int descriptor, Clock::time_point deadline) {
  DescriptorMessage message;
  message.byte = descriptor >= 0 ? 1 : 0;
  if (descriptor < 0) message.header.msg_controllen = 0;
  if (cmsghdr *const control = descriptor < 0 ? nullptr : CMSG_FIRSTHDR(&message.header)) {
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  }
  for (;;) {
    if (sendmsg(socket.get(), &message.header, MSG_NOSIGNAL) == 1) return true;
    if (errno == EAGAIN ? !wait_for(socket, POLLOUT, deadline) : errno != EINTR) return false;
  }
}

bool receive_descriptor(const Socket &socket, Socket *descriptor, Clock::time_point deadline) {
  DescriptorMessage message;
  for (;;) {
    const ssize_t received = recvmsg(socket.get(), &message.header, MSG_CMSG_CLOEXEC);
    if (received == 1) break;
    if (received == 0) return false;
    if (errno == EAGAIN ? !wait_for(socket, POLLIN, deadline) : errno != EINTR) return false;
  }
  const cmsghdr *const control = CMSG_FIRSTHDR(&message.header);
  int given = -1;
  if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS)
    std::memcpy(&given, CMSG_DATA(control), sizeof given);
  *descriptor = Socket(given);
  return true;
}

}  // namespace gpuopt::ring

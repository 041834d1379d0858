// plugins/jit/helper/protocol.h -- the protocol between a backend and the process that compiles for it, over a socket.
//
// The backend starts `gpuopt-jit-helper LIBRARY BUILD`, whose standard input is the socket. The helper sends `ready` or
// `unfit`. It answers each `compile` at once by `started`, and later by one of the messages listed after that. Both
// sides are of one build and on one machine, so that structs are sent as they are. When the backend closes the socket,
// the helper ends, even in the middle of a compilation.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace gpuopt::helper {

enum class Message : uint32_t {
  ready,      // the helper can compile; the text is the name of the compiler
  unfit,      // LIBRARY is no libgpuopt_jit of BUILD; the text says why
  compile,    // a Request, and the strings name, processor and code, each with its terminating 0
  started,    // if the helper ends from here on, the kernel is the cause
  object,     // the object file
  refused,    // the messages of the compiler
  no_memory,  // memory ran out; the helper ends
  crash       // the compiler crashed by the signal `number`; the helper ends
};

struct Header {
  Message message;
  int32_t number;
  uint64_t bytes;  // of text that follow
};

// How much of the processors a compilation gets.
enum class Priority : uint32_t {
  normal,  // as much as any other thread: somebody waits for it
  low,     // little beside others
  idle     // only what all others leave
};

struct Request {
  uint32_t flags;  // both as in gpuopt_jit_source
  int32_t vector_bits;
  Priority priority;
};

// Sends all bytes. False if the other side is gone or, with errno EAGAIN, does nothing for longer than the socket's
// timeout. receive_all() is the same for receiving.
inline bool send_all(int socket, const void *data, size_t bytes) {
  for (const char *at = static_cast<const char *>(data); bytes > 0;) {
    const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    at += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

inline bool receive_all(int socket, void *data, size_t bytes) {
  for (char *at = static_cast<char *>(data); bytes > 0;) {
    const ssize_t got = recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EPIPE;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

inline bool send_message(int socket, Message message, const void *data = nullptr, size_t bytes = 0) {
  const Header header{message, 0, bytes};
  return send_all(socket, &header, sizeof header) && send_all(socket, data, bytes);
}

inline bool receive_message(int socket, Header *header, std::string *text) {
  if (!receive_all(socket, header, sizeof *header)) return false;
  text->resize(header->bytes);
  return receive_all(socket, text->data(), text->size());
}

}  // namespace gpuopt::helper

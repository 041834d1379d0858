// plugins/jit/helper/protocol.h -- what a backend and the process that compiles for it say to each other, over a
// socket.
//
// The backend starts `gpuopt-jit-helper LIBRARY BUILD`, whose standard input is the socket. The helper says `ready` or
// `unfit`; then each `compile` is answered by `begun`, at once, and by one of the words behind it. Both are of one
// build and on one machine, so structs go as they are. The end of the socket is the end of the helper, in the
// middle of a compilation, too.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace gpuopt::helper {

enum class Word : uint32_t {
  ready,      // the compiler's name
  unfit,      // why: LIBRARY is no libgpuopt_jit of BUILD
  compile,    // a Request, and the strings name, processor and code, each with the 0 that ends it
  begun,      // from here on what happens to the helper is the kernel's doing
  object,     // the object file
  refused,    // what the compiler said
  no_memory,  // and the helper ends, as after
  crash       // of which `number` is the signal
};

struct Head {
  Word word;
  int32_t number;
  uint64_t bytes;  // that follow
};

struct Request {
  uint32_t flags;  // as of gpuopt_jit_source
  int32_t vector_bits;
};

// All of it, or false: the other side is gone, or (errno EAGAIN) keeps still for longer than the socket's own limit.
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

inline bool say(int socket, Word word, const void *data = nullptr, size_t bytes = 0) {
  const Head head{word, 0, bytes};
  return send_all(socket, &head, sizeof head) && send_all(socket, data, bytes);
}

inline bool hear(int socket, Head *head, std::string *text) {
  if (!receive_all(socket, head, sizeof *head)) return false;
  text->resize(head->bytes);
  return receive_all(socket, text->data(), text->size());
}

}  // namespace gpuopt::helper

// plugins/ring/join.h -- how the processes of a job find each other, and prove that they belong to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugins/ring/shared_memory.h"
#include "plugins/ring/sockets.h"

namespace gpuopt::ring {

// What the settings say of this process's place in a job. `hosts` is empty if it belongs to none.
struct Place {
  int32_t rank = 0;
  std::vector<Address> hosts;  // by rank
  std::string secret;
  int32_t size() const { return hosts.empty() ? 1 : static_cast<int32_t>(hosts.size()); }
};
// Throws ERR_INVALID_ARGUMENT if they are no such place.
Place read_place();

// A socket to another rank and, where both are processes of one machine, memory through which messages go then.
struct Connection {
  Socket socket;
  std::unique_ptr<SharedMemory> memory;
};

// Returns a connection to each rank; that to the process's own is empty. A rank connects to those below it, and listens
// for those above it. Connections that do not prove that they know the secret are closed, with a warning, and do not
// count. Throws ERR_COMM, which names the ranks that are missing, if they are not all there at the deadline, and
// ERR_UNAVAILABLE if its own address cannot be had.
//
// What is proved. Both sides choose 32 random bytes; each sends HMAC-SHA256, with the secret as the key, of its role,
// the ranks, the number of ranks and both sides' bytes. So neither the secret nor an answer that could be used again is
// sent. What is sent afterwards is not encrypted.
std::vector<Connection> join(const Place &place, double timeout);

}  // namespace gpuopt::ring

// core/comm/threads.h -- ranks that are threads of one process, one for each device: what carries their messages.
//
// A rank's thread copies what is sent to it itself, from the sender's memory, while the sender waits: between two
// devices by the backend's copy_peer. Only what is short, or what nobody has asked for yet, is copied twice.
#pragma once
#include <span>
#include <vector>

#include "core/comm/world.h"

namespace gpuopt {

// Returns the worlds of as many ranks as there are devices, connected with each other; `timeout` is in seconds, 0: no
// limit. Each is used by one thread at a time.
std::vector<Ref<World>> open_thread_worlds(std::span<const gpuopt_device> devices, double timeout);

}  // namespace gpuopt

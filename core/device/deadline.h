// core/device/deadline.h -- work that may never end, such as opening a foreign plugin, done with a limit of time.
#pragma once
#include <cstdint>
#include <functional>

namespace gpuopt {

// How long a plugin may take for each step of being opened, in seconds: GPUOPT_OPEN_TIMEOUT, else 120; 0 is no limit.
// Read at each call. A value that is no number of seconds is a warning, once.
uint32_t open_timeout();

// Calls `body` in a thread of its own, which receives no signals, and waits for its end, but no longer than `seconds`.
// True if it has ended; what it throws is thrown here. False if it has not: then the thread goes on for itself, and
// nothing of this library waits for it any more, so `body` owns all that it uses. With 0 seconds, and where no thread
// can be started, it is called in this thread.
bool ends_within(uint32_t seconds, std::function<void()> body);

}  // namespace gpuopt

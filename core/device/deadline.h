// core/device/deadline.h -- runs work that may never end, such as opening a foreign plugin, with a time limit.
#pragma once
#include <cstdint>
#include <functional>

namespace gpuopt {

// Returns how many seconds a plugin may take for each step of being opened, 0 for no limit: the value that
// GPUOPT_OPEN_TIMEOUT has now, or 120. A value that is no number of seconds is ignored, and logged as a warning once.
uint32_t open_timeout();

// Runs `body` on a new thread, which has all signals blocked, and waits for at most `seconds`. Returns true if `body`
// has returned; rethrows what it throws. Returns false on a timeout: the thread then goes on, and nothing waits for it
// any more, so that `body` must own everything that it uses. If `seconds` is 0, or no thread can be started, `body`
// runs on the calling thread without a limit.
bool ends_within(uint32_t seconds, std::function<void()> body);

}  // namespace gpuopt

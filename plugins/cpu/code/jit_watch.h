// plugins/cpu/code/jit_watch.h -- watches how long a compilation takes: logs it, and ends it if the program cancels it
// or its time is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace gpuopt::cpu {

// Whether the program has cancelled a compilation. Once true, it stays true. An empty function never cancels.
using Stopped = std::function<bool()>;

// How much of the processors a compilation gets: as much as other threads, since one of them waits for it; little
// beside others; or only what all others leave, which may be nothing.
enum class Urgency : uint8_t { kAwaited, kLow, kIdle };

// Watches one compilation, from the construction of this object on.
class JitWatch {
 public:
  // `seconds` is the time limit, 0 for none.
  JitWatch(std::string kernel, uint32_t seconds, Stopped stopped);

  // To be called often. Logs, after the first second and then ever less often, that the compilation takes long. Returns
  // whether it has to end.
  bool is_over();
  // Throws the reason why it has to end: plugin::Failure, ERR_CANCELLED or ERR_COMPILE.
  [[noreturn]] void refuse() const;

 private:
  void tell() const;

  const std::string kernel_;
  const uint32_t seconds_;
  const Stopped stopped_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int64_t next_ = 1;  // seconds after which it logs next
  bool cancelled_ = false;
};

}  // namespace gpuopt::cpu

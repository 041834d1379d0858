// plugins/cpu/code/jit_watch.cpp -- see jit_watch.h.
#include "plugins/cpu/code/jit_watch.h"

#include <utility>

#include "plugins/cpu/runtime/host.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {

JitWatch::JitWatch(std::string kernel, uint32_t seconds, Stopped stopped)
    : kernel_(std::move(kernel)), seconds_(seconds), stopped_(std::move(stopped)) {}

bool JitWatch::is_over() {
  const auto since = std::chrono::steady_clock::now() - begin_;
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  if (seconds >= next_ && !(seconds_ && seconds >= seconds_)) {
    tell();  // the callback of the log may cancel it, which counts at once
    while (next_ <= seconds) next_ *= 2;
  }
  cancelled_ = stopped_ && stopped_();
  return cancelled_ || (seconds_ && seconds >= seconds_);
}

void JitWatch::tell() const {
  const std::string limit = seconds_ ? "; it is stopped after " + std::to_string(seconds_) : std::string();
  log(GPUOPT_LOG_INFO, "cpu.jit_slow",
      ("the kernel " + kernel_ + " has been compiled for " + std::to_string(next_) + " seconds" + limit +
       " (GPUOPT_JIT_TIMEOUT)")
          .c_str());
}

void JitWatch::refuse() const {
  if (cancelled_) throw plugin::Failure{GPUOPT_ERR_CANCELLED, GPUOPT_REASON_NONE, 0, "its compilation was cancelled"};
  throw plugin::Failure{GPUOPT_ERR_COMPILE, GPUOPT_REASON_NONE, 0,
                        "the compiler was stopped after " + std::to_string(seconds_) + " seconds (GPUOPT_JIT_TIMEOUT)"};
}

}  // namespace gpuopt::cpu

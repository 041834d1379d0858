// plugins/cpu/runtime/serial_scope.h -- loops that run in their caller alone.
#pragma once

namespace gpuopt::cpu {

// While it lives, parallel_for() (pool.h) runs the loops of this thread serially: for work of so many short loops that
// waking other threads for them would take longer than the loops. Must be destroyed in the thread that made it.
class SerialScope {
 public:
  SerialScope() noexcept;
  ~SerialScope();
  SerialScope(const SerialScope &) = delete;
  SerialScope &operator=(const SerialScope &) = delete;

  // Returns whether one lives in this thread.
  static bool lives() noexcept;

 private:
  const bool outer_;
};

}  // namespace gpuopt::cpu

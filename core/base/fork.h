// core/base/fork.h -- which threads are inside the library: a fork copies the process only while no other thread is.
//
// A child of fork() has only the thread that called fork. A lock that another thread held, a count that it was about to
// decrement, or a static object that it was initializing would stay in that state for ever. So every function of the C
// ABI that may take a lock counts its thread as inside while it runs, and a handler of fork (pthread_atfork) waits
// until no other thread is inside, and keeps threads from entering until the process is copied. The child then finds
// every lock of the core and of its backends free, and the data that they guard consistent, without a list of those
// locks. The log is the exception: its locks are taken by the handler (log.h).
#pragma once
#include <atomic>

#include "plugins/shared/host/every_thread.h"

namespace gpuopt {

// Returns how many times this process has become the child of a fork since the library was loaded. Objects that do not
// survive a fork store the value at which they were made.
int fork_generation();

// The calling thread is inside the library while an object of this class lives. Objects may be nested. The outermost
// constructor blocks while another thread forks.
class InLibrary {
 public:
  InLibrary() noexcept {
    if (depth++ == 0) enter();
  }
  ~InLibrary() {
    if (--depth == 0) leave();
  }
  InLibrary(const InLibrary &) = delete;
  InLibrary &operator=(const InLibrary &) = delete;

  // Returns false in the child of a fork that did not wait for the threads inside: locks may be held for ever there, so
  // that no function of the library works.
  static bool usable() noexcept { return !is_unusable.load(std::memory_order_relaxed); }
  // Throws ERR_FORKED where usable() is false.
  void check() const;

  // For a helper thread, while a thread that is inside waits for it. The helper counts as that thread and does not
  // enter: it would wait for the end of a fork, which waits for that thread.
  class OnBehalf {
   public:
    OnBehalf() noexcept { depth++; }
    ~OnBehalf() { depth--; }
    OnBehalf(const OnBehalf &) = delete;
    OnBehalf &operator=(const OnBehalf &) = delete;
  };

 private:
  static void enter() noexcept;
  static void leave() noexcept;
  GPUOPT_IN_EVERY_THREAD static constinit thread_local int depth;
  static constinit std::atomic<bool> is_unusable;
  friend struct ForkHandlers;
};

}  // namespace gpuopt

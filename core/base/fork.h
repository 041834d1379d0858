// core/base/fork.h -- which threads are inside the library: a fork copies the process only while no other thread is.
//
// A child of fork() has only the thread that forked. A lock that another thread held, a count that it was about to
// lower and a static object that it was about to finish would stay as they are for ever. So every function of the C
// ABI announces its thread here while it runs, and a handler of fork waits until no other thread is inside and keeps
// the others from entering until the copy is made. By that the child finds every lock of the core and of its backends
// free and all that they guard whole, without a list of those locks.
#pragma once

namespace gpuopt {

// Forks this process has gone through since the library was loaded, as a child.
int fork_generation();

// The calling thread is inside the library while an object of this class lives; they may be nested. Entering waits
// while another thread forks.
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

  // False in a child of a fork that could not wait for the threads inside: nothing may be touched there but memory.
  bool usable() const noexcept;
  // Throws ERR_FORKED where usable() is false.
  void check() const;

  static int nesting() noexcept { return depth; }

  // For a thread that works for one that is inside and waits for it: it counts as that one, and does not enter itself,
  // for which it might have to wait until a fork is over that waits for the other.
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
  static constinit thread_local int depth;
  friend struct ForkHandlers;
};

}  // namespace gpuopt

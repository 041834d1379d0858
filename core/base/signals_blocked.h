// core/base/signals_blocked.h -- keeps signals away from threads of the library.
#pragma once
#if !defined(_WIN32)
#include <csignal>
#endif

namespace gpuopt {

// Blocks all signals of the calling thread while it exists. A thread that is started meanwhile inherits that, so that
// the program's own threads handle signals. Does nothing on Windows.
class SignalsBlocked {
 public:
#if defined(_WIN32)
  SignalsBlocked() = default;
#else
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
#endif
};

}  // namespace gpuopt

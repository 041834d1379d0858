// plugins/shared/host/thread_exit_posix.cpp -- see thread_exit.h.
#if !defined(_WIN32)
#include <pthread.h>

#include "plugins/shared/host/thread_exit.h"

namespace gpuopt {

bool at_thread_exit(void (*body)(void *), void *argument) noexcept {
  struct Key {
    pthread_key_t key;
    bool made;
  };
  static const Key once = [body] {
    Key made{};
    made.made = pthread_key_create(&made.key, body) == 0;
    return made;
  }();
  return once.made && pthread_setspecific(once.key, argument) == 0;
}

}  // namespace gpuopt
#endif

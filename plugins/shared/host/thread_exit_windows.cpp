// plugins/shared/host/thread_exit_windows.cpp -- see thread_exit.h.
#if defined(_WIN32)
#include <windows.h>

#include "plugins/shared/host/thread_exit.h"

namespace gpuopt {

bool at_thread_exit(void (*body)(void *), void *argument) noexcept {
  static const DWORD slot = FlsAlloc(reinterpret_cast<PFLS_CALLBACK_FUNCTION>(body));
  return slot != FLS_OUT_OF_INDEXES && FlsSetValue(slot, argument);
}

}  // namespace gpuopt
#endif

// plugins/shared/host/thread_exit.h -- a function that is called when a thread ends.
//
// The destructor of a thread_local object will not do: the C++ library registers it with the process, where it can run
// before the program's own handlers of exit, which may still use arrays.
#pragma once

namespace gpuopt {

// Registers `body(argument)` to be called when the calling thread ends, after the destructors of its thread_local
// objects; it is not called if the whole process ends. `body` must be the same in all calls from one library. Returns
// false if the system refuses.
bool at_thread_exit(void (*body)(void *), void *argument) noexcept;

}  // namespace gpuopt

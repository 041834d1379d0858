// core/base/thread_end.h -- what the core does when a thread ends.
#pragma once

namespace gpuopt {

// Registers `body`, one of at most two functions of the core, to be called when the calling thread ends, after the
// destructors of its thread_local objects; once, however often it is registered. If another library's destructor runs
// even later and uses arrays, `body` can be registered anew. If the system refuses, `body` is not called.
void at_end_of_thread(void (*body)() noexcept) noexcept;

}  // namespace gpuopt

// plugins/cpu/program/thread_kept.cpp -- see thread_kept.h.
//
// All state is atomic and there is no lock, because a child of fork() could inherit a lock that an ending thread held.
#include "plugins/cpu/program/thread_kept.h"

#include <new>

#include "plugins/cpu/runtime/os.h"
#include "plugins/shared/host/thread_exit.h"

namespace gpuopt::cpu {
namespace {

// A plain pointer without a destructor, so that it can still be used while a thread's thread_local objects are
// destroyed.
GPUOPT_IN_EVERY_THREAD constinit thread_local ThreadKept *t_kept = nullptr;
constinit std::atomic<ThreadKept *> g_all{nullptr};

}  // namespace

// Runs when a thread ends, after the destructors of its thread_local objects. If another library's destructor runs even
// later and uses arrays, the thread takes another ThreadKept.
void ThreadKept::leave(void *raw) noexcept {
  auto *const kept = static_cast<ThreadKept *>(raw);
  t_kept = nullptr;
  for (std::unique_ptr<Plan> &plan : kept->plans) plan.reset();
  kept->scratch.release();
  kept->used_.store(false, std::memory_order_release);
}

ThreadKept *ThreadKept::take() noexcept {
  for (ThreadKept *kept = g_all.load(std::memory_order_acquire); kept; kept = kept->next_) {
    if (!kept->used_.load(std::memory_order_relaxed) && !kept->used_.exchange(true, std::memory_order_acquire))
      return kept;
  }
  auto *const made = new (std::nothrow) ThreadKept;
  if (!made) return nullptr;
  made->next_ = g_all.load(std::memory_order_relaxed);
  while (!g_all.compare_exchange_weak(made->next_, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return made;
}

ThreadKept *ThreadKept::mine() noexcept {
  if (t_kept) [[likely]]
    return t_kept;
  t_kept = take();
  // If this fails, the contents are not freed when the thread ends.
  if (t_kept) (void)at_thread_exit(&ThreadKept::leave, t_kept);
  return t_kept;
}

size_t ThreadKept::count() noexcept {
  size_t count = 0;
  for (const ThreadKept *kept = g_all.load(std::memory_order_acquire); kept; kept = kept->next_) count++;
  return count;
}

}  // namespace gpuopt::cpu

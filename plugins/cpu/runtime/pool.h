// plugins/cpu/runtime/pool.h -- the thread pool. It runs one parallel loop at a time, over tasks that the caller has
// cut.
//
// A result must not depend on which worker runs a task, or in what order. Where the cut of the work affects the result,
// it has to follow from the size of the work alone, never from pool_size().
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace gpuopt::cpu {

// A callable passed by reference; it must outlive the call it is passed to.
template <typename Signature>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename Callable, typename = std::enable_if_t<!std::is_same_v<std::decay_t<Callable>, FunctionRef>>>
  FunctionRef(Callable &&callable) noexcept
      : object_(const_cast<void *>(static_cast<const void *>(std::addressof(callable)))),
        call_([](void *object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable> *>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void *object_;
  Result (*call_)(void *, Arguments...);
};

// Returns how many threads a parallel loop may use, the caller included: GPUOPT_NUM_THREADS, or else
// usable_processors() (os.h). Fixed at the first call.
int pool_size() noexcept;

// Runs body(task, worker) for every task in [0, ntasks) exactly once, and returns when all have finished. `worker` is
// in [0, pool_size()) and differs between bodies of this call that run at the same time; the caller takes part as
// worker 0. Only one loop uses the threads at a time: a nested call, or one from another thread meanwhile, runs
// serially in its caller. `body` must not throw. Threads start at the first call that has work for them; if the system
// refuses some, the others do all tasks.
void parallel_for(int64_t ntasks, FunctionRef<void(int64_t task, int worker)> body) noexcept;

// Whether there are as many processors as threads. Fixed at the first call.
bool threads_have_processors() noexcept;

// While an object of this class exists, threads that wait for a loop, or for the others at its end, spin for a
// millisecond before they go to sleep. For calls that run many short loops, one after the other, with less than that in
// between: to wake a thread takes as long as such a loop, on virtual machines above all.
class KeepAwake {
 public:
  KeepAwake() noexcept;
  ~KeepAwake();
  KeepAwake(const KeepAwake &) = delete;
  KeepAwake &operator=(const KeepAwake &) = delete;
};

}  // namespace gpuopt::cpu

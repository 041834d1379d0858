// plugins/cpu/runtime/pool.h -- the thread pool: one parallel loop at a time, chunking left to the caller.
//
// A result must not depend on which worker runs a task or in what order: cut the work by size alone, never by
// pool_size().
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

// Threads a parallel loop may use, the caller included: GPUOPT_NUM_THREADS, else the processors this process may run on
// (its affinity mask and control group quota). Fixed at the first call.
int pool_size() noexcept;

// Runs body(task, worker) for every task in [0, ntasks), each exactly once, and returns when all have finished.
// `worker` is in [0, pool_size()) and differs between bodies of this call that run at the same time. The caller takes
// part as worker 0. Only one loop uses the threads at a time: a nested call, or one from another thread meanwhile, runs
// serially in its caller. `body` must not throw. Threads start at the first call that has work for them; where the
// system refuses them, fewer do it.
void parallel_for(int64_t ntasks, FunctionRef<void(int64_t task, int worker)> body) noexcept;

}  // namespace gpuopt::cpu

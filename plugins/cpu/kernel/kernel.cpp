// plugins/cpu/kernel/kernel.cpp -- the slots of source kernels, which compile them for this processor and run their
// blocks on all threads of the pool.
#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/cpu/code/fault_guard.h"
#include "plugins/cpu/code/jit.h"
#include "plugins/cpu/kernel/block_check.h"
#include "plugins/cpu/kernel/block_ranges.h"
#include "plugins/cpu/kernel/grid_wait.h"
#include "plugins/cpu/kernel/host_calls.h"
#include "plugins/cpu/kernel/kernel_launch.h"
#include "plugins/cpu/kernel/kernel_module.h"
#include "plugins/cpu/kernel/kernel_object.h"
#include "plugins/cpu/plugin/slots.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/kernel_next.h"
#include "plugins/shared/host/settings.h"

struct gpuopt_plugin_kernel {
  gpuopt::cpu::KernelObject object;
  std::shared_ptr<gpuopt::cpu::KernelModule> module;  // NULL unless it is a raw kernel
  void *function = nullptr;                           // NULL unless it is a native function
};

namespace gpuopt::cpu {
namespace {

constexpr uint32_t kMostShared = 227 * 1024;  // bytes, as on GPUs

// Compares the arguments of a launch with the kernel's parameters, in number and size. The kernel itself cannot.
void check_arguments(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch) {
  if (kernel.function) fail(GPUOPT_ERR_INVALID_ARGUMENT, "a function is called, not launched");
  const unsigned long long *const parameters = kernel.object.parameters;
  if (parameters[0] != static_cast<unsigned long long>(launch.narguments))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%d arguments for %llu parameters", launch.narguments, parameters[0]);
  for (int32_t k = 0; k < launch.narguments; k++) {
    if (launch.arguments[k].bytes != parameters[k + 1])
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "argument %d has %llu bytes, its parameter %llu", k,
           static_cast<unsigned long long>(launch.arguments[k].bytes), parameters[k + 1]);
  }
}

uint64_t volume(const uint32_t (&sizes)[3]) { return uint64_t{sizes[0]} * sizes[1] * sizes[2]; }

// Calls body(first, last), which must not throw, for ranges of the blocks, on the threads of the pool; see
// for_block_ranges().
template <class Body>
void for_blocks(const gpuopt_kernel_launch &launch, Body body) {
  for_block_ranges(volume(launch.grid), volume(launch.block),
                   [&](BlockRange range) { return body(range.first, range.last); });
}

// Keeps one of the exceptions that host threads throw: that of the first of the ranges of blocks.
class FirstFailure {
 public:
  // Calls body(), for a range that begins at block `first`. Returns whether it threw nothing.
  template <class Body>
  bool of(uint64_t first, Body body) {
    try {
      body();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || first < first_) failure_ = std::current_exception(), first_ = first;
      return false;
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  uint64_t first_ = 0;
};

[[noreturn]] void report_fault(const Fault &fault, const std::string &who) {
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0, "fault: " + who + " " + describe(fault)};
}

[[noreturn]] void report_end(const HostCalls &calls) {
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0, calls.reason("the kernel")};
}

// Runs `body`. If it faults, throws a message about the fault with its block and thread.
void watch_blocks(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch, BlockRun &run,
                  FunctionRef<void()> body) {
  const HostCalls::Scope scope(run.calls());
  const Fault fault = run_watched(kernel.object.code->memory(), body);
  if (fault.kind == Fault::kNone) return;
  const std::string thread =
      run.thread() < 0 ? "" : "thread " + indices_text(launch.block, static_cast<uint64_t>(run.thread())) + " of ";
  report_fault(fault, thread + "block " + indices_text(launch.grid, run.block()));
}

void run_loops(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments) {
  FirstFailure failure;
  LaunchOutput output;
  for_blocks(launch, [&](uint64_t first, uint64_t last) {
    const KernelLaunch part{volume(launch.grid), first, last};
    HostCalls calls({&output, first, last});
    const HostCalls::Scope scope(calls);
    bool whole = true;
    set_launch(&part);
    const Fault fault =
        run_watched(kernel.object.code->memory(), [&] { whole = calls.run([&] { kernel.object.entry(arguments); }); });
    set_launch(nullptr);
    return failure.of(first, [&] {
      if (fault.kind != Fault::kNone) report_fault(fault, "the kernel");
      if (!whole) report_end(calls);
    });
  });
  failure.rethrow();
}

// The blocks of a launch of a raw kernel.
class RawLaunch {
 public:
  RawLaunch(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments)
      : kernel_(kernel), launch_(launch), arguments_(arguments), waiting_(launch) {}

  // Runs the blocks. Throws the failure of the first range that has one; of the blocks behind it some have run.
  void run() {
    for_blocks(launch_,
               [&](uint64_t first, uint64_t last) { return failure_.of(first, [&] { run_range(first, last); }); });
    failure_.rethrow();
    while (const size_t count = waiting_.begin_round()) {
      parallel_for(static_cast<int64_t>(count), [&](int64_t k, int) {
        failure_.of(static_cast<uint64_t>(k), [&] { go_on(static_cast<size_t>(k)); });
      });
      failure_.rethrow();
    }
  }

 private:
  // Runs blocks one after the other, each to its end or until it waits for the grid.
  void run_range(uint64_t first, uint64_t last) {
    while (first < last) {
      auto run = std::make_unique<BlockRun>(kernel_.object.raw, launch_, arguments_, nullptr,
                                            LaunchTask{&output_, first, last});
      bool ended = true;
      watch_blocks(kernel_, launch_, *run, [&] {
        while (ended && first < last) ended = run->run(first++);
      });
      if (ended) return;
      run->calls().end_at(first);
      waiting_.add(std::move(run));
    }
  }
  void go_on(size_t k) {
    bool ended = false;
    BlockRun &run = waiting_.block(k);
    watch_blocks(kernel_, launch_, run, [&] { ended = run.go_on(); });
    if (ended) waiting_.end(k);
  }

  const gpuopt_plugin_kernel &kernel_;
  const gpuopt_kernel_launch &launch_;
  const void *const *const arguments_;
  LaunchOutput output_;
  FirstFailure failure_;
  GridWait waiting_;
};

void run_raw(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments) {
  RawLaunch(kernel, launch, arguments).run();
}

void warn_incomplete() {
  warn_once("cpu.check_incomplete", name_of(Setting::GPUOPT_CPU_CHECK),
            "GPUOPT_CPU_CHECK: a launch used more than 16 MiB of memory; races in the rest were not looked for");
}

// Runs the blocks in order, up to the first error that the check finds.
void run_checked(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments) {
  FirstFailure failure;
  LaunchOutput output;
  parallel_for(1, [&](int64_t, int) {
    failure.of(0, [&] {
      BlockCheck check(launch);
      BlockRun run(kernel.object.raw, launch, arguments, &check, {&output, 0, volume(launch.grid)});
      watch_blocks(kernel, launch, run, [&] {
        for (uint64_t block = 0; block < volume(launch.grid); block++) run.run(block);
      });
      if (check.is_incomplete()) warn_incomplete();
    });
  });
  failure.rethrow();
}

}  // namespace

gpuopt_status slots::kernel_compile(gpuopt_plugin_device *, const gpuopt_kernel_source *source,
                                    gpuopt_plugin_kernel **kernel, gpuopt_error *) try {
  const bool raw = source->flags & GPUOPT_KERNEL_RAW;
  const Stopped stopped = [source] { return plugin::is_stopped(*source); };
  gpuopt_plugin_kernel made;
  if (raw) {
    made.module = kernel_module(*source);
    made.object = made.module->compile(source->name, source->code, stopped);
  } else if (source->flags & GPUOPT_KERNEL_FUNCTION) {
    made.object.code = compile_kernel(source->name, source->code, source->flags, isa_level(), nullptr, stopped);
    made.function = made.object.code->find(source->name);
    if (!made.function) fail(GPUOPT_ERR_INTERNAL, "its code has no %s", source->name);
  } else {
    made.object = open_kernel(compile_kernel(source->name, source->code, 0, isa_level(), nullptr, stopped), false);
  }
  *kernel = new gpuopt_plugin_kernel(std::move(made));
  return GPUOPT_OK;
} catch (const plugin::Failure &failure) {
  plugin::tell_log(*source, failure);
  throw;
}

void slots::kernel_release(gpuopt_plugin_device *, gpuopt_plugin_kernel *kernel) { delete kernel; }

gpuopt_status slots::kernel_launch(gpuopt_plugin_device *, gpuopt_plugin_stream *, gpuopt_plugin_kernel *kernel,
                                   const gpuopt_kernel_launch *launch, gpuopt_error *) {
  check_arguments(*kernel, *launch);
  const uint64_t threads = volume(launch->block), most = kernel->object.raw.most_threads;
  if (threads == 0 || threads > most || volume(launch->grid) == 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "%u x %u x %u blocks of %u x %u x %u threads; this kernel runs in blocks of 1 to %llu", launch->grid[0],
         launch->grid[1], launch->grid[2], launch->block[0], launch->block[1], launch->block[2],
         static_cast<unsigned long long>(most));
  std::vector<const void *> arguments;
  for (int32_t k = 0; k < launch->narguments; k++) arguments.push_back(launch->arguments[k].value);
  if (launch->shared_bytes > kMostShared)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%u bytes of shared memory; at most %u are offered", launch->shared_bytes,
         kMostShared);
  const auto run = kernel->object.entry ? run_loops : kernel->object.raw.checked ? run_checked : run_raw;
  run(*kernel, *launch, arguments.data());
  return GPUOPT_OK;
}

gpuopt_status slots::kernel_info(gpuopt_plugin_device *, gpuopt_plugin_kernel *kernel, gpuopt_kernel_info *info,
                                 gpuopt_error *) {
  info->max_threads = static_cast<int32_t>(kernel->object.raw.most_threads);
  info->registers = -1;
  info->shared_bytes = static_cast<int64_t>(kernel->object.raw.shared_bytes);
  info->local_bytes =
      static_cast<int64_t>(std::max(kernel->object.raw.frame_bytes, kernel->object.raw.block_frame_bytes));
  return GPUOPT_OK;
}

gpuopt_status slots::kernel_variable(gpuopt_plugin_device *, gpuopt_plugin_kernel *kernel, const char *name,
                                     void **address, uint64_t *bytes, gpuopt_error *) {
  const Variable found = kernel->module ? kernel->module->variable(name) : Variable{};
  *address = found.address;
  *bytes = found.bytes;
  return GPUOPT_OK;
}

gpuopt_status slots::kernel_function(gpuopt_plugin_device *, gpuopt_plugin_kernel *kernel, void **address,
                                     gpuopt_error *) {
  if (!kernel->function) fail(GPUOPT_ERR_INVALID_ARGUMENT, "a kernel is launched, not called");
  *address = kernel->function;
  return GPUOPT_OK;
}

gpuopt_status slots::bundle_build(const gpuopt_kernel_source *source, gpuopt_bundle_sink sink, void *context,
                                  gpuopt_error *) {
  build_bundle(*source, [&](const std::string &piece) { sink(context, piece.data(), piece.size()); });
  return GPUOPT_OK;
}

gpuopt_status slots::bundle_load(const void *pieces, uint64_t size, gpuopt_error *) {
  load_bundle({static_cast<const char *>(pieces), size});
  return GPUOPT_OK;
}

}  // namespace gpuopt::cpu

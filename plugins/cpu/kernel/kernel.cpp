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
#include "plugins/cpu/kernel/block_ranges.h"
#include "plugins/cpu/kernel/device_launches.h"
#include "plugins/cpu/kernel/first_failure.h"
#include "plugins/cpu/kernel/grid_run.h"
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

[[noreturn]] void report_end(const HostCalls &calls) {
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0, calls.reason("the kernel")};
}

void run_loops(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments) {
  FirstFailure failure;
  LaunchOutput output;
  for_block_ranges(volume(launch.grid), volume(launch.block), [&](BlockRange range) {
    const auto [first, last] = range;
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
  if (kernel->object.entry) {
    run_loops(*kernel, *launch, arguments.data());
  } else {
    run_grid(kernel->object, *launch, arguments.data());
  }
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

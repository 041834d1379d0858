// plugins/cpu/kernel.cpp -- the slots of source kernels: compiled for this processor, their blocks run on all threads.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "plugins/cpu/cpuid.h"
#include "plugins/cpu/jit.h"
#include "plugins/cpu/kernel_launch.h"
#include "plugins/cpu/pool.h"
#include "plugins/cpu/slots.h"
#include "plugins/cpu/tensor.h"
#include "plugins/shared/host/barrier.h"

struct gpuopt_plugin_kernel {
  std::unique_ptr<gpuopt::cpu::ObjectCode> code;
  void (*entry)(const void *const *arguments) = nullptr;
  const unsigned long long *parameters = nullptr;  // how many, and the bytes of each
};

namespace gpuopt::cpu {
namespace {

constexpr int64_t kThreadsPerTask = 16384;  // of a GPU: what is worth another thread of the CPU
constexpr int kTasksPerWorker = 8;          // blocks may take different times

template <class Function>
Function entry_of(const gpuopt_plugin_kernel &kernel, const char *name) {
  void *const address = kernel.code->find(name);
  if (!address)
    throw plugin::Failure{GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, "its code has no " + std::string(name)};
  return reinterpret_cast<Function>(address);
}

// A wrong size would otherwise be read as it is: past the end of the argument, or not all of it.
gpuopt_status check_arguments(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch,
                              gpuopt_error *error) {
  const unsigned long long *const parameters = kernel.parameters;
  if (parameters[0] != static_cast<unsigned long long>(launch.narguments))
    return fail(error, GPUOPT_ERR_INVALID_ARGUMENT, "%d arguments for %llu parameters", launch.narguments,
                parameters[0]);
  for (int32_t k = 0; k < launch.narguments; k++) {
    if (launch.arguments[k].bytes != parameters[k + 1])
      return fail(error, GPUOPT_ERR_INVALID_ARGUMENT, "argument %d has %llu bytes, its parameter %llu", k,
                  static_cast<unsigned long long>(launch.arguments[k].bytes), parameters[k + 1]);
  }
  return GPUOPT_OK;
}

uint64_t volume(const uint32_t (&sizes)[3]) { return uint64_t{sizes[0]} * sizes[1] * sizes[2]; }

void run_blocks(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments) {
  const auto blocks = static_cast<int64_t>(volume(launch.grid));
  const auto threads = static_cast<int64_t>(volume(launch.block));
  const int64_t worth = blocks * threads / kThreadsPerTask;
  const int64_t tasks = std::clamp<int64_t>(worth, 1, std::min<int64_t>(blocks, pool_size() * kTasksPerWorker));
  const auto first_of = [&](int64_t task) { return blocks / tasks * task + std::min(task, blocks % tasks); };
  parallel_for(tasks, [&](int64_t task, int) {
    KernelLaunch part{};
    std::copy_n(launch.grid, 3, part.grid);
    std::copy_n(launch.block, 3, part.block);
    part.first = static_cast<uint64_t>(first_of(task));
    part.last = static_cast<uint64_t>(first_of(task + 1));
    set_launch(&part);
    kernel.entry(arguments);
    set_launch(nullptr);
  });
}

}  // namespace

gpuopt_status slots::kernel_compile(gpuopt_plugin_device *, const gpuopt_kernel_source *source,
                                    gpuopt_plugin_kernel **kernel, gpuopt_error *) {
  auto made = std::make_unique<gpuopt_plugin_kernel>();
  made->code = compile_kernel(source->name, source->code, isa_level());
  made->entry = entry_of<void (*)(const void *const *)>(*made, "gpuopt_entry");
  made->parameters = entry_of<const unsigned long long *(*)()>(*made, "gpuopt_parameters")();
  *kernel = made.release();
  return GPUOPT_OK;
}

void slots::kernel_release(gpuopt_plugin_device *, gpuopt_plugin_kernel *kernel) { delete kernel; }

gpuopt_status slots::kernel_launch(gpuopt_plugin_device *, gpuopt_plugin_stream *, gpuopt_plugin_kernel *kernel,
                                   const gpuopt_kernel_launch *launch, gpuopt_error *error) {
  const gpuopt_status status = check_arguments(*kernel, *launch, error);
  if (status != GPUOPT_OK) return status;
  const uint64_t threads = volume(launch->block);
  if (threads == 0 || threads > 1024 || volume(launch->grid) == 0)
    return fail(error, GPUOPT_ERR_INVALID_ARGUMENT,
                "%u x %u x %u blocks of %u x %u x %u threads; a block has 1 to 1024", launch->grid[0], launch->grid[1],
                launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
  std::vector<const void *> arguments;
  for (int32_t k = 0; k < launch->narguments; k++) arguments.push_back(launch->arguments[k].value);
  run_blocks(*kernel, *launch, arguments.data());
  return GPUOPT_OK;
}

}  // namespace gpuopt::cpu

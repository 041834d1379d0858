// plugins/cuda/compile/user_kernel.cpp -- the slots of source kernels: the user's CUDA C++ through NVRTC and its
// caches.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "plugins/cuda/compile/kernel_code.h"
#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/cuda/driver/host.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/shared/host/kernel_next.h"

struct gpuopt_plugin_kernel {
  const char *name = nullptr;  // owned by the device's KernelStore
  CUfunction function = nullptr;
  CUmodule module = nullptr;                     // of a raw kernel, else NULL
  std::vector<size_t> parameter_bytes;           // empty if this driver cannot tell
  bool waits_for_grid = false;                   // whether it, or another kernel of its module, calls grid.sync()
  uint64_t most_threads = 0;                     // of a block
  uint64_t shared_bytes = 0;                     // of static arrays
  std::atomic<uint32_t> shared_limit{48 << 10};  // of static and dynamic arrays together; allow_shared() raises it
};

namespace gpuopt::cuda {
namespace {

std::vector<size_t> parameter_bytes_of(Device &device, const gpuopt_plugin_kernel &kernel) {
  std::vector<size_t> all;
  while (driver().cuFuncGetParamInfo) {
    size_t offset = 0, bytes = 0;
    const CUresult code = driver().cuFuncGetParamInfo(kernel.function, all.size(), &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_VALUE) break;  // that was the last one
    check(device, code, kernel.name);
    all.push_back(bytes);
  }
  return all;
}

int attribute_of(Device &device, const gpuopt_plugin_kernel &kernel, CUfunction_attribute attribute) {
  int value = 0;
  check(device, driver().cuFuncGetAttribute(&value, attribute, kernel.function), kernel.name);
  return value;
}

const Kernel &stored(Device &device, const std::string &key, const KernelSource &source) {
  const Kernel *const found = device.kernels->find(key);
  return found ? *found : device.kernels->add(key, source);
}

// Returns what the KernelStore compiles for a kernel. For a raw kernel this is its module, which is compiled and loaded
// once for all kernels in it.
KernelSource store_source(const gpuopt_kernel_source &source) {
  if (source.flags & GPUOPT_KERNEL_FUNCTION)
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: a function for the host cannot be had of a GPU", source.name);
  if (!(source.flags & GPUOPT_KERNEL_RAW)) return {source.name, source.name, source.code, 0, 0, true};
  KernelSource module{"raw", source.name, source.code, 0, 0, true};
  const bool named = source.struct_size >= sizeof source && source.nnames > 0;
  for (int32_t k = 0; named && k < source.nnames; k++) module.functions.emplace_back(source.names[k]);
  if (!named) module.functions.emplace_back(source.name);
  return module;
}

// The symbol of gpo::groups::grid_waits<0> (plugins/shared/words/cooperative.h), which only such modules have.
constexpr const char *kGridWaits = "_ZN3gpo6groups10grid_waitsILi0EEE";

bool has_variable(Device &device, const gpuopt_plugin_kernel &kernel, const char *name) {
  CUdeviceptr place = 0;
  size_t size = 0;
  const CUresult code = driver().cuModuleGetGlobal(&place, &size, kernel.module, name);
  if (code != CUDA_ERROR_NOT_FOUND) check(device, code, kernel.name);
  return code == CUDA_SUCCESS;
}

// Finds a raw kernel in its module.
void open_raw(Device &device, const gpuopt_kernel_source &source, gpuopt_plugin_kernel &made) {
  const KernelSource module = store_source(source);
  std::string key = "raw ";
  for (const std::string &function : module.functions) key += function + "\n";
  const Kernel &kernel = stored(device, key + source.code, module);
  const auto place = std::find(kernel.functions.begin(), kernel.functions.end(), source.name);
  const auto number = static_cast<size_t>(place - kernel.functions.begin());
  if (number >= kernel.symbols.size())
    fail(GPUOPT_ERR_INTERNAL, "%s: it is not a kernel of its own module", source.name);
  made.name = kernel.functions[number].c_str();
  made.module = kernel.module;
  check(device, driver().cuModuleGetFunction(&made.function, kernel.module, kernel.symbols[number].c_str()), made.name);
  made.waits_for_grid = driver().cuLaunchCooperativeKernel && has_variable(device, made, kGridWaits);
}

// Throws ERR_INVALID_ARGUMENT if arguments differ from the parameters in number or size. The driver takes as many bytes
// as the parameter has: it would read past the end of an argument, or only a part of it.
void check_arguments(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch) {
  const char *const name = kernel.name;
  const auto count = static_cast<size_t>(launch.narguments);
  if (!driver().cuFuncGetParamInfo) return;
  if (count != kernel.parameter_bytes.size())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %zu arguments for %zu parameters", name, count,
         kernel.parameter_bytes.size());
  for (size_t k = 0; k < count; k++) {
    if (launch.arguments[k].bytes != kernel.parameter_bytes[k])
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: argument %zu has %llu bytes, its parameter %zu", name, k,
           static_cast<unsigned long long>(launch.arguments[k].bytes), kernel.parameter_bytes[k]);
  }
}

void check_block(const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch) {
  const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads == 0 || threads > kernel.most_threads)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: blocks of %u x %u x %u threads; this kernel runs in blocks of 1 to %llu",
         kernel.name, launch.block[0], launch.block[1], launch.block[2],
         static_cast<unsigned long long>(kernel.most_threads));
}

// Allows launches with `bytes` of dynamic shared memory. Only 48 KiB, static arrays included, are allowed without
// asking the driver. Throws ERR_INVALID_ARGUMENT if the device does not have as much.
void allow_shared(Device &device, gpuopt_plugin_kernel &kernel, uint32_t bytes) {
  if (kernel.shared_bytes + bytes <= kernel.shared_limit) return;
  const char *const name = kernel.name;
  int most = 0;
  check(device,
        driver().cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device.handle),
        name);
  if (kernel.shared_bytes + bytes > static_cast<uint64_t>(most))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %u bytes of shared memory besides its own %llu; at most %d are offered",
         name, bytes, static_cast<unsigned long long>(kernel.shared_bytes), most);
  const int dynamic = most - static_cast<int>(kernel.shared_bytes);
  check(device, driver().cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic),
        name);
  kernel.shared_limit = static_cast<uint32_t>(most);
}

// Launches it cooperatively if blocks of its module wait for each other. A grid that is too large for that is launched
// as others are: another kernel of the module than this one may be the one that waits, and this one traps if it does.
CUresult launch_on(const Stream &stream, const gpuopt_plugin_kernel &kernel, const gpuopt_kernel_launch &launch,
                   void **arguments) {
  const uint32_t *const grid = launch.grid, *const block = launch.block;
  if (kernel.waits_for_grid) {
    const CUresult code =
        driver().cuLaunchCooperativeKernel(kernel.function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                           launch.shared_bytes, stream.handle, arguments);
    if (code != CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) return code;
  }
  return driver().cuLaunchKernel(kernel.function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                 launch.shared_bytes, stream.handle, arguments, nullptr);
}

}  // namespace

gpuopt_status slots::kernel_compile(gpuopt_plugin_device *device, const gpuopt_kernel_source *source,
                                    gpuopt_plugin_kernel **kernel, gpuopt_error *) try {
  const ContextScope scope(*device);
  auto made = std::make_unique<gpuopt_plugin_kernel>();
  if (source->flags & GPUOPT_KERNEL_RAW) {
    open_raw(*device, *source, *made);
  } else {
    const std::string key = std::string("user ") + source->name + "\n" + source->code;
    const Kernel &one = stored(*device, key, store_source(*source));
    made->name = one.operation.c_str();
    made->function = one.function;
  }
  made->parameter_bytes = parameter_bytes_of(*device, *made);
  const auto count = [&](CUfunction_attribute attribute) {
    return static_cast<uint64_t>(attribute_of(*device, *made, attribute));
  };
  made->most_threads = count(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  made->shared_bytes = count(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  *kernel = made.release();
  return GPUOPT_OK;
} catch (const plugin::Failure &failure) {
  plugin::tell_log(*source, failure);
  throw;
}

void slots::kernel_release(gpuopt_plugin_device *, gpuopt_plugin_kernel *kernel) { delete kernel; }

gpuopt_status slots::kernel_launch(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream,
                                   gpuopt_plugin_kernel *kernel, const gpuopt_kernel_launch *launch, gpuopt_error *) {
  const ContextScope scope(*device);
  check_arguments(*kernel, *launch);
  check_block(*kernel, *launch);
  allow_shared(*device, *kernel, launch->shared_bytes);
  std::vector<void *> arguments;
  for (int32_t k = 0; k < launch->narguments; k++) arguments.push_back(const_cast<void *>(launch->arguments[k].value));
  check_stream(*device, *stream, launch_on(*stream, *kernel, *launch, arguments.data()), kernel->name);
  stream->launches.note(kernel->name);
  return GPUOPT_OK;
}

gpuopt_status slots::kernel_info(gpuopt_plugin_device *device, gpuopt_plugin_kernel *kernel, gpuopt_kernel_info *info,
                                 gpuopt_error *) {
  const ContextScope scope(*device);
  info->max_threads = attribute_of(*device, *kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info->registers = attribute_of(*device, *kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
  info->shared_bytes = attribute_of(*device, *kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  info->local_bytes = attribute_of(*device, *kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  return GPUOPT_OK;
}

gpuopt_status slots::kernel_variable(gpuopt_plugin_device *device, gpuopt_plugin_kernel *kernel, const char *name,
                                     void **address, uint64_t *bytes, gpuopt_error *) {
  const ContextScope scope(*device);
  CUdeviceptr place = 0;
  size_t size = 0;
  const CUresult code =
      kernel->module ? driver().cuModuleGetGlobal(&place, &size, kernel->module, name) : CUDA_ERROR_NOT_FOUND;
  if (code != CUDA_ERROR_NOT_FOUND) check(*device, code, kernel->name);
  *address = reinterpret_cast<void *>(place);
  *bytes = size;
  return GPUOPT_OK;
}

gpuopt_status slots::bundle_build(const gpuopt_kernel_source *source, gpuopt_bundle_sink sink, void *context,
                                  gpuopt_error *) {
  build_bundle(store_source(*source), [&](const std::string &piece) { sink(context, piece.data(), piece.size()); });
  return GPUOPT_OK;
}

gpuopt_status slots::bundle_load(const void *pieces, uint64_t size, gpuopt_error *) {
  bundles().add({static_cast<const char *>(pieces), size});
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda

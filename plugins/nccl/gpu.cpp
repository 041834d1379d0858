// plugins/nccl/gpu.cpp -- see gpu.h.
#include "plugins/nccl/gpu.h"

#include <dlfcn.h>
#include <gpuopt/dlopen_note.h>

#include "plugins/shared/host/setting_values.h"

namespace gpuopt::nccl {

GPUOPT_DLOPEN_NOTE(driver, "driver", "NVIDIA's driver, which the CUDA backend opens", "suggested", "\"libcuda.so.1\"");

namespace {

constexpr const char *kDriverFiles[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};

// The functions of the driver that are used here.
struct Driver {
  CUresult (*device_get)(CUdevice *device, int ordinal) = nullptr;
  CUresult (*retain)(CUcontext *context, CUdevice device) = nullptr;
  CUresult (*release)(CUdevice device) = nullptr;
  CUresult (*push)(CUcontext context) = nullptr;
  CUresult (*pop)(CUcontext *context) = nullptr;
  CUresult (*stream_create)(CUstream *stream, unsigned flags) = nullptr;
  CUresult (*stream_destroy)(CUstream stream) = nullptr;
  CUresult (*stream_query)(CUstream stream) = nullptr;
  CUresult (*error_name)(CUresult code, const char **text) = nullptr;
};

[[noreturn]] void fail_unavailable(const std::string &why) {
  throw plugin::Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_DRIVER_MISSING, 0, why};
}

void *loaded_driver() {
  if (const std::string given = plugin::setting_text(Setting::GPUOPT_CUDA_DRIVER); !given.empty())
    return dlopen(given.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  for (const char *file : kDriverFiles)
    if (void *const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return handle;
  return nullptr;
}

Driver find_driver() {
  void *const handle = loaded_driver();
  if (!handle) fail_unavailable("no driver of NVIDIA's is in use in this process");
  Driver table;
  const auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function) fail_unavailable(std::string("NVIDIA's driver has no ") + name);
  };
  find(table.device_get, "cuDeviceGet");
  find(table.retain, "cuDevicePrimaryCtxRetain");
  find(table.release, "cuDevicePrimaryCtxRelease_v2");
  find(table.push, "cuCtxPushCurrent_v2");
  find(table.pop, "cuCtxPopCurrent_v2");
  find(table.stream_create, "cuStreamCreate");
  find(table.stream_destroy, "cuStreamDestroy_v2");
  find(table.stream_query, "cuStreamQuery");
  find(table.error_name, "cuGetErrorName");
  return table;
}

const Driver &driver() {
  static const Driver *const found = new Driver(find_driver());
  return *found;
}

void check_driver(CUresult code, const char *what) {
  if (code == CUDA_SUCCESS) return;
  const char *name = nullptr;
  if (driver().error_name(code, &name) != CUDA_SUCCESS || !name) name = "CUDA error";
  throw plugin::Failure{GPUOPT_ERR_COMM, GPUOPT_REASON_NONE, code,
                        std::string(what) + ": " + name + " (" + std::to_string(code) + ")"};
}

}  // namespace

Gpu::Gpu(int ordinal) {
  const Driver &cuda = driver();
  check_driver(cuda.device_get(&device_, ordinal), "cuDeviceGet");
  check_driver(cuda.retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  try {
    const Current current(*this);
    check_driver(cuda.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  } catch (const plugin::Failure &) {
    release();
    throw;
  }
}

Gpu::~Gpu() { release(); }

void Gpu::release() noexcept {
  CUcontext popped = nullptr;
  if (stream_ && driver().push(context_) == CUDA_SUCCESS) {
    driver().stream_destroy(stream_);
    driver().pop(&popped);
  }
  driver().release(device_);
}

bool Gpu::is_idle() const {
  const CUresult code = driver().stream_query(stream_);
  if (code == CUDA_ERROR_NOT_READY) return false;
  check_driver(code, "cuStreamQuery");
  return true;
}

Gpu::Current::Current(const Gpu &gpu) { check_driver(driver().push(gpu.context_), "cuCtxPushCurrent"); }

Gpu::Current::~Current() {
  CUcontext popped = nullptr;
  driver().pop(&popped);
}

}  // namespace gpuopt::nccl

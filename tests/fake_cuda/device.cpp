// tests/fake_cuda/device.cpp -- initialisation, devices, contexts.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fake_cuda/call.h"
#include "tests/fake_cuda/queue.h"

namespace fake_cuda {

State &State::get() {
  static State &state = *new State;
  return state;
}

uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 0) : otherwise;
}

void violation(const char *format, ...) {
  State &s = State::get();
  ++s.counters.violations;
  std::fprintf(stderr, "fake_cuda: %s: ", s.call);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
}

bool is_sticky(CUresult code) {
  return code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_ECC_UNCORRECTABLE || code == CUDA_ERROR_CONTAINED ||
         code == CUDA_ERROR_LAUNCH_TIMEOUT || code == CUDA_ERROR_MPS_CLIENT_TERMINATED ||
         (code >= CUDA_ERROR_ASSERT && code <= CUDA_ERROR_LAUNCH_FAILED);
}

namespace {

thread_local std::vector<Context *> stack;

Device &device_of(CUdevice number) {
  State &s = State::get();
  if (number < 0 || size_t(number) >= s.devices.size()) refuse(CUDA_ERROR_INVALID_DEVICE);
  return *s.devices[size_t(number)];
}

// "all", "none" or "0>1,1>0".
void connect(State &s, const char *text) {
  for (auto &a : s.devices)
    for (auto &b : s.devices)
      if (a != b && std::strcmp(text, "all") == 0) a->peers.insert(b->number);
  int from, to, length;
  for (; std::sscanf(text, "%d>%d%n", &from, &to, &length) == 2; text += *text == ',') {
    device_of(from).peers.insert(to);
    text += length;
  }
}

void initialise(State &s) {
  if (s.initialised) return;
  s.driver_version = int(setting("FAKE_CUDA_DRIVER_VERSION", 13000));
  s.capability = int(setting("FAKE_CUDA_CAPABILITY", 90));
  s.threads_limit = int(setting("FAKE_CUDA_MAX_THREADS", 1024));
  s.cache_bytes = setting("FAKE_CUDA_CACHE", 0);
  s.pools_supported = setting("FAKE_CUDA_POOLS", 1) != 0;
  s.managed_anytime = setting("FAKE_CUDA_MANAGED_ANYTIME", 1) != 0;
  s.queue_limit = setting("FAKE_CUDA_QUEUE", 256);
  const size_t memory = setting("FAKE_CUDA_MEMORY", size_t(8) << 30);
  const int count = int(setting("FAKE_CUDA_DEVICES", 1));
  for (int i = 0; i < count; ++i) {
    s.devices.push_back(std::make_unique<Device>());
    s.devices.back()->number = i;
    s.devices.back()->memory = memory;
  }
  const char *peers = std::getenv("FAKE_CUDA_PEERS");
  connect(s, peers ? peers : "all");
  if (s.devices.empty()) refuse(CUDA_ERROR_NO_DEVICE);
  s.initialised = true;
  s.process = getpid();
}

int attribute_of(const State &s, int attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 4;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2048;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return s.capability / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return s.capability % 10;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return int(kSharedAtMost);
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      return s.pools_supported;
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
      return s.managed_anytime;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
      return 0;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return 49152;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return int(kSharedAtMost) + 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
      return 65536;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 4 << 20;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return 1500000;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return 2000000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 256;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return 1;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
      return 0;
    default:
      violation("the fake does not know attribute %d", attribute);
      refuse(CUDA_ERROR_INVALID_VALUE);
  }
}

void retain(State &s, CUcontext *out, Device &device) {
  if (!device.primary) {
    device.primary = s.contexts.add(std::make_shared<Context>(), s.last_handle);
    device.primary->device = &device;
    device.primary->legacy = std::make_shared<Stream>();
    device.primary->legacy->context = device.primary.get();
    device.primary->streams.push_back(device.primary->legacy);
  }
  ++device.primary->retained;
  *out = device.primary->handle;
}

// The contexts' memory and objects stay known: what was not given back before is a leak.
void release(State &s, Device &device) {
  if (!device.primary || device.primary->retained == 0) refuse(CUDA_ERROR_INVALID_CONTEXT);
  if (--device.primary->retained > 0) return;
  run_all(*device.primary);
  s.contexts.remove(device.primary->handle);
  s.ended.push_back(std::move(device.primary));
}

}  // namespace

CUresult injected() {
  State &s = State::get();
  if (s.fail_at == 0 || --s.fail_at > 0) return CUDA_SUCCESS;
  if (is_sticky(s.fail_code) && !stack.empty()) stack.back()->sticky = s.fail_code;
  return s.fail_code;
}

Context &current() {
  if (stack.empty()) {
    violation("no context is current");
    refuse(CUDA_ERROR_INVALID_CONTEXT);
  }
  Context &context = *stack.back();
  if (context.sticky != CUDA_SUCCESS) refuse(context.sticky);
  return context;
}

}  // namespace fake_cuda

using namespace fake_cuda;

CUresult cuInit(unsigned flags) {
  State &s = State::get();
  {
    std::lock_guard lock(s.mutex);
    if (!s.initialised && std::getenv("FAKE_CUDA_FAIL_AT")) {
      s.fail_at = setting("FAKE_CUDA_FAIL_AT", 0);
      s.fail_code = CUresult(setting("FAKE_CUDA_FAIL_CODE", CUDA_ERROR_OUT_OF_MEMORY));
    }
  }
  return call("cuInit", Kind::kBeforeInit, [&](State &state) {
    if (flags != 0) refuse(CUDA_ERROR_INVALID_VALUE);
    initialise(state);
  });
}

CUresult cuDriverGetVersion(int *version) {
  return call("cuDriverGetVersion", Kind::kBeforeInit, [&](State &) {
    need(version);
    *version = int(setting("FAKE_CUDA_DRIVER_VERSION", 13000));
  });
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  switch (int(error)) {
#define NAME(name) \
  case name:       \
    *text = #name; \
    return CUDA_SUCCESS;
    NAME(CUDA_SUCCESS)
    NAME(CUDA_ERROR_INVALID_VALUE)
    NAME(CUDA_ERROR_OUT_OF_MEMORY)
    NAME(CUDA_ERROR_NOT_INITIALIZED)
    NAME(CUDA_ERROR_NO_DEVICE)
    NAME(CUDA_ERROR_INVALID_DEVICE)
    NAME(CUDA_ERROR_INVALID_IMAGE)
    NAME(CUDA_ERROR_INVALID_CONTEXT)
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU)
    NAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    NAME(CUDA_ERROR_INVALID_HANDLE)
    NAME(CUDA_ERROR_NOT_FOUND)
    NAME(CUDA_ERROR_NOT_READY)
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    NAME(CUDA_ERROR_MISALIGNED_ADDRESS)
    NAME(CUDA_ERROR_LAUNCH_FAILED)
    NAME(CUDA_ERROR_MPS_CLIENT_TERMINATED)
    NAME(CUDA_ERROR_NOT_SUPPORTED)
    NAME(CUDA_ERROR_UNKNOWN)
#undef NAME
    default:
      *text = nullptr;
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const char *name = nullptr;
  if (cuGetErrorName(error, &name) != CUDA_SUCCESS) {
    *text = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
  }
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "an error of the fake driver";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", [&](State &s) {
    need(count);
    *count = int(s.devices.size());
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return call("cuDeviceGet", [&](State &) {
    need(device);
    *device = device_of(ordinal).number;
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return call("cuDeviceGetName", [&](State &) {
    need(name);
    std::snprintf(name, size_t(length), "Fake GPU %d", device_of(device).number);
  });
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return call("cuDeviceTotalMem", [&](State &) {
    need(bytes);
    *bytes = device_of(device).memory;
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return call("cuDeviceGetAttribute", [&](State &s) {
    need(value);
    device_of(device);
    *value = attribute_of(s, attribute);
  });
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  return call("cuDeviceCanAccessPeer", [&](State &) {
    need(can);
    *can = device_of(device).peers.count(device_of(peer).number) != 0;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return call("cuDevicePrimaryCtxRetain", [&](State &s) {
    need(context);
    retain(s, context, device_of(device));
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return call("cuDevicePrimaryCtxRelease", Kind::kReleases, [&](State &s) { release(s, device_of(device)); });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return call("cuCtxPushCurrent", [&](State &s) { stack.push_back(s.contexts.get(context, "context").get()); });
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return call("cuCtxPopCurrent", Kind::kReleases, [&](State &) {
    if (stack.empty()) {
      violation("no context is current");
      refuse(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (context) *context = stack.back()->handle;
    stack.pop_back();
  });
}

CUresult cuCtxSynchronize() {
  return call("cuCtxSynchronize", [&](State &) { synchronize(current()); });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return call("cuCtxEnablePeerAccess", [&](State &s) {
    Context &context = current();
    const int number = s.contexts.get(peer, "context")->device->number;
    if (flags != 0) refuse(CUDA_ERROR_INVALID_VALUE);
    if (!context.device->peers.count(number)) refuse(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    if (!context.peers.insert(number).second) refuse(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  });
}

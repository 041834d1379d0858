// plugins/cuda/memory/copy.cpp -- copies: through pinned buffers, straight from pinned memory, on the device, between
// devices.
#include <mutex>
#include <set>

#include "plugins/cuda/memory/memory.h"
#include "plugins/cuda/memory/staging.h"
#include "plugins/cuda/plugin/slots.h"

namespace gpuopt::cuda {
namespace {

CUdeviceptr address_of(const void *memory) { return reinterpret_cast<CUdeviceptr>(memory); }

// Returns the stream's pinned buffers, which are made at its first copy. Returns NULL, with a warning, if the system
// has no more pinned memory.
Staging *staging_of(Device &device, Stream &stream) {
  try {
    if (!stream.staging) stream.staging = std::make_unique<Staging>(device, stream);
  } catch (const Failure &failure) {
    if (failure.code != GPUOPT_ERR_OUT_OF_MEMORY) throw;
    warn_once("cuda.no_pinned_memory", device.name.c_str(), failure.message.c_str());
  }
  return stream.staging.get();
}

// Runs a copy through the stream's buffers. After a failure they cannot be used again, so they are destroyed, and the
// next copy makes new ones.
template <typename Copy>
void stage(Stream &stream, Copy &&copy) try {
  copy();
} catch (...) {
  stream.staging.reset();
  throw;
}

// Waits for the stream. The device no longer accesses the copy's host memory when this returns, and also when it
// throws.
void wait(Device &device, Stream &stream, const char *what) {
  const CUresult code = driver().cuStreamSynchronize(stream.handle);
  if (code != CUDA_SUCCESS) driver().cuCtxSynchronize();
  check_stream(device, stream, code, what);
  stream.launches.count = 0;
}

// Lets `device` access the memory of `peer`, both that of its context (cuMemAlloc) and that of its pool. Returns false
// if the devices or the driver do not allow it. The context of `device` is current.
bool enable_peer(Device &device, Device &peer) {
  int can = 0;
  check(device, driver().cuDeviceCanAccessPeer(&can, device.handle, peer.handle), "cuDeviceCanAccessPeer");
  if (!can) return false;
  const CUresult code = driver().cuCtxEnablePeerAccess(peer.context, 0);
  if (code == CUDA_ERROR_TOO_MANY_PEERS || code == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) return false;
  if (code != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) check(device, code, "cuCtxEnablePeerAccess");
  if (!peer.pool->handle()) return true;
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device.handle}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  check(device, driver().cuMemPoolSetAccess(peer.pool->handle(), &access, 1), "cuMemPoolSetAccess");
  return true;
}

// Enables peer access for copies between two devices, once for each pair (to, from). Without peer access the driver
// copies through host memory by itself, and there is one warning.
void prepare_peers(Device &to, Device &from) {
  static std::mutex lock;
  static auto *const known = new std::set<std::pair<uint64_t, uint64_t>>;
  const std::lock_guard guard(lock);
  if (!known->emplace(to.serial, from.serial).second) return;
  try {
    if (enable_peer(to, from)) return;
  } catch (...) {
    known->erase({to.serial, from.serial});
    throw;
  }
  const std::string pair = "cuda:" + std::to_string(from.index) + " to cuda:" + std::to_string(to.index);
  warn_once("cuda.peer_staged", pair.c_str(),
            ("no peer access from " + pair + ": copies go through host memory").c_str());
}

}  // namespace
}  // namespace gpuopt::cuda

namespace gpuopt::cuda::slots {

gpuopt_status copy_to_host(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, void *host, const void *memory,
                           uint64_t bytes, gpuopt_error *) {
  if (bytes == 0) return GPUOPT_OK;
  const ContextScope scope(*device);
  Staging *const staging = is_pinned(host, bytes) ? nullptr : staging_of(*device, *stream);
  if (staging) {
    stage(*stream, [&] { staging->download(host, address_of(memory), bytes); });
    stream->launches.count = 0;  // all that was launched before the copy has completed, too
    return GPUOPT_OK;
  }
  check(*device, driver().cuMemcpyDtoHAsync(host, address_of(memory), bytes, stream->handle), "copy_to_host");
  wait(*device, *stream, "copy_to_host");
  return GPUOPT_OK;
}

gpuopt_status copy_from_host(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, void *memory, const void *host,
                             uint64_t bytes, gpuopt_error *) {
  if (bytes == 0) return GPUOPT_OK;
  const ContextScope scope(*device);
  Staging *const staging = is_pinned(host, bytes) ? nullptr : staging_of(*device, *stream);
  if (staging) {
    stage(*stream, [&] { staging->upload(address_of(memory), host, bytes); });
    return GPUOPT_OK;
  }
  check(*device, driver().cuMemcpyHtoDAsync(address_of(memory), host, bytes, stream->handle), "copy_from_host");
  wait(*device, *stream, "copy_from_host");
  return GPUOPT_OK;
}

gpuopt_status copy_on_device(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, void *to, const void *from,
                             uint64_t bytes, gpuopt_error *) {
  if (bytes == 0) return GPUOPT_OK;
  const ContextScope scope(*device);
  check(*device, driver().cuMemcpyDtoDAsync(address_of(to), address_of(from), bytes, stream->handle), "copy_on_device");
  return GPUOPT_OK;
}

gpuopt_status copy_peer(gpuopt_plugin_device *to_device, gpuopt_plugin_stream *stream, void *to,
                        gpuopt_plugin_device *from_device, const void *from, uint64_t bytes, gpuopt_error *) {
  if (bytes == 0) return GPUOPT_OK;
  { const ContextScope source(*from_device); }  // a lost device is reported as such
  const ContextScope scope(*to_device);
  if (to_device != from_device) prepare_peers(*to_device, *from_device);
  check(*to_device,
        driver().cuMemcpyPeerAsync(address_of(to), to_device->context, address_of(from), from_device->context, bytes,
                                   stream->handle),
        "copy_peer");
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda::slots

// tools/plugin_test/comm_device.cpp -- see comm_device.h.
#include "tools/plugin_test/comm_device.h"

#include <algorithm>

namespace gpuopt::plugin_test {

CommDevice::CommDevice(const std::string &path) {
  api_ = load_table<BackendInterface>(path, &problem_);
  if (!api_) return;
  gpuopt_plugin_probe probe{};
  probe.struct_size = sizeof probe;
  if (!call("probe", api_->probe, &probe) || !call("device_open", api_->device_open, int32_t{0}, &device_)) return;
  call("stream_create", api_->stream_create, device_, 0u, &stream_);
}

CommDevice::~CommDevice() {
  for (const Block &block : blocks_) api_->memory_free(device_, stream_, block.memory, block.bytes);
  if (stream_) api_->stream_destroy(device_, stream_);
  if (device_) api_->device_close(device_);
}

void *CommDevice::memory_with(const std::vector<unsigned char> &bytes) {
  Block block{nullptr, std::max<uint64_t>(bytes.size(), 1)};
  if (!call("memory_allocate", api_->memory_allocate, device_, stream_, block.bytes, &block.memory)) return nullptr;
  blocks_.push_back(block);
  if (!bytes.empty() && !call("copy_from_host", api_->copy_from_host, device_, stream_, block.memory,
                              static_cast<const void *>(bytes.data()), static_cast<uint64_t>(bytes.size())))
    return nullptr;
  return call("stream_synchronize", api_->stream_synchronize, device_, stream_) ? block.memory : nullptr;
}

bool CommDevice::read(const void *memory, std::vector<unsigned char> &bytes) {
  return bytes.empty() || (call("copy_to_host", api_->copy_to_host, device_, stream_, static_cast<void *>(bytes.data()),
                                memory, static_cast<uint64_t>(bytes.size())) &&
                           call("stream_synchronize", api_->stream_synchronize, device_, stream_));
}

}  // namespace gpuopt::plugin_test

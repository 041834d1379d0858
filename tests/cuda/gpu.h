// tests/cuda/gpu.h -- library calls on a device opened through the plugin's own slots.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "plugins/cuda/device.h"
#include "plugins/cuda/slots.h"
#include "plugins/cuda/stream.h"
#include "plugins/shared/host/barrier.h"
#include "tests/unit/call_array.h"

namespace gpuopt::test {

// The first device the driver shows, and one stream of it.
class Gpu {
 public:
  static Gpu &get() {
    static Gpu *const gpu = new Gpu;
    return *gpu;
  }

  // Copies the arrays' storages there, makes the call, and copies them back.
  template <auto slot>
  gpuopt_status run(int32_t kind, const std::vector<Array *> &arrays, std::vector<int64_t> &ints,
                    gpuopt_error *error) {
    std::vector<gpuopt_tensor> tensors;
    std::vector<void *> memory;
    for (Array *array : arrays) {
      memory.push_back(uploaded(array->storage()));
      tensors.push_back(array->tensor_at(memory.back()));
    }
    const Call call(kind, tensors, ints);
    const gpuopt_status status = plugin::Barrier<slot>::call(device_, stream_, &*call, error);
    for (size_t i = 0; i < ints.size(); i++) ints[i] = call.integer(i);
    for (size_t i = 0; i < arrays.size(); i++) download(arrays[i]->storage(), memory[i]);
    return status;
  }

  gpuopt_plugin_device *device() { return device_; }
  gpuopt_plugin_stream *stream() { return stream_; }

  void *uploaded(const std::vector<unsigned char> &bytes) {
    void *memory = nullptr;
    cuda::slots::memory_allocate(device_, stream_, bytes.size(), &memory, nullptr);
    cuda::slots::copy_from_host(device_, stream_, memory, bytes.data(), bytes.size(), nullptr);
    return memory;
  }
  // And frees the memory there.
  void download(std::vector<unsigned char> &bytes, void *memory) {
    cuda::slots::copy_to_host(device_, stream_, bytes.data(), memory, bytes.size(), nullptr);
    cuda::slots::memory_free(device_, stream_, memory, bytes.size());
  }

 private:
  Gpu() {
    cuda::slots::device_open(0, &device_, nullptr);
    cuda::slots::stream_create(device_, 0, &stream_, nullptr);
  }
  gpuopt_plugin_device *device_ = nullptr;
  gpuopt_plugin_stream *stream_ = nullptr;
};

}  // namespace gpuopt::test

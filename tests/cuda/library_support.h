// tests/cuda/library_support.h -- library calls on the fake driver.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/cuda/device_support.h"
#include "tests/unit/call_array.h"

namespace gpuopt::cuda {

// A device whose kernels the fake NVRTC compiles; nothing of the user's cache is used.
class LibraryTest : public DeviceTest {
 protected:
  void SetUp() override {
    test::TestHost::install();
    for (const char *const name : {"GPUOPT_NVRTC", "GPUOPT_CUBLAS"}) {
      if (const char *const value = std::getenv(name)) test::TestHost::set(name, value);
    }
    test::TestHost::set("GPUOPT_CACHE_MAX_BYTES", "0");
    DeviceTest::SetUp();
  }

  // Copies the arrays' storages there, makes the call, and copies them back.
  template <auto slot>
  gpuopt_status run(int32_t kind, const std::vector<test::Array *> &arrays, std::vector<int64_t> &ints,
                    gpuopt_error *problem) {
    std::vector<gpuopt_tensor> tensors;
    for (test::Array *array : arrays) tensors.push_back(array->tensor_at(uploaded(array->storage())));
    const test::Call call(kind, tensors, ints);
    const gpuopt_status status = plugin::Barrier<slot>::call(device, stream, &*call, problem);
    for (size_t i = 0; i < ints.size(); i++) ints[i] = call.integer(i);
    for (size_t i = arrays.size(); i-- > 0;) {
      download(arrays[i]->storage().data(), blocks.back().first, arrays[i]->storage().size());
      free_last();
    }
    return status;
  }

  void *uploaded(const std::vector<unsigned char> &bytes) {
    void *const memory = allocate(bytes.size());
    EXPECT_EQ(upload(memory, bytes.data(), bytes.size()), GPUOPT_OK) << error.message;
    return memory;
  }
};

}  // namespace gpuopt::cuda

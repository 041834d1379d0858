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
    for (const char *const name : {"GPUOPT_NVRTC", "GPUOPT_CUBLAS", "GPUOPT_CUSOLVER", "GPUOPT_CUFFT"}) {
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
    const test::Call call(kind, tensors, ints, floats);
    const uint64_t before_it = Fake::counters().calls;
    Fake::fail_at(fault_);
    const gpuopt_status status = plugin::Barrier<slot>::call(device, stream, &*call, problem);
    Fake::fail_at(fault_ = 0);
    calls_ = Fake::counters().calls - before_it;
    for (size_t i = 0; i < ints.size(); i++) ints[i] = call.integer(i);
    for (size_t i = arrays.size(); i-- > 0;) {
      download(arrays[i]->storage().data(), blocks.back().first, arrays[i]->storage().size());
      free_last();
    }
    return status;
  }

  // Makes the call with the n-th driver call of it failing, for every n: each time a status that says so, and the same
  // call works right after. `make` gives arrays and integers anew; what the arrays hold then is compared.
  template <auto slot>
  void expect_faults_reported(int32_t kind, const std::function<std::vector<test::Array>()> &make,
                              const std::vector<int64_t> &given) {
    std::vector<test::Array> expected = make();
    for (int round = 0; round < 2; round++) {  // in the second one all kernels are there
      expected = make();
      ASSERT_EQ(run_faulty<slot>(kind, expected, given, 0), GPUOPT_OK) << error.message;
    }
    const uint64_t calls = calls_;
    ASSERT_GT(calls, 2u);
    uint64_t reported = 0;
    for (uint64_t n = 1; n <= calls; n++) {
      std::vector<test::Array> arrays = make();
      const gpuopt_status status = run_faulty<slot>(kind, arrays, given, n);
      if (status != GPUOPT_OK) {  // where memory is short, one more try may do
        reported++;
        EXPECT_EQ(status, GPUOPT_ERR_OUT_OF_MEMORY) << "call " << n << ": " << error.message;
        arrays = make();
        EXPECT_EQ(run_faulty<slot>(kind, arrays, given, 0), GPUOPT_OK) << "after call " << n << ": " << error.message;
      }
      EXPECT_TRUE(arrays == expected) << "call " << n;
    }
    EXPECT_GE(reported, 2u);
  }

  // The n-th driver call of the slot alone fails.
  template <auto slot>
  gpuopt_status run_faulty(int32_t kind, std::vector<test::Array> &arrays, const std::vector<int64_t> &given,
                           uint64_t n) {
    fault_ = n;
    std::vector<test::Array *> pointers;
    for (test::Array &array : arrays) pointers.push_back(&array);
    std::vector<int64_t> ints = given;
    return run<slot>(kind, pointers, ints, &error);
  }

  void *uploaded(const std::vector<unsigned char> &bytes) {
    void *const memory = allocate(bytes.size());
    EXPECT_EQ(upload(memory, bytes.data(), bytes.size()), GPUOPT_OK) << error.message;
    return memory;
  }

  std::vector<double> floats;  // of the next calls

 private:
  uint64_t fault_ = 0;  // the driver call of the next slot that fails
  uint64_t calls_ = 0;  // of the driver, by the last slot
};

}  // namespace gpuopt::cuda

// tests/fake_cuda/assert_test.cpp -- an assertion of a kernel that fails is the kernel's fault, which the driver tells
// of, and the device is lost. The process does nothing else, as it cannot use the device again.
#include <gtest/gtest.h>

#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/kernels/device_functions.h"

namespace {

namespace gp = gpuopt;
using gpuopt::test::kAssert;

gp::error error_of(const std::function<void()> &call) {
  try {
    call();
  } catch (const gp::error &failure) {
    return failure;
  }
  throw std::runtime_error("it did not fail");
}

TEST(Assert, ThatFailsIsTheKernelsFault) {
  const gp::device device("cuda!");
  const gp::with_device scope(device);
  std::vector<int32_t> numbers(64, 1);
  const gp::raw_kernel kernel(kAssert.code, kAssert.name);
  const gp::array good(numbers), y = gp::zeros({64}, gp::int32);
  numbers[40] = -1;
  const gp::array bad(numbers);
  kernel(2, 32, good, y);
  device.synchronize();
  testing::internal::CaptureStderr();
  const gp::error failure = error_of([&] {
    kernel(2, 32, bad, y);
    device.synchronize();
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(failure.code(), GPUOPT_ERR_KERNEL_FAULT) << failure.what();
  EXPECT_NE(std::string(failure.what()).find("assertion failed in a kernel"), std::string::npos) << failure.what();
  EXPECT_NE(said.find("thread (8, 0, 0) of block (1, 0, 0), checked:8: x[i] >= 0"), std::string::npos) << said;
  EXPECT_EQ(error_of([&] { kernel(2, 32, good, y); }).code(), GPUOPT_ERR_DEVICE_LOST);
}

}  // namespace

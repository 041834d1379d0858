// tests/fake_cuda/memory_test.cpp -- the CUDA backend's memory: nothing leaks, running out leaves all arrays usable,
// limits, trim.
#include "tests/fake_cuda/on_fake.h"

namespace {

using on_fake::Handle;

class Memory : public testing::Test {
 protected:
  void SetUp() override { device = on_fake::open("cuda!"); }
  void TearDown() override {
    ASSERT_GPUOPT_OK(gpuopt_device_synchronize(device, error));
    ASSERT_GPUOPT_OK(gpuopt_memory_trim(device, error));
    EXPECT_EQ(stats().in_use, 0u);
    EXPECT_EQ(stats().cached, 0u);
    EXPECT_EQ(on_fake::counters().blocks, 0u);
    EXPECT_EQ(on_fake::counters().violations, 0u);
    gpuopt_device_release(device);
  }
  gpuopt_memory_stats stats() {
    gpuopt_memory_stats now = {};
    now.struct_size = sizeof now;
    EXPECT_EQ(gpuopt_memory_get_stats(device, &now, nullptr), GPUOPT_OK);
    return now;
  }
  gpuopt_device device = nullptr;
};

// 64 MiB of device memory (CMakeLists.txt): arrays of 6 MiB until there is no more.
TEST_F(Memory, RunningOutLeavesEveryArrayUsable) {
  constexpr int64_t size = 6 << 18;
  std::vector<Handle> arrays;
  gpuopt_error failure = GPUOPT_ERROR_INIT;
  gpuopt_status status = GPUOPT_OK;
  while (status == GPUOPT_OK && arrays.size() < 100) {
    std::vector<float> values(size_t(size), float(arrays.size()));
    Handle x;
    status = gpuopt_array_from(device, values.data(), GPUOPT_FLOAT32, 1, &size, x.out(), &failure);
    if (status == GPUOPT_OK) arrays.push_back(std::move(x));
  }
  EXPECT_EQ(status, GPUOPT_ERR_OUT_OF_MEMORY) << failure.message;
  EXPECT_NE(std::string(failure.message).find("6.00 MiB"), std::string::npos) << failure.message;
  EXPECT_GE(arrays.size(), 8u);
  EXPECT_LE(arrays.size(), 10u);
  // A result that does not fit: its operands are as they were.
  Handle sum;
  status = gpuopt_add(arrays[0], arrays[1], sum.out(), &failure);
  if (status == GPUOPT_OK) {
    const gpuopt_array raw = sum;
    status = gpuopt_eval(1, &raw, &failure);
  }
  EXPECT_EQ(status, GPUOPT_ERR_OUT_OF_MEMORY) << failure.message;
  for (size_t i = 0; i < arrays.size(); ++i) EXPECT_EQ(on_fake::values_of<float>(arrays[i])[12345], float(i));
  gpuopt_array_release(sum.a), sum.a = nullptr;  // nobody wants it any more
  // In place there is room, and after an array has gone there is for the result too.
  ASSERT_GPUOPT_OK(gpuopt_add_into(arrays[0], arrays[1], arrays[0], error));
  EXPECT_EQ(on_fake::values_of<float>(arrays[0])[7], 1.0f);
  arrays.pop_back();
  ASSERT_GPUOPT_OK(gpuopt_add(arrays[0], arrays[1], sum.out(), error));
  EXPECT_EQ(on_fake::values_of<float>(sum)[size - 1], 2.0f);
}

// What other streams freed is had back by waiting for the device.
TEST_F(Memory, FreedMemoryOfOtherStreamsIsWaitedFor) {
  constexpr int64_t size = 24 << 18;
  gpuopt_stream stream = nullptr;
  ASSERT_GPUOPT_OK(gpuopt_stream_create(device, &stream, error));
  for (int i = 0; i < 4; ++i) {
    Handle x = on_fake::counting(device, size), there, y;
    ASSERT_GPUOPT_OK(gpuopt_array_on_stream(x, stream, there.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_negative(there, y.out(), error));
    const gpuopt_array raw = y;
    ASSERT_GPUOPT_OK(gpuopt_eval(1, &raw, error));
    if (i == 3) {
      EXPECT_EQ(on_fake::values_of<float>(y)[5], -5.0f);
    }
  }
  gpuopt_stream_release(stream);
}

TEST_F(Memory, LimitAndTrim) {
  Handle x = on_fake::counting(device, 1 << 18);
  EXPECT_GE(stats().in_use, uint64_t(1) << 20);
  ASSERT_GPUOPT_OK(gpuopt_memory_set_limit(device, uint64_t(4) << 20, error));
  Handle y;
  gpuopt_error failure = GPUOPT_ERROR_INIT;
  const int64_t size = 4 << 18;
  EXPECT_EQ(gpuopt_empty(device, GPUOPT_FLOAT32, 1, &size, y.out(), &failure), GPUOPT_ERR_OUT_OF_MEMORY)
      << failure.message;
  ASSERT_GPUOPT_OK(gpuopt_memory_set_limit(device, 0, error));
  EXPECT_EQ(on_fake::values_of<float>(x)[99], 99.0f);
  gpuopt_array_release(x.a), x.a = nullptr;
  ASSERT_GPUOPT_OK(gpuopt_device_synchronize(device, error));
  ASSERT_GPUOPT_OK(gpuopt_memory_trim(device, error));
  EXPECT_EQ(stats().cached, 0u);
}

}  // namespace

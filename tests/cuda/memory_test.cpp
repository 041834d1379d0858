// tests/cuda/memory_test.cpp -- device memory: counted, bounded, kept, given back, retried. Runs on the driver's
// stream-ordered pool, on the plain one (FAKE_CUDA_POOLS=0), and on that with managed memory (GPUOPT_CUDA_MEMORY),
// which the host may use at any time or not (FAKE_CUDA_MANAGED_ANYTIME=0). The fake device has 64 MiB.
#include <cstdlib>
#include <cstring>
#include <set>

#include "tests/cuda/device_support.h"

namespace gpuopt::cuda {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

class Memory : public DeviceTest {
 protected:
  // The fake's pool takes memory in units of 2 MiB; the plain one as it is asked for.
  uint64_t by_source(uint64_t pooled, uint64_t plain) const { return device->memory_pools ? pooled : plain; }
  static bool managed() {
    const char *const setting = std::getenv("GPUOPT_CUDA_MEMORY");
    return setting && std::string(setting) == "managed";
  }
  uint64_t held() { return stats().in_use + stats().cached; }
};

TEST_F(Memory, TheDeviceSaysWhatItIs) {
  gpuopt_plugin_device_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(SLOT(device_info)(device, &info, &error), GPUOPT_OK);
  EXPECT_EQ(info.flags & ~uint32_t{GPUOPT_DEVICE_MANAGED_MEMORY}, uint32_t{GPUOPT_DEVICE_LOST_IN_FORK});
  EXPECT_EQ(info.memory_bytes, 64 * kMiB);
  EXPECT_EQ(info.dlpack_type, 2);
  EXPECT_EQ(info.dlpack_id, 0);
  EXPECT_EQ(info.processors, 4);
  EXPECT_NE(std::string(info.detail).find("compute capability 9.0, CUDA 13.0"), std::string::npos) << info.detail;
  const bool plain = !device->memory_pools && !managed();
  EXPECT_EQ(std::string(info.detail).find("no stream-ordered") != std::string::npos, plain);
}

TEST_F(Memory, TheHostMayUseManagedMemoryInPlaceIfTheDeviceAllowsIt) {
  gpuopt_plugin_device_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(SLOT(device_info)(device, &info, &error), GPUOPT_OK);
  const bool anytime = !std::getenv("FAKE_CUDA_MANAGED_ANYTIME"), shared = info.flags & GPUOPT_DEVICE_MANAGED_MEMORY;
  EXPECT_EQ(shared, managed() && anytime);
  EXPECT_EQ(std::string(info.detail).find(", managed memory") != std::string::npos, managed());
  EXPECT_EQ(std::string(info.detail).find("not for the host") != std::string::npos, managed() && !anytime);
  if (!shared) return;
  auto *const bytes = static_cast<unsigned char *>(allocate(1000));
  std::memset(bytes, 7, 1000);  // elsewhere the fake's memory faults
  unsigned char back[1000] = {};
  ASSERT_EQ(SLOT(copy_to_host)(device, stream, back, bytes, 1000, &error), GPUOPT_OK);
  EXPECT_EQ(back[0] + back[999], 14);
  back[999] = 9;
  ASSERT_EQ(SLOT(copy_from_host)(device, stream, bytes, back, 1000, &error), GPUOPT_OK);
  ASSERT_EQ(synchronize(), GPUOPT_OK);
  EXPECT_EQ(bytes[998] + bytes[999], 16);
}

TEST_F(Memory, BlocksAreDistinctAndAligned) {
  std::set<void *> seen;
  for (uint64_t bytes : {0, 0, 1, 511, 512, 513, 5000, 100000}) {
    void *const address = allocate(bytes);
    EXPECT_TRUE(seen.insert(address).second);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 512, 0u);
  }
  EXPECT_EQ(stats().allocations, 8u);
}

TEST_F(Memory, IsCounted) {
  EXPECT_EQ(stats().in_use, 0u);
  allocate(3 * kMiB);
  allocate(kMiB);
  EXPECT_EQ(stats().in_use, 4 * kMiB);
  free_last();
  EXPECT_EQ(stats().in_use, 3 * kMiB);
  EXPECT_EQ(stats().peak_in_use, 4 * kMiB);
  EXPECT_EQ(stats().cached, kMiB);
}

TEST_F(Memory, WhatIsFreedIsKeptUntilTrimmed) {
  allocate(3 * kMiB);
  free_last();
  ASSERT_EQ(synchronize(), GPUOPT_OK);
  EXPECT_EQ(stats().cached, by_source(4 * kMiB, 3 * kMiB));
  const uint64_t hits = stats().cache_hits;
  allocate(3 * kMiB);
  EXPECT_EQ(stats().cache_hits, hits + 1);
  free_last();
  ASSERT_EQ(SLOT(memory_trim)(device, &error), GPUOPT_OK);
  EXPECT_EQ(stats().cached, 0u);
  EXPECT_EQ(stats().in_use, 0u);
}

TEST_F(Memory, ALimitHolds) {
  ASSERT_EQ(SLOT(memory_set_limit)(device, 16 * kMiB, &error), GPUOPT_OK);
  EXPECT_EQ(stats().limit, 16 * kMiB);
  allocate(10 * kMiB);
  EXPECT_EQ(try_allocate(10 * kMiB), nullptr);
  EXPECT_EQ(error.code, GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(error.message).find("cuda:0 cannot provide 10.00 MiB (the limit): 10.00 MiB in use"),
            std::string::npos)
      << error.message;
  EXPECT_NE(std::string(error.message).find("limit 16.00 MiB"), std::string::npos) << error.message;
  EXPECT_EQ(stats().in_use, 10 * kMiB);
  allocate(6 * kMiB);
  free_last();
  free_last();
  // Not from what is cached: the plain source gives that back first, and a pool holds it until it exceeds what is in
  // use by one of the driver's units of 32 MiB, below which giving back is not tried.
  allocate(7 * kMiB);
  EXPECT_EQ(held(), by_source(24 * kMiB, 7 * kMiB));
  allocate(8 * kMiB);
  EXPECT_EQ(held(), by_source(32 * kMiB, 15 * kMiB));
  ASSERT_EQ(SLOT(memory_set_limit)(device, 0, &error), GPUOPT_OK);
  allocate(20 * kMiB);
}

TEST_F(Memory, ALowerLimitGivesTheCacheBack) {
  allocate(8 * kMiB);
  allocate(8 * kMiB);
  free_last();
  ASSERT_EQ(SLOT(memory_set_limit)(device, 9 * kMiB, &error), GPUOPT_OK);
  EXPECT_EQ(held(), by_source(10 * kMiB, 8 * kMiB));
}

TEST_F(Memory, AFullDeviceIsTrimmedWaitedForAndTriedAgain) {
  for (int i = 0; i < 5; i++) allocate(10 * kMiB);
  for (int i = 0; i < 5; i++) free_last();  // cached, in a size nobody asks for again
  void *const large = allocate(60 * kMiB);
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(try_allocate(10 * kMiB), nullptr);
  EXPECT_EQ(error.code, GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(error.message).find("10.00 MiB (the device is full): 60.00 MiB in use"), std::string::npos)
      << error.message;
  EXPECT_EQ(stats().in_use, 60 * kMiB);
  const std::vector<unsigned char> values = pattern(1000);  // what there is goes on working
  std::vector<unsigned char> back(1000);
  ASSERT_EQ(upload(large, values.data(), 1000), GPUOPT_OK);
  ASSERT_EQ(download(back.data(), large, 1000), GPUOPT_OK);
  EXPECT_EQ(back, values);
  free_last();
  EXPECT_NE(allocate(10 * kMiB), nullptr);
}

TEST_F(Memory, AbsurdSizesAreRefused) {
  for (uint64_t bytes : {uint64_t{1} << 61, UINT64_MAX, UINT64_MAX - 5}) {
    EXPECT_EQ(try_allocate(bytes), nullptr);
    EXPECT_EQ(error.code, GPUOPT_ERR_OUT_OF_MEMORY) << error.message;
  }
  EXPECT_EQ(stats().in_use, 0u);
}

TEST_F(Memory, StreamsShareOnePool) {
  gpuopt_plugin_stream *other = nullptr;
  ASSERT_EQ(SLOT(stream_create)(device, 0, &other, &error), GPUOPT_OK);
  void *address = nullptr;
  for (int i = 0; i < 4; i++) {  // freed on one stream with work under way, taken on the other
    ASSERT_EQ(SLOT(memory_allocate)(device, other, 10 * kMiB, &address, &error), GPUOPT_OK) << error.message;
    SLOT(memory_free)(device, other, address, 10 * kMiB);
    allocate(10 * kMiB);
    free_last();
  }
  SLOT(stream_destroy)(device, other);
  allocate(10 * kMiB);
  allocate(10 * kMiB);  // what was the other stream's
  EXPECT_EQ(stats().in_use, 20 * kMiB);
  if (!device->memory_pools) {
    EXPECT_EQ(stats().cached, 0u);
  }
}

TEST_F(Memory, ScratchLivesInStreamOrder) {
  const ContextScope scope(*device);
  {
    const Scratch none(*device, *stream, 0), some(*device, *stream, 5000);
    EXPECT_EQ(none.address(), 0u);
    EXPECT_NE(some.address(), 0u);
    EXPECT_EQ(stats().in_use, 5120u);
  }
  EXPECT_EQ(stats().in_use, 0u);
  EXPECT_THROW(Scratch(*device, *stream, 100 * kMiB), Failure);
}

TEST_F(Memory, PinnedMemoryForTheHost) {
  void *memory = nullptr;
  for (uint64_t bytes : {0, 1, 5000}) {
    ASSERT_EQ(SLOT(host_allocate)(device, bytes, &memory, &error), GPUOPT_OK);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(Fake::counters().pinned, 1u);
    SLOT(host_free)(device, memory, bytes);
    EXPECT_EQ(Fake::counters().pinned, 0u);
  }
  Fake::fail_at(2);
  EXPECT_EQ(SLOT(host_allocate)(device, 5000, &memory, &error), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(memory, nullptr);
  EXPECT_NE(std::string(error.message).find("5000 bytes of pinned memory"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace gpuopt::cuda

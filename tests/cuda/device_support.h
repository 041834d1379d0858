// tests/cuda/device_support.h -- the plugin's device slots on the fake driver (tests/fake_cuda), as a host would call
// them.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "plugins/cuda/memory/memory.h"
#include "plugins/cuda/memory/stream.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/shared/host/barrier.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cuda {

// The slots as they stand in the table: with the barrier.
#define SLOT(name) plugin::Barrier<slots::name>::call

struct Fake {
  fake_cuda_count_fn *count_calls = nullptr;
  fake_cuda_fail_at_fn *fail_call = nullptr;

  static const Fake &get() {
    static const Fake fake = [] {
      void *const library = dlopen(std::getenv("GPUOPT_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
      if (!library) std::fprintf(stderr, "%s\n", dlerror()), std::abort();
      Fake found;
      found.count_calls = reinterpret_cast<fake_cuda_count_fn *>(dlsym(library, "fake_cuda_count"));
      found.fail_call = reinterpret_cast<fake_cuda_fail_at_fn *>(dlsym(library, "fake_cuda_fail_at"));
      return found;
    }();
    return fake;
  }
  static fake_cuda_counters counters() {
    fake_cuda_counters now;
    get().count_calls(&now);
    return now;
  }
  // The n-th driver call from now fails; 0: none.
  static void fail_at(uint64_t n, CUresult code = CUDA_ERROR_OUT_OF_MEMORY) { get().fail_call(n, code); }
};

// An open device, its default stream, and at the end the proof that nothing is left in the driver.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_CUDA_DRIVER", std::getenv("GPUOPT_CUDA_DRIVER"));
    const char *const memory = std::getenv("GPUOPT_CUDA_MEMORY");
    if (memory) test::TestHost::set("GPUOPT_CUDA_MEMORY", memory);
    test::TestHost::get().lines.clear();
    before = Fake::counters();
    ASSERT_EQ(SLOT(device_open)(index(), &device, &error), GPUOPT_OK) << error.message;
    ASSERT_EQ(SLOT(stream_create)(device, 0, &stream, &error), GPUOPT_OK) << error.message;
  }

  void TearDown() override {
    Fake::fail_at(0);
    for (const auto &[address, bytes] : blocks) SLOT(memory_free)(device, stream, address, bytes);
    SLOT(stream_destroy)(device, stream);
    const bool lost = device->lost;
    SLOT(device_close)(device);
    const fake_cuda_counters left = Fake::counters();
    EXPECT_EQ(left.violations, before.violations);
    if (lost) return;  // the driver frees a lost context's things with the process
    EXPECT_EQ(left.blocks, before.blocks);
    EXPECT_EQ(left.pinned, before.pinned);
    EXPECT_EQ(left.streams, before.streams);
    EXPECT_EQ(left.events, before.events);
    EXPECT_EQ(left.pools, before.pools);
    EXPECT_EQ(left.contexts, before.contexts);
  }

  // The device to open. One that is lost stays lost for the process, so tests that lose one take their own.
  virtual int32_t index() const { return 0; }

  // Freed at the end.
  void *allocate(uint64_t bytes) {
    void *const address = try_allocate(bytes);
    EXPECT_NE(address, nullptr) << error.message;
    return address;
  }
  void *try_allocate(uint64_t bytes) {
    void *address = nullptr;
    if (SLOT(memory_allocate)(device, stream, bytes, &address, &error) == GPUOPT_OK)
      blocks.emplace_back(address, bytes);
    return address;
  }
  void free_last() {
    SLOT(memory_free)(device, stream, blocks.back().first, blocks.back().second);
    blocks.pop_back();
  }
  gpuopt_memory_stats stats() {
    gpuopt_memory_stats now{};
    now.struct_size = sizeof now;
    EXPECT_EQ(SLOT(memory_stats)(device, &now, &error), GPUOPT_OK) << error.message;
    return now;
  }
  gpuopt_status upload(void *to, const void *from, uint64_t bytes) {
    return SLOT(copy_from_host)(device, stream, to, from, bytes, &error);
  }
  gpuopt_status download(void *to, const void *from, uint64_t bytes) {
    return SLOT(copy_to_host)(device, stream, to, from, bytes, &error);
  }
  gpuopt_status synchronize() { return SLOT(stream_synchronize)(device, stream, &error); }

  static std::vector<unsigned char> pattern(uint64_t bytes, unsigned seed = 1) {
    std::vector<unsigned char> values(bytes);
    for (uint64_t i = 0; i < bytes; i++) values[i] = static_cast<unsigned char>((i * 131 + (i >> 9) + seed) % 251);
    return values;
  }

  gpuopt_plugin_device *device = nullptr;
  gpuopt_plugin_stream *stream = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  std::vector<std::pair<void *, uint64_t>> blocks;
  fake_cuda_counters before{};
};

}  // namespace gpuopt::cuda

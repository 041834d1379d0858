// tests/cuda/kernel_store_test.cpp -- kernels are compiled, loaded and launched, on the fake driver.
#include "plugins/cuda/compile/kernel_store.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <latch>
#include <thread>

#include "plugins/cuda/compile/kernel_code.h"
#include "plugins/cuda/compile/launch.h"
#include "tests/cuda/device_support.h"

namespace gpuopt::cuda {
namespace {

namespace fs = std::filesystem;

const KernelSource kFill = {"fill", "fill", R"(
#include "plugins/cuda/text/words.h"
extern "C" __global__ void fill(const gpo::Words<3> p) {
  const gpo::u64 i = blockIdx.x * gpo::u64(blockDim.x) + threadIdx.x;
  if (i < p.w[1]) reinterpret_cast<gpo::u64 *>(p.w[0])[i] = p.w[2] + i;
}
)",
                            3};

class KernelStoreTest : public DeviceTest {
 protected:
  void SetUp() override {
    static int count = 0;
    cache = fs::canonical(fs::temp_directory_path()) /
            ("gpuopt_store_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NVRTC", std::getenv("GPUOPT_NVRTC"));
    test::TestHost::set("GPUOPT_CACHE_DIR", cache.string());
    DeviceTest::SetUp();
  }
  void TearDown() override {
    DeviceTest::TearDown();
    fs::remove_all(cache);
    EXPECT_EQ(Fake::counters().modules, before.modules);
  }

  // What `add` throws, or OK.
  plugin::Failure failure_of(const KernelSource &source) {
    try {
      const ContextScope scope(*device);
      device->kernels->add(source.entry, source);
    } catch (const plugin::Failure &failure) {
      return failure;
    }
    return {GPUOPT_OK, GPUOPT_REASON_NONE, 0, ""};
  }

  void expect_it_fills(const Kernel &kernel) {
    constexpr uint64_t kCount = 1000, kFirst = 77;
    void *const memory = allocate(8 * kCount);
    const uint64_t words[] = {reinterpret_cast<uint64_t>(memory), kCount, kFirst};
    {
      const ContextScope scope(*device);
      launch(*device, *stream, kernel, {4, 1, 1}, words);
    }
    std::vector<uint64_t> values(kCount), expected(kCount);
    std::iota(expected.begin(), expected.end(), kFirst);
    ASSERT_EQ(download(values.data(), memory, 8 * kCount), GPUOPT_OK) << error.message;
    ASSERT_EQ(synchronize(), GPUOPT_OK) << error.message;
    EXPECT_EQ(values, expected);
    free_last();
  }

  void reopen() {
    SLOT(stream_destroy)(device, stream);
    SLOT(device_close)(device);
    ASSERT_EQ(SLOT(device_open)(index(), &device, &error), GPUOPT_OK) << error.message;
    ASSERT_EQ(SLOT(stream_create)(device, 0, &stream, &error), GPUOPT_OK) << error.message;
  }

  fs::path cache;
};

TEST_F(KernelStoreTest, AKernelIsFoundOnceItWasAdded) {
  const ContextScope scope(*device);
  EXPECT_EQ(device->kernels->find("some key"), nullptr);
  const Kernel &kernel = device->kernels->add("some key", kFill);
  EXPECT_EQ(device->kernels->find("some key"), &kernel);
  EXPECT_EQ(device->kernels->find("another"), nullptr);
  EXPECT_EQ(&device->kernels->add("some key", kFill), &kernel);
  EXPECT_EQ(kernel.parameter_words, 3);
  EXPECT_EQ(kernel.operation, "fill");
  EXPECT_EQ(kernel.threads, 256);
  expect_it_fills(kernel);
}

TEST_F(KernelStoreTest, ManyThreadsCompileItOnce) {
  KernelSource source = kFill;  // that nothing has compiled before, so that it takes a while
  source.text += "// " + cache.string() + "\n";
  std::atomic<int> same{0};
  std::latch all_are_there(8);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      const ContextScope scope(*device);
      all_are_there.arrive_and_wait();
      const Kernel &kernel = device->kernels->add("k", source);
      same += device->kernels->find("k") == &kernel;
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(same, 8);
  EXPECT_EQ(Fake::counters().modules, before.modules + 1);
}

// The entry verifies, and is yet nothing the driver takes.
TEST_F(KernelStoreTest, ACachedKernelTheDriverRefusesIsMadeAgain) {
  EXPECT_EQ(failure_of(kFill).message, "");
  const Compiler compiler = choose_compiler(process_search(), driver().version, device->capability);
  plugin::DiskCache files(cache.string(), plugin::DiskCache::Use::own, uint64_t{1} << 30);
  const auto key = kernel_key(kFill, compiler.target, compiler.build);
  const std::optional<std::string> good = files.load(key);
  ASSERT_TRUE(good);
  files.store(key, "Cthis is no cubin");
  reopen();
  {
    const ContextScope scope(*device);
    expect_it_fills(device->kernels->add("k", kFill));
  }
  EXPECT_TRUE(test::TestHost::get().logged("cuda.cached_kernel"));
  EXPECT_EQ(files.load(key)->size(), good->size()) << "the cache has a right one again";
  test::TestHost::get().lines.clear();
  reopen();
  {
    const ContextScope scope(*device);
    expect_it_fills(device->kernels->add("k", kFill));
  }
  EXPECT_FALSE(test::TestHost::get().logged("cuda.cached_kernel"));
}

TEST_F(KernelStoreTest, WhatIsWrongWithASourceIsAnInternalError) {
  KernelSource words = kFill, entry = kFill, text = kFill;
  words.parameter_words = 2;
  entry.entry = "filll";
  text.text += "nonsense";
  EXPECT_EQ(failure_of(words).message, "fill: its kernel takes 24 bytes of parameters, not 2 words");
  for (const KernelSource &source : {words, entry, text}) {
    const plugin::Failure failure = failure_of(source);
    EXPECT_EQ(failure.code, GPUOPT_ERR_INTERNAL) << failure.message;
    EXPECT_NE(failure.message.find("fill"), std::string::npos) << failure.message;
  }
  EXPECT_NE(failure_of(text).message.find("nonsense"), std::string::npos) << failure_of(text).message;
}

TEST_F(KernelStoreTest, AKernelThatCannotRunInItsBlocksIsNamed) {
  KernelSource bounded = kFill;
  bounded.text.replace(bounded.text.find("__global__"), 10, "__global__ __launch_bounds__(128)");
  const plugin::Failure failure = failure_of(bounded);
  EXPECT_EQ(failure.code, GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(failure.message, "cuda:0: fill: its kernel fill runs in blocks of at most 128 threads here, not 256");
  bounded.threads = 128;
  EXPECT_EQ(failure_of(bounded).message, "");
}

// Whatever call of the driver fails, the store is as it was, and the next attempt works.
TEST_F(KernelStoreTest, AFaultAtEveryCall) {
  EXPECT_EQ(failure_of(kFill).message, "");
  for (const CUresult code : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NO_BINARY_FOR_GPU}) {
    int faults = 0;
    for (uint64_t call = 2; call < 10; ++call) {  // the first makes the context current
      const uint64_t modules = Fake::counters().modules;
      Fake::fail_at(call, code);
      gpuopt_status status = GPUOPT_OK;
      try {
        const ContextScope scope(*device);
        device->kernels->add(std::to_string(code) + " " + std::to_string(call), kFill);
      } catch (const plugin::Failure &failure) {
        status = failure.code;
      }
      Fake::fail_at(0);
      if (status == GPUOPT_OK) {
        EXPECT_EQ(Fake::counters().modules, modules + 1);
      } else {
        ++faults;
        EXPECT_EQ(Fake::counters().modules, modules) << "the module of call " << call << " is left";
        EXPECT_EQ(status, code == CUDA_ERROR_OUT_OF_MEMORY ? GPUOPT_ERR_OUT_OF_MEMORY : GPUOPT_ERR_UNSUPPORTED);
      }
    }
    EXPECT_GE(faults, 2);
  }
}

TEST_F(KernelStoreTest, WithoutACompilerTheReasonIsGiven) {
  test::TestHost::set("GPUOPT_NVRTC", "/nonexistent/libnvrtc.so.13");
  reopen();
  const plugin::Failure failure = failure_of(kFill);
  EXPECT_EQ(failure.code, GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(failure.reason, GPUOPT_REASON_COMPILER_MISSING);
}

}  // namespace
}  // namespace gpuopt::cuda

// tests/cuda/kernel_code_test.cpp -- where a kernel's code comes from: caches, seeds, the compiler; each process of a
// test stands for a run of a program.
#include "plugins/cuda/compile/kernel_code.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>

#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/cuda/driver/host.h"
#include "tests/unit/cpu_test_host.h"

namespace {

namespace fs = std::filesystem;
using namespace gpuopt::cuda;
using gpuopt::plugin::DiskCache;
using gpuopt::test::TestHost;

// The number of allocations by operator new that are still to succeed; negative: all.
std::atomic<int> allocations_left{-1};

const KernelSource kSource = {"k", "add", "extern \"C\" __global__ void k() {}", 0};

// Gives what `work` returns in a process of its own.
int in_process(const std::function<int()> &work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

class KernelCodeTest : public testing::Test {
 protected:
  void SetUp() override {
    static int count = 0;
    root = fs::canonical(fs::temp_directory_path()) /
           ("gpuopt_code_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    fs::create_directories(root);
    nvrtc = (root / "libnvrtc.so.12").string();
    fs::copy_file(GPUOPT_STUB "good" GPUOPT_LIBRARY_SUFFIX, nvrtc);
    TestHost::install();
    TestHost::get().lines.clear();
    input.driver_version = 12040;
    input.capability = 90;
    input.search.setting = [this](const char *name) { return name == std::string("GPUOPT_NVRTC") ? nvrtc : ""; };
    input.cache_directory = (root / "cache").string();
    input.cache_bytes = 1 << 20;
  }
  void TearDown() override { fs::remove_all(root); }

  bool opened() const { return dlopen(nvrtc.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr; }
  int compiled(const char *counter = "stub_compiled") const {
    void *const library = dlopen(nvrtc.c_str(), RTLD_NOW | RTLD_NOLOAD);
    return library ? *static_cast<int *>(dlsym(library, counter)) : 0;
  }
  // A run that wants one kernel: 0 if it is right and NVRTC stayed closed, 1 if it was opened, 2 if it compiled; more
  // if something is wrong.
  int run(const KernelSource &source = kSource) const {
    return in_process([&] {
      KernelCodes codes(input);
      const KernelCode code = codes.get(source);
      if (code.image != "cubin" || code.ptx || code.fresh != (compiled() == 1)) return 9;
      return compiled() ? 2 : opened() ? 1 : 0;
    });
  }

  fs::path root;
  std::string nvrtc;
  KernelCodeInput input;
};

TEST_F(KernelCodeTest, TheSecondRunDoesNotOpenTheCompiler) {
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(run(), 0);
  KernelSource other = kSource;
  other.text += "\n";
  EXPECT_EQ(run(other), 2);
  EXPECT_EQ(run(other), 0);
  EXPECT_EQ(run(), 0);
}

TEST_F(KernelCodeTest, AChangedCompilerIsOpenedAndAsked) {
  EXPECT_EQ(run(), 2);
  fs::last_write_time(nvrtc, fs::last_write_time(nvrtc) + std::chrono::seconds(5));
  KernelSource other = kSource;
  other.entry = "other";
  EXPECT_EQ(run(other), 2);
  EXPECT_EQ(run(), 0) << "the same build: what the cache has is still right";
}

TEST_F(KernelCodeTest, AnotherDeviceOrDriverHasKernelsOfItsOwn) {
  EXPECT_EQ(run(), 2);
  input.capability = 86;
  EXPECT_EQ(run(), 2) << "sm_80";
  EXPECT_EQ(run(), 0);
  input.driver_version = 12080;
  KernelSource other = kSource;
  other.entry = "other";
  EXPECT_EQ(run(other), 2);
  EXPECT_EQ(run(), 0) << "the same target: the same kernel";
}

TEST_F(KernelCodeTest, WithoutADirectoryEachRunCompiles) {
  input.cache_directory = "";
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(run(), 2);
}

TEST_F(KernelCodeTest, ADamagedCacheIsMadeAnew) {
  EXPECT_EQ(run(), 2);
  for (const auto &entry : fs::recursive_directory_iterator(root / "cache")) {
    const uint64_t bytes = entry.is_regular_file() ? entry.file_size() : 0;
    if (bytes) fs::resize_file(entry.path(), bytes - 1);  // the lock, where there is one, is empty
  }
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(run(), 0);
}

TEST_F(KernelCodeTest, WhatTheDriverRefusesIsCompiledAgain) {
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(in_process([&] {
              KernelCodes codes(input);
              return !codes.get(kSource).fresh && codes.compile(kSource).fresh && compiled() == 1 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(run(), 0);
}

TEST_F(KernelCodeTest, PtxWhereNoCubinWillDo) {
  input.capability = 100;
  for (const bool fresh : {true, false}) {
    EXPECT_EQ(in_process([&] {
                const KernelCode code = KernelCodes(input).get(kSource);
                return code.ptx && code.fresh == fresh && code.image.find(".version 8.0") != std::string::npos ? 0 : 1;
              }),
              0);
  }
}

// What `work` throws.
gpuopt::plugin::Failure failure_of(const std::function<void()> &work) {
  try {
    work();
  } catch (const gpuopt::plugin::Failure &failure) {
    return failure;
  }
  return {GPUOPT_OK, GPUOPT_REASON_NONE, 0, ""};
}

// The host says so to the user, once: here is no warning, only what was looked for.
TEST_F(KernelCodeTest, NoCompilerIsAReason) {
  fs::remove(nvrtc);
  KernelCodes codes(input);
  for (int time = 0; time < 2; ++time) {
    const auto failure = failure_of([&] { codes.get(kSource); });
    EXPECT_EQ(failure.code, GPUOPT_ERR_UNSUPPORTED);
    EXPECT_EQ(failure.reason, GPUOPT_REASON_COMPILER_MISSING);
    EXPECT_EQ(failure.message, "add: its kernel is in no cache, and no run-time compiler will do (" + nvrtc +
                                   ": there is no such file; Clang: install the package gpuopt-plugin-jit "
                                   "(/jit/libgpuopt_jit.so is not installed), or name the file in GPUOPT_JIT)");
  }
  ASSERT_EQ(TestHost::get().lines.size(), 1u);
  EXPECT_EQ(TestHost::get().lines[0].level, GPUOPT_LOG_INFO);
  EXPECT_EQ(TestHost::get().lines[0].event, "cuda.nvrtc");
}

// A kernel the cache lacks has the compiler opened in the middle of a run.
TEST_F(KernelCodeTest, TheCompilerIsOpenedWhenItIsNeeded) {
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(in_process([&] {
              KernelCodes codes(input);
              if (codes.get(kSource).fresh || opened()) return 1;
              KernelSource other = kSource;
              other.entry = "other";
              if (!codes.get(other).fresh || compiled() != 1 || codes.get(kSource).fresh) return 2;
              return compiled("stub_tried") == 0 ? 0 : 3;  // it is known to work
            }),
            0);
}

// The first kernel tells which compiler this is: nothing is compiled but what was asked for.
TEST_F(KernelCodeTest, TheCompilerIsKnownByItsFirstKernel) {
  EXPECT_EQ(in_process([&] {
              KernelCodes codes(input);
              if (!codes.get(kSource).fresh || compiled() != 1 || compiled("stub_tried") != 0) return 1;
              return codes.get(kSource).fresh ? 2 : compiled() - 1;
            }),
            0);
}

// Nor is the compiler blamed for it: an empty kernel tells that it works, and the next one is compiled.
TEST_F(KernelCodeTest, TextThatDoesNotCompileSaysWhy) {
  EXPECT_EQ(in_process([&] {
              KernelCodes codes(input);
              const KernelSource wrong = {"w", "take", "nonsense", 0};
              for (int time = 0; time < 2; ++time) {
                const auto failure = failure_of([&] { codes.get(wrong); });
                EXPECT_EQ(failure.code, GPUOPT_ERR_INTERNAL);
                EXPECT_EQ(failure.message,
                          "take: its kernel does not compile with NVRTC 12.4 (-arch=sm_90 -std=c++17 -fmad=false "
                          "-default-device): error: nonsense");
              }
              EXPECT_EQ(compiled("stub_tried"), 1);
              EXPECT_TRUE(codes.get(kSource).fresh);
              return HasFailure() ? 1 : 0;
            }),
            0);
  EXPECT_EQ(run(), 0);
}

// Seeds are read without a compiler: of the device's architecture or the next below, and of a toolkit that is not too
// new for the driver.
TEST_F(KernelCodeTest, Seeds) {
  fs::remove(nvrtc);
  input.seeds = {(root / "none").string(), (root / "seed").string()};
  const auto plant = [&](int arch, int toolkit, const char *payload) {
    DiskCache seed((root / "seed").string(), DiskCache::Use::own, 1 << 20);
    seed.store(kernel_key(kSource, {arch, false, ""}, seed_build(toolkit)), payload);
  };
  const auto image = [&](int capability) -> std::string {
    input.capability = capability;
    try {
      return KernelCodes(input).get(kSource).image;
    } catch (const gpuopt::plugin::Failure &) {
      return "none";
    }
  };
  EXPECT_EQ(image(90), "none");
  plant(90, 13000, "Ctoo new");
  EXPECT_EQ(image(90), "none");
  plant(80, 12080, "Cfor 80");
  EXPECT_EQ(image(90), "none");
  EXPECT_EQ(image(89), "for 80");
  EXPECT_EQ(image(80), "for 80");
  EXPECT_EQ(image(75), "none");
  EXPECT_EQ(image(87), "none") << "Tegra takes only its own";
  plant(86, 12080, "Cfor 86");
  EXPECT_EQ(image(89), "for 86");
  EXPECT_EQ(image(80), "for 80");
  input.driver_version = 13000;
  EXPECT_EQ(image(90), "too new") << "but not for this driver";
}

// What gpuopt_cuda_seed makes by default serves a device of each architecture that NVRTC 13.0 names.
TEST_F(KernelCodeTest, ASeedOfTheFewestArchitecturesServesEach) {
  const std::vector<int> archs = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  fs::remove(nvrtc);
  input.driver_version = 13000;
  input.seeds = {(root / "seed").string()};
  {
    DiskCache seed(input.seeds[0], DiskCache::Use::own, 1 << 20);
    for (const int arch : fewest_archs(archs)) {
      const std::string cubin = "cubin for " + std::to_string(arch) + std::string(10000, '.');
      const Target target = {arch, false, ""};
      const std::string dictionary = arch % 20 == 0 ? cubin.substr(5) : "";  // some have one
      if (!dictionary.empty())
        seed.store(dictionary_key(target, seed_build(13000), dictionary_number(dictionary)), dictionary);
      seed.store(kernel_key(kSource, target, seed_build(13000)), seed_payload(cubin, dictionary));
    }
  }
  for (const int arch : archs) {
    input.capability = arch;
    const KernelCode code = KernelCodes(input).get(kSource);
    const int made_for = std::stoi(code.image.substr(sizeof "cubin for"));
    EXPECT_EQ(made_for / 10, arch / 10);
    EXPECT_LE(made_for, arch);
    EXPECT_EQ(code.image, "cubin for " + std::to_string(made_for) + std::string(10000, '.'));
    EXPECT_FALSE(code.ptx || code.fresh) << arch;
  }
  uint64_t bytes = 0;
  for (const auto &entry : fs::recursive_directory_iterator(input.seeds[0])) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, 7 * 1000u + 3 * 10200u) << "they are deflated";
}

// As when gpuopt_cuda_seed adds to a seed.
TEST_F(KernelCodeTest, ASeedHoldsSeveralDictionaries) {
  const Target target = {90, false, ""};
  const std::string build = seed_build(12080);
  DiskCache seed((root / "seed").string(), DiskCache::Use::own, 1 << 20);
  KernelSource other = kSource;
  other.text += "// another";
  for (const auto &[source, cubin] : {std::pair(kSource, "the first cubin"), std::pair(other, "another cubin")}) {
    seed.store(dictionary_key(target, build, dictionary_number(cubin)), cubin);
    seed.store(kernel_key(source, target, build), seed_payload(cubin, cubin));
  }
  for (const auto &[source, cubin] : {std::pair(kSource, "the first cubin"), std::pair(other, "another cubin")}) {
    const auto found = seed_kernel(seed, source, target, build);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->image, cubin);
  }
  seed.remove(dictionary_key(target, build, dictionary_number("the first cubin")));
  EXPECT_FALSE(seed_kernel(seed, kSource, target, build));
  EXPECT_TRUE(seed_kernel(seed, other, target, build));
}

// Wherever the memory ends, nothing of zlib's is lost. The allocator tells in a release build, a sanitizer in its own.
TEST_F(KernelCodeTest, WithoutMemoryNothingLeaks) {
  const Target target = {90, false, ""};
  const std::string build = seed_build(12080), dictionary(2000, 'd'), cubin = dictionary + std::string(9000, 'c');
  DiskCache seed((root / "seed").string(), DiskCache::Use::own, 1 << 20);
  seed.store(dictionary_key(target, build, dictionary_number(dictionary)), dictionary);
  seed.store(kernel_key(kSource, target, build), seed_payload(cubin, dictionary));
  const auto without_memory = [&](const std::function<bool()> &work) {
    int failed = 0;
    for (int left = 0, done = 0; !done; ++left) {
      allocations_left = left;
      try {
        done = work();
      } catch (const std::bad_alloc &) {
        ++failed;
      }
      allocations_left = -1;
    }
    return failed;
  };
  const auto inflate = [&] {
    const auto found = seed_kernel(seed, kSource, target, build);
    return found && found->image == cubin;
  };
  const auto deflate = [&] { return seed_payload(cubin, dictionary).size() < cubin.size(); };
  EXPECT_GT(without_memory(inflate), 0);
  EXPECT_GT(without_memory(deflate), 0);
  const size_t before = mallinfo2().uordblks;
  for (int round = 0; round < 10; ++round) without_memory(inflate), without_memory(deflate);
  EXPECT_LT(mallinfo2().uordblks, before + 5000) << "the least zlib takes is more";
}

// Of a seed that passes its checksum but was not made by seed_payload.
TEST_F(KernelCodeTest, WhatCannotBeInflatedIsNoKernel) {
  const std::string good = seed_payload("cubin");
  std::string too_long = good, huge = good;
  ++too_long[1];
  huge[8] = 127;
  for (const std::string &payload : {seed_payload("cubin", "a dictionary it has not"), std::string("D"),
                                     good.substr(0, good.size() - 1), too_long, huge}) {
    DiskCache((root / "seed").string(), DiskCache::Use::own, 1 << 20)
        .store(kernel_key(kSource, {90, false, ""}, seed_build(12040)), payload);
    input.seeds = {(root / "seed").string()};
    EXPECT_EQ(run(), 2);
    fs::remove_all(root / "cache");
  }
}

TEST(KernelKey, EverythingCounts) {
  const Target target = {90, false, ""};
  const auto key = kernel_key(kSource, target, "build");
  KernelSource other = kSource;
  other.operation = "another name for it";
  EXPECT_EQ(kernel_key(other, target, "build"), key);
  other.text += " ";
  EXPECT_NE(kernel_key(other, target, "build"), key);
  other = kSource;
  other.entry = "l";
  EXPECT_NE(kernel_key(other, target, "build"), key);
  EXPECT_NE(kernel_key(kSource, {89, false, ""}, "build"), key);
  EXPECT_NE(kernel_key(kSource, {90, true, ""}, "build"), key);
  EXPECT_NE(kernel_key(kSource, target, "build 2"), key);
}

}  // namespace

// Not inlined: GCC takes the pair for a mismatch where it sees only one of them.
__attribute__((noinline)) void *operator new(size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void *const block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *block) noexcept { std::free(block); }
__attribute__((noinline)) void operator delete(void *block, size_t) noexcept { std::free(block); }

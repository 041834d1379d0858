// tests/fake_cuda/self_test.cpp -- the fake driver by itself: that it does what a device does, and sees what is wrong.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "plugins/cuda/compile/nvrtc_types.h"
#include "plugins/cuda/driver/driver_types.h"
#include "tests/fake_cuda/fake_cuda.h"

namespace {

struct Driver {
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) CUresult(*name) args = nullptr;
#include "plugins/cuda/driver/driver_symbols.def"
  fake_cuda_count_fn *count = nullptr;
  fake_cuda_take_launches_fn *take_launches = nullptr;
  fake_cuda_fail_at_fn *fail_at = nullptr;
};

struct Nvrtc {
#define GPUOPT_NVRTC_SYMBOL(result, name, args) result(*name) args = nullptr;
#include "plugins/cuda/compile/nvrtc_symbols.def"
};

template <class F>
void find(void *library, const char *name, F *&function) {
  function = reinterpret_cast<F *>(dlsym(library, name));
  if (!function) std::fprintf(stderr, "no %s\n", name), std::abort();
}

const Driver &cu() {
  static const Driver driver = [] {
    Driver d;
    void *library = dlopen(FAKE_CUDA_LIBRARIES "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) std::fprintf(stderr, "%s\n", dlerror()), std::abort();
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) find(library, #exported, d.name);
#include "plugins/cuda/driver/driver_symbols.def"
    find(library, "fake_cuda_count", d.count);
    find(library, "fake_cuda_take_launches", d.take_launches);
    find(library, "fake_cuda_fail_at", d.fail_at);
    return d;
  }();
  return driver;
}

const Nvrtc &nvrtc() {
  static const Nvrtc table = [] {
    Nvrtc n;
    void *library = dlopen(FAKE_CUDA_LIBRARIES "/libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library) std::fprintf(stderr, "%s\n", dlerror()), std::abort();
#define GPUOPT_NVRTC_SYMBOL(result, name, args) find(library, #name, n.name);
#include "plugins/cuda/compile/nvrtc_symbols.def"
    return n;
  }();
  return table;
}

fake_cuda_counters counters() {
  fake_cuda_counters c;
  cu().count(&c);
  return c;
}

#define OK(call) ASSERT_EQ(call, CUDA_SUCCESS) << #call

// Compiled code, or "" with the log printed. `ptx`: that instead of a cubin.
std::string compile(const std::string &text, const char *arch = "-arch=sm_90", bool ptx = false,
                    std::string *log_out = nullptr, const char *fmad = "-fmad=false") {
  const char *headers[] = {"#pragma once\nusing u64 = unsigned long long;\n",
                           "#pragma once\n#include \"words.h\"\nusing Longest = u64;\n"};
  const char *names[] = {"words.h", "more_words.h"};
  nvrtcProgram program = nullptr;
  EXPECT_EQ(nvrtc().nvrtcCreateProgram(&program, text.c_str(), "test.cu", 2, headers, names), NVRTC_SUCCESS);
  const char *options[] = {arch, "-std=c++17", fmad};
  const nvrtcResult result = nvrtc().nvrtcCompileProgram(program, 3, options);
  size_t bytes = 0;
  nvrtc().nvrtcGetProgramLogSize(program, &bytes);
  std::string log(bytes, 0), out;
  nvrtc().nvrtcGetProgramLog(program, log.data());
  if (log_out)
    *log_out = log;
  else
    EXPECT_EQ(result, NVRTC_SUCCESS) << log;
  if (result == NVRTC_SUCCESS) {
    ptx ? nvrtc().nvrtcGetPTXSize(program, &bytes) : nvrtc().nvrtcGetCUBINSize(program, &bytes);
    out.resize(bytes);
    ptx ? nvrtc().nvrtcGetPTX(program, out.data()) : nvrtc().nvrtcGetCUBIN(program, out.data());
  }
  EXPECT_EQ(nvrtc().nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  return out;
}

class FakeCuda : public testing::Test {
 protected:
  void SetUp() override {
    setenv("FAKE_CUDA_MEMORY", "100000000", 0);
    OK(cu().cuInit(0));
    OK(cu().cuDevicePrimaryCtxRetain(&context, 0));
    OK(cu().cuCtxPushCurrent(context));
    OK(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    violations = counters().violations;
  }
  // A context that a fault ended is left behind; the next test has a new one.
  void TearDown() override {
    for (CUdeviceptr p : blocks) cu().cuMemFree(p);
    for (CUmodule m : modules) cu().cuModuleUnload(m);
    cu().cuStreamDestroy(stream);
    CUcontext popped;
    cu().cuCtxPopCurrent(&popped);
    OK(cu().cuDevicePrimaryCtxRelease(0));
    const fake_cuda_counters c = counters();
    EXPECT_EQ(c.blocks, 0u);
    EXPECT_EQ(c.pinned, 0u);
    EXPECT_EQ(c.streams, 0u);
    EXPECT_EQ(c.events, 0u);
    EXPECT_EQ(c.contexts, 0u);
    EXPECT_EQ(c.modules, 0u);
    EXPECT_EQ(c.violations - violations, expected_violations);
  }

  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr p = 0;
    EXPECT_EQ(cu().cuMemAlloc(&p, bytes), CUDA_SUCCESS);
    blocks.push_back(p);
    return p;
  }
  template <class T>
  CUdeviceptr upload(const std::vector<T> &values) {
    CUdeviceptr p = allocate(values.size() * sizeof(T));
    EXPECT_EQ(cu().cuMemcpyHtoDAsync(p, values.data(), values.size() * sizeof(T), stream), CUDA_SUCCESS);
    return p;
  }
  template <class T>
  std::vector<T> download(CUdeviceptr p, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cu().cuMemcpyDtoHAsync(values.data(), p, count * sizeof(T), stream), CUDA_SUCCESS);
    return values;
  }
  CUfunction function(const std::string &text, const char *name = "k", const char *fmad = "-fmad=false") {
    const std::string image = compile(text, "-arch=sm_90", false, nullptr, fmad);
    CUmodule module = nullptr;
    CUfunction f = nullptr;
    EXPECT_EQ(cu().cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr), CUDA_SUCCESS);
    modules.push_back(module);
    EXPECT_EQ(cu().cuModuleGetFunction(&f, module, name), CUDA_SUCCESS);
    return f;
  }
  template <class... A>
  CUresult launch(CUfunction f, unsigned blocks_, unsigned threads, A... arguments) {
    void *pointers[] = {&arguments..., nullptr};
    return cu().cuLaunchKernel(f, blocks_, 1, 1, threads, 1, 1, 0, stream, pointers, nullptr);
  }
  // One launch of `text` that must end in `code` at the synchronisation.
  template <class... A>
  void expect_fault(CUresult code, const std::string &text, unsigned threads, A... arguments) {
    CUfunction f = function(text);
    OK(launch(f, 1, threads, arguments...));
    EXPECT_EQ(cu().cuStreamSynchronize(stream), code);
    EXPECT_EQ(cu().cuStreamSynchronize(stream), code) << "the error stays";
    ++expected_violations;
  }

  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::vector<CUdeviceptr> blocks;
  std::vector<CUmodule> modules;
  uint64_t violations = 0, expected_violations = 0;
};

const char *const kAdd = R"(
#include "words.h"
extern "C" __global__ void __launch_bounds__(256) k(const float *a, const float *b, float *out, u64 n) {
  const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
})";

TEST_F(FakeCuda, RunsAKernelAndCountsItsBytes) {
  std::vector<float> a(1000), b(1000);
  for (int i = 0; i < 1000; ++i) a[size_t(i)] = float(i), b[size_t(i)] = float(2 * i);
  CUdeviceptr x = upload(a), y = upload(b), out = allocate(4000);
  CUfunction f = function(kAdd);
  cu().take_launches(nullptr, 0);
  OK(launch(f, 4, 256, x, y, out, uint64_t(1000)));
  std::vector<float> result = download<float>(out, 1000);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(result[size_t(i)], float(3 * i));
  fake_cuda_launch launched;
  ASSERT_EQ(cu().take_launches(&launched, 1), 1u);
  EXPECT_STREQ(launched.name, "k");
  EXPECT_EQ(launched.bytes_loaded, 8000u);
  EXPECT_EQ(launched.bytes_stored, 4000u);
  EXPECT_EQ(launched.loads, 2000u);
  int value = 0;
  OK(cu().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  EXPECT_EQ(value, 256);
  size_t offset = 0, bytes = 0;
  OK(cu().cuFuncGetParamInfo(f, 3, &offset, &bytes));
  EXPECT_EQ(offset, 24u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_NE(cu().cuFuncGetParamInfo(f, 4, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(launch(f, 4, 512, x, y, out, uint64_t(1000)), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(f, 0, 256, x, y, out, uint64_t(1000)), CUDA_ERROR_INVALID_VALUE);
  expected_violations = 2;
}

// As NVRTC does: the bits of a backend that forgot the option are others.
TEST_F(FakeCuda, ContractsUnlessToldNotTo) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) GTEST_SKIP() << "a processor without FMA";
#endif
  const std::string text = R"(extern "C" __global__ void k(double *p) { p[3] = p[0] * p[1] + p[2]; })";
  const double x = 1 + 0x1p-30;  // x * x has the bit 2^-60, which only one rounding keeps
  const CUdeviceptr p = upload(std::vector<double>{x, x, -(1 + 0x1p-29), -1});
  OK(launch(function(text), 1, 1, p));
  EXPECT_EQ(download<double>(p, 4)[3], 0);
  OK(launch(function(text, "k", "-fmad=true"), 1, 1, p));
  EXPECT_EQ(download<double>(p, 4)[3], 0x1p-60);
}

TEST_F(FakeCuda, CompilerSaysWhatIsWrong) {
  std::string log;
  EXPECT_EQ(compile("extern \"C\" __global__ void k(int *p) { *p = nonsense; }", "-arch=sm_90", false, &log), "");
  EXPECT_NE(log.find("nonsense"), std::string::npos) << log;
  EXPECT_NE(log.find("test.cu"), std::string::npos) << log;
  EXPECT_EQ(compile("#include <stdio.h>\nextern \"C\" __global__ void k() {}", "-arch=sm_90", false, &log), "");
  EXPECT_EQ(compile("extern \"C\" __global__ void k() {}", "-arch=sm_12", false, &log), "");
}

// As NVRTC, which knows of the other headers no more than their names.
TEST_F(FakeCuda, KernelsSeeOnlyTheHeadersThatTheyInclude) {
  const std::string kernel = "extern \"C\" __global__ void k(Longest *p) { *p = 7; }";
  std::string log;
  for (const char *const first : {"", "#include \"words.h\"\n"}) {
    EXPECT_EQ(compile(first + kernel, "-arch=sm_90", false, &log), "") << first;
    EXPECT_NE(log.find("Longest"), std::string::npos) << log;
  }
  for (const char *const first : {"#include \"more_words.h\"\n", "#include \"words.h\"\n#include \"more_words.h\"\n"}) {
    const CUdeviceptr p = upload(std::vector<unsigned long long>{0});
    OK(launch(function(first + kernel), 1, 1, p));
    EXPECT_EQ(download<unsigned long long>(p, 1)[0], 7u) << first;
  }
}

// Kernels of the plugin's form: they write `value` where their one word points.
std::string storing(int value) {
  return "namespace gpo {\ntemplate <int n>\nstruct Words {\n  unsigned long long w[n];\n};\n}\n"
         "static int value_of() { return " +
         std::to_string(value) +
         "; }\nextern \"C\" __global__ void __launch_bounds__(32) k(const gpo::Words<1> p) {\n"
         "  *reinterpret_cast<int *>(p.w[0]) = value_of();\n}\n";
}

size_t files_in(const std::filesystem::path &directory, const std::string &start) {
  size_t count = 0;
  for (auto &entry : std::filesystem::recursive_directory_iterator(directory))
    count += entry.path().extension() == ".so" && entry.path().filename().string().compare(0, start.size(), start) == 0;
  return count;
}

// Run by the next test, in a process that compiles ahead: the first kernel works, the others do nothing.
TEST_F(FakeCuda, DISABLED_CompilesLater) {
  CUdeviceptr p = allocate(4);
  for (int value : {1, 2, 3}) {
    OK(cu().cuMemsetD8Async(p, 0, 4, stream));
    OK(launch(function(storing(value)), 1, 1, p));
    EXPECT_EQ(download<int>(p, 1)[0], value == 1 ? 1 : 0);
  }
}

TEST_F(FakeCuda, KernelsCompiledTogetherAreKernels) {
  char directory[] = "/tmp/fake_cuda_ahead_XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string in = std::string("FAKE_CUDA_DIR=") + directory;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  ASSERT_EQ(std::system((in + " FAKE_CUDA_AHEAD=1 " + self +
                         " --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_CompilesLater' >/dev/null")
                            .c_str()),
            0);
  EXPECT_EQ(files_in(directory, "many_"), 1u);
  EXPECT_EQ(files_in(directory, ""), 4u);  // the first alone, two together, and their two names
  setenv("FAKE_CUDA_DIR", directory, 1);
  CUdeviceptr p = allocate(4);
  for (int value : {3, 2, 1}) {
    CUfunction f = function(storing(value));
    int limit = 0;
    OK(cu().cuFuncGetAttribute(&limit, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    EXPECT_EQ(limit, 32);
    cu().take_launches(nullptr, 0);
    OK(launch(f, 1, 1, p));
    EXPECT_EQ(download<int>(p, 1)[0], value);
    fake_cuda_launch launched;
    ASSERT_EQ(cu().take_launches(&launched, 1), 1u);
    EXPECT_STREQ(launched.name, "k");
  }
  EXPECT_EQ(files_in(directory, ""), 4u) << "something was compiled again";
  unsetenv("FAKE_CUDA_DIR");
  std::filesystem::remove_all(directory);
}

TEST_F(FakeCuda, ImagesFitDevices) {
  const std::string text = "extern \"C\" __global__ void k() {}";
  CUmodule module = nullptr;
  const auto load = [&](const std::string &image) {
    const CUresult result = cu().cuModuleLoadDataEx(&module, image.c_str(), 0, nullptr, nullptr);
    if (result == CUDA_SUCCESS) modules.push_back(module);
    return result;
  };
  EXPECT_EQ(load(compile(text, "-arch=sm_80")), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load(compile(text, "-arch=compute_80", true)), CUDA_SUCCESS);
  EXPECT_EQ(load(compile(text, "-arch=compute_100", true)), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load("rubbish"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load("// fake_cuda cubin 90 1300 /nowhere.so\n"), CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(FakeCuda, WorkRunsOnlyWhenSomethingWaits) {
  CUdeviceptr p = allocate(4);
  OK(cu().cuMemsetD8Async(p, 7, 4, stream));
  void *pinned = nullptr;
  OK(cu().cuMemHostAlloc(&pinned, 4, 0));
  std::memset(pinned, 0, 4);
  OK(cu().cuMemcpyDtoHAsync(pinned, p, 4, stream));
  EXPECT_EQ(static_cast<char *>(pinned)[0], 0) << "nothing has waited";
  OK(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(static_cast<char *>(pinned)[0], 7);
  // From pinned memory: what is there when the copy runs. From other memory: what was there at the call.
  char pageable[4] = {1, 1, 1, 1};
  OK(cu().cuMemcpyHtoDAsync(p, pageable, 4, stream));
  pageable[0] = 2;
  EXPECT_EQ(download<char>(p, 4)[0], 1);
  OK(cu().cuMemcpyHtoDAsync(p, pinned, 4, stream));
  static_cast<char *>(pinned)[0] = 9;
  EXPECT_EQ(download<char>(p, 4)[0], 9);
  OK(cu().cuMemFreeHost(pinned));
}

TEST_F(FakeCuda, EventsOrderStreams) {
  CUstream other = nullptr;
  CUevent done = nullptr, later = nullptr;
  OK(cu().cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  OK(cu().cuEventCreate(&done, CU_EVENT_DEFAULT));
  OK(cu().cuEventCreate(&later, CU_EVENT_DEFAULT));
  CUdeviceptr p = allocate(4), q = allocate(4);
  OK(cu().cuMemsetD8Async(p, 1, 4, stream));
  OK(cu().cuStreamSynchronize(stream));
  OK(cu().cuMemsetD8Async(p, 2, 4, stream));
  OK(cu().cuMemcpyDtoDAsync(q, p, 4, other));  // not ordered: sees the value before
  OK(cu().cuStreamSynchronize(other));
  OK(cu().cuEventRecord(done, stream));
  EXPECT_EQ(download<char>(q, 4)[0], 1);
  OK(cu().cuMemsetD8Async(p, 3, 4, stream));
  OK(cu().cuEventRecord(done, stream));
  OK(cu().cuStreamWaitEvent(other, done, 0));
  OK(cu().cuMemcpyDtoDAsync(q, p, 4, other));
  EXPECT_EQ(cu().cuEventQuery(later), CUDA_SUCCESS) << "an event that was never recorded is done";
  OK(cu().cuEventRecord(later, other));
  EXPECT_EQ(cu().cuEventQuery(later), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu().cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  OK(cu().cuEventSynchronize(later));
  EXPECT_EQ(cu().cuEventQuery(later), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuStreamQuery(other), CUDA_SUCCESS);
  EXPECT_EQ(download<char>(q, 4)[0], 3);
  float milliseconds = -1;
  OK(cu().cuEventElapsedTime(&milliseconds, done, later));
  EXPECT_GT(milliseconds, 0);
  OK(cu().cuEventDestroy(done));
  OK(cu().cuEventDestroy(later));
  EXPECT_EQ(cu().cuEventSynchronize(later), CUDA_ERROR_INVALID_HANDLE);
  ++expected_violations;
  OK(cu().cuMemsetD8Async(p, 4, 4, other));
  OK(cu().cuStreamDestroy(other));
  EXPECT_EQ(download<char>(p, 4)[0], 3) << "what the destroyed stream held has not run";
  OK(cu().cuCtxSynchronize());
  EXPECT_EQ(download<char>(p, 4)[0], 4);
}

TEST_F(FakeCuda, PoolsCountInStreamOrder) {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool = nullptr;
  OK(cu().cuMemPoolCreate(&pool, &properties));
  uint64_t all = UINT64_MAX, reserved = 0;
  OK(cu().cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
  CUdeviceptr p = 0, q = 0;
  OK(cu().cuMemAllocFromPoolAsync(&p, 5 << 20, pool, stream));
  OK(cu().cuMemsetD8Async(p, 1, 5 << 20, stream));
  OK(cu().cuMemFreeAsync(p, stream));
  EXPECT_EQ(cu().cuMemFreeAsync(p, stream), CUDA_ERROR_INVALID_VALUE) << "freed twice";
  EXPECT_EQ(cu().cuMemsetD8Async(p, 1, 4, stream), CUDA_ERROR_INVALID_VALUE) << "used after it was freed";
  expected_violations = 2;
  OK(cu().cuStreamSynchronize(stream));
  OK(cu().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
  EXPECT_EQ(reserved, 6u << 20);
  OK(cu().cuMemPoolTrimTo(pool, 0));
  OK(cu().cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
  EXPECT_EQ(reserved, 0u);
  // Memory another stream freed cannot be had before that stream was waited for.
  CUstream other = nullptr;
  OK(cu().cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  const size_t most = size_t(60) << 20;
  OK(cu().cuMemAllocFromPoolAsync(&p, most, pool, stream));
  OK(cu().cuMemFreeAsync(p, stream));
  EXPECT_EQ(cu().cuMemAllocFromPoolAsync(&q, most, pool, other), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cu().cuStreamDestroy(other));
  OK(cu().cuStreamSynchronize(stream));
  OK(cu().cuMemPoolDestroy(pool));
}

TEST_F(FakeCuda, UseBeforeTheAllocationIsReachedFaults) {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool = nullptr;
  OK(cu().cuMemPoolCreate(&pool, &properties));
  CUstream other = nullptr;
  OK(cu().cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  CUdeviceptr p = 0;
  OK(cu().cuMemAllocFromPoolAsync(&p, 100, pool, stream));
  OK(cu().cuMemsetD8Async(p, 1, 100, other));
  EXPECT_EQ(cu().cuStreamSynchronize(other), CUDA_ERROR_ILLEGAL_ADDRESS);
  ++expected_violations;
  OK(cu().cuMemPoolDestroy(pool));
  cu().cuStreamDestroy(other);
}

const char *const kTouch = R"(
template <class T> void touch(const char *p) { *(T *)p = T(1); }
extern "C" __global__ void k(const char *p) { touch<TYPE>(p); })";
std::string touch(const std::string &type) {
  std::string text = kTouch;
  return text.replace(text.find("TYPE"), 4, type);
}

TEST_F(FakeCuda, AccessBehindABlockFaults) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, touch("int"), 1, allocate(100) + 100);
}
TEST_F(FakeCuda, AccessAcrossTheEndFaults) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, touch("long long"), 1, allocate(100) + 96);
}
TEST_F(FakeCuda, MisalignedAccessFaults) {
  expect_fault(CUDA_ERROR_MISALIGNED_ADDRESS, touch("int"), 1, allocate(100) + 2);
}
TEST_F(FakeCuda, AccessToTheHostFaults) {
  static int host = 5;
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, touch("int"), 1, CUdeviceptr(&host));
  EXPECT_EQ(host, 5);
}
TEST_F(FakeCuda, NullFaults) { expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, touch("int"), 1, CUdeviceptr(0)); }
TEST_F(FakeCuda, AccessWithoutAHookFaults) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, R"(
extern "C" void *memset(void *, int, size_t);
extern "C" __global__ void k(char *p, int n) { memset(p, 1, n); })",
               1, allocate(100), 10000000);
}
TEST_F(FakeCuda, UseAfterFreeFaults) {
  CUdeviceptr p = allocate(64);
  blocks.clear();
  OK(cu().cuMemFree(p));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, touch("int"), 1, p);
}
TEST_F(FakeCuda, EndlessRecursionFaults) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, R"(
__device__ __noinline__ int deep(volatile int *p, int n) {
  volatile int here[256];
  here[n & 255] = n;
  return *p ? deep(p, n + 1) + here[3] : 1;
}
extern "C" __global__ void k(int *p) { *p = 1; __syncthreads(); *p = deep(p, 0); })",
               2, allocate(64));
}

TEST_F(FakeCuda, PinnedMemoryIsTheKernelsToo) {
  void *pinned = nullptr;
  OK(cu().cuMemHostAlloc(&pinned, 64, 0));
  OK(launch(function(touch("int")), 1, 1, pinned));
  OK(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(*static_cast<int *>(pinned), 1);
  OK(cu().cuMemFreeHost(pinned));
}

TEST_F(FakeCuda, TheHostCannotTouchDeviceMemory) {
  CUdeviceptr p = allocate(64);
  const pid_t child = fork();
  if (child == 0) {
    *reinterpret_cast<volatile char *>(p) = 1;
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

const char *const kMeet = R"(
extern "C" __global__ void k(unsigned *out) {
  __shared__ unsigned shared[64];
  const unsigned t = threadIdx.x;
  shared[t] = t;
  __syncthreads();
  unsigned sum = shared[63 - t];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffffu, sum, s);
  sum = __shfl_sync(0xffffffffu, sum, 0);
  const unsigned odd = __ballot_sync(0xffffffffu, t & 1);
  __syncwarp();
  const int large = __syncthreads_count(t > 40);
  unsigned up = __shfl_up_sync(0xffffffffu, t, 1u);
  float other = __shfl_xor_sync(0xffffffffu, float(t), 3);
  atomicAdd(&out[0], 1u);
  out[1 + t] = blockIdx.x + sum + (odd == 0xaaaaaaaau) + large + up + unsigned(other);
})";
TEST_F(FakeCuda, ThreadsMeet) {
  CUdeviceptr out = upload(std::vector<unsigned>(65));
  OK(launch(function(kMeet), 3, 64, out));
  const std::vector<unsigned> got = download<unsigned>(out, 65);
  EXPECT_EQ(got[0], 192u);
  for (unsigned t = 0; t < 64; ++t) {
    unsigned sum = 0;  // of the 32 values the warp read
    for (unsigned lane = 0; lane < 32; ++lane) sum += 63 - (t / 32 * 32 + lane);
    const unsigned up = t % 32 == 0 ? t : t - 1;
    EXPECT_EQ(got[1 + t], 2 + sum + 1 + 23 + up + (t ^ 3)) << t;
  }
}

TEST_F(FakeCuda, DivergenceIsAnErrorNotAHang) {
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, "extern \"C\" __global__ void k() { if (threadIdx.x != 5) __syncthreads(); }",
               64);
}
TEST_F(FakeCuda, AMissingLaneIsAnError) {
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, "extern \"C\" __global__ void k() { __shfl_sync(0xffffffffu, 1, 0); }", 40);
}
TEST_F(FakeCuda, LanesAtDifferentPointsAreAnError) {
  expect_fault(
      CUDA_ERROR_LAUNCH_FAILED,
      "extern \"C\" __global__ void k() { if (threadIdx.x & 1) __syncwarp(); else __any_sync(0xffffffffu, 1); }", 32);
}
TEST_F(FakeCuda, ADeadlockOfThreadsThatLookAgainIsAnErrorNotAHang) {
  expect_fault(CUDA_ERROR_LAUNCH_FAILED,
               "extern \"C\" __global__ void k(volatile int *p) { while (threadIdx.x && *p == 0) __syncwarp(1u << "
               "threadIdx.x % 32); __syncthreads(); }",
               40, upload(std::vector<int>(1)));
}

// Two arrays, and one of a template: what is an element before or behind them, or crosses their end, is nobody's.
std::string shared_arrays(const std::string &access) {
  return R"(
template <class T> __device__ T *other() { __shared__ T all[8]; return all; }
extern "C" __global__ void k(float *out, int n) {
  __shared__ float s[64], t[64];
  t[threadIdx.x] = s[threadIdx.x] = other<float>()[threadIdx.x % 8] = 1;
  __syncthreads();
  if (threadIdx.x == 1) )" +
         access + ";\n}";
}
TEST_F(FakeCuda, SharedArraysAreWhole) {
  const CUdeviceptr out = allocate(4);
  OK(launch(function(shared_arrays("s[n + 63] = t[n] + t[63 + n] + s[n] + other<float>()[n + 7], *out = s[n + 63]")), 1,
            64, out, 0));
  EXPECT_EQ(download<float>(out, 1)[0], 4);
}
class SharedArrays : public FakeCuda, public testing::WithParamInterface<const char *> {};
TEST_P(SharedArrays, EndWhereTheyEnd) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, shared_arrays(GetParam()), 64, allocate(4), 0);
}
INSTANTIATE_TEST_SUITE_P(All, SharedArrays,
                         testing::Values("s[n + 64] = 2", "t[n + 64] = 2", "s[n - 1] = 2", "t[n - 1] = 2",
                                         "*out = s[n + 64]", "*out = other<float>()[n + 8]",
                                         "other<float>()[n - 1] = 2", "atomicAdd(s + n + 64, 1.f)"));
TEST_F(FakeCuda, SharedMemoryHoldsRubbish) {
  CUdeviceptr out = allocate(8);
  OK(launch(function("extern \"C\" __global__ void k(unsigned *out) { __shared__ unsigned s[4]; out[blockIdx.x] = "
                     "s[1]; s[1] = 0; }"),
            2, 1, out));
  for (unsigned word : download<unsigned>(out, 2)) EXPECT_EQ(word, 0xa5a5a5a5u);
}

// Users' kernels, known by their headers, are compiled by libgpuopt_jit.
#if defined(FAKE_CUDA_HAS_JIT)
std::string users(const std::string &text) { return "#include \"plugins/shared/user/raw.h\"\n" + text; }

TEST_F(FakeCuda, UsersKernelsHaveDynamicSharedMemory) {
  const CUdeviceptr p = allocate(64 * 4);
  const CUfunction f = function(users(R"(extern "C" __global__ void __launch_bounds__(64) k(int *out) {
    extern __shared__ int all[];
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x % 2) return;
    __syncthreads();
    out[threadIdx.x] = all[63 - threadIdx.x];
  })"));
  void *arguments[] = {const_cast<CUdeviceptr *>(&p)};
  const auto run = [&](unsigned threads, unsigned shared) {
    return cu().cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, shared, stream, arguments, nullptr);
  };
  OK(run(64, 256));
  const std::vector<int> out = download<int>(p, 64);
  OK(cu().cuStreamSynchronize(stream));
  for (int t = 0; t < 64; t += 2) EXPECT_EQ(out[size_t(t)], 63 - t);
  EXPECT_EQ(run(128, 256), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(run(64, 49153), CUDA_ERROR_INVALID_VALUE);
  expected_violations = 2;
  OK(cu().cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
  OK(run(64, 49153));
  EXPECT_EQ(cu().cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeCuda, UsersKernelsFault) {
  const std::string text = "extern \"C\" __global__ void k(int *p) { p[threadIdx.x * 16] = 1; }";
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, users(text), 5, allocate(256));  // blocks end on multiples of 256 bytes
}
TEST_F(FakeCuda, UsersKernelsThatDivergeFault) {
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, users(R"(extern "C" __global__ void k(int *p) {
  if (threadIdx.x < 16) __syncwarp(0xffffffffu); else __syncthreads();
  *p = 1;
})"),
               32, allocate(64));
}
TEST_F(FakeCuda, UsersKernelsThatWaitForABarrierWithoutEndFault) {
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, users(R"(
#include "plugins/shared/words/async.h"
extern "C" __global__ void k(int *p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0) init(&all, blockDim.x + 1);
  __syncthreads();
  all.arrive_and_wait();
  *p = 1;
})"),
               32, allocate(64));
}
TEST_F(FakeCuda, UsersKernelsThatWriteBehindTheirSharedMemoryFault) {
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, users(R"(extern "C" __global__ void k(int *p, int n) {
  extern __shared__ int all[];
  all[threadIdx.x * n] = 1;
  __syncthreads();
  *p = all[0];
})"),
               4, allocate(64), 1);
}
#endif

TEST_F(FakeCuda, FaultsAreInjected) {
  CUdeviceptr p = 0;
  cu().fail_at(2, CUDA_ERROR_OUT_OF_MEMORY);
  OK(cu().cuStreamSynchronize(stream));
  EXPECT_EQ(cu().cuMemAlloc(&p, 4), CUDA_ERROR_OUT_OF_MEMORY);
  p = allocate(4);
  cu().fail_at(1, CUDA_ERROR_UNKNOWN);
  blocks.clear();
  EXPECT_EQ(cu().cuMemFree(p), CUDA_ERROR_UNKNOWN) << "and it is freed all the same";
  cu().fail_at(1, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().cuMemAlloc(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FakeCuda, RulesOfContexts) {
  CUcontext popped = nullptr;
  OK(cu().cuCtxPopCurrent(&popped));
  CUdeviceptr p = 0;
  EXPECT_EQ(cu().cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
  std::thread([] {
    CUdeviceptr q = 0;
    EXPECT_EQ(cu().cuMemAlloc(&q, 4), CUDA_ERROR_INVALID_CONTEXT) << "a thread has a stack of its own";
  }).join();
  OK(cu().cuCtxPushCurrent(context));
  expected_violations = 2;
}

TEST_F(FakeCuda, ThreadsShareTheDriver) {
  CUfunction f = function(kAdd);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      OK(cu().cuCtxPushCurrent(context));
      CUstream own = nullptr;
      CUdeviceptr x = 0;
      OK(cu().cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
      OK(cu().cuMemAlloc(&x, 400));
      std::vector<float> values(100, float(t));
      for (int i = 0; i < 10; ++i) {
        uint64_t n = 100;
        void *arguments[] = {&x, &x, &x, &n};
        OK(cu().cuMemcpyHtoDAsync(x, values.data(), 400, own));
        OK(cu().cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, own, arguments, nullptr));
        std::vector<float> got(100);
        OK(cu().cuMemcpyDtoHAsync(got.data(), x, 400, own));
        EXPECT_EQ(got[99], float(2 * t));
      }
      OK(cu().cuMemFree(x));
      OK(cu().cuStreamDestroy(own));
      CUcontext popped = nullptr;
      OK(cu().cuCtxPopCurrent(&popped));
    });
  for (auto &thread : threads) thread.join();
}

}  // namespace

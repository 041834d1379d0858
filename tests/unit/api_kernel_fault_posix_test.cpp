// tests/unit/api_kernel_fault_posix_test.cpp -- kernels that divide integers by zero, and kernels that fault: the
// launch has an error, and the program, its arrays and its own signal handlers are as before.
// POSIX only: signals, and the compiler of kernels is not built for Windows
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <csetjmp>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/launch_failure.h"

namespace {

namespace gp = gpuopt;

class KernelFault : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1); }
  void TearDown() override {
    unsetenv("GPUOPT_CPU_CHECK");
    unsetenv("GPUOPT_CPU_FISSION");
  }
  const gp::with_device scope_{"cpu"};
};

// ---- Division ----

template <class T>
T quotient(T x, T y) {
  if (y == 0) return 0;
  if (std::is_signed_v<T> && y == T(-1)) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
  return static_cast<T>(x / y);
}
template <class T>
T remainder_of(T x, T y) {
  if (y == 0 || (std::is_signed_v<T> && y == T(-1))) return 0;
  return static_cast<T>(x % y);
}

template <class T>
void divide_all(const char *type) {
  const std::vector<T> numbers = {
      0, 1, 2, 3, 7, 100, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T(-1), T(-2), T(-7)};
  std::vector<T> a, b;
  for (const T x : numbers)
    for (const T y : numbers) a.push_back(x), b.push_back(y);
  const auto n = static_cast<int64_t>(a.size());
  const std::string name = type;
  const gp::raw_kernel divide("__global__ void divide(const " + name + " *a, const " + name + " *b, " + name + " *q, " +
                                  name + " *r) { int i = threadIdx.x; q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }",
                              "divide");
  const gp::array x = gp::array(a), y = gp::array(b), q = gp::zeros({n}, x.dtype()), r = gp::zeros({n}, x.dtype());
  divide(1, static_cast<uint32_t>(n), x, y, q, r);
  const std::vector<T> quotients = q.to_vector<T>(), remainders = r.to_vector<T>();
  for (size_t k = 0; k < a.size(); k++) {
    EXPECT_EQ(quotients[k], quotient(a[k], b[k])) << type << " " << +a[k] << " / " << +b[k];
    EXPECT_EQ(remainders[k], remainder_of(a[k], b[k])) << type << " " << +a[k] << " % " << +b[k];
  }
}

void divide_every_type() {
  divide_all<int8_t>("signed char");
  divide_all<int16_t>("short");
  divide_all<int32_t>("int");
  divide_all<int64_t>("long long");
  divide_all<uint8_t>("unsigned char");
  divide_all<uint16_t>("unsigned short");
  divide_all<uint32_t>("unsigned");
  divide_all<uint64_t>("unsigned long long");
}

TEST_F(KernelFault, NoIntegerDivisionDoes) { divide_every_type(); }

TEST_F(KernelFault, NoIntegerDivisionDoesInCoroutinesAndWhereChecked) {
  setenv("GPUOPT_CPU_FISSION", "0", 1);
  divide_every_type();
  setenv("GPUOPT_CPU_CHECK", "1", 1);
  divide_every_type();
}

TEST_F(KernelFault, NoIntegerDivisionDoesInOtherKindsOfKernels) {
  const gp::array x = gp::array(std::vector<int32_t>{7, -7, INT32_MIN, 5}),
                  y = gp::array(std::vector<int32_t>{0, 2, -1, 0});
  const gp::elementwise_kernel by("int32 x, int32 y", "int32 z", "z = x / y + x % y", "by");
  EXPECT_EQ(by(x, y).to_vector<int32_t>(), (std::vector<int32_t>{0, -4, INT32_MIN, 0}));
  const gp::reduction_kernel sum("int32 x, int32 y", "int32 z", "x / y", "a + b", "z = a", "0", "sum");
  EXPECT_EQ(sum(x, y).item<int32_t>(), static_cast<int32_t>(-3u + 0x80000000u));
}

TEST_F(KernelFault, NoDivisionByAConstantZeroDoes) {
  const gp::array x = gp::array(std::vector<int32_t>{5, 6});
  const gp::raw_kernel zero("__global__ void zero(int *x) { x[threadIdx.x] /= 0; }", "zero");
  zero(1, 2, x);
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{0, 0}));
}

// ---- Faults ----

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEEDS_SIGNALS GTEST_SKIP() << "the sanitizer has handlers of its own for these signals"
#else
#define NEEDS_SIGNALS static_cast<void>(0)
#endif

constexpr const char *kStore = "__global__ void store(float *, float *x, long long at) { x[at + threadIdx.x] = 1; }";
constexpr const char *kLoad = "__global__ void load(float *y, float *x, long long at) { y[0] = x[at]; }";

// An address that is surely not there.
struct Hole {
  Hole() : begin(static_cast<char *>(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Hole() { munmap(begin, bytes); }
  static constexpr size_t bytes = 16 << 20;
  char *const begin;
};

std::string hexadecimal(const void *address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(address)));
  return text;
}

TEST_F(KernelFault, NamesTheAddressAndWhatWasDoneThere) {
  NEEDS_SIGNALS;
  const Hole hole;
  char *const middle = hole.begin + Hole::bytes / 2;
  const gp::array x = gp::ones({4}, gp::float32);
  const Failure stored = failure_of([&] { gp::raw_kernel(kStore, "store")(2, 1, x, middle, 0LL); });
  EXPECT_EQ(stored.code, GPUOPT_ERR_KERNEL_FAULT);
  EXPECT_EQ(stored.text,
            "store: fault: block (0, 0, 0) writes address " + hexadecimal(middle) + ", where it has no memory");
  const Failure loaded = failure_of([&] { gp::raw_kernel(kLoad, "load")(1, 1, x, middle, 2LL); });
  EXPECT_EQ(loaded.text,
            "load: fault: block (0, 0, 0) reads address " + hexadecimal(middle + 8) + ", where it has no memory");
  EXPECT_EQ(gp::sum(x + 1).item<float>(), 8);
}

TEST_F(KernelFault, NamesTheBlock) {
  NEEDS_SIGNALS;
  const gp::array x = gp::zeros({64}, gp::float32);
  const gp::raw_kernel third(
      "__global__ void third(float *x, float *none) { if (blockIdx.x == 2 && blockIdx.y == 1) none[0] = 1; else "
      "x[blockIdx.x + 4 * blockIdx.y] = 1; }",
      "third");
  void *const none = nullptr;
  EXPECT_EQ(failure_of([&] {
              third({4, 3}, 1, x, none);
            }).text,
            "third: fault: block (2, 1, 0) writes address 0x0, through a null pointer");
}

// Whichever thread of the host fails first: the first blocks fail last, with many threads and with few.
TEST_F(KernelFault, NamesTheFirstOfTheBlocksThatFail) {
  NEEDS_SIGNALS;
  const gp::raw_kernel most(
      "__global__ void most(volatile int *x, int *none) { if (threadIdx.x == 0 && blockIdx.x < 16) for (int k = 0; k < "
      "1000000; k++) x[blockIdx.x]++; if (threadIdx.x == 0 && blockIdx.x > 0) none[0] = 1; }",
      "most");
  const gp::array x = gp::zeros({64}, gp::int32);
  void *const none = nullptr;
  for (const uint32_t threads : {1024, 8}) {
    for (int repeat = 0; repeat < 5; repeat++) {
      EXPECT_NE(failure_of([&] { most(64, threads, x, none); }).text.find("block (1, 0, 0)"), std::string::npos);
    }
  }
}

TEST_F(KernelFault, NamesTheThreadWhereThreadsRunOneByOne) {
  NEEDS_SIGNALS;
  setenv("GPUOPT_CPU_FISSION", "0", 1);
  const gp::raw_kernel waits(
      "__global__ void waits(int *, int *none) { __shared__ int s; if (threadIdx.x == 0) s = 5; __syncthreads(); if "
      "(threadIdx.x "
      "== s) none[2] = s; }",
      "waits");
  void *const none = nullptr;
  EXPECT_EQ(failure_of([&] { waits(1, 8, gp::zeros({1}, gp::int32), none); }).text,
            "waits: fault: thread (5, 0, 0) of block (0, 0, 0) writes address 0x8, through a null pointer");
}

TEST_F(KernelFault, IsANullPointerOfTheTextsOwnToo) {
  NEEDS_SIGNALS;
  const Failure failure = failure_of([] {
    gp::raw_kernel("__global__ void own(int *, int n) { int *p = nullptr; *p = n; }", "own")(
        1, 1, gp::zeros({1}, gp::int32), 3);
  });
  EXPECT_EQ(failure.code, GPUOPT_ERR_KERNEL_FAULT) << failure.text;
}

// The instruction that cannot be fetched is not in the kernel's code, but its return address is.
TEST_F(KernelFault, IsACallThroughANullFunctionPointer) {
  NEEDS_SIGNALS;
  const gp::raw_kernel call(
      "using Function = int (*)(int);\n__global__ void call(int *x, Function function) { x[0] = function(3) + 1; }",
      "call");
  void *const none = nullptr;
  const Failure null = failure_of([&] { call(1, 1, gp::zeros({1}, gp::int32), none); });
  EXPECT_EQ(null.code, GPUOPT_ERR_KERNEL_FAULT);
  EXPECT_EQ(null.text, "call: fault: block (0, 0, 0) calls address 0x0, through a null function pointer");
  const Hole hole;
  EXPECT_EQ(failure_of([&] { call(1, 1, gp::zeros({1}, gp::int32), static_cast<void *>(hole.begin)); }).text,
            "call: fault: block (0, 0, 0) calls address " + hexadecimal(hole.begin) + ", where it has no code");
}

TEST_F(KernelFault, IsATrap) {
  NEEDS_SIGNALS;
  for (const char *trap : {"__trap()", "__builtin_trap()"}) {
    const gp::raw_kernel trapped("__global__ void trapped(int *, int n) { if (n == 3) " + std::string(trap) + "; }",
                                 "trapped");
    const Failure failure = failure_of([&] { trapped(1, 1, gp::zeros({1}, gp::int32), 3); });
    EXPECT_EQ(failure.code, GPUOPT_ERR_KERNEL_FAULT);
    EXPECT_EQ(
        failure.text,
        "trapped: fault: block (0, 0, 0) executes a trap: __trap() or __builtin_trap(), or code that the compiler "
        "knows to be wrong");
    trapped(1, 1, gp::zeros({1}, gp::int32), 4);
  }
}

// ---- Threads that wait for each other without end ----

// Not all threads reach the barrier: some wait for their warp, others for their block.
TEST_F(KernelFault, IsABarrierThatNotAllReach) {
  const char *const text =
      "__global__ void part(int *x, int n) { if (threadIdx.x == n) __syncwarp(); else __syncthreads(); x[0] = 1; }";
  const gp::raw_kernel part(text, "part");
  const Failure failure = failure_of([&] { part(2, 40, gp::zeros({1}, gp::int32), 5); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_KERNEL_FAULT);
  EXPECT_NE(failure.text.find("a barrier that not all reach, in block (0, 0, 0); thread (0, 0, 0) waits for its block; "
                              "thread (5, 0, 0) waits for lanes of its warp"),
            std::string::npos)
      << failure.text;
  part(2, 40, gp::zeros({1}, gp::int32), 40);
  setenv("GPUOPT_CPU_CHECK", "1", 1);  // read when a kernel is compiled
  const gp::raw_kernel compiled_again(text, "part");
  const Failure checked = failure_of([&] { compiled_again(2, 40, gp::zeros({1}, gp::int32), 5); });
  unsetenv("GPUOPT_CPU_CHECK");
  EXPECT_EQ(checked.code, GPUOPT_ERR_KERNEL_FAULT);
  EXPECT_NE(checked.text.find("__syncthreads (line 1)"), std::string::npos) << checked.text;
}

// Barriers in memory, at which a thread looks again and again whether the others have come.
TEST_F(KernelFault, IsABarrierInMemoryThatNeverOpens) {
  const std::string head =
      "#include <cuda/barrier>\n#include <cuda/latch>\n#include <cuda/semaphore>\n"
      "__global__ void never(int *x, int more) {\n";
  const std::string bodies[] = {
      "  __shared__ cuda::barrier<cuda::thread_scope_block> all;\n"
      "  if (threadIdx.x == 0) init(&all, int(blockDim.x) + more);\n"
      "  __syncthreads();\n  all.arrive_and_wait();\n",
      "  __shared__ cuda::latch<cuda::thread_scope_block> all;\n"
      "  if (threadIdx.x == 0) new (&all) cuda::latch<cuda::thread_scope_block>(int(blockDim.x) + more);\n"
      "  __syncthreads();\n  all.arrive_and_wait();\n",
      "  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> one;\n"
      "  if (threadIdx.x == 0) new (&one) cuda::binary_semaphore<cuda::thread_scope_block>(1);\n"
      "  __syncthreads();\n  if (threadIdx.x < 1 + more) one.acquire();\n  __syncthreads();\n"};
  for (const std::string &body : bodies) {
    SCOPED_TRACE(body);
    const gp::raw_kernel never(head + body + "  x[threadIdx.x] = 1;\n}", "never");
    const gp::array x = gp::zeros({40}, gp::int32);
    const Failure failure = failure_of([&] { never(1, 40, x, 1); });
    EXPECT_EQ(failure.code, GPUOPT_ERR_KERNEL_FAULT);
    EXPECT_NE(failure.text.find("waits for a barrier, latch, semaphore or pipeline"), std::string::npos)
        << failure.text;
    EXPECT_EQ(gp::sum(x).item<int64_t>(), 0);
    never(1, 40, x, 0);
    EXPECT_EQ(gp::sum(x).item<int64_t>(), 40);
  }
}

TEST_F(KernelFault, IsAWriteBehindTheSharedMemory) {
  const gp::raw_kernel behind(
      "__global__ void behind(int *x, int n) {\n  extern __shared__ int all[];\n  all[n] = n;\n  __syncthreads();\n"
      "  x[threadIdx.x] = all[n];\n}",
      "behind");
  const gp::array x = gp::zeros({4}, gp::int32);
  behind.launch(3, 4, 32, x, 7);
  const Failure failure = failure_of([&] { behind.launch(3, 4, 32, x, 8); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_KERNEL_FAULT);
  EXPECT_NE(failure.text.find("has written behind its 32 bytes of shared memory"), std::string::npos) << failure.text;
}

TEST_F(KernelFault, IsACopyOfMemoryThatIsNotThere) {
  NEEDS_SIGNALS;
  const gp::raw_kernel copy(
      "struct Much { char bytes[4000]; };\n__global__ void copy(Much *to, const Much *from, int *) { *to = *from; }",
      "copy");
  void *const none = nullptr;
  std::vector<char> memory(4000);
  EXPECT_EQ(failure_of([&] { copy(1, 1, memory.data(), none, gp::zeros({1}, gp::int32)); }).code,
            GPUOPT_ERR_KERNEL_FAULT);
}

TEST_F(KernelFault, OfKernelsThatAreNotRaw) {
  NEEDS_SIGNALS;
  const gp::elementwise_kernel trapped("int32 x", "int32 y", "if (x == 3) __builtin_trap(); y = x", "trapped");
  const Failure failure = failure_of([&] { trapped(gp::arange(10, gp::int32)); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_KERNEL_FAULT);
  EXPECT_EQ(gp::sum(trapped(gp::zeros({10}, gp::int32))).item<int32_t>(), 0);
}

// Many threads of the host, each launch in the threads of the pool or, where these are in use, its own.
TEST_F(KernelFault, MayHappenInManyThreadsAtOnceAndAgainAndAgain) {
  NEEDS_SIGNALS;
  const gp::raw_kernel some(
      "__global__ void some(int *x, int bad) { x[threadIdx.x] = blockIdx.x == bad ? *(int *)nullptr : 1; }", "some");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&some] {
      const gp::with_device scope("cpu");
      const gp::array x = gp::zeros({256}, gp::int32);
      for (int iteration = 0; iteration < 50; iteration++) {
        EXPECT_EQ(failure_of([&] { some(500, 256, x, iteration * 10); }).code, GPUOPT_ERR_KERNEL_FAULT);
        EXPECT_EQ(failure_of([&] { some(500, 256, x, -1); }).code, 0);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
}

// ---- Stacks ----

TEST_F(KernelFault, IsAStackThatIsTooSmall) {
  NEEDS_SIGNALS;
  const gp::raw_kernel deep(
      "__global__ void deep(int *x, int n) { int own[60000]; for (int i = 0; i < n; i++) own[i] = i * n; x[0] = "
      "own[x[1]]; }",
      "deep");
  struct Job {
    const gp::raw_kernel &kernel;
    Failure failure;
  } job{deep, {}};
  deep(1, 1, gp::zeros({2}, gp::int32), 60000);  // with the stack that threads usually have
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void *argument) -> void * {
                  Job &mine = *static_cast<Job *>(argument);
                  mine.failure = failure_of([&] {
                    const gp::with_device scope("cpu");
                    mine.kernel(1, 1, gp::zeros({2}, gp::int32), 60000);
                  });
                  return nullptr;
                },
                &job),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(job.failure.code, GPUOPT_ERR_KERNEL_FAULT);
  EXPECT_EQ(job.failure.text,
            "deep: fault: block (0, 0, 0) needs more stack than this thread of the host has: its local arrays are too "
            "large, or it calls itself too often");
}

TEST_F(KernelFault, AGigabyteOfLocalVariablesDoesNotCompile) {
  const auto failure_with = [](const std::string &text) {
    const gp::raw_kernel huge(text, "huge");
    return failure_of([&] { huge(1, 1, gp::zeros({2}, gp::int32), 1000); });
  };
  const std::string problem =
      "error: the local variables of a thread take 1073741824 bytes, of which big takes "
      "1073741824.";
  const Failure own = failure_with(
      "__global__ void huge(int *x, int n) {\n  int big[1 << 28];\n  for (int i = 0; i < n; "
      "i++) big[i * 1000] = i;\n  x[0] = big[x[1]];\n}");
  EXPECT_EQ(own.code, GPUOPT_ERR_COMPILE);
  EXPECT_EQ(own.text.find("huge: huge:2: " + problem), 0u) << own.text;
  const Failure called = failure_with(
      "__device__ int sum(int n) {\n  int big[1 << 28];\n  for (int i = 0; i < n; i++) big[i * 1000] = i;\n  return "
      "big[n];\n}\n__global__ void huge(int *x, int n) {\n  x[0] = sum(n) + sum(n - 1);\n}");
  EXPECT_EQ(called.text.find(
                "huge: huge:2: error: the local variables of a thread take 2147483648 bytes, of which big takes"),
            0u)
      << called.text;
}

TEST_F(KernelFault, TooLargeLocalVariablesOfOtherKernelsDoNotCompileEither) {
  const gp::elementwise_kernel huge(
      "int32 x", "int32 y", "int big[1 << 20];\nfor (int i = 0; i < x; i++) big[i] = i;\ny = big[x / 2]", "huge");
  const Failure failure = failure_of([&] { huge(gp::arange(10, gp::int32)); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_COMPILE);
  EXPECT_NE(failure.text.find("huge:1: error: the local variables of a thread take"), std::string::npos)
      << failure.text;
}

// ---- The program's own signals ----

volatile sig_atomic_t handled = 0;
sigjmp_buf back;

void own_handler(int, siginfo_t *, void *) {
  handled = handled + 1;
  siglongjmp(back, 1);
}

// In a child, whose handlers are not those of the other tests.
TEST_F(KernelFault, LeavesTheProgramsHandlersWhatIsTheirs) {
  NEEDS_SIGNALS;
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_sigaction = own_handler;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
        void *const none = nullptr;
        const gp::raw_kernel store(kStore, "store");
        static bool right =  // not on the stack that is left
            failure_of([&] { store(1, 1, gp::zeros({1}, gp::float32), none, 0LL); }).code == GPUOPT_ERR_KERNEL_FAULT &&
            handled == 0;
        static int iteration;
        for (iteration = 1; iteration <= 3; iteration++) {
          if (sigsetjmp(back, 1) == 0) *static_cast<volatile int *>(none) = 1;
          right = right && handled == iteration;
          right = right &&
                  failure_of([&] { store(1, 1, gp::zeros({1}, gp::float32), none, 0LL); }).code ==
                      GPUOPT_ERR_KERNEL_FAULT &&
                  handled == iteration;
        }
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(KernelFault, LeavesAProgramsOwnFaultsDeadly) {
  NEEDS_SIGNALS;
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto after_a_launch = [](auto fault) {
    gp::raw_kernel(kStore, "store")(1, 1, gp::zeros({1}, gp::float32), gp::zeros({4}, gp::float32), 0LL);
    fault();
  };
  EXPECT_EXIT(after_a_launch([] { *static_cast<volatile int *>(nullptr) = 1; }), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(after_a_launch([] { kill(getpid(), SIGSEGV), pause(); }), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(after_a_launch([] {
                void (*volatile none)() = nullptr;
                none();
              }),
              testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(after_a_launch([] { __builtin_trap(); }), testing::KilledBySignal(SIGILL), "");
}

TEST_F(KernelFault, IsDeadlyWhereTheSettingSaysSo) {
  NEEDS_SIGNALS;
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  void *const none = nullptr;
  EXPECT_EXIT((setenv("GPUOPT_CPU_FAULTS", "off", 1),
               gp::raw_kernel(kStore, "store")(1, 1, gp::zeros({1}, gp::float32), none, 0LL)),
              testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace

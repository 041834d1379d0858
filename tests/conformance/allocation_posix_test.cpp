// tests/conformance/allocation_posix_test.cpp -- every nth allocation fails, for every n of a program that uses most
// of the library: each run ends in a documented status, what existed before is intact, nothing leaks, and the next
// run works.
//
// POSIX only: it stands in for the C library's allocation, which a DLL keeps to itself
#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <new>

#include "tests/conformance/harness.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERPOSE_C_ALLOCATOR 0  // the sanitizer has its own malloc; operator new still fails on demand
#else
#define INTERPOSE_C_ALLOCATOR 1
#endif

namespace {

std::atomic<int64_t> countdown{-1};  // < 0: nothing fails
std::atomic<int64_t> failures{0};
std::atomic<int64_t> outstanding{0};
std::atomic<bool> inside{false};  // a call of the library is under way: only its allocations count

// Whether this allocation is the one to fail. It and all that follow fail, as on a machine that has run out.
bool fails() {
  if (!inside.load(std::memory_order_relaxed) || countdown.load(std::memory_order_relaxed) < 0) return false;
  if (countdown.fetch_sub(1) > 1) return false;
  countdown.store(1);
  failures.fetch_add(1);
  return true;
}

void *counted(void *p) {
  if (p) outstanding.fetch_add(1, std::memory_order_relaxed);
  return p;
}

}  // namespace

void *operator new(size_t size) {
  if (fails()) throw std::bad_alloc();
  void *p = counted(std::malloc(size ? size : 1));
  if (!p) throw std::bad_alloc();
  return p;
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return fails() ? nullptr : counted(std::malloc(size ? size : 1));
}
void *operator new[](size_t size) { return operator new(size); }
void *operator new[](size_t size, const std::nothrow_t &tag) noexcept { return operator new(size, tag); }
void operator delete(void *p) noexcept {
  if (p) outstanding.fetch_sub(1, std::memory_order_relaxed);
  std::free(p);
}
void operator delete(void *p, size_t) noexcept { operator delete(p); }
void operator delete[](void *p) noexcept { operator delete(p); }
void operator delete[](void *p, size_t) noexcept { operator delete(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { operator delete(p); }
void operator delete[](void *p, const std::nothrow_t &) noexcept { operator delete(p); }

#if INTERPOSE_C_ALLOCATOR
// The calls a backend takes its memory with. They reach the real ones by name.
extern "C" int posix_memalign(void **out, size_t alignment, size_t size) {
  static auto real = reinterpret_cast<int (*)(void **, size_t, size_t)>(dlsym(RTLD_NEXT, "posix_memalign"));
  return fails() ? ENOMEM : real(out, alignment, size);
}
extern "C" void *aligned_alloc(size_t alignment, size_t size) {
  static auto real = reinterpret_cast<void *(*)(size_t, size_t)>(dlsym(RTLD_NEXT, "aligned_alloc"));
  return fails() ? nullptr : real(alignment, size);
}
extern "C" void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  static auto real = reinterpret_cast<void *(*)(void *, size_t, int, int, int, off_t)>(dlsym(RTLD_NEXT, "mmap"));
  if (!fails()) return real(address, length, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}
#endif

namespace {

using harness::Handle;

// One program: each step is a call that may run out of memory. Steps stop at the first failure.
struct Program {
  Handle base;  // made before anything fails; must be intact afterwards
  std::vector<double> expected;
  std::string directory = testing::TempDir();

  Program() {
    expected.resize(3000);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] = double(i % 97) - 48;
    const int64_t shape[2] = {50, 60};
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_array_from(harness::device(), expected.data(), GPUOPT_FLOAT64, 2, shape, base.out(), &error),
              GPUOPT_OK)
        << error.message;
  }

  // Runs until a step fails; gives its status and, if all went well, checks the values.
  gpuopt_status run(gpuopt_error *error) {
    Handle x, y, z, mask, picked, mean, scan, product, loaded, weak, drawn;
    const int64_t axis = 0, shape[2] = {50, 60};
    gpuopt_reduce_options columns = {};
    columns.struct_size = sizeof columns, columns.axes = &axis, columns.naxes = 1;
    char *text = nullptr;
    gpuopt_generator generator = nullptr;
    const std::string path = directory + "/gpuopt_allocation.npy";
    double item = 0;
    const std::vector<std::function<gpuopt_status()>> steps = {
        [&] { return gpuopt_weak(gpuopt_scalar_real(2), weak.out(), error); },
        [&] { return gpuopt_copy_array(base, x.out(), error); },
        [&] { return gpuopt_multiply(x, weak, y.out(), error); },
        [&] { return gpuopt_exp(y, z.out(), error); },
        [&] { return gpuopt_add_into(x, y, x, error); },
        [&] { return gpuopt_mean(x, &columns, mean.out(), error); },
        [&] { return gpuopt_subtract_into(x, mean, x, error); },
        [&] { return gpuopt_cumulative_sum(y, 1, 0, 0, scan.out(), error); },
        [&] { return gpuopt_greater(y, weak, mask.out(), error); },
        [&] { return gpuopt_mask_select(y, mask, picked.out(), error); },
        [&] { return gpuopt_matrix_transpose(y, loaded.out(), error); },
        [&] { return gpuopt_matmul(y, loaded, product.out(), error); },
        [&] {
          const gpuopt_array all[3] = {x, z, scan};
          return gpuopt_eval(3, all, error);
        },
        [&] { return gpuopt_array_to_string(x, nullptr, &text, error); },
        [&] { return gpuopt_save_npy(y, path.c_str(), error); },
        [&] { return gpuopt_load_npy(harness::device(), path.c_str(), loaded.out(), error); },
        [&] { return gpuopt_generator_create(harness::device(), 1, &generator, error); },
        [&] { return gpuopt_generator_normal(generator, 0, 1, GPUOPT_FLOAT32, 2, shape, drawn.out(), error); },
        [&] {
          const int64_t at[2] = {1, 1};
          gpuopt_scalar s = {};
          gpuopt_status status = gpuopt_array_item(loaded, at, &s, error);
          item = s.value.f;
          return status;
        },
    };
    gpuopt_status status = GPUOPT_OK;
    for (size_t i = 0; i < steps.size() && status == GPUOPT_OK; ++i) {
      inside = true;
      status = steps[i]();
      inside = false;
    }
    if (status == GPUOPT_OK) {
      EXPECT_EQ(item, 2 * expected[61]);
    }
    gpuopt_string_free(text);
    gpuopt_generator_release(generator);
    return status;
  }

  void expect_intact() {
    std::vector<double> now(expected.size());
    gpuopt_error error = GPUOPT_ERROR_INIT;
    ASSERT_EQ(gpuopt_to_host(base, now.data(), now.size() * sizeof(double), &error), GPUOPT_OK) << error.message;
    EXPECT_EQ(now, expected);
  }
};

uint64_t in_use() {
  gpuopt_memory_stats stats = {};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(gpuopt_memory_get_stats(harness::device(), &stats, nullptr), GPUOPT_OK);
  return stats.in_use;
}

TEST(Allocation, EveryNthFailureIsAStatusAndNothingIsLost) {
  Program program;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(program.run(&error), GPUOPT_OK) << error.message;  // caches are warm
  const uint64_t memory = in_use();
  const int64_t objects = outstanding.load();
  int failed_runs = 0;
  for (int64_t n = 1;; ++n) {
    ASSERT_EQ(gpuopt_memory_trim(harness::device(), nullptr), GPUOPT_OK);  // so that the backend asks the system again
    failures = 0;
    countdown = n;
    const gpuopt_status status = program.run(&error);
    countdown = -1;
    if (failures == 0) {
      ASSERT_EQ(status, GPUOPT_OK) << error.message;
      break;
    }
    failed_runs += status != GPUOPT_OK;
    ASSERT_TRUE(status == GPUOPT_OK || status == GPUOPT_ERR_OUT_OF_MEMORY || status == GPUOPT_ERR_IO)
        << "allocation " << n << ": " << gpuopt_status_name(status) << ": " << error.message;
    program.expect_intact();
    ASSERT_EQ(in_use(), memory) << "device memory leaked when allocation " << n << " failed";
    ASSERT_LE(outstanding.load(), objects + 64) << "objects leaked when allocation " << n << " failed";
    ASSERT_EQ(program.run(&error), GPUOPT_OK) << "after allocation " << n << " failed: " << error.message;
  }
  EXPECT_GT(failed_runs, 50) << "the faults did not reach the library";
  std::printf("allocations failed one after another: %d runs ended in a status\n", failed_runs);
}

// A memory limit is the same fault from the backend's own accounting: the message says what was asked and what is in
// use.
TEST(Allocation, ALimitIsAStatusAndLiftingItHelps) {
  Handle big, small;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const int64_t large[1] = {int64_t(64) << 20}, tiny[1] = {1000};
  ASSERT_EQ(gpuopt_memory_trim(harness::device(), nullptr), GPUOPT_OK);
  ASSERT_EQ(gpuopt_memory_set_limit(harness::device(), in_use() + (16u << 20), &error), GPUOPT_OK) << error.message;
  gpuopt_status status = gpuopt_empty(harness::device(), GPUOPT_FLOAT64, 1, large, big.out(), &error);
  if (status == GPUOPT_OK) status = gpuopt_eval(1, &big.a, &error);
  EXPECT_EQ(status, GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(error.message).find("limit"), std::string::npos) << error.message;
  EXPECT_EQ(gpuopt_ones(harness::device(), GPUOPT_FLOAT64, 1, tiny, small.out(), &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(harness::contents(small)[999].r, 1);
  ASSERT_EQ(gpuopt_memory_set_limit(harness::device(), 0, &error), GPUOPT_OK);
  EXPECT_EQ(gpuopt_ones(harness::device(), GPUOPT_FLOAT64, 1, large, big.out(), &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(gpuopt_eval(1, &big.a, &error), GPUOPT_OK) << error.message;
}

}  // namespace

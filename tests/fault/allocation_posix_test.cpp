// tests/fault/allocation_posix_test.cpp -- the n-th allocation of a broad program fails, for every n: a call is refused
// with a status, nothing ends or hangs, and the same work done again afterwards is right.
//
// POSIX only: the C library's allocator is replaced, and each n has a process of its own
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <utility>

#include "tests/fault/broad.h"
#include "tests/not_here.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
NOT_HERE(Allocation, "the allocator is the sanitizer's, or has other names")
#else

namespace {

// Allocations of the whole process are counted down; that which reaches 0 fails, or every one from there on.
std::atomic<int64_t> remaining{INT64_MAX}, counted{0};
std::atomic<bool> all_later_ones{false};

// GNU's dynamic linker keeps no order in itself when it is refused memory while it opens a library: of what is opened
// later it does not find the tables for exceptions, so that any exception ends the process. What such a process does is
// not judged.
thread_local bool opening = false;
bool *refused_while_opening = nullptr;  // in memory that the parent process sees

bool fails() {
  counted.fetch_add(1, std::memory_order_relaxed);
  const int64_t left = remaining.fetch_sub(1, std::memory_order_relaxed);
  const bool now = left == 1 || (left < 1 && all_later_ones.load(std::memory_order_relaxed));
  if (now) errno = ENOMEM;
  if (now && opening && refused_while_opening) *refused_while_opening = true;
  return now;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode) {
  static const auto real = reinterpret_cast<void *(*)(const char *, int)>(dlsym(RTLD_NEXT, "dlopen"));
  const bool outer = std::exchange(opening, true);  // a library's constructor may open another one
  void *const library = real(file, mode);
  opening = outer;
  return library;
}
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

#define REPLACED __attribute__((visibility("default")))
REPLACED void *malloc(size_t bytes) noexcept { return fails() ? nullptr : __libc_malloc(bytes); }
REPLACED void *calloc(size_t count, size_t bytes) noexcept { return fails() ? nullptr : __libc_calloc(count, bytes); }
REPLACED void *realloc(void *old, size_t bytes) noexcept { return fails() ? nullptr : __libc_realloc(old, bytes); }
REPLACED void *memalign(size_t alignment, size_t bytes) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
REPLACED void *aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
REPLACED int posix_memalign(void **result, size_t alignment, size_t bytes) noexcept {
  void *const memory = fails() ? nullptr : __libc_memalign(alignment, bytes);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}
}

namespace {

struct Shared {
  int64_t allocations;  // of the whole work
  bool not_judged;      // memory was refused to the dynamic linker
  char said[600];
};

class Allocation : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuopt_allocation_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    shared_ =
        static_cast<Shared *>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    setenv("GPUOPT_CACHE_DIR", (directory_ + "/cache").c_str(), 1);
    setenv("GPUOPT_LOG", "off", 1);
    setenv("GPUOPT_BLAS", "none", 1);  // libgfortran and OpenBLAS end the process when they are refused memory
  }
  void TearDown() override {
    munmap(shared_, sizeof(Shared));
    std::filesystem::remove_all(directory_);
  }

  enum End { kRight, kRefused, kWrong };
  End work(broad::Problem &problem) {
    try {
      if (broad::everything(directory_, problem)) return kRight;
    } catch (const std::bad_alloc &) {  // this test's own
      return kRefused;
    }
    return problem.error.code != GPUOPT_OK && problem.error.code != GPUOPT_ERR_INTERNAL ? kRefused : kWrong;
  }

  // The work with the n-th allocation failing, and all later ones if asked; then without failures. In a new process.
  int status_with(int64_t n, bool later) {
    shared_->not_judged = false;
    const pid_t child = fork();
    if (child == 0) {
      const rlimit core{0, 0};
      setrlimit(RLIMIT_CORE, &core);
      alarm(120);
      broad::Problem first, second;
      counted = 0;
      all_later_ones = later;
      remaining = n;
      refused_while_opening = &shared_->not_judged;
      const End end = work(first);
      remaining = INT64_MAX;
      if (shared_->not_judged) _exit(0);
      shared_->allocations = counted;
      const bool compilers = first.error.code == GPUOPT_ERR_JIT_UNAVAILABLE;
      std::snprintf(shared_->said, sizeof shared_->said, "%s: %s%s", gpuopt_status_name(first.error.code),
                    first.error.message, first.what);
      if (end == kWrong && first.error.code != GPUOPT_OK) _exit(3);
      const End again = work(second);
      if (again == kRight || (compilers && second.error.code == GPUOPT_ERR_JIT_UNAVAILABLE)) _exit(0);
#if !defined(GPUOPT_TEST_HAS_JIT)
      if (second.error.code == GPUOPT_ERR_JIT_UNAVAILABLE) _exit(0);
#endif
      std::snprintf(shared_->said, sizeof shared_->said, "the second time: %s: %s%s",
                    gpuopt_status_name(second.error.code), second.error.message, second.what);
      _exit(4);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (shared_->not_judged) return 0;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  // GPUOPT_TEST_ALLOCATIONS: how many of the n to try, spread over all; 0 means every one.
  void try_all(bool later, int64_t gate) {
    ASSERT_EQ(status_with(INT64_MAX, false), 0) << shared_->said;
    const int64_t total = shared_->allocations;
    ASSERT_GT(total, 500);
    const char *const given = std::getenv("GPUOPT_TEST_ALLOCATIONS");
    const int64_t wanted = given ? std::atoll(given) : gate;
    const int64_t step = wanted > 0 ? std::max<int64_t>(1, total / wanted) : 1;
    int tried = 0, left_out = 0;
    for (int64_t n = 1; n <= total; n += step, tried++) {
      EXPECT_EQ(status_with(n, later), 0) << "allocation " << n << " of " << total << ": " << shared_->said;
      left_out += shared_->not_judged;
    }
    EXPECT_LT(left_out, tried / 2);
    std::printf("%d of %ld allocations, %d of them not judged: they failed in the dynamic linker\n", tried,
                static_cast<long>(total), left_out);
  }

  std::string directory_;
  Shared *shared_ = nullptr;
};

TEST_F(Allocation, EachMayFail) { try_all(false, 150); }
TEST_F(Allocation, AllFromOneOnMayFail) { try_all(true, 60); }

}  // namespace
#endif

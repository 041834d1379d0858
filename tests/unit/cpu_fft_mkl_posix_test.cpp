// tests/unit/cpu_fft_mkl_posix_test.cpp -- transforms that are left to MKL (GPUOPT_FFT=fast), with a stand-in for it,
// against the definition; and when they are not. Each choice in a child process, as it is made once per process.
//
// POSIX only: each choice needs a forked process
//
// GPUOPT_TEST_MKL=/path/of/libmkl_rt.so.3 tries MKL itself (with MKL_THREADING_LAYER=SEQUENTIAL, and LD_LIBRARY_PATH
// where the others of its libraries are not beside it).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <vector>

#include "plugins/cpu/fft/fft.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/fft_definition.h"

namespace gpuopt::cpu {
namespace {

using test::Array;
using test::Call;
using test::Layout;
using test::Shape;
using test::TestHost;
using test::fft_definition::kTransforms;
using test::fft_definition::Transform;

// Runs in a child with a library in MKL's place: the one that is named, else the stand-in.
bool holds_in_child(const std::function<bool()> &check) {
  const pid_t child = fork();
  if (child == 0) {
    TestHost::install();
    const char *const other = std::getenv("GPUOPT_TEST_MKL");
    TestHost::set("GPUOPT_BLAS", other ? other : GPUOPT_FAKE_MKL);
    TestHost::set("GPUOPT_FFT", "fast");
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

// How many transforms the stand-in has done; -1 if it is not there.
int count_of_transforms() {
  void *const library = dlopen(GPUOPT_FAKE_MKL, RTLD_NOW | RTLD_NOLOAD);
  const auto count = library ? static_cast<const int *>(dlsym(library, "fake_mkl_transforms")) : nullptr;
  return count ? *count : -1;
}

bool is_right(const Transform &t, const Shape &shape, size_t axis, Layout layout) {
  return test::fft_definition::is_right(
      t, shape, axis, layout,
      [&](Array &x, Array &y, const std::vector<int64_t> &ints, const std::vector<double> &floats) {
        run_fft(*Call(t.kind, {x.tensor(), y.tensor()}, ints, floats), isa_level());
      });
}

TEST(MklFftTest, TransformsAreRight) {
  EXPECT_TRUE(holds_in_child([] {
    bool right = true;
    for (const Transform &t : kTransforms) {
      for (const Layout layout : {Layout::kC, Layout::kFortran, Layout::kGaps}) {
        right = is_right(t, {12}, 0, layout) && right;
        right = is_right(t, {4, 9}, 1, layout) && is_right(t, {9, 4}, 0, layout) && right;
        right = is_right(t, {3, 8, 2}, 1, layout) && is_right(t, {1, 1, 5}, 2, layout) && right;
        right = is_right(t, {2, 1}, 1, layout) && right;
      }
    }
    const bool done = std::getenv("GPUOPT_TEST_MKL") || count_of_transforms() > 0;
    return right && done && TestHost::get().logged("cpu.fft");
  }));
}

// What lies backwards or twice in one place, and what MKL refuses.
TEST(MklFftTest, OthersAreTransformedAllTheSame) {
  EXPECT_TRUE(holds_in_child([] {
    bool right = true;
    for (const Transform &t : kTransforms) {
      for (const Layout layout : {Layout::kReversed, Layout::kBroadcast})
        right = is_right(t, {3, 5, 2}, 1, layout) && right;
      right = is_right(t, {4, 13}, 1, Layout::kC) && right;
    }
    return right;
  }));
}

TEST(MklFftTest, ExactOnesLookForNone) {
  EXPECT_TRUE(holds_in_child([] {
    TestHost::set("GPUOPT_FFT", "exact");
    return is_right(kTransforms[1], {4, 9}, 1, Layout::kC) && !TestHost::get().logged("cpu.blas");
  }));
}

TEST(MklFftTest, AnotherBlasHasNone) {
  EXPECT_TRUE(holds_in_child([] {
    TestHost::set("GPUOPT_BLAS", "none");
    return is_right(kTransforms[1], {4, 9}, 1, Layout::kC) && TestHost::get().logged("cpu.fft");
  }));
}

}  // namespace
}  // namespace gpuopt::cpu

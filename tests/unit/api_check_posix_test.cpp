// tests/unit/api_check_posix_test.cpp -- GPUOPT_CPU_CHECK as a program sees it: what a launch that is checked says, and
// that all goes on afterwards.
// POSIX only: the compiler of kernels is not built for Windows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <string>

namespace {

namespace gp = gpuopt;

constexpr const char *kShift = R"(extern "C" __global__ void shift(float *x) {
  __shared__ float all[64];
  all[threadIdx.x] = x[threadIdx.x] + 1;
  x[threadIdx.x] = all[(threadIdx.x + 1) % 64];
})";

class Check : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1); }
  void TearDown() override { unsetenv("GPUOPT_CPU_CHECK"); }
  const gp::with_device scope_{"cpu"};
};

TEST_F(Check, IsAskedForWhenAKernelIsCompiled) {
  const gp::array x = gp::zeros({64}, gp::float32);
  for (const char *setting : {"", "0", "yes"}) {
    setenv("GPUOPT_CPU_CHECK", setting, 1);
    EXPECT_NO_THROW(gp::raw_kernel(kShift, "shift")(1, 64, x)) << setting;
  }
}

TEST_F(Check, AFindingIsTheLaunchsErrorAndNobodyElses) {
  setenv("GPUOPT_CPU_CHECK", "1", 1);
  const gp::array x = gp::zeros({64}, gp::float32);
  const gp::raw_kernel shift(kShift, "shift");
  for (int iteration = 0; iteration < 3; iteration++) {
    try {
      shift(2, 64, x);
      ADD_FAILURE() << "nothing was found";
    } catch (const gp::error &e) {
      EXPECT_EQ(e.code(), GPUOPT_ERR_KERNEL_FAULT);
      EXPECT_EQ(std::string(e.what()),
                "shift: data race: thread (1, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 4 of all (line 3), "
                "thread (0, 0, 0) of "
                "block (0, 0, 0) read them (line 4), and nothing orders the two");
    }
  }
  const gp::raw_kernel fill("extern \"C\" __global__ void fill(float *x) { x[threadIdx.x] = threadIdx.x; }", "fill");
  fill(1, 64, x);
  EXPECT_EQ(gp::sum(x).item<float>(), 2016);
}

}  // namespace

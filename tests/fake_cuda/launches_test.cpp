// tests/fake_cuda/launches_test.cpp -- kernels that launch kernels, on a machine whose NVRTC has no device runtime
// beside it, as the fake one has not: the error says so, whichever way the kernel is wanted, and the device works on.
#include <gtest/gtest.h>

#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

namespace {

namespace gp = gpuopt;

constexpr const char *kText =
    "__global__ void child(int *x) { x[0]++; }\n"
    "__global__ void parent(int *x) {\n"
    "  child<<<1, 1>>>(x);\n"
    "}\n"
    "__global__ void plain(int *x) { x[0] += 2; }\n";

TEST(Launches, TakeTheDeviceRuntime) {
  const gp::device device("cuda!");
  const gp::with_device scope(device);
  const gp::array x = gp::zeros({1}, gp::int32);
  for (int again = 0; again < 2; again++) {
    try {
      gp::raw_kernel(kText, "parent")(1, 1, x);
      ADD_FAILURE() << "it did not fail";
    } catch (const gp::error &failure) {
      EXPECT_EQ(failure.code(), GPUOPT_ERR_COMPILE);
      const std::string what = failure.what();
      for (const char *word :
           {"the kernel launches kernels (<<<>>>)", "libcudadevrt.a is not beside NVRTC, in /", "libnvJitLink.so.13"})
        EXPECT_NE(what.find(word), std::string::npos) << what;
    }
  }
  EXPECT_EQ(x.to_vector<int32_t>(), std::vector<int32_t>{0});
}

TEST(Launches, AreNotThoseOfCommentsAndLiterals) {
  const gp::device device("cuda!");
  const gp::with_device scope(device);
  const gp::array x = gp::zeros({1}, gp::int32);
  gp::raw_kernel(
      "// child<<<1, 1>>>(x);\n"
      "__global__ void k(int *x) { const char *text = \"child<<<1, 1>>>(x);\"; x[0] = text[0] /* <<<>>> */; }\n",
      "k")(1, 1, x);
  EXPECT_EQ(x.to_vector<int32_t>(), std::vector<int32_t>{'c'});
}

}  // namespace

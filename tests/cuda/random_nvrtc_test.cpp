// tests/cuda/random_nvrtc_test.cpp -- NVRTC accepts the Philox distributions without a single header and contracts
// nothing
#include <gtest/gtest.h>

#include <string>

#include "tests/cuda/real_nvrtc.h"

namespace {

const char *const kKernel = R"(
#include "plugins/shared/random/random_philox.h"
using namespace gpo;
template <class D>
__device__ void draw(const D &d, const Philox &g, void *out) {
  const u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x;
  philox_block_of(d, g, i, static_cast<typename D::Value *>(out) + philox_block_values<D> * i);
}
extern "C" __global__ void draw_all(Philox g, void **out, float a, double b, u64 range) {
  draw(PhiloxBits<u32>{}, g, out[0]);
  draw(PhiloxBits<u64>{}, g, out[1]);
  draw(PhiloxUniform<float16>{a, a}, g, out[2]);
  draw(PhiloxUniform<bfloat16>{a, a}, g, out[3]);
  draw(PhiloxUniform<float>{a, a}, g, out[4]);
  draw(PhiloxUniform<double>{b, b}, g, out[5]);
  draw(PhiloxExponential<float>{a}, g, out[6]);
  draw(PhiloxExponential<double>{b}, g, out[7]);
  draw(PhiloxNormal<float16>{a, a}, g, out[8]);
  draw(PhiloxNormal<float>{a, a}, g, out[9]);
  draw(PhiloxNormal<double>{b, b}, g, out[10]);
  draw(PhiloxIntegerPower<bool, u32>{false, 31}, g, out[11]);
  draw(PhiloxIntegerPower<i64, u64>{-7, 20}, g, out[12]);
  draw(PhiloxInteger32<i8>{-100, 200}, g, out[13]);
  draw(PhiloxInteger64<u64>{5, range}, g, out[14]);
}
)";

using RandomNvrtc = gpuopt::test::RealNvrtc<>;

TEST_F(RandomNvrtc, CompilesWithoutHeaders) {
  const auto out = compiler.nvrtc->compile(kKernel, "random.cu", {80, true, ""});
  ASSERT_EQ(out.status, NVRTC_SUCCESS) << out.log;
  // A multiply or add without .rn is one that ptxas may contract; local memory would cost the blocks their registers.
  for (const char *unwanted : {"mul.f32", "mul.f64", "add.f32", "add.f64", "sub.f32", "sub.f64", ".ftz", ".local"})
    EXPECT_EQ(out.ptx.find(unwanted), std::string::npos) << unwanted;
}

}  // namespace

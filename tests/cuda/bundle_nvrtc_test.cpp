// tests/cuda/bundle_nvrtc_test.cpp -- a bundle made by NVIDIA's own compiler: every device finds its code in it, where
// there is no compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plugins/cuda/compile/kernel_code.h"
#include "plugins/cuda/compile/kernel_store.h"
#include "plugins/cuda/driver/host.h"
#include "plugins/shared/host/barrier.h"
#include "tests/cuda/cubin.h"
#include "tests/cuda/real_nvrtc.h"
#include "tests/unit/cpu_test_host.h"

namespace {

using namespace gpuopt::cuda;
using gpuopt::plugin::BundlePiece;
using gpuopt::test::Cubin;
using gpuopt::test::TestHost;

const KernelSource kSource = {
    "k",  "tested", R"(extern "C" __global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = n; })",
    0,    256,      true,
    {"k"}};

class BundleNvrtc : public gpuopt::test::RealNvrtc<> {
 protected:
  void SetUp() override {
    RealNvrtc::SetUp();
    if (const char *const named = std::getenv("GPUOPT_NVRTC")) TestHost::set("GPUOPT_NVRTC", named);
    TestHost::install();
  }
  // Loaded once, and for good.
  static const std::string &bundle() {
    static const std::string kept = [] {
      std::string pieces;
      build_bundle(kSource, [&](const std::string &piece) {
        const uint64_t size = piece.size();
        pieces.append(reinterpret_cast<const char *>(&size), sizeof size).append(piece);
      });
      return pieces;
    }();
    static const bool loaded = (bundles().add(kept), true);
    EXPECT_TRUE(loaded);
    return kept;
  }
  static KernelCode code_for(int capability, int driver) {
    KernelCodeInput input;
    input.capability = capability;
    input.driver_version = driver;
    input.search.setting = [](const char *name) {
      return std::string(std::strcmp(name, "GPUOPT_NVRTC") == 0 ? "/nonexistent/libnvrtc.so" : "");
    };
    return KernelCodes(input).get(kSource);
  }
  int newest() const { return *std::max_element(compiler.nvrtc->archs().begin(), compiler.nvrtc->archs().end()); }
};

TEST_F(BundleNvrtc, HasTheTextAndCode) {
  const std::vector<BundlePiece> pieces = gpuopt::plugin::read_pieces(bundle());
  ASSERT_GT(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].backend, gpuopt::plugin::kSourcePiece);
  EXPECT_EQ(pieces[0].code, kSource.text);
  for (size_t k = 1; k < pieces.size(); k++) {
    EXPECT_EQ(pieces[k].backend, "cuda");
    EXPECT_NE(pieces[k].target.find(" CUDA "), std::string_view::npos) << pieces[k].target;
  }
}

TEST_F(BundleNvrtc, EveryDeviceFindsMachineCode) {
  bundle();
  for (const int capability : compiler.nvrtc->archs()) {
    SCOPED_TRACE(capability);
    const KernelCode code = code_for(capability, compiler.nvrtc->version());
    EXPECT_FALSE(code.ptx || code.fresh);
    EXPECT_EQ(code.symbols, std::vector<std::string>{"k"});
    const auto parameters = Cubin(code.image).parameters("k");
    EXPECT_TRUE(Cubin(code.image).has_code("k"));
    EXPECT_EQ(parameters.size(), 2u);
  }
}

TEST_F(BundleNvrtc, NewerDevicesFindPtxThatTheirDriverKnows) {
  bundle();
  const int capability = newest() + 100, version = compiler.nvrtc->version();
  const KernelCode code = code_for(capability, version);
  EXPECT_TRUE(code.ptx && !code.fresh);
  EXPECT_NE(code.image.find(".entry k("), std::string::npos);
  EXPECT_NE(code.image.find(".target sm_" + std::to_string(newest())), std::string::npos);
  EXPECT_THROW(code_for(capability, version - 10), gpuopt::plugin::Failure) << "an older driver does not read it";
}

}  // namespace

// tests/cuda/real_nvrtc.h -- NVIDIA's own compiler for tests that compile and run nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "plugins/cuda/compile/choose_compiler.h"

namespace gpuopt::test {

// The NVRTC an application would get, or the one GPUOPT_NVRTC names; for an imagined driver that takes everything.
inline const cuda::Compiler &real_compiler() {
  static const cuda::Compiler compiler = [] {
    cuda::SearchInput input = cuda::process_search();
    input.setting = [](const char *name) {
      const char *const value = std::getenv(name);
      return std::string(value ? value : "");
    };
    return cuda::choose_compiler(input, 99000, 90);
  }();
  return compiler;
}

// The base of such tests: skipped, by name, where there is no NVRTC.
template <typename Base = testing::Test>
class RealNvrtc : public Base {
 protected:
  void SetUp() override {
    if (!compiler.nvrtc) GTEST_SKIP() << "NVRTC is not installed: " << compiler.tried;
  }
  const cuda::Compiler &compiler = real_compiler();
};

}  // namespace gpuopt::test

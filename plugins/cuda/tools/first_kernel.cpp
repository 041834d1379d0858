// plugins/cuda/tools/first_kernel.cpp -- gpuopt_cuda_first_kernel: how long a process waits for the code of its first
// kernels, by the backend's own path, without a device. bench/first_kernel.py runs it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "plugins/cuda/kernel_code.h"
#include "plugins/cuda/tools/common_kernels.h"
#include "plugins/shared/host/barrier.h"

namespace {

using namespace gpuopt::cuda;

constexpr int kAnyDriver = 99000, kCapability = 90;

const char kUsage[] =
    "usage: gpuopt_cuda_first_kernel CACHE OPERATION...\n"
    "  Wants the code of one common kernel of each operation, as it is named in messages (\"add\"), from the cache in "
    "the\n"
    "  directory CACHE or from NVRTC, and prints the milliseconds each took, and where it came from.\n";

KernelCodeInput input_with(const std::string &cache) {
  KernelCodeInput input{kAnyDriver,   kCapability, process_search(), std::filesystem::absolute(cache).string(),
                        ~uint64_t{0}, {}};
  input.search.setting = [](const char *name) {
    const char *const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  return input;
}

int run(int argc, char **argv) {
  const std::vector<KernelSource> kernels = common_kernels();
  KernelCodes codes(input_with(argv[1]));
  for (int k = 2; k < argc; ++k) {
    const auto found = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const KernelSource &kernel) { return kernel.operation == argv[k]; });
    if (found == kernels.end()) return std::fprintf(stderr, "no common kernel is named %s\n", argv[k]), 2;
    const auto start = std::chrono::steady_clock::now();
    const KernelCode code = codes.get(*found);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    std::printf("%.3f\t%s\t%s\n", took.count(), code.fresh ? "compiled" : "cached", argv[k]);
  }
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) return std::fputs(kUsage, stderr), 2;
  try {
    return run(argc, argv);
  } catch (const gpuopt::plugin::Failure &failure) {
    std::fprintf(stderr, "gpuopt_cuda_first_kernel: %s\n", failure.message.c_str());
    return 1;
  }
}

// plugins/cuda/tools/first_kernel.cpp -- gpuopt_cuda_first_kernel: how long a process waits for the code of its first
// programs, by the backend's own path, without a device. bench/first_kernel.py runs it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "plugins/cuda/compile/kernel_code.h"
#include "plugins/cuda/program/source.h"
#include "plugins/cuda/tools/common_kernels.h"
#include "plugins/shared/host/barrier.h"

namespace {

using namespace gpuopt::cuda;

constexpr int kAnyDriver = 99000, kCapability = 90;

const char kUsage[] =
    "usage: gpuopt_cuda_first_kernel CACHE OPERATION...\n"
    "  Wants the code of one common program of each operation, as it is named in messages (\"add\"; \"empty\" is a "
    "kernel\n"
    "  that does nothing), from the cache in the directory CACHE or from NVRTC, and prints the milliseconds each "
    "took,\n"
    "  those of processor time, and where it came from.\n";

KernelCodeInput input_with(const std::string &cache) {
  KernelCodeInput input{kAnyDriver,   kCapability, process_search(), std::filesystem::absolute(cache).string(),
                        ~uint64_t{0}, {}};
  input.search.setting = [](const char *name) {
    const char *const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  return input;
}

// Returns the kernels of the first common program of that name. They follow one another, and are numbered if there are
// several.
std::vector<KernelSource> program_of(const std::vector<KernelSource> &common, const std::string &operation) {
  if (operation == "empty") return {{"empty", operation, kEmptyKernel.text}};
  auto kernel = std::find_if(common.begin(), common.end(),
                             [&](const KernelSource &candidate) { return candidate.operation == operation; });
  std::vector<KernelSource> program;
  while (kernel != common.end() && kernel->operation == operation &&
         (program.empty() || kernel->entry == kKernelName + std::to_string(program.size()))) {
    program.push_back(*kernel++);
  }
  return program;
}

double processor_milliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Gets the code of all kernels of a program, and prints a line about it.
void want(KernelCodes &codes, const std::vector<KernelSource> &program, const char *operation) {
  const auto start = std::chrono::steady_clock::now();
  const double used = processor_milliseconds();
  int fresh = 0;
  for (const KernelSource &kernel : program) fresh += codes.get(kernel).fresh;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%.3f\t%.3f\t%s\t%s\n", took.count(), processor_milliseconds() - used, fresh ? "compiled" : "cached",
              operation);
}

int run(int argc, char **argv) {
  const std::vector<KernelSource> common = common_kernels();
  KernelCodes codes(input_with(argv[1]));
  for (int k = 2; k < argc; ++k) {
    const std::vector<KernelSource> program = program_of(common, argv[k]);
    if (program.empty()) return std::fprintf(stderr, "no common kernel is named %s\n", argv[k]), 2;
    want(codes, program, argv[k]);
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

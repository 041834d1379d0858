// plugins/cuda/tools/seed.cpp -- gpuopt_cuda_seed: compiles the common kernels ahead, for packages.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "plugins/cuda/compile/kernel_code.h"
#include "plugins/cuda/driver/host.h"
#include "plugins/cuda/tools/common_kernels.h"
#include "plugins/shared/host/barrier.h"

namespace {

using namespace gpuopt::cuda;
using gpuopt::plugin::DiskCache;

constexpr int kAnyDriver = 99000, kAnyDevice = 999;

const char kUsage[] =
    "usage: gpuopt_cuda_seed DIRECTORY [ARCHITECTURE...] [--only OPERATIONS...]\n"
    "  Compiles the kernels of common programs for every architecture NVRTC knows, or those named (90 for 9.0), into "
    "a\n"
    "  seed: a read-only cache that the CUDA backend looks for in `seed` beside its library and in GPUOPT_CACHE_SEED.\n"
    "  NVRTC is the one GPUOPT_NVRTC names, or found as the backend finds it. --only: kernels of these operations "
    "alone, each\n"
    "  as it is named in messages: sum, or \"sum, divide\" for a mean.\n";

struct Request {
  std::string directory;
  std::vector<int> archs;
  std::vector<std::string> operations;
};

bool parse(int argc, char **argv, Request &request) {
  bool only = false;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--only") {
      only = true;
    } else if (only) {
      request.operations.push_back(word);
    } else if (request.directory.empty()) {
      request.directory = std::filesystem::absolute(word).string();
    } else if (const int arch = std::atoi(argv[k]); arch > 0) {
      request.archs.push_back(arch);
    } else {
      return false;
    }
  }
  return !request.directory.empty();
}

const Nvrtc *find_nvrtc() {
  SearchInput input = process_search();
  input.setting = [](const char *name) {
    const char *const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const Compiler compiler = choose_compiler(input, kAnyDriver, kAnyDevice);
  if (!compiler.nvrtc) std::fprintf(stderr, "gpuopt_cuda_seed: no NVRTC: %s\n", compiler.tried.c_str());
  return compiler.nvrtc;
}

std::vector<KernelSource> wanted_kernels(const Request &request) {
  std::vector<KernelSource> kernels = common_kernels();
  if (request.operations.empty()) return kernels;
  std::erase_if(kernels, [&](const KernelSource &kernel) {
    return std::find(request.operations.begin(), request.operations.end(), kernel.operation) ==
           request.operations.end();
  });
  return kernels;
}

// Returns the cubin; "", after a line on stderr, if the kernel does not compile.
std::string compile(const Nvrtc &nvrtc, const KernelSource &kernel, const Target &target) {
  Compilation made = nvrtc.compile(kernel.text, "seed.cu", target);
  if (made.status == NVRTC_SUCCESS) return std::move(made.cubin);
  std::fprintf(stderr, "%s for %s: %s\n", kernel.operation.c_str(), target.name().c_str(), made.log.c_str());
  return "";
}

// Stores the dictionary for an architecture, and returns it. Cubins resemble each other, so it is the end of two of
// them, as much as zlib can look back on. Throws if it cannot be written: no kernel could be read without it.
std::string store_dictionary(const Nvrtc &nvrtc, const std::vector<KernelSource> &kernels, int arch, DiskCache &seed) {
  constexpr size_t kWindow = 32768;
  const Target target = {arch, false, ""};
  std::string both;
  for (const size_t third : {1, 2}) both += compile(nvrtc, kernels[kernels.size() * third / 3], target);
  if (both.size() > kWindow) both.erase(0, both.size() - kWindow);
  const auto key = dictionary_key(target, seed_build(nvrtc.version()), dictionary_number(both));
  seed.store(key, both);
  if (seed.load(key) != both) fail(GPUOPT_ERR_IO, "cannot write the dictionary for %s", target.name().c_str());
  return both;
}

// Compiles a kernel into the seed. Returns false, after a line on stderr, if that fails.
bool compile_one(const Nvrtc &nvrtc, const KernelSource &kernel, int arch, const std::string &dictionary,
                 DiskCache &seed) {
  const Target target = {arch, false, ""};
  const std::string cubin = compile(nvrtc, kernel, target);
  if (cubin.empty()) return false;
  const std::string build = seed_build(nvrtc.version());
  seed.store(kernel_key(kernel, target, build), seed_payload(cubin, dictionary));
  const auto back = seed_kernel(seed, kernel, target, build);
  if (back && !back->ptx && back->image == cubin) return true;
  std::fprintf(stderr, "gpuopt_cuda_seed: cannot write %s for %s\n", kernel.operation.c_str(), target.name().c_str());
  return false;
}

int run(const Request &request) {
  const Nvrtc *const nvrtc = find_nvrtc();
  if (!nvrtc) return 1;
  const std::vector<KernelSource> kernels = wanted_kernels(request);
  const std::vector<int> archs = request.archs.empty() ? fewest_archs(nvrtc->archs()) : request.archs;
  DiskCache seed(request.directory, DiskCache::Use::own, ~uint64_t{0});
  const size_t jobs = kernels.size() * archs.size();
  std::vector<std::string> dictionaries;
  for (const int arch : archs) {
    if (!kernels.empty()) dictionaries.push_back(store_dictionary(*nvrtc, kernels, arch, seed));
  }
  std::atomic<size_t> next{0}, failed{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < std::max(1u, std::thread::hardware_concurrency()); ++thread) {
    threads.emplace_back([&] {
      for (size_t job; (job = next++) < jobs;) {
        failed += !compile_one(*nvrtc, kernels[job / archs.size()], archs[job % archs.size()],
                               dictionaries[job % archs.size()], seed);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  std::filesystem::remove(request.directory + "/lock");  // which only a cache that is written to needs
  std::printf("%zu kernels for %zu architectures with NVRTC %s, %zu failed: %s\n", kernels.size(), archs.size(),
              version_text(nvrtc->version()).c_str(), failed.load(), request.directory.c_str());
  return failed || jobs == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  Request request;
  if (!parse(argc, argv, request)) return std::fputs(kUsage, stderr), 2;
  try {
    return run(request);
  } catch (const gpuopt::plugin::Failure &failure) {
    std::fprintf(stderr, "gpuopt_cuda_seed: %s\n", failure.message.c_str());
    return 1;
  }
}

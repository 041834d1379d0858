// tests/fake_cuda/jit_library.cpp -- see jit_library.h.
#include "tests/fake_cuda/jit_library.h"

#include <fstream>
#include <sstream>

#include "plugins/cpu/kernel/kernel_launch.h"
#include "plugins/cpu/kernel/kernel_object.h"
#include "tests/fake_cuda/jit_file.h"

namespace fake_cuda {
namespace {

namespace cpu = gpuopt::cpu;

struct JitLibrary : Library {
  explicit JitLibrary(const std::string &file) : kernels(read_kernels(file)) {
    for (const JitKernel &kernel : kernels) add(kernel);
    for (size_t k = 0; k < kernels.size(); ++k)
      entries[k] = {kernels[k].name.c_str(), nullptr, sizes[k].data(), int(sizes[k].size()), int(raw[k]->most_threads)};
    listed = {entries.data(), int(entries.size()), nullptr, nullptr, nullptr};
    table = &listed;
    indices = {words[0], words[1], words[2], words[3]};
  }

  void add(const JitKernel &kernel) {
    opened.push_back(
        cpu::open_kernel(std::make_shared<cpu::ObjectCode>(kernel.object, cpu::kernel_symbol, &variables), true));
    const unsigned long long *const parameters = opened.back().parameters;
    sizes.emplace_back(parameters + 1, parameters + 1 + parameters[0]);
    raw.push_back(&opened.back().raw);
    entries.emplace_back();
  }

  std::vector<JitKernel> kernels;
  std::deque<cpu::KernelObject> opened;
  std::vector<std::vector<unsigned long>> sizes;  // of the parameters
  std::vector<KernelEntry> entries;
  KernelLibrary listed = {};
  unsigned words[4][3] = {};
};

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return bytes.str();
}

}  // namespace

std::shared_ptr<Library> open_jit_library(const std::string &path) {
  auto made = std::make_shared<JitLibrary>(read_file(path));
  made->path = path;
  return made;
}

}  // namespace fake_cuda

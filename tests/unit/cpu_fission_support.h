// tests/unit/cpu_fission_support.h -- the kernels that tests of loop fission use. They are compiled to loops or to
// coroutines, and run block by block.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "plugins/cpu/code/jit.h"
#include "plugins/cpu/kernel/block_run.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::test {

struct Shape {
  uint32_t x = 1, y = 1, z = 1;
  uint32_t volume() const { return x * y * z; }
};

class Kernel {
 public:
  Kernel(const std::string &text, bool fission, int level = 3) {
    TestHost::set("GPUOPT_JIT", GPUOPT_TEST_JIT);
    TestHost::set("GPUOPT_CACHE_MAX_BYTES", "0");
    TestHost::set("GPUOPT_CPU_FISSION", fission ? "1" : "0");
    TestHost::install();
    code_ = cpu::compile_kernel("k", text, GPUOPT_KERNEL_RAW, level);
    const auto number = [&](const char *name) {
      void *const found = code_->find(name);
      return found ? reinterpret_cast<uint64_t (*)()>(found)() : 0;
    };
    raw_.run_block = reinterpret_cast<decltype(raw_.run_block)>(code_->find("gpuopt_run_block"));
    raw_.run_thread = reinterpret_cast<decltype(raw_.run_thread)>(code_->find("gpuopt_run_thread"));
    raw_.shared_bytes = number("gpuopt_shared_bytes");
    raw_.frame_bytes = number("gpuopt_frame_bytes");
    raw_.block_frame_bytes = number("gpuopt_block_frame_bytes");
  }
  bool loops() const { return raw_.run_block != nullptr; }
  bool coroutines() const { return raw_.run_thread != nullptr; }

  template <class... A>
  void run(Shape grid, Shape block, A... arguments) const {
    const void *const list[] = {&arguments...};
    gpuopt_kernel_launch launch{};
    const uint32_t sizes[2][3] = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}};
    std::memcpy(launch.grid, sizes[0], sizeof launch.grid);
    std::memcpy(launch.block, sizes[1], sizeof launch.block);
    cpu::BlockRun run(raw_, launch, list);
    for (uint64_t k = 0; k < grid.volume(); k++) run.run(k);
  }

 private:
  std::unique_ptr<cpu::ObjectCode> code_;
  cpu::RawCode raw_;
};
template <class T>
std::vector<T> noise(size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> out(n);
  for (T &x : out) x = static_cast<T>(random() % 2000) / static_cast<T>(std::is_integral_v<T> ? 1 : 7);
  return out;
}
// Text that defines t, the number of the thread in its block, and N, the number of threads.
constexpr const char *kNumber =
    "unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,\n"
    "         N = blockDim.x * blockDim.y * blockDim.z;\n";

}  // namespace gpuopt::test

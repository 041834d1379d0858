// plugins/cuda/compile/kernel_store.h -- kernels of one device: from memory, bundles, the disk cache, the seed cache,
// or NVRTC, in this order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugins/cuda/memory/stream.h"

namespace gpuopt::cuda {

// A kernel as text: CUDA C++ that includes embedded headers only (plugins/shared/*, plugins/cuda/text/*) and defines
//   extern "C" __global__ void __launch_bounds__(threads) <entry>(const gpo::Words<n> p)
// with n = parameter_words: all parameters are 64-bit words of one struct passed by value. kernel_head() writes this.
// A user's kernel may have any parameters and bounds, and may contain errors. A user's module has `functions` instead
// of `entry`.
struct KernelSource {
  std::string entry;      // [A-Za-z_]\w*
  std::string operation;  // for messages: "exp, add" or "take"
  std::string text;
  int parameter_words = 0;
  int threads = 256;  // of the blocks it is launched in
  bool user = false;
  std::vector<std::string> functions = {};  // of a user's module: its kernels, as name expressions
};

// Returns the head of such a function, up to its body.
std::string kernel_head(const std::string &entry, int parameter_words, int threads);

struct Kernel {
  CUfunction function = nullptr;  // NULL for a user's module
  CUmodule module = nullptr;
  std::vector<std::string> functions, symbols;  // of a user's module: its kernels, and their mangled names
  int parameter_words = 0;
  int threads = 0;  // of the blocks it is launched in
  std::string operation;
};

// Safe from any thread. A key is compiled once, and other threads wait for that. Kernels live as long as the device.
class KernelStore {
 public:
  explicit KernelStore(Device &device);
  ~KernelStore();

  // Returns the kernel for `key`; NULL on a miss. This is the fast path, which makes no text.
  const Kernel *find(const std::string &key);
  // Compiles or loads `source` and stores it under `key`. Throws ERR_UNSUPPORTED with reason COMPILER_MISSING if there
  // is neither NVRTC nor cached code, or if the device cannot run blocks of source.threads. Throws ERR_INTERNAL (for a
  // user's kernel ERR_COMPILE) with the compiler's log if the text does not compile.
  const Kernel &add(const std::string &key, const KernelSource &source);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuopt::cuda

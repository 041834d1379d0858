// core/kernel.h -- a user kernel: what its author wrote, and what it was compiled to.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "device.h"
#include "kernel_text.h"

namespace gpuopt {

// A kernel compiled for one device. Lives as long as the user's kernel.
struct Compiled {
  gpuopt_device device = nullptr;
  gpuopt_plugin_kernel *handle = nullptr;
  Compiled() = default;
  Compiled(const Compiled &) = delete;
  ~Compiled();
};

// A kernel whose calls are calls of other kernels, one for each choice of types.
class Composite {
 public:
  virtual ~Composite() = default;
  virtual size_t nin() const = 0;
  virtual size_t nout() const = 0;
  // As gpuopt_kernel_call. `results` may be NULL.
  virtual void call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
                    gpuopt_array *results) = 0;
};

}  // namespace gpuopt

struct gpuopt_kernel_s : gpuopt::RefCounted<gpuopt_kernel_s> {
  gpuopt::UserKernel source;
  std::unique_ptr<gpuopt::Composite> composite;  // of a ufunc, a gufunc or a stencil; then `source` has only its name
  // That of this key, which names the device, too; from `text` if there is none yet. Throws ERR_COMPILE,
  // ERR_JIT_UNAVAILABLE.
  gpuopt_plugin_kernel *compiled_for(gpuopt_device device, const std::string &key,
                                     const std::function<std::string()> &text);
  static void destroy(gpuopt_kernel_s *kernel) { delete kernel; }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<gpuopt::Compiled>> compiled_;
};

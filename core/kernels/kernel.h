// core/kernels/kernel.h -- a user kernel: what its author wrote, and what it was compiled to.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "core/device/device.h"
#include "core/kernels/kernel_signature.h"
#include "core/kernels/kernel_text.h"

namespace gpuopt {

// A kernel compiled for one device. Lives as long as the user's kernel.
struct Compiled {
  gpuopt_device device = nullptr;
  gpuopt_plugin_kernel *handle = nullptr;
  std::optional<KernelSignature> signature;  // of a raw kernel whose backend can tell
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
  // That of this key, which names the device, too; from `text` if there is none yet. It lives as long as the kernel.
  // Throws ERR_COMPILE, ERR_JIT_UNAVAILABLE.
  const gpuopt::Compiled &compiled(gpuopt_device device, const std::string &key,
                                   const std::function<std::string()> &text);
  gpuopt_plugin_kernel *compiled_for(gpuopt_device device, const std::string &key,
                                     const std::function<std::string()> &text) {
    return compiled(device, key, text).handle;
  }
  // Runs body(); what a compiler said that refuses the text is kept.
  template <class Body>
  void keeping_log(Body body) {
    try {
      body();
    } catch (const gpuopt::Failure &failure) {
      if (failure.code == GPUOPT_ERR_COMPILE) keep_log(failure.message);
      throw;
    }
  }
  std::string build_log();
  static void destroy(gpuopt_kernel_s *kernel) { delete kernel; }

 private:
  void keep_log(const std::string &text);

  std::mutex mutex_, log_mutex_;
  std::string log_;
  std::map<std::string, std::unique_ptr<gpuopt::Compiled>> compiled_;
};

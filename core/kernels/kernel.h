// core/kernels/kernel.h -- a user kernel: its source, and the cache of what it was compiled to.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "core/device/device.h"
#include "core/kernels/text/kernel_signature.h"
#include "core/kernels/text/kernel_text.h"

namespace gpuopt {

// A kernel compiled for one device and one choice of types and layouts. The gpuopt_kernel_s that compiled it owns it.
struct Compiled {
  gpuopt_device device = nullptr;
  gpuopt_plugin_kernel *handle = nullptr;
  std::optional<KernelSignature> signature;  // of a raw kernel, if its backend can tell
  Compiled() = default;
  Compiled(const Compiled &) = delete;
  ~Compiled();
};

// A kernel that is implemented by other kernels, such as a ufunc, which has one for each choice of types. Its functions
// may be called by any thread.
class Composite {
 public:
  virtual ~Composite() = default;
  virtual size_t nin() const = 0;
  virtual size_t nout() const = 0;
  // Calls the kernel as gpuopt_kernel_call() does. `results` has nout() elements or is NULL.
  virtual void call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
                    gpuopt_array *results) = 0;
};

}  // namespace gpuopt

struct gpuopt_kernel_s : gpuopt::RefCounted<gpuopt_kernel_s> {
  gpuopt::UserKernel source;
  // Set for ufuncs, gufuncs and stencils, which use only the name of `source`.
  std::unique_ptr<gpuopt::Composite> composite;
  const gpuopt::Compiled &compiled(gpuopt_device device, const std::string &key,
                                   const std::function<std::string()> &text);
  gpuopt_plugin_kernel *compiled_for(gpuopt_device device, const std::string &key,
                                     const std::function<std::string()> &text) {
    return compiled(device, key, text).handle;
  }
  // Runs body(). If it throws ERR_COMPILE, keeps the message for build_log().
  template <class Body>
  void keeping_log(Body body) {
    try {
      body();
    } catch (const gpuopt::Failure &failure) {
      if (failure.code == GPUOPT_ERR_COMPILE) keep_log(failure.message);
      throw;
    }
  }
  std::string build_log();  // the message of the last ERR_COMPILE, "" if there was none
  static void destroy(gpuopt_kernel_s *kernel) { delete kernel; }

 private:
  void keep_log(const std::string &text);

  std::mutex mutex_, log_mutex_;
  std::string log_;
  std::map<std::string, std::unique_ptr<gpuopt::Compiled>> compiled_;
};

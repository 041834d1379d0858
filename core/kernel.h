// core/kernel.h -- a user kernel: what its author wrote, and what it was compiled to.
#pragma once
#include <map>
#include <memory>
#include <mutex>
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

}  // namespace gpuopt

struct gpuopt_kernel_s : gpuopt::RefCounted<gpuopt_kernel_s> {
  gpuopt::UserKernel source;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<gpuopt::Compiled>> compiled;  // by device, types and form
  static void destroy(gpuopt_kernel_s *kernel) { delete kernel; }
};

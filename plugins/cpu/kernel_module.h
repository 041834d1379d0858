// plugins/cpu/kernel_module.h -- the kernels of one text, which share its variables.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/cpu/kernel_object.h"

namespace gpuopt::cpu {

class KernelModule {
 public:
  // One of its kernels, from caches or compiled now. Throws as compile_kernel() does.
  KernelObject compile(const std::string &name, const std::string &code);
  // Of the kernels compiled so far, each of which has all of the text's; address NULL if there is none of that name.
  Variable variable(const std::string &symbol);

 private:
  std::mutex mutex_;
  Variables variables_;
  std::vector<std::shared_ptr<ObjectCode>> objects_;  // in which they lie
};

// That of the code and all names of a raw kernel; a new one if no kernel of it is left.
std::shared_ptr<KernelModule> kernel_module(const gpuopt_kernel_source &source);

}  // namespace gpuopt::cpu

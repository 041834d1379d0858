// plugins/cpu/kernel/kernel_module.h -- the kernels of one text, which share the text's variables.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/cpu/code/jit_watch.h"
#include "plugins/cpu/kernel/kernel_object.h"

namespace gpuopt::cpu {

class KernelModule {
 public:
  // Returns one of the kernels, compiled unless it is in a cache. `stopped` and exceptions are as in compile_kernel().
  KernelObject compile(const std::string &name, const std::string &code, const Stopped &stopped);
  // Looks up `symbol` among the variables of the kernels compiled so far; the address is NULL if it is absent. Each
  // kernel has all variables of the text.
  Variable variable(const std::string &symbol);

 private:
  std::mutex mutex_;
  Variables variables_;
  std::vector<std::shared_ptr<ObjectCode>> objects_;  // those that contain the variables
};

// Returns the module of a raw kernel's text and names. It is a new one if no kernel of the old one is left.
std::shared_ptr<KernelModule> kernel_module(const gpuopt_kernel_source &source);

}  // namespace gpuopt::cpu

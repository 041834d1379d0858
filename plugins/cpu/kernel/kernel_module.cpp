// plugins/cpu/kernel/kernel_module.cpp -- see kernel_module.h.
#include "plugins/cpu/kernel/kernel_module.h"

#include <map>

#include "plugins/cpu/code/jit.h"
#include "plugins/cpu/runtime/cpuid.h"

namespace gpuopt::cpu {

KernelObject KernelModule::compile(const std::string &name, const std::string &code, const Stopped &stopped) {
  const std::lock_guard lock(mutex_);
  const size_t before = variables_.size();
  std::shared_ptr<ObjectCode> object = compile_kernel(name, code, GPUOPT_KERNEL_RAW, isa_level(), &variables_, stopped);
  if (variables_.size() != before) objects_.push_back(object);
  return open_kernel(std::move(object), true);
}

Variable KernelModule::variable(const std::string &symbol) {
  const std::lock_guard lock(mutex_);
  const auto place = variables_.find(symbol);
  return place == variables_.end() ? Variable{} : place->second;
}

std::shared_ptr<KernelModule> kernel_module(const gpuopt_kernel_source &source) {
  static auto *const mutex = new std::mutex;
  static auto *const modules = new std::map<std::string, std::weak_ptr<KernelModule>>;
  std::string key;
  const bool named = source.struct_size >= sizeof source;
  for (int32_t k = 0; named && k < source.nnames; k++) key += std::string(source.names[k]) + "\n";
  key += source.code;
  const std::lock_guard lock(*mutex);
  std::erase_if(*modules, [](const auto &entry) { return entry.second.expired(); });
  std::weak_ptr<KernelModule> &place = (*modules)[key];
  std::shared_ptr<KernelModule> module = place.lock();
  if (!module) place = module = std::make_shared<KernelModule>();
  return module;
}

}  // namespace gpuopt::cpu

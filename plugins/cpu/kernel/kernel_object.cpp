// plugins/cpu/kernel/kernel_object.cpp -- see kernel_object.h.
#include "plugins/cpu/kernel/kernel_object.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gpuopt::cpu {
namespace {

template <class Entry>
Entry entry_of(const ObjectCode &code, const char *name) {
  void *const address = code.find(name);
  if (!address) throw std::runtime_error("its code has no " + std::string(name));
  return reinterpret_cast<Entry>(address);
}

RawCode raw_code_of(const ObjectCode &code) {
  const auto number = [&](const char *name) { return entry_of<uint64_t (*)()>(code, name)(); };
  RawCode raw;
  raw.shared_bytes = number("gpuopt_shared_bytes");
  if (code.find("gpuopt_most_threads")) raw.most_threads = std::min(raw.most_threads, number("gpuopt_most_threads"));
  raw.run_block = reinterpret_cast<decltype(raw.run_block)>(code.find("gpuopt_run_block"));
  if (code.find("gpuopt_block_frame_bytes")) raw.block_frame_bytes = number("gpuopt_block_frame_bytes");
  if (raw.run_block && !code.find("gpuopt_run_thread")) return raw;
  raw.run_thread = entry_of<decltype(raw.run_thread)>(code, "gpuopt_run_thread");
  raw.frame_bytes = number("gpuopt_frame_bytes");
  raw.checked = code.find("gpuopt_checked") != nullptr;
  return raw;
}

}  // namespace

KernelObject open_kernel(std::shared_ptr<ObjectCode> code, bool raw) {
  KernelObject opened;
  opened.parameters = entry_of<const unsigned long long *>(*code, "gpuopt_parameters");
  if (raw) {
    opened.raw = raw_code_of(*code);
  } else {
    opened.entry = entry_of<void (*)(const void *const *)>(*code, "gpuopt_entry");
  }
  opened.code = std::move(code);
  return opened;
}

}  // namespace gpuopt::cpu

// plugins/cpu/kernel/kernel_object.cpp -- see kernel_object.h.
#include "plugins/cpu/kernel/kernel_object.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gpuopt::cpu {
namespace {

template <class Entry>
Entry entry_of(const ObjectCode &code, const std::string &name) {
  void *const address = code.find(name);
  if (!address) throw std::runtime_error("its code has no " + name);
  return reinterpret_cast<Entry>(address);
}

// `suffix` is that of a child's names.
RawCode raw_code_of(const ObjectCode &code, const std::string &suffix) {
  const auto has = [&](const char *name) { return code.find(name + suffix) != nullptr; };
  const auto number = [&](const char *name) { return entry_of<uint64_t (*)()>(code, name + suffix)(); };
  RawCode raw;
  raw.shared_bytes = number("gpuopt_shared_bytes");
  if (has("gpuopt_most_threads")) raw.most_threads = std::min(raw.most_threads, number("gpuopt_most_threads"));
  raw.run_block = reinterpret_cast<decltype(raw.run_block)>(code.find("gpuopt_run_block" + suffix));
  if (has("gpuopt_block_frame_bytes")) raw.block_frame_bytes = number("gpuopt_block_frame_bytes");
  if (raw.run_block && !has("gpuopt_run_thread")) return raw;
  raw.run_thread = entry_of<decltype(raw.run_thread)>(code, "gpuopt_run_thread" + suffix);
  raw.frame_bytes = number("gpuopt_frame_bytes");
  raw.checked = has("gpuopt_checked");
  return raw;
}

std::vector<ChildKernel> children_of(const ObjectCode &code) {
  std::vector<ChildKernel> children;
  if (!code.find("gpuopt_children")) return children;
  const uint64_t count = entry_of<uint64_t (*)()>(code, "gpuopt_children")();
  for (uint64_t k = 0; k < count; k++) {
    const std::string suffix = "_" + std::to_string(k);
    children.push_back({raw_code_of(code, suffix), entry_of<const uint64_t *>(code, "gpuopt_offsets" + suffix),
                        entry_of<const char *>(code, "gpuopt_name" + suffix)});
  }
  return children;
}

}  // namespace

KernelObject open_kernel(std::shared_ptr<ObjectCode> code, bool raw) {
  KernelObject opened;
  opened.parameters = entry_of<const unsigned long long *>(*code, "gpuopt_parameters");
  if (raw) {
    opened.raw = raw_code_of(*code, "");
    opened.children = children_of(*code);
  } else {
    opened.entry = entry_of<void (*)(const void *const *)>(*code, "gpuopt_entry");
  }
  opened.code = std::move(code);
  return opened;
}

}  // namespace gpuopt::cpu

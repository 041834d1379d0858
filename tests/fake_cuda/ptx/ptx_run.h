// tests/fake_cuda/ptx/ptx_run.h -- tests of the interpreter: a text is loaded and run on memory of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fake_cuda/ptx/warp.h"

namespace fake_cuda::ptx {

// The head of a module, and of a kernel `k` with so many pointers as parameters.
inline std::string module_head() { return ".version 9.0\n.target sm_75\n.address_size 64\n"; }
inline std::string kernel_text(int pointers, const std::string &body, const std::string &before = "") {
  std::string text = module_head() + before + ".visible .entry k(\n";
  for (int p = 0; p < pointers; ++p) text += (p ? ",\n" : "") + std::string(".param .u64 k_param_") + std::to_string(p);
  return text + "\n)\n{\n" + body + "\n}\n";
}

// Memory that a kernel may use, and nothing around it.
struct Buffer {
  explicit Buffer(size_t bytes) : bytes_(bytes + 64, 0), at(reinterpret_cast<uint64_t>(bytes_.data())), size(bytes) {
    at = (at + 63) / 64 * 64;
  }
  template <typename T>
  T *as() const {
    return reinterpret_cast<T *>(at);
  }

 private:
  std::vector<uint8_t> bytes_;

 public:
  uint64_t at;
  size_t size;
};

// Runs kernel k of the text on the buffers, whose addresses are its parameters.
inline Counts run_text(const std::string &text, const std::vector<const Buffer *> &buffers, uint32_t blocks = 1,
                       uint32_t threads = 32, uint32_t shared = 0) {
  const std::shared_ptr<Module> module = load_module(text);
  Launch launch;
  launch.module = module.get();
  launch.entry = module->by_name.at("k");
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.dynamic_shared = shared;
  launch.parameters.resize(launch.entry->parameter_bytes);
  for (size_t k = 0; k < buffers.size(); ++k) std::memcpy(launch.parameters.data() + 8 * k, &buffers[k]->at, 8);
  launch.find = [&](uint64_t address, uint64_t bytes) {
    for (const Buffer *buffer : buffers)
      if (address >= buffer->at && address + bytes <= buffer->at + buffer->size)
        return Launch::Range{buffer->at, buffer->size};
    return Launch::Range{0, 0};
  };
  return run(launch);
}

// What is wrong with a text or a run: the message, or "" if nothing is.
template <typename F>
std::string problem_of(F f) {
  try {
    f();
    return "";
  } catch (const BadPtx &e) {
    return e.what();
  } catch (const Fault &fault) {
    return fault.message;
  }
}

}  // namespace fake_cuda::ptx

// tests/fake_cuda/jit_file.h -- a user's kernels as the fake NVRTC gives them: objects of libgpuopt_jit in one file.
//
// A line for each kernel, "name bytes", an empty line, then the objects one after the other.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace fake_cuda {

inline constexpr char kJitFile[] = ".kernels";  // how such a file's name ends

struct JitKernel {
  std::string name;
  std::string object;
};

inline bool is_jit_file(const std::string &path) {
  const std::string end = kJitFile;
  return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

inline std::string write_kernels(const std::vector<JitKernel> &kernels) {
  std::string lines, objects;
  for (const JitKernel &k : kernels) {
    lines += k.name + " " + std::to_string(k.object.size()) + "\n";
    objects += k.object;
  }
  return lines + "\n" + objects;
}

inline std::vector<JitKernel> read_kernels(const std::string &bytes) {
  std::vector<JitKernel> kernels;
  std::vector<size_t> sizes;
  std::istringstream in(bytes);
  std::string line;
  while (std::getline(in, line) && !line.empty()) {
    JitKernel &kernel = kernels.emplace_back();
    std::istringstream(line) >> kernel.name >> sizes.emplace_back();
  }
  size_t at = static_cast<size_t>(in.tellg());
  for (size_t k = 0; k < kernels.size(); at += sizes[k++]) kernels[k].object = bytes.substr(at, sizes[k]);
  return kernels;
}

}  // namespace fake_cuda

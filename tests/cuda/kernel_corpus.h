// tests/cuda/kernel_corpus.h -- the kernels of programs, as the plugin would make them, gathered into few translation
// units.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugins/cuda/lower.h"
#include "plugins/cuda/source.h"
#include "unit/random_program.h"

namespace gpuopt::test {

struct CorpusKernel {
  std::string entry, body;
  int parameter_words;
};

// The kernels of a program's passes; every name begins with `name`. Kept values are taken to lie at address 0.
inline std::vector<cuda::KernelSource> kernels_of(const gpuopt_program &program, const std::string &name) {
  std::vector<cuda::KernelSource> kernels;
  const cuda::LoweredProgram lowered = cuda::lower(program, false);
  int number = 0;
  for (const cuda::Pass &pass : lowered.passes) {
    std::vector<std::vector<int64_t>> kept;
    std::vector<cuda::OperandMemory> memory;
    kept.reserve(pass.operands.size());
    for (const cuda::PassOperand &operand : pass.operands) {
      if (operand.kind == cuda::OperandKind::kKept) {
        const std::vector<int64_t> shape(program.shape, program.shape + program.ndim);
        kept.push_back(dense_layout(shape, ~program.reduced_axes, size_of(operand.dtype)).strides);
        memory.push_back({0, kept.back().data()});
      } else {
        const gpuopt_operand &o =
            (operand.kind == cuda::OperandKind::kInput ? program.inputs : program.outputs)[operand.index];
        memory.push_back({reinterpret_cast<uint64_t>(o.data), o.strides});
      }
    }
    cuda::Layout layout;
    cuda::find_layout(program, pass, memory, layout);
    const std::string pass_name = name + "_" + std::to_string(number++);
    for (auto &kernel : cuda::write_kernels(program.steps, pass, layout.shape, pass_name))
      kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// Kernels that share one text with a single list of includes.
class TranslationUnit {
 public:
  void add(const std::vector<cuda::KernelSource> &kernels) {
    for (const cuda::KernelSource &kernel : kernels) {
      const size_t end = kernel.text.find("\nstruct "), entry = kernel.text.find("extern \"C\" __global__");
      includes_.insert(kernel.text.substr(0, end));
      const std::string body = kernel.text.substr(end, entry - end);
      if (bodies_.insert(body).second) text_ += body;
      text_ += kernel.text.substr(entry) + "\n";
      kernels_.push_back(kernel);
    }
  }
  const std::vector<cuda::KernelSource> &kernels() const { return kernels_; }
  bool empty() const { return kernels_.empty(); }
  std::string text() const {
    std::string all;
    for (const std::string &include : includes_) all += include + "\n";
    return all + text_;
  }

 private:
  std::set<std::string> includes_, bodies_;
  std::string text_;
  std::vector<cuda::KernelSource> kernels_;
};

}  // namespace gpuopt::test

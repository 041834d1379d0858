// tests/cuda/kernel_corpus.h -- the kernels of programs, as the plugin would make them, gathered into few translation
// units.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugins/cuda/program/lower.h"
#include "plugins/cuda/program/source.h"
#include "tests/unit/random_program.h"

namespace gpuopt::test {

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

// What stands before a kernel's own text.
inline std::string includes_of(const cuda::KernelSource &kernel) {
  return kernel.text.substr(0, kernel.text.find("\nstruct "));
}

// Kernels that share one text, all with the same includes.
class TranslationUnit {
 public:
  explicit TranslationUnit(const std::string &includes) : text_(includes + "\n") {}

  void add(const cuda::KernelSource &kernel) {
    const size_t end = kernel.text.find("\nstruct "), entry = kernel.text.find("extern \"C\" __global__");
    const std::string body = kernel.text.substr(end, entry - end);
    if (bodies_.insert(body).second) text_ += body;
    text_ += kernel.text.substr(entry) + "\n";
    kernels_.push_back(kernel);
  }
  const std::vector<cuda::KernelSource> &kernels() const { return kernels_; }
  const std::string &text() const { return text_; }

 private:
  std::set<std::string> bodies_;
  std::string text_;
  std::vector<cuda::KernelSource> kernels_;
};

// The kernels of many programs.
class Corpus {
 public:
  void add(const gpuopt_program &program) {
    programs_.push_back(kernels_of(program, "k" + std::to_string(programs_.size())));
  }
  void add(ProgramBuilder &builder) { add(builder.program()); }
  // The same program as if its dimension 0 were so long that indices take 64 bits.
  void add_long(ProgramBuilder &builder) {
    gpuopt_program program = builder.program();
    std::vector<int64_t> shape(program.shape, program.shape + program.ndim);
    shape[0] = int64_t{1} << 33;
    program.shape = shape.data();
    add(program);
  }

  size_t kernels() const {
    size_t count = 0;
    for (const auto &program : programs_) count += program.size();
    return count;
  }
  std::vector<TranslationUnit> units() const { return units(0, 1); }
  // One of `hands`, to which programs are dealt: each round begins one hand later, as what comes round in a corpus
  // (dtypes, layouts) may divide the number of hands. No kernel leans on what another one includes.
  std::vector<TranslationUnit> units(size_t hand, size_t hands) const {
    constexpr size_t kKernelsOfUnit = 150;
    std::vector<TranslationUnit> units;
    std::map<std::string, size_t> latest;  // unit of these includes
    for (size_t number = 0; number < programs_.size(); number++) {
      if ((number + number / hands) % hands != hand) continue;
      for (const cuda::KernelSource &kernel : programs_[number]) {
        const std::string includes = includes_of(kernel);
        const auto [unit, is_new] = latest.try_emplace(includes, units.size());
        if (is_new || units[unit->second].kernels().size() >= kKernelsOfUnit) {
          unit->second = units.size();
          units.emplace_back(includes);
        }
        units[unit->second].add(kernel);
      }
    }
    return units;
  }

 private:
  std::vector<std::vector<cuda::KernelSource>> programs_;
};

}  // namespace gpuopt::test

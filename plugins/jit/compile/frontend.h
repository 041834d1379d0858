// plugins/jit/compile/frontend.h -- Clang: from the text of a kernel to LLVM IR that is not optimized.
//
// Most of what Clang parses are the headers that a kernel includes (plugins/jit/text/all.h). They are precompiled when
// the plugin is built, and a kernel reads from the result only what it uses.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <span>
#include <string>

#include "plugins/jit/compile/compiler.h"

namespace gpuopt::jit {

// The module of a source; NULL after an error, which `printer` is told.
std::unique_ptr<llvm::Module> module_of(const Source &source, llvm::LLVMContext &context,
                                        clang::DiagnosticConsumer &printer);

// A whole text of CUDA C++ for NVIDIA's GPUs.
struct DeviceSource {
  std::string code;
  const char *name;                // of the text, in messages
  std::string processor, feature;  // "sm_90" and "+ptx78"
  std::span<const char *const> header_names, header_texts;
};
// The module of a text, as module_of().
std::unique_ptr<llvm::Module> device_module_of(const DeviceSource &source, llvm::LLVMContext &context,
                                               clang::DiagnosticConsumer &printer);

// Precompiles the headers into a file, for sources that differ from this one in their code alone. False after an error.
bool precompile(const Source &source, const std::string &file, clang::DiagnosticConsumer &printer);

}  // namespace gpuopt::jit

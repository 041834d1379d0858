// plugins/jit/compile/frontend.h -- Clang: from the text of a kernel to LLVM IR that is not optimized.
//
// Most of what Clang parses are the headers that a kernel includes (plugins/jit/text/all.h). They are precompiled when
// the plugin is built, and a kernel reads from the result only what it uses.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <span>
#include <string_view>

#include "plugins/jit/compile/compiler.h"

namespace gpuopt::jit {

// The headers, precompiled for a processor and for kernels that are raw or not. For other sources, Clang parses their
// text.
struct PrecompiledHeaders {
  std::string_view processor;
  bool raw;
  const char *begin, *end;  // *end is 0, as Clang requires
};
std::span<const PrecompiledHeaders> precompiled_headers() noexcept;  // static; those of plugins/jit/CMakeLists.txt

// The module of a source; NULL after an error, which `printer` is told.
std::unique_ptr<llvm::Module> module_of(const Source &source, llvm::LLVMContext &context,
                                        clang::DiagnosticConsumer &printer);

// Precompiles the headers into a file, for sources that differ from this one in their code alone. False after an error.
bool precompile(const Source &source, const std::string &file, clang::DiagnosticConsumer &printer);

}  // namespace gpuopt::jit

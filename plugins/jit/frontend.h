// plugins/jit/frontend.h -- Clang: from the text of a kernel to LLVM's code, which is not optimized.
//
// Most of a text are the headers it includes (plugins/jit/text/all.h). They are parsed when the plugin is built: what
// a kernel uses of them is all that it takes from the result.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <span>
#include <string_view>

#include "plugins/jit/compiler.h"

namespace gpuopt::jit {

// The headers, parsed for a processor and for kernels that are raw or not. What has neither parses the text of them.
struct PrecompiledHeaders {
  std::string_view processor;
  bool raw;
  const char *begin, *end;  // *end is 0
};
std::span<const PrecompiledHeaders> precompiled_headers() noexcept;  // static; those of plugins/jit/CMakeLists.txt

// NULL after an error, which `printer` has been told.
std::unique_ptr<llvm::Module> module_of(const Source &source, llvm::LLVMContext &context,
                                        clang::DiagnosticConsumer &printer);

// Parses the headers, for sources like this one without its code, into a file; false after an error.
bool precompile(const Source &source, const std::string &file, clang::DiagnosticConsumer &printer);

}  // namespace gpuopt::jit

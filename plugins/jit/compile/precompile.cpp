// plugins/jit/compile/precompile.cpp -- a program of the build that precompiles the headers of kernels.
//
// gpuopt-jit-precompile FILE PROCESSOR raw|loop
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>

#include "plugins/jit/compile/frontend.h"
#include "plugins/jit/compile/precompiled.h"

std::span<const gpuopt::jit::PrecompiledHeaders> gpuopt::jit::precompiled_headers() noexcept { return {}; }

int main(int count, char **arguments) {
  if (count != 4) return std::fputs("usage: gpuopt-jit-precompile FILE PROCESSOR raw|loop\n", stderr), 2;
  gpuopt::jit::Source source;
  source.processor = arguments[2];
  source.raw = std::string_view(arguments[3]) == "raw";
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::TextDiagnosticPrinter printer(llvm::errs(), options.get());
  return gpuopt::jit::precompile(source, arguments[1], printer) ? 0 : 1;
}

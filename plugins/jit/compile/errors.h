// plugins/jit/compile/errors.h -- the errors of LLVM as text.
#pragma once

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace gpuopt::jit {

// Collects errors. LLVM's own handler would print them and end the process. Remarks and warnings are dropped, such as
// that a loop was not vectorized.
class KeepErrors : public llvm::DiagnosticHandler {
 public:
  explicit KeepErrors(std::string &errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream text(errors_);
    llvm::DiagnosticPrinterRawOStream printer(text);
    info.print(printer);
    text << "\n";
    return true;
  }

 private:
  std::string &errors_;
};

}  // namespace gpuopt::jit

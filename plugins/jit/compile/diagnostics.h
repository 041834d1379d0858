// plugins/jit/compile/diagnostics.h -- collects Clang's messages about a text, and adds a cure to some of its errors.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace gpuopt::jit {

class Diagnostics : public clang::DiagnosticConsumer {
 public:
  // Writes the messages to `log`, which outlives the object.
  explicit Diagnostics(std::string &log);

  void BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *preprocessor) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override;

 private:
  llvm::raw_string_ostream log_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options_;
  clang::TextDiagnosticPrinter printer_;
  bool told_of_assembly_ = false, told_of_headers_ = false;
};

}  // namespace gpuopt::jit

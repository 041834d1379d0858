// plugins/jit/compile/diagnostics.cpp -- see diagnostics.h.
#include "plugins/jit/compile/diagnostics.h"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Lex/LexDiagnostic.h>

#include "plugins/jit/lower/problems.h"
#include "plugins/shared/host/kernel_messages.h"

namespace gpuopt::jit {
namespace {

llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> new_options() {
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowPresumedLoc = true;  // names and lines as #line gives them
  return options;
}

bool is_about_assembly(unsigned id) {
  const unsigned category = clang::DiagnosticIDs::getCategoryNumberForDiag(id);
  return clang::DiagnosticIDs::getCategoryNameFromID(category) == "Inline Assembly Issue";
}

}  // namespace

Diagnostics::Diagnostics(std::string &log) : log_(log), options_(new_options()), printer_(log_, options_.get()) {}

void Diagnostics::BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *preprocessor) {
  printer_.BeginSourceFile(language, preprocessor);
}

void Diagnostics::EndSourceFile() { printer_.EndSourceFile(); }

void Diagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  printer_.HandleDiagnostic(level, diagnostic);
  if (level < clang::DiagnosticsEngine::Error) return;
  if (is_about_assembly(diagnostic.getID()) && !std::exchange(told_of_assembly_, true))
    log_ << "note: " << kNoAssembly << "\n";
  if (diagnostic.getID() == clang::diag::err_pp_file_not_found && !std::exchange(told_of_headers_, true))
    log_ << "note: " << kNoHeaders << "\n";
}

}  // namespace gpuopt::jit

// plugins/jit/frontend.cpp -- see frontend.h.
#include "plugins/jit/frontend.h"

#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

#include <map>
#include <mutex>

#include "plugins/jit/cuda_declarations.h"
#include "plugins/jit/embedded.h"

namespace gpuopt::jit {
namespace {

// The name of the text itself in messages; the author's lines have names of their own.
constexpr const char *kMain = "gpuopt";
constexpr const char *kEverything = "/plugins/jit/text/all.h", *kPrecompiled = "/precompiled";

std::unique_ptr<clang::ASTConsumer> after_declarations(std::unique_ptr<clang::ASTConsumer> consumer) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> both;
  both.push_back(cuda_declarations());
  both.push_back(std::move(consumer));
  return std::make_unique<clang::MultiplexConsumer>(std::move(both));
}

// Clang's own EmitLLVMOnlyAction brings its optimizer's options with it, and Polly.
class GenerateModule : public clang::ASTFrontendAction {
 public:
  explicit GenerateModule(llvm::LLVMContext &context) : context_(context) {}
  std::unique_ptr<llvm::Module> module() { return std::move(module_); }  // NULL after an error

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef name) override {
    generator_ = clang::CreateLLVMCodeGen(compiler.getDiagnostics(), name, &compiler.getVirtualFileSystem(),
                                          compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                          compiler.getCodeGenOpts(), context_);
    return after_declarations(std::unique_ptr<clang::ASTConsumer>(generator_));
  }
  void EndSourceFileAction() override { module_.reset(generator_->ReleaseModule()); }  // the generator goes next

 private:
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::Module> module_;
  clang::CodeGenerator *generator_ = nullptr;  // the compiler instance's
};

class GenerateHeaders : public clang::GeneratePCHAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef name) override {
    auto consumer = clang::GeneratePCHAction::CreateASTConsumer(compiler, name);
    return consumer ? after_declarations(std::move(consumer)) : nullptr;
  }
};

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;

// The embedded headers as files, and what was made of them, if anything was.
Files new_files(const PrecompiledHeaders *precompiled) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->setCurrentWorkingDirectory("/");
  for (const EmbeddedHeader &header : embedded_headers())
    files->addFile(std::string("/") + header.name, 0, llvm::MemoryBuffer::getMemBuffer(header.text, header.name));
  if (precompiled) {
    const std::string_view bytes(precompiled->begin, static_cast<size_t>(precompiled->end - precompiled->begin));
    files->addFile(kPrecompiled, 0, llvm::MemoryBuffer::getMemBuffer(bytes, kPrecompiled));
  }
  return files;
}

// Made once, and then only read.
Files headers(const PrecompiledHeaders *precompiled) {
  static std::mutex lock;
  static auto *const made = new std::map<const PrecompiledHeaders *, Files>;
  const std::lock_guard guard(lock);
  Files &files = (*made)[precompiled];
  if (!files) files = new_files(precompiled);
  return files;
}

void set_language(clang::LangOptions &language) {
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Bool = language.WChar = language.GNUMode = language.GNUKeywords = language.Digraphs =
      true;
  language.DeclSpecKeyword = true;  // threadIdx.x is a property (text/builtins.h)
  language.DoubleSquareBracketAttributes = true;
  language.MathErrno = false;
  language.ThreadsafeStatics = false;
  language.RTTI = language.RTTIData = false;
  language.Exceptions = language.CXXExceptions = false;
  language.PCHInstantiateTemplates = true;  // what headers instantiate themselves, once and for all
  language.setDefaultFPContractMode(clang::LangOptions::FPM_Off);
}

void set_code(clang::CodeGenOptions &code, const Source &source) {
  code.OptimizationLevel = 3;
  if (source.check) code.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  code.DisableLLVMPasses = true;  // optimize() runs them
  code.setInlining(clang::CodeGenOptions::NormalInlining);
  code.UnrollLoops = code.VectorizeLoop = code.VectorizeSLP = true;
}

// Ready for a text, except for that.
std::unique_ptr<clang::CompilerInstance> instance_of(const Source &source, const PrecompiledHeaders *precompiled,
                                                     clang::DiagnosticConsumer &printer) {
  auto compiler = std::make_unique<clang::CompilerInstance>();
  clang::CompilerInvocation &invocation = compiler->getInvocation();
  invocation.getTargetOpts().Triple = llvm::sys::getProcessTriple();
  invocation.getTargetOpts().CPU = source.processor;
  set_language(invocation.getLangOpts());
  set_code(invocation.getCodeGenOpts(), source);
  invocation.getHeaderSearchOpts().UseBuiltinIncludes = false;
  invocation.getHeaderSearchOpts().UseStandardSystemIncludes = false;
  invocation.getHeaderSearchOpts().AddPath("/", clang::frontend::Quoted, false, true);
  clang::PreprocessorOptions &preprocessor = invocation.getPreprocessorOpts();
  if (source.raw) preprocessor.addMacroDef("GPO_RAW_KERNEL=1");
  if (source.check) preprocessor.addMacroDef("GPO_CHECKED_KERNEL=1");
  if (precompiled) preprocessor.ImplicitPCHInclude = kPrecompiled;
  compiler->createDiagnostics(&printer, false);
  compiler->getDiagnostics().setIgnoreAllWarnings(true);
  compiler->createFileManager(headers(precompiled));
  compiler->setVerboseOutputStream(llvm::nulls());  // "1 error generated."
  return compiler;
}

const PrecompiledHeaders *precompiled_for(const Source &source) {
  if (source.check) return nullptr;  // has other macros
  for (const PrecompiledHeaders &headers : precompiled_headers())
    if (headers.raw == source.raw && headers.processor == source.processor) return &headers;
  return nullptr;
}

}  // namespace

std::unique_ptr<llvm::Module> module_of(const Source &source, llvm::LLVMContext &context,
                                        clang::DiagnosticConsumer &printer) {
  const auto compiler = instance_of(source, precompiled_for(source), printer);
  compiler->getFrontendOpts().Inputs = {clang::FrontendInputFile(kMain, clang::Language::CXX)};
  compiler->getPreprocessorOpts().addRemappedFile(kMain,
                                                  llvm::MemoryBuffer::getMemBufferCopy(source.code, kMain).release());
  GenerateModule action(context);
  return compiler->ExecuteAction(action) ? action.module() : nullptr;
}

bool precompile(const Source &source, const std::string &file, clang::DiagnosticConsumer &printer) {
  const auto compiler = instance_of(source, nullptr, printer);
  const clang::InputKind kind = clang::InputKind(clang::Language::CXX).getHeader();
  compiler->getFrontendOpts().Inputs = {clang::FrontendInputFile(kEverything, kind)};
  compiler->getFrontendOpts().OutputFile = file;
  compiler->getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
  GenerateHeaders action;
  return compiler->ExecuteAction(action);
}

}  // namespace gpuopt::jit

// plugins/jit/compile/frontend.cpp -- see frontend.h.
#include "plugins/jit/compile/frontend.h"

#include <clang/Basic/CharInfo.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/TemplateInstCallback.h>
#include <llvm/IR/Constants.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

#include <map>
#include <mutex>

#include "plugins/jit/analysis/stop.h"
#include "plugins/jit/compile/cuda_declarations.h"
#include "plugins/jit/compile/embedded.h"
#include "plugins/jit/compile/precompiled.h"
#include "plugins/jit/lower/check.h"
#include "plugins/jit/lower/problems.h"
#include "plugins/shared/host/kernel_messages.h"

namespace gpuopt::jit {
namespace {

// The name of the whole text in messages. Directives #line give the author's lines another name.
constexpr const char *kMain = "gpuopt";
constexpr size_t kMaxName = 256;
constexpr unsigned kTokens = 256;  // after so many, Clang asks whether the compilation is cancelled
constexpr const char *kDeviceTriple = "nvptx64-nvidia-cuda";
constexpr const char *kAllHeaders = "/plugins/jit/text/all.h", *kPrecompiled = "/precompiled",
                     *kKnownHeaders = "/known";

std::unique_ptr<clang::ASTConsumer> both_of(std::unique_ptr<clang::ASTConsumer> first,
                                            std::unique_ptr<clang::ASTConsumer> second) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> both;
  both.push_back(std::move(first));
  both.push_back(std::move(second));
  return std::make_unique<clang::MultiplexConsumer>(std::move(both));
}

std::unique_ptr<clang::ASTConsumer> after_declarations(std::unique_ptr<clang::ASTConsumer> consumer,
                                                       Places *returns = nullptr) {
  return both_of(cuda_declarations(returns), std::move(consumer));
}

void note_return(llvm::Module &module, unsigned line, unsigned column) {
  llvm::IntegerType *const type = llvm::Type::getInt32Ty(module.getContext());
  const auto number = [&](unsigned n) -> llvm::Metadata * {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, n));
  };
  llvm::Metadata *const place[] = {number(line), number(column)};
  module.getOrInsertNamedMetadata(kReturns)->addOperand(llvm::MDNode::get(module.getContext(), place));
}

// Notes where functions and variables without a definition are declared, as their debug information does not say so.
void note_declarations(llvm::Module &module, clang::CodeGenerator &generator, const clang::SourceManager &sources) {
  for (llvm::GlobalObject &value : module.global_objects()) {
    const clang::Decl *const declaration =
        value.isDeclaration() ? generator.GetDeclForMangledName(value.getName()) : nullptr;
    if (!declaration) continue;
    const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(declaration->getLocation()));
    if (place.isInvalid() || llvm::StringRef(place.getFilename()).contains('/')) continue;  // of our headers
    const std::string text = place.getFilename() + (":" + std::to_string(place.getLine()));
    if (auto *const function = llvm::dyn_cast<llvm::Function>(&value)) function->addFnAttr(kDeclared, text);
    if (auto *const variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) variable->addAttribute(kDeclared, text);
  }
}

// Reports a fatal error if the compilation is cancelled, after which Clang skips most of its work and instantiates no
// template. The error is one of Clang's own, as custom ones are not fatal (DiagnosticIDs::isDefaultMappingAsError).
void end_if_stopped(clang::DiagnosticsEngine &diagnostics) {
  if (diagnostics.hasFatalErrorOccurred() || !is_stopped()) return;
  diagnostics.Report(clang::diag::fatal_too_many_errors);
}

class EndTemplates : public clang::TemplateInstantiationCallback {
 public:
  void initialize(const clang::Sema &) override {}
  void finalize(const clang::Sema &) override {}
  void atTemplateBegin(const clang::Sema &sema, const clang::Sema::CodeSynthesisContext &) override {
    end_if_stopped(sema.getDiagnostics());
  }
  void atTemplateEnd(const clang::Sema &, const clang::Sema::CodeSynthesisContext &) override {}
};

enum class For { host, gpu };

// Clang's EmitLLVMOnlyAction does the same, but links the options of its optimizer, and Polly.
class GenerateModule : public clang::ASTFrontendAction {
 public:
  GenerateModule(llvm::LLVMContext &context, For target, bool check = false, bool located = false)
      : context_(context), target_(target), check_(check), located_(located) {}
  std::unique_ptr<llvm::Module> module() { return std::move(module_); }  // NULL after an error

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef name) override {
    generator_ = clang::CreateLLVMCodeGen(compiler.getDiagnostics(), name, &compiler.getVirtualFileSystem(),
                                          compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                          compiler.getCodeGenOpts(), context_);
    std::unique_ptr<clang::ASTConsumer> generator(generator_);
    if (target_ == For::host) return after_declarations(std::move(generator), check_ ? &returns_ : nullptr);
    return both_of(device_declarations(), std::move(generator));
  }
  void ExecuteAction() override {
    clang::CompilerInstance &compiler = getCompilerInstance();
    clang::DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
    compiler.getPreprocessor().setTokenWatcher([&diagnostics, count = 0u](const clang::Token &) mutable {
      if (++count % kTokens == 0) end_if_stopped(diagnostics);
    });
    compiler.createSema(getTranslationUnitKind(), nullptr);
    compiler.getSema().TemplateInstCallbacks.push_back(std::make_unique<EndTemplates>());
    clang::ASTFrontendAction::ExecuteAction();
  }
  void EndSourceFileAction() override {  // the generator is destroyed after this
    module_.reset(generator_->ReleaseModule());
    if (module_ && located_) note_declarations(*module_, *generator_, getCompilerInstance().getSourceManager());
    for (const auto &[line, column] : returns_) {
      if (module_) note_return(*module_, line, column);
    }
  }

 private:
  llvm::LLVMContext &context_;
  const For target_;
  const bool check_, located_;
  Places returns_;
  std::unique_ptr<llvm::Module> module_;
  clang::CodeGenerator *generator_ = nullptr;  // owned by the compiler instance
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

// A file system of the embedded headers, those that kernels may include by name, and, if there are any, the precompiled
// ones.
Files new_files(const PrecompiledHeaders *precompiled) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->setCurrentWorkingDirectory("/");
  for (const EmbeddedHeader &header : embedded_headers())
    files->addFile(std::string("/") + header.name, 0, llvm::MemoryBuffer::getMemBuffer(header.text, header.name));
  const auto add_known = [&](const char *name) {
    files->addFile(std::string(kKnownHeaders) + "/" + name, 0,
                   llvm::MemoryBuffer::getMemBuffer(known_header_text(name), name));
  };
#define GPO_KNOWN_HEADER(name) add_known(name);
#include "plugins/shared/words/known_headers.h"
#undef GPO_KNOWN_HEADER
  if (precompiled) {
    const std::string_view bytes(precompiled->begin, static_cast<size_t>(precompiled->end - precompiled->begin));
    files->addFile(kPrecompiled, 0, llvm::MemoryBuffer::getMemBuffer(bytes, kPrecompiled));
  }
  return files;
}

// The file system, which is made once and then only read.
Files headers(const PrecompiledHeaders *precompiled) {
  static std::mutex lock;
  static auto *const made = new std::map<const PrecompiledHeaders *, Files>;
  const std::lock_guard guard(lock);
  Files &files = (*made)[precompiled];
  if (!files) files = new_files(precompiled);
  return files;
}

// The embedded headers, and those that a text for GPUs has besides.
Files device_files(const DeviceSource &source) {
  Files files = new_files(nullptr);
  for (size_t k = 0; k < source.header_names.size(); k++) {
    const std::string path = std::string("/") + source.header_names[k];
    if (!files->exists(path)) files->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(source.header_texts[k], path));
  }
  return files;
}

void set_language(clang::LangOptions &language) {
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Bool = language.WChar = language.GNUMode = language.GNUKeywords = language.Digraphs =
      true;
  language.CXXOperatorNames = true;  // `and`, `or`, `not` and their like
  language.DeclSpecKeyword = true;   // threadIdx.x is a property (plugins/jit/text/thread.h)
  language.DoubleSquareBracketAttributes = true;
  language.MathErrno = false;
  language.ThreadsafeStatics = false;
  language.RTTI = language.RTTIData = false;
  language.CheckNew = true;  // new returns NULL if the heap is exhausted
  language.Exceptions = language.CXXExceptions = false;
  language.PCHInstantiateTemplates = true;  // instantiates templates in the precompiled headers
  language.setDefaultFPContractMode(clang::LangOptions::FPM_Off);
}

void set_code(clang::CodeGenOptions &code, bool raw) {
  code.OptimizationLevel = 3;
  code.NullPointerIsValid = raw;  // an access through NULL must fault, and not be optimized away
  code.DebugColumnInfo = true;
  code.DisableLLVMPasses = true;  // optimize() runs them
  code.setInlining(clang::CodeGenOptions::NormalInlining);
  code.UnrollLoops = code.VectorizeLoop = code.VectorizeSLP = true;
}

// Whether Clang may look for the correct spelling of an unknown name. It compares the name with all others, in time
// that grows with the square of the length.
bool may_check_spelling(const std::string &code) {
  size_t length = 0;
  for (const char c : code) {
    length = clang::isAsciiIdentifierContinue(static_cast<unsigned char>(c)) ? length + 1 : 0;
    if (length > kMaxName) return false;
  }
  return true;
}

// A compiler instance for a text, which is still to be given to it, as is the target.
std::unique_ptr<clang::CompilerInstance> new_instance(const std::string &code, Files files,
                                                      clang::DiagnosticConsumer &printer) {
  auto compiler = std::make_unique<clang::CompilerInstance>();
  clang::CompilerInvocation &invocation = compiler->getInvocation();
  set_language(invocation.getLangOpts());
  invocation.getLangOpts().SpellChecking = may_check_spelling(code);
  invocation.getHeaderSearchOpts().UseBuiltinIncludes = false;
  invocation.getHeaderSearchOpts().UseStandardSystemIncludes = false;
  invocation.getHeaderSearchOpts().AddPath("/", clang::frontend::Quoted, false, true);
  invocation.getHeaderSearchOpts().AddPath(kKnownHeaders, clang::frontend::Angled, false, true);
  compiler->createDiagnostics(&printer, false);
  compiler->getDiagnostics().setIgnoreAllWarnings(true);
  // C++17 has no `register` any more; NVIDIA's compiler ignores it, and so do we.
  compiler->getDiagnostics().setSeverityForGroup(clang::diag::Flavor::WarningOrError, "register",
                                                 clang::diag::Severity::Ignored);
  // As in "%d"NAME, where a macro follows a literal without a space; NVIDIA's compiler takes it.
  compiler->getDiagnostics().setSeverityForGroup(clang::diag::Flavor::WarningOrError, "reserved-user-defined-literal",
                                                 clang::diag::Severity::Ignored);
  compiler->createFileManager(std::move(files));
  compiler->setVerboseOutputStream(llvm::nulls());  // "1 error generated."
  return compiler;
}

// A compiler instance for a source, without its text.
std::unique_ptr<clang::CompilerInstance> instance_of(const Source &source, const PrecompiledHeaders *precompiled,
                                                     clang::DiagnosticConsumer &printer) {
  auto compiler = new_instance(source.code, headers(precompiled), printer);
  clang::CompilerInvocation &invocation = compiler->getInvocation();
  invocation.getTargetOpts().Triple = llvm::sys::getProcessTriple();
  invocation.getTargetOpts().CPU = source.processor;
  set_code(invocation.getCodeGenOpts(), source.raw);
  if (source.check || source.located)
    invocation.getCodeGenOpts().setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  clang::PreprocessorOptions &preprocessor = invocation.getPreprocessorOpts();
  if (source.raw) preprocessor.addMacroDef("GPO_RAW_KERNEL=1");
  if (source.check) preprocessor.addMacroDef("GPO_CHECKED_KERNEL=1");
  if (precompiled) preprocessor.ImplicitPCHInclude = kPrecompiled;
  return compiler;
}

const PrecompiledHeaders *precompiled_for(const Source &source) {
  if (source.check) return nullptr;  // checked kernels define other macros
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
  GenerateModule action(context, For::host, source.check, source.located);
  return compiler->ExecuteAction(action) ? action.module() : nullptr;
}

std::unique_ptr<llvm::Module> device_module_of(const DeviceSource &source, llvm::LLVMContext &context,
                                               clang::DiagnosticConsumer &printer) {
  const auto compiler = new_instance(source.code, device_files(source), printer);
  clang::CompilerInvocation &invocation = compiler->getInvocation();
  invocation.getTargetOpts().Triple = kDeviceTriple;
  invocation.getTargetOpts().HostTriple = llvm::sys::getProcessTriple();  // types have the host's sizes
  invocation.getTargetOpts().CPU = source.processor;
  invocation.getTargetOpts().FeaturesAsWritten = {source.feature};
  clang::LangOptions &language = invocation.getLangOpts();
  language.CUDA = language.CUDAIsDevice = language.CUDAHostDeviceConstexpr = true;
  language.HIPStdPar = true;  // a variable needs no __device__
  set_code(invocation.getCodeGenOpts(), true);
  compiler->getFrontendOpts().Inputs = {clang::FrontendInputFile(kMain, clang::Language::CUDA)};
  compiler->getPreprocessorOpts().addRemappedFile(kMain,
                                                  llvm::MemoryBuffer::getMemBufferCopy(source.code, kMain).release());
  GenerateModule action(context, For::gpu);
  return compiler->ExecuteAction(action) ? action.module() : nullptr;
}

bool precompile(const Source &source, const std::string &file, clang::DiagnosticConsumer &printer) {
  const auto compiler = instance_of(source, nullptr, printer);
  const clang::InputKind kind = clang::InputKind(clang::Language::CXX).getHeader();
  compiler->getFrontendOpts().Inputs = {clang::FrontendInputFile(kAllHeaders, kind)};
  compiler->getFrontendOpts().OutputFile = file;
  compiler->getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
  GenerateHeaders action;
  return compiler->ExecuteAction(action);
}

}  // namespace gpuopt::jit

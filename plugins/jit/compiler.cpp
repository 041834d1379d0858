// plugins/jit/compiler.cpp -- from the text of a kernel to an object file, by Clang and LLVM in this process.
#include "plugins/jit/compiler.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include "plugins/jit/analyses.h"
#include "plugins/jit/cuda_declarations.h"
#include "plugins/jit/embedded.h"
#include "plugins/jit/threads.h"

namespace gpuopt::jit {
namespace {

constexpr const char *kMain =
    "gpuopt";  // the name of the text itself in messages; the author's lines have names of their own

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
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.push_back(cuda_declarations());
    both.emplace_back(generator_);
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }
  void EndSourceFileAction() override { module_.reset(generator_->ReleaseModule()); }  // the generator goes next

 private:
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::Module> module_;
  clang::CodeGenerator *generator_ = nullptr;  // the compiler instance's
};

// The embedded headers as files; made once, read by all.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> headers() {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->setCurrentWorkingDirectory("/");
  for (const EmbeddedHeader &header : embedded_headers())
    files->addFile(std::string("/") + header.name, 0, llvm::MemoryBuffer::getMemBuffer(header.text, header.name));
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
  language.setDefaultFPContractMode(clang::LangOptions::FPM_Off);
}

std::unique_ptr<clang::CompilerInstance> instance_of(const Source &source, clang::DiagnosticConsumer &printer) {
  auto compiler = std::make_unique<clang::CompilerInstance>();
  clang::CompilerInvocation &invocation = compiler->getInvocation();
  invocation.getTargetOpts().Triple = llvm::sys::getProcessTriple();
  invocation.getTargetOpts().CPU = source.processor;
  set_language(invocation.getLangOpts());
  clang::CodeGenOptions &code = invocation.getCodeGenOpts();
  code.OptimizationLevel = 3;
  if (source.check) code.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  code.DisableLLVMPasses = true;  // optimize() runs them
  code.setInlining(clang::CodeGenOptions::NormalInlining);
  code.UnrollLoops = code.VectorizeLoop = code.VectorizeSLP = true;
  invocation.getHeaderSearchOpts().UseBuiltinIncludes = false;
  invocation.getHeaderSearchOpts().UseStandardSystemIncludes = false;
  invocation.getHeaderSearchOpts().AddPath("/", clang::frontend::Quoted, false, true);
  invocation.getFrontendOpts().Inputs = {clang::FrontendInputFile(kMain, clang::Language::CXX)};
  invocation.getPreprocessorOpts().addRemappedFile(kMain,
                                                   llvm::MemoryBuffer::getMemBufferCopy(source.code, kMain).release());
  compiler->createDiagnostics(&printer, false);
  compiler->getDiagnostics().setIgnoreAllWarnings(true);
  compiler->createFileManager(headers());
  compiler->setVerboseOutputStream(llvm::nulls());  // "1 error generated."
  return compiler;
}

llvm::TargetMachine *new_machine(const llvm::Module &module, const Source &source) {
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), problem);
  if (!target) throw std::runtime_error(problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return target->createTargetMachine(module.getTargetTriple(), source.processor, "", options, llvm::Reloc::PIC_,
                                     llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true);
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  Analyses analyses(machine);
  analyses.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, analyses.modules);
}

std::string emit(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw std::runtime_error("the target writes no object files");
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Result compile(const Source &source) {
  static const bool ready = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)ready;
  Result result;
  llvm::raw_string_ostream log(result.log);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowPresumedLoc = true;  // as #line has it
  clang::TextDiagnosticPrinter printer(log, options.get());
  const auto compiler = instance_of(source, printer);
  llvm::LLVMContext context;
  GenerateModule action(context);
  if (!compiler->ExecuteAction(action)) return result;
  const std::unique_ptr<llvm::Module> module = action.module();
  if (!module) return result;
  const std::unique_ptr<llvm::TargetMachine> machine(new_machine(*module, source));
  module->setDataLayout(machine->createDataLayout());
  if (const std::string problem = lower_threads(*module, *machine, source.may_loop, source.check); !problem.empty()) {
    log << "error: the kernel has " << problem;
    return result;
  }
  for (llvm::Function &function : *module) {
    if (source.vector_bits) function.addFnAttr("prefer-vector-width", std::to_string(source.vector_bits));
  }
  optimize(*module, *machine);
  finish_frames(*module);
  result.object = emit(*module, *machine);
  return result;
}

std::string compiler_name() { return "Clang " CLANG_VERSION_STRING; }

}  // namespace gpuopt::jit

// plugins/jit/compiler.cpp -- from the text of a kernel to an object file, by Clang and LLVM in this process.
#include "plugins/jit/compiler.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include <map>
#include <mutex>
#include <vector>

#include "plugins/jit/analyses.h"
#include "plugins/jit/frontend.h"
#include "plugins/jit/rare.h"
#include "plugins/jit/threads.h"

namespace gpuopt::jit {
namespace {

// LLVM's own would print, and end the process after an error. That a loop is not vectorized is no news for anybody.
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

std::unique_ptr<llvm::TargetMachine> new_machine(const std::string &processor) {
  std::string problem;
  const std::string triple = llvm::sys::getProcessTriple();
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) throw std::runtime_error(problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, processor, "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
}

// From modules to object files, one after the other: its passes are good for many ("llc -run-twice").
class Emitter {
 public:
  explicit Emitter(llvm::TargetMachine &machine) {
    if (machine.addPassesToEmitFile(passes_, out_, nullptr, llvm::CodeGenFileType::ObjectFile))
      throw std::runtime_error("the target writes no object files");
  }
  std::string emit(llvm::Module &module) {
    bytes_.clear();
    passes_.run(module);
    return {bytes_.begin(), bytes_.end()};
  }

 private:
  llvm::SmallVector<char, 0> bytes_;
  llvm::raw_svector_ostream out_{bytes_};
  llvm::legacy::PassManager passes_;
};

// What LLVM knows of a processor, and finds out once; kept for the next source that nobody else is compiling.
class Machine {
 public:
  explicit Machine(const std::string &processor) : processor_(processor) {
    {
      const std::lock_guard guard(kept().lock);
      std::vector<Parts> &idle = kept().idle[processor_];
      if (!idle.empty()) {
        parts_ = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (!parts_.target) parts_.target = new_machine(processor_);
  }
  ~Machine() {
    const std::lock_guard guard(kept().lock);
    try {
      kept().idle[processor_].push_back(std::move(parts_));
    } catch (const std::bad_alloc &) {  // it is not kept, then
    }
  }
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;
  llvm::TargetMachine &operator*() const { return *parts_.target; }
  llvm::TargetMachine *operator->() const { return parts_.target.get(); }

  std::string emit(llvm::Module &module) {
    if (!parts_.emitter) parts_.emitter = std::make_unique<Emitter>(*parts_.target);
    return parts_.emitter->emit(module);
  }

 private:
  struct Parts {
    std::unique_ptr<llvm::TargetMachine> target;
    std::unique_ptr<Emitter> emitter;  // the target's: goes first
  };
  struct Kept {
    std::mutex lock;
    std::map<std::string, std::vector<Parts>> idle;
  };
  static Kept &kept() {
    static auto *const kept = new Kept;
    return *kept;
  }

  const std::string processor_;
  Parts parts_;
};

// There is no other object file that has them, too; and what is nobody else's goes as soon as it has been inlined.
void make_internal(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.hasLinkOnceLinkage() || function.isDeclaration()) continue;
    function.setComdat(nullptr);
    function.setLinkage(llvm::Function::InternalLinkage);
  }
}

// Passes of LLVM's O3 that take time, and make nothing of kernels that are loops over elements: what such a loop leaves
// over when it has been vectorized is short, functions of one object file are inlined before.
constexpr const char *kSkipped[] = {
    "LoopUnrollPass",         "LoopLoadEliminationPass", "CalledValuePropagationPass", "IPSCCPPass",
    "InferFunctionAttrsPass", "CGProfilePass",           "ConstraintEliminationPass"};

bool is_worth(llvm::StringRef pass, const llvm::Any &) {
  return std::none_of(std::begin(kSkipped), std::end(kSkipped), [&](const char *skipped) { return pass == skipped; });
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, RarePaths &rare, bool elements) {
  make_internal(module);
  Analyses analyses(machine);
  if (elements) analyses.callbacks.registerShouldRunOptionalPassCallback(is_worth);
  // Most of a kernel's functions are to be inlined: done at once, they are not optimized each by itself before.
  analyses.builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::AlwaysInlinerPass());
    passes.addPass(llvm::GlobalDCEPass());
  });
  analyses.builder.registerOptimizerLastEPCallback(
      [&rare](llvm::ModulePassManager &passes, llvm::OptimizationLevel) { passes.addPass(ExpandRarePaths(rare)); });
  analyses.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, analyses.modules);
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
  std::string errors;                 // behind Clang's
  Machine machine(source.processor);  // outlives the module, whose end its passes are told of
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
  context.setDiscardValueNames(!source.check);
  const std::unique_ptr<llvm::Module> module = module_of(source, context, printer);
  if (!module) return result;
  module->setDataLayout(machine->createDataLayout());
  RarePaths rare(*module, source.check);
  if (const std::string problem = lower_threads(*module, *machine, source.may_loop, source.check); !problem.empty()) {
    log << "error: the kernel has " << problem;
    return result;
  }
  for (llvm::Function &function : *module) {
    if (source.vector_bits) function.addFnAttr("prefer-vector-width", std::to_string(source.vector_bits));
  }
  optimize(*module, *machine, rare, !source.raw);
  finish_frames(*module);
  std::string object = machine.emit(*module);
  if (errors.empty()) {
    result.object = std::move(object);
  } else {
    log << errors;
  }
  return result;
}

std::string compiler_name() { return "Clang " CLANG_VERSION_STRING; }

}  // namespace gpuopt::jit

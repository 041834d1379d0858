// plugins/jit/compile/ptx.cpp -- see ptx.h. What is promised of bits is promised here: no contraction, no flushing of
// denormals, and division and square root rounded as IEEE 754 says, which are LLVM's defaults for PTX.
#include "plugins/jit/compile/ptx.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <stdexcept>

#include "plugins/jit/analysis/analyses.h"
#include "plugins/jit/analysis/stop.h"
#include "plugins/jit/compile/assembly_text.h"
#include "plugins/jit/compile/diagnostics.h"
#include "plugins/jit/compile/errors.h"
#include "plugins/jit/compile/frontend.h"
#include "plugins/jit/lower/truth.h"

namespace gpuopt::jit {
namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";
constexpr const char *kSymbol = "gpuopt_symbol_";
// What the driver defines.
constexpr const char *kOfDriver[] = {"vprintf", "malloc", "free", "__assertfail"};

using Kernels = llvm::SmallPtrSet<const llvm::Function *, 8>;

// The whole text. Behind it stands a variable for each wanted function, whose initial value is the function: so Clang
// instantiates it, and tells its mangled name. That part has no names but those that begin with gpuopt_.
std::string text_of(const gpuopt_jit_ptx_source &source) {
  std::string text = "#include \"plugins/jit/text/device.h\"\n#line 1 \"" + std::string(source.name) + "\"\n" +
                     parsable_assembly(source.code, false) + "\n#line 1 \"gpuopt\"\n";
  for (int k = 0; k < source.nfunctions; k++)
    text += "extern \"C\" { __attribute__((device)) auto " + (kSymbol + std::to_string(k)) + " = &" +
            source.functions[k] + "; }\n";
  return text;
}

std::unique_ptr<llvm::TargetMachine> machine_of(const DeviceSource &source) {
  std::string problem;
  const llvm::Target *const target = llvm::TargetRegistry::lookupTarget(kTriple, problem);
  if (!target) throw std::runtime_error(problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(kTriple, source.processor, source.feature,
                                                                          options, llvm::Reloc::PIC_, std::nullopt,
                                                                          llvm::CodeGenOptLevel::Aggressive));
}

// The functions that Clang has noted as kernels.
Kernels kernels_in(const llvm::Module &module) {
  Kernels kernels;
  const llvm::NamedMDNode *const notes = module.getNamedMetadata("nvvm.annotations");
  for (unsigned k = 0; notes && k < notes->getNumOperands(); k++) {
    const llvm::MDNode &note = *notes->getOperand(k);
    if (note.getNumOperands() < 2) continue;
    const auto *const of = llvm::mdconst::dyn_extract_or_null<llvm::Function>(note.getOperand(0));
    for (unsigned at = 1; of && at < note.getNumOperands(); at += 2) {
      const auto *const word = llvm::dyn_cast_or_null<llvm::MDString>(note.getOperand(at).get());
      if (word && word->getString() == "kernel") kernels.insert(of);
    }
  }
  return kernels;
}

// Takes the variables that text_of() has added out of the module, and returns the names in them, each with a line feed.
std::string take_symbols(llvm::Module &module, int count) {
  std::string symbols;
  for (int k = 0; k < count; k++) {
    llvm::GlobalVariable *const variable = module.getNamedGlobal(kSymbol + std::to_string(k));
    if (!variable || !variable->hasInitializer()) throw std::runtime_error("a kernel has no symbol");
    symbols += variable->getInitializer()->stripPointerCasts()->getName().str() + "\n";
    variable->eraseFromParent();
  }
  return symbols;
}

// Kernels are what the driver finds. All else that has a body is the module's own, but for variables that the text
// defines as external, which the driver finds, too.
void set_linkage(llvm::Module &module) {
  const Kernels kernels = kernels_in(module);
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) continue;
    function.setComdat(nullptr);
    function.setLinkage(kernels.contains(&function) ? llvm::Function::ExternalLinkage
                                                    : llvm::Function::InternalLinkage);
  }
  for (llvm::GlobalVariable &variable : module.globals()) {
    variable.setComdat(nullptr);
    if (variable.isDeclaration() || !variable.isWeakForLinker()) continue;
    variable.setLinkage(llvm::GlobalVariable::InternalLinkage);
  }
}

// Makes functions copy the structs that they are given. Otherwise one that changes such a struct, or indexes it by a
// variable, would take the address of its parameter, for which PTX has rules of its own.
void copy_structs(llvm::Module &module) {
  const Kernels kernels = kernels_in(module);
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || kernels.contains(&function)) continue;
    for (llvm::Argument &argument : function.args()) {
      llvm::Type *const type = argument.getParamByValType();
      if (!type) continue;
      llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
      const llvm::Align align = argument.getParamAlign().valueOrOne();
      llvm::AllocaInst *const copy = builder.CreateAlloca(type);
      copy->setAlignment(align);
      argument.replaceAllUsesWith(copy);
      builder.CreateMemCpy(copy, align, &argument, align, module.getDataLayout().getTypeAllocSize(type));
    }
  }
}

std::string undefined_of(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    const auto is_it = [&](const char *name) { return function.getName() == name; };
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty() ||
        std::any_of(std::begin(kOfDriver), std::end(kOfDriver), is_it))
      continue;
    return ("error: the function " + function.getName() + " is declared but not defined\n").str();
  }
  return "";
}

std::string emit(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    throw std::runtime_error("LLVM cannot write PTX");
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

bool prepare_for_gpus() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  return true;
}

}  // namespace

Result compile_ptx(const gpuopt_jit_ptx_source &asked) {
  static const bool ready = prepare_for_gpus();
  (void)ready;
  const auto headers = static_cast<size_t>(asked.nheaders);
  const DeviceSource source{text_of(asked),
                            asked.name,
                            "sm_" + std::to_string(asked.arch),
                            "+ptx" + std::to_string(asked.ptx_version),
                            {asked.header_names, headers},
                            {asked.header_texts, headers}};
  Result result;
  std::string errors;
  Diagnostics diagnostics(result.log);
  const std::unique_ptr<llvm::TargetMachine> machine = machine_of(source);
  StopGate gate;
  llvm::LLVMContext context;
  context.setOptPassGate(gate);
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
  const std::unique_ptr<llvm::Module> module = device_module_of(source, context, diagnostics);
  if (is_stopped()) return {"", "", true, ""};
  if (!module) return result;
  module->setDataLayout(machine->createDataLayout());
  result.symbols = take_symbols(*module, asked.nfunctions);
  set_linkage(*module);
  copy_structs(*module);
  define_truth(*module);
  {
    Analyses analyses(*machine);
    analyses.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(*module, analyses.modules);
  }
  errors += undefined_of(*module);
  std::string ptx = errors.empty() ? emit(*module, *machine) : "";
  if (is_stopped()) return {"", "", true, ""};
  if (errors.empty()) result.object = std::move(ptx);
  result.log += errors;
  return result;
}

}  // namespace gpuopt::jit

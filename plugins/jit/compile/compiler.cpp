// plugins/jit/compile/compiler.cpp -- from the text of a kernel to an object file, by Clang and LLVM in this process.
#include "plugins/jit/compile/compiler.h"

#include <clang/Basic/Version.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "plugins/jit/analysis/analyses.h"
#include "plugins/jit/analysis/stop.h"
#include "plugins/jit/compile/assembly_text.h"
#include "plugins/jit/compile/diagnostics.h"
#include "plugins/jit/compile/errors.h"
#include "plugins/jit/compile/frontend.h"
#include "plugins/jit/compile/interior.h"
#include "plugins/jit/compile/long_blocks.h"
#include "plugins/jit/compile/long_loops.h"
#include "plugins/jit/compile/next_blocks.h"
#include "plugins/jit/compile/outline.h"
#include "plugins/jit/compile/slow_paths.h"
#include "plugins/jit/compile/strided.h"
#include "plugins/jit/lower/division.h"
#include "plugins/jit/lower/launches.h"
#include "plugins/jit/lower/problems.h"
#include "plugins/jit/lower/shifts.h"
#include "plugins/jit/lower/threads.h"
#include "plugins/jit/lower/truth.h"
#include "plugins/jit/ptx/assembly.h"

namespace gpuopt::jit {
namespace {

constexpr size_t kMaxPieces = 512;

// A value that is live in a block is live in one piece of it more than the block has calls, which change all registers
// of vectors.
size_t pieces_of(const llvm::BasicBlock &block) {
  return 1 + static_cast<size_t>(std::count_if(block.begin(), block.end(), [](const llvm::Instruction &instruction) {
           return llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction);
         }));
}

// Whether a loop of the function, with those in it, has more than kMaxPieces.
bool has_long_loop(llvm::Function &function) {
  size_t pieces = 0;
  for (const llvm::BasicBlock &block : function) pieces += pieces_of(block);
  if (pieces <= kMaxPieces) return false;
  const llvm::DominatorTree tree(function);
  const llvm::LoopInfo loops(tree);
  return std::any_of(loops.begin(), loops.end(), [](const llvm::Loop *loop) {
    size_t inside = 0;
    for (const llvm::BasicBlock *block : loop->blocks()) inside += pieces_of(*block);
    return inside > kMaxPieces;
  });
}

// Makes LLVM leave the constants of long loops where they are used. MachineLICM would load each in front of the loop
// and compare it with those there; most of them would then be spilled, and each be live in all pieces of the loop. All
// that takes time and memory that grow with the square of the length.
class Gate : public StopGate {
 public:
  bool shouldRunPass(const llvm::StringRef pass, llvm::StringRef of) override {
    if (!StopGate::shouldRunPass(pass, of)) return false;
    return !pass.ends_with("Machine Loop Invariant Code Motion") || !long_.contains(of);
  }
  // To be called before the module's code is emitted.
  void find_long_loops(llvm::Module &module) {
    for (llvm::Function &function : module)
      if (has_long_loop(function)) long_.insert(("function (" + function.getName() + ")").str());
  }

 private:
  llvm::StringSet<> long_;  // functions, as LLVM describes them (FunctionPass::skipFunction)
};

std::unique_ptr<llvm::TargetMachine> new_machine(const std::string &processor) {
  std::string problem;
  const std::string triple = llvm::sys::getProcessTriple();
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) throw std::runtime_error(problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.TrapUnreachable = options.NoTrapAfterNoreturn = true;  // instead of running into the next function
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, processor, "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
}

// Writes object files of modules, one after the other. One pipeline can serve many modules ("llc -run-twice").
class Emitter {
 public:
  explicit Emitter(llvm::TargetMachine &machine) {
    if (machine.addPassesToEmitFile(passes_, out_, nullptr, llvm::CodeGenFileType::ObjectFile))
      throw std::runtime_error("LLVM cannot write object files for this processor");
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

// LLVM's description of a processor, which takes time to make. After a compilation it is kept for the next one of a
// thread that finds it idle.
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
    } catch (const std::bad_alloc &) {  // then it is not kept
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
    std::unique_ptr<Emitter> emitter;  // uses the target, so it is destroyed first
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

// Makes inline functions internal, as no other object file has them, too. LLVM then deletes them once they are inlined.
void make_internal(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.hasLinkOnceLinkage() || function.isDeclaration()) continue;
    function.setComdat(nullptr);
    function.setLinkage(llvm::Function::InternalLinkage);
  }
}

// Passes of LLVM's O3 that take time but do not improve kernels that are loops over elements. The remainder of such a
// loop after vectorization is short, and all functions of the object file have been inlined before.
constexpr const char *kSkipped[] = {
    "LoopUnrollPass",         "LoopLoadEliminationPass", "CalledValuePropagationPass", "IPSCCPPass",
    "InferFunctionAttrsPass", "CGProfilePass",           "ConstraintEliminationPass"};

constexpr unsigned kMaxLoadElimination = 2000;  // instructions of a function

bool is_worthwhile(llvm::StringRef pass, const llvm::Any &) {
  return std::none_of(std::begin(kSkipped), std::end(kSkipped), [&](const char *skipped) { return pass == skipped; });
}

// LoopLoadElimination compares all accesses of a loop with each other, so that it runs on short functions only.
bool is_affordable(llvm::StringRef pass, const llvm::Any &of) {
  if (pass != "LoopLoadEliminationPass") return true;
  const auto *const function = llvm::any_cast<const llvm::Function *>(&of);
  return !function || (*function)->getInstructionCount() <= kMaxLoadElimination;
}

// Makes selections of short branches, as LLVM does itself later. The pass in between, InstCombine, looks at all earlier
// branches on bits of the same value for each of them, which takes time that grows with the square of their number.
llvm::FunctionPassManager branches_to_selections() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, SlowPaths &slow_paths, bool elements) {
  make_internal(module);
  Analyses analyses(machine);
  analyses.callbacks.registerShouldRunOptionalPassCallback(elements ? is_worthwhile : is_affordable);
  // Most functions of a kernel are to be inlined. This is done first, so that LLVM does not optimize each by itself.
  analyses.builder.registerPipelineStartEPCallback([&](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::AlwaysInlinerPass());
    passes.addPass(llvm::GlobalDCEPass());
    split_long_coroutines(module, passes);
    if (elements) passes.addPass(llvm::createModuleToFunctionPassAdaptor(branches_to_selections()));
  });
  analyses.builder.registerVectorizerStartEPCallback(
      [elements](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
        if (!elements) {
          passes.addPass(PrefetchNextBlocks());
          passes.addPass(SplitInterior());
        }
        passes.addPass(LimitLongLoops());
      });
  analyses.builder.registerOptimizerLastEPCallback(
      [&slow_paths, elements](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
        if (!elements) passes.addPass(llvm::createModuleToFunctionPassAdaptor(LoadStrided()));
        passes.addPass(ExpandSlowPaths(slow_paths));
      });
  analyses.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, analyses.modules);
}

constexpr uint64_t kLineBytes = 64;
constexpr int32_t kHalfLineBits = 256;

// Whether a __shared__ variable, which is thread-local here, is a tile whose rows are padded, such as
// float tile[32][33].
bool has_padded_tile(const llvm::Module &module) {
  return llvm::any_of(module.globals(), [&](const llvm::GlobalVariable &variable) {
    const auto *const tile = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
    llvm::Type *row = tile && variable.isThreadLocal() ? tile->getElementType() : nullptr;
    while (row && row->isArrayTy() && row->getArrayElementType()->isArrayTy()) row = row->getArrayElementType();
    if (!row || !row->isArrayTy()) return false;
    const uint64_t bytes = module.getDataLayout().getTypeAllocSize(row);
    return bytes > kLineBytes && bytes % kLineBytes != 0;
  });
}

// The width of vectors to prefer. Those of a whole line of the cache would each lie in two lines in the rows of a
// padded tile. A processor cannot give a thread that reads a column an element of such a vector while that is on its
// way to the cache, as it is when it has just been stored.
int32_t vector_bits_for(const llvm::Module &module, const Source &source) {
  return source.vector_bits > kHalfLineBits && has_padded_tile(module) ? kHalfLineBits : source.vector_bits;
}

void set_attributes(llvm::Module &module, int32_t vector_bits) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) continue;
    if (vector_bits) function.addFnAttr("prefer-vector-width", std::to_string(vector_bits));
    function.addFnAttr("probe-stack",
                       "inline-asm");  // so that a large frame hits the guard page of the stack
  }
}

std::string local_memory_in(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    if (std::string problem = local_memory_of(function); !problem.empty()) return problem;
  }
  return "";
}

// Makes code of a module with one kernel. Returns what kernels cannot do on the host although Clang accepts it, as a
// message, and empty on success, or if the compilation is stopped.
std::string make_code(llvm::Module &module, const Source &source, Machine &machine) {
  OutlinedFunctions outlined(module, source.check);
  if (!outlined.problem().empty()) return "error: " + outlined.problem() + "\n";
  SlowPaths slow_paths(module, source.check);
  const int32_t vector_bits = vector_bits_for(module, source);
  std::string problem = lower_threads(module, *machine, source.may_loop, source.check);
  if (!problem.empty() || is_stopped()) return problem;
  set_attributes(module, vector_bits);
  optimize(module, *machine, slow_paths, !source.raw);
  outlined.finish([&](llvm::Module &bodies) {
    SlowPaths slow_paths_there(bodies, source.check);
    set_attributes(bodies, vector_bits);
    optimize(bodies, *machine, slow_paths_there, false);
  });
  finish_frames(module);
  problem = undefined_in(module);
  return problem.empty() && !source.raw ? local_memory_in(module) : problem;
}

// Makes code of a module, and of the kernels that its kernel launches.
std::string make_all_code(llvm::Module &module, const Source &source, Machine &machine) {
  std::string problem;
  const std::vector<std::string> names = record_launches(module, problem);
  std::vector<std::unique_ptr<llvm::Module>> children;
  for (const std::string &name : names) children.push_back(module_of_child(module, name));
  leave_children(module);
  if (problem.empty()) problem = make_code(module, source, machine);
  for (size_t k = 0; k < children.size(); k++) {
    if (problem.empty() && !is_stopped()) problem = make_code(*children[k], source, machine);
    if (!problem.empty() || is_stopped()) return problem;
    add_child(module, std::move(children[k]), k);
  }
  if (!names.empty()) define_children(module, names.size());
  return problem;
}

// Makes an object file. If the kernel does what Clang accepts but kernels cannot do on the host, `problem` says so.
std::string object_of(llvm::Module &module, const Source &source, Machine &machine, Gate &gate, std::string &problem) {
  problem = translate_assembly(module);
  if (!problem.empty()) return "";
  if (source.raw) define_truth(module);
  define_division(module);
  define_shifts(module);
  problem = make_all_code(module, source, machine);
  if (!problem.empty() || is_stopped()) return "";
  cut_long_blocks(module);
  gate.find_long_loops(module);
  return machine.emit(module);
}

Result compile_once(const Source &source, std::string &problem) {
  Result result;
  Diagnostics diagnostics(result.log);
  std::string errors;                 // of LLVM, which follow those of Clang
  Machine machine(source.processor);  // outlives the module, which tells the machine's passes of its end
  Gate gate;
  llvm::LLVMContext context;
  context.setOptPassGate(gate);
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
  context.setDiscardValueNames(!source.check && !source.located);
  const std::unique_ptr<llvm::Module> module = module_of(source, context, diagnostics);
  if (!module) return result;
  module->setDataLayout(machine->createDataLayout());
  std::string object = object_of(*module, source, machine, gate, problem);
  if (errors.empty() && problem.empty()) {
    result.object = std::move(object);
  } else {
    result.log += problem + errors;
  }
  return result;
}

// CodeGenPrepare looks only at the blocks that it has changed if a function has more than this number of blocks.
// Otherwise it starts again at the first block after each change of branches, which takes quadratic time.
constexpr const char *kHugeFunction = "cgpp-huge-func", *kBlocks = "64";

bool prepare_llvm() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const auto &options = llvm::cl::getRegisteredOptions();
  if (const auto huge = options.find(kHugeFunction); huge != options.end())
    huge->second->addOccurrence(0, kHugeFunction, kBlocks);
  return true;
}

}  // namespace

Result compile(const Source &given) {
  static const bool ready = prepare_llvm();
  (void)ready;
  std::string problem;
  Source source = given;
  source.code = parsable_assembly(given.code, true);
  Result result = compile_once(source, problem);
  if (is_stopped()) return {"", "", true, ""};
  if (problem.empty() || source.located) return result;
  Source again = source;  // with line tables, for messages with line numbers
  again.located = true;
  result = compile_once(again, problem);
  return is_stopped() ? Result{"", "", true, ""} : result;
}

std::string compiler_name() { return "Clang " CLANG_VERSION_STRING; }

}  // namespace gpuopt::jit

// plugins/jit/analysis/analyses.h -- LLVM's analysis managers, set up to run passes on one module.
//
// Optional passes are skipped once the compilation is cancelled (plugins/jit/analysis/stop.h).
#pragma once

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "plugins/jit/analysis/stop.h"

namespace gpuopt::jit {

struct Analyses {
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  explicit Analyses(llvm::TargetMachine &machine)
      : builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks) {
    callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef, const llvm::Any &) { return !is_stopped(); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

}  // namespace gpuopt::jit

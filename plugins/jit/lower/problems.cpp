// plugins/jit/lower/problems.cpp -- see problems.h.
#include "plugins/jit/lower/problems.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

namespace gpuopt::jit {
namespace {

using llvm::Function;
using llvm::Instruction;

// "k:3: ", or "" if the line is not known. The user's text has a name without a folder, unlike our headers.
std::string line_of(const Instruction &at) {
  for (const llvm::DILocation *line = at.getDebugLoc(); line; line = line->getInlinedAt()) {
    if (!line->getFilename().contains('/'))
      return line->getFilename().str() + ":" + std::to_string(line->getLine()) + ": ";
  }
  return "";
}

std::string message(const Instruction &at, const std::string &text) { return line_of(at) + "error: " + text + "\n"; }

// A text that begins with a capital letter.
std::string sentence(std::string text) {
  text[0] = llvm::toUpper(text[0]);
  return text;
}

// The first known place of those of the instructions that use a value.
std::string place_among(const llvm::Value &value, llvm::function_ref<bool(const Instruction &)> counts) {
  for (const llvm::User *user : value.users()) {
    const auto *const at = llvm::dyn_cast<Instruction>(user);
    if (!at || !counts(*at)) continue;
    if (std::string place = line_of(*at); !place.empty()) return place;
  }
  return "";
}

bool is_any(const Instruction &) { return true; }

// Where a function or variable without a definition is used, or else where it is declared. A use has no place if LLVM
// has merged it with others, or if it initializes a variable.
std::string place_of_use(const llvm::GlobalObject &value) {
  if (std::string place = place_among(value, is_any); !place.empty()) return place;
  const auto *const function = llvm::dyn_cast<Function>(&value);
  const llvm::Attribute declared =
      function ? function->getFnAttribute(kDeclared) : llvm::cast<llvm::GlobalVariable>(value).getAttribute(kDeclared);
  return declared.isValid() ? declared.getValueAsString().str() + ": " : "";
}

// Where the lifetime of a local variable begins, which is its declaration, or else where it is used.
std::string place_of_variable(const llvm::AllocaInst &variable) {
  const auto begins = [](const Instruction &at) {
    const auto *const call = llvm::dyn_cast<llvm::IntrinsicInst>(&at);
    return call && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start;
  };
  std::string place = place_among(variable, begins);
  return place.empty() ? place_among(variable, is_any) : place;
}

const Function *callee_of(const Instruction &instruction) {
  const auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call ? call->getCalledFunction() : nullptr;
}

// Whether the backend defines a function for all kernels (plugins/cpu/kernel/kernel_launch.cpp), or the compiler
// replaces it before it emits code.
bool is_provided(llvm::StringRef name) {
  static const std::set<llvm::StringRef> known = {
      "memcpy",    "memmove",   "memset",   "fma",     "fmaf", "__cxa_pure_virtual",
      "__udivti3", "__umodti3", "__divti3", "__modti3"};
  return name.starts_with("gpuopt_") || known.count(name);
}

}  // namespace

std::string name_of(const llvm::GlobalValue &value) {
  std::string name = llvm::demangle(value.getName().str());
  name = name.substr(0, name.find('('));
  for (const std::string outer : {"gpuopt_kernel::", "gpuopt_text::"})  // the namespaces that enclose the author's text
    if (name.compare(0, outer.size(), outer) == 0) name.erase(0, outer.size());
  return name;
}

std::string assembly_problem(const Instruction &statement, const std::string &code, const std::string &problem) {
  return message(statement, "asm(\"" + code + "\"): " + problem + ". " + sentence(kNoAssembly));
}

std::string wrong_launch(const Instruction &at) {
  return message(at,
                 "what is launched here is no kernel. On the CPU, <<<>>> launches a __global__ void function that "
                 "is named there; it cannot launch one through a pointer");
}

std::string undefined_in(const llvm::Module &module) {
  std::string all;
  const auto report = [&](const llvm::GlobalObject &value, const char *kind) {
    if (value.use_empty()) return;
    all += place_of_use(value) + "error: " + kind + " " + name_of(value) +
           " is declared but not defined. A kernel is compiled and linked by itself: define the function or variable "
           "in its text, or use one of the functions of math.h that gpuopt provides\n";
  };
  for (const Function &function : module) {
    if (function.isDeclaration() && !function.isIntrinsic() && !is_provided(function.getName()))
      report(function, "the function");
  }
  for (const llvm::GlobalVariable &variable : module.globals()) {
    if (variable.isDeclaration() && !is_provided(variable.getName())) report(variable, "the variable");
  }
  return all;
}

std::string local_memory_of(const Function &function) {
  uint64_t bytes = 0, most = 0;
  const llvm::AllocaInst *largest = nullptr;
  for (const Instruction &instruction : llvm::instructions(function)) {
    const auto *const variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable) continue;
    const auto size = variable->getAllocationSize(function.getDataLayout());
    if (!size || size->isScalable()) continue;
    bytes += size->getFixedValue();
    if (size->getFixedValue() > most) largest = variable;
    most = std::max<uint64_t>(most, size->getFixedValue());
  }
  if (bytes <= kMaxLocalBytes) return "";
  const std::string name = largest->getName().split('.').first.str();  // inlining adds to it
  return place_of_variable(*largest) + "error: the local variables of a thread take " + std::to_string(bytes) +
         " bytes, of which " + (name.empty() ? "the largest one" : name) + " takes " + std::to_string(most) +
         ". A thread may have " + std::to_string(kMaxLocalBytes) +
         ", as on GPUs. Pass an array to the kernel and use that instead\n";
}

std::string not_inlined(const Instruction &call, const std::string &why) {
  const Function *const callee = callee_of(call);
  return message(call, "the call of " + (callee ? name_of(*callee) : std::string("a function")) +
                           " cannot be inlined into the kernel, which the CPU requires: " + why);
}

}  // namespace gpuopt::jit

// plugins/jit/lower/check.cpp -- see check.h.
#include "plugins/jit/lower/check.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <algorithm>
#include <map>
#include <set>

#include "plugins/jit/analysis/analyses.h"
#include "plugins/jit/analysis/fields.h"
#include "plugins/jit/api/jit.h"
#include "plugins/jit/lower/fission.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

// A line of the user's text, and the function of ours that it calls there.
struct Place {
  bool known = false;
  unsigned line = 0;
  std::string operation;
};

// Whether a location is in the user's text, which has a name without a folder, unlike our headers.
bool is_users(const llvm::DILocation &location) {
  return !location.getFilename().contains('/') &&
         location.getScope()->getSubprogram()->getName() != "gpuopt_run_thread";
}

Place place_of(const Instruction &instruction) {
  llvm::StringRef operation;
  for (const llvm::DILocation *at = instruction.getDebugLoc(); at; at = at->getInlinedAt()) {
    if (is_users(*at)) return {true, at->getLine(), operation.split('<').first.str()};
    operation = at->getScope()->getSubprogram()->getName();
  }
  return {};
}

// ---- Before functions are inlined ----

bool is_users(const llvm::Function &function) {
  const llvm::DISubprogram *const program = function.getSubprogram();
  return program && !program->getFilename().contains('/') && function.getName() != "gpuopt_run_thread" &&
         function.getName() != "gpuopt_run_block";
}

template <class Visit>
void for_callees(llvm::Function &function, Visit visit) {
  for (Instruction &instruction : llvm::instructions(function)) {
    const auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (llvm::Function *const callee = call ? call->getCalledFunction() : nullptr) visit(*callee);
  }
}

using Waiting = std::map<const llvm::Function *, bool>;

// Whether a function waits for other threads, itself or in a function that it calls. Functions that call
// themselves cannot wait.
bool waits(llvm::Function &function, Waiting &known) {
  if (function.getName() == kSuspend) return true;
  const auto [place, fresh] = known.emplace(&function, false);
  if (!fresh) return place->second;
  bool any = false;
  for_callees(function, [&](llvm::Function &callee) { any |= waits(callee, known); });
  return known[&function] = any;
}

llvm::Function *kernel_of(llvm::Function &function) {
  llvm::Function *found = nullptr;
  for_callees(function, [&](llvm::Function &callee) {
    if (!found) found = is_users(callee) ? &callee : callee.isDeclaration() ? nullptr : kernel_of(callee);
  });
  return found;
}

using Lines = std::set<std::pair<unsigned, unsigned>>;

Lines returns_of(const llvm::Module &module) {
  Lines all;
  const llvm::NamedMDNode *const list = module.getNamedMetadata(kReturns);
  if (!list) return all;
  for (const llvm::MDNode *place : list->operands()) {
    const auto number = [&](unsigned k) {
      return static_cast<unsigned>(llvm::mdconst::extract<llvm::ConstantInt>(place->getOperand(k))->getZExtValue());
    };
    all.emplace(number(0), number(1));
  }
  return all;
}

void mark_returns(llvm::Function &function, const Lines &returns) {
  for (BasicBlock &block : function) {
    auto *const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || branch->isConditional() || !branch->getDebugLoc()) continue;
    if (!returns.count({branch->getDebugLoc().getLine(), branch->getDebugLoc().getCol()})) continue;
    IRBuilder<> builder(branch);
    builder.CreateCall(function.getParent()->getOrInsertFunction(kReturned, builder.getVoidTy()));
  }
}

// The name that the author wrote: "tile" for _ZZ7reverseE4tile.
std::string short_name(const std::string &symbol) {
  const std::string full = llvm::demangle(symbol);
  const size_t colons = full.rfind("::");
  return colons == std::string::npos ? full : full.substr(colons + 2);
}

// What an address points into.
struct Origin {
  bool own = true;                  // memory that no other thread sees
  bool shared = false;              // __shared__ variables and nothing else
  const Value *variable = nullptr;  // the variable or argument, if it is one only and known; else NULL
};

// Instruments one function.
class Checks {
 public:
  Checks(llvm::Function &thread, const std::vector<SharedVariable> &shared, const std::vector<std::string> &parameters)
      : thread_(thread),
        module_(*thread.getParent()),
        context_(thread.getContext()),
        shared_(shared),
        parameters_(parameters) {}

  void run() {
    std::vector<Instruction *> all;
    for (Instruction &instruction : llvm::instructions(thread_)) all.push_back(&instruction);
    for (Instruction *instruction : all) instrument(*instruction);
  }

 private:
  void instrument(Instruction &at) {
    const llvm::DataLayout &layout = module_.getDataLayout();
    const auto bytes_of = [&](llvm::Type *type) {
      return IRBuilder<>(context_).getInt64(layout.getTypeStoreSize(type));
    };
    if (auto *const load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
      if (is_other_lane(*load)) return read_lane(*load);
      access(at, GPUOPT_SITE_READ | strength(*load), load->getPointerOperand(), bytes_of(load->getType()));
    } else if (auto *const store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
      access(at, GPUOPT_SITE_WRITE | strength(*store), store->getPointerOperand(),
             bytes_of(store->getValueOperand()->getType()), store->getValueOperand());
    } else if (auto *const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&at)) {
      access(at, kUpdate, update->getPointerOperand(), bytes_of(update->getType()));
    } else if (auto *const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at)) {
      access(at, kUpdate, exchange->getPointerOperand(), bytes_of(exchange->getNewValOperand()->getType()));
    } else if (auto *const copy = llvm::dyn_cast<llvm::MemTransferInst>(&at)) {
      access(at, GPUOPT_SITE_READ, copy->getRawSource(), copy->getLength());
      access(at, GPUOPT_SITE_WRITE, copy->getRawDest(), copy->getLength(), copy->getRawSource());
    } else if (auto *const set = llvm::dyn_cast<llvm::MemSetInst>(&at)) {
      access(at, GPUOPT_SITE_WRITE, set->getRawDest(), set->getLength());
    } else if (llvm::isa<llvm::FenceInst>(at)) {
      call_host(at, {GPUOPT_SITE_FENCE, ""}, place_of(at), nullptr, nullptr, nullptr);
    } else if (is_wait(at)) {
      const Place place = place_of(at);
      call_host(at, {GPUOPT_SITE_WAIT, place.operation}, place, nullptr, nullptr, nullptr);
    } else if (is_call_of(at, kReturned)) {
      call_host(at, {GPUOPT_SITE_RETURN, ""}, place_of(at), nullptr, nullptr, nullptr);
      at.eraseFromParent();
    }
  }

  template <class Access>
  static int strength(const Access &access) {
    if (access.isAtomic()) return GPUOPT_SITE_STRONG;
    return access.isVolatile() ? GPUOPT_SITE_STRONG | GPUOPT_SITE_VOLATILE : 0;
  }

  // Whether a shuffle reads the value of another lane. Votes and reductions test by themselves whether a lane exists.
  static bool is_other_lane(const llvm::LoadInst &load) {
    return is_exchange_slot(*load.getPointerOperand()) && place_of(load).operation.compare(0, 6, "__shfl") == 0;
  }
  void read_lane(llvm::LoadInst &load) {
    const Place place = place_of(load);
    call_host(load, {GPUOPT_SITE_READ | GPUOPT_SITE_LANE, place.operation}, place, load.getPointerOperand(), nullptr,
              nullptr);
  }

  static constexpr int kUpdate = GPUOPT_SITE_READ | GPUOPT_SITE_WRITE | GPUOPT_SITE_STRONG;

  static bool is_wait(const Instruction &instruction) {
    const auto *const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == kSuspend;
  }

  struct Site {
    int kind;
    std::string name;  // as in gpuopt_check_site
    uint64_t begin = 0, bytes = 0;
  };

  void access(Instruction &at, int kind, Value *address, Value *bytes, Value *value = nullptr) {
    const Origin origin = origin_of(address);
    const Place place = place_of(at);
    if (!place.known) return;
    if (origin.own) return local_access(at, kind, address, bytes, origin, place);
    Site site{kind, ""};
    if (const int number = argument_number(origin.variable); number >= 0) {
      site = {kind | GPUOPT_SITE_ARGUMENT, parameter_name(number), static_cast<uint64_t>(number), 0};
    } else if (origin.variable && is_shared_variable(*origin.variable)) {
      const SharedVariable &variable = shared_variable(*origin.variable);
      site = {kind, short_name(variable.symbol), variable.offset, variable.bytes};
    } else if (origin.shared) {
      site.bytes = GPUOPT_SITE_ANY_SHARED;
    } else if (origin.variable && llvm::isa<llvm::GlobalVariable>(origin.variable)) {
      site.name = short_name(origin.variable->getName().str());
    }
    call_host(at, site, place, address, bytes, value);
  }

  // An access to a local variable, which needs no check if it is known to be within its bounds.
  void local_access(Instruction &at, int kind, Value *address, Value *bytes, const Origin &origin, const Place &place) {
    const auto *const variable = llvm::dyn_cast_or_null<llvm::AllocaInst>(origin.variable);
    const auto size = variable ? variable->getAllocationSize(module_.getDataLayout()) : std::nullopt;
    if (!size || size->isScalable()) return;
    llvm::APInt offset(64, 0);
    const Value *const base = address->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true);
    const auto *const count = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    const uint64_t all = size->getFixedValue();
    if (base == variable && count && offset.ule(all) && count->getZExtValue() <= all - offset.getZExtValue()) return;
    Site site{kind | GPUOPT_SITE_LOCAL, variable->getName().split('.').first.str(), 0, all};
    call_host(at, site, place, address, bytes, nullptr, const_cast<llvm::AllocaInst *>(variable));
  }

  // The number of the kernel's argument that a pointer is, which is loaded as *(T *)arguments[number]; -1 if it is
  // none.
  int argument_number(const Value *value) const {
    const auto *const pointer = llvm::dyn_cast_or_null<llvm::LoadInst>(value);
    const auto *const slot = pointer ? llvm::dyn_cast<llvm::LoadInst>(pointer->getPointerOperand()) : nullptr;
    if (!slot) return -1;
    llvm::APInt offset(64, 0);
    const Value *const list =
        slot->getPointerOperand()->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true);
    return list == thread_.getArg(0) ? static_cast<int>(offset.getZExtValue() / sizeof(void *)) : -1;
  }
  std::string parameter_name(int number) const {
    const auto k = static_cast<size_t>(number);
    return k < parameters_.size() && !parameters_[k].empty() ? parameters_[k] : "argument " + std::to_string(number);
  }

  const SharedVariable &shared_variable(const Value &call) const {
    const uint64_t offset =
        llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::CallInst>(call).getArgOperand(1))->getZExtValue();
    return *std::find_if(shared_.begin(), shared_.end(), [&](const SharedVariable &v) { return v.offset == offset; });
  }

  Origin origin_of(Value *address) const {
    llvm::SmallSetVector<Value *, 8> parts;
    std::vector<const Value *> bases;
    parts.insert(address);
    for (size_t k = 0; k < parts.size(); k++) {
      Value *const part = parts[k];
      if (auto *const step = llvm::dyn_cast<llvm::GEPOperator>(part)) {
        parts.insert(step->getPointerOperand());
      } else if (auto *const phi = llvm::dyn_cast<llvm::PHINode>(part)) {
        for (Value *each : phi->incoming_values()) parts.insert(each);
      } else if (auto *const select = llvm::dyn_cast<llvm::SelectInst>(part)) {
        parts.insert(select->getTrueValue());
        parts.insert(select->getFalseValue());
      } else {
        bases.push_back(part);
      }
    }
    const bool own = std::all_of(bases.begin(), bases.end(), [](const Value *base) { return is_own(*base); });
    const bool shared =
        std::all_of(bases.begin(), bases.end(), [](const Value *base) { return is_shared_variable(*base); });
    return {own, shared, bases.size() == 1 ? bases[0] : nullptr};
  }

  // Whether an address is that of a local variable, of the gpo::Thread or an exchange slot of it, or of a constant.
  static bool is_own(const Value &base) {
    const auto *const variable = llvm::dyn_cast<llvm::GlobalVariable>(&base);
    return llvm::isa<llvm::AllocaInst>(base) || llvm::isa<llvm::Argument>(base) || is_exchange_slot(base) ||
           (variable && variable->isConstant()) || llvm::isa<llvm::UndefValue>(base);
  }

  // Inserts `if (gpuopt_check(thread, address, bytes, value, site)) stop` before an instruction. The value is passed by
  // its address; if `base` is given, that is passed instead.
  void call_host(Instruction &at, const Site &site, const Place &place, Value *address, Value *bytes, Value *value,
                 Value *base = nullptr) {
    IRBuilder<> builder(&at);
    builder.SetCurrentDebugLocation({});
    llvm::PointerType *const pointer = builder.getPtrTy();
    Value *const none = llvm::ConstantPointerNull::get(pointer);
    llvm::FunctionCallee check = module_.getOrInsertFunction("gpuopt_check", builder.getInt32Ty(), pointer, pointer,
                                                             builder.getInt64Ty(), pointer, pointer);
    llvm::cast<llvm::Function>(check.getCallee())->setDoesNotThrow();
    Value *const answer =
        builder.CreateCall(check, {thread_.getArg(1), address ? address : none,
                                   bytes ? builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty()) : builder.getInt64(0),
                                   base    ? base
                                   : value ? in_memory(builder, *value)
                                           : none,
                                   constant(site, place)});
    Value *const stops = builder.CreateICmpNE(answer, builder.getInt32(0));
    BasicBlock *const before = at.getParent(), *const after = before->splitBasicBlock(&at);
    before->getTerminator()->eraseFromParent();
    IRBuilder<>(before).CreateCondBr(stops, stop(), after);
  }

  // A constant gpuopt_check_site.
  Value *constant(const Site &site, const Place &place) {
    IRBuilder<> builder(context_);
    llvm::Constant *&name = names_[site.name];
    if (!name) {
      auto *const text = llvm::ConstantDataArray::getString(context_, site.name);
      name = new_constant(text);
    }
    auto *const value =
        llvm::ConstantStruct::getAnon({builder.getInt32(static_cast<uint32_t>(site.kind)), builder.getInt32(place.line),
                                       name, builder.getInt64(site.begin), builder.getInt64(site.bytes)});
    return new_constant(value);
  }

  // The variable is not made by `new`: where sanitizers keep GCC from inlining LLVM's operators new and delete, GCC
  // warns that they do not match.
  llvm::GlobalVariable *new_constant(llvm::Constant *value) {
    const std::string name = "gpuopt_check." + std::to_string(constants_++);
    auto *const made = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(name, value->getType()));
    made->setInitializer(value);
    made->setConstant(true);
    made->setLinkage(llvm::GlobalValue::PrivateLinkage);
    return made;
  }

  // The address of the value that is written. That of a copy is its source; a store's value is written to memory first.
  Value *in_memory(IRBuilder<> &builder, Value &value) {
    if (value.getType()->isPointerTy() && !llvm::isa<llvm::StoreInst>(*builder.GetInsertPoint())) return &value;
    Value *&place = places_[value.getType()];
    if (!place) place = IRBuilder<>(&*thread_.getEntryBlock().getFirstInsertionPt()).CreateAlloca(value.getType());
    builder.CreateStore(&value, place);
    return place;
  }

  BasicBlock *stop() {
    if (stop_) return stop_;
    stop_ = BasicBlock::Create(context_, "stop", &thread_);
    IRBuilder<> builder(stop_);
    builder.CreateCall(module_.getOrInsertFunction(kSuspend, builder.getVoidTy()));
    builder.CreateBr(stop_);
    return stop_;
  }

  llvm::Function &thread_;
  llvm::Module &module_;
  llvm::LLVMContext &context_;
  const std::vector<SharedVariable> &shared_;
  const std::vector<std::string> &parameters_;
  std::map<std::string, llvm::Constant *> names_;
  size_t constants_ = 0;
  std::map<llvm::Type *, Value *> places_;  // by type, where values are while the host looks at them
  BasicBlock *stop_ = nullptr;
};

}  // namespace

std::vector<std::string> prepare_checks(llvm::Function &thread) {
  llvm::Module &module = *thread.getParent();
  llvm::Function *const kernel = kernel_of(thread);
  const Lines returns = returns_of(module);
  Waiting known;
  for (llvm::Function &function : module) {
    if (&function == kernel || (is_users(function) && !function.isDeclaration() && waits(function, known)))
      mark_returns(function, returns);
  }
  if (llvm::NamedMDNode *const list = module.getNamedMetadata(kReturns)) module.eraseNamedMetadata(list);
  std::vector<std::string> names;
  if (!kernel) return names;
  for (const llvm::Argument &argument : kernel->args()) names.push_back(argument.getName().str());
  return names;
}

void add_checks(llvm::Function &thread, llvm::TargetMachine &machine, const std::vector<SharedVariable> &shared,
                const std::vector<std::string> &parameters) {
  Analyses analyses(machine);
  llvm::SROAPass promote(llvm::SROAOptions::PreserveCFG);  // accesses to promoted variables need no check
  promote.run(thread, analyses.functions);
  Checks(thread, shared, parameters).run();
  llvm::StripDebugInfo(*thread.getParent());
}

}  // namespace gpuopt::jit

// plugins/jit/check.cpp -- see check.h.
#include "plugins/jit/check.h"

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

#include "plugins/jit/analyses.h"
#include "plugins/jit/fields.h"
#include "plugins/jit/fission.h"
#include "plugins/jit/jit.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

// Where in the user's text, and in which of our functions that it called there.
struct Place {
  bool known = false;
  unsigned line = 0;
  std::string operation;
};

// The headers are files in folders; the user's text has a name.
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

// "tile" of _ZZ7reverseE4tile
std::string short_name(const std::string &symbol) {
  const std::string full = llvm::demangle(symbol);
  const size_t colons = full.rfind("::");
  return colons == std::string::npos ? full : full.substr(colons + 2);
}

// What an address is made of.
struct Origin {
  bool own = true;                  // nothing that other threads see
  bool shared = false;              // __shared__ variables alone
  const Value *variable = nullptr;  // the one thing it is in; NULL if that is not known
};

class Checks {
 public:
  Checks(llvm::Function &thread, const std::vector<SharedVariable> &shared)
      : thread_(thread), module_(*thread.getParent()), context_(thread.getContext()), shared_(shared) {}

  void run() {
    std::vector<Instruction *> all;
    for (Instruction &instruction : llvm::instructions(thread_)) all.push_back(&instruction);
    for (Instruction *instruction : all) add(*instruction);
  }

 private:
  void add(Instruction &at) {
    const llvm::DataLayout &layout = module_.getDataLayout();
    const auto bytes_of = [&](llvm::Type *type) {
      return IRBuilder<>(context_).getInt64(layout.getTypeStoreSize(type));
    };
    if (auto *const load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
      const int strong = load->isAtomic() || load->isVolatile() ? GPUOPT_SITE_STRONG : 0;
      access(at, GPUOPT_SITE_READ | strong, load->getPointerOperand(), bytes_of(load->getType()));
    } else if (auto *const store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
      const int strong = store->isAtomic() || store->isVolatile() ? GPUOPT_SITE_STRONG : 0;
      access(at, GPUOPT_SITE_WRITE | strong, store->getPointerOperand(), bytes_of(store->getValueOperand()->getType()),
             store->getValueOperand());
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
      ask(at, {GPUOPT_SITE_FENCE, ""}, place_of(at), nullptr, nullptr, nullptr);
    } else if (is_wait(at)) {
      const Place place = place_of(at);
      ask(at, {GPUOPT_SITE_WAIT, place.operation}, place, nullptr, nullptr, nullptr);
    }
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
    if (origin.own || !place.known) return;
    Site site{kind, ""};
    if (origin.variable && is_shared_variable(*origin.variable)) {
      const SharedVariable &variable = shared_variable(*origin.variable);
      site = {kind, short_name(variable.symbol), variable.offset, variable.bytes};
    } else if (origin.shared) {
      site.bytes = GPUOPT_SITE_ANY_SHARED;
    } else if (origin.variable && llvm::isa<llvm::GlobalVariable>(origin.variable)) {
      site.name = short_name(origin.variable->getName().str());
    }
    ask(at, site, place, address, bytes, value);
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

  // Local variables, the thread itself and what its warp exchanges, constants.
  static bool is_own(const Value &base) {
    const auto *const variable = llvm::dyn_cast<llvm::GlobalVariable>(&base);
    return llvm::isa<llvm::AllocaInst>(base) || llvm::isa<llvm::Argument>(base) || is_slot(base) ||
           (variable && variable->isConstant()) || llvm::isa<llvm::UndefValue>(base);
  }

  // if (gpuopt_check(thread, address, bytes, value, site)) stop
  void ask(Instruction &at, const Site &site, const Place &place, Value *address, Value *bytes, Value *value) {
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
                                   value ? in_memory(builder, *value) : none, constant(site, place)});
    Value *const stops = builder.CreateICmpNE(answer, builder.getInt32(0));
    BasicBlock *const before = at.getParent(), *const after = before->splitBasicBlock(&at);
    before->getTerminator()->eraseFromParent();
    IRBuilder<>(before).CreateCondBr(stops, stop(), after);
  }

  // gpuopt_check_site
  Value *constant(const Site &site, const Place &place) {
    IRBuilder<> builder(context_);
    llvm::Constant *&name = names_[site.name];
    if (!name) {
      auto *const text = llvm::ConstantDataArray::getString(context_, site.name);
      name = kept(text);
    }
    auto *const value =
        llvm::ConstantStruct::getAnon({builder.getInt32(static_cast<uint32_t>(site.kind)), builder.getInt32(place.line),
                                       name, builder.getInt64(site.begin), builder.getInt64(site.bytes)});
    return kept(value);
  }

  // Not made by new itself: GCC takes LLVM's operators for mismatched where sanitizers keep it from inlining them.
  llvm::GlobalVariable *kept(llvm::Constant *value) {
    const std::string name = "gpuopt_check." + std::to_string(kept_++);
    auto *const made = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(name, value->getType()));
    made->setInitializer(value);
    made->setConstant(true);
    made->setLinkage(llvm::GlobalValue::PrivateLinkage);
    return made;
  }

  // A copy gives its source; of a store, the value is put where the host can see it.
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
  std::map<std::string, llvm::Constant *> names_;
  size_t kept_ = 0;
  std::map<llvm::Type *, Value *> places_;  // where values lie while the host looks at them
  BasicBlock *stop_ = nullptr;
};

}  // namespace

void add_checks(llvm::Function &thread, llvm::TargetMachine &machine, const std::vector<SharedVariable> &shared) {
  Analyses analyses(machine);
  llvm::SROAPass promote(llvm::SROAOptions::PreserveCFG);  // variables that are values need no looking at
  promote.run(thread, analyses.functions);
  Checks(thread, shared).run();
  llvm::StripDebugInfo(*thread.getParent());
}

}  // namespace gpuopt::jit

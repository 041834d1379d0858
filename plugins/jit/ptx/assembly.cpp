// plugins/jit/ptx/assembly.cpp -- see assembly.h.
#include "plugins/jit/ptx/assembly.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "plugins/jit/lower/problems.h"
#include "plugins/jit/ptx/ptx_text.h"

namespace gpuopt::jit {
namespace {

using llvm::AllocaInst;
using llvm::AtomicOrdering;
using llvm::CallInst;
using llvm::Function;
using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;

using Parts = llvm::SmallVector<StringRef, 8>;  // of an opcode

Parts parts_of(StringRef opcode) {
  Parts parts;
  opcode.split(parts, '.');
  return parts;
}

bool is_any_of(StringRef text, std::initializer_list<const char *> list) {
  return std::any_of(list.begin(), list.end(), [&](const char *one) { return text == one; });
}

// The spaces of addresses, of which the host has one.
bool is_space(StringRef part) {
  return is_any_of(part, {"global", "local", "const"}) || part == "shared" || part.starts_with("shared::");
}
bool is_scope(StringRef part) { return is_any_of(part, {"cta", "cluster", "gpu", "sys", "gl"}); }
// How a cache is used, which the host's decides by itself.
bool is_cache(StringRef part) {
  return is_any_of(part, {"ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt"}) || part.starts_with("L1::") ||
         part.starts_with("L2::");
}

// A type of PTX, such as "s32"; `type` is NULL for others.
struct Typed {
  Type *type = nullptr;
  bool is_signed = false;
};
Typed type_named(StringRef name, llvm::LLVMContext &context) {
  if (name == "pred") return {Type::getInt1Ty(context), false};
  if (name == "f32") return {Type::getFloatTy(context), false};
  if (name == "f64") return {Type::getDoubleTy(context), false};
  unsigned bits = 0;
  if (name.empty() || !StringRef("bsu").contains(name[0]) || name.substr(1).getAsInteger(10, bits)) return {};
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return {};
  return {Type::getIntNTy(context, bits), name[0] == 's'};
}

// What a load or store is besides its type.
struct Access {
  Typed of;
  unsigned count = 1;  // of the elements of a vector
  bool is_volatile = false;
  AtomicOrdering order = AtomicOrdering::NotAtomic;
};

// The access of "ld.global.nc.v2.f32", or nothing.
std::optional<Access> access_of(const Parts &parts, llvm::LLVMContext &context) {
  Access access;
  for (const StringRef part : llvm::ArrayRef(parts).drop_front().drop_back()) {
    if (part == "v2" || part == "v4") {
      access.count = part == "v2" ? 2 : 4;
    } else if (part == "volatile") {
      access.is_volatile = true;
    } else if (part == "relaxed") {
      access.order = AtomicOrdering::Monotonic;
    } else if (part == "acquire") {
      access.order = AtomicOrdering::Acquire;
    } else if (part == "release") {
      access.order = AtomicOrdering::Release;
    } else if (part != "weak" && !is_space(part) && !is_scope(part) && !is_cache(part)) {
      return std::nullopt;
    }
  }
  access.of = type_named(parts.back(), context);
  if (!access.of.type || access.of.type->isIntegerTy(1)) return std::nullopt;
  return access;
}

// Translates one asm statement.
class Statement {
 public:
  Statement(CallInst &call, const llvm::InlineAsm &code)
      : call_(call),
        code_(code),
        module_(*call.getModule()),
        build_(&call),
        text_(parse_ptx(std::string(code.getAsmString()))) {}

  // Replaces the statement; or returns why it cannot, and may have added code in front of it.
  std::string translate() {
    problem_ = text_.problem;
    if (problem_.empty()) find_operands();
    if (problem_.empty()) declare_registers();
    if (problem_.empty()) declare_labels();
    for (const PtxInstruction &one : text_.instructions) {
      if (!problem_.empty()) return problem_;
      guarded(one);
    }
    if (problem_.empty()) replace();
    return problem_;
  }

 private:
  // An operand of the statement: an input's value, or the variable that an output or register is kept in.
  struct Place {
    Value *value = nullptr;
    AllocaInst *variable = nullptr;
  };

  void fail(const llvm::Twine &problem) {
    if (problem_.empty()) problem_ = problem.str();
  }

  AllocaInst *new_variable(Type *type) {
    llvm::BasicBlock &entry = call_.getFunction()->getEntryBlock();
    IRBuilder<> build(&entry, entry.getFirstInsertionPt());
    AllocaInst *const variable = build.CreateAlloca(type);
    build_.CreateStore(llvm::Constant::getNullValue(type), variable);
    return variable;
  }

  // ---- Operands ----

  Type *type_of_output(unsigned number) const {
    Type *const all = call_.getType();
    return all->isStructTy() ? all->getStructElementType(number) : all;
  }

  void find_operands() {
    unsigned argument = 0;
    for (const llvm::InlineAsm::ConstraintInfo &info : code_.ParseConstraints()) {
      if (info.Type == llvm::InlineAsm::isClobber) continue;
      if (info.Type == llvm::InlineAsm::isLabel || info.isIndirect) return fail("it has an operand in memory");
      if (info.Type == llvm::InlineAsm::isOutput) {
        places_.push_back({nullptr, new_variable(type_of_output(outputs_++))});
        continue;
      }
      Value *const value = call_.getArgOperand(argument++);
      unsigned tied = 0;  // an operand that is written as "+r" is an output and an input of its number
      if (!info.Codes.empty() && !StringRef(info.Codes[0]).getAsInteger(10, tied) && tied < outputs_)
        write_to(places_[tied].variable, value, false);
      places_.push_back({value, nullptr});
    }
  }

  void declare_registers() {
    for (const PtxRegister &one : text_.registers) {
      Type *const type = type_named(one.type, module_.getContext()).type;
      if (!type) return fail("registers of type ." + one.type + " are GPUs' own");
      AllocaInst *&variable = registers_[one.name];
      if (variable && variable->getAllocatedType() != type) return fail("it declares " + one.name + " twice");
      if (!variable) variable = new_variable(type);
    }
  }

  // ---- Labels ----

  // Each label has a block of its own, which goes on to what stands behind the label.
  void declare_labels() {
    for (const PtxInstruction &one : text_.instructions) {
      if (one.label.empty()) continue;
      llvm::BasicBlock *&block = labels_[one.label];
      if (block) return fail("it has two labels " + one.label);
      block = llvm::BasicBlock::Create(module_.getContext(), "", call_.getFunction());
      new llvm::UnreachableInst(module_.getContext(), block);  // until the label is reached
    }
  }

  // Ends the block that instructions are added to. What follows is another one, which it does not go on to yet.
  std::pair<llvm::BasicBlock *, llvm::BasicBlock *> cut() {
    llvm::BasicBlock *const before = call_.getParent();
    llvm::BasicBlock *const behind = before->splitBasicBlock(&call_);
    before->getTerminator()->eraseFromParent();
    return {before, behind};
  }

  void label(const std::string &name) {
    llvm::BasicBlock *const own = labels_[name];
    const auto [before, behind] = cut();
    own->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(own, before);
    llvm::BranchInst::Create(behind, own);
    build_.SetInsertPoint(&call_);
  }

  // bra, and @p bra.
  void branch(const PtxInstruction &one) {
    const auto found = one.operands.size() == 1 ? labels_.find(one.operands[0].text) : labels_.end();
    if (found == labels_.end()) return fail("it branches to what is no label of it");
    Value *const holds = one.guard.empty() ? nullptr : read(one.guard.front(), build_.getInt1Ty());
    const auto [before, behind] = cut();
    if (holds) {
      llvm::BranchInst::Create(found->second, behind, holds, before);
    } else {
      llvm::BranchInst::Create(found->second, before);
    }
    build_.SetInsertPoint(&call_);
  }

  // The variable that an operand is kept in, NULL where it cannot be written.
  AllocaInst *variable_of(const PtxOperand &operand) {
    if (operand.kind == PtxOperand::kOfStatement && operand.number < places_.size())
      return places_[operand.number].variable;
    const auto found = registers_.find(operand.text);
    return operand.kind == PtxOperand::kRegister && found != registers_.end() ? found->second : nullptr;
  }

  // A value as one of another type of PTX, whose bits are the same as far as both have them.
  Value *as(Value *value, Type *to, bool is_signed) {
    Type *const from = value->getType();
    if (from == to) return value;
    if (from->isPointerTy()) return as(build_.CreatePtrToInt(value, build_.getInt64Ty()), to, is_signed);
    if (to->isPointerTy()) {
      if (from->getPrimitiveSizeInBits() != 64)
        fail("an address of 32 bits is that of a GPU's shared memory; pass one of 64 bits");
      return build_.CreateIntToPtr(as(value, build_.getInt64Ty(), false), to);
    }
    if (!from->isIntegerTy() && !from->isFloatingPointTy()) {
      fail("an operand is neither a number nor an address");
      return llvm::UndefValue::get(to);
    }
    if (from->isFloatingPointTy())
      return as(build_.CreateBitCast(value, build_.getIntNTy(unsigned(from->getPrimitiveSizeInBits()))), to, is_signed);
    if (to->isFloatingPointTy())
      return build_.CreateBitCast(as(value, build_.getIntNTy(unsigned(to->getPrimitiveSizeInBits())), false), to);
    if (to->isIntegerTy(1)) return build_.CreateICmpNE(value, llvm::Constant::getNullValue(from));
    return is_signed ? build_.CreateSExtOrTrunc(value, to) : build_.CreateZExtOrTrunc(value, to);
  }

  void write_to(AllocaInst *variable, Value *value, bool is_signed) {
    build_.CreateStore(as(value, variable->getAllocatedType(), is_signed), variable);
  }
  void write(const PtxOperand &to, Value *value, bool is_signed = false) {
    if (to.kind == PtxOperand::kRegister && to.text == "_") return;
    AllocaInst *const variable = variable_of(to);
    if (!variable) return fail("it writes to what is no output and no register of it");
    write_to(variable, value, is_signed);
  }

  Value *number(const PtxOperand &operand, Type *type) {
    const PtxNumber found = ptx_number(operand.text);
    double value = 0;
    std::memcpy(&value, &found.bits, sizeof value);
    if (!found.valid) fail(operand.text + " is no number of PTX");
    if (type->isPointerTy()) return as(build_.getInt64(found.bits), type, false);
    if (found.is_float) {
      Type *const wide = type->getPrimitiveSizeInBits() == 64 ? build_.getDoubleTy() : build_.getFloatTy();
      return as(llvm::ConstantFP::get(wide, value), type, false);
    }
    if (type->isFloatingPointTy()) fail("the number " + operand.text + " is no floating-point one");
    return as(build_.getInt64(found.bits), type, false);
  }

  Value *special(const PtxOperand &operand, Type *type) {
    Function *const function = function_named(operand.text);
    if (!function) {
      fail("the register " + operand.text + " is GPUs' own");
      return llvm::UndefValue::get(type);
    }
    return as(build_.CreateCall(function), type, false);
  }

  Value *read(const PtxOperand &operand, Type *type) {
    Value *value = nullptr;
    if (operand.kind == PtxOperand::kNumber) return number(operand, type);
    if (operand.kind == PtxOperand::kSpecial) return special(operand, type);
    if (operand.kind == PtxOperand::kAddress) return address(operand);
    if (operand.kind == PtxOperand::kRegister && operand.text == "WARP_SZ") return as(build_.getInt32(32), type, false);
    if (AllocaInst *const variable = variable_of(operand)) {
      value = build_.CreateLoad(variable->getAllocatedType(), variable);
    } else if (operand.kind == PtxOperand::kOfStatement && operand.number < places_.size()) {
      value = places_[operand.number].value;
    } else {
      fail(operand.text.empty() ? "it has no such operand" : operand.text + " is no register of it");
      return llvm::UndefValue::get(type);
    }
    value = as(value, type, false);
    return operand.negated ? build_.CreateNot(value) : value;
  }

  Value *address(const PtxOperand &operand) {
    Value *const base = read(operand.parts.front(), build_.getPtrTy());
    return operand.offset ? build_.CreatePtrAdd(base, build_.getInt64(uint64_t(operand.offset))) : base;
  }

  // ---- Instructions ----

  void guarded(const PtxInstruction &one) {
    if (!one.label.empty()) return label(one.label);
    if (one.opcode == "bra" || one.opcode == "bra.uni") return branch(one);
    if (one.guard.empty()) return instruction(one);
    if (StringRef(one.opcode).starts_with("bar")) return fail("its barrier is not for all threads");
    Value *const holds = read(one.guard.front(), build_.getInt1Ty());
    build_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(holds, &call_, false));
    instruction(one);
    build_.SetInsertPoint(&call_);
  }

  void instruction(const PtxInstruction &one) {
    const Parts parts = parts_of(one.opcode);
    const StringRef name = parts.front();
    const size_t count = one.operands.size();
    if (name == "mov" && count == 2 && parts.size() == 2) return move(one, parts);
    if (name == "cvta" && count == 2 && is_any_of(parts.back(), {"u64", "b64"})) return copy(one, build_.getInt64Ty());
    if (name == "cvt" && count == 2 && parts.size() == 3 && convert(one, parts)) return;
    if (name == "selp" && count == 4) return select(one, parts);
    if ((name == "ld" || name == "ldu") && count == 2) return load(one, parts);
    if (name == "st" && count == 2) return store(one, parts);
    if (name == "prefetch" || name == "prefetchu") return;
    call(one, parts);
  }

  void unknown(const PtxInstruction &one) { fail("the CPU has no instruction " + one.opcode); }

  void copy(const PtxInstruction &one, Type *type) { write(one.operands[0], read(one.operands[1], type)); }

  // mov, which also makes one number of several and the other way round.
  void move(const PtxInstruction &one, const Parts &parts) {
    Type *const type = type_named(parts[1], module_.getContext()).type;
    if (!type) return unknown(one);
    const PtxOperand &to = one.operands[0], &from = one.operands[1];
    if (to.kind != PtxOperand::kGroup && from.kind != PtxOperand::kGroup) return copy(one, type);
    const PtxOperand &group = to.kind == PtxOperand::kGroup ? to : from;
    const auto count = unsigned(group.parts.size()), bits = unsigned(type->getPrimitiveSizeInBits());
    if (&group == &to && from.kind == PtxOperand::kGroup) return unknown(one);
    if (bits % count || !type_named("b" + std::to_string(bits / count), module_.getContext()).type) return unknown(one);
    Type *const whole = build_.getIntNTy(bits), *const part = build_.getIntNTy(bits / count);
    Value *all = &group == &to ? read(from, whole) : build_.getIntN(bits, 0);
    for (unsigned k = 0; k < count; k++) {
      const unsigned shift = k * (bits / count);
      if (&group == &to) {
        write(to.parts[k], build_.CreateTrunc(build_.CreateLShr(all, shift), part));
      } else {
        all = build_.CreateOr(all, build_.CreateShl(build_.CreateZExt(read(from.parts[k], part), whole), shift));
      }
    }
    if (&group == &from) write(to, all);
  }

  // cvt of integers. Those of floats are functions.
  bool convert(const PtxInstruction &one, const Parts &parts) {
    const Typed to = type_named(parts[1], module_.getContext()), from = type_named(parts[2], module_.getContext());
    if (!to.type || !from.type || !to.type->isIntegerTy() || !from.type->isIntegerTy()) return false;
    write(one.operands[0], as(read(one.operands[1], from.type), to.type, from.is_signed), to.is_signed);
    return true;
  }

  void select(const PtxInstruction &one, const Parts &parts) {
    Type *const type = parts.size() == 2 ? type_named(parts[1], module_.getContext()).type : nullptr;
    if (!type) return unknown(one);
    Value *const holds = read(one.operands[3], build_.getInt1Ty());
    Value *const first = read(one.operands[1], type), *const second = read(one.operands[2], type);
    write(one.operands[0], build_.CreateSelect(holds, first, second));
  }

  // The operands of a load or store: one, or those of a group.
  static std::vector<PtxOperand> elements_of(const PtxOperand &operand) {
    return operand.kind == PtxOperand::kGroup ? operand.parts : std::vector<PtxOperand>{operand};
  }

  void load(const PtxInstruction &one, const Parts &parts) { access(one, parts, one.operands[0], one.operands[1]); }
  void store(const PtxInstruction &one, const Parts &parts) { access(one, parts, one.operands[1], one.operands[0]); }

  void access(const PtxInstruction &one, const Parts &parts, const PtxOperand &values, const PtxOperand &where) {
    const std::optional<Access> access = access_of(parts, module_.getContext());
    const std::vector<PtxOperand> elements = elements_of(values);
    if (!access || where.kind != PtxOperand::kAddress || elements.size() != access->count) return unknown(one);
    const auto bytes = unsigned(access->of.type->getPrimitiveSizeInBits() / 8);
    Value *const begin = address(where);
    for (unsigned k = 0; k < access->count; k++) {
      Value *const at = k ? build_.CreatePtrAdd(begin, build_.getInt64(k * bytes)) : begin;
      if (parts.front() == "st") {
        llvm::StoreInst *const store =
            build_.CreateAlignedStore(read(elements[k], access->of.type), at, llvm::Align(bytes), access->is_volatile);
        store->setOrdering(access->order);
      } else {
        llvm::LoadInst *const load =
            build_.CreateAlignedLoad(access->of.type, at, llvm::Align(bytes), access->is_volatile);
        load->setOrdering(access->order);
        write(elements[k], load, access->of.is_signed);
      }
    }
  }

  // ---- Instructions that are functions ----

  Function *function_named(const std::string &name) const {
    if (Function *const function = module_.getFunction("ptx." + name)) return function;
    return module_.getFunction("\1ptx." + name);
  }

  // The function's name of an instruction: atomics and fences without space and scope, as all have the widest.
  static std::string name_of_function(const Parts &parts) {
    const bool atomic = is_any_of(parts.front(), {"atom", "red", "fence", "membar"});
    std::string name = parts.front().str();
    for (const StringRef part : llvm::ArrayRef(parts).drop_front()) {
      if (atomic && (is_space(part) || is_scope(part) || is_order(part))) continue;
      name += "." + part.str();
    }
    return name;
  }
  static bool is_order(StringRef part) { return is_any_of(part, {"relaxed", "acquire", "release", "acq_rel", "sc"}); }

  void call(const PtxInstruction &one, const Parts &parts) {
    Function *const function = function_named(name_of_function(parts));
    if (!function) return unknown(one);
    const bool returns = !function->getReturnType()->isVoidTy();
    const size_t first = returns ? 1 : 0, count = one.operands.size();
    const bool carries = function->arg_size() + first == count + 1;  // its last parameter is the carry
    if (function->arg_size() + first != count + (carries ? 1 : 0) || (returns && count == 0)) return unknown(one);
    const bool of_warp = parts.size() > 1 && parts[1] == "warp";
    if (parts.front().starts_with("bar") && !of_warp && one.operands[0].text != "0")
      return fail("it waits at a barrier other than 0");
    std::vector<Value *> arguments;
    for (size_t k = first; k < count; k++)
      arguments.push_back(read(one.operands[k], function->getFunctionType()->getParamType(unsigned(k - first))));
    if (carries) arguments.push_back(carry(one, parts));
    const bool ordered = parts.front() == "atom" || parts.front() == "red"
                             ? llvm::any_of(parts, [](StringRef p) { return is_order(p) && p != "relaxed"; })
                             : false;
    if (ordered) build_.CreateFence(AtomicOrdering::SequentiallyConsistent);
    Value *const result = build_.CreateCall(function, arguments);
    if (ordered) build_.CreateFence(AtomicOrdering::SequentiallyConsistent);
    if (returns && problem_.empty()) write(one.operands[0], result, parts.back().starts_with("s"));
  }

  // The address of the carry, which an instruction of the same statement has to set before one reads it.
  Value *carry(const PtxInstruction &one, const Parts &parts) {
    const bool reads = parts.front().ends_with("c");
    if (reads && !carry_) fail(one.opcode + " takes the carry of another asm statement");
    if (!carry_) carry_ = new_variable(build_.getInt32Ty());
    return carry_;
  }

  // ---- The end ----

  void replace() {
    Value *result = nullptr;
    for (unsigned k = 0; k < outputs_; k++) {
      AllocaInst *const variable = places_[k].variable;
      Value *const value = build_.CreateLoad(variable->getAllocatedType(), variable);
      if (!call_.getType()->isStructTy()) {
        result = value;
        break;
      }
      result = build_.CreateInsertValue(result ? result : llvm::PoisonValue::get(call_.getType()), value, k);
    }
    if (result) call_.replaceAllUsesWith(result);
    call_.eraseFromParent();
  }

  CallInst &call_;
  const llvm::InlineAsm &code_;
  llvm::Module &module_;
  IRBuilder<> build_;
  const PtxText text_;
  std::vector<Place> places_;
  std::map<std::string, AllocaInst *> registers_;
  std::map<std::string, llvm::BasicBlock *> labels_;
  AllocaInst *carry_ = nullptr;
  unsigned outputs_ = 0;
  std::string problem_;
};

std::vector<CallInst *> statements_in(llvm::Module &module) {
  std::vector<CallInst *> found;
  for (Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *const call = llvm::dyn_cast<CallInst>(&instruction);
      const auto *const code = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (code && !code->getAsmString().empty()) found.push_back(call);
    }
  }
  return found;
}

bool is_of_instruction(const Function &function) {
  return function.getName().starts_with("ptx.") || function.getName().starts_with("\1ptx.");
}

// Deletes the functions of instructions that nobody uses.
void delete_unused(llvm::Module &module) {
  if (llvm::none_of(module, is_of_instruction)) return;
  for (const char *list : {"llvm.used", "llvm.compiler.used"}) {
    if (llvm::GlobalVariable *const variable = module.getGlobalVariable(list)) variable->eraseFromParent();
  }
  for (Function &function : llvm::make_early_inc_range(module)) {
    if (!is_of_instruction(function)) continue;
    function.removeDeadConstantUsers();
    if (function.use_empty()) function.eraseFromParent();
  }
}

// Whether what the backend calls uses the function, however indirectly.
bool is_reached(const Function &function) {
  llvm::SmallPtrSet<const Value *, 32> seen = {&function};
  std::vector<const Value *> open = {&function};
  while (!open.empty()) {
    const Value *const value = open.back();
    open.pop_back();
    const auto *const outer = llvm::dyn_cast<Function>(value);
    if (outer && outer->getName().starts_with("gpuopt_")) return true;
    for (const llvm::User *user : value->users()) {
      const auto *const at = llvm::dyn_cast<llvm::Instruction>(user);
      const Value *const next = at ? static_cast<const Value *>(at->getFunction()) : user;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

// Drops a statement that never runs.
void drop(CallInst &call) {
  if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(llvm::PoisonValue::get(call.getType()));
  call.eraseFromParent();
}

}  // namespace

std::string translate_assembly(llvm::Module &module) {
  std::string all;
  for (CallInst *call : statements_in(module)) {
    const auto &code = llvm::cast<llvm::InlineAsm>(*call->getCalledOperand());
    const std::string problem = Statement(*call, code).translate();
    if (problem.empty()) continue;
    if (is_reached(*call->getFunction())) {
      all += assembly_problem(*call, std::string(code.getAsmString()), problem);
    } else {
      drop(*call);
    }
  }
  delete_unused(module);
  return all;
}

}  // namespace gpuopt::jit

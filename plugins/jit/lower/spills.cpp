// plugins/jit/lower/spills.cpp -- see spills.h.
#include "plugins/jit/lower/spills.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "plugins/jit/lower/rematerialize.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::PHINode;
using llvm::Value;

constexpr uint64_t kMaxVisitedBlocks = 100'000;  // by is_phi_array_current()

bool is_local(const Instruction &instruction) { return llvm::isa<llvm::AllocaInst>(instruction); }

// The value that a region made, for one that was loaded or recomputed in another region.
Value *original(Value *value, const BlockCode &code) {
  const auto found = code.originals.find(value);
  return found == code.originals.end() ? value : found->second;
}

// ---- Arrays ----

Value *new_array(uint64_t bytes, llvm::Align alignment, BlockCode &code) {
  code.bytes = llvm::alignTo(code.bytes, alignment);
  IRBuilder<> builder(code.loops.list.front().preheader->getTerminator());
  if (!code.threads) {
    llvm::Instruction *const *const size = code.fields.size;
    Value *const plane = builder.CreateMul(size[0], size[1], "", true, true);
    code.threads = builder.CreateZExt(builder.CreateMul(plane, size[2], "", true, true), builder.getInt64Ty());
  }
  Value *const offset = builder.CreateMul(code.threads, builder.getInt64(code.bytes), "", true, true);
  code.bytes += llvm::alignTo(bytes, alignment);
  code.arrays.push_back(builder.CreateGEP(builder.getInt8Ty(), code.fields.frame, {offset}, "spilled"));
  return code.arrays.back();
}

// An i1 takes a byte in memory, as LLVM does not vectorize loads and stores of i1.
llvm::Type *stored_type(llvm::Type *type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

Value *new_array(llvm::Type *type, BlockCode &code) {
  const llvm::DataLayout &layout = code.function.getDataLayout();
  type = stored_type(type);
  return new_array(layout.getTypeAllocSize(type), layout.getABITypeAlign(type), code);
}

Value *load(const ThreadLoop &loop, Value *array, llvm::Type *type) {
  IRBuilder<> builder(loop.begin);
  llvm::Type *const stored = stored_type(type);
  Value *const found = builder.CreateLoad(stored, builder.CreateGEP(stored, array, {loop.number}));
  return stored == type ? found : builder.CreateTrunc(found, type);
}

void store(const ThreadLoop &loop, Value *value, Value *array) {
  IRBuilder<> builder(loop.last->getTerminator());
  llvm::Type *const stored = stored_type(value->getType());
  if (stored != value->getType()) value = builder.CreateZExt(value, stored);
  builder.CreateStore(value, builder.CreateGEP(stored, array, {loop.number}));
}

// A local variable of each thread becomes an element of an array.
Value *element_of(llvm::AllocaInst &local, const ThreadLoop &loop, BlockCode &code) {
  const uint64_t bytes = local.getAllocationSize(code.function.getDataLayout())->getFixedValue();
  const uint64_t step = llvm::alignTo(bytes, local.getAlign());
  Value *&array = code.array_of_local[&local];
  if (!array) array = new_array(step, local.getAlign(), code);
  IRBuilder<> builder(loop.begin);
  return builder.CreateGEP(builder.getInt8Ty(), array,
                           {builder.CreateMul(loop.number, builder.getInt64(step), "", true, true)});
}

// ---- Phis ----

// Phis at the beginnings of different regions that share one array: they have one type, and from every predecessor that
// leads to several of them they take the same value.
struct PhiGroup {
  std::vector<std::pair<PHINode *, ThreadLoop *>> phis;
  llvm::DenseMap<BasicBlock *, Value *> incoming;
  llvm::SmallPtrSet<const BasicBlock *, 4> blocks;
};
using Incoming = std::pair<BasicBlock *, Value *>;
using GroupsByIncoming = llvm::DenseMap<Incoming, std::vector<size_t>>;

Incoming incoming_of(const PHINode &phi, unsigned k) { return {phi.getIncomingBlock(k), phi.getIncomingValue(k)}; }

bool may_join(const PHINode &phi, const PhiGroup &group) {
  if (group.phis[0].first->getType() != phi.getType() || group.blocks.contains(phi.getParent())) return false;
  bool any = false;
  for (unsigned k = 0; k < phi.getNumIncomingValues(); k++) {
    const auto known = group.incoming.find(phi.getIncomingBlock(k));
    if (known == group.incoming.end()) continue;
    if (known->second != phi.getIncomingValue(k)) return false;
    any = true;
  }
  return any;
}

// The number of the first group that a phi may join, or of a new one.
size_t group_for(const PHINode &phi, const std::vector<PhiGroup> &groups, const GroupsByIncoming &by_incoming) {
  size_t first = groups.size();
  for (unsigned k = 0; k < phi.getNumIncomingValues(); k++) {
    const auto candidates = by_incoming.find(incoming_of(phi, k));
    if (candidates == by_incoming.end()) continue;
    for (const size_t group : candidates->second) {
      if (group >= first) break;
      if (may_join(phi, groups[group])) first = group;
    }
  }
  return first;
}

std::vector<PhiGroup> phi_groups(BlockCode &code) {
  std::vector<PhiGroup> groups;
  GroupsByIncoming by_incoming;
  for (ThreadLoop &loop : code.loops.list) {
    for (PHINode &phi : loop.preheader->phis()) {
      if (code.regions.is_hoisted(phi)) continue;
      const size_t number = group_for(phi, groups, by_incoming);
      if (number == groups.size()) groups.emplace_back();
      PhiGroup &group = groups[number];
      group.phis.emplace_back(&phi, &loop);
      group.blocks.insert(phi.getParent());
      for (unsigned k = 0; k < phi.getNumIncomingValues(); k++) {
        const Incoming incoming = incoming_of(phi, k);
        if (group.incoming.insert(incoming).second) by_incoming[incoming].push_back(number);
      }
    }
  }
  return groups;
}

// A store that a loop has to do at its end: a phi's incoming value, into the array of its group.
struct PhiStore {
  ThreadLoop *loop;
  PHINode *phi;
  unsigned incoming;
  Value *array;
};

// Replaces the phis of a group by loads from an array, and adds the stores that this takes to `stores`.
void replace_phis(const PhiGroup &group, BlockCode &code, std::vector<PhiStore> &stores) {
  Value *const array = new_array(group.phis[0].first->getType(), code);
  llvm::SmallPtrSet<BasicBlock *, 4> writers;
  for (const auto &[phi, loop] : group.phis) {
    for (unsigned k = 0; k < phi->getNumIncomingValues(); k++) {
      if (llvm::isa<llvm::UndefValue>(phi->getIncomingValue(k)) || !writers.insert(phi->getIncomingBlock(k)).second)
        continue;
      stores.push_back({code.loops.containing(phi->getIncomingBlock(k)), phi, k, array});
    }
    Value *const value = load(*loop, array, phi->getType());
    phi->replaceAllUsesWith(value);
    if (group.phis.size() == 1) code.array_of_phi[value] = array;  // other phis would overwrite it
    code.dead.push_back(phi);
  }
}

// ---- Values of other regions ----

// Whether a loop can use an instruction as it is: it made the instruction, or the instruction is the loop's own
// counter, which is in none of the blocks of a body.
bool is_made_in(const ThreadLoop &loop, const Instruction &instruction, const BlockCode &code) {
  if (code.fields.divergent.contains(&instruction) || is_local(instruction)) return false;
  const ThreadLoop *const maker = code.loops.containing(instruction.getParent());
  return !maker || maker == &loop;
}

bool is_rematerializable(const Instruction &instruction) {
  if (llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst>(
          instruction) ||
      is_exchange_slot(instruction))
    return true;
  return instruction.isBinaryOp() && !instruction.isIntDivRem() && instruction.getOpcode() != Instruction::FDiv &&
         instruction.getOpcode() != Instruction::FRem;
}

// Whether an instruction and all that it is computed from take at most `left` instructions, which are counted down.
bool is_cheap(Instruction &instruction, const BlockCode &code, int &left) {
  if (code.regions.is_hoisted(instruction) || code.fields.divergent.contains(&instruction) || is_local(instruction))
    return true;
  if (left-- == 0 || !is_rematerializable(instruction)) return false;
  for (Value *operand : instruction.operand_values()) {
    auto *const from = llvm::dyn_cast<Instruction>(original(operand, code));
    if (from && !is_cheap(*from, code, left)) return false;
  }
  return true;
}

// Whether a reader finds in the array of a phi what the phi's own loop found there: no block on the way between them
// stores what the phi will be in the next iteration of a loop around both.
bool is_phi_array_current(const ThreadLoop &maker, const ThreadLoop &reader, BlockCode &code) {
  llvm::SmallVector<BasicBlock *, 8> left;
  for (BasicBlock *before : llvm::predecessors(maker.preheader))
    left.append(llvm::succ_begin(before), llvm::succ_end(before));
  llvm::SmallPtrSet<BasicBlock *, 16> seen{maker.preheader};
  while (!left.empty()) {
    BasicBlock *const block = left.pop_back_val();
    if (!seen.insert(block).second) continue;
    if (block == reader.preheader || ++code.visited_blocks > kMaxVisitedBlocks) return false;
    left.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
  return true;
}

// The array from which `reader` can load a value. If there is none yet, the loop that makes the value spills it.
Value *array_for(Instruction &value, const ThreadLoop &reader, BlockCode &code) {
  const ThreadLoop &maker = *code.loops.containing(value.getParent());
  if (const auto phi = code.array_of_phi.find(&value);
      phi != code.array_of_phi.end() && is_phi_array_current(maker, reader, code))
    return phi->second;
  Value *&array = code.array_of_value[&value];
  if (!array) {
    array = new_array(value.getType(), code);
    store(maker, &value, array);
  }
  return array;
}

// Makes a value of another region available at the beginning of the loop's body.
Value *make_available(Instruction &value, ThreadLoop &loop, BlockCode &code) {
  if (const auto field = code.fields.divergent.find(&value); field != code.fields.divergent.end()) {
    IRBuilder<> builder(loop.begin);
    return field->second == kNumberOffset ? builder.CreateTrunc(loop.number, value.getType())
                                          : loop.index[(field->second - kIndexOffset) / 4];
  }
  if (auto *const local = llvm::dyn_cast<llvm::AllocaInst>(&value)) return element_of(*local, loop, code);
  int left = kMaxRematerialized;
  if (is_cheap(value, code, left)) {
    Instruction *const copy = value.clone();
    for (llvm::Use &use : copy->operands()) use.set(value_in(loop, use.get(), code));
    copy->insertBefore(loop.begin);
    return copy;
  }
  return load(loop, array_for(value, loop, code), value.getType());
}

void replace_operands(ThreadLoop &loop, BlockCode &code) {
  if (!loop.first) return;
  for (BasicBlock *block : loop.body) {
    for (Instruction &instruction : *block) {
      for (llvm::Use &use : instruction.operands()) use.set(value_in(loop, use.get(), code));
    }
  }
}

Value *value_of(EndThread thread, Value *value, const ThreadLoop &loop, const BlockCode &code, int &left) {
  value = original(value, code);
  auto *const instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || code.regions.is_hoisted(*instruction)) return value;
  IRBuilder<> builder(loop.preheader->getTerminator());
  const auto &divergent = code.fields.divergent;
  if (const auto field = divergent.find(instruction); field != divergent.end()) {
    if (field->second == kNumberOffset) return nullptr;
    Value *const size = code.fields.size[(field->second - kIndexOffset) / 4];
    return thread == EndThread::last ? builder.CreateSub(size, builder.getInt32(1)) : builder.getInt32(0);
  }
  if (left-- == 0 || !is_rematerializable(*instruction) || is_exchange_slot(*instruction)) return nullptr;
  llvm::SmallVector<Value *, 3> operands;
  for (Value *operand : instruction->operand_values()) {
    operands.push_back(value_of(thread, operand, loop, code, left));
    if (!operands.back()) return nullptr;
  }
  Instruction *const copy = instruction->clone();
  copy->dropPoisonGeneratingFlags();  // the thread may never get to the original
  for (unsigned k = 0; k < operands.size(); k++) copy->setOperand(k, operands[k]);
  return builder.Insert(copy);
}

}  // namespace

void connect_regions(BlockCode &code) {
  std::vector<PhiStore> stores;
  for (const PhiGroup &group : phi_groups(code)) replace_phis(group, code, stores);
  for (ThreadLoop &loop : code.loops.list) replace_operands(loop, code);
  for (const PhiStore &each : stores)
    store(*each.loop, value_in(*each.loop, each.phi->getIncomingValue(each.incoming), code), each.array);
}

Value *value_in(ThreadLoop &loop, Value *value, BlockCode &code) {
  value = original(value, code);
  auto *const instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || code.regions.is_hoisted(*instruction) || is_made_in(loop, *instruction, code)) return value;
  if (const auto known = loop.available.find(value); known != loop.available.end()) return known->second;
  Value *const available = make_available(*instruction, loop, code);
  loop.available[value] = available;
  code.originals[available] = value;
  return available;
}

Value *value_of(EndThread thread, Value *value, const ThreadLoop &loop, const BlockCode &code) {
  int left = kMaxRematerialized;
  return value_of(thread, value, loop, code, left);
}

void place_exchange_slots(BlockCode &code) {
  Value *array = nullptr;
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(code.function))) {
    if (!is_exchange_slot(instruction)) continue;
    IRBuilder<> builder(&instruction);
    if (!array) array = new_array(builder.getInt64Ty(), code);
    Value *const number = builder.CreateZExt(instruction.getOperand(1), builder.getInt64Ty());
    instruction.replaceAllUsesWith(builder.CreateGEP(builder.getInt64Ty(), array, {number}));
    instruction.eraseFromParent();
  }
}

}  // namespace gpuopt::jit

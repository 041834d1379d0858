// plugins/jit/fission.cpp -- see fission.h.
//
// What is the same for all threads (plugins/jit/uniform.h) is computed once, outside of the loops; of the rest, what is
// cheap is computed again in each region that wants it, and what is not is kept from region to region in arrays with an
// element for each thread.
#include "plugins/jit/fission.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include <deque>

#include "plugins/jit/ahead.h"
#include "plugins/jit/analyses.h"
#include "plugins/jit/fields.h"
#include "plugins/jit/lockstep.h"
#include "plugins/jit/parallel.h"
#include "plugins/jit/regions.h"
#include "plugins/jit/warps.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::PHINode;
using llvm::Value;

constexpr int kCheap = 12;               // instructions that are rather computed again than kept
constexpr uint64_t kMostKept = 1 << 14;  // bytes for each thread

// The loops over the threads of a block around one region.
struct Loops {
  BasicBlock *head = nullptr, *tail = nullptr;   // outside: what is the same for all threads; the region's branch
  BasicBlock *first = nullptr, *last = nullptr;  // of the body; NULL: no thread does anything
  llvm::SmallVector<BasicBlock *, 8> body;
  llvm::SmallVector<llvm::CallInst *, 1> votes;  // in the tail
  Instruction *begin = nullptr;                  // values of other regions are fetched before it
  Value *index[3] = {}, *number = nullptr;
  llvm::BranchInst *innermost = nullptr;  // back to the next x
  llvm::DenseMap<Value *, Value *> fetched;
};

class Fission {
 public:
  explicit Fission(Function &function) : function_(function), context_(function.getContext()) {}

  // together: loops that each thread leaves by itself become ones whose turns all make, or else there is nothing to do.
  bool run(llvm::TargetMachine &machine, bool together) {
    std::vector<llvm::CallInst *> barriers;
    for (Instruction &instruction : llvm::instructions(function_)) {
      if (is_call_of(instruction, kSuspend)) barriers.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
    if (!fields_.take(function_)) return false;
    const auto differs = [this](const Instruction &each) { return fields_.varying().contains(&each) || is_slot(each); };
    const auto is_index = [this](const Instruction &each) {
      const auto field = fields_.varying().find(&each);
      return field != fields_.varying().end() && (field->second == kIndexAt || field->second == kNumberAt);
    };
    one_row_ = merge_warps(function_, differs, is_index, fields_.warp_waits());
    if (together && !lockstep(function_, machine, differs)) return false;
    regions_ = std::make_unique<Regions>(function_, barriers);
    if (!take_locals()) return false;
    if (!regions_->find(differs)) return false;
    for (const Region &region : regions_->list) enclose(region);
    for (const Transfer &transfer : transfers()) replace_phis(transfer);
    for (Loops &loops : loops_) connect(loops);
    for (const Kept &kept : pending_)
      store(*kept.loops, here(kept.phi->getIncomingValue(kept.way), *kept.loops), kept.array);
    for (Loops &loops : loops_) {
      for (llvm::CallInst *vote : loops.votes) take_vote(*vote, loops);
    }
    look_ahead();
    place_slots();
    if (bytes_ > kMostKept) return false;
    clear();
    llvm::DominatorTree dominators(function_);
    llvm::PromoteMemToReg(counts_, dominators);
    ParallelLoops parallel(function_, machine);
    for (Value *array : arrays_) parallel.add_object(array);
    for (const Loops &loops : loops_) {
      if (loops.first) parallel.add_loop(loops.innermost);
    }
    parallel.declare();
    resolve_shared(function_);
    return true;
  }
  uint64_t bytes() const { return bytes_; }
  bool one_row() const { return one_row_; }

 private:
  struct Kept {  // at the end of `loops`, what a phi of the next region gets from there
    Loops *loops;
    PHINode *phi;
    unsigned way;
    Value *array;
  };

  bool take_locals() {
    for (Instruction &instruction : llvm::instructions(function_)) {
      if (auto *const local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        if (!local->isStaticAlloca()) return false;
        dead_.push_back(local);
      } else if (instruction.isLifetimeStartOrEnd()) {
        dead_.push_back(&instruction);
      }
    }
    return true;
  }

  // ---- Loops ----

  void enclose(const Region &region) {
    Loops &loops = loops_.emplace_back();
    BasicBlock *const front = region.chain.front();
    loops.head = front;
    BasicBlock *const first = llvm::SplitBlock(front, front->getFirstNonPHIIt());
    BasicBlock *const work = llvm::SplitBlock(first, first->begin());  // what is fetched comes before what is stored
    loops.last = front == region.chain.back() ? work : region.chain.back();
    loops.tail = llvm::SplitBlock(loops.last, loops.last->getTerminator());
    loops.body.push_back(first);
    for (BasicBlock *block : region.blocks) loops.body.push_back(block == front ? work : block);
    for (BasicBlock *block : loops.body) {
      for (Instruction &instruction : llvm::make_early_inc_range(*block)) {
        if (!regions_->is_shared(instruction)) continue;
        instruction.moveBefore((is_vote(instruction) ? loops.tail : loops.head)->getTerminator());
        if (is_vote(instruction)) loops.votes.push_back(llvm::cast<llvm::CallInst>(&instruction));
      }
    }
    loops_at_[loops.tail] = &loops;
    if (!has_work(loops)) return;
    loops.first = first;
    loops.begin = first->getTerminator();
    for (BasicBlock *block : loops.body) loops_at_[block] = &loops;
    add_loops(loops);
  }

  // Something that each thread does itself, or values to take from regions before or give to those after.
  bool has_work(const Loops &loops) const {
    if (!loops.votes.empty()) return true;
    const auto is_own = [this](const PHINode &phi) { return !regions_->is_shared(phi); };
    if (llvm::any_of(loops.head->phis(), is_own)) return true;
    for (const BasicBlock *block : loops.body) {
      if (block->size() > 1 || block->getTerminator()->getNumSuccessors() > 1) return true;
    }
    for (BasicBlock *next : llvm::successors(loops.tail)) {
      if (llvm::any_of(next->phis(), is_own)) return true;
    }
    return false;
  }

  // Over z, over y, and innermost over x.
  void add_loops(Loops &loops) {
    BasicBlock *headers[3], *latches[3];
    for (unsigned k = 3; k-- > 0;) headers[k] = BasicBlock::Create(context_, "threads", &function_, loops.first);
    for (unsigned k = 0; k < 3; k++) latches[k] = BasicBlock::Create(context_, "next", &function_, loops.tail);
    for (unsigned k = 3; k-- > 0;) {
      BasicBlock *const before = k == 2 ? loops.head : headers[k + 1], *const after =
                                                                           k == 2 ? loops.tail : latches[k + 1];
      IRBuilder<> header(headers[k]), latch(latches[k]);
      PHINode *const i = header.CreatePHI(header.getInt32Ty(), 2);
      header.CreateBr(k ? headers[k - 1] : loops.first);
      Value *const next = latch.CreateAdd(i, latch.getInt32(1), "", true, true);
      loops.innermost = latch.CreateCondBr(latch.CreateICmpULT(next, fields_.size(k)), headers[k], after);
      i->addIncoming(header.getInt32(0), before);
      i->addIncoming(next, latches[k]);
      loops.index[k] = i;
    }
    loops.head->getTerminator()->setSuccessor(0, headers[2]);
    loops.last->getTerminator()->setSuccessor(0, latches[0]);
    count(loops, headers);
  }

  // The thread's number in the block: (z * height + y) * width + x.
  void count(Loops &loops, BasicBlock *const (&headers)[3]) {
    IRBuilder<> row(headers[1]->getTerminator()), at(headers[0]->getTerminator());
    Value *const line =
        row.CreateAdd(row.CreateMul(loops.index[2], fields_.size(1), "", true, true), loops.index[1], "", true, true);
    Value *const begin = row.CreateZExt(row.CreateMul(line, fields_.size(0), "", true, true), row.getInt64Ty());
    loops.number = at.CreateAdd(begin, at.CreateZExt(loops.index[0], at.getInt64Ty()), "number", true, true);
  }

  void take_vote(llvm::CallInst &vote, Loops &loops) {
    const bool all = vote.getCalledFunction()->getName() == kVoteAll;
    IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin()), head(loops.head->getTerminator()),
        last(loops.last->getTerminator()), tail(&vote);
    llvm::AllocaInst *const answer = entry.CreateAlloca(vote.getType());
    counts_.push_back(answer);
    head.CreateStore(head.getInt1(all), answer);
    Value *const own = here(vote.getArgOperand(0), loops), *const others = last.CreateLoad(vote.getType(), answer);
    last.CreateStore(all ? last.CreateAnd(others, own) : last.CreateOr(others, own), answer);
    vote.replaceAllUsesWith(tail.CreateLoad(vote.getType(), answer));
    vote.eraseFromParent();
  }

  // ---- Memory that is asked for ahead ----

  void look_ahead() {
    for (Loops &loops : loops_) {
      for (BasicBlock *block : loops.body) {
        for (Instruction &each : llvm::make_early_inc_range(*block)) {
          if (!is_call_of(each, kAhead)) continue;
          if (loops.first) prefetch_for(loops, each.getOperand(0));
          each.eraseFromParent();
        }
      }
    }
  }

  void prefetch_for(Loops &loops, Value *address) {
    int left = kCheap;
    Value *const first = of_thread(false, address, loops, left);
    left = kCheap;
    Value *const last = first ? of_thread(true, address, loops, left) : nullptr;
    if (last) prefetch(first, last, loops.head->getTerminator());
  }

  // A value as the block's first thread has it, or its last, before the loops; NULL where that is not simply computed.
  Value *of_thread(bool last, Value *value, Loops &loops, int &left) {
    value = original(value);
    auto *const made = llvm::dyn_cast<Instruction>(value);
    if (!made || regions_->is_shared(*made)) return value;
    IRBuilder<> builder(loops.head->getTerminator());
    if (const auto field = fields_.varying().find(made); field != fields_.varying().end()) {
      if (field->second == kNumberAt) return nullptr;
      Value *const size = fields_.size((field->second - kIndexAt) / 4);
      return last ? builder.CreateSub(size, builder.getInt32(1)) : builder.getInt32(0);
    }
    if (left-- == 0 || !is_simple(*made) || is_slot(*made)) return nullptr;
    llvm::SmallVector<Value *, 3> operands;
    for (Value *operand : made->operand_values()) {
      operands.push_back(of_thread(last, operand, loops, left));
      if (!operands.back()) return nullptr;
    }
    Instruction *const again = made->clone();
    again->dropPoisonGeneratingFlags();  // nobody may ever get there
    for (unsigned k = 0; k < operands.size(); k++) again->setOperand(k, operands[k]);
    return builder.Insert(again);
  }

  // ---- Values from other regions ----

  // An array with an element of this size for each thread.
  Value *new_array(uint64_t bytes, llvm::Align alignment) {
    bytes_ = llvm::alignTo(bytes_, alignment);
    IRBuilder<> builder(loops_.front().head->getTerminator());
    if (!threads_) {
      Value *const plane = builder.CreateMul(fields_.size(0), fields_.size(1), "", true, true);
      threads_ = builder.CreateZExt(builder.CreateMul(plane, fields_.size(2), "", true, true), builder.getInt64Ty());
    }
    Value *const offset = builder.CreateMul(threads_, builder.getInt64(bytes_), "", true, true);
    bytes_ += llvm::alignTo(bytes, alignment);
    arrays_.push_back(builder.CreateGEP(builder.getInt8Ty(), fields_.frame(), {offset}, "kept"));
    return arrays_.back();
  }

  // Truths take a byte each: LLVM vectorizes no others.
  static llvm::Type *kept_type(llvm::Type *type) {
    return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
  }

  Value *new_array(llvm::Type *type) {
    const llvm::DataLayout &layout = function_.getDataLayout();
    type = kept_type(type);
    return new_array(layout.getTypeAllocSize(type), layout.getABITypeAlign(type));
  }

  Value *load(Loops &loops, Value *array, llvm::Type *type) {
    IRBuilder<> builder(loops.begin);
    llvm::Type *const kept = kept_type(type);
    Value *const found = builder.CreateLoad(kept, builder.CreateGEP(kept, array, {loops.number}));
    return kept == type ? found : builder.CreateTrunc(found, type);
  }

  void store(Loops &loops, Value *value, Value *array) {
    IRBuilder<> builder(loops.last->getTerminator());
    llvm::Type *const kept = kept_type(value->getType());
    if (kept != value->getType()) value = builder.CreateZExt(value, kept);
    builder.CreateStore(value, builder.CreateGEP(kept, array, {loops.number}));
  }

  // Regions' beginnings have phis. Those of one transfer get the same from every region that leads to several of them.
  struct Transfer {
    std::vector<std::pair<PHINode *, Loops *>> phis;
    llvm::DenseMap<BasicBlock *, Value *> given;
  };

  std::vector<Transfer> transfers() {
    std::vector<Transfer> found;
    for (Loops &loops : loops_) {
      for (PHINode &phi : loops.head->phis()) {
        if (regions_->is_shared(phi)) continue;
        auto to = std::find_if(found.begin(), found.end(), [&](const Transfer &of) { return may_join(phi, of); });
        if (to == found.end()) to = found.insert(to, Transfer());
        to->phis.emplace_back(&phi, &loops);
        for (unsigned way = 0; way < phi.getNumIncomingValues(); way++)
          to->given[phi.getIncomingBlock(way)] = phi.getIncomingValue(way);
      }
    }
    return found;
  }
  static bool may_join(const PHINode &phi, const Transfer &transfer) {
    for (const auto &[other, loops] : transfer.phis) {
      if (other->getType() != phi.getType() || other->getParent() == phi.getParent()) return false;
    }
    bool any = false;
    for (unsigned way = 0; way < phi.getNumIncomingValues(); way++) {
      const auto given = transfer.given.find(phi.getIncomingBlock(way));
      if (given == transfer.given.end()) continue;
      if (given->second != phi.getIncomingValue(way)) return false;
      any = true;
    }
    return any;
  }

  // They become an array that the regions before write, and each region reads before anything else.
  void replace_phis(const Transfer &transfer) {
    Value *const array = new_array(transfer.phis[0].first->getType());
    llvm::SmallPtrSet<BasicBlock *, 4> writers;
    for (const auto &[phi, loops] : transfer.phis) {
      for (unsigned way = 0; way < phi->getNumIncomingValues(); way++) {
        if (llvm::isa<llvm::UndefValue>(phi->getIncomingValue(way)) ||
            !writers.insert(phi->getIncomingBlock(way)).second)
          continue;
        pending_.push_back({loops_at_.lookup(phi->getIncomingBlock(way)), phi, way, array});
      }
      Value *const value = load(*loops, array, phi->getType());
      phi->replaceAllUsesWith(value);
      if (transfer.phis.size() == 1) phi_arrays_[value] = array;  // else it is soon another's
      dead_.push_back(phi);
    }
  }

  void connect(Loops &loops) {
    for (BasicBlock *block : loops.body) {
      if (!loops.first) return;
      for (Instruction &instruction : *block) {
        for (llvm::Use &use : instruction.operands()) use.set(here(use.get(), loops));
      }
    }
  }

  // A value of any region as this one has it.
  Value *here(Value *value, Loops &loops) {
    value = original(value);
    auto *const made = llvm::dyn_cast<Instruction>(value);
    if (!made || regions_->is_shared(*made) || is_of(*made, loops)) return value;
    if (const auto found = loops.fetched.find(value); found != loops.fetched.end()) return found->second;
    Value *const fetched = fetch(*made, loops);
    loops.fetched[value] = fetched;
    originals_[fetched] = value;
    return fetched;
  }

  // The value of the region that made it, of one fetched from there.
  Value *original(Value *value) const {
    const auto found = originals_.find(value);
    return found == originals_.end() ? value : found->second;
  }

  bool is_of(const Instruction &made, const Loops &loops) const {
    if (fields_.varying().contains(&made) || llvm::isa<llvm::AllocaInst>(made)) return false;
    const auto found = loops_at_.find(made.getParent());
    return found == loops_at_.end() || found->second == &loops;  // found nowhere: the loops' own counters
  }

  Value *fetch(Instruction &made, Loops &loops) {
    if (const auto field = fields_.varying().find(&made); field != fields_.varying().end()) {
      IRBuilder<> builder(loops.begin);
      return field->second == kNumberAt ? builder.CreateTrunc(loops.number, made.getType())
                                        : loops.index[(field->second - kIndexAt) / 4];
    }
    if (auto *const local = llvm::dyn_cast<llvm::AllocaInst>(&made)) return element_of(*local, loops);
    int left = kCheap;
    if (is_cheap(made, left)) {
      Instruction *const again = made.clone();
      for (llvm::Use &use : again->operands()) use.set(here(use.get(), loops));
      again->insertBefore(loops.begin);
      return again;
    }
    return load(loops, array_of(made, loops), made.getType());
  }

  // What threads give to others of their warps.
  void place_slots() {
    Value *array = nullptr;
    for (Instruction &each : llvm::make_early_inc_range(llvm::instructions(function_))) {
      if (!is_slot(each)) continue;
      IRBuilder<> builder(&each);
      if (!array) array = new_array(builder.getInt64Ty());
      Value *const number = builder.CreateZExt(each.getOperand(1), builder.getInt64Ty());
      each.replaceAllUsesWith(builder.CreateGEP(builder.getInt64Ty(), array, {number}));
      each.eraseFromParent();
    }
  }

  // A thread's own array, in one for all threads.
  Value *element_of(llvm::AllocaInst &local, Loops &loops) {
    const uint64_t bytes = local.getAllocationSize(function_.getDataLayout())->getFixedValue();
    const uint64_t step = llvm::alignTo(bytes, local.getAlign());
    Value *&array = local_arrays_[&local];
    if (!array) array = new_array(step, local.getAlign());
    IRBuilder<> builder(loops.begin);
    return builder.CreateGEP(builder.getInt8Ty(), array,
                             {builder.CreateMul(loops.number, builder.getInt64(step), "", true, true)});
  }

  bool is_cheap(Instruction &made, int &left) const {
    if (regions_->is_shared(made) || fields_.varying().contains(&made) || llvm::isa<llvm::AllocaInst>(made))
      return true;
    if (left-- == 0 || !is_simple(made)) return false;
    for (Value *operand : made.operand_values()) {
      auto *const from = llvm::dyn_cast<Instruction>(original(operand));
      if (from && !is_cheap(*from, left)) return false;
    }
    return true;
  }
  static bool is_simple(const Instruction &made) {
    if (llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst>(made) ||
        is_slot(made))
      return true;
    return made.isBinaryOp() && !made.isIntDivRem() && made.getOpcode() != Instruction::FDiv &&
           made.getOpcode() != Instruction::FRem;
  }

  Value *array_of(Instruction &made, const Loops &reader) {
    Loops &maker = *loops_at_.lookup(made.getParent());
    if (const auto phi = phi_arrays_.find(&made); phi != phi_arrays_.end() && is_unchanged(maker, reader))
      return phi->second;
    Value *&array = kept_arrays_[&made];
    if (!array) {
      array = new_array(made.getType());
      store(maker, &made, array);
    }
    return array;
  }

  // Whether the reader finds in arrays of the maker's phis what the maker found: what is written there for the maker's
  // next turn is not seen before that.
  bool is_unchanged(const Loops &maker, const Loops &reader) const {
    llvm::SmallVector<BasicBlock *, 8> left;
    for (BasicBlock *before : llvm::predecessors(maker.head))
      left.append(llvm::succ_begin(before), llvm::succ_end(before));
    llvm::SmallPtrSet<BasicBlock *, 16> seen{maker.head};
    while (!left.empty()) {
      BasicBlock *const block = left.pop_back_val();
      if (!seen.insert(block).second) continue;
      if (block == reader.head) return false;
      left.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
    return true;
  }

  void clear() {
    for (const auto &[instruction, offset] : fields_.varying()) dead_.push_back(const_cast<Instruction *>(instruction));
    for (Instruction *instruction : dead_) {
      if (!instruction->getType()->isVoidTy())
        instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
  }

  Function &function_;
  llvm::LLVMContext &context_;
  ThreadFields fields_;
  std::unique_ptr<Regions> regions_;
  std::deque<Loops> loops_;
  llvm::DenseMap<const BasicBlock *, Loops *> loops_at_;
  std::vector<Kept> pending_;
  llvm::DenseMap<Value *, Value *> phi_arrays_, kept_arrays_, local_arrays_, originals_;
  std::vector<Value *> arrays_;
  std::vector<llvm::AllocaInst *> counts_;  // of votes
  std::vector<Instruction *> dead_;
  Value *threads_ = nullptr;
  uint64_t bytes_ = 0;
  bool one_row_ = false;
};

// What `restrict` said of the inside of calls is not carried over to loops around them.
void forget_restrict(Function &thread) {
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(thread))) {
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
    if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) instruction.eraseFromParent();
  }
}

}  // namespace

void simplify_thread(Function &thread, llvm::TargetMachine &machine) {
  forget_restrict(thread);
  Analyses analyses(machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LoopFullUnrollPass(3));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::UnifyFunctionExitNodesPass());
  passes.run(thread, analyses.functions);
}

BlockFunction fission(Function &thread, llvm::TargetMachine &machine) {
  for (const bool together : {true, false}) {
    llvm::ValueToValueMapTy map;
    Function *const block = llvm::CloneFunction(&thread, map);
    Fission fission(*block);
    if (fission.run(machine, together)) return {block, fission.bytes(), fission.one_row()};
    block->eraseFromParent();
  }
  return {};
}

}  // namespace gpuopt::jit

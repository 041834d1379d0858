// plugins/jit/lower/lockstep.cpp -- see lockstep.h.
//
// An example. A block of 4 threads, the only one of its grid, sums 10 elements:
//
//   for (int i = threadIdx.x; i < 10; i += 4) sum += in[i];
//
// Threads 0 and 1 run three iterations, threads 2 and 3 run two. The branch at the end of the loop is divergent, so the
// whole loop would lie inside one region: thread 0 would read in[0], in[4] and in[8], then thread 1 in[1], in[5] and
// in[9], and nothing could be vectorized. Afterwards there are two loops, and votes, which are uniform, control both:
//
//   if (all(i < 10)) do { sum += in[i]; i += 4; } while (all(i < 10));           // uniform: i = 0..3, then 4..7
//   while (any(i < 10)) { if (i < 10) { sum += in[i]; } i += 4; }                // masked tail: i = 8, 9 and no more
//
// The body of the first loop is a region of its own, in which the threads read in[0] to in[3] side by side. Where a
// variable advances by a uniform step, as i does, each thread's initial value stays in place and one uniform offset is
// advanced for all: i = threadIdx.x + offset. The control flow, for a loop with a guard in front of it:
//
//   entry        all?          yes: preheader -> header ... latch      no: tail_entry
//   latch        all?          yes: header                             no: tail_entry
//   tail_entry   any?          yes: tail_header                        no: after
//   tail_header  this thread?  yes: copies of header ... latch         no: tail_latch
//   tail_latch   any?          yes: tail_header                        no: after
//
// The copy of the latch leads to tail_latch. Only the branch of tail_header is divergent.
//
// The vote at the latch costs each thread a comparison and, since the tail asks who is left, the store of its answer
// in every iteration. Vectors do that beside waiting for memory, but not loops that update memory atomically, of
// which there are no vectors. Where such a loop compares the induction variable with a uniform bound by an order,
// the block finds the least and the greatest of the threads' initial values once, at the entry, and compares one of
// them, advanced by the offset, at the latch. Such a test may fail too early, where the variable wraps around
// between the least and the greatest. The tail is right for any number of iterations, so that only time is lost.
//
// As the test at the latch finds signed variables that wrap around, the body may compute in 64 bits where the text
// computes in 32: `in[i]` needs the 64 bits of i, which are those of `first + offset`, the same for all threads, plus
// those of the thread's index. The loop over the threads then increments an address, instead of adding 32 bits and
// extending the sum for each thread. Before the first iteration nothing has been tested, and the entry votes no if a
// thread's variable is the greatest number there is.
#include "plugins/jit/lower/lockstep.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "plugins/jit/analysis/analyses.h"
#include "plugins/jit/analysis/regions.h"
#include "plugins/jit/lower/prefetch.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::PHINode;
using llvm::Value;

constexpr int64_t kMinStep = 16;  // with a smaller one, each thread reads memory of its own from iteration to iteration
constexpr int kMaxDepth = 16;     // of expressions that are looked at

// What is known of the function before any of its loops is rewritten. It stays true of loops not rewritten yet.
struct Known {
  const DivergenceSource &is_source;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  Uniformity uniformity;
  llvm::SmallPtrSet<const BasicBlock *, 32> divergent;  // blocks that some threads may run without the others

  Known(llvm::Function &function, const DivergenceSource &source)
      : is_source(source), dominators(function), loops(dominators), uniformity(function, source) {
    const llvm::PostDominatorTree postdominators(function);
    for (BasicBlock &block : function) {
      if (!uniformity.has_divergent_branch(block)) continue;
      for (const BasicBlock *inside : influence_region(&block, postdominators)) divergent.insert(inside);
    }
  }
};

// The condition at the end of the loop: an induction variable, to which uniform values have been added, compared with
// a uniform bound.
struct LoopTest {
  PHINode *phi = nullptr;
  llvm::ICmpInst *compare = nullptr;
  unsigned operand = 0;  // of the comparison, which is computed from the variable
  llvm::CmpInst::Predicate goes_on = llvm::CmpInst::BAD_ICMP_PREDICATE;  // of that operand and the bound

  Value *compared() const { return compare->getOperand(operand); }
  Value *bound() const { return compare->getOperand(1 - operand); }
};

// The loop, and the names of its blocks as in the table above.
struct StridedLoop {
  llvm::Loop *loop = nullptr;
  LoopTest test;
  BasicBlock *entry = nullptr, *preheader = nullptr, *header = nullptr, *latch = nullptr, *exit = nullptr,
             *after = nullptr;
  Value *guard = nullptr;     // the condition at the entry; NULL if there is no branch around the loop
  bool guard_enters = true;   // whether the loop is entered if the guard is true, or if it is false
  bool is_monotonic = false;  // the test at the latch
  // If the body may extend the tested variable by parts: its initial value is the sum of the thread's index and of
  // uniform values. Else NULL and none.
  Instruction *index = nullptr;
  std::vector<Value *> others;
};

// ---- Match ----

// A value that is the same for all threads and all iterations.
bool is_uniform_invariant(const Value *value, const Known &known, const llvm::Loop &loop) {
  const auto *const instruction = llvm::dyn_cast<Instruction>(value);
  return loop.isLoopInvariant(value) && (!instruction || !known.uniformity.is_divergent(*instruction));
}

// The step of an induction variable of the loop, if it is the same for all threads and iterations; else NULL.
Value *step_of(const PHINode &phi, const Known &known, const llvm::Loop &loop) {
  const auto *const next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!next || next->getOpcode() != Instruction::Add) return nullptr;
  for (unsigned k = 0; k < 2; k++) {
    Value *const other = next->getOperand(1 - k);
    if (next->getOperand(k) == &phi && is_uniform_invariant(other, known, loop)) return other;
  }
  return nullptr;
}

// The phi of the loop's header that a value is computed from by uniform additions and casts; NULL if there is none.
PHINode *induction_of(Value *value, const Known &known, const llvm::Loop &loop) {
  for (int k = 0; k < kMaxDepth; k++) {
    auto *const at = llvm::dyn_cast<Instruction>(value);
    if (!at || !loop.contains(at)) return nullptr;
    if (auto *const phi = llvm::dyn_cast<PHINode>(at)) return phi->getParent() == loop.getHeader() ? phi : nullptr;
    if (!llvm::isa<llvm::CastInst>(at) && at->getOpcode() != Instruction::Add) return nullptr;
    const bool second = at->getNumOperands() == 2 && is_uniform_invariant(at->getOperand(0), known, loop);
    value = at->getOperand(second ? 1 : 0);
  }
  return nullptr;
}

// Whether a value is computed from the thread's index and uniform values alone. If the induction variable starts from
// such a value, all threads run about as many iterations; a value from memory may differ by any amount.
bool starts_from_index(const Value *value, const Known &known, int depth = kMaxDepth) {
  const auto *const at = llvm::dyn_cast<Instruction>(value);
  if (!at || !known.uniformity.is_divergent(*at) || known.is_source(*at)) return true;
  if (depth == 0 || !(at->isBinaryOp() || llvm::isa<llvm::CastInst, llvm::FreezeInst>(at))) return false;
  return std::all_of(at->value_op_begin(), at->value_op_end(),
                     [&](const Value *operand) { return starts_from_index(operand, known, depth - 1); });
}

bool has_ordered_instruction(const llvm::Loop &loop) {
  return !std::all_of(loop.block_begin(), loop.block_end(), [](const BasicBlock *block) {
    return llvm::isa<BranchInst, llvm::SwitchInst>(block->getTerminator()) &&
           std::none_of(block->begin(), block->end(), has_visible_order);
  });
}

// An innermost loop in the form that LoopSimplify and LoopRotate give it, which ends at a divergent branch.
bool is_candidate(const Known &known, const llvm::Loop &loop) {
  const BasicBlock *const latch = loop.getLoopLatch();
  return loop.isInnermost() && latch && loop.getLoopPreheader() && loop.getUniqueExitBlock() &&
         loop.getExitingBlock() == latch && known.uniformity.has_divergent_branch(*latch) &&
         !has_ordered_instruction(loop);
}

// Moves loop-invariant code out of the loop. No pass has done so yet, and steps and bounds are not recognized
// otherwise.
void hoist_invariants(const llvm::Loop &loop) {
  bool changed = false;
  for (BasicBlock *block : loop.blocks()) {
    for (Instruction &instruction : llvm::make_early_inc_range(*block)) {
      if (!llvm::isa<PHINode>(instruction)) loop.makeLoopInvariant(&instruction, changed);
    }
  }
}

// The condition of a loop that ends where an induction variable of a large uniform step, which starts from the thread's
// index, reaches a uniform bound. Nothing for other loops, which would not gain.
std::optional<LoopTest> profitable_test(const Known &known, const llvm::Loop &loop) {
  const auto *const branch = llvm::cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  auto *const compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!compare) return std::nullopt;
  for (unsigned k = 0; k < 2; k++) {
    const bool bounded = is_uniform_invariant(compare->getOperand(1 - k), known, loop);
    PHINode *const phi = bounded ? induction_of(compare->getOperand(k), known, loop) : nullptr;
    const Value *const step = phi ? step_of(*phi, known, loop) : nullptr;
    if (!step) continue;
    const auto *const number = llvm::dyn_cast<llvm::ConstantInt>(step);
    if (number && number->getValue().abs().ult(kMinStep)) return std::nullopt;
    if (!starts_from_index(phi->getIncomingValueForBlock(loop.getLoopPreheader()), known)) return std::nullopt;
    const llvm::CmpInst::Predicate is_true = k ? compare->getSwappedPredicate() : compare->getPredicate();
    const bool again = branch->getSuccessor(0) == loop.getHeader();
    return LoopTest{phi, compare, k, again ? is_true : llvm::CmpInst::getInversePredicate(is_true)};
  }
  return std::nullopt;
}

// Whether the loop is one that is not vectorized in any case. A vote costs each of its iterations more than a share of
// a vector.
bool updates_atomically(const llvm::Loop &loop) {
  return llvm::any_of(loop.blocks(), [](const BasicBlock *block) {
    return llvm::any_of(*block, [](const Instruction &instruction) { return instruction.isAtomic(); });
  });
}

// Whether a test of the least and the greatest of the threads' values tells of all threads: the comparison is by an
// order, and what is compared is the induction variable plus uniform values, extended at most at the end.
bool is_monotonic(const LoopTest &test, const Known &known, const llvm::Loop &loop) {
  if (!test.compare->isRelational()) return false;
  const Value *at = test.compared();
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(at)) at = llvm::cast<Instruction>(at)->getOperand(0);
  while (at != test.phi) {
    const auto *const sum = llvm::dyn_cast<llvm::BinaryOperator>(at);
    if (!sum || sum->getOpcode() != Instruction::Add) return false;
    at = sum->getOperand(is_uniform_invariant(sum->getOperand(0), known, loop) ? 1 : 0);
  }
  return true;
}

// Finds the parts of the tested variable's initial value, if they may be extended one by one in the uniform loop. For
// that the test at the latch has to be a signed one of the value that the variable has in the next iteration. The
// indices of threads are all numbers from 0 on, so that none is beyond the least and the greatest.
void find_parts(const Known &known, StridedLoop &shape) {
  const LoopTest &test = shape.test;
  const Value *compared = test.compared();
  if (const auto *const extended = llvm::dyn_cast<llvm::SExtInst>(compared)) compared = extended->getOperand(0);
  if (!shape.is_monotonic || !llvm::CmpInst::isSigned(test.goes_on)) return;
  if (compared != test.phi->getIncomingValueForBlock(shape.latch)) return;
  std::vector<Value *> others;
  auto *at = llvm::dyn_cast<Instruction>(test.phi->getIncomingValueForBlock(shape.loop->getLoopPreheader()));
  while (at && at->getOpcode() == Instruction::Add) {
    const unsigned k = is_uniform_invariant(at->getOperand(0), known, *shape.loop) ? 0 : 1;
    if (!is_uniform_invariant(at->getOperand(k), known, *shape.loop)) return;
    others.push_back(at->getOperand(k));
    at = llvm::dyn_cast<Instruction>(at->getOperand(1 - k));
  }
  if (!at || !llvm::isa<llvm::LoadInst>(at) || !known.is_source(*at)) return;
  shape.index = at;
  shape.others = std::move(others);
}

bool may_be_speculated(const Instruction &instruction) {
  return instruction.isTerminator() ||
         (llvm::isSafeToSpeculativelyExecute(&instruction) && !instruction.mayReadFromMemory());
}

// Finds a block that all threads run, whether or not they run an iteration: the preheader, or, if a divergent branch
// leads around the loop, the block of that branch. False if the branch has another form.
bool find_entry(const Known &known, StridedLoop &shape) {
  shape.entry = shape.preheader;
  shape.after = shape.exit;
  BasicBlock *const above = shape.preheader->getSinglePredecessor(), *const below = shape.exit->getSingleSuccessor();
  if (!above || !known.uniformity.has_divergent_branch(*above)) return true;
  auto *const branch = llvm::dyn_cast<BranchInst>(above->getTerminator());
  if (!branch || !below || &*shape.exit->getFirstNonPHIIt() != shape.exit->getTerminator()) return false;
  const bool enters = branch->getSuccessor(0) == shape.preheader;
  if (branch->getSuccessor(enters) != below) return false;
  if (!std::all_of(shape.preheader->begin(), shape.preheader->end(), may_be_speculated)) return false;
  shape.entry = above;
  shape.after = below;
  shape.guard = branch->getCondition();
  shape.guard_enters = enters;
  return true;
}

// What is to be rewritten, of a candidate from which invariants have been hoisted.
std::optional<StridedLoop> match(const Known &known, llvm::Loop &loop) {
  const std::optional<LoopTest> test = profitable_test(known, loop);
  if (!test) return std::nullopt;
  StridedLoop shape;
  shape.test = *test;
  shape.is_monotonic = updates_atomically(loop) && is_monotonic(*test, known, loop);
  shape.loop = &loop;
  shape.preheader = loop.getLoopPreheader();
  shape.header = loop.getHeader();
  shape.latch = loop.getLoopLatch();
  shape.exit = loop.getUniqueExitBlock();
  if (!find_entry(known, shape) || known.divergent.contains(shape.entry)) return std::nullopt;
  find_parts(known, shape);
  return shape;
}

// ---- Rewrite ----

// A value that a thread carries from iteration to iteration, or out of the loop.
struct CarriedValue {
  Value *initial = nullptr, *updated = nullptr;  // before the first iteration, and at the end of each
  PHINode *phi = nullptr;                        // at the header; NULL if no iteration reads it
  Value *step = nullptr;  // added in every iteration, whoever takes part, as it is the same for all threads; or NULL
  Value *at_entry = nullptr;                          // to the tail
  PHINode *at_header = nullptr, *at_latch = nullptr;  // of the tail
};

// What the test at the latch is computed from, as the loop is rewritten.
struct Range {
  size_t variable = 0;                          // which of the carried values is compared, by its offset
  Value *own = nullptr, *initial = nullptr;     // each thread's variable in this iteration, and in the first one
  Value *least = nullptr, *greatest = nullptr;  // of all initial values
};

struct Tail {
  BasicBlock *entry = nullptr, *header = nullptr, *latch = nullptr;
  std::vector<CarriedValue> values;  // [0]: whether the thread runs another iteration
  llvm::ValueToValueMapTy copies;    // of what belongs to the loop
  Range range;                       // of a monotonic test
};

using Strides = std::vector<std::pair<llvm::LoadInst *, Value *>>;

// The loads whose address is divergent and advances by a uniform number of bytes, with that number.
Strides find_strides(const Known &known, const StridedLoop &shape) {
  const llvm::DataLayout &layout = shape.header->getDataLayout();
  IRBuilder<> builder(shape.preheader->getTerminator());
  Strides found;
  for (BasicBlock *block : shape.loop->blocks()) {
    for (Instruction &instruction : *block) {
      auto *const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      const auto *const at = load ? llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand()) : nullptr;
      if (!at || at->getNumIndices() != 1 || !known.uniformity.is_divergent(*at)) continue;
      const PHINode *const phi = induction_of(at->getOperand(1), known, *shape.loop);
      Value *const step = phi ? step_of(*phi, known, *shape.loop) : nullptr;
      if (!step) continue;
      Value *const elements = builder.CreateSExtOrTrunc(step, builder.getInt64Ty());
      const uint64_t size = layout.getTypeAllocSize(at->getSourceElementType());
      found.emplace_back(load, builder.CreateMul(elements, builder.getInt64(size)));
    }
  }
  return found;
}

// Makes the entry and the preheader two blocks, and the guard a condition that is true if a thread enters the loop.
void isolate_preheader(StridedLoop &shape) {
  if (!shape.guard) {
    shape.preheader = llvm::SplitBlock(shape.entry, shape.entry->getTerminator());
    shape.guard = llvm::ConstantInt::getTrue(shape.header->getContext());
    return;
  }
  for (Instruction &instruction : llvm::make_early_inc_range(*shape.preheader)) {
    if (!instruction.isTerminator()) instruction.moveBefore(shape.entry->getTerminator());
  }
  if (!shape.guard_enters) shape.guard = IRBuilder<>(shape.entry->getTerminator()).CreateNot(shape.guard);
}

// Replaces an induction variable by its initial value, which is each thread's own, plus a uniform offset. Returns the
// offset, and the sum.
std::pair<CarriedValue, Value *> share_offset(PHINode &phi, Value *step, const StridedLoop &shape) {
  IRBuilder<> head(&phi), end(shape.latch->getTerminator());
  PHINode *const offset = head.CreatePHI(phi.getType(), 2, "offset");
  head.SetInsertPoint(shape.header, shape.header->getFirstInsertionPt());
  Value *const own = head.CreateAdd(phi.getIncomingValueForBlock(shape.preheader), offset);
  phi.replaceAllUsesWith(own);
  phi.eraseFromParent();
  offset->addIncoming(llvm::Constant::getNullValue(offset->getType()), shape.preheader);
  offset->addIncoming(end.CreateAdd(offset, step), shape.latch);
  return {{offset->getIncomingValue(0), offset->getIncomingValue(1), offset, step}, own};
}

void find_carried_values(const Known &known, const StridedLoop &shape, Tail &tail) {
  auto *const branch = llvm::cast<BranchInst>(shape.latch->getTerminator());
  Value *again = branch->getCondition();
  if (branch->getSuccessor(0) != shape.header) again = IRBuilder<>(branch).CreateNot(again);
  std::vector<CarriedValue> &values = tail.values;
  values.push_back({shape.guard, again});
  std::vector<PHINode *> others;  // may take the value of an induction variable, so that they are read after these
  for (PHINode &phi : llvm::make_early_inc_range(shape.header->phis())) {
    if (Value *const step = phi.getType()->isIntegerTy() ? step_of(phi, known, *shape.loop) : nullptr) {
      Value *const initial = phi.getIncomingValueForBlock(shape.preheader);
      const bool is_tested = &phi == shape.test.phi;  // which is erased now
      const auto &[offset, own] = share_offset(phi, step, shape);
      if (is_tested) tail.range = {values.size(), own, initial};
      values.push_back(offset);
    } else {
      others.push_back(&phi);
    }
  }
  for (PHINode *phi : others)
    values.push_back({phi->getIncomingValueForBlock(shape.preheader), phi->getIncomingValueForBlock(shape.latch), phi});
}

// Adds the phis of a value to the tail; at its entry only if the value there is not known yet.

void add_tail_phis(CarriedValue &value, const StridedLoop &shape, const Tail &tail) {
  llvm::Type *const type = value.initial->getType();
  if (!value.at_entry) {
    PHINode *const phi = IRBuilder<>(tail.entry, tail.entry->begin()).CreatePHI(type, 2);
    phi->addIncoming(value.initial, shape.entry);
    phi->addIncoming(value.updated, shape.latch);
    value.at_entry = phi;
  }
  value.at_header = IRBuilder<>(tail.header, tail.header->begin()).CreatePHI(type, 2);
  value.at_header->addIncoming(value.at_entry, tail.entry);
  value.at_latch = IRBuilder<>(tail.latch, tail.latch->begin()).CreatePHI(type, 2);
}

// A thread that skips an iteration of the tail keeps its value, unless all threads advance it by the same step.
void connect_tail_phis(CarriedValue &value, const StridedLoop &shape, const Tail &tail) {
  const auto copy = tail.copies.find(value.updated);
  Value *updated = copy == tail.copies.end() ? value.updated : static_cast<Value *>(copy->second),
        *skipped = value.at_header;
  if (value.step) updated = skipped = IRBuilder<>(tail.header->getTerminator()).CreateAdd(value.at_header, value.step);
  value.at_latch->addIncoming(skipped, tail.header);
  value.at_latch->addIncoming(updated, llvm::cast<BasicBlock>(tail.copies.lookup(shape.latch)));
  value.at_header->addIncoming(value.at_latch, tail.latch);
}

// Copies the body of the loop into the tail, between its header and its latch.
void copy_body(const StridedLoop &shape, Tail &tail) {
  llvm::SmallVector<BasicBlock *, 8> copies;
  for (BasicBlock *block : shape.loop->blocks()) {
    copies.push_back(llvm::CloneBasicBlock(block, tail.copies, "", shape.header->getParent()));
    tail.copies[block] = copies.back();
  }
  for (const CarriedValue &value : tail.values) {
    if (!value.phi) continue;
    llvm::cast<PHINode>(tail.copies[value.phi])->eraseFromParent();
    tail.copies[value.phi] = value.at_header;
  }
  llvm::remapInstructionsInBlocks(copies, tail.copies);
  auto *const end = llvm::cast<BasicBlock>(tail.copies[shape.latch]);
  end->getTerminator()->eraseFromParent();
  IRBuilder<>(end).CreateBr(tail.latch);
  auto *const body = llvm::cast<BasicBlock>(tail.copies[shape.header]);
  IRBuilder<>(tail.header).CreateCondBr(tail.values[0].at_header, body, tail.latch);
  for (CarriedValue &value : tail.values) connect_tail_phis(value, shape, tail);
}

// The carried value that is `initial` for threads that run no iteration and `updated` for the others.
const CarriedValue &value_for(Value *initial, Value *updated, const StridedLoop &shape, Tail &tail) {
  for (const CarriedValue &value : tail.values) {
    if (value.initial == initial && value.updated == updated && !value.step) return value;
  }
  CarriedValue &value = tail.values.emplace_back(CarriedValue{initial, updated});
  add_tail_phis(value, shape, tail);
  connect_tail_phis(value, shape, tail);
  return value;
}

// Lets the phis behind the loop take their values from the tail.
void connect_exit(const StridedLoop &shape, Tail &tail) {
  const bool guarded = shape.after != shape.exit;
  for (PHINode &phi : shape.after->phis()) {
    Value *initial = llvm::PoisonValue::get(phi.getType()),
          *updated = phi.getIncomingValueForBlock(guarded ? shape.exit : shape.latch);
    if (guarded) {
      initial = phi.removeIncomingValue(shape.entry, false);
      const auto *const at_exit = llvm::dyn_cast<PHINode>(updated);
      if (at_exit && at_exit->getParent() == shape.exit) updated = at_exit->getIncomingValueForBlock(shape.latch);
    }
    const CarriedValue &value = value_for(initial, updated, shape, tail);
    if (!guarded) phi.removeIncomingValue(shape.latch, false);
    phi.addIncoming(value.at_entry, tail.entry);
    phi.addIncoming(value.at_latch, tail.latch);
  }
}

// Ends a block with a branch to `yes` or `no`, which all threads take together.
void branch_by_vote(BasicBlock *block, const char *which, Value *own, BasicBlock *yes, BasicBlock *no) {
  if (block->getTerminator()) block->getTerminator()->eraseFromParent();
  IRBuilder<> builder(block);
  const llvm::FunctionCallee vote = vote_function(*block->getModule(), which, own->getType());
  builder.CreateCondBr(builder.CreateCall(vote, {own}), yes, no);
}

// The compared value of a thread whose induction variable is `own`.
Value *compared_for(Value *own, Value *at, const StridedLoop &shape, const Range &range, IRBuilder<> &builder) {
  if (at == range.own) return own;
  const auto *const from = llvm::cast<Instruction>(at);
  if (const auto *const cast = llvm::dyn_cast<llvm::CastInst>(from)) {
    Value *const whole = compared_for(own, cast->getOperand(0), shape, range, builder);
    return builder.CreateCast(cast->getOpcode(), whole, cast->getType());
  }
  const auto *const left = llvm::dyn_cast<Instruction>(from->getOperand(0));
  const unsigned k = left && shape.loop->contains(left) ? 0 : 1;
  return builder.CreateAdd(compared_for(own, from->getOperand(k), shape, range, builder), from->getOperand(1 - k));
}

// Whether all threads run another iteration, as far as the least and the greatest of them tell. The threads' values lie
// between these only if neither the variable nor what is extended wraps around there, after which the least is greater.
Value *all_go_on(const StridedLoop &shape, const Tail &tail) {
  const Range &range = tail.range;
  const LoopTest &test = shape.test;
  IRBuilder<> builder(shape.latch->getTerminator());
  const auto end = [&](Value *initial) {
    Value *const own = builder.CreateAdd(initial, tail.values[range.variable].phi);
    return compared_for(own, test.compared(), shape, range, builder);
  };
  Value *const least = end(range.least), *const greatest = end(range.greatest);
  const bool is_signed = llvm::CmpInst::isSigned(test.goes_on);
  const bool bounded_above = llvm::ICmpInst::isLT(test.goes_on) || llvm::ICmpInst::isLE(test.goes_on);
  Value *const holds = builder.CreateICmp(test.goes_on, bounded_above ? greatest : least, test.bound());
  const llvm::CmpInst::Predicate not_greater = is_signed ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
  return builder.CreateAnd(holds, builder.CreateICmp(not_greater, least, greatest));
}

// Whether a thread is left for the tail, from its variable in the last iteration of the loop before; without such an
// iteration, the guard says so.
Value *is_left(const StridedLoop &shape, const Tail &tail) {
  const Range &range = tail.range;
  const CarriedValue &offset = tail.values[range.variable];
  IRBuilder<> front(tail.entry, tail.entry->begin()), builder(tail.entry);
  PHINode *const has_run = front.CreatePHI(front.getInt1Ty(), 2);
  has_run->addIncoming(front.getFalse(), shape.entry);
  has_run->addIncoming(front.getTrue(), shape.latch);
  Value *const own = builder.CreateAdd(range.initial, builder.CreateSub(offset.at_entry, offset.step));
  Value *const compared = compared_for(own, shape.test.compared(), shape, range, builder);
  Value *const again = builder.CreateICmp(shape.test.goes_on, compared, shape.test.bound());
  return builder.CreateSelect(has_run, again, tail.values[0].initial);
}

// Makes the phis at the entry of the tail and, for a test that tells of all threads by two of them, what it needs.
void prepare_tail(const StridedLoop &shape, Tail &tail) {
  for (size_t k = tail.values.size(); k-- > 0;) {  // the condition comes last, for it may need another
    if (k == 0 && shape.is_monotonic) tail.values[0].at_entry = is_left(shape, tail);
    add_tail_phis(tail.values[k], shape, tail);
  }
  if (!shape.is_monotonic) return;
  IRBuilder<> entry(shape.entry->getTerminator());
  Range &range = tail.range;
  const auto extreme = [&](const char *which) {
    return entry.CreateCall(vote_function(*shape.entry->getModule(), which, range.initial->getType()), {range.initial});
  };
  range.least = extreme(kVoteLeast);
  range.greatest = extreme(kVoteGreatest);
}

// Replaces the sign extensions of the tested variable in the uniform loop by sums of those of its parts.
void extend_parts(const StridedLoop &shape, const Range &range, PHINode &offset) {
  std::vector<llvm::SExtInst *> extensions;
  for (llvm::User *user : range.own->users()) {
    auto *const extension = llvm::dyn_cast<llvm::SExtInst>(user);
    if (extension && shape.loop->contains(extension)) extensions.push_back(extension);
  }
  for (llvm::SExtInst *extension : extensions) {
    IRBuilder<> builder(extension);
    Value *first = &offset;
    for (Value *other : shape.others) first = builder.CreateAdd(first, other);
    Value *const wide = builder.CreateSExt(first, extension->getType());
    extension->replaceAllUsesWith(
        builder.CreateAdd(wide, builder.CreateZExt(shape.index, extension->getType()), "", false, /* HasNSW */ true));
    extension->eraseFromParent();
  }
}

// Whether the thread enters the uniform loop, as far as it knows.
Value *enters(const StridedLoop &shape, const Tail &tail) {
  if (!shape.index) return tail.values[0].initial;
  IRBuilder<> builder(shape.entry->getTerminator());
  auto *const type = llvm::cast<llvm::IntegerType>(tail.range.initial->getType());
  const llvm::APInt greatest = llvm::APInt::getSignedMaxValue(type->getBitWidth());
  Value *const can_grow = builder.CreateICmpNE(tail.range.initial, llvm::ConstantInt::get(type, greatest));
  return builder.CreateAnd(tail.values[0].initial, can_grow);
}

void branch_at_latch(const StridedLoop &shape, const Tail &tail) {
  if (!shape.is_monotonic)
    return branch_by_vote(shape.latch, kVoteAll, tail.values[0].updated, shape.header, tail.entry);
  Value *const all = all_go_on(shape, tail);
  shape.latch->getTerminator()->eraseFromParent();
  IRBuilder<>(shape.latch).CreateCondBr(all, shape.header, tail.entry);
}

void rewrite(const Known &known, StridedLoop shape) {
  const Strides strides = find_strides(known, shape);
  isolate_preheader(shape);
  Tail tail;
  find_carried_values(known, shape, tail);
  for (BasicBlock **block : {&tail.entry, &tail.header, &tail.latch})
    *block = BasicBlock::Create(shape.header->getContext(), "tail", shape.header->getParent(), shape.exit);
  prepare_tail(shape, tail);
  copy_body(shape, tail);
  connect_exit(shape, tail);
  for (const auto &[load, step] : strides) request_prefetch(*load, step);
  if (shape.index) extend_parts(shape, tail.range, *tail.values[tail.range.variable].phi);
  const CarriedValue active = tail.values[0];
  branch_by_vote(shape.entry, kVoteAll, enters(shape, tail), shape.preheader, tail.entry);
  branch_at_latch(shape, tail);
  branch_by_vote(tail.entry, kVoteAny, active.at_entry, tail.header, shape.after);
  branch_by_vote(tail.latch, kVoteAny, active.at_latch, tail.header, shape.after);
  if (shape.after != shape.exit) llvm::DeleteDeadBlock(shape.exit);
}

// Rewrites all loops that match at this point; false if there are none.
bool rewrite_loops(llvm::Function &function, const DivergenceSource &is_source) {
  const Known known(function, is_source);
  if (!known.uniformity.is_reducible()) return false;
  std::vector<StridedLoop> found;
  for (llvm::Loop *loop : known.loops.getLoopsInPreorder()) {
    if (!is_candidate(known, *loop)) continue;
    hoist_invariants(*loop);
    if (const std::optional<StridedLoop> shape = match(known, *loop)) found.push_back(*shape);
  }
  for (const StridedLoop &shape : found) rewrite(known, shape);
  return !found.empty();
}

}  // namespace

bool lockstep(llvm::Function &function, llvm::TargetMachine &machine, const DivergenceSource &is_source) {
  {
    Analyses analyses(machine);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.run(function, analyses.functions);
  }
  bool any = false;
  while (rewrite_loops(function, is_source)) any = true;
  if (!any) return false;
  for (BasicBlock &block : function) {
    if (block.getSinglePredecessor()) llvm::FoldSingleEntryPHINodes(&block);
  }
  return true;
}

}  // namespace gpuopt::jit

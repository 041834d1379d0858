// plugins/jit/lower/thread_loops.cpp -- see thread_loops.h.
#include "plugins/jit/lower/thread_loops.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::PHINode;
using llvm::Value;

// Cuts a region into preheader, body and exit. The first block of the body is for what the region loads from other
// regions, so that this comes before what it stores for them.
void cut(const Region &region, const Regions &regions, ThreadLoop &loop) {
  BasicBlock *const front = region.chain.front();
  loop.preheader = front;
  loop.first = llvm::SplitBlock(front, front->getFirstNonPHIIt());
  BasicBlock *const work = llvm::SplitBlock(loop.first, loop.first->begin());
  loop.last = front == region.chain.back() ? work : region.chain.back();
  loop.exit = llvm::SplitBlock(loop.last, loop.last->getTerminator());
  loop.body.push_back(loop.first);
  for (BasicBlock *block : region.blocks) loop.body.push_back(block == front ? work : block);
  for (BasicBlock *block : loop.body) {
    for (Instruction &instruction : llvm::make_early_inc_range(*block)) {
      if (!regions.is_hoisted(instruction)) continue;
      instruction.moveBefore((is_vote(instruction) ? loop.exit : loop.preheader)->getTerminator());
      if (is_vote(instruction)) loop.votes.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
  }
}

// Whether any thread does something in the body, takes a value from a region before, or gives one to a region behind.
bool has_work(const Regions &regions, const ThreadLoop &loop) {
  if (!loop.votes.empty()) return true;
  const auto is_own = [&](const PHINode &phi) { return !regions.is_hoisted(phi); };
  if (llvm::any_of(loop.preheader->phis(), is_own)) return true;
  for (const BasicBlock *block : loop.body) {
    if (block->size() > 1 || block->getTerminator()->getNumSuccessors() > 1) return true;
  }
  for (BasicBlock *next : llvm::successors(loop.exit)) {
    if (llvm::any_of(next->phis(), is_own)) return true;
  }
  return false;
}

// The number of the thread in its block: (z * height + y) * width + x.
void add_number(const ThreadFields &fields, BasicBlock *const (&headers)[3], ThreadLoop &loop) {
  IRBuilder<> row(headers[1]->getTerminator()), at(headers[0]->getTerminator());
  Value *const line =
      row.CreateAdd(row.CreateMul(loop.index[2], fields.size[1], "", true, true), loop.index[1], "", true, true);
  Value *const begin = row.CreateZExt(row.CreateMul(line, fields.size[0], "", true, true), row.getInt64Ty());
  loop.number = at.CreateAdd(begin, at.CreateZExt(loop.index[0], at.getInt64Ty()), "number", true, true);
}

void add_loops(llvm::Function &function, const ThreadFields &fields, ThreadLoop &loop) {
  llvm::LLVMContext &context = function.getContext();
  BasicBlock *headers[3], *latches[3];
  for (unsigned k = 3; k-- > 0;) headers[k] = BasicBlock::Create(context, "threads", &function, loop.first);
  for (unsigned k = 0; k < 3; k++) latches[k] = BasicBlock::Create(context, "next", &function, loop.exit);
  for (unsigned k = 3; k-- > 0;) {
    BasicBlock *const before = k == 2 ? loop.preheader : headers[k + 1];
    BasicBlock *const after = k == 2 ? loop.exit : latches[k + 1];
    IRBuilder<> header(headers[k]), latch(latches[k]);
    PHINode *const i = header.CreatePHI(header.getInt32Ty(), 2);
    header.CreateBr(k ? headers[k - 1] : loop.first);
    Value *const next = latch.CreateAdd(i, latch.getInt32(1), "", true, true);
    loop.inner_latch = latch.CreateCondBr(latch.CreateICmpULT(next, fields.size[k]), headers[k], after);
    i->addIncoming(header.getInt32(0), before);
    i->addIncoming(next, latches[k]);
    loop.index[k] = i;
  }
  loop.outer_header = headers[2];
  loop.preheader->getTerminator()->setSuccessor(0, headers[2]);
  loop.last->getTerminator()->setSuccessor(0, latches[0]);
  add_number(fields, headers, loop);
}

}  // namespace

ThreadLoops wrap_in_loops(llvm::Function &function, const ThreadFields &fields, const Regions &regions) {
  ThreadLoops loops;
  for (const Region &region : regions.list) {
    ThreadLoop &loop = loops.list.emplace_back();
    cut(region, regions, loop);
    loops.of_block[loop.exit] = &loop;
    if (!has_work(regions, loop)) {
      loop.first = nullptr;
      continue;
    }
    loop.begin = loop.first->getTerminator();
    for (BasicBlock *block : loop.body) loops.of_block[block] = &loop;
    add_loops(function, fields, loop);
  }
  return loops;
}

}  // namespace gpuopt::jit

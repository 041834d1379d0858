// tests/fake_cuda/ptx/flow.cpp -- branches, calls, barriers, and what lanes of a warp do together, as operations: who
// waits for whom is the block's business (block.cpp).
#include "tests/fake_cuda/ptx/decode.h"

namespace fake_cuda::ptx {
namespace {

void does_nothing(Warp &, const Op &, Mask) {}

void trap(Warp &warp, const Op &op, Mask lanes) {
  fault(warp, op, std::countr_zero(lanes), CUDA_ERROR_LAUNCH_FAILED, "a trap");
}

// Of the block that the statement is in, or of one around it.
uint32_t label(Decoder &d, const std::string &name) {
  const auto &labels = d.function.text->body.labels;
  for (std::string block = d.statement.block;; block.resize(block.rfind('/'))) {
    const auto found = labels.find(name + block);
    if (found != labels.end()) return found->second;
    if (block.empty()) d.unknown("there is no such label");
  }
}

void decode_branch(Decoder &d) {
  d.take("uni");
  if (d.operands() != 1) d.unknown();
  d.op.flow = Flow::kBranch;
  d.op.target = label(d, d.operand(0).name);
}

void decode_branch_table(Decoder &d) {
  if (!d.take("idx")) d.unknown();
  d.take("uni");
  if (d.operands() != 2) d.unknown();
  const auto &tables = d.function.text->body.branch_tables;
  const auto found = tables.find(d.operand(1).name);
  if (found == tables.end()) d.unknown("there is no such table");
  std::vector<uint32_t> &targets = d.function.tables.emplace_back();
  for (const std::string &name : found->second) targets.push_back(label(d, name));
  d.op.flow = Flow::kTable;
  d.op.table = &targets;
  d.op.from[0] = d.in(0, Type::kU32);
}

void match_pieces(Decoder &d, const Operand *list, const Function &callee, const std::deque<Variable> &formal,
                  std::vector<CallSite::Piece> &pieces) {
  if ((list ? list->parts.size() : 0) != formal.size()) d.unknown("another number of arguments than parameters");
  for (size_t k = 0; k < formal.size(); ++k) {
    const Operand &part = list->parts[k];
    if (part.kind != Operand::Kind::kVariable || part.variable->bytes != formal[k].bytes)
      d.unknown("an argument of another size than its parameter");
    pieces.push_back({d.function.places.at(part.variable), callee.places.at(&formal[k]), uint32_t(formal[k].bytes)});
  }
}

// call (result), function, (arguments);
void decode_call(Decoder &d) {
  d.take("uni");
  size_t at = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (d.operand(0).kind == Operand::Kind::kList) results = &d.operand(at++);
  const Operand &called = d.operand(at++);
  if (called.kind != Operand::Kind::kName) d.unknown("a call through a pointer");
  if (at < d.operands()) arguments = &d.operand(at++);
  if (at != d.operands()) d.unknown();
  const auto found = d.module.by_name.find(called.name);
  if (found == d.module.by_name.end()) d.unknown("the function is not in the module");
  CallSite &site = d.function.calls.emplace_back();
  site.callee = found->second;
  match_pieces(d, arguments, *site.callee, site.callee->text->parameters, site.arguments);
  match_pieces(d, results, *site.callee, site.callee->text->results, site.results);
  d.op.flow = Flow::kCall;
  d.op.call = &site;
}

// ------------------------------------------------------------------------------------------------ the block

// count: of operands before the threads' number, which may be left out; from[0] the barrier, from[1] the number.
void take_barrier(Decoder &d, size_t first, size_t last) {
  d.op.flow = Flow::kBlockBarrier;
  d.op.from[0] = d.in(first, Type::kU32);
  const bool counted = last > first + 1;
  d.op.from[1] = counted ? d.in(first + 1, Type::kU32) : d.constant(0);
  d.op.count = counted;
}

void decode_barrier_reduction(Decoder &d) {
  const bool popc = d.take("popc"), all = d.take("and");
  if (!popc && !all && !d.take("or")) d.unknown();
  const Type type = d.take_type();
  if (type != (popc ? Type::kU32 : Type::kPred) || d.operands() < 3) d.unknown();
  d.op.kind = uint8_t(popc ? BlockBarrier::kPopc : all ? BlockBarrier::kAnd : BlockBarrier::kOr);
  d.op.to_predicate = !popc;
  if (popc)
    d.op.to[0] = d.out(0, type);
  else
    d.op.predicate[1] = d.predicate(d.operand(0));
  d.op.predicate[0] = d.predicate_in(d.operand(d.operands() - 1), d.op.from_negated);
  take_barrier(d, 1, d.operands() - 1);
}

void take_meeting(Decoder &d, Meeting kind, size_t mask) {
  if (d.operands() != mask + 1) d.unknown("it has another number of operands");
  d.op.flow = Flow::kMeeting;
  d.op.kind = uint8_t(kind);
  d.op.from[3] = d.in(mask, Type::kB32);
}

// width: whether all lanes of a warp have to come to the same statement.
void decode_barrier(Decoder &d) {
  const bool whole_warps = d.statement.opcode == "bar";
  d.take("cta");
  if (d.take("warp")) {
    if (!d.take("sync")) d.unknown();
    return take_meeting(d, Meeting::kSync, 0);
  }
  d.op.width = d.take("aligned") || whole_warps;
  if (d.take("red")) return decode_barrier_reduction(d);
  const bool arrives = d.take("arrive");
  if ((!arrives && !d.take("sync")) || d.operands() > 2 || (arrives && d.operands() != 2)) d.unknown();
  d.op.kind = uint8_t(arrives ? BlockBarrier::kArrive : BlockBarrier::kSync);
  take_barrier(d, 0, d.operands());
}

// ------------------------------------------------------------------------------------------------ the warp

void need_sync(Decoder &d) {
  if (!d.take("sync")) d.unknown("lanes that do not say for whom they wait");
}

void decode_shuffle(Decoder &d) {
  need_sync(d);
  const Meeting kind = d.take("up")     ? Meeting::kShuffleUp
                       : d.take("down") ? Meeting::kShuffleDown
                       : d.take("bfly") ? Meeting::kShuffleXor
                                        : Meeting::kShuffleIndex;
  if (kind == Meeting::kShuffleIndex && !d.take("idx")) d.unknown();
  if (d.take_type() != Type::kB32) d.unknown();
  take_meeting(d, kind, 4);
  d.op.to[0] = d.out(0, Type::kB32);
  d.op.to_predicate = !d.operand(0).parts.empty();
  if (d.op.to_predicate) d.op.predicate[1] = d.predicate(d.operand(0).parts[0]);
  d.op.from[0] = d.in(1, Type::kB32);
  d.op.from[1] = d.in(2, Type::kB32);
  d.op.from[2] = d.in(3, Type::kB32);
}

void decode_vote(Decoder &d) {
  need_sync(d);
  const Meeting kind = d.take("all")   ? Meeting::kVoteAll
                       : d.take("any") ? Meeting::kVoteAny
                       : d.take("uni") ? Meeting::kVoteUniform
                                       : Meeting::kBallot;
  if (kind == Meeting::kBallot && !d.take("ballot")) d.unknown();
  if (d.take_type() != (kind == Meeting::kBallot ? Type::kB32 : Type::kPred)) d.unknown();
  take_meeting(d, kind, 2);
  d.op.to_predicate = kind != Meeting::kBallot;
  if (d.op.to_predicate)
    d.op.predicate[1] = d.predicate(d.operand(0));
  else
    d.op.to[0] = d.out(0, Type::kB32);
  d.op.predicate[0] = d.predicate_in(d.operand(1), d.op.from_negated);
  d.op.count = 0;  // a predicate is brought
}

void decode_match(Decoder &d) {
  const bool all = d.take("all");
  if (!all && !d.take("any")) d.unknown();
  need_sync(d);
  const Type type = d.take_type();
  if (type != Type::kB32 && type != Type::kB64) d.unknown();
  take_meeting(d, all ? Meeting::kMatchAll : Meeting::kMatchAny, 2);
  d.op.to[0] = d.out(0, Type::kB32);
  d.op.to_predicate = !d.operand(0).parts.empty();
  if (d.op.to_predicate) d.op.predicate[1] = d.predicate(d.operand(0).parts[0]);
  d.op.from[0] = d.op.from[1] = d.op.from[2] = d.in(1, type);
}

void decode_reduction(Decoder &d) {
  struct Row {
    const char *name;
    Meeting of_unsigned, of_signed;
  };
  static const Row rows[] = {
      {"add", Meeting::kReduceAdd, Meeting::kReduceAdd},       {"min", Meeting::kReduceMin, Meeting::kReduceMinSigned},
      {"max", Meeting::kReduceMax, Meeting::kReduceMaxSigned}, {"and", Meeting::kReduceAnd, Meeting::kReduceAnd},
      {"or", Meeting::kReduceOr, Meeting::kReduceOr},          {"xor", Meeting::kReduceXor, Meeting::kReduceXor}};
  need_sync(d);
  const Row *found = nullptr;
  for (const Row &row : rows)
    if (!found && d.take(row.name)) found = &row;
  const Type type = d.take_type();
  if (!found || bytes_of(type) != 4 || is_float(type)) d.unknown();
  take_meeting(d, is_signed(type) ? found->of_signed : found->of_unsigned, 2);
  d.op.to[0] = d.out(0, type);
  d.op.from[0] = d.op.from[1] = d.op.from[2] = d.in(1, type);
}

void decode_elect(Decoder &d) {
  need_sync(d);
  take_meeting(d, Meeting::kElect, 1);
  d.op.to[0] = d.out(0, Type::kB32);
  d.op.to_predicate = !d.operand(0).parts.empty();
  if (d.op.to_predicate) d.op.predicate[1] = d.predicate(d.operand(0).parts[0]);
  d.op.from[0] = d.op.from[1] = d.op.from[2] = d.constant(0);
}

// Fences order what other threads see; here every thread sees everything at once.
void decode_fence(Decoder &d) {
  for (const char *const known : {"cta", "gpu", "gl", "sys", "cluster", "sc", "acq_rel", "acquire", "release"})
    d.take(known);
  d.op.execute = does_nothing;
}

void decode_sleep(Decoder &d) {
  if (d.take_type() != Type::kU32 || d.operands() != 1) d.unknown();
  d.in(0, Type::kU32);
  d.op.execute = does_nothing;
}

}  // namespace

void add_flow(Families &families) {
  families["bra"] = decode_branch;
  families["brx"] = decode_branch_table;
  families["call"] = decode_call;
  families["ret"] = [](Decoder &d) {
    d.take("uni");
    d.op.flow = Flow::kReturn;
  };
  families["exit"] = [](Decoder &d) { d.op.flow = Flow::kExit; };
  families["trap"] = [](Decoder &d) { d.op.execute = trap; };
  families["bar"] = decode_barrier;
  families["barrier"] = decode_barrier;
  families["shfl"] = decode_shuffle;
  families["vote"] = decode_vote;
  families["match"] = decode_match;
  families["redux"] = decode_reduction;
  families["elect"] = decode_elect;
  families["membar"] = decode_fence;
  families["fence"] = decode_fence;
  families["nanosleep"] = decode_sleep;
}

}  // namespace fake_cuda::ptx

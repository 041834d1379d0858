// core/engine/run.cpp -- runs the groups of an evaluation, and keeps failures with the values concerned; see run.h.
#include "core/engine/run.h"

#include <algorithm>

#include "core/engine/access.h"
#include "core/engine/known_plans.h"
#include "core/engine/plan.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"

namespace gpuopt {

const char *operation_name(const Node &node) {
  switch (node.kind) {
    case NodeKind::Elementwise:
      return op_info(node.index).name;
    case NodeKind::Cast:
      return "astype";
    case NodeKind::Reduce:
      return reduction_info(node.index).name;
    case NodeKind::Scan:
      return scan_info(node.index).name;
    case NodeKind::Constant:
      return "full";
    default:
      return "copy";
  }
}

// For example "sqrt (recorded, with 3 other operations; float64, shape (3, 4)): " and the backend's message.
Failure name_operation(Node &last, int nodes, Failure failure) {
  std::string text = std::string(operation_name(last)) + " (recorded";
  if (nodes > 1) text += ", with " + std::to_string(nodes - 1) + " other operations";
  text += std::string("; ") + dtype_name(last.dtype) + ", shape " + shape_text(last.ndim, last.shape());
  failure.message = text + "): " + failure.message;
  return failure;
}

namespace {

// Makes the values that the group would have stored fail. Returns true, for run_group().
bool fail_group(Planner &planner, Group &group, const std::shared_ptr<const Failure> &failure) {
  planner.record = nullptr;
  for (Node *node = group.first; node; node = node->plan.next) {
    if (node->plan.output) become_failed(*node, failure);
  }
  planner.done(group);
  return true;
}

// Returns an input of the group that has failed, or NULL.
const Node *failed_input(const Group &group) {
  return find_input(group, [](const Node &node) { return node.kind == NodeKind::Failed; });
}

// Copies the program that has been written for the group into the record of the evaluation, if there is one.
void note_program(Planner &planner, const Group &group) noexcept {
  if (!planner.record) return;
  try {
    planner.builder.describe(group, planner.record->key, *planner.record->plan);
  } catch (const std::bad_alloc &) {
    planner.record = nullptr;
  }
}

// Replaces the group by its halves or, if `all`, by its nodes. Returns false, for run_group().
bool split_group(Planner &planner, Group &group, bool all) {
  planner.record = nullptr;
  all ? planner.separate(group) : planner.halve(group);
  return false;
}

// Runs the group at a position of `order`. Returns false if it has replaced the group by smaller ones, which are at
// this position and after it and have yet to run. Throws ERR_OUT_OF_MEMORY; other failures are recorded in the nodes.
bool run_group(Planner &planner, size_t position) {
  Group &group = *planner.order[position];
  if (const Node *failed = failed_input(group)) {
    if (group.nodes == 1) return fail_group(planner, group, failed->failure);
    return split_group(planner, group, true);  // only what depends on the failure fails with it
  }
  if (!planner.builder.write(group)) return split_group(planner, group, false);
  note_program(planner, group);
  try {
    planner.builder.run(planner, group);
  } catch (Failure &failure) {
    if (failure.code == GPUOPT_ERR_OUT_OF_MEMORY) throw name_operation(*group.last, group.nodes, std::move(failure));
    if (failure.code == GPUOPT_ERR_UNSUPPORTED && group.nodes > 1) return split_group(planner, group, true);
    return fail_group(planner, group,
                      std::make_shared<const Failure>(name_operation(*group.last, group.nodes, std::move(failure))));
  }
  planner.done(group);
  return true;
}

// Whether a deferred copy fills the whole of its target, in C order as its source is, so that the two storages can
// exchange their memory instead.
bool can_exchange(Node &copy) {
  const Storage &target = *copy.target;
  const int itemsize = dtype_size(copy.dtype);
  return !target.is_volatile() && !target.in_block && copy.offset == 0 &&
         target.bytes == static_cast<uint64_t>(copy.size) * itemsize &&
         is_contiguous(copy.ndim, copy.shape(), copy.strides(), itemsize);
}

// Exchanges the memory of the copy's source and target. Both nodes are leaves of the target afterwards.
void exchange(Node &copy) {
  auto target = Ref<Storage>::share(copy.target);
  Node &source = *copy.src[0];
  await_downloads(*target);
  await_downloads(*source.storage);
  std::swap(target->memory, source.storage->memory);
  std::swap(target->stream, source.storage->stream);
  std::swap(target->readers, source.storage->readers);
  NodeRef done = take_pending(copy);
  source.storage = target;  // of the same size
  become_leaf(copy, std::move(target));
  settle(*copy.engine, *copy.storage);
}

// Copies outputs from temporary memory to their targets, which no group reads any more.
void run_deferred(Planner &planner) {
  for (size_t i = 0; i < planner.deferred.size(); ++i) {
    Node &copy = *planner.deferred[i].get();
    if (!copy.target) continue;
    if (can_exchange(copy)) {
      exchange(copy);
    } else {
      Group &group = planner.add_copy(copy);
      run_group(planner, group.position);
    }
  }
}

// Takes the engine's planner for one evaluation, and gives it back. A nested evaluation makes a planner of its own.
class Evaluation {
 public:
  explicit Evaluation(Engine &engine) : engine_(engine), planner_(std::move(engine.planner)) {
    if (!planner_) planner_ = std::make_unique<Planner>(engine);
  }
  ~Evaluation() {
    planner_->clear();
    engine_.planner = std::move(planner_);
  }
  // Returns whether the evaluation is one program, and has been written down in `record`, which may be NULL.
  bool run(std::span<Node *const> roots, const Storage *written, PlanRecord *record) {
    planner_->plan(roots, written);
    const auto groups = planner_->order.size() - std::ranges::count(planner_->order, nullptr);
    planner_->record = groups == 1 ? record : nullptr;
    for (size_t i = 0; i < planner_->order.size();) {
      if (!planner_->order[i] || run_group(*planner_, i)) ++i;
    }
    const bool recorded = planner_->record && planner_->deferred.empty();
    planner_->record = nullptr;
    run_deferred(*planner_);
    return recorded;
  }

 private:
  Engine &engine_;
  std::unique_ptr<Planner> planner_;
};

// Returns an object, or NULL if there is no memory for it.
template <class T, class... Arguments>
std::unique_ptr<T> try_make(const Arguments &...arguments) {
  try {
    return std::make_unique<T>(arguments...);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

// Computes the nodes by the plan that is known for expressions of their form, or plans and runs them, and keeps the
// plan if it is the second one of its key.
void run_by_key(Engine &engine, std::span<Node *const> nodes) {
  ExpressionKey key;
  if (!engine.known_plans) engine.known_plans = try_make<KnownPlans>();
  if (!engine.known_plans || !key.write(engine, nodes)) return void(Evaluation(engine).run(nodes, nullptr, nullptr));
  KnownPlans &plans = *engine.known_plans;
  if (auto plan = plans.take(key)) {
    const bool done = run_known(engine, *plan, key);
    plans.uses += done;
    if (done) return plans.keep(std::move(plan));
    return void(Evaluation(engine).run(nodes, nullptr, nullptr));
  }
  if (!plans.is_wanted(key)) return void(Evaluation(engine).run(nodes, nullptr, nullptr));
  PlanRecord record{key, try_make<KnownPlan>(key)};
  if (Evaluation(engine).run(nodes, nullptr, record.plan ? &record : nullptr)) plans.keep(std::move(record.plan));
}

void run_roots(Engine &engine, std::span<Node *const> nodes, const Storage *written) {
  // Hold references to the nodes: once they are computed, their storages no longer do.
  std::vector<NodeRef> more;
  NodeRef first = nodes.empty() ? NodeRef() : NodeRef::share(nodes[0]);
  for (size_t i = 1; i < nodes.size(); ++i) more.push_back(NodeRef::share(nodes[i]));
  written ? void(Evaluation(engine).run(nodes, written, nullptr)) : run_by_key(engine, nodes);
  if (first.get() && first->kind == NodeKind::Failed) throw Failure(*first->failure);
  for (const NodeRef &root : more) {
    if (root->kind == NodeKind::Failed) throw Failure(*root->failure);
  }
}

}  // namespace

void run_readers(Engine &engine, const Storage &storage) { run_roots(engine, {}, &storage); }

void run_nodes(Engine &engine, std::span<Node *const> nodes) {
  if (nodes.size() == 1 && run_alone(engine, *nodes[0])) return;
  run_roots(engine, nodes, nullptr);
}

void run_pending(Engine &engine) {
  std::vector<Node *> roots;
  for (Node *node = engine.pending_first; node; node = node->next) {
    if (node->kind != NodeKind::Failed) roots.push_back(node);
  }
  if (!roots.empty()) run_nodes(engine, roots);
}

bool too_much_pinned(Engine &engine) {
  const uint64_t known = std::min(engine.pinned_baseline, engine.leaf_bytes);
  const uint64_t limit = engine.device->engines->pinned_limit();
  if (limit == 0 || engine.leaf_bytes - known <= limit) return false;
  if (!engine.planner) return false;  // an evaluation is running, of which a release function of the user's is a part
  const uint64_t pinned = engine.planner->pinned_bytes();
  engine.pinned_baseline = engine.leaf_bytes - std::min(pinned, engine.leaf_bytes);
  return pinned > limit;
}

}  // namespace gpuopt

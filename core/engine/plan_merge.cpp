// core/engine/plan_merge.cpp -- decides whether two groups can become one program, and merges them.
//
// The planner places the nodes in the order of recording, each in a group of its own, and merges that group with the
// groups of its sources (and with groups that read the same sources). A program has one iteration space, and one set of
// reduced axes for all of its steps, so the question is which axes the merged group reduces. A group's own set is
//
//   None  empty: every value varies along all axes.
//   Soft  preferred: nothing is reduced, but values that vary along none of these axes are computed at level REDUCED,
//         once per index of the other axes, instead of for every index. A smaller set, but not an empty one, would do.
//   Hard  given by a REDUCE or SCAN step.
//
// Two groups over the same space reduce
//
//   None with any  the set of the other one
//   Soft and Soft  the intersection; they stay apart if that is empty
//   Hard and Hard  the common set; they stay apart if the sets differ
//   Soft and Hard  the hard set if it is a subset of the soft one, so that no value that is computed at level REDUCED
//                  varies along a reduced axis. If it is not, Planner::relax() takes these values out of the Soft
//                  group, into programs that come before it, which leaves a None group.
//   SCAN           the axis of the SCAN, if the other group is None; else they stay apart
//
// A group over a smaller space can be merged into one over a larger space if one reads a value of the other that varies
// along all axes of the smaller space, unless the smaller group is Hard or the larger one has a SCAN. The values of the
// smaller group are then computed at level REDUCED, so none of its axes may be reduced: a Hard set must not contain
// any, a Soft set loses them, and None becomes Soft, with all other axes. Groups that only read the same value are
// merged if they have the same space, read it along the same axes, and have no SCAN.
//
// For example, let x have the shape (1000, 64) and v the shape (64,), and let y.sum(axis) be recorded after y:
//
//   y = x - x.mean(axis=0)  The sum over axis 0, its quotient and the subtraction are one group, Hard {0}.
//                           y.sum(axis=0) is Hard {0}, too, and merged: one program, of two passes over x.
//                           y.sum(axis=1) is Hard {1} and stays apart: one program stores y, and another one sums it.
//   y = x - sqrt(v)         sqrt has the smaller space: with the subtraction it becomes a group Soft {0}, in which the
//                           64 square roots are computed once, and not for all 64000 indices.
//                           y.sum(axis=0) is Hard {0}, a subset of {0}, and merged: one program.
//                           y.sum(axis=1) is Hard {1}. relax() takes sqrt out: one program stores sqrt(v), and another
//                           one subtracts and sums.
#include <algorithm>

#include "core/engine/plan.h"

namespace gpuopt {
namespace {

constexpr int kMaxNodes = 256;  // of a group
// The longest distance, in positions, over which a group moves to a later one. The inputs of all groups in between are
// searched, which without a limit would take quadratic time.
constexpr int kMaxDistance = 64;

// How two groups become one: the spaces, the axes, and what the common program reduces.
struct Fit {
  Group *space, *other;  // the group whose shape becomes the common one, and the other group
  uint64_t from, to;  // the axes of `other` whose size is not 1, and the corresponding axes of `space`: see map_axes()
  uint64_t reduced;   // Group::reduced and Group::fix of the merged group
  Fix fix;
};

// Whether two groups have the same space but for axes of size 1.
bool same_sizes(const Group &a, const Group &b) {
  if (a.nwide != b.nwide) return false;
  for (int i = 0, k = 0; i < a.ndim; ++i) {
    if (!(a.wide >> i & 1)) continue;
    while (!(b.wide >> k & 1)) ++k;
    if (a.shape[i] != b.shape[k++]) return false;
  }
  return true;
}

// Whether a REDUCE or SCAN of the same program may take this value of group `a`. Its step has to be of level FULL, but
// results of REDUCE are REDUCED. An alias has no step of its own, so one that broadcasts may be REDUCED, too, although
// its mask has all axes.
bool is_collectable(const Node &value, const Group &a) {
  const Node *node = &value;
  // computed() is asked first because the planner's data of a constant are not set.
  while (node->kind == NodeKind::Alias && node->src[0]->computed() && current(node->src[0]->plan.group) == &a) {
    if (node->nwide != node->src[0]->nwide) return false;
    node = node->src[0];
  }
  const bool widens =
      node->kind == NodeKind::Alias && node->src[0]->kind != NodeKind::Constant && node->nwide != node->src[0]->nwide;
  return node->kind != NodeKind::Reduce && !widens;
}

// Whether every value of `a` that `b` reads varies, in the merged space, along the axes that `b` expects, and is
// collectable where a REDUCE or SCAN reads it.
bool edges_fit(const Group &a, const Group &b, const Fit &fit) {
  for (int i = 0; i < b.ninputs; ++i) {
    const Operand &in = b.inputs[i];
    if (!in.node->computed() || current(in.node->plan.group) != &a) continue;
    uint64_t made = in.node->plan.mask, wanted = in.mask;
    (fit.other == &a ? made : wanted) = map_axes(fit.other == &a ? made : wanted, fit.from, fit.to);
    if (made != wanted || (in.full && !is_collectable(*in.node, a))) return false;
  }
  return true;
}

// Whether both groups read the same value along the same axes.
bool share_input(const Group &a, const Group &b, const Fit &fit) {
  for (int i = 0; i < fit.other->ninputs; ++i) {
    const Operand &in = fit.other->inputs[i];
    const uint64_t mask = map_axes(in.mask, fit.from, fit.to);
    const Group &space = fit.space == &a ? a : b;
    for (int k = 0; k < space.ninputs; ++k) {
      if (space.inputs[k].node == in.node && space.inputs[k].mask == mask) return true;
    }
  }
  return false;
}

// Sets fit.reduced and fit.fix for two groups over the same space, by the table above. Returns false if they
// have to stay apart.
bool combine_reduced(const Group &a, const Group &b, Fit &fit) {
  const Group &other = *fit.other, &space = *fit.space;
  const uint64_t theirs = map_axes(other.reduced_wide(), fit.from, fit.to), ours = space.reduced_wide();
  if (a.scan || b.scan) {
    if (a.fix != Fix::None && b.fix != Fix::None) return false;
    fit.fix = Fix::Hard;
    fit.reduced = space.scan ? space.reduced : theirs;
    return true;
  }
  fit.fix = std::max(space.fix, other.fix);
  if (other.fix == Fix::None) {
    fit.reduced = space.reduced;
  } else if (space.fix == Fix::None) {
    fit.reduced = theirs;
  } else if (space.fix == Fix::Soft && other.fix == Fix::Soft) {
    fit.reduced = ours & theirs;
    return fit.reduced != 0;
  } else if (space.fix == Fix::Hard && other.fix == Fix::Hard) {
    fit.reduced = space.reduced;
    return ours == theirs;
  } else {
    const uint64_t hard = space.fix == Fix::Hard ? ours : theirs, soft = space.fix == Fix::Hard ? theirs : ours;
    fit.reduced = space.fix == Fix::Hard ? space.reduced : theirs;
    return hard && !(hard & ~soft);
  }
  return true;
}

// The same for a group over a smaller space, all values of which are computed at level REDUCED: none may vary along a
// reduced axis.
bool nest_reduced(Fit &fit) {
  const Group &space = *fit.space, &other = *fit.other;
  if (other.fix == Fix::Hard || space.scan) return false;
  fit.fix = std::max(space.fix, Fix::Soft);
  fit.reduced = space.reduced;
  if (space.fix == Fix::None) fit.reduced = space.wide & ~fit.to;
  if (space.fix == Fix::Soft) fit.reduced &= ~fit.to;
  return (fit.reduced & space.wide) && !(fit.reduced & fit.to);
}

// Finds out which axes of the larger space are those of the smaller one (fit.to), from a value that one group computes
// and the other reads, and that varies along all axes of the smaller space. Returns false if there is none.
bool find_embedding(const Group &a, const Group &b, Fit &fit) {
  for (int i = 0; i < b.ninputs; ++i) {
    const Operand &in = b.inputs[i];
    if (!in.node->computed() || current(in.node->plan.group) != &a) continue;
    const uint64_t made = in.node->plan.mask, wanted = in.mask;
    if ((fit.other == &a ? made : wanted) != fit.from) continue;
    fit.to = fit.other == &a ? wanted : made;
    return true;
  }
  return false;
}

// Whether a merged group can be at the position of `a` or `b`, `a` being the earlier. Returns 1 if `b` can move to `a`,
// since all its inputs are computed by then; 2 if `a` can move to `b`, since no group in between reads it; 0 otherwise.
int movable(const std::vector<Group *> &order, const Group &a, const Group &b) {
  const auto is_later = [&](const Node &node) {
    return node.computed() && current(node.plan.group)->position > a.position;
  };
  if (!find_input(b, is_later)) return 1;
  if (b.position - a.position > kMaxDistance) return 0;
  const auto is_of_a = [&](const Node &node) { return node.computed() && current(node.plan.group) == &a; };
  for (int p = a.position + 1; p < b.position; ++p) {
    if (order[p] && find_input(*order[p], is_of_a)) return 0;
  }
  return 2;
}

// Collects the inputs of the merged group in `merged`. Returns false if there are more than a program can have.
bool merge_inputs(const Group &a, const Group &b, const Fit &fit, Group &merged) {
  merged.ninputs = 0;
  for (const Group *group : {&a, &b}) {
    for (int i = 0; i < group->ninputs; ++i) {
      Operand in = group->inputs[i];
      if (group == &b && in.node->computed() && current(in.node->plan.group) == &a) continue;
      if (group == fit.other) in.mask = map_axes(in.mask, fit.from, fit.to);
      if (!add_input(merged, in)) return false;
    }
  }
  return merged.ninputs + std::max(merged.targets, 1) <= GPUOPT_PROGRAM_MAX_OPERANDS;
}

// Maps the masks of the nodes into the merged space.
void remap(Group &group, const Fit &fit) {
  if (fit.from == fit.to) return;
  for (Node *node = group.first; node; node = node->plan.next) {
    node->plan.mask = map_axes(node->plan.mask, fit.from, fit.to);
  }
}

// Decides whether the spaces, reduced axes and masks of two groups fit together, and fills `fit` if so. `a` comes
// before `b` in Planner::order. `siblings`: they are to be merged because both read the same value, and not because one
// reads a value of the other.
bool find_fit(Group &a, Group &b, bool siblings, Fit &fit) {
  if (a.stream != b.stream) return false;
  fit.space = a.nwide < b.nwide ? &b : &a;
  fit.other = a.nwide < b.nwide ? &a : &b;
  fit.from = fit.other->wide;
  fit.to = fit.space->wide;
  if (same_sizes(a, b)) {
    if (fit.other->fix == Fix::Hard) {  // `reduced` of the space then has the axes of size 1 that it reduces, too
      std::swap(fit.space, fit.other);
      std::swap(fit.from, fit.to);
    }
    if (siblings && (a.scan || b.scan || !share_input(a, b, fit))) return false;
    return combine_reduced(a, b, fit) && edges_fit(a, b, fit);
  }
  if (siblings || a.nwide == b.nwide || !find_embedding(a, b, fit)) return false;
  return nest_reduced(fit) && edges_fit(a, b, fit);
}

// Returns the group that computes all sources of the node that have to be computed, or NULL if there is none.
Group *group_of_sources(const Node &node) {
  Group *found = nullptr;
  for (int i = 0; i < node.nsrc; ++i) {
    if (!node.src[i]->computed()) continue;
    Group *const group = current(node.src[i]->plan.group);
    if (found && group != found) return nullptr;
    found = group;
  }
  return found;
}

// Whether find_fit() and merge() would merge the group with that of a node which has the space of the group, axes of
// size 1 included, and all of whose sources are in memory or computed by the group. `own` is what the node reduces, 0
// if nothing.
bool takes_node(const Group &group, const Node &node, uint64_t own) {
  if (group.stream != node.stream.get() || group.nodes == kMaxNodes || !group.lists_all_inputs) return false;
  if (group.targets + node.plan.targeted > GPUOPT_PROGRAM_MAX_OUTPUTS) return false;
  if (node.kind != NodeKind::Reduce) return true;
  if (group.fix == Fix::None) return true;
  return group.fix == Fix::Hard && !group.scan && group.reduced_wide() == (own & group.wide);
}

// Adds the sources of the node to the inputs of the group, or checks that they vary along the axes that the node
// expects, and are collectable, as edges_fit() does. Returns false if the node cannot join the group, whose inputs may
// then have grown.
bool takes_sources(Group &group, Node &node) {
  const bool full = node.kind == NodeKind::Reduce;
  for (int i = 0; i < node.nsrc; ++i) {
    Node &source = *node.src[i];
    if (source.kind == NodeKind::Constant) continue;
    const uint64_t mask = source_mask(node, source, node.plan.mask, group.wide);
    if (!source.computed()) {
      if (!add_input(group, {&source, mask, full})) return false;
    } else if (source.plan.mask != mask || (full && !is_collectable(source, group))) {
      return false;
    }
  }
  return group.ninputs + std::max(group.targets + node.plan.targeted, 1) <= GPUOPT_PROGRAM_MAX_OPERANDS;
}

}  // namespace

// Puts the node into the group of its sources, if that has the same shape and is all that has to be computed for it.
// The outcome is that of a group of its own and merge(), which need not be made then. Returns whether it did.
bool Planner::append(Node &node) {
  if (node.kind == NodeKind::Scan) return false;
  const bool reduces = node.kind == NodeKind::Reduce;
  Node &space = reduces ? *node.src[0] : node;
  Group *const group = group_of_sources(node);
  if (!group || group->ndim != space.ndim || !std::equal(group->shape, group->shape + group->ndim, space.shape()))
    return false;
  if (!takes_node(*group, node, node.axes)) return false;
  const int inputs = group->ninputs;
  node.plan.mask = reduces ? group->wide & ~node.axes : group->wide;
  if (!takes_sources(*group, node)) {
    group->ninputs = inputs;
    return false;
  }
  if (reduces) {
    group->fix = Fix::Hard;
    group->reduced = node.axes;
  }
  add_node(*group, node);
  return true;
}

// Merges two groups that are in `order`, if possible, into one of them, and removes the other from `order`. Returns
// whether it did.
bool Planner::merge(Group &x, Group &y, bool siblings) {
  Group &a = x.position < y.position ? x : y, &b = x.position < y.position ? y : x;
  if (a.nodes + b.nodes > kMaxNodes || a.targets + b.targets > GPUOPT_PROGRAM_MAX_OUTPUTS) return false;
  if (!a.lists_all_inputs || !b.lists_all_inputs) return false;
  Fit fit;
  if (!find_fit(a, b, siblings, fit)) return false;
  const int move = movable(order, a, b);
  Group merged = *fit.space;
  merged.targets = a.targets + b.targets;
  if (!move || !merge_inputs(a, b, fit, merged)) return false;
  remap(*fit.other, fit);
  a.last->plan.next = b.first;
  merged.first = a.first;
  merged.last = b.last;
  merged.nodes = a.nodes + b.nodes;
  merged.reduced = fit.reduced;
  merged.fix = fit.fix;
  merged.scan = a.scan || b.scan;
  Group &kept = move == 1 ? a : b, &gone = move == 1 ? b : a;
  merged.position = kept.position;
  order[gone.position] = nullptr;
  kept = merged;
  gone.into = &kept;
  return true;
}

// If one group is Hard and the other one Soft, over the same space, takes the values of level REDUCED out of the Soft
// group, which is None afterwards, so that the caller can try to merge them once more. Returns false if they are not.
bool Planner::relax(Group &a, Group &b) {
  Group &soft = a.fix == Fix::Soft ? a : b, &hard = a.fix == Fix::Soft ? b : a;
  if (soft.fix != Fix::Soft || hard.fix != Fix::Hard || !same_sizes(a, b)) return false;
  take_out(soft, [](const Group &group, const Node &node) { return group.is_reduced(node.plan.mask); });
  soft.fix = Fix::None;
  soft.reduced = 0;
  return true;
}

}  // namespace gpuopt

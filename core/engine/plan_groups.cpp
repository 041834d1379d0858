// core/engine/plan_groups.cpp -- puts nodes into groups, and takes groups apart; see plan.h.
#include <algorithm>
#include <bit>

#include "core/engine/plan.h"

namespace gpuopt {

uint64_t map_axes(uint64_t mask, uint64_t from, uint64_t to) {
  if (from == to) return mask;
  uint64_t result = 0;
  while (mask) {
    const int rank = std::popcount(from & ((mask & -mask) - 1));
    uint64_t rest = to;
    for (int i = 0; i < rank; ++i) rest &= rest - 1;
    result |= rest & -rest;
    mask &= mask - 1;
  }
  return result;
}

uint64_t source_mask(Node &consumer, Node &source, uint64_t mask, uint64_t group_wide) {
  if (consumer.kind == NodeKind::Reduce || consumer.kind == NodeKind::Scan) return group_wide;
  if (source.nwide == consumer.nwide) return mask;
  // Broadcasting aligns the last axes. `mask` has one bit for each axis of the consumer whose size is not 1.
  uint64_t result = 0;
  for (int i = consumer.ndim - 1, k = source.ndim - 1; i >= 0 && k >= 0; --i, --k) {
    if (!(consumer.wide >> i & 1)) continue;
    const uint64_t axis = std::bit_floor(mask);
    mask ^= axis;
    if (source.wide >> k & 1) result |= axis;
  }
  return result;
}

Group *current(Group *group) {
  if (!group || !group->into) return group;
  Group *last = group->into;
  while (last->into) last = last->into;
  for (Group *g = group, *next; g != last; g = next) {
    next = g->into;
    g->into = last;
  }
  return last;
}

bool add_input(Group &group, const Operand &operand) {
  for (int i = 0; i < group.ninputs; ++i) {
    const Operand &in = group.inputs[i];
    if (in.node == operand.node && in.mask == operand.mask && in.full == operand.full) return true;
  }
  if (group.ninputs == Group::kMaxInputs) return false;
  group.inputs[group.ninputs++] = operand;
  return true;
}

// Returns a group of this node alone, with a position after all others. The caller puts it into `order`.
Group &Planner::new_group(Node &node) {
  if (used_ == groups_.size()) groups_.emplace_back();
  Group &g = groups_[used_++];
  const bool reduces = node.kind == NodeKind::Reduce;
  Node &space = reduces ? *node.src[0] : node;
  std::copy_n(space.shape(), space.ndim, g.shape);
  g.stream = node.stream.get();
  g.ndim = space.ndim;
  g.position = static_cast<int>(order.size());
  g.nodes = 1;
  g.targets = node.plan.targeted;
  g.ninputs = 0;
  g.scan = node.kind == NodeKind::Scan;
  g.fix = reduces || g.scan ? Fix::Hard : Fix::None;
  g.wide = space.wide;
  g.nwide = space.nwide;
  g.reduced = node.axes;
  g.first = g.last = &node;
  g.into = nullptr;
  node.plan.group = &g;
  node.plan.next = nullptr;
  node.plan.mask = reduces ? g.wide & ~g.reduced : g.wide;
  list_inputs(g);
  return g;
}

// Returns a group without nodes that has the same space and reduced axes.
Group &Planner::part_of(const Group &group) {
  if (used_ == groups_.size()) groups_.emplace_back();
  Group &part = groups_[used_++];
  part = group;
  part.nodes = part.targets = part.ninputs = 0;
  part.first = part.last = nullptr;
  return part;
}

void add_node(Group &group, Node &node) {
  node.plan.group = &group;
  node.plan.next = nullptr;
  (group.last ? group.last->plan.next : group.first) = &node;
  group.last = &node;
  ++group.nodes;
  group.targets += node.plan.targeted;
}

namespace {

// Whether a value varies along fewer axes than its level (FULL or REDUCED) has. Its program would store each element
// many times, which the plugin ABI forbids. Results of REDUCE are never narrow.
bool is_narrow(const Group &group, const Node &node) {
  if (node.kind == NodeKind::Reduce) return false;
  return node.plan.mask != (group.is_reduced(node.plan.mask) ? group.wide & ~group.reduced : group.wide);
}

// Whether the group's program would store a narrow value.
bool stores_narrow(const Group &group) {
  if (group.fix == Fix::None) return false;
  for (const Node *node = group.first; node; node = node->plan.next) {
    if (node->plan.output && is_narrow(group, *node)) return true;
  }
  return false;
}

}  // namespace

// Lists the inputs of a group anew. If there are more than kMaxInputs the rest is left out: ProgramBuilder::write()
// refuses such a group, which is then halved, and merge() leaves it as it is.
void Planner::list_inputs(Group &group) {
  group.ninputs = 0;
  group.lists_all_inputs = true;
  for (Node *node = group.first; node; node = node->plan.next) {
    const bool full = node->kind == NodeKind::Reduce || node->kind == NodeKind::Scan;
    for (int i = 0; i < node->nsrc; ++i) {
      Node *source = node->src[i];
      if (!is_input(group, *source)) continue;
      group.lists_all_inputs &=
          add_input(group, {source, source_mask(*node, *source, node->plan.mask, group.wide), full});
    }
  }
}

// Merges the node's group with those of its sources, one after the other, where possible.
void Planner::merge_along(Node &node) {
  for (int i = 0; i < node.nsrc; ++i) {
    Node &source = *node.src[i];
    if (!source.computed()) continue;
    Group *from = current(source.plan.group), *to = current(node.plan.group);
    if (from != to && !merge(*from, *to, false) && relax(*from, *to)) {
      merge(*current(source.plan.group), *current(node.plan.group), false);
    }
  }
}

// Puts the node into the group of its sources, or appends it to `order` in a group of its own and merges that with the
// groups of the sources. Then merges the group with the last groups that read the same sources.
void Planner::place(Node &node) {
  if (!append(node)) {
    order.push_back(&new_group(node));
    merge_along(node);
  }
  for (int i = 0; i < node.nsrc; ++i) {
    Node &source = *node.src[i];
    if (source.kind == NodeKind::Constant) continue;
    Group *reader = current(source.plan.reader), *own = current(node.plan.group);
    if (reader && reader != own) merge(*reader, *own, true);
    source.plan.reader = current(own);
  }
}

// Marks the values that programs store: those with a target, and those that another group reads.
void Planner::mark_outputs() {
  for (Group *group : order) {
    for (Node *node = group ? group->first : nullptr; node; node = node->plan.next) {
      node->plan.output = node->plan.targeted;
    }
  }
  for (Group *group : order) {
    for (Node *node = group ? group->first : nullptr; node; node = node->plan.next) {
      for (int i = 0; i < node->nsrc; ++i) {
        Node *source = node->src[i];
        if (source->computed() && current(source->plan.group) != group) source->plan.output = true;
      }
    }
  }
}

// Makes the groups of all nodes. Narrow values are moved into programs of their own if any of them would be stored.
void Planner::make_groups() {
  for (NodeRef &node : nodes) place(*node.get());
  mark_outputs();
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] && order[i]->nodes > 1 && stores_narrow(*order[i])) take_out(*order[i], is_narrow);
  }
  // Where take_out() has merged what it moved, a group may store a narrow value again. Now nothing is merged, so that
  // what is removed cannot be narrow elsewhere, and only its sources, which are removed with it, become outputs.
  std::vector<Node *> removed;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] && order[i]->nodes > 1 && stores_narrow(*order[i])) remove(*order[i], is_narrow, removed);
  }
}

// Sets the positions of the groups from this place in `order` on.
void Planner::renumber(size_t from) {
  for (size_t i = from; i < order.size(); ++i) {
    if (order[i]) order[i]->position = static_cast<int>(i);
  }
}

// Moves the nodes for which taken() holds into a group of its own each, in front of the group, and lists them in
// `removed`. Within the group, taken nodes depend on taken nodes only.
void Planner::remove(Group &group, bool (*taken)(const Group &, const Node &), std::vector<Node *> &removed) {
  const Group before = group;
  const size_t at = group.position;
  std::vector<Group *> alone;
  group.nodes = group.targets = 0;
  group.first = group.last = nullptr;
  removed.clear();
  for (Node *node = before.first, *next; node; node = next) {
    next = node->plan.next;
    if (taken(before, *node)) {
      removed.push_back(node);
    } else {
      add_node(group, *node);
    }
  }
  for (Node *node : removed) alone.push_back(&new_group(*node));
  list_inputs(group);
  order.insert(order.begin() + at, alone.begin(), alone.end());
  renumber(at);
  mark_outputs();
}

// Removes these nodes, and merges their groups with the groups of their sources.
void Planner::take_out(Group &group, bool (*taken)(const Group &, const Node &)) {
  std::vector<Node *> out;
  remove(group, taken, out);
  for (Node *node : out) merge_along(*node);
  mark_outputs();
}

void Planner::separate(Group &group) {
  std::vector<Group *> alone;
  for (Node *node = group.first, *next; node; node = next) {
    next = node->plan.next;
    alone.push_back(&new_group(*node));
  }
  const size_t at = group.position;
  order[at] = alone[0];
  order.insert(order.begin() + at + 1, alone.begin() + 1, alone.end());
  renumber(at);
  mark_outputs();
}

void Planner::done(Group &group) {
  order[group.position] = nullptr;
  for (Node *node = group.first, *next; node; node = next) {
    next = node->plan.next;
    nodes[node->plan.slot] = NodeRef();
  }
}

void Planner::halve(Group &group) {
  Group &early = part_of(group), &late = part_of(group);
  int left = group.nodes / 2;
  for (Node *node = group.first, *next; node; node = next) {
    next = node->plan.next;
    add_node(left-- > 0 ? early : late, *node);
  }
  list_inputs(early);
  list_inputs(late);
  const size_t at = group.position;
  order[at] = &early;
  order.insert(order.begin() + at + 1, &late);
  renumber(at);
  mark_outputs();
  for (Group *part : {&late, &early}) {
    if (stores_narrow(*part)) separate(*part);
  }
}

Group &Planner::add_copy(Node &node) {
  node.plan.begin(0);
  node.plan.slot = static_cast<uint32_t>(nodes.size());
  nodes.push_back(NodeRef::share(&node));
  node.plan.targeted = node.plan.output = true;
  order.push_back(&new_group(node));
  return *order.back();
}

}  // namespace gpuopt

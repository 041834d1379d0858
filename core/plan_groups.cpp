// core/plan_groups.cpp -- nodes put into groups, and groups taken apart again.
#include <algorithm>
#include <bit>

#include "plan.h"

namespace gpuopt {

uint64_t map_axes(uint64_t mask, uint64_t from, uint64_t to) {
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
  if (std::popcount(source.wide) == std::popcount(consumer.wide)) return mask;
  // Broadcasting aligns the last axes.
  uint64_t result = 0;
  for (int i = consumer.ndim - 1, k = source.ndim - 1; i >= 0 && k >= 0; --i, --k) {
    if (!(consumer.wide >> i & 1)) continue;
    const uint64_t axis = std::bit_floor(mask);
    mask ^= axis;
    if (source.wide >> k & 1) result |= axis;
  }
  return result;
}

Group &Planner::new_group(Node &node) {
  if (used_ == groups_.size()) groups_.emplace_back();
  Group &g = groups_[used_++];
  const bool reduces = node.kind == NodeKind::Reduce;
  Node &space = reduces ? *node.plan.src[0] : node;
  g.shape = space.shape();
  g.stream = node.stream.get();
  g.ndim = space.ndim;
  g.position = static_cast<int>(order.size());
  g.nodes = 1;
  g.targets = node.plan.targeted;
  g.ninputs = 0;
  g.scan = node.kind == NodeKind::Scan;
  g.fix = reduces || g.scan ? Fix::Hard : Fix::None;
  g.wide = space.wide;
  g.reduced = node.axes;
  g.first = g.last = &node;
  node.plan.group = &g;
  node.plan.next = nullptr;
  node.plan.mask = reduces ? g.wide & ~g.reduced : g.wide;
  for (int i = 0; i < node.nsrc; ++i) {
    Node *source = node.plan.src[i];
    if (source->kind == NodeKind::Constant) continue;
    g.inputs[g.ninputs++] = {source, source_mask(node, *source, node.plan.mask, g.wide), reduces || g.scan};
  }
  return g;
}

void Planner::place(Node &node) { order.push_back(&new_group(node)); }

// A value is stored if an array holds it or another program reads it.
void Planner::mark_outputs() {
  for (Group *group : order) {
    if (!group) continue;
    for (Node *node = group->first; node; node = node->plan.next) {
      node->plan.output |= node->plan.targeted;
      for (int i = 0; i < node->nsrc; ++i) {
        Node *source = node->plan.src[i];
        if (source->computed() && source->plan.group != group) source->plan.output = true;
      }
    }
  }
}

void Planner::make_groups() {
  for (NodeRef &node : nodes) place(*node.get());
  mark_outputs();
}

void Planner::put_in_place_of(Group &group, std::span<Group *const> parts) {
  const auto at = order.begin() + group.position;
  *at = parts[0];
  order.insert(at + 1, parts.begin() + 1, parts.end());
  for (size_t i = group.position; i < order.size(); ++i) {
    if (order[i]) order[i]->position = static_cast<int>(i);
  }
  mark_outputs();
}

void Planner::separate(Group &group) {
  std::vector<Group *> parts;
  for (Node *node = group.first, *next; node; node = next) {
    next = node->plan.next;
    parts.push_back(&new_group(*node));
  }
  put_in_place_of(group, parts);
}

void Planner::halve(Group &group) { separate(group); }

Group &Planner::add_copy(Node &node) {
  node.plan = PlanNotes{};
  node.plan.src[0] = node.src[0];
  node.plan.targeted = node.plan.output = true;
  order.push_back(&new_group(node));
  return *order.back();
}

}  // namespace gpuopt

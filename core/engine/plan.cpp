// core/engine/plan.cpp -- finds the nodes that an evaluation has to compute, and eliminates common subexpressions; see
// plan.h.
#include "core/engine/plan.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpuopt {

void Planner::clear() {
  deferred.clear();
  order.clear();
  nodes.clear();
  leaves.clear();
  held.clear();
  record = nullptr;
  used_ = 0;
}

void Planner::visit(Node *node, bool is_root) {
  if (node->plan.epoch == epoch_ || node->kind == NodeKind::Failed) return;
  if (node->kind == NodeKind::Constant && !is_root) return;
  node->plan.begin(epoch_);
  (node->kind == NodeKind::Leaf ? leaves : nodes).push_back(NodeRef::share(node));
  if (node->target) {
    node->plan.targeted = true;
    held.push_back(Ref<Storage>::share(node->target));
  }
  stack_.push_back(node);
}

void Planner::visit_all() {
  while (!stack_.empty()) {
    Node *node = stack_.back();
    stack_.pop_back();
    for (int i = 0; i < node->nsrc; ++i) visit(node->src[i], false);
  }
}

// Whether the node's value is computed from those elements of the storage's memory that `writer`, a node whose target
// is this storage, overwrites; NULL overwrites all. Searches the graph only where the Bloom filter hits.
bool Planner::reads(Node *node, const Storage &storage, Node *writer) {
  const uint64_t bit = bloom_bit(&storage);
  search_ = ++engine.sequence;
  found_.assign(1, node);
  while (!found_.empty()) {
    Node *next = found_.back();
    found_.pop_back();
    if (next->plan.search == search_ || !(next->bloom & bit)) continue;
    next->plan.search = search_;
    if (next->kind == NodeKind::Leaf && next->storage.get() == &storage &&
        (!writer || may_overlap(view_of(*next), view_of(*writer)))) {
      return true;
    }
    found_.insert(found_.end(), next->src, next->src + next->nsrc);
  }
  return false;
}

uint64_t Planner::pinned_bytes() {
  std::vector<const Storage *> kept;
  search_ = ++engine.sequence;
  found_.clear();
  for (Node *node = engine.pending_first; node; node = node->next) found_.push_back(node);
  while (!found_.empty()) {
    Node *next = found_.back();
    found_.pop_back();
    if (std::exchange(next->plan.search, search_) == search_) continue;
    if (next->kind == NodeKind::Leaf && !next->storage->has_arrays()) kept.push_back(next->storage.get());
    found_.insert(found_.end(), next->src, next->src + next->nsrc);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  uint64_t bytes = 0;
  for (const Storage *storage : kept) bytes += storage->bytes;
  return bytes;
}

// Adds all pending nodes that read what `writer` overwrites in the storage's memory, and what they are computed from:
// they have to run before it is written.
void Planner::include_readers(const Storage &storage, Node *writer) {
  const uint64_t bit = bloom_bit(&storage);
  for (Node *node = engine.pending_first; node; node = node->next) {
    if (node->plan.epoch == epoch_ || !(node->bloom & bit) || !reads(node, storage, writer)) continue;
    visit(node, true);
  }
  visit_all();
}

// Sorts the nodes into the order of recording, so that sources come before consumers.
void Planner::sort() {
  const auto earlier = [](const NodeRef &a, const NodeRef &b) { return a->sequence < b->sequence; };
  if (!std::is_sorted(nodes.begin(), nodes.end(), earlier)) std::sort(nodes.begin(), nodes.end(), earlier);
}

// Makes every node fail that has a failed source, and removes those from `nodes`.
void Planner::spread_failures() {
  bool any = false;
  for (NodeRef &node : nodes) {
    for (int i = 0; i < node->nsrc; ++i) {
      if (node->src[i]->kind != NodeKind::Failed) continue;
      become_failed(*node.get(), node->src[i]->failure);
      any = true;
    }
  }
  if (any) std::erase_if(nodes, [](const NodeRef &node) { return node->kind == NodeKind::Failed; });
}

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

bool same_shape(Node &a, Node &b) { return a.ndim == b.ndim && std::equal(a.shape(), a.shape() + a.ndim, b.shape()); }

bool same_constant(const Node &a, const Node &b) {
  return a.kind == NodeKind::Constant && b.kind == NodeKind::Constant && a.dtype == b.dtype &&
         !std::memcmp(a.constant, b.constant, sizeof a.constant);
}

// Whether a source of one consumer may stand for that of another, whose other properties are the same. The extents of
// a constant matter only where the result does not have them.
bool same_source(const Node &consumer, Node &a, Node &b) {
  if (&a == &b) return true;
  const bool gives_extents = consumer.kind == NodeKind::Elementwise || consumer.kind == NodeKind::Cast;
  return same_constant(a, b) && (gives_extents || same_shape(a, b));
}

uint64_t hash_source(const Node *node) {
  if (node->kind != NodeKind::Constant) return reinterpret_cast<uintptr_t>(node);
  uint64_t words[2];
  std::memcpy(words, node->constant, sizeof words);
  return mix(words[0], words[1] ^ node->dtype);
}

uint64_t hash_value(Node &node) {
  uint64_t hash = mix(static_cast<uint64_t>(node.kind) << 32 | node.index << 16 | node.dtype << 8 | node.loop_dtype,
                      node.axes ^ node.ndim);
  if (node.kind == NodeKind::Leaf) hash = mix(hash, reinterpret_cast<uintptr_t>(node.storage.get()) ^ node.offset);
  for (int i = 0; i < node.nsrc; ++i) hash = mix(hash, hash_source(node.src[i]));
  return hash;
}

bool same_value(Node &a, Node &b) {
  if (a.kind != b.kind || a.index != b.index || a.dtype != b.dtype || a.loop_dtype != b.loop_dtype ||
      a.axes != b.axes || a.nsrc != b.nsrc || a.stream.get() != b.stream.get() || !same_shape(a, b)) {
    return false;
  }
  if (a.kind == NodeKind::Leaf) {
    return a.storage.get() == b.storage.get() && a.offset == b.offset &&
           std::equal(a.strides(), a.strides() + a.ndim, b.strides());
  }
  for (int i = 0; i < a.nsrc; ++i) {
    if (!same_source(a, *a.src[i], *b.src[i])) return false;
  }
  return true;
}

}  // namespace

// Returns the first node seen that has the same value, which may be `node` itself.
Node *Planner::canonical(Node *node) {
  if (node->kind == NodeKind::Constant) return node;
  size_t slot = hash_value(*node) & (table_.size() - 1);
  while (table_[slot] && !same_value(*table_[slot], *node)) slot = (slot + 1) & (table_.size() - 1);
  if (!table_[slot]) table_[slot] = node;
  return table_[slot];
}

// Common subexpression elimination: consumers of equal nodes get the first of them as their source. The others are not
// computed; those with a target become aliases of the first.
void Planner::share_equal_values() {
  table_.assign(std::bit_ceil(2 * (nodes.size() + leaves.size())), nullptr);
  for (NodeRef &leaf : leaves) leaf->plan.same = canonical(leaf.get());
  for (NodeRef &node : nodes) {
    for (int i = 0; i < node->nsrc; ++i) {
      Node *same = node->src[i]->plan.epoch == epoch_ ? node->src[i]->plan.same : nullptr;
      if (same && same != node->src[i]) replace_source(*node.get(), i, NodeRef::share(same));
    }
    Node *first = node->plan.same = canonical(node.get());
    if (first != node.get() && node->plan.targeted) become_alias(*node.get(), NodeRef::share(first));
  }
  std::erase_if(nodes, [](const NodeRef &node) { return node->plan.same != node.get() && !node->plan.targeted; });
  leaves.clear();
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i]->plan.slot = static_cast<uint32_t>(i);
}

void Planner::plan(std::span<Node *const> roots, const Storage *written) {
  epoch_ = ++engine.sequence;
  for (Node *root : roots) visit(root, true);
  visit_all();
  if (written) include_readers(*written, nullptr);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node *const node = nodes[i].get();
    if (node->target && node->target->memory) include_readers(*node->target, node);
  }
  sort();
  spread_failures();
  share_equal_values();
  make_groups();
}

}  // namespace gpuopt

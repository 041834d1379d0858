// core/engine/node.cpp -- creates, changes and destroys nodes; see node.h.
#include "core/engine/node.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/engine/access.h"
#include "core/engine/plan.h"

namespace gpuopt {

Engine::Engine(gpuopt_device owner, int own_number)
    : device(owner), number(own_number), eager(owner->engines->eager()), planner(std::make_unique<Planner>(*this)) {}

Engine::~Engine() = default;

uint64_t bloom_bit(const Storage *storage) {
  const auto bits = reinterpret_cast<uintptr_t>(storage) >> 5;
  return uint64_t{1} << ((bits * 0x9e3779b97f4a7c15u) >> 58);
}

NodePool::~NodePool() {
  for (void *block : blocks_) std::free(block);
}

void *NodePool::take(int ndim) {
  if (ndim <= kSmallNdim && !blocks_.empty()) {
    void *block = blocks_.back();
    blocks_.pop_back();
    return block;
  }
  const int room = std::max(ndim, kSmallNdim);
  void *block = std::malloc(sizeof(Node) + 2 * sizeof(int64_t) * static_cast<size_t>(room));
  if (!block) throw std::bad_alloc();
  return block;
}

void NodePool::give_back(void *block, int ndim) {
  if (ndim > kSmallNdim || blocks_.size() >= kCapacity) return std::free(block);
  if (blocks_.capacity() == 0) {
    // This is called by destructors, where nothing may throw. Without memory for the free list, blocks are freed.
    try {
      blocks_.reserve(kCapacity);
    } catch (const std::bad_alloc &) {
      return std::free(block);
    }
  }
  blocks_.push_back(block);
}

NodeRef new_node(Engine &engine, gpuopt_stream stream, NodeKind kind, gpuopt_dtype dtype, int ndim,
                 const int64_t *shape) {
  Node *node = new (engine.pool.take(ndim)) Node(engine, kind, dtype, ndim);
  for (int i = 0; i < ndim; ++i) {
    node->size *= node->shape()[i] = shape[i];
    node->wide |= static_cast<uint64_t>(shape[i] != 1) << i;
    node->nwide += shape[i] != 1;
  }
  node->stream = Ref<gpuopt_stream_s>::share(stream);
  node->sequence = ++engine.sequence;
  if (node->computed()) {
    ++engine.live;
    ++engine.operations;
  }
  return NodeRef::adopt(node);
}

void add_source(Node &node, NodeRef source) {
  node.bloom |= source->bloom;
  node.src[node.nsrc++] = source.leave();
}

NodeRef new_leaf(Engine &engine, const gpuopt_array_s &x) {
  NodeRef leaf = new_node(engine, x.stream.get(), NodeKind::Leaf, x.dtype, x.ndim, x.shape);
  std::memcpy(leaf->strides(), x.strides, sizeof(int64_t) * x.ndim);
  leaf->offset = x.offset;
  leaf->storage = x.storage.share();
  leaf->bloom = bloom_bit(x.storage.get());
  engine.leaf_bytes += x.storage->bytes;
  return leaf;
}

NodeRef new_constant(Engine &engine, gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                     const void *element) {
  NodeRef node = new_node(engine, stream, NodeKind::Constant, dtype, ndim, shape);
  std::memset(node->constant, 0, sizeof node->constant);
  std::memcpy(node->constant, element, dtype_size(dtype));
  return node;
}

NodeRef new_alias(NodeRef source, int ndim, const int64_t *shape) {
  NodeRef node = new_node(*source->engine, source->stream.get(), NodeKind::Alias, source->dtype, ndim, shape);
  add_source(*node.get(), std::move(source));
  return node;
}

namespace {

void set_first(Engine &engine, Node *node) { engine.pending_first.store(node, std::memory_order_release); }

void link(Engine &engine, Node &node) {
  node.previous = engine.pending_last;
  node.next = nullptr;
  engine.pending_last ? void(engine.pending_last->next = &node) : set_first(engine, &node);
  engine.pending_last = &node;
}

void unlink(Engine &engine, Node &node) {
  node.previous ? void(node.previous->next = node.next) : set_first(engine, node.next);
  (node.next ? node.next->previous : engine.pending_last) = node.previous;
  node.previous = node.next = nullptr;
}

void drop_sources(Node &node) {
  for (int i = 0; i < node.nsrc; ++i) NodeRef::release(node.src[i]);
  node.nsrc = 0;
}

void dispose(Engine &engine, Node *node) {
  if (node->computed()) --engine.live;
  if (node->storage) engine.leaf_bytes -= node->storage->bytes;
  drop_sources(*node);
  const int ndim = node->ndim;
  node->~Node();
  engine.pool.give_back(node, ndim);
}

}  // namespace

void NodeRef::destroy(Node *node) {
  // dispose() may drop the last references to sources, and so destroy long chains of nodes. A list instead of recursion
  // keeps the stack small: a nested call only adds its node, which the outermost call disposes of.
  Engine &engine = *node->engine;
  node->next = engine.dead;
  engine.dead = node;
  if (engine.draining) return;
  engine.draining = true;
  while (engine.dead) {
    Node *next = engine.dead;
    engine.dead = next->next;
    dispose(engine, next);
  }
  engine.draining = false;
}

void set_pending(Storage &storage, NodeRef node) {
  node->target = &storage;
  node->bloom |= bloom_bit(&storage);
  storage.users.store(users::writer(node->engine->number) | users::reader(node->engine->number),
                      std::memory_order_release);
  link(*node->engine, *node.get());
  storage.pending.store(node.leave(), std::memory_order_release);
}

NodeRef take_pending(Node &node) {
  unlink(*node.engine, node);
  std::exchange(node.target, nullptr)->pending.store(nullptr, std::memory_order_release);
  return NodeRef::adopt(&node);
}

void replace_source(Node &node, int index, NodeRef source) {
  node.bloom |= source->bloom;
  NodeRef::release(std::exchange(node.src[index], source.leave()));
}

void become_alias(Node &node, NodeRef source) {
  drop_sources(node);
  node.kind = NodeKind::Alias;
  add_source(node, std::move(source));
}

void become_leaf(Node &node, Ref<Storage> storage) {
  Engine &engine = *node.engine;
  if (node.computed()) --engine.live;
  engine.leaf_bytes += storage->bytes;
  node.kind = NodeKind::Leaf;
  node.storage = std::move(storage);
  drop_sources(node);
}

void become_failed(Node &node, std::shared_ptr<const Failure> failure) {
  if (node.computed()) --node.engine->live;
  node.kind = NodeKind::Failed;
  node.failure = std::move(failure);
  drop_sources(node);
}

StridedView view_of(Node &node) {
  return {node.offset, node.ndim, node.shape(), node.strides(), dtype_size(node.dtype)};
}

bool same_elements(Node &node, const gpuopt_array_s &x) {
  if (node.dtype != x.dtype || node.size != x.size) return false;
  if (x.size == 0) return true;
  if (node.offset != x.offset) return false;
  int i = 0, k = 0;
  for (;; ++i, ++k) {
    while (i < node.ndim && node.shape()[i] == 1) ++i;
    while (k < x.ndim && x.shape[k] == 1) ++k;
    if (i == node.ndim || k == x.ndim) return i == node.ndim && k == x.ndim;
    if (node.shape()[i] != x.shape[k] || node.strides()[i] != x.strides[k]) return false;
  }
}

}  // namespace gpuopt

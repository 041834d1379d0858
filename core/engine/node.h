// core/engine/node.h -- nodes, which are recorded values, and the recorder of a device.
//
// A node describes one value: an operation, and the nodes that are its sources. A node with a target is pending: one
// view of that storage will hold its value. When a program has computed the value, the same Node becomes a Leaf, which
// refers to memory, so that the nodes of which it is a source stay as they are. Everything here is guarded by
// Engine::mutex.
#pragma once
#include <memory>
#include <vector>

#include "core/array/array.h"
#include "core/array/overlap.h"
#include "core/base/recursive_lock.h"

namespace gpuopt {

struct Group;  // plan.h: the nodes of one program
struct Engine;
class Access;  // access.h

enum class NodeKind : uint8_t {
  Leaf,         // elements in the memory of `storage`
  Constant,     // all elements are `constant`
  Elementwise,  // operation `index` of sources of loop_dtype (where: a bool first) that broadcast to the shape
  Cast,         // source 0 converted from loop_dtype to dtype
  Reduce,       // reduction `index` of source 0 over `axes` of its shape
  Scan,         // scan `index` of source 0 along the one axis in `axes`
  Alias,        // source 0 itself, broadcast, or with axes of size 1 inserted or removed; needs no step of a program
  Failed        // could not be computed; `failure` says why
};

// The planner's data of a node. It is valid during one evaluation only: begin() resets it.
struct PlanNotes {
  uint64_t epoch = 0;     // the last evaluation that visited the node
  uint64_t search = 0;    // the last graph search that visited it (Planner::reads, Planner::pinned_bytes)
  Group *group;           // the group that computes it, or was merged into that one: see current()
  Group *reader;          // the group of the last node so far that reads it, likewise
  Node *next;             // the next node of its group
  Node *same;             // the first node with the same value
  uint64_t mask;          // bit mask of the axes of the group's shape along which the value varies
  uint32_t slot;          // its index in Planner::nodes
  uint16_t step;          // the step that defines it in the program that is being written
  int16_t number;         // its number in the last ExpressionKey that has it; begin() leaves it as it is
  bool targeted, output;  // whether it has a target; whether its program stores it
  void begin(uint64_t evaluation) {
    epoch = evaluation;
    group = reader = nullptr;
    next = same = nullptr;
    targeted = output = false;
  }
};

struct Node {
  Node(Engine &owner, NodeKind k, gpuopt_dtype d, int dimensions)
      : engine(&owner), kind(k), dtype(static_cast<uint8_t>(d)), ndim(static_cast<int16_t>(dimensions)) {}
  Engine *const engine;  // does not change, and may be read without the lock
  NodeKind kind;
  uint8_t nsrc = 0, dtype, loop_dtype = 0;  // how many sources; the dtypes of the value and of the sources
  uint16_t index = 0;                       // the row of ops.def among those of its kind
  int16_t ndim;
  int32_t refs = 1;
  int16_t nwide = 0;      // the number of axes whose size is not 1
  uint64_t wide = 0;      // bit mask of these axes
  int64_t size = 1;       // the number of elements
  uint64_t axes = 0;      // of Reduce and Scan: bit mask
  uint64_t bloom = 0;     // Bloom filter: bloom_bit() of each storage that the value is computed from or stored in
  uint64_t sequence = 0;  // order of recording, which is a topological order
  Node *src[3] = {};
  Ref<gpuopt_stream_s> stream;
  Storage *target = nullptr;                  // not owned; NULL unless the node is pending
  Node *previous = nullptr, *next = nullptr;  // list of the engine's pending nodes; `next` also links dead nodes
  Ref<Storage> storage;                       // of a Leaf
  int64_t offset = 0;                         // bytes from the start of `storage` or `target` to element [0,...,0]
  std::shared_ptr<const Failure> failure;     // of a Failed node
  unsigned char constant[16];                 // of a Constant, the unused bytes 0
  PlanNotes plan;

  // ndim sizes and ndim byte strides (in `storage` or `target`) lie behind the node, in the same block of NodePool.
  int64_t *shape() { return reinterpret_cast<int64_t *>(this + 1); }
  int64_t *strides() { return shape() + ndim; }
  // Whether a program has to compute the value, which it has not done yet.
  bool computed() const { return kind != NodeKind::Leaf && kind != NodeKind::Constant && kind != NodeKind::Failed; }
};

// An owning pointer to a node. Node::refs is not atomic, so the caller holds Engine::mutex.
class NodeRef {
 public:
  NodeRef() = default;
  // Takes over one reference.
  static NodeRef adopt(Node *node) {
    NodeRef r;
    r.node_ = node;
    return r;
  }
  // Adds one reference.
  static NodeRef share(Node *node) {
    ++node->refs;
    return adopt(node);
  }
  NodeRef(NodeRef &&other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  NodeRef &operator=(NodeRef &&other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~NodeRef() {
    if (node_) release(node_);
  }
  Node *get() const { return node_; }
  Node *operator->() const { return node_; }
  Node *leave() { return std::exchange(node_, nullptr); }  // gives the reference to the caller
  static void release(Node *node) {
    if (--node->refs == 0) destroy(node);
  }

 private:
  static void destroy(Node *node);
  Node *node_ = nullptr;
};

// Allocates the blocks of nodes. Those for up to kSmallNdim dimensions have one size, and a free list holds them.
class NodePool {
 public:
  ~NodePool();
  void *take(int ndim);                   // throws std::bad_alloc
  void give_back(void *block, int ndim);  // never fails

 private:
  static constexpr int kSmallNdim = 4;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr size_t kCapacity = 0;  // ASan then reports every use of a dead node
#else
  static constexpr size_t kCapacity = 1024;
#endif
  std::vector<void *> blocks_;
};

struct Planner;    // plan.h
class KnownPlans;  // known_plans.h

// A recorder of a device (access.h). Its mutex is held while an operation is recorded and while programs are submitted.
// The CPU backend runs a program while it is submitted, so with the mutex held.
struct Engine {
  Engine(gpuopt_device device, int number);
  ~Engine();

  gpuopt_device const device;
  const int number;              // among the device's recorders
  RecursiveLock mutex;           // locked by EngineLock; guards all that is not atomic
  const bool eager;              // GPUOPT_EAGER=1: each operation runs when it is recorded
  uint64_t pinned_baseline = 0;  // how much of leaf_bytes was not pinned when pinned_bytes() last counted
  uint64_t leaf_bytes = 0;       // sum over all leaves of their storage's bytes: an upper bound of the pinned bytes
  uint64_t sequence = 0;         // the last number given to a node, an evaluation or a search
  uint64_t live = 0;             // nodes that are computed() and exist
  uint64_t operations = 0, programs = 0, steps = 0;  // for gpuopt_engine_stats
  Access *innermost = nullptr;                       // the Access that goes on
  // The pending nodes, in the order in which they became pending. small.cpp reads without the lock whether there are
  // any: once there are none, the programs that read memory are done.
  std::atomic<Node *> pending_first{nullptr};
  Node *pending_last = nullptr;
  Node *dead = nullptr;   // nodes to be destroyed by the destroy() that is running
  bool draining = false;  // whether one is running
  NodePool pool;
  std::unique_ptr<Planner> planner;         // NULL during an evaluation, which has taken it
  std::unique_ptr<KnownPlans> known_plans;  // NULL until an expression is planned
};

// Creates a node with its shape; the strides are left unset. Throws std::bad_alloc. The caller of this, and of all
// functions below, holds the recorder's lock.
NodeRef new_node(Engine &engine, gpuopt_stream stream, NodeKind kind, gpuopt_dtype dtype, int ndim,
                 const int64_t *shape);
void add_source(Node &node, NodeRef source);
// Creates a leaf for the elements of x in memory. No value is pending for them.
NodeRef new_leaf(Engine &engine, const gpuopt_array_s &x);
// `element` is one value of `dtype`.
NodeRef new_constant(Engine &engine, gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                     const void *element);
NodeRef new_alias(NodeRef source, int ndim, const int64_t *shape);

// Makes `node` pending: a view of `storage`, given by the node's strides and offset, will hold its value. No other node
// is pending for the storage, which takes over the reference, and whose writer is the node's recorder.
void set_pending(Storage &storage, NodeRef node);
// Detaches a pending node from its target, and returns the storage's reference to it. The recorder remains the
// storage's writer until settle() (access.h).
NodeRef take_pending(Node &node);
// Replaces source `index` by another node of the same value.
void replace_source(Node &node, int index, NodeRef source);
// Turns the node into an alias of `source`, which has the same shape and value.
void become_alias(Node &node, NodeRef source);
// Turns the node, whose value is now in `storage` at the node's offset and strides, into a leaf, and drops its sources.
void become_leaf(Node &node, Ref<Storage> storage);
// Records that the node could not be computed, and drops its sources. If it has a target it stays pending there, so
// that whoever reads the array gets `failure`.
void become_failed(Node &node, std::shared_ptr<const Failure> failure);

// Whether the node has x's dtype and, if both are in the same storage, exactly x's elements in the same order. Axes of
// size 1 are ignored.
bool same_elements(Node &node, const gpuopt_array_s &x);
// The elements of a node in its storage or target.
StridedView view_of(Node &node);
// The bit of Node::bloom that stands for a storage. Different storages may have the same.
uint64_t bloom_bit(const Storage *storage);

}  // namespace gpuopt

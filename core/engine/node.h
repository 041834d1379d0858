// core/engine/node.h -- recorded values, and the state of a device's recorder.
//
// Everything here is guarded by Engine::mutex. A node is a value: it knows how to compute itself from its sources. A
// node with a target is pending: it is what one view of that storage will hold. Once computed, a node becomes a Leaf in
// place, so whoever refers to it reads memory from then on.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "core/array/array.h"

namespace gpuopt {

struct Group;  // plan.h: the nodes of one program

enum class NodeKind : uint8_t {
  Leaf,         // elements in the memory of `storage`
  Constant,     // one value everywhere
  Elementwise,  // op `index` of sources of loop_dtype that broadcast to the shape
  Cast,         // source 0 in another dtype
  Reduce,       // reduction `index` of source 0 over `axes`
  Scan,         // scan `index` of source 0 along the one axis in `axes`
  Alias,        // source 0 with axes of size 1 put in or taken out, or broadcast; no work of its own
  Failed        // could not be computed: `failure` says why
};

// What planning notes on a node; means nothing between evaluations.
struct PlanNotes {
  uint64_t epoch = 0;   // the evaluation that visited the node
  uint64_t search = 0;  // the search for readers that did
  Group *group;         // where it is computed
  Group *reader;        // the last group that reads it
  Node *next;           // in its group
  Node *same;           // the first node with the same value
  uint64_t mask;        // the axes of the group's shape along which the value varies
  uint32_t slot;        // in Planner::nodes
  uint16_t step;
  bool targeted, output;
  void begin(uint64_t evaluation) {
    epoch = evaluation;
    group = reader = nullptr;
    next = same = nullptr;
    targeted = output = false;
  }
};

struct Node {
  Node(NodeKind k, gpuopt_dtype d, int dimensions)
      : kind(k), dtype(static_cast<uint8_t>(d)), ndim(static_cast<int16_t>(dimensions)) {}
  NodeKind kind;
  uint8_t nsrc = 0, dtype, loop_dtype = 0;
  uint16_t index = 0;
  int16_t ndim;
  int32_t refs = 1;
  int16_t nwide = 0;  // the axes whose size is not 1: how many, and which
  uint64_t wide = 0;
  int64_t size = 1;
  uint64_t axes = 0;
  uint64_t bloom = 0;     // one bit per storage whose memory the value is computed from (or will be kept in), hashed
  uint64_t sequence = 0;  // order of recording, so also a topological order
  Node *src[3] = {};
  Ref<gpuopt_stream_s> stream;
  Storage *target = nullptr;                  // not owned: cleared with the storage's last array
  Node *previous = nullptr, *next = nullptr;  // pending nodes of the engine; `next` also chains dead nodes
  Ref<Storage> storage;                       // of a Leaf
  int64_t offset = 0;                         // of element [0,...,0] in `storage` or `target`
  std::shared_ptr<const Failure> failure;
  unsigned char constant[16];  // of a Constant, the unused bytes 0
  PlanNotes plan;

  // ndim sizes and ndim byte strides (in `storage` or `target`) lie behind the node.
  int64_t *shape() { return reinterpret_cast<int64_t *>(this + 1); }
  int64_t *strides() { return shape() + ndim; }
  bool computed() const { return kind != NodeKind::Leaf && kind != NodeKind::Constant && kind != NodeKind::Failed; }
};

// An owning pointer to a node.
class NodeRef {
 public:
  NodeRef() = default;
  static NodeRef adopt(Node *node) {
    NodeRef r;
    r.node_ = node;
    return r;
  }
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
  Node *leave() { return std::exchange(node_, nullptr); }
  static void release(Node *node) {
    if (--node->refs == 0) destroy(node);
  }

 private:
  static void destroy(Node *node);
  Node *node_ = nullptr;
};

// Blocks of nodes of few dimensions, kept for the next ones.
class NodePool {
 public:
  ~NodePool();
  void *take(int ndim);
  void give_back(void *block, int ndim);

 private:
  static constexpr int kSmallNdim = 4;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr size_t kCapacity = 0;  // so that every use of a dead node is found
#else
  static constexpr size_t kCapacity = 1024;
#endif
  std::vector<void *> blocks_;
};

struct Planner;  // plan.h

// The recorder of one device. One lock, held while recording and while submitting; work of the CPU backend runs inside
// it.
struct Engine {
  explicit Engine(gpuopt_device device);
  ~Engine();

  gpuopt_device const device;
  std::recursive_mutex mutex;
  bool eager = false;            // GPUOPT_EAGER=1
  uint64_t pinned_limit = 0;     // bytes that only recorded operations keep alive, before they are run
  uint64_t pinned_baseline = 0;  // leaf bytes found not to be pinned when they were last counted
  uint64_t leaf_bytes = 0;       // bytes of storages that leaves refer to, each leaf counted
  uint64_t sequence = 0;
  uint64_t live = 0;  // computed nodes that exist and have not run
  uint64_t operations = 0, programs = 0, steps = 0;
  Node *pending_first = nullptr, *pending_last = nullptr;
  Node *dead = nullptr;
  bool draining = false;
  NodePool pool;
  std::unique_ptr<Planner> planner;
};

inline Engine &engine_of(gpuopt_device device) { return *device->engine; }
using EngineLock = std::lock_guard<std::recursive_mutex>;

// A node with its shape; strides are left unset.
NodeRef new_node(gpuopt_stream stream, NodeKind kind, gpuopt_dtype dtype, int ndim, const int64_t *shape);
void add_source(Node &node, NodeRef source);
NodeRef new_leaf(const gpuopt_array_s &x);
NodeRef new_constant(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, const void *element);
NodeRef new_alias(NodeRef source, int ndim, const int64_t *shape);

// Makes `node` what a view of `storage` will hold; the node's strides and offset are set. The storage takes the
// reference.
void set_pending(Storage &storage, NodeRef node);
// Takes the pending node from its storage; the caller owns the storage's reference to it.
NodeRef take_pending(Node &node);
void replace_source(Node &node, int index, NodeRef source);
// The node's value is that of another node of the same shape.
void become_alias(Node &node, NodeRef source);
// The node has been computed: it becomes a leaf of `storage`, at its own offset and strides.
void become_leaf(Node &node, Ref<Storage> storage);
void become_failed(Node &node, std::shared_ptr<const Failure> failure);

// Whether the node's elements lie exactly where x's do, axes of size 1 aside.
bool same_elements(Node &node, const gpuopt_array_s &x);
uint64_t bloom_bit(const Storage *storage);

}  // namespace gpuopt

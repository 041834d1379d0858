// core/engine/plan.h -- planning: which recorded values are computed together, in which programs, in which order.
//
// A group is the nodes of one program (gpuopt_plugin.h): an iteration shape, the axes reduced in it, and for every node
// the mask of those axes along which its value varies. The k-th axis of a node whose size is not 1 is the k-th axis in
// its mask. Groups stand in a list in which every group comes after those whose values it reads.
#pragma once
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "core/engine/node.h"
#include "core/engine/program.h"

namespace gpuopt {

// A value a group reads: a leaf, or what an earlier group computes.
struct Operand {
  Node *node;
  uint64_t mask;  // the axes of the group's shape along which it varies
  bool full;      // read by a REDUCE or SCAN, which need one value per index
};

// What is known about the reduced axes of a group.
enum class Fix : uint8_t {
  None,  // nothing reduces and nothing is broadcast
  Soft,  // values of fewer axes are computed once per kept index; smaller `reduced` would do as well
  Hard   // REDUCE steps reduce exactly these axes
};

struct Group {
  static constexpr int kMaxInputs = GPUOPT_PROGRAM_MAX_OPERANDS;
  gpuopt_stream stream;
  int64_t shape[GPUOPT_MAX_NDIM];  // its own: the node it is of may run first, in another half
  int ndim;
  int position;  // in Planner::order
  int nodes, targets, ninputs;
  Fix fix;
  bool scan;  // has a SCAN, along the axis in `reduced`
  int nwide;  // axes whose size is not 1: how many, and which
  uint64_t wide, reduced;
  Node *first, *last;
  Group *into;  // the group this one was merged into
  Operand inputs[kMaxInputs];

  // Reduced axes that make a difference.
  uint64_t reduced_wide() const { return reduced & wide; }
  // Whether a value that varies along `mask` has one value per kept index.
  bool is_reduced(uint64_t mask) const { return !scan && reduced_wide() && !(mask & reduced); }
};

// The group a group has become part of.
Group *current(Group *group);

// One evaluation. Holds a reference to everything it looks at until it is done.
struct Planner {
  explicit Planner(Engine &owner) : engine(owner) {}

  // Finds what has to run so that `roots` can, groups it and leaves the groups in `order`.
  // `written`: a storage about to be written to from outside, or NULL.
  void plan(std::span<Node *const> roots, const Storage *written);
  // Replaces the group by two, or by one for each of its nodes.
  void halve(Group &group);
  void separate(Group &group);
  // The group has run or failed: lets go of its nodes.
  void done(Group &group);
  // Adds a group for a copy whose source is a leaf.
  Group &add_copy(Node &node);
  void clear();
  // Memory that no array can see and only recorded operations keep.
  uint64_t pinned_bytes();

  Engine &engine;
  std::vector<NodeRef> nodes, leaves;
  std::vector<Ref<Storage>> held;  // targets of the nodes
  std::vector<Group *> order;      // NULL where a group was merged away
  std::vector<NodeRef> deferred;   // copies to targets that other groups still had to read
  ProgramBuilder builder;

 private:
  void visit(Node *node, bool is_root);
  void visit_all();
  void include_readers(const Storage &storage);
  bool reads(Node *node, const Storage &storage);
  void sort();
  void spread_failures();
  void share_equal_values();
  Node *canonical(Node *node);

  void make_groups();
  Group &new_group(Node &node);
  Group &part_of(const Group &group);
  void place(Node &node);
  void merge_along(Node &node);
  bool merge(Group &a, Group &b, bool siblings);
  bool relax(Group &a, Group &b);
  void take_out(Group &group, bool (*taken)(const Group &, const Node &));
  void list_inputs(Group &group);
  void mark_outputs();
  void renumber(size_t from);

  uint64_t epoch_ = 0, search_ = 0;
  std::deque<Group> groups_;
  size_t used_ = 0;
  std::vector<Node *> stack_, found_, table_;
};

// Runs the nodes and throws the failure of the first that failed. On ERR_OUT_OF_MEMORY what has not run stays recorded.
void run_nodes(Engine &engine, std::span<Node *const> nodes);
// Runs what reads the storage's memory, before it is written to from outside.
void run_readers(Engine &engine, const Storage &storage);
// Whether a pending node is one operation on values in memory, on one stream, that nobody else has to run before: the
// most common case, which needs no planning. run_alone runs it as run_nodes would.
bool stands_alone(const Engine &engine, Node &node);
void run_alone(Engine &engine, Node &node);
// Runs everything recorded; what failed before is left out.
void run_pending(Engine &engine);
// Whether recorded operations alone keep more memory alive than they may.
bool too_much_pinned(Engine &engine);

// "sqrt", "astype": what a node computes.
const char *operation_name(const Node &node);
// Says in front of the message which recorded operation failed: the last of so many.
Failure name_operation(Node &last, int nodes, Failure failure);

// The axes of `consumer`'s group along which its source varies, if the consumer itself does along `mask`.
uint64_t source_mask(Node &consumer, Node &source, uint64_t mask, uint64_t group_wide);
// The k-th axis in `from` becomes the k-th axis in `to`.
uint64_t map_axes(uint64_t mask, uint64_t from, uint64_t to);

}  // namespace gpuopt

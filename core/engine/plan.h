// core/engine/plan.h -- planning: which recorded values are computed together, in which programs, in which order.
//
// A group is the set of nodes that one program (gpuopt_plugin.h) computes. It has an iteration space (`shape`), a set
// of reduced axes, and for every node the mask of the axes of that space along which the node's value varies. The k-th
// axis of a node whose size is not 1 is the k-th axis in its mask. The groups of an evaluation are in a list
// (Planner::order) in which every group comes after those whose values it reads. Everything here is called with
// Engine::mutex held.
#pragma once
#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "core/engine/node.h"
#include "core/engine/program.h"

namespace gpuopt {

// An input of a group: a leaf, or a value that an earlier group computes.
struct Operand {
  Node *node;
  uint64_t mask;  // the axes of the group's shape along which it varies
  bool full;      // a REDUCE or SCAN reads it, so the program needs it at level FULL: one value per index of the space
};

// How far Group::reduced is fixed (plan_merge.cpp).
enum class Fix : uint8_t {
  None,  // nothing is reduced, and every value computed by the group varies along all axes
  Soft,  // nothing is reduced, but some values vary along fewer axes and are computed at level REDUCED: once per index
         // of the axes that are not in `reduced`. Any nonempty subset of `reduced` would do as well.
  Hard   // REDUCE steps reduce exactly these axes, or a SCAN runs along this one
};

struct PlanRecord;  // known_plans.h

// What is known of a group beside its shape and its inputs.
struct GroupFacts {
  gpuopt_stream stream;
  int ndim;
  int position;                 // in Planner::order
  int nodes, targets, ninputs;  // how many nodes, how many of them have targets, how many inputs
  Fix fix;
  bool scan;               // has a SCAN, along the axis in `reduced`
  bool lists_all_inputs;   // false: there are more than kMaxInputs, so that no program can compute the group as it is
  int nwide;               // the number of axes whose size is not 1
  uint64_t wide, reduced;  // bit masks of these axes, and of the reduced axes
  Node *first, *last;      // list of the nodes, linked by PlanNotes::next, sources before consumers
  struct Group *into;      // the group that this one was merged into, or NULL
};

struct Group : GroupFacts {
  static constexpr int kMaxInputs = GPUOPT_PROGRAM_MAX_OPERANDS;
  int64_t shape[GPUOPT_MAX_NDIM];  // a copy, because the node of this shape may be released with another group: halve()
  Operand inputs[kMaxInputs];      // use find_input() where none may be missed

  Group() = default;
  // Copies the part of the arrays that is in use.
  Group(const Group &other) { *this = other; }
  Group &operator=(const Group &other) {
    static_cast<GroupFacts &>(*this) = other;
    std::copy_n(other.shape, ndim, shape);
    std::copy_n(other.inputs, ninputs, inputs);
    return *this;
  }

  // The reduced axes whose size is not 1.
  uint64_t reduced_wide() const { return reduced & wide; }
  // Whether a value that varies along `mask` is computed once per index of the axes that are not reduced (level
  // REDUCED).
  bool is_reduced(uint64_t mask) const { return !scan && reduced_wide() && !(mask & reduced); }
};

// Returns the group that `group`, which may be NULL, has been merged into, directly or through others, or `group`
// itself.
Group *current(Group *group);

// Whether `source`, a source of one of the group's nodes, is an input of the group.
inline bool is_input(const Group &group, Node &source) {
  return source.kind != NodeKind::Constant && !(source.computed() && current(source.plan.group) == &group);
}

// Adds an operand to Group::inputs unless it is there already. Returns false if the list is full.
bool add_input(Group &group, const Operand &operand);

// Appends a node to the list of the group, whose inputs and mask the caller sets.
void add_node(Group &group, Node &node);

// Returns the first input of the group for which found(Node &) holds, or NULL.
template <class Found>
Node *find_input(const Group &group, Found found) {
  if (group.lists_all_inputs) {
    for (int i = 0; i < group.ninputs; ++i) {
      if (found(*group.inputs[i].node)) return group.inputs[i].node;
    }
    return nullptr;
  }
  for (Node *node = group.first; node; node = node->plan.next) {
    for (int i = 0; i < node->nsrc; ++i) {
      if (is_input(group, *node->src[i]) && found(*node->src[i])) return node->src[i];
    }
  }
  return nullptr;
}

// Plans one evaluation. Until clear() it holds references to the nodes that are computed and the storages they go to.
struct Planner {
  explicit Planner(Engine &owner) : engine(owner) {}

  // Finds the nodes that have to be computed for `roots`, and makes groups of them, which are then in `order`. Among
  // them are all pending nodes that read memory which these nodes overwrite, or the memory of `written`, a storage that
  // is about to be written other than by a program (NULL: none).
  void plan(std::span<Node *const> roots, const Storage *written);
  // Replaces the group in `order` by two groups, or by one group for each of its nodes.
  void halve(Group &group);
  void separate(Group &group);
  // Removes a group that has run or failed from `order`, and releases its nodes.
  void done(Group &group);
  // Appends a group for `node`, an alias of a leaf with a target, and returns it. Its program copies the leaf there.
  Group &add_copy(Node &node);
  void clear();
  // Returns the bytes of the storages that no array refers to, but pending nodes need. Called outside of evaluations.
  uint64_t pinned_bytes();

  Engine &engine;
  std::vector<NodeRef> nodes, leaves;
  std::vector<Ref<Storage>> held;  // targets of the nodes
  std::vector<Group *> order;      // NULL where a group has been merged into another, or is done
  std::vector<NodeRef> deferred;   // copies from temporary memory to targets, for run_deferred() in run.cpp
  ProgramBuilder builder;
  PlanRecord *record = nullptr;  // where the program of the evaluation is written down; NULL if it is not

 private:
  // plan.cpp
  void visit(Node *node, bool is_root);
  void visit_all();
  void include_readers(const Storage &storage, Node *writer);
  bool reads(Node *node, const Storage &storage, Node *writer);
  void sort();
  void spread_failures();
  void share_equal_values();
  Node *canonical(Node *node);

  // plan_groups.cpp and plan_merge.cpp
  void make_groups();
  Group &new_group(Node &node);
  Group &part_of(const Group &group);
  void place(Node &node);
  void merge_along(Node &node);
  bool append(Node &node);
  bool merge(Group &a, Group &b, bool siblings);
  bool relax(Group &a, Group &b);
  void remove(Group &group, bool (*taken)(const Group &, const Node &), std::vector<Node *> &removed);
  void take_out(Group &group, bool (*taken)(const Group &, const Node &));
  void list_inputs(Group &group);
  void mark_outputs();
  void renumber(size_t from);

  uint64_t epoch_ = 0, search_ = 0;  // numbers of this evaluation and of the last search
  std::deque<Group> groups_;         // memory for groups, of which `used_` are in use
  size_t used_ = 0;
  // What visit_all() and a graph search have yet to look at; the hash table of canonical(), with open addressing.
  std::vector<Node *> stack_, found_, table_;
};

// Returns the mask of a source of `consumer` in the space of the consumer's group, whose axes of size other than 1 are
// `group_wide`. `mask` is the consumer's own.
uint64_t source_mask(Node &consumer, Node &source, uint64_t mask, uint64_t group_wide);
// Maps a mask, a subset of `from`, to a subset of `to`: the k-th axis in `from` becomes the k-th axis in `to`.
uint64_t map_axes(uint64_t mask, uint64_t from, uint64_t to);

}  // namespace gpuopt

// core/engine/known_plans.h -- the programs of expressions that have been planned before.
//
// A loop of a program evaluates expressions of the same form again and again. What the planner makes of an expression
// depends on its operations, dtypes and shapes, on which operands are the same, and on which values have targets, but
// not on the numbers or on where they are in memory. All this is written down as a row of words, the key, in one walk
// through the nodes. The second time that an expression of a key is evaluated, its program is kept; from the third time
// on it only gets its operands. Only expressions that become one program are kept: between several, memory is released
// that the next one may need. (What run_alone.cpp takes is not looked up here: one walk writes it, too.)
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/engine/node.h"

namespace gpuopt {

// What is written down of an expression. Nodes have numbers in the order in which the walk meets them. Planning may
// release nodes: those that compute the same as another one, and their constants, whose values are copied here.
class ExpressionKey {
 public:
  static constexpr int kMostNodes = 160;  // of an expression whose plan is kept
  static constexpr int kMostWords = 1024;

  struct Constant {
    gpuopt_constant value;
    int dtype;
  };

  // Walks from `roots`, which may not be computed yet, to the leaves. Returns false if planning has to look at more
  // than the key: the expression has too many nodes, several streams, a failed value, or a target that has memory
  // already.
  bool write(Engine &engine, std::span<Node *const> roots);

  std::span<const uint64_t> words() const { return {words_, static_cast<size_t>(nwords_)}; }
  uint64_t hash() const { return hash_; }
  Node &node(int number) const { return *nodes_[number]; }
  std::span<Node *const> nodes() const { return {nodes_, static_cast<size_t>(nnodes_)}; }
  const Constant &constant(int number) const { return constants_[number]; }
  // Returns the number of the first constant with these bytes and this dtype, -1 if there is none.
  int find_constant(const unsigned char *bytes, int dtype) const;

 private:
  bool add(uint64_t word);
  bool add_shape(Node &node);
  int number_of(Node &node);
  int number_of_constant(const Node &constant);
  bool describe(Node &node);

  uint64_t epoch_ = 0, hash_ = 0;
  gpuopt_stream stream_ = nullptr;
  int nnodes_ = 0, nleaves_ = 0, nconstants_ = 0, nwords_ = 0;
  Node *nodes_[kMostNodes];
  Node *leaves_[GPUOPT_PROGRAM_MAX_OPERANDS];
  Constant constants_[GPUOPT_PROGRAM_MAX_CONSTANTS];
  uint64_t words_[kMostWords];
};

// A program without what differs from one evaluation to the next. The values are given by the numbers of their nodes.
struct KnownProgram {
  struct Value {
    int16_t number;
    uint64_t mask;  // the axes of `shape` along which it varies
  };
  uint64_t key = 0, reduced = 0;
  int nodes = 0;     // how many operations it has, for messages
  int16_t last = 0;  // the last of them
  std::vector<int64_t> shape;
  std::vector<gpuopt_step> steps;
  std::vector<Value> inputs, outputs;  // outputs go to the targets of their nodes
  std::vector<int16_t> constants;      // ExpressionKey::constant()
};

struct KnownPlan {
  explicit KnownPlan(const ExpressionKey &key) : hash(key.hash()), words(key.words().begin(), key.words().end()) {}
  uint64_t hash;
  std::vector<uint64_t> words;  // of the key
  KnownProgram program;
};

// A plan that is being written down while it is run for the expression of a key.
struct PlanRecord {
  const ExpressionKey &key;
  std::unique_ptr<KnownPlan> plan;
};

// The known plans of a recorder. A plan is at the place that its hash says, and gives way to the next one there.
class KnownPlans {
 public:
  // Removes the plan of this key and returns it, so that nothing that runs meanwhile can replace it; NULL if it is not
  // known.
  std::unique_ptr<KnownPlan> take(const ExpressionKey &key);
  // Whether a plan should be kept for this key: it is being evaluated for the second time.
  bool is_wanted(const ExpressionKey &key);
  void keep(std::unique_ptr<KnownPlan> plan) noexcept;
  uint64_t uses = 0;  // how often a plan was run

 private:
  static constexpr size_t kPlaces = 128;
  struct Place {
    uint64_t met = 0;  // the hash of the last key that was not known
    std::unique_ptr<KnownPlan> plan;
  };
  Place &place(uint64_t hash) { return places_[hash % kPlaces]; }
  std::array<Place, kPlaces> places_;
};

// Runs the program of a plan for the expression of its key. Returns false if it fails, and nothing has changed then:
// the expression has to be planned, and fails again or is run in parts. Throws ERR_OUT_OF_MEMORY.
bool run_known(Engine &engine, const KnownPlan &plan, const ExpressionKey &key);

}  // namespace gpuopt

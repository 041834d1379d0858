// core/shard/tree.h -- the fixed tree of a sum (gpuopt_plugin.h, "Programs") over chunks that lie on several ranks.
#pragma once
#include <functional>
#include <vector>

#include "core/shard/rows.h"

namespace gpuopt {

// The result of `count` chunks from `first` on, a node of the tree: count is a power of two, and divides first.
struct TreeNode {
  int64_t first, count;
};

inline int64_t chunks_in(int64_t elements) { return elements / GPUOPT_CHUNK + (elements % GPUOPT_CHUNK != 0); }

// The chunks of each rank, for sequences of which it has the elements between its bounds: a chunk is the rank's that
// has its first element. Returns size + 1 boundaries.
std::vector<int64_t> chunk_bounds(std::span<const int64_t> bounds);
// The elements that each rank has to have for its chunks.
Wanted wanted_for_chunks(std::span<const int64_t> bounds);
// The fewest nodes that cover the chunks from `begin` to `end`, in order: at most 2 log2(end - begin) + 1.
std::vector<TreeNode> covering_nodes(int64_t begin, int64_t end);

using Combine = std::function<ArrayRef(const ArrayRef &, const ArrayRef &)>;

// Combines results of consecutive nodes that arrive in order, whenever two of them are the halves of another node.
class TreeStack {
 public:
  explicit TreeStack(Combine combine) : combine_(std::move(combine)) {}
  void push(TreeNode node, ArrayRef value);
  // Returns the whole, where the nodes began with chunk 0: what is left is combined from the latest on, as odd last
  // results pass through.
  ArrayRef whole();
  const std::vector<ArrayRef> &values() const { return values_; }

 private:
  Combine combine_;
  std::vector<TreeNode> nodes_;
  std::vector<ArrayRef> values_;
};

// Gives every rank the results of all nodes, and returns the whole. `own` are this rank's results, of the nodes of its
// chunks, all of this dtype and shape, on this stream.
ArrayRef combined_over_ranks(Call &call, std::span<const int64_t> chunks, const std::vector<ArrayRef> &own,
                             gpuopt_dtype dtype, const Dims &shape, gpuopt_stream stream, const Combine &combine);

}  // namespace gpuopt

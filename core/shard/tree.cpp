// core/shard/tree.cpp -- see tree.h.
#include "core/shard/tree.h"

#include "core/ops/join.h"

namespace gpuopt {

std::vector<int64_t> chunk_bounds(std::span<const int64_t> bounds) {
  std::vector<int64_t> chunks;
  for (const int64_t bound : bounds) chunks.push_back(chunks_in(bound));
  return chunks;
}

Wanted wanted_for_chunks(std::span<const int64_t> bounds) {
  const std::vector<int64_t> chunks = chunk_bounds(bounds);
  const int64_t last = chunks.back();
  const auto at = [&](int64_t chunk) { return chunk == last ? bounds.back() : chunk * GPUOPT_CHUNK; };
  Wanted wanted;
  for (size_t r = 0; r + 1 < bounds.size(); ++r) {
    wanted.emplace_back();
    if (chunks[r] < chunks[r + 1]) wanted.back().push_back({at(chunks[r]), at(chunks[r + 1])});
  }
  return wanted;
}

std::vector<TreeNode> covering_nodes(int64_t begin, int64_t end) {
  std::vector<TreeNode> nodes;
  while (begin < end) {
    int64_t count = 1;
    while (begin % (2 * count) == 0 && 2 * count <= end - begin) count *= 2;
    nodes.push_back({begin, count});
    begin += count;
  }
  return nodes;
}

void TreeStack::push(TreeNode node, ArrayRef value) {
  while (!nodes_.empty() && nodes_.back().count == node.count && nodes_.back().first % (2 * node.count) == 0) {
    value = combine_(values_.back(), value);
    node = {nodes_.back().first, 2 * node.count};
    nodes_.pop_back();
    values_.pop_back();
  }
  nodes_.push_back(node);
  values_.push_back(std::move(value));
}

ArrayRef TreeStack::whole() {
  while (values_.size() > 1) {
    ArrayRef right = std::move(values_.back());
    values_.pop_back();
    values_.back() = combine_(values_.back(), right);
  }
  return values_.back();
}

ArrayRef combined_over_ranks(Call &call, std::span<const int64_t> chunks, const std::vector<ArrayRef> &own,
                             gpuopt_dtype dtype, const Dims &shape, gpuopt_stream stream, const Combine &combine) {
  std::vector<TreeNode> nodes;
  std::vector<int64_t> bounds{0};
  for (size_t r = 0; r + 1 < chunks.size(); ++r) {
    const std::vector<TreeNode> some = covering_nodes(chunks[r], chunks[r + 1]);
    nodes.insert(nodes.end(), some.begin(), some.end());
    bounds.push_back(static_cast<int64_t>(nodes.size()));
  }
  Dims rows = shape;
  rows.insert(rows.begin(), 0);
  ArrayRef mine = make_array(stream, dtype, static_cast<int>(rows.size()), rows.data());
  if (!own.empty()) {
    std::vector<ArrayRef> expanded;
    std::vector<gpuopt_array> handles;
    for (const ArrayRef &x : own) expanded.push_back(expanded_view(x.get(), 0));
    for (const ArrayRef &x : expanded) handles.push_back(x.get());
    mine = joined(handles, 0, dtype, call.name());
  }
  const ArrayRef all = fetch_rows(call, mine.get(), bounds, all_wanted(call.size(), bounds.back()));
  TreeStack stack(combine);
  const int64_t axis = 0;
  for (size_t k = 0; k < nodes.size(); ++k)
    stack.push(nodes[k], squeezed_view(part_view(all.get(), 0, static_cast<int64_t>(k), 1).get(), 1, &axis));
  return stack.whole();
}

}  // namespace gpuopt

// plugins/shared/comm/late_text.h -- which ranks have not come while another one waited, and how they are named.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace gpuopt {

// Returns, in order, those of the `awaited` ranks that do not wait themselves; instead of the others come the ranks for
// which they wait, and so on. `own` is the rank that asks, of so many `ranks`; awaited_by(rank) returns those for which
// a rank waits, and std::nullopt if it does not wait.
template <class AwaitedBy>
std::vector<int32_t> late_ranks(int32_t own, size_t ranks, std::vector<int32_t> awaited, AwaitedBy awaited_by) {
  std::vector<bool> seen(ranks);
  seen[static_cast<size_t>(own)] = true;
  std::vector<int32_t> late;
  for (size_t i = 0; i < awaited.size(); ++i) {
    const int32_t rank = awaited[i];
    if (seen[static_cast<size_t>(rank)]) continue;
    seen[static_cast<size_t>(rank)] = true;
    const std::optional<std::vector<int32_t>> next = awaited_by(rank);
    if (next)
      awaited.insert(awaited.end(), next->begin(), next->end());
    else
      late.push_back(rank);
  }
  std::sort(late.begin(), late.end());
  return late;
}

// Returns "rank 1, rank 2", as `named` names them.
template <class Named>
std::string list_of(const std::vector<int32_t> &ranks, Named named) {
  std::string text;
  for (const int32_t rank : ranks) text += (text.empty() ? "" : ", ") + named(rank);
  return text;
}

// Returns why a rank fails that has waited for `first`, and perhaps others, of which `late` are those that have not
// come.
template <class Named>
std::string late_text(int32_t first, bool receives, double timeout, std::vector<int32_t> late, Named named) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", timeout);
  const std::string text = named(first) + " has not " +
                           (receives ? "sent what is waited for" : "received what is sent to it") + " for " + seconds +
                           " seconds";
  if (late.empty()) return text + ": all that are waited for wait themselves, for this rank or for each other";
  const bool itself = std::erase(late, first) != 0;
  if (late.empty()) return text;
  return text + (itself ? "; late as well: " : ": it waits itself, in the end for ") + list_of(late, named);
}

}  // namespace gpuopt

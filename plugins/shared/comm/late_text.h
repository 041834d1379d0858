// plugins/shared/comm/late_text.h -- how the ranks are named that have not come while another one waited.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace gpuopt {

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

// core/engine/plan_merge.h -- whether two groups can be one program.
#pragma once
#include "core/engine/plan.h"

namespace gpuopt {

// Adds an operand unless it is there. False: there is no room.
bool add_input(Group &group, const Operand &operand);

// How the axes of the smaller of two groups lie in the larger one's, and what the common program reduces.
struct Fit {
  Group *space, *other;  // `space` lends its shape
  uint64_t from, to;     // the axes of `other` that matter, and what they are in `space`
  uint64_t reduced;
  Fix fix;
};

// `a` stands before `b`. Sibling groups read the same values, but neither reads the other's.
bool find_fit(Group &a, Group &b, bool siblings, Fit &fit);

}  // namespace gpuopt

// core/engine/plan_merge.h -- decides whether two groups can become one program.
//
// The planner places the nodes in the order of recording, each in a group of its own, and merges that group with the
// groups of its sources (and with groups that read the same sources). A program has one iteration space, and one set of
// reduced axes for all of its steps, so the question is which axes the merged group reduces. A group's own set is
//
//   None  empty: every value varies along all axes.
//   Soft  preferred: nothing is reduced, but values that vary along none of these axes are computed at level REDUCED,
//         once per index of the other axes, instead of for every index. A smaller set, but not an empty one, would do.
//   Hard  given by a REDUCE or SCAN step.
//
// Two groups over the same space reduce
//
//   None with any  the set of the other one
//   Soft and Soft  the intersection; they stay apart if that is empty
//   Hard and Hard  the common set; they stay apart if the sets differ
//   Soft and Hard  the hard set if it is a subset of the soft one, so that no value that is computed at level REDUCED
//                  varies along a reduced axis. If it is not, Planner::relax() takes these values out of the Soft
//                  group, into programs that come before it, which leaves a None group.
//   SCAN           the axis of the SCAN, if the other group is None; else they stay apart
//
// A group over a smaller space can be merged into one over a larger space if one reads a value of the other that varies
// along all axes of the smaller space, unless the smaller group is Hard or the larger one has a SCAN. The values of the
// smaller group are then computed at level REDUCED, so none of its axes may be reduced: a Hard set must not contain
// any, a Soft set loses them, and None becomes Soft, with all other axes. Groups that only read the same value are
// merged if they have the same space, read it along the same axes, and have no SCAN.
//
// For example, let x have the shape (1000, 64) and v the shape (64,), and let y.sum(axis) be recorded after y:
//
//   y = x - x.mean(axis=0)  The sum over axis 0, its quotient and the subtraction are one group, Hard {0}.
//                           y.sum(axis=0) is Hard {0}, too, and merged: one program, of two passes over x.
//                           y.sum(axis=1) is Hard {1} and stays apart: one program stores y, and another one sums it.
//   y = x - sqrt(v)         sqrt has the smaller space: with the subtraction it becomes a group Soft {0}, in which the
//                           64 square roots are computed once, and not for all 64000 indices.
//                           y.sum(axis=0) is Hard {0}, a subset of {0}, and merged: one program.
//                           y.sum(axis=1) is Hard {1}. relax() takes sqrt out: one program stores sqrt(v), and another
//                           one subtracts and sums.
#pragma once
#include "core/engine/plan.h"

namespace gpuopt {

// Adds an operand to Group::inputs unless it is there already. Returns false if the list is full.
bool add_input(Group &group, const Operand &operand);

// How two groups become one: the spaces, the axes, and what the common program reduces.
struct Fit {
  Group *space, *other;  // the group whose shape becomes the common one, and the other group
  uint64_t from, to;  // the axes of `other` whose size is not 1, and the corresponding axes of `space`: see map_axes()
  uint64_t reduced;   // Group::reduced and Group::fix of the merged group
  Fix fix;
};

// Decides whether the spaces, reduced axes and masks of two groups fit together, and fills `fit` if so. `a` comes
// before `b` in Planner::order. `siblings`: they are to be merged because both read the same value, and not because one
// reads a value of the other.
bool find_fit(Group &a, Group &b, bool siblings, Fit &fit);

}  // namespace gpuopt

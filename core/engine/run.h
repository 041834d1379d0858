// core/engine/run.h -- runs recorded nodes: plans them, submits their programs, and settles what fails. Everything here
// is called with Engine::mutex held.
#pragma once
#include <span>

#include "core/engine/node.h"

namespace gpuopt {

// Computes the nodes and throws the failure of the first of them that failed, after all others have run.
// ERR_OUT_OF_MEMORY ends the evaluation at once; what has not run stays recorded and can be tried again.
void run_nodes(Engine &engine, std::span<Node *const> nodes);
// Computes all pending nodes that read the storage's memory, before it is written other than by a program.
void run_readers(Engine &engine, const Storage &storage);
// Does the same for a single pending node if it, and all that has to be computed for it, are elementwise operations of
// one shape, of which the last may be a reduction, and may write to their targets without any other node being computed
// before. This is the most common case and needs no planning. Returns false, and does nothing, if it is another case.
bool run_alone(Engine &engine, Node &node);
// Computes all pending nodes but those that have failed, and throws the first failure.
void run_pending(Engine &engine);
// Whether recorded operations alone keep more memory alive than Engines::pinned_limit().
bool too_much_pinned(Engine &engine);

// Returns the name of what a node computes, such as "sqrt" or "astype", for messages.
const char *operation_name(const Node &node);
// Returns `failure` with the operation that failed in front of its message. That is `last`, the last node of a program
// of `nodes` nodes.
Failure name_operation(Node &last, int nodes, Failure failure);

}  // namespace gpuopt

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
// Whether a pending node is one operation on leaves and constants, on one stream, and may write to its target without
// any other node being computed before. This is the most common case and needs no planning: run_alone() has the effects
// and errors of run_nodes(), for such a node only.
bool stands_alone(const Engine &engine, Node &node);
void run_alone(Engine &engine, Node &node);
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

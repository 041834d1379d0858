// tests/fake_cuda/queue.h -- streams as queues whose operations run only when something must wait for them.
//
// So nothing that was not waited for has happened yet: a missing synchronisation gives wrong values, always.
#pragma once

#include "tests/fake_cuda/state.h"

namespace fake_cuda {

// The stream of this handle, NULL being stream 0 of the current context; it must belong to that context.
std::shared_ptr<Stream> stream_of(CUstream handle);

// Appends; the oldest runs once the queue is full.
void enqueue(const std::shared_ptr<Stream> &stream, Operation operation);

// Runs what the stream holds, up to its `place`-th operation, and in other streams what that waits for. A fault makes
// the context's error sticky and is thrown.
void run_to(Stream &stream, uint64_t place);
void run(Stream &stream);
void run_all(Context &context);  // even after a fault, when there is nothing to run

// As run, then what a synchronisation also does: pools give back what they hold in excess.
void synchronize(Stream &stream);
void synchronize(Context &context);

// Whether an operation that has not run yet uses this pinned memory.
bool in_use(uintptr_t memory, size_t bytes);

}  // namespace fake_cuda

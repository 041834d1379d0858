// core/engine/engine.h -- runs what is recorded when its results are needed.
//
// An operation (record.h) becomes a node (node.h). Nodes become programs, which run at the latest when somebody reads
// the memory of an array, or overwrites what they read. A recorder (access.h) has a lock (Engine::mutex), which is held
// while an operation is recorded and while programs are submitted (and, on the CPU backend, run). It is not held while
// a long copy to or from the host is under way (transfer.h). The functions here may be called from any thread. They
// take the lock themselves unless they say that the caller holds it; it is recursive.
#pragma once
#include <memory>
#include <span>

#include "core/array/array.h"

namespace gpuopt {

// Creates what holds the recorders of a device that is being opened, and reads GPUOPT_EAGER and GPUOPT_PINNED_BYTES.
// Called once per device.
std::shared_ptr<Engines> make_engines(gpuopt_device device);

// Runs the recorded operations that the arrays depend on, and throws the first failure among these arrays. Afterwards
// their storages have memory, which holds the values when the work submitted to the stream is done. Weak scalars are
// skipped; arrays of more than one device are ERR_DEVICE_MISMATCH.
void evaluate(std::span<const gpuopt_array> arrays);
inline void evaluate(gpuopt_array x) { evaluate(std::span<const gpuopt_array>(&x, 1)); }
// Prepares memory of x for being written or handed out other than by a recorded operation (by a copy, a library call,
// an export). Runs the operations that x depends on, and those that have yet to read its storage.
void prepare_write(gpuopt_array x);
// Runs everything recorded on the device.
void flush(gpuopt_device device);
// Runs everything recorded on the device if recorded operations keep memory alive to which no array refers. Returns
// false if there is no such memory, or if running fails.
bool run_what_pins(gpuopt_device device) noexcept;

// Makes work submitted to `stream` from now on wait for all work submitted to `before` so far: by an event or, if
// none can be made, by waiting on the host. The lock need not be held.
void join_streams(gpuopt_stream_s &stream, gpuopt_stream_s &before);
// Called before work that reads (or writes) the storage's memory is submitted to `stream`. Makes the stream wait for
// the last write (and for all reads since) by other streams, and registers it in the storage as a reader (or as the
// last writer). order_write() also waits for downloads. The caller holds the lock.
void order_read(Storage &storage, gpuopt_stream_s &stream);
void order_write(Storage &storage, gpuopt_stream_s &stream);
// Called before the memory is freed, when nobody else refers to the storage. Makes its stream, on which it is freed,
// wait for the other streams that read it. Only a lost device can make this fail, which is ignored.
void await_readers(Storage &storage) noexcept;

// Returns the address of element [0,...,0]. x has been evaluated.
inline char *address(const gpuopt_array_s &x) { return static_cast<char *>(x.storage->memory) + x.offset; }
// Returns x itself if it is C-contiguous, else a contiguous copy. Either is evaluated.
ArrayRef contiguous(gpuopt_array x);
// Called when the last array of a storage is released. The node that is pending for it, if any, loses its target, and
// runs only if other nodes need its value.
void forget_pending(Storage &storage);
// If the thread holds the lock of a recorder, keeps the storage, to which nobody refers any more, until it holds none,
// calls Storage::destroy() then, and returns true. Called before a function of the user's is called.
bool release_later(Storage &storage) noexcept;
// Releases x.leaf. Called when x is destroyed.
void forget_leaf(gpuopt_array_s &x);

}  // namespace gpuopt

// core/engine/engine.h -- recording: operations become nodes, nodes become programs, programs run when something looks.
//
// Each device has one recorder with one lock, held while an operation is recorded and while programs are submitted
// (which on the CPU backend means: while they run), but not while a copy to or from the host is waited for
// (transfer.h). Every function here takes it itself and may be called from any thread.
#pragma once
#include <memory>
#include <span>

#include "core/array/array.h"

namespace gpuopt {

// The recorder of a device that is being opened; called once per device. Reads GPUOPT_EAGER.
std::shared_ptr<Engine> make_engine(gpuopt_device device);

// Record one operation (or run it at once under GPUOPT_EAGER=1). Shape, dtype, device and stream errors are thrown
// here. `out` given: the result is stored into it (same_kind cast, exact shape) and it is returned.
// `name` opens the error messages; NULL is the operation's own.
ArrayRef record_op(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out = nullptr,
                   const char *name = nullptr);
ArrayRef record_cast(gpuopt_array x, gpuopt_dtype dtype);
// x itself where it has the dtype, so that nothing is copied; else as record_cast.
ArrayRef in_dtype(gpuopt_array x, gpuopt_dtype dtype);
// A fresh C-contiguous array of the same elements.
ArrayRef record_copy(gpuopt_array x);
// A fresh array of one value; `element` is of dtype.
ArrayRef record_constant(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, const void *element);
// dtype: of the accumulation and result, 0 for the table's; sum and prod only.
ArrayRef record_reduction(gpuopt_reduction reduction, gpuopt_array x, uint64_t axes, bool keepdims, gpuopt_dtype dtype);
ArrayRef record_scan(gpuopt_scan scan, gpuopt_array x, int axis, gpuopt_dtype dtype);
// x[...] = value: broadcast, any cast. A weak value takes x's dtype; an integer that does not fit is ERR_OVERFLOW.
void record_assign(gpuopt_array x, gpuopt_array value);

// Runs what the arrays wait for; afterwards their storage has memory that holds their values (once the stream gets
// there).
void evaluate(std::span<const gpuopt_array> arrays);
inline void evaluate(gpuopt_array x) { evaluate(std::span<const gpuopt_array>(&x, 1)); }
// Before memory of x is written or handed out outside the recorder (copies, library calls, exports): runs what x waits
// for and what still waits to read the old contents.
void prepare_write(gpuopt_array x);
// Runs everything recorded on the device.
void flush(gpuopt_device device);
// The same if recorded operations keep memory that no array can see; false if they do not, or cannot run.
bool run_what_pins(gpuopt_device device) noexcept;

// Work submitted to `stream` from now on comes after all work submitted to `before` so far.
void join_streams(gpuopt_stream_s &stream, gpuopt_stream_s &before);
// Before work on `stream` that reads, or writes, the storage's memory: orders it after what other streams do there.
void order_read(Storage &storage, gpuopt_stream_s &stream);
void order_write(Storage &storage, gpuopt_stream_s &stream);
// Before the memory is freed: its own stream waits for the others that read it. What fails is a lost device's.
void await_readers(Storage &storage) noexcept;

// Until x's memory holds its values and nothing submitted uses it any more: before it is read or handed out as it lies.
// Evaluated before.
void await_memory(const gpuopt_array_s &x);

// Address of element [0,...,0]; only after evaluate.
inline char *address(const gpuopt_array_s &x) { return static_cast<char *>(x.storage->memory) + x.offset; }
// x as a plugin tensor; evaluates it. Points into x.
gpuopt_tensor tensor_of(gpuopt_array x);
// x itself if C-contiguous, else a contiguous copy; evaluated.
ArrayRef contiguous(gpuopt_array x);
// Copies all elements in C order to or from host memory; waits.
void copy_to_host(gpuopt_array x, void *host);
void copy_from_host(gpuopt_array x, const void *host);

// No array can see the storage any more: what is recorded for it becomes an internal value.
void forget_pending(Storage &storage);
// The array is about to go.
void forget_leaf(gpuopt_array_s &x);

}  // namespace gpuopt

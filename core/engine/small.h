// core/engine/small.h -- elementwise operations on a few elements that are in memory, and reductions of them. They run
// at once, in the calling thread, without a graph.
//
// To record an operation, plan it and run the program takes several hundred nanoseconds, a loop over ten elements five;
// a chain of four operations on 4096 elements that stay in a first-level cache is still faster in four loops.
// So an operation whose operands are computed, contiguous, of one dtype and in memory that the host may read calls the
// backend's loop for it (slot elementwise_loop). Nothing else is looked at: where an operand is still a recorded value
// the operation is recorded, too, so that it is fused as before, and where anything is wrong the usual path says so.
// NumPy does the same for all sizes; the bits are those of a program, since programs consist of these loops.
//
// A reduction of such an operand is a program of three steps, which is written and submitted at once.
//
// No lock is taken, as the rules for threads (gpuopt.h) allow no other use of an array beside a write to it. The
// operation thus counts neither as recorded nor as a program in gpuopt_engine_get_stats().
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <array>
#include <span>

#include "core/array/array.h"

namespace gpuopt {

// The loops of a device's backend, by operation and dtype of the operands.
class SmallLoops {
 public:
  struct Loop {
    gpuopt_elementwise_loop run = nullptr;  // NULL if the operation is to be recorded
    gpuopt_dtype result = 0;
    int32_t most = 0;  // the number of elements from which on it is to be recorded is one more
  };

  // Asks the backend for its loops, unless the device is not synchronous or has memory of its own, or
  // GPUOPT_SMALL_OPERATIONS=off. Called while the device is being opened.
  explicit SmallLoops(const gpuopt_device_s &device);
  // Whether small operations are to run at once on this device: whether there is any loop.
  bool enabled() const { return enabled_; }
  const Loop &at(gpuopt_op op, gpuopt_dtype dtype) const {
    return loops_[static_cast<size_t>(op)][static_cast<size_t>(dtype)];
  }

 private:
  bool enabled_ = false;
  std::array<std::array<Loop, GPUOPT_DTYPE_COUNT>, GPUOPT_OP_COUNT> loops_{};
};

// Computes `op` of the inputs if that can be done at once. If `out` is NULL, returns a new array with the result, whose
// reference is the caller's. Otherwise stores the result into `out` and returns it, without a reference. Returns NULL
// if the operation is to be recorded, or cannot be done at all; then nothing has changed. Inputs may be NULL.
gpuopt_array apply_small(gpuopt_op op, std::span<const gpuopt_array> inputs, gpuopt_array out) noexcept;

// Reduces x, an array or a weak scalar, over the axes in the bit mask, as record_reduction() does, if that can be done
// at once: by a program of its own, which is the one that a recorded reduction would become. Returns an empty reference
// if it is to be recorded. Throws what reduction_dtypes() throws.
ArrayRef reduce_small(gpuopt_reduction reduction, gpuopt_array x, uint64_t axes, bool keepdims, gpuopt_dtype dtype);

// Returns a new array of a shape that has been checked, all of whose elements are `element`, if that can be made at
// once: its reference is the caller's. Returns NULL if it is to be recorded, as where the shape has no axes, because a
// recorded number becomes a parameter of programs.
gpuopt_array make_small_constant(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape,
                                 const void *element) noexcept;

// Returns whether evaluate() would have nothing to do for these arrays, and succeed. Arrays may be NULL.
bool evaluated_at_once(std::span<const gpuopt_array> arrays) noexcept;

// Return the address of element [0,...,0] if the caller may read it, or read and write it, at once: the device has the
// host's memory, and no recorded operation has yet to compute the elements, or, to be written, to read them. NULL
// otherwise.
const void *readable_at_once(gpuopt_array x) noexcept;
void *address_at_once(gpuopt_array x) noexcept;

}  // namespace gpuopt

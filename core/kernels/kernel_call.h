// core/kernels/kernel_call.h -- the steps that calls of all user kernels share: checking arguments, finding the device,
// binding types, packing argument bytes, launching.
#pragma once
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/array/array.h"
#include "core/array/view.h"
#include "core/engine/library_call.h"
#include "core/kernels/kernel.h"

namespace gpuopt {

// The bytes of a launch's arguments, in the order of the kernel's parameters. Each argument begins at a multiple of 16.
class ArgumentBytes {
 public:
  void add(const void *bytes, size_t count);  // one argument, as are those below
  void add_words(std::span<const int64_t> words) { add(words.data(), words.size_bytes()); }
  void add_word(int64_t word) { add(&word, sizeof word); }
  // Adds a `Sizes` of plugins/shared/user/arrays.h, which has one element even if there are no dimensions.
  void add_dims(std::span<const int64_t> dims);
  // Adds a `Strided` of plugins/shared/user/arrays.h; strides are in bytes.
  void add_strided(const void *data, std::span<const int64_t> strides);
  // Returns the arguments for a launch. They point into this object and are valid until more is added.
  std::vector<gpuopt_kernel_argument> list() const;

 private:
  struct alignas(16) Unit {
    unsigned char bytes[16];
  };
  std::vector<Unit> storage_;
  std::vector<std::pair<size_t, size_t>> places_;
};

// Some axes of a loop, and the strides of each operand along them in bytes. Adjacent axes are merged into one if every
// operand can be traversed along them with a single stride.
struct LoopAxes {
  Dims sizes;
  std::vector<Dims> strides;  // for each operand, ndim() strides
  int ndim() const { return static_cast<int>(sizes.size()); }
};

// Returns the axes d whose bit d is set in `mask`, merged, and without those of size 1. All operands have the shape
// `shape`.
LoopAxes merged_axes(std::span<const int64_t> shape, uint64_t mask, const std::vector<gpuopt_array> &operands);

// One call of an elementwise or reduction kernel. Derived classes run it in their constructors; used by one thread.
class KernelCall {
 public:
  // Moves the outputs, given or made, in order into results[0 .. nout), as new references for the caller.
  void leave_outputs(gpuopt_array *results);

 protected:
  // Checks number and kinds of the arguments, and that they are on one device. `kernel` and `options` must outlive this
  // object. Throws ERR_INVALID_ARGUMENT, ERR_TYPE or ERR_DEVICE_MISMATCH.
  KernelCall(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
             const gpuopt_kernel_call_options &options);

  const char *name() const { return source_.name.c_str(); }
  bool is_output(size_t k) const { return k >= parameters_.inputs.size(); }
  BoundTypes bound_types() const;  // throws ERR_TYPE
  // Sets `shape` to the broadcast shape of the arrays that are not raw: of the inputs and, if `with_outputs`, of the
  // given outputs. Returns false if there are no such arrays. Throws ERR_SHAPE.
  bool broadcast(bool with_outputs, Shape &shape) const;
  void check_writable(size_t k) const;  // throws ERR_READ_ONLY; parameter k is an output that was given
  // Replaces each input that may overlap an output, and is not exactly the same view as that output, by a copy. Threads
  // run in no particular order, so that an element could otherwise be overwritten before it is read.
  void part_from_outputs();
  // Returns the array of parameter k broadcast to `shape`. This object owns the view.
  gpuopt_array widened(size_t k, const Shape &shape);

  // Returns the part of the key for gpuopt_kernel_s::compiled() that is common to all kinds of kernels: the device, and
  // each parameter's dtype and form.
  std::string key_of(const BoundTypes &types, const std::vector<ArgumentForm> &forms) const;
  // Add parameter k: a number cast to its bound type, or a raw array (`Raw` of plugins/shared/user/arrays.h).
  void add_number(ArgumentBytes &bytes, size_t k, const BoundTypes &types) const;
  void add_raw(ArgumentBytes &bytes, size_t k) const;
  // Registers the arrays with `order` and runs the recorded operations that they depend on. Afterwards they have
  // addresses, and launches through `order` are ordered with all other work on their memory.
  void enter(LibraryCall &order) const;
  // Returns a one-dimensional launch of at least `threads` threads in blocks of the size that the options give, or of
  // fewer if that exceeds the largest grid. It refers to `arguments`, which must outlive it.
  gpuopt_kernel_launch launch_of(int64_t threads, const std::vector<gpuopt_kernel_argument> &arguments) const;

  gpuopt_kernel_s &kernel_;
  const UserKernel &source_;
  const KernelParameters &parameters_;
  const gpuopt_kernel_call_options &options_;
  std::vector<ArrayRef> arrays_;        // of each parameter; empty for a number, and for an output that is not given
  std::vector<gpuopt_scalar> numbers_;  // of each parameter that is a number
  std::vector<ArrayRef> wide_;          // views that live until the call ends
  bool outputs_given_ = false;
  Ref<gpuopt_stream_s> stream_;  // the first array's, or the default stream of the options' device

 private:
  void take(std::span<const gpuopt_array> arguments);
  void find_device();
};

}  // namespace gpuopt

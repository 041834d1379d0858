// core/kernels/kernel_call.h -- what calls of all user kernels have in common: arguments, device, types, compiling,
// launching.
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

// The bytes a kernel is given, in the order of its parameters.
class ArgumentBytes {
 public:
  void add(const void *bytes, size_t count);
  void add_words(std::span<const int64_t> words) { add(words.data(), words.size_bytes()); }
  void add_word(int64_t word) { add(&word, sizeof word); }
  // The extents or strides of an array that C++ gives at least one element.
  void add_dims(std::span<const int64_t> dims);
  // Strided of plugins/shared/user/arrays.h.
  void add_strided(const void *data, std::span<const int64_t> strides);
  // Valid until more is added.
  std::vector<gpuopt_kernel_argument> list() const;

 private:
  struct alignas(16) Unit {
    unsigned char bytes[16];
  };
  std::vector<Unit> storage_;
  std::vector<std::pair<size_t, size_t>> places_;
};

// Some axes of a loop and each operand's strides along them, neighbours merged that every operand walks as one.
struct LoopAxes {
  Dims sizes;
  std::vector<Dims> strides;  // of each operand
  int ndim() const { return static_cast<int>(sizes.size()); }
};

// Those whose bit is set in `mask`, of operands that all have this shape.
LoopAxes merged_axes(std::span<const int64_t> shape, uint64_t mask, const std::vector<gpuopt_array> &operands);

class KernelCall {
 public:
  // The outputs, given or made, in order.
  void leave_outputs(gpuopt_array *results);

 protected:
  // Checks the arguments and finds the device. Throws; all of them must outlive it.
  KernelCall(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
             const gpuopt_kernel_call_options &options);

  const char *name() const { return source_.name.c_str(); }
  bool is_output(size_t k) const { return k >= parameters_.inputs.size(); }
  BoundTypes bound_types() const;
  // The broadcast shape of the arrays that are not raw: of the inputs, or of all. False if there is none.
  bool broadcast(bool with_outputs, Shape &shape) const;
  void check_writable(size_t k) const;
  // Inputs that overlap an output without being it are copied: elements are written in no particular order.
  void part_from_outputs();
  // Parameter k as an array of this shape; kept until the call is over.
  gpuopt_array widened(size_t k, const Shape &shape);

  std::string key_of(const BoundTypes &types, const std::vector<ArgumentForm> &forms) const;
  void add_number(ArgumentBytes &bytes, size_t k, const BoundTypes &types) const;
  void add_raw(ArgumentBytes &bytes, size_t k) const;
  // Runs what the arguments wait for. After it they have addresses, and launches with `order` are in order with other
  // work.
  void enter(LibraryCall &order) const;
  // So many threads, in blocks of the options' size. The arguments must outlive it.
  gpuopt_kernel_launch launch_of(int64_t threads, const std::vector<gpuopt_kernel_argument> &arguments) const;

  gpuopt_kernel_s &kernel_;
  const UserKernel &source_;
  const KernelParameters &parameters_;
  const gpuopt_kernel_call_options &options_;
  std::vector<ArrayRef> arrays_;  // of each parameter; empty for a number, and for an output that is not given
  std::vector<gpuopt_scalar> numbers_;
  std::vector<ArrayRef> wide_;
  bool outputs_given_ = false;
  Ref<gpuopt_stream_s> stream_;

 private:
  void take(std::span<const gpuopt_array> arguments);
  void find_device();
};

}  // namespace gpuopt

// core/ufuncs/ufunc.h -- ufuncs, and what they share with generalized ufuncs and stencils: generated kernels, checks
// and casts of arguments.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/kernels/kernel.h"
#include "core/ufuncs/ufunc_types.h"

namespace gpuopt {

using KernelRef = Ref<gpuopt_kernel_s>;

KernelParameter parameter_of(std::string name, gpuopt_dtype dtype, bool raw, bool written);
KernelRef kernel_of(UserKernel source);  // a new kernel, not yet compiled

// A cache of generated kernels by name. Any thread may call get(), which calls source() on a miss; the kernel lives as
// long as the family.
class KernelFamily {
 public:
  gpuopt_kernel_s &get(const std::string &name, const std::function<UserKernel()> &source);

 private:
  std::mutex mutex_;
  std::map<std::string, KernelRef> kernels_;
};

// Returns the stream of the first array or, for a call without arrays, the default stream of the options' device.
// Throws ERR_INVALID_ARGUMENT if there is neither; `name` is the ufunc's, for messages.
gpuopt_stream stream_for(const std::string &name, std::span<const gpuopt_array> arguments,
                         const gpuopt_kernel_call_options &options);
// Returns an input cast to `dtype`, or itself if it has that dtype already; a weak scalar becomes a 0-d array.
ArrayRef typed_input(gpuopt_stream stream, gpuopt_array x, gpuopt_dtype dtype);
// Returns the options for calling an elementwise kernel whose arrays are all raw, with a loop of `size` iterations.
gpuopt_kernel_call_options sized_call(int64_t size, int32_t block_size = 0);

// Throws ERR_INVALID_ARGUMENT unless there are nin or nin + nout arguments, none of them NULL, and no output is a weak
// scalar.
void check_operands(const std::string &name, std::span<const gpuopt_array> arguments, size_t nin, size_t nout);

// Returns x, or a copy if it may share memory with one of the outputs.
ArrayRef apart_from_all(std::span<const gpuopt_array> outputs, ArrayRef x);

// The outputs of a call. A given output is written directly if it has the dtype that the ufunc computes in. Otherwise
// the kernel writes to a new array, which finish() casts into the given one, or returns if none was given.
class UfuncOutputs {
 public:
  // `given` has either all outputs or none; `dtypes` are those that the ufunc computes. Throws ERR_READ_ONLY, or
  // ERR_TYPE if a dtype cannot be cast to that of the given output by NumPy's rule "same_kind". `name` must outlive
  // this object.
  UfuncOutputs(const std::string &name, std::span<const gpuopt_array> given, const std::vector<gpuopt_dtype> &dtypes);
  bool given() const { return !given_.empty(); }
  // Decides where output k of this shape is written: sets targets()[k]. Throws ERR_SHAPE if a given output has another
  // shape.
  void make(size_t k, gpuopt_stream stream, const Dims &shape);
  const std::vector<gpuopt_array> &targets() const { return targets_; }
  // After the kernel was called: casts into given outputs where necessary, and moves new references to all outputs into
  // `results`, which may be NULL.
  void finish(gpuopt_array *results);

 private:
  const std::string &name_;
  std::vector<ArrayRef> given_, made_;
  std::vector<gpuopt_dtype> dtypes_;
  std::vector<gpuopt_array> targets_;
};

// Implements the C functions that create a composite kernel; `what` is the function's name for messages. make(name)
// returns the Composite. *kernel is NULL on failure.
template <class Make>
gpuopt_status giving_kernel(gpuopt_kernel *kernel, gpuopt_error *error, const char *what, const char *name,
                            Make &&make) noexcept {
  if (kernel) *kernel = nullptr;
  return guarded(error, [&] {
    if (!kernel) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the kernel pointer is NULL", what);
    auto made = KernelRef::adopt(new gpuopt_kernel_s);
    made->source.name = name ? name : "";
    check_kernel_name(made->source.name);
    made->composite = make(made->source.name);
    *kernel = made.leave();
  });
}

// A ufunc, as of numba.vectorize. Any thread may call its functions.
class Ufunc : public Composite {
 public:
  Ufunc(std::string name, const char *code, const char *types, const char *identity);
  size_t nin() const override { return types_.front().inputs.size(); }
  size_t nout() const override { return types_.front().outputs.size(); }
  void call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
            gpuopt_array *results) override;

  // The methods of numpy.ufunc, implemented in ufunc_methods.cpp. No argument is a weak scalar, except `values`, which
  // is NULL for a ufunc of one input. at() changes x in place.
  ArrayRef reduce(gpuopt_array x, int naxes, const int64_t *axes, bool keepdims);
  ArrayRef accumulate(gpuopt_array x, int64_t axis);
  ArrayRef outer(gpuopt_array a, gpuopt_array b);
  void at(gpuopt_array x, gpuopt_array indices, gpuopt_array values);

  // Return the kernels that the functions above call, for signature number `types` or for T,T->T with T `dtype`.
  UserKernel loop_source(size_t types) const;
  UserKernel reduce_source(gpuopt_dtype dtype) const;
  UserKernel in_order_source(gpuopt_dtype dtype) const;
  UserKernel accumulate_source(gpuopt_dtype dtype) const;
  UserKernel at_source(gpuopt_dtype dtype) const;

 private:
  UserKernel source() const;  // what all these kernels have in common
  gpuopt_dtype folding_dtype(const char *method, gpuopt_array x) const;
  ArrayRef reduce_in_order(gpuopt_array x, gpuopt_dtype dtype, int axis, bool keepdims);
  std::string applied(const std::string &arguments) const { return name_ + "(" + arguments + ")"; }

  std::string name_, code_, identity_;
  std::vector<TypeSignature> types_;
  KernelFamily kernels_;
};

// Returns the ufunc that a kernel is. Throws ERR_INVALID_ARGUMENT, naming `method`, if it is something else or NULL.
Ufunc &ufunc_of(gpuopt_kernel kernel, const char *method);

}  // namespace gpuopt

// core/ufuncs/ufunc.h -- what ufuncs, generalized ones and stencils have in common: kernels written for them, arguments
// cast.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/kernels/kernel.h"
#include "core/kernels/kernel_calls.h"
#include "core/ufuncs/ufunc_types.h"

namespace gpuopt {

using KernelRef = Ref<gpuopt_kernel_s>;

KernelParameter parameter_of(std::string name, gpuopt_dtype dtype, bool raw, bool written);
KernelRef kernel_of(UserKernel source);

// Kernels by name, made when they are first asked for.
class KernelFamily {
 public:
  gpuopt_kernel_s &get(const std::string &name, const std::function<UserKernel()> &source);

 private:
  std::mutex mutex_;
  std::map<std::string, KernelRef> kernels_;
};

// Where a call without arrays runs: on the options' device. Throws ERR_INVALID_ARGUMENT if there is none.
gpuopt_stream stream_for(const std::string &name, std::span<const gpuopt_array> arguments,
                         const gpuopt_kernel_call_options &options);
// An input in the dtype that was chosen for it; a number as an array without axes.
ArrayRef typed_input(gpuopt_stream stream, gpuopt_array x, gpuopt_dtype dtype);
// Options of a call over so many places.
gpuopt_kernel_call_options sized_call(int64_t size, int32_t block_size = 0);

// Throws ERR_INVALID_ARGUMENT for other counts than nin or nin + nout, NULLs, and outputs that are numbers.
void check_operands(const std::string &name, std::span<const gpuopt_array> arguments, size_t nin, size_t nout);

// x, or a copy if it has memory in common with one of the outputs.
ArrayRef apart_from_all(std::span<const gpuopt_array> outputs, ArrayRef x);

// Where outputs are written: those given, or fresh ones of the ufunc's own dtype that are cast into them afterwards.
class UfuncOutputs {
 public:
  // `given`: all of them, or none. Throws ERR_READ_ONLY, and ERR_TYPE if their dtypes are not of the same kind.
  UfuncOutputs(const std::string &name, std::span<const gpuopt_array> given, const std::vector<gpuopt_dtype> &dtypes);
  bool given() const { return !given_.empty(); }
  // Makes the k-th of this shape unless it was given; a given one must have it (ERR_SHAPE).
  void make(size_t k, gpuopt_stream stream, const Dims &shape);
  const std::vector<gpuopt_array> &targets() const { return targets_; }
  void finish(gpuopt_array *results);

 private:
  const std::string &name_;
  std::vector<ArrayRef> given_, made_;
  std::vector<gpuopt_dtype> dtypes_;
  std::vector<gpuopt_array> targets_;
};

// The C functions that make a composite kernel: *kernel is NULL unless make(name) returned one.
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

// numba.vectorize.
class Ufunc : public Composite {
 public:
  Ufunc(std::string name, const char *code, const char *types, const char *identity);
  size_t nin() const override { return types_.front().inputs.size(); }
  size_t nout() const override { return types_.front().outputs.size(); }
  void call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
            gpuopt_array *results) override;

  // ufunc_methods.cpp.
  ArrayRef reduce(gpuopt_array x, int naxes, const int64_t *axes, bool keepdims);
  ArrayRef accumulate(gpuopt_array x, int64_t axis);
  ArrayRef outer(gpuopt_array a, gpuopt_array b);
  void at(gpuopt_array x, gpuopt_array indices, gpuopt_array values);

  // The kernels that the above run.
  UserKernel loop_source(size_t types) const;
  UserKernel reduce_source(gpuopt_dtype dtype) const;
  UserKernel in_order_source(gpuopt_dtype dtype) const;
  UserKernel accumulate_source(gpuopt_dtype dtype) const;
  UserKernel at_source(gpuopt_dtype dtype) const;

 private:
  UserKernel source() const;
  gpuopt_dtype folding_dtype(const char *method, gpuopt_array x) const;
  ArrayRef reduce_in_order(gpuopt_array x, gpuopt_dtype dtype, int axis, bool keepdims);
  std::string applied(const std::string &arguments) const { return name_ + "(" + arguments + ")"; }

  std::string name_, code_, identity_;
  std::vector<TypeSignature> types_;
  KernelFamily kernels_;
};

// numba.guvectorize.
class Gufunc final : public Composite {
 public:
  Gufunc(std::string name, const char *code, const char *types, const char *signature);
  size_t nin() const override { return core_.nin(); }
  size_t nout() const override { return core_.nout(); }
  void call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
            gpuopt_array *results) override;
  UserKernel loop_source(size_t types) const;  // the kernel that it runs

 private:
  Dims loop_shape(std::span<const gpuopt_array> inputs) const;

  std::string name_, code_;
  std::vector<TypeSignature> types_;
  CoreSignature core_;
  KernelFamily kernels_;
};

// The ufunc a kernel is; throws ERR_INVALID_ARGUMENT for others, and for NULL.
Ufunc &ufunc_of(gpuopt_kernel kernel, const char *method);

}  // namespace gpuopt

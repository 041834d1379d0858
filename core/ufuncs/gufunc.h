// core/ufuncs/gufunc.h -- generalized ufuncs.
#pragma once
#include <string>
#include <vector>

#include "core/ufuncs/ufunc.h"

namespace gpuopt {

// A generalized ufunc, as of numba.guvectorize. Any thread may call its functions.
class Gufunc final : public Composite {
 public:
  Gufunc(std::string name, const char *code, const char *types, const char *signature);
  size_t nin() const override { return core_.nin(); }
  size_t nout() const override { return core_.nout(); }
  void call(std::span<const gpuopt_array> arguments, const gpuopt_kernel_call_options &options,
            gpuopt_array *results) override;
  UserKernel loop_source(size_t types) const;  // for signature number `types`

 private:
  Dims loop_shape(std::span<const gpuopt_array> inputs) const;

  std::string name_, code_;
  std::vector<TypeSignature> types_;
  CoreSignature core_;
  KernelFamily kernels_;
};

}  // namespace gpuopt

// core/kernels/kernel_params.h -- the parameter lists of user kernels ("T x, raw float32 y") and what call arguments
// make of them.
//
// The grammar and the rules of binding are those of CuPy's ElementwiseKernel and ReductionKernel (its documentation,
// "User-Defined Kernels"); what fails there without a word of explanation has one here.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/array/array.h"

namespace gpuopt {

struct KernelParameter {
  std::string name;
  gpuopt_dtype dtype = 0;  // 0: generic, bound by the arguments
  char letter = 0;         // of a generic type
  bool raw = false;        // the kernel indexes it itself: neither broadcast nor read at `i`
  bool written = false;    // an output, or an input marked _non_const
  std::string type_text() const { return letter ? std::string(1, letter) : dtype_name(dtype); }
};

struct KernelParameters {
  std::vector<KernelParameter> inputs, outputs;
  size_t count() const { return inputs.size() + outputs.size(); }
  const KernelParameter &at(size_t k) const { return k < inputs.size() ? inputs[k] : outputs[k - inputs.size()]; }
};

// "T x, raw U y"; an empty list is none. Throws ERR_INVALID_ARGUMENT with `kernel` in front.
std::vector<KernelParameter> parse_parameters(const std::string &kernel, const char *list);
// Both lists. Throws the same also for a name that is used twice. There may be no output: an elementwise kernel can
// write to raw arrays.
KernelParameters parse_parameters(const std::string &kernel, const char *inputs, const char *outputs);
// Throws ERR_INVALID_ARGUMENT unless it is a C identifier.
void check_kernel_name(const std::string &name);
// Throws ERR_INVALID_ARGUMENT with `kernel` in front.
gpuopt_dtype dtype_named(const std::string &kernel, const std::string &type);

// What each generic letter stands for in one call.
class BoundTypes {
 public:
  // By the dtypes of arguments: outputs first, then inputs; 0 for a number and for an output that is not given, which
  // bind nothing. Throws ERR_TYPE.
  BoundTypes(const std::string &kernel, const KernelParameters &parameters, const std::vector<gpuopt_dtype> &arguments);
  gpuopt_dtype of(const KernelParameter &parameter) const {
    return parameter.letter ? letters_[static_cast<unsigned char>(parameter.letter)] : parameter.dtype;
  }
  // The letters that are bound, in alphabetical order.
  std::vector<std::pair<char, gpuopt_dtype>> all() const;

 private:
  void bind(const std::string &kernel, const KernelParameter &parameter, gpuopt_dtype argument);
  std::array<gpuopt_dtype, 128> letters_{};
};

}  // namespace gpuopt

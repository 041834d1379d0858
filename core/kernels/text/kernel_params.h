// core/kernels/text/kernel_params.h -- the parameter lists of user kernels ("T x, raw float32 y"), and the binding of
// generic types by call arguments.
//
// Grammar and binding rules are those of CuPy's ElementwiseKernel and ReductionKernel (its documentation, "User-Defined
// Kernels"). Errors that CuPy does not explain have a message here.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/array/array.h"

namespace gpuopt {

struct KernelParameter {
  std::string name;
  gpuopt_dtype dtype = 0;  // 0: a generic type, bound by a call's arguments
  char letter = 0;         // the name of the generic type; 0 if `dtype` is given
  bool raw = false;        // the kernel indexes the array itself: it is not broadcast
  bool written = false;    // an output, or an input marked _non_const
  std::string type_text() const { return letter ? std::string(1, letter) : dtype_name(dtype); }
};

struct KernelParameters {
  std::vector<KernelParameter> inputs, outputs;
  size_t count() const { return inputs.size() + outputs.size(); }
  const KernelParameter &at(size_t k) const { return k < inputs.size() ? inputs[k] : outputs[k - inputs.size()]; }
};

// Parses a list such as "T x, raw U y"; NULL and blank lists have no parameters. Throws ERR_INVALID_ARGUMENT, with
// `kernel`, the name of the kernel, in front of the message; so do the functions below.
std::vector<KernelParameter> parse_parameters(const std::string &kernel, const char *list);
// Parses both lists, and also rejects names that are used twice. An elementwise kernel need not have outputs, since it
// can write to raw arrays.
KernelParameters parse_parameters(const std::string &kernel, const char *inputs, const char *outputs);
// Throws ERR_INVALID_ARGUMENT unless it is a C identifier.
void check_kernel_name(const std::string &name);
// Returns the dtype called `type`. Throws ERR_INVALID_ARGUMENT if there is none.
gpuopt_dtype dtype_named(const std::string &kernel, const std::string &type);

// The dtypes that the generic letters stand for in one call.
class BoundTypes {
 public:
  // Binds the letters by the dtypes of the arguments, first of the outputs, then of the inputs. `arguments` has an
  // entry for each parameter, in order; it is 0 for a number or for an output that is not given, which bind nothing.
  // Throws ERR_TYPE if an argument has another dtype than its parameter, or if a letter remains unbound.
  BoundTypes(const std::string &kernel, const KernelParameters &parameters, const std::vector<gpuopt_dtype> &arguments);
  gpuopt_dtype of(const KernelParameter &parameter) const {
    return parameter.letter ? letters_[static_cast<unsigned char>(parameter.letter)] : parameter.dtype;
  }
  // Returns the bound letters with their dtypes, in the order of the character codes.
  std::vector<std::pair<char, gpuopt_dtype>> all() const;

 private:
  void bind(const std::string &kernel, const KernelParameter &parameter, gpuopt_dtype argument);
  std::array<gpuopt_dtype, 128> letters_{};
};

}  // namespace gpuopt

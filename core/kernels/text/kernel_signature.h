// core/kernels/text/kernel_signature.h -- the types of a raw kernel's parameters, as its compiler reports them, and the
// check of a launch's arguments against them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernels/text/kernel_text.h"

namespace gpuopt {

// The type of one parameter: a number or a vector of numbers such as float2, a pointer to such numbers, or another type
// (a struct, say) or a pointer to that.
struct ParameterType {
  gpuopt_dtype dtype = 0;                  // of the numbers; 0: another type
  bool pointer = false, constant = false;  // constant: a pointer to const
  int lanes = 1;                           // numbers in one element: 2 for float2
  uint32_t bytes = 0;                      // if the type is another one and no pointer: its size, saturated at 65535
};
using KernelSignature = std::vector<ParameterType>;

// Decodes the words, one for each parameter, that plugins/shared/user/signature.h stores in a variable of the compiled
// kernel.
KernelSignature read_signature(std::span<const uint32_t> words);

// Returns the type for a message: "const float *", "int", "complex<float> *", "float4 *", "a struct of 24 bytes".
std::string type_name(const ParameterType &type);

// Returns the names of the `count` parameters of the function `kernel` in the kernel's text, in order. Returns none if
// no definition with that many parameters is found, as when macros generate it.
std::vector<std::string> parameter_names(const std::string &text, const std::string &kernel, size_t count);

// Throws ERR_TYPE, naming both types, if an argument's type does not fit its parameter. `dtypes` is that of the launch
// options, with an entry for each argument, or NULL. Checks nothing if the number or a size of the arguments is wrong:
// the backend reports that.
void check_types(const UserKernel &kernel, const KernelSignature &signature,
                 std::span<const gpuopt_raw_argument> arguments, const gpuopt_dtype *dtypes);

}  // namespace gpuopt

// core/kernels/kernel_signature.h -- the types of a raw kernel's parameters, as its compiler knows them, and whether
// the arguments of a launch are of them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernels/kernel_text.h"

namespace gpuopt {

// One parameter: a number, a pointer to numbers, or something else of `bytes` bytes, or a pointer to that.
struct ParameterType {
  gpuopt_dtype dtype = 0;  // of the numbers; 0: something else
  bool pointer = false, constant = false;
  int lanes = 1;       // numbers of one element: 2 of float2
  uint32_t bytes = 0;  // of something else that is no pointer, up to 65535
};
using KernelSignature = std::vector<ParameterType>;

// From the words that plugins/shared/user/signature.h leaves in a kernel's code.
KernelSignature read_signature(std::span<const uint32_t> words);

// "const float *", "int", "complex<float> *", "float4 *", "a struct of 24 bytes".
std::string type_name(const ParameterType &type);

// The names of a kernel's parameters in the text, in order: as many as there are in the signature, or none if they are
// not found, as where macros or templates hide them.
std::vector<std::string> parameter_names(const std::string &text, const std::string &kernel, size_t count);

// Throws ERR_TYPE for an argument that is of another type than its parameter, naming both. `dtypes` is that of the
// launch options, or NULL. Whether there are as many arguments as parameters, and of their sizes, is the backend's to
// say.
void check_types(const UserKernel &kernel, const KernelSignature &signature,
                 std::span<const gpuopt_raw_argument> arguments, const gpuopt_dtype *dtypes);

}  // namespace gpuopt

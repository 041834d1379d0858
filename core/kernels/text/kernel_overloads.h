// core/kernels/text/kernel_overloads.h -- which of several functions of one name a raw kernel is.
#pragma once
#include <string>

namespace gpuopt {

// Splits a name such as "scale(float *x, int n)", which tells the function by its parameters as its declaration lists
// them, with or without their names, into "scale" and "(float *x, int n)"; the latter is "" for other names.
struct OverloadName {
  explicit OverloadName(const std::string &whole);
  std::string path, parameters;
};

// Returns an expression that denotes the function of a kernel of the text, to stand behind &: the name itself, or a
// pointer to the overload that the name tells, followed by *. Of a name without parameters that several functions have,
// the kernel that is defined is meant, if there is one such only, the others have other numbers of parameters and no
// #if may leave it out.
std::string function_expression(const std::string &name, const std::string &text);

}  // namespace gpuopt

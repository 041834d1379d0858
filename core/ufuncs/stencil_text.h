// core/ufuncs/stencil_text.h -- the text of a stencil's kernel, and what its author's indices say of the neighborhood.
#pragma once
#include <set>
#include <string>

#include "core/array/view.h"
#include "core/kernels/kernel_text.h"

namespace gpuopt {

// The least and the greatest offset along each axis. Zero is always between them.
struct Neighborhood {
  Dims low, high;
};

// What a text says of the inputs it indexes, name(...) and name[...].
struct RelativeIndices {
  std::set<std::string> names;  // those it does
  bool constant = true;         // all indices are integer literals
  bool any = false;
  Neighborhood reach;  // of those that are
};

// Throws ERR_INVALID_ARGUMENT where literal indices have different numbers of parts.
RelativeIndices relative_indices(const std::string &stencil, const std::string &body,
                                 const std::set<std::string> &inputs);

struct StencilText {
  std::string name, body, preamble;
  KernelParameters parameters;
  std::set<std::string> relative;  // inputs
  int mode = 0;
  Neighborhood neighborhood;
  bool checked = false;  // an index may leave the neighborhood
};

// An elementwise kernel in which the relative inputs are raw; a number `_cval` of the output's type follows the inputs.
UserKernel stencil_kernel(const StencilText &stencil);

}  // namespace gpuopt

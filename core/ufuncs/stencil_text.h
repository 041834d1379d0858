// core/ufuncs/stencil_text.h -- generates the text of a stencil's kernel, and finds the relative indices in its
// author's text.
#pragma once
#include <set>
#include <string>

#include "core/array/view.h"
#include "core/kernels/text/kernel_text.h"

namespace gpuopt {

// The least and the greatest offset along each axis; low <= 0 <= high.
struct Neighborhood {
  Dims low, high;
};

// The indices name(...) and name[...] of inputs in a stencil's text.
struct RelativeIndices {
  std::set<std::string> names;  // the inputs that are indexed
  bool constant = true;         // all indices are known: each is an integer literal
  bool any = false;             // at least one index consists of integer literals
  Neighborhood reach;           // the range of those indices, and of 0
};

// Returns the indices of `inputs`, which are names, in `body`. If a macro of `preamble` names an input that has
// indices, not all of them are known. `stencil` is the stencil's name for messages. Throws ERR_INVALID_ARGUMENT if
// literal indices have different numbers of parts.
RelativeIndices relative_indices(const std::string &stencil, const std::string &preamble, const std::string &body,
                                 const std::set<std::string> &inputs);

// A stencil as its author wrote it, and what was found out about it.
struct StencilText {
  std::string name, body, preamble;
  KernelParameters parameters;
  std::set<std::string> relative;  // the inputs that are read at relative indices
  int mode = 0;                    // GPUOPT_STENCIL_*
  Neighborhood neighborhood;
  bool checked = false;  // an index may leave the neighborhood, so that every access is checked
};

// Returns the stencil as an elementwise kernel. Relative inputs are raw in it, and a number `gpuopt_cval` of the
// output's type follows the inputs.
UserKernel stencil_kernel(const StencilText &stencil);

}  // namespace gpuopt

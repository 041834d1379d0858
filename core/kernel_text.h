// core/kernel_text.h -- the CUDA C++ text of a user kernel for one choice of types and layouts.
//
// Backends compile it on their own prelude (plugins/shared/user/*.h); it includes nothing else.
#pragma once
#include <string>
#include <vector>

#include "kernel_params.h"

namespace gpuopt {

// A kernel as its author wrote it.
struct ElementwiseSource {
  std::string name;
  KernelParameters parameters;
  std::string operation, preamble, loop_prep, after_loop;
};

// How an argument is given to the compiled kernel.
struct ArgumentForm {
  enum Kind : uint8_t { kNumber, kPacked, kStrided, kRaw } kind = kNumber;
  int ndim = 0;  // of a raw array
  bool operator==(const ArgumentForm &) const = default;
};

// What the text depends on besides types. The loop over `ndim` axes: those of STRIDED operands, merged where they can
// be. With `index_ndim` not negative the kernel also wants `_ind`, over that many axes.
struct ElementwiseForm {
  int ndim = 0, index_ndim = -1;
  std::vector<ArgumentForm> arguments;
  bool strided() const;
};

// What the function is called that a kernel of this name becomes: a kernel may be named as a function is that it calls.
std::string kernel_symbol(const std::string &name);

// Whether the author's text uses the word `_ind`.
bool wants_index(const ElementwiseSource &source);

// extern "C" __global__ void <kernel_symbol(name)>(arguments..., [sizes of the loop if strided()], [sizes of the
// index], count): see plugins/shared/user/arrays.h for the type of each.
std::string elementwise_text(const ElementwiseSource &source, const BoundTypes &types, const ElementwiseForm &form);

}  // namespace gpuopt

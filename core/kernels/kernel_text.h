// core/kernels/kernel_text.h -- the CUDA C++ text of a user kernel for one choice of types and layouts.
//
// Backends compile it on their own prelude (plugins/shared/user/*.h); it includes nothing else.
#pragma once
#include <string>
#include <vector>

#include "core/kernels/kernel_params.h"

namespace gpuopt {

// A kernel as its author wrote it.
struct UserKernel {
  std::string name;
  KernelParameters parameters;
  std::string operation;  // the whole body of an elementwise kernel; what a reduction takes of one element
  std::string preamble, loop_prep, after_loop;
  std::string before_operation, after_operation;  // what is ours around an operation that is the author's
  bool generated = false;                         // all expressions are ours, and call the author's function
  const char *header = "arrays";                  // plugins/shared/user/<header>.h, of an elementwise kernel
  const char *preamble_title = "preamble";        // what it is called where the compiler complains
  bool indexed = false;                           // wants `_ind`

  bool raw = false;                // `operation` is all of it, with a __global__ function of this name,
  std::vector<std::string> names;  // which is one of its module's: functions, and instances of templates "scale<float>"

  bool function = false;  // no kernel: `operation` has a function of this name, for C to call

  // Of reductions.
  bool reduces = false, has_identity = false;
  std::string combine, finish, identity, reduce_type;
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

// A dtype's name in kernels: int64_t, float, complex<double>.
const char *cpp_type(gpuopt_dtype dtype);

// The same where the author's text may have other things by that name.
std::string own_type(gpuopt_dtype dtype);

// What the function is called that a kernel of this name becomes: a kernel may be named as a function is that it calls.
std::string kernel_symbol(const UserKernel &kernel);

// Whether the author's text uses the word `_ind`.
bool wants_index(const UserKernel &source);

// extern "C" __global__ void <kernel_symbol>(arguments..., [sizes of the loop if strided()], [sizes of the
// index], count): see plugins/shared/user/arrays.h for the type of each.
std::string elementwise_text(const UserKernel &source, const BoundTypes &types, const ElementwiseForm &form);

// A reduction over `inner` axes for each place of `outer` ones, both merged. Raw arrays and numbers as above, all
// others kStrided.
struct ReductionForm {
  int outer = 0, inner = 0;
  bool packed = false;  // the reduced axes are one, along which the elements of all inputs lie in order
  std::vector<ArgumentForm> arguments;
};

// extern "C" __global__ void <kernel_symbol>(inputs..., outputs..., Sizes<outer>, Sizes<inner>, partials,
// Sequences, stage): see plugins/shared/user/reduction.h. Inputs are Reduced, outputs Strided along the outer axes.
std::string reduction_text(const UserKernel &source, const BoundTypes &types, const ReductionForm &form);

// A type of C's: numbers of a dtype (0: void), or where such numbers are.
struct CType {
  gpuopt_dtype dtype = 0;
  bool address = false, constant = false;
};
struct CSignature {
  std::vector<CType> arguments;
  CType result;
};
// extern "C" RESULT <kernel_symbol>(ARGUMENTS), which calls the author's function.
std::string function_text(const UserKernel &source, const CSignature &signature);

// A raw kernel's own text, in a namespace in which functions are the library's; its names are known outside of it.
std::string raw_text(const UserKernel &source);

// The variable of that text which says what the kernel's parameters are (core/kernels/kernel_signature.h).
std::string signature_symbol(const UserKernel &source);

// What the linker calls a variable of a raw kernel's text, "scale" or "mine::scale"; "" if that is no name.
std::string variable_symbol(const std::string &name);

}  // namespace gpuopt

// core/kernels/text/kernel_text.h -- generates the CUDA C++ text of a user kernel for one choice of types and layouts.
//
// The text includes only headers of plugins/shared, which every backend provides.
#pragma once
#include <string>
#include <vector>

#include "core/kernels/text/kernel_params.h"

namespace gpuopt {

// A kernel as its author wrote it. Which members are used depends on its kind: elementwise, reduction (`reduces`), raw
// (`raw`) or native function (`function`).
struct UserKernel {
  std::string name;
  KernelParameters parameters;
  std::string operation;  // an elementwise kernel's body; a reduction's map expression
  std::string preamble, loop_prep, after_loop;
  std::string before_operation, after_operation;  // generated text around the author's `operation`
  bool generated = false;                         // ufuncs: expressions are generated and call a function of `preamble`
  const char *header = "arrays";                  // elementwise: includes plugins/shared/user/<header>.h
  const char *preamble_title = "preamble";        // its name in compiler messages
  bool indexed = false;                           // declare `_ind`, the coordinates

  // Raw kernels: `operation` is the whole text and `names` are all kernels of the module, `name` among them: functions
  // or instances of templates, "scale<float>".
  bool raw = false;
  std::vector<std::string> names;

  bool function = false;  // not a kernel: `operation` defines a function `name` that C can call

  // Reductions: the expressions that combine `a` and `b`, finish `a` and give the result of reducing nothing; and the
  // type of partial results ("": that of the first output).
  bool reduces = false, has_identity = false;
  std::string combine, finish, identity, reduce_type;
};

// How an argument is passed to the compiled kernel: as a number, as a C-contiguous array that is read at `i` (kPacked),
// as a strided array, or as an array that the kernel indexes itself.
struct ArgumentForm {
  enum Kind : uint8_t { kNumber, kPacked, kStrided, kRaw } kind = kNumber;
  int ndim = 0;  // kRaw only
  bool operator==(const ArgumentForm &) const = default;
};

// What the text of an elementwise kernel depends on besides types. The loop runs over `ndim` axes, merged as far as the
// strides of the kStrided arguments allow. If `index_ndim` is not negative, `_ind` has that many axes.
struct ElementwiseForm {
  int ndim = 0, index_ndim = -1;
  std::vector<ArgumentForm> arguments;
  bool strided() const;  // whether any argument is kStrided
};

// Returns the name of a dtype in kernels: "int64_t", "float", "complex<double>".
const char *cpp_type(gpuopt_dtype dtype);

// Returns the same name, qualified, so that it is valid even if the author's text uses that name for something else.
std::string own_type(gpuopt_dtype dtype);

// Returns the name of the compiled function. It has a prefix unless the kernel is raw, because a kernel may have the
// same name as a function that it calls.
std::string kernel_symbol(const UserKernel &kernel);

// Returns whether the author's text uses the word `_ind`.
bool wants_index(const UserKernel &source);

// Returns the text of an elementwise kernel, which defines
//
//   extern "C" __global__ void <kernel_symbol>(arguments..., [loop sizes if strided()], [index sizes], count)
//
// plugins/shared/user/arrays.h has the types of these parameters. Index sizes are there if index_ndim >= 0; `count` is
// the number of iterations, an int64.
std::string elementwise_text(const UserKernel &source, const BoundTypes &types, const ElementwiseForm &form);

// What the text of a reduction depends on besides types: the numbers of axes that are kept (`outer`) and reduced
// (`inner`), both after merging. Arguments are kNumber, kRaw or kStrided.
struct ReductionForm {
  int outer = 0, inner = 0;
  bool packed = false;  // there is at most one reduced axis, and all inputs are contiguous along it
  std::vector<ArgumentForm> arguments;
};

// Returns the text of a reduction, which defines
//
//   extern "C" __global__ void <kernel_symbol>(inputs..., outputs..., Sizes<outer>, Sizes<inner>, partials,
//                                              Sequences, stage)
//
// Types and stages are those of plugins/shared/user/reduction.h. Array inputs are `Reduced`; outputs are `Strided`
// along the outer axes.
std::string reduction_text(const UserKernel &source, const BoundTypes &types, const ReductionForm &form);

// A C type: a number of a dtype, a pointer to such numbers (`address`), void (dtype 0) or void *.
struct CType {
  gpuopt_dtype dtype = 0;
  bool address = false, constant = false;
};
struct CSignature {
  std::vector<CType> arguments;
  CType result;
};
// Returns the text of a native function: extern "C" RESULT <kernel_symbol>(ARGUMENTS), which calls the author's
// function.
std::string function_text(const UserKernel &source, const CSignature &signature);

// Returns a raw kernel's own text, put into a namespace in which the functions of math.h are the library's, followed by
// using-declarations for the module's kernels and by a signature variable for each.
std::string raw_text(const UserKernel &source);

// Returns the name of the variable in that text that describes the kernel's parameters
// (core/kernels/text/kernel_signature.h).
std::string signature_symbol(const UserKernel &source);

// Returns the linker's name of a variable of a raw kernel's text, which is called "scale", "mine::scale" or, if it is
// an instance of a template for numbers or types of the language's own, "scale<float, 4>" there. Returns "" if that is
// not a name.
std::string variable_symbol(const std::string &name);

}  // namespace gpuopt

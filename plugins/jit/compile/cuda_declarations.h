// plugins/jit/compile/cuda_declarations.h -- CUDA C++'s rules for declarations, as Clang parses a kernel's text as C++
// ("CUDA C++ Programming Guide": Device Memory Space Specifiers, Empty Constructors, Launch Bounds).
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <utility>
#include <vector>

namespace gpuopt::jit {

// An AST consumer that runs before the code generator. If the constructor and destructor of a __shared__ variable's
// type (plugins/jit/text/thread.h) are empty, it removes both, so that nothing runs at the beginning and the end of a
// block. Others are errors, as are initializers of __shared__ variables, and thread_local variables. The
// __launch_bounds__ of one declaration of a kernel (plugins/jit/text/launch.h) are copied to its other declarations.
// `returns`, if not NULL, gets the lines and columns of return and goto statements, as debug information has them; it
// outlives the consumer.
using Places = std::vector<std::pair<unsigned, unsigned>>;
std::unique_ptr<clang::ASTConsumer> cuda_declarations(Places *returns);

// The same for a text that is compiled for GPUs, where Clang knows the attributes and heeds most of the rules itself:
// it makes variables that need no __device__ there variables of the device, and all initializers of __shared__
// variables are errors.
std::unique_ptr<clang::ASTConsumer> device_declarations();

}  // namespace gpuopt::jit

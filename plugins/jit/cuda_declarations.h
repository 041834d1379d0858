// plugins/jit/cuda_declarations.h -- what CUDA C++ says of declarations, for Clang takes a kernel's text for C++ ("CUDA
// C++ Programming Guide": Device Memory Space Specifiers, Empty Constructors, Launch Bounds).
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace gpuopt::jit {

// Stands before the generator of code. __shared__ variables (plugins/jit/text/thread.h) whose type's constructor and
// destructor are empty lose both, so that nothing runs at the beginning of a block, nor at its end; others are errors
// where they are declared, as are initializers, and thread_local variables. What one declaration of a kernel says of
// its launches (plugins/jit/text/launch.h), all do.
std::unique_ptr<clang::ASTConsumer> cuda_declarations();

}  // namespace gpuopt::jit

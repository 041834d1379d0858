// plugins/jit/compile/precompiled.h -- the headers of kernels, precompiled when the plugin is built.
//
// The list is in a file that the build writes (precompiled.cpp.in); the program that precompiles has an empty one.
#pragma once

#include <span>
#include <string_view>

namespace gpuopt::jit {

// The headers, precompiled for a processor and for kernels that are raw or not. For other sources, Clang parses their
// text.
struct PrecompiledHeaders {
  std::string_view processor;
  bool raw;
  const char *begin, *end;  // *end is 0, as Clang requires
};
std::span<const PrecompiledHeaders> precompiled_headers() noexcept;  // static; those of plugins/jit/CMakeLists.txt

}  // namespace gpuopt::jit

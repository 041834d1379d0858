// plugins/shared/program/step_text.h -- the names of types, operations and values in the kernel language
// (plugins/shared).
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <string>

namespace gpuopt::plugin {

// Returns the type of an element of a dtype: "gpo::c64".
const char *type_text(int dtype) noexcept;

// A row of ops.def: its name, and the header below plugins/shared/ops that defines it.
struct OpText {
  const char *name, *header;
};
OpText op_text(int op) noexcept;

constexpr bool is_complex(int dtype) { return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128; }

// The header that complex loops need besides.
inline constexpr char kComplexHeader[] = "plugins/shared/math/complex_functions.h";

// Returns "v7", the name of the value of step 7.
std::string value_text(int step);

}  // namespace gpuopt::plugin

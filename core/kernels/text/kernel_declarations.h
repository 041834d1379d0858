// core/kernels/text/kernel_declarations.h -- finds what a name means in a kernel's text, without a compiler.
#pragma once
#include <string>
#include <vector>

namespace gpuopt {

// One declaration of a name outside of functions. `path` is its whole name, "mine::scale"; namespaces that are inline
// or have no name are left out of it. Of a macro there is only the name.
struct Declaration {
  enum Kind : uint8_t { kFunction, kMacro, kNamespace, kType, kVariable } kind = kFunction;
  std::string path;
  int line = 1;
  // The parts of a function's declaration that stand between the angle brackets behind `template`, and between the
  // parentheses.
  bool is_template = false, is_global = false, returns_void = false, has_body = false;
  std::string template_parameters, parameters;
};

// Returns the declarations of `word`, an identifier, in the order of the text. This expands no macros and examines all
// branches of an #if, so it is a heuristic.
std::vector<Declaration> declarations_of(const std::string &text, const std::string &word);

}  // namespace gpuopt

// core/kernels/text/kernel_overloads.cpp -- see kernel_overloads.h.
#include "core/kernels/text/kernel_overloads.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/kernels/text/kernel_declarations.h"
#include "core/kernels/text/kernel_words.h"

namespace gpuopt {
namespace {

// How many parameters these are, by their commas: parentheses and brackets only make it more.
size_t count_of(const std::string &parameters) {
  return static_cast<size_t>(std::count(parameters.begin(), parameters.end(), ','));
}

// The parameters of the only kernel among functions of one name, if the others have other numbers of parameters: with
// as many they may be the same function, written otherwise. "" if there is none or several, or if nothing else has the
// name.
std::string only_kernel(const std::string &name, const std::string &text) {
  if (!std::all_of(name.begin(), name.end(), is_word_character) || text.find("#if") != std::string::npos) return "";
  std::set<std::string> all, kernels;
  for (const Declaration &made : declarations_of(text, name)) {
    if (made.kind != Declaration::kFunction || made.path != name || made.is_template) return "";
    all.insert(made.parameters);
    if (made.is_global && made.has_body) kernels.insert(made.parameters);
  }
  if (all.size() < 2 || kernels.size() != 1 || kernels.begin()->find('=') != std::string::npos) return "";
  for (const std::string &other : all)
    if (other != *kernels.begin() && count_of(other) == count_of(*kernels.begin())) return "";
  return "(" + *kernels.begin() + ")";
}

}  // namespace

OverloadName::OverloadName(const std::string &whole) : path(whole) {
  const size_t open = whole.find('(');
  // Parentheses may also stand in the arguments of a template.
  if (open == std::string::npos || open == 0 || whole.back() != ')' || whole.find('<') < open) return;
  path = whole.substr(0, whole.find_last_not_of(' ', open - 1) + 1);
  parameters = whole.substr(open);
}

std::string function_expression(const std::string &name, const std::string &text) {
  const OverloadName parts(name);
  const std::string parameters = parts.parameters.empty() ? only_kernel(name, text) : parts.parameters;
  return parameters.empty() ? name : "*static_cast<void (*)" + parameters + ">(&" + parts.path + ")";
}

}  // namespace gpuopt

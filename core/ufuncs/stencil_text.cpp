// core/ufuncs/stencil_text.cpp -- see stencil_text.h.
#include "core/ufuncs/stencil_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

#include "core/kernels/text/kernel_words.h"

namespace gpuopt {
namespace {

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t\n\r"), last = text.find_last_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Returns whether `part` is a decimal integer literal of at most nine digits, possibly with a sign, and sets `value`.
bool literal(const std::string &part, int64_t &value) {
  std::string digits = trimmed(part);
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits = trimmed(digits.substr(1));
  if (digits.empty() || digits.size() > 9 ||
      !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
      (digits.size() > 1 && digits[0] == '0'))
    return false;
  value = std::atoll(digits.c_str()) * (negative ? -1 : 1);
  return true;
}

// Returns the parts of an index: the text between the bracket at code[open] and the one that closes it, split at commas
// that are not inside of further brackets.
std::vector<std::string> index_parts(const std::string &code, size_t open) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (size_t at = open; at < code.size(); ++at) {
    const char c = code[at];
    const bool closes = c == ')' || c == ']' || c == '}';
    if (closes && --depth == 0) break;
    if (c == ',' && depth == 1) {
      parts.emplace_back();
    } else if (depth) {
      parts.back() += c;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
  }
  return parts;
}

// Enters one index of the input `name` into `found`.
void take_index(const std::string &stencil, const std::string &name, const std::vector<std::string> &parts,
                RelativeIndices &found) {
  Dims values;
  for (const std::string &part : parts) {
    int64_t value = 0;
    if (!literal(part, value)) {
      found.constant = false;
      return;
    }
    values.push_back(value);
  }
  Neighborhood &reach = found.reach;
  if (!found.any) reach.low = reach.high = Dims(values.size(), 0);
  found.any = true;
  if (values.size() != reach.low.size())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: an index of %s has %zu parts, another has %zu", stencil.c_str(),
         name.c_str(), values.size(), reach.low.size());
  for (size_t d = 0; d < values.size(); ++d) {
    reach.low[d] = std::min(reach.low[d], values[d]);
    reach.high[d] = std::max(reach.high[d], values[d]);
  }
}

// Returns whether a macro, defined by `line`, has a parameter of this name.
bool has_parameter(const std::string &line, const std::string &macro, const std::string &name) {
  const size_t at = line.find(macro), open = at + macro.size();
  if (at == std::string::npos || open >= line.size() || line[open] != '(') return false;
  std::set<std::string> parameters;
  collect_words(line.substr(open, line.find(')', open) - open), parameters);
  return parameters.count(name) != 0;
}

// Returns the numbers as the elements of a C++ array, with a 0 at the end.
std::string list_of(const Dims &numbers) {
  std::string text;
  for (const int64_t n : numbers) text += std::to_string(n) + ", ";
  return text + "0";
}

}  // namespace

RelativeIndices relative_indices(const std::string &stencil, const std::string &preamble, const std::string &body,
                                 const std::set<std::string> &inputs) {
  RelativeIndices found;
  std::set<std::string> bare;
  const std::string code = code_only(body);
  for (size_t begin = 0; begin < code.size();) {
    if (!is_word_character(code[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < code.size() && is_word_character(code[end])) ++end;
    const std::string word = code.substr(begin, end - begin);
    const size_t open = code.find_first_not_of(" \t\n\r", end);
    begin = end;
    if (!inputs.count(word)) continue;
    if (open == std::string::npos || (code[open] != '(' && code[open] != '[')) {
      bare.insert(word);
      continue;
    }
    found.names.insert(word);
    take_index(stencil, word, index_parts(code, open), found);
  }
  // An input that also occurs without an index may be passed to a function, which may use any index.
  for (const std::string &name : bare)
    if (found.names.count(name)) found.constant = false;
  // So may a macro of the preamble that names it.
  std::map<std::string, std::string> macros;
  KernelCode(preamble).collect_macros(macros);
  for (const auto &[macro, line] : macros) {
    std::set<std::string> words;
    collect_words(code_only(line.empty() ? preamble : line), words);  // empty: it is defined more than once
    for (const std::string &name : found.names)
      if (words.count(name) && !has_parameter(line, macro, name)) found.constant = false;
  }
  return found;
}

UserKernel stencil_kernel(const StencilText &stencil) {
  UserKernel kernel;
  kernel.name = stencil.name;
  kernel.header = "stencil";
  kernel.preamble = stencil.preamble;
  kernel.parameters = stencil.parameters;
  kernel.indexed = true;
  KernelParameter cval = stencil.parameters.outputs[0];
  cval.name = "gpuopt_cval";
  cval.written = false;
  std::string taken;
  std::vector<std::string> arrays;
  for (KernelParameter &p : kernel.parameters.inputs) {
    if (!stencil.relative.count(p.name)) continue;
    taken += (taken.empty() ? "const auto &" : ", const auto &") + p.name;
    p.name = "gpuopt_all_" + p.name;
    p.raw = true;
    arrays.push_back(p.name);
  }
  kernel.parameters.inputs.push_back(cval);
  const std::string user = "::gpo::user::";
  const auto applied = [&](const std::string &mode) {
    std::string list;
    for (const std::string &x : arrays)
      list += (list.empty() ? "" : ", ") + user + "relative<" + user + mode + ">(" + x + ", gpuopt_at)";
    return "gpuopt_body(" + list + ")";
  };
  const char *const modes[] = {"kConstant", "kReflect", "kNearest", "kWrap"};
  const std::string mode = modes[stencil.mode], y = stencil.parameters.outputs[0].name;
  kernel.before_operation = "const auto gpuopt_body = [&](" + taken + ") -> " +
                            (cval.letter ? std::string("gpuopt_kernel::") + cval.letter : own_type(cval.dtype)) +
                            " {\n";
  kernel.operation = stencil.body;
  std::ostringstream text;
  text << "\n};\nconst ::gpo::i64 *const gpuopt_at = _ind.get();\nconst ::gpo::i64 gpuopt_low[] = {"
       << list_of(stencil.neighborhood.low) << "}, gpuopt_high[] = {" << list_of(stencil.neighborhood.high) << "};\n"
       << "const bool gpuopt_inside = " << user << "is_inside(" << arrays[0]
       << ", gpuopt_at, gpuopt_low, gpuopt_high);\n"
       << y << " = ";
  if (stencil.mode == GPUOPT_STENCIL_CONSTANT) {
    text << "gpuopt_inside ? " << applied(stencil.checked ? mode : "kInside") << " : gpuopt_cval";
  } else if (stencil.checked) {
    text << applied(mode);
  } else {
    text << "gpuopt_inside ? " << applied("kInside") << " : " << applied(mode);
  }
  kernel.after_operation = text.str();
  return kernel;
}

}  // namespace gpuopt

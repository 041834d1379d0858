// core/kernels/text/kernel_names.cpp -- see kernel_names.h.
#include "core/kernels/text/kernel_names.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "core/kernels/text/kernel_declarations.h"
#include "core/kernels/text/kernel_overloads.h"
#include "core/kernels/text/kernel_words.h"

namespace gpuopt {
namespace {

constexpr const char *kKernel = "a kernel is declared \"__global__ void\"";

// The parts of "::mine::scale<float, 4>": the path "mine::scale", its last word "scale" and the arguments "<float, 4>";
// of "scale(int n)" also the parameters.
struct Name {
  explicit Name(const std::string &given) {
    const OverloadName parts(given);
    const std::string &whole = parts.path;
    parameters = parts.parameters;
    const size_t end = std::min(whole.find('<'), whole.size());
    path = whole.substr(0, end);
    while (path.compare(0, 2, "::") == 0) path.erase(0, 2);
    const size_t colons = path.rfind("::");
    word = colons == std::string::npos ? path : path.substr(colons + 2);
    arguments = whole.substr(end);
  }
  std::string path, word, arguments, parameters;
};

// Returns the first error of a log and all that follows, "" if it is not in the generated text. That text has these
// names, unless the author's has them.
std::string generated_error(const std::string &log, const std::string &title) {
  const size_t error = log.find(": error: ");
  if (error == std::string::npos) return "";
  size_t begin = log.rfind('\n', error);
  begin = begin == std::string::npos ? 0 : begin + 1;
  const std::string where = log.substr(begin, error - begin);
  for (const char *name : {"gpuopt", "entry", "__nv_name_map"})
    if (title != name && (where.compare(0, std::string(name).size() + 1, std::string(name) + ":") == 0 ||
                          where.compare(0, std::string(name).size() + 1, std::string(name) + "(") == 0))
      return log.substr(begin);
  return where.find("/plugins/jit/text/entry.h:") == std::string::npos ? "" : log.substr(begin);
}

// Returns where the generated text, of which compilers quote lines, has this name first.
size_t place_of(const std::string &error, const std::string &name) {
  size_t first = std::string::npos;
  for (const char *before : {"&", "::", "nv_mangled_name ", "GPUOPT_ENTRY(", "the function "}) {
    const std::string whole = before + name;
    for (size_t at = error.find(whole); at != std::string::npos && at < first; at = error.find(whole, at + 1)) {
      const char next = at + whole.size() < error.size() ? error[at + whole.size()] : '\n';
      if (is_word_character(next) || next == ':' || next == '<') continue;
      first = at;
      break;
    }
  }
  return first;
}

// Returns the name that an error is about, NULL if none. Of names such as "k" and "k<int>" it is the longer one.
const std::string *name_in(const std::string &error, const std::vector<std::string> &names) {
  const std::string *found = nullptr;
  size_t first = std::string::npos;
  for (const std::string &name : names) {
    const size_t place = place_of(error, name);
    if (place > first || place == std::string::npos) continue;
    if (place == first && name.size() < found->size()) continue;
    found = &name;
    first = place;
  }
  return found;
}

// Returns arguments for the parameters of a template: "<float, 1>" for "typename T, int N".
std::string example_of(const std::string &parameters) {
  std::string example;
  std::istringstream all(parameters);
  for (std::string one; std::getline(all, one, ',');) {
    const bool type = one.find("typename") != one.npos || one.find("class") != one.npos;
    example += (example.empty() ? "" : ", ") + std::string(type ? "float" : "1");
  }
  return "<" + example + ">";
}

std::string quoted(const std::string &text) { return '"' + text + '"'; }

// Why a name is no kernel, and the line that shows it.
struct Reason {
  int line = 0;
  std::string text;
};

Reason of_template(const Name &name, const Declaration &made) {
  const std::string parameters = "<" + made.template_parameters + ">";
  const std::string example = quoted(name.path + example_of(made.template_parameters));
  if (name.arguments.empty()) return {made.line, "it is a template of " + parameters + ", so name it as in " + example};
  return {made.line, name.arguments + " does not fit its parameters " + parameters +
                         ": give a type or value that is known there for each of them, as in " + example};
}

// How to name one of several functions of one name.
std::string overload_example(const Name &name, const std::vector<Declaration> &made) {
  const auto kernel = std::find_if(made.begin(), made.end(), [](auto &f) { return f.is_global && f.has_body; });
  const Declaration &one = kernel == made.end() ? made.front() : *kernel;
  return "name the kernel with its parameters, as in " + quoted(name.path + "(" + one.parameters + ")");
}

// Whether a function has just these parameters, apart from white space.
bool of_these(const std::string &parameters, const std::vector<Declaration> &made) {
  const auto bare = [](std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
  };
  return std::any_of(made.begin(), made.end(),
                     [&](auto &f) { return bare("(" + f.parameters + ")") == bare(parameters); });
}

// Returns the reason why none of these functions of one name is a kernel.
Reason of_functions(const Name &name, const std::vector<Declaration> &made) {
  const Declaration &one = made.front();
  const bool global = std::any_of(made.begin(), made.end(), [](auto &f) { return f.is_global; });
  const auto of_arguments = std::find_if(made.begin(), made.end(), [](auto &f) { return f.is_template; });
  std::set<std::string> kinds;
  for (const Declaration &function : made) kinds.insert(function.template_parameters + "(" + function.parameters);
  if (!global) return {one.line, "it is a function that is not declared __global__; " + std::string(kKernel)};
  if (!one.returns_void) return {one.line, "it does not return void; " + std::string(kKernel)};
  if (!name.parameters.empty() && !of_these(name.parameters, made))
    return {one.line, "no function of this name has these parameters; " + overload_example(name, made)};
  if (name.arguments.empty() && name.parameters.empty() && kinds.size() > 1)
    return {made[1].line,
            "line " + std::to_string(one.line) + " has another function of this name; " + overload_example(name, made)};
  if (of_arguments != made.end()) return of_template(name, *of_arguments);
  if (!name.arguments.empty())
    return {one.line, "the function is no template; name it without arguments, " + quoted(name.path)};
  if (std::none_of(made.begin(), made.end(), [](auto &f) { return f.has_body; }))
    return {one.line, "it is only declared; define it in the same text"};
  return {};
}

Reason of_declarations(const Name &name, const std::vector<Declaration> &made) {
  const Declaration &one = made.front();
  switch (one.kind) {
    case Declaration::kMacro:
      return {one.line, "it is a macro; name the function that the macro stands for or defines"};
    case Declaration::kNamespace:
      return {one.line, "it is a namespace; name a function in it, as in " + quoted(one.path + "::kernel")};
    case Declaration::kType:
      return {one.line, "it is a type; " + std::string(kKernel)};
    case Declaration::kVariable:
      return {one.line, "it is a variable; " + std::string(kKernel)};
    default:
      return of_functions(name, made);
  }
}

bool ends_with(const std::string &path, const std::string &end) {
  return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

Reason reason_of(const Name &name, const std::string &text) {
  std::vector<Declaration> exact;
  const Declaration *inside = nullptr;
  const Declaration *outside = nullptr;
  const std::vector<Declaration> all = declarations_of(text, name.word);
  for (const Declaration &made : all) {
    if (made.path == name.path && (exact.empty() || exact.front().kind == made.kind)) exact.push_back(made);
    if (made.kind != Declaration::kFunction) continue;
    if (ends_with(made.path, "::" + name.path)) inside = &made;
    if (ends_with("::" + name.path, "::" + made.path)) outside = &made;
  }
  if (!exact.empty()) return of_declarations(name, exact);
  if (inside)
    return {inside->line, "the function is in another scope; name it " + quoted(inside->path + name.arguments)};
  if (outside)
    return {outside->line, "the function is in no such scope; name it " + quoted(outside->path + name.arguments)};
  return {};
}

// Returns the line of the first occurrence of a word in the code of a text.
int line_of(const std::string &text, const std::string &word) {
  const std::string code = code_only(text);
  size_t at = code.find(word);
  while (at != std::string::npos && ((at > 0 && is_word_character(code[at - 1])) ||
                                     (at + word.size() < code.size() && is_word_character(code[at + word.size()]))))
    at = code.find(word, at + 1);
  const auto end = code.begin() + static_cast<std::ptrdiff_t>(std::min(at, code.size()));
  return at == std::string::npos ? 1 : 1 + static_cast<int>(std::count(code.begin(), end, '\n'));
}

Reason not_found(const Name &name, const std::string &text) {
  const bool conditional = text.find("#if") != std::string::npos;
  return {line_of(text, name.word), std::string("the compiler finds no function of this name") +
                                        (conditional ? ", which an #if may leave out; " : "; ") + kKernel};
}

}  // namespace

std::string explain_name(const UserKernel &kernel, const std::string &log) {
  const std::string &title = kernel.names.front();
  std::vector<std::string> functions;
  for (const std::string &one : kernel.names) functions.push_back(OverloadName(one).path);
  const std::string *const found = name_in(generated_error(log, title), functions);
  if (!found) return "";
  const std::string *const whole = &kernel.names[static_cast<size_t>(found - functions.data())];
  const Name name(*whole);
  Reason reason = reason_of(name, kernel.operation);
  if (reason.text.empty()) reason = not_found(name, kernel.operation);
  return title + ":" + std::to_string(reason.line) + ": error: " + quoted(*whole) +
         " is in the text, but is no kernel: " + reason.text + "\n";
}

}  // namespace gpuopt

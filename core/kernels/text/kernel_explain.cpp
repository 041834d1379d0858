// core/kernels/text/kernel_explain.cpp -- see kernel_explain.h.
#include "core/kernels/text/kernel_explain.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "core/kernels/text/kernel_names.h"
#include "core/kernels/text/kernel_overloads.h"

namespace gpuopt {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Iterates over the characters of a C++ text that are code, skipping comments, strings and character literals. next()
// advances to the next character and returns false at the end; the others describe the current one.
class CodeReader {
 public:
  explicit CodeReader(const std::string &text) : text_(text) {}
  bool next() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (!pass_over()) return at_ < text_.size();
    }
    return false;
  }
  char character() const { return text_[at_]; }
  size_t position() const { return at_; }
  int line() const { return line_; }

 private:
  bool starts(const char *what) const { return text_.compare(at_, std::char_traits<char>::length(what), what) == 0; }

  // If a comment or literal begins at `at_`, moves `at_` to its last character and returns true.
  bool pass_over() {
    if (starts("//")) return skip_to("\n", false);
    if (starts("/*")) return skip_to("*/", true);
    if (starts("R\"")) {
      const size_t open = text_.find('(', at_);
      if (open != std::string::npos) return skip_to((")" + text_.substr(at_ + 2, open - at_ - 2) + "\"").c_str(), true);
    }
    const char c = text_[at_];
    // A quote between digits separates them, as in 1'000.
    const bool separator = c == '\'' && at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) &&
                           at_ + 1 < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_ + 1]));
    if ((c != '"' && c != '\'') || separator) return false;
    return skip_literal(c);
  }
  // Moves to the last character before `end`, or to the last one of `end` itself if `inclusive`.
  bool skip_to(const char *end, bool inclusive) {
    const size_t found = text_.find(end, at_ + 2);
    const size_t last =
        found == std::string::npos ? text_.size() : found + (inclusive ? std::char_traits<char>::length(end) : 0);
    for (++at_; at_ < last; ++at_) line_ += text_[at_] == '\n';
    --at_;
    return true;
  }
  bool skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') --at_;  // it is not terminated, which the compiler reports
    return true;
  }

  const std::string &text_;
  size_t at_ = static_cast<size_t>(-1);
  int line_ = 1;
};

std::string message(const std::string &title, int line, const std::string &what) {
  return title + ":" + std::to_string(line) + ": error: " + what + "\n";
}

struct Bracket {
  char character;
  int line;
};

// Returns a message about the first bracket that does not match, "" if all match. Texts with #if are not examined,
// since the branches may have brackets that match only in one of them.
std::string unmatched(const std::string &title, const std::string &text) {
  if (text.find("#if") != std::string::npos) return "";
  const std::string opening = "([{", closing = ")]}";
  std::vector<Bracket> open;
  for (CodeReader code(text); code.next();) {
    const char c = code.character();
    const size_t kind = closing.find(c);
    if (opening.find(c) != std::string::npos) open.push_back({c, code.line()});
    if (kind == std::string::npos) continue;
    const std::string here = std::string("'") + c + "'";
    if (open.empty()) return message(title, code.line(), here + " closes nothing");
    if (open.back().character != opening[kind])
      return message(title, code.line(),
                     here + " stands where the '" + open.back().character + "' of line " +
                         std::to_string(open.back().line) + " should be closed");
    open.pop_back();
  }
  if (open.empty()) return "";
  return message(title, open.back().line, std::string("'") + open.back().character + "' is never closed");
}

// Returns whether the identifier `word` occurs in the code of a text.
bool has_word(const std::string &text, const std::string &word) {
  for (CodeReader code(text); code.next();) {
    const size_t at = code.position();
    if (text.compare(at, word.size(), word) != 0 || (at > 0 && is_word(text[at - 1]))) continue;
    if (at + word.size() >= text.size() || !is_word(text[at + word.size()])) return true;
  }
  return false;
}

// Returns a message if the text lacks a part of the name, "" otherwise. Of "mine::scale<float, 4>", both `mine` and
// `scale` must occur.
std::string missing_name(const std::string &title, const std::string &name, const std::string &text) {
  if (text.find("##") != std::string::npos) return "";  // which may form the name from parts
  const std::string path = OverloadName(name.substr(0, name.find('<'))).path;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find("::", begin), path.size());
    const std::string word = path.substr(begin, end - begin);
    if (!word.empty() && !has_word(text, word))
      return message(title, 1,
                     "the text of the kernel has no function \"" + name + "\": the name \"" + word + "\" is not in it");
    begin = end + 2;
  }
  return "";
}

constexpr const char *kNoRuntime =
    "of CUDA's runtime, kernels have launches (<<<>>>), cudaGetLastError(), streams for these, cudaMalloc() and "
    "cudaFree(), but nothing that waits, no graphs, events or copies: launch what depends on a kernel's results behind "
    "it, from the host or in "
    "cudaStreamTailLaunch";

// Returns a message about a name of CUDA's runtime that the compiler does not know; "" if there is none.
std::string runtime_in(const std::string &title, const std::string &text, const std::string &log) {
  for (const char *unknown : {"unknown type name 'cuda", "undeclared identifier 'cuda", "identifier \"cuda"}) {
    const size_t at = log.find(unknown);
    if (at == std::string::npos) continue;
    const size_t begin = at + std::char_traits<char>::length(unknown) - 4;
    const std::string name = log.substr(begin, log.find_first_of("'\"", begin) - begin);
    for (CodeReader code(text); code.next();)
      if (text.compare(code.position(), name.size(), name) == 0)
        return message(title, code.line(), name + ": " + kNoRuntime);
  }
  return "";
}

}  // namespace

std::string explain_failure(const UserKernel &kernel, const std::string &log) {
  const bool loop_of_function =
      !*kernel.preamble_title;  // a ufunc: the preamble defines the function that the kernel calls
  const std::string &title = kernel.raw ? kernel.names.front() : kernel.name;
  if (kernel.raw || kernel.function || loop_of_function) {
    const std::string &text = loop_of_function ? kernel.preamble : kernel.operation;
    for (const std::string &name : kernel.raw ? kernel.names : std::vector{kernel.name}) {
      std::string missing = missing_name(title, name, text);
      if (!missing.empty()) return missing;
    }
    const std::string brackets = unmatched(title, text);
    if (!kernel.raw || !brackets.empty()) return brackets;
    const std::string runtime = runtime_in(title, text, log);
    return runtime.empty() ? explain_name(kernel, log) : runtime;
  }
  if (std::string(kernel.header) == "stencil") return "";  // stencils are not examined
  const struct {
    const char *what;
    const std::string &text;
  } parts[] = {{"preamble", kernel.preamble},
               {"loop_prep", kernel.loop_prep},
               {"after_loop", kernel.after_loop},
               {"reduce", kernel.combine},
               {"identity", kernel.identity},
               {"post_map", kernel.finish},
               {kernel.reduces ? "map" : "", kernel.operation}};
  for (const auto &part : parts) {
    std::string wrong = unmatched(*part.what ? title + " " + part.what : title, part.text);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace gpuopt

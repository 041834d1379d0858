// core/kernels/text/kernel_words.cpp -- see kernel_words.h.
#include "core/kernels/text/kernel_words.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace gpuopt {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Splits a text into words and single other characters, without white space.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  tokens.reserve(text.size() / 3);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    if (is_word_character(text[begin]))
      while (end < text.size() && is_word_character(text[end])) ++end;
    if (!is_space(text[begin])) tokens.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return tokens;
}

// Joins lines that end in a backslash with the next line.
std::string joined(std::string text) {
  for (size_t at; (at = text.find("\\\n")) != std::string::npos;) text.erase(at, 2);
  for (size_t at; (at = text.find("\\\r\n")) != std::string::npos;) text.erase(at, 3);
  return text;
}

// Returns whether NAME( after this word is not a declaration of a function.
bool ends_expression(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "return",   "else", "do",     "case",   "throw",     "goto",     "define", "undef",    "ifdef",    "ifndef",
      "if",       "and",  "or",     "not",    "xor",       "defined",  "sizeof", "alignof",  "decltype", "elif",
      "explicit", "new",  "delete", "typeid", "co_return", "typename", "using",  "namespace"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// Returns the token after the parenthesis that closes the one at tokens[open], "" if there is none.
std::string_view behind_parenthesis(const std::vector<std::string_view> &tokens, size_t open) {
  int depth = 0;
  for (size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at] == "(") ++depth;
    if (tokens[at] == ")" && --depth == 0) return at + 1 < tokens.size() ? tokens[at + 1] : "";
  }
  return "";
}

// Returns whether tokens[at] is declared as a function there (KernelCode::collect_functions()).
bool is_function(const std::vector<std::string_view> &tokens, size_t at) {
  if (at == 0 || at + 1 >= tokens.size() || tokens[at + 1] != "(") return false;
  const std::string_view before = tokens[at - 1];
  if (is_name(before)) return !ends_expression(before);
  return (before == "*" || before == "&" || before == ">") && behind_parenthesis(tokens, at + 1) == "{";
}

// Returns the end of the name or number that begins at code[at]; `at` if none does. The ' between the digits of a
// number is a part of it.
size_t end_of_word(const std::string &code, size_t at) {
  const bool number = is_digit(code[at]);
  size_t end = at;
  while (end < code.size() && (is_word_character(code[end]) || (number && code[end] == '\'' && end + 1 < code.size() &&
                                                                is_word_character(code[end + 1]))))
    ++end;
  return end;
}

bool is_raw_prefix(std::string_view word) {
  return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}

// Returns the end of the raw string whose first quote is code[quote], or of the text.
size_t end_of_raw_string(const std::string &code, size_t quote) {
  const size_t open = code.find('(', quote);
  if (open == std::string::npos) return code.size();
  const std::string close = ")" + code.substr(quote + 1, open - quote - 1) + "\"";
  const size_t end = code.find(close, open);
  return end == std::string::npos ? code.size() : end + close.size();
}

// Returns the end of the comment or literal that begins at code[at], or of the text; `at` if none does.
size_t end_of_blank(const std::string &code, size_t at) {
  size_t end = at;
  if (code.compare(at, 2, "//") == 0) {
    end = code.find('\n', at);
  } else if (code.compare(at, 2, "/*") == 0) {
    end = code.find("*/", at + 2);
    if (end != std::string::npos) end += 2;
  } else if (code[at] == '"' || code[at] == '\'') {
    for (end = at + 1; end < code.size() && code[end] != code[at]; ++end)
      if (code[end] == '\\') ++end;
    ++end;
  }
  return std::min(end, code.size());
}

}  // namespace

bool is_name(std::string_view token) { return is_word_character(token[0]) && !is_digit(token[0]); }

std::string code_only(const std::string &text) {
  std::string code = text;
  const auto blank = [&code](size_t begin, size_t end) {
    if (end > begin) std::fill_n(code.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, ' ');
    return std::max(begin, end);
  };
  for (size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (is_word_character(c)) {
      const size_t begin = at;
      at = end_of_word(code, begin);
      const bool raw = code[at] == '"' && is_raw_prefix(std::string_view(code).substr(begin, at - begin));
      if (raw) at = blank(at, end_of_raw_string(code, at));
    } else if (c == '/' || c == '"' || c == '\'') {
      at = std::max(blank(at, end_of_blank(code, at)), at + 1);
    } else {
      ++at;
    }
  }
  return code;
}

std::string with_shared_alignment(const std::string &text) {
  const std::string shared = "__shared__", word = "alignas", code = code_only(text);
  std::string out;
  size_t copied = 0;
  for (size_t at = code.find(shared); at != code.npos; at = code.find(shared, at + 1)) {
    const size_t next = code.find_first_not_of(" \t\r\n", at + shared.size());
    if (next == code.npos || end_of_word(code, next) != next + word.size() || code.compare(next, word.size(), word))
      continue;
    out += text.substr(copied, next - copied) + "gpuopt_alignas";
    copied = next + word.size();
  }
  return out + text.substr(copied);
}

void collect_words(const std::string &text, std::set<std::string> &words) {
  std::unordered_set<std::string_view> found;
  for (const std::string_view token : tokens_of(text))
    if (is_word_character(token[0]) && found.insert(token).second) words.emplace(token);
}

KernelCode::KernelCode(const std::string &text)
    : whole_(joined(text)), code_(code_only(whole_)), tokens_(tokens_of(code_)) {}

void KernelCode::collect_macros(std::map<std::string, std::string> &macros) const {
  int conditions = 0;
  for (size_t begin = 0; begin < code_.size();) {
    const size_t end = std::min(code_.find('\n', begin), code_.size()),
                 first = code_.find_first_not_of(" \t\v\f\r", begin);
    if (first < end && code_[first] == '#') {
      const auto tokens = tokens_of(std::string_view(code_).substr(first, end - first));
      const std::string_view directive = tokens.size() > 1 ? tokens[1] : "";
      if (directive.substr(0, 2) == "if") ++conditions;
      if (directive == "endif") --conditions;
      if ((directive == "define" || directive == "undef") && tokens.size() > 2 && is_name(tokens[2])) {
        const std::string name(tokens[2]);
        const bool again = directive == "undef" || conditions > 0 || macros.count(name);
        macros[name] = again ? "" : whole_.substr(begin, end - begin);
      }
    }
    begin = end + 1;
  }
}

void KernelCode::collect_functions(std::set<std::string> &functions) const {
  std::unordered_set<std::string_view> others;
  for (size_t at = 0; at < tokens_.size(); ++at) {
    if (!is_name(tokens_[at])) continue;
    if (is_function(tokens_, at)) functions.emplace(tokens_[at]);
    if (at + 1 >= tokens_.size() || tokens_[at + 1] != "(") others.insert(tokens_[at]);
  }
  for (const std::string_view name : others) functions.erase(std::string(name));
}

bool KernelCode::has_global_names() const {
  for (size_t at = 0; at + 2 < tokens_.size(); ++at) {
    if (tokens_[at] != ":" || tokens_[at + 1] != ":" || !is_name(tokens_[at + 2])) continue;
    const std::string_view before = at > 0 ? tokens_[at - 1] : "";
    if (before != ">" && before != ":" && (before.empty() || !is_name(before) || ends_expression(before))) return true;
  }
  return false;
}

void KernelCode::collect_variables(std::set<std::string> &variables) const {
  std::unordered_set<std::string_view> called;
  for (size_t at = 1; at + 1 < tokens_.size(); ++at) {
    if (!is_name(tokens_[at])) continue;
    const std::string_view before = tokens_[at - 1], behind = tokens_[at + 1];
    if (behind == "(") called.insert(tokens_[at]);
    const bool declares = std::string_view("=;,)[").find(behind) != std::string_view::npos;
    if (declares && is_name(before) && !ends_expression(before)) variables.emplace(tokens_[at]);
  }
  for (const std::string_view name : called) variables.erase(std::string(name));
}

}  // namespace gpuopt

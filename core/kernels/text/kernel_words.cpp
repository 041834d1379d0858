// core/kernels/text/kernel_words.cpp -- see kernel_words.h.
#include "core/kernels/text/kernel_words.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <vector>

namespace gpuopt {
namespace {

// Splits a text into words and single other characters, without white space.
std::vector<std::string> tokens_of(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    if (is_word_character(text[begin]))
      while (end < text.size() && is_word_character(text[end])) ++end;
    if (!std::isspace(static_cast<unsigned char>(text[begin]))) tokens.push_back(text.substr(begin, end - begin));
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
bool ends_expression(const std::string &word) {
  static constexpr std::string_view kWords[] = {
      "return",   "else", "do",     "case",   "throw",     "goto",     "define", "undef",    "ifdef",    "ifndef",
      "if",       "and",  "or",     "not",    "xor",       "defined",  "sizeof", "alignof",  "decltype", "elif",
      "explicit", "new",  "delete", "typeid", "co_return", "typename", "using",  "namespace"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// Returns the token after the parenthesis that closes the one at tokens[open], "" if there is none.
std::string behind_parenthesis(const std::vector<std::string> &tokens, size_t open) {
  int depth = 0;
  for (size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at] == "(") ++depth;
    if (tokens[at] == ")" && --depth == 0) return at + 1 < tokens.size() ? tokens[at + 1] : "";
  }
  return "";
}

// Returns whether tokens[at] is declared as a function there (collect_functions()).
bool is_function(const std::vector<std::string> &tokens, size_t at) {
  if (at == 0 || at + 1 >= tokens.size() || tokens[at + 1] != "(") return false;
  const std::string &before = tokens[at - 1];
  if (is_name(before)) return !ends_expression(before);
  return (before == "*" || before == "&" || before == ">") && behind_parenthesis(tokens, at + 1) == "{";
}

// Returns the end of the name or number that begins at code[at]; `at` if none does. The ' between the digits of a
// number is a part of it.
size_t end_of_word(const std::string &code, size_t at) {
  const bool number = std::isdigit(static_cast<unsigned char>(code[at]));
  size_t end = at;
  while (end < code.size() && (is_word_character(code[end]) || (number && code[end] == '\'' && end + 1 < code.size() &&
                                                                is_word_character(code[end + 1]))))
    ++end;
  return end;
}

bool is_raw_prefix(const std::string &word) {
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

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_name(const std::string &token) {
  return is_word_character(token[0]) && !std::isdigit(static_cast<unsigned char>(token[0]));
}

std::string code_only(const std::string &text) {
  std::string code = text;
  for (size_t at = 0; at < code.size();) {
    const size_t behind_word = end_of_word(code, at);
    const bool raw = code[behind_word] == '"' && is_raw_prefix(code.substr(at, behind_word - at));
    const size_t begin = raw ? behind_word : at;
    const size_t end = raw ? end_of_raw_string(code, begin) : behind_word > at ? at : end_of_blank(code, at);
    std::fill(code.begin() + static_cast<std::ptrdiff_t>(begin),
              code.begin() + static_cast<std::ptrdiff_t>(std::max(begin, end)), ' ');
    at = std::max({end, behind_word, at + 1});
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
  for (const std::string &token : tokens_of(text))
    if (is_word_character(token[0])) words.insert(token);
}

void collect_macros(const std::string &text, std::map<std::string, std::string> &macros) {
  const std::string whole = joined(text), code = code_only(whole);
  int conditions = 0;
  for (size_t begin = 0; begin < code.size();) {
    const size_t end = std::min(code.find('\n', begin), code.size());
    const std::vector<std::string> tokens = tokens_of(code.substr(begin, end - begin));
    const std::string directive = tokens.size() > 1 && tokens[0] == "#" ? tokens[1] : "";
    if (directive.compare(0, 2, "if") == 0) ++conditions;
    if (directive == "endif") --conditions;
    if ((directive == "define" || directive == "undef") && tokens.size() > 2 && is_name(tokens[2])) {
      const bool again = directive == "undef" || conditions > 0 || macros.count(tokens[2]);
      macros[tokens[2]] = again ? "" : whole.substr(begin, end - begin);
    }
    begin = end + 1;
  }
}

void collect_functions(const std::string &text, std::set<std::string> &functions) {
  const std::vector<std::string> tokens = tokens_of(code_only(joined(text)));
  std::set<std::string> others;
  for (size_t at = 0; at < tokens.size(); ++at) {
    if (!is_name(tokens[at])) continue;
    if (is_function(tokens, at)) functions.insert(tokens[at]);
    if (at + 1 >= tokens.size() || tokens[at + 1] != "(") others.insert(tokens[at]);
  }
  for (const std::string &name : others) functions.erase(name);
}

bool has_global_names(const std::string &text) {
  const std::vector<std::string> tokens = tokens_of(code_only(joined(text)));
  for (size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (tokens[at] != ":" || tokens[at + 1] != ":" || !is_name(tokens[at + 2])) continue;
    const std::string before = at > 0 ? tokens[at - 1] : "";
    if (before != ">" && before != ":" && (before.empty() || !is_name(before) || ends_expression(before))) return true;
  }
  return false;
}

void collect_variables(const std::string &text, std::set<std::string> &variables) {
  const std::vector<std::string> tokens = tokens_of(code_only(joined(text)));
  std::set<std::string> called;
  for (size_t at = 1; at + 1 < tokens.size(); ++at) {
    if (!is_name(tokens[at])) continue;
    const std::string &before = tokens[at - 1], &behind = tokens[at + 1];
    if (behind == "(") called.insert(tokens[at]);
    if (is_name(before) && !ends_expression(before) && std::string("=;,)[").find(behind) != std::string::npos)
      variables.insert(tokens[at]);
  }
  for (const std::string &name : called) variables.erase(name);
}

}  // namespace gpuopt

// core/kernels/text/kernel_declarations.cpp -- see kernel_declarations.h.
#include "core/kernels/text/kernel_declarations.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "core/kernels/text/kernel_words.h"

namespace gpuopt {
namespace {

struct Token {
  std::string text;  // an identifier, a number, "::" or another character
  int line;
};
using Tokens = std::vector<Token>;
constexpr size_t kMost = 16;  // declarations of one name

bool is_one_of(const std::string &token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token) != words.end();
}
bool is_class_key(const std::string &token) { return is_one_of(token, {"class", "struct", "union", "enum"}); }

// Splits text that has neither comments nor literals (code_only()) into tokens, from code[begin] to code[end].
void add_tokens(const std::string &code, size_t begin, size_t end, int line, Tokens &tokens) {
  for (size_t at = begin; at < end;) {
    size_t behind = at + 1;
    if (is_word_character(code[at]))
      while (behind < end && is_word_character(code[behind])) ++behind;
    if (code.compare(at, 2, "::") == 0) behind = at + 2;
    if (code[at] == '\n') ++line;
    if (!std::isspace(static_cast<unsigned char>(code[at]))) tokens.push_back({code.substr(at, behind - at), line});
    at = behind;
  }
}

// Returns the end of the line that begins at code[begin], and of those that it is continued on.
size_t end_of_line(const std::string &code, size_t begin) {
  size_t end = code.find('\n', begin);
  while (end != std::string::npos && end > begin && code[end - 1] == '\\') end = code.find('\n', end + 1);
  return std::min(end, code.size());
}

// Splits a text into the tokens of its preprocessor's directives and the others.
struct Split {
  explicit Split(const std::string &text) {
    const std::string code = code_only(text);
    int line = 1;
    for (size_t begin = 0; begin < code.size();) {
      const size_t first = code.find_first_not_of(" \t", begin);
      const bool directive = first != std::string::npos && code[first] == '#';
      const size_t end = directive ? end_of_line(code, begin) : std::min(code.find('\n', begin), code.size());
      add_tokens(code, begin, end, line, directive ? directives : others);
      line += static_cast<int>(std::count(code.begin() + static_cast<std::ptrdiff_t>(begin),
                                          code.begin() + static_cast<std::ptrdiff_t>(end), '\n')) +
              1;
      begin = end + 1;
    }
  }
  Tokens directives, others;
};

std::string joined(const Tokens &tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t at = begin; at < end; ++at) {
    if (at > begin && is_word_character(tokens[at].text[0]) && tokens[at - 1].text != "<") text += " ";
    text += tokens[at].text;
  }
  return text;
}

// Finds the declarations of one word in the tokens of a text.
class Finder {
 public:
  Finder(const Tokens &tokens, const std::string &word, std::vector<Declaration> &found)
      : t_(tokens), word_(word), found_(found) {}
  void find() {
    for (size_t at = 0; at < t_.size();) at = next(at);
  }

 private:
  bool is(size_t at, const char *text) const { return at < t_.size() && t_[at].text == text; }

  // Returns the place behind the bracket that closes the one at `open`, or the end of the text.
  size_t behind(size_t open, const char *opening, const char *closing, size_t end) const {
    int depth = 0;
    for (size_t at = open; at < end; ++at) {
      if (is(at, opening)) ++depth;
      if (is(at, closing) && --depth == 0) return at + 1;
    }
    return end;
  }

  // Takes the declaration that begins at `begin` and returns where the next one begins.
  size_t next(size_t begin) {
    if (is(begin, "}")) {
      if (!scopes_.empty()) scopes_.pop_back();
      return begin + 1;
    }
    const size_t end = end_of_head(begin);
    const size_t head = is(begin, "template") && is(begin + 1, "<") ? behind(begin + 1, "<", ">", end) : begin;
    const bool opens = is(end, "{");
    // Nothing in parentheses or behind a = is declared outside of the function.
    for (size_t at = head; at < end && !is(at, "="); at = is(at, "(") ? behind(at, "(", ")", end) : at + 1)
      if (is(at, word_.c_str()) && found_.size() < kMost) declare(begin, head, at, end);
    if (!opens) return is(end, "}") ? end : end + 1;
    if (open_scope(head, end)) return end + 1;
    return behind(end, "{", "}", t_.size());
  }

  // Returns the place of the first ; { or } that is in no parentheses.
  size_t end_of_head(size_t begin) const {
    size_t at = begin;
    while (at < t_.size() && !is_one_of(t_[at].text, {";", "{", "}"}))
      at = is(at, "(") ? behind(at, "(", ")", t_.size()) : at + 1;
    return at;
  }

  // Returns the first of these tokens of a declaration that is in no parentheses; `end` if none is.
  size_t first_of(size_t head, size_t end, bool (*wanted)(const std::string &)) const {
    size_t at = head;
    while (at < end && !wanted(t_[at].text)) at = is(at, "(") ? behind(at, "(", ")", end) : at + 1;
    return at;
  }

  // Enters the namespace, class or extern "C" that is opened at `end`. Returns false if something else is.
  bool open_scope(size_t head, size_t end) {
    const size_t space = first_of(head, end, [](auto &token) { return token == "namespace"; });
    const size_t key = first_of(head, end, is_class_key);
    if (space < end) {
      const bool in_line = space > head && is(space - 1, "inline");
      scopes_.push_back(in_line ? "" : joined(t_, space + 1, end));
    } else if (key < end && !is(key, "enum") && !has_parameters(key, end)) {
      const size_t colon = first_of(key, end, [](auto &token) { return token == ":"; });
      size_t name = key + 1;
      while (name + 1 < colon && !is_name_before(name, colon)) ++name;
      scopes_.push_back(name < colon ? t_[name].text : "");
    } else if (end == head + 1 && is(head, "extern")) {
      scopes_.emplace_back();
    } else {
      return false;
    }
    return true;
  }
  bool is_name_before(size_t at, size_t end) const {
    return is_name(t_[at].text) && (at + 1 == end || is(at + 1, "<"));
  }

  // Returns whether parentheses follow a name that has nothing to do with attributes, as those of a function do.
  bool has_parameters(size_t begin, size_t end) const {
    for (size_t at = begin; at + 1 < end; ++at)
      if (is_name(t_[at].text) && is(at + 1, "(") &&
          !is_one_of(t_[at].text, {"alignas", "__align__", "__attribute__", "__declspec", "__launch_bounds__"}))
        return true;
    return false;
  }

  // Adds what the word at `at` is in the declaration that begins at `begin`, behind the parameters of a template at
  // `head`, and ends at `end`. Adds nothing if the word is only used in it.
  void declare(size_t begin, size_t head, size_t at, size_t end) {
    Declaration made;
    made.line = t_[at].line;
    made.path = path_of(at);
    const std::string before = at > head ? t_[at - 1].text : "";
    const bool last = at + 1 == end;
    if (is(head, "namespace") || (is(head, "inline") && is(head + 1, "namespace"))) {
      made.kind = Declaration::kNamespace;
    } else if ((before == "using" && is(at + 1, "=")) || (is(head, "typedef") && last) ||
               (is_class_key(before) && (last || is(at + 1, ":")))) {
      made.kind = Declaration::kType;
    } else if (before.empty() || is(head, "using")) {
      return;
    } else if (is(at + 1, "(")) {
      function(begin, head, at, end, made);
    } else if (last || is_one_of(t_[at + 1].text, {"=", ",", "["})) {
      made.kind = Declaration::kVariable;
    } else {
      return;
    }
    found_.push_back(made);
  }

  void function(size_t begin, size_t head, size_t at, size_t end, Declaration &made) const {
    made.is_template = head > begin;
    if (made.is_template) made.template_parameters = joined(t_, begin + 2, head - 1);
    made.has_body = is(end, "{");
    made.parameters = joined(t_, at + 2, behind(at + 1, "(", ")", end) - 1);
    for (size_t place = head; place < at; ++place) {
      if (is(place, "__global__")) made.is_global = true;
      if (is_one_of(t_[place].text, {"void", "auto"})) made.returns_void = true;
      if (is_one_of(t_[place].text, {"*", "&"})) made.returns_void = false;
    }
  }

  // Returns the whole name of the word at `at`.
  std::string path_of(size_t at) const {
    std::string path;
    for (const std::string &scope : scopes_)
      if (!scope.empty()) path += scope + "::";
    size_t first = at;
    while (first >= 2 && is(first - 1, "::") && is_name(t_[first - 2].text)) first -= 2;
    return path + joined_path(first, at);
  }
  std::string joined_path(size_t first, size_t last) const {
    std::string path;
    for (size_t at = first; at <= last; ++at) path += t_[at].text;
    return path;
  }

  const Tokens &t_;
  const std::string &word_;
  std::vector<Declaration> &found_;
  std::vector<std::string> scopes_;  // "" for those that are no part of a name
};

}  // namespace

std::vector<Declaration> declarations_of(const std::string &text, const std::string &word) {
  const Split split(text);
  std::vector<Declaration> found;
  const Tokens &directives = split.directives;
  for (size_t at = 0; at + 2 < directives.size(); ++at) {
    if (directives[at].text != "#" || directives[at + 1].text != "define" || directives[at + 2].text != word) continue;
    Declaration &macro = found.emplace_back();
    macro.kind = Declaration::kMacro;
    macro.path = word;
    macro.line = directives[at].line;
  }
  Finder(split.others, word, found).find();
  return found;
}

}  // namespace gpuopt

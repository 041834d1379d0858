// core/kernels/text/kernel_words.h -- finds the words of a kernel's text, and which of them it defines as macros or
// functions, without a compiler.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt {

// Whether a character may stand in an identifier or a number. The program's locale has no say in that.
inline bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
// Whether a token, which is not empty, is an identifier or a keyword: it begins with a letter or an underscore.
bool is_name(std::string_view token);

// Returns the text with spaces in place of comments, strings and character literals. All positions stay the same.
std::string code_only(const std::string &text);

// Returns the text with gpuopt_alignas (plugins/shared/user/raw.h) in place of each `alignas` behind `__shared__`.
// Lines stay the same.
std::string with_shared_alignment(const std::string &text);

// Adds every identifier and number of a text to `words`, including those in comments and strings. The words decide
// which functions are declared for the text; a superfluous one only costs an unused declaration.
void collect_words(const std::string &text, std::set<std::string> &words);

// What the code of a text declares, without its comments, strings and character literals. Whoever asks several of these
// questions has the text taken apart once.
class KernelCode {
 public:
  explicit KernelCode(const std::string &text);
  KernelCode(const KernelCode &) = delete;
  KernelCode &operator=(const KernelCode &) = delete;

  // Adds the macros that the text defines, by name, each with its directive, in which continued lines are joined, so
  // that writing it again defines the macro again. The directive is "" if that would be wrong: for a macro that is
  // defined more than once, inside of an #if, or undefined again.
  void collect_macros(std::map<std::string, std::string> &macros) const;

  // Adds the functions that the text declares, by a heuristic: NAME( after another word, as in `int f(`, or NAME(...) {
  // after the end of a type, as in `T *f(...) {`. A name that also occurs without a parenthesis after it is left out.
  void collect_functions(std::set<std::string> &functions) const;

  // Whether the text names anything by its global name, as in `::sin(x)` and `using ::min;`.
  bool has_global_names() const;

  // Adds the names that the text declares as variables or parameters, and never follows by a parenthesis, by a
  // heuristic: a name after another word and in front of one of = ; , ) [ as in `float y0 = 1`.
  void collect_variables(std::set<std::string> &variables) const;

 private:
  std::string whole_, code_;              // the text with its continued lines joined; the same without comments
  std::vector<std::string_view> tokens_;  // of code_: words and single other characters
};

}  // namespace gpuopt

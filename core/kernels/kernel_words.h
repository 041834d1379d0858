// core/kernels/kernel_words.h -- what can be seen of a kernel's text without a compiler: words, and which the author
// defines.
#pragma once
#include <map>
#include <set>
#include <string>

namespace gpuopt {

bool is_word_character(char c);

// The text with spaces in place of comments and strings.
std::string code_only(const std::string &text);

// Every identifier and number in a text, whether it is code, a comment or a string: too many names do no harm.
void collect_words(const std::string &text, std::set<std::string> &words);

// What the text defines as macros: by name the directive, on one line, that may be written again to define it again. It
// is empty where that would not do: of a macro that is defined more than once, under a condition, or undefined.
void collect_macros(const std::string &text, std::map<std::string, std::string> &macros);

// What the text declares as functions, as far as that can be seen: NAME( behind another word, or NAME(...) { behind the
// end of a type. Not what it uses as another kind of name, too.
void collect_functions(const std::string &text, std::set<std::string> &functions);

}  // namespace gpuopt

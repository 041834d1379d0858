// tests/kernel_names.h -- every name that a kernel's author may give to things of their own: all identifiers of the
// headers that stand before kernels.
#pragma once
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace gpuopt::test {

inline bool is_reserved_name(const std::string &name) {
  static const std::set<std::string> kKeywords = {
      "alignas",   "alignof",  "and",      "and_eq",    "asm",          "auto",          "bitand",
      "bitor",     "bool",     "break",    "case",      "catch",        "char",          "char16_t",
      "char32_t",  "class",    "compl",    "const",     "const_cast",   "constexpr",     "continue",
      "decltype",  "default",  "delete",   "do",        "double",       "dynamic_cast",  "else",
      "enum",      "explicit", "export",   "extern",    "false",        "float",         "for",
      "friend",    "goto",     "if",       "inline",    "int",          "long",          "mutable",
      "namespace", "new",      "noexcept", "not",       "not_eq",       "nullptr",       "operator",
      "or",        "or_eq",    "private",  "protected", "public",       "register",      "reinterpret_cast",
      "return",    "short",    "signed",   "sizeof",    "static",       "static_assert", "static_cast",
      "struct",    "switch",   "template", "this",      "thread_local", "throw",         "true",
      "try",       "typedef",  "typeid",   "typename",  "union",        "unsigned",      "using",
      "virtual",   "void",     "volatile", "wchar_t",   "while",        "xor",           "xor_eq",
      "defined",   "NULL",     "assert",   "char8_t",   "concept",      "requires",      "co_await",
      "co_return", "co_yield"};
  return kKeywords.count(name) || name.find("__") != std::string::npos ||
         (name[0] == '_' && name.size() > 1 && std::isupper(static_cast<unsigned char>(name[1]))) ||
         name.rfind("gpuopt_", 0) == 0 || name.rfind("GPO_", 0) == 0 || name.rfind("GPUOPT_", 0) == 0;
}

// The text without its comments, whose words are no names.
inline std::string without_comments(const std::string &text) {
  std::string code;
  for (size_t at = 0; at < text.size();) {
    const bool line = text.compare(at, 2, "//") == 0, block = text.compare(at, 2, "/*") == 0;
    if (line || block) {
      at = std::min(text.find(line ? "\n" : "*/", at + 2), text.size());
    } else {
      code += text[at++];
    }
  }
  return code;
}

inline void collect_names(const std::filesystem::path &file, std::set<std::string> &names) {
  std::ifstream in(file, std::ios::binary);
  const std::string text = without_comments({std::istreambuf_iterator<char>(in), {}});
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    if (is_word(text[begin]))
      while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(begin, end - begin);
    if (is_word(word[0]) && !std::isdigit(static_cast<unsigned char>(word[0])) && !is_reserved_name(word))
      names.insert(word);
    begin = end;
  }
}

// Those of `root`'s headers, without the words of `used`. plugins/jit/text/device.h has words that NVRTC reserves, too:
// its __device__ is a macro that contains `device`.
inline std::vector<std::string> names_of_headers(const std::string &root, const std::set<std::string> &used) {
  std::set<std::string> names = {"T", "A", "k", "first", "call", "thread", "index", "arguments", "block_size"};
  for (const char *const folder :
       {"plugins/shared", "plugins/shared/math", "plugins/shared/ops", "plugins/shared/random", "plugins/shared/user",
        "plugins/shared/words", "plugins/jit/text"}) {
    for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(root) / folder))
      if (entry.path().extension() == ".h" && entry.path().filename() != "device.h") collect_names(entry.path(), names);
  }
  // What the core writes of its own, in case one of its words is in no header.
  for (const char *const file :
       {"core/kernels/text/kernel_text.cpp", "core/ufuncs/stencil_text.cpp", "core/ufuncs/ufunc.cpp",
        "core/ufuncs/ufunc_methods.cpp", "core/ufuncs/gufunc.cpp", "plugins/jit/compile/plugin.cpp"})
    collect_names(std::filesystem::path(root) / file, names);
  std::vector<std::string> left;
  // Where a header says `#define tex2D gpo_tex2D`, the two are one name, which can be declared once.
  const auto stands_for_another = [&](const std::string &name) {
    return name.rfind("gpo_", 0) == 0 && names.count(name.substr(4)) != 0;
  };
  for (const std::string &name : names)
    if (!used.count(name) && !stands_for_another(name)) left.push_back(name);
  return left;
}

// One declaration for each of the names: `before` NAME `after`.
inline std::string declared(const std::vector<std::string> &names, const std::string &before,
                            const std::string &after) {
  std::string text;
  for (const std::string &name : names) text += before + name + after + "\n";
  return text;
}

// What an author may make of names. Macros are such that any use of one is an error.
struct NameUse {
  const char *what, *before, *after;
};
inline constexpr NameUse kNameUses[] = {
    {"macro", "#define ", " )garbage("},
    {"macro with arguments", "#define ", "(p_1, p_2) )garbage("},
    {"type", "typedef struct { int m_; } ", ";"},
    {"alias", "typedef float ", ";"},
    {"function", "__device__ int ", "(int p_) { return p_ + 1; }"},
    {"template", "template <class T_> __device__ T_ ", "(T_ p_, int) { return p_; }"},
    {"variable", "__constant__ int ", " = 7;"},
    {"constant", "static const int ", " = 3;"},
    {"namespace", "namespace ", " { struct S_; }"}};

}  // namespace gpuopt::test

// tests/kernels/word_cases.h -- words.txt: for each word of CUDA C++ that kernels may use, arguments and the result;
// and kernels that compute them.
#pragma once
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace gpuopt::test {

// The headers that kernels may include, in the order of their list.
inline std::vector<std::string> known_headers() {
  return {
#define GPO_KNOWN_HEADER(name) name,
#include "plugins/shared/words/known_headers.h"
#undef GPO_KNOWN_HEADER
  };
}

// The columns of words.txt, which make_words.py describes.
struct WordCase {
  std::string word, result, arguments, expression;
  int ulp = 0;
  struct Row {
    std::vector<uint64_t> arguments;
    uint64_t result = 0;
    bool is_nan = false;
  };
  std::vector<Row> rows;
};

inline std::vector<std::string> split(const std::string &text, const std::string &by) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(by, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.npos) return parts;
    begin = end + by.size();
  }
}

inline uint64_t bits_of_word(const std::string &text, char type) {
  if (text == "nan") return type == 'f' ? 0x7fc00000u : 0x7ff8000000000000u;
  return std::stoull(text, nullptr, 16);
}

inline WordCase word_case_of(const std::string &line) {
  const std::vector<std::string> columns = split(line, " | ");
  WordCase out{columns.at(0), columns.at(1), columns.at(2), columns.at(3), std::stoi(columns.at(4)), {}};
  for (const std::string &text : split(columns.at(5), "; ")) {
    const std::vector<std::string> sides = split(text, " = ");
    WordCase::Row row;
    std::istringstream words(sides.at(0));
    std::string word;
    while (words >> word) row.arguments.push_back(bits_of_word(word, out.arguments.at(row.arguments.size())));
    row.is_nan = sides.at(1) == "nan";
    row.result = bits_of_word(sides.at(1), out.result.at(0));
    out.rows.push_back(row);
  }
  return out;
}

inline std::vector<WordCase> word_cases(const std::string &root) {
  std::ifstream file(root + "/tests/kernels/words.txt");
  std::vector<WordCase> all;
  std::string line;
  while (std::getline(file, line))
    if (!line.empty() && line[0] != '#') all.push_back(word_case_of(line));
  return all;
}

inline const char *type_of_word(char letter) {
  switch (letter) {
    case 'i':
      return "int";
    case 'u':
      return "unsigned";
    case 'l':
      return "long long";
    case 'k':
      return "unsigned long long";
    case 'f':
      return "float";
    case 'd':
      return "double";
    case 's':
      return "short";
    case 't':
      return "unsigned short";
    default:
      return "bool";
  }
}

// A raw kernel, `compute`, whose thread computes some cases: in[] has the bits of all arguments, row after row, and
// out[] gets those of the results.
inline std::string words_kernel(const WordCase *cases, size_t count) {
  std::string text =
      "#include <math.h>\n#include <cuda_runtime.h>\n"
      "template <class T_> __device__ T_ argument_(unsigned long long bits_) { T_ x_; memcpy(&x_, &bits_, sizeof x_); "
      "return x_; }\n"
      "template <class T_> __device__ unsigned long long word_(T_ x_) { unsigned long long w_ = 0; memcpy(&w_, &x_, "
      "sizeof x_); return w_; }\n"
      "extern \"C\" __global__ void compute(const unsigned long long *in_, unsigned long long *out_) {\n";
  for (size_t k = 0; k < count; k++) {
    const WordCase &one = cases[k];
    text += "  for (int r_ = 0; r_ < " + std::to_string(one.rows.size()) + "; r_++) {\n";
    for (size_t j = 0; j < one.arguments.size(); j++) {
      const std::string type = type_of_word(one.arguments[j]);
      text += "    " + type + " " + char('a' + j) + " = argument_<" + type + ">(*in_++);\n";
    }
    text += "    *out_++ = word_<" + std::string(type_of_word(one.result[0])) + ">(" + one.expression + ");\n  }\n";
  }
  return text + "}\n";
}

// The distance of two numbers in units of the last place; 0 for equal bits.
template <class Bits>
uint64_t places_between(Bits a, Bits b) {
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  const auto ordered = [](Bits x) { return x & sign ? Bits(sign - (x & ~sign)) : Bits(sign + x); };
  return ordered(a) < ordered(b) ? ordered(b) - ordered(a) : ordered(a) - ordered(b);
}

inline bool is_result(const WordCase &one, const WordCase::Row &row, uint64_t bits) {
  const bool single = one.result == "f", number = single || one.result == "d";
  if (row.is_nan) return single ? (bits & 0x7fffffffu) > 0x7f800000u : (bits & ~0ull >> 1) > 0x7ff0000000000000u;
  if (!number || one.ulp == 0) return bits == row.result;
  const uint64_t away =
      single ? places_between(uint32_t(bits), uint32_t(row.result)) : places_between(bits, row.result);
  return away <= static_cast<uint64_t>(one.ulp);
}

}  // namespace gpuopt::test

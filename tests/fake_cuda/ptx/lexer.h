// tests/fake_cuda/ptx/lexer.h -- PTX cut into words, numbers and signs.
#pragma once

#include <string>
#include <vector>

#include "tests/fake_cuda/ptx/syntax.h"

namespace fake_cuda::ptx {

struct Token {
  enum class Kind { kWord, kInteger, kFloat, kText, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;         // of a word with all its dots: "ld.global.v4.u32", "%tid.x", ".reg"
  uint64_t bits = 0;        // of a number
  Type type = Type::kNone;  // kF32 or kF64 of a floating-point number
  int line = 0;
  size_t begin = 0, end = 0;  // in the text
};

// Ends with one kEnd.
std::vector<Token> tokens_of(const std::string &text);

}  // namespace fake_cuda::ptx

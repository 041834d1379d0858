// tests/fake_cuda/ptx/lexer.cpp -- see lexer.h.
#include "tests/fake_cuda/ptx/lexer.h"

#include <cctype>
#include <cstring>

namespace fake_cuda::ptx {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || std::strchr("_$%.", c) != nullptr; }
bool is_of_word(char c) { return c != 0 && (begins_word(c) || std::isdigit(static_cast<unsigned char>(c))); }

class Lexer {
 public:
  explicit Lexer(const std::string &text) : text_(text) {}

  std::vector<Token> all() {
    for (;;) {
      skip();
      tokens_.emplace_back();
      Token &token = tokens_.back();
      token.line = line_;
      token.begin = at_;
      take(token);
      token.end = at_;
      if (token.kind == Token::Kind::kEnd) return std::move(tokens_);
    }
  }

 private:
  char here(size_t further = 0) const { return at_ + further < text_.size() ? text_[at_ + further] : '\0'; }

  void skip_to(const char *end) {
    const size_t found = text_.find(end, at_);
    const size_t to = found == text_.npos ? text_.size() : found + std::strlen(end);
    for (; at_ < to; ++at_) line_ += text_[at_] == '\n';
  }

  void skip() {
    for (;;) {
      if (here() == '/' && here(1) == '/') {
        skip_to("\n");
      } else if (here() == '/' && here(1) == '*') {
        skip_to("*/");
      } else if (here() != 0 && std::isspace(static_cast<unsigned char>(here()))) {
        line_ += here() == '\n';
        ++at_;
      } else {
        return;
      }
    }
  }

  void take(Token &token) {
    const char c = here();
    if (c == 0) return;
    if (std::isdigit(static_cast<unsigned char>(c))) return take_number(token);
    if (c == '"') return take_text(token);
    if (begins_word(c)) return take_word(token);
    token.kind = Token::Kind::kSign;
    token.text = c;
    ++at_;
  }

  // "ld.L2::128B" is one word; the colon behind a label is none of it.
  void take_word(Token &token) {
    token.kind = Token::Kind::kWord;
    for (;;) {
      if (is_of_word(here()) && !(here() == '%' && !token.text.empty())) {
        token.text += text_[at_++];
      } else if (here() == ':' && here(1) == ':') {
        token.text += "::";
        at_ += 2;
      } else {
        return;
      }
    }
  }

  void take_text(Token &token) {
    token.kind = Token::Kind::kText;
    const size_t end = text_.find('"', at_ + 1);
    if (end == text_.npos) throw BadPtx("line " + std::to_string(line_) + ": a text that does not end");
    token.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  }

  // "0f3F800000" and "0d3FF0000000000000" are the bits of a float and a double.
  void take_number(Token &token) {
    const char kind = static_cast<char>(std::tolower(here(1)));
    size_t used = 0;
    if (here() == '0' && (kind == 'f' || kind == 'd')) {
      token.kind = Token::Kind::kFloat;
      token.type = kind == 'f' ? Type::kF32 : Type::kF64;
      const size_t digits = kind == 'f' ? 8 : 16;
      token.bits = std::stoull(text_.substr(at_ + 2, digits), &used, 16);
      if (used != digits) throw BadPtx("line " + std::to_string(line_) + ": a floating-point number that is too short");
      at_ += 2 + digits;
      return;
    }
    token.kind = Token::Kind::kInteger;
    token.bits = std::stoull(text_.substr(at_, 40), &used, 0);
    at_ += used;
    if (here() == 'U' || here() == 'u') ++at_;
    if (is_of_word(here()) && here() != '.')
      throw BadPtx("line " + std::to_string(line_) + ": a number of an unknown kind");
  }

  const std::string &text_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(const std::string &text) { return Lexer(text).all(); }

}  // namespace fake_cuda::ptx

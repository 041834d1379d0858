// plugins/jit/ptx/ptx_text.cpp -- see ptx_text.h.
#include "plugins/jit/ptx/ptx_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace gpuopt::jit {
namespace {

struct Token {
  enum Kind { kEnd, kWord, kNumber, kOfStatement, kMark };
  Kind kind = kEnd;
  std::string text;
  unsigned number = 0;
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '.'; }
bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// Splits a text into tokens.
class Lexer {
 public:
  explicit Lexer(const std::string &text) : text_(text) {}

  Token next() {
    skip_blanks();
    if (at_ >= text_.size()) return {};
    const char c = text_[at_];
    if (c == '$' && (text_.compare(at_, 2, "$$") == 0 || is_unique(at_))) return word();
    if (c == '$') return after_dollar();
    if (is_digit(c)) return number();
    if (begins_word(c)) return word();
    at_++;
    return {Token::kMark, std::string(1, c), 0};
  }

 private:
  char peek(size_t by = 0) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }

  void skip_blanks() {
    for (; at_ < text_.size(); at_++) {
      if (text_.compare(at_, 2, "//") == 0) at_ = std::min(text_.find('\n', at_), text_.size());
      if (text_.compare(at_, 2, "/*") == 0) at_ = end_of_comment();
      if (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_]))) return;
    }
  }
  size_t end_of_comment() const {
    const size_t end = text_.find("*/", at_ + 2);
    return end == std::string::npos ? text_.size() : end + 2;
  }

  // "$0", "${0:x}", or a brace or bar.
  Token after_dollar() {
    const bool braced = peek(1) == '{';
    at_ += braced ? 2 : 1;
    if (!braced && !is_digit(peek())) return escaped();
    unsigned number = 0;
    const bool numbered = is_digit(peek());
    while (is_digit(peek()) && number < 1000) number = number * 10 + static_cast<unsigned>(text_[at_++] - '0');
    while (braced && at_ < text_.size() && text_[at_++] != '}') {
    }
    return numbered ? Token{Token::kOfStatement, "", number} : Token{Token::kMark, "$", 0};
  }

  Token escaped() {
    const char c = at_ < text_.size() ? text_[at_++] : '$';
    return {Token::kMark, std::string(1, c == '(' ? '{' : c == ')' ? '}' : c), 0};
  }

  Token number() {
    const size_t begin = at_;
    while (is_in_word(peek())) at_++;
    if ((peek() == '+' || peek() == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
        text_.compare(begin, 2, "0x") != 0) {
      at_++;
      while (is_in_word(peek())) at_++;
    }
    return {Token::kNumber, text_.substr(begin, at_ - begin), 0};
  }

  // "${:uid}", CUDA's %=, which is unlike in every place.
  bool is_unique(size_t at) const { return text_.compare(at, std::strlen(kUnique), kUnique) == 0; }

  // A dollar in a word, which labels may have, is "$$".
  Token word() {
    std::string word;
    for (bool first = true;; first = false) {
      if (is_unique(at_)) {
        word += "unique";
        at_ += std::strlen(kUnique);
      } else if (text_.compare(at_, 2, "$$") == 0) {
        word += '$';
        at_ += 2;
      } else if (peek() == ':' && peek(1) == ':') {
        word += "::";
        at_ += 2;
      } else if (is_in_word(peek()) || (first && begins_word(peek()))) {
        word += text_[at_++];
      } else {
        return {Token::kWord, word, 0};
      }
    }
  }

  static constexpr const char *kUnique = "${:uid}";

  const std::string &text_;
  size_t at_ = 0;
};

class Parser {
 public:
  explicit Parser(const std::string &text) : lexer_(text), token_(lexer_.next()) {}

  PtxText parse() {
    while (token_.kind != Token::kEnd && out_.problem.empty()) statement();
    return std::move(out_);
  }

 private:
  bool is(const char *mark) const { return token_.kind == Token::kMark && token_.text == mark; }
  bool take(const char *mark) {
    if (!is(mark)) return false;
    token_ = lexer_.next();
    return true;
  }
  Token take_token() { return std::exchange(token_, lexer_.next()); }
  void fail(const std::string &problem) {
    if (out_.problem.empty()) out_.problem = problem;
  }
  void expect(const char *mark) {
    if (!take(mark)) fail("there is no \"" + std::string(mark) + "\" where PTX needs one");
  }

  void statement() {
    if (take("{") || take("}") || take(";")) return;
    if (token_.kind == Token::kWord && token_.text == ".reg") return registers();
    PtxInstruction instruction;
    if (take("@")) instruction.guard.push_back(operand());
    if (token_.kind != Token::kWord) return fail("it is no instruction of PTX");
    instruction.opcode = take_token().text;
    if (instruction.guard.empty() && take(":")) {
      instruction.label = std::exchange(instruction.opcode, "");
      out_.instructions.push_back(std::move(instruction));
      return;
    }
    while (token_.kind != Token::kEnd && !is(";") && out_.problem.empty()) {
      instruction.operands.push_back(operand());
      if (take("|")) fail("it has a second result, behind a bar");
      if (!is(";")) expect(",");
    }
    expect(";");
    out_.instructions.push_back(std::move(instruction));
  }

  // .reg .u32 a, b; or .reg .pred p<4>;
  void registers() {
    take_token();
    const std::string type = token_.kind == Token::kWord && token_.text[0] == '.' ? take_token().text.substr(1) : "";
    if (type.empty()) return fail("a register has no type");
    do {
      if (token_.kind != Token::kWord) return fail("a register has no name");
      const std::string name = take_token().text;
      if (!take("<")) {
        out_.registers.push_back({name, type});
        continue;
      }
      const PtxNumber count = ptx_number(take_token().text);
      if (!count.valid || count.bits > 256) return fail("a register has no count between < and >");
      for (uint64_t k = 0; k < count.bits; k++) out_.registers.push_back({name + std::to_string(k), type});
      expect(">");
    } while (take(",") && out_.problem.empty());
    expect(";");
  }

  PtxOperand operand() {
    PtxOperand out;
    if (take("!")) {
      out = operand();
      out.negated = !out.negated;
    } else if (take("[")) {
      out.kind = PtxOperand::kAddress;
      out.parts.push_back(operand());
      if (is("+") || is("-")) out.offset = offset();
      expect("]");
    } else if (take("{")) {
      out.kind = PtxOperand::kGroup;
      do out.parts.push_back(operand());
      while (take(",") && out_.problem.empty());
      expect("}");
    } else {
      out = simple();
    }
    return out;
  }

  int64_t offset() {
    const bool minus = take("-");
    if (!minus) take("+");
    const bool minus_behind = take("-");
    const PtxNumber number = ptx_number(take_token().text);
    if (!number.valid || number.is_float) fail("an address has an offset that is no number");
    return static_cast<int64_t>(minus != minus_behind ? 0 - number.bits : number.bits);
  }

  PtxOperand simple() {
    PtxOperand out;
    const bool minus = take("-");
    const Token token = take_token();
    out.text = (minus ? "-" : "") + token.text;
    out.number = token.number;
    if (token.kind == Token::kOfStatement) {
      out.kind = PtxOperand::kOfStatement;
    } else if (token.kind == Token::kWord) {
      out.kind = is_register(token.text) || token.text[0] != '%' ? PtxOperand::kRegister : PtxOperand::kSpecial;
    } else if (token.kind != Token::kNumber) {
      fail("an operand is missing");
    }
    if (minus && token.kind != Token::kNumber) fail("an operand has a minus that is no part of a number");
    return out;
  }
  bool is_register(const std::string &name) const {
    for (const PtxRegister &one : out_.registers)
      if (one.name == name) return true;
    return false;
  }

  Lexer lexer_;
  Token token_;
  PtxText out_;
};

// The bits of 0f3F800000 or 0d..., as a double.
PtxNumber float_of_bits(const std::string &digits, bool is_double) {
  char *end = nullptr;
  const uint64_t bits = std::strtoull(digits.c_str(), &end, 16);
  if (*end || digits.size() != (is_double ? 16u : 8u)) return {};
  if (is_double) return {true, true, bits};
  const auto word = static_cast<uint32_t>(bits);
  float narrow;
  std::memcpy(&narrow, &word, sizeof narrow);
  const double wide = narrow;
  PtxNumber out{true, true, 0};
  std::memcpy(&out.bits, &wide, sizeof wide);
  return out;
}

}  // namespace

PtxText parse_ptx(const std::string &text) { return Parser(text).parse(); }

PtxNumber ptx_number(const std::string &text) {
  const bool minus = !text.empty() && text[0] == '-';
  std::string digits = text.substr(minus ? 1 : 0);
  if (digits.empty() || !is_digit(digits[0])) return {};
  const char mark = digits.size() > 2 && digits[0] == '0' ? digits[1] : '\0';
  if (mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D') {
    PtxNumber out = float_of_bits(digits.substr(2), mark == 'd' || mark == 'D');
    if (minus) out.bits ^= uint64_t{1} << 63;
    return out;
  }
  const bool hexadecimal = mark == 'x' || mark == 'X', binary = mark == 'b' || mark == 'B';
  char *end = nullptr;
  PtxNumber out{true, !hexadecimal && digits.find_first_of(".eE") != std::string::npos, 0};
  if (out.is_float) {
    double value = 0;
    const char *const last = digits.data() + digits.size();
    const auto [behind, error] = std::from_chars(digits.data(), last, value);  // whatever the locale
    if (error != std::errc() || behind != last) return {};
    if (minus) value = -value;
    std::memcpy(&out.bits, &value, sizeof value);
    return out;
  }
  if (digits.back() == 'U') digits.pop_back();
  out.bits = std::strtoull(digits.c_str() + (hexadecimal || binary ? 2 : 0), &end,
                           hexadecimal        ? 16
                           : binary           ? 2
                           : digits[0] == '0' ? 8
                                              : 10);
  if (minus) out.bits = 0 - out.bits;
  out.valid = *end == '\0';
  return out;
}

}  // namespace gpuopt::jit

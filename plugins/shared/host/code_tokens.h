// plugins/shared/host/code_tokens.h -- the tokens of a kernel's text, as far as launches (<<<>>>) are concerned.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt::plugin {

inline bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// A name, a number, a literal, "::", or one other character. There are none for comments and white space.
struct Token {
  size_t begin, end;
};

class Tokens {
 public:
  explicit Tokens(std::string_view code) : code_(code) {
    while (at_ < code_.size()) next();
  }
  const std::vector<Token> &all() const { return all_; }
  size_t count() const { return all_.size(); }
  // The text of token k, and "" for a number that is too large or negative.
  std::string_view operator[](size_t k) const {
    return k < all_.size() ? code_.substr(all_[k].begin, all_[k].end - all_[k].begin) : std::string_view();
  }
  // Whether tokens k, k + 1 and k + 2 are this character, with nothing between them.
  bool is_triple(size_t k, char c) const {
    return k + 2 < all_.size() && code_.substr(all_[k].begin, 3) == std::string(3, c);
  }

 private:
  void next() {
    const char c = code_[at_];
    if (std::isspace(static_cast<unsigned char>(c)) || c == '\\') {
      at_++;
    } else if (code_.substr(at_, 2) == "//") {
      at_ = std::min(code_.find('\n', at_), code_.size());
    } else if (code_.substr(at_, 2) == "/*") {
      const size_t end = code_.find("*/", at_ + 2);
      at_ = end == code_.npos ? code_.size() : end + 2;
    } else {
      add(std::min(end_of_token(), code_.size()));
    }
  }
  void add(size_t end) {
    all_.push_back({at_, end});
    at_ = end;
  }
  size_t end_of_token() const {
    const char c = code_[at_];
    if (c == '"' || c == '\'') return end_of_literal(at_);
    if (!is_in_name(c)) return at_ + (code_.substr(at_, 2) == "::" ? 2 : 1);
    const bool number = std::isdigit(static_cast<unsigned char>(c));
    size_t end = at_;
    while (end < code_.size() && (is_in_name(code_[end]) || (number && code_[end] == '\''))) end++;
    const bool raw = !number && code_[end - 1] == 'R' && end - at_ <= 3 && code_.substr(end, 1) == "\"";
    return raw ? end_of_raw_literal(end) : end;
  }
  size_t end_of_literal(size_t begin) const {
    size_t end = begin + 1;
    while (end < code_.size() && code_[end] != code_[begin] && code_[end] != '\n') end += code_[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  // R"mark( ... )mark"; `quote` is where the first quotation mark is.
  size_t end_of_raw_literal(size_t quote) const {
    const size_t open = code_.find('(', quote);
    if (open == code_.npos) return code_.size();
    const std::string close = ")" + std::string(code_.substr(quote + 1, open - quote - 1)) + "\"";
    const size_t end = code_.find(close, open);
    return end == code_.npos ? code_.size() : end + close.size();
  }

  const std::string_view code_;
  size_t at_ = 0;
  std::vector<Token> all_;
};

// Whether the text has a launch by a kernel, kernel<<<grid, block>>>(arguments).
inline bool has_launch(std::string_view code) {
  if (code.find("<<<") == code.npos) return false;
  const Tokens tokens(code);
  for (size_t k = 1; k < tokens.count(); k++)
    if (tokens.is_triple(k, '<') && tokens[k - 1] != "operator") return true;
  return false;
}

}  // namespace gpuopt::plugin

// core/base/json.cpp -- writing JSON.
#include "core/base/json.h"

#include <cstdint>
#include <cstdio>

namespace gpuopt::json {
namespace {

// Returns the length in bytes of the well-formed UTF-8 sequence at text[at] (RFC 3629: no surrogates, no overlong
// forms), 0 if there is none.
size_t sequence_length(const std::string &text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF)
    return follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (lead >= 0xF0 && lead <= 0xF4) {
    return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string escaped_control(unsigned char c) {
  char code[7];
  std::snprintf(code, sizeof code, "\\u%04x", c);
  return code;
}

std::string bracketed(char open, const std::vector<std::string> &parts, char close) {
  std::string text(1, open);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += ", ";
    text += parts[i];
  }
  text += close;
  return text;
}

}  // namespace

std::string string(const std::string &text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = sequence_length(text, at);
    const char c = text[at];
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += escaped_control(static_cast<unsigned char>(c));
    } else {
      out.append(text, at, length);
    }
    at += length == 0 ? 1 : length;
  }
  out += '"';
  return out;
}

std::string number(int64_t value) { return std::to_string(value); }
std::string boolean(bool value) { return value ? "true" : "false"; }
std::string array(const std::vector<std::string> &values) { return bracketed('[', values, ']'); }

std::string object(const std::vector<std::pair<const char *, std::string>> &members) {
  std::vector<std::string> parts;
  for (const auto &[key, value] : members) parts.push_back(string(key).append(": ").append(value));
  return bracketed('{', parts, '}');
}

}  // namespace gpuopt::json

// core/base/json.h -- writing JSON (RFC 8259): values are built as text, innermost first.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace gpuopt::json {

// A quoted string. Bytes that are not UTF-8 (a path can hold any) become U+FFFD.
std::string string(const std::string &text);
std::string number(int64_t value);
std::string boolean(bool value);
std::string array(const std::vector<std::string> &values);
std::string object(const std::vector<std::pair<const char *, std::string>> &members);

}  // namespace gpuopt::json

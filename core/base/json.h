// core/base/json.h -- writes JSON (RFC 8259). Each function returns the text of one value; `array` and `object` take
// the texts of their members.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace gpuopt::json {

// Returns `text` as a quoted string. Each byte that is not part of valid UTF-8 (paths may contain any bytes) becomes
// U+FFFD.
std::string string(const std::string &text);
std::string number(int64_t value);
std::string boolean(bool value);
std::string array(const std::vector<std::string> &values);
std::string object(const std::vector<std::pair<const char *, std::string>> &members);

}  // namespace gpuopt::json

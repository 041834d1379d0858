// tools/command.cpp -- the table of commands, and the values of their options.
#include "tools/command.h"

#include <charconv>
#include <cmath>

namespace gpuopt::tools {
namespace {

[[noreturn]] void reject(const char *option, const std::string &text, const char *wanted) {
  throw UsageError(std::string(option) + ": \"" + text + "\" is not " + wanted);
}

// Parses the whole text as a number; returns false if that is not possible.
bool parse(const std::string &text, double *value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

// Removes a unit (K, M, G or T) from the end of `text` and returns its factor, a power of 1024; 1 if there is none.
double take_unit(std::string &text) {
  constexpr char kUnits[] = "KMGT";
  double unit = 1;
  if (text.empty()) return unit;
  for (const char *letter = kUnits; *letter; ++letter) {
    unit *= 1024;
    if (text.back() != *letter) continue;
    text.pop_back();
    return unit;
  }
  return 1;
}

}  // namespace

const std::vector<const Command *> &commands() {
  static const std::vector<const Command *> all = {&kInfo,       &kDoctor,    &kBench,       &kCachePath,
                                                   &kCacheList,  &kCacheSize, &kCacheVerify, &kCachePrune,
                                                   &kCacheClear, &kNpyShow,   &kNpyConvert,  &kNpyDiff};
  return all;
}

std::string Arguments::text(const char *option, const std::string &otherwise) const {
  const auto found = options.find(option);
  return found == options.end() ? otherwise : found->second;
}

uint64_t Arguments::count(const char *option, uint64_t otherwise) const {
  if (!has(option)) return otherwise;
  constexpr double kLargest = 9007199254740992.0;  // 2^53: not every larger integer is a double
  std::string number = text(option, "");
  const double unit = take_unit(number);
  double value = 0;
  if (!parse(number, &value) || !(value >= 0) || value * unit > kLargest || value * unit != std::floor(value * unit))
    reject(option, text(option, ""), "a number such as 4096, 1e6 or 64M");
  return static_cast<uint64_t>(value * unit);
}

double Arguments::tolerance(const char *option, double otherwise) const {
  if (!has(option)) return otherwise;
  double value = 0;
  if (!parse(text(option, ""), &value) || !(value >= 0)) reject(option, text(option, ""), "a number of at least 0");
  return value;
}

}  // namespace gpuopt::tools

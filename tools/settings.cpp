// tools/settings.cpp -- finds the environment variables of this process that have no effect, and why.
#include "tools/settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "plugins/shared/host/settings.h"
#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace gpuopt::tools {
namespace {

std::filesystem::path path_of(const std::string &text) { return std::u8string(text.begin(), text.end()); }

// Return what is wrong with a path, and with a list of paths separated as in PATH; "" if nothing is.
std::string is_absolute(const std::string &value) {
  return path_of(value).is_absolute() ? "" : "is not an absolute path";
}
std::string are_absolute(const std::string &value) {
#if defined(_WIN32)
  constexpr char separator = ';';
#else
  constexpr char separator = ':';
#endif
  std::istringstream list(value);
  for (std::string one; std::getline(list, one, separator);)
    if (!one.empty() && !path_of(one).is_absolute()) return "has an entry that is not an absolute path: " + one;
  return {};
}

// Returns the variables that begin with GPUOPT_ but are not settings, except those of gpuopt's own tests
// (GPUOPT_TEST_).
std::vector<std::string> unknown_variables() {
  std::vector<std::string> unknown;
#if defined(_WIN32)
  char **const variables = _environ;
#else
  char **const variables = environ;
#endif
  for (char **entry = variables; entry && *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    const bool known = std::any_of(std::begin(kSettings), std::end(kSettings),
                                   [&](const SettingRow &row) { return name == row.name; });
    if (name.rfind("GPUOPT_", 0) == 0 && name.rfind("GPUOPT_TEST_", 0) != 0 && !known) unknown.push_back(name);
  }
  return unknown;
}

// Returns what is wrong with a value, "" if it is valid.
std::string problem_of(const SettingRow &row, const std::string &value) {
  switch (row.kind) {
    case SettingKind::kFile:
      return is_absolute(value);
    case SettingKind::kFiles:
      return are_absolute(value);
    case SettingKind::kBlas:
      return value == "none" ? "" : is_absolute(value);
    default:
      return has_meaning(row, value) ? "" : value_problem(row);
  }
}

}  // namespace

std::vector<BadSetting> bad_settings() {
  std::vector<BadSetting> bad;
  for (const SettingRow &row : kSettings) {
    const char *const value = std::getenv(row.name);
    if (!value || !*value) continue;
    if (std::string problem = problem_of(row, value); !problem.empty()) bad.push_back({row.name, value, problem});
  }
  for (const std::string &name : unknown_variables())
    bad.push_back(
        {name, std::getenv(name.c_str()), "is not a setting of this version (gpuopt help environment lists them)"});
  return bad;
}

}  // namespace gpuopt::tools

// tools/output.cpp -- see output.h.
#include "tools/output.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/command.h"

#if defined(_WIN32)
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

namespace gpuopt::tools {
namespace {

bool shows_colours(FILE *file) {
  const char *off = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return isatty(fileno(file)) && !(off && *off) && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

std::string coloured(const char *code, const std::string &text) {
  static const bool colours = shows_colours(stdout);
  return colours ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
}

// Returns the value with three significant digits, or all digits before the point if there are more, and its unit.
std::string with_unit(double value, const char *unit) {
  char text[48];
  const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit);
  return text;
}

}  // namespace

std::string good(const std::string &text) { return coloured("32", text); }
std::string bad(const std::string &text) { return coloured("31", text); }
std::string strong(const std::string &text) { return coloured("1", text); }

Progress::Progress(size_t steps) : shown_(isatty(fileno(stderr)) != 0), steps_(steps) {}
Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_ && width_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
  width_ = 0;
}

void Progress::step(const std::string &what) {
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || (done_ > 1 && now - shown_at_ < std::chrono::milliseconds(100))) return;
  shown_at_ = now;
  clear();
  const std::string line = std::to_string(std::min(done_, steps_)) + "/" + std::to_string(steps_) + "  " + what;
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  width_ = line.size();
}

std::string table(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      line += (i > 0 ? "  " : "") + (i == 0 ? row[i] + space : space + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string bytes_text(uint64_t bytes) {
  constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return with_unit(value, kUnits[unit]);
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return with_unit(seconds * 1e9, "ns");
  if (seconds < 1e-3) return with_unit(seconds * 1e6, "us");
  if (seconds < 1) return with_unit(seconds * 1e3, "ms");
  return with_unit(seconds, "s");
}

std::string rate_text(double bytes_per_second) { return with_unit(bytes_per_second * 1e-9, "GB/s"); }

std::string json_real(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string json_count(uint64_t value) { return std::to_string(value); }

void print(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Failed(std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace gpuopt::tools

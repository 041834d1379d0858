// tools/output.h -- output of the commands: colors and progress on terminals, tables, units, JSON numbers.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace gpuopt::tools {

// Return the text in green, red and bold if stdout is a terminal that supports this and NO_COLOR is not set
// (no-color.org); else the text itself.
std::string good(const std::string &text);
std::string bad(const std::string &text);
std::string strong(const std::string &text);

// Shows the progress of long work in one line on stderr, updated at most ten times a second and removed with the
// object. Shows nothing if stderr is not a terminal.
class Progress {
 public:
  explicit Progress(size_t steps);
  ~Progress();
  Progress(const Progress &) = delete;
  void step(const std::string &what);  // begins the next step, called `what`

 private:
  void clear();
  const bool shown_;
  const size_t steps_;
  size_t done_ = 0, width_ = 0;
  std::chrono::steady_clock::time_point shown_at_{};
};

// Returns the rows as lines with aligned columns, two spaces apart: the first column is left-aligned, the others are
// right-aligned.
std::string table(const std::vector<std::vector<std::string>> &rows);

// Return "12.3 MiB", "1.23 us" and "12.3 GB/s".
std::string bytes_text(uint64_t bytes);
std::string time_text(double seconds);
std::string rate_text(double bytes_per_second);

// Return JSON numbers that read back as the same value; null for NaN and infinities, which JSON cannot represent.
std::string json_real(double value);
std::string json_count(uint64_t value);

// Writes `text` to stdout. Throws Failed if that is not possible, as when the disk is full.
void print(const std::string &text);

}  // namespace gpuopt::tools

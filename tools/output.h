// tools/output.h -- what commands print with: colours and progress where a person looks on, tables, JSON.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace gpuopt::tools {

// In colour if stdout is a terminal that shows them and NO_COLOR is not set (no-color.org); else the text itself.
std::string good(const std::string &text);
std::string bad(const std::string &text);
std::string strong(const std::string &text);

// One line on stderr that says how far long work is, renewed now and then; nothing where stderr is no terminal. Gone
// when the object is.
class Progress {
 public:
  explicit Progress(size_t steps);
  ~Progress();
  Progress(const Progress &) = delete;
  void step(const std::string &what);  // the next one begins

 private:
  void clear();
  const bool shown_;
  const size_t steps_;
  size_t done_ = 0, width_ = 0;
  std::chrono::steady_clock::time_point shown_at_{};
};

// Rows of cells in columns as wide as they need be, two spaces apart; the first column to the left, the others to the
// right.
std::string table(const std::vector<std::vector<std::string>> &rows);

// "12.3 MiB"; "1.23 us"; "12.3 GB/s".
std::string bytes_text(uint64_t bytes);
std::string time_text(double seconds);
std::string rate_text(double bytes_per_second);

// A JSON number with all its digits; null for NaN and infinities, which JSON has no words for.
std::string json_real(double value);
std::string json_count(uint64_t value);

// The whole of `text` to stdout; throws Failed if that is not possible (a full disk, say).
void print(const std::string &text);

}  // namespace gpuopt::tools

// tests/fuzz/targets/core_text_table_fuzzer.cpp -- tables of numbers in text: how a text is cut into blocks makes no
// difference, and what is read is written and read again.
#include <algorithm>

#include "core/text_files/table_reader.h"
#include "core/text_files/text_number.h"
#include "tests/fuzz/targets/core_fuzz.h"

namespace {

// A text as a stream.
class TextSource : public gpuopt::Source {
 public:
  explicit TextSource(std::string_view text) : left_(text) {}
  size_t read(void *to, size_t bytes) override {
    const std::string_view taken = left_.substr(0, bytes);
    taken.copy(static_cast<char *>(to), taken.size());
    left_.remove_prefix(taken.size());
    return taken.size();
  }
  uint64_t remaining() override { return left_.size(); }

 private:
  std::string_view left_;
};

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text, const gpuopt::TableSyntax &syntax) {
  TextSource source(text);
  const std::string where = "input";
  gpuopt::TableReader reader(source, syntax, where);
  Rows rows;
  while (reader.next()) {
    rows.emplace_back();
    for (size_t k = 0; k < reader.columns(); ++k) rows.back().emplace_back(reader.column(k));
  }
  return rows;
}

// What is a number of a dtype is written, and read again as the same.
void round_trip(const std::string &text, gpuopt_dtype dtype) {
  unsigned char first[16] = {}, second[16] = {};
  if (!gpuopt::number_reader(dtype)(text, first)) return;
  std::string written, again;
  gpuopt::append_shortest(written, dtype, first);
  fuzz::require(gpuopt::number_reader(dtype)(written, second), "what was written can be read");
  gpuopt::append_shortest(again, dtype, second);
  fuzz::require(written == again, "what was written and read is the same");
}

gpuopt::TableSyntax syntax_of(uint8_t choice) {
  static const char *const delimiters[] = {"", ",", ";", "::"};
  return {delimiters[choice & 3], choice & 4 ? "#" : "", choice & 8 ? '"' : '\0'};
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  const gpuopt::TableSyntax syntax = syntax_of(data[0]);
  const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  Rows rows;
  if (!fuzz::accepts([&] { rows = rows_of(text, syntax); })) return 0;
  const std::string padding = "\n" + std::string((size_t{1} << 20) - 1 - size / 2, ' ') + "\n";
  if (data[0] & 16 && text.substr(0, 3) != "\xEF\xBB\xBF") {
    Rows moved;
    fuzz::require(fuzz::accepts([&] { moved = rows_of(padding + text, syntax); }), "a text behind spaces can be read");
    fuzz::require(moved == rows, "a text across the end of a block is the same");
  }
  for (const auto &row : rows) {
    for (const std::string &column : row)
      for (gpuopt_dtype dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) round_trip(column, dtype);
  }
  return 0;
}

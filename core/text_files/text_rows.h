// core/text_files/text_rows.h -- the numbers of a text's rows, one row after the other.
#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/text_files/table_reader.h"
#include "core/text_files/text_number.h"

namespace gpuopt {

// How the columns of a row become elements.
struct RowRules {
  TableSyntax syntax;
  gpuopt_dtype dtype;
  size_t width;  // bytes of an element
  ReadNumber read;
  bool chooses;                  // whether only the columns below are read
  std::vector<int64_t> columns;  // those below 0 are counted from the last one
  bool fills;                    // whether missing numbers get the element below
  unsigned char filling[16];
  std::string missing;  // what stands for a missing number, beside nothing
};

// Elements whose count is not known in advance, in chunks that are given back one by one.
class Elements {
 public:
  explicit Elements(size_t width) : width_(width) {}
  // Returns the place of a new element.
  char *add() {
    if (end_ == kChunk || chunks_.empty()) {
      chunks_.push_back(std::make_unique<char[]>(kChunk));
      end_ = 0;
    }
    end_ += width_;
    return chunks_.back().get() + end_ - width_;
  }
  // Moves the next elements to `to`.
  void take(char *to, size_t bytes) {
    while (bytes) {
      const size_t some = std::min(bytes, kChunk - begin_);
      std::memcpy(to, chunks_[first_].get() + begin_, some);
      to += some;
      bytes -= some;
      begin_ += some;
      if (begin_ < kChunk) continue;
      chunks_[first_++].reset();
      begin_ = 0;
    }
  }

 private:
  static constexpr size_t kChunk = size_t{1} << 20;  // a multiple of the size of any element
  const size_t width_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t end_ = 0, first_ = 0, begin_ = 0;
};

class TextRows {
 public:
  // `where` names the text in messages; both must outlive the rows. `columns` is how many each row must have; if it is
  // 0 the first row says how many.
  TextRows(const RowRules &rules, const std::string &where, size_t columns = 0)
      : rules_(rules), where_(where), elements_(rules.width), columns_(columns) {}
  // Reads rows until there are `most`, or no more. Throws if something is no number, or a row has other columns.
  void read(TableReader &reader, int64_t most);
  int64_t count() const { return count_; }
  size_t columns() const { return columns_; }  // of the first row; 0 if there is none
  // Moves the next elements to `to`.
  void take(char *to, size_t bytes) { elements_.take(to, bytes); }
  size_t bytes() const {
    return static_cast<size_t>(count_) * rules_.width * (rules_.chooses ? rules_.columns.size() : columns_);
  }

 private:
  void add_row(const TableReader &reader);
  size_t place_of(const TableReader &reader, int64_t column) const;
  void add(const TableReader &reader, size_t column);

  const RowRules &rules_;
  const std::string &where_;
  Elements elements_;
  size_t columns_;
  int64_t count_ = 0;
};

}  // namespace gpuopt

// core/text_files/table_reader.h -- the rows of a text file, cut into columns, a block of the file at a time.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"

namespace gpuopt {

// What separates the parts of a text file. An empty text, and a quote of NUL, stand for none.
struct TableSyntax {
  std::string delimiter, comments;  // an empty delimiter is white space
  char quote = 0;
};

// Reads one row after the other. Holds no more of the file than a block or the longest line.
class TableReader {
 public:
  // `where` names the file in messages; all three must outlive the reader. The source begins with a line of that
  // number; the first one of a file may have a byte order mark before it.
  TableReader(Source &source, const TableSyntax &syntax, const std::string &where, int64_t first_line = 1);
  // Leaves out lines, whatever is in them.
  void skip_lines(int64_t count);
  // Goes to the next row, and returns false at the end of the file. Lines of nothing but comments are left out.
  bool next();
  // The columns of the row, until next() is called.
  size_t columns() const { return columns_.size(); }
  std::string_view column(size_t k) const {
    const Column &c = columns_[k];
    return std::string_view(c.unquoted ? unquoted_.data() + c.begin : buffer_.data() + begin_ + c.begin, c.size);
  }
  int64_t line() const { return row_line_; }   // of the row's beginning, counted from 1
  int64_t next_line() const { return line_; }  // the one behind the row
  // Returns what has been taken from the source and is behind the row. Nothing can be read afterwards.
  std::string take_rest();

 private:
  enum Class : unsigned char { PLAIN, BLANK, NEWLINE, DELIMITER, COMMENT };
  struct Column {
    size_t begin, size;  // in the text of quoted columns, or from the row's beginning
    bool unquoted;
  };

  void more();
  bool is_unfinished(size_t at) const;
  Class class_at(size_t at) const { return classes_[static_cast<unsigned char>(buffer_[at])]; }
  bool matches(size_t at, const std::string &text) const;
  size_t line_end(size_t at) const;
  void pass_line_end(size_t &at);
  bool is_empty_row() const;
  void scan_row(size_t &at);
  bool is_row_end(size_t at) const;
  void scan_between_blanks(size_t &at);
  void scan_between_delimiters(size_t &at);
  void scan_column(size_t &at);
  size_t column_end(size_t at) const;
  void scan_quoted(size_t &at);

  Source &source_;
  const TableSyntax &syntax_;
  const std::string &where_;
  Class classes_[256] = {};
  std::string buffer_, unquoted_;
  size_t begin_ = 0, next_ = 0;  // of this row and of the one behind it, in the buffer
  size_t lookahead_ = 2;         // how many bytes are looked at together
  bool at_end_ = false, open_quote_ = false;
  std::vector<Column> columns_;
  int64_t line_, row_line_, lines_in_row_ = 0;
};

}  // namespace gpuopt

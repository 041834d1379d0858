// core/text_files/table_reader.cpp -- see table_reader.h.
#include "core/text_files/table_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace gpuopt {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{256} << 20;
constexpr size_t kMostColumns = size_t{1} << 22;

unsigned char first_byte(const std::string &text) { return static_cast<unsigned char>(text[0]); }

bool ends_line(char c) { return c == '\n' || c == '\r'; }

// Returns how many line ends there are, of which CR LF is one.
int64_t count_lines(std::string_view text) {
  int64_t count = 0;
  for (size_t k = 0; k < text.size(); ++k)
    count += text[k] == '\n' || (text[k] == '\r' && (k + 1 == text.size() || text[k + 1] != '\n'));
  return count;
}

}  // namespace

TableReader::TableReader(Source &source, const TableSyntax &syntax, const std::string &where, int64_t first_line)
    : source_(source), syntax_(syntax), where_(where), line_(first_line), row_line_(first_line) {
  if (syntax.delimiter.empty())
    for (unsigned char c : {' ', '\t', '\v', '\f'}) classes_[c] = BLANK;
  else
    classes_[first_byte(syntax.delimiter)] = DELIMITER;
  if (!syntax.comments.empty()) classes_[first_byte(syntax.comments)] = COMMENT;
  for (unsigned char c : {'\n', '\r'}) classes_[c] = NEWLINE;
  lookahead_ = std::max({syntax.delimiter.size(), syntax.comments.size(), size_t{2}});
  more();
  if (first_line == 1 && buffer_.starts_with("\xEF\xBB\xBF")) begin_ = next_ = 3;
}

// Reads more of the file behind the line that begins at begin_. What is before it is no longer needed.
void TableReader::more() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t kept = buffer_.size(), wanted = std::max(kBlock, kept);
  if (kept > kLongestLine)
    fail(GPUOPT_ERR_FORMAT, "%s, line %lld: the line is longer than 256 MiB", where_.c_str(),
         static_cast<long long>(line_));
  buffer_.resize(kept + wanted);
  const size_t got = source_.read(buffer_.data() + kept, wanted);
  buffer_.resize(kept + got);
  at_end_ = got < wanted;
  const void *nul = std::memchr(buffer_.data() + kept, 0, got);
  if (!nul) return;
  const size_t place = static_cast<size_t>(static_cast<const char *>(nul) - buffer_.data());
  fail(GPUOPT_ERR_FORMAT, "%s, line %lld: there is a NUL byte, so that this is no text", where_.c_str(),
       static_cast<long long>(line_ + count_lines(std::string_view(buffer_).substr(0, place))));
}

// Returns whether what was read up to this place might be otherwise, were more of the file in the buffer.
bool TableReader::is_unfinished(size_t at) const { return !at_end_ && at + lookahead_ > buffer_.size(); }

bool TableReader::matches(size_t at, const std::string &text) const {
  return buffer_.compare(at, text.size(), text) == 0;
}

size_t TableReader::line_end(size_t at) const {
  while (at < buffer_.size() && !ends_line(buffer_[at])) ++at;
  return at;
}

// Goes behind the end of the line, if there is one at this place.
void TableReader::pass_line_end(size_t &at) {
  if (at == buffer_.size()) return;
  at += buffer_[at] == '\r' && at + 1 < buffer_.size() && buffer_[at + 1] == '\n' ? 2 : 1;
  ++lines_in_row_;
}

void TableReader::skip_lines(int64_t count) {
  while (count > 0 && !(at_end_ && next_ == buffer_.size())) {
    size_t at = line_end(begin_ = next_);
    lines_in_row_ = 0;
    pass_line_end(at);
    if (is_unfinished(at)) {
      more();
      next_ = begin_;
      continue;
    }
    line_ += lines_in_row_;
    next_ = at;
    --count;
  }
}

bool TableReader::next() {
  while (true) {
    begin_ = next_;
    if (at_end_ && begin_ == buffer_.size()) return false;
    size_t at = begin_;
    scan_row(at);
    if (is_unfinished(at)) {
      more();
      next_ = begin_;
      continue;
    }
    if (open_quote_)
      fail(GPUOPT_ERR_FORMAT, "%s, line %lld: a quote is not closed", where_.c_str(), static_cast<long long>(line_));
    row_line_ = line_;
    line_ += lines_in_row_;
    next_ = at;
    if (!is_empty_row()) return true;
  }
}

std::string TableReader::take_rest() {
  buffer_.erase(0, next_);
  return std::move(buffer_);
}

// Returns whether the line has no columns, or a single one of spaces.
bool TableReader::is_empty_row() const {
  if (columns_.size() != 1) return columns_.empty();
  return !columns_[0].unquoted && column(0).find_first_not_of(" \t\v\f") == std::string_view::npos;
}

// Finds the columns of the row at `at`, and goes behind its end, or to that of the buffer.
void TableReader::scan_row(size_t &at) {
  columns_.clear();
  unquoted_.clear();
  lines_in_row_ = 0;
  open_quote_ = false;
  if (syntax_.delimiter.empty())
    scan_between_blanks(at);
  else if (!is_row_end(at))
    scan_between_delimiters(at);
  if (at < buffer_.size() && class_at(at) == COMMENT) at = line_end(at);
  pass_line_end(at);
}

bool TableReader::is_row_end(size_t at) const {
  if (at == buffer_.size()) return true;
  const Class kind = class_at(at);
  return kind == NEWLINE || (kind == COMMENT && matches(at, syntax_.comments));
}

void TableReader::scan_between_blanks(size_t &at) {
  while (true) {
    while (at < buffer_.size() && class_at(at) == BLANK) ++at;
    if (is_row_end(at)) return;
    scan_column(at);
  }
}

void TableReader::scan_between_delimiters(size_t &at) {
  while (true) {
    scan_column(at);
    if (is_row_end(at)) return;
    at += syntax_.delimiter.size();
  }
}

void TableReader::scan_column(size_t &at) {
  if (columns_.size() == kMostColumns)
    fail(GPUOPT_ERR_FORMAT, "%s, line %lld: there are more than 4194304 columns", where_.c_str(),
         static_cast<long long>(line_));
  if (syntax_.quote && at < buffer_.size() && buffer_[at] == syntax_.quote) {
    scan_quoted(at);
    return;
  }
  const size_t from = at;
  at = column_end(at);
  columns_.push_back({from - begin_, at - from, false});
}

// Returns where the column that is not quoted ends: at a separator, a comment, the end of the line or of the buffer.
size_t TableReader::column_end(size_t at) const {
  while (true) {
    while (at < buffer_.size() && class_at(at) == PLAIN) ++at;
    if (is_row_end(at) || class_at(at) == BLANK) return at;
    if (class_at(at) == DELIMITER && matches(at, syntax_.delimiter)) return at;
    ++at;
  }
}

// Collects the text between quotes, where two stand for one, and what follows them.
void TableReader::scan_quoted(size_t &at) {
  const size_t from = unquoted_.size();
  while (true) {
    const size_t close = std::min(buffer_.find(syntax_.quote, at + 1), buffer_.size());
    const std::string_view inside = std::string_view(buffer_).substr(at + 1, close - at - 1);
    unquoted_ += inside;
    lines_in_row_ += count_lines(inside);
    at = std::min(close + 1, buffer_.size());
    open_quote_ = close == buffer_.size();
    if (open_quote_ || at == buffer_.size() || buffer_[at] != syntax_.quote) break;
    unquoted_ += syntax_.quote;
  }
  const size_t end = column_end(at);
  unquoted_.append(buffer_, at, end - at);
  at = end;
  columns_.push_back({from, unquoted_.size() - from, true});
}

}  // namespace gpuopt

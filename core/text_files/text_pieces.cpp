// core/text_files/text_pieces.cpp -- see text_pieces.h.
#include "core/text_files/text_pieces.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "core/base/setting_values.h"
#include "core/base/signals_blocked.h"
#include "core/text_files/memory_source.h"

namespace gpuopt {
namespace {

constexpr size_t kPiece = size_t{4} << 20;
constexpr size_t kLongest = size_t{512} << 20;  // a line that is longer makes the reader of a piece fail
constexpr size_t kMostThreads = 16;

size_t thread_count() {
  const auto asked = setting_number(Setting::GPUOPT_NUM_THREADS);
  const size_t wanted = asked ? static_cast<size_t>(*asked) : std::thread::hardware_concurrency();
  return std::clamp(wanted, size_t{1}, kMostThreads);
}

// Returns where the line behind the last line end of the text begins; 0 if there is none. A CR at the end of the text
// may be one half of a line end, and is left out.
size_t behind_last_line(const std::string &text) {
  for (size_t at = text.size(); at-- > 0;) {
    if (text[at] == '\n' || (text[at] == '\r' && at + 1 < text.size())) return at + 1;
  }
  return 0;
}

// Cuts a text into pieces.
class Cutter {
 public:
  Cutter(Source &source, std::string begun) : source_(source), rest_(std::move(begun)) {}
  // Returns the next piece, nothing at the end of the text.
  std::string next() {
    std::string piece = std::move(rest_);
    rest_.clear();
    size_t end = 0;
    do {
      extend(piece);
      end = at_end_ ? piece.size() : behind_last_line(piece);
    } while (end == 0 && !at_end_ && piece.size() < kLongest);
    if (end == 0) end = piece.size();
    rest_.assign(piece, end);
    piece.resize(end);
    return piece;
  }

 private:
  void extend(std::string &piece) {
    if (at_end_) return;
    const size_t before = piece.size();
    piece.resize(before + kPiece);
    const size_t got = source_.read(piece.data() + before, kPiece);
    piece.resize(before + got);
    at_end_ = got < kPiece;
  }

  Source &source_;
  std::string rest_;
  bool at_end_ = false;
};

struct Piece {
  std::string text;
  std::unique_ptr<TextRows> rows;  // NULL until the piece has been read, or if that failed
  int64_t lines = 0;
};

// Threads that read pieces. The calling thread does other things and then helps.
class ReaderThreads {
 public:
  template <typename Read>
  ReaderThreads(std::vector<Piece> &pieces, size_t threads, const Read &read) : pieces_(pieces) {
    [[maybe_unused]] const SignalsBlocked blocked;
    const size_t count = std::min(threads, pieces.size());
    threads_.reserve(count);
    try {
      for (size_t k = 1; k < count; ++k) threads_.emplace_back([this, &read] { run(read); });
    } catch (const std::exception &) {
      // The system gives no more threads, or memory: those that there are, and the calling one, read all pieces.
    }
  }
  ~ReaderThreads() {
    for (std::thread &one : threads_) one.join();
  }
  ReaderThreads(const ReaderThreads &) = delete;
  ReaderThreads &operator=(const ReaderThreads &) = delete;

  template <typename Read>
  void run(const Read &read) {
    for (size_t k; (k = next_.fetch_add(1, std::memory_order_relaxed)) < pieces_.size();) read(pieces_[k]);
  }

 private:
  std::vector<Piece> &pieces_;
  std::atomic<size_t> next_{0};
  std::vector<std::thread> threads_;
};

class PieceReader {
 public:
  PieceReader(Source &source, TableReader &reader, const RowRules &rules, const std::string &where)
      : cutter_(source, reader.take_rest()), rules_(rules), where_(where), line_(reader.next_line()) {}

  TextParts read() {
    const size_t threads = thread_count();
    std::vector<Piece> pieces = cut(2 * threads);
    while (!pieces.empty()) {
      std::vector<Piece> later;
      {
        const auto read = [this](Piece &piece) { try_to_read(piece); };
        ReaderThreads others(pieces, threads, read);
        later = cut(2 * threads);
        others.run(read);
      }
      for (Piece &piece : pieces) append(piece);
      pieces = std::move(later);
    }
    return std::move(parts_);
  }

 private:
  std::vector<Piece> cut(size_t most) {
    std::vector<Piece> pieces;
    while (pieces.size() < most) {
      std::string text = cutter_.next();
      if (text.empty()) break;
      pieces.push_back({std::move(text), nullptr, 0});
    }
    return pieces;
  }

  // Reads a piece whose first line has this number.
  void read_piece(Piece &piece, int64_t line, size_t columns) const {
    MemorySource source(piece.text.data(), piece.text.size());
    TableReader reader(source, rules_.syntax, where_, line);
    auto rows = std::make_unique<TextRows>(rules_, where_, columns);
    rows->read(reader, INT64_MAX);
    piece.lines = reader.next_line() - line;
    piece.rows = std::move(rows);
  }

  // Reads a piece whose place in the file is not known yet. If that fails append() reads it once more, and says why.
  void try_to_read(Piece &piece) const noexcept {
    try {
      read_piece(piece, 2, 0);
    } catch (...) {
      piece.rows.reset();
    }
  }

  void append(Piece &piece) {
    const bool differs =
        piece.rows && !rules_.chooses && columns_ && piece.rows->count() && piece.rows->columns() != columns_;
    if (!piece.rows || differs) read_piece(piece, line_, columns_);
    line_ += piece.lines;
    if (!columns_) columns_ = piece.rows->columns();
    parts_.push_back(std::move(piece.rows));
  }

  Cutter cutter_;
  const RowRules &rules_;
  const std::string &where_;
  int64_t line_;        // of the next piece that is appended
  size_t columns_ = 0;  // of the first row
  TextParts parts_;
};

}  // namespace

bool is_read_in_pieces(const TableSyntax &syntax, uint64_t bytes) {
  return !syntax.quote && bytes >= 2 * kPiece && bytes != UINT64_MAX && thread_count() > 1;
}

TextParts read_in_pieces(Source &source, TableReader &reader, const RowRules &rules, const std::string &where) {
  return PieceReader(source, reader, rules, where).read();
}

}  // namespace gpuopt

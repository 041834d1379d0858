// plugins/cpu/runtime/range.h -- ranges of indices, and how loops cut them into parts.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace gpuopt::cpu {

// The indices first, first + 1, ..., last - 1.
struct Range {
  int64_t first, last;
  int64_t count() const { return last - first; }
};

// The parts of a range, in order: `size` indices each, and the last one what is left.
//
//   for (const Range part : parts_of(range, size)) ...
//
// Loops that advance by a computed number of indices use this, because it always ends: no part is empty, whatever the
// size. A size below 1 is a mistake of the caller: an assertion fails, and builds without assertions use 1.
class Parts {
 public:
  class Iterator {
   public:
    Range operator*() const { return part_; }
    bool operator!=(const Iterator &) const { return part_.first < last_; }
    Iterator &operator++() {
      assert(part_.last > part_.first && "a loop over the parts of a range advances");
      move_to(part_.last);
      return *this;
    }

   private:
    friend class Parts;
    Iterator(Range range, int64_t size) : last_(range.last), size_(size) { move_to(range.first); }
    void move_to(int64_t first) { part_ = {first, first + std::min(size_, last_ - first)}; }

    int64_t last_, size_;
    Range part_;
  };

  Parts(Range range, int64_t size) : range_(range), size_(std::max<int64_t>(size, 1)) {
    assert((size >= 1 || range.count() <= 0) && "the parts of a range hold at least one index");
  }
  Iterator begin() const { return {range_, size_}; }
  Iterator end() const { return {{range_.last, range_.last}, size_}; }

 private:
  Range range_;
  int64_t size_;
};

inline Parts parts_of(Range range, int64_t size) { return {range, size}; }

}  // namespace gpuopt::cpu

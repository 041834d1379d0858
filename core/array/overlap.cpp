// core/array/overlap.cpp -- see overlap.h.
#include "core/array/overlap.h"

#include <gpuopt/gpuopt.h>

#include <algorithm>

namespace gpuopt {
namespace {

// The views overlap if their distance is a sum of terms, each a stride times an integer from a range of its own: the
// indices along the axes of the one view, those of the other with the opposite sign, and the bytes of an element.
struct Term {
  int64_t stride, low, high;
  // The least and the greatest sum of this and all later terms.
  int64_t least = 0, greatest = 0;
};

// Searches for such a sum, from the largest stride to the smallest. For slices of one array few integers come into
// question for each term, because the later terms together reach less far than one stride.
class Search {
 public:
  void add_axes(const StridedView &view, bool opposite) {
    for (int i = 0; i < view.ndim; ++i) {
      if (view.shape[i] == 1 || view.strides[i] == 0) continue;
      const bool down = (view.strides[i] < 0) != opposite;
      add(view.strides[i] < 0 ? -view.strides[i] : view.strides[i], view.shape[i] - 1, down);
    }
  }

  void add_bytes(const StridedView &a, const StridedView &b) {
    add(1, a.itemsize - 1, false);
    add(1, b.itemsize - 1, true);
  }

  bool finds(int64_t distance) {
    std::sort(terms_, terms_ + count_, [](const Term &a, const Term &b) { return a.stride > b.stride; });
    int64_t least = 0, greatest = 0;
    for (int k = count_ - 1; k >= 0; --k) {
      terms_[k].least = least += terms_[k].stride * terms_[k].low;
      terms_[k].greatest = greatest += terms_[k].stride * terms_[k].high;
    }
    return reaches(0, distance);
  }

 private:
  // Adds the integers 0..reach, or -reach..0, times the stride. Terms of equal strides become one.
  void add(int64_t stride, int64_t reach, bool down) {
    Term *const end = terms_ + count_;
    Term *const same = std::find_if(terms_, end, [&](const Term &term) { return term.stride == stride; });
    if (same == end) terms_[count_++] = {stride, 0, 0};
    (down ? same->low : same->high) += down ? -reach : reach;
  }

  // Whether the terms from number k on have the sum `rest`. True also if the search has taken too many steps.
  bool reaches(int k, int64_t rest) {
    if (k == count_) return rest == 0;
    const Term &term = terms_[k];
    if (rest < term.least || rest > term.greatest) return false;
    const int64_t later_least = k + 1 < count_ ? terms_[k + 1].least : 0;
    const int64_t later_greatest = k + 1 < count_ ? terms_[k + 1].greatest : 0;
    int64_t i = std::max(term.low, ceil_div(rest - later_greatest, term.stride));
    const int64_t last = std::min(term.high, floor_div(rest - later_least, term.stride));
    for (; i <= last; ++i) {
      if (--steps_left_ < 0 || reaches(k + 1, rest - i * term.stride)) return true;
    }
    return false;
  }

  static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
  static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }

  Term terms_[2 * GPUOPT_MAX_NDIM + 2];
  int count_ = 0;
  int steps_left_ = 200;
};

}  // namespace

bool may_overlap(const StridedView &a, const StridedView &b) {
  Search search;
  search.add_axes(a, false);
  search.add_axes(b, true);
  search.add_bytes(a, b);
  return search.finds(b.offset - a.offset);
}

}  // namespace gpuopt

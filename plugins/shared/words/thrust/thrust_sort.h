// plugins/shared/words/thrust/thrust_sort.h -- thrust's sorts for kernels, run by one thread, all of them stable and in
// place
//
// Runs of 16 elements are sorted by insertion, and then merged by rotations (Kim and Kutzner, "Stable Minimum Storage
// Merging by Symmetric Comparisons", ESA 2004), in O(n log^2 n) moves without memory.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_THRUST_SORT_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_THRUST_SORT_H_

#include "plugins/shared/words/thrust/thrust_algorithms.h"
#include "plugins/shared/words/words.h"

namespace gpo {
namespace words {

// The keys of a sort, and what moves along with them.
template <class Keys, class Less>
struct KeysAlone {
  Keys keys;
  Less less_;
  GPO_WORD_FN bool less(ptrdiff_t a, ptrdiff_t b) const { return less_(keys[a], keys[b]); }
  GPO_WORD_FN void swap(ptrdiff_t a, ptrdiff_t b) const {
    const thrust::gpo_value<Keys> kept = keys[a];
    keys[a] = keys[b];
    keys[b] = kept;
  }
};
template <class Keys, class Values, class Less>
struct KeysAndValues {
  KeysAlone<Keys, Less> keys;
  Values values;
  GPO_WORD_FN bool less(ptrdiff_t a, ptrdiff_t b) const { return keys.less(a, b); }
  GPO_WORD_FN void swap(ptrdiff_t a, ptrdiff_t b) const {
    keys.swap(a, b);
    const thrust::gpo_value<Values> kept = values[a];
    values[a] = values[b];
    values[b] = kept;
  }
};

template <class Rows>
struct StableSort {
  Rows rows;

  void run(ptrdiff_t n) const {
    constexpr ptrdiff_t run = 16;
    for (ptrdiff_t begin = 0; begin < n; begin += run) insert(begin, n - begin < run ? n : begin + run);
    for (ptrdiff_t size = run; size < n; size *= 2) {
      for (ptrdiff_t begin = 0; begin + size < n; begin += 2 * size)
        merge({begin, begin + size, n - begin < 2 * size ? n : begin + 2 * size});
    }
  }

 private:
  struct Parts {
    ptrdiff_t begin, middle, end;
  };

  GPO_WORD_FN void insert(ptrdiff_t begin, ptrdiff_t end) const {
    for (ptrdiff_t k = begin + 1; k < end; k++)
      for (ptrdiff_t at = k; at > begin && rows.less(at, at - 1); at--) rows.swap(at, at - 1);
  }
  GPO_WORD_FN void reverse(ptrdiff_t begin, ptrdiff_t end) const {
    for (; begin < --end; begin++) rows.swap(begin, end);
  }
  GPO_WORD_FN void rotate(ptrdiff_t begin, ptrdiff_t middle, ptrdiff_t end) const {
    if (begin == middle || middle == end) return;
    reverse(begin, middle);
    reverse(middle, end);
    reverse(begin, end);
  }
  // The first row from begin on that is not less than row x (or, `above`, that row x is less than).
  GPO_WORD_FN ptrdiff_t bound(ptrdiff_t begin, ptrdiff_t end, ptrdiff_t x, bool above) const {
    while (begin < end) {
      const ptrdiff_t half = begin + (end - begin) / 2;
      const bool is_before = above ? !rows.less(x, half) : rows.less(half, x);
      begin = is_before ? half + 1 : begin;
      end = is_before ? end : half;
    }
    return begin;
  }
  // The longer part is cut in halves, the shorter one where the cut's row belongs, and the inner pieces change places.
  // What is left are two merges, of which the smaller one is done first: no more than log2(n) wait.
  GPO_WORD_FN void merge(Parts whole) const {
    Parts waiting[64];
    int count = 0;
    waiting[count++] = whole;
    while (count > 0) {
      const Parts now = waiting[--count];
      if (now.begin == now.middle || now.middle == now.end) continue;
      if (!rows.less(now.middle, now.middle - 1)) continue;
      const bool left_is_longer = now.middle - now.begin >= now.end - now.middle;
      const ptrdiff_t half =
          left_is_longer ? now.begin + (now.middle - now.begin) / 2 : now.middle + (now.end - now.middle) / 2;
      const ptrdiff_t left = left_is_longer ? half : bound(now.begin, now.middle, half, true);
      const ptrdiff_t right = left_is_longer ? bound(now.middle, now.end, half, false) : half;
      rotate(left, now.middle, right);
      const ptrdiff_t middle = left + (right - now.middle);
      const Parts a = {now.begin, left, middle}, b = {middle, right, now.end};
      const bool a_is_smaller = middle - now.begin < now.end - middle;
      waiting[count++] = a_is_smaller ? b : a;
      waiting[count++] = a_is_smaller ? a : b;
    }
  }
};

}  // namespace words
}  // namespace gpo

namespace thrust {

template <class Keys, class Less>
GPO_WORD_FN void stable_sort(Keys begin, Keys end, Less less) {
  const gpo::words::StableSort<gpo::words::KeysAlone<Keys, Less>> sort = {{begin, less}};
  sort.run(end - begin);
}
template <class Keys>
GPO_WORD_FN void stable_sort(Keys begin, Keys end) {
  thrust::stable_sort(begin, end, ::std::less<>());
}
template <class Keys, class Values, class Less>
GPO_WORD_FN void stable_sort_by_key(Keys begin, Keys end, Values values, Less less) {
  const gpo::words::StableSort<gpo::words::KeysAndValues<Keys, Values, Less>> sort = {{{begin, less}, values}};
  sort.run(end - begin);
}
template <class Keys, class Values>
GPO_WORD_FN void stable_sort_by_key(Keys begin, Keys end, Values values) {
  thrust::stable_sort_by_key(begin, end, values, ::std::less<>());
}
GPO_WITH_POLICY(stable_sort)
GPO_WITH_POLICY(stable_sort_by_key)

template <class... A>
GPO_WORD_FN void sort(A... arguments) {
  thrust::stable_sort(arguments...);
}
template <class... A>
GPO_WORD_FN void sort_by_key(A... arguments) {
  thrust::stable_sort_by_key(arguments...);
}

template <class Place, class Less>
GPO_WORD_FN constexpr bool is_sorted(Place begin, Place end, Less less) {
  if (begin == end) return true;
  for (Place last = begin; ++begin != end; ++last)
    if (less(*begin, *last)) return false;
  return true;
}
template <class Place>
GPO_WORD_FN constexpr bool is_sorted(Place begin, Place end) {
  return thrust::is_sorted(begin, end, ::std::less<>());
}
GPO_WITH_POLICY(is_sorted)

}  // namespace thrust

#undef GPO_WITH_POLICY

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_THRUST_SORT_H_

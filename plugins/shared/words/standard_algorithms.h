// plugins/shared/words/standard_algorithms.h -- what namespace std has of <algorithm>, <numeric>, <iterator> and
// <functional> besides standard.h: the algorithms are thrust's, which one thread runs in the order of the elements
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_STANDARD_ALGORITHMS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_STANDARD_ALGORITHMS_H_

#include "plugins/shared/words/standard.h"
#include "plugins/shared/words/thrust/thrust_algorithms.h"
#include "plugins/shared/words/thrust/thrust_functions.h"
#include "plugins/shared/words/thrust/thrust_sort.h"

namespace std {

// ---- <algorithm> ----

using thrust::all_of;
using thrust::any_of;
using thrust::binary_search;
using thrust::copy_if;
using thrust::copy_n;
using thrust::count;
using thrust::count_if;
using thrust::equal;
using thrust::fill_n;
using thrust::find;
using thrust::find_if;
using thrust::find_if_not;
using thrust::for_each;
using thrust::generate;
using thrust::is_sorted;
using thrust::max_element;
using thrust::min_element;
using thrust::minmax_element;
using thrust::none_of;
using thrust::remove;
using thrust::remove_if;
using thrust::replace;
using thrust::replace_if;
using thrust::reverse;
using thrust::sort;
using thrust::stable_sort;
using thrust::swap_ranges;
using thrust::transform;
using thrust::unique;

// ---- <numeric> ----

using thrust::adjacent_difference;
using thrust::exclusive_scan;
using thrust::inclusive_scan;
using thrust::inner_product;
using thrust::reduce;
template <class Place, class T>
GPO_WORD_FN constexpr T accumulate(Place begin, Place end, T total) {
  for (; begin != end; ++begin) total = total + *begin;
  return total;
}
template <class Place, class T, class Combine>
GPO_WORD_FN constexpr T accumulate(Place begin, Place end, T total, Combine combine) {
  for (; begin != end; ++begin) total = combine(total, *begin);
  return total;
}
template <class Place, class T>
GPO_WORD_FN constexpr void iota(Place begin, Place end, T value) {
  for (; begin != end; ++begin, ++value) *begin = value;
}
template <class From, class To>
GPO_WORD_FN constexpr To partial_sum(From begin, From end, To to) {
  return thrust::inclusive_scan(begin, end, to);
}
template <class A, class B>
GPO_WORD_FN constexpr common_type_t<A, B> gcd(A a, B b) {
  using T = common_type_t<A, B>;
  T x = a < 0 ? T(0) - T(a) : T(a), y = b < 0 ? T(0) - T(b) : T(b);
  while (y != 0) {
    const T rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
template <class A, class B>
GPO_WORD_FN constexpr common_type_t<A, B> lcm(A a, B b) {
  using T = common_type_t<A, B>;
  if (a == 0 || b == 0) return T(0);
  const T x = a < 0 ? T(0) - T(a) : T(a), y = b < 0 ? T(0) - T(b) : T(b);
  return x / gcd(x, y) * y;
}

// ---- <iterator> ----

template <class Range>
GPO_WORD_FN constexpr auto begin(Range &range) -> decltype(range.begin()) {
  return range.begin();
}
template <class Range>
GPO_WORD_FN constexpr auto end(Range &range) -> decltype(range.end()) {
  return range.end();
}
template <class T, size_t n>
GPO_WORD_FN constexpr T *begin(T (&values)[n]) noexcept {
  return values;
}
template <class T, size_t n>
GPO_WORD_FN constexpr T *end(T (&values)[n]) noexcept {
  return values + n;
}
template <class T, size_t n>
GPO_WORD_FN constexpr size_t size(const T (&)[n]) noexcept {
  return n;
}
template <class Range>
GPO_WORD_FN constexpr auto size(const Range &range) -> decltype(range.size()) {
  return range.size();
}
template <class T, size_t n>
GPO_WORD_FN constexpr T *data(T (&values)[n]) noexcept {
  return values;
}
template <class Range>
GPO_WORD_FN constexpr auto data(Range &range) -> decltype(range.data()) {
  return range.data();
}
template <class Place>
GPO_WORD_FN constexpr ptrdiff_t distance(Place from, Place to) {
  return ptrdiff_t(to - from);
}
template <class Place, class Steps>
GPO_WORD_FN constexpr void advance(Place &place, Steps steps) {
  place += steps;
}
template <class Place>
GPO_WORD_FN constexpr Place next(Place place, ptrdiff_t steps = 1) {
  return place + steps;
}
template <class Place>
GPO_WORD_FN constexpr Place prev(Place place, ptrdiff_t steps = 1) {
  return place - steps;
}
struct random_access_iterator_tag {};
template <class Place>
struct iterator_traits {
  using value_type = remove_cv_t<remove_reference_t<decltype(*declval<Place &>())>>;
  using reference = decltype(*declval<Place &>());
  using pointer = value_type *;
  using difference_type = ptrdiff_t;
  using iterator_category = random_access_iterator_tag;
};

// ---- <functional> ----

using thrust::bit_and;
using thrust::bit_or;
using thrust::bit_xor;
using thrust::divides;
using thrust::greater_equal;
using thrust::identity;
using thrust::less_equal;
using thrust::logical_and;
using thrust::logical_not;
using thrust::logical_or;
using thrust::modulus;
using thrust::negate;
using thrust::not_equal_to;

}  // namespace std

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_STANDARD_ALGORITHMS_H_

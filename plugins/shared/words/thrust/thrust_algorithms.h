// plugins/shared/words/thrust/thrust_algorithms.h -- thrust's algorithms for kernels, run by one thread in the order of
// the elements. Sorting is in thrust_sort.h.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_THRUST_ALGORITHMS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_THRUST_ALGORITHMS_H_

#include "plugins/shared/words/thrust/thrust_functions.h"
#include "plugins/shared/words/thrust/thrust_iterators.h"
#include "plugins/shared/words/words.h"

// To stand behind the functions of that name, which the policy makes no difference to.
#define GPO_WITH_POLICY(name)                                   \
  template <class... A>                                         \
  GPO_WORD_FN constexpr auto name(gpo_policy, A... arguments) { \
    return thrust::name(arguments...);                          \
  }

namespace thrust {

// ---- Writing ----

template <class Place, class Function>
GPO_WORD_FN constexpr Place for_each(Place begin, Place end, Function function) {
  for (; begin != end; ++begin) function(*begin);
  return begin;
}
template <class Place, class Count, class Function>
GPO_WORD_FN constexpr Place for_each_n(Place begin, Count n, Function function) {
  return thrust::for_each(begin, begin + n, function);
}
template <class From, class To>
GPO_WORD_FN constexpr To copy(From begin, From end, To to) {
  for (; begin != end; ++begin, ++to) *to = *begin;
  return to;
}
template <class From, class Count, class To>
GPO_WORD_FN constexpr To copy_n(From begin, Count n, To to) {
  return thrust::copy(begin, begin + n, to);
}
template <class From, class To, class Predicate>
GPO_WORD_FN constexpr To copy_if(From begin, From end, To to, Predicate predicate) {
  for (; begin != end; ++begin) {
    if (!predicate(*begin)) continue;
    *to = *begin;
    ++to;
  }
  return to;
}
template <class Place, class T>
GPO_WORD_FN constexpr void fill(Place begin, Place end, const T &value) {
  for (; begin != end; ++begin) *begin = value;
}
template <class Place, class Count, class T>
GPO_WORD_FN constexpr Place fill_n(Place begin, Count n, const T &value) {
  thrust::fill(begin, begin + n, value);
  return begin + n;
}
template <class Place, class Make>
GPO_WORD_FN constexpr void generate(Place begin, Place end, Make make) {
  for (; begin != end; ++begin) *begin = make();
}
template <class Place, class Function>
GPO_WORD_FN constexpr void tabulate(Place begin, Place end, Function function) {
  for (::std::ptrdiff_t k = 0; begin != end; ++begin, ++k) *begin = function(k);
}
template <class Place, class T>
GPO_WORD_FN constexpr void sequence(Place begin, Place end, T first, T step) {
  for (gpo_value<Place> k = 0; begin != end; ++begin, k = k + 1) *begin = first + k * step;
}
template <class Place, class T>
GPO_WORD_FN constexpr void sequence(Place begin, Place end, T first) {
  thrust::sequence(begin, end, first, T(1));
}
template <class Place>
GPO_WORD_FN constexpr void sequence(Place begin, Place end) {
  thrust::sequence(begin, end, gpo_value<Place>(0));
}
template <class From, class To, class Function>
GPO_WORD_FN constexpr To transform(From begin, From end, To to, Function function) {
  for (; begin != end; ++begin, ++to) *to = function(*begin);
  return to;
}
template <class From, class Other, class To, class Function>
GPO_WORD_FN constexpr To transform(From begin, From end, Other other, To to, Function function) {
  for (; begin != end; ++begin, ++other, ++to) *to = function(*begin, *other);
  return to;
}
template <class From, class Map, class To>
GPO_WORD_FN constexpr void scatter(From begin, From end, Map map, To to) {
  for (; begin != end; ++begin, ++map) to[*map] = *begin;
}
template <class Map, class From, class To>
GPO_WORD_FN constexpr To gather(Map begin, Map end, From from, To to) {
  for (; begin != end; ++begin, ++to) *to = from[*begin];
  return to;
}
template <class Place, class T>
GPO_WORD_FN constexpr void replace(Place begin, Place end, const T &old, const T &value) {
  for (; begin != end; ++begin)
    if (*begin == old) *begin = value;
}
template <class Place, class Predicate, class T>
GPO_WORD_FN constexpr void replace_if(Place begin, Place end, Predicate predicate, const T &value) {
  for (; begin != end; ++begin)
    if (predicate(*begin)) *begin = value;
}
template <class A, class B>
GPO_WORD_FN constexpr B swap_ranges(A begin, A end, B other) {
  for (; begin != end; ++begin, ++other) ::std::swap(*begin, *other);
  return other;
}
template <class Place>
GPO_WORD_FN constexpr void reverse(Place begin, Place end) {
  for (; begin != end && begin != --end; ++begin) ::std::swap(*begin, *end);
}
template <class Place, class Predicate>
GPO_WORD_FN constexpr Place remove_if(Place begin, Place end, Predicate predicate) {
  Place to = begin;
  for (; begin != end; ++begin) {
    if (predicate(*begin)) continue;
    *to = *begin;
    ++to;
  }
  return to;
}
template <class Place, class T>
GPO_WORD_FN constexpr Place remove(Place begin, Place end, const T &value) {
  Place to = begin;
  for (; begin != end; ++begin) {
    if (*begin == value) continue;
    *to = *begin;
    ++to;
  }
  return to;
}
template <class Place>
GPO_WORD_FN constexpr Place unique(Place begin, Place end) {
  if (begin == end) return end;
  Place last = begin;
  while (++begin != end)
    if (!(*last == *begin)) *++last = *begin;
  return ++last;
}

// ---- Reductions ----

template <class Place, class T, class Combine>
GPO_WORD_FN constexpr T reduce(Place begin, Place end, T total, Combine combine) {
  for (; begin != end; ++begin) total = combine(total, *begin);
  return total;
}
template <class Place, class T>
GPO_WORD_FN constexpr T reduce(Place begin, Place end, T total) {
  return thrust::reduce(begin, end, total, ::std::plus<>());
}
template <class Place>
GPO_WORD_FN constexpr gpo_value<Place> reduce(Place begin, Place end) {
  return thrust::reduce(begin, end, gpo_value<Place>(0));
}
template <class Place, class Function, class T, class Combine>
GPO_WORD_FN constexpr T transform_reduce(Place begin, Place end, Function function, T total, Combine combine) {
  for (; begin != end; ++begin) total = combine(total, function(*begin));
  return total;
}
template <class A, class B, class T, class Combine, class Multiply>
GPO_WORD_FN constexpr T inner_product(A begin, A end, B other, T total, Combine combine, Multiply multiply) {
  for (; begin != end; ++begin, ++other) total = combine(total, multiply(*begin, *other));
  return total;
}
template <class A, class B, class T>
GPO_WORD_FN constexpr T inner_product(A begin, A end, B other, T total) {
  return thrust::inner_product(begin, end, other, total, ::std::plus<>(), ::std::multiplies<>());
}
template <class Place, class Predicate>
GPO_WORD_FN constexpr ::std::ptrdiff_t count_if(Place begin, Place end, Predicate predicate) {
  ::std::ptrdiff_t n = 0;
  for (; begin != end; ++begin) n += predicate(*begin) ? 1 : 0;
  return n;
}
template <class Place, class T>
GPO_WORD_FN constexpr ::std::ptrdiff_t count(Place begin, Place end, const T &value) {
  ::std::ptrdiff_t n = 0;
  for (; begin != end; ++begin) n += *begin == value ? 1 : 0;
  return n;
}
// The first of the least, and the first of the greatest.
template <class Place, class Less>
GPO_WORD_FN constexpr Place min_element(Place begin, Place end, Less less) {
  Place found = begin;
  for (; begin != end; ++begin)
    if (less(*begin, *found)) found = begin;
  return found;
}
template <class Place, class Less>
GPO_WORD_FN constexpr Place max_element(Place begin, Place end, Less less) {
  Place found = begin;
  for (; begin != end; ++begin)
    if (less(*found, *begin)) found = begin;
  return found;
}
template <class Place, class Less>
GPO_WORD_FN constexpr ::std::pair<Place, Place> minmax_element(Place begin, Place end, Less less) {
  return {thrust::min_element(begin, end, less), thrust::max_element(begin, end, less)};
}
#define GPO_BY_LESS(name)                                   \
  template <class Place>                                    \
  GPO_WORD_FN constexpr auto name(Place begin, Place end) { \
    return thrust::name(begin, end, ::std::less<>());       \
  }
GPO_BY_LESS(min_element)
GPO_BY_LESS(max_element)
GPO_BY_LESS(minmax_element)
#undef GPO_BY_LESS

// ---- Searches ----

template <class Place, class Predicate>
GPO_WORD_FN constexpr Place find_if(Place begin, Place end, Predicate predicate) {
  while (begin != end && !predicate(*begin)) ++begin;
  return begin;
}
template <class Place, class Predicate>
GPO_WORD_FN constexpr Place find_if_not(Place begin, Place end, Predicate predicate) {
  while (begin != end && predicate(*begin)) ++begin;
  return begin;
}
template <class Place, class T>
GPO_WORD_FN constexpr Place find(Place begin, Place end, const T &value) {
  while (begin != end && !(*begin == value)) ++begin;
  return begin;
}
template <class Place, class Predicate>
GPO_WORD_FN constexpr bool all_of(Place begin, Place end, Predicate predicate) {
  return thrust::find_if_not(begin, end, predicate) == end;
}
template <class Place, class Predicate>
GPO_WORD_FN constexpr bool any_of(Place begin, Place end, Predicate predicate) {
  return thrust::find_if(begin, end, predicate) != end;
}
template <class Place, class Predicate>
GPO_WORD_FN constexpr bool none_of(Place begin, Place end, Predicate predicate) {
  return thrust::find_if(begin, end, predicate) == end;
}
template <class A, class B>
GPO_WORD_FN constexpr bool equal(A begin, A end, B other) {
  for (; begin != end; ++begin, ++other)
    if (!(*begin == *other)) return false;
  return true;
}
template <class Place, class T, class Less>
GPO_WORD_FN constexpr Place lower_bound(Place begin, Place end, const T &value, Less less) {
  for (auto left = end - begin; left > 0;) {
    const auto half = left / 2;
    const bool is_less = less(begin[half], value);
    begin += is_less ? half + 1 : 0;
    left = is_less ? left - half - 1 : half;
  }
  return begin;
}
template <class Place, class T, class Less>
GPO_WORD_FN constexpr Place upper_bound(Place begin, Place end, const T &value, Less less) {
  for (auto left = end - begin; left > 0;) {
    const auto half = left / 2;
    const bool is_greater = less(value, begin[half]);
    begin += is_greater ? 0 : half + 1;
    left = is_greater ? half : left - half - 1;
  }
  return begin;
}
template <class Place, class T>
GPO_WORD_FN constexpr Place lower_bound(Place begin, Place end, const T &value) {
  return thrust::lower_bound(begin, end, value, ::std::less<>());
}
template <class Place, class T>
GPO_WORD_FN constexpr Place upper_bound(Place begin, Place end, const T &value) {
  return thrust::upper_bound(begin, end, value, ::std::less<>());
}
template <class Place, class T>
GPO_WORD_FN constexpr bool binary_search(Place begin, Place end, const T &value) {
  const Place found = thrust::lower_bound(begin, end, value);
  return found != end && !(value < *found);
}

// ---- Scans, which may be in place ----

template <class From, class To, class Combine>
GPO_WORD_FN constexpr To inclusive_scan(From begin, From end, To to, Combine combine) {
  if (begin == end) return to;
  gpo_value<From> total = *begin;
  *to = total;
  for (++begin, ++to; begin != end; ++begin, ++to) *to = total = combine(total, *begin);
  return to;
}
template <class From, class To>
GPO_WORD_FN constexpr To inclusive_scan(From begin, From end, To to) {
  return thrust::inclusive_scan(begin, end, to, ::std::plus<>());
}
template <class From, class To, class T, class Combine>
GPO_WORD_FN constexpr To exclusive_scan(From begin, From end, To to, T total, Combine combine) {
  for (; begin != end; ++begin, ++to) {
    const T before = total;
    total = combine(total, *begin);
    *to = before;
  }
  return to;
}
template <class From, class To, class T>
GPO_WORD_FN constexpr To exclusive_scan(From begin, From end, To to, T first) {
  return thrust::exclusive_scan(begin, end, to, first, ::std::plus<>());
}
template <class From, class To>
GPO_WORD_FN constexpr To exclusive_scan(From begin, From end, To to) {
  return thrust::exclusive_scan(begin, end, to, gpo_value<From>(0));
}
template <class From, class To>
GPO_WORD_FN constexpr To adjacent_difference(From begin, From end, To to) {
  if (begin == end) return to;
  gpo_value<From> last = *begin;
  *to = last;
  for (++begin, ++to; begin != end; ++begin, ++to) {
    const gpo_value<From> own = *begin;
    *to = own - last;
    last = own;
  }
  return to;
}

GPO_WITH_POLICY(for_each)
GPO_WITH_POLICY(for_each_n)
GPO_WITH_POLICY(copy)
GPO_WITH_POLICY(copy_n)
GPO_WITH_POLICY(copy_if)
GPO_WITH_POLICY(fill)
GPO_WITH_POLICY(fill_n)
GPO_WITH_POLICY(generate)
GPO_WITH_POLICY(tabulate)
GPO_WITH_POLICY(sequence)
GPO_WITH_POLICY(transform)
GPO_WITH_POLICY(scatter)
GPO_WITH_POLICY(gather)
GPO_WITH_POLICY(replace)
GPO_WITH_POLICY(replace_if)
GPO_WITH_POLICY(swap_ranges)
GPO_WITH_POLICY(reverse)
GPO_WITH_POLICY(remove_if)
GPO_WITH_POLICY(remove)
GPO_WITH_POLICY(unique)
GPO_WITH_POLICY(reduce)
GPO_WITH_POLICY(transform_reduce)
GPO_WITH_POLICY(inner_product)
GPO_WITH_POLICY(count_if)
GPO_WITH_POLICY(count)
GPO_WITH_POLICY(min_element)
GPO_WITH_POLICY(max_element)
GPO_WITH_POLICY(minmax_element)
GPO_WITH_POLICY(find_if)
GPO_WITH_POLICY(find_if_not)
GPO_WITH_POLICY(find)
GPO_WITH_POLICY(all_of)
GPO_WITH_POLICY(any_of)
GPO_WITH_POLICY(none_of)
GPO_WITH_POLICY(equal)
GPO_WITH_POLICY(lower_bound)
GPO_WITH_POLICY(upper_bound)
GPO_WITH_POLICY(binary_search)
GPO_WITH_POLICY(inclusive_scan)
GPO_WITH_POLICY(exclusive_scan)
GPO_WITH_POLICY(adjacent_difference)

}  // namespace thrust

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_THRUST_ALGORITHMS_H_

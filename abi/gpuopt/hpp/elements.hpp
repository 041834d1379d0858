// abi/gpuopt/hpp/elements.hpp -- part of gpuopt.hpp: which C++ types hold elements that an array can be made of.
#ifndef GPUOPT_HPP_ELEMENTS_HPP
#define GPUOPT_HPP_ELEMENTS_HPP

#include <array>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L && defined(__has_include)
#if __has_include(<span>)
#include <span>
#endif
#if __has_include(<mdspan>)
#include <mdspan>
#endif
#endif

#include "base.hpp"

namespace gpuopt {
inline namespace v1 {
namespace detail {

// A number as an element: what dtype_of knows.
template <class T>
inline constexpr bool is_element = dtype_of_number<std::remove_cv_t<T>>() != default_dtype;

// Rows of elements, one behind the other in memory of their own: vector, std::array, std::span. `depth` is the number
// of dimensions, 0 for what is none of these.
template <class C>
struct rows {
  static constexpr int depth = 0;
};
template <class T, bool element = is_element<T>>
struct row_of {
  static constexpr int depth = rows<T>::depth > 0 ? rows<T>::depth + 1 : 0;
  using element_type = typename rows<std::conditional_t<(depth > 0), T, std::vector<bool>>>::element_type;
};
template <class T>
struct row_of<T, true> {
  static constexpr int depth = 1;
  using element_type = std::remove_cv_t<T>;
};
template <>
struct rows<std::vector<bool>> {  // which has bits
  static constexpr int depth = 1;
  using element_type = bool;
};
template <class T>
struct rows<std::vector<T>> : row_of<T> {};
template <class T, size_t N>
struct rows<std::array<T, N>> : row_of<T> {};
#if defined(__cpp_lib_span)
template <class T, size_t N>
struct rows<std::span<T, N>> : row_of<T> {};
#endif

// std::mdspan, and what has its members: a strided view of elements in the host's memory.
template <class M, class = void>
struct is_mdspan_like : std::false_type {};
template <class M>
struct is_mdspan_like<
    M, std::void_t<typename M::element_type, decltype(std::declval<const M &>().extent(M::rank())),
                   decltype(std::declval<const M &>().stride(0)),
                   std::enable_if_t<std::is_convertible_v<decltype(std::declval<const M &>().data_handle()),
                                                          const typename M::element_type *>>>>
    : std::bool_constant<is_element<typename M::element_type>> {};

template <class C>
using if_elements = std::enable_if_t<(rows<C>::depth > 0) || is_mdspan_like<C>::value, int>;

}  // namespace detail
}  // namespace v1
}  // namespace gpuopt
#endif

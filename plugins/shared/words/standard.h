// plugins/shared/words/standard.h -- namespace std for kernels, and cuda::std, which is the same: what the C++ library
// that comes with CUDA has on devices of <limits>, <type_traits>, <utility>, <algorithm>, <array>, <tuple>, <complex>
//
// The functions of <cmath> get into std by functions_used.h. <atomic> is atomic.h.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_STANDARD_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_STANDARD_H_

#include "plugins/shared/user/types.h"
#include "plugins/shared/words/constants.h"
#include "plugins/shared/words/words.h"

namespace std {

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char *>(nullptr) - static_cast<char *>(nullptr));
using nullptr_t = decltype(nullptr);
using gpo::user::int16_t;
using gpo::user::int32_t;
using gpo::user::int64_t;
using gpo::user::int8_t;
using gpo::user::intptr_t;
using gpo::user::uint16_t;
using gpo::user::uint32_t;
using gpo::user::uint64_t;
using gpo::user::uint8_t;
using gpo::user::uintptr_t;

// <cstdio> and <cstdlib>, where the compiler or plugins/jit/text/host_calls.h has them.
#if defined(GPO_ASSERT) || (defined(__CUDACC_RTC__) && !defined(GPO_WORDS_AS_TEXT))
using ::free;
using ::malloc;
using ::printf;
#endif

// ---- <type_traits> ----

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  GPO_WORD_FN constexpr operator T() const { return v; }
  GPO_WORD_FN constexpr T operator()() const { return v; }
};
template <bool v>
using bool_constant = integral_constant<bool, v>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class...>
using void_t = void;
template <bool condition, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};

// A trait whose value is that of an expression, and one that turns a type into another.
#define GPO_TRAIT(name, ...)                   \
  template <class T>                           \
  struct name : bool_constant<__VA_ARGS__> {}; \
  template <class T>                           \
  inline constexpr bool name##_v = name<T>::value;
#define GPO_CHANGED(name, from, ...) \
  template <class T>                 \
  struct name<from> {                \
    using type = __VA_ARGS__;        \
  };
#define GPO_CHANGE(name) \
  template <class T>     \
  struct name {          \
    using type = T;      \
  };                     \
  template <class T>     \
  using name##_t = typename name<T>::type;

GPO_CHANGE(remove_const)
GPO_CHANGED(remove_const, const T, T)
GPO_CHANGE(remove_volatile)
GPO_CHANGED(remove_volatile, volatile T, T)
GPO_CHANGE(remove_cv)
GPO_CHANGED(remove_cv, const T, T)
GPO_CHANGED(remove_cv, volatile T, T)
GPO_CHANGED(remove_cv, const volatile T, T)
GPO_CHANGE(remove_reference)
GPO_CHANGED(remove_reference, T &, T)
GPO_CHANGED(remove_reference, T &&, T)
GPO_CHANGE(remove_pointer)
GPO_CHANGED(remove_pointer, T *, T)
GPO_CHANGED(remove_pointer, T *const, T)
GPO_CHANGE(remove_extent)
GPO_CHANGED(remove_extent, T[], T)
template <class T, size_t n>
struct remove_extent<T[n]> {
  using type = T;
};
template <class T>
struct remove_cvref {
  using type = remove_cv_t<remove_reference_t<T>>;
};
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <class T>
struct add_const {
  using type = const T;
};
template <class T>
using add_const_t = typename add_const<T>::type;
template <class T>
struct add_pointer {
  using type = remove_reference_t<T> *;
};
template <class T>
using add_pointer_t = typename add_pointer<T>::type;
template <bool condition, class A, class B>
using conditional_t = typename conditional<condition, A, B>::type;
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;
template <class T>
T &&declval() noexcept;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class A, class B>
struct is_same : bool_constant<is_same_v<A, B>> {};
template <class T, class... Others>
inline constexpr bool gpo_is_any = (is_same_v<remove_cv_t<T>, Others> || ...);

template <class T>
inline constexpr bool gpo_is_const = false;
template <class T>
inline constexpr bool gpo_is_const<const T> = true;
template <class T>
inline constexpr bool gpo_is_pointer = false;
template <class T>
inline constexpr bool gpo_is_pointer<T *> = true;
template <class T>
inline constexpr bool gpo_is_left = false;
template <class T>
inline constexpr bool gpo_is_left<T &> = true;
template <class T>
inline constexpr bool gpo_is_right = false;
template <class T>
inline constexpr bool gpo_is_right<T &&> = true;
template <class T>
inline constexpr bool gpo_is_array = false;
template <class T>
inline constexpr bool gpo_is_array<T[]> = true;
template <class T, size_t n>
inline constexpr bool gpo_is_array<T[n]> = true;

GPO_TRAIT(is_void, is_same_v<remove_cv_t<T>, void>)
GPO_TRAIT(is_floating_point, gpo_is_any<T, float, double, long double>)
GPO_TRAIT(is_integral, gpo_is_any<T, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short,
                                  unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long>)
GPO_TRAIT(is_arithmetic, is_integral<T>::value || is_floating_point<T>::value)
template <class T, bool = is_arithmetic<T>::value>
inline constexpr bool gpo_is_signed = T(-1) < T(0);
template <class T>
inline constexpr bool gpo_is_signed<T, false> = false;
GPO_TRAIT(is_signed, gpo_is_signed<T>)
GPO_TRAIT(is_unsigned, is_arithmetic<T>::value && !gpo_is_signed<T>)
GPO_TRAIT(is_const, gpo_is_const<T>)
GPO_TRAIT(is_pointer, gpo_is_pointer<remove_cv_t<T>>)
GPO_TRAIT(is_lvalue_reference, gpo_is_left<T>)
GPO_TRAIT(is_rvalue_reference, gpo_is_right<T>)
GPO_TRAIT(is_reference, gpo_is_left<T> || gpo_is_right<T>)
GPO_TRAIT(is_array, gpo_is_array<T>)
GPO_TRAIT(is_enum, __is_enum(T))
GPO_TRAIT(is_class, __is_class(T))
GPO_TRAIT(is_union, __is_union(T))
GPO_TRAIT(is_empty, __is_empty(T))
GPO_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
GPO_TRAIT(is_default_constructible, __is_constructible(T))
GPO_TRAIT(is_copy_constructible, __is_constructible(T, const T &))
GPO_TRAIT(is_trivially_destructible, __has_trivial_destructor(T))
template <class T, class... A>
struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class... A>
inline constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class A, class B>
struct is_assignable : bool_constant<__is_assignable(A, B)> {};
template <class A, class B>
inline constexpr bool is_assignable_v = __is_assignable(A, B);
template <class A, class B>
struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class A, class B>
inline constexpr bool is_base_of_v = is_base_of<A, B>::value;

template <class A, class B>
inline constexpr auto gpo_converts(int) -> decltype(static_cast<void (*)(B)>(nullptr)(declval<A>()), true) {
  return true;
}
template <class A, class B>
inline constexpr bool gpo_converts(long) {  // the worse match of the two for 0
  return false;
}
template <class A, class B>
struct is_convertible : bool_constant<gpo_converts<A, B>(0)> {};
template <class A, class B>
inline constexpr bool is_convertible_v = is_convertible<A, B>::value;

template <class T>
struct decay {
  using U = remove_reference_t<T>;
  using type = conditional_t<gpo_is_array<U>, remove_extent_t<U> *, remove_cv_t<U>>;
};
template <class T>
using decay_t = typename decay<T>::type;
template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T>
inline constexpr size_t alignment_of_v = alignof(T);
// Memory for an object, as `type`.
template <size_t bytes, size_t alignment = bytes < 2   ? 1
                                           : bytes < 4 ? 2
                                           : bytes < 8 ? 4
                                                       : bytes<16 ? 8 : 16> struct aligned_storage {
  struct type {
    alignas(alignment) unsigned char gpo_bytes[bytes];
  };
};
template <size_t bytes, size_t alignment = alignof(typename aligned_storage<bytes>::type)>
using aligned_storage_t = typename aligned_storage<bytes, alignment>::type;
template <class T>
struct underlying_type {
  using type = __underlying_type(T);
};
template <class T>
using underlying_type_t = typename underlying_type<T>::type;
template <class T>
struct make_unsigned {
  using type = gpo::uint_of<T>;
};
template <class T>
struct make_signed {
  using type = gpo::int_of<T>;
};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <class T>
using make_signed_t = typename make_signed<T>::type;
template <class First, class... More>
struct common_type {
  using type = typename common_type<First, typename common_type<More...>::type>::type;
};
template <class A>
struct common_type<A> {
  using type = decay_t<A>;
};
template <class A, class B>
struct common_type<A, B> {
  using type = decay_t<decltype(false ? declval<A>() : declval<B>())>;
};
template <class... T>
using common_type_t = typename common_type<T...>::type;

#undef GPO_CHANGED
#undef GPO_CHANGE
#undef GPO_TRAIT

// ---- <limits> ----

enum float_round_style { round_toward_zero = 0, round_to_nearest = 1 };
template <class T, bool = is_integral<T>::value>
struct gpo_limits {
  static constexpr bool is_specialized = false;
};
template <class T>
struct gpo_limits<T, true> {
  static constexpr bool is_specialized = true, is_integer = true, is_exact = true, has_infinity = false,
                        has_quiet_NaN = false, is_bounded = true, is_iec559 = false, is_signed = std::is_signed_v<T>,
                        is_modulo = !is_signed;
  static constexpr int digits = is_same_v<T, bool> ? 1 : int(8 * sizeof(T)) - is_signed, digits10 = digits * 643 / 2136,
                       radix = 2;
  static constexpr float_round_style round_style = round_toward_zero;
  GPO_WORD_FN static constexpr T min() noexcept { return is_signed ? T(1ull << digits) : T(0); }
  GPO_WORD_FN static constexpr T lowest() noexcept { return min(); }
  GPO_WORD_FN static constexpr T max() noexcept { return T(~0ull >> (64 - digits)); }
  GPO_WORD_FN static constexpr T epsilon() noexcept { return T(0); }
  GPO_WORD_FN static constexpr T round_error() noexcept { return T(0); }
  GPO_WORD_FN static constexpr T infinity() noexcept { return T(0); }
  GPO_WORD_FN static constexpr T quiet_NaN() noexcept { return T(0); }
  GPO_WORD_FN static constexpr T denorm_min() noexcept { return T(0); }
};
#define GPO_LIMITS(type, prefix, inf_value, nan_value)                                                           \
  template <>                                                                                                    \
  struct gpo_limits<type, false> {                                                                               \
    static constexpr bool is_specialized = true, is_integer = false, is_exact = false, has_infinity = true,      \
                          has_quiet_NaN = true, is_bounded = true, is_iec559 = true, is_signed = true,           \
                          is_modulo = false;                                                                     \
    static constexpr int digits = gpo::user::prefix##_MANT_DIG, digits10 = gpo::user::prefix##_DIG,              \
                         max_digits10 = gpo::user::prefix##_DECIMAL_DIG, radix = 2,                              \
                         min_exponent = gpo::user::prefix##_MIN_EXP, max_exponent = gpo::user::prefix##_MAX_EXP; \
    static constexpr float_round_style round_style = round_to_nearest;                                           \
    GPO_WORD_FN static constexpr type min() noexcept { return gpo::user::prefix##_MIN; }                         \
    GPO_WORD_FN static constexpr type lowest() noexcept { return -gpo::user::prefix##_MAX; }                     \
    GPO_WORD_FN static constexpr type max() noexcept { return gpo::user::prefix##_MAX; }                         \
    GPO_WORD_FN static constexpr type epsilon() noexcept { return gpo::user::prefix##_EPSILON; }                 \
    GPO_WORD_FN static constexpr type round_error() noexcept { return type(0.5); }                               \
    GPO_WORD_FN static constexpr type infinity() noexcept { return inf_value; }                                  \
    GPO_WORD_FN static constexpr type quiet_NaN() noexcept { return nan_value; }                                 \
    GPO_WORD_FN static constexpr type denorm_min() noexcept { return gpo::user::prefix##_TRUE_MIN; }             \
  };
GPO_LIMITS(float, FLT, gpo::user::INFINITY, GPO_FLOAT_OF(0x7fc00000))
GPO_LIMITS(double, DBL, gpo::user::HUGE_VAL, GPO_DOUBLE_OF(0x7ff8000000000000))
#undef GPO_LIMITS
template <class T>
struct numeric_limits : gpo_limits<remove_cv_t<T>> {};

// ---- <utility> ----

#if defined(GPO_WORDS_ARE_TEXT)
template <class T>
GPO_WORD_FN constexpr remove_reference_t<T> &&move(T &&x) noexcept {
  return static_cast<remove_reference_t<T> &&>(x);
}
template <class T>
GPO_WORD_FN constexpr T &&forward(remove_reference_t<T> &x) noexcept {
  return static_cast<T &&>(x);
}
template <class T>
GPO_WORD_FN constexpr T &&forward(remove_reference_t<T> &&x) noexcept {
  return static_cast<T &&>(x);
}
template <class T>
class initializer_list {  // compilers know this layout
  const T *first_;
  size_t size_;
  constexpr initializer_list(const T *first, size_t size) : first_(first), size_(size) {}

 public:
  constexpr initializer_list() : first_(nullptr), size_(0) {}
  constexpr size_t size() const noexcept { return size_; }
  constexpr const T *begin() const noexcept { return first_; }
  constexpr const T *end() const noexcept { return first_ + size_; }
};
#endif
template <class T>
GPO_WORD_FN constexpr void swap(T &a, T &b) {
  T kept = static_cast<T &&>(a);
  a = static_cast<T &&>(b);
  b = static_cast<T &&>(kept);
}
template <class T, class U = T>
GPO_WORD_FN constexpr T exchange(T &x, U &&value) {
  T kept = static_cast<T &&>(x);
  x = static_cast<U &&>(value);
  return kept;
}
template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
  pair() = default;
  GPO_WORD_FN constexpr pair(const A &a, const B &b) : first(a), second(b) {}
  GPO_WORD_FN friend constexpr bool operator==(const pair &x, const pair &y) {
    return x.first == y.first && x.second == y.second;
  }
  GPO_WORD_FN friend constexpr bool operator!=(const pair &x, const pair &y) { return !(x == y); }
  GPO_WORD_FN friend constexpr bool operator<(const pair &x, const pair &y) {
    return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
  }
};
template <class A, class B>
pair(A, B) -> pair<A, B>;
template <class A, class B>
GPO_WORD_FN constexpr pair<decay_t<A>, decay_t<B>> make_pair(A &&a, B &&b) {
  return {static_cast<A &&>(a), static_cast<B &&>(b)};
}
template <class T, T... values>
struct integer_sequence {
  static constexpr size_t size() noexcept { return sizeof...(values); }
};
template <size_t... values>
using index_sequence = integer_sequence<size_t, values...>;
template <size_t n, size_t... values>
struct gpo_make_indices : gpo_make_indices<n - 1, n - 1, values...> {};
template <size_t... values>
struct gpo_make_indices<0, values...> {
  using type = index_sequence<values...>;
};
template <size_t n>
using make_index_sequence = typename gpo_make_indices<n>::type;

// ---- <algorithm> ----

template <class T>
GPO_WORD_FN constexpr const T &min(const T &a, const T &b) {
  return b < a ? b : a;
}
template <class T>
GPO_WORD_FN constexpr const T &max(const T &a, const T &b) {
  return a < b ? b : a;
}
template <class T, class Less>
GPO_WORD_FN constexpr const T &min(const T &a, const T &b, Less less) {
  return less(b, a) ? b : a;
}
template <class T, class Less>
GPO_WORD_FN constexpr const T &max(const T &a, const T &b, Less less) {
  return less(a, b) ? b : a;
}
template <class T>
GPO_WORD_FN constexpr const T &clamp(const T &x, const T &low, const T &high) {
  return x < low ? low : high < x ? high : x;
}
template <class Place, class T>
GPO_WORD_FN constexpr void fill(Place begin, Place end, const T &value) {
  for (; begin != end; ++begin) *begin = value;
}
template <class From, class To>
GPO_WORD_FN constexpr To copy(From begin, From end, To to) {
  for (; begin != end; ++begin, ++to) *to = *begin;
  return to;
}
// The first place whose value is not less than `value`, or greater than it, of values in ascending order.
template <class Place, class T>
GPO_WORD_FN constexpr Place lower_bound(Place begin, Place end, const T &value) {
  for (auto left = end - begin; left > 0;) {
    const auto half = left / 2;
    const bool is_less = begin[half] < value;
    begin += is_less ? half + 1 : 0;
    left = is_less ? left - half - 1 : half;
  }
  return begin;
}
template <class Place, class T>
GPO_WORD_FN constexpr Place upper_bound(Place begin, Place end, const T &value) {
  for (auto left = end - begin; left > 0;) {
    const auto half = left / 2;
    const bool is_greater = value < begin[half];
    begin += is_greater ? 0 : half + 1;
    left = is_greater ? half : left - half - 1;
  }
  return begin;
}

// ---- <functional> ----

#define GPO_FUNCTION_OBJECT(name, expression)                                                  \
  template <class T = void>                                                                    \
  struct name {                                                                                \
    GPO_WORD_FN constexpr auto operator()(const T &a, const T &b) const { return expression; } \
  };                                                                                           \
  template <>                                                                                  \
  struct name<void> {                                                                          \
    template <class A, class B>                                                                \
    GPO_WORD_FN constexpr auto operator()(const A &a, const B &b) const {                      \
      return expression;                                                                       \
    }                                                                                          \
  };
GPO_FUNCTION_OBJECT(plus, a + b)
GPO_FUNCTION_OBJECT(minus, a - b)
GPO_FUNCTION_OBJECT(multiplies, a *b)
GPO_FUNCTION_OBJECT(less, a < b)
GPO_FUNCTION_OBJECT(greater, a > b)
GPO_FUNCTION_OBJECT(equal_to, a == b)
#undef GPO_FUNCTION_OBJECT

// ---- <array> ----

template <class T, size_t n>
struct array {
  using value_type = T;
  using size_type = size_t;
  using iterator = T *;
  using const_iterator = const T *;
  T gpo_elements[n ? n : 1];
  GPO_WORD_FN constexpr T &operator[](size_t k) { return gpo_elements[k]; }
  GPO_WORD_FN constexpr const T &operator[](size_t k) const { return gpo_elements[k]; }
  GPO_WORD_FN constexpr T &front() { return gpo_elements[0]; }
  GPO_WORD_FN constexpr T &back() { return gpo_elements[n - 1]; }
  GPO_WORD_FN constexpr const T &front() const { return gpo_elements[0]; }
  GPO_WORD_FN constexpr const T &back() const { return gpo_elements[n - 1]; }
  GPO_WORD_FN constexpr T *data() { return gpo_elements; }
  GPO_WORD_FN constexpr const T *data() const { return gpo_elements; }
  GPO_WORD_FN constexpr T *begin() { return gpo_elements; }
  GPO_WORD_FN constexpr const T *begin() const { return gpo_elements; }
  GPO_WORD_FN constexpr T *end() { return gpo_elements + n; }
  GPO_WORD_FN constexpr const T *end() const { return gpo_elements + n; }
  GPO_WORD_FN constexpr size_t size() const { return n; }
  GPO_WORD_FN constexpr bool empty() const { return n == 0; }
  GPO_WORD_FN constexpr void fill(const T &value) {
    for (T &x : *this) x = value;
  }
};
template <class T, class... More>
array(T, More...) -> array<T, 1 + sizeof...(More)>;

// ---- <tuple> ----

// Element number k of a tuple is a base class of its own.
template <size_t k, class T>
struct gpo_element {
  T value;
};
// Of a reference: a copy refers to the same, and an assignment assigns to what it refers to.
template <size_t k, class T>
struct gpo_element<k, T &> {
  T &value;
  gpo_element(const gpo_element &) = default;
  GPO_WORD_FN constexpr gpo_element(T &to) : value(to) {}
  GPO_WORD_FN constexpr gpo_element &operator=(const gpo_element &other) {
    value = other.value;
    return *this;
  }
};
template <class Indices, class... T>
struct gpo_elements;
template <size_t... k, class... T>
struct gpo_elements<index_sequence<k...>, T...> : gpo_element<k, T>... {
  gpo_elements() = default;
  GPO_WORD_FN constexpr gpo_elements(const T &...values) : gpo_element<k, T>{values}... {}
};
template <>
struct gpo_elements<index_sequence<>> {};
template <class... T>
struct tuple : gpo_elements<make_index_sequence<sizeof...(T)>, T...> {
  using Base = gpo_elements<make_index_sequence<sizeof...(T)>, T...>;
  tuple() = default;
  tuple(const tuple &) = default;
  GPO_WORD_FN constexpr tuple(const T &...values) : Base(values...) {}
  template <class... U, class = enable_if_t<sizeof...(U) == sizeof...(T) && !is_same_v<tuple, tuple<U...>>>>
  GPO_WORD_FN constexpr tuple(const tuple<U...> &other) : tuple(other, make_index_sequence<sizeof...(T)>()) {}
  tuple &operator=(const tuple &) = default;
  // A tuple of references assigns to what they refer to.
  template <class... U>
  GPO_WORD_FN constexpr tuple &operator=(const tuple<U...> &other) {
    return assign(other, make_index_sequence<sizeof...(T)>());
  }
  template <class A, class B>
  GPO_WORD_FN constexpr tuple &operator=(const pair<A, B> &other) {
    static_assert(sizeof...(T) == 2, "a pair has two elements");
    return assign(other, index_sequence<0, 1>());
  }

 private:
  template <class... U, size_t... k>
  GPO_WORD_FN constexpr tuple(const tuple<U...> &other, index_sequence<k...>);
  template <class Other, size_t... k>
  GPO_WORD_FN constexpr tuple &assign(const Other &other, index_sequence<k...>);
};
template <class... T>
tuple(T...) -> tuple<T...>;
template <size_t k, class T>
GPO_WORD_FN constexpr T &gpo_get(gpo_element<k, T> &x) {
  return x.value;
}
template <size_t k, class T>
GPO_WORD_FN constexpr const T &gpo_get(const gpo_element<k, T> &x) {
  return x.value;
}
template <size_t k, class... T>
GPO_WORD_FN constexpr auto &get(tuple<T...> &x) {
  return gpo_get<k>(x);
}
template <size_t k, class... T>
GPO_WORD_FN constexpr const auto &get(const tuple<T...> &x) {
  return gpo_get<k>(x);
}
template <size_t k, class T, size_t n>
GPO_WORD_FN constexpr T &get(array<T, n> &x) {
  return x[k];
}
template <size_t k, class T, size_t n>
GPO_WORD_FN constexpr const T &get(const array<T, n> &x) {
  return x[k];
}
template <size_t k, class A, class B>
GPO_WORD_FN constexpr auto &get(pair<A, B> &x) {
  if constexpr (k == 0) {
    return x.first;
  } else {
    return x.second;
  }
}
template <size_t k, class A, class B>
GPO_WORD_FN constexpr const auto &get(const pair<A, B> &x) {
  if constexpr (k == 0) {
    return x.first;
  } else {
    return x.second;
  }
}
template <size_t k, class... T>
GPO_WORD_FN constexpr auto &&get(tuple<T...> &&x) {
  return static_cast<decltype(gpo_get<k>(x)) &&>(gpo_get<k>(x));
}
template <size_t k, class T, size_t n>
GPO_WORD_FN constexpr T &&get(array<T, n> &&x) {
  return static_cast<T &&>(x[k]);
}
template <size_t k, class A, class B>
GPO_WORD_FN constexpr conditional_t<k == 0, A, B> &&get(pair<A, B> &&x) {
  return static_cast<conditional_t<k == 0, A, B> &&>(get<k>(x));
}
template <class... T>
template <class... U, size_t... k>
GPO_WORD_FN constexpr tuple<T...>::tuple(const tuple<U...> &other, index_sequence<k...>) : Base(T(get<k>(other))...) {}
template <class... T>
template <class Other, size_t... k>
GPO_WORD_FN constexpr tuple<T...> &tuple<T...>::assign(const Other &other, index_sequence<k...>) {
  ((get<k>(*this) = get<k>(other)), ...);
  return *this;
}
template <class... T>
GPO_WORD_FN constexpr tuple<decay_t<T>...> make_tuple(T &&...values) {
  return tuple<decay_t<T>...>(static_cast<T &&>(values)...);
}
template <class... T>
GPO_WORD_FN constexpr tuple<T &...> tie(T &...values) {
  return tuple<T &...>(values...);
}
// What structured bindings ask for.
template <class T>
struct tuple_size;
template <size_t k, class T>
struct tuple_element;
template <class... T>
struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T, size_t n>
struct tuple_size<array<T, n>> : integral_constant<size_t, n> {};
template <class A, class B>
struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <size_t k, class First, class... More>
struct tuple_element<k, tuple<First, More...>> : tuple_element<k - 1, tuple<More...>> {};
template <class First, class... More>
struct tuple_element<0, tuple<First, More...>> {
  using type = First;
};
template <size_t k, class T, size_t n>
struct tuple_element<k, array<T, n>> {
  using type = T;
};
template <size_t k, class A, class B>
struct tuple_element<k, pair<A, B>> {
  using type = conditional_t<k == 0, A, B>;
};
template <class T>
inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t k, class T>
using tuple_element_t = typename tuple_element<k, T>::type;

// ---- <complex> ----

using gpo::user::complex;
// The square of the absolute value.
template <class T>
GPO_WORD_FN T norm(const complex<T> &z) {
  return z.re * z.re + z.im * z.im;
}

}  // namespace std

namespace cuda {
namespace std = ::std;
}

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_STANDARD_H_

// plugins/shared/sort_key.h -- unsigned integers that have the order in which elements are sorted
//
// Real numbers are in their order, complex ones by their real and then by their imaginary part. Zeros of either sign
// are equal, and so are all NaNs. NaN is last in both directions. Complex numbers with a NaN are last, too: first those
// whose imaginary part alone is NaN, by their real part; then those whose real part alone is, by their imaginary part;
// then those of two NaNs. Equal elements keep their order, so that a sorted array has the same bits whoever sorts it.
#ifndef GPUOPT_PLUGINS_SHARED_SORT_KEY_H_
#define GPUOPT_PLUGINS_SHARED_SORT_KEY_H_

#include "plugins/shared/prelude.h"

namespace gpo {

// The key of a complex128.
struct key128 {
  u64 high, low;
};
GPO_FN bool operator<(key128 a, key128 b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

// The type of an element's key. The elements of a bool array are taken as u8.
template <class T>
using sort_key_of = conditional<is_same<T, c128>, key128, conditional<is_same<T, c64>, u64, uint_of<T>>>;

// The key of every NaN, behind those of all other elements; and the bit of the sign.
template <class U>
inline constexpr U nan_key = U(~U(0));
template <class U>
inline constexpr U sign_bit = U(U(1) << (8 * sizeof(U) - 1));

template <class T>
inline constexpr bool has_nan = is_float<T> || is_half<T> || is_complex<T>;
template <class T>
inline constexpr uint_of<T> infinity_bits = 0;
template <>
inline constexpr u16 infinity_bits<float16> = 0x7C00;
template <>
inline constexpr u16 infinity_bits<bfloat16> = 0x7F80;
template <>
inline constexpr u32 infinity_bits<float> = 0x7F800000u;
template <>
inline constexpr u64 infinity_bits<double> = 0x7FF0000000000000u;

template <class T>
GPO_FN uint_of<T> element_bits(T x) {
  if constexpr (is_half<T>) {
    return x.bits;
  } else if constexpr (is_float<T>) {
    return to_bits(x);
  } else {
    return uint_of<T>(x);
  }
}

template <class T>
GPO_FN T element_of_bits(uint_of<T> bits) {
  if constexpr (is_half<T>) {
    return T{bits};
  } else if constexpr (is_float<T>) {
    return from_bits(bits);
  } else {
    return T(bits);
  }
}

// The key of a number that is not complex.
template <class T, bool descending>
GPO_FN uint_of<T> real_sort_key(T x) {
  using U = uint_of<T>;
  const U bits = element_bits(x);
  if constexpr (!has_nan<T>) {
    const U key = is_signed_int<T> ? U(bits ^ sign_bit<U>) : bits;
    return descending ? U(~key) : key;
  } else {
    const U canonical = bits == sign_bit<U> ? U(0) : bits;
    const U key = canonical & sign_bit<U> ? U(~canonical) : U(canonical | sign_bit<U>);
    const bool is_nan = U(bits & U(~sign_bit<U>)) > infinity_bits<T>;
    return is_nan ? nan_key<U> : descending ? U(~key) : key;
  }
}

// The element that has this key: of the zeros +0, of the NaNs any.
template <class T, bool descending>
GPO_FN T element_of_key(uint_of<T> key) {
  using U = uint_of<T>;
  const U ascending = descending ? U(~key) : key;
  if constexpr (is_unsigned_int<T>) {
    return ascending;
  } else if constexpr (!has_nan<T>) {
    return element_of_bits<T>(U(ascending ^ sign_bit<U>));
  } else {
    return element_of_bits<T>(ascending & sign_bit<U> ? U(ascending ^ sign_bit<U>) : U(~ascending));
  }
}

// The two halves of the key of a complex number. Keys just below a NaN's belong to no number.
template <class U>
struct key_halves {
  U high, low;
};
template <class R, bool descending>
GPO_FN key_halves<uint_of<R>> complex_key_halves(cplx<R> x) {
  using U = uint_of<R>;
  const U re = real_sort_key<R, descending>(x.re), im = real_sort_key<R, descending>(x.im);
  const bool re_nan = re == nan_key<U>, im_nan = im == nan_key<U>;
  if (re_nan) return {im_nan ? nan_key<U> : U(nan_key<U> - 1), im_nan ? U(0) : im};
  return {im_nan ? U(nan_key<U> - 2) : re, im_nan ? re : im};
}

template <class T, bool descending>
GPO_FN sort_key_of<T> sort_key(T x) {
  if constexpr (is_same<T, c64>) {
    const key_halves<u32> halves = complex_key_halves<float, descending>(x);
    return u64(halves.high) << 32 | halves.low;
  } else if constexpr (is_same<T, c128>) {
    const key_halves<u64> halves = complex_key_halves<double, descending>(x);
    return {halves.high, halves.low};
  } else {
    return real_sort_key<T, descending>(x);
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_SORT_KEY_H_

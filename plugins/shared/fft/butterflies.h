// plugins/shared/fft/butterflies.h -- small transforms of 2 to 31 elements: what a stage of factors.h sums up
//
// V is the type that is computed with, a number or a vector of independent numbers, and T the type of one number. No
// product is fused with a sum.
#ifndef GPUOPT_PLUGINS_SHARED_FFT_BUTTERFLIES_H_
#define GPUOPT_PLUGINS_SHARED_FFT_BUTTERFLIES_H_

#include "plugins/shared/fft/factors.h"

namespace gpo {
namespace fft {

template <class V>
GPO_FN cplx<V> add(const cplx<V> &a, const cplx<V> &b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
GPO_FN cplx<V> subtract(const cplx<V> &a, const cplx<V> &b) {
  return {a.re - b.re, a.im - b.im};
}
// a + b sqrt(-1) and a - b sqrt(-1).
template <class V>
GPO_FN cplx<V> add_turned(const cplx<V> &a, const cplx<V> &b) {
  return {a.re - b.im, a.im + b.re};
}
template <class V>
GPO_FN cplx<V> subtract_turned(const cplx<V> &a, const cplx<V> &b) {
  return {a.re + b.im, a.im - b.re};
}
// a w; W is V, or T where all numbers of a vector have the same factor.
template <class V, class W>
GPO_FN cplx<V> multiply(const cplx<V> &a, const cplx<W> &w) {
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}

template <class V>
GPO_FN void butterfly2(const cplx<V> *x, cplx<V> *y) {
  const cplx<V> a = x[0], b = x[1];
  y[0] = add(a, b);
  y[1] = subtract(a, b);
}

template <class V>
GPO_FN void butterfly4(const cplx<V> &x0, const cplx<V> &x1, const cplx<V> &x2, const cplx<V> &x3, cplx<V> *y) {
  const cplx<V> a = add(x0, x2), b = subtract(x0, x2), c = add(x1, x3), d = subtract(x1, x3);
  y[0] = add(a, c);
  y[1] = subtract_turned(b, d);
  y[2] = subtract(a, c);
  y[3] = add_turned(b, d);
}

// Two transforms of 4, of the even and the odd elements.
template <class T, class V>
GPO_FN void butterfly8(const cplx<V> *x, cplx<V> *y) {
  constexpr T half_root = T(0.70710678118654752440);
  cplx<V> e[4], o[4];
  butterfly4(x[0], x[2], x[4], x[6], e);
  butterfly4(x[1], x[3], x[5], x[7], o);
  const cplx<V> o1 = {(o[1].re + o[1].im) * half_root, (o[1].im - o[1].re) * half_root};
  const cplx<V> o3 = {(o[3].im - o[3].re) * half_root, (o[3].re + o[3].im) * half_root};  // the latter negated
  y[0] = add(e[0], o[0]);
  y[4] = subtract(e[0], o[0]);
  y[1] = add(e[1], o1);
  y[5] = subtract(e[1], o1);
  y[2] = subtract_turned(e[2], o[2]);
  y[6] = add_turned(e[2], o[2]);
  y[3] = {e[3].re + o3.re, e[3].im - o3.im};
  y[7] = {e[3].re - o3.re, e[3].im + o3.im};
}

// The cosines and sines of 2 pi j / radix for 1 <= j <= (radix - 1) / 2, each rounded once from what roots.h gives, at
// index j.
template <class T>
struct OddRoots {
  T cosine[largest_radix / 2 + 1], sine[largest_radix / 2 + 1];
};

// An odd radix. The pairs x[j] and x[radix - j] have equal cosines and opposite sines; the sums are added in order of
// j. Element `radix` of x and y is not touched.
template <class T, class V>
GPO_FN void butterfly_odd(int radix, const OddRoots<T> &roots, cplx<V> *x, cplx<V> *y) {
  const int half = radix / 2;
  cplx<V> total = x[0];
  for (int j = 1; j <= half; ++j) {
    const cplx<V> a = x[j], b = x[radix - j];
    x[j] = add(a, b);
    x[radix - j] = subtract(a, b);
    total = add(total, x[j]);
  }
  y[0] = total;
  for (int c = 1; c <= half; ++c) {
    cplx<V> even = x[0], odd = {};
    for (int j = 1; j <= half; ++j) {
      const int i = j * c % radix, at = i <= half ? i : radix - i;
      const T cosine = roots.cosine[at], sine = i <= half ? roots.sine[at] : -roots.sine[at];
      const cplx<V> sum = x[j], difference = x[radix - j];
      even = {even.re + sum.re * cosine, even.im + sum.im * cosine};
      odd = j == 1 ? cplx<V>{difference.re * sine, difference.im * sine}
                   : cplx<V>{odd.re + difference.re * sine, odd.im + difference.im * sine};
    }
    y[c] = subtract_turned(even, odd);
    y[radix - c] = add_turned(even, odd);
  }
}

// The butterfly of any radix. x is used up.
template <class T, class V>
GPO_FN void butterfly(int radix, const OddRoots<T> *roots, cplx<V> *x, cplx<V> *y) {
  switch (radix) {
    case 2:
      return butterfly2(x, y);
    case 4:
      return butterfly4(x[0], x[1], x[2], x[3], y);
    case 8:
      return butterfly8<T>(x, y);
    default:
      return butterfly_odd<T>(radix, *roots, x, y);
  }
}

}  // namespace fft
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_FFT_BUTTERFLIES_H_

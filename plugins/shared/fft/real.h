// plugins/shared/fft/real.h -- transforms of an even number n = 2 h of real numbers, by one of h complex ones
//
// Two neighbouring numbers are the parts of a complex one, z[j] = x[2 j] + x[2 j + 1] sqrt(-1), and Z is the transform
// of z. An odd number of real numbers is transformed as complex ones whose imaginary parts are +0. V and T are those of
// butterflies.h.
#ifndef GPUOPT_PLUGINS_SHARED_FFT_REAL_H_
#define GPUOPT_PLUGINS_SHARED_FFT_REAL_H_

#include "plugins/shared/prelude.h"

namespace gpo {
namespace fft {

// Element k of the transform, 0 < k < h, from a = Z[k], b = Z[h - k] and w = root(k, n); `half_scale` is half of the
// scale.
template <class V, class T>
GPO_FN cplx<V> real_element(const cplx<V> &a, const cplx<V> &b, const cplx<V> &w, T half_scale) {
  const V sum_re = a.re + b.re, sum_im = a.im - b.im, re = a.im + b.im, im = b.re - a.re;
  return {(sum_re + (re * w.re - im * w.im)) * half_scale, (sum_im + (re * w.im + im * w.re)) * half_scale};
}
// Elements 0 and h, from z = Z[0].
template <class T>
GPO_FN cplx<T> real_first(const cplx<T> &z, T scale) {
  return {(z.re + z.im) * scale, T(0)};
}
template <class T>
GPO_FN cplx<T> real_middle(const cplx<T> &z, T scale) {
  return {(z.re - z.im) * scale, T(0)};
}

// The other way round: 2 Z[k], 0 < k < h, from a = X[k], b = X[h - k] and w = root(k, n). The inverse transform of it
// is that of X.
template <class V>
GPO_FN cplx<V> real_packed(const cplx<V> &a, const cplx<V> &b, const cplx<V> &w) {
  const V re = a.re - b.re, im = a.im + b.im;
  const V turned_re = re * w.re + im * w.im, turned_im = im * w.re - re * w.im;  // times the conjugate of w
  return {(a.re + b.re) - turned_im, (a.im - b.im) + turned_re};
}
// 2 Z[0] from the real parts of X[0] and X[h]; their imaginary parts do not count.
template <class T>
GPO_FN cplx<T> real_packed_first(T first, T middle) {
  return {first + middle, first - middle};
}

}  // namespace fft
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_FFT_REAL_H_

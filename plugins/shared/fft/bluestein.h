// plugins/shared/fft/bluestein.h -- transforms whose number of elements n has a large prime factor, as a convolution
//
// L. Bluestein, "A linear filtering approach to the computation of the discrete Fourier transform" (1970). With the
// chirp c(j) = exp(-pi j^2 sqrt(-1) / n) element k of the transform is c(k) times element k of the convolution of
// x[j] c(j) with the conjugate of c. That is computed by transforms of `size` elements: the first of x[j] c(j) and
// zeros behind it, which is multiplied by the spectrum, and the inverse one of that. The spectrum is the transform of
// the conjugate chirp, c(j) at j and at size - j, of which each part is divided by the size.
#ifndef GPUOPT_PLUGINS_SHARED_FFT_BLUESTEIN_H_
#define GPUOPT_PLUGINS_SHARED_FFT_BLUESTEIN_H_

#include "plugins/shared/fft/roots.h"

namespace gpo {
namespace fft {

// The size of the transforms for n: the least of 1, 3, 5, 9, 15 and 25 times a power of two that is at least 2 n - 1.
GPO_FN i64 convolution_size(i64 n) {
  i64 least = 0;
  const int odd[] = {1, 3, 5, 9, 15, 25};
  for (i64 size : odd) {
    while (size < 2 * n - 1) size *= 2;
    if (!least || size < least) least = size;
  }
  return least;
}

// j^2 modulo 2 n, from that of j - 1.
GPO_FN i64 next_square(i64 square, i64 j, i64 n) {
  square += 2 * j - 1;
  return square >= 2 * n ? square - 2 * n : square;
}

// The chirp, where `square` is j^2 modulo 2 n.
template <class T>
GPO_FN cplx<T> chirp(i64 square, i64 n) {
  return root_as<T>(square, 2 * n);
}

}  // namespace fft
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_FFT_BLUESTEIN_H_

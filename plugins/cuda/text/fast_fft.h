// plugins/cuda/text/fast_fft.h -- what comes before and after the functions of cuFFT
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_FAST_FFT_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_FAST_FFT_H_

#include "plugins/cuda/text/walk.h"
#include "plugins/shared/prelude.h"

namespace gpo {

// Clears the imaginary parts of the first and, for lines of an even number of real elements, the last complex number of
// each line, which do not count there, and which cuFFT takes to be zero. Words: 0 the lines, 1 the address of the
// first, whose elements have no gaps, 2 the complex numbers of a line, 3 whether the last counts.
template <class T, int n>
GPO_FN void fast_fft_ends(const Words<n> &p) {
  for_moves(u64(p.w[0]), [&](u64 line) {
    cplx<T> *const x = at_bytes<cplx<T>>(p.w[1], 0) + line * p.w[2];
    x[0].im = T(0);
    if (p.w[3]) x[p.w[2] - 1].im = T(0);
  });
}

// Multiplies real numbers, or the components of complex ones, by a factor. Words: 0 the numbers, 1 their address, 2 the
// factor, a double; then a walk over them.
template <class T, class I, int rank, int n>
GPO_FN void fast_fft_scale(const Words<n> &p) {
  static_assert(n >= 3 + walk_words<rank, 1>);
  const T factor = T(from_bits(p.w[2]));
  for_moves(I(p.w[0]), [&](I position) {
    i64 offsets[1];
    locate<3, rank>(p, position, offsets);
    T &x = *at_bytes<T>(p.w[1], offsets[0]);
    x = x * factor;
  });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_FAST_FFT_H_

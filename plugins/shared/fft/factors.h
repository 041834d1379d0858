// plugins/shared/fft/factors.h -- the order of the stages of a discrete Fourier transform, which with butterflies.h and
// roots.h defines its bits
//
// A transform of n elements, n = r_1 r_2 ... r_s, has a stage for each radix. It is decimation in time, and sorts by
// itself (Stockham's form: Cochran et al., "What is the fast Fourier transform?", 1967). With l = r_1 ... r_(i-1),
// r = r_i and m = n / (l r), stage i makes of l groups of r m elements l r groups of m:
//
//   y[(k + l c) m + q] = sum over j of w(r, j c) (w(l r, j k) x[(k r + j) m + q]),  0 <= k < l, 0 <= c < r, 0 <= q < m
//
// where w(d, i) = exp(-2 pi i sqrt(-1) / d). The first stage (l = 1) does not multiply by w(l r, j k); all others do,
// also where it is 1. The sum over j is the butterfly of the radix. The order in which k and q are taken changes
// nothing, so that a backend cuts the work as it likes.
//
// An inverse transform is the same with the real and imaginary parts exchanged, in what comes in and in what goes out.
// At the end each part is multiplied by the scale.
#ifndef GPUOPT_PLUGINS_SHARED_FFT_FACTORS_H_
#define GPUOPT_PLUGINS_SHARED_FFT_FACTORS_H_

#include "plugins/shared/prelude.h"

namespace gpo {
namespace fft {

inline constexpr int most_stages = 40;  // 3^40 is more than fits into i64
inline constexpr int largest_radix = 31;

// The radices in the order of the stages; none for n = 1.
struct Radices {
  int count;
  int radix[most_stages];
};

// Appends the radix p while it divides `rest`.
GPO_FN void take_out(i64 &rest, int p, Radices &radices) {
  while (rest % p == 0) {
    rest /= p;
    radices.radix[radices.count++] = p;
  }
}

// The radices of 2^e: as few as 8 and 4 allow, the larger ones first; 2 only for e = 1.
GPO_FN void take_powers_of_two(int e, Radices &radices) {
  const int fours = e % 3 == 0 ? 0 : e % 3 == 2 ? 1 : 2, eights = e < 2 ? 0 : (e - 2 * fours) / 3;
  for (int i = 0; i < eights; ++i) radices.radix[radices.count++] = 8;
  for (int i = 0; e > 1 && i < fours; ++i) radices.radix[radices.count++] = 4;
  if (e == 1) radices.radix[radices.count++] = 2;
}

// Sets `radices` to those of n >= 1: odd primes first, the larger ones before the smaller. Returns false if n has a
// prime factor above largest_radix; such a transform is Bluestein's (bluestein.h).
GPO_FN bool factorize(i64 n, Radices &radices) {
  radices.count = 0;
  const int primes[] = {31, 29, 23, 19, 17, 13, 11, 7, 5, 3};
  int e = 0;
  while (n % 2 == 0) n /= 2, ++e;
  for (int p : primes) take_out(n, p, radices);
  take_powers_of_two(e, radices);
  return n == 1;
}

}  // namespace fft
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_FFT_FACTORS_H_

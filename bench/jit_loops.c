// bench/jit_loops.c -- what jit_compare.py times generated code against: loops written by hand, for
// `-O3 -march=native`.
#include <math.h>
#include <stdint.h>

#define LOOP(name, T, expression)                                                                    \
  void loop_##name(const T *restrict xs, const T *restrict ys, T *restrict zs, int64_t n) {          \
    for (int64_t i = 0; i < n; i++) {                                                                \
      const T x = xs[i], y = ys[i];                                                                  \
      zs[i] = (expression);                                                                          \
    }                                                                                                \
  }

LOOP(axpy, float, 2.5f * x + y)
LOOP(polynomial, double, ((((((0.1 * x + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6) * x + 0.7) * x + y)
LOOP(clip, double, x < y ? y : x > 1 ? 1 : x)
LOOP(length, double, sqrt(x * x + y * y))
LOOP(mix, uint32_t, ((x ^ (x >> 15)) * 2246822519u ^ y) * 3266489917u)

// STREAM's triad, on all threads of OpenMP.
void triad(const double *xs, const double *ys, double *zs, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) zs[i] = xs[i] + 3 * ys[i];
}

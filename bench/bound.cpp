// bench/bound.cpp -- the bound: each job as one hand-written OpenMP loop, compiled -O3 -march=native -ffast-math.
//
// What a specialist would write for this machine and this job alone: one pass over memory, math from the C library's
// vector functions, two threads. compare.py times it beside the library and its peers.
#include <dlfcn.h>
#include <immintrin.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

using Doubles = double __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(64)));

template <class T>
void threefold(T *x, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) {
    T v = x[i] * T(5);
    v = v * v;
    x[i] = v + v;
  }
}

template <class T>
void softplus(const T *x, T *y, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) y[i] = std::fmax(x[i], T(0)) + std::log1p(std::exp(-std::fabs(x[i])));
}
// glibc has no vector log1p for every type; log(1 + e) with e in (0, 1] is what the vectoriser can use.
template <class T>
void softplus_fast(const T *x, T *y, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) {
    const T v = x[i];
    y[i] = (v > 0 ? v : T(0)) + std::log(T(1) + std::exp(-(v > 0 ? v : -v)));
  }
}

// STREAM's triad: what memory allows to anything that reads two arrays and writes one.
template <class T>
void triad(const T *x, const T *z, T *y, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] + T(3) * z[i];
}

// Columns in blocks that stay in cache: mean and deviation of the non-missing, then standardize and fill, reading
// memory once. Missing is tested on the bits, since -ffast-math assumes there is no NaN.
template <class T, class U, U Infinity>
void standardize(T *a, int64_t rows, int64_t columns) {
  constexpr int64_t B = 128;
#pragma omp parallel for schedule(dynamic)
  for (int64_t c0 = 0; c0 < columns; c0 += B) {
    const int64_t w = columns - c0 < B ? columns - c0 : B;
    T sum[B] = {}, count[B] = {}, squares[B] = {};
    for (int64_t r = 0; r < rows; ++r) {
      const T *x = a + r * columns + c0;
#pragma omp simd
      for (int64_t j = 0; j < w; ++j) {
        U bits;
        std::memcpy(&bits, x + j, sizeof bits);
        const bool good = (bits & (~U(0) >> 1)) <= Infinity;
        sum[j] += good ? x[j] : T(0);
        count[j] += good ? T(1) : T(0);
      }
    }
    for (int64_t j = 0; j < w; ++j) sum[j] /= count[j];
    for (int64_t r = 0; r < rows; ++r) {
      const T *x = a + r * columns + c0;
#pragma omp simd
      for (int64_t j = 0; j < w; ++j) {
        U bits;
        std::memcpy(&bits, x + j, sizeof bits);
        const bool good = (bits & (~U(0) >> 1)) <= Infinity;
        const T d = good ? x[j] - sum[j] : T(0);
        squares[j] += d * d;
      }
    }
    for (int64_t j = 0; j < w; ++j) {
      squares[j] = std::sqrt(squares[j] / count[j]);
      squares[j] = squares[j] == 0 ? T(0) : 1 / squares[j];
    }
    for (int64_t r = 0; r < rows; ++r) {
      T *x = a + r * columns + c0;
#pragma omp simd
      for (int64_t j = 0; j < w; ++j) {
        U bits;
        std::memcpy(&bits, x + j, sizeof bits);
        const bool good = (bits & (~U(0) >> 1)) <= Infinity;
        x[j] = good ? (x[j] - sum[j]) * squares[j] : T(0);
      }
    }
  }
}

// Eight vectors of running sums, so that no addition waits for the one before.
template <class T>
T sum_run(const T *x, int64_t n) {
  using Vector = std::conditional_t<sizeof(T) == 8, Doubles, Floats>;
  constexpr int64_t lanes = 64 / sizeof(T);
  Vector sums[8] = {};
  int64_t i = 0;
  for (; i + 8 * lanes <= n; i += 8 * lanes) {
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      Vector v;
      std::memcpy(&v, x + i + k * lanes, sizeof v);
      sums[k] += v;
    }
  }
  const Vector all = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  T total = 0;
  for (int64_t k = 0; k < lanes; ++k) total += all[k];
  for (; i < n; ++i) total += x[i];
  return total;
}

template <class T>
double sum_all(const T *x, int64_t n) {
  T total = 0;
#pragma omp parallel reduction(+ : total)
  {
    const int64_t t = omp_get_thread_num(), threads = omp_get_num_threads();
    const int64_t first = n * t / threads;
    total += sum_run(x + first, n * (t + 1) / threads - first);
  }
  return double(total);
}

template <class T>
void sum_rows(const T *x, T *y, int64_t rows, int64_t columns) {  // over axis 1
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) y[r] = sum_run(x + r * columns, columns);
}

template <class T>
void sum_columns(const T *x, T *y, int64_t rows, int64_t columns) {  // over axis 0, four rows at a time
#pragma omp parallel
  {
    const int64_t share = (columns + omp_get_num_threads() - 1) / omp_get_num_threads(),
                  c0 = share * omp_get_thread_num();
    const int64_t c1 = c0 + share < columns ? c0 + share : columns;
    for (int64_t c = c0; c < c1; ++c) y[c] = 0;
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const T *a = x + r * columns, *b = a + columns, *d = b + columns, *e = d + columns;
#pragma omp simd
      for (int64_t c = c0; c < c1; ++c) y[c] += (a[c] + b[c]) + (d[c] + e[c]);
    }
    for (; r < rows; ++r) {
#pragma omp simd
      for (int64_t c = c0; c < c1; ++c) y[c] += x[r * columns + c];
    }
  }
}

#if defined(__AVX512F__)
inline void compress(const double *x, __mmask8 m, double *y) {
  _mm512_mask_compressstoreu_pd(y, m, _mm512_loadu_pd(x));
}
#endif

// Count per share, then each thread compresses its own share to its own place.
template <class T>
int64_t mask_select(const T *x, const uint8_t *mask, T *y, int64_t n) {
  std::vector<int64_t> first(size_t(omp_get_max_threads()) + 1, 0);
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const int64_t share = (n / threads + 63) / 64 * 64, i0 = share * t < n ? share * t : n,
                  i1 = t == threads - 1 ? n : (share * (t + 1) < n ? share * (t + 1) : n);
    int64_t count = 0;
#pragma omp simd reduction(+ : count)
    for (int64_t i = i0; i < i1; ++i) count += mask[i];
    first[size_t(t) + 1] = count;
#pragma omp barrier
#pragma omp single
    for (int k = 0; k < threads; ++k) first[size_t(k) + 1] += first[size_t(k)];
    T *out = y + first[size_t(t)];
    int64_t i = i0;
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
    constexpr int L = 64 / sizeof(T);
    for (; i + L <= i1; i += L) {
      __m128i bytes =
          sizeof(T) == 8 ? _mm_loadl_epi64((const __m128i *)(mask + i)) : _mm_loadu_si128((const __m128i *)(mask + i));
      const __mmask16 m = _mm_test_epi8_mask(bytes, bytes);
      if constexpr (sizeof(T) == 8) {
        _mm512_storeu_pd(out, _mm512_maskz_compress_pd(__mmask8(m), _mm512_loadu_pd(x + i)));
        out += __builtin_popcount(m & 0xff);
      } else {
        _mm512_storeu_ps(out, _mm512_maskz_compress_ps(m, _mm512_loadu_ps(x + i)));
        out += __builtin_popcount(m);
      }
      if (out + L > y + first[size_t(t) + 1]) {
        i += L;
        break;
      }  // no store past this thread's place
    }
#endif
    for (; i < i1; ++i)
      if (mask[i]) *out++ = x[i];
  }
  return first[size_t(omp_get_max_threads())];
}

// Philox4x32-10 (Salmon et al., SC'11) of 8 counters side by side, each word in the lower half of a 64-bit lane.
using Words = uint64_t __attribute__((vector_size(64)));
using Halves = uint32_t __attribute__((vector_size(64)));
constexpr uint64_t kLower = 0xffffffffu;

inline Words multiply(Words a, uint64_t b) {  // of the lower halves
#if defined(__AVX512F__)
  return (Words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, _mm512_set1_epi64(int64_t(b)));
#else
  return (a & kLower) * b;
#endif
}

inline void philox(uint64_t block, Words c[4]) {
  c[0] = block + Words{0, 1, 2, 3, 4, 5, 6, 7};
  c[1] = c[0] >> 32;
  c[2] = c[3] = Words{};
  uint32_t k0 = 1, k1 = 0;
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const Words p0 = multiply(c[0], 0xD2511F53u), p1 = multiply(c[2], 0xCD9E8D57u);
    c[0] = (p1 >> 32) ^ c[1] ^ uint64_t(k0), c[2] = (p0 >> 32) ^ c[3] ^ uint64_t(k1);
    c[1] = p1, c[3] = p0;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
}

// Uniform numbers of 53 or 24 bits from 8 blocks: 16 doubles, 32 floats.
inline void draw(uint64_t block, double *y) {
  Words c[4];
  philox(block, c);
  for (int k = 0; k < 2; ++k) {
    const Words bits = (c[2 * k] << 32 | (c[2 * k + 1] & kLower)) >> 11;
    const Doubles u = __builtin_convertvector(bits, Doubles) * 0x1p-53;
    std::memcpy(y + 8 * k, &u, sizeof u);
  }
}
inline void draw(uint64_t block, float *y) {
  Words c[4];
  philox(block, c);
  using Signed = int32_t __attribute__((vector_size(64)));
  for (int k = 0; k < 2; ++k) {
    const Halves bits = (Halves)(c[2 * k] << 32 | (c[2 * k + 1] & kLower)) >> 8;
    const Floats u = __builtin_convertvector((Signed)bits, Floats) * 0x1p-24f;
    std::memcpy(y + 16 * k, &u, sizeof u);
  }
}

constexpr int64_t kRandomTile = 1024;
template <class T>
constexpr int64_t kPerDraw = sizeof(T) == 8 ? 16 : 32;  // elements

template <class T>
void uniform_tile(int64_t first, T *y) {
  const uint64_t block = uint64_t(first) * sizeof(T) / 16;
  for (int64_t i = 0; i < kRandomTile / kPerDraw<T>; ++i) draw(block + 8 * uint64_t(i), y + i * kPerDraw<T>);
}

// sin and cos of a whole turn times u: the nearest quarter turn is taken off, and series do the rest.
template <class T>
inline void sincos_turn(T u, T &sine, T &cosine) {
  const T quarter = std::rint(4 * u), x = (u - quarter / 4) * T(6.283185307179586), x2 = x * x;
  T s, c;
  if constexpr (sizeof(T) == 8) {
    s = x + x * x2 *
                (-1 / 6.0 +
                 x2 * (1 / 120.0 +
                       x2 * (-1 / 5040.0 +
                             x2 * (1 / 362880.0 +
                                   x2 * (-1 / 39916800.0 + x2 * (1 / 6227020800.0 + x2 * (-1 / 1307674368000.0)))))));
    c = 1 + x2 * (-0.5 + x2 * (1 / 24.0 +
                               x2 * (-1 / 720.0 + x2 * (1 / 40320.0 +
                                                        x2 * (-1 / 3628800.0 + x2 * (1 / 479001600.0 +
                                                                                     x2 * (-1 / 87178291200.0 +
                                                                                           x2 / 20922789888000.0)))))));
  } else {
    s = x + x * x2 * (-1 / 6.0f + x2 * (1 / 120.0f + x2 * (-1 / 5040.0f + x2 / 362880.0f)));
    c = 1 + x2 * (-0.5f + x2 * (1 / 24.0f + x2 * (-1 / 720.0f + x2 / 40320.0f)));
  }
  const int k = int(quarter);
  const T a = k & 1 ? c : s, b = k & 1 ? s : c;
  sine = k & 2 ? -a : a;
  cosine = (k + 1) & 2 ? -b : b;
}

// Box-Muller.
template <class T>
void normal_tile(int64_t first, T *y) {
  T u[kRandomTile];
  uniform_tile(first, u);
#pragma omp simd
  for (int64_t j = 0; j < kRandomTile / 2; ++j) {
    T sine, cosine;
    sincos_turn(u[j + kRandomTile / 2], sine, cosine);
    const T radius = std::sqrt(T(-2) * std::log(T(1) - u[j]));
    y[j] = radius * cosine;
    y[j + kRandomTile / 2] = radius * sine;
  }
}

template <class T, void tile(int64_t, T *)>
void fill_randomly(T *y, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i += kRandomTile) {
    if (n - i >= kRandomTile) {
      tile(i, y + i);
    } else {
      T last[kRandomTile];
      tile(i, last);
      std::memcpy(y + i, last, size_t(n - i) * sizeof(T));
    }
  }
}

}  // namespace

extern "C" {
void bound_set_threads(int n) { omp_set_num_threads(n); }
#define BOUND(T, suffix)                                                                                           \
  void bound_threefold_##suffix(T *x, int64_t n) { threefold(x, n); }                                              \
  void bound_softplus_##suffix(const T *x, T *y, int64_t n) { softplus_fast(x, y, n); }                            \
  void bound_triad_##suffix(const T *x, const T *z, T *y, int64_t n) { triad(x, z, y, n); }                        \
  double bound_sum_##suffix(const T *x, int64_t n) { return sum_all(x, n); }                                       \
  void bound_sum_rows_##suffix(const T *x, T *y, int64_t rows, int64_t columns) { sum_rows(x, y, rows, columns); } \
  void bound_sum_columns_##suffix(const T *x, T *y, int64_t rows, int64_t columns) {                               \
    sum_columns(x, y, rows, columns);                                                                              \
  }                                                                                                                \
  int64_t bound_mask_select_##suffix(const T *x, const uint8_t *m, T *y, int64_t n) {                              \
    return mask_select(x, m, y, n);                                                                                \
  }                                                                                                                \
  void bound_uniform_##suffix(T *y, int64_t n) { fill_randomly<T, uniform_tile<T>>(y, n); }                        \
  void bound_normal_##suffix(T *y, int64_t n) { fill_randomly<T, normal_tile<T>>(y, n); }
BOUND(float, f32)
BOUND(double, f64)
void bound_standardize_f32(float *a, int64_t rows, int64_t columns) {
  standardize<float, uint32_t, 0x7f800000u>(a, rows, columns);
}
void bound_standardize_f64(double *a, int64_t rows, int64_t columns) {
  standardize<double, uint64_t, 0x7ff0000000000000u>(a, rows, columns);
}

// OpenBLAS called directly, as the best a matrix product can be here. Returns 0 if it is not installed.
typedef void (*gemm_f32)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                         int);
typedef void (*gemm_f64)(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                         double *, int);
static void *blas() {
  static void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return library;
}
int bound_blas_threads(int n) {
  if (!blas()) return 0;
  if (auto set = (void (*)(int))dlsym(blas(), "openblas_set_num_threads")) set(n);
  return 1;
}
void bound_matmul_f32(const float *a, const float *b, float *c, int64_t n) {
  static auto gemm = (gemm_f32)dlsym(blas(), "cblas_sgemm");
  gemm(101, 111, 111, int(n), int(n), int(n), 1, a, int(n), b, int(n), 0, c, int(n));
}
void bound_matmul_f64(const double *a, const double *b, double *c, int64_t n) {
  static auto gemm = (gemm_f64)dlsym(blas(), "cblas_dgemm");
  gemm(101, 111, 111, int(n), int(n), int(n), 1, a, int(n), b, int(n), 0, c, int(n));
}
}

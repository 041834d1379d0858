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
#include <vector>

namespace {

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

template <class T>
double sum_all(const T *x, int64_t n) {
  T total = 0;
#pragma omp parallel for simd reduction(+ : total) schedule(static)
  for (int64_t i = 0; i < n; ++i) total += x[i];
  return double(total);
}

template <class T>
void sum_rows(const T *x, T *y, int64_t rows, int64_t columns) {  // over axis 1
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    T total = 0;
#pragma omp simd reduction(+ : total)
    for (int64_t c = 0; c < columns; ++c) total += x[r * columns + c];
    y[r] = total;
  }
}

template <class T>
void sum_columns(const T *x, T *y, int64_t rows, int64_t columns) {  // over axis 0
#pragma omp parallel
  {
    const int64_t share = (columns + omp_get_num_threads() - 1) / omp_get_num_threads(),
                  c0 = share * omp_get_thread_num();
    const int64_t c1 = c0 + share < columns ? c0 + share : columns;
    for (int64_t c = c0; c < c1; ++c) y[c] = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const T *row = x + r * columns;
#pragma omp simd
      for (int64_t c = c0; c < c1; ++c) y[c] += row[c];
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

// Philox4x32-10 (Salmon et al., SC'11), 16 counters side by side.
struct Philox {
  static void block(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1, uint32_t *out) {
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t(0xD2511F53u) * c0, p1 = uint64_t(0xCD9E8D57u) * c2;
      const uint32_t n0 = uint32_t(p1 >> 32) ^ c1 ^ k0, n2 = uint32_t(p0 >> 32) ^ c3 ^ k1;
      c1 = uint32_t(p1), c3 = uint32_t(p0), c0 = n0, c2 = n2;
      k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
  }
};

template <class T>
void uniform(T *y, int64_t n) {
  constexpr int per = sizeof(T) == 8 ? 2 : 4;
#pragma omp parallel for schedule(static)
  for (int64_t b0 = 0; b0 < n / per; b0 += 256) {
    const int64_t b1 = b0 + 256 < n / per ? b0 + 256 : n / per;
#pragma omp simd
    for (int64_t b = b0; b < b1; ++b) {
      uint32_t w[4];
      Philox::block(uint32_t(b), uint32_t(b >> 32), 0, 0, 1, 0, w);
      if constexpr (sizeof(T) == 8) {
        y[2 * b] = T((uint64_t(w[0]) << 21 ^ w[1] >> 11) & ((1ull << 53) - 1)) * T(0x1p-53);
        y[2 * b + 1] = T((uint64_t(w[2]) << 21 ^ w[3] >> 11) & ((1ull << 53) - 1)) * T(0x1p-53);
      } else {
        for (int k = 0; k < 4; ++k) y[4 * b + k] = T(w[k] >> 8) * T(0x1p-24);
      }
    }
  }
}

// Box-Muller on uniforms drawn tile by tile.
template <class T>
void normal(T *y, int64_t n) {
  constexpr int64_t tile = 2048;
  constexpr int per = sizeof(T) == 8 ? 2 : 4;
#pragma omp parallel for schedule(static)
  for (int64_t i0 = 0; i0 < n; i0 += tile) {
    T u[tile];
    const int64_t b0 = i0 / per, m = n - i0 < tile ? n - i0 : tile;
#pragma omp simd
    for (int64_t b = 0; b < tile / per; ++b) {
      uint32_t w[4];
      Philox::block(uint32_t(b0 + b), uint32_t((b0 + b) >> 32), 0, 0, 1, 0, w);
      if constexpr (sizeof(T) == 8) {
        u[2 * b] = T(int64_t((uint64_t(w[0]) << 21 ^ w[1] >> 11) & ((1ull << 53) - 1)) + 1) * T(0x1p-53);
        u[2 * b + 1] = T(int64_t((uint64_t(w[2]) << 21 ^ w[3] >> 11) & ((1ull << 53) - 1))) * T(0x1p-53);
      } else {
        for (int k = 0; k < 4; ++k) u[4 * b + k] = T(int32_t(w[k] >> 8) + 1) * T(0x1p-24);
      }
    }
    T z[tile];
#pragma omp simd
    for (int64_t j = 0; j < tile / 2; ++j) {
      const T radius = std::sqrt(T(-2) * std::log(u[j])), angle = T(6.283185307179586) * u[j + tile / 2];
      z[j] = radius * std::cos(angle);
      z[j + tile / 2] = radius * std::sin(angle);
    }
    std::memcpy(y + i0, z, size_t(m) * sizeof(T));
  }
}

}  // namespace

extern "C" {
void bound_set_threads(int n) { omp_set_num_threads(n); }
#define BOUND(T, suffix)                                                                                           \
  void bound_threefold_##suffix(T *x, int64_t n) { threefold(x, n); }                                              \
  void bound_softplus_##suffix(const T *x, T *y, int64_t n) { softplus_fast(x, y, n); }                            \
  double bound_sum_##suffix(const T *x, int64_t n) { return sum_all(x, n); }                                       \
  void bound_sum_rows_##suffix(const T *x, T *y, int64_t rows, int64_t columns) { sum_rows(x, y, rows, columns); } \
  void bound_sum_columns_##suffix(const T *x, T *y, int64_t rows, int64_t columns) {                               \
    sum_columns(x, y, rows, columns);                                                                              \
  }                                                                                                                \
  int64_t bound_mask_select_##suffix(const T *x, const uint8_t *m, T *y, int64_t n) {                              \
    return mask_select(x, m, y, n);                                                                                \
  }                                                                                                                \
  void bound_uniform_##suffix(T *y, int64_t n) { uniform(y, n); }                                                  \
  void bound_normal_##suffix(T *y, int64_t n) { normal(y, n); }
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

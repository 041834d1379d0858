// plugins/shared/words/curand/curand.h -- the random numbers of curand_kernel.h: XORWOW (curandState), Philox 4x32 with
// 10 rounds, and MRG32k3a, with uniform, normal and log-normal distributions
//
// Algorithms: Marsaglia, "Xorshift RNGs", 2003 (xorwow); Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
// 2011 (Philox); L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number
// Generators", 1999 (MRG32k3a). Seeds, orders of numbers and sizes of states are cuRAND's (cuRAND Library, "Device
// API"), so that integers and uniform numbers are cuRAND's, too. Normal ones are by the same formula of Box and Muller,
// but with this library's functions, as the same bits are to come out on every device.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_CURAND_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_CURAND_H_

#include "plugins/shared/ops/explog.h"
#include "plugins/shared/ops/trig.h"
#include "plugins/shared/words/curand/curand_powers.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/words.h"

#if defined(__CUDACC_RTC__)
#define GPO_CURAND_LONG __device__ __noinline__
#else
#define GPO_CURAND_LONG inline
#endif

// What the second number of a pair of normal ones waits in.
#define GPO_CURAND_KEPT      \
  int boxmuller_flag;        \
  int boxmuller_flag_double; \
  float boxmuller_extra;     \
  double boxmuller_extra_double;

struct curandStateXORWOW {
  unsigned d, v[5];
  GPO_CURAND_KEPT
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;  // the place in output
  GPO_CURAND_KEPT
};
struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  GPO_CURAND_KEPT
};
#undef GPO_CURAND_KEPT
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandStateMRG32k3a_t = curandStateMRG32k3a;

namespace gpo {
namespace curand_words {

using Xorwow = curandStateXORWOW;
using Philox = curandStatePhilox4_32_10;
using Mrg = curandStateMRG32k3a;

template <class State>
GPO_WORD_FN void keep_none(State *state) {
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

// ---- XORWOW ----

GPO_WORD_FN void step(unsigned (&v)[5]) {
  const unsigned t = v[0] ^ v[0] >> 2;
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

// Applies a polynomial in one step: the sum of the states after those numbers of steps whose bit is set.
GPO_CURAND_LONG void apply(const unsigned (&polynomial)[5], unsigned (&v)[5]) {
  unsigned sum[5] = {};
  for (int k = 0; k < 160; k++) {
    if (polynomial[k / 32] >> k % 32 & 1) {
      for (int j = 0; j < 5; j++) sum[j] ^= v[j];
    }
    step(v);
  }
  for (int j = 0; j < 5; j++) v[j] = sum[j];
}
GPO_WORD_FN void apply_power(const unsigned (&powers)[64][5], u64 n, unsigned (&v)[5]) {
  for (int k = 0; n != 0; k++, n >>= 1) {
    if (n & 1) apply(powers[k], v);
  }
}

// ---- Philox ----

GPO_WORD_FN uint4 philox_block(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; round++) {
    const u64 a = u64(0xd2511f53u) * counter.x, b = u64(0xcd9e8d57u) * counter.z;
    counter = make_uint4(unsigned(b >> 32) ^ counter.y ^ key.x, unsigned(b), unsigned(a >> 32) ^ counter.w ^ key.y,
                         unsigned(a));
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}
// Adds to the upper and the lower half of the counter, which has 128 bits.
GPO_WORD_FN void advance(Philox *state, u64 low, u64 high) {
  const u64 old = state->ctr.x | u64(state->ctr.y) << 32, sum = old + low;
  const u64 above = (state->ctr.z | u64(state->ctr.w) << 32) + high + (sum < old ? 1 : 0);
  state->ctr = make_uint4(unsigned(sum), unsigned(sum >> 32), unsigned(above), unsigned(above >> 32));
  state->output = philox_block(state->ctr, state->key);
}
GPO_WORD_FN unsigned word_of(uint4 words, unsigned k) {
  return k == 0 ? words.x : k == 1 ? words.y : k == 2 ? words.z : words.w;
}

// ---- MRG32k3a ----

constexpr u64 mrg_modulus_1 = 4294967087ull, mrg_modulus_2 = 4294944443ull;

GPO_CURAND_LONG void multiply(const unsigned (&a)[3][3], unsigned (&x)[3], u64 modulus) {
  unsigned y[3];
  for (int i = 0; i < 3; i++) {
    u64 sum = 0;
    for (int j = 0; j < 3; j++) sum = (sum + u64(a[i][j]) * x[j] % modulus) % modulus;
    y[i] = unsigned(sum);
  }
  for (int i = 0; i < 3; i++) x[i] = y[i];
}
// x = a^n x.
GPO_CURAND_LONG void multiply_power(const unsigned (&a)[3][3], u64 n, unsigned (&x)[3], u64 modulus) {
  unsigned power[3][3];
  for (int i = 0; i < 9; i++) power[i / 3][i % 3] = a[i / 3][i % 3];
  for (; n != 0; n >>= 1) {
    if (n & 1) multiply(power, x, modulus);
    unsigned columns[3][3];
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < 3; i++) columns[j][i] = power[i][j];
      multiply(power, columns[j], modulus);
    }
    for (int i = 0; i < 9; i++) power[i / 3][i % 3] = columns[i % 3][i / 3];
  }
}
// The next number, from 1 to mrg_modulus_1.
GPO_WORD_FN double next(Mrg *state) {
  unsigned(&x)[3] = state->s1, (&y)[3] = state->s2;
  const u64 p = (1403580ull * x[1] + 810728ull * (mrg_modulus_1 - x[0])) % mrg_modulus_1;
  const u64 q = (527612ull * y[2] + 1370589ull * (mrg_modulus_2 - y[0])) % mrg_modulus_2;
  x[0] = x[1];
  x[1] = x[2];
  x[2] = unsigned(p);
  y[0] = y[1];
  y[1] = y[2];
  y[2] = unsigned(q);
  return double(p <= q ? p + mrg_modulus_1 - q : p - q);
}

// ---- Distributions ----

GPO_WORD_FN float uniform_of(unsigned x) { return float(x) * 0x1p-32f + 0x1p-33f; }
GPO_WORD_FN double uniform_of(unsigned x, unsigned y) { return double(u64(x) ^ u64(y) << 21) * 0x1p-53 + 0x1p-54; }
GPO_CURAND_LONG float2 normals(float uniform, float angle) {
  const float radius = gpo::sqrt(-2.0f * ops::log::apply(uniform));
  return make_float2(ops::sin::apply(angle) * radius, ops::cos::apply(angle) * radius);
}
GPO_WORD_FN float2 normals_of(unsigned x, unsigned y) {
  constexpr float unit = 0x1p-32f * 6.2831855f;
  return normals(uniform_of(x), float(y) * unit + unit / 2);
}
// The angle is in half turns, from 0 to 2, and reduced to an eighth of a turn, where its multiple of pi is small.
GPO_CURAND_LONG double2 normals_in_turns(double uniform, double half_turns) {
  const double quarter = gpo::floor(half_turns * 2 + 0.5), rest = (half_turns - quarter * 0.5) * 3.141592653589793;
  const double s = ops::sin::apply(rest), c = ops::cos::apply(rest);
  const int k = int(quarter) & 3;
  const double sine = k == 0 ? s : k == 1 ? c : k == 2 ? -s : -c, cosine = k == 0 ? c : k == 1 ? -s : k == 2 ? -c : s;
  const double radius = gpo::sqrt(-2.0 * ops::log::apply(uniform));
  double2 out;
  out.x = sine * radius;
  out.y = cosine * radius;
  return out;
}
GPO_WORD_FN double2 normals_of(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  return normals_in_turns(uniform_of(x0, x1), double(u64(y0) ^ u64(y1) << 21) * 0x1p-52 + 0x1p-53);
}

}  // namespace curand_words
}  // namespace gpo

// ---- States ----

// Skips n numbers; n sequences, of 2^67 numbers for XORWOW and 2^66 for Philox; MRG32k3a has subsequences of 2^76.
GPO_CURAND_LONG void skipahead(unsigned long long n, curandStateXORWOW *state) {
  gpo::curand_words::apply_power(gpo::curand_words::xorwow_steps, n, state->v);
  state->d += 362437u * unsigned(n);
}
GPO_CURAND_LONG void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
  gpo::curand_words::apply_power(gpo::curand_words::xorwow_sequences, n, state->v);
}
GPO_WORD_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
  const unsigned place = state->STATE + unsigned(n & 3);
  state->STATE = place & 3;
  gpo::curand_words::advance(state, n / 4 + place / 4, 0);
}
GPO_WORD_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
  gpo::curand_words::advance(state, 0, n);
}
GPO_CURAND_LONG void skipahead(unsigned long long n, curandStateMRG32k3a *state) {
  namespace words = gpo::curand_words;
  words::multiply_power(words::mrg_step_1, n, state->s1, words::mrg_modulus_1);
  words::multiply_power(words::mrg_step_2, n, state->s2, words::mrg_modulus_2);
}
GPO_CURAND_LONG void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *state) {
  namespace words = gpo::curand_words;
  words::multiply_power(words::mrg_subsequence_1, n, state->s1, words::mrg_modulus_1);
  words::multiply_power(words::mrg_subsequence_2, n, state->s2, words::mrg_modulus_2);
}

GPO_CURAND_LONG void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                 curandStateXORWOW *state) {
  const unsigned low = 1099087573u * (unsigned(seed) ^ 0xaad26b49u),
                 high = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
  const unsigned begin[5] = {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low};
  for (int k = 0; k < 5; k++) state->v[k] = begin[k];
  state->d = 6615241u + high + low;
  gpo::curand_words::keep_none(state);
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}
GPO_WORD_FN void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                             curandStatePhilox4_32_10 *state) {
  state->ctr = make_uint4(0, 0, unsigned(sequence), unsigned(sequence >> 32));
  state->key = make_uint2(unsigned(seed), unsigned(seed >> 32));
  state->STATE = 0;
  gpo::curand_words::keep_none(state);
  skipahead(offset, state);
}
GPO_CURAND_LONG void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 curandStateMRG32k3a *state) {
  const unsigned salted[2] = {unsigned(seed) ^ 0x55555555u, unsigned(seed >> 32) ^ 0xaaaaaaaau};
  for (int k = 0; k < 3; k++) {
    const gpo::u64 a = seed ? salted[k & 1] : 1, b = seed ? salted[~k & 1] : 1;
    state->s1[k] = unsigned(a * 12345 % gpo::curand_words::mrg_modulus_1);
    state->s2[k] = unsigned(b * 12345 % gpo::curand_words::mrg_modulus_2);
  }
  gpo::curand_words::keep_none(state);
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

// ---- Numbers ----

GPO_WORD_FN unsigned curand(curandStateXORWOW *state) {
  gpo::curand_words::step(state->v);
  return state->v[4] + (state->d += 362437u);
}
GPO_WORD_FN unsigned curand(curandStatePhilox4_32_10 *state) {
  const unsigned x = gpo::curand_words::word_of(state->output, state->STATE);
  if (++state->STATE == 4) {
    state->STATE = 0;
    gpo::curand_words::advance(state, 1, 0);
  }
  return x;
}
// From 0 to 2^32 - 1, by a factor that is a little larger than 1.
GPO_WORD_FN unsigned curand(curandStateMRG32k3a *state) {
  return unsigned(gpo::curand_words::next(state) * 1.000000048662);
}
GPO_WORD_FN uint4 curand4(curandStatePhilox4_32_10 *state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state);
  return make_uint4(x, y, z, curand(state));
}

GPO_WORD_FN float curand_uniform(curandStateXORWOW *state) { return gpo::curand_words::uniform_of(curand(state)); }
GPO_WORD_FN float curand_uniform(curandStatePhilox4_32_10 *state) {
  return gpo::curand_words::uniform_of(curand(state));
}
GPO_WORD_FN double curand_uniform_double(curandStateMRG32k3a *state) {
  return gpo::curand_words::next(state) * 2.3283065498378288e-10;
}
GPO_WORD_FN float curand_uniform(curandStateMRG32k3a *state) { return float(curand_uniform_double(state)); }
GPO_WORD_FN double curand_uniform_double(curandStateXORWOW *state) {
  const unsigned x = curand(state);
  return gpo::curand_words::uniform_of(x, curand(state));
}
GPO_WORD_FN double curand_uniform_double(curandStatePhilox4_32_10 *state) {
  return double(curand(state)) * 0x1p-32 + 0x1p-32;
}
GPO_WORD_FN float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  return make_float4(gpo::curand_words::uniform_of(x.x), gpo::curand_words::uniform_of(x.y),
                     gpo::curand_words::uniform_of(x.z), gpo::curand_words::uniform_of(x.w));
}
GPO_WORD_FN double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  return make_double2(gpo::curand_words::uniform_of(x.x, x.y), gpo::curand_words::uniform_of(x.z, x.w));
}

GPO_WORD_FN float2 curand_normal2(curandStateMRG32k3a *state) {
  const float x = curand_uniform(state);
  return gpo::curand_words::normals(x, curand_uniform(state) * 6.2831855f);
}
GPO_WORD_FN double2 curand_normal2_double(curandStateMRG32k3a *state) {
  const double x = curand_uniform_double(state);
  return gpo::curand_words::normals_in_turns(x, curand_uniform_double(state) * 2.0);
}
#define GPO_CURAND_PAIRS(State)                                             \
  GPO_WORD_FN float2 curand_normal2(State *state) {                         \
    const unsigned x = curand(state);                                       \
    return gpo::curand_words::normals_of(x, curand(state));                 \
  }                                                                         \
  GPO_WORD_FN double2 curand_normal2_double(State *state) {                 \
    const unsigned a = curand(state), b = curand(state), c = curand(state); \
    return gpo::curand_words::normals_of(a, b, c, curand(state));           \
  }
GPO_CURAND_PAIRS(curandStateXORWOW)
GPO_CURAND_PAIRS(curandStatePhilox4_32_10)
#undef GPO_CURAND_PAIRS

#define GPO_CURAND_NORMALS(State, T, suffix)                                       \
  GPO_WORD_FN T curand_normal##suffix(State *state) {                              \
    if (state->boxmuller_flag##suffix) {                                           \
      state->boxmuller_flag##suffix = 0;                                           \
      return state->boxmuller_extra##suffix;                                       \
    }                                                                              \
    const T##2 both = curand_normal2##suffix(state);                               \
    state->boxmuller_flag##suffix = 1;                                             \
    state->boxmuller_extra##suffix = both.y;                                       \
    return both.x;                                                                 \
  }                                                                                \
  GPO_WORD_FN T curand_log_normal##suffix(State *state, T mean, T deviation) {     \
    return gpo::ops::exp::apply(mean + deviation * curand_normal##suffix(state));  \
  }                                                                                \
  GPO_WORD_FN T##2 curand_log_normal2##suffix(State *state, T mean, T deviation) { \
    const T##2 both = curand_normal2##suffix(state);                               \
    return make_##T##2(gpo::ops::exp::apply(mean + deviation * both.x),            \
                       gpo::ops::exp::apply(mean + deviation * both.y));           \
  }
GPO_CURAND_NORMALS(curandStateXORWOW, float, )
GPO_CURAND_NORMALS(curandStateXORWOW, double, _double)
GPO_CURAND_NORMALS(curandStatePhilox4_32_10, float, )
GPO_CURAND_NORMALS(curandStatePhilox4_32_10, double, _double)
GPO_CURAND_NORMALS(curandStateMRG32k3a, float, )
GPO_CURAND_NORMALS(curandStateMRG32k3a, double, _double)
#undef GPO_CURAND_NORMALS

GPO_WORD_FN float4 curand_normal4(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  const float2 a = gpo::curand_words::normals_of(x.x, x.y), b = gpo::curand_words::normals_of(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}

#include "plugins/shared/words/curand/curand_sobol.h"

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_CURAND_H_

// plugins/cpu/products/fused_sse.h -- x y + sum, rounded once, on processors of level v2, which have no instruction for
// it. Included inside the namespace of that level, hence without #pragma once.
//
// The exact sum of product and summand is the sum of two or three numbers without error (TwoSum, Dekker's product).
// They are added so that the result is right when rounded a second time: if inexact, to the odd one of both neighbours.
// Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums" (IEEE Transactions on Computers, 2008).

// a + b = value + error, without error.
struct Sum {
  __m128d value, error;
};
GPUOPT_TARGET inline Sum two_sum(__m128d a, __m128d b) {
  const __m128d value = a + b, part = value - a;
  return {value, (a - (value - part)) + (b - part)};
}

// a b = value + error, without error, if nothing overflows or is lost below the smallest numbers.
GPUOPT_TARGET inline Sum two_product(__m128d a, __m128d b) {
  const __m128d split = _mm_set1_pd(134217729);  // 2^27 + 1
  const __m128d left = split * a, right = split * b;
  const __m128d a_high = left - (left - a), b_high = right - (right - b), a_low = a - a_high, b_low = b - b_high;
  const __m128d value = a * b;
  return {value, ((a_high * b_high - value) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// Returns the sum if it is exact, and else that of its two neighbours whose last bit is 1.
GPUOPT_TARGET inline __m128d to_odd(const Sum &sum) {
  const __m128d zero = _mm_setzero_pd();
  const __m128i bits = _mm_castpd_si128(sum.value), one = _mm_set1_epi64x(1);
  const __m128i inexact = _mm_castpd_si128(_mm_or_pd(_mm_cmplt_pd(sum.error, zero), _mm_cmpgt_pd(sum.error, zero)));
  const __m128i even = _mm_cmpeq_epi64(_mm_and_si128(bits, one), _mm_setzero_si128());
  const __m128i apart = _mm_castpd_si128(_mm_xor_pd(sum.value, sum.error));  // negative if the error lies towards 0
  const __m128i step = _mm_or_si128(_mm_cmpgt_epi64(_mm_setzero_si128(), apart), one);  // 1 or -1
  return _mm_castsi128_pd(_mm_add_epi64(bits, _mm_and_si128(_mm_and_si128(inexact, even), step)));
}

// The product of two floats is a double without error.
GPUOPT_TARGET inline __m128d fused_wide(__m128 x, __m128 y, __m128 sum) {
  return to_odd(two_sum(_mm_cvtps_pd(x) * _mm_cvtps_pd(y), _mm_cvtps_pd(sum)));
}
GPUOPT_TARGET inline __m128 fused(__m128 x, __m128 y, __m128 sum) {
  const auto high = [](__m128 v) GPUOPT_TARGET { return _mm_movehl_ps(v, v); };
  return _mm_movelh_ps(_mm_cvtpd_ps(fused_wide(x, y, sum)), _mm_cvtpd_ps(fused_wide(high(x), high(y), high(sum))));
}

// Whether the magnitude of every element is at most `limit`; false for NaN.
GPUOPT_TARGET inline __m128d within(__m128d x, double limit) {
  return _mm_cmple_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), x), _mm_set1_pd(limit));
}

GPUOPT_TARGET inline __m128d fused(__m128d x, __m128d y, __m128d sum) {
  const __m128d zero = _mm_setzero_pd(), plain = x * y;
  const __m128d no_product = _mm_or_pd(_mm_cmpeq_pd(x, zero), _mm_cmpeq_pd(y, zero));
  const __m128d not_tiny =
      _mm_or_pd(no_product, _mm_cmpnle_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), plain), _mm_set1_pd(0x1p-900)));
  const __m128d not_huge = _mm_and_pd(_mm_and_pd(within(x, 0x1p990), within(y, 0x1p990)),
                                      _mm_and_pd(within(plain, 0x1p1000), within(sum, 0x1p1000)));
  if (_mm_movemask_pd(_mm_and_pd(not_tiny, not_huge)) != 3) {
    return _mm_setr_pd(__builtin_fma(x[0], y[0], sum[0]), __builtin_fma(x[1], y[1], sum[1]));
  }
  const Sum product = two_product(x, y), low = two_sum(sum, product.error), high = two_sum(product.value, low.value);
  const __m128d result = high.value + to_odd(two_sum(low.error, high.error));
  return _mm_blendv_pd(result, plain + sum, no_product);  // which has the right sign of 0
}

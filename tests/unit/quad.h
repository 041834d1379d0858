// tests/unit/quad.h -- 113-bit floating point, the oracle of the math tests: libquadmath's, or where there is none
// (AArch64) the C library's long double, under libquadmath's names.
#pragma once

#if __has_include(<quadmath.h>)
#include <quadmath.h>

using quad = __float128;

#if defined(_WIN32)
#include <xmmintrin.h>

// That of mingw-w64 leaves the processor rounding towards zero for many negative numbers.
inline quad lgamma_keeping_mode(quad x) {
  const unsigned mode = _mm_getcsr();
  const quad y = lgammaq(x);
  _mm_setcsr(mode);
  return y;
}
#define lgammaq lgamma_keeping_mode
#endif
#else
#include <cfloat>

static_assert(LDBL_MANT_DIG == 113, "long double must be the IEEE format of 128 bits");

using quad = long double;
typedef __complex__ long double __complex128;

#define QUAD_UNARY(name) \
  inline quad name##q(quad x) { return __builtin_##name##l(x); }
#define QUAD_BINARY(name) \
  inline quad name##q(quad x, quad y) { return __builtin_##name##l(x, y); }
#define QUAD_COMPLEX(name) \
  inline __complex128 name##q(__complex128 z) { return __builtin_##name##l(z); }
#define QUAD_IS(name, question) \
  inline int name##q(quad x) { return question(x); }

QUAD_UNARY(acos);
QUAD_UNARY(acosh);
QUAD_UNARY(asin);
QUAD_UNARY(asinh);
QUAD_UNARY(atan);
QUAD_UNARY(atanh);
QUAD_UNARY(cbrt);
QUAD_UNARY(cos);
QUAD_UNARY(cosh);
QUAD_UNARY(erf);
QUAD_UNARY(erfc);
QUAD_UNARY(exp);
QUAD_UNARY(exp2);
QUAD_UNARY(expm1);
QUAD_UNARY(fabs);
QUAD_UNARY(floor);
QUAD_UNARY(lgamma);
QUAD_UNARY(log);
QUAD_UNARY(log10);
QUAD_UNARY(log1p);
QUAD_UNARY(log2);
QUAD_UNARY(rint);
QUAD_UNARY(sin);
QUAD_UNARY(sinh);
QUAD_UNARY(sqrt);
QUAD_UNARY(tan);
QUAD_UNARY(tanh);
QUAD_UNARY(tgamma);
QUAD_UNARY(trunc);
QUAD_BINARY(atan2);
QUAD_BINARY(copysign);
QUAD_BINARY(fmod);
QUAD_BINARY(hypot);
QUAD_BINARY(pow);
QUAD_COMPLEX(cacos);
QUAD_COMPLEX(cacosh);
QUAD_COMPLEX(casin);
QUAD_COMPLEX(casinh);
QUAD_COMPLEX(ccos);
QUAD_COMPLEX(ccosh);
QUAD_COMPLEX(cexp);
QUAD_COMPLEX(clog);
QUAD_COMPLEX(csin);
QUAD_COMPLEX(csinh);
QUAD_COMPLEX(csqrt);
QUAD_COMPLEX(ctan);
QUAD_COMPLEX(ctanh);
QUAD_IS(finite, __builtin_isfinite);
QUAD_IS(isinf, __builtin_isinf);
QUAD_IS(isnan, __builtin_isnan);
QUAD_IS(signbit, __builtin_signbit);
inline quad cabsq(__complex128 z) { return __builtin_cabsl(z); }
inline __complex128 cpowq(__complex128 z, __complex128 w) { return __builtin_cpowl(z, w); }
inline quad frexpq(quad x, int *exponent) { return __builtin_frexpl(x, exponent); }
inline quad ldexpq(quad x, int exponent) { return __builtin_ldexpl(x, exponent); }
inline quad nanq(const char *) { return __builtin_nanl(""); }
#undef QUAD_UNARY
#undef QUAD_BINARY
#undef QUAD_COMPLEX
#undef QUAD_IS
#endif

// plugins/shared/words/numbers/cucomplex.h -- cuComplex.h: complex numbers as float2 and double2, and their arithmetic;
// and cuFFT's names for them
//
// Quotients divide both operands by the divisor's size first, and absolute values factor out the larger part, as in
// CUDA's own header, so that they neither overflow nor underflow in between.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_CUCOMPLEX_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_CUCOMPLEX_H_

#include "plugins/shared/prelude.h"
#include "plugins/shared/words/constants.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/words.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

// The numbers that cuFFT's transforms are of.
using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = cuComplex;
using cufftDoubleComplex = cuDoubleComplex;

// All functions for one type of parts; the names of those of float end in f.
#define GPO_CU_COMPLEX(Part, Complex, f, largest)                                                                \
  GPO_WORD_FN Part cuCreal##f(Complex z) { return z.x; }                                                         \
  GPO_WORD_FN Part cuCimag##f(Complex z) { return z.y; }                                                         \
  GPO_WORD_FN Complex make_##Complex(Part re, Part im) { return {re, im}; }                                      \
  GPO_WORD_FN Complex cuConj##f(Complex z) { return {z.x, -z.y}; }                                               \
  GPO_WORD_FN Complex cuCadd##f(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }                         \
  GPO_WORD_FN Complex cuCsub##f(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }                         \
  GPO_WORD_FN Complex cuCmul##f(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  GPO_WORD_FN Complex cuCdiv##f(Complex a, Complex b) {                                                          \
    const Part scale = Part(1) / (gpo::abs(b.x) + gpo::abs(b.y));                                                \
    const Complex p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale};                                \
    const Part inverse = Part(1) / (q.x * q.x + q.y * q.y);                                                      \
    return {(p.x * q.x + p.y * q.y) * inverse, (p.y * q.x - p.x * q.y) * inverse};                               \
  }                                                                                                              \
  GPO_WORD_FN Part cuCabs##f(Complex z) {                                                                        \
    const Part re = gpo::abs(z.x), im = gpo::abs(z.y), more = re > im ? re : im, less = re > im ? im : re;       \
    if (more == 0 || more > largest || less > largest) return more + less;                                       \
    const Part ratio = less / more;                                                                              \
    return more * gpo::sqrt(Part(1) + ratio * ratio);                                                            \
  }                                                                                                              \
  /* a * b + c: each part is a sum of two products and of the part of c, in this order, and not fused. */        \
  GPO_WORD_FN Complex cuCfma##f(Complex a, Complex b, Complex c) {                                               \
    return {(c.x + a.x * b.x) - a.y * b.y, (c.y + a.x * b.y) + a.y * b.x};                                       \
  }
GPO_CU_COMPLEX(float, cuFloatComplex, f, gpo::user::FLT_MAX)
GPO_CU_COMPLEX(double, cuDoubleComplex, , gpo::user::DBL_MAX)
#undef GPO_CU_COMPLEX

GPO_WORD_FN cuComplex make_cuComplex(float re, float im) { return {re, im}; }
GPO_WORD_FN cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return {double(z.x), double(z.y)}; }
GPO_WORD_FN cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return {float(z.x), float(z.y)}; }

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_CUCOMPLEX_H_

// tests/conformance/elements.h -- host values of every dtype, exactly encoded and decoded without the library's help.
#pragma once
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/conformance/oracle.h"

namespace oracle {

struct Dtype {
  gpuopt_dtype id;
  const char *name;
  char kind;
  int size;
};
inline const std::vector<Dtype> &dtypes() {
  static const std::vector<Dtype> all = {
#define GPUOPT_DTYPE(NAME, name, kind, size, npy, code, bits) {GPUOPT_##NAME, #name, kind, size},
#include <gpuopt/dtypes.def>
  };
  return all;
}
inline const Dtype &dtype(gpuopt_dtype id) { return dtypes()[id - 1]; }

inline Format format_of(gpuopt_dtype id) {
  Format f;
  const Dtype &d = dtype(id);
  f.bits = d.size * 8;
  f.is_signed = d.kind == 'i';
  switch (id) {
    case GPUOPT_FLOAT16:
      f.precision = 11, f.min_exponent = -24, f.largest = 65504;
      break;
    case GPUOPT_BFLOAT16:
      f.precision = 8, f.min_exponent = -133, f.largest = std::ldexp(Real(255), 120);
      break;
    case GPUOPT_FLOAT32:
    case GPUOPT_COMPLEX64:
      f.precision = 24, f.min_exponent = -149, f.largest = std::numeric_limits<float>::max();
      break;
    default:
      f.precision = 53, f.min_exponent = -1074, f.largest = std::numeric_limits<double>::max();
  }
  return f;
}

// A 16-bit float from and to a long double: exponent and significand by hand, round half to even.
inline Real decode16(uint16_t bits, int fraction_bits) {
  int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1), fraction = bits & ((1 << fraction_bits) - 1);
  Real value;
  if (exponent == (1 << exponent_bits) - 1)
    value = fraction ? std::numeric_limits<Real>::quiet_NaN() : std::numeric_limits<Real>::infinity();
  else if (exponent == 0)
    value = std::ldexp(Real(fraction), 1 - bias - fraction_bits);
  else
    value = std::ldexp(Real(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
  return bits >> 15 ? -value : value;
}
inline uint16_t encode16(Real value, int fraction_bits) {
  int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return uint16_t(sign | (top << fraction_bits) | (1 << (fraction_bits - 1)));
  value = std::fabs(value);
  if (value == 0) return sign;
  int exponent = std::isinf(value) ? top : std::max(std::ilogb(value), 1 - bias);
  if (exponent > bias) return uint16_t(sign | (top << fraction_bits));
  long units = std::lrint(std::ldexp(value, fraction_bits - exponent));  // may carry into the next exponent
  long bits = units + (long(exponent + bias - 1) << fraction_bits);
  return uint16_t(sign | std::min(bits, long(top) << fraction_bits));
}

// One element as the oracle sees it.
struct Element {
  bool b = false;
  Wide w;
  Real r = 0;
  Complex c;
};

template <class T>
T load(const void *p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
void store(void *p, T v) {
  std::memcpy(p, &v, sizeof v);
}

inline Element decode(gpuopt_dtype id, const void *p) {
  Element e;
  switch (id) {
    case GPUOPT_BOOL:
      e.b = load<uint8_t>(p);
      e.w = e.b;
      e.r = e.b;
      break;
    case GPUOPT_INT8:
      e.w = load<int8_t>(p);
      break;
    case GPUOPT_INT16:
      e.w = load<int16_t>(p);
      break;
    case GPUOPT_INT32:
      e.w = load<int32_t>(p);
      break;
    case GPUOPT_INT64:
      e.w = load<int64_t>(p);
      break;
    case GPUOPT_UINT8:
      e.w = load<uint8_t>(p);
      break;
    case GPUOPT_UINT16:
      e.w = load<uint16_t>(p);
      break;
    case GPUOPT_UINT32:
      e.w = load<uint32_t>(p);
      break;
    case GPUOPT_UINT64:
      e.w = load<uint64_t>(p);
      break;
    case GPUOPT_FLOAT16:
      e.r = decode16(load<uint16_t>(p), 10);
      break;
    case GPUOPT_BFLOAT16:
      e.r = decode16(load<uint16_t>(p), 7);
      break;
    case GPUOPT_FLOAT32:
      e.r = load<float>(p);
      break;
    case GPUOPT_FLOAT64:
      e.r = load<double>(p);
      break;
    case GPUOPT_COMPLEX64:
      e.c = {load<float>(p), load<float>((const char *)p + 4)};
      break;
    case GPUOPT_COMPLEX128:
      e.c = {load<double>(p), load<double>((const char *)p + 8)};
      break;
  }
  return e;
}

// Stores r, w, b or c by kind; integers wrap.
inline void encode(gpuopt_dtype id, const Element &e, void *p) {
  switch (id) {
    case GPUOPT_BOOL:
      store<uint8_t>(p, e.b);
      break;
    case GPUOPT_FLOAT16:
      store(p, encode16(e.r, 10));
      break;
    case GPUOPT_BFLOAT16:
      store(p, encode16(e.r, 7));
      break;
    case GPUOPT_FLOAT32:
      store(p, float(e.r));
      break;
    case GPUOPT_FLOAT64:
      store(p, double(e.r));
      break;
    case GPUOPT_COMPLEX64:
      store(p, float(e.c.real()));
      store((char *)p + 4, float(e.c.imag()));
      break;
    case GPUOPT_COMPLEX128:
      store(p, double(e.c.real()));
      store((char *)p + 8, double(e.c.imag()));
      break;
    default: {
      uint64_t bits = uint64_t((unsigned __int128)e.w.v);
      std::memcpy(p, &bits, dtype(id).size);
    }
  }
}

// An integer wrapped to the width of dtype id.
inline Wide wrapped(Wide w, gpuopt_dtype id) {
  char bytes[16] = {};
  Element e;
  e.w = w;
  encode(id, e, bytes);
  return decode(id, bytes).w;
}

// Values that find mistakes: zeros of both signs, units, extremes, denormals, infinities, NaN, halves, pi multiples.
inline std::vector<Element> special_elements(gpuopt_dtype id) {
  std::vector<Element> out;
  auto real = [&](Real r) {
    Element e;
    e.r = r;
    out.push_back(e);
  };
  auto wide = [&](__int128 w) {
    Element e;
    e.w = wrapped(w, id);
    out.push_back(e);
  };
  Format f = format_of(id);
  const Real inf = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  switch (dtype(id).kind) {
    case '?':
      for (int b : {0, 1}) {
        Element e;
        e.b = b;
        e.w = b;
        e.r = b;
        out.push_back(e);
      }
      break;
    case 'i':
    case 'u': {
      for (int v : {0, 1, 2, 3, 5, 7, 31, 64, 100, -1, -2, -3, -7, -100})
        if (v >= 0 || f.is_signed) wide(v);
      __int128 top = (__int128(1) << (f.bits - f.is_signed)) - 1;
      wide(top), wide(top - 1), wide(top / 3);
      if (f.is_signed) wide(-top), wide(-top - 1);
      break;
    }
    case 'f': {
      Real tiny = std::ldexp(Real(1), f.min_exponent), normal = std::ldexp(tiny, f.precision - 1);
      for (Real v : {Real(0), Real(1), Real(2), Real(3), Real(0.5), Real(1.5), Real(2.5), Real(0.1L), Real(10),
                     Real(100.25L), pi, pi / 2, tiny, 3 * tiny, normal, f.largest, f.largest / 4, inf})
        real(v), real(-v);
      real(nan);
      // Rounded to the dtype, so that the oracle sees what the library sees.
      for (Element &e : out) {
        char bytes[16];
        encode(id, e, bytes);
        e.r = decode(id, bytes).r;
      }
      break;
    }
    case 'c':
      for (Real re : {Real(0), Real(1), Real(-2), Real(0.75L), Real(3.5L)})
        for (Real im : {Real(0), Real(1), Real(-0.25L), Real(-3)}) {
          Element e;
          e.c = {re, im};
          out.push_back(e);
        }
      break;
  }
  return out;
}

inline Element random_element(gpuopt_dtype id, std::mt19937_64 &rng) {
  Element e;
  Format f = format_of(id);
  std::uniform_real_distribution<double> mantissa(-2, 2), exponent(-8, 8);
  auto real = [&] { return Real(mantissa(rng)) * std::exp2(Real(int(exponent(rng)))); };
  switch (dtype(id).kind) {
    case '?':
      e.b = rng() & 1;
      e.w = e.b;
      e.r = e.b;
      return e;
    case 'i':
    case 'u':
      e.w = wrapped(__int128(rng() >> (rng() % f.bits)) * (f.is_signed && (rng() & 1) ? -1 : 1), id);
      return e;
    case 'f':
      e.r = real();
      break;
    case 'c':
      e.c = {real(), real()};
      break;
  }
  char bytes[16];
  encode(id, e, bytes);
  return decode(id, bytes);
}

// The size of one unit in the last place of `exact` in the format (a denormal's unit below the normal range).
inline Real unit_in_last_place(Real exact, const Format &f) {
  if (exact == 0 || !std::isfinite(exact)) return std::ldexp(Real(1), f.min_exponent);
  return std::ldexp(Real(1), std::max(std::ilogb(exact) + 1 - f.precision, f.min_exponent));
}

// Whether `got` is within `ulps` of the exact result, overflow and NaN included. Signs of zero count when `exact` is a
// zero.
inline bool close(Real got, Real exact, double ulps, const Format &f) {
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got);
  if (exact == 0 && got == 0) return std::signbit(got) == std::signbit(exact);
  Real unit = unit_in_last_place(exact, f);
  if (std::isinf(got))
    return std::isinf(exact)
               ? got == exact
               : std::fabs(exact) + ulps * unit_in_last_place(f.largest, f) >= f.largest && (got > 0) == (exact > 0);
  if (std::isinf(exact)) return std::fabs(got) == f.largest && ulps > 0.51 && (got > 0) == (exact > 0);
  return std::fabs(got - exact) <= ulps * unit;
}

}  // namespace oracle

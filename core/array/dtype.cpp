// core/array/dtype.cpp -- promotion, casting rules and scalar conversion.
#include "core/array/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/array/array.h"
#include "core/base/error.h"

namespace gpuopt {
namespace {

constexpr gpuopt_dtype signed_of(int size) {
  return size == 1 ? GPUOPT_INT8 : size == 2 ? GPUOPT_INT16 : size == 4 ? GPUOPT_INT32 : GPUOPT_INT64;
}

constexpr gpuopt_dtype promote_integers(gpuopt_dtype a, gpuopt_dtype b) {
  const int sa = dtype_size(a), sb = dtype_size(b);
  if (dtype_kind(a) == dtype_kind(b)) return sa >= sb ? a : b;
  const int signed_size = dtype_kind(a) == 'i' ? sa : sb, unsigned_size = dtype_kind(a) == 'i' ? sb : sa;
  if (signed_size > unsigned_size) return signed_of(signed_size);
  return unsigned_size == 8 ? GPUOPT_FLOAT64 : signed_of(2 * unsigned_size);
}

// Returns `real` or the next wider float whose significand holds all values of `integer`, as NumPy does: 16-bit floats
// hold 8-bit integers, float32 holds 16-bit ones. All wider integers give float64, which does not hold all 64-bit ones.
constexpr gpuopt_dtype promote_integer_with_float(gpuopt_dtype integer, gpuopt_dtype real) {
  if (dtype_size(integer) == 1) return real;
  if (dtype_size(integer) == 2) return dtype_size(real) == 2 ? GPUOPT_FLOAT32 : real;
  return GPUOPT_FLOAT64;
}

// Returns the dtype of the real part.
constexpr gpuopt_dtype component(gpuopt_dtype d) {
  return d == GPUOPT_COMPLEX64 ? GPUOPT_FLOAT32 : d == GPUOPT_COMPLEX128 ? GPUOPT_FLOAT64 : d;
}

constexpr gpuopt_dtype promote_reals(gpuopt_dtype a, gpuopt_dtype b) {
  if (a == b || dtype_kind(b) == '?') return a;
  if (dtype_kind(a) == '?') return b;
  const bool float_a = dtype_kind(a) == 'f', float_b = dtype_kind(b) == 'f';
  if (!float_a && !float_b) return promote_integers(a, b);
  if (!float_a) return promote_integer_with_float(a, b);
  if (!float_b) return promote_integer_with_float(b, a);
  if (dtype_size(a) == dtype_size(b)) return GPUOPT_FLOAT32;  // float16 with bfloat16
  return dtype_size(a) > dtype_size(b) ? a : b;
}

constexpr gpuopt_dtype promote_pair(gpuopt_dtype a, gpuopt_dtype b) {
  if (dtype_kind(a) != 'c' && dtype_kind(b) != 'c') return promote_reals(a, b);
  return promote_reals(component(a), component(b)) == GPUOPT_FLOAT64 ? GPUOPT_COMPLEX128 : GPUOPT_COMPLEX64;
}

using Table = std::array<std::array<uint8_t, GPUOPT_DTYPE_COUNT>, GPUOPT_DTYPE_COUNT>;
// promote_pair() for all pairs of dtypes.
constexpr Table kPromotionTable = [] {
  Table table{};
  for (int a = 1; a < GPUOPT_DTYPE_COUNT; ++a) {
    for (int b = 1; b < GPUOPT_DTYPE_COUNT; ++b) table[a][b] = static_cast<uint8_t>(promote_pair(a, b));
  }
  return table;
}();

// NumPy's "same_kind" allows casts to a kind of the same or a higher rank.
int kind_rank(gpuopt_dtype d) {
  switch (dtype_kind(d)) {
    case '?':
      return 0;
    case 'u':
      return 1;
    case 'i':
      return 2;
    case 'f':
      return 3;
    default:
      return 4;
  }
}

}  // namespace

gpuopt_dtype promote(gpuopt_dtype a, gpuopt_dtype b) { return kPromotionTable[a][b]; }

bool can_cast(gpuopt_dtype from, gpuopt_dtype to, int rule) {
  if (promote(from, to) == to) return true;
  return rule == 1 && kind_rank(from) <= kind_rank(to);
}

gpuopt_dtype real_component(gpuopt_dtype d) { return component(d); }

gpuopt_dtype promote_weak(gpuopt_dtype strong, int32_t kind) {
  const char have = strong ? dtype_kind(strong) : '?';
  const bool integral = have == '?' || have == 'i' || have == 'u';
  switch (kind) {
    case '?':
      return strong ? strong : GPUOPT_BOOL;
    case 'u':
      return strong && have != '?' ? strong : strong ? GPUOPT_INT64 : GPUOPT_UINT64;
    case 'i':
      return strong && have != '?' ? strong : GPUOPT_INT64;
    case 'f':
      return integral ? GPUOPT_FLOAT64 : strong;
    default:
      return integral ? GPUOPT_COMPLEX128 : promote(strong, GPUOPT_COMPLEX64);
  }
}

gpuopt_dtype dtype_or(gpuopt_dtype d, gpuopt_dtype standard, const char *what) {
  if (d == GPUOPT_DTYPE_DEFAULT) return standard;
  if (!valid_dtype(d)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d is not a dtype", what, d);
  return d;
}

void check_scalar(const gpuopt_scalar &value, const char *what) {
  if (value.kind && std::strchr("?iufc", value.kind)) return;
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the kind of the scalar is %d, not '?', 'i', 'u', 'f' or 'c'", what,
       value.kind);
}

namespace {

// A gpuopt_scalar in parts: integers (`integral`) as sign and magnitude, floats and complex numbers as `re` and `im`.
struct Number {
  bool integral, negative;
  uint64_t magnitude;
  double re, im;
};

Number number_of(const gpuopt_scalar &s) {
  if (s.kind == 'f' || s.kind == 'c') return {false, false, 0, s.value.f, s.kind == 'c' ? s.imag : 0.0};
  const bool negative = s.kind != 'u' && s.value.i < 0;
  const uint64_t magnitude = negative ? -static_cast<uint64_t>(s.value.i) : s.value.u;
  if (s.kind == '?') return {true, false, s.value.i != 0, 0, 0};
  return {true, negative, magnitude, 0, 0};
}

// Rounds to the nearest number with `fraction` bits behind the leading one, ties to even. Numbers below 2^lowest are
// denormal: they get the spacing of 2^lowest. The exponent has no upper limit.
double round_to_bits(double x, int fraction, int lowest) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), lowest);
  const double unit = std::ldexp(1.0, exponent - fraction);
  return std::nearbyint(x / unit) * unit;
}

// Returns the bits of the 16-bit float nearest to x (ties to even, infinity on overflow), for a format with `fraction`
// fraction bits and this exponent bias: 10 and 15 for float16, 7 and 127 for bfloat16.
uint16_t half_bits(double x, int fraction, int bias) {
  const int exponents = 2 * bias + 1;
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return static_cast<uint16_t>(sign | exponents << fraction | 1 << (fraction - 1));
  const double r = std::fabs(round_to_bits(x, fraction, 1 - bias));
  if (r >= std::ldexp(1.0, bias + 1)) return static_cast<uint16_t>(sign | exponents << fraction);
  const int exponent = r == 0 ? -bias : std::ilogb(r);
  if (exponent < 1 - bias) return static_cast<uint16_t>(sign | static_cast<int>(std::ldexp(r, bias - 1 + fraction)));
  const int significand = static_cast<int>(std::ldexp(r, fraction - exponent));
  return static_cast<uint16_t>(sign | (((exponent + bias) << fraction) + significand - (1 << fraction)));
}

// Returns the value of the 16-bit float `bits` in such a format.
double half_value(uint16_t bits, int fraction, int bias) {
  const int exponent = (bits & 0x7fff) >> fraction, rest = bits & ((1 << fraction) - 1);
  double value = exponent == 0 ? std::ldexp(rest, 1 - bias - fraction)
                               : std::ldexp(rest + (1 << fraction), exponent - bias - fraction);
  if (exponent == 2 * bias + 1) value = rest ? std::numeric_limits<double>::quiet_NaN() : INFINITY;
  return bits & 0x8000 ? -value : value;
}

// Returns a double that rounds to any 16-bit float as the integer n itself does. A magnitude of more than 53 bits loses
// its lowest 12; bit 11 is set instead (a sticky bit) if any of them was, which keeps ties apart from what is above
// them.
double sticky_double(const Number &n) {
  uint64_t m = n.magnitude;
  if (m >> 53) m = (m & ~uint64_t{0xfff}) | (static_cast<uint64_t>((m & 0xfff) != 0) << 11);
  return n.negative ? -static_cast<double>(m) : static_cast<double>(m);
}

double to_double(const Number &n) {
  if (!n.integral) return n.re;
  return n.negative ? -static_cast<double>(n.magnitude) : static_cast<double>(n.magnitude);
}
float to_float(const Number &n) {
  if (!n.integral) return static_cast<float>(n.re);
  return n.negative ? -static_cast<float>(n.magnitude) : static_cast<float>(n.magnitude);
}

template <class T>
void put(void *out, T value) {
  std::memcpy(out, &value, sizeof value);
}

// Returns the bits of n as an integer of `size` bytes in the low bytes of the result. Integers wrap; floats are
// truncated and saturate, and NaN gives 0.
uint64_t integer_bits(const Number &n, bool is_signed, int size) {
  if (n.integral) return n.negative ? -n.magnitude : n.magnitude;
  const double past = std::ldexp(1.0, 8 * size - is_signed), lowest = is_signed ? -past : 0.0;
  const uint64_t greatest = ~uint64_t{0} >> (64 - 8 * size + is_signed);
  if (std::isnan(n.re)) return 0;
  if (n.re >= past) return greatest;
  if (n.re <= lowest) return is_signed ? ~greatest : 0;
  return n.re < 0 ? -static_cast<uint64_t>(-n.re) : static_cast<uint64_t>(n.re);
}

// Throws ERR_TYPE or ERR_OVERFLOW unless n is a value of the integer dtype d.
void check_integer(const Number &n, gpuopt_dtype d) {
  if (!n.integral) fail(GPUOPT_ERR_TYPE, "the number %g is not an integer, as dtype %s needs", n.re, dtype_name(d));
  const bool is_signed = dtype_kind(d) == 'i';
  const uint64_t greatest = ~uint64_t{0} >> (64 - 8 * dtype_size(d) + is_signed);
  if (n.negative ? is_signed && n.magnitude <= greatest + 1 : n.magnitude <= greatest) return;
  fail(GPUOPT_ERR_OVERFLOW, "the number %s%llu does not fit dtype %s", n.negative ? "-" : "",
       static_cast<unsigned long long>(n.magnitude), dtype_name(d));
}

// Writes n, without its imaginary part, as one element of the float dtype d; rounds once.
void store_real(const Number &n, gpuopt_dtype d, void *out) {
  switch (d) {
    case GPUOPT_FLOAT16:
      return put(out, half_bits(n.integral ? sticky_double(n) : n.re, 10, 15));
    case GPUOPT_BFLOAT16:
      return put(out, half_bits(n.integral ? sticky_double(n) : n.re, 7, 127));
    case GPUOPT_FLOAT32:
      return put(out, to_float(n));
    default:
      return put(out, to_double(n));
  }
}

}  // namespace

void store_scalar(const gpuopt_scalar &value, gpuopt_dtype d, void *out, bool cast) {
  const Number n = number_of(value);
  const int size = dtype_size(d);
  std::memset(out, 0, size);
  if (!cast && value.kind == 'c' && dtype_kind(d) != 'c') {
    fail(GPUOPT_ERR_TYPE, "the complex number %g%+gj does not fit dtype %s", n.re, n.im, dtype_name(d));
  }
  switch (dtype_kind(d)) {
    case '?':
      return put<uint8_t>(out, n.integral ? n.magnitude != 0 : n.re != 0 || n.im != 0);
    case 'i':
    case 'u': {
      if (!cast) check_integer(n, d);
      const uint64_t bits = integer_bits(n, dtype_kind(d) == 'i', size);
      std::memcpy(out, &bits, size);  // the low bytes come first: supported platforms are little-endian
      return;
    }
    case 'f':
      return store_real(n, d, out);
    default:
      store_real(n, component(d), out);
      store_real({false, false, 0, n.im, 0}, component(d), static_cast<char *>(out) + size / 2);
  }
}

gpuopt_scalar load_scalar(gpuopt_dtype d, const void *element) {
  auto get = [element]<class T>(T zero, size_t offset = 0) {
    std::memcpy(&zero, static_cast<const char *>(element) + offset, sizeof zero);
    return zero;
  };
  switch (d) {
    case GPUOPT_BOOL:
      return gpuopt_scalar_bool(get(uint8_t{}));
    case GPUOPT_INT8:
      return gpuopt_scalar_int(get(int8_t{}));
    case GPUOPT_INT16:
      return gpuopt_scalar_int(get(int16_t{}));
    case GPUOPT_INT32:
      return gpuopt_scalar_int(get(int32_t{}));
    case GPUOPT_INT64:
      return gpuopt_scalar_int(get(int64_t{}));
    case GPUOPT_UINT8:
      return gpuopt_scalar_uint(get(uint8_t{}));
    case GPUOPT_UINT16:
      return gpuopt_scalar_uint(get(uint16_t{}));
    case GPUOPT_UINT32:
      return gpuopt_scalar_uint(get(uint32_t{}));
    case GPUOPT_UINT64:
      return gpuopt_scalar_uint(get(uint64_t{}));
    case GPUOPT_FLOAT16:
      return gpuopt_scalar_real(half_value(get(uint16_t{}), 10, 15));
    case GPUOPT_BFLOAT16:
      return gpuopt_scalar_real(half_value(get(uint16_t{}), 7, 127));
    case GPUOPT_FLOAT32:
      return gpuopt_scalar_real(get(float{}));
    case GPUOPT_FLOAT64:
      return gpuopt_scalar_real(get(double{}));
    case GPUOPT_COMPLEX64:
      return gpuopt_scalar_complex(get(float{}), get(float{}, 4));
    default:
      return gpuopt_scalar_complex(get(double{}), get(double{}, 8));
  }
}

namespace {

// Names that are accepted besides those of dtypes.def: NumPy's type strings (without byte order), and bool_.
struct Alias {
  const char *name;
  gpuopt_dtype dtype;
};
constexpr Alias kAliases[] = {
    {"bool_", GPUOPT_BOOL}, {"b1", GPUOPT_BOOL},      {"i1", GPUOPT_INT8},        {"i2", GPUOPT_INT16},
    {"i4", GPUOPT_INT32},   {"i8", GPUOPT_INT64},     {"u1", GPUOPT_UINT8},       {"u2", GPUOPT_UINT16},
    {"u4", GPUOPT_UINT32},  {"u8", GPUOPT_UINT64},    {"f2", GPUOPT_FLOAT16},     {"f4", GPUOPT_FLOAT32},
    {"f8", GPUOPT_FLOAT64}, {"c8", GPUOPT_COMPLEX64}, {"c16", GPUOPT_COMPLEX128},
};

// Returns the dtype of this name, which may have NumPy's prefix of native byte order. Throws ERR_INVALID_ARGUMENT.
gpuopt_dtype find_dtype(const char *name) {
  if (!name) fail(GPUOPT_ERR_INVALID_ARGUMENT, "dtype_from_name: the name is NULL");
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) {
    if (!std::strcmp(name, dtype_name(d))) return d;
  }
  const char *code = *name == '<' || *name == '|' || *name == '=' ? name + 1 : name;
  for (const Alias &alias : kAliases) {
    if (!std::strcmp(code, alias.name)) return alias.dtype;
  }
  std::string names;
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) names += std::string(d > 1 ? ", " : "") + dtype_name(d);
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "dtype_from_name: \"%s\" is not a dtype; the dtypes are %s", name, names.c_str());
}

void check_dtype(gpuopt_dtype d, const char *what) {
  if (!valid_dtype(d)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d is not a dtype", what, d);
}

template <class T>
void check_result(const T *result, const char *what) {
  if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result pointer is NULL", what);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

const char *gpuopt_dtype_name(gpuopt_dtype dtype) { return valid_dtype(dtype) ? dtype_name(dtype) : nullptr; }
size_t gpuopt_dtype_size(gpuopt_dtype dtype) { return valid_dtype(dtype) ? dtype_size(dtype) : 0; }
char gpuopt_dtype_kind(gpuopt_dtype dtype) { return valid_dtype(dtype) ? dtype_kind(dtype) : 0; }

gpuopt_status gpuopt_dtype_from_name(const char *name, gpuopt_dtype *dtype, gpuopt_error *error) {
  if (dtype) *dtype = GPUOPT_DTYPE_DEFAULT;
  return guarded(error, [&] {
    check_result(dtype, "dtype_from_name");
    *dtype = find_dtype(name);
  });
}

gpuopt_status gpuopt_promote_types(gpuopt_dtype a, gpuopt_dtype b, gpuopt_dtype *result, gpuopt_error *error) {
  if (result) *result = GPUOPT_DTYPE_DEFAULT;
  return guarded(error, [&] {
    check_result(result, "promote_types");
    check_dtype(a, "promote_types");
    check_dtype(b, "promote_types");
    *result = promote(a, b);
  });
}

gpuopt_status gpuopt_result_type(int32_t count, const gpuopt_array *arrays, gpuopt_dtype *result, gpuopt_error *error) {
  if (result) *result = GPUOPT_DTYPE_DEFAULT;
  return guarded(error, [&] {
    check_result(result, "result_type");
    if (count < 1 || !arrays) fail(GPUOPT_ERR_INVALID_ARGUMENT, "result_type: no arrays are given");
    for (int i = 0; i < count; ++i) deref(arrays[i], "result_type");
    *result = common_dtype({arrays, static_cast<size_t>(count)});
  });
}

gpuopt_status gpuopt_can_cast(gpuopt_dtype from, gpuopt_dtype to, int32_t rule, int32_t *allowed, gpuopt_error *error) {
  if (allowed) *allowed = 0;
  return guarded(error, [&] {
    check_result(allowed, "can_cast");
    check_dtype(from, "can_cast");
    check_dtype(to, "can_cast");
    if (rule != 0 && rule != 1) fail(GPUOPT_ERR_INVALID_ARGUMENT, "can_cast: the rule is %d, not 0 or 1", rule);
    *allowed = can_cast(from, to, rule);
  });
}

}  // extern "C"

// tests/comm/serial.h -- what one process computes of the arrays of all ranks, without the library: what the programs
// of search.cpp are checked against. Arrays are the bytes of their elements.
#pragma once
#include <gpuopt/gpuopt.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace serial {

using Shape = std::vector<int64_t>;

// Random numbers that are the same on every machine (SplitMix64: Steele, Lea and Flood, 2014), of a seed that is
// mixed of several numbers.
class Random {
 public:
  explicit Random(uint64_t a, uint64_t b = 0, uint64_t c = 0) : state_(a * 0x9e3779b97f4a7c15 + 1) {
    for (const uint64_t one : {b, c}) state_ = next() ^ (one + 1) * 0xd1342543de82ef95;
  }
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(next() >> 1) % n; }
  bool once_in(int64_t n) { return below(n) == 0; }
  template <class T>
  T one_of(const std::vector<T> &list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }

 private:
  uint64_t state_;
};

// 16-bit floats: the numbers of bits of the exponent and of the fraction tell the two formats apart.
template <int kExponent, int kFraction>
struct Small {
  uint16_t bits;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  float wide() const {
    const int exponent = bits >> kFraction & ((1 << kExponent) - 1), fraction = bits & ((1 << kFraction) - 1);
    float value = std::ldexp(static_cast<float>(fraction), 1 - kBias - kFraction);
    if (exponent == (1 << kExponent) - 1)
      value = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    else if (exponent)
      value = std::ldexp(static_cast<float>(fraction + (1 << kFraction)), exponent - kBias - kFraction);
    return bits >> 15 ? -value : value;
  }
  // The nearest value, of two the one whose last bit is 0.
  static Small of(float value) {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    constexpr uint16_t infinity = ((1 << kExponent) - 1) << kFraction;
    if (std::isnan(value)) return {static_cast<uint16_t>(sign | infinity | 1 << (kFraction - 1))};
    if (std::isinf(value)) return {static_cast<uint16_t>(sign | infinity)};
    if (value == 0) return {sign};
    const int exponent = std::max(std::ilogb(value), 1 - kBias);
    const double steps = std::nearbyint(std::ldexp(std::fabs(static_cast<double>(value)), kFraction - exponent));
    // A carry out of the fraction is one more of the exponent; a subnormal number has no leading 1 and exponent 0.
    const double field = steps + (static_cast<double>(exponent + kBias - 1)) * (1 << kFraction);
    return {static_cast<uint16_t>(sign | static_cast<uint16_t>(std::min<double>(field, infinity)))};
  }
};
using Half = Small<5, 10>;
using Brain = Small<8, 7>;

// Calls the function with an element of the dtype's type.
template <class Function>
auto with_type(gpuopt_dtype dtype, Function function) {
  switch (dtype) {
    case GPUOPT_BOOL:
      return function(bool{});
    case GPUOPT_INT8:
      return function(int8_t{});
    case GPUOPT_INT16:
      return function(int16_t{});
    case GPUOPT_INT32:
      return function(int32_t{});
    case GPUOPT_INT64:
      return function(int64_t{});
    case GPUOPT_UINT8:
      return function(uint8_t{});
    case GPUOPT_UINT16:
      return function(uint16_t{});
    case GPUOPT_UINT32:
      return function(uint32_t{});
    case GPUOPT_UINT64:
      return function(uint64_t{});
    case GPUOPT_FLOAT16:
      return function(Half{});
    case GPUOPT_BFLOAT16:
      return function(Brain{});
    case GPUOPT_FLOAT32:
      return function(float{});
    case GPUOPT_COMPLEX64:
      return function(std::complex<float>{});
    case GPUOPT_COMPLEX128:
      return function(std::complex<double>{});
    default:
      return function(double{});
  }
}
inline const std::vector<gpuopt_dtype> &all_dtypes() {
  static const std::vector<gpuopt_dtype> list = {GPUOPT_BOOL,    GPUOPT_INT8,      GPUOPT_INT16,     GPUOPT_INT32,
                                                 GPUOPT_INT64,   GPUOPT_UINT8,     GPUOPT_UINT16,    GPUOPT_UINT32,
                                                 GPUOPT_UINT64,  GPUOPT_FLOAT16,   GPUOPT_BFLOAT16,  GPUOPT_FLOAT32,
                                                 GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128};
  return list;
}
inline bool is_complex(gpuopt_dtype dtype) { return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128; }
inline size_t item_size(gpuopt_dtype dtype) {
  return with_type(dtype, [](auto zero) { return sizeof zero; });
}

inline int64_t count_of(const Shape &shape) {
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  return count;
}

// An array: the bytes of its elements in C order.
struct Whole {
  gpuopt_dtype dtype = GPUOPT_FLOAT64;
  Shape shape;
  std::vector<char> bytes;

  Whole() = default;
  Whole(gpuopt_dtype type, Shape sizes)
      : dtype(type), shape(std::move(sizes)), bytes(static_cast<size_t>(count()) * item_size(type)) {}
  int64_t count() const { return count_of(shape); }
  int64_t rows() const { return shape.empty() ? 1 : shape[0]; }
  size_t item() const { return item_size(dtype); }
  char *at(int64_t i) { return bytes.data() + static_cast<size_t>(i) * item(); }
  const char *at(int64_t i) const { return bytes.data() + static_cast<size_t>(i) * item(); }
  template <class T>
  T get(int64_t i) const {
    T value;
    std::memcpy(&value, at(i), sizeof value);
    return value;
  }
  template <class T>
  void set(int64_t i, T value) {
    std::memcpy(at(i), &value, sizeof value);
  }
};

inline std::string described(const Whole &x) {
  std::string text = "dtype " + std::to_string(x.dtype) + " (";
  for (const int64_t n : x.shape) text += std::to_string(n) + ",";
  return text + ")";
}

// ---- Random elements

// kAny: of every size, with infinities, NaNs and zeros of both signs. kSmall: integers from -3 to 3, whose products and
// sums are exact in every order.
enum class Range { kAny, kSmall };

template <class T>
T random_real(Random &random, Range range) {
  if (range == Range::kSmall) return static_cast<T>(random.below(7) - 3);
  static const T special[] = {T(0),
                              -T(0),
                              std::numeric_limits<T>::infinity(),
                              -std::numeric_limits<T>::infinity(),
                              std::numeric_limits<T>::quiet_NaN(),
                              std::numeric_limits<T>::max(),
                              std::numeric_limits<T>::denorm_min(),
                              T(1)};
  if (random.once_in(40)) return special[random.below(8)];
  const T value = static_cast<T>(random.below(2000001) - 1000000) / 1000000;
  return std::ldexp(value, static_cast<int>(random.below(30)) - 15);
}

template <class T>
T random_element(Random &random, Range range) {
  if constexpr (std::is_same_v<T, bool>) {
    return random.once_in(2);
  } else if constexpr (std::is_integral_v<T>) {
    if (range == Range::kSmall) return static_cast<T>(random.below(7) - (std::is_signed_v<T> ? 3 : 0));
    if (random.once_in(10)) return random.once_in(2) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return static_cast<T>(random.next());
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain>) {
    return T::of(random_real<float>(random, range));
  } else if constexpr (std::is_floating_point_v<T>) {
    return random_real<T>(random, range);
  } else {
    const auto real = random_real<typename T::value_type>(random, range);
    return T(real, random_real<typename T::value_type>(random, range));
  }
}

inline Whole random_whole(Random random, gpuopt_dtype dtype, const Shape &shape, Range range = Range::kAny) {
  Whole x(dtype, shape);
  with_type(dtype, [&](auto zero) {
    for (int64_t i = 0; i < x.count(); ++i) x.set(i, random_element<decltype(zero)>(random, range));
  });
  return x;
}

// ---- Comparing

template <class T>
bool same_element(T a, T b, bool numbers) {
  if (std::memcmp(&a, &b, sizeof a) == 0) return true;
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) || (numbers && a == b);
  else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain>)
    return same_element(a.wide(), b.wide(), numbers);
  else if constexpr (std::is_integral_v<T>)
    return false;
  else
    return same_element(a.real(), b.real(), numbers) && same_element(a.imag(), b.imag(), numbers);
}

// Returns the index of the first element that differs, -1 if none does, -2 if dtypes or shapes do. NaNs are alike;
// zeros of both signs are where `numbers` is set.
inline int64_t first_difference(const Whole &a, const Whole &b, bool numbers = false) {
  if (a.dtype != b.dtype || a.shape != b.shape) return -2;
  return with_type(a.dtype, [&](auto zero) {
    for (int64_t i = 0; i < a.count(); ++i)
      if (!same_element(a.get<decltype(zero)>(i), b.get<decltype(zero)>(i), numbers)) return i;
    return int64_t{-1};
  });
}

// ---- Reductions

template <class T>
bool is_true(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain>)
    return x.wide() != 0;
  else
    return x != T{};
}

template <class A>
A combine(A a, A b, gpuopt_reduction reduction) {
  const bool sum = reduction == GPUOPT_REDUCTION_sum, product = reduction == GPUOPT_REDUCTION_prod;
  if constexpr (std::is_integral_v<A>) {
    if (sum) return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    if (product) return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    if (sum) return a + b;
    if (product) return a * b;
  }
  if constexpr (std::is_arithmetic_v<A>) {
    if constexpr (std::is_floating_point_v<A>)
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<A>::quiet_NaN();
    return reduction == GPUOPT_REDUCTION_min ? std::min(a, b) : std::max(a, b);
  }
  return a;
}

// Pairwise, in rounds, as gpuopt_comm.h says.
template <class A>
A tree(std::vector<A> parts, gpuopt_reduction reduction) {
  while (parts.size() > 1) {
    std::vector<A> next;
    for (size_t j = 0; j + 1 < parts.size(); j += 2) next.push_back(combine<A>(parts[j], parts[j + 1], reduction));
    if (parts.size() % 2) next.push_back(parts.back());
    parts = next;
  }
  return parts[0];
}

// The arrays of all ranks combined, whose elements have the type T and are combined as A: of() turns one into the
// other.
template <class R, class A, class T, class To, class Back>
Whole combined_as(const std::vector<Whole> &parts, gpuopt_dtype dtype, gpuopt_reduction reduction, To to, Back back) {
  Whole result(dtype, parts[0].shape);
  for (int64_t i = 0; i < result.count(); ++i) {
    std::vector<A> elements;
    for (const Whole &part : parts) elements.push_back(to(part.get<T>(i)));
    result.set<R>(i, back(tree<A>(elements, reduction)));
  }
  return result;
}

inline Whole reduced(const std::vector<Whole> &parts, gpuopt_reduction reduction) {
  const bool any = reduction == GPUOPT_REDUCTION_any, every = reduction == GPUOPT_REDUCTION_all;
  return with_type(parts[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto same = [](T x) { return x; };
    if (any || every)
      return combined_as<bool, int, T>(
          parts, GPUOPT_BOOL, any ? GPUOPT_REDUCTION_max : GPUOPT_REDUCTION_min, [](T x) { return is_true(x) ? 1 : 0; },
          [](int x) { return x != 0; });
    if constexpr (std::is_same_v<T, bool>) {
      const bool counted = reduction == GPUOPT_REDUCTION_sum || reduction == GPUOPT_REDUCTION_prod;
      const auto number = [](bool x) { return static_cast<int64_t>(x); };
      if (counted)
        return combined_as<int64_t, int64_t, T>(parts, GPUOPT_INT64, reduction, number, [](int64_t x) { return x; });
      return combined_as<bool, int64_t, T>(parts, GPUOPT_BOOL, reduction, number, [](int64_t x) { return x != 0; });
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain>) {
      return combined_as<T, float, T>(
          parts, parts[0].dtype, reduction, [](T x) { return x.wide(); }, T::of);
    } else {
      return combined_as<T, T, T>(parts, parts[0].dtype, reduction, same, same);
    }
  });
}

// ---- Rows

// Where rank r's part of that many rows begins, of `size` ranks, as numpy.array_split cuts.
inline int64_t begin_of(int64_t rows, int64_t size, int64_t r) { return r * (rows / size) + std::min(r, rows % size); }

// The elements whose index along the axis is in [from, to).
inline Whole cut(const Whole &x, size_t axis, int64_t from, int64_t to) {
  Shape shape = x.shape;
  shape[axis] = to - from;
  Whole part(x.dtype, shape);
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < axis; ++i) outer *= shape[i];
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  for (int64_t o = 0; o < outer && part.count(); ++o)
    std::memcpy(part.at(o * (to - from) * inner), x.at((o * x.shape[axis] + from) * inner),
                static_cast<size_t>((to - from) * inner) * x.item());
  return part;
}

inline Whole rows(const Whole &x, int64_t from, int64_t to) { return cut(x, 0, from, to); }

// One behind the other along the axis; arrays without dimensions are one row.
inline Whole joined(const std::vector<Whole> &parts, size_t axis = 0) {
  Shape shape = parts[0].shape;
  for (const Whole &part : parts)
    if (part.shape.size() > shape.size()) shape = part.shape;
  if (shape.empty()) shape = {1};
  shape[axis] = 0;
  for (const Whole &part : parts) shape[axis] += part.shape.empty() ? 1 : part.shape[axis];
  Whole result(parts[0].dtype, shape);
  int64_t outer = 1, at = 0;
  for (size_t i = 0; i < axis; ++i) outer *= shape[i];
  for (int64_t o = 0; o < outer; ++o)
    for (const Whole &part : parts) {
      const int64_t some = part.count() / outer;
      if (some) std::memcpy(result.at(at), part.at(o * some), static_cast<size_t>(some) * result.item());
      at += some;
    }
  return result;
}

}  // namespace serial

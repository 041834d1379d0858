// abi/gpuopt/hpp/base.hpp -- part of gpuopt.hpp: errors, handles, dtypes, numbers, shapes, axes, subscripts.
#ifndef GPUOPT_HPP_BASE_HPP
#define GPUOPT_HPP_BASE_HPP

#include <complex>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../gpuopt.h"

namespace gpuopt {
inline namespace v1 {

class array;

// ---- Errors ------------------------------------------------------------------------------------------------------

// What every failure is thrown as: the gpuopt_error of the call, by value.
class error : public std::exception {
 public:
  // The exception that carries a copy of `raw`.
  explicit error(const gpuopt_error &raw) noexcept : raw_(raw) {}
  // The message: it names the operation, dtypes, shapes and devices involved.
  const char *what() const noexcept override {
    return raw_.message[0] ? raw_.message : gpuopt_status_message(raw_.code);
  }
  // What kind of failure it is: GPUOPT_ERR_*.
  gpuopt_status code() const noexcept { return raw_.code; }
  // Why a device could not be used, GPUOPT_REASON_*; GPUOPT_REASON_NONE for other failures.
  gpuopt_reason reason() const noexcept { return raw_.reason; }
  // All that the C function reported. It lives as long as this object.
  const gpuopt_error &raw() const noexcept { return raw_; }

 private:
  gpuopt_error raw_;
};

namespace detail {

[[noreturn]] inline void raise(gpuopt_status code, const std::string &message) {
  gpuopt_error e = GPUOPT_ERROR_INIT;
  e.code = code;
  message.copy(e.message, sizeof e.message - 1);
  throw error(e);
}

// Calls a function of gpuopt.h with an error struct behind its arguments, and throws what it reports.
template <class F, class... Args>
void call(F function, Args... args) {
  gpuopt_error e = GPUOPT_ERROR_INIT;
  e.code = function(args..., &e);
  if (e.code != GPUOPT_OK) throw error(e);
}

// The same for functions that give out a handle, which T takes over.
template <class T, class F, class... Args>
T make(F function, Args... args) {
  typename T::raw_type handle = nullptr;
  call(function, args..., &handle);
  return T(typename T::handle_type(handle));
}

struct device_traits {
  using raw = gpuopt_device;
  static void retain(raw h) { gpuopt_device_retain(h); }
  static void release(raw h) { gpuopt_device_release(h); }
};
struct stream_traits {
  using raw = gpuopt_stream;
  static void retain(raw h) { gpuopt_stream_retain(h); }
  static void release(raw h) { gpuopt_stream_release(h); }
};
struct array_traits {
  using raw = gpuopt_array;
  static void retain(raw h) { gpuopt_array_retain(h); }
  static void release(raw h) { gpuopt_array_release(h); }
};
struct event_traits {
  using raw = gpuopt_event;
  static void release(raw h) { gpuopt_event_release(h); }
};
struct npz_traits {
  using raw = gpuopt_npz;
  static void release(raw h) { gpuopt_npz_close(h); }
};
struct kernel_traits {
  using raw = gpuopt_kernel;
  static void retain(raw h) { gpuopt_kernel_retain(h); }
  static void release(raw h) { gpuopt_kernel_release(h); }
};
struct random_state_traits {
  using raw = gpuopt_random_state;
  static void release(raw h) { gpuopt_random_state_release(h); }
};
struct comm_traits {
  using raw = gpuopt_comm;
  static void retain(raw h) { gpuopt_comm_retain(h); }
  static void release(raw h) { gpuopt_comm_release(h); }
};
struct shard_traits {
  using raw = gpuopt_shard;
  static void retain(raw h) { gpuopt_shard_retain(h); }
  static void release(raw h) { gpuopt_shard_release(h); }
};
struct generator_traits {
  using raw = gpuopt_generator;
  static void release(raw h) { gpuopt_generator_release(h); }
};

// A handle with one owner.
template <class Traits>
class unique {
 public:
  using raw_type = typename Traits::raw;
  using handle_type = unique;
  unique() noexcept = default;
  explicit unique(raw_type owned) noexcept : raw_(owned) {}
  unique(unique &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  unique &operator=(unique &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~unique() {
    if (raw_) Traits::release(raw_);
  }
  raw_type get() const noexcept { return raw_; }  // still owned by this object
  bool empty() const noexcept { return raw_ == nullptr; }

 private:
  raw_type raw_ = nullptr;
};

// A handle that is counted: copies refer to the same object.
template <class Traits>
class shared : public unique<Traits> {
 public:
  using handle_type = shared;
  using unique<Traits>::unique;
  shared() noexcept = default;
  shared(const shared &other) noexcept : unique<Traits>(other.get()) {
    if (other.get()) Traits::retain(other.get());
  }
  shared(shared &&) noexcept = default;
  shared &operator=(const shared &other) noexcept { return *this = shared(other); }
  shared &operator=(shared &&) noexcept = default;
};

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};
// What counts as a number beside an array.
template <class T>
using if_number = std::enable_if_t<std::is_arithmetic_v<T> || is_complex<T>::value, int>;
template <class T>
using if_integer = std::enable_if_t<std::is_integral_v<T>, int>;

}  // namespace detail

// ---- dtypes and scalars ------------------------------------------------------------------------------------------

enum class dtype : gpuopt_dtype {};  // the values are gpuopt.h's: gpuopt::float32 is GPUOPT_FLOAT32
inline constexpr dtype default_dtype{GPUOPT_DTYPE_DEFAULT}, bool_{GPUOPT_BOOL};
inline constexpr dtype int8{GPUOPT_INT8}, int16{GPUOPT_INT16}, int32{GPUOPT_INT32}, int64{GPUOPT_INT64};
inline constexpr dtype uint8{GPUOPT_UINT8}, uint16{GPUOPT_UINT16}, uint32{GPUOPT_UINT32}, uint64{GPUOPT_UINT64};
inline constexpr dtype float16{GPUOPT_FLOAT16}, bfloat16{GPUOPT_BFLOAT16}, float32{GPUOPT_FLOAT32};
inline constexpr dtype float64{GPUOPT_FLOAT64}, complex64{GPUOPT_COMPLEX64}, complex128{GPUOPT_COMPLEX128};

// The number that gpuopt.h has for a dtype.
constexpr gpuopt_dtype raw(dtype t) { return static_cast<gpuopt_dtype>(t); }
// NumPy's name of a dtype, such as "float32"; "default" for default_dtype. The text is static.
inline const char *name(dtype t) {
  const char *known = gpuopt_dtype_name(raw(t));
  return known ? known : "default";
}
// Writes the name of the dtype.
inline std::ostream &operator<<(std::ostream &out, dtype t) { return out << name(t); }

namespace detail {
template <class T>
constexpr dtype dtype_of_number() {
  if constexpr (std::is_same_v<T, bool>) return bool_;
  if constexpr (std::is_same_v<T, float>) return float32;
  if constexpr (std::is_same_v<T, double>) return float64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return complex64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return complex128;
  constexpr bool sign = std::is_signed_v<T>;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1) return sign ? int8 : uint8;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 2) return sign ? int16 : uint16;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return sign ? int32 : uint32;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return sign ? int64 : uint64;
  return default_dtype;
}
}  // namespace detail
// The dtype of elements that are Ts in memory. There is none for other types, such as long double.
template <class T>
inline constexpr dtype dtype_of = [] {
  constexpr dtype t = detail::dtype_of_number<T>();
  static_assert(t != default_dtype, "no dtype has elements of this C++ type");
  return t;
}();

namespace detail {
// Between float and double without the processor's conversion where it would make zero of a denormal float, in a
// program that flushes them (-ffast-math).
constexpr double float_unit = 1.40129846432481707092e-45;  // the least denormal, a power of two

template <class T>
double widened(T v) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude < 0x00800000) return (bits >> 31 ? -float_unit : float_unit) * static_cast<double>(magnitude);
  }
  return static_cast<double>(v);
}

template <class T>
T narrowed(double v) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    const double magnitude = v < 0 ? -v : v;
    if (magnitude > 0 && magnitude < float_unit * 0x800000) {
      const auto units = static_cast<uint32_t>(magnitude / float_unit);
      if (static_cast<double>(units) * float_unit == magnitude) {  // else the processor rounds it
        const uint32_t bits = units | (v < 0 ? 0x80000000 : 0);
        float exact;
        std::memcpy(&exact, &bits, sizeof exact);
        return exact;
      }
    }
  }
  return static_cast<T>(v);
}
}  // namespace detail

// One number, by value: a C++ number of any arithmetic or complex type.
class scalar {
 public:
  // A number as gpuopt.h holds it.
  scalar(const gpuopt_scalar &raw) noexcept : raw_(raw) {}
  // A C++ number: bool, an integer, a real, which is held as double, or a std::complex.
  template <class T, detail::if_number<T> = 0>
  scalar(T value) noexcept : raw_(of(value)) {}
  // The scalar as gpuopt.h holds it. It lives as long as this object.
  const gpuopt_scalar &raw() const noexcept { return raw_; }
  // Returns the number as a T. A real that is no integer, and an integer out of range, do not go into an integer
  // (GPUOPT_ERR_OVERFLOW); a complex number does not go into a real (GPUOPT_ERR_TYPE).
  template <class T>
  T as() const;

 private:
  template <class T>
  static gpuopt_scalar of(T value) noexcept {
    if constexpr (std::is_same_v<T, bool>)
      return gpuopt_scalar_bool(value);
    else if constexpr (std::is_floating_point_v<T>)
      return gpuopt_scalar_real(detail::widened(value));
    else if constexpr (detail::is_complex<T>::value)
      return gpuopt_scalar_complex(detail::widened(value.real()), detail::widened(value.imag()));
    else if constexpr (std::is_signed_v<T>)
      return gpuopt_scalar_int(value);
    else
      return gpuopt_scalar_uint(value);
  }
  gpuopt_scalar raw_;
};

namespace detail {
// Whether v is an integer that T holds. The bounds are powers of two, hence exact.
template <class T>
bool fits(double v) {
  constexpr auto half = std::numeric_limits<T>::max() / 2 + 1;
  const double top = 2.0 * static_cast<double>(half);
  return v < top && v >= (std::is_signed_v<T> ? -top : 0.0) && static_cast<double>(static_cast<T>(v)) == v;
}
template <class T, class Integer>
bool fits(Integer v) {
  return (v < 0) == (static_cast<T>(v) < 0) && static_cast<Integer>(static_cast<T>(v)) == v;
}
template <class T, class V>
T number_as(V v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (!fits<T>(v)) raise(GPUOPT_ERR_OVERFLOW, std::to_string(v) + " does not fit the type asked for");
  } else if constexpr (std::is_same_v<V, double>) {
    return narrowed<T>(v);
  }
  return static_cast<T>(v);
}
}  // namespace detail

template <class T>
T scalar::as() const {
  if constexpr (detail::is_complex<T>::value) {
    if (raw_.kind == 'c')
      return T(detail::narrowed<typename T::value_type>(raw_.value.f),
               detail::narrowed<typename T::value_type>(raw_.imag));
    return T(as<typename T::value_type>());
  } else {
    switch (raw_.kind) {
      case 'c':
        detail::raise(GPUOPT_ERR_TYPE, "a complex number does not go into a real type");
      case 'f':
        return detail::number_as<T>(raw_.value.f);
      case 'u':
        return detail::number_as<T>(raw_.value.u);
      default:
        return detail::number_as<T>(raw_.value.i);
    }
  }
}

// ---- Shapes, axes and subscripts ---------------------------------------------------------------------------------

// Up to GPUOPT_MAX_NDIM numbers, by value: a shape, strides, or a list of axes. From a number, braces or a vector.
class dims {
 public:
  struct number {  // any integer, so that {n, m} takes size_t variables too
    int64_t value;
    template <class T, detail::if_integer<T> = 0>
    constexpr number(T v) noexcept : value(static_cast<int64_t>(v)) {}
  };
  dims() noexcept = default;  // no numbers: the shape of an array without dimensions
  // One number.
  template <class T, detail::if_integer<T> = 0>
  dims(T one) : count_(1) {
    values_[0] = static_cast<int64_t>(one);
  }
  // The numbers in braces. More than GPUOPT_MAX_NDIM, here and below, are GPUOPT_ERR_SHAPE.
  dims(std::initializer_list<number> list) : count_(checked(list.size())) {
    int64_t *to = values_;
    for (number n : list) *to++ = n.value;
  }
  // The numbers of a vector.
  template <class T, detail::if_integer<T> = 0>
  dims(const std::vector<T> &list) : dims(list.data(), list.size()) {}
  // `count` numbers from `list` on, which are copied.
  template <class T>
  dims(const T *list, size_t count) : count_(checked(count)) {
    for (size_t i = 0; i < count; ++i) values_[i] = static_cast<int64_t>(list[i]);
  }
  // How many numbers there are.
  int32_t size() const noexcept { return count_; }
  // The first of them. The addresses are good as long as this object lives.
  const int64_t *data() const noexcept { return values_; }
  // The first of them, for loops over all.
  const int64_t *begin() const noexcept { return values_; }
  // Behind the last of them.
  const int64_t *end() const noexcept { return values_ + count_; }
  // Number `i`, which must be at least 0 and less than size(): it is not checked.
  int64_t operator[](int32_t i) const noexcept { return values_[i]; }
  // Whether both have the same numbers in the same order.
  friend bool operator==(const dims &a, const dims &b) noexcept {
    bool same = a.count_ == b.count_;
    for (int32_t i = 0; same && i < a.count_; ++i) same = a.values_[i] == b.values_[i];
    return same;
  }
  // Whether they differ.
  friend bool operator!=(const dims &a, const dims &b) noexcept { return !(a == b); }
  friend std::ostream &operator<<(std::ostream &out, const dims &d) {  // as Python prints a tuple
    out << '(';
    for (int32_t i = 0; i < d.count_; ++i) out << (i ? ", " : "") << d.values_[i];
    return out << (d.count_ == 1 ? ",)" : ")");
  }

 private:
  static int32_t checked(size_t count) {
    if (count > GPUOPT_MAX_NDIM) detail::raise(GPUOPT_ERR_SHAPE, "an array has at most 64 dimensions");
    return static_cast<int32_t>(count);
  }
  int64_t values_[GPUOPT_MAX_NDIM] = {};
  int32_t count_ = 0;
};

// What a reduction goes over, and how: sum(x), sum(x, 0), sum(x, {0, -1}), std(x, axes(0).keepdims().correction(1)).
class axes {
 public:
  axes() = default;  // all axes
  // One axis; negative ones count from the end.
  template <class T, detail::if_integer<T> = 0>
  axes(T axis) : list_(axis), all_(false) {}
  // The axes in braces; none in empty braces.
  axes(std::initializer_list<dims::number> list) : list_(list), all_(false) {}
  // The axes of a list.
  axes(const dims &list) : list_(list), all_(false) {}
  // Whether the axes that are reduced stay, with size 1.
  axes &keepdims(bool keep = true) {
    keepdims_ = keep;
    return *this;
  }
  axes &type(dtype t) {  // of accumulation and result
    dtype_ = t;
    return *this;
  }
  axes &correction(double c) {  // NumPy's ddof: var and std divide by n - c
    correction_ = c;
    return *this;
  }
  // Which elements count: a bool array that broadcasts to the one that is reduced. max and min also need initial().
  axes &where(detail::shared<detail::array_traits> mask) {
    where_ = std::move(mask);
    return *this;
  }
  // A number that is combined with the elements, in the result's dtype; what max and min of nothing are.
  axes &initial(const scalar &number) {
    initial_ = number.raw();
    return *this;
  }
  // The array that the result is written to and that is returned: of the result's shape, and of any dtype.
  axes &out(detail::shared<detail::array_traits> to) {
    out_ = std::move(to);
    return *this;
  }
  gpuopt_reduce_options raw() const noexcept {  // points into *this
    gpuopt_reduce_options options{};
    options.struct_size = sizeof options;
    options.axes = all_ ? nullptr : list_.data();
    options.naxes = list_.size();
    options.keepdims = keepdims_;
    options.dtype = gpuopt::raw(dtype_);
    options.correction = correction_;
    options.where = where_.get();
    options.initial = initial_.kind ? &initial_ : nullptr;
    options.out = out_.get();
    return options;
  }

 private:
  dims list_;
  bool all_ = true, keepdims_ = false;
  dtype dtype_ = default_dtype;
  double correction_ = 0;
  detail::shared<detail::array_traits> where_, out_;
  gpuopt_scalar initial_{};  // kind 0: none
};

inline constexpr int64_t none = GPUOPT_SLICE_ALL;  // a bound of a slice that is left out
// Python's slice: slice(stop), slice(start, stop), slice(start, stop, step); slice(none, none, -1) reverses.
struct slice {
  int64_t start = none, stop = none, step = 1;
  // The first `stop_` elements; a negative bound, here and below, counts from the end.
  constexpr explicit slice(int64_t stop_) : stop(stop_) {}
  // Every `step_`-th element from `start_` to before `stop_`. A step of 0 is GPUOPT_ERR_INVALID_ARGUMENT where the
  // slice is used.
  constexpr slice(int64_t start_, int64_t stop_, int64_t step_ = 1) : start(start_), stop(stop_), step(step_) {}
};
struct newaxis_t {};
struct ellipsis_t {};
// `all` as a subscript is Python's `:`; called, it is the reduction: all(x > 0).
struct all_t {
  // Whether all elements are true, along axes: a bool array. See gpuopt_all().
  array operator()(array x, const axes &over = {}) const;
};
inline constexpr newaxis_t newaxis{};
inline constexpr ellipsis_t ellipsis{};
inline constexpr all_t all{};

namespace detail {
template <class T>
inline constexpr bool is_item = std::is_same_v<T, all_t> || std::is_same_v<T, newaxis_t> ||
                                std::is_same_v<T, ellipsis_t> || std::is_same_v<T, slice>;
template <class T>
inline constexpr bool is_subscript = is_item<T> || std::is_integral_v<T> || std::is_same_v<T, array>;
template <class L, class R>
using if_subscripts = std::enable_if_t<is_subscript<L> && is_subscript<R> && (is_item<L> || is_item<R>), int>;
template <class...>
inline constexpr bool never = false;  // depends on a template's parameters, so that only uses of the template fail
}  // namespace detail

// Before C++23 the brackets of x[all, 0] hold one expression, whose comma drops what stands before it: an error here.
// A comma between two integers, x[1, 2], cannot be refused here: the compiler's own warning tells of it.
template <class L, class R, detail::if_subscripts<L, R> = 0>
R operator,(L, R right) {
  static_assert(detail::never<L, R>, "several subscripts in [] need C++23: write x(a, b) or x[{a, b}]");
  return right;
}

// One item of a subscript: an integer, a slice, all, newaxis or ellipsis.
class subscript {
 public:
  // One element along an axis, which the result then lacks; negative ones count from the end.
  template <class T, detail::if_integer<T> = 0>
  subscript(T i) : raw_{GPUOPT_INDEX_INTEGER, 0, static_cast<int64_t>(i), 0, 0} {}
  // A range of elements along an axis.
  subscript(const slice &s) : raw_{GPUOPT_INDEX_SLICE, 0, s.start, s.stop, s.step} {}
  // All elements along an axis: Python's `:`.
  subscript(all_t) : raw_{GPUOPT_INDEX_SLICE, 0, none, none, 1} {}
  // A new axis of size 1.
  subscript(newaxis_t) : raw_{GPUOPT_INDEX_NEWAXIS, 0, 0, 0, 0} {}
  // Stands for as many `all` as are missing: Python's `...`.
  subscript(ellipsis_t) : raw_{GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0} {}

 private:
  friend class array;
  friend class any_subscript;
  gpuopt_index raw_;
};

}  // namespace v1
}  // namespace gpuopt
#endif

// tests/comm/rank.h -- what the programs have in common that run as the ranks of a job: checks that end the program,
// and arrays made of, and read to, vectors.
#pragma once
#include <gpuopt/gpuopt.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace rank_test {

inline gpuopt_comm world = nullptr;
inline gpuopt_device device = nullptr;  // where arrays are made

[[noreturn]] inline void die(const char *file, int line, const std::string &what) {
  std::fprintf(stderr, "%s:%d: rank %d of %d: %s\n", file, line, gpuopt_comm_rank(world), gpuopt_comm_size(world),
               what.c_str());
  std::exit(1);
}

#define REQUIRE(condition)                                                       \
  do {                                                                           \
    if (!(condition)) rank_test::die(__FILE__, __LINE__, "not so: " #condition); \
  } while (0)

// Calls a function of the C ABI: DONE(gpuopt_barrier, comm) passes an error struct behind the arguments.
#define DONE(function, ...)                                                         \
  do {                                                                              \
    gpuopt_error e_ = GPUOPT_ERROR_INIT;                                            \
    if (function(__VA_ARGS__, &e_) != GPUOPT_OK)                                    \
      rank_test::die(__FILE__, __LINE__, #function ": " + std::string(e_.message)); \
  } while (0)

// Calls a function that has to fail with the status, and with a message that has the text in it.
#define FAILS(status, text, function, ...)                                                            \
  do {                                                                                                \
    gpuopt_error e_ = GPUOPT_ERROR_INIT;                                                              \
    const gpuopt_status got_ = function(__VA_ARGS__, &e_);                                            \
    if (got_ != (status) || !std::strstr(e_.message, text))                                           \
      rank_test::die(__FILE__, __LINE__,                                                              \
                     #function " gave " + std::string(gpuopt_status_name(got_)) + ": " + e_.message); \
  } while (0)

template <class T>
constexpr gpuopt_dtype dtype_of();
#define RANK_DTYPE(type, dtype)             \
  template <>                               \
  constexpr gpuopt_dtype dtype_of<type>() { \
    return dtype;                           \
  }
RANK_DTYPE(bool, GPUOPT_BOOL)
RANK_DTYPE(int8_t, GPUOPT_INT8)
RANK_DTYPE(int16_t, GPUOPT_INT16)
RANK_DTYPE(int32_t, GPUOPT_INT32)
RANK_DTYPE(int64_t, GPUOPT_INT64)
RANK_DTYPE(uint8_t, GPUOPT_UINT8)
RANK_DTYPE(uint16_t, GPUOPT_UINT16)
RANK_DTYPE(uint32_t, GPUOPT_UINT32)
RANK_DTYPE(uint64_t, GPUOPT_UINT64)
RANK_DTYPE(float, GPUOPT_FLOAT32)
RANK_DTYPE(double, GPUOPT_FLOAT64)
RANK_DTYPE(std::complex<float>, GPUOPT_COMPLEX64)
RANK_DTYPE(std::complex<double>, GPUOPT_COMPLEX128)
#undef RANK_DTYPE

// An array, released with the object.
class Array {
 public:
  Array() = default;
  explicit Array(gpuopt_array x) : x_(x) {}
  Array(Array &&o) noexcept : x_(o.x_) { o.x_ = nullptr; }
  Array &operator=(Array &&o) noexcept {
    std::swap(x_, o.x_);
    return *this;
  }
  ~Array() { gpuopt_array_release(x_); }
  gpuopt_array get() const { return x_; }
  // For a function that gives an array out.
  gpuopt_array *out() {
    gpuopt_array_release(x_);
    x_ = nullptr;
    return &x_;
  }

 private:
  gpuopt_array x_ = nullptr;
};

using Shape = std::vector<int64_t>;

template <class T>
Array make(const std::vector<T> &values, const Shape &shape) {
  std::vector<char> bytes(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  Array x;
  DONE(gpuopt_array_from, device, bytes.data(), dtype_of<T>(), static_cast<int32_t>(shape.size()), shape.data(),
       x.out());
  return x;
}
template <class T>
Array make(const std::vector<T> &values) {
  return make(values, {static_cast<int64_t>(values.size())});
}

template <class T>
std::vector<T> read(const Array &x) {
  REQUIRE(x.get() && gpuopt_array_dtype(x.get()) == dtype_of<T>());
  const auto size = static_cast<size_t>(gpuopt_array_size(x.get()));
  std::vector<char> bytes(size * sizeof(T) + 1);
  DONE(gpuopt_to_host, x.get(), bytes.data(), size * sizeof(T));
  std::vector<T> values;
  for (size_t i = 0; i < size; ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values.push_back(value);
  }
  return values;
}

// Whether two lists have the same bits.
template <class T>
bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const T x = a[i], y = b[i];
    if (std::memcmp(&x, &y, sizeof(T)) != 0) return false;
  }
  return true;
}

inline Shape shape_of(const Array &x) {
  const int64_t *sizes = gpuopt_array_shape(x.get());
  return Shape(sizes, sizes + gpuopt_array_ndim(x.get()));
}

// Opens the device that GPUOPT_RANK_DEVICE names, the CPU if it is not set, and joins the job with it.
inline void open_device() {
  const char *const request = std::getenv("GPUOPT_RANK_DEVICE");
  DONE(gpuopt_device_open, request ? request : "cpu", nullptr, &device);
}
inline gpuopt_comm_options options_with_device() {
  gpuopt_comm_options options{};
  options.struct_size = sizeof options;
  options.device = device;
  return options;
}
inline void begin() {
  open_device();
  const gpuopt_comm_options options = options_with_device();
  DONE(gpuopt_comm_init, nullptr, &options, &world);
}

}  // namespace rank_test

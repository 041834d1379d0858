// tests/comm/rank.h -- what the programs have in common that run as the ranks of a job: checks that end the program,
// and arrays made of, and read to, vectors.
//
// A program is the process of one rank, or, where GPUOPT_RANK_THREADS names devices, with semicolons between, has a
// thread for each of them, which are all ranks of one job.
#pragma once
#include <gpuopt/gpuopt.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace rank_test {

inline thread_local gpuopt_comm world = nullptr;
inline thread_local gpuopt_device device = nullptr;  // where arrays are made

[[noreturn]] inline void die(const char *file, int line, const std::string &what) {
  std::fprintf(stderr, "%s:%d: rank %d of %d: %s\n", file, line, gpuopt_comm_rank(world), gpuopt_comm_size(world),
               what.c_str());
  std::_Exit(1);  // other ranks may be threads of this process, and run
}

// Whether the ranks are threads of one process.
inline bool are_threads() { return std::strcmp(gpuopt_comm_name(world), "threads") == 0; }

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

// A shard, released with the object.
class Shard {
 public:
  Shard() = default;
  Shard(const Shard &) = delete;
  Shard &operator=(const Shard &) = delete;
  ~Shard() { gpuopt_shard_release(x_); }
  gpuopt_shard get() const { return x_; }
  // For a function that gives a shard out.
  gpuopt_shard *out() {
    gpuopt_shard_release(x_);
    x_ = nullptr;
    return &x_;
  }
  void swap(Shard &o) noexcept { std::swap(x_, o.x_); }
  // The rows of this rank, and where they lie.
  Array part() const {
    Array part;
    DONE(gpuopt_shard_part, x_, part.out());
    return part;
  }
  int64_t begin() const { return gpuopt_shard_bounds(x_)[gpuopt_comm_rank(world)]; }
  int64_t end() const { return gpuopt_shard_bounds(x_)[gpuopt_comm_rank(world) + 1]; }

 private:
  gpuopt_shard x_ = nullptr;
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

// Opens the device that GPUOPT_RANK_DEVICE names, the CPU if it is not set, and joins the job with it. A rank that is a
// thread has both.
inline void open_device() {
  if (device) return;
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
  if (world) return;
  const gpuopt_comm_options options = options_with_device();
  DONE(gpuopt_comm_init, nullptr, &options, &world);
}

// What a program's ranks do, with the arguments of main(); 0 is success.
using Body = int (*)(int argc, char **argv);

struct RankThreads {
  Body body;
  int argc;
  char **argv;
  std::vector<gpuopt_device> devices;
};

inline gpuopt_status run_as_thread(gpuopt_comm comm, void *context, gpuopt_error *) {
  const auto &ranks = *static_cast<const RankThreads *>(context);
  gpuopt_comm_retain(comm);
  world = comm;
  device = ranks.devices[static_cast<size_t>(gpuopt_comm_rank(comm))];
  const int code = ranks.body(ranks.argc, ranks.argv);
  world = nullptr;
  return code ? GPUOPT_ERR_INTERNAL : GPUOPT_OK;
}

inline int run_ranks(Body body, int argc, char **argv) {
  const char *const threads = std::getenv("GPUOPT_RANK_THREADS");
  if (!threads) return body(argc, argv);
  RankThreads ranks{body, argc, argv, {}};
  std::string requests = threads;
  while (!requests.empty()) {
    const size_t end = std::min(requests.find(';'), requests.size());
    gpuopt_device one = nullptr;
    DONE(gpuopt_device_open, requests.substr(0, end).c_str(), nullptr, &one);
    ranks.devices.push_back(one);
    requests.erase(0, end + 1);
  }
  DONE(gpuopt_comm_run_devices, static_cast<int32_t>(ranks.devices.size()), ranks.devices.data(), nullptr,
       run_as_thread, &ranks);
  return 0;
}

}  // namespace rank_test

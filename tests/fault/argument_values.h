// tests/fault/argument_values.h -- what every argument of a public function is tried with, by its type: first a value
// that is right, then NULL, 0, and what no caller should give.
#pragma once
#include <gpuopt/gpuopt.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace fault {

using Release = void (*)(void *);

// What is at hand in every call: made once in each process.
struct Things {
  gpuopt_device device = nullptr;
  gpuopt_stream stream = nullptr;
  gpuopt_event event = nullptr;
  gpuopt_kernel kernel = nullptr, raw = nullptr;
  gpuopt_random_state state = nullptr;
  gpuopt_generator generator = nullptr;
  gpuopt_npz npz = nullptr;
  gpuopt_comm comm = nullptr;
  gpuopt_shard shard = nullptr;
  gpuopt_cfunc cfunc = nullptr;  // NULL where there is no compiler
  gpuopt_texture texture = nullptr;
  std::vector<gpuopt_array> arrays;
  std::string directory;

  static Things &get() {
    static auto *const made = new Things;
    return *made;
  }
  // Throws what failed.
  void make(const std::string &in);
};

inline void must(gpuopt_status status, const char *what) {
  if (status != GPUOPT_OK) throw std::string(what) + ": " + gpuopt_status_name(status);
}

inline void Things::make(const std::string &in) {
  directory = in;
  must(gpuopt_device_open("cpu", nullptr, &device, nullptr), "device_open");
  must(gpuopt_stream_create(device, &stream, nullptr), "stream_create");
  must(gpuopt_event_record(stream, &event, nullptr), "event_record");
  must(gpuopt_elementwise_kernel("T x", "T y", "y = x", "same", nullptr, &kernel, nullptr), "elementwise_kernel");
  must(gpuopt_raw_kernel("__global__ void same(double *x) { x[threadIdx.x] += 0; }", "same", &raw, nullptr),
       "raw_kernel");
  const gpuopt_status compiled =
      gpuopt_compile_cfunc("double twice(double x) { return 2 * x; }", "twice", "float64->float64", &cfunc, nullptr);
  if (compiled != GPUOPT_ERR_JIT_UNAVAILABLE) must(compiled, "compile_cfunc");
  must(gpuopt_random_state_create(device, 1, &state, nullptr), "random_state_create");
  must(gpuopt_generator_create(device, 1, &generator, nullptr), "generator_create");
  must(gpuopt_comm_init("self", nullptr, &comm, nullptr), "comm_init");
  const int64_t shapes[][3] = {{2, 3, 1}, {0, 3, 1}, {1, 1, 1}, {3, 2, 1}};
  const auto add = [this](gpuopt_dtype dtype, int32_t ndim, const int64_t *shape) {
    gpuopt_array x = nullptr;
    must(gpuopt_ones(device, dtype, ndim, shape, &x, nullptr), "ones");
    must(gpuopt_eval(1, &x, nullptr), "eval");
    arrays.push_back(x);
  };
  add(GPUOPT_FLOAT64, 2, shapes[0]);
  add(GPUOPT_FLOAT64, 2, shapes[1]);
  add(GPUOPT_BOOL, 0, shapes[2]);
  add(GPUOPT_COMPLEX64, 3, shapes[3]);
  add(GPUOPT_INT8, 2, shapes[0]);
  add(GPUOPT_FLOAT16, 1, shapes[3]);
  add(GPUOPT_UINT64, 2, shapes[0]);
  must(gpuopt_texture_create(arrays[4], nullptr, &texture, nullptr), "texture_create");
  gpuopt_array weak = nullptr, wide = nullptr, pending = nullptr;
  must(gpuopt_weak(gpuopt_scalar_int(INT64_MIN), &weak, nullptr), "weak");
  const int64_t huge[] = {int64_t{1} << 50, 2, 3};
  must(gpuopt_broadcast_to(arrays[0], 3, huge, &wide, nullptr), "broadcast_to");
  must(gpuopt_add(arrays[0], arrays[0], &pending, nullptr), "add");
  arrays.insert(arrays.end(), {weak, wide, pending});
  must(gpuopt_shard_from_whole(comm, arrays[0], &shard, nullptr), "shard_from_whole");
  const char *const names[] = {"x"};
  const std::string path = directory + "/in.npz";
  must(gpuopt_save_npz(path.c_str(), 1, names, arrays.data(), 0, nullptr), "save_npz");
  must(gpuopt_save_npy(arrays[0], (directory + "/in.npy").c_str(), nullptr), "save_npy");
  must(gpuopt_npz_open(path.c_str(), &npz, nullptr), "npz_open");
}

template <class T>
std::vector<T> values(const std::string &name) = delete;

// ---- Numbers

template <class T>
std::vector<T> integers(T right) {
  using Limits = std::numeric_limits<T>;
  return {right, T(0),  T(1),  T(2),          T(-1),         T(7),
          T(64), T(65), T(99), Limits::max(), Limits::min(), T(Limits::max() / 2 + 1)};
}
template <>
inline std::vector<int32_t> values(const std::string &name) {
  if (name == "number_of_results") return {1, 2, 3, 7, 64, 65, -1, INT32_MIN};
  return integers<int32_t>(name == "ndim" ? 2 : name == "count" ? 1 : 0);
}
template <>
inline std::vector<int64_t> values(const std::string &name) {
  if (name == "length") return {1, 0, 64, -1, INT64_MIN};  // of memory, which is written
  std::vector<int64_t> all = integers<int64_t>(1);
  all.insert(all.end(), {int64_t{1} << 40, -(int64_t{1} << 40)});
  return all;
}
template <>
inline std::vector<uint32_t> values(const std::string &) {
  return integers<uint32_t>(3);
}
template <>
inline std::vector<uint64_t> values(const std::string &name) {
  if (name == "text_size") return {1, 0};                     // every text has a byte, if only the NUL at its end
  if (name == "bytes_at_data") return {48, 0, 1, 47, 65535};  // memory that is there is not as large as any number
  return integers<uint64_t>(48);
}
template <>
inline std::vector<double> values(const std::string &) {
  return {1, 0, -0.0, -1, 0.5, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN};
}
template <>
inline std::vector<gpuopt_scalar> values(const std::string &) {
  gpuopt_scalar garbage;
  std::memset(&garbage, 0xee, sizeof garbage);
  return {gpuopt_scalar_real(1),
          gpuopt_scalar_int(0),
          gpuopt_scalar_int(INT64_MIN),
          gpuopt_scalar_uint(UINT64_MAX),
          gpuopt_scalar_bool(1),
          gpuopt_scalar_complex(1, -1),
          gpuopt_scalar_real(NAN),
          gpuopt_scalar_real(INFINITY),
          gpuopt_scalar{},
          garbage,
          gpuopt_scalar_real(-DBL_MAX)};
}

// ---- Handles: none, and some of each kind

template <>
inline std::vector<gpuopt_array> values(const std::string &) {
  std::vector<gpuopt_array> all = Things::get().arrays;
  all.insert(all.begin() + 1, nullptr);
  return all;
}
#define FAULT_HANDLE(type, member)                       \
  template <>                                            \
  inline std::vector<type> values(const std::string &) { \
    return {Things::get().member, nullptr};              \
  }
FAULT_HANDLE(gpuopt_device, device)
FAULT_HANDLE(gpuopt_stream, stream)
FAULT_HANDLE(gpuopt_event, event)
FAULT_HANDLE(gpuopt_random_state, state)
FAULT_HANDLE(gpuopt_generator, generator)
FAULT_HANDLE(gpuopt_npz, npz)
FAULT_HANDLE(gpuopt_comm, comm)
FAULT_HANDLE(gpuopt_shard, shard)
FAULT_HANDLE(gpuopt_cfunc, cfunc)
FAULT_HANDLE(gpuopt_texture, texture)
#undef FAULT_HANDLE
template <>
inline std::vector<gpuopt_kernel> values(const std::string &) {
  return {Things::get().kernel, nullptr, Things::get().raw};
}

// ---- Texts

// Of many words: Clang looks for similar names of an unknown one in a time that grows with the square of its length.
inline const std::string &very_long() {
  static const auto *const text = [] {
    auto *const made = new std::string;
    while (made->size() < size_t{1} << 20) *made += "xyz ";
    return made;
  }();
  return *text;
}
inline const std::string &long_word() {
  static const auto *const text = new std::string(4000, 'x');
  return *text;
}
template <>
inline std::vector<const char *> values(const std::string &name) {
  std::vector<const char *> all;
  static auto *const kept =
      new std::vector<std::string>{Things::get().directory + "/in.npy", Things::get().directory + "/in.npz"};
  if (name == "path" || name == "recorded")
    all = {(*kept)[0].c_str(), (*kept)[1].c_str(), "/", "/proc/nonexistent/x", "/dev/null", "/dev/full"};
  if (name == "request") all = {"cpu"};
  if (name.find("params") != std::string::npos) all = {"float64 x", "float64 y"};
  if (name == "types") all = {"f8->f8"};
  if (name == "signature") all = {"float64->float64"};
  if (name == "name") all = {"same", "x", "float64"};
  if (all.empty()) all = {"x"};
  all.insert(all.end(), {nullptr, "", " ", "\xff\xfe\x80", "%s%n%s%n", very_long().c_str(), long_word().c_str(), "(",
                         "a,b,,c", "\n\t\"\\", "..", "0", "-1"});
  return all;
}
template <>
inline std::vector<char *> values(const std::string &) {
  return {nullptr};
}
template <>
inline std::vector<const char *const *> values(const std::string &) {
  static const char *const right[70] = {"same", "other"}, *const empty[70] = {""}, *const none[70] = {};
  static const char *const twice[70] = {"same", "same", "\xff"};
  return {right, nullptr, empty, none, twice};
}

// ---- Numbers and handles by address. Where a count is given, they are fewer than 70: zeros and NULLs follow.

template <>
inline std::vector<const int64_t *> values(const std::string &name) {
  static const int64_t shape[70] = {2, 3}, strides[70] = {24, 8}, zeros[70] = {}, negative[70] = {-1, -1, -1};
  static const int64_t most[70] = {INT64_MAX, INT64_MAX}, least[70] = {INT64_MIN, INT64_MIN},
                       big[70] = {int64_t{1} << 40, int64_t{1} << 40};
  static const int64_t same[70] = {1, 1, 1, 1};
  const bool of_memory = name == "strides";  // others would be outside of what is given
  if (of_memory) return {strides, nullptr, zeros};
  return {name == "shape" ? shape : zeros, nullptr, zeros, negative, most, least, big, same, strides};
}
template <>
inline std::vector<int64_t *> values(const std::string &) {
  static int64_t room[70];
  return {room, nullptr};
}
template <>
inline std::vector<const int32_t *> values(const std::string &) {
  static const int32_t right[70] = {2, 2}, negative[70] = {-1, INT32_MIN}, most[70] = {INT32_MAX, 65};
  return {right, nullptr, negative, most};
}
template <>
inline std::vector<int32_t *> values(const std::string &) {
  static int32_t room[70];
  return {room, nullptr};
}
template <>
inline std::vector<const uint32_t *> values(const std::string &) {
  static const uint32_t right[70] = {1, 1, 1}, zeros[70] = {}, most[70] = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                        large[70] = {1, 1 << 20, 1};
  return {right, nullptr, zeros, most, large};
}
template <>
inline std::vector<const int64_t *const *> values(const std::string &) {
  static const int64_t one[70] = {2, 3}, negative[70] = {-1};
  static const int64_t *const right[70] = {one, one}, *const bad[70] = {negative}, *const none[70] = {};
  return {right, nullptr, bad, none};
}
template <>
inline std::vector<const double *> values(const std::string &) {
  static const double one[130] = {1}, nan[130] = {NAN}, unit[130] = {0, 1, 0, 1, 0, 1};  // or pairs of these
  return {one, nullptr, nan, unit};
}
template <>
inline std::vector<double *> values(const std::string &) {
  static double room;
  return {&room, nullptr};
}
template <>
inline std::vector<const gpuopt_scalar *> values(const std::string &) {
  static const gpuopt_scalar right[70] = {gpuopt_scalar_int(1), gpuopt_scalar_int(2)}, kinds[70] = {};
  static const gpuopt_scalar wide[70] = {gpuopt_scalar_int(INT64_MIN), gpuopt_scalar_uint(UINT64_MAX)};
  static const gpuopt_scalar odd[70] = {gpuopt_scalar_real(NAN), gpuopt_scalar_complex(INFINITY, 1)};
  return {right, nullptr, kinds, wide, odd};
}
template <>
inline std::vector<gpuopt_scalar *> values(const std::string &) {
  static gpuopt_scalar room;
  return {&room, nullptr};
}
template <>
inline std::vector<const gpuopt_array *> values(const std::string &) {
  static gpuopt_array right[70], second[70], none[70];
  const std::vector<gpuopt_array> &arrays = Things::get().arrays;
  right[0] = right[1] = arrays[0];
  second[0] = arrays[0], second[1] = nullptr;
  second[2] = arrays[7];
  return {right, nullptr, second, none};
}

template <>
inline std::vector<const gpuopt_device *> values(const std::string &) {
  static gpuopt_device right[70], none[70];
  right[0] = right[1] = Things::get().device;
  return {right, nullptr, none};
}

// Results of a call are taken from here and released.
struct Room {
  gpuopt_array arrays[70];
  gpuopt_kernel kernels[70];
  gpuopt_stream stream;
  gpuopt_event event;
  gpuopt_npz npz;
  gpuopt_comm comms[70];
  gpuopt_shard shard;
  gpuopt_random_state state;
  gpuopt_generator generator;
  gpuopt_cfunc function;
  gpuopt_texture texture;
  gpuopt_device device;
  char *text;
  static Room &get() {
    static Room room;
    return room;
  }
  void clear();
};
inline void Room::clear() {
  for (gpuopt_array &x : arrays) gpuopt_array_release(x);
  for (gpuopt_kernel &kernel : kernels) gpuopt_kernel_release(kernel);
  gpuopt_stream_release(stream);
  gpuopt_event_release(event);
  gpuopt_npz_close(npz);
  for (gpuopt_comm &comm : comms) gpuopt_comm_release(comm);
  gpuopt_shard_release(shard);
  gpuopt_random_state_release(state);
  gpuopt_generator_release(generator);
  gpuopt_cfunc_release(function);
  gpuopt_texture_release(texture);
  gpuopt_string_free(text);
  *this = {};
}
#define FAULT_ROOM(type, member)                           \
  template <>                                              \
  inline std::vector<type *> values(const std::string &) { \
    return {&Room::get().member, nullptr};                 \
  }
FAULT_ROOM(gpuopt_stream, stream)
FAULT_ROOM(gpuopt_event, event)
FAULT_ROOM(gpuopt_npz, npz)
FAULT_ROOM(gpuopt_comm, comms[0])
FAULT_ROOM(gpuopt_shard, shard)
FAULT_ROOM(gpuopt_random_state, state)
FAULT_ROOM(gpuopt_generator, generator)
FAULT_ROOM(gpuopt_cfunc, function)
FAULT_ROOM(gpuopt_texture, texture)
FAULT_ROOM(gpuopt_device, device)
FAULT_ROOM(char *, text)
FAULT_ROOM(gpuopt_array, arrays[0])
FAULT_ROOM(gpuopt_kernel, kernels[0])
#undef FAULT_ROOM

// ---- Memory

alignas(64) inline unsigned char memory[1 << 16];

template <>
inline std::vector<void *> values(const std::string &) {
  return {memory, nullptr, memory + 1};
}
template <>
inline std::vector<const void *> values(const std::string &) {
  return {memory, nullptr, memory + 1};
}
template <>
inline std::vector<void **> values(const std::string &) {
  static void *room;
  return {&room, nullptr};
}

// ---- Callbacks

template <>
inline std::vector<gpuopt_log_callback> values(const std::string &) {
  return {nullptr, [](const gpuopt_log_record *, void *) {}};
}
// Functions of lines, of which there may be very many: neither is called twice.
inline gpuopt_status refused_line(gpuopt_array, void *, gpuopt_array *, gpuopt_error *) { return GPUOPT_ERR_TYPE; }
inline gpuopt_status empty_line(gpuopt_array, void *, gpuopt_array *, gpuopt_error *) { return GPUOPT_OK; }
template <>
inline std::vector<gpuopt_line_function> values(const std::string &) {
  return {refused_line, nullptr, empty_line};
}
inline gpuopt_status refused_rank(gpuopt_comm, void *, gpuopt_error *) { return GPUOPT_ERR_TYPE; }
inline gpuopt_status joining_rank(gpuopt_comm comm, void *, gpuopt_error *error) {
  return gpuopt_comm_barrier(comm, error);
}
template <>
inline std::vector<gpuopt_rank_function> values(const std::string &) {
  return {joining_rank, nullptr, refused_rank};
}
template <>
inline std::vector<Release> values(const std::string &) {
  return {nullptr, [](void *) {}};
}

// ---- Structs that begin with their size

// The struct as it is, and with sizes that are too small, odd, too large with and without a tail, and absurd.
template <class T>
std::vector<T *> sized(const T &right) {
  constexpr size_t kRoom = 4096;
  std::vector<T *> all = {nullptr};
  const auto add = [&](uint32_t size, unsigned char tail) {
    auto *const bytes = static_cast<unsigned char *>(std::calloc(1, kRoom));
    std::memcpy(bytes, &right, sizeof right);
    std::memcpy(bytes, &size, sizeof size);
    bytes[sizeof right + 3] = tail;
    all.push_back(reinterpret_cast<T *>(bytes));
  };
  const auto own = uint32_t(sizeof(T));
  add(own, 0);
  for (const uint32_t size :
       {0u, 1u, 4u, 7u, 8u, 15u, 16u, own - 4, own - 1, own + 1, own + 16, 65536u + 1, UINT32_MAX})
    add(size, 0);
  add(own + 16, 1);
  std::swap(all[0], all[1]);
  return all;
}
template <class T>
T with_size() {
  T made{};
  made.struct_size = sizeof made;
  return made;
}
#define FAULT_RESULT(type)                                             \
  template <>                                                          \
  inline std::vector<type *> values(const std::string &) {             \
    static const auto *const all = new auto(sized(with_size<type>())); \
    return *all;                                                       \
  }
FAULT_RESULT(gpuopt_device_info)
FAULT_RESULT(gpuopt_memory_stats)
FAULT_RESULT(gpuopt_engine_stats)
FAULT_RESULT(gpuopt_comm_traffic)
FAULT_RESULT(gpuopt_kernel_attributes)
FAULT_RESULT(gpuopt_float_limits)
FAULT_RESULT(gpuopt_integer_limits)
FAULT_RESULT(gpuopt_error)
FAULT_RESULT(gpuopt_mt19937_words)
FAULT_RESULT(gpuopt_pcg64_words)
#undef FAULT_RESULT

// Options: all sizes of the default, and members that make no sense.
template <class T>
void nonsense(std::vector<T> &) {}
template <>
inline void nonsense(std::vector<gpuopt_reduce_options> &all) {
  static const int64_t axes[70] = {0, 0, 9, INT64_MIN};
  for (const int32_t count : {-1, 1, 2, 3, 4, 65, INT32_MAX, INT32_MIN}) {
    auto made = with_size<gpuopt_reduce_options>();
    made.naxes = count;
    made.axes = count == 65 ? nullptr : axes;
    all.push_back(made);
  }
  auto made = with_size<gpuopt_reduce_options>();
  made.keepdims = INT32_MIN;
  made.dtype = 99;
  all.push_back(made);
  made.dtype = INT32_MIN;
  made.correction = NAN;
  all.push_back(made);
  static const gpuopt_scalar numbers[] = {
      gpuopt_scalar_int(INT64_MIN), gpuopt_scalar_complex(1, -1), {12345, 0, {0}, 0}};
  for (const gpuopt_array x : Things::get().arrays) {
    made = with_size<gpuopt_reduce_options>();
    made.where = x;
    made.initial = &numbers[all.size() % 3];
    all.push_back(made);
    made.out = x;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_apply_options> &all) {
  int32_t number = -2;
  for (const gpuopt_array x : Things::get().arrays) {
    auto made = with_size<gpuopt_apply_options>();
    made.where = x;
    made.casting = number;
    all.push_back(made);
    made.out = x;
    made.casting = GPUOPT_CASTING_UNSAFE;
    made.flags = GPUOPT_APPLY_STANDARD;
    all.push_back(made);
    made.dtype = number++;
    all.push_back(made);
  }
  auto made = with_size<gpuopt_apply_options>();
  made.flags = UINT32_MAX;
  all.push_back(made);
}
template <>
inline void nonsense(std::vector<gpuopt_product_options> &all) {
  for (const int32_t mode : {-1, 1, 2, 3, INT32_MAX, INT32_MIN}) {
    auto made = with_size<gpuopt_product_options>();
    made.mode = mode;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_comm_options> &all) {
  for (const double timeout : {-1.0, 1e300, static_cast<double>(NAN)}) {
    auto made = with_size<gpuopt_comm_options>();
    made.timeout = timeout;
    all.push_back(made);
  }
}
inline void nonsense(std::vector<gpuopt_cov_options> &all) {
  for (const double number : {-1.0, 1e300, HUGE_VAL, std::nan("")}) {
    auto made = with_size<gpuopt_cov_options>();
    made.bias = number;
    made.columns = number < 0 ? INT32_MIN : 2;
    all.push_back(made);
    made.fweights = made.aweights = Things::get().arrays[number < 0 ? 0 : 1];
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_loadtxt_options> &all) {
  static const int64_t columns[70] = {0, -1, 99, INT64_MIN, INT64_MAX};
  for (const int32_t number : {-1, 1, 3, 70, INT32_MIN}) {
    auto made = with_size<gpuopt_loadtxt_options>();
    made.usecols = columns;
    made.nusecols = number;
    all.push_back(made);
    made = with_size<gpuopt_loadtxt_options>();
    made.ndmin = made.dtype = made.has_filling = made.has_max_rows = number;
    made.skiprows = made.max_rows = number;
    made.filling.kind = number;
    all.push_back(made);
  }
  for (const char *text : {"", "#", ",", "\n", "\xff\xfe", "::"}) {
    auto made = with_size<gpuopt_loadtxt_options>();
    made.delimiter = made.quote = made.missing = text;
    all.push_back(made);
    made.comments = text;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_savetxt_options> &all) {
  for (const char *text : {"", "%", "%n", "%d", "%f %f", "%99999999999f", "%.512e", "%s%s%s"}) {
    auto made = with_size<gpuopt_savetxt_options>();
    made.fmt = text;
    all.push_back(made);
    made.delimiter = made.newline = made.header = made.footer = made.comments = text;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_mt19937_words> &all) {
  for (const int32_t number : {-1, 1, 624, 625, INT32_MAX, INT32_MIN}) {
    auto made = with_size<gpuopt_mt19937_words>();
    made.position = made.has_gauss = number;
    made.gauss = std::nan("");
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_pcg64_words> &all) {
  auto made = with_size<gpuopt_pcg64_words>();
  made.increment[0] = 1;
  made.has_uint32 = INT32_MIN;
  all.push_back(made);
}
template <>
inline void nonsense(std::vector<gpuopt_print_options> &all) {
  for (const int32_t number : {-1, 1, 99, INT32_MAX, INT32_MIN}) {
    auto made = with_size<gpuopt_print_options>();
    made.precision = number;
    all.push_back(made);
    made.threshold = number;
    made.edgeitems = number;
    all.push_back(made);
    made.linewidth = number;
    made.repr = number;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_kernel_call_options> &all) {
  static const int64_t axes[70] = {0, 0, 9};
  for (const int32_t number : {-1, 1, 2, 31, 65, INT32_MAX, INT32_MIN}) {
    auto made = with_size<gpuopt_kernel_call_options>();
    made.block_size = number;
    all.push_back(made);
    made = with_size<gpuopt_kernel_call_options>();
    made.has_size = 1;
    made.size = number < 3 ? INT64_MIN + std::abs(int64_t{number}) : int64_t{number};
    all.push_back(made);
    made = with_size<gpuopt_kernel_call_options>();
    made.axes = number == 65 ? nullptr : axes;
    made.naxes = number;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_kernel_options> &all) {
  for (const char *text : {"", "(", "\xff", "#error no", very_long().c_str()}) {
    auto made = with_size<gpuopt_kernel_options>();
    made.preamble = made.loop_prep = text;
    made.reduce_type = text;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_stencil_options> &all) {
  static const int64_t offsets[140] = {1, -1, INT64_MIN, INT64_MAX};
  for (const int32_t number : {-1, 1, 2, 65, INT32_MAX, INT32_MIN}) {
    auto made = with_size<gpuopt_stencil_options>();
    made.mode = number;
    all.push_back(made);
    made = with_size<gpuopt_stencil_options>();
    made.ndim = number;
    made.neighborhood = number == 65 ? nullptr : offsets;
    all.push_back(made);
  }
}
template <>
inline void nonsense(std::vector<gpuopt_texture_options> &all) {
  for (const int32_t number : {-1, 1, 2, 3, 4, 5, INT32_MAX, INT32_MIN}) {
    auto made = with_size<gpuopt_texture_options>();
    made.channels = number;
    all.push_back(made);
    made = with_size<gpuopt_texture_options>();
    made.address_x = made.address_y = made.address_z = number;
    all.push_back(made);
    made = with_size<gpuopt_texture_options>();
    made.layered = made.surface = made.linear = made.normalized_coordinates = made.normalized_float = number;
    all.push_back(made);
  }
}

template <class T>
std::vector<const T *> options() {
  std::vector<T> odd;
  nonsense(odd);
  std::vector<const T *> all;
  for (T *made : sized(with_size<T>())) all.push_back(made);
  for (const T &made : odd) all.push_back(new T(made));
  auto flagged = with_size<T>();
  reinterpret_cast<uint32_t *>(&flagged)[1] = UINT32_MAX;  // flags, or the first member
  all.push_back(new T(flagged));
  return all;
}
#define FAULT_OPTIONS(type)                                      \
  template <>                                                    \
  inline std::vector<const type *> values(const std::string &) { \
    static const auto *const all = new auto(options<type>());    \
    return *all;                                                 \
  }
FAULT_OPTIONS(gpuopt_reduce_options)
FAULT_OPTIONS(gpuopt_apply_options)
FAULT_OPTIONS(gpuopt_product_options)
FAULT_OPTIONS(gpuopt_comm_options)
FAULT_OPTIONS(gpuopt_cov_options)
FAULT_OPTIONS(gpuopt_loadtxt_options)
FAULT_OPTIONS(gpuopt_savetxt_options)
FAULT_OPTIONS(gpuopt_device_options)
FAULT_OPTIONS(gpuopt_raw_launch_options)
FAULT_OPTIONS(gpuopt_kernel_options)
FAULT_OPTIONS(gpuopt_print_options)
FAULT_OPTIONS(gpuopt_kernel_call_options)
FAULT_OPTIONS(gpuopt_stencil_options)
FAULT_OPTIONS(gpuopt_texture_options)
FAULT_OPTIONS(gpuopt_mt19937_words)
FAULT_OPTIONS(gpuopt_pcg64_words)
#undef FAULT_OPTIONS

// ---- Others

template <>
inline std::vector<const gpuopt_raw_argument *> values(const std::string &) {
  static gpuopt_raw_argument right[70], none[70], sizes[70];
  right[0].array = Things::get().arrays[0];
  none[0].bytes = 8;
  sizes[0].value = memory;
  sizes[0].bytes = UINT64_MAX;
  return {right, nullptr, none, sizes};
}
template <>
inline std::vector<const gpuopt_index *> values(const std::string &) {
  static const gpuopt_index right[70] = {{GPUOPT_INDEX_SLICE, 0, 0, 1, 1}},
                            kinds[70] = {{99, 0, 0, 0, 0}, {-1, 0, 0, 0, 0}};
  static const gpuopt_index zero[70] = {{GPUOPT_INDEX_SLICE, 0, 0, 5, 0}},
                            least[70] = {{GPUOPT_INDEX_SLICE, 0, INT64_MAX, INT64_MIN, INT64_MIN}};
  static const gpuopt_index far[70] = {{GPUOPT_INDEX_INTEGER, 0, INT64_MIN, 0, 0}},
                            most[70] = {{GPUOPT_INDEX_SLICE, 0, INT64_MIN, INT64_MAX, INT64_MAX}};
  static const gpuopt_index dots[70] = {{GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}, {GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}};
  return {right, nullptr, kinds, zero, least, far, most, dots};
}
// Tensors of no known version, without memory and without a deleter.
#define FAULT_TENSOR(type)                                         \
  template <>                                                      \
  inline std::vector<struct type *> values(const std::string &) {  \
    alignas(16) static unsigned char zeros[512];                   \
    return {nullptr, reinterpret_cast<struct type *>(zeros)};      \
  }                                                                \
  template <>                                                      \
  inline std::vector<struct type **> values(const std::string &) { \
    static struct type *room;                                      \
    return {&room, nullptr};                                       \
  }
FAULT_TENSOR(DLManagedTensorVersioned)
FAULT_TENSOR(DLManagedTensor)
FAULT_TENSOR(ArrowSchema)
FAULT_TENSOR(ArrowArray)
#undef FAULT_TENSOR

}  // namespace fault

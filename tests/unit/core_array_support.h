// tests/unit/core_array_support.h -- arrays on the CPU device for tests of the core: made from values, read back as
// values.
#pragma once
#include <gpuopt/gpuopt.h>
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace support {

// The CPU device of the build tree's plugin.
inline gpuopt_device cpu() {
  static const gpuopt_device device = [] {
    const char *const path = GPUOPT_BUILT_PLUGINS;
    gpuopt_device_options options = GPUOPT_DEVICE_OPTIONS_INIT;
    options.plugin_path = &path;
    options.plugin_path_count = 1;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    gpuopt_device opened = nullptr;
    EXPECT_EQ(gpuopt_device_open("cpu!", &options, &opened, &error), GPUOPT_OK) << error.message;
    return opened;
  }();
  return device;
}

struct Releaser {
  void operator()(gpuopt_array x) const { gpuopt_array_release(x); }
};
using Array = std::unique_ptr<gpuopt_array_s, Releaser>;

// Takes what a call gave out; a failure is a test failure with the message.
struct Result {
  gpuopt_array array = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  Array take(gpuopt_status status) {
    EXPECT_EQ(status, GPUOPT_OK) << error.message;
    return Array(std::exchange(array, nullptr));
  }
};

template <class T>
constexpr gpuopt_dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return GPUOPT_BOOL;
  if constexpr (std::is_same_v<T, int8_t>) return GPUOPT_INT8;
  if constexpr (std::is_same_v<T, int16_t>) return GPUOPT_INT16;
  if constexpr (std::is_same_v<T, int32_t>) return GPUOPT_INT32;
  if constexpr (std::is_same_v<T, int64_t>) return GPUOPT_INT64;
  if constexpr (std::is_same_v<T, uint8_t>) return GPUOPT_UINT8;
  if constexpr (std::is_same_v<T, uint16_t>) return GPUOPT_UINT16;
  if constexpr (std::is_same_v<T, uint32_t>) return GPUOPT_UINT32;
  if constexpr (std::is_same_v<T, uint64_t>) return GPUOPT_UINT64;
  if constexpr (std::is_same_v<T, float>) return GPUOPT_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return GPUOPT_FLOAT64;
}

using Shape = std::vector<int64_t>;

inline Array make_bytes(gpuopt_dtype dtype, const Shape &shape, const void *data, gpuopt_device device = cpu()) {
  Result r;
  return r.take(
      gpuopt_array_from(device, data, dtype, static_cast<int32_t>(shape.size()), shape.data(), &r.array, &r.error));
}

template <class T>
Array make(const Shape &shape, const std::vector<T> &values, gpuopt_device device = cpu()) {
  if constexpr (std::is_same_v<T, bool>) {
    const std::vector<uint8_t> bytes(values.begin(), values.end());
    return make_bytes(GPUOPT_BOOL, shape, bytes.data(), device);
  } else {
    return make_bytes(dtype_of<T>(), shape, values.data(), device);
  }
}

inline std::vector<unsigned char> bytes_of(const Array &x) {
  std::vector<unsigned char> bytes(static_cast<size_t>(gpuopt_array_nbytes(x.get())));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(x.get(), bytes.data(), bytes.size(), &error), GPUOPT_OK) << error.message;
  return bytes;
}

template <class T>
std::vector<T> values_of(const Array &x) {
  if (!x) return {};
  EXPECT_EQ(gpuopt_array_dtype(x.get()), dtype_of<T>());
  const std::vector<unsigned char> bytes = bytes_of(x);
  std::vector<T> values;
  for (size_t k = 0; k + sizeof(T) <= bytes.size(); k += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[k], sizeof value);
    values.push_back(value);
  }
  return values;
}

inline Shape shape_of(const Array &x) {
  return Shape(gpuopt_array_shape(x.get()), gpuopt_array_shape(x.get()) + gpuopt_array_ndim(x.get()));
}

inline Array transposed(const Array &x) {
  Result r;
  return r.take(gpuopt_permute_dims(x.get(), nullptr, &r.array, &r.error));
}

// x[start:stop:step] along its first axis.
inline Array sliced(const Array &x, int64_t start, int64_t stop, int64_t step) {
  const gpuopt_index item{GPUOPT_INDEX_SLICE, 0, start, stop, step};
  Result r;
  return r.take(gpuopt_slice(x.get(), 1, &item, &r.array, &r.error));
}

inline Array weak(gpuopt_scalar value) {
  Result r;
  return r.take(gpuopt_weak(value, &r.array, &r.error));
}

inline std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

inline void write_file(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace support

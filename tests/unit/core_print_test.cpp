// tests/unit/core_print_test.cpp -- gpuopt_array_to_string against what NumPy printed (tests/data/print/vectors.txt).
#include <gpuopt_test_paths.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tests/unit/core_npy_support.h"

using namespace support;

namespace {

std::string text_of(gpuopt_array x, gpuopt_print_options options) {
  options.struct_size = sizeof options;
  char *string = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_array_to_string(x, &options, &string, &error), GPUOPT_OK) << error.message;
  const std::string text = string ? string : "";
  gpuopt_string_free(string);
  return text;
}

std::string str(const Array &x) { return text_of(x.get(), {}); }
std::string repr(const Array &x) {
  gpuopt_print_options options{};
  options.repr = 1;
  return text_of(x.get(), options);
}

struct Case {
  std::string title, data, str, repr;
  gpuopt_dtype dtype = 0;
  gpuopt_print_options options{};
  Shape shape;
};

std::string read_text(std::istream &in, const std::string &kind) {
  std::string word, text, line;
  int lines = 0;
  in >> word >> lines;
  EXPECT_EQ(word, kind);
  std::getline(in, line);
  for (int k = 0; k < lines; ++k) {
    std::getline(in, line);
    text += (k ? "\n" : "") + line;
  }
  return text;
}

bool read_case(std::istream &in, Case &c) {
  if (!std::getline(in, c.title)) return false;
  std::istringstream head(c.title);
  std::string word, dtype;
  size_t ndim = 0;
  head >> word >> dtype >> c.options.precision >> c.options.threshold >> c.options.edgeitems >> c.options.linewidth >>
      ndim;
  EXPECT_EQ(word, "case");
  EXPECT_EQ(gpuopt_dtype_from_name(dtype.c_str(), &c.dtype, nullptr), GPUOPT_OK);
  c.shape.resize(ndim);
  for (int64_t &size : c.shape) head >> size;
  std::getline(in, c.data);
  c.str = read_text(in, "str");
  c.repr = read_text(in, "repr");
  return true;
}

Array arange(gpuopt_dtype dtype, const Shape &shape) {
  int64_t size = 1;
  for (int64_t n : shape) size *= n;
  std::vector<int64_t> values(static_cast<size_t>(size));
  for (int64_t k = 0; k < size; ++k) values[static_cast<size_t>(k)] = k;
  const Array x = make(shape, values);
  Result r;
  return r.take(gpuopt_astype(x.get(), dtype, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
}

TEST(Print, EqualsNumPy) {
  std::ifstream in(GPUOPT_SOURCE_DIR "/tests/data/print/vectors.txt");
  ASSERT_TRUE(in);
  int count = 0;
  for (Case c; read_case(in, c); c = {}) {
    const Array x =
        c.data == "arange" ? arange(c.dtype, c.shape) : make_bytes(c.dtype, c.shape, from_hex(c.data).data());
    EXPECT_EQ(text_of(x.get(), c.options), c.str) << c.title << "\n" << c.data;
    c.options.repr = 1;
    EXPECT_EQ(text_of(x.get(), c.options), c.repr) << c.title << "\n" << c.data;
    ++count;
  }
  EXPECT_GT(count, 1000);
}

// What is printed depends on the elements, not on how they lie in memory.
TEST(Print, ViewsPrintAsTheirElements) {
  const Array x = arange(GPUOPT_FLOAT64, {3, 4}), t = transposed(x), r = sliced(x, 2, GPUOPT_SLICE_ALL, -1);
  EXPECT_EQ(str(t), "[[ 0.  4.  8.]\n [ 1.  5.  9.]\n [ 2.  6. 10.]\n [ 3.  7. 11.]]");
  EXPECT_EQ(str(r), "[[ 8.  9. 10. 11.]\n [ 4.  5.  6.  7.]\n [ 0.  1.  2.  3.]]");
  const Array big = transposed(arange(GPUOPT_INT64, {50, 60}));
  EXPECT_EQ(str(big).substr(0, 45), "[[   0   60  120 ... 2820 2880 2940]\n [   1  ");
}

TEST(Print, Recorded) {
  const Array x = make<double>({2}, {1, 2});
  Result r;
  const Array y = r.take(gpuopt_add(x.get(), x.get(), &r.array, &r.error));
  EXPECT_EQ(str(y), "[2. 4.]");
}

TEST(Print, DeviceIsNamedOnRequest) {
  gpuopt_print_options options{};
  options.repr = 2;
  EXPECT_EQ(text_of(make<double>({2}, {1, 2}).get(), options), "array([1., 2.], device='cpu:0')");
}

TEST(Print, WeakScalars) {
  EXPECT_EQ(str(weak(gpuopt_scalar_real(0.1))), "0.1");
  EXPECT_EQ(str(weak(gpuopt_scalar_int(-7))), "-7");
  EXPECT_EQ(str(weak(gpuopt_scalar_bool(1))), "True");
  EXPECT_EQ(str(weak(gpuopt_scalar_complex(1, -2))), "(1-2j)");
}

// NumPy has no bfloat16; the rules are those of the other formats with its precision (two decimal digits).
TEST(Print, Bfloat16) {
  const auto element = [](uint16_t bits) { return make_bytes(GPUOPT_BFLOAT16, {}, &bits); };
  EXPECT_EQ(str(element(0x3f80)), "1.0");
  EXPECT_EQ(str(element(0x3dcd)), "0.1");
  EXPECT_EQ(str(element(0x4049)), "3.14");
  EXPECT_EQ(str(element(0x7f7f)), "3.39e+38");
  EXPECT_EQ(str(element(0x0001)), "9e-41");
  EXPECT_EQ(str(element(0x42c8)), "1e+02");
  const uint16_t pair[] = {0x3f80, 0xbe80};
  EXPECT_EQ(repr(make_bytes(GPUOPT_BFLOAT16, {2}, pair)), "array([ 1.  , -0.25], dtype=bfloat16)");
}

// All of them, by the hash of the lines NumPy prints (tests/data/print/make_vectors.py).
TEST(Print, EveryFloat16EqualsNumPy) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    for (const char c : str(make_bytes(GPUOPT_FLOAT16, {}, &half)) + '\n') {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  EXPECT_EQ(std::to_string(hash) + '\n', read_file(GPUOPT_SOURCE_DIR "/tests/data/print/float16_hash.txt"));
}

// Every 16-bit number prints as digits that read back as itself, and no shorter digits do (their count is checked by
// the vectors).
TEST(Print, SixteenBitNumbersReadBack) {
  for (gpuopt_dtype dtype : {GPUOPT_FLOAT16, GPUOPT_BFLOAT16}) {
    for (uint32_t bits = 0; bits < 0x8000; bits += 7) {
      const uint16_t half = static_cast<uint16_t>(bits);
      const Array x = make_bytes(dtype, {}, &half);
      gpuopt_scalar value{};
      ASSERT_EQ(gpuopt_array_item(x.get(), nullptr, &value, nullptr), GPUOPT_OK);
      if (!std::isfinite(value.value.f)) continue;
      const Array read = make<double>({}, {std::stod(str(x))});
      Result r;
      const Array back = r.take(gpuopt_astype(read.get(), dtype, GPUOPT_COPY_ALWAYS, &r.array, &r.error));
      uint16_t again;
      std::memcpy(&again, bytes_of(back).data(), 2);
      ASSERT_EQ(again, half) << str(x);
    }
  }
}

TEST(Print, BadOptionsAreRefused) {
  const Array x = make<double>({1}, {1});
  gpuopt_print_options options{};
  options.struct_size = sizeof options;
  char *string = nullptr;
  options.repr = 3;
  EXPECT_EQ(gpuopt_array_to_string(x.get(), &options, &string, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  options = {sizeof options, -1, 0, 0, 0, 0};
  EXPECT_EQ(gpuopt_array_to_string(x.get(), &options, &string, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(string, nullptr);
  EXPECT_EQ(gpuopt_array_to_string(nullptr, nullptr, &string, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_array_to_string(x.get(), nullptr, nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace

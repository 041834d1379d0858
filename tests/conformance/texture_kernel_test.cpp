// tests/conformance/texture_kernel_test.cpp -- textures and surfaces on the device under test: textures.txt, whose
// numbers are NumPy's, and host code.
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <gpuopt/gpuopt.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"
#include "tests/kernels/textures.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;

using Textures = KernelTest;

gp::raw_kernel kernel_of(const TextureText &text) { return gp::raw_kernel(text.code, text.name); }

// A line of textures.txt.
struct Case {
  std::string word;
  gp::dtype dtype = gp::float32;
  std::vector<int64_t> shape;
  gp::texture_options options;
  std::vector<uint32_t> elements;
  std::vector<float> at;            // three for each place
  std::vector<int32_t> layers;      // one
  std::vector<uint32_t> registers;  // four
};

uint32_t hexadecimal(std::istream &in) {
  uint32_t bits = 0;
  in >> std::hex >> bits >> std::dec;
  return bits;
}

float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

void read_head(std::istringstream in, Case &out) {
  std::string dtype;
  size_t ndim = 0;
  in >> out.word >> dtype >> ndim;
  for (const gp::dtype t :
       {gp::int8, gp::uint8, gp::int16, gp::uint16, gp::int32, gp::uint32, gp::float16, gp::float32})
    if (dtype == gp::name(t)) out.dtype = t;
  out.shape.resize(ndim);
  for (int64_t &n : out.shape) in >> n;
  int channels = 0, layered = 0, x = 0, y = 0, z = 0, linear = 0, normalized = 0, normalized_float = 0;
  in >> channels >> layered >> x >> y >> z >> linear >> normalized >> normalized_float;
  out.options.channels(channels).layered(layered).linear(linear).normalized(normalized);
  out.options.normalized_float(normalized_float);
  out.options.address(gp::address_mode(x), gp::address_mode(y), gp::address_mode(z));
}

Case case_of(const std::string &line) {
  Case out;
  const size_t first = line.find('|'), second = line.find('|', first + 1);
  read_head(std::istringstream(line.substr(0, first)), out);
  std::istringstream elements(line.substr(first + 1, second - first - 1));
  for (uint32_t bits; elements >> std::hex >> bits;) out.elements.push_back(bits);
  std::istringstream rows(line.substr(second + 1));
  for (std::string row; std::getline(rows, row, ';');) {
    std::istringstream in(row);
    for (int k = 0; k < 3; k++) out.at.push_back(float_of(hexadecimal(in)));
    in >> out.layers.emplace_back();
    for (int k = 0; k < 4; k++) out.registers.push_back(hexadecimal(in));
  }
  return out;
}

std::vector<Case> cases() {
  std::ifstream file(std::string(GPUOPT_SOURCE_DIR) + "/tests/kernels/textures.txt");
  std::vector<Case> all;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') all.push_back(case_of(line));
  return all;
}

// The elements as an array: their lowest bytes.
gp::array array_of(const Case &one) {
  const size_t item = gpuopt_dtype_size(gp::raw(one.dtype));
  std::vector<char> bytes;
  for (const uint32_t bits : one.elements) {
    const char *const from = reinterpret_cast<const char *>(&bits);
    bytes.insert(bytes.end(), from, from + item);
  }
  return gp::detail::make<gp::array>(gpuopt_array_from, gp::current_device().get(),
                                     static_cast<const void *>(bytes.data()), gp::raw(one.dtype),
                                     static_cast<int32_t>(one.shape.size()), one.shape.data());
}

int number_of(const std::string &word) {
  const char *const words[] = {"tex1Dfetch",   "tex1D",    "tex2D",    "tex3D",    "tex1DLayered",
                               "tex2DLayered", "tex1DLod", "tex2DLod", "tex3DLod", "tex2Dgather"};
  for (int k = 0; k < 10; k++)
    if (word == words[k]) return k;
  return -1;
}

// Compares registers; NaNs may differ in their bits.
void expect_registers(const Case &one, const std::vector<uint32_t> &got) {
  ASSERT_EQ(got.size(), one.registers.size());
  for (size_t k = 0; k < got.size(); k++) {
    const float a = float_of(got[k]), b = float_of(one.registers[k]);
    if (a != a && b != b) continue;
    EXPECT_EQ(got[k], one.registers[k]) << one.word << ' ' << gp::name(one.dtype) << " channel " << k % 4 << " at "
                                        << one.at[k / 4 * 3] << ' ' << one.at[k / 4 * 3 + 1] << ' '
                                        << one.at[k / 4 * 3 + 2] << " layer " << one.layers[k / 4];
  }
}

TEST_F(Textures, SampleAsNumPy) {
  const gp::raw_kernel sample = kernel_of(kSampleTexture);
  const std::vector<Case> all = cases();
  ASSERT_GE(all.size(), 160u);
  for (const Case &one : all) {
    const gp::array packed = array_of(one);
    // The same elements in another order of memory: every axis backwards, and every second element.
    const gp::array odd = gp::flip(gp::repeat(gp::flip(packed), 2, 0)[gp::slice(gp::none, gp::none, 2)]);
    const auto n = static_cast<int32_t>(one.layers.size());
    for (const gp::array &x : {packed, odd}) {
      const gp::texture texture(x, one.options);
      const gp::array out = gp::zeros({n, 4}, gp::uint32);
      sample((n + 31) / 32, 32, number_of(one.word), texture, gp::array(one.at), gp::array(one.layers), out, n);
      expect_registers(one, values<uint32_t>(out));
    }
  }
}

// The register of a texel's channel as the kernel `types` converts it to T and to int.
template <class T>
void expect_texels(const std::vector<int32_t> &got, size_t &at, const std::vector<int32_t> &channels, int count) {
  for (int k = 0; k < count; k++, at++) EXPECT_EQ(got.at(at), static_cast<int32_t>(static_cast<T>(channels[k]))) << at;
}

TEST_F(Textures, ReadEveryType) {
  const std::vector<int32_t> ints = {1, 2, 3, 4, -5, 70000, 300, -129};
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto texels = [](const auto &x) {
    return gp::texture(gp::reshape(gp::array(x), {2, 4}), gp::texture_options().channels(4));
  };
  const gp::array out = gp::zeros({64}, gp::int32);
  kernel_of(kTexelTypes)(1, 1, texels(ints), texels(floats), out);
  const std::vector<int32_t> got = values<int32_t>(out), one(ints.begin() + 4, ints.end());
  size_t at = 0;
  expect_texels<int8_t>(got, at, one, 1);
  for (const int count : {1, 1, 2, 4}) {
    expect_texels<int8_t>(got, at, one, count);
    expect_texels<uint8_t>(got, at, one, count);
    expect_texels<int16_t>(got, at, one, count);
    expect_texels<uint16_t>(got, at, one, count);
    expect_texels<int32_t>(got, at, one, count);
    expect_texels<uint32_t>(got, at, one, count);
  }
  for (const int count : {1, 1, 2, 4}) expect_texels<int32_t>(got, at, {5, 6, 7, 8}, count);
}

TEST_F(Textures, HaveOneLevelOfDetail) {
  const auto texture = [](const gp::dims &shape, bool layered) {
    const gp::array x = gp::arange(0, 24, 1, gp::float32) * 1.25f;
    return gp::texture(gp::reshape(x, shape), gp::texture_options().linear().layered(layered));
  };
  const gp::array out = gp::zeros({5, 3}, gp::float32);
  kernel_of(kTextureLevels)(1, 1, texture({24}, false), texture({4, 6}, false), texture({2, 3, 4}, false),
                            texture({3, 8}, true), texture({2, 3, 4}, true), out);
  const std::vector<float> got = values<float>(out);
  for (size_t k = 0; k < got.size(); k++) EXPECT_EQ(got[k], got[k / 3 * 3]) << k;
  EXPECT_NE(got[0], got[3]);
}

TEST_F(Textures, SeeWhatIsWrittenBeforeALaunch) {
  gp::array x = gp::zeros({1}, gp::float32);
  const gp::texture texture(x);
  const gp::raw_kernel read(
      "__global__ void read(cudaTextureObject_t t, float *out) { *out = tex1Dfetch<float>(t, 0); }", "read");
  for (const float value : {3.0f, 5.0f}) {
    x += value;
    const gp::array out = gp::zeros({1}, gp::float32);
    read(1, 1, texture, out);
    EXPECT_EQ(values<float>(out)[0], values<float>(x)[0]);
  }
  x = gp::array();  // the texture keeps the elements
  const gp::array out = gp::zeros({1}, gp::float32);
  read(1, 1, texture, out);
  EXPECT_EQ(values<float>(out)[0], 8.0f);
}

struct Pair {
  uint64_t from, to;
};

TEST_F(Textures, CopySurfaces) {
  const gp::array x = gp::reshape(gp::arange(0, 60, 1, gp::float32), {5, 6, 2});
  const gp::array y = gp::zeros({5, 6, 2}, gp::float32), outside = gp::zeros({4}, gp::float32);
  // The axes of the target lie the other way round in memory.
  const gp::surface from(x, 2), to(gp::permute_dims(y, {1, 0, 2}), 2);
  kernel_of(kSurfaces)(1, {6, 5}, Pair{from.object(), to.object()}, outside);
  EXPECT_EQ(values<float>(y), values<float>(x));
  EXPECT_EQ(values<float>(outside), (std::vector<float>{0, 0, 0, 59}));
}

// The faces of a cube: where it lies, and which way its texels go along x and y ("Cubemap Textures" in the CUDA C++
// Programming Guide).
struct Face {
  double middle[3], across[3], down[3];
};
constexpr Face kFaces[6] = {{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                            {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
                            {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};

// What a linear filter gives at (u, v) in texels of a face of n x n numbers, of which those outside repeat the border.
double filtered(const std::vector<float> &x, int face, int n, double u, double v) {
  const double left = std::floor(u - 0.5), above = std::floor(v - 0.5);
  double sum = 0;
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) {
      const int column = std::clamp(static_cast<int>(left) + i, 0, n - 1),
                row = std::clamp(static_cast<int>(above) + j, 0, n - 1);
      const double across = std::abs(1 - i - (u - 0.5 - left)), down = std::abs(1 - j - (v - 0.5 - above));
      sum += across * down * double{x[static_cast<size_t>((face * n + row) * n + column)]};
    }
  return sum;
}

TEST_F(Textures, SampleCubemaps) {
  const int n = 5, faces = 12;
  std::vector<float> x(faces * n * n), at;
  for (size_t k = 0; k < x.size(); k++) x[k] = static_cast<float>(k * 37 % 101);
  struct Place {
    int face, i, j;
    double u, v;
  };
  std::vector<Place> places;
  for (int face = 0; face < 6; face++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
          const double u = i + 0.15 + 0.34 * k, v = j + 0.85 - 0.31 * k, m = 0.25 + 3 * k;
          places.push_back({face, i, j, u, v});
          for (int d = 0; d < 3; d++)
            at.push_back(static_cast<float>(m * (kFaces[face].middle[d] + (2 * u / n - 1) * kFaces[face].across[d] +
                                                 (2 * v / n - 1) * kFaces[face].down[d])));
        }
  const auto count = static_cast<int32_t>(places.size());
  const gp::array all = gp::reshape(gp::array(x), {faces, n, n});
  const gp::array one = gp::reshape(gp::array(std::vector<float>(x.begin(), x.begin() + 6 * n * n)), {6, n, n});
  const gp::array out = gp::zeros({count, 6}, gp::float32);
  const gp::texture_options layered = gp::texture_options().layered(true);
  kernel_of(kCubemaps)((count + 63) / 64, 64, gp::texture(one, layered), gp::texture(all, layered),
                       gp::texture(one, gp::texture_options().layered(true).linear()), gp::array(at), count, out);
  const std::vector<float> got = values<float>(out);
  for (size_t k = 0; k < places.size(); k++) {
    const auto [face, i, j, u, v] = places[k];
    const auto texel = static_cast<size_t>((face * n + j) * n + i), second = texel + 6 * n * n;
    for (const size_t word : {0, 1, 5}) EXPECT_EQ(got[6 * k + word], x[texel]) << face << " " << i << " " << j;
    for (const size_t word : {2, 3}) EXPECT_EQ(got[6 * k + word], x[second]) << face << " " << i << " " << j;
    EXPECT_NEAR(got[6 * k + 4], filtered(x, face, n, u, v), 1.0) << face << " " << u << " " << v;  // weights of 8 bits
  }
}

TEST_F(Textures, TurnTheFacesOfCubes) {
  const int n = 4, faces = 12;
  const gp::array x = gp::reshape(gp::arange(0, faces * n * n * 2, 1, gp::float32), {faces, n, n, 2});
  const gp::array y = gp::zeros({faces, n, n, 2}, gp::float32);
  kernel_of(kCubeSurfaces)(faces, {n, n}, gp::surface(x, 2, true), gp::surface(y, 2, true), n);
  const std::vector<float> got = values<float>(y);
  for (int face = 0; face < faces; face++)
    for (int row = 0; row < n; row++)
      for (int column = 0; column < n; column++) {
        const auto to = static_cast<size_t>(((face * n + column) * n + n - 1 - row) * 2);
        const auto from = static_cast<float>(((face * n + row) * n + column) * 2);
        EXPECT_EQ(got[to], from + static_cast<float>(100 * face));
        EXPECT_EQ(got[to + 1], from + 1);
      }
}

TEST_F(Textures, WriteSurfacesOfOtherShapes) {
  const gp::array row = gp::zeros({12}, gp::uint8), block = gp::zeros({2, 2, 3}, gp::int16);
  const gp::array rows = gp::zeros({2, 6}, gp::int32), images = gp::zeros({4, 3, 1, 4}, gp::int32);
  kernel_of(kSurfaceShapes)(1, 12, gp::surface(row), gp::surface(block), gp::surface(rows, 1, true),
                            gp::surface(images, 4, true));
  EXPECT_EQ(values<uint8_t>(row), std::vector<uint8_t>(12, 1));
  EXPECT_EQ(values<int16_t>(block), std::vector<int16_t>(12, 2));
  EXPECT_EQ(values<int32_t>(rows), std::vector<int32_t>(12, 3));
  std::vector<int32_t> expected(48);
  for (size_t k = 3; k < 48; k += 4) expected[k] = 4;
  EXPECT_EQ(values<int32_t>(images), expected);
}

TEST_F(Textures, TrapOutsideOfASurface) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has handlers of its own for the signal";
#endif
  if (device.backend() != "cpu") GTEST_SKIP() << "a trap costs the device";
  const gp::array x = gp::zeros({4}, gp::float32);
  const gp::raw_kernel outside = kernel_of(kSurfaceTrap);
  outside(1, 1, gp::surface(x), 12);
  EXPECT_EQ(values<float>(x), (std::vector<float>{0, 0, 0, 1}));
  for (const int at : {16, -4, 2})
    expect_error(GPUOPT_ERR_KERNEL_FAULT, "outside", [&] { outside(1, 1, gp::surface(x), at); });
}

TEST_F(Textures, StandBehindReferences) {
  const gp::array x = gp::reshape(gp::arange(0, 16, 1, gp::float32) * 1.5f, {4, 4}), y = gp::zeros({4, 4}, gp::float32);
  const gp::texture image(x, gp::texture_options().linear());
  const gp::texture colors(gp::reshape(gp::arange(0, 64, 1, gp::uint8) * uint8_t{3}, {16, 4}),
                           gp::texture_options().channels(4).normalized_float());
  const gp::texture pairs(gp::reshape(gp::arange(-16, 16, 1, gp::int16), {16, 2}), gp::texture_options().channels(2));
  const gp::surface target(y);
  const auto results = [] {
    return std::array{gp::zeros({32}, gp::float32), gp::zeros({16, 4}, gp::float32), gp::zeros({16, 2}, gp::int16)};
  };
  const auto by_reference = results(), by_object = results();
  const gp::raw_kernel reference = kernel_of(kTextureReference);
  reference.set_global("image", image.object());
  reference.set_global("colors", colors.object());
  reference.set_global("pairs", pairs.object());
  reference.set_global("target", target.object());
  reference(1, 16, by_reference[0], by_reference[1], by_reference[2]);
  kernel_of(kTextureObjects)(1, 16, image, colors, pairs, by_object[0], by_object[1], by_object[2]);
  EXPECT_EQ(values<float>(by_reference[0]), values<float>(by_object[0]));
  EXPECT_EQ(values<float>(by_reference[1]), values<float>(by_object[1]));
  EXPECT_EQ(values<int16_t>(by_reference[2]), values<int16_t>(by_object[2]));
  EXPECT_EQ(values<float>(y)[5], values<float>(by_object[0])[5] + 1);
  EXPECT_EQ(values<int16_t>(by_object[2])[3], -13);
}

TEST_F(Textures, RefuseWhatTheyCannotBe) {
  const auto refuse = [](gpuopt_status code, const char *word, const gp::array &x, const gp::texture_options &how) {
    expect_error(code, word, [&] { gp::texture(x, how); });
  };
  const gp::array x = gp::zeros({2, 4}, gp::float32), bytes = gp::zeros({2, 4}, gp::uint8);
  const gp::texture_options plain;
  refuse(GPUOPT_ERR_TYPE, "no texture has channels of float64", gp::zeros({2}, gp::float64), plain);
  refuse(GPUOPT_ERR_TYPE, "bfloat16", gp::zeros({2}, gp::bfloat16), plain);
  refuse(GPUOPT_ERR_TYPE, "bool", gp::zeros({2}, gp::bool_), plain);
  refuse(GPUOPT_ERR_INVALID_ARGUMENT, "3 channels", x, gp::texture_options().channels(3));
  refuse(GPUOPT_ERR_INVALID_ARGUMENT, "address mode", x, gp::texture_options().address(gp::address_mode(4)));
  refuse(GPUOPT_ERR_INVALID_ARGUMENT, "linear filter", bytes, gp::texture_options().linear());
  refuse(GPUOPT_ERR_INVALID_ARGUMENT, "normalized_float", x, gp::texture_options().normalized_float());
  refuse(GPUOPT_ERR_SHAPE, "(2, 4) is not of 2 channels", x, gp::texture_options().channels(2));
  refuse(GPUOPT_ERR_SHAPE, "has 0 axes", gp::zeros({}, gp::float32), plain);
  refuse(GPUOPT_ERR_SHAPE, "has 4 axes", gp::zeros({1, 1, 1, 1}, gp::float32), plain);
  refuse(GPUOPT_ERR_SHAPE, "has 3 axes", gp::zeros({1, 1, 1, 1}, gp::float32), gp::texture_options().layered());
  refuse(GPUOPT_ERR_SHAPE, "no texels", gp::zeros({0, 3}, gp::float32), plain);
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, "read-only", [&] { gp::surface(gp::broadcast_to(x, {3, 2, 4})); });
}

}  // namespace

// tests/unit/cpu_columns_test.cpp -- kernels whose threads read elements at equal distances, such as a column of a tile
// in shared memory. The results have the same bits as those of host code that runs one thread after the other.
#include <gtest/gtest.h>

#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::noise;
using gpuopt::test::Shape;

constexpr int kRows = 48;

// What thread (x, y) of a block stores, and the same of the tile as the host has it. Threads fill the tile in turns.
struct Body {
  const char *text;
  int width;  // of the tile
  void (*run)(const int *tile, int *out, int x, int y, int bx, int by);
};
#define BODY(width, ...)                                                                                  \
  {                                                                                                       \
#__VA_ARGS__, width, [](const int *tile, int *out, [[maybe_unused]] int x, [[maybe_unused]] int y,      \
                            [[maybe_unused]] int bx, [[maybe_unused]] int by) {                         \
      constexpr int W = width;                                                                          \
      __VA_ARGS__                                                                                       \
    } \
  }
constexpr Body kBodies[] = {
    BODY(33, *out = tile[(x % 48) * W + y % W];),
    BODY(33, if (x < 48 && y < W) *out = tile[x * W + y];),
    BODY(33, if (x < 48) *out = tile[(47 - x) * W + 5];),
    BODY(17, if (x < 24) *out = tile[2 * x * W + W - 1 - y % W] - tile[(x + 1) * W];),
    BODY(40, int sum = 0; if (x < 48) for (int k = 0; k < W; k++) sum = 3 * sum + tile[x * W + k]; *out = sum;),
    BODY(65, for (int k = y; k < W; k += by) if (x < 48) *out += tile[x * W + k] * k;),
    BODY(9, long long at = 7ll * W + 3 - (long long)(x % 8) * W; *out = tile[at];),
    BODY(50, unsigned at = (unsigned)(x % 16) * (unsigned)(3 * W) + 4294967295u + 1u; *out = tile[at];),
    BODY(
        35,
        if (x < 48) {
          int low = tile[x * W], high = tile[x * W + W - 1];
          *out = low < high ? low - high : 7;
        }),
    BODY(33, if (x < 48) *out = tile[5 * W + y % W] + tile[(x ^ 3) * W];),
};
#undef BODY

std::string text_of(const Body &body) {
  return "#define W " + std::to_string(body.width) +
         "\nextern \"C\" __global__ void k(const int *from, int *to) {\n"
         "__shared__ int rows[48][W];\nint *tile = &rows[0][0];\n"
         "int x = threadIdx.x, y = threadIdx.y, bx = blockDim.x, by = blockDim.y, t = y * bx + x;\n"
         "for (int r = y; r < 48; r += by) for (int c = x; c < W; c += bx) rows[r][c] = from[r * W + c];\n"
         "__syncthreads();\nint value = 0, *out = &value;\n" +
         std::string(body.text) + "\nto[blockIdx.x * bx * by + t] = value;\n}";
}

TEST(Columns, HaveTheBitsOfPlainCode) {
  for (const Body &body : kBodies) {
    const std::vector<int> from = noise<int>(size_t(kRows) * size_t(body.width));
    for (const int level : {2, 3, 4}) {
      if (gpuopt::cpu::isa_level() < level) continue;
      const Kernel loops(text_of(body), true, level);
      ASSERT_TRUE(loops.loops()) << body.text;
      for (const Shape &block : {Shape{1}, Shape{32, 8}, Shape{33, 3}, Shape{7, 5}, Shape{1000}, Shape{16, 16}}) {
        std::vector<int> got(2 * block.volume(), -1), want(2 * block.volume(), -1);
        loops.run(Shape{2}, block, from.data(), got.data());
        for (unsigned k = 0; k < want.size(); k++) {
          const unsigned t = k % block.volume();
          want[k] = 0;
          body.run(from.data(), &want[k], int(t % block.x), int(t / block.x), int(block.x), int(block.y));
        }
        ASSERT_EQ(got, want) << body.text << " in blocks of " << block.x << " x " << block.y << ", level " << level;
      }
    }
  }
}

// Elements of other sizes, in the arrays of a structure, too.
template <class T>
void expect_transposed(const char *type) {
  const std::string text = "struct Pair { " + std::string(type) +
                           " one, other; };\nextern \"C\" __global__ void k(const " + type + " *from, " + type +
                           " *to) {\n__shared__ Pair tile[32][33];\nint x = threadIdx.x;\n"
                           "for (int y = threadIdx.y; y < 32; y += blockDim.y) tile[y][x] = {from[y * 32 + x], " +
                           "from[1023 - y * 32 - x]};\n__syncthreads();\n"
                           "for (int y = threadIdx.y; y < 32; y += blockDim.y) to[y * 32 + x] = tile[x][y].one - "
                           "tile[31 - x][y].other;\n}";
  const std::vector<T> from = noise<T>(1024);
  for (const int level : {2, 3, 4}) {
    if (gpuopt::cpu::isa_level() < level) continue;
    const Kernel kernel(text, true, level);
    for (const Shape &block : {Shape{32, 1}, Shape{32, 8}, Shape{32, 5}, Shape{32, 32}}) {
      std::vector<T> got(1024), want(1024);
      kernel.run(Shape{1}, block, from.data(), got.data());
      for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
          want[size_t(y * 32 + x)] = T(from[size_t(x * 32 + y)] - from[size_t(1023 - (31 - x) * 32 - y)]);
      ASSERT_EQ(got, want) << type << ", blocks of 32 x " << block.y << ", level " << level;
    }
  }
}

TEST(Columns, MayHaveElementsOfAnySize) {
  expect_transposed<double>("double");
  expect_transposed<float>("float");
  expect_transposed<long long>("long long");
  expect_transposed<int>("int");
  expect_transposed<short>("short");
  expect_transposed<unsigned char>("unsigned char");
}

}  // namespace

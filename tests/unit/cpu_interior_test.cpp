// tests/unit/cpu_interior_test.cpp -- kernels that keep the indices of neighbors in bounds, which run in other code in
// the interior of an array than at its borders. The results have the same bits as those of coroutines and of host code.
#include <gtest/gtest.h>

#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::noise;
using gpuopt::test::Shape;

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
constexpr const char *kMacros =
    "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n";

// A body as text, and the same compiled for the host: c and r are the indices of the thread in the grid, k is its
// number, and n the extent of a square array.
struct Body {
  const char *text;
  void (*run)(const float *x, float *y, int n, int c, int r, int k);
};
#define BODY(...)                                                                                               \
  {                                                                                                             \
#__VA_ARGS__, []([[maybe_unused]] const float *x, float *y, [[maybe_unused]] int n, [[maybe_unused]] int c, \
                     [[maybe_unused]] int r, int k) { __VA_ARGS__ }                                             \
  }
constexpr Body kBodies[] = {
    BODY(if (c < n && r < n) y[k] = x[r * n + MAX(c - 1, 0)] - 3 * x[r * n + MIN(c + 1, n - 1)];),
    BODY(if (r >= n || c >= n) return; y[k] = x[MAX(r - 2, 0) * n + MAX(c - 2, 0)] - x[MIN(r + 2, n - 1) * n + c];),
    BODY(if (r >= n || c >= n) return;
         y[k] = x[r * n + (c > 0 ? c - 1 : 0)] + 2 * x[r * n + (c == n - 1 ? c : c + 1)];),
    BODY(if (r >= n || c >= n) return; float left = c == 0 ? 7 : x[r * n + c - 1];
         float right = c != n - 1 ? x[r * n + c + 1] : 9; y[k] = left - right;),
    BODY(y[k] = x[MIN(MAX(c - 40, 0), n - 1)] + 2 * x[MAX(MIN(c + 40, n - 1), 0)];),
    BODY(unsigned u = (unsigned)c; unsigned m = (unsigned)n;
         if (u < m) y[k] = x[MIN(u + 1u, m - 1u)] - x[MAX(u, 1u) - 1u];),
    // The index wraps around among the threads of a row, or between the rows.
    BODY(unsigned u = (unsigned)c + 4294967290u; y[k] = x[MIN(u, 5u)] + 2 * x[MIN(u + 3u, (unsigned)n - 1u)];),
    BODY(int s = (int)((unsigned)c + 2147483640u); y[k] = x[MIN(MAX(s, 0), n - 1)] + (s == -2147483647 ? 5 : 0);),
    BODY(long long l = (long long)c - 3; y[k] = x[MAX(l, 0ll) < n ? MAX(l, 0ll) : 0] + (l == 20 ? 1 : 2);),
    BODY(short h = (short)(c + 32750); y[k] = x[MAX(h, (short)0) % n];),
    BODY(if (c >= 1 && c < n - 1 && r < n) y[k] = x[r * n + c - 1] + x[r * n + c + 1] - (c == 1 ? 100 : 0);),
    BODY(if (c > n) return; y[k] = x[MAX(n - 1 - c, 0)] + (float)MAX(c, r) + (float)MIN(c, n / 2);),
    BODY(y[k] = (float)(MAX(c, 16) - MIN(c, n) + (c == 17) * 5 + (c != n) * 3 + (c <= 33) + (c > 47));),
};
#undef BODY
#undef MAX
#undef MIN

TEST(Interior, HasTheBitsOfPlainCode) {
  const std::vector<float> x = noise<float>(100 * 100);
  for (const Body &body : kBodies) {
    const std::string text = kMacros +
                             std::string(
                                 "extern \"C\" __global__ void k(const float *x, float *y, int n) {\n"
                                 "int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "int r = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                 "int k = r * gridDim.x * blockDim.x + c;\n") +
                             body.text + "\n}";
    for (const int level : {2, 3, 4}) {
      if (gpuopt::cpu::isa_level() < level) continue;
      const Kernel loops(text, true, level);
      for (const Shape &block : {Shape{1}, Shape{16, 16}, Shape{33, 2}, Shape{8, 1}, Shape{64, 3}, Shape{1000}}) {
        for (const int n : {1, 2, 15, 16, 17, 47, 100}) {
          const Shape grid{(100 + block.x) / block.x, (20 + block.y) / block.y};
          const unsigned width = grid.x * block.x, height = grid.y * block.y;
          std::vector<float> got(width * height, -1), want(width * height, -1);
          loops.run(grid, block, x.data(), got.data(), n);
          for (unsigned k = 0; k < width * height; k++)
            body.run(x.data(), want.data(), n, int(k % width), int(k / width), int(k));
          ASSERT_EQ(got, want) << body.text << " in blocks of " << block.x << " x " << block.y << ", n " << n;
        }
      }
    }
  }
}

}  // namespace

// tests/conformance/cuda_library_kernel_test.cpp -- kernels that use CUDA's libraries for devices: 16-bit floats
// (cuda_fp16.h, cuda_bf16.h), cooperative groups, and random numbers (curand_kernel.h), on the device under test,
// against results that Python computed (tests/kernels/make_half.py, make_curand.py) or that follow from the threads'
// numbers.
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <gpuopt/gpuopt.hpp>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;

using CudaLibrary = KernelTest;

std::ifstream opened(const char *name) {
  std::ifstream file(std::string(GPUOPT_SOURCE_DIR) + "/tests/kernels/" + name);
  EXPECT_TRUE(file) << name;
  return file;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

// ---- 16-bit floats ----

struct Half {
  std::string name, type, two, type2;
};
const Half kHalves[] = {{"half", "__half", "half2", "__half2"},
                        {"bfloat16", "__nv_bfloat16", "bfloat162", "__nv_bfloat162"}};

// A kernel in which NAME, TYPE, TWO and TYPE2 stand for those of a format.
gp::raw_kernel kernel_of(const Half &half, const std::string &text) {
  const std::string headers = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
  std::string own = replaced(replaced(text, "TYPE2", half.type2), "TYPE", half.type);
  return {headers + replaced(replaced(own, "TWO", half.two), "NAME", half.name), "k"};
}

// What computes each operation of half.txt of the bits a, b and c.
const std::map<std::string, std::string> &operations() {
  static const std::map<std::string, std::string> all = [] {
    const std::string bits = "__NAME_as_ushort(", x = "__ushort_as_NAME(a)", y = "__ushort_as_NAME(b)";
    std::map<std::string, std::string> made = {{"add", bits + x + " + " + y + ")"},
                                               {"sub", bits + "__hsub(" + x + ", " + y + "))"},
                                               {"mul", bits + x + " * " + y + ")"},
                                               {"div", bits + "__hdiv(" + x + ", " + y + "))"},
                                               {"fma", bits + "__hfma(" + x + ", " + y + ", __ushort_as_NAME(c)))"}};
    for (const std::string mode : {"rn", "rz", "rd", "ru"}) {
      made["float_" + mode] = bits + "__float2NAME_" + mode + "(__int_as_float(int(a))))";
      made["int_" + mode] = bits + "__int2NAME_" + mode + "(int(a)))";
      made["ll_" + mode] = bits + "__ll2NAME_" + mode + "((long long)a))";
      made["to_int_" + mode] = "unsigned(__NAME2int_" + mode + "(" + x + "))";
    }
    return made;
  }();
  return all;
}

TEST_F(CudaLibrary, HalvesRoundOnce) {
  std::ifstream file = opened("half.txt");
  size_t lines = 0;
  for (std::string line; std::getline(file, line); lines++) {
    std::istringstream words(line);
    std::string form, operation, equals, result;
    words >> form >> operation;
    SCOPED_TRACE(form + " " + operation);
    std::vector<uint64_t> given, wanted;
    for (uint64_t a, b, c; words >> std::hex >> a >> b >> c >> equals >> result;) {
      given.insert(given.end(), {a, b, c});
      wanted.push_back(std::stoull(result, nullptr, 16));
    }
    const gp::raw_kernel kernel =
        kernel_of(kHalves[form == "half" ? 0 : 1],
                  "__global__ void k(const unsigned long long *in, unsigned long long *out, int n) {\n"
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i >= n) return;\n"
                  "  unsigned long long a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];\n"
                  "  out[i] = " +
                      operations().at(operation) + " + 0 * (b + c);\n}");
    const int n = static_cast<int>(wanted.size());
    const gp::array in(given), out = gp::zeros({n}, gp::uint64);
    kernel((n + 63) / 64, 64, in, out, n);
    const std::vector<uint64_t> got = values<uint64_t>(out);
    for (size_t k = 0; k < wanted.size(); k++)
      EXPECT_EQ(got[k], wanted[k]) << std::hex << given[3 * k] << ' ' << given[3 * k + 1] << ' ' << given[3 * k + 2];
  }
  EXPECT_EQ(lines, 42u);
}

TEST_F(CudaLibrary, HalvesCompareAndConvert) {
  for (const Half &half : kHalves) {
    const gp::raw_kernel kernel = kernel_of(half, R"(
__global__ void k(int *out) {
  TYPE one = 1.0f, two = 2, nan = __ushort_as_NAME(0x7fff), zero = __ushort_as_NAME(0), minus = -zero;
  int n = 0;
  out[n++] = one < two && one <= one && two > one && two >= two && one != two && !(one == two) && zero == minus;
  out[n++] = !(nan == nan) && nan != nan && !(nan < one) && !(nan >= one) && __hisnan(nan) && !__hisnan(one);
  out[n++] = __heq(one, one) && !__hne(nan, one) && __hneu(nan, one) && __hltu(nan, one) && !__hlt(nan, one);
  out[n++] = __hmax(nan, one) == one && __hmin(two, nan) == two && __hisnan(__hmax_nan(nan, one));
  out[n++] = __NAME_as_ushort(__hmax(minus, zero)) == 0 && __NAME_as_ushort(__hmin(zero, minus)) == 0x8000;
  out[n++] = __hisinf(one / zero) == 1 && __hisinf(one / minus) == -1 && __hisinf(one) == 0;
  out[n++] = __hadd_sat(one, two) == one && __hsub_sat(one, two) == zero && __hfma_relu(one, -two, one) == zero;
  float f = two;
  double d = two;
  int i = two;
  bool b = two, c = minus;
  out[n++] = f == 2 && d == 2 && i == 2 && b && !c;
  TYPE x = one;
  x += two, x *= two, x -= one, x++, --x;
  out[n++] = x == TYPE(5) && __habs(-x) == x && __hneg(x) == -x && float(x++) == 5 && float(x) == 6;
  TYPE2 v = __halves2TWO(one, two), w = __floats2TWO_rn(2, 2);
  out[n++] = __hbeq2(v + w, make_TWO(TYPE(3), TYPE(4))) && !__hbeq2(v, w) && __hble2(v, w) && !(v != w) && v != v + w;
  out[n++] = __heq2_mask(v, w) == 0xffff0000u && __high2float(__hgt2(w, v)) == 0 && __low2float(__hgt2(w, v)) == 1;
  out[n++] = __low2float(__lowhigh2highlow(v)) == 2 && __low2NAME(v) == one && __high2NAME(v) == two;
  float2 both = __TWO2float2(__hfma2(v, w, v));
  out[n++] = both.x == 3 && both.y == 6 && __TWO2float2(__h2div(v, w)).x == 0.5f;
  out[n++] = sizeof(TYPE) == 2 && sizeof(TYPE2) == 4 && alignof(TYPE2) == 4;
  out[n++] = __NAME2char_rz(TYPE(-300)) == -128 && __NAME2uchar_rz(TYPE(-3)) == 0 && __NAME2ull_rn(nan) == 1ull << 63;
})");
    const std::string fixed = half.name;
    const gp::array out = gp::zeros({15}, gp::int32);
    kernel(1, 1, out);
    const std::vector<int32_t> got = values<int32_t>(out);
    for (size_t k = 0; k < got.size(); k++) EXPECT_EQ(got[k], 1) << fixed << ' ' << k;
  }
}

TEST_F(CudaLibrary, FunctionsOfHalves) {
  for (const Half &half : kHalves) {
    const gp::raw_kernel kernel = kernel_of(half, R"(
__global__ void k(float x, float *out) {
  TYPE h = x;
  TYPE2 v = h2log(__NAME2TWO(h));
  float results[] = {hsin(h), hcos(h), hexp(h), hexp2(h), hexp10(h), hlog(h), hlog2(h), hlog10(h), htanh(h), hsqrt(h),
                     hrsqrt(h), hrcp(h), hfloor(h), hceil(h), htrunc(h), hrint(h), __low2float(v)};
  for (int k = 0; k < 17; k++) out[k] = results[k];
})");
    for (const float x : {0.5f, 1.25f, 2.5f, 3.0f}) {
      const gp::array out = gp::zeros({17}, gp::float32);
      kernel(1, 1, x, out);
      const std::vector<float> got = values<float>(out);
      const double d = x, log = std::log(d), wanted[] = {std::sin(d),
                                                         std::cos(d),
                                                         std::exp(d),
                                                         std::exp2(d),
                                                         std::pow(10, d),
                                                         log,
                                                         std::log2(d),
                                                         std::log10(d),
                                                         std::tanh(d),
                                                         std::sqrt(d),
                                                         1 / std::sqrt(d),
                                                         1 / d,
                                                         std::floor(d),
                                                         std::ceil(d),
                                                         std::trunc(d),
                                                         std::nearbyint(d),
                                                         log};
      for (size_t k = 0; k < 17; k++)
        EXPECT_NEAR(got[k], wanted[k], std::abs(wanted[k]) * (half.name == "half" ? 0x1.01p-11 : 0x1.01p-8))
            << x << ' ' << k;
    }
  }
}

TEST_F(CudaLibrary, HalvesOfOtherThreads) {
  for (const Half &half : kHalves) {
    const gp::raw_kernel kernel = kernel_of(half, R"(
__global__ void k(TYPE *sums, TYPE2 *pairs, float *out) {
  TYPE x = float(threadIdx.x);
  TYPE2 v = __halves2TWO(x, -x);
  for (int by = 16; by > 0; by /= 2) x += __shfl_down_sync(0xffffffffu, x, by);
  v = __shfl_xor_sync(0xffffffffu, v, 1);
  out[threadIdx.x] = __low2float(v) * 1000 + __high2float(v);
  if (threadIdx.x == 0) out[32] = x;
  atomicAdd(sums + 1, TYPE(1.0f));
  atomicAdd(pairs, __floats2TWO_rn(1, 2));
  if (threadIdx.x == 0) out[33] = __ldg(sums);
})");
    const gp::array sums = gp::zeros({2}, gp::uint16), pairs = gp::zeros({2}, gp::uint16),
                    out = gp::zeros({34}, gp::float32);
    kernel(1, 32, sums, pairs, out);
    const std::vector<float> got = values<float>(out);
    for (int t = 0; t < 32; t++) EXPECT_EQ(got[size_t(t)], float((t ^ 1) * 999)) << t;
    EXPECT_EQ(got[32], 496);
    const bool is_half = half.name == "half";
    EXPECT_EQ(values<uint16_t>(sums), (std::vector<uint16_t>{0, uint16_t(is_half ? 0x5000 : 0x4200)}));
    EXPECT_EQ(values<uint16_t>(pairs),
              (std::vector<uint16_t>{uint16_t(is_half ? 0x5000 : 0x4200), uint16_t(is_half ? 0x5400 : 0x4280)}));
  }
}

// ---- Cooperative groups ----

constexpr const char *kGroups =
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
    "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n";

TEST_F(CudaLibrary, GroupsKnowTheirThreads) {
  const gp::raw_kernel kernel(std::string(kGroups) + R"(
template <class Tile>
__device__ int number(const Tile &tile) {
  return ((tile.meta_group_rank() * 100 + tile.meta_group_size()) * 100 + tile.thread_rank()) * 100 +
         tile.num_threads();
}
__global__ void k(int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  auto tile = cg::tiled_partition<16>(block);
  cg::thread_block_tile<4> four = cg::tiled_partition<4>(tile);
  int *mine = out + 6 * grid.thread_rank();
  mine[0] = block.thread_rank() * 1000 + block.size();
  mine[1] = number(tile);
  mine[2] = number(cg::tiled_partition<4>(tile));
  mine[3] = block.group_index().x * 100 + block.thread_index().y;
  mine[4] = grid.size() + four.size() + cg::group_size(block) + cg::thread_rank(four);
  cg::thread_group any = cg::tiled_partition(block, 8);
  mine[5] = any.size() * 100 + any.thread_rank();
})",
                              "k");
  const gp::array out = gp::zeros({3 * 64 * 6}, gp::int32);
  kernel(3, {16, 4}, out);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int i = 0; i < 3 * 64; i++) {
    const int t = i % 64, *mine = &got[size_t(6 * i)];
    EXPECT_EQ(mine[0], t * 1000 + 64) << i;
    EXPECT_EQ(mine[1], ((t / 16 * 100 + 4) * 100 + t % 16) * 100 + 16) << i;
    EXPECT_EQ(mine[2], ((t % 16 / 4 * 100 + 4) * 100 + t % 4) * 100 + 4) << i;
    EXPECT_EQ(mine[3], i / 64 * 100 + t / 16) << i;
    EXPECT_EQ(mine[4], 192 + 4 + 64 + t % 4) << i;
    EXPECT_EQ(mine[5], 800 + t % 8) << i;
  }
}

TEST_F(CudaLibrary, TilesExchange) {
  const gp::raw_kernel kernel(std::string(kGroups) + R"(
struct Wide { double a; int b; float c; };
__global__ void k(int *out, double *wide) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int t = threadIdx.x, same, other, *mine = out + 8 * t;
  mine[0] = tile.shfl(t, 3) * 100 + tile.shfl_xor(t, 5);
  mine[1] = tile.shfl_up(t, 2) * 100 + tile.shfl_down(t, 2);
  mine[2] = tile.any(t == 9) + 2 * tile.all(t < 8) + 4 * tile.ballot(t % 8 == 2);
  mine[3] = tile.match_any(t % 3);
  mine[4] = tile.match_all(t / 8, same) + 1000 * tile.match_all(t / 4, other);
  mine[5] = same * 10 + other;
  mine[6] = tile.shfl((short)(t - 20), 1);
  Wide w = tile.shfl(Wide{t * 0.5, t, t * 2.0f}, 6);
  wide[t] = w.a + w.b + w.c;
  tile.sync();
  cg::sync(tile);
})",
                              "k");
  const gp::array out = gp::zeros({32 * 8}, gp::int32), wide = gp::zeros({32}, gp::float64);
  kernel(1, 32, out, wide);
  const std::vector<int32_t> got = values<int32_t>(out);
  const std::vector<double> sums = values<double>(wide);
  for (int t = 0; t < 32; t++) {
    const int r = t % 8, first = t - r, *mine = &got[size_t(8 * t)];
    int match = 0;
    for (int k = 0; k < 8; k++) match |= ((first + k) % 3 == t % 3) << k;
    EXPECT_EQ(mine[0], (first + 3) * 100 + (t ^ 5)) << t;
    EXPECT_EQ(mine[1], (r >= 2 ? t - 2 : t) * 100 + (r < 6 ? t + 2 : t)) << t;
    EXPECT_EQ(mine[2], (t / 8 == 1) + 2 * (t < 8) + 16) << t;
    EXPECT_EQ(mine[3], match) << t;
    EXPECT_EQ(mine[4], 255) << t;
    EXPECT_EQ(mine[5], 10) << t;
    EXPECT_EQ(mine[6], first + 1 - 20) << t;
    EXPECT_EQ(sums[size_t(t)], 3.5 * (first + 6)) << t;
  }
}

TEST_F(CudaLibrary, GroupsReduceAndScan) {
  const gp::raw_kernel kernel(std::string(kGroups) + R"(
__global__ void k(int *out, float *sums) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int t = threadIdx.x, *mine = out + 8 * t;
  mine[0] = cg::reduce(tile, t, cg::plus<int>());
  mine[1] = cg::reduce(tile, t, cg::less<int>()) * 100 + cg::reduce(tile, t, cg::greater<int>());
  mine[2] = cg::reduce(tile, 1 << t % 16, cg::bit_or<int>()) + cg::reduce(tile, t | 1, cg::bit_and<int>());
  mine[3] = cg::inclusive_scan(tile, t) * 10000 + cg::exclusive_scan(tile, t);
  mine[4] = cg::inclusive_scan(tile, (t * 7) % 16, cg::greater<int>());
  auto odd = cg::binary_partition(tile, t % 2 == 1);
  mine[5] = cg::reduce(odd, t, cg::plus<int>()) * 100 + odd.thread_rank() * 10 + odd.meta_group_rank();
  auto third = cg::labeled_partition(tile, t % 3);
  mine[6] = cg::inclusive_scan(third, t) * 100 + third.size();
  mine[7] = third.ballot(t % 16 < 6) + 100 * third.shfl(t, 1);
  sums[t] = cg::reduce(tile, 0.5f * t, cg::plus<float>());
})",
                              "k");
  const gp::array out = gp::zeros({32 * 8}, gp::int32), sums = gp::zeros({32}, gp::float32);
  kernel(1, 32, out, sums);
  const std::vector<int32_t> got = values<int32_t>(out);
  const std::vector<float> floats = values<float>(sums);
  for (int t = 0; t < 32; t++) {
    const int first = t / 16 * 16, *mine = &got[size_t(8 * t)];
    int total = 0, until = 0, most = 0, both = -1, odd = 0, odd_rank = 0, third = 0, thirds = 0, low = 0, second = 0;
    for (int k = first; k < first + 16; k++) {
      total += k, both &= k | 1;
      if (k <= t) until += k, most = std::max(most, k * 7 % 16);
      if (k % 2 == t % 2) odd += k, odd_rank += k < t;
      if (k % 3 != t % 3) continue;
      if (k <= t) third += k;
      if (k % 16 < 6) low |= 1 << thirds;
      if (++thirds == 2) second = k;
    }
    EXPECT_EQ(mine[0], total) << t;
    EXPECT_EQ(mine[1], first * 100 + first + 15) << t;
    EXPECT_EQ(mine[2], 0xffff + both) << t;
    EXPECT_EQ(mine[3], until * 10000 + until - t) << t;
    EXPECT_EQ(mine[4], most) << t;
    EXPECT_EQ(mine[5], odd * 100 + odd_rank * 10 + t % 2) << t;
    EXPECT_EQ(mine[6], third * 100 + thirds) << t;
    EXPECT_EQ(mine[7], low + 100 * second) << t;
    EXPECT_EQ(floats[size_t(t)], 0.5f * float(total)) << t;
  }
}

TEST_F(CudaLibrary, GroupsOfAnyKind) {
  const gp::raw_kernel kernel(std::string(kGroups) + R"(
__device__ int sum_of(cg::thread_group group, int *temp, int value) {
  int rank = group.thread_rank();
  for (int i = group.size() / 2; i > 0; i /= 2) {
    temp[rank] = value;
    group.sync();
    if (rank < i) value += temp[rank + i];
    group.sync();
  }
  return value;
}
__global__ void k(const int *in, int *out) {
  __shared__ int temp[128], stage[128];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, stage, in, sizeof(int) * 128);
  cg::wait(block);
  int all = sum_of(block, temp, stage[threadIdx.x]);
  block.sync();
  auto tile = cg::tiled_partition<32>(block);
  int part = sum_of(tile, temp + threadIdx.x / 32 * 32, stage[127 - threadIdx.x]);
  if (block.thread_rank() == 0) out[0] = all;
  if (tile.thread_rank() == 0) out[1 + tile.meta_group_rank()] = part;
  cg::invoke_one(tile, [&] { atomicAdd(out + 5, 1); });
  int old = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(out + 6, 10); });
  atomicAdd(out + 7, old);
  if (threadIdx.x >= 100) return;
  auto active = cg::coalesced_threads();
  if (threadIdx.x >= 96) out[8] = active.size() * 100 + cg::reduce(active, (int)threadIdx.x, cg::plus<int>());
})",
                              "k");
  const gp::array in = gp::arange(128, gp::int32), out = gp::zeros({9}, gp::int32);
  kernel(1, 128, in, out);
  EXPECT_EQ(values<int32_t>(out), (std::vector<int32_t>{8128, 3568, 2544, 1520, 496, 4, 40, 32 * 60, 400 + 390}));
}

TEST_F(CudaLibrary, TilesOfSeveralWarps) {
  const gp::raw_kernel kernel(std::string(kGroups) + R"(
struct Wide { double a; int b; };
struct Larger { __device__ Wide operator()(const Wide &x, const Wide &y) const { return x.b < y.b ? y : x; } };
__global__ void k(int *out, double *wide) {
  __shared__ cg::block_tile_memory<256> scratch;
  __shared__ int part[256];
  auto block = cg::this_thread_block(scratch);
  auto tile = cg::tiled_partition<64>(block);
  auto half = cg::tiled_partition<128>(block);
  auto warp = cg::tiled_partition<32>(tile);
  const int t = threadIdx.x, *mine = nullptr;
  int *to = out + 8 * t;
  to[0] = ((tile.meta_group_rank() * 10 + tile.meta_group_size()) * 1000 + tile.thread_rank()) * 1000 + tile.size();
  to[1] = cg::reduce(tile, t, cg::plus<int>());
  to[2] = cg::reduce(half, t * 7 % 256, cg::greater<int>());
  to[3] = tile.shfl(t, 40) * 1000 + half.shfl(t, 100);
  to[4] = tile.any(t == 70) + 2 * tile.all(t < 128) + 4 * half.any(t == 200) + 8 * half.all(t != 9);
  for (int round = 0; round < t % 3; round++) to[5] += round;
  part[t] = t;
  tile.sync();
  to[6] = part[t ^ 63];
  mine = &part[t / 128 * 128 + 127 - t % 128];
  cg::sync(half);
  to[7] = *mine * 100 + warp.meta_group_rank() * 10 + warp.meta_group_size();
  const Wide best = cg::reduce(half, Wide{t / 4.0, t * 37 % 256}, Larger());
  wide[t] = best.a + best.b;
})",
                              "k");
  const gp::array out = gp::zeros({256 * 8}, gp::int32), wide = gp::zeros({256});
  kernel(1, 256, out, wide);
  const std::vector<int32_t> got = values<int32_t>(out);
  const std::vector<double> best = values<double>(wide);
  for (int t = 0; t < 256; t++) {
    const int *const to = &got[size_t(8 * t)], tile = t / 64, half = t / 128;
    int largest = 0, place = 0;
    for (int k = 128 * half; k < 128 * half + 128; k++) {
      largest = std::max(largest, k * 7 % 256);
      if (k * 37 % 256 > place * 37 % 256 || k == 128 * half) place = k;
    }
    EXPECT_EQ(to[0], ((tile * 10 + 4) * 1000 + t % 64) * 1000 + 64) << t;
    EXPECT_EQ(to[1], 64 * 64 * tile + 2016) << t;
    EXPECT_EQ(to[2], largest) << t;
    EXPECT_EQ(to[3], (64 * tile + 40) * 1000 + 128 * half + 100) << t;
    EXPECT_EQ(to[4], (tile == 1) + 2 * (tile < 2) + 4 * half + 8 * half) << t;
    EXPECT_EQ(to[6], t ^ 63) << t;
    EXPECT_EQ(to[7], (128 * half + 127 - t % 128) * 100 + t / 32 % 2 * 10 + 2) << t;
    EXPECT_EQ(best[size_t(t)], place / 4.0 + place * 37 % 256) << t;
  }
}

// Each block needs in each round what all others wrote in the round before, beside what it keeps in shared memory.
TEST_F(CudaLibrary, TheGridWaits) {
  const gp::raw_kernel kernel(std::string(kGroups) + R"(
__global__ void rounds(int *words, int *sums, int count) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int kept[64];
  const int own = int(grid.thread_rank()), n = int(grid.size());
  kept[threadIdx.x] = own;
  words[own] = own;
  for (int round = 0; round < count; round++) {
    grid.sync();
    const int next = words[(own + 64) % n] + kept[63 - threadIdx.x] % 7;
    cg::sync(grid);
    words[own] = next % 1000;
  }
  if (own < 5) return;
  sums[own] = words[own] + grid.is_valid();
})",
                              "rounds");
  const int blocks = 37, n = 64 * blocks;
  const gp::array words = gp::zeros({n}, gp::int32), sums = gp::zeros({n}, gp::int32);
  kernel(blocks, 64, words, sums, int32_t{9});
  std::vector<int32_t> now(static_cast<size_t>(n)), next = now;
  std::iota(now.begin(), now.end(), 0);
  for (int round = 0; round < 9; round++) {
    for (int i = 0; i < n; i++) next[size_t(i)] = (now[size_t((i + 64) % n)] + (i / 64 * 64 + 63 - i % 64) % 7) % 1000;
    now = next;
  }
  EXPECT_EQ(values<int32_t>(words), now);
  for (int i = 0; i < n; i++) now[size_t(i)] = i < 5 ? 0 : now[size_t(i)] + 1;
  EXPECT_EQ(values<int32_t>(sums), now);
}

// On a GPU the first two end the kernel, and with it the device.
TEST_F(CudaLibrary, GridsThatCannotWait) {
  if (device.backend() != "cpu") GTEST_SKIP() << "a trap costs the device";
  const gp::raw_kernel kernel(std::string(kGroups) + R"(
__global__ void k(int *y, int waiting) {
  if (int(blockIdx.x) < waiting) cg::this_grid().sync();
  y[blockIdx.x] += 1;
})",
                              "k");
  const gp::array y = gp::zeros({2000}, gp::int32);
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"1025 blocks of 256 threads", "262144"},
               [&] { kernel(1025, 256, y, int32_t{1025}); });
  expect_error(GPUOPT_ERR_KERNEL_FAULT, {"3 blocks wait for the grid", "other 4", "this_grid().sync()"},
               [&] { kernel(7, 32, y, int32_t{3}); });
  kernel(2000, 256, y, int32_t{0});  // none waits
  const gp::array z = gp::zeros({1024}, gp::int32);
  kernel(1024, 256, z, int32_t{1024});
  EXPECT_EQ(gp::sum(z > 0).item<int64_t>(), 1024);
}

// ---- curand ----

const std::map<std::string, std::string> kStates = {
    {"xorwow", "curandState"}, {"philox", "curandStatePhilox4_32_10_t"}, {"mrg", "curandStateMRG32k3a"}};

TEST_F(CudaLibrary, RandomNumbersAreCurands) {
  std::ifstream file = opened("curand.txt");
  std::map<std::string, std::vector<uint64_t>> given, wanted;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, equals;
    words >> name >> std::hex;
    for (uint64_t k = 0, x; k < 7; k++) {
      if (k == 3) words >> equals;
      words >> x;
      (k < 3 ? given : wanted)[name].push_back(x);
    }
  }
  ASSERT_EQ(given.size(), 3u);
  for (const auto &[name, state] : kStates) {
    const gp::raw_kernel kernel("#include <curand_kernel.h>\nusing State = " + state + R"(;
__global__ void k(const unsigned long long *in, unsigned long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  State state;
  curand_init(in[3 * i], in[3 * i + 1], in[3 * i + 2], &state);
  for (int k = 0; k < 4; k++) out[4 * i + k] = curand(&state);
})",
                                "k");
    const int n = static_cast<int>(given[name].size() / 3);
    const gp::array in(given[name]), out = gp::zeros({4 * n}, gp::uint64);
    kernel((n + 31) / 32, 32, in, out, n);
    EXPECT_EQ(values<uint64_t>(out), wanted[name]) << name;
  }
}

TEST_F(CudaLibrary, DistributionsOfRandomNumbers) {
  for (const auto &[name, state] : kStates) {
    const gp::raw_kernel kernel("#include <curand_kernel.h>\nusing State = " + state + R"(;
__global__ void k(double *out) {
  State state, other;
  curand_init(7, threadIdx.x, 0, &state);
  other = state;
  double sums[6] = {};
  bool inside = true;
  for (int k = 0; k < 500; k++) {
    float u = curand_uniform(&state), x = curand_normal(&state), y = curand_log_normal(&state, 0.0f, 1.0f);
    double v = curand_uniform_double(&state), z = curand_normal_double(&state);
    inside = inside && u > 0 && u <= 1 && v > 0 && v <= 1;
    sums[0] += u, sums[1] += v, sums[2] += x, sums[3] += z, sums[4] += double(x) * x + z * z, sums[5] += y > 1;
  }
  for (int k = 0; k < 6; k++) out[threadIdx.x * 8 + k] = sums[k];
  for (int k = 0; k < 100; k++) curand(&other);
  curand_init(7, threadIdx.x, 0, &state);
  skipahead(100, &state);
  out[threadIdx.x * 8 + 6] = inside;
  out[threadIdx.x * 8 + 7] = curand(&other) == curand(&state);
})",
                                "k");
    const gp::array out = gp::zeros({64, 8}, gp::float64);
    kernel(1, 64, out);
    const std::vector<double> got = values<double>(out);
    double sums[8] = {};
    for (size_t k = 0; k < got.size(); k++) sums[k % 8] += got[k];
    const double n = 64 * 500, deviation = std::sqrt(n);
    EXPECT_NEAR(sums[0], n / 2, 4 * 0.29 * deviation) << name;
    EXPECT_NEAR(sums[1], n / 2, 4 * 0.29 * deviation) << name;
    EXPECT_NEAR(sums[2], 0, 4 * deviation) << name;
    EXPECT_NEAR(sums[3], 0, 4 * deviation) << name;
    EXPECT_NEAR(sums[4], 2 * n, 4 * 2 * deviation) << name;
    EXPECT_NEAR(sums[5], n / 2, 4 * 0.5 * deviation) << name;
    EXPECT_EQ(sums[6], 64) << name;
    EXPECT_EQ(sums[7], 64) << name;
  }
}

TEST_F(CudaLibrary, FourNumbersOfPhilox) {
  const gp::raw_kernel kernel(R"(
#include <curand_kernel.h>
__global__ void k(double *out) {
  curandStatePhilox4_32_10_t a, b;
  curand_init(5, threadIdx.x, threadIdx.x, &a);
  b = a;
  uint4 x = curand4(&a);
  float4 u = curand_uniform4(&a);
  float4 z = curand_normal4(&a);
  bool same = x.x == curand(&b) && x.y == curand(&b) && x.z == curand(&b) && x.w == curand(&b);
  same = same && u.x == curand_uniform(&b) && u.y == curand_uniform(&b) && u.z == curand_uniform(&b);
  same = same && u.w == curand_uniform(&b);
  same = same && z.x == curand_normal(&b) && z.y == curand_normal(&b) && z.z == curand_normal(&b);
  same = same && z.w == curand_normal(&b);
  out[threadIdx.x] = same;
})",
                              "k");
  const gp::array out = gp::zeros({8}, gp::float64);
  kernel(1, 8, out);
  EXPECT_EQ(values<double>(out), std::vector<double>(8, 1));
}

}  // namespace

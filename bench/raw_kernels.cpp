// bench/raw_kernels.cpp -- raw CUDA kernels on the CPU: a tiled matrix product and reductions in blocks, against the
// library's own operations; histograms, transposes, stencils and bodies that attract each other, against C with OpenMP
// (OMP_NUM_THREADS), whose results are compared; and how long long kernels compile. Set GPUOPT_NUM_THREADS=1 for
// figures per core (with --processor-time where others use the machine), GPUOPT_CPU_FISSION=0 for coroutines, and
// GPUOPT_BLAS=none for the library's own matmul.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

#include "bench/raw_kernels_openmp.h"

namespace {

namespace gp = gpuopt;

constexpr int kSize = 512, kLong = 10'000'000;

std::string tiled(int tile) {
  return "#define TILE " + std::to_string(tile) + R"(
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
    ta[y][x] = row < n && t * TILE + x < n ? a[row * n + t * TILE + x] : 0;
    tb[y][x] = column < n && t * TILE + y < n ? b[(t * TILE + y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
})";
}

constexpr const char *kBlockSum = R"(
extern "C" __global__ void block_sum(const float *x, float *sums, int n) {
  __shared__ float partial[256];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += x[i];
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
})";

constexpr const char *kWarpSum = R"(
__device__ float sum_of_warp(float x) {
  for (int s = 16; s > 0; s /= 2) x += __shfl_down_sync(0xffffffffu, x, s);
  return x;
}
extern "C" __global__ void block_sum(const float *x, float *sums, int n) {
  __shared__ float partial[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += x[i];
  mine = sum_of_warp(mine);
  if (lane == 0) partial[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = sum_of_warp(lane < blockDim.x / 32 ? partial[lane] : 0);
    if (lane == 0) sums[blockIdx.x] = mine;
  }
})";

constexpr const char *kSharedHistogram = R"(
extern "C" __global__ void histogram(const unsigned *x, unsigned *counts, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&own[x[i] & 255], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&counts[b], own[b]);
})";

constexpr const char *kGlobalHistogram = R"(
extern "C" __global__ void histogram(const unsigned *x, unsigned *counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&counts[x[i] & 255], 1u);
})";

constexpr const char *kTransposes = R"(
extern "C" __global__ void transpose(const float *from, float *to, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n) to[column * n + row] = from[row * n + column];
}
extern "C" __global__ void tiled_transpose(const float *from, float *to, int n) {
  __shared__ float tile[32][33];
  int x = threadIdx.x, c = blockIdx.x * 32, r = blockIdx.y * 32;
  for (int y = threadIdx.y; y < 32; y += blockDim.y) tile[y][x] = from[(r + y) * n + c + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y) to[(c + y) * n + r + x] = tile[x][y];
})";

constexpr const char *kStencils = R"(
extern "C" __global__ void hotspot(const float *temperature, const float *power, float *to, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= n || c >= n) return;
  float center = temperature[r * n + c];
  float above = temperature[max(r - 1, 0) * n + c], below = temperature[min(r + 1, n - 1) * n + c];
  float left = temperature[r * n + max(c - 1, 0)], right = temperature[r * n + min(c + 1, n - 1)];
  to[r * n + c] = center + 0.1f * (power[r * n + c] + (above + below - 2.0f * center) * 0.5f +
                                   (left + right - 2.0f * center) * 0.25f + (80.0f - center) * 0.01f);
}
extern "C" __global__ void srad_coefficients(const float *image, float *coefficient, float *north, float *south,
                                             float *west, float *east, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, k = r * n + c;
  if (r >= n || c >= n) return;
  float center = image[k], dn = image[max(r - 1, 0) * n + c] - center, ds = image[min(r + 1, n - 1) * n + c] - center;
  float dw = image[r * n + max(c - 1, 0)] - center, de = image[r * n + min(c + 1, n - 1)] - center;
  float g = (dn * dn + ds * ds + dw * dw + de * de) / (center * center), l = (dn + ds + dw + de) / center;
  float num = 0.5f * g - 0.0625f * (l * l), den = 1.0f + 0.25f * l, q = num / (den * den);
  float value = 1.0f / (1.0f + (q - 0.05f) / (0.05f * (1.0f + 0.05f)));
  north[k] = dn; south[k] = ds; west[k] = dw; east[k] = de;
  coefficient[k] = value < 0 ? 0 : value > 1 ? 1 : value;
}
extern "C" __global__ void srad_image(float *image, const float *coefficient, const float *north, const float *south,
                                      const float *west, const float *east, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, k = r * n + c;
  if (r >= n || c >= n) return;
  float mine = coefficient[k];
  image[k] += 0.125f * (mine * north[k] + coefficient[min(r + 1, n - 1) * n + c] * south[k] + mine * west[k] +
                        coefficient[r * n + min(c + 1, n - 1)] * east[k]);
})";

constexpr const char *kBodies = R"(
extern "C" __global__ void nbody(const float4 *bodies, float4 *accelerations, int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; j++) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float s = tile[j].w * inverse * inverse * inverse;
      ax += dx * s; ay += dy * s; az += dz * s;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(ax, ay, az, 0);
})";

bool of_processor = false;

// Seconds that have passed, or that the process has computed for, with --processor-time: with one thread the latter are
// the same on a machine that others use.
double now() {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
  timespec time;
  clock_gettime(of_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

// The median of some rounds, in seconds.
template <class Call>
double seconds(Call call) {
  std::vector<double> times;
  for (int k = 0; k < 12; k++) {
    const double begin = now();
    call();
    times.push_back(now() - begin);
  }
  std::sort(times.begin() + 1, times.end());  // the first compiles
  return times[times.size() / 2];
}

void print(const char *what, double work, const char *unit, double time) {
  std::printf("%-34s %9.3f ms %8.2f %s\n", what, time * 1e3, work / time / 1e9, unit);
}

void measure_matmul() {
  gp::generator random(1);
  const gp::array a = random.random({kSize, kSize}, gp::float32), b = random.random({kSize, kSize}, gp::float32),
                  c = gp::zeros({kSize, kSize}, gp::float32);
  const double flops = 2.0 * kSize * kSize * kSize;
  for (const int tile : {16, 32}) {
    const gp::raw_kernel kernel(tiled(tile), "matmul");
    const unsigned blocks = unsigned(kSize / tile), threads = unsigned(tile);
    const double time = seconds([&] {
      kernel({blocks, blocks}, {threads, threads}, a, b, c, kSize);
      gp::current_device().synchronize();
    });
    print(tile == 16 ? "tiled matmul 512, 16x16" : "tiled matmul 512, 32x32", flops, "GFLOP/s", time);
  }
  print("the library's matmul 512", flops, "GFLOP/s", seconds([&] {
          gp::matmul(a, b).eval();
          gp::current_device().synchronize();
        }));
}

void measure_sum() {
  const unsigned blocks = 64;
  const gp::array x = gp::generator(1).random({kLong}, gp::float32), sums = gp::zeros({blocks}, gp::float32);
  for (const char *const text : {kBlockSum, kWarpSum}) {
    const gp::raw_kernel kernel(text, "block_sum");
    const double time = seconds([&] {
      kernel(blocks, 256, x, sums, kLong);
      gp::current_device().synchronize();
    });
    print(text == kBlockSum ? "block reduction of 1e7 floats" : "the same by warp shuffles", kLong * 4.0, "GB/s", time);
  }
  print("the library's sum of 1e7 floats", kLong * 4.0, "GB/s", seconds([&] {
          gp::sum(x).eval();
          gp::current_device().synchronize();
        }));
}

void measure_histogram() {
  const std::vector<unsigned> x = [] {
    std::vector<unsigned> made(kLong);
    unsigned state = 1;
    for (unsigned &each : made) each = (state = state * 1664525u + 1013904223u) >> 16;
    return made;
  }();
  const gp::array on_device(x), counts = gp::zeros({256}, gp::uint32);
  std::vector<unsigned> own(256);
  const struct {
    const char *what, *text;
    void (*same)(const unsigned *, unsigned *, int);
  } kinds[] = {{"histogram in shared memory", kSharedHistogram, bench::shared_histogram},
               {"histogram in global memory", kGlobalHistogram, bench::global_histogram}};
  for (const auto &kind : kinds) {
    const gp::raw_kernel kernel(kind.text, "histogram");
    print(kind.what, kLong * 4.0, "GB/s", seconds([&] {
            kernel(64, 256, on_device, counts, kLong);
            gp::current_device().synchronize();
          }));
    print("  the same in C with OpenMP", kLong * 4.0, "GB/s", seconds([&] { kind.same(x.data(), own.data(), kLong); }));
  }
}

// Ends the program if two results differ by more than `tolerance` of the greatest number: the algorithms are not the
// same then.
void expect_same(const char *what, const gp::array &ours, const std::vector<float> &c, float tolerance) {
  const std::vector<float> mine = ours.to_vector<float>();
  float greatest = 0, difference = 0;
  for (size_t i = 0; i < c.size(); i++) {
    greatest = std::fmax(greatest, std::fabs(c[i]));
    if (!(std::fabs(mine[i] - c[i]) <= difference)) difference = std::fabs(mine[i] - c[i]);
  }
  if (difference <= tolerance * greatest) return;
  std::fprintf(stderr, "%s: the results differ by %g of %g\n", what, double(difference), double(greatest));
  std::exit(1);
}

std::vector<float> random_floats(size_t count, float least) {
  std::vector<float> made(count);
  unsigned state = 1;
  for (float &each : made) each = least + float((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
  return made;
}

// Runs a kernel and the same in C, each with its own memory, and compares what they made.
template <class Kernel, class InC>
void measure_pair(const char *what, double bytes, const gp::array &made, const std::vector<float> &made_in_c,
                  float tolerance, Kernel kernel, InC in_c) {
  kernel(), gp::current_device().synchronize();
  in_c();
  expect_same(what, made, made_in_c, tolerance);
  print(what, bytes, "GB/s", seconds([&] { kernel(), gp::current_device().synchronize(); }));
  print("  the same in C with OpenMP", bytes, "GB/s", seconds(in_c));
}

void measure_transposes() {
  constexpr int n = 4096;
  const std::vector<float> x = random_floats(size_t(n) * n, 0);
  std::vector<float> own(x.size());
  const gp::array from = gp::array(x).reshape({n, n}), to = gp::zeros({n, n}, gp::float32);
  const gp::raw_kernel plain(kTransposes, "transpose"), tiled(kTransposes, "tiled_transpose");
  const double bytes = 8.0 * n * n;
  measure_pair(
      "transpose 4096", bytes, to, own, 0,
      [&] {
        plain({n / 32, n / 8}, {32, 8}, from, to, n);
      },
      [&] { bench::transpose(x.data(), own.data(), n); });
  measure_pair(
      "transpose 4096 by shared tiles", bytes, to, own, 0,
      [&] {
        tiled({n / 32, n / 32}, {32, 8}, from, to, n);
      },
      [&] { bench::tiled_transpose(x.data(), own.data(), n); });
}

void measure_stencils() {
  constexpr int n = 2048;
  const gp::dim3 blocks{n / 16, n / 16}, threads{16, 16};
  const size_t count = size_t(n) * n;
  const std::vector<float> x = random_floats(count, 1), power = random_floats(count, 0);
  const gp::array image = gp::array(x).reshape({n, n}), heat = gp::array(power).reshape({n, n}),
                  to = gp::zeros({n, n}, gp::float32);
  std::vector<float> own(count), changed = x;
  const gp::raw_kernel hotspot(kStencils, "hotspot");
  measure_pair(
      "hotspot 2048", 12.0 * double(count), to, own, 1e-6f, [&] { hotspot(blocks, threads, image, heat, to, n); },
      [&] { bench::hotspot(x.data(), power.data(), own.data(), n); });

  const gp::raw_kernel coefficients(kStencils, "srad_coefficients"), update(kStencils, "srad_image");
  std::vector<gp::array> parts;
  std::vector<std::vector<float>> own_parts(5, std::vector<float>(count));
  for (int k = 0; k < 5; k++) parts.push_back(gp::zeros({n, n}, gp::float32));
  const auto ours = [&] {
    coefficients(blocks, threads, image, parts[0], parts[1], parts[2], parts[3], parts[4], n);
    update(blocks, threads, image, parts[0], parts[1], parts[2], parts[3], parts[4], n);
  };
  const auto in_c = [&] {
    float *const p[] = {own_parts[0].data(), own_parts[1].data(), own_parts[2].data(), own_parts[3].data(),
                        own_parts[4].data()};
    bench::srad_coefficients(changed.data(), p[0], p[1], p[2], p[3], p[4], n);
    bench::srad_image(changed.data(), p[0], p[1], p[2], p[3], p[4], n);
  };
  measure_pair("srad 2048", 52.0 * double(count), image, changed, 1e-5f, ours, in_c);
}

void measure_bodies() {
  constexpr int n = 8192;
  const std::vector<float> x = random_floats(4 * size_t(n), 0);
  std::vector<float> own(x.size());
  const gp::array bodies(x), accelerations = gp::zeros({4 * n}, gp::float32);
  const gp::raw_kernel kernel(kBodies, "nbody");
  const auto ours = [&] { kernel(n / 256, 256, bodies, accelerations, n), gp::current_device().synchronize(); };
  const auto in_c = [&] { bench::nbody(x.data(), own.data(), n); };
  ours(), in_c();
  expect_same("nbody", accelerations, own, 1e-4f);
  print("nbody 8192 by shared tiles", 20.0 * n * n, "GFLOP/s", seconds(ours));
  print("  the same in C with OpenMP", 20.0 * n * n, "GFLOP/s", seconds(in_c));
}

// How long kernels that call a function very often wait for the compiler.
void measure_compilation() {
  for (const char *const function : {"pow", "sin"}) {
    for (const int calls : {1, 16, 64, 256}) {
      std::string text =
          "extern \"C\" __global__ void k(const double *x, double *y) {\ndouble a = x[threadIdx.x], s = 0;\n";
      for (int c = 0; c < calls; c++)
        text += std::string("s += ") + function + "(a + " + std::to_string(c) +
                (function[0] == 'p' ? ", s);\n" : " * s);\n");
      const gp::array x = gp::ones({32}, gp::float64), y = gp::zeros({32}, gp::float64);
      const double begin = now();
      gp::raw_kernel(text + "y[threadIdx.x] = s;\n}", "k")(1, 32, x, y);
      gp::current_device().synchronize();
      const double time = now() - begin;
      std::printf("first call, with %3d calls of %s %9.3f ms\n", calls, function, time * 1e3);
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  of_processor = argc > 1 && !std::strcmp(argv[1], "--processor-time");
  const gp::with_device scope("cpu");
  measure_matmul();
  measure_sum();
  measure_histogram();
  measure_transposes();
  measure_stencils();
  measure_bodies();
  measure_compilation();  // with GPUOPT_CACHE_MAX_BYTES=0, or else only once
}

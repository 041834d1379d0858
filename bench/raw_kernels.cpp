// bench/raw_kernels.cpp -- raw CUDA kernels on the CPU: a tiled matrix product and reductions in blocks, against the
// library's own operations; histograms, against C with OpenMP (OMP_NUM_THREADS); and how long long kernels compile. Set
// GPUOPT_NUM_THREADS=1 for figures per core, GPUOPT_CPU_FISSION=0 for coroutines, and GPUOPT_BLAS=none for the
// library's own matmul.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

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

// The same algorithms in C with OpenMP.
void shared_histogram(const unsigned *x, unsigned *counts, int n) {
#pragma omp parallel
  {
    unsigned own[256] = {};
#pragma omp for nowait
    for (int i = 0; i < n; i++) own[x[i] & 255]++;
    for (int b = 0; b < 256; b++) {
#pragma omp atomic
      counts[b] += own[b];
    }
  }
}
void global_histogram(const unsigned *x, unsigned *counts, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    counts[x[i] & 255]++;
  }
}

// The median of some rounds, in seconds.
template <class Call>
double seconds(Call call) {
  std::vector<double> times;
  for (int k = 0; k < 12; k++) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
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
  } kinds[] = {{"histogram in shared memory", kSharedHistogram, shared_histogram},
               {"histogram in global memory", kGlobalHistogram, global_histogram}};
  for (const auto &kind : kinds) {
    const gp::raw_kernel kernel(kind.text, "histogram");
    print(kind.what, kLong * 4.0, "GB/s", seconds([&] {
            kernel(64, 256, on_device, counts, kLong);
            gp::current_device().synchronize();
          }));
    print("  the same in C with OpenMP", kLong * 4.0, "GB/s", seconds([&] { kind.same(x.data(), own.data(), kLong); }));
  }
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
      const auto begin = std::chrono::steady_clock::now();
      gp::raw_kernel(text + "y[threadIdx.x] = s;\n}", "k")(1, 32, x, y);
      gp::current_device().synchronize();
      const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      std::printf("first call, with %3d calls of %s %9.3f ms\n", calls, function, time * 1e3);
    }
  }
}

}  // namespace

int main() {
  const gp::with_device scope("cpu");
  measure_matmul();
  measure_sum();
  measure_histogram();
  measure_compilation();  // with GPUOPT_CACHE_MAX_BYTES=0, or else only once
}

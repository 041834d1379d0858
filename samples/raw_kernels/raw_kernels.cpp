// samples/raw_kernels/raw_kernels.cpp -- CUDA kernels as they are written for a GPU, run on any device.
//
// usage: raw_kernels [DEVICE]    (default: cuda, which is the CPU, with one warning, where CUDA cannot work)
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

// Blocks of `threads` that cover n elements: rounded up, or the last ones would be left out.
static uint32_t blocks_for(int64_t n, uint32_t threads) { return static_cast<uint32_t>((n + threads - 1) / threads); }

static void show(const char *what, bool right) { std::cout << what << ": " << (right ? "right" : "WRONG") << "\n"; }

// One thread for each element.
static void squares() {
  const gp::raw_kernel square(R"(
extern "C" __global__ void square(const float *x, float *y, int n) {
  int position = blockIdx.x * blockDim.x + threadIdx.x;
  if (position < n) y[position] = x[position] * x[position];
})",
                              "square");
  const int n = 1000;
  const gp::array x = gp::arange(n, gp::float32), y = gp::zeros({n}, gp::float32);
  square(blocks_for(n, 256), 256, x, y, n);
  show("square of 1000 floats", gp::all(y == gp::square(x)).item<bool>());
}

// Arrays made on the device and written element by element.
static void add() {
  const gp::raw_kernel add_kernel(R"(
extern "C" __global__ void add_kernel(const int *x, const int *y, int *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
})",
                                  "add_kernel");
  const int n = 256;
  const gp::array x = gp::empty({n}, gp::int32), y = gp::empty({n}, gp::int32), z = gp::empty({n}, gp::int32);
  for (int64_t i = 0; i < n; i++) {
    x.set_item({i}, i);
    y.set_item({i}, 2 * i);
  }
  add_kernel(blocks_for(n, 32), 32, x, y, z, n);
  show("add_kernel of 256 ints", gp::all(z == gp::arange(n, gp::int32) * 3).item<bool>());
}

// A grid of two dimensions. Rounding its size down would leave out the edges of matrices that are no multiple of 16.
static void add_matrices(int m, int n) {
  const gp::raw_kernel matrix_add(R"(
extern "C" __global__ void matrix_add(const float *a, const float *b, float *c, int m, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) c[row * n + col] = a[row * n + col] + b[row * n + col];
})",
                                  "matrix_add");
  gp::generator random(1);
  const gp::array a = random.uniform(0, 1, {m, n}, gp::float32), b = random.uniform(0, 1, {m, n}, gp::float32);
  const gp::array c = gp::zeros({m, n}, gp::float32);
  matrix_add({blocks_for(n, 16), blocks_for(m, 16)}, {16, 16}, a, b, c, m, n);
  std::cout << m << " x " << n << " ";
  show("matrix_add", gp::all(c == a + b).item<bool>());
}

// A function that only kernels call.
static void device_function() {
  const gp::raw_kernel kernel(R"(
__device__ float device_function(float a, float b) { return a + b; }
extern "C" __global__ void use(const float *a, float *result, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    result[i] = device_function(a[i], 1) * 2;
})",
                              "use");
  const gp::array a = gp::arange(300, gp::float32), result = gp::zeros({300}, gp::float32);
  kernel(2, 64, a, result, 300);
  show("a device function", gp::all(result == (a + 1) * 2).item<bool>());
}

// A struct is an argument like a number, with functions of its own: Numba's jitclass.
struct Wave {
  double amplitude, frequency, phase;
};
static void struct_by_value() {
  const gp::raw_kernel sample_wave(R"(
struct Wave {
  double amplitude, frequency, phase;
  __device__ double at(double t) const { return amplitude * sin(frequency * t + phase); }
};
extern "C" __global__ void sample_wave(Wave wave, double step, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = wave.at(i * step);
})",
                                   "sample_wave");
  const Wave wave{2, 0.5, 0.25};
  const int n = 300;
  const gp::array t = gp::arange(n, gp::float64) * 0.01, y = gp::zeros({n}, gp::float64);
  sample_wave(blocks_for(n, 64), 64, wave, 0.01, y, n);
  const gp::array wanted = wave.amplitude * gp::sin(wave.frequency * t + wave.phase);
  show("a struct by value", gp::all(y == wanted).item<bool>());
}

// Each block sums its part in shared memory, in halves.
static void block_sums() {
  const gp::raw_kernel block_sum(R"(
extern "C" __global__ void block_sum(const double *x, double *sums, int n) {
  __shared__ double part[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
})",
                                 "block_sum");
  const int n = 100000;
  const uint32_t blocks = blocks_for(n, 128);
  const gp::array x = gp::arange(n, gp::float64), sums = gp::zeros({blocks}, gp::float64);
  block_sum(blocks, 128, x, sums, n);
  show("block sums in shared memory", gp::sum(sums).item<double>() == 0.5 * n * (n - 1));
}

// A product by tiles of 16 x 16 in shared memory, each element of which is read from memory once for 16 products.
static void multiply(int m, int n, int k) {
  const gp::raw_kernel matmul(R"(
#define TILE 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
  float sum = 0;
  for (int tile = 0; tile < k; tile += TILE) {
    as[y][x] = row < m && tile + x < k ? a[row * k + tile + x] : 0;
    bs[y][x] = tile + y < k && col < n ? b[(tile + y) * n + col] : 0;
    __syncthreads();
    for (int j = 0; j < TILE; j++) sum += as[y][j] * bs[j][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
})",
                              "matmul");
  gp::generator random(2);
  const gp::array a = random.integers(-4, 5, {m, k}, gp::int32).astype(gp::float32);
  const gp::array b = random.integers(-4, 5, {k, n}, gp::int32).astype(gp::float32), c = gp::zeros({m, n}, gp::float32);
  matmul({blocks_for(n, 16), blocks_for(m, 16)}, {16, 16}, a, b, c, m, n, k);
  show("matmul by tiles", gp::all(c == gp::matmul(a, b)).item<bool>());
}

// Every thread draws from a stream of its own.
static void pi() {
  const gp::raw_kernel monte_carlo(R"(
extern "C" __global__ void monte_carlo(unsigned long long seed, int draws, unsigned long long *hits) {
  philox rng(seed, blockIdx.x * blockDim.x + threadIdx.x);
  unsigned long long inside = 0;
  for (int i = 0; i < draws; i++) {
    float x = rng.uniform<float>(), y = rng.uniform<float>();
    inside += x * x + y * y < 1;
  }
  atomicAdd(hits, inside);
})",
                                   "monte_carlo");
  const gp::array hits = gp::zeros({1}, gp::uint64);
  monte_carlo(64, 128, uint64_t{2026}, 200, hits);
  std::cout << "pi from 1638400 points: " << 4 * gp::sum(hits.astype(gp::float64)).item<double>() / 1638400 << "\n";
}

int main(int argc, char **argv) {
  try {
    const gp::with_device scope(argc > 1 ? argv[1] : "cuda");
    squares();
    add();
    add_matrices(1024, 1024);
    add_matrices(1000, 1023);
    device_function();
    struct_by_value();
    block_sums();
    multiply(100, 70, 130);
    pi();
    return 0;
  } catch (const gp::error &e) {
    std::cerr << "raw_kernels: " << e.what() << "\n";
    return 1;
  }
}

// tests/conformance/raw_kernels.h -- the texts of the raw kernels that are run on devices, and that NVIDIA's compiler
// sees for all architectures.
#pragma once

#include <string>
#include <vector>

namespace gpuopt::test {

struct RawText {
  const char *name, *code;
  std::vector<int> parameters;  // their bytes
};

inline const RawText kAdd = {"add",
                             R"(extern "C" __global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
  })",
                             {8, 8, 8, 4}};

inline const RawText kWhere = {"where",
                               R"(
struct Where { int x, y, z, blocks, threads; };
__device__ int flat(dim3 size, uint3 at) { return (at.z * size.y + at.y) * size.x + at.x; }
extern "C" __global__ void where(Where *out) {
  int block = flat(gridDim, blockIdx), thread = flat(blockDim, threadIdx);
  Where w = {int(threadIdx.x), int(threadIdx.y), int(threadIdx.z), int(gridDim.x * 100 + gridDim.y * 10 + gridDim.z),
             int(blockDim.x * blockDim.y * blockDim.z)};
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = w;
})",
                               {8}};

inline const RawText kReverse = {"reverse",
                                 R"(extern "C" __global__ void reverse(int *x) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = tile[blockDim.x - 1 - threadIdx.x];
  })",
                                 {8}};

inline const RawText kTotal = {"total",
                               R"(extern "C" __global__ void total(const long long *x, long long *sums, int n) {
    extern __shared__ long long partial[];
    long long mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[blockIdx.x * n + i];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
      if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
      __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
  })",
                               {8, 8, 4}};

inline const RawText kMatmul = {"matmul",
                                R"(extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < (n + 15) / 16; t++) {
      ta[y][x] = row < n && t * 16 + x < n ? a[row * n + t * 16 + x] : 0;
      tb[y][x] = column < n && t * 16 + y < n ? b[(t * 16 + y) * n + column] : 0;
      __syncthreads();
      for (int k = 0; k < 16; k++) sum += ta[y][k] * tb[k][x];
      __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
  })",
                                {8, 8, 8, 4}};

inline const RawText kRounds = {"rounds",
                                R"(extern "C" __global__ void rounds(int *x, int n) {
    __shared__ int left[64];
    left[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int k = 0; k < n; k++) {
      int other = left[(threadIdx.x + 1) % blockDim.x];
      __syncthreads();
      left[threadIdx.x] = other;
      __syncthreads();
    }
    x[threadIdx.x] = left[threadIdx.x];
    if (threadIdx.x % 2) return;
    __syncthreads();
    x[threadIdx.x] += 1000;
  })",
                                {8, 4}};

inline const RawText kWarp = {"warp",
                              R"(
__device__ float sum_of_warp(float x) {
  for (int s = 16; s > 0; s /= 2) x += __shfl_down_sync(0xffffffffu, x, s);
  return x;
}
extern "C" __global__ void warp(const float *x, float *out) {
  float total = sum_of_warp(x[threadIdx.x]);
  out[threadIdx.x] = __shfl_sync(0xffffffffu, total, 0);
  out[blockDim.x + threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 3);
  out[2 * blockDim.x + threadIdx.x] = __shfl_up_sync(0xffffffffu, x[threadIdx.x], 2, 8);
})",
                              {8, 8}};

inline const RawText kVotes = {"votes",
                               R"(extern "C" __global__ void votes(const int *x, unsigned *out) {
    int v = x[threadIdx.x];
    unsigned ballot = __ballot_sync(0xffffffffu, v > 0);
    out[threadIdx.x * 4 + 0] = ballot;
    out[threadIdx.x * 4 + 1] = __any_sync(0xffffffffu, v == 7) * 2 + __all_sync(0xffffffffu, v < 100);
    out[threadIdx.x * 4 + 2] = __popc(ballot);
    out[threadIdx.x * 4 + 3] = __syncthreads_count(v > 0);
  })",
                               {8, 8}};

inline const RawText kHistogram = {
    "histogram",
    R"(extern "C" __global__ void histogram(const int *x, int *bins, float *sum, int *most, unsigned *turns, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&bins[x[i]], 1);
    atomicAdd(sum, float(x[i]));
    atomicMax(most, x[i] * 3);
    atomicInc(turns, 9u);
  })",
    {8, 8, 8, 8, 8, 4}};

inline const RawText kPoly = {"poly",
                              R"(
__constant__ double coefficients[3] = {1, -2, 0.5};
__device__ double horner(double x) {
  double y = 0;
  for (int k = 2; k >= 0; k--) y = y * x + coefficients[k];
  return y;
}
extern "C" __global__ void poly(const double *x, double *y) {
  int i = threadIdx.x;
  y[i] = horner(x[i]) + sin(x[i]) * exp(x[i]);
})",
                              {8, 8}};

inline const RawText kTwice = {"twice",
                               R"(extern "C" __global__ void twice(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
  })",
                               {8, 4}};

// __shared__ variables of class types, whose constructors do nothing.
inline const RawText kClasses = {"classes",
                                 R"(
struct Pair {
  float a;
  int b;
  __device__ Pair() {}
  __device__ Pair(float x, int y) : a(x), b(y) {}
};
struct Nested { Pair pairs[2]; double half; };
template <class T>
__device__ T rotated(T x) {
  __shared__ T all[64];
  all[threadIdx.x] = x;
  __syncthreads();
  T next = all[(threadIdx.x + 1) % 64];
  __syncthreads();
  return next;
}
extern "C" __global__ void classes(const float *x, float *out) {
  __shared__ float4 quads[64];
  __shared__ complex64 z[8][8];
  __shared__ float16 halves[64];
  __shared__ bfloat16 brains[64];
  __shared__ Nested nested[64];
  extern __shared__ double2 all[];
  int t = threadIdx.x, next = (t + 1) % 64;
  float v = x[t];
  quads[t] = make_float4(v, v + 1, v + 2, v + 3);
  z[t / 8][t % 8] = complex64(v, -v);
  halves[t] = v;
  brains[t] = v;
  nested[t].pairs[1] = Pair(v, t);
  nested[t].half = v / 2;
  all[t] = make_double2(v, 2 * v);
  __syncthreads();
  complex64 number = z[next / 8][next % 8];
  out[t] = quads[next].x + quads[next].w;
  out[64 + t] = number.real() - number.imag();
  out[128 + t] = float(halves[next]) + float(brains[next]);
  out[192 + t] = nested[next].pairs[1].a + nested[next].pairs[1].b + nested[next].half;
  out[256 + t] = all[next].y;
  out[320 + t] = rotated(v) + rotated(make_int2(t, 5)).x + rotated(Pair(v, 1)).a;
})",
                                 {8, 8}};

// Declarations of `s` in a kernel behind these types. NVIDIA's compiler refuses initializers, and says of constructors
// and destructors that do something that they are not run.
inline const char *const kSharedTypes = R"(
struct Empty { float x; __device__ Empty() {} __device__ Empty(float v) : x(v) {} };
struct Derived : Empty { Empty more[3]; float4 quad; };
struct Sets { int x; __device__ Sets() { x = 3; } };
struct Lists { int x; __device__ Lists() : x(3) {} };
struct Optional { int x; __device__ Optional(int = 3) {} };
struct Virtual { int x; __device__ Virtual() {} __device__ virtual void f() {} };
struct Closes { int x; __device__ ~Closes() {} };
struct Leaves { int x; __device__ ~Leaves() { x = 1; } };
struct Holds { Sets sets; };
union Either { float f; int i; };
)";
struct SharedDeclaration {
  const char *text;
  enum { kFine, kInitializer, kConstructor, kDestructor } problem = kFine;
};
inline const SharedDeclaration kSharedDeclarations[] = {
    {"__shared__ float4 s[64]"},
    {"static __shared__ int4 s"},
    {"float __shared__ s[3][5]"},
    {"__shared__ Empty s[4]"},
    {"__shared__ Derived s[4][2]"},
    {"__shared__ Closes s[2]"},
    {"__shared__ Either s"},
    {"__shared__ complex128 s[2]"},
    {"__shared__ bfloat16 s[2][3][4]"},
    {"__shared__ struct { float a; float4 b; } s"},
    {"extern __shared__ Sets t[]; __shared__ int s"},
    {"__shared__ int s = 3", SharedDeclaration::kInitializer},
    {"static __shared__ int s = 3", SharedDeclaration::kInitializer},
    {"__shared__ int s(0)", SharedDeclaration::kInitializer},
    {"__shared__ int s{}", SharedDeclaration::kInitializer},
    {"__shared__ auto s = 3", SharedDeclaration::kInitializer},
    {"__shared__ int s[2] = {1, 2}", SharedDeclaration::kInitializer},
    {"__shared__ float4 s = {}", SharedDeclaration::kInitializer},
    {"__shared__ Empty s{}", SharedDeclaration::kInitializer},
    {"__shared__ Empty s = Empty()", SharedDeclaration::kInitializer},
    {"__shared__ Empty s(1.0f)", SharedDeclaration::kInitializer},
    {"__shared__ Sets s", SharedDeclaration::kConstructor},
    {"__shared__ Lists s[2]", SharedDeclaration::kConstructor},
    {"__shared__ Optional s", SharedDeclaration::kConstructor},
    {"__shared__ Virtual s", SharedDeclaration::kConstructor},
    {"__shared__ Holds s", SharedDeclaration::kConstructor},
    {"__shared__ Leaves s", SharedDeclaration::kDestructor},
};
// The declaration is line 3 of what follows the types.
inline std::string shared_declaration_text(const SharedDeclaration &declaration) {
  return std::string(kSharedTypes) + "#line 1\nextern \"C\" __global__ void k(int *out) {\n  int n = 1;\n  " +
         declaration.text + ";\n  out[0] = n + sizeof(s) + sizeof(&s);\n}";
}

// Kernels that say how large their blocks may be.
inline const RawText kBounded = {"bounded",
                                 R"(
extern "C" __global__ void bounded(int *x);
extern "C" __global__ void __launch_bounds__(32 * 3, 2) bounded(int *x) { x[threadIdx.x] += 1; })",
                                 {8}};
inline const char *const kBounds = R"(
template <int most>
__global__ __launch_bounds__(most) void bounded(int *x) { x[threadIdx.x] += most; }
__launch_bounds__(1024) __global__ void large(int *x) { x[threadIdx.x] += 1; }
__global__ void free_of_bounds(int *x) { x[threadIdx.x] += 1; })";
inline const std::vector<const char *> kBoundsNames = {"bounded<64>", "bounded<5>", "large", "free_of_bounds"};

// Instances of a template, one of an element type of the library's.
inline const char *const kScale = R"(
template <class T, int factor>
__global__ void scale(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * T(factor);
}
namespace mine {
__global__ void negate(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = -x[threadIdx.x];
}
})";
inline const std::vector<const char *> kScaleNames = {"scale<float, 3>", "scale<complex64, 2>", "mine::negate"};

// Kernels that share variables.
inline const char *const kShared = R"(
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int calls = 5;
static __device__ int hidden = 1;
namespace mine { __device__ double total; }
extern "C" { __device__ unsigned plain = 7; }
__global__ void count(int n) {
  if (threadIdx.x + blockIdx.x == 0) {
    calls += n;
    mine::total += 0.5 * hidden;
    atomicAdd(&plain, 1u);
  }
}
extern "C" __global__ void apply(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * factors[threadIdx.x % 4] + calls;
})";
inline const std::vector<const char *> kSharedNames = {"count", "apply"};

// Kernels that use instances of a template of variables.
inline const char *const kInstances = R"(
template <class T> __constant__ T mask[4] = {1, 2, 3, 4};
namespace mine { template <class T, int n, bool odd> __device__ T sums[n]; }
template <class T> __global__ void masked(const T *x, T *y) {
  y[threadIdx.x] = x[threadIdx.x] * mask<T>[threadIdx.x % 4];
  if (threadIdx.x < 3) mine::sums<T, 3, true>[threadIdx.x] += y[threadIdx.x];
})";
inline const std::vector<const char *> kInstancesNames = {"masked<float>", "masked<double>"};

inline const RawText *const kRawTexts[] = {&kAdd,   &kWhere,     &kReverse, &kTotal, &kMatmul,  &kRounds, &kWarp,
                                           &kVotes, &kHistogram, &kPoly,    &kTwice, &kClasses, &kBounded};

}  // namespace gpuopt::test

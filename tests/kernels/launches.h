// tests/kernels/launches.h -- texts of kernels that launch kernels, and what they give: run by
// tests/conformance/launch_kernel_test.cpp, and compiled by NVIDIA's compiler in tests/cuda.
#pragma once

#include <cstdint>

namespace gpuopt::test {

// A text whose kernel `k` has the parameter int *x, and what x holds after a launch of some blocks and threads.
struct LaunchText {
  const char *name, *code;
  uint32_t blocks, threads;
  int32_t x[4];
};

inline const LaunchText kLaunchTexts[] = {
    {"numbers as a configuration",
     R"(
__global__ void child(int *x, int n) { if (threadIdx.x < n) atomicAdd(&x[threadIdx.x], n); }
__global__ void k(int *x) { child<<<1, 32>>>(x, 3); child<<<2, 2>>>(x + 1, 2); })",
     1,
     1,
     {3, 7, 7, 0}},
    {"dim3 as a configuration",
     R"(
__global__ void child(int *x) {
  const int blocks = gridDim.x * gridDim.y * gridDim.z, threads = blockDim.x * blockDim.y * blockDim.z;
  if (blockIdx.y == 1 && threadIdx.z == 2) atomicAdd(&x[threadIdx.x], 100 * blocks + threads);
}
__global__ void k(int *x) { child<<<dim3(1, 2), dim3(4, 1, 3)>>>(x); child<<<gridDim, dim3{2, 1, 3}>>>(x); })",
     1,
     1,
     {212, 212, 212, 212}},
    {"a configuration of several lines, with comments and shifts",
     R"(
#define HALF(n) ((n) >> 1)
#define RUN(kernel, n, ...) kernel<<<HALF(n), \
    1>>>(__VA_ARGS__)
__global__ void child(int *x, int n) { atomicAdd(x, n); }
__global__ void k(int *x) {
  const char *no = "child<<<1, 1>>>(x, 100);";  // child<<<1, 1>>>(x, 100);
  if (no[0] == 'c')
    child  // behind the name
        <<<8 >> 2, /* , */ dim3(
            3, 1)>>>  // and behind the configuration
        (x, 1);
  RUN(child, 10, x + 1, __LINE__);
})",
     1,
     1,
     {6, 65, 0, 0}},
    {"dynamic shared memory, and barriers",
     R"(
__global__ void child(int *x, int n) {
  extern __shared__ int s[];
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  s[threadIdx.x] = threadIdx.x * n;
  __syncthreads();
  atomicAdd(&sum, s[blockDim.x - 1 - threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) x[0] = sum;
}
__global__ void k(int *x) { child<<<1, 64, 64 * sizeof(int)>>>(x, 1); child<<<1, 128, 512>>>(x + 1, 2); })",
     1,
     1,
     {2016, 16256, 0, 0}},
    {"launches wait for the end of the grid, and see what was written before",
     R"(
__global__ void child(int *x) { x[1] = x[0]; }
__global__ void k(int *x) {
  __shared__ int last;
  if (threadIdx.x == 0) {
    x[0] = 5;
    child<<<1, 1>>>(x);
  }
  __syncthreads();
  if (threadIdx.x == 1) x[2] = x[1] + 1, last = x[1];
  __syncthreads();
  if (threadIdx.x == 2) x[3] = last + 7;
})",
     1,
     32,
     {5, 5, 1, 7}},
    {"the default stream runs in the order of launches, whichever thread of the block makes them",
     R"(
__global__ void times(int *x, int m, int a) { x[0] = x[0] * m + a; }
__global__ void k(int *x) {
  if (threadIdx.x == 7) times<<<1, 1>>>(x, 1, 3);
  __syncthreads();
  if (threadIdx.x == 2) { times<<<1, 1>>>(x, 10, 0); times<<<1, 1, 0, 0>>>(x, 2, 1); }
  __syncthreads();
  if (threadIdx.x == 5) times<<<1, 1>>>(x, 100, 9);
})",
     1,
     32,
     {6109, 0, 0, 0}},
    {"a tail launch runs when all else has ended, with what that has launched",
     R"(
__global__ void add(int *x, int n) { atomicAdd(x, n); }
__global__ void deep(int *x, int n) { if (n > 0) deep<<<1, 1>>>(x, n - 1); else add<<<1, 1>>>(x, 4); }
__global__ void tail(int *x, int m) { x[0] = x[0] * m; x[1]++; }
__global__ void k(int *x) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 10);
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 3);
  }
  add<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 1);
  if (blockIdx.x == 1 && threadIdx.x == 0) deep<<<1, 1>>>(x, 5);
})",
     2,
     2,
     {240, 2, 0, 0}},
    {"templates, named and deduced, overloads, and kernels in namespaces",
     R"(
template <class T, int N> __global__ void set(T *x, T v) { x[0] = v + N; }
template <class T> __global__ void put(T *x, T v) { x[0] = v; }
namespace mine { namespace inner { __global__ void one(int *x) { x[0] = 1; } } }
__global__ void over(int *x, float) { x[0] += 10; }
__global__ void over(int *x, int, int add = 5) { x[0] += add; }
template <class T> __device__ void launch(T *x) {
  set<T, (3 < 4) + sizeof(T[1 << 2]) / 16><<<1, 1>>>(x, 40);
  put<<<1, 1>>>(x + 1, T(7));
}
__global__ void k(int *x) {
  launch(x);
  mine::inner::one<<<1, 1>>>(x + 2);
  over<<<1, 1>>>(x + 2, 1.0f);
  (over)<<<1, 1>>>(x + 3, 1);
})",
     1,
     1,
     {42, 7, 11, 5}},
    {"arguments of all kinds",
     R"(
struct Small { char a; short b; };
struct Large { double d[5]; int i; };
struct Floats { float x, y, z; };
__global__ void child(int *x, Small s, Large l, Floats f, float4 v, char c, bool b, double d, long long n, int *none) {
  x[0] = s.a + s.b; x[1] = int(l.d[4]) + l.i; x[2] = int(f.x + f.y * f.z + v.x + v.w);
  x[3] = c + b + int(d) + int(n >> 32) + (none == nullptr);
}
__global__ void k(int *x) {
  Large l;
  for (int i = 0; i < 5; i++) l.d[i] = 10 * i;
  l.i = 2;
  child<<<1, 1>>>(x, Small{1, 2}, l, Floats{1, 2, 3}, make_float4(10, 0, 0, 20), 4, true, 5.5, 6ll << 32, nullptr);
})",
     1,
     1,
     {3, 42, 37, 17}},
    {"variables of the text are those of all its kernels",
     R"(
__device__ int outer = 2;
static __device__ int own = 3;
namespace { __device__ int hidden[2]; }
__constant__ int fixed = 9;
__global__ void child(int *x) { x[0] = outer; x[1] = own; x[2] = hidden[1]; x[3] = fixed; own++; }
__global__ void last(int *x) { x[0] += own; }
__global__ void k(int *x) {
  outer = 20; own = 30; hidden[1] = 40;
  child<<<1, 1>>>(x);
  last<<<1, 1>>>(x);
})",
     1,
     1,
     {51, 30, 40, 9}},
    {"streams of the kernel's own, and errors",
     R"(
__global__ void add(int *x, int n) { x[0] = x[0] * 2 + n; }
__global__ void k(int *x) {
  cudaStream_t s;
  if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess) return;
  add<<<1, 1, 0, s>>>(x, 1);
  add<<<1, 1, 0, s>>>(x, 5);
  cudaStreamDestroy(s);
  add<<<0, 1>>>(x + 3, 1);
  cudaError_t peeked = cudaPeekAtLastError(), error = cudaGetLastError();
  x[1] = peeked == cudaErrorInvalidConfiguration && error == peeked;
  x[2] = cudaGetLastError();
})",
     1,
     1,
     {7, 1, 0, 0}},
    {"launches in loops, branches, lambdas and functions that call themselves",
     R"(
__global__ void add(int *x, int n) { atomicAdd(x, n); }
__device__ void walk(int *x, int n) { if (n == 0) return; walk(x, n - 1); add<<<1, 1>>>(x, n); }
__global__ void k(int *x) {
  for (int i = threadIdx.x; i < 10; i += blockDim.x) i % 2 ? add<<<1, 1>>>(x, i) : add<<<1, 2>>>(x + 1, i);
  auto launch = [=](int n) { add<<<n, 1>>>(x + 2, 1); };
  if (threadIdx.x == 3) launch(6);
  if (threadIdx.x == 0) walk(x + 3, 4);
})",
     1,
     4,
     {25, 40, 6, 10}},
    {"streams with names in variables",
     R"(
__global__ void add(int *x, int n) { x[0] = x[0] * 2 + n; }
template <class S>
__device__ S chosen(bool tail, S a, S b) { return tail ? a : b; }
__global__ void k(int *x) {
  auto s = cudaStreamFireAndForget;
  if (x[3] == 0) s = cudaStreamTailLaunch;
  add<<<1, 1, 0, s>>>(x, 1);
  cudaStream_t t = chosen(x[3] != 0, cudaStreamTailLaunch, cudaStreamFireAndForget);
  add<<<1, 1, 0, t>>>(x, 5);
})",
     1,
     1,
     {11, 0, 0, 0}},
    {"memory of the heap by CUDA's names",
     R"(
__global__ void fill(int *memory, int n) { memory[threadIdx.x] = n + threadIdx.x; }
__global__ void take(int *x, int *memory) {
  for (int i = 0; i < 4; ++i) x[i] = memory[i];
  x[3] += cudaFree(memory) == cudaSuccess && cudaFree(nullptr) == cudaSuccess;
}
__global__ void k(int *x) {
  int *memory = x;
  if (cudaMalloc((void **)&memory, 4 * sizeof(int)) != cudaSuccess) return;
  fill<<<1, 4>>>(memory, 40);
  take<<<1, 1>>>(x, memory);
})",
     1,
     1,
     {40, 41, 42, 44}},
    {"memory that the heap does not have",
     R"(
__global__ void add(int *x, int n) { x[3] += n; }
__global__ void k(int *x) {
  int *memory = x;
  const cudaError_t error = cudaMalloc((void **)&memory, size_t(1) << 50);
  x[0] = error == cudaErrorMemoryAllocation;
  x[1] = cudaGetLastError() == error;
  x[2] = cudaGetLastError();
  add<<<1, 1>>>(x, 5);
})",
     1,
     1,
     {1, 1, 0, 5}},
};

}  // namespace gpuopt::test

// tests/kernels/device_functions.h -- kernels that use what CUDA C++ has beyond plain functions of numbers: printf(),
// assert(), the heap, recursion, function pointers, virtual functions and inline PTX. Each is run on devices
// (tests/conformance/device_function_kernel_test.cpp), and NVIDIA's compiler sees them all.
#pragma once

namespace gpuopt::test {

struct DeviceText {
  const char *name, *code;
};

inline const DeviceText kRecursion = {"recursion", R"(
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ bool is_odd(unsigned n);
__device__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__device__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }
__shared__ int values[32];
__device__ __noinline__ int sum_to(int k) { return k < 0 ? 0 : values[k] + sum_to(k - 1) + int(threadIdx.x) / 32; }
extern "C" __global__ void recursion(int *out) {
  int t = threadIdx.x;
  values[t] = t * t;
  __syncthreads();
  out[t] = fibonacci(t % 20);
  out[32 + t] = is_even(t) + 2 * is_odd(t);
  out[64 + t] = sum_to(t);
})"};

inline const DeviceText kPointers = {"pointers", R"(
typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int number(int a, int b) { return threadIdx.x * 1000 + blockIdx.x; }
__device__ operation table[3] = {add, multiply, number};
template <class F> __device__ int apply(F f, int a, int b) { return f(a, b); }
extern "C" __global__ void pointers(int *out) {
  int t = threadIdx.x, k = 0;
  operation own = t % 2 ? &add : &multiply;
  out[t] = table[t % 3](t, 7);
  out[32 + t] = apply(own, t, 3) + apply([&](int a, int b) { return a - b + k; }, 5, 2);
})"};

inline const DeviceText kVirtual = {"shapes", R"(
struct Shape {
  int side;
  __device__ Shape(int side) : side(side) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ int both() const { return area() * 10 + corners(); }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  using Shape::Shape;
  __device__ int area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
};
struct Strip : Shape {
  int *ended;
  __device__ Strip(int side, int *ended) : Shape(side), ended(ended) {}
  __device__ int area() const override { return side + int(blockDim.x); }
  __device__ ~Strip() { atomicAdd(ended, 1); }
};
extern "C" __global__ void shapes(int *out, int *ended) {
  Square square(threadIdx.x);
  Strip strip(threadIdx.x, ended);
  const Shape *shape = threadIdx.x % 2 ? static_cast<const Shape *>(&square) : &strip;
  Shape *made = new Strip(5, ended);
  out[threadIdx.x] = shape->both() + made->area();
  delete made;
})"};

inline const DeviceText kHeap = {"heap", R"(
#include <new>
struct Pair { int a, b; __device__ Pair(int x) : a(x), b(2 * x) {} };
struct Large { char bytes[64 << 20]; };
__device__ int *kept[64];
extern "C" __global__ void heap(int *out) {
  int t = threadIdx.x;
  int *row = (int *)std::malloc(t * sizeof(int));
  for (int k = 0; k < t; k++) row[k] = k;
  Pair *pair = new Pair(t), *many = new Pair[2]{t, t + 1};
  alignas(Pair) char room[sizeof(Pair)];
  Pair *placed = new (room) Pair(3);
  int sum = 0;
  for (int k = 0; k < t; k++) sum += row[k];
  out[t] = sum + pair->b + many[1].a + placed->b;
  out[64 + t] = (malloc(size_t(1) << 40) == nullptr) + 2 * ((size_t)pair % 16 == 0);
  kept[t] = row;
  __syncthreads();
  free(kept[63 - t]);
  std::free(nullptr);
  delete pair;
  delete[] many;
})"};

inline const DeviceText kAssert = {"checked", R"(
#include <assert.h>
extern "C" __global__ void checked(const int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int turned[32];
  turned[threadIdx.x] = x[i];
  __syncthreads();
  assert(x[i] >= 0 && "negative");
  y[i] = turned[31 - threadIdx.x];
})"};

inline const DeviceText kNoAssert = {"unchecked", R"(
#define NDEBUG
#include <cassert>
extern "C" __global__ void unchecked(int *y) { assert(y[0] == unknown); y[0]++; })"};

inline const DeviceText kPrint = {"print", R"(
#include <cstdio>
extern "C" __global__ void print(int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char small = 200;
  counts[i] = printf("%d: %5.2f|%-6s|%c|%x|%lld|%+d%%\n", i, i * 0.5f, "word", 'a' + i % 26, 255u + i,
                     1234567890123ll + i, small);
  __syncthreads();
  if (i % 32 == 5) printf("%*d|%.*e|%hd|%s\n", 6, -i, 3, 1.0 / 3, 65537, (const char *)nullptr);
  if (i == 0) counts[0] += std::printf("no arguments\n") * 100;
})"};

inline const DeviceText kOptions = {"options", R"(
#include <optional>
#include <variant>
struct Counted {
  int *live, value;
  __device__ Counted(int *live, int value) : live(live), value(value) { ++*live; }
  __device__ Counted(const Counted &other) : live(other.live), value(other.value) { ++*live; }
  __device__ ~Counted() { --*live; }
};
struct Visitor {
  __device__ int operator()(int x) const { return x; }
  __device__ int operator()(float x) const { return int(x * 10); }
  __device__ int operator()(double) const { return -1; }
};
__device__ std::optional<int> half_of(int x) {
  if (x % 2) return std::nullopt;
  return x / 2;
}
extern "C" __global__ void options(int *x) {
  int t = threadIdx.x, live = 0;
  std::optional<int> half = half_of(t);
  x[t] = half.value_or(-1) + (half ? 100 : 0) + (half == std::nullopt) * 1000;
  std::variant<int, float, double> one = 5;
  if (t % 2) one = 1.5f;
  x[8 + t] = std::visit(Visitor(), one) + 100 * int(one.index()) + 1000 * std::holds_alternative<float>(one);
  if (int *whole = std::get_if<int>(&one)) x[8 + t] += *whole + 2;
  {
    std::optional<Counted> a(std::in_place, &live, 4), b = a;
    a = b;
    b.reset();
    std::variant<std::monostate, Counted> c;
    c.emplace<1>(&live, t);
    auto d = c;
    c = std::monostate();
    x[16 + t] = live * 10 + std::get<Counted>(d).value + a->value;
  }
  if (live) x[16 + t] = -1;
})"};

// 20 numbers of each thread's state, and the uniform ones that they are made of.
inline const DeviceText kPoisson = {"poisson", R"(
#include <curand_kernel.h>
template <class State> __device__ void draw(const double *means, unsigned *out, double *uniform) {
  State state, other;
  curand_init(42, threadIdx.x, 0, &state);
  other = state;
  for (int k = 0; k < 20; k++) out[20 * threadIdx.x + k] = curand_poisson(&state, means[threadIdx.x]);
  for (int k = 0; k < 1000; k++) uniform[1000 * threadIdx.x + k] = curand_uniform_double(&other);
}
extern "C" __global__ void poisson(const double *means, int kind, unsigned *out, double *uniform) {
  if (kind == 0) draw<curandState>(means, out, uniform);
  if (kind == 1) draw<curandStatePhilox4_32_10_t>(means, out, uniform);
  if (kind == 2) draw<curandStateMRG32k3a>(means, out, uniform);
})"};

// Functions of the built-in ones' names for other arguments, and operators of the built-in vectors.
inline const DeviceText kOverloads = {"overloads", R"(
inline __host__ __device__ float3 make_float3(float s) { return make_float3(s, s, s); }
inline __host__ __device__ float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
inline __host__ __device__ int2 make_int2(float2 a) { return make_int2(int(a.x), int(a.y)); }
inline __host__ __device__ float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
extern "C" __global__ void overloads(const float *x, float *out) {
  int t = threadIdx.x;
  float3 a = make_float3(x[t]) + make_float3(make_float4(t, 2, 3, 4)) * 2.0f, b = make_float3(1, 2.0, 3u);
  int2 whole = make_int2(make_float2(x[t], 7.75f));
  out[t] = dot(a, b);
  out[32 + t] = whole.x * 10 + whole.y;
})"};

// Atomic functions with an order; one block of 64 threads.
inline const DeviceText kOrdered = {"ordered", R"(
extern "C" __global__ void ordered(int *x, unsigned long long *most, int *out) {
  __shared__ alignas(16) int flag;
  int t = threadIdx.x;
  if (t == 0) __nv_atomic_store_n(&flag, 7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  __syncthreads();
  out[t] = __nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE) + (t < 3 and not(t == 1) ? 100 : 0);
  register int mine = t + 1;
  __nv_atomic_fetch_add(&x[0], mine, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_xor(&x[1], mine, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_min(&x[2], -mine, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_fetch_max(most, 1ull << (t % 40), __NV_ATOMIC_RELAXED);
  if (t == 5) x[3] = __nv_atomic_exchange_n(&x[4], 11, __NV_ATOMIC_ACQ_REL);
})"};

// Inline PTX that has to do with threads and memory.
inline const DeviceText kAssembly = {"assembly", R"(
__device__ unsigned lane() { unsigned l; asm("mov.u32 %0, %laneid;" : "=r"(l)); return l; }
__device__ float load(const float *at) {
  float x;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(at));
  return x;
}
__device__ unsigned never() { unsigned x; asm("mov.u32 %0, %%gridid;" : "=r"(x)); return x; }
extern "C" __global__ void assembly(const float *in, float *out, unsigned *words, unsigned *sums) {
  __shared__ unsigned row[64];
  unsigned t, from, votes, old;
  asm("mov.u32 %0, %%tid.x;" : "=r"(t));
  row[t] = lane() * 10;
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(from) : "l"(__cvta_generic_to_shared(&row[63 - t])));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(words[t]) : "r"(from));
  asm volatile("{ .reg .pred p; setp.ge.u32 p, %1, 30; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(votes) : "r"(t));
  words[64 + t] = votes;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(sums), "r"(t) : "memory");
  asm volatile("red.relaxed.gpu.global.max.u32 [%0+4], %1;" :: "l"(sums), "r"(t) : "memory");
  float a, b;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(in + 2 * t));
  a = a + load(in + 2 * t + 1);
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" :: "l"(out + 2 * t), "f"(b), "f"(a) : "memory");
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 5; @p st.global.u32 [%1 + 8], 77; }"
               :: "r"(t), "l"(sums) : "memory");
  asm volatile("add.u32 %0, %0, %1;" : "+r"(t) : "n"(1000));
  words[128 + threadIdx.x] = t;
})"};

// Inline PTX with labels: loops, branches forward and backward, and one statement that stands in two places.
inline const DeviceText kBranches = {"branches", R"(
__device__ unsigned gcd(unsigned a, unsigned b) {
  unsigned out;
  asm("{\n.reg .pred p;\n.reg .u32 a, b, r;\nmov.u32 a, %1;\nmov.u32 b, %2;\n"
      "$again:\nsetp.eq.u32 p, b, 0;\n@p bra $done;\nrem.u32 r, a, b;\nmov.u32 a, b;\nmov.u32 b, r;\nbra $again;\n"
      "$done:\nmov.u32 %0, a;\n}" : "=r"(out) : "r"(a), "r"(b));
  return out;
}
extern "C" __global__ void branches(const unsigned *in, unsigned *out) {
  const unsigned t = threadIdx.x;
  unsigned steps, which;
  asm volatile("{\n.reg .pred p;\n.reg .u32 n, r, c;\nmov.u32 n, %1;\nmov.u32 c, 0;\n"
               "AGAIN:\nsetp.le.u32 p, n, 1;\n@p bra DONE;\nand.b32 r, n, 1;\nsetp.eq.u32 p, r, 0;\n@p bra EVEN;\n"
               "mad.lo.u32 n, n, 3, 1;\nbra NEXT;\nEVEN: shr.u32 n, n, 1;\n"
               "NEXT: add.u32 c, c, 1;\nbra.uni AGAIN;\nDONE: mov.u32 %0, c;\n}" : "=r"(steps) : "r"(in[t]));
  out[t] = steps;
  out[64 + t] = t < 32 ? gcd(in[t], t) : gcd(t, in[t]);
  asm volatile("{\n.reg .pred p, q;\nsetp.lt.u32 p, %1, 20;\nsetp.lt.u32 q, %1, 40;\nmov.u32 %0, 1;\n@p bra OUT;\n"
               "mov.u32 %0, 2;\n@!q bra FAR;\nbra OUT;\nFAR: mov.u32 %0, 3;\nOUT:\n}" : "=&r"(which) : "r"(t));
  out[128 + t] = which;
})"};

// Sobol numbers: those of van der Corput, and scrambled ones of 64 bits, which skip some.
inline const DeviceText kSobol = {"sobol", R"(
#include <curand_kernel.h>
extern "C" __global__ void sobol(unsigned *directions, unsigned long long *wide, unsigned *out,
                                 unsigned long long *out64, float *uniform) {
  curandStateSobol32_t a;
  curandStateScrambledSobol64_t b;
  int t = threadIdx.x;
  curand_init(directions, unsigned(t), &a);
  curand_init(wide, 5ull, (unsigned long long)t, &b);
  for (int k = 0; k < 4; k++) {
    out[4 * t + k] = curand(&a);
    out64[4 * t + k] = curand(&b);
  }
  uniform[t] = curand_uniform(&a);
  skipahead(3u, &a);
  out[4 * 16 + t] = curand(&a);
})"};

// Bytes that are neither 0 nor 1, as bool.
inline const DeviceText kTruth = {"truth", R"(
struct Particle { int number; bool alive; };
extern "C" __global__ void truth(const bool *mask, const Particle *particles, int *out) {
  int t = threadIdx.x;
  out[t] = 0;
  if (mask[t]) out[t] = 1;
  if (particles[t].alive && particles[t].number > 0) out[t] += 2;
})"};

inline const DeviceText *const kDeviceTexts[] = {&kRecursion, &kPointers, &kVirtual,  &kHeap,    &kAssert,
                                                 &kNoAssert,  &kPrint,    &kOptions,  &kPoisson, &kOverloads,
                                                 &kOrdered,   &kAssembly, &kBranches, &kSobol,   &kTruth};

}  // namespace gpuopt::test

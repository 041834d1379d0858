// tests/kernels/library_texts.h -- kernels that use CUDA's asynchronous copies, barriers and pipelines, and Thrust.
// Each is run on devices (tests/conformance/collective_kernel_test.cpp), and NVIDIA's compiler sees them all.
#pragma once

#include "tests/kernels/collectives.h"

namespace gpuopt::test {

// Blocks of 48 threads. Each form of copy moves 48 elements into shared memory, from where another thread reads them.
inline const CollectiveText kCopies = {"copies", R"(
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
extern "C" __global__ void copies(const int *x, int *out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  alignas(16) __shared__ int part[48];
  __shared__ barrier bar;
  auto block = cg::this_thread_block();
  int t = threadIdx.x;
  if (t == 0) init(&bar, 48);
  block.sync();
  cuda::memcpy_async(block, part, x, sizeof(int) * 48, bar);
  bar.arrive_and_wait();
  out[t] = part[47 - t];
  block.sync();
  cuda::memcpy_async(part + t, x + 48 + t, cuda::aligned_size_t<4>(4), bar);
  barrier::arrival_token token = bar.arrive();
  bar.wait(static_cast<barrier::arrival_token &&>(token));
  out[48 + t] = part[(t + 1) % 48];
  block.sync();
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(part + t, x + 96 + t, sizeof(int), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  pipe.consumer_release();
  block.sync();
  out[96 + t] = part[47 - t];
  block.sync();
  __pipeline_memcpy_async(part + t, x + 144 + t, 4, t % 2 ? 4 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[144 + t] = part[47 - t];
  block.sync();
  cg::memcpy_async(block, part, 47, x + 1, 48);
  cg::wait(block);
  out[192 + t] = part[t == 47 ? 0 : 46 - t];
  block.sync();
  cg::memcpy_async(block, (char *)part + 1, (const char *)x + 3, 77);
  cg::wait(block);
  out[240 + t] = ((const unsigned char *)part)[t + 1];
})"};

// Four warps: a barrier of all, whose completion function counts phases, from which warp 3 drops out; a barrier of two
// warps; a latch; a semaphore that lets one thread in.
inline const CollectiveText kBarriers = {"barriers", R"(
#include <cuda/std/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
struct Count {
  int *phases;
  __device__ void operator()() const { *phases = *phases + 1; }
};
extern "C" __global__ void barriers(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Count> all;
  __shared__ cuda::barrier<cuda::thread_scope_block> two;
  __shared__ cuda::latch<cuda::thread_scope_block> opened;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> door;
  __shared__ int phases, value, inside, sum[2], total;
  int t = threadIdx.x;
  if (t == 0) {
    phases = value = inside = sum[0] = sum[1] = total = 0;
    init(&all, blockDim.x, Count{&phases});
    init(&two, 64);
    new (&opened) cuda::latch<cuda::thread_scope_block>(32);
    new (&door) cuda::binary_semaphore<cuda::thread_scope_block>(1);
  }
  __syncthreads();
  for (int k = 0; k < 5; k++) {
    if (t == k) value += t + 1;
    all.arrive_and_wait();
    out[128 * k + t] = value * 100 + phases;
    all.arrive_and_wait();
  }
  if (t >= 96) {
    all.arrive_and_drop();
  } else {
    if (t < 64) {
      atomicAdd(&sum[t / 32], t);
      while (!two.try_wait(two.arrive())) { }
    }
    all.arrive_and_wait();
  }
  if (t < 32) {
    if (t == 0) value = 77;
    opened.count_down();
  }
  opened.wait();
  out[640 + t] = value;
  door.acquire();
  inside = inside + 1;
  total = total + inside * t;
  inside = inside - 1;
  door.release();
  __syncthreads();
  out[768 + t] = t < 2 ? sum[t] : t == 2 ? total : phases;
})"};

// Warp 0 fills the 3 stages of a pipeline, and warps 1 and 2 read them; then all threads do both.
inline const CollectiveText kPipelines = {"pipelines", R"(
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using State = cuda::pipeline_shared_state<cuda::thread_scope_block, 3>;
__device__ void in_roles(const int *x, int *out, int rounds, State *state, int (*stage)[32]) {
  auto block = cg::this_thread_block();
  int t = threadIdx.x;
  auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int k = 0; k < rounds; k++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[k % 3][t], &x[32 * k + t], sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    for (int k = 0; k < rounds; k++) {
      pipe.consumer_wait();
      out[64 * k + t - 32] = stage[k % 3][95 - t < 32 ? 95 - t : 63 - t] * (t < 64 ? 1 : 2);
      pipe.consumer_release();
    }
  }
}
extern "C" __global__ void pipelines(const int *x, int *out, int rounds) {
  __shared__ State state, other;
  __shared__ int stage[3][32];
  in_roles(x, out, rounds, &state, stage);
  __syncthreads();
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &other);
  int t = threadIdx.x, ahead = 0, sum = 0;
  for (int k = 0; k < rounds; k++) {
    for (; ahead < rounds && ahead < k + 2; ahead++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[ahead % 3], x + 32 * ahead, 32 * sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + stage[k % 3][(t * 7) % 32];
    pipe.consumer_release();
  }
  out[64 * rounds + t] = sum;
})"};

// Each thread has a row of n keys, which it sorts with their places.
inline const CollectiveText kThrustSort = {"thrust_sort", R"(
#include <thrust/sort.h>
#include <thrust/sequence.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
extern "C" __global__ void thrust_sort(int *keys, int *places, float *floats, int n) {
  int *own = keys + threadIdx.x * n, *at = places + threadIdx.x * n;
  thrust::sequence(thrust::seq, at, at + n);
  thrust::sort_by_key(thrust::seq, own, own + n, at);
  float *row = floats + threadIdx.x * n;
  if (threadIdx.x % 2) thrust::sort(thrust::device, row, row + n, thrust::greater<float>());
  else thrust::stable_sort(row, row + n);
})"};

inline const CollectiveText kThrust = {"thrust_all", R"(
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <thrust/complex.h>
struct Square { __device__ int operator()(int x) const { return x * x; } };
struct Even { __device__ bool operator()(int x) const { return x % 2 == 0; } };
struct Dot {
  template <class T> __device__ int operator()(const T &t) const { return thrust::get<0>(t) * thrust::get<1>(t); }
};
extern "C" __global__ void thrust_all(const int *x, int n, int *out, int *rows, double *z) {
  const int *end = x + n;
  int *to = out;
  *to++ = thrust::reduce(thrust::seq, x, end);
  *to++ = thrust::reduce(x, end, 5, thrust::maximum<int>());
  *to++ = thrust::count(thrust::seq, x, end, 3);
  *to++ = thrust::count_if(x, end, Even());
  *to++ = thrust::min_element(thrust::seq, x, end) - x;
  *to++ = thrust::max_element(x, end) - x;
  *to++ = thrust::find(thrust::seq, x, end, x[7]) - x;
  *to++ = thrust::find_if(x, end, Even()) - x;
  *to++ = thrust::inner_product(thrust::seq, x, end, x, 1);
  *to++ = thrust::transform_reduce(thrust::seq, x, end, Square(), 0, thrust::plus<int>());
  thrust::counting_iterator<int> first(0);
  auto squares = thrust::make_transform_iterator(first, Square());
  *to++ = thrust::reduce(thrust::seq, squares, squares + n);
  auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x, first));
  *to++ = thrust::transform_reduce(thrust::seq, pairs, pairs + n, Dot(), 0, thrust::plus<int>());
  *to++ = thrust::all_of(thrust::seq, x, end, Even()) + 2 * thrust::any_of(x, end, Even());
  *to++ = thrust::equal(thrust::seq, x, end, x);
  int *row = rows;
  thrust::inclusive_scan(thrust::seq, x, end, row); row += n;
  thrust::exclusive_scan(thrust::seq, x, end, row, 9); row += n;
  thrust::transform(thrust::seq, x, end, rows, row, thrust::minus<int>()); row += n;
  thrust::fill(thrust::seq, row, row + n, 4); row += n;
  thrust::copy(thrust::seq, x, end, row);
  thrust::reverse(thrust::seq, row, row + n); row += n;
  int *kept = thrust::copy_if(thrust::seq, x, end, row, Even());
  *to++ = kept - row; row += n;
  thrust::adjacent_difference(thrust::seq, x, end, row); row += n;
  thrust::for_each(thrust::seq, first, first + n, [row](int k) { row[k] = 3 * k; });
  *to++ = thrust::lower_bound(thrust::seq, row, row + n, 10) - row;
  *to++ = thrust::binary_search(thrust::seq, row, row + n, 12);
  thrust::pair<int, float> two = thrust::make_pair(1, 2.5f);
  thrust::tuple<int, int> ends(x[0], x[1]);
  thrust::swap(two.first, thrust::get<1>(ends));
  *to++ = two.first + thrust::min(3, 4) + thrust::max(5, 6);
  thrust::complex<double> a(3, -4), b = thrust::exp(a) * a;
  z[0] = thrust::abs(a); z[1] = b.real(); z[2] = b.imag(); z[3] = thrust::norm(a); z[4] = thrust::conj(a).imag();
})"};

inline const CollectiveText *const kLibraryTexts[] = {&kCopies, &kBarriers, &kPipelines, &kThrustSort, &kThrust};

}  // namespace gpuopt::test

// tests/kernels/collectives.h -- kernels whose warps and blocks work together: CUB's collectives and products of
// matrices by warps. Each is run on devices (tests/conformance/collective_kernel_test.cpp), and NVIDIA's compiler sees
// them all.
#pragma once

namespace gpuopt::test {

struct CollectiveText {
  const char *name, *code;
};

inline const CollectiveText kBlockReduce = {"block_reduce", R"(
#include <cub/cub.cuh>
struct First { template <class T> __device__ T operator()(T a, T) const { return a; } };
template <class T> __device__ void reduce_items(const T *x, T *out) {
  using Reduce = cub::BlockReduce<T, 96>;
  __shared__ typename Reduce::TempStorage storage;
  int t = threadIdx.x;
  T items[3] = {x[3 * t], x[3 * t + 1], x[3 * t + 2]};
  T sum = Reduce(storage).Sum(items);
  __syncthreads();
  T most = Reduce(storage).Reduce(items, cub::Max());
  __syncthreads();
  T some = Reduce(storage).Sum(items[0], 70);
  __syncthreads();
  T first = Reduce(storage).Reduce(items[1], First());
  if (t == 0) { out[0] = sum; out[1] = most; out[2] = some; out[3] = first; }
}
extern "C" __global__ void block_reduce(const int *x, int *out, const float *y, float *floats) {
  reduce_items(x, out);
  __syncthreads();
  reduce_items(y, floats);
})"};

inline const CollectiveText kBlockScan = {"block_scan", R"(
#include <cub/block/block_scan.cuh>
__device__ void scan_row(const int *x, int *out) {
  using Scan = cub::BlockScan<int, 16, cub::BLOCK_SCAN_WARP_SCANS, 4>;
  __shared__ Scan::TempStorage storage;
  int t = threadIdx.x + 16 * threadIdx.y, all = 0, one = 0, items[2] = {x[2 * t], x[2 * t + 1]}, scanned[2];
  Scan(storage).InclusiveSum(items, scanned, all);
  out[2 * t] = scanned[0]; out[2 * t + 1] = scanned[1]; out[640 + t] = all;
  __syncthreads();
  Scan(storage).ExclusiveSum(items, scanned);
  out[128 + 2 * t] = scanned[0]; out[128 + 2 * t + 1] = scanned[1];
  __syncthreads();
  Scan(storage).ExclusiveScan(x[t], one, 5, cub::Max());
  out[256 + t] = one;
  __syncthreads();
  Scan(storage).InclusiveScan(x[t], one, cub::Min(), all);
  out[320 + t] = one; out[384 + t] = all;
  __syncthreads();
  Scan(storage).ExclusiveSum(x[t], one, all);
  out[448 + t] = one; out[512 + t] = all;
  __syncthreads();
  Scan(storage).InclusiveSum(x[t], one);
  out[576 + t] = one;
}
extern "C" __global__ void block_scan(const int *x, int *out) { scan_row(x, out); })"};

inline const CollectiveText kWarps = {"warps", R"(
#include <cub/cub.cuh>
extern "C" __global__ void warps(const double *x, double *out) {
  __shared__ typename cub::WarpReduce<double>::TempStorage whole[2];
  __shared__ typename cub::WarpScan<double, 8>::TempStorage parts[8];
  int t = threadIdx.x;
  double sum = cub::WarpReduce<double>(whole[t / 32]).Sum(x[t]);
  __syncwarp();
  double least = cub::WarpReduce<double>(whole[t / 32]).Reduce(x[t], cub::Min(), 20);
  if (t % 32 == 0) { out[t / 32] = sum; out[2 + t / 32] = least; }
  double up = 0, before = 0;
  cub::WarpScan<double, 8>(parts[t / 8]).InclusiveSum(x[t], up);
  __syncwarp(0xffu << t % 32 / 8 * 8);
  cub::WarpScan<double, 8>(parts[t / 8]).ExclusiveScan(x[t], before, 1.0, cub::Max());
  out[4 + t] = up; out[68 + t] = before; out[132 + t] = cub::LaneId();
})"};

inline const CollectiveText kSort = {"sort_block", R"(
#include <cub/cub.cuh>
template <class Key> __device__ void sort_keys(const Key *x, Key *keys, int *places, bool descending) {
  using Load = cub::BlockLoad<Key, 64, 3, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<Key, 64, 3, int>;
  using Store = cub::BlockStore<Key, 64, 3, cub::BLOCK_STORE_STRIPED>;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Sort::TempStorage sort;
  __shared__ typename Store::TempStorage store;
  Key own[3];
  int number[3];
  Load(load).Load(x, own, 190, Key(0));
  for (int k = 0; k < 3; k++) number[k] = 3 * threadIdx.x + k;
  __syncthreads();
  if (descending) {
    Sort(sort).SortDescending(own, number);
    for (int k = 0; k < 3; k++) { keys[3 * threadIdx.x + k] = own[k]; places[3 * threadIdx.x + k] = number[k]; }
  } else {
    Sort(sort).SortBlockedToStriped(own, number);
    Store(store).Store(keys, own);
    for (int k = 0; k < 3; k++) places[64 * k + threadIdx.x] = number[k];
  }
}
extern "C" __global__ void sort_block(const int *x, int *keys, int *places, const float *y, float *floats,
                                      int *of_floats) {
  sort_keys(x, keys, places, false);
  __syncthreads();
  sort_keys(y, floats, of_floats, true);
})"};

inline const CollectiveText kHalfProduct = {"half_product", R"(
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
extern "C" __global__ void half_product(const half *a, const half *b, const float *c, float *d, half *e) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, first;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> rounded;
  wmma::fill_fragment(rounded, __float2half(0.25f));
  wmma::load_matrix_sync(first, c, 16, wmma::mem_row_major);
  for (int k = 0; k < 2; k++) {
    wmma::load_matrix_sync(left, a + 16 * k, 32);
    wmma::load_matrix_sync(right, b + 16 * k, 32);
    wmma::mma_sync(k ? sum : first, left, right, first);
    if (k == 0) sum = first;
    if (k == 0) wmma::mma_sync(rounded, left, right, rounded);
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_col_major);
  wmma::store_matrix_sync(e, rounded, 16, wmma::mem_row_major);
})"};

inline const CollectiveText kOtherProducts = {"other_products", R"(
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda::wmma;
extern "C" __global__ void other_products(const signed char *a, const signed char *b, int *d, const double *x,
                                          const double *y, double *z, const __nv_bfloat16 *p, const __nv_bfloat16 *q,
                                          float *r) {
  fragment<matrix_a, 32, 8, 16, signed char, row_major> a8;
  fragment<matrix_b, 32, 8, 16, signed char, row_major> b8;
  fragment<accumulator, 32, 8, 16, int> d8;
  fill_fragment(d8, 2147483000);
  load_matrix_sync(a8, a, 16);
  load_matrix_sync(b8, b, 8);
  mma_sync(d8, a8, b8, d8, true);
  store_matrix_sync(d, d8, 8, mem_row_major);
  fragment<matrix_a, 8, 8, 4, double, col_major> x8;
  fragment<matrix_b, 8, 8, 4, double, row_major> y8;
  fragment<accumulator, 8, 8, 4, double> z8;
  fill_fragment(z8, 0.1);
  load_matrix_sync(x8, x, 8);
  load_matrix_sync(y8, y, 8);
  mma_sync(z8, x8, y8, z8);
  store_matrix_sync(z, z8, 8, mem_row_major);
  fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major> p16;
  fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major> q16;
  fragment<accumulator, 8, 32, 16, float> r16;
  fill_fragment(r16, 0.0f);
  load_matrix_sync(p16, p, 16);
  load_matrix_sync(q16, q, 16);
  mma_sync(r16, p16, q16, r16);
  store_matrix_sync(r, r16, 32, mem_row_major);
})"};

inline const CollectiveText kTf32 = {"tf32_product", R"(
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void tf32_product(const float *a, const float *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::col_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  for (int i = 0; i < left.num_elements; i++) left.x[i] = wmma::__float_to_tf32(left.x[i]);
  for (int i = 0; i < right.num_elements; i++) right.x[i] = wmma::__float_to_tf32(right.x[i]);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
})"};

inline const CollectiveText kExchange = {"exchange", R"(
#include <cub/cub.cuh>
struct Differ { __device__ bool operator()(int a, int b) const { return a != b; } };
extern "C" __global__ void exchange(const int *x, int *out, int *counts) {
  using Exchange = cub::BlockExchange<int, 48, 2>;
  using Histogram = cub::BlockHistogram<int, 48, 2, 10>;
  using Edges = cub::BlockDiscontinuity<int, 48>;
  __shared__ Exchange::TempStorage storage;
  __shared__ Histogram::TempStorage none;
  __shared__ Edges::TempStorage edges;
  __shared__ int bins[10];
  int t = threadIdx.x, own[2] = {x[2 * t], x[2 * t + 1]}, moved[2], places[2] = {95 - t, t}, marks[2];
  Exchange(storage).BlockedToStriped(own, moved);
  out[2 * t] = moved[0]; out[2 * t + 1] = moved[1];
  __syncthreads();
  Exchange(storage).StripedToBlocked(moved, moved);
  out[96 + 2 * t] = moved[0]; out[97 + 2 * t] = moved[1];
  __syncthreads();
  Exchange(storage).ScatterToBlocked(own, moved, places);
  out[192 + 2 * t] = moved[0]; out[193 + 2 * t] = moved[1];
  Histogram(none).Histogram(own, bins);
  __syncthreads();
  if (t < 10) counts[t] = bins[t];
  Edges(edges).FlagHeads(marks, own, Differ());
  out[288 + 2 * t] = marks[0]; out[289 + 2 * t] = marks[1];
  __syncthreads();
  Edges(edges).FlagTails(marks, own, Differ());
  out[384 + 2 * t] = marks[0]; out[385 + 2 * t] = marks[1];
})"};

// Blocks of 48 threads with two items each: differences to neighbors, the largest value with its place, and the bits by
// which keys are sorted.
inline const CollectiveText kDifferences = {"differences", R"(
#include <cub/cub.cuh>
struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };
template <class T>
__device__ T there_and_back(T x) {
  using Bits = typename cub::Traits<T>::UnsignedBits;
  Bits bits = cub::Traits<T>::TwiddleIn(reinterpret_cast<Bits &>(x));
  bits = cub::Traits<T>::TwiddleOut(bits);
  return reinterpret_cast<T &>(bits);
}
extern "C" __global__ void differences(const int *x, int *out, unsigned *order, float *same) {
  using Difference = cub::BlockAdjacentDifference<int, 48>;
  using Pair = cub::KeyValuePair<int, int>;
  using Reduce = cub::BlockReduce<Pair, 48>;
  __shared__ Difference::TempStorage storage;
  __shared__ Reduce::TempStorage pairs;
  int t = threadIdx.x, own[2] = {x[2 * t], x[2 * t + 1]}, made[2];
  Difference(storage).SubtractLeft(own, made, Minus());
  out[2 * t] = made[0]; out[2 * t + 1] = made[1];
  __syncthreads();
  Difference(storage).SubtractRight(own, made, Minus());
  out[96 + 2 * t] = made[0]; out[97 + 2 * t] = made[1];
  __syncthreads();
  Difference(storage).SubtractLeft(own, made, Minus(), 1000);
  out[192 + 2 * t] = made[0]; out[193 + 2 * t] = made[1];
  __syncthreads();
  Difference(storage).SubtractRightPartialTile(own, made, Minus(), 41);
  out[288 + 2 * t] = made[0]; out[289 + 2 * t] = made[1];
  Pair most = Reduce(pairs).Reduce(cub::ArgMax()(Pair(2 * t, own[0]), Pair(2 * t + 1, own[1])), cub::ArgMax());
  if (t == 0) { out[384] = most.key; out[385] = most.value; }
  __syncthreads();
  Pair least = Reduce(pairs).Reduce(cub::ArgMin()(Pair(2 * t, own[0]), Pair(2 * t + 1, own[1])), cub::ArgMin());
  if (t == 0) { out[386] = least.key; out[387] = least.value; }
  order[t] = cub::Traits<int>::TwiddleIn(unsigned(own[0]));
  order[48 + t] = cub::Traits<float>::TwiddleIn(__float_as_uint(float(own[0])));
  same[t] = there_and_back(float(own[0])) + float(there_and_back(own[1]));
})"};

inline const CollectiveText *const kCollectiveTexts[] = {
    &kBlockReduce, &kBlockScan, &kWarps, &kSort, &kHalfProduct, &kOtherProducts, &kTf32, &kExchange, &kDifferences};

}  // namespace gpuopt::test

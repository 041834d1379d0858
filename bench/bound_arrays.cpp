// bench/bound_arrays.cpp -- the bound of array_compare.py's cases: what a C++ program of OpenMP and the C++ library's
// parallel sorts takes on this very machine. Results are checked against NumPy's there. Pointers do not overlap.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <parallel/algorithm>
#include <utility>
#include <vector>

namespace {

struct Item {
  double key;
  int64_t place;
};

// The part of n elements that thread `t` of `threads` has: from first to last.
std::pair<int64_t, int64_t> part_of(int64_t n, int t, int threads) { return {n * t / threads, n * (t + 1) / threads}; }

}  // namespace

extern "C" {
double bound_dot(const double *x, const double *y, int64_t n) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// `count` products of 4 x 4.
void bound_matmul_4x4(const double *a, const double *b, double *c, int64_t count) {
#pragma omp parallel for schedule(static)
  for (int64_t k = 0; k < count; ++k) {
    const double *x = a + 16 * k, *y = b + 16 * k;
    double *z = c + 16 * k;
    for (int i = 0; i < 4; ++i) {
      double row[4] = {};
      for (int p = 0; p < 4; ++p) {
        for (int j = 0; j < 4; ++j) row[j] += x[4 * i + p] * y[4 * p + j];
      }
      std::memcpy(z + 4 * i, row, sizeof row);
    }
  }
}

void bound_sort(const double *x, double *y, int64_t n) {
  std::memcpy(y, x, size_t(n) * sizeof(double));
  __gnu_parallel::sort(y, y + n);
}

void bound_argsort(const double *x, int64_t *y, int64_t n) {
  std::vector<Item> items(static_cast<size_t>(n));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; ++i) items[size_t(i)] = {x[i], i};
  __gnu_parallel::stable_sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.key < b.key; });
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; ++i) y[i] = items[size_t(i)].place;
}

// Returns how many there are.
int64_t bound_unique(const int64_t *x, int64_t *y, int64_t n) {
  std::memcpy(y, x, size_t(n) * sizeof(int64_t));
  __gnu_parallel::sort(y, y + n);
  return std::unique(y, y + n) - y;
}

// Counts of `bins` bins of equal width between the extremes, of which the last is in the last bin. What is next to an
// edge is compared with it, as NumPy does.
void bound_histogram(const double *x, int64_t n, int64_t bins, int64_t *counts) {
  double least = x[0], most = x[0];
#pragma omp parallel for simd schedule(static) reduction(min : least) reduction(max : most)
  for (int64_t i = 0; i < n; ++i) {
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  std::fill(counts, counts + bins, 0);
  std::vector<double> edges(static_cast<size_t>(bins) + 1, most);
  for (int64_t b = 0; b < bins; ++b) edges[size_t(b)] = least + double(b) * ((most - least) / double(bins));
#pragma omp parallel
  {
    std::vector<int64_t> own(static_cast<size_t>(bins));
    const double scale = double(bins) / (most - least);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; ++i) {
      auto b = std::min(int64_t((x[i] - least) * scale), bins - 1);
      b -= x[i] < edges[size_t(b)];
      b += (x[i] >= edges[size_t(b) + 1]) & (b != bins - 1);
      ++own[size_t(b)];
    }
#pragma omp critical
    for (int64_t b = 0; b < bins; ++b) counts[b] += own[size_t(b)];
  }
}

void bound_take(const double *x, const int64_t *index, double *y, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; ++i) y[i] = x[index[i]];
}

void bound_concat(const double *x, const double *y, double *z, int64_t n) {
#pragma omp parallel
  {
    const auto [first, last] = part_of(n, omp_get_thread_num(), omp_get_num_threads());
    std::memcpy(z + first, x + first, size_t(last - first) * sizeof(double));
    std::memcpy(z + n + first, y + first, size_t(last - first) * sizeof(double));
  }
}
}

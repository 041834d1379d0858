// plugins/cuda/text/fast_linalg.h -- what comes before and after the functions of cuSOLVER, on its column-major
// matrices
//
// Matrices have no gaps: element (i, j) of one with m rows is at i + j * m. What is to be said of a matrix goes to its
// note: three words (u64), zeroed. Word 0 has what cuSOLVER says; word 1 becomes 1 if the matrix has no answer; word 2
// becomes the greatest complement of the number of a pivot that is out of bounds.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_FAST_LINALG_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_FAST_LINALG_H_

#include "plugins/cuda/text/linalg.h"
#include "plugins/shared/linalg/reflections.h"

namespace gpo {

// What fast_triangles() does.
inline constexpr u64 fast_clear_below = 1, fast_clear_above = 2;        // the part becomes zeros
inline constexpr u64 fast_mirror_lower = 4, fast_mirror_upper = 8;      // the other part becomes its conjugate
inline constexpr u64 fast_note_zero = 16, fast_note_not_positive = 32;  // of the diagonal

// Runs for every element of a matrix. Words: 0 the elements, 1 the matrix, 2 its rows, 3 what to do, 4 the note.
template <class T, int n>
GPO_FN void fast_triangles(const Words<n> &p) {
  using R = real_of<T>;
  const u64 m = p.w[2], todo = p.w[3];
  for_moves(u64(p.w[0]), [&](u64 position) {
    const u64 i = position % m, j = position / m;
    T *const a = at_bytes<T>(p.w[1], 0), *const x = a + position;
    if (i != j) {
      if (todo & (i > j ? fast_clear_below : fast_clear_above)) *x = linalg::number<T>(0);
      if (todo & (i > j ? fast_mirror_upper : fast_mirror_lower)) *x = linalg::conj(a[j + i * m]);
      return;
    }
    const R real = linalg::re(*x);
    if (todo & (fast_mirror_lower | fast_mirror_upper)) *x = linalg::number<T>(real);
    const bool wrong = (todo & fast_note_zero && linalg::is_zero(*x)) ||
                       (todo & fast_note_not_positive && !(real > R(0) && isfinite(real)));
    if (wrong) *at_bytes<u64>(p.w[4], 8) = 1;
  });
}

// Notes a matrix with a component that is no finite number. Words: 0 the components, 1 the matrix, 2 the note.
template <class R, int n>
GPO_FN void fast_finite(const Words<n> &p) {
  for_moves(u64(p.w[0]), [&](u64 position) {
    if (!isfinite(at_bytes<R>(p.w[1], 0)[position])) *at_bytes<u64>(p.w[2], 8) = 1;
  });
}

// From the pivots of cuSOLVER, which count from 1, to ours, and the order of rows that they make. By one block, since
// exchanges follow each other. Words: 0 the pivots' number, 1 the pivots, 2 the rows, 3 the order, or 0.
template <int n>
GPO_FN void fast_order(const Words<n> &p) {
  i64 *const pivots = at_bytes<i64>(p.w[1], 0), *const order = at_bytes<i64>(p.w[3], 0);
  for (u64 i = threadIdx.x; i < p.w[0]; i += linalg_threads) pivots[i] -= 1;
  for (u64 i = threadIdx.x; p.w[3] && i < p.w[2]; i += linalg_threads) order[i] = i64(i);
  __syncthreads();
  if (p.w[3] && threadIdx.x == 0) linalg::exchange_rows(i64(0), i64(p.w[0]), pivots, order);
}

// Turns our pivots into those of cuSOLVER. One that is out of bounds is noted, and becomes a row that is there. Words:
// 0 the pivots' number, which is that of rows, 1 the pivots, 2 the number of the first among all of the call, 3 the
// note.
template <int n>
GPO_FN void fast_pivots(const Words<n> &p) {
  for_moves(u64(p.w[0]), [&](u64 i) {
    i64 &pivot = at_bytes<i64>(p.w[1], 0)[i];
    const bool fits = pivot >= 0 && u64(pivot) < p.w[0];
    if (!fits) atomicMax(at_bytes<u64>(p.w[3], 16), ~(p.w[2] + i));
    pivot = (fits ? pivot : i64(i)) + 1;
  });
}

// The determinant, by one thread. Words: 0 the rows, 1 the factors, 2 our pivots, 3 where it goes.
template <class T, int n>
GPO_FN void fast_determinant(const Words<n> &p) {
  if (threadIdx.x != 0) return;
  const i64 *const pivots = at_bytes<i64>(p.w[2], 0);
  *at_bytes<T>(p.w[3], 0) = linalg::product_of_diagonal(i64(p.w[0]), at_bytes<T>(p.w[1], 0), pivots);
}

// The greatest of what the threads of a block have, to all of them.
GPO_FN u64 greatest_of_block(u64 mine) {
  __shared__ u64 greatest;
  __syncthreads();
  if (threadIdx.x == 0) greatest = 0;
  __syncthreads();
  atomicMax(&greatest, mine);
  __syncthreads();
  return greatest;
}

// turn() of reflections.h, with a positive component, of every column of a matrix: a block each. Words: 0 the rows, 1
// the matrix.
template <class T, int n>
GPO_FN void fast_turn(const Words<n> &p) {
  using R = real_of<T>;
  const u64 m = p.w[0];
  T *const x = at_bytes<T>(p.w[1], 0) + blockIdx.x * m;
  R most = R(0);
  for (u64 i = threadIdx.x; i < m; i += linalg_threads) most = linalg::larger(most, linalg::modulus(x[i]));
  // Numbers that are not negative are in the order of their bits.
  most = from_bits(uint_of<R>(greatest_of_block(u64(to_bits(most)))));
  u64 first = m;
  for (u64 i = threadIdx.x; i < m; i += linalg_threads) {
    if (first == m && !(linalg::modulus(x[i]) < most * (R(1) - linalg::power_of_two<R>(-10)))) first = i;
  }
  const u64 at = ~greatest_of_block(~first);
  if (at >= m || most == R(0)) return;
  const T chosen = x[at];
  __syncthreads();  // everyone has read it
  const R size = linalg::modulus(chosen);
  const T factor = linalg::number<T>(linalg::re(chosen) / size, -linalg::im(chosen) / size);
  for (u64 i = threadIdx.x; i < m; i += linalg_threads) {
    x[i] = i == at ? linalg::number<T>(size) : linalg::multiply(x[i], factor);
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_FAST_LINALG_H_

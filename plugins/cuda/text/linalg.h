// plugins/cuda/text/linalg.h -- factorizations and systems of equations with the bits of plugins/shared/linalg
//
// A block computes one matrix after the other, in shared memory if it fits, else in global memory, column-major as the
// shared algorithms have it. All threads go through the same blocks and halves (for_halves() of blocks.h), share out
// the elements of each step, and wait for each other behind it. Every element takes the operations that the shared
// algorithms have for it, in their order: the columns of a block get the products with its earlier columns one after
// the other, everything else comes in products of matrices. What would put variables into local memory, such as their
// addresses passed to functions that are not inlined, is written anew here.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_LINALG_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_LINALG_H_

#include "plugins/cuda/text/walk.h"
#include "plugins/shared/linalg/lu.h"

namespace gpo {

inline constexpr int linalg_threads = 256;
inline constexpr int linalg_room = 32768;  // bytes of shared memory for a matrix, and for what comes with it

namespace linalg {

// ---- Steps

// Calls body(i) for this thread's numbers below `count`, and waits for the other threads.
template <class F>
GPO_FN void share_out(i64 count, const F &body) {
  GPO_NO_UNROLL
  for (u32 i = threadIdx.x; i < u32(count); i += linalg_threads) body(i);
  __syncthreads();
}

template <class R>
GPO_FN R add_term(R sum, R x, R y, Terms terms) {
  return fma(terms.negative ? -x : x, y, sum);
}
template <class R>
GPO_FN cplx<R> add_term(cplx<R> sum, cplx<R> x, cplx<R> y, Terms terms) {
  if (terms.conjugated) x = conj(x);
  if (terms.negative) x = negative(x);
  return {fma(-x.im, y.im, fma(x.re, y.re, sum.re)), fma(x.im, y.re, fma(x.re, y.im, sum.im))};
}

// c += a b, as InOrder::add_product() has it.
template <class T>
GPO_FN void add_product(const View<T> &c, const View<T> &a, const View<T> &b, Terms terms) {
  constexpr u32 block = u32(product_block) / u32(components<T>);
  const u32 columns = u32(c.columns), depth = u32(a.columns);
  share_out(c.rows * c.columns, [&](u32 at) {
    const u32 i = at / columns, j = at - i * columns;
    const T *x = &a.at(i, 0), *y = &b.at(0, j);
    T element = c.at(i, j);
    GPO_NO_UNROLL
    for (u32 first = 0; first < depth; first += block) {
      const u32 end = first + block < depth ? first + block : depth;
      T sum = number<T>(0);
      GPO_NO_UNROLL
      for (u32 k = first; k < end; ++k, x += a.column, y += b.row) sum = add_term(sum, *x, *y, terms);
      element = add(element, sum);
    }
    c.at(i, j) = element;
  });
}

// ---- Triangles (triangular.h)

template <class T>
GPO_FN void solve_rows(const View<T> &a, bool unit_diagonal, const View<T> &x) {
  share_out(x.columns, [&](u32 j) {
    GPO_NO_UNROLL
    for (i64 k = 0; k < a.rows; ++k) {
      T solved = x.at(k, j);
      if (!unit_diagonal) x.at(k, j) = solved = divide(solved, a.at(k, k));
      GPO_NO_UNROLL
      for (i64 i = k + 1; i < a.rows; ++i) x.at(i, j) = minus_product(x.at(i, j), a.at(i, k), solved);
    }
  });
}
template <class T>
GPO_FN void solve_lower(const View<T> &a, bool unit_diagonal, const View<T> &x) {
  const auto base = [&](i64 first, i64 end) {
    const i64 size = end - first;
    solve_rows(a.block(first, first, size, size), unit_diagonal, x.block(first, 0, size, x.columns));
  };
  const auto update = [&](i64 first, i64 middle, i64 end) {
    add_product(x.block(middle, 0, end - middle, x.columns), a.block(middle, first, end - middle, middle - first),
                x.block(first, 0, middle - first, x.columns), Terms{true, false});
  };
  for_halves(a.rows, base, update, NoMerge());
}
// Replaces the columns of b by the solutions of a x = b; there is at least one row.
template <class T>
GPO_FN void solve_triangle(View<T> a, bool lower, bool unit_diagonal, View<T> b) {
  if (!lower) {
    const i64 last = a.rows - 1;
    a = {&a.at(last, last), a.rows, a.rows, -a.row, -a.column};
    b = {&b.at(last, 0), b.rows, b.columns, -b.row, b.column};
  }
  solve_lower(a, unit_diagonal, b);
}

// Returns to all threads whether no element of the diagonal is 0.
template <class T>
GPO_FN bool has_regular_diagonal(const View<T> &a) {
  __shared__ u32 zeros;
  if (threadIdx.x == 0) zeros = 0;
  __syncthreads();
  share_out(a.rows, [&](u32 i) {
    if (is_zero(a.at(i, i))) zeros = 1;
  });
  return zeros == 0;
}

// ---- Gaussian elimination (lu.h)

template <class T>
GPO_FN void exchange_rows(i64 first, i64 end, const i64 *pivots, const View<T> &a) {
  share_out(a.columns, [&](u32 j) { exchange_rows(first, end, pivots, a.data + j * a.column); });
}

// Writes to `pivot` what pivot_row() returns: the threads of a warp look at rows of their own, and the greatest and
// first of what they find is the pivot.
template <class T>
GPO_FN void find_pivot(u32 first, u32 m, const T *column, i64 &pivot) {
  using Key = uint_of<real_of<T>>;
  if (threadIdx.x < 32) {
    Key most = 0;
    u32 best = ~u32(0);
    GPO_NO_UNROLL
    for (u32 i = first + threadIdx.x; i < m; i += 32) {
      const real_of<T> size = magnitude(column[i]);
      const Key key = isnan(size) ? Key(~Key(0)) : to_bits(size);
      if (key > most || best == ~u32(0)) most = key, best = i;
    }
    for (int step = 16; step > 0; step /= 2) {
      const Key other = __shfl_down_sync(0xffffffffu, most, step);
      const u32 row = __shfl_down_sync(0xffffffffu, best, step);
      if (other > most || (other == most && row < best)) most = other, best = row;
    }
    if (threadIdx.x == 0) pivot = i64(best);
  }
  __syncthreads();
}

// factorize_columns() of lu.h, where each column is subtracted from the later ones of the block as soon as it is done.
template <class T>
GPO_FN void eliminate_columns(i64 m, i64 first, i64 end, T *a, i64 *pivots) {
  GPO_NO_UNROLL
  for (i64 k = first; k < end; ++k) {
    T *const column = a + k * m;
    find_pivot(u32(k), u32(m), column, pivots[k]);
    const i64 pivot = pivots[k];
    share_out(end - first, [&](u32 j) { exchange(a[k + (first + j) * m], a[pivot + (first + j) * m]); });
    const T divisor = column[k];
    const u32 rows = u32(m - k - 1);
    if (!is_zero(divisor)) {
      share_out(rows, [&](u32 i) { column[k + 1 + i] = divide(column[k + 1 + i], divisor); });
    }
    share_out(i64(rows) * (end - k - 1), [&](u32 at) {
      const u32 j = at / rows, i = at - j * rows;
      T *const to = column + (j + 1) * m;
      to[k + 1 + i] = minus_product(to[k + 1 + i], column[k + 1 + i], to[k]);
    });
  }
}

template <class T>
GPO_FN void eliminate(const View<T> &a, i64 first, i64 end, i64 at, i64 stop, const i64 *pivots) {
  const i64 size = end - first, columns = stop - at;
  exchange_rows(first, end, pivots, a.block(0, at, a.rows, columns));
  const View<T> u = a.block(first, at, size, columns);
  solve_lower(a.block(first, first, size, size), true, u);
  add_product(a.block(end, at, a.rows - end, columns), a.block(end, first, a.rows - end, size), u, Terms{true, false});
}

template <class T>
GPO_FN void factorize_lu(i64 m, i64 n, T *a, i64 *pivots) {
  const i64 steps = m < n ? m : n;
  const View<T> matrix = view_of(a, m, n);
  const auto base = [&](i64 first, i64 end) { eliminate_columns(m, first, end, a, pivots); };
  const auto update = [&](i64 first, i64 middle, i64 end) { eliminate(matrix, first, middle, middle, end, pivots); };
  const auto merge = [&](i64 first, i64 middle, i64 end) {
    exchange_rows(middle, end, pivots, matrix.block(0, first, m, middle - first));
  };
  for_halves(steps, base, update, merge);
  if (steps < n) eliminate(matrix, i64(0), steps, steps, n, pivots);
}

// determinant() of lu.h, by one thread, whose numbers stay in registers.
template <class T>
GPO_FN Scaled<T> in_range(Scaled<T> x) {
  using R = real_of<T>;
  const R re_size = abs(re(x.number)), im_size = abs(im(x.number)), size = larger(re_size, im_size);
  if (!isfinite(re_size) || !isfinite(im_size) || size == R(0)) return x;
  const int e = math::split(size).e, half = e / 2;
  const T once = scale(x.number, power_of_two<R>(-half));
  return {scale(once, power_of_two<R>(half - e)), x.exponent + e};
}
template <class T>
GPO_FN T product_of_diagonal(i64 n, const T *a, const i64 *pivots) {
  using R = real_of<T>;
  Scaled<T> product = {number<T>(1), 0};
  bool odd = false;
  GPO_NO_UNROLL
  for (i64 k = 0; k < n; ++k) {
    const Scaled<T> next = in_range(Scaled<T>{a[k + k * n], 0});
    product = in_range(Scaled<T>{multiply(product.number, next.number), product.exponent + next.exponent});
    odd = odd != (pivots[k] != k);
  }
  const T value = odd ? scale(product.number, R(-1)) : product.number;
  const i64 bound = 3 * (fp<R>::bias - 1);
  const int e = int(product.exponent > bound ? bound : product.exponent < -bound ? -bound : product.exponent);
  return number<T>(math::scale_by(re(value), e), math::scale_by(im(value), e));
}

// ---- Cholesky factors (cholesky.h)

// factorize_columns() of cholesky.h, as eliminate_columns(). Returns to all threads whether the columns have an answer.
template <class T>
GPO_FN bool root_columns(i64 n, i64 first, i64 end, T *a) {
  using R = real_of<T>;
  GPO_NO_UNROLL
  for (i64 j = first; j < end; ++j) {
    T *const column = a + j * n;
    const R square = re(column[j]);
    if (!(square > R(0)) || !isfinite(square)) return false;
    __syncthreads();  // everyone has read the diagonal
    const R root = sqrt(square);
    if (threadIdx.x == 0) column[j] = number<T>(root);
    R *const below = parts(column + j + 1);
    share_out((n - j - 1) * components<T>, [&](u32 i) { below[i] = below[i] / root; });
    const u32 rows = u32(n - j - 1);
    share_out(i64(rows) * (end - j - 1), [&](u32 at) {
      const u32 q = at / rows, i = at - q * rows;
      T *const to = column + (q + 1) * n + j + 1;
      if (i >= q) to[i] = minus_product(to[i], column[j + 1 + i], conj(column[j + 1 + q]));
    });
  }
  return true;
}

template <class T>
GPO_FN bool factorize_cholesky(i64 n, T *a) {
  const View<T> matrix = view_of(a, n, n);
  bool definite = true;
  const auto base = [&](i64 first, i64 end) { definite = definite && root_columns(n, first, end, a); };
  const auto update = [&](i64 first, i64 middle, i64 end) {
    if (!definite) return;
    const i64 depth = middle - first;
    add_product(matrix.block(middle, middle, n - middle, end - middle).transposed(),
                matrix.block(middle, first, end - middle, depth),
                matrix.block(middle, first, n - middle, depth).transposed(), Terms{true, true});
  };
  for_halves(n, base, update, NoMerge());
  return definite;
}

}  // namespace linalg

// ---- Kernels
//
// Words: 0 the matrices, 1 the rows and 2 the columns of a matrix, 3 the columns of the right sides, 4 flags of the
// kind of call, 5 memory for the blocks, or 0 for shared memory, 6 its bytes for each block, 7 where in it pivots are
// and 8 right sides or the order of rows, 9 the notes, 10 the blocks; from 11 on three words for each of four tensors:
// the address, and the strides in bytes of rows and columns; from 23 on a walk of the four over the stack.
//
// The notes are u64, zeroed. Word 0 becomes the greatest complement of the index of a matrix without an answer, that of
// the first one, and word 1 likewise that of the number of a pivot that is out of bounds.
inline constexpr int linalg_tensors = 11, linalg_walk = 23;

struct LinalgPlace {
  u64 address;
  i64 row, column;

  template <class T>
  GPO_FN T &at(u32 i, u32 j) const {
    return *at_bytes<T>(address, i64(i) * row + i64(j) * column);
  }
};

// A matrix of the stack and what the other tensors have for it.
template <int n>
struct LinalgMatrix {
  const Words<n> &p;
  u64 index;
  char *memory;
  i64 offset0, offset1, offset2, offset3;

  template <int t>
  GPO_FN LinalgPlace place() const {
    const i64 offset = t == 0 ? offset0 : t == 1 ? offset1 : t == 2 ? offset2 : offset3;
    constexpr int at = linalg_tensors + 3 * t;
    return {p.w[at] + u64(offset), i64(p.w[at + 1]), i64(p.w[at + 2])};
  }
  template <class T>
  GPO_FN T *part(int word) const {
    return reinterpret_cast<T *>(memory + p.w[word]);
  }
  // Copies rows and columns to column-major memory, where the matrix may be transposed (1) and conjugated, too (2).
  template <int t, class T>
  GPO_FN void load(u64 rows, u64 columns, T *to, u64 transposed = 0) const {
    const LinalgPlace from = place<t>();
    const u32 m = u32(rows), width = u32(columns);
    linalg::share_out(rows * columns, [&](u32 at) {
      const u32 i = at / width, j = at - i * width;
      const T x = from.at<T>(i, j);
      to[transposed ? j + i * m : i + j * m] = transposed == 2 ? linalg::conj(x) : x;
    });
  }
  template <int t, class T>
  GPO_FN void store(u64 rows, u64 columns, const T *from) const {
    const LinalgPlace to = place<t>();
    const u32 m = u32(rows), width = u32(columns);
    linalg::share_out(rows * columns, [&](u32 at) {
      const u32 i = at / width, j = at - i * width;
      to.at<T>(i, j) = from[i + j * m];
    });
  }
  GPO_FN void note(int word, u64 number) const { atomicMax(at_bytes<u64>(p.w[9], 8 * word), ~number); }
};

// Calls solve(matrix) for the matrices of this block; it returns to all threads whether there is an answer.
template <int rank, class F, int n>
GPO_FN void for_matrices(const Words<n> &p, const F &solve) {
  __shared__ c128 room[linalg_room / sizeof(c128)];
  char *const memory = p.w[5] ? at_bytes<char>(p.w[5], i64(blockIdx.x * p.w[6])) : reinterpret_cast<char *>(room);
  GPO_NO_UNROLL
  for (u64 index = blockIdx.x; index < p.w[0]; index += p.w[10]) {
    i64 offsets[4];
    locate<linalg_walk, rank, 4>(p, index, offsets);
    const LinalgMatrix<n> matrix = {p, index, memory, offsets[0], offsets[1], offsets[2], offsets[3]};
    if (!solve(matrix) && threadIdx.x == 0) matrix.note(0, index);
    __syncthreads();
  }
}

// Word 4: whether the upper triangle is read and written.
template <class T, int rank, int n>
GPO_FN void linalg_cholesky(const Words<n> &p) {
  for_matrices<rank>(p, [&](const LinalgMatrix<n> &x) {
    const u32 size = u32(p.w[1]);
    T *const a = reinterpret_cast<T *>(x.memory);
    x.template load<0>(size, size, a, p.w[4] ? 2 : 0);
    if (!linalg::factorize_cholesky(i64(size), a)) return false;
    const LinalgPlace to = x.template place<1>();
    linalg::share_out(i64(size) * size, [&](u32 at) {
      const u32 i = at / size, j = at - i * size;
      const u32 row = p.w[4] ? j : i, column = p.w[4] ? i : j;
      const T value = row < column ? linalg::number<T>(0) : a[row + column * size];
      to.at<T>(i, j) = p.w[4] ? linalg::conj(value) : value;
    });
    return true;
  });
}

template <class T, int rank, int n>
GPO_FN void linalg_lu(const Words<n> &p) {
  for_matrices<rank>(p, [&](const LinalgMatrix<n> &x) {
    const u64 m = p.w[1], columns = p.w[2], k = m < columns ? m : columns;
    T *const a = reinterpret_cast<T *>(x.memory);
    i64 *const pivots = x.template part<i64>(7), *const order = x.template part<i64>(8);
    x.template load<0>(m, columns, a);
    linalg::share_out(i64(m), [&](u32 i) { order[i] = i64(i); });
    linalg::factorize_lu(i64(m), i64(columns), a, pivots);
    if (threadIdx.x == 0) linalg::exchange_rows(i64(0), i64(k), pivots, order);
    __syncthreads();
    x.template store<1>(m, columns, a);
    x.template store<2>(k, 1, pivots);
    x.template store<3>(m, 1, order);
    return true;
  });
}

template <class T, int rank, int n>
GPO_FN void linalg_det(const Words<n> &p) {
  for_matrices<rank>(p, [&](const LinalgMatrix<n> &x) {
    const u64 size = p.w[1];
    T *const a = reinterpret_cast<T *>(x.memory);
    i64 *const pivots = x.template part<i64>(7);
    x.template load<0>(size, size, a);
    linalg::factorize_lu(i64(size), i64(size), a, pivots);
    if (threadIdx.x == 0)
      x.template place<1>().template at<T>(0, 0) = linalg::product_of_diagonal(i64(size), a, pivots);
    return true;
  });
}

template <class T, int rank, int n>
GPO_FN void linalg_solve(const Words<n> &p) {
  for_matrices<rank>(p, [&](const LinalgMatrix<n> &x) {
    const u64 size = p.w[1], sides = p.w[3];
    T *const a = reinterpret_cast<T *>(x.memory), *const b = x.template part<T>(8);
    i64 *const pivots = x.template part<i64>(7);
    x.template load<0>(size, size, a);
    x.template load<1>(size, sides, b);
    const linalg::View<T> matrix = linalg::view_of(a, i64(size), i64(size));
    const linalg::View<T> right = linalg::view_of(b, i64(size), i64(sides));
    linalg::factorize_lu(i64(size), i64(size), a, pivots);
    if (!linalg::has_regular_diagonal(matrix)) return false;
    linalg::exchange_rows(i64(0), i64(size), pivots, right);
    for (int pass = 0; pass < 2; ++pass) linalg::solve_triangle(matrix, pass == 0, pass == 0, right);
    x.template store<2>(size, sides, b);
    return true;
  });
}

// Returns to all threads whether all pivots are rows; notes those that are not.
template <int n>
GPO_FN bool linalg_pivots_fit(const LinalgMatrix<n> &x, u64 size, const i64 *pivots) {
  __shared__ u32 wrong;
  if (threadIdx.x == 0) wrong = 0;
  __syncthreads();
  linalg::share_out(i64(size), [&](u32 i) {
    if (pivots[i] >= 0 && u64(pivots[i]) < size) return;
    wrong = 1;
    x.note(1, x.index * size + i);
  });
  return wrong == 0;
}

// Word 4: how the matrix is transposed.
template <class T, int rank, int n>
GPO_FN void linalg_solve_lu(const Words<n> &p) {
  for_matrices<rank>(p, [&](const LinalgMatrix<n> &x) {
    const u64 size = p.w[1], sides = p.w[3];
    const bool straight = p.w[4] == 0;
    T *const a = reinterpret_cast<T *>(x.memory), *const b = x.template part<T>(8);
    i64 *const pivots = x.template part<i64>(7);
    x.template load<0>(size, size, a, p.w[4]);
    x.template load<1>(size, 1, pivots);
    if (!linalg_pivots_fit(x, size, pivots)) return true;
    const linalg::View<T> matrix = linalg::view_of(a, i64(size), i64(size));
    const linalg::View<T> right = linalg::view_of(b, i64(size), i64(sides));
    if (!linalg::has_regular_diagonal(matrix)) return false;
    x.template load<2>(size, sides, b);
    if (straight) linalg::exchange_rows(i64(0), i64(size), pivots, right);
    for (int pass = 0; pass < 2; ++pass) linalg::solve_triangle(matrix, pass == 0, (pass == 0) == straight, right);
    linalg::share_out(straight ? 0 : i64(sides), [&](u32 j) {
      for (i64 k = i64(size); k-- > 0;) linalg::exchange(right.at(k, j), right.at(pivots[k], j));
    });
    x.template store<3>(size, sides, b);
    return true;
  });
}

// Word 4: bit 0 whether the matrix is a lower triangle, bit 1 whether its diagonal counts as ones; bits 2 and 3 how it
// is transposed.
template <class T, int rank, int n>
GPO_FN void linalg_solve_triangular(const Words<n> &p) {
  for_matrices<rank>(p, [&](const LinalgMatrix<n> &x) {
    const u64 size = p.w[1], sides = p.w[3], transposed = p.w[4] >> 2;
    const bool lower = ((p.w[4] & 1) != 0) != (transposed != 0), unit_diagonal = (p.w[4] & 2) != 0;
    T *const a = reinterpret_cast<T *>(x.memory), *const b = x.template part<T>(8);
    x.template load<0>(size, size, a, transposed);
    const linalg::View<T> matrix = linalg::view_of(a, i64(size), i64(size));
    if (!unit_diagonal && !linalg::has_regular_diagonal(matrix)) return false;
    x.template load<1>(size, sides, b);
    linalg::solve_triangle(matrix, lower, unit_diagonal, linalg::view_of(b, i64(size), i64(sides)));
    x.template store<2>(size, sides, b);
    return true;
  });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_LINALG_H_

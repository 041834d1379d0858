// plugins/cuda/text/qr.h -- Householder reflections, q and r, with the bits of plugins/shared/linalg/householder.h
//
// A block computes a matrix, as in linalg.h. A warp makes a reflection, or applies it to a column; that of a block of
// columns is applied to the later ones as soon as it is made. The sums of products have the eight lanes of numbers.h,
// each of which is a thread's.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_QR_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_QR_H_

#include "plugins/cuda/text/linalg.h"
#include "plugins/shared/linalg/householder.h"

namespace gpo {
namespace linalg {

inline constexpr u32 every_lane = 0xffffffffu;

// ---- A warp's steps: all of its threads call these

// y + x a, as add_multiple() has it.
template <class T>
GPO_FN T plus_product(T y, T x, T a) {
  return minus_product(y, x, negative(a));
}

// sum_products() in the first eight threads' lanes, and in the next eight sum_crossed_products(), if `crossed`. The
// sums are what threads 0 and 8 return.
template <class R>
GPO_FN R sum_by_lanes(u32 count, const R *x, const R *y, bool crossed) {
  const u32 lane = threadIdx.x % kLanes;
  crossed = crossed && (threadIdx.x & 8) != 0;
  R sum = R(0);
  GPO_NO_UNROLL
  for (u32 i = lane; i < count; i += kLanes) sum = sum + x[i] * y[crossed ? i ^ 1u : i];
  sum = sum + __shfl_down_sync(every_lane, sum, 4);
  sum = sum + __shfl_down_sync(every_lane, sum, 2);
  const R other = __shfl_down_sync(every_lane, sum, 1);
  return crossed ? sum - other : sum + other;
}
// Returns dot() to all threads.
template <class T>
GPO_FN T dot_by_lanes(u32 n, const T *x, const T *y) {
  using R = real_of<T>;
  const R sum = sum_by_lanes<R>(n * u32(components<T>), parts(x), parts(y), is_complex<T>);
  const R first = __shfl_sync(every_lane, sum, 0);
  if constexpr (is_complex<T>) {
    return number<T>(first, __shfl_sync(every_lane, sum, 8));
  } else {
    return first;
  }
}
template <class T>
GPO_FN void reflect_by_warp(u32 n, const T *v, T t, T *c) {
  const T factor = negative(multiply(t, dot_by_lanes(n, v, c)));
  GPO_NO_UNROLL
  for (u32 i = threadIdx.x % 32; i < n; i += 32) c[i] = plus_product(c[i], v[i], factor);
  __syncwarp();
}
// largest_component() of n >= 0 numbers, to all threads.
template <class R>
GPO_FN R largest_by_warp(u32 n, const R *x) {
  R most = R(0);
  GPO_NO_UNROLL
  for (u32 i = threadIdx.x % 32; i < n; i += 32) {
    const R size = abs(x[i]);
    most = larger(size < inf<R>() ? size : inf<R>(), most);
  }
  for (int step = 16; step > 0; step /= 2) most = larger(most, __shfl_xor_sync(every_lane, most, step));
  return most;
}
// make_reflection() of a column of n >= 1 elements; returns beta to all threads.
template <class T>
GPO_FN real_of<T> make_reflection_by_warp(u32 n, T *x, T &tau) {
  using R = real_of<T>;
  const u32 thread = threadIdx.x % 32, count = n * u32(components<T>);
  const R below = largest_by_warp((n - 1) * u32(components<T>), parts(x + 1));
  const R first = re(x[0]), size = larger(below, larger(abs(first), abs(im(x[0]))));
  const bool nothing = below == R(0) && im(x[0]) == R(0);
  __syncwarp();
  if (thread == 0) tau = number<T>(0);
  if (nothing) {
    if (thread == 0) x[0] = number<T>(1);
    return first;
  }
  const int e = size == R(0) ? 0 : math::split(size).e, half = e / 2;  // scale_to_one()
  const R once = power_of_two<R>(-half), again = power_of_two<R>(half - e);
  for (u32 i = thread; e != 0 && i < count; i += 32) parts(x)[i] = parts(x)[i] * once * again;
  __syncwarp();
  const T alpha = x[0];
  const R square = __shfl_sync(every_lane, sum_by_lanes<R>(count, parts(x), parts(x), false), 0);
  const R beta = -copysign(sqrt(square), re(alpha));
  const T factor = divide(number<T>(1), number<T>(re(alpha) - beta, im(alpha)));
  for (u32 i = thread + 1; i < n; i += 32) x[i] = multiply(x[i], factor);
  if (thread == 0) {
    tau = number<T>((beta - re(alpha)) / beta, -im(alpha) / beta);
    x[0] = number<T>(1);
  }
  return times_power(beta, e);
}

// ---- Panels

// The memory of a panel of up to `panel` reflections of m elements, which are applied to p columns.
template <class T>
GPO_FN PanelWork<T> panel_memory(i64 m, i64 p, i64 panel, T *memory) {
  T *const t = memory + m * panel, *const w = t + 2 * panel * panel;
  return {memory, t, t + panel * panel, w, w + panel * p};
}

template <class T>
GPO_FN View<T> zeros(T *to, i64 m, i64 n) {
  share_out(m * n, [&](u32 i) { to[i] = number<T>(0); });
  return view_of(to, m, n);
}

// form_triangle(), a thread for each row.
template <class T>
GPO_FN View<T> form_triangle(const View<T> &v, const T *tau, const PanelWork<T> &work) {
  const i64 count = v.columns;
  const View<T> t = zeros(work.t, count, count), gram = zeros(work.gram, count, count);
  add_product(gram, v.transposed(), v, Terms{false, true});
  share_out(count, [&](u32 i) {
    t.at(i, i) = tau[i];
    GPO_NO_UNROLL
    for (i64 k = i64(i) + 1; k < count; ++k) {
      T element = number<T>(0);
      GPO_NO_UNROLL
      for (i64 j = i; j < k; ++j)
        element = plus_product(element, t.at(i, j), negative(multiply(tau[k], gram.at(j, k))));
      t.at(i, k) = element;
    }
  });
  return t;
}

template <class T>
GPO_FN void apply_panel(const View<T> &v, const View<T> &t, bool adjoint, const View<T> &c, const PanelWork<T> &work) {
  if (c.columns == 0) return;
  const View<T> w = zeros(work.w, v.columns, c.columns), tw = zeros(work.tw, v.columns, c.columns);
  add_product(w, v.transposed(), c, Terms{false, true});
  add_product(tw, adjoint ? t.transposed() : t, w, Terms{false, adjoint});
  add_product(c, v, tw, Terms{true, false});
}

// load_panel() of column-major vectors.
template <class T>
GPO_FN View<T> load_reflections(const Reflections<T> &h, i64 first, i64 end, const PanelWork<T> &work) {
  const u32 rows = u32(h.a.rows - first);
  share_out(i64(rows) * (end - first), [&](u32 at) {
    const u32 k = at / rows, i = at - k * rows;
    work.v[at] = i < k ? number<T>(0) : i == k ? number<T>(1) : h.a.at(first + i, first + k);
  });
  return view_of(work.v, i64(rows), end - first);
}

// reflect_columns(), where each reflection is applied to the later columns as soon as it is made.
template <class T>
GPO_FN void make_reflections(const View<T> &a, i64 first, i64 end, T *tau, T *v) {
  const u32 warp = threadIdx.x / 32;
  GPO_NO_UNROLL
  for (i64 k = first; k < end; ++k) {
    T *const column = a.data + k * a.column, *const own = v + k * a.rows;
    share_out(a.rows, [&](u32 i) { own[i] = i64(i) < k ? number<T>(0) : column[i]; });
    if (warp == 0) {
      const real_of<T> beta = make_reflection_by_warp(u32(a.rows - k), own + k, tau[k]);
      if (threadIdx.x == 0) column[k] = number<T>(beta);
    }
    __syncthreads();
    share_out(a.rows - k - 1, [&](u32 i) { column[k + 1 + i] = own[k + 1 + i]; });
    if (!is_zero(tau[k])) {
      for (i64 j = k + 1 + warp; j < end; j += linalg_threads / 32)
        reflect_by_warp(u32(a.rows - k), own + k, conj(tau[k]), a.data + j * a.column + k);
    }
    __syncthreads();
  }
}

template <class T>
GPO_FN void factorize_qr(i64 m, i64 n, T *a, T *tau, const PanelWork<T> &work) {
  const i64 steps = m < n ? m : n;
  const View<T> matrix = view_of(a, m, n);
  GPO_NO_UNROLL
  for (i64 at = 0; at < steps; at += kPanel) {
    const i64 width = at + kPanel < steps ? kPanel : steps - at, rows = m - at;
    const View<T> panel = matrix.block(at, at, rows, width), v = view_of(work.v, rows, width);
    const auto base = [&](i64 first, i64 end) { make_reflections(panel, first, end, tau + at, work.v); };
    const auto update = [&](i64 first, i64 middle, i64 end) {
      const View<T> left = v.block(first, first, rows - first, middle - first);
      const View<T> t = form_triangle(left, tau + at + first, work);
      apply_panel(left, t, true, panel.block(first, middle, rows - first, end - middle), work);
    };
    for_halves(width, base, update, NoMerge());
    if (at + width == n) return;
    apply_panel(v, form_triangle(v, tau + at, work), true, matrix.block(at, at + width, rows, n - at - width), work);
  }
}

// form_q(): all reflections are applied to the first columns of the identity matrix.
template <class T>
GPO_FN void form_q(i64 m, i64 columns, i64 count, T *a, const T *tau, T *q, const PanelWork<T> &work) {
  const View<T> c = view_of(q, m, columns);
  const Reflections<T> h = {view_of(a, m, count), tau};
  share_out(m * columns, [&](u32 at) { q[at] = number<T>(at / u32(m) == at % u32(m) ? 1 : 0); });
  if (count <= kBlock) {
    const T *const v = load_reflections(h, i64(0), count, work).data;
    for (i64 j = threadIdx.x / 32; j < columns; j += linalg_threads / 32) {
      for (i64 k = count - 1; k >= 0; --k) {
        if (j < k || is_zero(tau[k])) continue;
        reflect_by_warp(u32(m - k), v + k + k * m, tau[k], q + k + j * m);
      }
    }
    return __syncthreads();
  }
  GPO_NO_UNROLL
  for (i64 first = (count - 1) / kPanel * kPanel; first >= 0; first -= kPanel) {
    const View<T> v = load_reflections(h, first, first + kPanel < count ? first + kPanel : count, work);
    const View<T> t = form_triangle(v, tau + first, work);
    const i64 left_out = first < columns ? first : columns;
    apply_panel(v, t, false, c.block(first, left_out, v.rows, columns - left_out), work);
  }
}

}  // namespace linalg

// Words as in linalg.h; word 3 has the columns of q, or 0 if there is r alone, which is then the second tensor. Behind
// the matrix are tau, q and the memory of a panel, without gaps.
template <class T, int rank, int n>
GPO_FN void linalg_qr(const Words<n> &p) {
  for_matrices<rank>(p, [&](const LinalgMatrix<n> &x) {
    const i64 m = i64(p.w[1]), width = i64(p.w[2]), k = m < width ? m : width, columns = i64(p.w[3]);
    const i64 most = width > columns ? width : columns;
    T *const a = reinterpret_cast<T *>(x.memory), *const tau = a + m * width, *const q = tau + k;
    const auto work = linalg::panel_memory(m, most, k < linalg::kPanel ? k : linalg::kPanel, q + m * columns);
    x.template load<0>(u64(m), u64(width), a);
    linalg::factorize_qr(m, width, a, tau, work);
    if (columns) {
      linalg::form_q(m, columns, k, a, tau, q, work);
      x.template store<1>(u64(m), u64(columns), q);
    }
    const LinalgPlace to = columns ? x.template place<2>() : x.template place<1>();
    const u32 rows = u32(columns > k ? m : k), of_row = u32(width);
    linalg::share_out(i64(rows) * width, [&](u32 at) {
      const u32 i = at / of_row, j = at - i * of_row;
      to.at<T>(i, j) = i > j ? linalg::number<T>(0) : a[i + j * m];
    });
    return true;
  });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_QR_H_

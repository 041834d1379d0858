// plugins/shared/linalg/secular.h -- the secular equation, to which divide and conquer brings eigenvalues and singular
// values of matrices of half the size
//
// The equation is constant + the sum over i of z[i]^2 / (x[i] - x) = 0, with ascending poles x[i] and a constant > 0.
// It has one root between any two neighbouring poles, and one behind the last. The poles are x[i] = d[i], or with
// `squares` x[i] = d[i]^2, where d[0] = 0; then the root is sought as a square, too. A root is found as its difference
// from the nearer pole, so that its distances from all poles have small relative errors. Those of all roots give the
// weights z of a problem that has exactly these roots, and by them vectors that are orthogonal (M. Gu, S. Eisenstat, "A
// stable and efficient algorithm for the rank-one modification of the symmetric eigenproblem", 1994). The iteration
// fits two poles to the equation (R.-C. Li, "Solving secular equations stably and efficiently", 1993), between bounds
// that each step makes narrower.
//
// A sum over poles adds to eight lanes, as sum_products() does.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SECULAR_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SECULAR_H_

#include "plugins/shared/linalg/numbers.h"

namespace gpo {
namespace linalg {

// A root of the equation: d[origin] + shift.
template <class R>
struct Root {
  i64 origin;
  R shift;
};

// The sums over some poles of z^2 / (x[i] - x) and of z^2 / (x[i] - x)^2, its derivative.
template <class R>
struct PoleSums {
  R value, slope;
};

template <class R, bool squares>
struct SecularEquation {
  i64 count;
  const R *d, *z;
  R constant;

  // x[i] - x for a pole whose d is given; V is R or a vector of R.
  template <class V>
  GPO_FN V distance(V pole, R origin, R shift) const {
    if constexpr (squares) {
      return ((pole - origin) - shift) * ((pole + origin) + shift);
    } else {
      return (pole - origin) - shift;
    }
  }
  // The difference of two poles.
  GPO_FN R gap(i64 i, i64 j) const { return distance(d[i], d[j], R(0)); }
  // How much d changes if x, which is that of d, changes by `step`.
  GPO_FN R change(R at, R step) const {
    if constexpr (squares) {
      const R square = at * at + step;
      return step / (at + sqrt(larger(square, R(0))));
    } else {
      return step;
    }
  }

  GPO_FN PoleSums<R> sums(i64 first, i64 end, R origin, R shift) const {
    R value[kLanes] = {}, slope[kLanes] = {};
    i64 i = first;
#if defined(GPO_VECTOR_BYTES)
    using L = Lanes<R>;
    typename L::vector values[L::parts] = {}, slopes[L::parts] = {};
    for (; i + kLanes <= end; i += kLanes) {
      for (u64 p = 0; p < L::parts; ++p) {
        const typename L::vector pole = *reinterpret_cast<const typename L::unaligned *>(d + i + p * L::size);
        const typename L::vector weight = *reinterpret_cast<const typename L::unaligned *>(z + i + p * L::size);
        const typename L::vector ratio = weight / distance(pole, origin, shift);
        values[p] = values[p] + weight * ratio;
        slopes[p] = slopes[p] + ratio * ratio;
      }
    }
    for (u64 p = 0; p < L::parts; ++p) {
      *reinterpret_cast<typename L::unaligned *>(value + p * L::size) = values[p];
      *reinterpret_cast<typename L::unaligned *>(slope + p * L::size) = slopes[p];
    }
#endif
    for (int l = 0; i < end; ++i, l = (l + 1) % kLanes) {
      const R ratio = z[i] / distance(d[i], origin, shift);
      value[l] = value[l] + z[i] * ratio;
      slope[l] = slope[l] + ratio * ratio;
    }
    return {sum_lanes(value), sum_lanes(slope)};
  }
};

// Returns the root of c - s / (e - ...) that two poles give: that of c y^2 - a y + b which lies between them, or, if
// `behind`, behind both.
template <class R>
GPO_FN R root_of_two_poles(R c, R a, R b, bool behind) {
  if (c == R(0)) return b / a;
  const R square = a * a - R(4) * b * c;
  const R root = sqrt(larger(square, R(0)));
  if (behind) return a >= R(0) ? (a + root) / (R(2) * c) : R(2) * b / (a - root);
  return a <= R(0) ? (a - root) / (R(2) * c) : R(2) * b / (a + root);
}

// The search for root j.
template <class R, bool squares>
struct RootSearch {
  const SecularEquation<R, squares> &f;
  i64 j, split;  // the poles below `split` and those from there on are summed apart
  bool last;
  i64 origin;
  R low, high, shift;  // the root's shift is between low and high

  GPO_FN static RootSearch begin(const SecularEquation<R, squares> &f, i64 j) {
    const bool last = j + 1 == f.count;
    RootSearch s = {f, j, last ? j : j + 1, last, j, R(0), R(0), R(0)};
    if (last) {
      s.begin_last();
    } else {
      s.begin_between();
    }
    return s;
  }
  GPO_FN R middle() const { return low + (high - low) * R(0.5); }
  GPO_FN R square(i64 i) const { return f.z[i] * f.z[i]; }
  // constant + the sum over all poles but two neighbours.
  GPO_FN R others(i64 first, R at, R by) const {
    return f.constant + f.sums(0, first, at, by).value + f.sums(first + 2, f.count, at, by).value;
  }

  GPO_FN void begin_between() {
    const R whole = f.d[j + 1] - f.d[j], half = whole * R(0.5), x = f.gap(j + 1, j);
    const R c = others(j, f.d[j], half);
    const R left = square(j) / f.distance(f.d[j], f.d[j], half);
    const R right = square(j + 1) / f.distance(f.d[j + 1], f.d[j], half);
    const bool near_left = (c + left) + right > R(0);
    origin = near_left ? j : j + 1;
    low = near_left ? R(0) : -half;
    high = near_left ? half : R(0);
    const R sum = square(j) + square(j + 1);
    const R step = near_left ? root_of_two_poles(c, c * x + sum, square(j) * x, false)
                             : root_of_two_poles(c, sum - c * x, -(square(j + 1) * x), false);
    set(f.change(f.d[origin], step));
  }
  GPO_FN void begin_last() {
    R sum = R(0);
    for (i64 i = 0; i < f.count; ++i) sum = sum + square(i);
    high = f.change(f.d[j], sum / f.constant);
    high = high + high * (R(8) * unit_roundoff<R>());
    const R half = high * R(0.5);
    const R c = f.constant + f.sums(0, j, f.d[j], half).value;
    set(c > R(0) ? f.change(f.d[j], square(j) / c) : half);
  }
  // Takes a shift if it is between the bounds, or else their middle.
  GPO_FN void set(R to) { shift = to > low && to < high ? to : middle(); }

  // The step in x from sums at `shift`: by a fit of both sums, or with `fixed` by the nearer pole's own weight.
  GPO_FN R step(const PoleSums<R> &below, const PoleSums<R> &above, R value, bool fixed) const {
    const i64 left = last ? j - 1 : j;
    const R x = f.distance(f.d[left], f.d[origin], shift), y = f.distance(f.d[left + 1], f.d[origin], shift);
    const R slope = below.slope + above.slope;
    R c = (value - x * below.slope) - y * above.slope;
    if (fixed && !last) {
      const bool near_left = origin == j;
      const R ratio = near_left ? f.z[left] / x : f.z[left + 1] / y, gap = f.gap(left + 1, left);
      c = near_left ? value - y * slope + gap * ratio * ratio : value - x * slope - gap * ratio * ratio;
    }
    const R by = root_of_two_poles(c, (x + y) * value - x * y * slope, x * y * value, last);
    return value * by < R(0) ? by : -value / slope;
  }
  GPO_FN Root<R> find() {
    R before = inf<R>();
    bool fixed = true, halve = false;
    for (int left = 100; left > 0; --left) {
      const R at = f.d[origin];
      const PoleSums<R> below = f.sums(0, split, at, shift), above = f.sums(split, f.count, at, shift);
      const R value = (f.constant + below.value) + above.value, size = abs(value);
      const R slope = below.slope + above.slope;
      const R reach = squares ? shift * (R(2) * at + shift) : shift;
      const R bound = (f.constant + R(8) * (abs(below.value) + abs(above.value))) + abs(reach) * slope;
      if (isfinite(bound) && !(size > unit_roundoff<R>() * bound)) break;
      (value < R(0) ? low : high) = shift;
      const bool slow = size * R(10) > before;
      halve = slow && !fixed && !halve;
      if (slow) fixed = !fixed;
      before = size;
      const R old = shift;
      const R to =
          halve || !isfinite(bound) ? middle() : shift + f.change(at + shift, step(below, above, value, fixed));
      set(to);
      if (shift == old || !(shift > low && shift < high)) break;
    }
    return {origin, shift};
  }
};

// Returns root j.
template <class R, bool squares>
GPO_LONG Root<R> find_root(const SecularEquation<R, squares> &f, i64 j) {
  if (f.count == 1) return {0, f.change(f.d[0], f.z[0] * f.z[0] / f.constant)};
  return RootSearch<R, squares>::begin(f, j).find();
}

// Multiplies the elements [first, end) of `square` by (x[i] - root) / (x[i] - x[j]), of which the distances from the
// root are given; element `own`, whose pole is x[j], by the distance alone. The poles' d come in any order.
template <class R, bool squares>
GPO_LONG void multiply_ratios(const SecularEquation<R, squares> &f, const R *d, i64 first, i64 end, i64 own, i64 j,
                              const R *distances, R *__restrict square) {
  const R pole = f.d[j];
  const i64 before = own < first ? first : own < end ? own : end, behind = own + 1 > first ? own + 1 : first;
  for (i64 i = first; i < before; ++i) square[i] = square[i] * (distances[i] / f.distance(d[i], pole, R(0)));
  if (own >= first && own < end) square[own] = square[own] * distances[own];
  for (i64 i = behind; i < end; ++i) square[i] = square[i] * (distances[i] / f.distance(d[i], pole, R(0)));
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SECULAR_H_

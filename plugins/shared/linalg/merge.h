// plugins/shared/linalg/merge.h -- two parts of a matrix that become one, in divide and conquer
//
// In the basis of the vectors of both parts, the matrix is a diagonal matrix and a matrix of rank one, rho z z^T (or,
// for singular values, a diagonal matrix whose first row is z), so that its eigenvalues are the roots of a secular
// equation (secular.h). Where a component of z is negligible, or two eigenvalues are so near to each other that a
// rotation makes one negligible, a vector stays as it is; all others are products of matrices (J. Cuppen, "A divide and
// conquer method for the symmetric tridiagonal eigenproblem", 1981; J. Dongarra, D. Sorensen, "A fully parallel
// algorithm for the symmetric eigenvalue problem", 1987). Vectors of one part alone and of both parts are kept apart,
// as in LAPACK's laed2, so that no zeros are multiplied.
//
// The order of all operations follows from the size and the numbers of the matrix alone. Without vectors the same is
// computed for the first and the last row of each part, which z consists of: values are the same to the bit.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_MERGE_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_MERGE_H_

#include "plugins/shared/linalg/blocks.h"
#include "plugins/shared/linalg/reflections.h"
#include "plugins/shared/linalg/secular.h"

namespace gpo {
namespace linalg {

// Memory for the merges of n columns.
template <class R>
struct MergeWork {
  R *packed, *s;                         // n * n elements each
  R *z, *poles, *weights, *own, *other;  // n each
  i32 *order;                            // n each: the columns by ascending values
  i32 *kept, *dropped, *kind, *row, *next;

  // The part for the columns from `first` on.
  GPO_FN MergeWork from(i64 first, i64 n) const {
    return {packed + first * n, s + first * n, z + first,     poles + first, weights + first,
            own + first,        other + first, order + first, kept + first,  dropped + first,
            kind + first,       row + first,   next + first};
  }
};
template <class R>
GPO_FN i64 merge_work(i64 n) {
  return 2 * n * n + 11 * n;
}
template <class R>
GPO_FN MergeWork<R> make_merge_work(i64 n, R *work) {
  R *const z = work + 2 * n * n;
  i32 *const order = reinterpret_cast<i32 *>(z + 5 * n);
  return {work,         work + n * n, z,         z + n,         z + 2 * n,     z + 3 * n,
          z + 4 * n,    order,        order + n, order + 2 * n, order + 3 * n, order + 4 * n,
          order + 5 * n};
}

// How many leaves a matrix has of which none is larger than `leaf`: a power of two.
GPO_FN i64 leaves_of(i64 n, i64 leaf) {
  i64 leaves = 1;
  while (n > leaves * leaf) leaves *= 2;
  return leaves;
}

// Calls f(i) for i < total, so many at a time that a task has some thousands of elements.
template <class Run, class F>
GPO_FN void in_chunks(i64 total, i64 elements, const Run &run, const F &f) {
  const i64 chunk = 1 + 16384 / (elements + 1);
  run((total + chunk - 1) / chunk, [=](i64 task) {
    const i64 end = (task + 1) * chunk < total ? (task + 1) * chunk : total;
    for (i64 i = task * chunk; i < end; ++i) f(i);
  });
}

// Writes the numbers of two ascending sequences of d in ascending order: those of order[first..middle), and those of
// order[second..count), to which `offset` is added.
template <class R>
GPO_LONG i64 merge_orders(i64 middle, i64 second, i64 count, const R *d, const i32 *order, i32 offset, i32 *to) {
  i64 i = 0, j = second, written = 0;
  while (i < middle || j < count) {
    const bool first = j == count || (i < middle && !(d[order[j] + offset] < d[order[i]]));
    to[written++] = first ? order[i++] : order[j++] + offset;
  }
  return written;
}
// Sorts the numbers of elements that are nearly in order.
template <class R>
GPO_LONG void insert_in_order(i64 count, const R *d, i32 *order) {
  for (i64 i = 1; i < count; ++i) {
    const i32 moved = order[i];
    i64 at = i;
    for (; at > 0 && d[moved] < d[order[at - 1]]; --at) order[at] = order[at - 1];
    order[at] = moved;
  }
}

// The vectors of one side. A column has `upper` rows of the first part, followed by `lower` rows of the second one;
// `step` leads to the next column. Without vectors both numbers are 1. q is null if a side is not wanted.
template <class R>
struct MergeSide {
  R *q;
  i64 upper, lower, step;
  GPO_FN R *column(i64 c) const { return q + c * step; }
  GPO_FN i64 rows() const { return upper + lower; }
};

// Which rows of a column are not 0: those of the upper part, of both, or of the lower part.
inline constexpr i32 kUpper = 0, kWhole = 1, kLower = 2;

// Two neighbouring parts. All arrays begin at the first part's first column. With `squares`, values are singular
// values, and there is a column between the parts, number first_size, whose value is 0 and which is always kept.
template <class R, bool squares>
struct Merge {
  i64 first_size, size;
  R *d;
  MergeSide<R> right, left;
  MergeWork<R> w;
  R rho;                                              // 1 with `squares`
  int exponent = 0;                                   // that was taken from d
  i64 count = 0, uppers = 0, wholes = 0, lowers = 0;  // of the columns that are kept
  bool vanishes = false;                              // whether the least singular value is 0

  static constexpr i64 between = squares ? 1 : 0;

  // Multiplies d by a power of two, so that the largest of it and `most` is about 1. Returns the exponent.
  GPO_FN int scale(R most) {
    for (i64 c = 0; c < size; ++c) most = larger(most, abs(d[c]));
    exponent = most == R(0) ? 0 : math::split(most).e;
    for (i64 c = 0; c < size; ++c) d[c] = times_power(d[c], -exponent);
    return exponent;
  }
  // What is below it is negligible.
  GPO_FN static R tolerance() { return R(16) * unit_roundoff<R>(); }
  // The least z of the column between the parts, and the least value of another one: vectors have components of up to
  // 8 / least()^3 before they get their length, whose squares do not overflow. Where one of both would be less, the
  // least singular value is taken for 0.
  GPO_FN static R least() {
    const R least = power_of_two<R>(-fp<R>::bias / 8);
    return least < tolerance() ? least : tolerance();
  }

  // Rotates two columns so that the first one's component of z becomes 0 if that changes the matrix by no more than
  // the tolerance.
  GPO_FN bool is_rotated_away(i32 first, i32 second) {
    const R length = math::hypot(w.z[first], w.z[second]), gap = d[second] - d[first];
    const R c = w.z[second] / length, s = -(w.z[first] / length);
    if (!(abs(gap * c * s) <= tolerance())) return false;
    w.z[second] = length;
    w.z[first] = R(0);
    rotate(right.rows(), c, s, right.column(first), right.column(second));
    if (left.q) rotate(left.rows(), c, s, left.column(first), left.column(second));
    const R x = d[first], y = d[second];
    d[first] = x * (c * c) + y * (s * s);
    d[second] = x * (s * s) + y * (c * c);
    if (w.kind[first] != w.kind[second]) w.kind[first] = w.kind[second] = kWhole;
    return true;
  }
  // Decides which columns stay as they are.
  GPO_FN void deflate() {
    for (i64 c = 0; c < size; ++c) w.kind[c] = c < first_size ? kUpper : kLower;
    const i64 sorted =
        merge_orders(first_size, first_size + between, size, d, w.order, i32(first_size + between), w.next);
    i64 dropped = 0;
    i32 waiting = -1;
    if constexpr (squares) {
      const i32 middle = i32(first_size);
      w.kind[middle] = kWhole;
      vanishes = !(abs(w.z[middle]) > least());
      if (vanishes) w.z[middle] = least();
      w.kept[count++] = middle;
    }
    for (i64 i = 0; i < sorted; ++i) {
      const i32 c = w.next[i];
      if (!(rho * abs(w.z[c]) > tolerance())) {
        w.dropped[dropped++] = c;
        continue;
      }
      if (waiting >= 0 && is_rotated_away(waiting, c)) {
        w.dropped[dropped++] = waiting;
      } else if (waiting >= 0) {
        w.kept[count++] = waiting;
      }
      waiting = c;
    }
    if (waiting >= 0) w.kept[count++] = waiting;
    insert_in_order(dropped, d, w.dropped);
    if (squares && count > 1 && !(d[w.kept[1]] > least())) {
      vanishes = true;
      d[w.kept[1]] = least();
    }
  }
  // Gives each kept column a row of s: first come those of the upper part, then whole ones, then those of the lower.
  GPO_FN void arrange() {
    i64 of_kind[3] = {0, 0, 0};
    for (i64 p = 0; p < count; ++p) ++of_kind[w.kind[w.kept[p]]];
    uppers = of_kind[kUpper];
    wholes = of_kind[kWhole];
    lowers = of_kind[kLower];
    i64 at[3] = {0, uppers, uppers + wholes};
    for (i64 p = 0; p < count; ++p) {
      const i32 c = w.kept[p];
      const i64 row = at[w.kind[c]]++;
      w.row[p] = i32(row);
      w.poles[p] = d[c];
      w.weights[p] = w.z[c];
      w.own[row] = d[c];
    }
  }

  // Finds the values of the kept part, and writes its right vectors to s, each row where it belongs.
  template <class Run>
  GPO_FN void solve(const Run &run) const {
    const i64 k = count;
    const SecularEquation<R, squares> f = {k, w.poles, w.weights, R(1) / rho};
    R *const s = w.s, *const roots = w.other, *const own = w.own, *const square = w.z;
    const i32 *const row = w.row;
    in_chunks(k, 8 * k, run, [=](i64 j) {
      const Root<R> root = find_root(f, j);
      const R origin = f.d[root.origin];
      R *const to = s + j * k;
      for (i64 r = 0; r < k; ++r) to[r] = f.distance(own[r], origin, root.shift);
      roots[j] = origin + root.shift;
    });
    constexpr i64 rows = 64;  // in a task
    run((k + rows - 1) / rows, [=](i64 task) {
      const i64 first = task * rows, end = first + rows < k ? first + rows : k;
      fill(end - first, R(1), square + first);
      for (i64 j = 0; j < k; ++j) multiply_ratios(f, own, first, end, i64(row[j]), j, s + j * k, square);
      for (i64 r = first; r < end; ++r) square[r] = sqrt(abs(square[r]));
    });
    for (i64 p = 0; p < k; ++p) square[row[p]] = copysign(square[row[p]], f.z[p]);
    R *const lengths = w.weights;
    in_chunks(k, k, run, [=](i64 j) {
      R *const x = s + j * k;
      for (i64 r = 0; r < k; ++r) x[r] = square[r] / x[r];
      lengths[j] = R(1) / sqrt(sum_products(k, x, x));
      scale_column(k, lengths[j], x);
    });
  }
  // Replaces s by left singular vectors: (-1, d v) for a right vector v whose length is not yet 1.
  template <class Run>
  GPO_FN void turn_left(const Run &run) const {
    const i64 k = count, middle = w.row[0];
    R *const s = w.s;
    const R *const own = w.own, *const lengths = w.weights;
    in_chunks(k, k, run, [=](i64 j) {
      R *const x = s + j * k;
      for (i64 r = 0; r < k; ++r) x[r] = x[r] * own[r];
      x[middle] = -lengths[j];
      scale_column(k, R(1) / sqrt(sum_products(k, x, x)), x);
    });
  }

  // Replaces the columns of a side by new ones: kept ones first. `packed` has the upper rows of the columns that have
  // them, the lower ones, and the columns that are not kept.
  template <class Run>
  GPO_FN void combine(const MergeSide<R> &side, const Run &run) const {
    const i64 k = count, rows = side.rows(), above = uppers + wholes, below = wholes + lowers;
    const View<R> upper = view_of(w.packed, side.upper, above);
    const View<R> lower = view_of(w.packed + side.upper * above, side.lower, below);
    R *const rest = lower.data + side.lower * below;
    const i32 *const row = w.row, *const kept = w.kept, *const dropped = w.dropped;
    const i64 first_lower = uppers;
    in_chunks(size, rows, run, [=](i64 i) {
      if (i >= k) return copy(rows, side.column(dropped[i - k]), rest + (i - k) * rows);
      const R *const from = side.column(kept[i]);
      if (row[i] < above) copy(side.upper, from, &upper.at(0, row[i]));
      if (row[i] >= first_lower) copy(side.lower, from + side.upper, &lower.at(0, row[i] - first_lower));
    });
    in_chunks(size, rows, run, [=](i64 i) {
      if (i < k) return fill(rows, R(0), side.column(i));
      copy(rows, rest + (i - k) * rows, side.column(i));
    });
    if (k == 0) return;
    const View<R> all = {side.q, rows, size, 1, side.step}, s = view_of(w.s, k, k);
    if (above) run.add_product(all.block(0, 0, side.upper, k), upper, s.block(0, 0, above, k), Terms{false, false});
    if (below) {
      run.add_product(all.block(side.upper, 0, side.lower, k), lower, s.block(first_lower, 0, below, k),
                      Terms{false, false});
    }
  }
  // Writes the values of the new columns, and their order.
  GPO_FN void finish() const {
    for (i64 i = count; i < size; ++i) w.poles[i] = d[w.dropped[i - count]];
    copy(count, w.other, w.poles);
    if (vanishes) w.poles[0] = R(0);
    for (i64 i = 0; i < size; ++i) {
      d[i] = times_power(w.poles[i], exponent);
      w.kept[i] = i32(i);
    }
    merge_orders(count, count, size, d, w.kept, i32(0), w.order);
  }

  // What remains when z, d and rho are there.
  template <class Run>
  GPO_FN void run_all(const Run &run) {
    deflate();
    arrange();
    if (count) solve(run);
    combine(right, run);
    if (left.q) {
      turn_left(run);
      combine(left, run);
    }
    finish();
  }
};

// Merges nodes of a binary tree of `leaves` leaves: merge(first leaf, leaves of one part, run).
template <class Run, class F>
GPO_FN void merge_tree(i64 leaves, const Run &run, const F &merge) {
  for (i64 width = 1; width < leaves; width *= 2) {
    const i64 nodes = leaves / (2 * width);
    if (nodes >= 4) {
      run(nodes, [=, &run](i64 node) { merge(2 * width * node, width, run); });
    } else {
      for (i64 node = 0; node < nodes; ++node) merge(2 * width * node, width, run);
    }
  }
}

// Solves the problems of all leaves and merges them; `parts` has `leaves`, `w`, conquer() and merge(). Returns whether
// there is an answer.
template <class Parts, class Run>
GPO_FN bool conquer_and_merge(const Parts &parts, const Run &run) {
  run(parts.leaves, [=](i64 part) { parts.w.next[part] = parts.conquer(part); });
  for (i64 part = 0; part < parts.leaves; ++part) {
    if (!parts.w.next[part]) return false;
  }
  merge_tree(parts.leaves, run, [=](i64 part, i64 width, const Run &r) { parts.merge(part, width, r); });
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_MERGE_H_

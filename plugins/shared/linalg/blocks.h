// plugins/shared/linalg/blocks.h -- parts of matrices, products of them, and the order in which blocks are computed
//
// Factorizations come in blocks, so that nearly all of their arithmetic is in products of matrices. A product that is
// added to a matrix has the order of sums of plugins/shared/product_shape.h: the terms of an element are cut into
// blocks of product_block steps, each of which is a chain of fused multiply-adds from +0 on, and the blocks' sums are
// added to the element in their order. Every backend may compute that in its own way, on any number of threads.
//
// Algorithms take a runner, which has two members: run(count, f) calls f(i) for all i < count, in any order or at the
// same time, and run.add_product(c, a, b, terms) adds a product. InOrder is the definition of both.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_BLOCKS_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_BLOCKS_H_

#include "plugins/shared/linalg/numbers.h"
#include "plugins/shared/product_shape.h"

namespace gpo {
namespace linalg {

// A matrix in memory: element (i, j) is at data[i * row + j * column].
template <class T>
struct View {
  T *data;
  i64 rows, columns, row, column;

  GPO_FN T &at(i64 i, i64 j) const { return data[i * row + j * column]; }
  GPO_FN View block(i64 i, i64 j, i64 m, i64 n) const { return {data + i * row + j * column, m, n, row, column}; }
  GPO_FN View transposed() const { return {data, columns, rows, column, row}; }
};
// A matrix of m rows and n columns in column-major order without gaps.
template <class T>
GPO_FN View<T> view_of(T *a, i64 m, i64 n) {
  return {a, m, n, 1, m};
}

// What is added: the product a b, negated if `negative`, with the conjugates of a's elements if `conjugated`.
struct Terms {
  bool negative, conjugated;
};

// Returns the sum of the terms [first, end) of element (i, j).
template <class R>
GPO_LONG R sum_of_block(const View<R> &a, const View<R> &b, i64 i, i64 j, i64 first, i64 end, Terms terms) {
  R sum = R(0);
  for (i64 k = first; k < end; ++k) sum = fma(terms.negative ? -a.at(i, k) : a.at(i, k), b.at(k, j), sum);
  return sum;
}
template <class R>
GPO_LONG cplx<R> sum_of_block(const View<cplx<R>> &a, const View<cplx<R>> &b, i64 i, i64 j, i64 first, i64 end,
                              Terms terms) {
  cplx<R> sum = {R(0), R(0)};
  for (i64 k = first; k < end; ++k) {
    const cplx<R> y = b.at(k, j);
    cplx<R> x = terms.conjugated ? conj(a.at(i, k)) : a.at(i, k);
    if (terms.negative) x = negative(x);
    sum.re = fma(-x.im, y.im, fma(x.re, y.re, sum.re));
    sum.im = fma(x.im, y.re, fma(x.re, y.im, sum.im));
  }
  return sum;
}

// The runner of backends without threads, and the definition of all others.
struct InOrder {
  template <class F>
  GPO_FN void operator()(i64 count, F f) const {
    for (i64 i = 0; i < count; ++i) f(i);
  }
  // c += a b as `terms` says. c overlaps neither a nor b.
  template <class T>
  GPO_FN void add_product(const View<T> &c, const View<T> &a, const View<T> &b, Terms terms) const {
    constexpr i64 block = product_block / components<T>;
    for (i64 j = 0; j < c.columns; ++j) {
      for (i64 i = 0; i < c.rows; ++i) {
        for (i64 first = 0; first < a.columns; first += block) {
          const i64 end = first + block < a.columns ? first + block : a.columns;
          c.at(i, j) = add(c.at(i, j), sum_of_block(a, b, i, j, first, end, terms));
        }
      }
    }
  }
};

// Rows or columns are taken in blocks of this size, the last of which may be smaller. Within a block, columns are
// computed one by one.
inline constexpr i64 kBlock = 8;

// Halves of halves, without recursion (for the idea: S. Toledo, "Locality of reference in LU decomposition with partial
// pivoting", 1997). The numbers below `count` are cut in blocks, and 1, 2, 4, ... neighbouring blocks make up nodes of
// a binary tree. Calls base(first, end) for each block in order; before the first block of the right half of a node,
// update(first, middle, end), where the left half is [first, middle), and after the last one of the right half,
// merge(first, middle, end). What is beyond `count` is missing: right halves may be shorter than left ones, and where
// they are missing there is no node.
template <class Base, class Update, class Merge>
GPO_FN void for_halves(i64 count, const Base &base, const Update &update, const Merge &merge) {
  for (i64 at = 0; at < count; at += kBlock) {
    if (at > 0) {
      const i64 half = at & -at;
      update(at - half, at, at + half < count ? at + half : count);
    }
    const i64 end = at + kBlock < count ? at + kBlock : count;
    base(at, end);
    const i64 done = at + kBlock;  // nodes that end here, or, after the last block, beyond it
    for (i64 half = kBlock; half < done; half *= 2) {
      const i64 middle = (done - 1) / (2 * half) * (2 * half) + half, stop = middle + half;
      if (middle < done && (stop == done || (end == count && stop > done))) merge(middle - half, middle, end);
    }
  }
}
struct NoMerge {
  GPO_FN void operator()(i64, i64, i64) const {}
};

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_BLOCKS_H_

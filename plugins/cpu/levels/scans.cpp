// plugins/cpu/levels/scans.cpp -- loops: scans inside a chunk, along rows and down columns.
#include "plugins/cpu/levels/level.h"
#include "plugins/shared/ops/reduce_ops.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kLanes = GPUOPT_LANES;

// Blocks that are scanned side by side, since each is a chain of operations that wait for one another.
constexpr int kChains = 4;

// Scans kCount blocks of `length` elements, at most kLanes, which lie one behind the other.
template <class Op, int kCount, class A, class T>
GPO_FN void scan_blocks(A *out, const T *x, int64_t length) {
  A s[static_cast<size_t>(kCount)];
  for (int b = 0; b < kCount; b++) out[b * kLanes] = s[b] = Op::template lift<A>(x[b * kLanes], 0);
  for (int64_t i = 1; i < length; i++) {
#pragma GCC unroll 8
    for (int b = 0; b < kCount; b++) {
      out[b * kLanes + i] = s[b] = Op::combine(s[b], Op::template lift<A>(x[b * kLanes + i], 0));
    }
  }
}

template <class Op, class A>
GPO_FN void put_before(A *out, A prefix, int64_t length) {
  for (int64_t i = 0; i < length; i++) out[i] = Op::combine(prefix, out[i]);
}

// Puts what comes before it in front of a block that is scanned, and stores it. `total` is the combination of the
// chunk's blocks before, and becomes that of this one, too.
template <class Op, class A>
GPO_FN void finish_block(A *out, A *block, int64_t length, bool is_first, A &total, const A *carry) {
  const A block_total = block[length - 1];
  if (!is_first) put_before<Op>(block, total, length);
  total = is_first ? block_total : Op::combine(total, block_total);
  if (carry) put_before<Op>(block, *carry, length);
  for (int64_t l = 0; l < length; l++) out[l] = block[l];
}

// Scans one chunk, and returns its total without `carry`. Blocks are computed in a local array, because the result may
// overwrite the source.
template <class Op, class A, class T>
GPO_FN A scan_chunk(A *out, const T *x, int64_t length, const A *carry) {
  constexpr int64_t together = kChains * kLanes;
  A total = A(), blocks[size_t{together}];
  int64_t i = 0;
  for (; i + together <= length; i += together) {
    scan_blocks<Op, kChains>(blocks, x + i, kLanes);
    for (int64_t b = 0; b < together; b += kLanes) {
      finish_block<Op>(out + i + b, blocks + b, kLanes, i + b == 0, total, carry);
    }
  }
  for (; i < length; i += kLanes) {
    const int64_t count = length - i < kLanes ? length - i : kLanes;
    scan_blocks<Op, 1>(blocks, x + i, count);
    finish_block<Op>(out + i, blocks, count, i == 0, total, carry);
  }
  return total;
}

template <class Op, class T>
void scan_rows(void *out, void *totals, const void *source, int64_t nrows, int64_t length, const void *carry) {
  using A = typename Op::template accumulator<T>;
  A *y = static_cast<A *>(out);
  const T *x = static_cast<const T *>(source);
  for (int64_t r = 0; r < nrows; r++, x += length, y += length) {
    static_cast<A *>(totals)[r] = scan_chunk<Op>(y, x, length, static_cast<const A *>(carry));
  }
}

template <class Op, class A>
GPO_FN void combine_row(A *acc, const A *later, int64_t n) {
  GPUOPT_INDEPENDENT
  for (int64_t i = 0; i < n; i++) acc[i] = Op::combine(acc[i], later[i]);
}

// Scans one row of elements, each of another sequence, at position `index` of their chunks.
template <class Op, class A, class T>
GPO_FN void scan_across(A *out, A *block, A *prefix, const T *x, int64_t n, int64_t index, const A *carry) {
  const bool starts_block = index % kLanes == 0;
  if (starts_block && index == kLanes) __builtin_memcpy(prefix, block, static_cast<size_t>(n) * sizeof(A));
  if (starts_block && index > kLanes) combine_row<Op>(prefix, block, n);
  GPUOPT_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    const A element = Op::template lift<A>(x[i], 0);
    block[i] = starts_block ? element : Op::combine(block[i], element);
  }
  GPUOPT_INDEPENDENT
  for (int64_t i = 0; i < n; i++) out[i] = index < kLanes ? block[i] : Op::combine(prefix[i], block[i]);
  if (!carry) return;
  GPUOPT_INDEPENDENT
  for (int64_t i = 0; i < n; i++) out[i] = Op::combine(carry[i], out[i]);
}

template <class Op, class T>
void scan_columns(void *out, void *block, void *prefix, const void *source, int64_t nrows, int64_t ncolumns,
                  int64_t index, const void *carry) {
  using A = typename Op::template accumulator<T>;
  A *y = static_cast<A *>(out);
  const T *x = static_cast<const T *>(source);
  for (int64_t r = 0; r < nrows; r++, x += ncolumns, y += ncolumns) {
    scan_across<Op>(y, static_cast<A *>(block), static_cast<A *>(prefix), x, ncolumns, index + r,
                    static_cast<const A *>(carry));
  }
}

template <class Op, class A>
void combine(void *acc, const void *later, int64_t n) {
  combine_row<Op>(static_cast<A *>(acc), static_cast<const A *>(later), n);
}

template <class Op, int kScan, class Kinds, class... T>
void install_scan(LoopTable &table, Kinds, Types<T...>) {
  const auto install_type = [&]<class U>(Types<U>) {
    if constexpr (lists_kind(Kinds()(), kind_of<U>)) {
      using A = typename Op::template accumulator<U>;
      table.scan[kScan][dtype_of<U>] = {scan_rows<Op, U>, scan_columns<Op, U>, combine<Op, A>, sizeof(A), dtype_of<A>};
    }
  };
  (install_type(Types<T>()), ...);
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(scans) {
#define GPUOPT_SCAN(name, kinds, result, doc)          \
  install_scan<gpo::reduce::name, GPUOPT_SCAN_##name>( \
      table, [] { return kinds; }, LoopTypes());
#include "gpuopt/ops.def"
}

// plugins/cpu/levels/scans.cpp -- loops: scans inside a chunk, along rows and down columns.
#include "plugins/cpu/levels/level.h"
#include "plugins/shared/ops/reduce_ops.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kLanes = GPUOPT_LANES;

// Scans one block of up to kLanes elements. Returns the block's total.
template <class Op, class A, class T>
GPO_FN A scan_block(A *out, const T *x, int64_t length) {
  A s = Op::template lift<A>(x[0], 0);
  out[0] = s;
  for (int64_t i = 1; i < length; i++) out[i] = s = Op::combine(s, Op::template lift<A>(x[i], 0));
  return s;
}

template <class Op, class A>
GPO_FN void put_before(A *out, A prefix, int64_t length) {
  for (int64_t i = 0; i < length; i++) out[i] = Op::combine(prefix, out[i]);
}

// Scans one chunk, and returns its total without `carry`. Each block is computed in a local array, because the result
// may overwrite the source.
template <class Op, class A, class T>
GPO_FN A scan_chunk(A *out, const T *x, int64_t length, const A *carry) {
  A total = A();
  for (int64_t i = 0; i < length; i += kLanes) {
    const int64_t count = length - i < kLanes ? length - i : kLanes;
    A block[kLanes];
    const A block_total = scan_block<Op>(block, x + i, count);
    if (i > 0) put_before<Op>(block, total, count);
    total = i > 0 ? Op::combine(total, block_total) : block_total;
    if (carry) put_before<Op>(block, *carry, count);
    for (int64_t l = 0; l < count; l++) out[i + l] = block[l];
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

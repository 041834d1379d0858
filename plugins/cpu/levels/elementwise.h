// plugins/cpu/levels/elementwise.h -- elementwise loops over the scalar definitions of plugins/shared/ops.
#pragma once

#include "plugins/cpu/levels/level.h"
#include "plugins/cpu/levels/power_loop.h"
#include "plugins/shared/ops/scalar_ops.h"
#include "plugins/shared/program/op_table.h"

namespace gpuopt::cpu {
namespace {

// The number of elements in a block: 256 bytes, eight vectors of 32 bytes. GCC still unrolls a loop of that length
// completely.
template <class T>
constexpr int kBlock = 256 / sizeof(T);

// The sources of a loop: Tile is an array with a value for each element, and Scalar one value for all elements.
template <class T>
struct Tile {
  using value_type = T;
  const T *values;
  GPO_FN T operator[](int64_t i) const {
    if constexpr (gpo::is_bool<T>) {
      return reinterpret_cast<const gpo::u8 *>(values)[i] != 0;  // GCC does not vectorize loads of bool
    } else {
      return values[i];
    }
  }
  GPO_FN Tile from(int64_t i) const { return {values + i}; }
  // Returns a block that begins with the `count` elements from i on and repeats the last of them, stored in `room`.
  GPO_FN Tile padded(int64_t i, int64_t count, T *room) const {
    for (int64_t j = 0; j < kBlock<T>; j++) room[j] = values[i + (j < count ? j : count - 1)];
    return {room};
  }
};
template <class T>
struct Scalar {
  using value_type = T;
  T value;
  GPO_FN T operator[](int64_t) const { return value; }
  GPO_FN Scalar from(int64_t) const { return *this; }
  GPO_FN Scalar padded(int64_t, int64_t, T *) const { return *this; }
};

template <class T>
GPO_FN Tile<T> tile(const void *memory) {
  return {static_cast<const T *>(memory)};
}
template <class T>
GPO_FN Scalar<T> scalar(const void *memory) {
  return {*static_cast<const T *>(memory)};
}

template <class T, int kSize>
struct Room {
  T values[static_cast<size_t>(kSize)];
};

// Computes one block: the fast path for all elements, which vectorizes, and then the slow path for those that need it
// (plugins/shared/ops/op.h). Results go to a local array first, because they may overwrite a source that the slow path
// reads again.
template <class Op, class T, class R, class... Source>
GPO_FN void hard_block(R *out, Source... x) {
  using Flag = gpo::uint_of<gpo::real_of<T>>;
  R result[kBlock<T>];
  Flag any = 0;
  for (int j = 0; j < kBlock<T>; j++) {
    result[j] = Op::apply_easy(x[j]...);
    any |= Flag(Op::hard(x[j]...));
  }
  if (__builtin_expect(any != 0, 0)) {
    for (int j = 0; j < kBlock<T>; j++) {
      if constexpr (Op::template redoes_all<T>) {
        result[j] = Op::apply(x[j]...);
      } else if (Op::hard(x[j]...)) {
        result[j] = Op::apply_hard(x[j]...);
      }
    }
  }
  __builtin_memcpy(out, result, sizeof(result));
}

// Computes n elements; n is a multiple of kBlock<T>.
template <class Op, class T, class R, class... Source>
__attribute__((noinline)) void whole_blocks(R *out, int64_t n, Source... x) {
  if constexpr (gpo::is_same<Op, gpo::ops::pow> && gpo::is_same<T, double>) {
    constexpr int kSize = kBlock<T>;
    int64_t i = 0;
    for (; i + 2 * kSize <= n; i += 2 * kSize) power_block<2 * kSize>(out + i, x.from(i)...);
    if (i < n) power_block<kSize>(out + i, x.from(i)...);
  } else if constexpr (Op::template has_hard<T>) {
    for (int64_t i = 0; i < n; i += kBlock<T>) hard_block<Op, T>(out + i, x.from(i)...);
  } else {
    n &= -kBlock<T>;  // tells the compiler so
    GPUOPT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = Op::apply(x[i]...);
  }
}

// Computes n elements in whole blocks, of which the last one is padded. The long body of such a loop is thus compiled
// once, and not again for remainders.
template <class Op, class T, class R, class... Source>
GPO_FN void blocked_loop(R *out, int64_t n, Source... x) {
  const int64_t whole = n & -kBlock<T>, rest = n - whole;
  if (whole > 0) whole_blocks<Op, T>(out, whole, x...);
  if (rest == 0) return;
  Room<R, kBlock<T>> result;
  const auto last = [&](Room<typename Source::value_type, kBlock<T>>... room) {
    whole_blocks<Op, T>(result.values, kBlock<T>, x.padded(whole, rest, room.values)...);
  };
  last(Room<typename Source::value_type, kBlock<T>>()...);
  for (int64_t j = 0; j < rest; j++) out[whole + j] = result.values[j];
}

template <class Op, class T, bool kBlocked, class R, class... Source>
GPO_FN void run_loop(R *out, int64_t n, Source... x) {
  if constexpr (kBlocked || Op::template has_hard<T>) {
    blocked_loop<Op, T>(out, n, x...);
  } else {
    GPUOPT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = Op::apply(x[i]...);
  }
}

// The functions in the table.
template <class Op, class T, bool kBlocked>
void unary(void *out, const void *a, const void *, const void *, int64_t n) {
  using R = decltype(Op::apply(T()));
  run_loop<Op, T, kBlocked>(static_cast<R *>(out), n, tile<T>(a));
}
template <class Op, class T, bool kBlocked>
void binary(void *out, const void *a, const void *b, const void *, int64_t n) {
  using R = decltype(Op::apply(T(), T()));
  run_loop<Op, T, kBlocked>(static_cast<R *>(out), n, tile<T>(a), tile<T>(b));
}
template <class Op, class T>
void binary_scalar_b(void *out, const void *a, const void *b, const void *, int64_t n) {
  using R = decltype(Op::apply(T(), T()));
  run_loop<Op, T, false>(static_cast<R *>(out), n, tile<T>(a), scalar<T>(b));
}
template <class Op, class T>
void binary_scalar_a(void *out, const void *a, const void *b, const void *, int64_t n) {
  using R = decltype(Op::apply(T(), T()));
  run_loop<Op, T, false>(static_cast<R *>(out), n, scalar<T>(a), tile<T>(b));
}
template <class Op, class T, bool kBlocked>
void ternary(void *out, const void *a, const void *b, const void *c, int64_t n) {
  run_loop<Op, T, kBlocked>(static_cast<T *>(out), n, tile<T>(a), tile<T>(b), tile<T>(c));
}
template <class T>
void select(void *out, const void *a, const void *b, const void *c, int64_t n) {
  run_loop<gpo::ops::where, T, false>(static_cast<T *>(out), n, tile<bool>(a), tile<T>(b), tile<T>(c));
}

// Returns whether the operation has loops that take a single element: those so cheap that reading a tile of equal
// values would take about as long as the operation.
template <class Op, class T>
constexpr bool has_scalar_forms() {
  using namespace gpo;
  const bool cheap = is_same<Op, ops::add> || is_same<Op, ops::subtract> || is_same<Op, ops::multiply> ||
                     is_same<Op, ops::divide> || is_same<Op, ops::maximum> || is_same<Op, ops::minimum> ||
                     is_same<Op, ops::equal> || is_same<Op, ops::not_equal> || is_same<Op, ops::less> ||
                     is_same<Op, ops::less_equal> || is_same<Op, ops::greater> || is_same<Op, ops::greater_equal>;
  return cheap && (is_float<T> || is_same<T, i32> || is_same<T, i64>);
}

// Returns whether the operation has a loop for T. Of 16-bit floats only nextafter has one, since their neighbours are
// not those of float32.
template <class Op, class T>
constexpr bool has_loop(const char *kinds) {
  if (gpo::is_half<T>) return gpo::is_same<Op, gpo::ops::nextafter>;
  return lists_kind(kinds, kind_of<T>);
}

template <class Op, class T, int kArity, bool kBlocked>
void set_loops(ElementwiseLoops &loops, uint8_t &result) {
  constexpr bool blocked = kBlocked && gpo::is_float<T>;  // complex functions are called for each element
  if constexpr (gpo::is_same<Op, gpo::ops::where>) {
    loops.vector = select<T>;
    result = dtype_of<T>;
  } else if constexpr (kArity == 1) {
    loops.vector = unary<Op, T, blocked>;
    result = dtype_of<decltype(Op::apply(T()))>;
  } else if constexpr (kArity == 2) {
    loops.vector = binary<Op, T, blocked>;
    result = dtype_of<decltype(Op::apply(T(), T()))>;
    if constexpr (has_scalar_forms<Op, T>()) {
      loops.scalar_b = binary_scalar_b<Op, T>;
      loops.scalar_a = binary_scalar_a<Op, T>;
    }
  } else {
    loops.vector = ternary<Op, T, blocked>;
    result = dtype_of<T>;
  }
}

template <class Op, int kOp, int kArity, bool kBlocked, class Kinds, class... T>
void install_op(LoopTable &table, Kinds kinds, Types<T...>) {
  const auto install_type = [&]<class U>(Types<U>) {
    if constexpr (has_loop<Op, U>(Kinds()())) {
      set_loops<Op, U, kArity, kBlocked>(table.elementwise[kOp][dtype_of<U>],
                                         table.elementwise_result[kOp][dtype_of<U>]);
    }
  };
  (void)kinds;
  (install_type(Types<T>()), ...);
}

using plugin::OpFamily;

// Enters the operations of these families in ops.def into the table. kBlocked is for operations with long definitions.
template <bool kBlocked, OpFamily... kFamilies>
void install_families(LoopTable &table) {
#define GPUOPT_OP_ROW(name, nin, kinds, result, family, cost, doc) \
  if constexpr (((OpFamily::family == kFamilies) || ...)) {        \
    install_op<gpo::ops::name, GPUOPT_OP_##name, nin, kBlocked>(   \
        table, [] { return kinds; }, AllTypes());                  \
  }
#include "gpuopt/ops.def"
}

}  // namespace
}  // namespace gpuopt::cpu

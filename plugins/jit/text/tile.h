// plugins/jit/text/tile.h -- what the text of a compiled program uses (plugins/cpu/program/tier_text.cpp), for loops
// over the elements of a tile
#ifndef GPUOPT_PLUGINS_JIT_TEXT_TILE_H_
#define GPUOPT_PLUGINS_JIT_TEXT_TILE_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/ops/op.h"

// GPO_INDEPENDENT: the iterations of the loop do not depend on each other, although pointers may be equal.
// GPO_ONE_BY_ONE: the loop runs rarely, and is not worth vector code.
#define GPO_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define GPO_ONE_BY_ONE _Pragma("clang loop vectorize(disable) unroll(disable)")

namespace gpo {

// The number of elements that long loop bodies, and those with a slow path (ops/op.h), process at a time.
inline constexpr int tile_block = 64;

// Element i of a tile. Any byte but 0 is true.
template <class T>
GPO_FN T element(const T *tile, i64 i) {
  if constexpr (is_bool<T>) {
    return reinterpret_cast<const u8 *>(tile)[i] != 0;
  } else {
    return tile[i];
  }
}

// Applies an operation. With `easy`, only its fast path runs, and `hard` tells whether the slow path is needed.
template <bool easy, class Op, class T, class Flag, class... A>
GPO_FN auto apply([[maybe_unused]] Flag &hard, A... x) {
  if constexpr (easy && Op::template has_hard<T>) {
    hard |= Flag(Op::hard(x...));
    return Op::apply_easy(x...);
  } else {
    return Op::apply(x...);
  }
}

// A block of a tile in place, or, if it is the last one and shorter, a copy in which its last element is repeated.
template <class T>
struct Block {
  T room[tile_block];

  GPO_FN const T *of(const void *tile, i64 first, i64 count) {
    const T *const x = static_cast<const T *>(tile) + first;
    if (count == tile_block) return x;
    for (int i = 0; i < tile_block; i++) room[i] = x[i < count ? i : count - 1];
    return room;
  }
};

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_JIT_TEXT_TILE_H_

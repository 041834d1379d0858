// plugins/jit/text/tile.h -- what the code of a recorded program is written with (plugins/cpu/tier_text.cpp): loops
// over a tile's elements
#ifndef GPUOPT_PLUGINS_JIT_TEXT_TILE_H_
#define GPUOPT_PLUGINS_JIT_TEXT_TILE_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/ops/op.h"

// Iterations do not depend on each other, although pointers may be equal; and a loop that is rarely run.
#define GPO_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define GPO_ONE_BY_ONE _Pragma("clang loop vectorize(disable) unroll(disable)")

namespace gpo {

// Elements that long bodies and those with a rare path (ops/op.h) take at a time.
inline constexpr int tile_block = 64;

// Element i of a tile; any byte but 0 is true.
template <class T>
GPO_FN T element(const T *tile, i64 i) {
  if constexpr (is_bool<T>) {
    return reinterpret_cast<const u8 *>(tile)[i] != 0;
  } else {
    return tile[i];
  }
}

// An operation; `easy`: without its rare path, for which `hard` then asks.
template <bool easy, class Op, class T, class Flag, class... A>
GPO_FN auto apply([[maybe_unused]] Flag &hard, A... x) {
  if constexpr (easy && Op::template has_hard<T>) {
    hard |= Flag(Op::hard(x...));
    return Op::apply_easy(x...);
  } else {
    return Op::apply(x...);
  }
}

// A block of a tile where it lies, or, if it is the last and shorter, a copy with its last element repeated.
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

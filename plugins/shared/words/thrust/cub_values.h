// plugins/shared/words/thrust/cub_values.h -- pairs of keys and values, the bits by which keys are sorted, and
// cub::BlockAdjacentDifference, a part of cub.h
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_CUB_VALUES_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_CUB_VALUES_H_

#include "plugins/shared/words/thrust/cub.h"

namespace cub {

template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
  KeyValuePair() = default;
  GPO_WORD_FN constexpr KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
  GPO_WORD_FN bool operator!=(const KeyValuePair &other) const { return key != other.key || value != other.value; }
};
// The pair with the larger or smaller value; of equal ones that with the smaller key.
struct ArgMax {
  template <class Key, class Value>
  GPO_WORD_FN KeyValuePair<Key, Value> operator()(const KeyValuePair<Key, Value> &a,
                                                  const KeyValuePair<Key, Value> &b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class Key, class Value>
  GPO_WORD_FN KeyValuePair<Key, Value> operator()(const KeyValuePair<Key, Value> &a,
                                                  const KeyValuePair<Key, Value> &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct Equality {
  template <class A, class B>
  GPO_WORD_FN bool operator()(const A &a, const B &b) const {
    return a == b;
  }
};
struct Inequality {
  template <class A, class B>
  GPO_WORD_FN bool operator()(const A &a, const B &b) const {
    return a != b;
  }
};

// The bits of a key, and those of an unsigned number in the same order.
template <class Key>
struct Traits {
 private:
  using Order = gpo_detail::SortKey<Key>;

 public:
  using UnsignedBits = typename Order::Bits;
  static GPO_WORD_FN UnsignedBits TwiddleIn(UnsignedBits bits) {
    if (Order::is_unsigned) return bits;
    return Order::is_floating && (bits & Order::top) ? UnsignedBits(~bits) : UnsignedBits(bits ^ Order::top);
  }
  static GPO_WORD_FN UnsignedBits TwiddleOut(UnsignedBits bits) {
    if (Order::is_unsigned) return bits;
    return Order::is_floating && !(bits & Order::top) ? UnsignedBits(~bits) : UnsignedBits(bits ^ Order::top);
  }
};

// op(item, the one before) or op(item, the next) of each item. The block's first item has none before it, and its last
// none behind, unless one is given: it stays as it is. Only the first `valid` items count in partial tiles.
template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockAdjacentDifference {
  using Group = gpo_detail::BlockOf<x, y, z>;

 public:
  using TempStorage = gpo_detail::Values<T, Group::size>;
  GPO_WORD_FN explicit BlockAdjacentDifference(TempStorage &storage) : storage_(storage) {}

  template <int items, class Out, class Op>
  GPO_WORD_FN void SubtractLeft(T (&in)[items], Out (&out)[items], Op op) {
    left(in, out, op, Group::size * items, nullptr);
  }
  template <int items, class Out, class Op>
  GPO_WORD_FN void SubtractLeft(T (&in)[items], Out (&out)[items], Op op, T before) {
    left(in, out, op, Group::size * items, &before);
  }
  template <int items, class Out, class Op>
  GPO_WORD_FN void SubtractLeftPartialTile(T (&in)[items], Out (&out)[items], Op op, int valid) {
    left(in, out, op, valid, nullptr);
  }
  template <int items, class Out, class Op>
  GPO_WORD_FN void SubtractRight(T (&in)[items], Out (&out)[items], Op op) {
    right(in, out, op, Group::size * items, nullptr);
  }
  template <int items, class Out, class Op>
  GPO_WORD_FN void SubtractRight(T (&in)[items], Out (&out)[items], Op op, T behind) {
    right(in, out, op, Group::size * items, &behind);
  }
  template <int items, class Out, class Op>
  GPO_WORD_FN void SubtractRightPartialTile(T (&in)[items], Out (&out)[items], Op op, int valid) {
    right(in, out, op, valid, nullptr);
  }

 private:
  // From the last item on, as `in` and `out` may be the same.
  template <int items, class Out, class Op>
  GPO_WORD_FN void left(T (&in)[items], Out (&out)[items], Op op, int valid, T *before) {
    const int rank = Group::rank();
    storage_[rank] = in[items - 1];
    Group::sync();
    for (int k = items - 1; k > 0; k--) out[k] = rank * items + k < valid ? Out(op(in[k], in[k - 1])) : Out(in[k]);
    T *const other = rank > 0 ? &storage_[rank - 1] : before;
    out[0] = other && rank * items < valid ? Out(op(in[0], *other)) : Out(in[0]);
  }
  template <int items, class Out, class Op>
  GPO_WORD_FN void right(T (&in)[items], Out (&out)[items], Op op, int valid, T *behind) {
    const int rank = Group::rank();
    storage_[rank] = in[0];
    Group::sync();
    for (int k = 0; k < items - 1; k++) out[k] = rank * items + k + 1 < valid ? Out(op(in[k], in[k + 1])) : Out(in[k]);
    T *const other = rank < Group::size - 1 ? &storage_[rank + 1] : behind;
    const bool counts = rank * items + items < valid || (behind && rank == Group::size - 1);
    out[items - 1] = other && counts ? Out(op(in[items - 1], *other)) : Out(in[items - 1]);
  }

  TempStorage &storage_;
};

}  // namespace cub

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_CUB_VALUES_H_

// plugins/shared/words/thrust/cub.h -- namespace cub: what kernels use of CUB's collectives of warps and blocks (CCCL's
// documentation, "Warp-Wide Collectives" and "Block-Wide Collectives")
//
// Threads exchange values in the temporary storage, which lies in __shared__ memory, and have to be synchronized before
// it is used again, as with CUB. Operators need be associative only. Their order is the same on every device: a thread
// combines its items from the first to the last; a reduction combines neighbors, then pairs of neighbors, and so on
// ((0 1)(2 3)) ...; a scan combines each with the one 1, 2, 4, ... before it. Algorithms that a template names make no
// difference. The sizes of blocks are those of the template arguments.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_CUB_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_CUB_H_

#include "plugins/shared/words/words.h"

namespace cub {

// ---- Function objects ----

#define GPO_CUB_OPERATOR(name, expression)                   \
  struct name {                                              \
    template <class T>                                       \
    GPO_WORD_FN T operator()(const T &a, const T &b) const { \
      return expression;                                     \
    }                                                        \
  };
GPO_CUB_OPERATOR(Sum, T(a + b))
GPO_CUB_OPERATOR(Max, a < b ? b : a)
GPO_CUB_OPERATOR(Min, b < a ? b : a)
#undef GPO_CUB_OPERATOR
struct NullType {};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// ---- The threads that take part ----

namespace gpo_detail {

// Memory of objects without constructors, as __shared__ memory has to be.
template <class T, int n>
struct Values {
  alignas(T) unsigned char bytes[n * sizeof(T)];
  GPO_WORD_FN T &operator[](int k) { return reinterpret_cast<T *>(bytes)[k]; }
};

template <int x, int y, int z>
struct BlockOf {
  static constexpr int size = x * y * z;
  static GPO_WORD_FN int rank() {
    return int(threadIdx.x) + (y > 1 || z > 1 ? x * (int(threadIdx.y) + y * int(threadIdx.z)) : 0);
  }
  static GPO_WORD_FN void sync() { __syncthreads(); }
};

// `lanes` neighbors of a warp.
template <int lanes>
struct WarpOf {
  static_assert(lanes >= 1 && lanes <= 32, "a warp has 32 lanes");
  static constexpr int size = lanes;
  static GPO_WORD_FN int lane() {
    return int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
  }
  static GPO_WORD_FN int rank() { return lanes == 32 ? lane() : lane() % lanes; }
  static GPO_WORD_FN void sync() {
    if constexpr (lanes == 32) {
      __syncwarp();
    } else {
      __syncwarp(((1u << lanes) - 1) << (lane() / lanes * lanes));
    }
  }
};

// The value of all threads before `valid` combined, for thread 0.
template <class Group, class T, class Op>
GPO_WORD_FN T reduce(Values<T, Group::size> &all, T value, Op op, int valid) {
  const int rank = Group::rank();
  all[rank] = value;
  Group::sync();
  for (int step = 1; step < Group::size; step *= 2) {
    if (rank % (2 * step) == 0 && rank + step < valid) all[rank] = op(all[rank], all[rank + step]);
    Group::sync();
  }
  return rank == 0 ? all[0] : value;
}

// The values up to this thread combined. Afterwards `all` has those of all threads, which may be read until the next
// sync() of the group.
template <class Group, class T, class Op>
GPO_WORD_FN T scan(Values<T, 2 * Group::size> &all, T value, Op op) {
  const int rank = Group::rank();
  int now = 0;
  all[rank] = value;
  Group::sync();
  for (int step = 1; step < Group::size; step *= 2) {
    T next = all[now + rank];
    if (rank >= step) next = op(all[now + rank - step], next);
    now = Group::size - now;
    all[now + rank] = next;
    Group::sync();
  }
  return all[now + rank];
}
template <class Group>
constexpr int last_scan_of() {
  int now = 0;
  for (int step = 1; step < Group::size; step *= 2) now = Group::size - now;
  return now;
}

// The scans of WarpScan and BlockScan.
template <class T, class Group>
class Scan {
 public:
  using TempStorage = Values<T, 2 * Group::size>;

  GPO_WORD_FN explicit Scan(TempStorage &storage) : storage_(storage) {}

  GPO_WORD_FN void InclusiveSum(T in, T &out) { InclusiveScan(in, out, Sum()); }
  GPO_WORD_FN void InclusiveSum(T in, T &out, T &aggregate) { InclusiveScan(in, out, Sum(), aggregate); }
  GPO_WORD_FN void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), Sum()); }
  GPO_WORD_FN void ExclusiveSum(T in, T &out, T &aggregate) { ExclusiveScan(in, out, T(0), Sum(), aggregate); }

  template <class Op>
  GPO_WORD_FN void InclusiveScan(T in, T &out, Op op) {
    out = scan<Group>(storage_, in, op);
  }
  template <class Op>
  GPO_WORD_FN void InclusiveScan(T in, T &out, Op op, T &aggregate) {
    out = scan<Group>(storage_, in, op);
    aggregate = of_rank(Group::size - 1);
  }
  template <class Op>
  GPO_WORD_FN void ExclusiveScan(T in, T &out, T first, Op op) {
    scan<Group>(storage_, in, op);
    out = before(first, op);
  }
  template <class Op>
  GPO_WORD_FN void ExclusiveScan(T in, T &out, T first, Op op, T &aggregate) {
    scan<Group>(storage_, in, op);
    out = before(first, op);
    aggregate = of_rank(Group::size - 1);
  }
  // Without a first value, thread 0 gets none.
  template <class Op>
  GPO_WORD_FN void ExclusiveScan(T in, T &out, Op op) {
    scan<Group>(storage_, in, op);
    if (Group::rank() > 0) out = of_rank(Group::rank() - 1);
  }
  template <class Op>
  GPO_WORD_FN void ExclusiveScan(T in, T &out, Op op, T &aggregate) {
    ExclusiveScan(in, out, op);
    aggregate = of_rank(Group::size - 1);
  }

 protected:
  GPO_WORD_FN T of_rank(int rank) { return storage_[last_scan_of<Group>() + rank]; }
  template <class Op>
  GPO_WORD_FN T before(T first, Op op) {
    return Group::rank() == 0 ? first : op(first, of_rank(Group::rank() - 1));
  }

  TempStorage &storage_;
};

}  // namespace gpo_detail

GPO_WORD_FN unsigned LaneId() { return unsigned(gpo_detail::WarpOf<32>::lane()); }
GPO_WORD_FN int RowMajorTid(int x, int y, int) {
  return int(threadIdx.x) + x * (int(threadIdx.y) + y * int(threadIdx.z));
}

// ---- Warps ----

template <class T, int lanes = 32, int = 0>
class WarpReduce {
  using Group = gpo_detail::WarpOf<lanes>;

 public:
  using TempStorage = gpo_detail::Values<T, lanes>;
  GPO_WORD_FN explicit WarpReduce(TempStorage &storage) : storage_(storage) {}

  template <class Op>
  GPO_WORD_FN T Reduce(T in, Op op, int valid = lanes) {
    return gpo_detail::reduce<Group>(storage_, in, op, valid);
  }
  GPO_WORD_FN T Sum(T in, int valid = lanes) { return Reduce(in, cub::Sum(), valid); }
  GPO_WORD_FN T Max(T in, int valid = lanes) { return Reduce(in, cub::Max(), valid); }
  GPO_WORD_FN T Min(T in, int valid = lanes) { return Reduce(in, cub::Min(), valid); }

 private:
  TempStorage &storage_;
};

template <class T, int lanes = 32, int = 0>
class WarpScan : public gpo_detail::Scan<T, gpo_detail::WarpOf<lanes>> {
  using Base = gpo_detail::Scan<T, gpo_detail::WarpOf<lanes>>;

 public:
  GPO_WORD_FN explicit WarpScan(typename Base::TempStorage &storage) : Base(storage) {}
  // Lane `source` of the group gives its value to all.
  GPO_WORD_FN T Broadcast(T in, unsigned source) {
    using Group = gpo_detail::WarpOf<lanes>;
    if (unsigned(Group::rank()) == source) this->storage_[0] = in;
    Group::sync();
    return this->storage_[0];
  }
};

// ---- Reductions and scans of blocks ----

template <class T, int x, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1, int = 0>
class BlockReduce {
  using Group = gpo_detail::BlockOf<x, y, z>;

 public:
  using TempStorage = gpo_detail::Values<T, Group::size>;
  GPO_WORD_FN explicit BlockReduce(TempStorage &storage) : storage_(storage) {}

  template <class Op>
  GPO_WORD_FN T Reduce(T in, Op op) {
    return gpo_detail::reduce<Group>(storage_, in, op, int(Group::size));
  }
  template <class Op>
  GPO_WORD_FN T Reduce(T in, Op op, int valid) {
    return gpo_detail::reduce<Group>(storage_, in, op, valid);
  }
  template <int items, class Op>
  GPO_WORD_FN T Reduce(T (&in)[items], Op op) {
    T all = in[0];
    for (int k = 1; k < items; k++) all = op(all, in[k]);
    return Reduce(all, op);
  }
  GPO_WORD_FN T Sum(T in) { return Reduce(in, cub::Sum()); }
  GPO_WORD_FN T Sum(T in, int valid) { return Reduce(in, cub::Sum(), valid); }
  template <int items>
  GPO_WORD_FN T Sum(T (&in)[items]) {
    return Reduce(in, cub::Sum());
  }

 private:
  TempStorage &storage_;
};

template <class T, int x, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int = 0>
class BlockScan : public gpo_detail::Scan<T, gpo_detail::BlockOf<x, y, z>> {
  using Group = gpo_detail::BlockOf<x, y, z>;
  using Base = gpo_detail::Scan<T, Group>;

 public:
  GPO_WORD_FN explicit BlockScan(typename Base::TempStorage &storage) : Base(storage) {}
  using Base::ExclusiveScan;
  using Base::ExclusiveSum;
  using Base::InclusiveScan;
  using Base::InclusiveSum;

  // Scans several items of each thread.
  template <int items>
  GPO_WORD_FN void InclusiveSum(T (&in)[items], T (&out)[items]) {
    InclusiveScan(in, out, Sum());
  }
  template <int items>
  GPO_WORD_FN void InclusiveSum(T (&in)[items], T (&out)[items], T &aggregate) {
    InclusiveScan(in, out, Sum(), aggregate);
  }
  template <int items>
  GPO_WORD_FN void ExclusiveSum(T (&in)[items], T (&out)[items]) {
    ExclusiveScan(in, out, T(0), Sum());
  }
  template <int items>
  GPO_WORD_FN void ExclusiveSum(T (&in)[items], T (&out)[items], T &aggregate) {
    ExclusiveScan(in, out, T(0), Sum(), aggregate);
  }
  template <int items, class Op>
  GPO_WORD_FN void InclusiveScan(T (&in)[items], T (&out)[items], Op op) {
    gpo_detail::scan<Group>(this->storage_, whole(in, op), op);
    T before = in[0];
    if (Group::rank() > 0) before = op(this->of_rank(Group::rank() - 1), before);
    out[0] = before;
    for (int k = 1; k < items; k++) out[k] = before = op(before, in[k]);
  }
  template <int items, class Op>
  GPO_WORD_FN void InclusiveScan(T (&in)[items], T (&out)[items], Op op, T &aggregate) {
    InclusiveScan(in, out, op);
    aggregate = this->of_rank(Group::size - 1);
  }
  template <int items, class Op>
  GPO_WORD_FN void ExclusiveScan(T (&in)[items], T (&out)[items], T first, Op op) {
    gpo_detail::scan<Group>(this->storage_, whole(in, op), op);
    T before = this->before(first, op);
    for (int k = 0; k < items; k++) {
      const T next = op(before, in[k]);
      out[k] = before;
      before = next;
    }
  }
  template <int items, class Op>
  GPO_WORD_FN void ExclusiveScan(T (&in)[items], T (&out)[items], T first, Op op, T &aggregate) {
    ExclusiveScan(in, out, first, op);
    aggregate = this->of_rank(Group::size - 1);
  }

 private:
  template <int items, class Op>
  static GPO_WORD_FN T whole(T (&in)[items], Op op) {
    T all = in[0];
    for (int k = 1; k < items; k++) all = op(all, in[k]);
    return all;
  }
};

// ---- Loads and stores of blocks ----

// Item k of thread t is element t * items + k or, striped, k * threads + t.
template <class T, int x, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1, int z = 1, int = 0>
class BlockLoad {
  using Group = gpo_detail::BlockOf<x, y, z>;

 public:
  struct TempStorage {
    unsigned char none;
  };
  BlockLoad() = default;
  GPO_WORD_FN explicit BlockLoad(TempStorage &) {}
  template <class From>
  GPO_WORD_FN void Load(From from, T (&out)[items]) {
    for (int k = 0; k < items; k++) out[k] = from[place(k)];
  }
  // The items beyond `valid` elements are left as they are, or get the value `otherwise`.
  template <class From>
  GPO_WORD_FN void Load(From from, T (&out)[items], int valid) {
    for (int k = 0; k < items; k++) {
      if (place(k) < valid) out[k] = from[place(k)];
    }
  }
  template <class From, class Other>
  GPO_WORD_FN void Load(From from, T (&out)[items], int valid, Other otherwise) {
    for (int k = 0; k < items; k++) out[k] = place(k) < valid ? T(from[place(k)]) : T(otherwise);
  }

 private:
  static GPO_WORD_FN int place(int k) {
    return algorithm == BLOCK_LOAD_STRIPED ? k * Group::size + Group::rank() : Group::rank() * items + k;
  }
};

template <class T, int x, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1, int z = 1, int = 0>
class BlockStore {
  using Group = gpo_detail::BlockOf<x, y, z>;

 public:
  struct TempStorage {
    unsigned char none;
  };
  BlockStore() = default;
  GPO_WORD_FN explicit BlockStore(TempStorage &) {}
  template <class To>
  GPO_WORD_FN void Store(To to, T (&in)[items]) {
    for (int k = 0; k < items; k++) to[place(k)] = in[k];
  }
  template <class To>
  GPO_WORD_FN void Store(To to, T (&in)[items], int valid) {
    for (int k = 0; k < items; k++) {
      if (place(k) < valid) to[place(k)] = in[k];
    }
  }

 private:
  static GPO_WORD_FN int place(int k) {
    return algorithm == BLOCK_STORE_STRIPED ? k * Group::size + Group::rank() : Group::rank() * items + k;
  }
};

// ---- Sorting ----

namespace gpo_detail {

// A key as an unsigned number in the same order. Floats are ordered by value, -0 before 0 and NaN by their bits, at the
// ends.
template <int bytes>
struct Unsigned;
template <>
struct Unsigned<1> {
  using type = unsigned char;
};
template <>
struct Unsigned<2> {
  using type = unsigned short;
};
template <>
struct Unsigned<4> {
  using type = unsigned;
};
template <>
struct Unsigned<8> {
  using type = unsigned long long;
};
template <class Key>
struct SortKey {
  using Bits = typename Unsigned<sizeof(Key)>::type;
  static constexpr Bits top = Bits(Bits(1) << (8 * sizeof(Key) - 1));
  static constexpr bool is_unsigned = Key(-1) > Key(0) && Key(1) / Key(2) == Key(0);
  static constexpr bool is_floating = !(Key(1) / Key(2) == Key(0));
  static GPO_WORD_FN Bits ordered(Key key) {
    Bits bits;
    memcpy(&bits, &key, sizeof(Key));
    if (is_unsigned) return bits;
    if (is_floating && (bits & top)) return Bits(~bits);
    return Bits(bits ^ top);
  }
};

}  // namespace gpo_detail

// Stable sorts of the keys of a block, and of values with them: by one bit after the other, from the lowest.
template <class Key, int x, int items, class Value = NullType, int = 4, bool = true, int = 0, int = 0, int y = 1,
          int z = 1, int = 0>
class BlockRadixSort {
  using Group = gpo_detail::BlockOf<x, y, z>;
  using Order = gpo_detail::SortKey<Key>;
  static constexpr int threads = Group::size, count = threads * items;
  static constexpr bool has_values = !(sizeof(Value) == 1 && __is_empty(Value));

 public:
  struct TempStorage {
    gpo_detail::Values<int, 2 * threads> scan;
    gpo_detail::Values<Key, count> keys;
    gpo_detail::Values<Value, has_values ? count : 1> values;
  };
  GPO_WORD_FN explicit BlockRadixSort(TempStorage &storage) : storage_(storage) {}

  GPO_WORD_FN void Sort(Key (&keys)[items], int begin = 0, int end = 8 * sizeof(Key)) {
    Value none[items];
    sort(keys, none, begin, end, false, false);
  }
  GPO_WORD_FN void SortDescending(Key (&keys)[items], int begin = 0, int end = 8 * sizeof(Key)) {
    Value none[items];
    sort(keys, none, begin, end, true, false);
  }
  GPO_WORD_FN void SortBlockedToStriped(Key (&keys)[items], int begin = 0, int end = 8 * sizeof(Key)) {
    Value none[items];
    sort(keys, none, begin, end, false, true);
  }
  GPO_WORD_FN void SortDescendingBlockedToStriped(Key (&keys)[items], int begin = 0, int end = 8 * sizeof(Key)) {
    Value none[items];
    sort(keys, none, begin, end, true, true);
  }
  GPO_WORD_FN void Sort(Key (&keys)[items], Value (&values)[items], int begin = 0, int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, false, false);
  }
  GPO_WORD_FN void SortDescending(Key (&keys)[items], Value (&values)[items], int begin = 0,
                                  int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, true, false);
  }
  GPO_WORD_FN void SortBlockedToStriped(Key (&keys)[items], Value (&values)[items], int begin = 0,
                                        int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, false, true);
  }

 private:
  GPO_WORD_FN void sort(Key (&keys)[items], Value (&values)[items], int begin, int end, bool descending, bool striped) {
#pragma unroll 1
    for (int bit = begin; bit < end; bit++) pass(keys, values, bit, descending);
    if (striped) exchange(keys, values);
  }

  // Those with a 0 first, or with a 1 if the order is descending.
  GPO_WORD_FN void pass(Key (&keys)[items], Value (&values)[items], int bit, bool descending) {
    bool later[items];
    int sooner = 0;
    for (int k = 0; k < items; k++) {
      later[k] = (Order::ordered(keys[k]) >> bit & 1) != descending;
      sooner += !later[k];
    }
    const int rank = Group::rank(), upto = gpo_detail::scan<Group>(storage_.scan, sooner, Sum());
    const int all = storage_.scan[gpo_detail::last_scan_of<Group>() + threads - 1];
    int first = upto - sooner, second = all + rank * items - first;
    for (int k = 0; k < items; k++) {
      const int place = later[k] ? second++ : first++;
      storage_.keys[place] = keys[k];
      if constexpr (has_values) storage_.values[place] = values[k];
    }
    Group::sync();
    for (int k = 0; k < items; k++) take(keys, values, k, rank * items + k);
    Group::sync();
  }

  GPO_WORD_FN void exchange(Key (&keys)[items], Value (&values)[items]) {
    const int rank = Group::rank();
    for (int k = 0; k < items; k++) {
      storage_.keys[rank * items + k] = keys[k];
      if constexpr (has_values) storage_.values[rank * items + k] = values[k];
    }
    Group::sync();
    for (int k = 0; k < items; k++) take(keys, values, k, k * threads + rank);
    Group::sync();
  }

  GPO_WORD_FN void take(Key (&keys)[items], Value (&values)[items], int k, int place) {
    keys[k] = storage_.keys[place];
    if constexpr (has_values) values[k] = storage_.values[place];
  }

  TempStorage &storage_;
};

}  // namespace cub

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_CUB_H_

// plugins/cpu/levels/fft_vector.h -- vectors of floats as wide as the level has them, for the loops of transforms.
//
// Vectors are loaded and stored in pieces of 16 bytes where numbers change places: processors put a piece of memory
// into any part of a vector, but move numbers from one piece to another slowly.
#pragma once

#include "plugins/cpu/levels/fft_loops.h"
#include "plugins/cpu/levels/level.h"
#include "plugins/shared/fft/butterflies.h"

namespace gpuopt::cpu {
namespace {

#if defined(__AVX512F__)
inline constexpr int kFftVector = 64;
#elif defined(__AVX__)
inline constexpr int kFftVector = 32;
#else
inline constexpr int kFftVector = 16;
#endif

template <class T>
struct FftVector {
  static constexpr int count = kFftVector / static_cast<int>(sizeof(T));  // numbers in a vector
  static constexpr int lanes = static_cast<int>(kFftRow / static_cast<int64_t>(sizeof(T)));
  static constexpr int in_piece = 16 / static_cast<int>(sizeof(T)), pieces = kFftVector / 16;
  typedef T V __attribute__((vector_size(kFftVector)));
  typedef T Unaligned __attribute__((vector_size(kFftVector), aligned(sizeof(T)), may_alias));
  typedef T Piece __attribute__((vector_size(16)));
  typedef T UnalignedPiece __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
};
template <class T>
using vector_of = typename FftVector<T>::V;

template <class T>
GPO_FN vector_of<T> load_fft(const void *from) {
  return *static_cast<const typename FftVector<T>::Unaligned *>(from);
}
template <class T>
GPO_FN void store_fft(void *to, const vector_of<T> &value) {
  *static_cast<typename FftVector<T>::Unaligned *>(to) = value;
}
template <class T>
GPO_FN typename FftVector<T>::Piece load_piece(const void *from) {
  return *static_cast<const typename FftVector<T>::UnalignedPiece *>(from);
}

// Takes number from[i] of two vectors' pieces, for every piece: those below the size of a piece are of x, the others of
// y.
template <int... from, class V, int... place>
GPO_FN V in_pieces(const V &x, const V &y, Places<place...>) {
  constexpr int wanted[] = {from...}, size = sizeof...(from), count = sizeof...(place);
  return __builtin_shufflevector(
      x, y, (place / size * size + wanted[place % size] + (wanted[place % size] < size ? 0 : count - size))...);
}
template <class T, int... from>
GPO_FN vector_of<T> in_pieces(const vector_of<T> &x, const vector_of<T> &y) {
  return in_pieces<from...>(x, y, places_up_to<FftVector<T>::count>());
}

template <class V, int... place>
GPO_FN V in_opposite_order(const V &x, Places<place...>) {
  return __builtin_shufflevector(x, x, (static_cast<int>(sizeof...(place)) - 1 - place)...);
}

// ---- Vectors of pieces in memory, piece j of which is at at(j)

template <class V, int... place>
GPO_FN auto one_behind_other(const V &first, const V &second, Places<place...>) {
  return __builtin_shufflevector(first, second, place...);
}

template <class T, class At>
GPO_FN vector_of<T> load_pieces(const At &at) {
  constexpr int pieces = FftVector<T>::pieces, size = FftVector<T>::in_piece;
  if constexpr (pieces == 1) {
    return load_piece<T>(at(0));
  } else {
    const auto first = one_behind_other(load_piece<T>(at(0)), load_piece<T>(at(1)), places_up_to<2 * size>());
    if constexpr (pieces == 2) {
      return first;
    } else {
      const auto second = one_behind_other(load_piece<T>(at(2)), load_piece<T>(at(3)), places_up_to<2 * size>());
      return one_behind_other(first, second, places_up_to<4 * size>());
    }
  }
}

template <class T, int piece, int... place>
GPO_FN void store_piece(void *to, const vector_of<T> &x, Places<place...>) {
  *static_cast<typename FftVector<T>::UnalignedPiece *>(to) =
      __builtin_shufflevector(x, x, (piece * FftVector<T>::in_piece + place)...);
}
template <class T, class At>
GPO_FN void store_pieces(const At &at, const vector_of<T> &x) {
  using Each = places_up_to<FftVector<T>::in_piece>;
  store_piece<T, 0>(at(0), x, Each());
  if constexpr (FftVector<T>::pieces >= 2) store_piece<T, 1>(at(1), x, Each());
  if constexpr (FftVector<T>::pieces == 4) store_piece<T, 2>(at(2), x, Each()), store_piece<T, 3>(at(3), x, Each());
}

// ---- Complex numbers side by side, as many as a vector has numbers
//
// They are taken apart within pieces, as those of two vectors. Number i of the parts is thus that of the complex number
// fft_lane(i), in each vector of a row.

template <class T>
GPO_FN gpo::cplx<vector_of<T>> load_pairs(const void *pairs) {
  const char *const from = static_cast<const char *>(pairs);
  const vector_of<T> first = load_fft<T>(from), second = load_fft<T>(from + kFftVector);
  if constexpr (FftVector<T>::in_piece == 2) {
    return {in_pieces<T, 0, 2>(first, second), in_pieces<T, 1, 3>(first, second)};
  } else {
    return {in_pieces<T, 0, 2, 4, 6>(first, second), in_pieces<T, 1, 3, 5, 7>(first, second)};
  }
}
template <class T>
GPO_FN void store_pairs(void *pairs, const gpo::cplx<vector_of<T>> &x) {
  char *const to = static_cast<char *>(pairs);
  if constexpr (FftVector<T>::in_piece == 2) {
    store_fft<T>(to, in_pieces<T, 0, 2>(x.re, x.im));
    store_fft<T>(to + kFftVector, in_pieces<T, 1, 3>(x.re, x.im));
  } else {
    store_fft<T>(to, in_pieces<T, 0, 4, 1, 5>(x.re, x.im));
    store_fft<T>(to + kFftVector, in_pieces<T, 2, 6, 3, 7>(x.re, x.im));
  }
}

// Which lane is at place i of a row of a block.
template <class T>
GPO_FN constexpr int fft_lane(int i) {
  constexpr int count = FftVector<T>::count, half = FftVector<T>::in_piece / 2;
  const int in_vector = i % count, in_piece = in_vector % (2 * half);
  return i - in_vector + in_vector / (2 * half) * half + in_piece % half + in_piece / half * (count / 2);
}

// ---- Rows turned into columns

// Transposes the squares in the pieces of some vectors.
template <class T>
GPO_FN void turn_pieces(vector_of<T> (&x)[size_t{FftVector<T>::in_piece}]) {
  if constexpr (FftVector<T>::in_piece == 2) {
    const vector_of<T> a = in_pieces<T, 0, 2>(x[0], x[1]), b = in_pieces<T, 1, 3>(x[0], x[1]);
    x[0] = a, x[1] = b;
  } else {
    const vector_of<T> a = in_pieces<T, 0, 4, 1, 5>(x[0], x[1]), b = in_pieces<T, 2, 6, 3, 7>(x[0], x[1]);
    const vector_of<T> c = in_pieces<T, 0, 4, 1, 5>(x[2], x[3]), d = in_pieces<T, 2, 6, 3, 7>(x[2], x[3]);
    x[0] = in_pieces<T, 0, 1, 4, 5>(a, c), x[1] = in_pieces<T, 2, 3, 6, 7>(a, c);
    x[2] = in_pieces<T, 0, 1, 4, 5>(b, d), x[3] = in_pieces<T, 2, 3, 6, 7>(b, d);
  }
}

// The columns of a piece's numbers from as many rows as a vector has numbers; row i is at row(i).
template <class T, class Row>
GPO_FN void load_columns(const Row &row, vector_of<T> (&columns)[size_t{FftVector<T>::in_piece}]) {
  constexpr int size = FftVector<T>::in_piece;
#pragma GCC unroll 4
  for (int i = 0; i < size; ++i) columns[i] = load_pieces<T>([&](int j) { return row(i + size * j); });
  turn_pieces<T>(columns);
}
template <class T, class Row>
GPO_FN void store_columns(const Row &row, vector_of<T> (&columns)[size_t{FftVector<T>::in_piece}]) {
  constexpr int size = FftVector<T>::in_piece;
  turn_pieces<T>(columns);
#pragma GCC unroll 4
  for (int i = 0; i < size; ++i) store_pieces<T>([&](int j) { return row(i + size * j); }, columns[i]);
}

}  // namespace
}  // namespace gpuopt::cpu

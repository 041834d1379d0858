// plugins/cpu/levels/fft.cpp -- loops: the stages of Fourier transforms, and how numbers get into blocks and out again.
#include "plugins/cpu/levels/fft_vector.h"
#include "plugins/shared/fft/real.h"
#include "plugins/shared/fft/roots.h"

namespace gpuopt::cpu {
namespace {

using gpo::cplx;

template <class T>
using complex_vector = cplx<vector_of<T>>;

// The numbers of a row of a block.
template <class T>
inline constexpr int64_t row_size = 2 * FftVector<T>::lanes;

// ---- Where a stage reads and writes: row t of a block, from lane v on; or complex numbers side by side.

template <class T>
struct FromBlock {
  const T *block;
  GPO_FN complex_vector<T> operator()(int64_t t, int v) const {
    const T *const row = block + t * row_size<T> + v;
    return {load_fft<T>(row), load_fft<T>(row + FftVector<T>::lanes)};
  }
};

template <class T, bool exchanged>
struct FromPairs {
  const char *data;
  int64_t step;
  GPO_FN complex_vector<T> operator()(int64_t t, int v) const {
    const complex_vector<T> x = load_pairs<T>(reinterpret_cast<const T *>(data + t * step) + 2 * v);
    return {exchanged ? x.im : x.re, exchanged ? x.re : x.im};
  }
};

template <class T>
struct ToBlock {
  T *block;
  GPO_FN void operator()(int64_t t, int v, const complex_vector<T> &x) const {
    T *const row = block + t * row_size<T> + v;
    store_fft<T>(row, x.re);
    store_fft<T>(row + FftVector<T>::lanes, x.im);
  }
};

template <class T, bool exchanged>
struct ToPairs {
  char *data;
  int64_t step;
  T scale;
  GPO_FN void operator()(int64_t t, int v, const complex_vector<T> &x) const {
    const vector_of<T> re = x.re * scale, im = x.im * scale;
    store_pairs<T>(reinterpret_cast<T *>(data + t * step) + 2 * v,
                   complex_vector<T>{exchanged ? im : re, exchanged ? re : im});
  }
};

// ---- Factors, for the j-th element: none, one for all lanes, or one for each lane.

struct NoFactors {
  static constexpr bool by_lane = false;
  GPO_FN void at(int64_t, int, int) {}
  template <class X>
  GPO_FN X times(const X &x, int) const {
    return x;
  }
};

template <class T>
struct CommonFactors {
  static constexpr bool by_lane = false;
  const cplx<T> *all, *here = nullptr;
  GPO_FN void at(int64_t k, int radix, int) { here = all + k * (radix - 1); }
  GPO_FN complex_vector<T> times(const complex_vector<T> &x, int j) const { return gpo::fft::multiply(x, here[j - 1]); }
};

template <class T>
struct LaneFactors {
  static constexpr bool by_lane = true;
  const T *all, *here = nullptr;
  GPO_FN void at(int64_t k, int radix, int v) { here = all + k * (radix - 1) * row_size<T> + v; }
  GPO_FN complex_vector<T> times(const complex_vector<T> &x, int j) const {
    const T *const row = here + (j - 1) * row_size<T>;
    const complex_vector<T> w = {load_fft<T>(row), load_fft<T>(row + FftVector<T>::lanes)};
    return gpo::fft::multiply(x, w);
  }
};

// ---- Stages

// `fixed` is the radix if the compiler is to know it, else 0. What lies behind a reference would be read anew after
// each store, so that places and factors are passed by value, here and below.
template <class T, int fixed, class In, class Factors, class Out>
GPO_FN void run_stage(const FftStage &s, In in, Factors factors, Out out) {
  const int radix = fixed ? fixed : s.radix;
  const int64_t l = s.before, m = s.after;
  const auto *const odd = static_cast<const gpo::fft::OddRoots<T> *>(s.odd);
  constexpr size_t most = fixed ? fixed : gpo::fft::largest_radix;
  complex_vector<T> x[most], y[most];
  const auto run = [&](int64_t k, int64_t q, int v) {
    x[0] = in(k * radix * m + q, v);
#pragma GCC unroll 8
    for (int j = 1; j < radix; ++j) x[j] = factors.times(in((k * radix + j) * m + q, v), j);
    gpo::fft::butterfly<T>(radix, odd, x, y);
#pragma GCC unroll 8
    for (int c = 0; c < radix; ++c) out((k + l * c) * m + q, v, y[c]);
  };
  constexpr int lanes = FftVector<T>::lanes, width = FftVector<T>::count;
  for (int64_t k = 0; k < l; ++k) {
    if constexpr (Factors::by_lane) {
      for (int v = 0; v < lanes; v += width) {
        factors.at(k, radix, v);
        for (int64_t q = 0; q < m; ++q) run(k, q, v);
      }
    } else {
      factors.at(k, radix, 0);
      for (int64_t q = 0; q < m; ++q) {
        for (int v = 0; v < lanes; v += width) run(k, q, v);
      }
    }
  }
}

template <class T, int fixed, class In, class Out>
void stage_of(const FftStage &s, In in, Out out) {
  if (!s.factors) return run_stage<T, fixed>(s, in, NoFactors(), out);
  if (s.by_lane) return run_stage<T, fixed>(s, in, LaneFactors<T>{static_cast<const T *>(s.factors)}, out);
  run_stage<T, fixed>(s, in, CommonFactors<T>{static_cast<const cplx<T> *>(s.factors)}, out);
}

template <class T>
void stage(const FftStage &s, const void *from, void *to) {
  const FromBlock<T> in{static_cast<const T *>(from)};
  const ToBlock<T> out{static_cast<T *>(to)};
  switch (s.radix) {
    case 2:
      return stage_of<T, 2>(s, in, out);
    case 3:
      return stage_of<T, 3>(s, in, out);
    case 4:
      return stage_of<T, 4>(s, in, out);
    case 5:
      return stage_of<T, 5>(s, in, out);
    case 7:
      return stage_of<T, 7>(s, in, out);
    case 8:
      return stage_of<T, 8>(s, in, out);
    default:
      return stage_of<T, 0>(s, in, out);
  }
}

template <class T, bool exchanged>
void load_stage_of(const FftStage &s, const FftPlaces &from, void *to) {
  const FromPairs<T, exchanged> in{from.data, from.step};
  const ToBlock<T> out{static_cast<T *>(to)};
  s.radix == 8 ? run_stage<T, 8>(s, in, NoFactors(), out) : run_stage<T, 4>(s, in, NoFactors(), out);
}
template <class T>
void load_stage(const FftStage &s, const FftPlaces &from, bool exchanged, void *to) {
  exchanged ? load_stage_of<T, true>(s, from, to) : load_stage_of<T, false>(s, from, to);
}

template <class T, bool exchanged>
void store_stage_of(const FftStage &s, const void *from, const FftPlaces &to, double scale) {
  const FromBlock<T> in{static_cast<const T *>(from)};
  const ToPairs<T, exchanged> out{to.data, to.step, static_cast<T>(scale)};
  s.radix == 8 ? stage_of<T, 8>(s, in, out) : stage_of<T, 4>(s, in, out);
}
template <class T>
void store_stage(const FftStage &s, const void *from, const FftPlaces &to, double scale, bool exchanged) {
  exchanged ? store_stage_of<T, true>(s, from, to, scale) : store_stage_of<T, false>(s, from, to, scale);
}

// ---- Into blocks and out of them

// Whether every element of a transform lies beside the one before it, and there are as many transforms as lanes.
template <class T>
bool are_rows(const FftPlaces &places) {
  return places.step == int64_t{sizeof(cplx<T>)} && places.lanes == FftVector<T>::lanes;
}

// Loads the elements of whole rows that are in a piece: element t, and of float32 the next one, too.
template <class T, bool exchanged>
GPO_FN void load_columns_of_rows(T *block, FftPlaces from, int64_t t) {
  constexpr int lanes = FftVector<T>::lanes, width = FftVector<T>::count, size = FftVector<T>::in_piece;
  for (int lane = 0; lane < lanes; lane += width) {
    vector_of<T> parts[size_t{size}];
    const char *const first = from.data + t * from.step;
    load_columns<T>([=](int i) { return first + (lane + fft_lane<T>(i)) * from.next; }, parts);
#pragma GCC unroll 4
    for (int i = 0; i < size; ++i) {
      const int part = exchanged ? 1 - i % 2 : i % 2;
      store_fft<T>(block + (t + i / 2) * row_size<T> + part * lanes + lane, parts[i]);
    }
  }
}

template <class T>
void load(void *to, const FftPlaces &places, int64_t count, bool exchanged) {
  const FftPlaces from = places;
  constexpr int64_t lanes = FftVector<T>::lanes, at_once = FftVector<T>::in_piece / 2;
  T *const block = static_cast<T *>(to);
  int64_t t = 0;
  for (; are_rows<T>(from) && t + at_once <= count; t += at_once) {
    exchanged ? load_columns_of_rows<T, true>(block, from, t) : load_columns_of_rows<T, false>(block, from, t);
  }
  for (; t < count; ++t) {
    T *const row = block + t * row_size<T>;
    T *const re = exchanged ? row + lanes : row, *const im = exchanged ? row : row + lanes;
    const char *const first = from.data + t * from.step;
    for (int i = 0; i < lanes; ++i) {
      const int lane = fft_lane<T>(i);
      const T *const x = reinterpret_cast<const T *>(first + lane * from.next);
      const bool there = lane < from.lanes;
      re[i] = there ? x[0] : T(0), im[i] = there ? x[1] : T(0);
    }
  }
}

// Stores them.
template <class T, bool exchanged>
GPO_FN void store_columns_of_rows(FftPlaces to, const T *block, int64_t t, T scale) {
  constexpr int lanes = FftVector<T>::lanes, width = FftVector<T>::count, size = FftVector<T>::in_piece;
  for (int lane = 0; lane < lanes; lane += width) {
    vector_of<T> parts[size_t{size}];
#pragma GCC unroll 4
    for (int i = 0; i < size; ++i) {
      const int part = exchanged ? 1 - i % 2 : i % 2;
      parts[i] = load_fft<T>(block + (t + i / 2) * row_size<T> + part * lanes + lane) * scale;
    }
    char *const first = to.data + t * to.step;
    store_columns<T>([=](int i) { return first + (lane + fft_lane<T>(i)) * to.next; }, parts);
  }
}

template <class T>
void store(const FftPlaces &places, const void *from, int64_t count, double scale, bool exchanged) {
  const FftPlaces to = places;
  constexpr int64_t lanes = FftVector<T>::lanes, at_once = FftVector<T>::in_piece / 2;
  const T factor = static_cast<T>(scale), *const block = static_cast<const T *>(from);
  int64_t t = 0;
  for (; are_rows<T>(to) && t + at_once <= count; t += at_once) {
    exchanged ? store_columns_of_rows<T, true>(to, block, t, factor)
              : store_columns_of_rows<T, false>(to, block, t, factor);
  }
  for (; t < count; ++t) {
    const T *const row = block + t * row_size<T>;
    const T *const re = exchanged ? row + lanes : row, *const im = exchanged ? row : row + lanes;
    char *const first = to.data + t * to.step;
    for (int i = 0; i < lanes; ++i) {
      const int lane = fft_lane<T>(i);
      T *const y = reinterpret_cast<T *>(first + lane * to.next);
      if (lane < to.lanes) y[0] = re[i] * factor, y[1] = im[i] * factor;
    }
  }
}

// Exchanges `lanes` rows with their lanes, of the real parts or of the imaginary ones.
template <class T, bool all>
GPO_FN void transpose_square(T *to, const T *from, int64_t count) {
  constexpr int lanes = FftVector<T>::lanes, width = FftVector<T>::count, size = FftVector<T>::in_piece;
  for (int row = 0; row < lanes; row += width) {
#pragma GCC unroll 4
    for (int place = 0; place < lanes; place += size) {
      vector_of<T> columns[size_t{size}];
      load_columns<T>([&](int i) { return from + (row + fft_lane<T>(i)) * row_size<T> + place; }, columns);
#pragma GCC unroll 4
      for (int i = 0; i < size; ++i) {
        const int lane = fft_lane<T>(place + i);
        if (all || lane < count) store_fft<T>(to + lane * row_size<T> + row, columns[i]);
      }
    }
  }
}

template <class T>
void transpose(char *to, int64_t step, const void *block, int64_t blocks, int64_t count) {
  constexpr int64_t lanes = FftVector<T>::lanes;
  for (int64_t b = 0; b < blocks; ++b) {
    const T *const from = static_cast<const T *>(block) + b * lanes * row_size<T>;
    T *const place = reinterpret_cast<T *>(to + b * step);
    if (count == lanes) {
      transpose_square<T, true>(place, from, count);
      transpose_square<T, true>(place + lanes, from + lanes, count);
    } else {
      transpose_square<T, false>(place, from, count);
      transpose_square<T, false>(place + lanes, from + lanes, count);
    }
  }
}

// ---- Complex numbers side by side

template <class T>
void roots(void *to, int64_t first, int64_t step, int64_t n, int64_t count) {
  cplx<T> *const all = static_cast<cplx<T> *>(to);
  for (int64_t i = 0; i < count; ++i) all[i] = gpo::fft::root_as<T>(first + i * step, n);
}

template <class T>
void multiply(void *to, const void *by, int64_t count) {
  constexpr int64_t width = FftVector<T>::count;
  cplx<T> *const x = static_cast<cplx<T> *>(to);
  const cplx<T> *const w = static_cast<const cplx<T> *>(by);
  int64_t i = 0;
  for (; i + width <= count; i += width)
    store_pairs<T>(x + i, gpo::fft::multiply(load_pairs<T>(x + i), load_pairs<T>(w + i)));
  for (; i < count; ++i) x[i] = gpo::fft::multiply(x[i], w[i]);
}

template <class T>
void chirp(const FftPlaces &to, const FftPlaces &from, const void *by, int64_t count, double scale, bool from_exchanged,
           bool to_exchanged) {
  const cplx<T> *const w = static_cast<const cplx<T> *>(by);
  const T factor = static_cast<T>(scale);
  for (int64_t i = 0; i < count; ++i) {
    const T *const x = reinterpret_cast<const T *>(from.data + i * from.step);
    T *const y = reinterpret_cast<T *>(to.data + i * to.step);
    const cplx<T> product = gpo::fft::multiply(cplx<T>{x[from_exchanged], x[!from_exchanged]}, w[i]);
    y[to_exchanged] = product.re * factor;
    y[!to_exchanged] = product.im * factor;
  }
}

// ---- Real numbers

// The complex numbers x[0], x[-1], ..., as many as a vector has numbers.
template <class T>
GPO_FN complex_vector<T> load_backwards(const cplx<T> *x) {
  const complex_vector<T> y = load_pairs<T>(x - FftVector<T>::count + 1);
  using Each = places_up_to<FftVector<T>::count>;
  return {in_opposite_order(y.re, Each()), in_opposite_order(y.im, Each())};
}

template <class T>
void real_out(char *to, int64_t step, const void *from, const void *by, int64_t h, double scale) {
  constexpr int64_t width = FftVector<T>::count;
  const cplx<T> *const z = static_cast<const cplx<T> *>(from);
  const cplx<T> *const w = static_cast<const cplx<T> *>(by);
  const T factor = static_cast<T>(scale), half = static_cast<T>(0.5) * factor;
  const auto at = [&](int64_t k) -> cplx<T> & { return *reinterpret_cast<cplx<T> *>(to + k * step); };
  at(0) = gpo::fft::real_first(z[0], factor);
  int64_t k = 1;
  for (; step == int64_t{sizeof(cplx<T>)} && k + width <= h; k += width) {
    const complex_vector<T> a = load_pairs<T>(z + k), b = load_backwards(z + h - k), root = load_pairs<T>(w + k);
    store_pairs<T>(&at(k), gpo::fft::real_element(a, b, root, half));
  }
  for (; k < h; ++k) at(k) = gpo::fft::real_element(z[k], z[h - k], w[k], half);
  at(h) = gpo::fft::real_middle(z[0], factor);
}

template <class T>
void real_in(void *to, const char *from, int64_t step, const void *by, int64_t h) {
  constexpr int64_t width = FftVector<T>::count;
  cplx<T> *const z = static_cast<cplx<T> *>(to);
  const cplx<T> *const w = static_cast<const cplx<T> *>(by);
  const auto at = [&](int64_t k) -> const cplx<T> & { return *reinterpret_cast<const cplx<T> *>(from + k * step); };
  z[0] = gpo::fft::real_packed_first(at(0).re, at(h).re);
  int64_t k = 1;
  for (; step == int64_t{sizeof(cplx<T>)} && k + width <= h; k += width) {
    const complex_vector<T> a = load_pairs<T>(&at(k)), b = load_backwards(&at(h - k)), root = load_pairs<T>(w + k);
    store_pairs<T>(z + k, gpo::fft::real_packed(a, b, root));
  }
  for (; k < h; ++k) z[k] = gpo::fft::real_packed(at(k), at(h - k), w[k]);
}

template <class T>
constexpr FftLoops loops_of() {
  return {load<T>,  store<T>,    stage<T>, load_stage<T>, store_stage<T>, transpose<T>,
          roots<T>, multiply<T>, chirp<T>, real_out<T>,   real_in<T>};
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(fft) {
  table.fft_float32 = loops_of<float>();
  table.fft_float64 = loops_of<double>();
}

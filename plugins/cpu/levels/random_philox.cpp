// plugins/cpu/levels/random_philox.cpp -- loops: the default generator's distributions.
#include "plugins/shared/random/random_philox.h"

#include "plugins/cpu/levels/random_table.h"

namespace gpuopt::cpu {
namespace {

using FloatTypes = Types<gpo::float16, gpo::bfloat16, float, double>;
using IntegerTypes = Types<bool, gpo::i8, gpo::i16, gpo::i32, gpo::i64, gpo::u8, gpo::u16, gpo::u32, gpo::u64>;

template <class D>
GPO_FN void fill(const D &distribution, const gpuopt_philox_state &state, int64_t first, int64_t n,
                 typename D::Value *out) {
  const gpo::Philox philox{state.key, state.counter, state.stream};
  gpo::philox_fill(distribution, philox, static_cast<gpo::u64>(first), static_cast<gpo::u64>(n), out);
}

template <class T>
void words(const RandomDraw &, const gpuopt_philox_state &state, int64_t first, int64_t n, void *out) {
  fill(gpo::PhiloxBits<T>{}, state, first, n, static_cast<T *>(out));
}

template <class T>
void uniform(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n, void *out) {
  using C = gpo::random_compute<T>;
  fill(gpo::PhiloxUniform<T>{C(draw.f[0]), C(draw.f[1])}, state, first, n, static_cast<T *>(out));
}

template <class T>
void normal(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n, void *out) {
  using C = gpo::random_compute<T>;
  fill(gpo::PhiloxNormal<T>{C(draw.f[0]), C(draw.f[1])}, state, first, n, static_cast<T *>(out));
}

template <class T>
void exponential(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n, void *out) {
  using C = gpo::random_compute<T>;
  fill(gpo::PhiloxExponential<T>{C(draw.f[0])}, state, first, n, static_cast<T *>(out));
}

template <class T>
void integers(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n, void *out) {
  gpo::philox_integers(static_cast<T>(draw.low), draw.span,
                       [&](const auto &d) { fill(d, state, first, n, static_cast<T *>(out)); });
}

template <class U, class I>
GPO_FN void choose(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n, U *out) {
  I k[kTableTile];
  for (int64_t i = 0; i < n; i += kTableTile) {
    const int64_t count = n - i < kTableTile ? n - i : kTableTile;
    integers<I>(draw, state, first + i, count, k);
    look_up(static_cast<const U *>(draw.table), draw.span + 1, k, static_cast<gpo::u32>(count), out + i);
  }
}

template <class U>
void choice(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n, void *out) {
  if (fits_int32(draw.span)) return choose<U, gpo::i32>(draw, state, first, n, static_cast<U *>(out));
  choose<U, gpo::i64>(draw, state, first, n, static_cast<U *>(out));
}

template <class U>
void choice_by_sums(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n, void *out) {
  constexpr int64_t tile = kTableTile / 2;
  double u[tile];
  for (int64_t i = 0; i < n; i += tile) {
    const int64_t count = n - i < tile ? n - i : tile;
    fill(gpo::PhiloxUniform<double>{0, 1}, state, first + i, count, u);
    look_up_by_sums(draw, u, static_cast<gpo::u32>(count), static_cast<U *>(out) + i);
  }
}

template <class... T>
void install_floats(RandomLoops &loops, Types<T...>) {
  ((loops.philox[GPUOPT_RANDOM_UNIFORM][dtype_of<T>] = uniform<T>), ...);
  ((loops.philox[GPUOPT_RANDOM_NORMAL][dtype_of<T>] = normal<T>), ...);
  ((loops.philox[GPUOPT_RANDOM_EXPONENTIAL][dtype_of<T>] = exponential<T>), ...);
}
template <class... T>
void install_integers(RandomLoops &loops, Types<T...>) {
  ((loops.philox[GPUOPT_RANDOM_INTEGERS][dtype_of<T>] = integers<T>), ...);
}
template <class... T>
void install_choices(RandomLoops &loops, Types<T...>) {
  ((loops.philox[GPUOPT_RANDOM_CHOICE][dtype_of<T>] = choice<bits_of<T>>), ...);
  ((loops.philox[GPUOPT_RANDOM_CHOICE_CDF][dtype_of<T>] = choice_by_sums<bits_of<T>>), ...);
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(random_philox) {
  install_floats(table.random, FloatTypes());
  install_integers(table.random, IntegerTypes());
  install_choices(table.random, AllTypes());
  table.random.philox_words = words<gpo::u64>;
}

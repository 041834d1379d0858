// plugins/cpu/levels/random_pcg64.cpp -- loops: PCG64's uniform numbers, and choices by them.
#include "plugins/cpu/levels/random_table.h"
#include "plugins/shared/random/pcg64.h"

namespace gpuopt::cpu {
namespace {

void uniform(const RandomDraw &draw, gpo::Pcg64 &state, int64_t n, void *out) {
  gpo::pcg64_fill_uniform(state, draw.f[0], draw.f[1], static_cast<gpo::u64>(n), static_cast<double *>(out));
}

template <class U>
void choice_by_sums(const RandomDraw &draw, gpo::Pcg64 &state, int64_t n, void *out) {
  constexpr int64_t tile = kTableTile / 2;
  double u[tile];
  for (int64_t i = 0; i < n; i += tile) {
    const int64_t count = n - i < tile ? n - i : tile;
    gpo::pcg64_fill_uniform(state, 0, 1, static_cast<gpo::u64>(count), u);
    look_up_by_sums(draw, u, static_cast<gpo::u32>(count), static_cast<U *>(out) + i);
  }
}

template <class... T>
void install_choices(RandomLoops &loops, Types<T...>) {
  ((loops.pcg64[GPUOPT_RANDOM_CHOICE_CDF][dtype_of<T>] = choice_by_sums<bits_of<T>>), ...);
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(random_pcg64) {
  table.random.pcg64[GPUOPT_RANDOM_UNIFORM][GPUOPT_FLOAT64] = uniform;
  install_choices(table.random, AllTypes());
}

// plugins/cpu/fft/fft_plan.cpp -- makes plans: where a transform is cut, and its factors.
#include "plugins/cpu/fft/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <tuple>
#include <vector>

#include "plugins/cpu/fft/fft_cache.h"
#include "plugins/cpu/fft/fft_rows.h"
#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/shared/fft/bluestein.h"
#include "plugins/shared/fft/butterflies.h"

namespace gpuopt::cpu {

FftMemory::FftMemory(int64_t bytes)
    : memory_(static_cast<char *>(::operator new(static_cast<size_t>(bytes), std::align_val_t(kFftRow)))),
      bytes_(bytes) {}

void FftMemory::Free::operator()(char *memory) const noexcept { ::operator delete(memory, std::align_val_t(kFftRow)); }

int64_t FftPlan::bytes() const noexcept {
  int64_t sum = chirp.bytes() + spectrum.bytes();
  for (const FftMemory &part : memory) sum += part.bytes();
  return sum;
}

namespace {

using gpo::fft::Radices;

const FftLoops &fft_loops(int32_t dtype, int level) noexcept {
  const LoopTable &table = loop_table(level);
  return dtype == GPUOPT_FLOAT32 ? table.fft_float32 : table.fft_float64;
}

int64_t rounded_up_to_lanes(int64_t size, int64_t lanes) noexcept { return (size + lanes - 1) / lanes * lanes; }

// Returns how many stages come before the cut: those with which few lanes of blocks are empty, and neither part is
// much longer than the other; 0 if the transform has one stage only.
int best_cut(const Radices &radices, int64_t n, int64_t lanes) {
  int best = 0;
  double least = 0;
  int64_t rows = 1;
  for (int i = 1; i < radices.count; i++) {
    rows *= radices.radix[i - 1];
    const int64_t columns = n / rows;
    const auto work =
        static_cast<double>(rounded_up_to_lanes(rows, lanes) * columns + rounded_up_to_lanes(columns, lanes) * rows) /
        static_cast<double>(n);
    const double cost = work + 0.25 * static_cast<double>(std::max(rows, columns)) / std::sqrt(static_cast<double>(n));
    if (best == 0 || cost < least) best = i, least = cost;
  }
  return best;
}

// Stores the roots of an odd radix in the plan, and returns them.
template <typename T>
const void *add_odd(FftPlan &plan, int radix) {
  using Roots = gpo::fft::OddRoots<T>;
  FftMemory memory(sizeof(Roots));
  Roots &roots = *new (memory.at(0)) Roots{};
  for (int j = 1; j <= radix / 2; j++) {
    const gpo::cplx<T> root = gpo::fft::root_as<T>(j, radix);
    roots.cosine[j] = root.re, roots.sine[j] = -root.im;
  }
  plan.memory.push_back(std::move(memory));
  return &roots;
}

const void *odd_roots(FftPlan &plan, int radix) {
  if (radix % 2 == 0) return nullptr;
  return plan.dtype == GPUOPT_FLOAT32 ? add_odd<float>(plan, radix) : add_odd<double>(plan, radix);
}

// Stores w(before * radix, j k) for all k < before and 1 <= j < radix, those of one k side by side.
const void *common_factors(FftPlan &plan, int64_t before, int radix) {
  if (before == 1) return nullptr;
  const int64_t complex = 2 * fft_real(plan.dtype);
  FftMemory memory(before * (radix - 1) * complex);
  for (int64_t k = 0; k < before; k++) {
    plan.loops->roots(memory.at(k * (radix - 1) * complex), k, k, before * radix, radix - 1);
  }
  plan.memory.push_back(std::move(memory));
  return plan.memory.back().at(0);
}

// Stores the factors of a second stage by lane: of each block of indices k < plan.rows those of k + c * plan.rows for
// 0 <= c < before, each for 1 <= j < radix. Lanes behind the last index have zeros.
const void *lane_factors(FftPlan &plan, int64_t before, int radix) {
  const int64_t lanes = fft_lanes(plan.dtype), blocks = (plan.rows + lanes - 1) / lanes, whole = plan.rows * before;
  const int64_t complex = 2 * fft_real(plan.dtype);
  FftMemory memory(blocks * before * (radix - 1) * 2 * kFftRow);
  parallel_for(blocks, [&](int64_t b, int) {
    alignas(kFftRow) char pairs[2 * kFftRow];
    for (int64_t c = 0; c < before; c++) {
      const int64_t k = b * lanes + c * plan.rows, count = std::min(lanes, plan.rows - b * lanes);
      for (int j = 1; j < radix; j++) {
        plan.loops->roots(pairs, j * k, j, whole * radix, count);
        char *const row = memory.at(((b * before + c) * (radix - 1) + j - 1) * 2 * kFftRow);
        plan.loops->load(row, {pairs, 0, complex, count}, 1, false);
      }
    }
  });
  plan.memory.push_back(std::move(memory));
  return plan.memory.back().at(0);
}

// Add the stages before the cut, and those behind it.
void add_first(FftPlan &plan, const Radices &radices, int end) {
  int64_t before = 1;
  for (int i = 0; i < end; i++) {
    const int radix = radices.radix[i];
    plan.first.push_back({before, plan.rows / before / radix, radix, false, common_factors(plan, before, radix),
                          odd_roots(plan, radix)});
    before *= radix;
  }
}

void add_second(FftPlan &plan, const Radices &radices, int begin) {
  int64_t before = 1;
  for (int i = begin; i < radices.count; i++) {
    const int radix = radices.radix[i];
    plan.second.push_back({before, plan.columns / before / radix, radix, true, lane_factors(plan, before, radix),
                           odd_roots(plan, radix)});
    before *= radix;
  }
}

// Fills the chirp, and the spectrum by a transform.
template <typename T>
void add_chirp(FftPlan &plan) {
  using C = gpo::cplx<T>;
  const int64_t n = plan.n, size = plan.convolution->n;
  plan.chirp = FftMemory(n * int64_t{sizeof(C)});
  plan.spectrum = FftMemory(size * int64_t{sizeof(C)});
  C *const chirp = reinterpret_cast<C *>(plan.chirp.at(0)), *const spectrum =
                                                                reinterpret_cast<C *>(plan.spectrum.at(0));
  std::fill_n(spectrum, size, C{});
  int64_t square = 0;
  for (int64_t j = 0; j < n; j++) {
    if (j > 0) square = gpo::fft::next_square(square, j, n);
    chirp[j] = gpo::fft::chirp<T>(square, n);
    spectrum[j] = {chirp[j].re, -chirp[j].im};
    if (j > 0) spectrum[size - j] = spectrum[j];
  }
  transform_fft_row(*plan.convolution, plan.spectrum.at(0), plan.spectrum.at(0), 1);
  for (int64_t i = 0; i < size; i++) {
    spectrum[i] = {spectrum[i].re / static_cast<T>(size), spectrum[i].im / static_cast<T>(size)};
  }
}

std::shared_ptr<const FftPlan> make_fft_plan(int32_t dtype, int64_t n, bool cut, int level) {
  auto plan = std::make_shared<FftPlan>();
  plan->dtype = dtype, plan->n = n, plan->rows = n;
  plan->loops = &fft_loops(dtype, level);
  Radices radices;
  if (!gpo::fft::factorize(n, radices)) {
    plan->convolution = fft_plan(dtype, gpo::fft::convolution_size(n), true, level);
    dtype == GPUOPT_FLOAT32 ? add_chirp<float>(*plan) : add_chirp<double>(*plan);
    return plan;
  }
  const int end = cut ? best_cut(radices, n, fft_lanes(dtype)) : 0;
  for (int i = end; end > 0 && i < radices.count; i++) plan->columns *= radices.radix[i];
  plan->rows = n / plan->columns;
  add_first(*plan, radices, end > 0 ? end : radices.count);
  if (end > 0) add_second(*plan, radices, end);
  return plan;
}

using FftKey = std::tuple<int32_t, int64_t, bool, int>;

}  // namespace

std::shared_ptr<const FftPlan> fft_plan(int32_t dtype, int64_t n, bool cut, int level) {
  return FftCache<FftKey, FftPlan>::get().find({dtype, n, cut, level},
                                               [&] { return make_fft_plan(dtype, n, cut, level); });
}

std::shared_ptr<const FftMemory> fft_roots(int32_t dtype, int64_t n, int level) {
  return FftCache<FftKey, FftMemory>::get().find({dtype, n, false, level}, [&] {
    auto roots = std::make_shared<FftMemory>(std::max<int64_t>(n / 2, 1) * 2 * fft_real(dtype));
    fft_loops(dtype, level).roots(roots->at(0), 0, 1, n, n / 2);
    return roots;
  });
}

}  // namespace gpuopt::cpu

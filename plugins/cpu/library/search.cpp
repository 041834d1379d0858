// plugins/cpu/library/search.cpp -- searchsorted, by binary search for keys, and bincount.
#include "plugins/cpu/library/search.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "plugins/cpu/library/sort_elements.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {
namespace {

using plugin::Walk;

// ---- searchsorted

// Whether a sorted element is less than the key or, on the right side, not greater.
template <typename T, bool right>
bool is_before(const Line &sorted, int64_t i, const gpo::sort_key_of<T> &key) noexcept {
  const gpo::sort_key_of<T> other = gpo::sort_key<T, false>(read_element<T>(sorted.at(i)));
  return right ? !(key < other) : other < key;
}

// Returns how many of the n sorted elements are less than the key or, on the right side, not greater.
template <typename T, bool right>
int64_t place_of(const Line &sorted, int64_t n, const gpo::sort_key_of<T> &key) noexcept {
  int64_t first = 0;
  while (n > 0) {
    const int64_t half = (n + 1) / 2;
    if (is_before<T, right>(sorted, first + half - 1, key)) first += half;
    n -= half;
  }
  return first;
}

// The sorted numbers as multiples of a step, where each is less than half a step from its multiple: an element's place
// is then guessed by a division and is at most two off, which a look at its neighbours mends. Histograms of bins of one
// width search such numbers.
struct EvenSteps {
  double first = 0, per_unit = 0;  // per_unit is 0 where the numbers are not evenly spaced

  int64_t guess(double x, int64_t n) const noexcept {
    const double place = (x - first) * per_unit + 1;
    return place >= static_cast<double>(n) ? n : place >= 0 ? static_cast<int64_t>(place) : 0;
  }
};

// Looks at all n numbers, so that it pays if at least as many are searched for.
template <typename T>
EvenSteps even_steps(const Line &sorted, int64_t n) noexcept {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (n < 4) return {};
    const double first = static_cast<double>(read_element<T>(sorted.at(0)));
    const double step = (static_cast<double>(read_element<T>(sorted.at(n - 1))) - first) / static_cast<double>(n - 1);
    if (!(step > 0) || !std::isfinite(1 / step)) return {};
    for (int64_t i = 0; i < n; i++) {
      const double off = static_cast<double>(read_element<T>(sorted.at(i))) - (first + static_cast<double>(i) * step);
      if (!(std::abs(off) < step / 2)) return {};
    }
    return {first, 1 / step};
  }
  return {};
}

// As place_of, beginning at a guess. Neither the value nor a sorted number is NaN, so that numbers are compared instead
// of their keys, which would have to be made of each.
template <typename T, bool right>
int64_t place_near(const Line &sorted, int64_t n, T value, int64_t guess) noexcept {
  const auto before = [&](int64_t i) {
    const T other = read_element<T>(sorted.at(i));
    return right ? other <= value : other < value;
  };
  while (guess > 0 && !before(guess - 1)) guess--;
  while (guess < n && before(guess)) guess++;
  return guess;
}

template <typename T, bool right>
int64_t find_place(const Line &sorted, int64_t n, const EvenSteps &steps, T value) noexcept {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (steps.per_unit != 0 && value == value)
      return place_near<T, right>(sorted, n, value, steps.guess(static_cast<double>(value), n));
  }
  return place_of<T, right>(sorted, n, gpo::sort_key<T, false>(value));
}

template <typename T, bool right>
void search_values(const gpuopt_tensor &sorted, const gpuopt_tensor &values, const gpuopt_tensor &out) {
  const Line line{bytes_of(sorted), sorted.strides[0]};
  const Walk<2> walk(values.ndim, values.shape, {values.strides, out.strides});
  constexpr int64_t kBlock = 4096;
  const int64_t n = walk.size(), from_step = walk.inner_stride(0), to_step = walk.inner_stride(1);
  const EvenSteps steps = sorted.shape[0] <= n ? even_steps<T>(line, sorted.shape[0]) : EvenSteps();
  parallel_for((n + kBlock - 1) / kBlock, [&](int64_t block, int) {
    walk.runs(block * kBlock, std::min(n, (block + 1) * kBlock), [&](int64_t, const auto &offsets, int64_t count) {
      const char *const from = bytes_of(values) + offsets[0];
      char *const to = bytes_of(out) + offsets[1];
      for (int64_t i = 0; i < count; i++) {
        const T value = read_element<T>(from + i * from_step);
        write_element(to + i * to_step, find_place<T, right>(line, sorted.shape[0], steps, value));
      }
    });
  });
}

// ---- bincount

// The integers, their weights if there are any, and the bins.
struct BinCall {
  explicit BinCall(const gpuopt_call &call)
      : x{bytes_of(call.tensors[0]), call.tensors[0].strides[0]},
        weights{nullptr, 0},
        bins{bytes_of(call.tensors[call.ntensors - 1]), call.tensors[call.ntensors - 1].strides[0]},
        n(call.tensors[0].shape[0]),
        count(call.tensors[call.ntensors - 1].shape[0]) {
    if (call.ntensors == 3) weights = {bytes_of(call.tensors[1]), call.tensors[1].strides[0]};
  }
  // Calls add(bin, i) for the elements [begin, end) that have a bin.
  template <typename Add>
  void for_bins(int64_t begin, int64_t end, Add add) const {
    for_places<int64_t>(x, begin, end, [&](int64_t i, const char *place) {
      const int64_t bin = read_element<int64_t>(place);
      if (bin >= 0 && bin < count) add(bin, i);
    });
  }

  Line x, weights, bins;
  int64_t n, count;
};

// Adds the weights in the order of the elements.
void add_weights(const BinCall &call) {
  for (int64_t bin = 0; bin < call.count; bin++) write_element(call.bins.at(bin), 0.0);
  call.for_bins(0, call.n, [&](int64_t bin, int64_t i) {
    const double sum = read_element<double>(call.bins.at(bin)) + read_element<double>(call.weights.at(i));
    write_element(call.bins.at(bin), sum);
  });
}

// Counts by all threads, each in a table of its own.
void count_elements(const BinCall &call) {
  const int64_t most = std::clamp<int64_t>(call.n / std::max<int64_t>(2 * call.count, 1), 1, pool_size());
  const int64_t piece = std::max<int64_t>((call.n + most - 1) / most, 1 << 15), pieces = (call.n + piece - 1) / piece;
  const uint64_t bytes = static_cast<uint64_t>(pieces * call.count) * sizeof(int64_t);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  int64_t *const tables = memory.as<int64_t>();
  parallel_for(pieces, [&](int64_t p, int) {
    int64_t *const table = tables + p * call.count;
    std::fill(table, table + call.count, 0);
    call.for_bins(p * piece, std::min(call.n, (p + 1) * piece), [&](int64_t bin, int64_t) { table[bin]++; });
  });
  for (int64_t bin = 0; bin < call.count; bin++) {
    int64_t sum = 0;
    for (int64_t p = 0; p < pieces; p++) sum += tables[p * call.count + bin];
    write_element(call.bins.at(bin), sum);
  }
}

}  // namespace

void search_sorted(const gpuopt_call &call) {
  const gpuopt_tensor &sorted = call.tensors[0], &values = call.tensors[1], &out = call.tensors[2];
  with_sorted_type(sorted.dtype, [&](auto type) {
    using T = decltype(type);
    call.ints[0] ? search_values<T, true>(sorted, values, out) : search_values<T, false>(sorted, values, out);
  });
}

void count_bins(const gpuopt_call &call) {
  const BinCall bins(call);
  bins.weights.first ? add_weights(bins) : count_elements(bins);
}

}  // namespace gpuopt::cpu

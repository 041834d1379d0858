// plugins/cpu/random/random_elements.cpp -- numbers, rows and permutations drawn one by one; see random_elements.h.
#include "plugins/cpu/random/random_elements.h"

#include <algorithm>
#include <cstring>

#include "plugins/cpu/random/random_draws.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/host/random_check.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kPhiloxElements = 1024;  // elements or rows that a task draws

// Call draw(source) with a source of the state's numbers, and store what becomes of the state.
template <class Draw>
void with_legacy(void *state, Draw &&draw) {
  static_assert(sizeof(gpo::RandomState) == sizeof(gpuopt_mt19937_state));
  gpo::RandomState local;
  std::memcpy(&local, state, sizeof local);
  gpo::LegacySource source{local};
  draw(source);
  std::memcpy(state, &local, sizeof local);
}

template <class Draw>
void with_pcg64(void *state, Draw &&draw) {
  auto &words = *static_cast<gpuopt_pcg64_state *>(state);
  const auto wide = [](const uint64_t *halves) { return gpo::u128(halves[1]) << 64 | halves[0]; };
  gpo::Pcg64 pcg{wide(words.state), wide(words.increment), static_cast<gpo::u32>(words.has_uint32), words.uinteger};
  gpo::Pcg64Source source{{pcg}};
  draw(source);
  words.state[0] = static_cast<uint64_t>(pcg.state);
  words.state[1] = static_cast<uint64_t>(pcg.state >> 64);
  words.has_uint32 = static_cast<int32_t>(pcg.has_half);
  words.uinteger = pcg.half;
}

// Calls draw(source, setup, index) for each of n elements or rows, in order but for Philox. `setup` is kept between
// those that one thread draws.
template <class DrawOne>
void draw_each(const gpuopt_call &call, int64_t n, DrawOne draw) {
  const auto serially = [&](auto &source) {
    gpo::BinomialSetup setup;
    for (int64_t i = 0; i < n; i++) draw(source, setup, i);
  };
  if (call.kind == GPUOPT_CALL_RANDOM_MT19937) return with_legacy(call.state, serially);
  if (call.kind == GPUOPT_CALL_RANDOM_PCG64) return with_pcg64(call.state, serially);
  auto &state = *static_cast<gpuopt_philox_state *>(call.state);
  parallel_for((n - 1) / kPhiloxElements + 1, [&](int64_t task, int) {
    gpo::BinomialSetup setup;
    for (int64_t i = task * kPhiloxElements; i < std::min((task + 1) * kPhiloxElements, n); i++) {
      gpo::PhiloxSource source{{state.key, state.stream, state.counter + static_cast<uint64_t>(i)}};
      draw(source, setup, i);
    }
  });
  state.counter += static_cast<uint64_t>(n);
}

[[noreturn]] void refuse(const gpuopt_call &call) {
  fail(GPUOPT_ERR_UNSUPPORTED, "random: generator %d does not draw distribution %lld as %s",
       static_cast<int>(call.kind), static_cast<long long>(call.ints[0]), dtype_name(call.tensors[0].dtype));
}

void require(const gpuopt_call &call, int32_t tensors, int32_t ints, int32_t floats) {
  if (call.ntensors < tensors || call.nints < ints || call.nfloats < floats)
    fail(GPUOPT_ERR_INTERNAL, "random: a tensor or a parameter is missing");
}

template <class T>
const T *values(const gpuopt_call &call, int32_t tensor) {
  return static_cast<const T *>(call.tensors[tensor].data);
}
template <class T>
T *output(const gpuopt_call &call) {
  return static_cast<T *>(call.tensors[0].data);
}

// ---- Distributions of numbers ----

// The parameters of one element, of which some are tensors.
class Parameters {
 public:
  explicit Parameters(const gpuopt_call &call) {
    int32_t tensor = 1;
    for (int k = 0; k < 3; k++) {
      numbers_.real[k] = call.floats[k];
      numbers_.integer[k] = call.ints[3 + k];
      if (!(call.ints[2] >> k & 1)) continue;
      require(call, tensor + 1, 6, 3);
      const gpuopt_tensor &t = call.tensors[tensor++];
      if (size_of(t) != size_of(call.tensors[0]) || (t.dtype != GPUOPT_FLOAT64 && t.dtype != GPUOPT_INT64))
        fail(GPUOPT_ERR_INTERNAL, "random: a tensor of parameters has another size or dtype");
      (t.dtype == GPUOPT_FLOAT64 ? reals_[k] : integers_[k]) = t.data;
    }
  }
  RandomParameters at(int64_t i) const {
    RandomParameters numbers = numbers_;
    for (int k = 0; k < 3; k++) {
      if (reals_[k]) numbers.real[k] = static_cast<const double *>(reals_[k])[i];
      if (integers_[k]) numbers.integer[k] = static_cast<const int64_t *>(integers_[k])[i];
    }
    return numbers;
  }

 private:
  RandomParameters numbers_{};
  const void *reals_[3] = {}, *integers_[3] = {};
};

void draw_distribution(const gpuopt_call &call, int64_t n) {
  require(call, 1, 6, 3);
  const Parameters parameters(call);
  const auto which = static_cast<gpuopt_distribution>(call.ints[1]);
  const int32_t dtype = call.tensors[0].dtype;
  if (!has_draw(which, dtype) || (dtype == GPUOPT_FLOAT32 && call.kind == GPUOPT_CALL_RANDOM_MT19937)) refuse(call);
  draw_each(call, n,
            [&, reals = output<double>(call), singles = output<float>(call), integers = output<int64_t>(call)](
                auto &source, gpo::BinomialSetup &setup, int64_t i) {
              const RandomParameters numbers = parameters.at(i);
              if (dtype == GPUOPT_FLOAT64)
                reals[i] = draw_real(source, which, numbers);
              else if (dtype == GPUOPT_INT64)
                integers[i] = draw_integer(source, setup, which, numbers);
              else if constexpr (!std::decay_t<decltype(source)>::legacy)
                singles[i] = draw_single(source, which, numbers);
            });
}

// ---- Rows ----

// The length of the output's rows, along its second axis. Checks the dtypes.
int64_t row_size(const gpuopt_call &call, int32_t dtype) {
  const gpuopt_tensor &out = call.tensors[0];
  if (out.dtype != dtype || out.ndim != 2) refuse(call);
  return out.shape[1];
}

void check_input(const gpuopt_call &call, int32_t tensor, int32_t dtype, int64_t size) {
  require(call, tensor + 1, 1, 0);
  if (call.tensors[tensor].dtype != dtype || size_of(call.tensors[tensor]) != size)
    fail(GPUOPT_ERR_INTERNAL, "random: a tensor of parameters has another size or dtype");
}

void draw_multinomial_rows(const gpuopt_call &call, int64_t n) {
  const int64_t k = row_size(call, GPUOPT_INT64), rows = n / k;
  check_input(call, 1, GPUOPT_INT64, rows);
  check_input(call, 2, GPUOPT_FLOAT64, n);
  const auto *const trials = values<int64_t>(call, 1);
  const auto *const p = values<double>(call, 2);
  draw_each(call, rows, [&](auto &source, gpo::BinomialSetup &setup, int64_t i) {
    gpo::draw_multinomial(source, setup, trials[i], p + i * k, k, output<int64_t>(call) + i * k);
  });
}

void draw_dirichlet_rows(const gpuopt_call &call, int64_t n) {
  const int64_t k = row_size(call, GPUOPT_FLOAT64);
  check_input(call, 1, GPUOPT_FLOAT64, k);
  const auto *const alpha = values<double>(call, 1);
  const Scratch memory(static_cast<uint64_t>(k) * sizeof(double));
  if (!memory) fail_out_of_memory(static_cast<uint64_t>(k) * sizeof(double));
  double *const above = memory.as<double>(), most = *std::max_element(alpha, alpha + k);
  double sum = 0;
  for (int64_t j = k; j-- > 0;) above[j] = sum += alpha[j];
  const bool small = call.kind != GPUOPT_CALL_RANDOM_MT19937 && most < 0.1;
  draw_each(call, n / k, [&](auto &source, gpo::BinomialSetup &, int64_t i) {
    double *const row = output<double>(call) + i * k;
    if (small)
      gpo::break_stick(source, alpha, above, k, row);
    else
      gpo::draw_dirichlet_of_gammas(source, alpha, k, row);
  });
}

// One row of a multivariate hypergeometric distribution; `items` is NULL, or has room for the total.
template <class Source>
void draw_colors(Source &source, const gpuopt_call &call, int64_t total, int64_t k, int64_t *items, int64_t *row) {
  const auto *const colors = values<int64_t>(call, 1);
  const int64_t sample = call.ints[1];
  const bool complement = sample > total / 2;
  const int64_t draws = complement ? total - sample : sample;
  if (items)
    gpo::draw_colors_by_counting(source, total, items, k, draws, row);
  else
    gpo::draw_colors_by_marginals(source, total, colors, k, draws, row);
  if (complement)
    for (int64_t j = 0; j < k; j++) row[j] = colors[j] - row[j];
}

// Writes each colour's number as often as there are items of it.
void list_items(const int64_t *colors, int64_t k, int64_t *items) {
  for (int64_t j = 0; j < k; j++) items = std::fill_n(items, colors[j], j);
}

// All rows by counting, in order. Each goes on with the order of items that the row before it has left, as NumPy's
// does; those of Philox, which depend on their own blocks alone, begin anew.
void draw_items(const gpuopt_call &call, int64_t rows, int64_t total, int64_t k) {
  const uint64_t bytes = static_cast<uint64_t>(total) * sizeof(int64_t);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  int64_t *const items = memory.as<int64_t>(), *const out = output<int64_t>(call);
  list_items(values<int64_t>(call, 1), k, items);
  const auto draw = [&](auto &source) {
    for (int64_t i = 0; i < rows; i++) draw_colors(source, call, total, k, items, out + i * k);
  };
  if (call.kind == GPUOPT_CALL_RANDOM_MT19937) return with_legacy(call.state, draw);
  if (call.kind == GPUOPT_CALL_RANDOM_PCG64) return with_pcg64(call.state, draw);
  auto &state = *static_cast<gpuopt_philox_state *>(call.state);
  for (int64_t i = 0; i < rows; i++) {
    list_items(values<int64_t>(call, 1), k, items);
    gpo::PhiloxSource source{{state.key, state.stream, state.counter++}};
    draw_colors(source, call, total, k, items, out + i * k);
  }
}

void draw_hypergeometric_rows(const gpuopt_call &call, int64_t n) {
  require(call, 2, 3, 0);
  const int64_t k = row_size(call, GPUOPT_INT64);
  check_input(call, 1, GPUOPT_INT64, k);
  const auto *const colors = values<int64_t>(call, 1);
  int64_t total = 0;
  for (int64_t j = 0; j < k; j++) total += colors[j];
  int64_t *const out = output<int64_t>(call);
  if (!total || !call.ints[1]) return static_cast<void>(std::fill_n(out, n, 0));
  if (!call.ints[2])
    return draw_each(call, n / k, [&](auto &source, gpo::BinomialSetup &, int64_t i) {
      draw_colors(source, call, total, k, nullptr, out + i * k);
    });
  draw_items(call, n / k, total, k);
}

// ---- Integers within bounds of their own ----

// Calls draw(a value of the type) for an integer dtype or bool.
template <class Draw>
void with_integer_type(const gpuopt_call &call, const Draw &draw) {
  switch (call.tensors[0].dtype) {
    case GPUOPT_BOOL:
      return draw(bool{});
    case GPUOPT_INT8:
      return draw(gpo::i8{});
    case GPUOPT_INT16:
      return draw(gpo::i16{});
    case GPUOPT_INT32:
      return draw(gpo::i32{});
    case GPUOPT_INT64:
      return draw(gpo::i64{});
    case GPUOPT_UINT8:
      return draw(gpo::u8{});
    case GPUOPT_UINT16:
      return draw(gpo::u16{});
    case GPUOPT_UINT32:
      return draw(gpo::u32{});
    case GPUOPT_UINT64:
      return draw(gpo::u64{});
    default:
      refuse(call);
  }
}

// Philox begins a word with each element, the others take what the one before has left of it.
template <class T>
void draw_between_as(const gpuopt_call &call, int64_t n) {
  const auto *const low = values<int64_t>(call, 1);
  const auto *const span = values<uint64_t>(call, 2);
  T *const out = output<T>(call);
  const auto serially = [&](auto &source) {
    gpo::BoundedReader<T, std::decay_t<decltype(source)>> reader(source);
    for (int64_t i = 0; i < n; i++) out[i] = reader.next(low[i], span[i]);
  };
  if (call.kind == GPUOPT_CALL_RANDOM_MT19937) return with_legacy(call.state, serially);
  if (call.kind == GPUOPT_CALL_RANDOM_PCG64) return with_pcg64(call.state, serially);
  draw_each(call, n, [&](auto &source, gpo::BinomialSetup &, int64_t i) {
    out[i] = gpo::BoundedReader<T, std::decay_t<decltype(source)>>(source).next(low[i], span[i]);
  });
}

void draw_between(const gpuopt_call &call, int64_t n) {
  check_input(call, 1, GPUOPT_INT64, n);
  check_input(call, 2, GPUOPT_UINT64, n);
  with_integer_type(call, [&](auto zero) { draw_between_as<decltype(zero)>(call, n); });
}

// ---- Generator's integers, choices and shuffles ----

template <class T>
void draw_integers_as(const gpuopt_call &call, gpo::Pcg64Source &source, int64_t n) {
  const auto span = static_cast<gpo::u64>(call.ints[2]);
  if constexpr (std::is_same_v<T, bool>)
    gpo::fill_bools(source, call.ints[1] != 0, span, n, output<bool>(call));
  else
    gpo::fill_integers(source, static_cast<T>(call.ints[1]), span, n, output<T>(call));
}

void draw_integers(const gpuopt_call &call, gpo::Pcg64Source &source, int64_t n) {
  with_integer_type(call, [&](auto zero) { draw_integers_as<decltype(zero)>(call, source, n); });
}

void draw_choice(const gpuopt_call &call, gpo::Pcg64Source &source, int64_t n) {
  const auto bytes = static_cast<size_t>(element_size(call.tensors[0].dtype));
  const auto last = static_cast<gpo::u64>(call.tensors[1].shape[0] - 1);
  const auto *const table = values<char>(call, 1);
  for (int64_t i = 0; i < n; i++) {
    const auto k = static_cast<size_t>(gpo::draw_bounded(source, last));
    std::memcpy(output<char>(call) + static_cast<size_t>(i) * bytes, table + k * bytes, bytes);
  }
}

// Numbers before those of plugins/shared/distributions: T is float or double.
template <class T>
void draw_simple(const gpuopt_call &call, gpo::Pcg64Source &source, int64_t n) {
  T *const out = output<T>(call);
  const T a = static_cast<T>(call.floats[0]), b = static_cast<T>(call.nfloats > 1 ? call.floats[1] : 0);
  for (int64_t i = 0; i < n; i++) {
    if constexpr (std::is_same_v<T, float>)
      out[i] = call.ints[0] == GPUOPT_RANDOM_UNIFORM  ? a + b * source.unit32()
               : call.ints[0] == GPUOPT_RANDOM_NORMAL ? a + b * source.normal32()
                                                      : a * source.exponential32();
    else
      out[i] = call.ints[0] == GPUOPT_RANDOM_UNIFORM  ? a + b * source.unit()
               : call.ints[0] == GPUOPT_RANDOM_NORMAL ? a + b * source.normal()
                                                      : a * source.exponential();
  }
}

void draw_sample(const gpuopt_call &call, gpo::Pcg64Source &source, int64_t n, gpo::i64 *memory) {
  const int64_t population = call.ints[1];
  gpo::i64 *const out = output<int64_t>(call);
  const auto pick = [&](gpo::u64 last) { return gpo::draw_bounded(source, last); };
  if (gpo::samples_by_shuffling(population, n, true)) {
    for (int64_t i = 0; i < population; i++) memory[i] = i;
    gpo::shuffle_from_end(population, std::max<int64_t>(population - n, 1), memory, pick);
    std::copy_n(memory + (population - n), n, out);
  } else {
    const gpo::u64 mask = gpo::floyd_mask(n);
    std::fill_n(memory, mask + 1, -1);
    gpo::sample_by_floyd(source, population, n, out, memory, mask);
    gpo::shuffle_from_end(n, 1, out, pick);
  }
}

void draw_rows(const gpuopt_call &call, gpo::Pcg64Source &source, int64_t n) {
  const int64_t k = row_size(call, GPUOPT_INT64);
  for (int64_t i = 0; i < n / k; i++) gpo::fill_permutation(source, k, output<int64_t>(call) + i * k);
}

// The bytes of memory that draw_sample() needs.
uint64_t sample_bytes(const gpuopt_call &call, int64_t n) {
  if (call.ints[0] != GPUOPT_RANDOM_SAMPLE) return 0;
  const bool shuffles = gpo::samples_by_shuffling(call.ints[1], n, true);
  return sizeof(gpo::i64) * (shuffles ? static_cast<uint64_t>(call.ints[1]) : gpo::floyd_mask(n) + 1);
}

void draw_by_pcg64(const gpuopt_call &call, int64_t n) {
  const int32_t dtype = call.tensors[0].dtype;
  const int64_t distribution = call.ints[0];
  if (element_size(dtype) <= 0) refuse(call);
  const bool real = distribution <= GPUOPT_RANDOM_EXPONENTIAL;
  const char *const bad = distribution < plugin::kRandomDistributions ? plugin::find_bad_argument(call) : nullptr;
  if (bad) fail(GPUOPT_ERR_INTERNAL, "random: %s", bad);
  if (real && dtype != GPUOPT_FLOAT64 && dtype != GPUOPT_FLOAT32) refuse(call);
  const bool order = distribution == GPUOPT_RANDOM_PERMUTATION || distribution == GPUOPT_RANDOM_SAMPLE;
  if (order && (dtype != GPUOPT_INT64 || call.tensors[0].ndim != 1)) refuse(call);
  if (distribution == GPUOPT_RANDOM_SAMPLE) require(call, 1, 2, 0);
  if (distribution == GPUOPT_RANDOM_SAMPLE && n > call.ints[1])
    fail(GPUOPT_ERR_INTERNAL, "random: the sample is larger than the population");
  const uint64_t bytes = sample_bytes(call, n);
  const Scratch memory(std::max<uint64_t>(bytes, 1));
  if (!memory) fail_out_of_memory(bytes);
  with_pcg64(call.state, [&](gpo::Pcg64Source &source) {
    if (real)
      return dtype == GPUOPT_FLOAT64 ? draw_simple<double>(call, source, n) : draw_simple<float>(call, source, n);
    if (distribution == GPUOPT_RANDOM_INTEGERS) return draw_integers(call, source, n);
    if (distribution == GPUOPT_RANDOM_CHOICE) return draw_choice(call, source, n);
    if (distribution == GPUOPT_RANDOM_SAMPLE) return draw_sample(call, source, n, memory.as<gpo::i64>());
    if (distribution == GPUOPT_RANDOM_ROWS) return draw_rows(call, source, n);
    gpo::fill_permutation(source, n, output<int64_t>(call));
  });
}

}  // namespace

bool draws_by_element(const gpuopt_call &call) noexcept {
  if (call.ints[0] >= GPUOPT_RANDOM_DISTRIBUTION) return call.ints[0] <= GPUOPT_RANDOM_BETWEEN;
  return call.kind == GPUOPT_CALL_RANDOM_PCG64 && call.ints[0] != GPUOPT_RANDOM_CHOICE_CDF && call.ints[0] >= 1;
}

void draw_elements(const gpuopt_call &call, int64_t n) {
  switch (call.ints[0]) {
    case GPUOPT_RANDOM_DISTRIBUTION:
      return draw_distribution(call, n);
    case GPUOPT_RANDOM_MULTINOMIAL:
      return draw_multinomial_rows(call, n);
    case GPUOPT_RANDOM_DIRICHLET:
      return draw_dirichlet_rows(call, n);
    case GPUOPT_RANDOM_HYPERGEOMETRIC:
      return draw_hypergeometric_rows(call, n);
    case GPUOPT_RANDOM_BETWEEN:
      return draw_between(call, n);
    default:
      if (call.kind != GPUOPT_CALL_RANDOM_PCG64) refuse(call);
      draw_by_pcg64(call, n);
  }
}

}  // namespace gpuopt::cpu

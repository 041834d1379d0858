// tests/unit/cpu_random_test.cpp -- the slot `random` against NumPy's numbers and the scalar definitions: every
// distribution and dtype, level and thread count; states, errors.
#include <gpuopt/random_call.h>
#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugins/cpu/random/random.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/random/pcg64.h"
#include "plugins/shared/random/random_legacy.h"
#include "plugins/shared/random/random_philox.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/random_vectors.h"

namespace gpuopt::cpu {
namespace {

using random_vectors::Crc;
using Words = std::vector<std::string>;
using Bytes = std::vector<unsigned char>;

constexpr int kLowestLevel = 2;
constexpr int64_t kSmall = 1001, kTasks = 70001, kBatches = 300001, kStreamed = 2500001;

// ---- Calls ----

template <class T>
constexpr int32_t dtype_of = 0;
#define GPUOPT_TEST_TYPE(NAME, type) \
  template <>                        \
  constexpr int32_t dtype_of<type> = GPUOPT_##NAME;
GPUOPT_TEST_TYPE(BOOL, bool)
GPUOPT_TEST_TYPE(INT8, gpo::i8)
GPUOPT_TEST_TYPE(INT16, gpo::i16)
GPUOPT_TEST_TYPE(INT32, gpo::i32)
GPUOPT_TEST_TYPE(INT64, gpo::i64)
GPUOPT_TEST_TYPE(UINT8, gpo::u8)
GPUOPT_TEST_TYPE(UINT16, gpo::u16)
GPUOPT_TEST_TYPE(UINT32, gpo::u32)
GPUOPT_TEST_TYPE(UINT64, gpo::u64)
GPUOPT_TEST_TYPE(FLOAT16, gpo::float16)
GPUOPT_TEST_TYPE(BFLOAT16, gpo::bfloat16)
GPUOPT_TEST_TYPE(FLOAT32, float)
GPUOPT_TEST_TYPE(FLOAT64, double)
GPUOPT_TEST_TYPE(COMPLEX64, gpo::c64)
GPUOPT_TEST_TYPE(COMPLEX128, gpo::c128)
#undef GPUOPT_TEST_TYPE

template <class... T>
struct Types {};
using FloatTypes = Types<gpo::float16, gpo::bfloat16, float, double>;
using IntegerTypes = Types<bool, gpo::i8, gpo::i16, gpo::i32, gpo::i64, gpo::u8, gpo::u16, gpo::u32, gpo::u64>;
using AllTypes = Types<bool, gpo::i8, gpo::i16, gpo::i32, gpo::i64, gpo::u8, gpo::u16, gpo::u32, gpo::u64, gpo::float16,
                       gpo::bfloat16, float, double, gpo::c64, gpo::c128>;

template <class... T, class F>
void for_types(Types<T...>, F &&f) {
  (f(T()), ...);
}

template <class State>
constexpr int32_t kind_of = 0;
template <>
constexpr int32_t kind_of<gpuopt_philox_state> = GPUOPT_CALL_RANDOM_PHILOX;
template <>
constexpr int32_t kind_of<gpuopt_mt19937_state> = GPUOPT_CALL_RANDOM_MT19937;
template <>
constexpr int32_t kind_of<gpuopt_pcg64_state> = GPUOPT_CALL_RANDOM_PCG64;

// What is drawn, apart from the dtype and how many. The table's bytes are of the output's dtype.
struct Draw {
  std::vector<int64_t> ints;
  std::vector<double> floats;
  Bytes table;
  std::vector<double> cdf;
};

// A call of the slot, with parts that may be spoilt before it is made.
struct RandomCall {
  std::vector<gpuopt_tensor> tensors;
  int64_t shape[3], stride = 0;
  gpuopt_call call{};
  Draw draw;

  RandomCall(int32_t kind, void *state, uint64_t state_bytes, int32_t dtype, int64_t n, void *out, Draw d)
      : draw(std::move(d)) {
    const int64_t element = element_size(dtype);
    shape[0] = n;
    shape[1] = static_cast<int64_t>(draw.table.size()) / std::max<int64_t>(element, 1);
    shape[2] = static_cast<int64_t>(draw.cdf.size());
    tensors.push_back({out, dtype, 1, &shape[0], &stride});
    if (!draw.table.empty()) tensors.push_back({draw.table.data(), dtype, 1, &shape[1], &stride});
    if (!draw.cdf.empty()) tensors.push_back({draw.cdf.data(), GPUOPT_FLOAT64, 1, &shape[2], &stride});
    call.struct_size = sizeof(call);
    call.kind = kind;
    call.state = state;
    call.state_bytes = state_bytes;
  }
  RandomCall(const RandomCall &) = delete;

  const gpuopt_call &finish() {
    call.ntensors = static_cast<int32_t>(tensors.size());
    call.tensors = tensors.data();
    call.nints = static_cast<int32_t>(draw.ints.size());
    call.ints = draw.ints.data();
    call.nfloats = static_cast<int32_t>(draw.floats.size());
    call.floats = draw.floats.data();
    return call;
  }
  gpuopt_status at_level(int level) {
    return test::status_of(nullptr, [&] { run_random_at_level(finish(), level); });
  }
  // As the host calls it: through the plugin's table.
  gpuopt_status in_slot() {
    gpuopt_plugin_desc desc{};
    desc.header = {sizeof(desc), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr};
    if (gpuopt_plugin_query_v1(test::TestHost::api(), &desc)) return GPUOPT_ERR_INTERNAL;
    return desc.api->random(nullptr, nullptr, &finish(), nullptr);
  }
};

template <class T>
struct Buffer {
  explicit Buffer(int64_t count) : n(count), data(new T[static_cast<size_t>(count) + 1]()) {}
  Bytes bytes() const {
    const auto *const first = reinterpret_cast<const unsigned char *>(data.get());
    return Bytes(first, first + n * int64_t{sizeof(T)});
  }
  int64_t n;
  std::unique_ptr<T[]> data;
};

template <class T, class State>
Bytes drawn(int level, State &state, int64_t n, const Draw &draw) {
  Buffer<T> out(n);
  RandomCall call(kind_of<State>, &state, sizeof(state), dtype_of<T>, n, out.data.get(), draw);
  EXPECT_EQ(call.at_level(level), GPUOPT_OK);
  return out.bytes();
}

template <class State>
bool same_state(const State &a, const State &b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

int levels() { return GPUOPT_TEST_SHARE > 1 ? kLowestLevel : std::max(detected_isa_level(), kLowestLevel); }

// ---- Tables ----

// Different bits in every entry.
template <class T>
std::vector<T> table_of(int64_t n) {
  std::vector<gpo::u64> words(static_cast<size_t>(n) * sizeof(T) / 8 + 1);
  for (size_t i = 0; i < words.size(); i++) words[i] = (i + 1) * 0x9e3779b97f4a7c15u;
  std::vector<T> table(static_cast<size_t>(n));
  std::memcpy(static_cast<void *>(table.data()), words.data(), static_cast<size_t>(n) * sizeof(T));
  return table;
}
template <>
std::vector<bool> table_of(int64_t n) {
  std::vector<bool> table;
  for (int64_t i = 0; i < n; i++) table.push_back(i % 3 == 1);
  return table;
}
template <class T>
Bytes bytes_of_table(const std::vector<T> &table) {
  Buffer<T> copy(static_cast<int64_t>(table.size()));
  std::copy(table.begin(), table.end(), copy.data.get());
  return copy.bytes();
}

// Running sums with steps of 0, ending in 1.
std::vector<double> sums_of(int64_t n) {
  std::vector<double> p(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++) p[i] = i % 4 == 2 ? 0.0 : 1.0 + double(i % 7);
  gpo::legacy_cumulative(p.data(), static_cast<gpo::u64>(n), p.data());
  return p;
}

template <class T>
Bytes looked_up(const std::vector<T> &table, const std::vector<int64_t> &positions) {
  Buffer<T> out(static_cast<int64_t>(positions.size()));
  for (size_t i = 0; i < positions.size(); i++) out.data[i] = table[static_cast<size_t>(positions[i])];
  return out.bytes();
}

std::vector<int64_t> positions_in(const std::vector<double> &cdf, const std::vector<double> &u) {
  std::vector<int64_t> positions;
  for (double x : u) positions.push_back(std::upper_bound(cdf.begin(), cdf.end(), x) - cdf.begin());
  return positions;
}

// ---- Philox against single elements ----

constexpr gpuopt_philox_state kPhilox{0x0123456789abcdef, 0xfffffff0, 0xfedcba9876543210};

template <class D>
std::vector<typename D::Value> elements(const D &d, int64_t n) {
  const gpo::Philox g{kPhilox.key, kPhilox.counter, kPhilox.stream};
  std::vector<typename D::Value> out;
  for (int64_t i = 0; i < n; i++) out.push_back(gpo::philox_element(d, g, static_cast<gpo::u64>(i)));
  return out;
}

template <class D>
gpuopt_philox_state after(const D &d, int64_t n) {
  gpo::Philox g{kPhilox.key, kPhilox.counter, kPhilox.stream};
  gpo::philox_advance(d, g, static_cast<gpo::u64>(n));
  return {g.seed, g.counter, g.stream};
}

template <class T>
void expect_philox(const Draw &draw, const Bytes &want, const gpuopt_philox_state &end, int64_t n) {
  for (int level = kLowestLevel; level <= levels(); level++) {
    gpuopt_philox_state state = kPhilox;
    EXPECT_TRUE(drawn<T>(level, state, n, draw) == want)
        << "v" << level << " distribution " << draw.ints[0] << " " << dtype_name(dtype_of<T>) << " " << n;
    EXPECT_TRUE(same_state(state, end)) << "v" << level << " distribution " << draw.ints[0];
  }
}

template <class D>
void expect_elements(const Draw &draw, const D &d, int64_t n) {
  expect_philox<typename D::Value>(draw, bytes_of_table(elements(d, n)), after(d, n), n);
}

void check_philox_numbers(int64_t n) {
  for_types(FloatTypes(), [&]<class T>(T) {
    using C = gpo::random_compute<T>;
    expect_elements({{GPUOPT_RANDOM_UNIFORM}, {-0.25, 3}, {}, {}}, gpo::PhiloxUniform<T>{C(-0.25), C(3)}, n);
    expect_elements({{GPUOPT_RANDOM_NORMAL}, {1, 0.1}, {}, {}}, gpo::PhiloxNormal<T>{C(1), C(0.1)}, n);
    expect_elements({{GPUOPT_RANDOM_EXPONENTIAL}, {0.7}, {}, {}}, gpo::PhiloxExponential<T>{C(0.7)}, n);
  });
}

void check_philox_integers(int64_t n) {
  for_types(IntegerTypes(), [&]<class T>(T) {
    for (gpo::u64 span : {gpo::u64(0), gpo::u64(1), gpo::u64(3), gpo::u64(99), gpo::u64(0xffffffff), gpo::u64(1) << 32,
                          gpo::u64(3) << 61, ~gpo::u64(0)}) {
      const bool is_bool = std::is_same_v<T, bool>;
      if (span > (is_bool ? 1 : ~gpo::u64(0) >> (64 - 8 * sizeof(T)))) continue;
      const T low = is_bool || gpo::is_unsigned_int<T> || span > 255 ? T(0) : T(-50);
      const int64_t wide_low = static_cast<int64_t>(low);
      gpo::philox_integers(low, span, [&](const auto &d) {
        expect_elements({{GPUOPT_RANDOM_INTEGERS, wide_low, static_cast<int64_t>(span)}, {}, {}, {}}, d, n);
      });
    }
  });
}

void check_philox_choices(int64_t n) {
  const gpo::PhiloxUniform<double> unit{0, 1};
  for (int64_t size : {1, 2, 4, 5, 8, 9, 16, 17, 1000}) {
    std::vector<int64_t> positions;
    gpuopt_philox_state end;
    gpo::philox_integers(int64_t{0}, static_cast<gpo::u64>(size - 1), [&](const auto &d) {
      positions = elements(d, n);
      end = after(d, n);
    });
    const std::vector<double> cdf = sums_of(size);
    const std::vector<int64_t> weighted = positions_in(cdf, elements(unit, n));
    for_types(AllTypes(), [&]<class T>(T) {
      const std::vector<T> table = table_of<T>(size);
      const Bytes bytes = bytes_of_table(table);
      expect_philox<T>({{GPUOPT_RANDOM_CHOICE}, {}, bytes, {}}, looked_up(table, positions), end, n);
      expect_philox<T>({{GPUOPT_RANDOM_CHOICE_CDF}, {}, bytes, cdf}, looked_up(table, weighted), after(unit, n), n);
    });
  }
}

void check_philox_permutation(int64_t n) {
  const gpo::PhiloxBits<gpo::u64> bits;
  const std::vector<gpo::u64> words = elements(bits, n);
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n; i++) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return words[a] < words[b]; });
  expect_philox<int64_t>({{GPUOPT_RANDOM_PERMUTATION}, {}, {}, {}}, bytes_of_table(order), after(bits, n), n);
}

// ---- RandomState against the loop that NumPy's vectors check ----

// In the middle of a block, and with a normal waiting if `waits`.
gpo::RandomState used_state(bool waits) {
  gpo::RandomState state;
  gpo::random_state_seed(state, 20250101);
  double out[333];
  gpo::legacy_fill_uniform(state, 0, 1, 100, out);
  gpo::legacy_fill_normal(state, 0, 1, waits ? 333 : 332, out);
  gpo::mt19937_next32(state.mt);
  return state;
}

gpuopt_mt19937_state as_plugin_state(const gpo::RandomState &state) {
  gpuopt_mt19937_state out;
  static_assert(sizeof(out) == sizeof(state));
  std::memcpy(&out, &state, sizeof(out));
  return out;
}

// fill(state, n, out) is the reference.
template <class T, class Fill>
void expect_legacy(const Draw &draw, int64_t n, Fill fill) {
  for (bool waits : {false, true}) {
    gpo::RandomState reference = used_state(waits);
    const gpuopt_mt19937_state start = as_plugin_state(reference);
    Buffer<T> want(n);
    fill(reference, static_cast<gpo::u64>(n), want.data.get());
    for (int level = kLowestLevel; level <= levels(); level++) {
      gpuopt_mt19937_state state = start;
      EXPECT_TRUE(drawn<T>(level, state, n, draw) == want.bytes())
          << "v" << level << " distribution " << draw.ints[0] << " " << dtype_name(dtype_of<T>) << " " << n;
      EXPECT_TRUE(same_state(state, as_plugin_state(reference))) << "v" << level << " distribution " << draw.ints[0];
    }
  }
}

void check_legacy_numbers(int64_t n) {
  using gpo::RandomState, gpo::u64;
  expect_legacy<double>({{GPUOPT_RANDOM_UNIFORM}, {-1, 3}, {}, {}}, n,
                        [](RandomState &s, u64 k, double *out) { gpo::legacy_fill_uniform(s, -1, 3, k, out); });
  expect_legacy<double>({{GPUOPT_RANDOM_NORMAL}, {5, 0.5}, {}, {}}, n,
                        [](RandomState &s, u64 k, double *out) { gpo::legacy_fill_normal(s, 5, 0.5, k, out); });
  expect_legacy<double>({{GPUOPT_RANDOM_EXPONENTIAL}, {2}, {}, {}}, n,
                        [](RandomState &s, u64 k, double *out) { gpo::legacy_fill_exponential(s, 2, k, out); });
}

// More elements where a word gives several.
template <class T>
constexpr int64_t kBatchesOf = std::is_same_v<T, bool> ? 9000001
                               : sizeof(T) < 4         ? 1200001
                                                       : kBatches;

void check_legacy_integers(int64_t count) {
  for_types(IntegerTypes(), [&]<class T>(T) {
    const int64_t n = count == kBatches ? kBatchesOf<T> : count;
    for (gpo::u64 span :
         {gpo::u64(0), gpo::u64(1), gpo::u64(99), gpo::u64(255), gpo::u64(0x1ffff), gpo::u64(3) << 61}) {
      const bool is_bool = std::is_same_v<T, bool>;
      if (span > (is_bool ? 1 : ~gpo::u64(0) >> (64 - 8 * sizeof(T)))) continue;
      const T low = is_bool ? span == 0 : gpo::is_unsigned_int<T> || span > 255 ? T(0) : T(-50);
      const Draw draw{{GPUOPT_RANDOM_INTEGERS, static_cast<int64_t>(low), static_cast<int64_t>(span)}, {}, {}, {}};
      expect_legacy<T>(draw, n, [&](gpo::RandomState &s, gpo::u64 k, T *out) {
        if constexpr (!std::is_same_v<T, bool>) return gpo::legacy_fill_integers(s, low, span, k, out);
        if (span) return gpo::legacy_fill_bools(s, k, reinterpret_cast<bool *>(out));
        std::fill(out, out + k, low);
      });
    }
  });
}

void check_legacy_choices(int64_t n, std::initializer_list<int64_t> sizes = {1, 2, 4, 5, 10, 16, 1000}) {
  using gpo::RandomState, gpo::u64;
  for (int64_t size : sizes) {
    const std::vector<double> cdf = sums_of(size);
    for_types(AllTypes(), [&]<class T>(T) {
      const std::vector<T> table = table_of<T>(size);
      std::vector<int64_t> k;
      const auto look_up = [&](T *out) {
        for (size_t i = 0; i < k.size(); i++) out[i] = table[static_cast<size_t>(k[i])];
      };
      expect_legacy<T>({{GPUOPT_RANDOM_CHOICE}, {}, bytes_of_table(table), {}}, n, [&](RandomState &s, u64 m, T *out) {
        k.resize(m);
        gpo::legacy_fill_integers(s, int64_t{0}, u64(size - 1), m, k.data());
        look_up(out);
      });
      expect_legacy<T>({{GPUOPT_RANDOM_CHOICE_CDF}, {}, bytes_of_table(table), cdf}, n,
                       [&](RandomState &s, u64 m, T *out) {
                         std::vector<double> u(m);
                         gpo::legacy_fill_uniform(s, 0, 1, m, u.data());
                         k = positions_in(cdf, u);
                         look_up(out);
                       });
    });
  }
}

void check_legacy_permutation(int64_t n) {
  expect_legacy<int64_t>({{GPUOPT_RANDOM_PERMUTATION}, {}, {}, {}}, n,
                         [](gpo::RandomState &s, gpo::u64 k, int64_t *out) {
                           for (gpo::u64 i = 0; i < k; i++) out[i] = static_cast<int64_t>(i);
                           for (gpo::u64 i = k; i-- > 1;) std::swap(out[i], out[gpo::legacy_interval(s.mt, i)]);
                         });
}

void check_everything() {
  for (int64_t n : {int64_t{1}, int64_t{2}, kSmall, kTasks}) {
    check_philox_numbers(n);
    check_philox_integers(n);
    check_philox_permutation(n);
  }
  for (int64_t n : {int64_t{3}, kTasks}) check_philox_choices(n);
  for (int64_t n : {int64_t{1}, int64_t{2}, kSmall, kBatches}) {
    check_legacy_numbers(n);
    check_legacy_permutation(n);
  }
  for (int64_t n : {int64_t{1}, kSmall, kBatches}) check_legacy_integers(n);
  check_legacy_choices(kSmall);
  check_legacy_choices(kBatches, {4, 10});
}

// ---- Tests ----

class CpuRandomTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { test::TestHost::install(); }
};

#if defined(_WIN32)  // no fork: one thread count
TEST_F(CpuRandomTest, NumbersAndStatesAtEveryLevel) { check_everything(); }
#else
// Each count in a process of its own, before this one has threads: the pool's size is fixed once per process.
TEST_F(CpuRandomTest, NumbersAndStatesAtEveryLevelAndThreadCount) {
  for (const char *threads : {"1", "2", "7"}) {
    const pid_t child = fork();
    if (child == 0) {
      test::TestHost::set("GPUOPT_NUM_THREADS", threads);
      check_everything();
      _exit(HasFailure() || pool_size() != std::stoi(threads));
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << threads << " threads";
  }
}
#endif

TEST_F(CpuRandomTest, LargeOutputsGoPastTheCaches) {
  test::TestHost::set("GPUOPT_NUM_THREADS", "3");
  check_legacy_numbers(kStreamed);
  for (int64_t size : {4, 10}) {
    const std::vector<double> table = table_of<double>(size);
    expect_legacy<double>({{GPUOPT_RANDOM_CHOICE}, {}, bytes_of_table(table), {}}, kStreamed,
                          [&](gpo::RandomState &s, gpo::u64 n, double *out) {
                            gpo::legacy_fill_choice(s, table.data(), static_cast<gpo::u64>(size), n, out);
                          });
  }
  expect_elements({{GPUOPT_RANDOM_NORMAL}, {1, 0.1}, {}, {}}, gpo::PhiloxNormal<double>{1, 0.1}, kStreamed);
  check_philox_permutation(kStreamed);
}

Draw parse_integers(const Words &op, size_t first) {
  const auto number = [](const std::string &text) {
    if (text == "18446744073709551616") return gpo::u64(0);
    return text[0] == '-' ? gpo::u64(std::stoll(text)) : gpo::u64(std::stoull(text));
  };
  const gpo::u64 low = number(op[first]), span = number(op[first + 1]) - 1 - low;
  return {{GPUOPT_RANDOM_INTEGERS, static_cast<int64_t>(low), static_cast<int64_t>(span)}, {}, {}, {}};
}

// Draws through the slot and adds what came to the checksum.
template <class State>
void add_drawn(State &state, int32_t dtype, int64_t n, const Draw &draw, Crc &crc) {
  Bytes out(static_cast<size_t>(n * element_size(dtype)));
  RandomCall call(kind_of<State>, &state, sizeof(state), dtype, n, out.data(), draw);
  EXPECT_EQ(call.in_slot(), GPUOPT_OK);
  crc.add(out);
}

template <class State>
void add_integers(State &state, const std::string &dtype, int64_t n, const Draw &draw, Crc &crc) {
  for_types(IntegerTypes(), [&]<class T>(T) {
    if (dtype == dtype_name(dtype_of<T>)) add_drawn(state, dtype_of<T>, n, draw, crc);
  });
}

std::vector<double> weights(int64_t count) {
  std::vector<double> w(static_cast<size_t>(count));
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += w[i] = i % 5 == 0 ? 0.0 : double((7919 * i + 3) % 101);
  for (double &x : w) x /= sum;
  gpo::legacy_cumulative(w.data(), w.size(), w.data());
  return w;
}

// One operation of legacy.txt; false for those that are not the slot's.
bool add_legacy(gpuopt_mt19937_state &state, const Words &op, Crc &crc) {
  const int64_t n = std::stoll(op[1]);
  const auto number = [&](size_t i) { return std::stod(op[i]); };
  const auto table = [&](int64_t step) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < std::stoll(op[2]); i++) values.push_back(step * i);
    return bytes_of_table(values);
  };
  if (op[0] == "uniform") {
    add_drawn(state, GPUOPT_FLOAT64, n, {{GPUOPT_RANDOM_UNIFORM}, {number(2), number(3) - number(2)}, {}, {}}, crc);
  } else if (op[0] == "normal") {
    add_drawn(state, GPUOPT_FLOAT64, n, {{GPUOPT_RANDOM_NORMAL}, {number(2), number(3)}, {}, {}}, crc);
  } else if (op[0] == "exponential") {
    add_drawn(state, GPUOPT_FLOAT64, n, {{GPUOPT_RANDOM_EXPONENTIAL}, {number(2)}, {}, {}}, crc);
  } else if (op[0] == "integers") {
    add_integers(state, op[2], n, parse_integers(op, 3), crc);
  } else if (op[0] == "bools") {
    add_drawn(state, GPUOPT_BOOL, n, {{GPUOPT_RANDOM_INTEGERS, 0, 1}, {}, {}, {}}, crc);
  } else if (op[0] == "choice") {
    add_drawn(state, GPUOPT_INT64, n, {{GPUOPT_RANDOM_CHOICE}, {}, table(3), {}}, crc);
  } else if (op[0] == "weighted") {
    add_drawn(state, GPUOPT_INT64, n, {{GPUOPT_RANDOM_CHOICE_CDF}, {}, table(1), weights(std::stoll(op[2]))}, crc);
  } else if (op[0] == "permutation") {
    add_drawn(state, GPUOPT_INT64, n, {{GPUOPT_RANDOM_PERMUTATION}, {}, {}, {}}, crc);
  } else {
    return false;
  }
  return true;
}

// Draws a line of legacy.txt; false if it has operations that are not the slot's.
bool add_line(gpuopt_mt19937_state &state, const Words &words, Crc &crc) {
  Words op;
  for (size_t i = 1; i <= words.size(); i++) {
    if (i < words.size() && words[i] != ";") {
      op.push_back(words[i]);
      continue;
    }
    if (!add_legacy(state, op, crc)) return false;
    op.clear();
  }
  return true;
}

TEST_F(CpuRandomTest, RandomStateIsNumPys) {
  int checked = 0;
  for (const random_vectors::Case &c : random_vectors::read("legacy.txt")) {
    gpo::RandomState seeded;
    const std::vector<gpo::u32> seeds = random_vectors::numbers(c.words[0]);
    if (c.words[0].find(',') == std::string::npos) {
      gpo::random_state_seed(seeded, seeds[0]);
    } else {
      gpo::random_state_seed_array(seeded, seeds.data(), seeds.size());
    }
    gpuopt_mt19937_state state = as_plugin_state(seeded);
    Crc results, end;
    if (!add_line(state, c.words, results)) continue;
    end.add(&state, sizeof(state));
    EXPECT_EQ(results.hex(), c.checksums[0]) << c.line.substr(0, 200);
    EXPECT_EQ(end.hex(), c.checksums[1]) << c.line.substr(0, 200);
    checked++;
  }
  EXPECT_GT(checked, 100);
}

TEST_F(CpuRandomTest, PhiloxVectors) {
  const std::map<std::string, std::pair<int32_t, int64_t>> by_name = {
      {"uniform_f16", {GPUOPT_FLOAT16, GPUOPT_RANDOM_UNIFORM}},
      {"uniform_f32", {GPUOPT_FLOAT32, GPUOPT_RANDOM_UNIFORM}},
      {"uniform_f64", {GPUOPT_FLOAT64, GPUOPT_RANDOM_UNIFORM}},
      {"permutation", {GPUOPT_INT64, GPUOPT_RANDOM_PERMUTATION}}};
  for (const random_vectors::Case &c : random_vectors::read("philox.txt")) {
    gpuopt_philox_state state{std::stoull(c.words[0]), 0, std::stoull(c.words[1])};
    const int64_t n = std::stoll(c.words[3]);
    const auto found = by_name.find(c.words[2]);
    Crc crc;
    if (c.words[2] == "integers") {
      add_integers(state, c.words[4], n, parse_integers(c.words, 5), crc);
    } else if (found != by_name.end()) {
      add_drawn(state, found->second.first, n, {{found->second.second}, {0, 1}, {}, {}}, crc);
    } else {
      continue;
    }
    EXPECT_EQ(crc.hex(), c.checksums[0]) << c.line;
  }
}

gpuopt_pcg64_state as_plugin_state(const gpo::Pcg64 &pcg) {
  return {{gpo::u64(pcg.state), gpo::u64(pcg.state >> 64)},
          {gpo::u64(pcg.increment), gpo::u64(pcg.increment >> 64)},
          static_cast<int32_t>(pcg.has_half),
          pcg.half};
}

TEST_F(CpuRandomTest, Pcg64IsNumPys) {
  for (const random_vectors::Case &c : random_vectors::read("pcg64.txt")) {
    const std::vector<gpo::u32> entropy = random_vectors::numbers(c.words[0]);
    gpo::Pcg64 pcg = gpo::pcg64_seed(entropy.data(), entropy.size());
    for (uint64_t i = 0; i < std::stoull(c.words[1]); i++) gpo::pcg64_next32(pcg);
    for (int i = 0; i < 100; i++) gpo::pcg64_next64(pcg);
    gpuopt_pcg64_state state = as_plugin_state(pcg);
    Crc crc;
    add_drawn(state, GPUOPT_FLOAT64, 1001, {{GPUOPT_RANDOM_UNIFORM}, {0, 1}, {}, {}}, crc);
    EXPECT_EQ(crc.hex(), c.checksums[2]) << c.line;
    for (int i = 0; i < 1001; i++) gpo::pcg64_next64(pcg);
    EXPECT_TRUE(same_state(state, as_plugin_state(pcg))) << c.line;
  }
}

TEST_F(CpuRandomTest, Pcg64AtEveryLevel) {
  const gpo::u32 seed = 7;
  for (int64_t n : {kSmall, kStreamed}) {
    gpo::Pcg64 pcg = gpo::pcg64_seed(&seed, 1);
    const gpuopt_pcg64_state start = as_plugin_state(pcg);
    std::vector<double> u(static_cast<size_t>(n));
    gpo::pcg64_fill_uniform(pcg, 0, 1, u.size(), u.data());
    const std::vector<double> cdf = sums_of(11);
    const std::vector<gpo::c128> table = table_of<gpo::c128>(11);
    const Bytes want = looked_up(table, positions_in(cdf, u));
    for (int level = kLowestLevel; level <= levels(); level++) {
      gpuopt_pcg64_state state = start;
      EXPECT_TRUE(drawn<double>(level, state, n, {{GPUOPT_RANDOM_UNIFORM}, {0, 1}, {}, {}}) == bytes_of_table(u));
      EXPECT_TRUE(same_state(state, as_plugin_state(pcg)));
      state = start;
      EXPECT_TRUE(drawn<gpo::c128>(level, state, n, {{GPUOPT_RANDOM_CHOICE_CDF}, {}, bytes_of_table(table), cdf}) ==
                  want);
      EXPECT_TRUE(same_state(state, as_plugin_state(pcg)));
    }
  }
}

// ---- Errors, and nothing done ----

// A call that draws four doubles from a state of its own; `spoil` breaks it. The state and the output must stay.
template <class State, class Spoil>
void expect_error(gpuopt_status want, const Draw &draw, Spoil spoil, int32_t dtype = GPUOPT_FLOAT64) {
  State state, start;
  std::memset(&state, 0x11, sizeof(state));
  start = state;
  double out[8] = {7, 7, 7, 7, 7, 7, 7, 7};
  RandomCall call(kind_of<State>, &state, sizeof(state), dtype, 4, out, draw);
  spoil(call);
  EXPECT_EQ(call.in_slot(), want) << "distribution " << (draw.ints.empty() ? -1 : draw.ints[0]);
  EXPECT_TRUE(same_state(state, start));
  for (double x : out) EXPECT_EQ(x, 7);
}
constexpr auto kUnspoilt = [](RandomCall &) {};

const Draw kUniform{{GPUOPT_RANDOM_UNIFORM}, {0, 1}, {}, {}}, kChoice{{GPUOPT_RANDOM_CHOICE}, {}, Bytes(16), {}},
    kWeighted{{GPUOPT_RANDOM_CHOICE_CDF}, {}, Bytes(16), {0.5, 1}},
    kIntegers{{GPUOPT_RANDOM_INTEGERS, 0, 9}, {}, {}, {}}, kPermutation{{GPUOPT_RANDOM_PERMUTATION}, {}, {}, {}};

template <class State>
void expect_common_errors() {
  for (int64_t distribution : {int64_t{0}, int64_t{-1}, int64_t{15}, int64_t{1} << 32, int64_t{1} << 62})
    expect_error<State>(GPUOPT_ERR_UNSUPPORTED, {{distribution}, {0, 1}, {}, {}}, kUnspoilt);
  expect_error<State>(GPUOPT_ERR_UNSUPPORTED, kUniform, kUnspoilt, GPUOPT_INT32);
  expect_error<State>(GPUOPT_ERR_UNSUPPORTED, kUniform, [](RandomCall &c) { c.tensors[0].dtype = 77; });
  expect_error<State>(GPUOPT_ERR_UNSUPPORTED, kUniform, [](RandomCall &c) { c.call.kind = 51; });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kUniform, [](RandomCall &c) { c.call.state_bytes--; });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kUniform, [](RandomCall &c) { c.call.state = nullptr; });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kUniform, [](RandomCall &c) { c.draw.ints.clear(); });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kUniform, [](RandomCall &c) { c.draw.floats.pop_back(); });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kUniform, [](RandomCall &c) { c.tensors.clear(); });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kWeighted, [](RandomCall &c) { c.tensors.pop_back(); });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kWeighted, [](RandomCall &c) { c.tensors[1].dtype = GPUOPT_INT64; });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kWeighted, [](RandomCall &c) { c.shape[1] = 0; });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kWeighted, [](RandomCall &c) { c.shape[2] = 1; });
  expect_error<State>(GPUOPT_ERR_INTERNAL, kWeighted, [](RandomCall &c) { c.tensors[2].dtype = GPUOPT_FLOAT32; });
}

TEST_F(CpuRandomTest, Errors) {
  expect_common_errors<gpuopt_philox_state>();
  expect_common_errors<gpuopt_mt19937_state>();
  expect_common_errors<gpuopt_pcg64_state>();
  const auto one_int = [](RandomCall &c) { c.draw.ints.resize(1); };
  const auto flat = [](RandomCall &c) { c.tensors[0].ndim = 0; };
  expect_error<gpuopt_philox_state>(GPUOPT_ERR_INTERNAL, kIntegers, one_int, GPUOPT_INT64);
  expect_error<gpuopt_mt19937_state>(GPUOPT_ERR_INTERNAL, kIntegers, one_int, GPUOPT_INT64);
  expect_error<gpuopt_philox_state>(GPUOPT_ERR_INTERNAL, kPermutation, flat, GPUOPT_INT64);
  expect_error<gpuopt_mt19937_state>(GPUOPT_ERR_INTERNAL, kPermutation, flat, GPUOPT_INT64);
  expect_error<gpuopt_philox_state>(GPUOPT_ERR_UNSUPPORTED, kPermutation, kUnspoilt, GPUOPT_FLOAT64);
  expect_error<gpuopt_mt19937_state>(GPUOPT_ERR_UNSUPPORTED, kPermutation, kUnspoilt, GPUOPT_INT32);
  expect_error<gpuopt_mt19937_state>(GPUOPT_ERR_UNSUPPORTED, kUniform, kUnspoilt, GPUOPT_FLOAT32);
  expect_error<gpuopt_pcg64_state>(GPUOPT_ERR_INTERNAL, kIntegers, one_int, GPUOPT_INT64);
  expect_error<gpuopt_pcg64_state>(GPUOPT_ERR_UNSUPPORTED, kIntegers, kUnspoilt, GPUOPT_FLOAT64);
}

TEST_F(CpuRandomTest, EmptyOutputsDrawNothing) {
  const auto empty = [](RandomCall &c) { c.shape[0] = 0; };
  for (const Draw &draw : {kUniform, kChoice, kWeighted}) {
    expect_error<gpuopt_philox_state>(GPUOPT_OK, draw, empty);
    expect_error<gpuopt_mt19937_state>(GPUOPT_OK, draw, empty);
  }
  expect_error<gpuopt_philox_state>(GPUOPT_OK, kPermutation, empty, GPUOPT_INT64);
  expect_error<gpuopt_mt19937_state>(GPUOPT_OK, kPermutation, empty, GPUOPT_INT64);
  expect_error<gpuopt_pcg64_state>(GPUOPT_OK, kUniform, empty);
}

TEST_F(CpuRandomTest, OutputsOfAnyShape) {
  const int64_t shape[] = {3, 1, 5, 2};
  for (int32_t ndim : {0, 2, 4}) {
    int64_t n = 1;
    for (int32_t axis = 0; axis < ndim; axis++) n *= shape[axis];
    gpuopt_philox_state state = kPhilox, flat_state = kPhilox;
    std::vector<double> out(30), want(30);
    RandomCall call(GPUOPT_CALL_RANDOM_PHILOX, &state, sizeof(state), GPUOPT_FLOAT64, n, out.data(), kUniform);
    call.tensors[0].ndim = ndim;
    call.tensors[0].shape = shape;
    EXPECT_EQ(call.in_slot(), GPUOPT_OK);
    RandomCall flat(GPUOPT_CALL_RANDOM_PHILOX, &flat_state, sizeof(state), GPUOPT_FLOAT64, n, want.data(), kUniform);
    EXPECT_EQ(flat.in_slot(), GPUOPT_OK);
    EXPECT_EQ(out, want);
    EXPECT_TRUE(same_state(state, flat_state));
  }
}

// Working memory that is refused: the state stays, and the same call succeeds once there is memory.
template <class State, class T>
void expect_out_of_memory(const Draw &draw) {
  State state, start;
  std::memset(&state, 0x11, sizeof(state));
  start = state;
  Buffer<T> out(kBatchesOf<T>);
  RandomCall call(kind_of<State>, &state, sizeof(state), dtype_of<T>, kBatchesOf<T>, out.data.get(), draw);
  Allocator::get().trim();
  Allocator::get().set_limit(4096);
  EXPECT_EQ(call.in_slot(), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_TRUE(same_state(state, start));
  Allocator::get().set_limit(0);
  EXPECT_EQ(call.in_slot(), GPUOPT_OK);
  EXPECT_FALSE(same_state(state, start));
}

TEST_F(CpuRandomTest, OutOfMemory) {
  expect_out_of_memory<gpuopt_philox_state, int64_t>(kPermutation);
  expect_out_of_memory<gpuopt_mt19937_state, double>(kUniform);
  expect_out_of_memory<gpuopt_mt19937_state, double>({{GPUOPT_RANDOM_NORMAL}, {0, 1}, {}, {}});
  expect_out_of_memory<gpuopt_mt19937_state, gpo::i8>({{GPUOPT_RANDOM_INTEGERS, 0, 99}, {}, {}, {}});
}

}  // namespace
}  // namespace gpuopt::cpu

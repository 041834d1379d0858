// tests/cuda/random_test.cpp -- what the device draws is, bit for bit, what the shared definitions draw on the host.
#include <gpuopt/random_call.h>

#include <algorithm>
#include <numeric>

#include "plugins/shared/random/random_legacy.h"
#include "plugins/shared/random/random_philox.h"
#include "tests/cuda/library_support.h"

namespace gpuopt::cuda {
namespace {

using test::Array;
using test::Layout;

constexpr gpuopt_philox_state kState = {0x123456789abcdef0u, 0xfffffffeu, 0x77u};  // the counter's low half overflows
constexpr gpo::Philox kPhilox = {kState.key, kState.counter, kState.stream};

struct Draw {
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<Array *> inputs;
};

class Random : public LibraryTest {
 protected:
  // Draws n elements; `shift` moves the output off its alignment by that many elements.
  Array drawn(int32_t dtype, int64_t n, int64_t shift, Draw draw, gpuopt_philox_state &state) {
    Array out(dtype, {n + shift});
    std::vector<gpuopt_tensor> tensors;
    for (Array *input : draw.inputs) tensors.push_back(input->tensor_at(uploaded(input->storage())));
    tensors.insert(tensors.begin(), out.tensor_at(uploaded(out.storage())));
    tensors[0].data = static_cast<unsigned char *>(tensors[0].data) + shift * plugin::element_size(dtype);
    tensors[0].shape = &n;
    gpuopt_call call{};
    call.kind = GPUOPT_CALL_RANDOM_PHILOX;
    call.ntensors = static_cast<int32_t>(tensors.size());
    call.nints = static_cast<int32_t>(draw.ints.size());
    call.nfloats = static_cast<int32_t>(draw.floats.size());
    call.tensors = tensors.data();
    call.ints = draw.ints.data();
    call.floats = draw.floats.data();
    call.state = &state;
    call.state_bytes = sizeof state;
    EXPECT_EQ(SLOT(random)(device, stream, &call, &error), GPUOPT_OK) << error.message;
    download(out.storage().data(), blocks.back().first, out.storage().size());
    for (size_t i = 0; i < tensors.size(); i++) free_last();
    return out;
  }

  // The call gives what `distribution` gives on the host, touches nothing else, and advances the state as that does.
  template <class D>
  void expect_draws(int32_t dtype, const D &distribution, const Draw &draw) {
    using T = typename D::Value;
    for (const int64_t n : {1, 2, 3, 4, 1023, 5000}) {
      for (const int64_t shift : {0, 1}) {
        gpuopt_philox_state state = kState;
        Array expected(dtype, {n + shift});
        Array out = drawn(dtype, n, shift, draw, state);
        for (int64_t i = 0; i < n; i++)
          expected.set<T>(i + shift, gpo::philox_element(distribution, kPhilox, static_cast<gpo::u64>(i)));
        EXPECT_TRUE(out == expected) << "dtype " << dtype << ", " << n << " elements, shift " << shift;
        gpo::Philox after = kPhilox;
        gpo::philox_advance(distribution, after, static_cast<gpo::u64>(n));
        EXPECT_EQ(state.counter, after.counter);
      }
    }
  }

  template <class T>
  void expect_floats(int32_t dtype) {
    using C = gpo::random_compute<T>;
    const double a = -1.3, b = 2.7;
    expect_draws(dtype, gpo::PhiloxUniform<T>{C(a), C(b)}, {{GPUOPT_RANDOM_UNIFORM}, {a, b}, {}});
    expect_draws(dtype, gpo::PhiloxNormal<T>{C(a), C(b)}, {{GPUOPT_RANDOM_NORMAL}, {a, b}, {}});
    expect_draws(dtype, gpo::PhiloxExponential<T>{C(b)}, {{GPUOPT_RANDOM_EXPONENTIAL}, {b}, {}});
  }

  template <class T>
  void expect_integers(int32_t dtype) {
    const int bits = gpo::is_same<T, bool> ? 1 : 8 * static_cast<int>(sizeof(T));
    const uint64_t widest = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    for (const uint64_t span : {uint64_t{0}, uint64_t{1}, widest / 3, widest - 1, widest}) {
      const int64_t low = gpo::is_signed_int<T> ? static_cast<int64_t>(~(widest / 2)) : 0;
      gpo::philox_integers(static_cast<T>(low), span, [&](const auto &distribution) {
        expect_draws(dtype, distribution, {{GPUOPT_RANDOM_INTEGERS, low, static_cast<int64_t>(span)}, {}, {}});
      });
    }
  }
};

TEST_F(Random, Floats) {
  expect_floats<gpo::float16>(GPUOPT_FLOAT16);
  expect_floats<gpo::bfloat16>(GPUOPT_BFLOAT16);
  expect_floats<float>(GPUOPT_FLOAT32);
  expect_floats<double>(GPUOPT_FLOAT64);
}

TEST_F(Random, Integers) {
  expect_integers<bool>(GPUOPT_BOOL);
  expect_integers<gpo::i8>(GPUOPT_INT8);
  expect_integers<gpo::u16>(GPUOPT_UINT16);
  expect_integers<gpo::i32>(GPUOPT_INT32);
  expect_integers<gpo::i64>(GPUOPT_INT64);
  expect_integers<gpo::u64>(GPUOPT_UINT64);
}

constexpr int32_t kTableDtypes[] = {GPUOPT_BOOL, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128};

TEST_F(Random, Choice) {
  for (const int32_t dtype : kTableDtypes) {
    for (const int64_t size : {1, 4, 1000}) {
      Array table(dtype, {size}, Layout::kC, 7);
      gpuopt_philox_state state = kState;
      Array out = drawn(dtype, 777, 0, {{GPUOPT_RANDOM_CHOICE}, {}, {&table}}, state), expected(dtype, {777});
      gpo::philox_integers(gpo::i64{0}, static_cast<gpo::u64>(size - 1), [&](const auto &distribution) {
        for (int64_t i = 0; i < 777; i++)
          expected.copy_from(i, table, gpo::philox_element(distribution, kPhilox, static_cast<gpo::u64>(i)));
      });
      EXPECT_TRUE(out == expected) << dtype << " of " << size;
    }
  }
}

TEST_F(Random, ChoiceBySums) {
  for (const int32_t dtype : kTableDtypes) {
    for (const int64_t size : {1, 2, 7, 1000}) {
      Array table(dtype, {size}, Layout::kC, 7), sums(GPUOPT_FLOAT64, {size});
      for (int64_t i = 0; i < size; i++)  // every second entry has no probability
        sums.set<double>(i, static_cast<double>(i / 2 * 2) / static_cast<double>(size));
      sums.set<double>(size - 1, 1);
      gpuopt_philox_state state = kState;
      Array out = drawn(dtype, 777, 0, {{GPUOPT_RANDOM_CHOICE_CDF}, {}, {&table, &sums}}, state);
      Array expected(dtype, {777});
      for (int64_t i = 0; i < 777; i++) {
        const double u = gpo::philox_element(gpo::PhiloxUniform<double>{0, 1}, kPhilox, static_cast<gpo::u64>(i));
        int64_t k = 0;
        while (k < size - 1 && sums.get<double>(k) <= u) k++;
        expected.copy_from(i, table, k);
      }
      EXPECT_TRUE(out == expected) << dtype << " of " << size;
      EXPECT_EQ(state.counter, kState.counter + 389);
    }
  }
}

TEST_F(Random, Permutation) {
  for (const int64_t n : {1, 2, 3, 2047, 2048, 2049, 10000}) {
    std::vector<gpo::u64> words;
    for (int64_t i = 0; i < n; i++)
      words.push_back(gpo::philox_element(gpo::PhiloxBits<gpo::u64>{}, kPhilox, static_cast<gpo::u64>(i)));
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      return words[static_cast<size_t>(i)] < words[static_cast<size_t>(j)];
    });
    gpuopt_philox_state state = kState;
    Array out = drawn(GPUOPT_INT64, n, 0, {{GPUOPT_RANDOM_PERMUTATION}, {}, {}}, state), expected(GPUOPT_INT64, {n});
    for (int64_t i = 0; i < n; i++) expected.set(i, order[static_cast<size_t>(i)]);
    EXPECT_TRUE(out == expected) << n;
    EXPECT_EQ(state.counter, kState.counter + static_cast<uint64_t>((n + 1) / 2));
  }
}

TEST_F(Random, SequencesAreLeftToTheHost) {
  gpuopt_call call{};
  for (const int32_t kind : {GPUOPT_CALL_RANDOM_MT19937, GPUOPT_CALL_RANDOM_PCG64}) {
    call.kind = kind;
    EXPECT_EQ(SLOT(random)(device, stream, &call, &error), GPUOPT_ERR_UNSUPPORTED);
  }
}

}  // namespace
}  // namespace gpuopt::cuda

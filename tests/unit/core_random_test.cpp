// tests/unit/core_random_test.cpp -- RandomState and Generator as the core drives them: seeding, choice, permutation,
// failures.
//
// The MT19937 cases compare with numpy.random.RandomState (tests/data/random_state/vectors.txt). They run on a device
// whose slot is the plain reference below, so that they test the core alone.
#include <gpuopt/random_call.h>
#include <gpuopt_test_paths.h>

#include <cmath>
#include <cstring>
#include <sstream>

#include "tests/unit/core_bare_device.h"

using namespace support;

namespace {

// MT19937 and the legacy distributions one number at a time, after Matsumoto and Nishimura's mt19937ar and NumPy's
// documented stream compatibility.
class Reference {
 public:
  explicit Reference(gpuopt_mt19937_state &state) : s_(state) {}

  uint32_t word() {
    if (s_.pos == 624) refill();
    uint32_t y = s_.key[s_.pos++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
  }
  double unit() {
    const uint32_t a = word() >> 5, b = word() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
  }
  double gauss() {
    if (s_.has_gauss) {
      s_.has_gauss = 0;
      return std::exchange(s_.gauss, 0.0);
    }
    double x, y, r;
    do {
      x = 2 * unit() - 1;
      y = 2 * unit() - 1;
      r = x * x + y * y;
    } while (r >= 1 || r == 0);
    const double f = std::sqrt(-2 * std::log(r) / r);
    s_.gauss = f * x;
    s_.has_gauss = 1;
    return f * y;
  }
  // [0, span] by masked rejection, as random_interval and the 64-bit randint.
  uint64_t below(uint64_t span) {
    if (span == 0) return 0;
    uint64_t mask = span, v = 0;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    do {
      v = word();
      if (span > 0xffffffffu) v = v << 32 | word();
    } while ((v & mask) > span);
    return v & mask;
  }

 private:
  void refill() {
    for (int k = 0; k < 624; ++k) {
      const uint32_t y = (s_.key[k] & 0x80000000u) | (s_.key[(k + 1) % 624] & 0x7fffffffu);
      s_.key[k] = s_.key[(k + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    s_.pos = 0;
  }
  gpuopt_mt19937_state &s_;
};

int64_t elements(const gpuopt_tensor &t) {
  int64_t n = 1;
  for (int k = 0; k < t.ndim; ++k) n *= t.shape[k];
  return n;
}

void permute(Reference &random, int64_t *out, int64_t n) {
  for (int64_t k = 0; k < n; ++k) out[k] = k;
  for (int64_t k = n - 1; k > 0; --k) std::swap(out[k], out[random.below(static_cast<uint64_t>(k))]);
}

// The slot, for outputs of 8-byte elements.
gpuopt_status reference_slot(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  if (call->kind != GPUOPT_CALL_RANDOM_MT19937) return GPUOPT_ERR_UNSUPPORTED;
  EXPECT_EQ(call->state_bytes, sizeof(gpuopt_mt19937_state));
  Reference random(*static_cast<gpuopt_mt19937_state *>(call->state));
  const gpuopt_tensor &t = call->tensors[0];
  auto *doubles = static_cast<double *>(t.data);
  auto *integers = static_cast<int64_t *>(t.data);
  const int64_t n = elements(t);
  const int64_t *table = call->ntensors > 1 ? static_cast<const int64_t *>(call->tensors[1].data) : nullptr;
  const double *cdf = call->ntensors > 2 ? static_cast<const double *>(call->tensors[2].data) : nullptr;
  if (call->ints[0] == GPUOPT_RANDOM_PERMUTATION) permute(random, integers, n);
  for (int64_t k = 0; k < n; ++k) {
    switch (call->ints[0]) {
      case GPUOPT_RANDOM_UNIFORM:
        doubles[k] = call->floats[0] + call->floats[1] * random.unit();
        break;
      case GPUOPT_RANDOM_NORMAL:
        doubles[k] = call->floats[0] + call->floats[1] * random.gauss();
        break;
      case GPUOPT_RANDOM_INTEGERS:
        if (t.dtype != GPUOPT_INT64) return GPUOPT_ERR_UNSUPPORTED;
        integers[k] = call->ints[1] + static_cast<int64_t>(random.below(static_cast<uint64_t>(call->ints[2])));
        break;
      case GPUOPT_RANDOM_CHOICE:
        integers[k] = table[random.below(static_cast<uint64_t>(call->tensors[1].shape[0] - 1))];
        break;
      case GPUOPT_RANDOM_CHOICE_CDF: {
        const double u = random.unit();
        int64_t at = 0;
        while (cdf[at] <= u) ++at;
        integers[k] = table[at];
        break;
      }
    }
  }
  return GPUOPT_OK;
}

class ReferenceDevice : public BareDevice {
 public:
  ReferenceDevice() { const_cast<gpuopt::Backend *>(get()->backend)->api.random = reference_slot; }
};

struct StateReleaser {
  void operator()(gpuopt_random_state s) const { gpuopt_random_state_release(s); }
  void operator()(gpuopt_generator g) const { gpuopt_generator_release(g); }
};
using State = std::unique_ptr<gpuopt_random_state_s, StateReleaser>;
using Generator = std::unique_ptr<gpuopt_generator_s, StateReleaser>;

State new_state(gpuopt_device device, uint32_t seed = 1) {
  gpuopt_random_state state = nullptr;
  EXPECT_EQ(gpuopt_random_state_create(device, seed, &state, nullptr), GPUOPT_OK);
  return State(state);
}

Generator new_generator(gpuopt_device device, uint64_t seed) {
  gpuopt_generator generator = nullptr;
  EXPECT_EQ(gpuopt_generator_create(device, seed, &generator, nullptr), GPUOPT_OK);
  return Generator(generator);
}

// A case of vectors.txt: the words before and after "=", and the number after "next".
struct Case {
  std::vector<std::string> call, values;
  double next = 0;
  int64_t number(size_t k) const { return std::stoll(call[k]); }
};

std::vector<Case> read_cases() {
  std::istringstream in(read_file(GPUOPT_SOURCE_DIR "/tests/data/random_state/vectors.txt"));
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    Case c;
    std::istringstream words(line);
    std::string word;
    while (words >> word && word != "=") c.call.push_back(word);
    while (words >> word && word != ";") c.values.push_back(word);
    words >> word >> word;
    c.next = std::stod(word);
    cases.push_back(c);
  }
  return cases;
}

// Runs a case on a device; arrays are read back in place of the values.
class Runner {
 public:
  Runner(gpuopt_device device, const Case &c) : device_(device), c_(c), state_(seeded()) {}

  Array run() {
    const std::string &name = c_.call[0];
    const int64_t n = name.compare(0, 4, "seed") == 0 ? 3 : std::stoll(c_.call.back());
    const int32_t ndim = n < 0 ? 0 : 1;
    Result r;
    const auto take = [&](gpuopt_status status) { return r.take(status); };
    if (name == "uniform")
      return take(gpuopt_random_state_uniform(state_.get(), c_.number(1), c_.number(2), ndim, &n, &r.array, &r.error));
    if (name == "normal")
      return take(gpuopt_random_state_normal(state_.get(), c_.number(1), c_.number(2), ndim, &n, &r.array, &r.error));
    if (name == "permutation_shape")
      return take(gpuopt_random_state_permutation(state_.get(), 0, shaped().get(), &r.array, &r.error));
    if (name == "shuffle_shape") return shuffled(shaped());
    if (name == "randint") return randint(n);
    if (name.compare(0, 6, "choice") == 0) return choice(name, n);
    if (name == "permutation")
      return take(gpuopt_random_state_permutation(state_.get(), n, nullptr, &r.array, &r.error));
    if (name == "permutation_rows")
      return take(gpuopt_random_state_permutation(state_.get(), 0, rows().get(), &r.array, &r.error));
    if (name == "shuffle") return shuffled(population(n));
    if (name == "shuffle_rows") return shuffled(rows());
    return sample(n);
  }
  double next() { return values_of<double>(sample(1))[0]; }

 private:
  State seeded() const {
    if (c_.call[0] == "seed") return new_state(device_, static_cast<uint32_t>(c_.number(1)));
    if (c_.call[0] != "seeds") return new_state(device_);
    std::vector<uint32_t> seeds;
    for (size_t k = 1; k < c_.call.size(); ++k) seeds.push_back(static_cast<uint32_t>(c_.number(k)));
    gpuopt_random_state state = nullptr;
    EXPECT_EQ(
        gpuopt_random_state_create_array(device_, static_cast<int32_t>(seeds.size()), seeds.data(), &state, nullptr),
        GPUOPT_OK);
    return State(state);
  }
  Array sample(int64_t n) {
    Result r;
    return r.take(gpuopt_random_state_random_sample(state_.get(), n < 0 ? 0 : 1, &n, &r.array, &r.error));
  }
  Array randint(int64_t n) {
    gpuopt_dtype dtype = 0;
    EXPECT_EQ(gpuopt_dtype_from_name(c_.call[3].c_str(), &dtype, nullptr), GPUOPT_OK);
    Result r;
    const Array x = r.take(gpuopt_random_state_randint(state_.get(), c_.number(1), c_.number(2), dtype, n < 0 ? 0 : 1,
                                                       &n, &r.array, &r.error));
    EXPECT_EQ(gpuopt_array_dtype(x.get()), dtype);
    return r.take(gpuopt_astype(x.get(), GPUOPT_INT64, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
  }
  Array choice(const std::string &name, int64_t size) {
    const int64_t n = c_.number(1);
    std::vector<double> weights;
    for (int64_t k = 1; k <= n; ++k) weights.push_back(static_cast<double>(k) / static_cast<double>(n * (n + 1) / 2));
    const Array p = make<double>({n}, weights, device_);
    const bool weighted = name.back() == 'p', once = name.find("once") != std::string::npos;
    Result r;
    return r.take(gpuopt_random_state_choice(state_.get(), population(n).get(), size < 0 ? 0 : 1, &size, !once,
                                             weighted ? p.get() : nullptr, &r.array, &r.error));
  }
  Array shuffled(Array x) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_random_state_shuffle(state_.get(), x.get(), &error), GPUOPT_OK) << error.message;
    return x;
  }
  Array rows() const { return make<int64_t>({5, 2}, counting<int64_t>(10), device_); }
  // 0, 1, 2, ... in the shape that the case names.
  Array shaped() const {
    Shape shape;
    int64_t size = 1;
    for (size_t k = 1; k < c_.call.size(); ++k) size *= shape.emplace_back(c_.number(k));
    return make<int64_t>(shape, counting<int64_t>(static_cast<size_t>(size)), device_);
  }
  Array population(int64_t n) const {
    std::vector<int64_t> values = counting<int64_t>(static_cast<size_t>(n));
    for (int64_t &v : values) v *= 10;
    return make<int64_t>({n}, values, device_);
  }
  const gpuopt_device device_;
  const Case &c_;
  const State state_;
};

void expect_case(gpuopt_device device, const Case &c) {
  SCOPED_TRACE(c.call[0] + " " + (c.call.size() > 1 ? c.call[1] : ""));
  Runner runner(device, c);
  const Array x = runner.run();
  ASSERT_TRUE(x);
  ASSERT_EQ(static_cast<size_t>(gpuopt_array_size(x.get())), c.values.size());
  if (gpuopt_array_dtype(x.get()) == GPUOPT_FLOAT64) {
    const std::vector<double> got = values_of<double>(x);
    for (size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], std::stod(c.values[k]));
  } else {
    const std::vector<int64_t> got = values_of<int64_t>(x);
    for (size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], std::stoll(c.values[k]));
  }
  EXPECT_EQ(runner.next(), c.next);
}

TEST(RandomState, DrawsWhatNumPyDraws) {
  ReferenceDevice device;
  int count = 0;
  for (const Case &c : read_cases()) {
    const bool narrow = c.call[0] == "randint" && c.call[3] != "int64";  // the reference slot has 8-byte outputs
    if (narrow) continue;
    expect_case(device.get(), c);
    ++count;
  }
  EXPECT_GT(count, 90);
}

// Probabilities are checked, as NumPy checks them, even where nothing is chosen.
TEST(RandomState, ChoiceOfNothingChecksItsProbabilities) {
  ReferenceDevice device;
  const State state = new_state(device.get());
  const Array a = make<int64_t>({2}, {1, 2}, device.get()), p = make<double>({2}, {0.5, 0.6}, device.get());
  const int64_t none = 0;
  for (const int replace : {0, 1}) {
    Result r;
    EXPECT_EQ(gpuopt_random_state_choice(state.get(), a.get(), 1, &none, replace, p.get(), &r.array, &r.error),
              GPUOPT_ERR_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(r.error.message, "sum to 1"), nullptr) << r.error.message;
  }
}

// A call that fails draws nothing: the stream stands where it stood.
TEST(RandomState, FailuresLeaveTheStreamAlone) {
  for (int64_t n = 1; n < 12; ++n) {
    ReferenceDevice device;
    const Array a = make<int64_t>({5}, counting<int64_t>(5), device.get());
    const Array p = make<double>({5}, std::vector<double>(5, 0.2), device.get());
    const State state = new_state(device.get());
    const int64_t size = 3;
    device.fail_allocation = n;
    Result r;
    const gpuopt_status status =
        gpuopt_random_state_choice(state.get(), a.get(), 1, &size, 0, p.get(), &r.array, &r.error);
    device.fail_allocation = 0;
    gpuopt_array_release(std::exchange(r.array, nullptr));
    if (status == GPUOPT_OK) {
      EXPECT_GT(n, 1);
      return;
    }
    EXPECT_EQ(status, GPUOPT_ERR_OUT_OF_MEMORY);
    const int64_t one = 1;
    const Array next = r.take(gpuopt_random_state_random_sample(state.get(), 1, &one, &r.array, &r.error));
    EXPECT_EQ(values_of<double>(next)[0], 0.417022004702574);
  }
  ADD_FAILURE() << "the call never succeeded";
}

TEST(RandomState, SeedStartsAgain) {
  ReferenceDevice device;
  const State state = new_state(device.get(), 5);
  Result r;
  r.take(gpuopt_random_state_normal(state.get(), 0, 1, 0, nullptr, &r.array, &r.error));
  ASSERT_EQ(gpuopt_random_state_seed(state.get(), 1, nullptr), GPUOPT_OK);
  const Array x = r.take(gpuopt_random_state_normal(state.get(), 0, 1, 0, nullptr, &r.array, &r.error));
  EXPECT_EQ(shape_of(x), Shape{});
  EXPECT_EQ(values_of<double>(x)[0], 1.6243453636632417);
}

TEST(RandomState, EmptyResultsDrawNothing) {
  ReferenceDevice device;
  const State state = new_state(device.get());
  const Shape empty{0, 3};
  Result r;
  EXPECT_EQ(shape_of(r.take(gpuopt_random_state_random_sample(state.get(), 2, empty.data(), &r.array, &r.error))),
            empty);
  const Array nothing = make<double>({0}, {}, device.get());
  EXPECT_EQ(shape_of(r.take(gpuopt_random_state_choice(state.get(), nothing.get(), 2, empty.data(), 1, nullptr,
                                                       &r.array, &r.error))),
            empty);
  const int64_t one = 1;
  EXPECT_EQ(values_of<double>(r.take(gpuopt_random_state_random_sample(state.get(), 1, &one, &r.array, &r.error)))[0],
            0.417022004702574);
}

TEST(RandomState, Arguments) {
  ReferenceDevice device;
  const State state = new_state(device.get());
  const int64_t size = 3, negative = -1;
  Result r;
  const auto randint = [&](int64_t low, int64_t high, gpuopt_dtype dtype) {
    return gpuopt_random_state_randint(state.get(), low, high, dtype, 1, &size, &r.array, &r.error);
  };
  EXPECT_EQ(randint(3, 3, 0), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(randint(-129, 0, GPUOPT_INT8), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(randint(0, 129, GPUOPT_INT8), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(randint(-1, 3, GPUOPT_UINT64), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(randint(0, 3, GPUOPT_BOOL), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(randint(0, 3, GPUOPT_FLOAT64), GPUOPT_ERR_TYPE);
  EXPECT_EQ(gpuopt_random_state_normal(state.get(), 0, -1, 1, &size, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_random_state_uniform(state.get(), -1.7e308, 1.7e308, 1, &size, &r.array, nullptr),
            GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(gpuopt_random_state_random_sample(state.get(), 1, &negative, &r.array, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_random_state_random_sample(nullptr, 1, &size, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_random_state_permutation(state.get(), -1, nullptr, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  gpuopt_random_state none = nullptr;
  EXPECT_EQ(gpuopt_random_state_create(nullptr, 1, &none, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_random_state_create_array(device.get(), 0, nullptr, &none, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(RandomState, ChoiceArguments) {
  ReferenceDevice device;
  const State state = new_state(device.get());
  const Array a = make<int64_t>({3}, {1, 2, 3}, device.get());
  const int64_t size = 3;
  Result r;
  const auto choice = [&](const Array &x, const Array &p, int64_t count, int replace) {
    return gpuopt_random_state_choice(state.get(), x.get(), 1, &count, replace, p.get(), &r.array, &r.error);
  };
  const auto weights = [&](const std::vector<double> &w) {
    return make<double>({static_cast<int64_t>(w.size())}, w, device.get());
  };
  EXPECT_EQ(choice(a, nullptr, 4, 0), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(choice(make<int64_t>({0}, {}, device.get()), nullptr, 1, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(choice(make<int64_t>({1, 1}, {1}, device.get()), nullptr, 1, 1), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(choice(a, weights({0.5, 0.5}), size, 1), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(choice(a, weights({0.5, 0.5, 0.5}), size, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(choice(a, weights({1.5, -0.5, 0}), size, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(choice(a, weights({NAN, 0.5, 0.5}), size, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(choice(a, weights({0.5, 0.5, 0}), size, 0), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(choice(a, make<float>({3}, {0.5, 0.5, 0}, device.get()), size, 1), GPUOPT_ERR_TYPE);
  EXPECT_EQ(choice(make<int64_t>({3}, {1, 2, 3}), nullptr, size, 1), GPUOPT_ERR_DEVICE_MISMATCH);
}

TEST(RandomState, ShuffleOfAReadOnlyView) {
  ReferenceDevice device;
  const State state = new_state(device.get());
  const Array x = make<int64_t>({1}, {1}, device.get());
  const Shape wide{4};
  Result r;
  const Array view = r.take(gpuopt_broadcast_to(x.get(), 1, wide.data(), &r.array, &r.error));
  EXPECT_EQ(gpuopt_random_state_shuffle(state.get(), view.get(), nullptr), GPUOPT_ERR_READ_ONLY);
  EXPECT_EQ(gpuopt_random_state_shuffle(state.get(), make<int64_t>({}, {1}, device.get()).get(), nullptr),
            GPUOPT_ERR_SHAPE);
}

TEST(RandomGenerator, Arguments) {
  BareDevice device;
  const Generator g = new_generator(device.get(), 7);
  const int64_t size = 3;
  Result r;
  EXPECT_EQ(gpuopt_generator_uniform(g.get(), 0, 1, GPUOPT_INT32, 1, &size, &r.array, nullptr), GPUOPT_ERR_TYPE);
  EXPECT_EQ(gpuopt_generator_normal(g.get(), 0, -1, 0, 1, &size, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_generator_exponential(g.get(), -1, 0, 1, &size, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_generator_integers(g.get(), 3, 3, 0, 0, 1, &size, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_generator_integers(g.get(), 3, 2, 1, 0, 1, &size, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_generator_uniform(nullptr, 0, 1, 0, 1, &size, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(r.array, nullptr);
}

}  // namespace

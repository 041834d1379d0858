// tests/unit/core_distributions_test.cpp -- random distributions against NumPy's numbers, bit for bit; Philox' against
// their moments; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_distributions_cases.h"

namespace {

using support::Array;
using support::Result;
using support::Shape;

struct Releaser {
  void operator()(gpuopt_random_state s) const { gpuopt_random_state_release(s); }
  void operator()(gpuopt_generator g) const { gpuopt_generator_release(g); }
};
using State = std::unique_ptr<gpuopt_random_state_s, Releaser>;
using Generator = std::unique_ptr<gpuopt_generator_s, Releaser>;

State state_of(uint32_t seed) {
  gpuopt_random_state state = nullptr;
  EXPECT_EQ(gpuopt_random_state_create(support::cpu(), seed, &state, nullptr), GPUOPT_OK);
  return State(state);
}
Generator pcg64_of(const std::vector<uint32_t> &entropy) {
  gpuopt_generator g = nullptr;
  EXPECT_EQ(gpuopt_generator_create_pcg64(support::cpu(), static_cast<int32_t>(entropy.size()), entropy.data(), 0,
                                          nullptr, &g, nullptr),
            GPUOPT_OK);
  return Generator(g);
}
Generator philox_of(uint64_t seed) {
  gpuopt_generator g = nullptr;
  EXPECT_EQ(gpuopt_generator_create(support::cpu(), seed, &g, nullptr), GPUOPT_OK);
  return Generator(g);
}

uint64_t hash(const Array &x) {
  std::vector<unsigned char> bytes(static_cast<size_t>(gpuopt_array_nbytes(x.get())));
  EXPECT_EQ(gpuopt_to_host(x.get(), bytes.data(), bytes.size(), nullptr), GPUOPT_OK);
  uint64_t h = 0xcbf29ce484222325;
  for (const unsigned char byte : bytes) h = (h ^ byte) * 0x100000001b3;
  return h;
}

bool is_integer(int which, int k) {
  return which == GPUOPT_DISTRIBUTION_HYPERGEOMETRIC || (which == GPUOPT_DISTRIBUTION_BINOMIAL && k == 0);
}

// The parameters as weak scalars, which it holds.
class Parameters {
 public:
  Parameters(int which, int count, const double *values) {
    for (int k = 0; k < count; ++k) {
      held_.push_back(support::weak(is_integer(which, k) ? gpuopt_scalar_int(static_cast<int64_t>(values[k]))
                                                         : gpuopt_scalar_real(values[k])));
      raw_.push_back(held_.back().get());
    }
  }
  int32_t count() const { return static_cast<int32_t>(raw_.size()); }
  const gpuopt_array *data() const { return raw_.data(); }

 private:
  std::vector<Array> held_;
  std::vector<gpuopt_array> raw_;
};

Array draw(const State &s, int which, const Parameters &p, const Shape &shape) {
  Result r;
  return r.take(gpuopt_random_state_draw(s.get(), which, p.count(), p.data(), static_cast<int32_t>(shape.size()),
                                         shape.data(), &r.array, &r.error));
}
Array draw(const Generator &g, int which, const Parameters &p, const Shape &shape, gpuopt_dtype dtype = 0) {
  Result r;
  return r.take(gpuopt_generator_draw(g.get(), which, p.count(), p.data(), dtype, static_cast<int32_t>(shape.size()),
                                      shape.data(), &r.array, &r.error));
}

TEST(Distributions, DrawNumPysNumbers) {
  for (const DistributionCase &c : kDistributionCases) {
    const Parameters p(c.which, c.count, c.parameters);
    EXPECT_EQ(hash(draw(state_of(c.seed), c.which, p, {200})), c.legacy) << "RandomState, seed " << c.seed;
    EXPECT_EQ(hash(draw(pcg64_of({c.seed}), c.which, p, {20, 10})), c.generator) << "Generator, seed " << c.seed;
  }
}

// A parameter that is NaN takes as many numbers of the source as with NumPy.
TEST(Distributions, GoOnBehindNaN) {
  const double nan_and_two[] = {NAN, 2}, zero_and_one[] = {0, 1};
  const Parameters wrong(GPUOPT_DISTRIBUTION_F, 2, nan_and_two);
  const Parameters unit(GPUOPT_DISTRIBUTION_UNIFORM, 2, zero_and_one);
  const State s = state_of(78);
  const Array given = draw(s, GPUOPT_DISTRIBUTION_F, wrong, {100});
  for (const double x : support::values_of<double>(given)) EXPECT_TRUE(std::isnan(x));
  EXPECT_EQ(hash(draw(s, GPUOPT_DISTRIBUTION_UNIFORM, unit, {200})), kStateAfterNan);
  const Generator g = pcg64_of({78});
  draw(g, GPUOPT_DISTRIBUTION_F, wrong, {100});
  EXPECT_EQ(hash(draw(g, GPUOPT_DISTRIBUTION_UNIFORM, unit, {200})), kAfterNan);
}

template <class F, class... Arguments>
Array made(F function, Arguments... arguments) {
  Result r;
  return r.take(function(arguments..., &r.array, &r.error));
}

Array numbers_to(int64_t n) {
  return made(gpuopt_arange, support::cpu(), GPUOPT_INT64, gpuopt_scalar_int(0), gpuopt_scalar_int(n),
              gpuopt_scalar_int(1));
}

TEST(Distributions, VectorsAreNumPys) {
  const Array pvals = support::make<double>({4}, {0.2, 0.3, 0.1, 0.4}), alpha = support::make<double>({3}, {1, 0.5, 3});
  const Array small = support::make<double>({3}, {0.01, 0.005, 0.03});
  const int64_t fifty = 50;
  const State s = state_of(77);
  EXPECT_EQ(hash(made(gpuopt_random_state_multinomial, s.get(), int64_t{30}, pvals.get(), 1, &fifty)),
            kStateMultinomial);
  EXPECT_EQ(hash(made(gpuopt_random_state_dirichlet, s.get(), alpha.get(), 1, &fifty)), kStateDirichlet);

  const Generator g = pcg64_of({77});
  const Array n = support::make<int64_t>({2, 1}, {3, 4});
  const Array p = support::make<double>({5, 2}, {0.2, 0.8, 0.2, 0.8, 0.2, 0.8, 0.2, 0.8, 0.2, 0.8});
  const int64_t *const none = nullptr;
  EXPECT_EQ(hash(made(gpuopt_generator_multinomial, g.get(), n.get(), p.get(), -1, none)), kMultinomial);
  EXPECT_EQ(hash(made(gpuopt_generator_dirichlet, g.get(), alpha.get(), 1, &fifty)), kDirichlet);
  EXPECT_EQ(hash(made(gpuopt_generator_dirichlet, g.get(), small.get(), 1, &fifty)), kStick);
  const Array colors = support::make<int64_t>({3}, {30, 20, 50});
  for (const int by_counting : {0, 1})
    EXPECT_EQ(hash(made(gpuopt_generator_multivariate_hypergeometric, g.get(), colors.get(), int64_t{70}, by_counting,
                        1, &fifty)),
              by_counting ? kCounts : kMarginals);
  const int64_t shape[] = {2, 3, 4};
  const Array x =
      made(gpuopt_reshape, numbers_to(24).get(), 3, static_cast<const int64_t *>(shape), GPUOPT_COPY_IF_NEEDED);
  EXPECT_EQ(hash(made(gpuopt_generator_permuted, g.get(), x.get(), int64_t{1})), kPermuted);
  const Array many = numbers_to(20000);
  const int64_t sizes[] = {5000, 50};
  gpuopt_array no_weights = nullptr;
  EXPECT_EQ(hash(made(gpuopt_generator_choice, g.get(), many.get(), 1, sizes, 0, no_weights)), kSample);
  EXPECT_EQ(hash(made(gpuopt_generator_choice, g.get(), many.get(), 1, sizes + 1, 0, no_weights)), kFloyd);
  const int64_t count = 200;
  EXPECT_EQ(hash(made(gpuopt_generator_integers, g.get(), int64_t{-3}, int64_t{99}, 0, GPUOPT_INT8, 1, &count)),
            kIntegers8);
  EXPECT_EQ(hash(made(gpuopt_generator_integers, g.get(), int64_t{0}, int64_t{1} << 40, 0, GPUOPT_INT64, 1, &count)),
            kIntegers);
  const double two_and_half = 2.5;
  EXPECT_EQ(hash(draw(g, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, {0, 0, nullptr}, {200}, GPUOPT_FLOAT32)), kNormal32);
  EXPECT_EQ(hash(draw(g, GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL, {0, 0, nullptr}, {200}, GPUOPT_FLOAT32)),
            kExponential32);
  EXPECT_EQ(hash(draw(g, GPUOPT_DISTRIBUTION_STANDARD_GAMMA, {0, 1, &two_and_half}, {200}, GPUOPT_FLOAT32)), kGamma32);
  EXPECT_EQ(hash(made(gpuopt_generator_permutation, g.get(), int64_t{100}, no_weights)), kPermutation);
  const Array k = support::make<double>({2, 1}, {0.5, 2}), scale = support::make<double>({3}, {1, 2, 3});
  const gpuopt_array both[] = {k.get(), scale.get()};
  EXPECT_EQ(hash(made(gpuopt_generator_draw, g.get(), GPUOPT_DISTRIBUTION_GAMMA, 2, both, 0, -1, none)), kBroadcast);
}

// The bounds are those of make_random_distributions.py.
TEST(Distributions, IntegersWithinArraysOfBoundsAreNumPys) {
  const gpuopt_dtype dtypes[] = {GPUOPT_BOOL, GPUOPT_INT8, GPUOPT_UINT16, GPUOPT_INT32, GPUOPT_INT64, GPUOPT_UINT64};
  const int64_t least[] = {0, -128, 0, INT32_MIN, INT64_MIN, 0}, shape[] = {50, 4};
  const uint64_t most[] = {1, 127, 65535, INT32_MAX, INT64_MAX, UINT64_MAX};
  for (size_t k = 0; k < std::size(dtypes); ++k) {
    SCOPED_TRACE(k);
    const bool flags = k == 0;
    const auto of = [](uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
      return support::make<uint64_t>({4}, {a, b, c, d});
    };
    const auto a = static_cast<uint64_t>(least[k]);
    Array low = flags ? of(0, 1, 0, 0) : of(a, 0, 5, 5), last = flags ? of(0, 1, 1, 1) : of(most[k], 1, 106, 13);
    Array high = flags ? of(1, 2, 2, 2) : of(most[k], 1, 106, 13);
    if (dtypes[k] != GPUOPT_UINT64) {
      for (Array *const x : {&low, &last, &high})
        *x = made(gpuopt_astype, x->get(), gpuopt_dtype{GPUOPT_INT64}, GPUOPT_COPY_IF_NEEDED);
    }
    const State s = state_of(79);
    const Generator g = pcg64_of({79});
    EXPECT_EQ(hash(made(gpuopt_random_state_randint_between, s.get(), low.get(), high.get(), dtypes[k], 2, shape)),
              kBetween[k][0]);
    EXPECT_EQ(hash(made(gpuopt_generator_integers_between, g.get(), low.get(), high.get(), 0, dtypes[k], 2, shape)),
              kBetween[k][1]);
    EXPECT_EQ(hash(made(gpuopt_generator_integers_between, g.get(), low.get(), last.get(), 1, dtypes[k], 2, shape)),
              kBetween[k][2]);
  }
}

// Numbers of Philox lie within their bounds, in each split of the shape.
TEST(Philox, IntegersWithinArraysOfBounds) {
  const Array low = support::make<int64_t>({2, 1}, {-3, 10}), high = support::make<int64_t>({3}, {11, 20, 300});
  Result r;
  gpuopt_generator g = nullptr;
  ASSERT_EQ(gpuopt_generator_create(support::cpu(), 5, &g, nullptr), GPUOPT_OK);
  const Array x = made(gpuopt_generator_integers_between, g, low.get(), high.get(), 0, 0, -1,
                       static_cast<const int64_t *>(nullptr));
  gpuopt_generator_release(g);
  const std::vector<int64_t> values = support::values_of<int64_t>(x);
  ASSERT_EQ(values.size(), 6u);
  const int64_t lows[] = {-3, -3, -3, 10, 10, 10}, highs[] = {11, 20, 300, 11, 20, 300};
  for (size_t i = 0; i < 6; ++i) EXPECT_TRUE(lows[i] <= values[i] && values[i] < highs[i]) << values[i];
}

TEST(Distributions, BoundsThatLeaveNoIntegersAreRefused) {
  const Generator g = pcg64_of({1});
  const Array low = support::make<int64_t>({2}, {0, 5}), high = support::make<int64_t>({2}, {3, 400});
  const Array real = support::make<double>({2}, {1, 2});
  const int64_t three = 3, none = 0;
  const auto code = [&](const Array &a, const Array &b, int closed, gpuopt_dtype dtype, int ndim,
                        const int64_t *shape) {
    gpuopt_array result = nullptr;
    const gpuopt_status status =
        gpuopt_generator_integers_between(g.get(), a.get(), b.get(), closed, dtype, ndim, shape, &result, nullptr);
    gpuopt_array_release(result);
    return status;
  };
  EXPECT_EQ(code(low, high, 0, GPUOPT_INT64, -1, nullptr), GPUOPT_OK);
  EXPECT_EQ(code(high, low, 0, GPUOPT_INT64, -1, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code(low, low, 0, GPUOPT_INT64, -1, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code(low, low, 1, GPUOPT_INT64, -1, nullptr), GPUOPT_OK);
  EXPECT_EQ(code(low, high, 0, GPUOPT_UINT8, -1, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(code(low, high, 0, GPUOPT_FLOAT32, -1, nullptr), GPUOPT_ERR_TYPE);
  EXPECT_EQ(code(low, real, 0, GPUOPT_INT64, -1, nullptr), GPUOPT_ERR_TYPE);
  EXPECT_EQ(code(low, high, 0, GPUOPT_INT64, 1, &three), GPUOPT_ERR_SHAPE);
  const Array empty = support::make<int64_t>({0}, {});
  EXPECT_EQ(code(empty, empty, 0, GPUOPT_INT64, 1, &none), GPUOPT_OK);
  EXPECT_EQ(gpuopt_generator_integers_between(g.get(), low.get(), nullptr, 0, 0, -1, nullptr, nullptr, nullptr),
            GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Seeds, ChildrenAndJumpsAreNumPys) {
  const Generator parent = pcg64_of({5, 0, 256});
  gpuopt_generator child = nullptr;
  for (int k = 0; k < 2; ++k) {
    gpuopt_generator_release(child);
    ASSERT_EQ(gpuopt_generator_spawn(parent.get(), &child, nullptr), GPUOPT_OK);
  }
  const Generator second(child), jumped = pcg64_of({5});
  const int64_t count = 200;
  EXPECT_EQ(hash(made(gpuopt_generator_uniform, second.get(), 0., 1., GPUOPT_FLOAT64, 1, &count)), kSpawned);
  ASSERT_EQ(gpuopt_generator_advance(jumped.get(), 3, uint64_t{1} << 36, nullptr), GPUOPT_OK);
  EXPECT_EQ(hash(made(gpuopt_generator_uniform, jumped.get(), 0., 1., GPUOPT_FLOAT64, 1, &count)), kAdvanced);
  EXPECT_EQ(gpuopt_generator_advance(philox_of(1).get(), 1, 0, nullptr), GPUOPT_ERR_UNSUPPORTED);
}

TEST(Seeds, StatesGoOutAndIn) {
  const State s = state_of(3);
  const Parameters none(0, 0, nullptr);
  draw(s, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, none, {3});
  gpuopt_mt19937_words words{};
  words.struct_size = sizeof words;
  ASSERT_EQ(gpuopt_random_state_get_words(s.get(), &words, nullptr), GPUOPT_OK);
  EXPECT_EQ(words.has_gauss, 1);
  const uint64_t next = hash(draw(s, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, none, {5}));
  ASSERT_EQ(gpuopt_random_state_set_words(s.get(), &words, nullptr), GPUOPT_OK);
  EXPECT_EQ(hash(draw(s, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, none, {5})), next);
  words.position = 625;
  EXPECT_EQ(gpuopt_random_state_set_words(s.get(), &words, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

struct Moments {
  int which, count;
  double parameters[3], mean, variance;
};

// 200,000 numbers have a mean within 5 standard errors, and a variance within 5 percent, of the distribution's.
TEST(Philox, KeepsToTheMoments) {
  const Moments all[] = {
      {GPUOPT_DISTRIBUTION_BETA, 2, {2, 3}, 0.4, 0.04},
      {GPUOPT_DISTRIBUTION_BINOMIAL, 2, {100, 0.4}, 40, 24},
      {GPUOPT_DISTRIBUTION_CHISQUARE, 1, {3}, 3, 6},
      {GPUOPT_DISTRIBUTION_GAMMA, 2, {0.5, 2}, 1, 2},
      {GPUOPT_DISTRIBUTION_GEOMETRIC, 1, {0.2}, 5, 20},
      {GPUOPT_DISTRIBUTION_GUMBEL, 2, {0, 1}, 0.5772156649, 1.6449340668},
      {GPUOPT_DISTRIBUTION_HYPERGEOMETRIC, 3, {30, 20, 25}, 15, 25 * 0.24 * 25 / 49},
      {GPUOPT_DISTRIBUTION_LAPLACE, 2, {1, 2}, 1, 8},
      {GPUOPT_DISTRIBUTION_LOGISTIC, 2, {1, 2}, 1, 13.1594725348},
      {GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL, 2, {5, 0.5}, 5, 10},
      {GPUOPT_DISTRIBUTION_POISSON, 1, {12}, 12, 12},
      {GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL, 0, {}, 1, 1},
      {GPUOPT_DISTRIBUTION_STANDARD_NORMAL, 0, {}, 0, 1},
      {GPUOPT_DISTRIBUTION_TRIANGULAR, 3, {0, 1, 2}, 1, 1. / 6},
      {GPUOPT_DISTRIBUTION_WALD, 2, {1, 2}, 1, 0.5},
      {GPUOPT_DISTRIBUTION_WEIBULL, 1, {2}, 0.8862269255, 0.2146018366},
  };
  const Generator g = philox_of(11);
  for (const Moments &m : all) {
    const Array drawn = draw(g, m.which, Parameters(m.which, m.count, m.parameters), {200000});
    Result r;
    const Array x = r.take(gpuopt_astype(drawn.get(), GPUOPT_FLOAT64, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
    std::vector<double> values(200000);
    ASSERT_EQ(gpuopt_to_host(x.get(), values.data(), values.size() * sizeof(double), nullptr), GPUOPT_OK);
    double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    const double mean = sum / 200000;
    for (const double v : values) squares += (v - mean) * (v - mean);
    EXPECT_NEAR(mean, m.mean, 5 * std::sqrt(m.variance / 200000)) << m.which;
    EXPECT_NEAR(squares / 200000, m.variance, 0.05 * m.variance) << m.which;
  }
}

// A call for many numbers begins with those of a call for few, and one of two calls goes on where the first has ended.
TEST(Philox, AnElementDependsOnItsPlaceAlone) {
  const double shape = 0.5;
  const Parameters p(GPUOPT_DISTRIBUTION_STANDARD_GAMMA, 1, &shape);
  const auto values = [&](const Generator &g, int64_t n) {
    std::vector<double> list(static_cast<size_t>(n));
    const Array x = draw(g, GPUOPT_DISTRIBUTION_STANDARD_GAMMA, p, {n});
    EXPECT_EQ(gpuopt_to_host(x.get(), list.data(), list.size() * sizeof(double), nullptr), GPUOPT_OK);
    return list;
  };
  const Generator parts = philox_of(5);
  const std::vector<double> whole = values(philox_of(5), 5000), first = values(parts, 1500), rest = values(parts, 3500);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), whole.begin()));
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), whole.begin() + 1500));
}

TEST(Distributions, RefuseWhatIsOutOfRange) {
  const struct {
    int which, count;
    double parameters[3];
    const char *message;
  } wrong[] = {
      {GPUOPT_DISTRIBUTION_BETA, 2, {0, 1}, "a <= 0"},
      {GPUOPT_DISTRIBUTION_BINOMIAL, 2, {-1, 0.5}, "n < 0"},
      {GPUOPT_DISTRIBUTION_BINOMIAL, 2, {1, NAN}, "p < 0, p > 1 or p is NaN"},
      {GPUOPT_DISTRIBUTION_EXPONENTIAL, 1, {-0.0}, "scale < 0"},
      {GPUOPT_DISTRIBUTION_HYPERGEOMETRIC, 3, {5, 5, 11}, "ngood + nbad < nsample"},
      {GPUOPT_DISTRIBUTION_POISSON, 1, {1e19}, "lam value too large"},
      {GPUOPT_DISTRIBUTION_TRIANGULAR, 3, {1, 0, 2}, "left > mode"},
      {GPUOPT_DISTRIBUTION_UNIFORM, 2, {1, 0}, "high - low < 0"},
      {GPUOPT_DISTRIBUTION_UNIFORM, 2, {-1e308, 1e308}, "Range exceeds valid bounds"},
      {GPUOPT_DISTRIBUTION_ZIPF, 1, {1}, "a <= 1 or a is NaN"},
      {GPUOPT_DISTRIBUTION_ZIPF, 0, {}, "1 parameters, not 0"},
      {99, 0, {}, "there is no distribution 99"},
  };
  const Generator g = pcg64_of({1});
  gpuopt_pcg64_words before{}, after{};
  before.struct_size = after.struct_size = sizeof before;
  ASSERT_EQ(gpuopt_generator_get_words(g.get(), &before, nullptr), GPUOPT_OK);
  for (const auto &w : wrong) {
    const Parameters p(w.which, w.count, w.parameters);
    gpuopt_error error = GPUOPT_ERROR_INIT;
    gpuopt_array x = nullptr;
    EXPECT_NE(gpuopt_generator_draw(g.get(), w.which, p.count(), p.data(), 0, -1, nullptr, &x, &error), GPUOPT_OK);
    EXPECT_NE(std::strstr(error.message, w.message), nullptr) << error.message;
    EXPECT_EQ(x, nullptr);
  }
  ASSERT_EQ(gpuopt_generator_get_words(g.get(), &after, nullptr), GPUOPT_OK);
  EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
}

}  // namespace

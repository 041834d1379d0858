// tests/unit/api_hpp_random_test.cpp -- the C++ face: distributions, PCG64 and states, by NumPy's numbers.
#include <gtest/gtest.h>

#include <gpuopt/gpuopt.hpp>

namespace gp = gpuopt;
using gp::array;
using V = std::vector<double>;

static V values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }

// Written by NumPy 2.4.6.
TEST(Random, DistributionsAreNumPys) {
  gp::random_state state(5);
  gp::generator rng = gp::default_rng(5);
  EXPECT_EQ(values(state.beta(2, 0.5, 2)), (V{0.5375796978266719, 0.6224230415548773}));
  EXPECT_EQ(values(state.binomial(100, 0.4, 3)), (V{44.0, 36.0, 34.0}));
  EXPECT_EQ(values(state.vonmises(1, 2, 2)), (V{1.5220221645740146, 0.15081310936945336}));
  EXPECT_EQ(values(state.multinomial(9, array({0.25, 0.75}))), (V{1.0, 8.0}));
  EXPECT_EQ(values(state.hypergeometric(30, 40, 20, 3)), (V{6.0, 13.0, 10.0}));
  EXPECT_EQ(values(rng.random(2)), (V{0.8050029237453802, 0.8079407897364937}));
  EXPECT_EQ(values(rng.normal(1, 2, {2})), (V{0.5032767558095029, 1.840890476131043}));
  EXPECT_EQ(values(rng.zipf(2.5, 3)), (V{1.0, 1.0, 1.0}));
  EXPECT_EQ(values(rng.integers(0, 100, 4)), (V{19.0, 65.0, 75.0, 23.0}));
  EXPECT_EQ(values(rng.permutation(5)), (V{2.0, 1.0, 4.0, 3.0, 0.0}));
  EXPECT_EQ(values(rng.triangular(0, 1, 3, 2)), (V{2.0332457528681065, 1.0906618911278885}));
}

TEST(Random, ParametersBroadcast) {
  gp::generator rng = gp::default_rng(5);
  EXPECT_EQ(rng.gamma(array({{0.5}, {2.0}}), array({1.0, 2.0, 3.0})).shape(), (gp::dims{2, 3}));
  EXPECT_EQ(rng.poisson(array({1.0, 20.0}), {4, 2}).dtype(), gp::int64);
  EXPECT_EQ(rng.beta(1, 2).ndim(), 0);
  EXPECT_EQ(rng.standard_gamma(2.0, 3, gp::float32).dtype(), gp::float32);
  EXPECT_EQ(rng.normal(0, 1, {3}, gp::float32).dtype(), gp::float32);
  EXPECT_THROW(rng.poisson(array({1.0, 20.0}), 3), gp::error);
  EXPECT_THROW(rng.wald(0, 1), gp::error);
  EXPECT_EQ(values(rng.multinomial(7, array({1.0, 0.0}))), (V{7, 0}));
  EXPECT_EQ(values(rng.multivariate_hypergeometric(array({3, 0}), 2)), (V{2, 0}));
  EXPECT_EQ(values(rng.dirichlet(array({2.0}), 2)), (V{1, 1}));
  EXPECT_EQ(rng.bytes(5).size(), 5u);
}

TEST(Random, StatesGoOutAndIn) {
  gp::random_state state(5);
  state.standard_normal(3);
  const gpuopt_mt19937_words words = state.words();
  const V next = values(state.standard_cauchy(4));
  state.set_words(words);
  EXPECT_EQ(values(state.standard_cauchy(4)), next);
  gp::generator rng = gp::default_rng(5), child = rng.spawn();
  EXPECT_NE(values(child.random(3)), values(rng.random(3)));
  const gpuopt_pcg64_words before = rng.words();
  const V drawn = values(rng.random(5));
  rng.set_words(before);
  rng.advance(2);
  EXPECT_EQ(values(rng.random(3)), (V{drawn[2], drawn[3], drawn[4]}));
  EXPECT_THROW(gp::generator(1).words(), gp::error);
}

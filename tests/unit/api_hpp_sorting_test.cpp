// tests/unit/api_hpp_sorting_test.cpp -- the C++ face: sorting, searching and sets.
#include <gtest/gtest.h>

#include <cmath>
#include <gpuopt/gpuopt.hpp>

namespace gp = gpuopt;
using gp::array;
using gp::dims;

using V = std::vector<double>;
static V values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }

TEST(Sorting, Orders) {
  const array x({{3, 1, 2}, {0, 5, 4}});
  EXPECT_EQ(values(gp::sort(x)), (V{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(values(gp::sort(x, 0)), (V{0, 1, 2, 3, 5, 4}));
  EXPECT_EQ(values(gp::sort(x, gp::none, true)), (V{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(values(gp::argsort(x)), (V{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(gp::argsort(x).dtype(), gp::int64);
  EXPECT_EQ(values(gp::argsort(array({1, 2, 1}), -1, true)), (V{1, 0, 2}));
  EXPECT_EQ(values(gp::take_along_axis(x, gp::argsort(x, 0), 0)), values(gp::sort(x, 0)));
  EXPECT_EQ(values(gp::partition(x, 1))[1], 2);
  EXPECT_EQ(values(gp::argpartition(x, -1, gp::none))[5], 4);
  EXPECT_THROW(gp::sort(x, 2), gp::error);
  EXPECT_THROW(gp::partition(x, 3), gp::error);
  const auto [largest, places] = gp::top_k(x, 2);
  EXPECT_EQ(values(largest), (V{3, 2, 5, 4}));
  EXPECT_EQ(values(places), (V{0, 2, 1, 2}));
  EXPECT_EQ(values(gp::top_k(x, 1, 0, false).values), (V{0, 1, 2}));
  EXPECT_THROW(gp::top_k(x, 4), gp::error);
  EXPECT_EQ(values(gp::lexsort({array({1, 0, 1, 0}), array({2, 2, 1, 1})})), (V{3, 2, 1, 0}));
}

TEST(Sorting, Searches) {
  const array x({1, 2, 2, 4}), mixed({4, 1, 2, 2});
  EXPECT_EQ(values(gp::searchsorted(x, array({0, 2, 5}))), (V{0, 1, 4}));
  EXPECT_EQ(values(gp::searchsorted(x, 2, true)), (V{3}));
  EXPECT_EQ(values(gp::searchsorted(x, 2.5)), (V{3}));
  EXPECT_EQ(values(gp::searchsorted(mixed, 2, false, gp::argsort(mixed))), (V{1}));
  EXPECT_EQ(values(gp::digitize(array({0.5, 1.0, 9.0}), array({0, 1, 2}))), (V{1, 2, 3}));
  EXPECT_EQ(values(gp::digitize(array({0.5, 1.0, 9.0}), array({2, 1, 0}), true)), (V{2, 2, 0}));
  EXPECT_EQ(values(gp::bincount(x)), (V{0, 1, 2, 0, 1}));
  EXPECT_EQ(values(gp::bincount(x, array({0.5, 1.0, 2.0, 3.0}), 6)), (V{0, 0.5, 3, 0, 3, 0}));
  const auto [counts, edges] = gp::histogram(x, 3);
  EXPECT_EQ(values(counts), (V{1, 2, 1}));
  EXPECT_EQ(values(edges), (V{1, 2, 3, 4}));
  EXPECT_EQ(values(gp::histogram(x, 2, {0, 4}, true).counts), (V{0.125, 0.375}));
  EXPECT_EQ(values(gp::histogram(x, array({0, 2, 4}))), (V{1, 3}));
  EXPECT_EQ(values(gp::histogram(x, array({0, 2, 4}), array({1, 1, 1, 5}))), (V{1, 7}));
}

TEST(Sorting, Sets) {
  const array x({3, 1, 3, 2, 1}), y({2, 3, 9});
  EXPECT_EQ(values(gp::unique_values(x)), (V{1, 2, 3}));
  EXPECT_EQ(gp::unique_values(array({1.0, NAN, NAN})).size(), 3);
  EXPECT_EQ(gp::unique_values(array({1.0, NAN, NAN}), true).size(), 2);
  EXPECT_EQ(values(gp::unique_counts(x).counts), (V{2, 1, 2}));
  EXPECT_EQ(values(gp::unique_inverse(x).inverse), (V{2, 0, 2, 1, 0}));
  const gp::unique_all_result all = gp::unique_all(x);
  EXPECT_EQ(values(all.values), (V{1, 2, 3}));
  EXPECT_EQ(values(all.indices), (V{1, 3, 0}));
  EXPECT_EQ(values(all.inverse), (V{2, 0, 2, 1, 0}));
  EXPECT_EQ(values(all.counts), (V{2, 1, 2}));
  EXPECT_EQ(values(gp::isin(x, y)), (V{1, 0, 1, 1, 0}));
  EXPECT_EQ(values(gp::isin(x, 1, true)), (V{1, 0, 1, 1, 0}));
  EXPECT_EQ(values(gp::union1d(x, y)), (V{1, 2, 3, 9}));
  EXPECT_EQ(values(gp::intersect1d(x, y)), (V{2, 3}));
  EXPECT_EQ(values(gp::setdiff1d(x, y)), (V{1}));
  EXPECT_EQ(values(gp::setxor1d(x, y)), (V{1, 9}));
}

// numpy.quantile(x, q, axis, weights=w, method="inverted_cdf") of NumPy 2.4.
TEST(Sorting, WeightedQuantiles) {
  const array x({{4.0, 1.0, 3.0, 2.0}, {8.0, 6.0, 5.0, 7.0}}), w({1, 0, 2, 5}), missing({4.0, NAN, 1.0});
  EXPECT_EQ(values(gp::quantile_weighted(x, 0.5, w, 1)), (V{2, 7}));
  EXPECT_EQ(values(gp::quantile_weighted(x, array({0.0, 0.625, 0.75, 1.0}), w, 1)), (V{2, 5, 2, 7, 3, 7, 4, 8}));
  EXPECT_EQ(values(gp::percentile_weighted(x, 25, gp::ones({2, 4}))), (V{2}));
  EXPECT_EQ(gp::quantile_weighted(x, 0.5, w, gp::axes(1).keepdims()).shape(), (dims{2, 1}));
  const array turned = gp::matrix_transpose(x);
  EXPECT_EQ(values(gp::quantile_weighted(turned, 0.5, w, 0)), (V{2, 7}));
  const array both({{1, 9}, {0, 0}, {0, 0}, {0, 0}});
  EXPECT_EQ(values(gp::quantile_weighted(x, array({0.1, 0.2}), both, gp::axes({1, 0}))), (V{4, 8}));
  EXPECT_TRUE(std::isnan(values(gp::quantile_weighted(missing, 0.5, gp::ones({3})))[0]));
  EXPECT_EQ(values(gp::nanquantile_weighted(missing, 0.5, gp::ones({3}))), (V{1}));
  EXPECT_EQ(values(gp::nanpercentile_weighted(missing, 51, array({1, NAN, 1.0}))), (V{4}));
  EXPECT_EQ(gp::quantile_weighted(array({3, 1, 2}), 0.5, gp::ones({3})).dtype(), gp::int64);
  EXPECT_THROW(gp::quantile_weighted(x, 0.5, w), gp::error);
  EXPECT_THROW(gp::quantile_weighted(x, 0.5, w, 0), gp::error);
  EXPECT_THROW(gp::quantile_weighted(x, 0.5, w - 1, 1), gp::error);
  EXPECT_THROW(gp::quantile_weighted(x, 0.5, w * 0, 1), gp::error);
  EXPECT_THROW(gp::quantile_weighted(x, 1.5, w, 1), gp::error);
  EXPECT_THROW(gp::percentile_weighted(x, -1, w, 1), gp::error);
  EXPECT_THROW(gp::quantile_weighted(gp::zeros({0}), 0.5, gp::zeros({0})), gp::error);
  EXPECT_EQ(gp::quantile_weighted(gp::zeros({3, 0}), 0.5, gp::ones({3, 0}), 0).size(), 0);
}

TEST(Sorting, Quantiles) {
  const array x({{4, 1, 3, 2}, {8, 6, 5, 7}}), missing({4.0, NAN, 1.0});
  EXPECT_EQ(values(gp::median(x)), (V{4.5}));
  EXPECT_EQ(values(gp::median(x, 1)), (V{2.5, 6.5}));
  EXPECT_TRUE(std::isnan(values(gp::median(missing))[0]));
  EXPECT_EQ(values(gp::nanmedian(missing)), (V{2.5}));
  EXPECT_EQ(gp::median(x, gp::axes(0).keepdims()).shape(), (dims{1, 4}));
  EXPECT_EQ(values(gp::quantile(x, 0.25, 1)), (V{1.75, 5.75}));
  EXPECT_EQ(values(gp::quantile(x, array({0.0, 1.0}), 1)), (V{1, 5, 4, 8}));
  EXPECT_EQ(values(gp::quantile(x, 0.25, 1, gp::quantile_method::higher)), (V{2, 6}));
  EXPECT_EQ(gp::quantile(x, 0.25, 1, gp::quantile_method::higher).dtype(), x.dtype());
  EXPECT_EQ(values(gp::nanquantile(missing, 1)), (V{4}));
  EXPECT_EQ(values(gp::percentile(x, 50, gp::axes(), gp::quantile_method::lower)), (V{4}));
  EXPECT_EQ(values(gp::nanpercentile(missing, 0)), (V{1}));
  EXPECT_THROW(gp::quantile(x, 2), gp::error);
}

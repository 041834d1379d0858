// tests/unit/api_hpp_shard_test.cpp -- sharded arrays in C++: of one rank. Those of several are in tests/comm/.
#include <gtest/gtest.h>

#include <cstdio>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

namespace {

namespace gp = gpuopt;

std::vector<double> elements(const gp::array &x) { return x.to_vector<double>(); }

TEST(Shard, OfOneRank) {
  const gp::comm comm("self");
  const std::vector<double> values = {3, 1, 2, -4};
  const gp::array x = gp::reshape(gp::array(values), {2, 2});
  const gp::shard shard = gp::shard::from_parts(comm, x);
  for (const gp::shard &same : {shard, gp::shard::from_array(comm, x), gp::shard::from_whole(comm, x), shard.recut(),
                                shard.recut({0, 2}), shard.with(shard.part())})
    EXPECT_EQ(elements(same.all_gather()), values);
  EXPECT_EQ(shard.rows(), 2);
  EXPECT_EQ(shard.begin(), 0);
  EXPECT_EQ(shard.end(), 2);
  EXPECT_EQ(shard.bounds(), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(shard.group().get(), comm.get());
  EXPECT_EQ(gp::shard().bounds(), std::vector<int64_t>{});
  EXPECT_EQ(elements(shard.sum(0)), (std::vector<double>{5, -3}));
  EXPECT_EQ(elements(shard.prod(gp::axes(0).keepdims())), (std::vector<double>{6, -4}));
  EXPECT_EQ(shard.min().item<double>(), -4);
  EXPECT_EQ(shard.max().item<double>(), 3);
  EXPECT_TRUE(shard.any().item<bool>() && shard.all().item<bool>());
  EXPECT_EQ(elements(shard.crossprod(shard)), (std::vector<double>{13, -5, -5, 17}));
  EXPECT_EQ(elements(shard.matmul(x).gather(0)), (std::vector<double>{11, -1, -2, 18}));
  EXPECT_EQ(elements(shard.halo(1, 0, true)), (std::vector<double>{2, -4, 3, 1, 2, -4}));
  EXPECT_THROW(shard.recut({0}), gp::error);
  EXPECT_THROW(shard.sum(1), gp::error);
}

TEST(Shard, CutAlongColumns) {
  const gp::comm comm("self");
  const gp::array x = gp::reshape(gp::array(std::vector<double>{3, 1, 2, -4}), {2, 2});
  const gp::shard columns = gp::shard::from_parts(comm, x, -1), product = columns.matmul(x);
  EXPECT_EQ(columns.axis(), 1);
  EXPECT_EQ(product.axis(), 0);
  EXPECT_EQ(elements(product.all_gather()), (std::vector<double>{11, -1, -2, 18}));
  EXPECT_EQ(elements(columns.crossprod(columns)), (std::vector<double>{13, -5, -5, 17}));
  EXPECT_EQ(elements(columns.crossprod(columns.along(0))), (std::vector<double>{13, -5, -5, 17}));
  EXPECT_EQ(columns.sum().item<double>(), 2);
  const std::string path = testing::TempDir() + "api_hpp_shard_columns.npy";
  columns.save_npy(path);
  EXPECT_EQ(elements(gp::load_npy(path)), elements(x));
  std::remove(path.c_str());
}

// What is given out may be written to: the shard does not change.
TEST(Shard, ResultsAreApart) {
  const gp::shard shard = gp::shard::from_parts(gp::comm("self"), gp::array(std::vector<double>{1, 2}));
  for (gp::array result : {shard.all_gather(), shard.halo(0, 0)}) {
    result[0] = 9.0;
    EXPECT_EQ(elements(shard.part()), (std::vector<double>{1, 2}));
  }
}

TEST(Shard, SortsDrawsAndFiles) {
  const gp::comm comm("self");
  const auto [sorted, places] =
      gp::shard::from_parts(comm, gp::array(std::vector<double>{5, 4, 5})).sort_with_positions();
  EXPECT_EQ(elements(sorted.part()), (std::vector<double>{4, 5, 5}));
  EXPECT_EQ(places.part().to_vector<int64_t>(), (std::vector<int64_t>{1, 0, 2}));
  EXPECT_EQ(elements(sorted.sort().part()), elements(sorted.part()));
  gp::generator one(3), other(3);
  const gp::shard drawn = gp::shard::draw(comm, one, GPUOPT_DISTRIBUTION_GAMMA, {4, 2}, 2.0, 1.5);
  EXPECT_EQ(elements(drawn.part()), elements(other.gamma(2.0, 1.5, {4, 2})));
  EXPECT_EQ(gp::shard::draw(comm, one, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, {5}).rows(), 5);
  const std::string path = testing::TempDir() + "api_hpp_shard_test.npy";
  drawn.save_npy(path);
  EXPECT_EQ(elements(gp::shard::load_npy(comm, path).part()), elements(drawn.part()));
  EXPECT_EQ(elements(gp::shard::load_npy(comm, path, gp::device("cpu")).part()), elements(gp::load_npy(path)));
  std::remove(path.c_str());
}

}  // namespace

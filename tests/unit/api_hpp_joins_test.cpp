// tests/unit/api_hpp_joins_test.cpp -- the C++ face: arrays joined, split, padded and rearranged.
#include <gtest/gtest.h>

#include <gpuopt/gpuopt.hpp>

namespace gp = gpuopt;
using gp::array;
using gp::dims;

static std::vector<double> values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }
static std::vector<std::vector<double>> each(const std::vector<array> &list) {
  std::vector<std::vector<double>> all;
  for (const array &x : list) all.push_back(values(x));
  return all;
}
using V = std::vector<double>;
using VV = std::vector<V>;

TEST(Joins, ShapesBroadcast) {
  EXPECT_EQ(gp::broadcast_shapes({{2, 1}, {3}}), (dims{2, 3}));
  EXPECT_EQ(gp::broadcast_shapes({{4, 1, 3}, {1, 5, 1}, dims{}}), (dims{4, 5, 3}));
  EXPECT_EQ(gp::broadcast_shapes({dims{0}, dims{1}}), (dims{0}));
  EXPECT_EQ(gp::broadcast_shapes({dims{}}), (dims{}));
  EXPECT_EQ(gp::broadcast_shapes({}), (dims{}));
  EXPECT_THROW(gp::broadcast_shapes({{2}, {3}}), gp::error);
  const array x({1.5, -2.5});
  EXPECT_EQ(gp::astype(x, gp::int32).to_vector<int32_t>(), (std::vector<int32_t>{1, -2}));
  EXPECT_TRUE(gp::astype(x, gp::float64).to_vector<double>() == x.to_vector<double>());
  EXPECT_THROW(gp::astype(x, gp::int32, GPUOPT_COPY_NEVER), gp::error);
}

TEST(Joins, KindsOfDtypes) {
  const std::vector<std::string> kinds = {"bool",          "signed integer",   "unsigned integer", "integral",
                                          "real floating", "complex floating", "numeric"};
  const auto of = [&](gp::dtype t) {
    std::string found;
    for (const std::string &kind : kinds) found += gp::isdtype(t, kind) ? '1' : '0';
    return found;
  };
  EXPECT_EQ(of(gp::bool_), "1000000");
  EXPECT_EQ(of(gp::int8), "0101001");
  EXPECT_EQ(of(gp::uint64), "0011001");
  EXPECT_EQ(of(gp::float16), "0000101");
  EXPECT_EQ(of(gp::bfloat16), "0000101");
  EXPECT_EQ(of(gp::complex128), "0000011");
  EXPECT_THROW(gp::isdtype(gp::int8, "integer"), gp::error);
}

TEST(Joins, Join) {
  const array x({{0, 1}, {2, 3}}), y({{4, 5}});
  EXPECT_EQ(values(gp::concat({x, y * 2})), (V{0, 1, 2, 3, 8, 10}));
  EXPECT_EQ(values(gp::concat({x, x}, -1)), (V{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(gp::concat({x, y}, gp::none).shape(), (dims{6}));
  EXPECT_THROW(gp::concat({x, y}, 1), gp::error);
  EXPECT_THROW(gp::concat({}), gp::error);
  EXPECT_THROW(gp::concat({x, array()}), gp::error);
  EXPECT_EQ(gp::stack({x, x, x}, 1).shape(), (dims{2, 3, 2}));
  EXPECT_EQ(gp::append(x, 0.5).dtype(), gp::float64);
  EXPECT_EQ(values(gp::append(x, y, 0)), (V{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(each(gp::meshgrid({gp::arange(2), gp::arange(3)})), (VV{{0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 2, 2}}));
  EXPECT_EQ(each(gp::meshgrid({gp::arange(2), gp::arange(2)}, true)), (VV{{0, 0, 1, 1}, {0, 1, 0, 1}}));
  EXPECT_EQ(each(gp::broadcast_arrays({x, gp::arange(2)})), (VV{{0, 1, 2, 3}, {0, 1, 0, 1}}));
}

TEST(Joins, Split) {
  const array x({{0, 1, 2}, {3, 4, 5}});
  EXPECT_EQ(each(gp::unstack(x)), (VV{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(each(gp::unstack(x, -1)), (VV{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(each(gp::split(x, 3, 1)), (VV{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(each(gp::array_split(x, 2, 1)), (VV{{0, 1, 3, 4}, {2, 5}}));
  EXPECT_EQ(each(gp::split_at(x, {1}, 1)), (VV{{0, 3}, {1, 2, 4, 5}}));
  EXPECT_THROW(gp::split(x, 2, 1), gp::error);
  EXPECT_THROW(gp::split(x, -1), gp::error);
  EXPECT_THROW(gp::unstack(array({1, 2})[0]), gp::error);
}

TEST(Joins, Rearrange) {
  const array x({{0, 1, 2}, {3, 4, 5}}), line({1, 2, 3});
  EXPECT_EQ(values(gp::roll(x, 1)), (V{5, 0, 1, 2, 3, 4}));
  EXPECT_EQ(values(gp::roll(x, {1, 1}, {0, 1})), (V{5, 3, 4, 2, 0, 1}));
  EXPECT_THROW(gp::roll(x, {1, 1}, 0), gp::error);
  EXPECT_EQ(values(gp::repeat(line, 2)), (V{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(values(gp::repeat(line, {2, 0, 1})), (V{1, 1, 3}));
  EXPECT_EQ(values(gp::tile(line, 2)), (V{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(values(gp::pad(line, {1, 2}, gp::pad_mode::constant, 9)), (V{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(values(gp::pad(line, {1, 2}, gp::pad_mode::edge)), (V{1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(values(gp::pad(line, {1, 2}, gp::pad_mode::reflect)), (V{2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(values(gp::pad(line, {1, 2}, gp::pad_mode::symmetric)), (V{1, 1, 2, 3, 3, 2}));
  EXPECT_EQ(values(gp::pad(line, {1, 2}, gp::pad_mode::wrap)), (V{3, 1, 2, 3, 1, 2}));
  EXPECT_EQ(gp::pad(x, {1, 2}).shape(), (dims{5, 6}));
  EXPECT_EQ(gp::pad(x, {1, 0, 0, 2}).shape(), (dims{3, 5}));
  EXPECT_THROW(gp::pad(x, {1, 0, 0}), gp::error);
  EXPECT_EQ(values(gp::delete_at(line, 1)), (V{1, 3}));
  EXPECT_EQ(values(gp::delete_at(x, {0, 2}, 1)), (V{1, 4}));
  EXPECT_EQ(values(gp::insert(line, 1, 9)), (V{1, 9, 2, 3}));
  EXPECT_EQ(values(gp::insert(x, {0, 2}, 9, 1)), (V{9, 0, 1, 9, 2, 9, 3, 4, 9, 5}));
}

TEST(Joins, MoveAxes) {
  const array x = gp::ones({2, 3, 4});
  EXPECT_EQ(gp::expand_dims(x, {0, -1}).shape(), (dims{1, 2, 3, 4, 1}));
  EXPECT_EQ(gp::moveaxis(x, 0, -1).shape(), (dims{3, 4, 2}));
  EXPECT_EQ(gp::moveaxis(x, {2, 0}, {0, 1}).shape(), (dims{4, 2, 3}));
  EXPECT_THROW(gp::moveaxis(x, {0, 1}, 0), gp::error);
  EXPECT_EQ(gp::swapaxes(x, 0, 2).shape(), (dims{4, 3, 2}));
  EXPECT_EQ(values(gp::rot90(array({{1, 2}, {3, 4}}))), (V{2, 4, 1, 3}));
  EXPECT_THROW(gp::rot90(x, 1, 0), gp::error);
  EXPECT_EQ(values(gp::diagonal(array({{1, 2}, {3, 4}}), 1)), (V{2}));
  EXPECT_EQ(values(gp::diag(array({1, 2}))), (V{1, 0, 0, 2}));
  EXPECT_EQ(gp::ravel(x).shape(), (dims{24}));
  EXPECT_TRUE(x.transpose().ravel().is_contiguous());
  EXPECT_EQ(gp::atleast_1d(x).shape(), x.shape());
  EXPECT_EQ(gp::atleast_2d(array({1, 2})).shape(), (dims{1, 2}));
  EXPECT_EQ(gp::atleast_3d(array({1, 2})).shape(), (dims{1, 2, 1}));
}

TEST(Joins, IndexByArrays) {
  array x({{0, 1, 2}, {3, 4, 5}});
  const array columns({2, 0}), mask = gp::greater(gp::arange(3), 0);
  EXPECT_EQ(values(gp::get(x, {gp::all, columns})), (V{2, 0, 5, 3}));
  EXPECT_EQ(values(gp::get(x, {1, mask})), (V{4, 5}));
  EXPECT_EQ(values(gp::get(x, {gp::ellipsis, gp::slice(1, gp::none)})), (V{1, 2, 4, 5}));
  EXPECT_EQ(gp::get(x, {gp::zeros({2, 1}, gp::int64), columns, gp::newaxis}).shape(), (dims{2, 2, 1}));
  gp::set(x, {gp::all, columns}, 7);
  gp::set(x, {0, mask}, array({8, 9}));
  EXPECT_EQ(values(x), (V{7, 8, 9, 7, 4, 7}));
  EXPECT_THROW(gp::get(x, {columns}), gp::error);
  EXPECT_THROW(gp::set(x, {gp::all, columns}, array({1, 2, 3})), gp::error);
}

TEST(Joins, EinsteinSums) {
  const array x({{0, 1, 2}, {3, 4, 5}});
  EXPECT_EQ(values(gp::einsum("ij,kj->ik", {x, x})), (V{5, 14, 14, 50}));
  EXPECT_EQ(values(gp::einsum("ij->j", {x})), (V{3, 5, 7}));
  EXPECT_THROW(gp::einsum("ij,jk", {x, x}), gp::error);
}

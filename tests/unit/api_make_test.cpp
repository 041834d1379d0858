// tests/unit/api_make_test.cpp -- gpuopt_make.h as C++ reads it; samples/arguments is the same in C.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

class Make : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(gpuopt_device_open("cpu", nullptr, &device, &error), GPUOPT_OK);
    const std::vector<int64_t> numbers{0, 1, 2, 3, 4, 5};
    const size_t rows = 2;
    ASSERT_EQ(gpuopt_array_from(device, numbers.data(), GPUOPT_INT64, GPUOPT_SHAPE(rows, 3), &x, &error), GPUOPT_OK);
  }
  void TearDown() override {
    gpuopt_array_release(x);
    gpuopt_device_release(device);
  }
  // The elements of y, whose reference it gives back.
  std::vector<int64_t> taken(gpuopt_status status) {
    EXPECT_EQ(status, GPUOPT_OK) << error.message;
    if (status != GPUOPT_OK) return {};
    std::vector<int64_t> list(static_cast<size_t>(gpuopt_array_size(y)));
    EXPECT_EQ(gpuopt_to_host(y, list.data(), list.size() * sizeof(int64_t), &error), GPUOPT_OK) << error.message;
    shape.assign(gpuopt_array_shape(y), gpuopt_array_shape(y) + gpuopt_array_ndim(y));
    gpuopt_array_release(y);
    return list;
  }
  using V = std::vector<int64_t>;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device device = nullptr;
  gpuopt_array x = nullptr, y = nullptr;
  V shape;
};

}  // namespace

TEST_F(Make, ItemsOfAnIndex) {
  EXPECT_EQ(taken(gpuopt_view(x, &y, &error, gpuopt_item_integer(1))), (V{3, 4, 5}));
  EXPECT_EQ(taken(gpuopt_view(x, &y, &error, gpuopt_item_integer(-1), gpuopt_item_integer(0))), (V{3}));
  EXPECT_EQ(taken(gpuopt_view(x, &y, &error, gpuopt_slice_all(), gpuopt_slice_of(0, 2))), (V{0, 1, 3, 4}));
  EXPECT_EQ(taken(gpuopt_view(x, &y, &error, gpuopt_slice_from(1))), (V{3, 4, 5}));
  EXPECT_EQ(taken(gpuopt_view(x, &y, &error, gpuopt_slice_to(-1))), (V{0, 1, 2}));
  EXPECT_EQ(taken(gpuopt_view(x, &y, &error, gpuopt_item_ellipsis(), gpuopt_slice_every(-1))), (V{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(taken(gpuopt_view(x, &y, &error, gpuopt_slice_all(), gpuopt_slice_step(2, GPUOPT_SLICE_ALL, -2))),
            (V{2, 0, 5, 3}));
  EXPECT_EQ(taken(gpuopt_slice(x, GPUOPT_ITEMS(gpuopt_item_newaxis()), &y, &error)).size(), 6u);
  EXPECT_EQ(shape, (V{1, 2, 3}));
  EXPECT_EQ(gpuopt_view(x, &y, &error, gpuopt_slice_step(0, 2, 0)), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_view(x, &y, &error, gpuopt_item_integer(2)), GPUOPT_ERR_INDEX);
}

TEST_F(Make, ListsOfArrays) {
  gpuopt_array index = nullptr;
  const int64_t columns[] = {2, 0};
  ASSERT_EQ(gpuopt_array_from(device, columns, GPUOPT_INT64, GPUOPT_SHAPE(2), &index, &error), GPUOPT_OK);
  EXPECT_EQ(
      taken(gpuopt_get(x, GPUOPT_ITEMS(gpuopt_slice_all(), gpuopt_item_array()), GPUOPT_ARRAYS(index), &y, &error)),
      (V{2, 0, 5, 3}));
  EXPECT_EQ(taken(gpuopt_stack_of(0, &y, &error, x, x)).size(), 12u);
  EXPECT_EQ(shape, (V{2, 2, 3}));
  EXPECT_EQ(taken(gpuopt_concat_of(1, &y, &error, x, x)), (V{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(taken(gpuopt_einsum_of("ij,ij->i", &y, &error, x, x)), (V{5, 50}));
  EXPECT_EQ(gpuopt_eval_of(&error, x, index), GPUOPT_OK);
  gpuopt_array_release(index);
}

TEST_F(Make, ShapesAndNumbers) {
  EXPECT_EQ(taken(gpuopt_full_of(device, GPUOPT_INT64, gpuopt_scalar_int(7), &y, &error, 1, 3)), (V{7, 7, 7}));
  EXPECT_EQ(shape, (V{1, 3}));
  EXPECT_EQ(taken(gpuopt_zeros(device, GPUOPT_INT64, GPUOPT_SHAPE_OF_0D, &y, &error)), (V{0}));
  EXPECT_TRUE(shape.empty());
  int evaluated = 0;
  EXPECT_EQ(taken(gpuopt_ones(device, GPUOPT_INT64, GPUOPT_SHAPE(++evaluated, 2), &y, &error)), (V{1, 1}));
  EXPECT_EQ(evaluated, 1) << "each element of a list is evaluated once";
}

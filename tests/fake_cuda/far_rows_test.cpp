// tests/fake_cuda/far_rows_test.cpp -- few elements that lie more than 2 GiB apart: every kind of kernel reaches them.
// Device memory of the fake that nobody touches costs nothing.
#include <functional>

#include "tests/fake_cuda/on_fake.h"

namespace {

using harness::slice;
using on_fake::Handle;
using on_fake::values_of;

constexpr int64_t kRows = 3, kAll = GPUOPT_SLICE_ALL;

// How the rows lie: bytes from one to the next, columns of a row, elements between them, and upside down or not.
struct Place {
  int64_t row_bytes, columns, step;
  bool flipped;
};
// In 32 bits the first distance is negative, the second nothing, and the last one fits, but twice of it does not.
const Place kPlaces[] = {{(int64_t{1} << 31) + 4096, 300, 1, false}, {(int64_t{1} << 31) + 4096, 300, 1, true},
                         {int64_t{1} << 32, 300, 1, false},          {int64_t{1} << 32, 300, 2, false},
                         {(int64_t{1} << 31) + 4096, 40, 1, false},  {(int64_t{1} << 31) + 4096, 40, 3, true},
                         {(int64_t{1} << 30) + 4096, 300, 1, false}, {(int64_t{1} << 30) + 4096, 40, 3, true}};

int value_at(int64_t row, int64_t column) { return int((row * 7 + column * 3) % 11) - 5; }

template <class T>
class FarRows : public testing::Test {
 protected:
  static constexpr gpuopt_dtype kDtype = std::is_same_v<T, float> ? GPUOPT_FLOAT32 : GPUOPT_INT32;

  void SetUp() override { device = on_fake::open("cuda!"); }
  void TearDown() override {
    EXPECT_EQ(on_fake::counters().violations, 0u);
    gpuopt_device_release(device);
  }

  // A view of what is empty but for the rows, which are assigned: stores that reach far, too.
  Handle rows_at(const Place &place) {
    const int64_t shape[2] = {kRows, place.row_bytes / int64_t(sizeof(T))};
    const gpuopt_index items[2] = {slice(kAll, kAll, place.flipped ? -1 : 1),
                                   slice(0, place.columns * place.step, place.step)};
    Handle base, view;
    gpuopt_error failure = GPUOPT_ERROR_INIT, *const error = &failure;
    EXPECT_EQ(gpuopt_empty(device, kDtype, 2, shape, base.out(), error), GPUOPT_OK) << error->message;
    EXPECT_EQ(gpuopt_slice(base, 2, items, view.out(), error), GPUOPT_OK) << error->message;
    const int64_t dense_shape[2] = {kRows, place.columns};
    EXPECT_EQ(gpuopt_assign(view, array_of(numbers(place.columns), 2, dense_shape), error), GPUOPT_OK)
        << error->message;
    return view;
  }

  static std::vector<T> numbers(int64_t columns) {
    std::vector<T> values;
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t c = 0; c < columns; ++c) values.push_back(T(value_at(r, c)));
    return values;
  }
  template <class U>
  Handle array_of(const std::vector<U> &values, int ndim, const int64_t *shape) {
    Handle made;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_dtype dtype = std::is_same_v<U, T> ? kDtype : std::is_same_v<U, int64_t> ? GPUOPT_INT64 : GPUOPT_BOOL;
    EXPECT_EQ(gpuopt_array_from(device, values.data(), dtype, ndim, shape, made.out(), &error), GPUOPT_OK)
        << error.message;
    return made;
  }
  Handle row_numbers(const std::vector<int64_t> &values) {
    const int64_t size = int64_t(values.size());
    return array_of(values, 1, &size);
  }
  // Calls test(view, values in C order, columns) for rows in every place.
  void for_places(const std::function<void(gpuopt_array, std::vector<T>, int64_t)> &test) {
    for (const Place &place : kPlaces) {
      SCOPED_TRACE(testing::Message() << place.row_bytes << " bytes, columns " << place.columns << " by " << place.step
                                      << (place.flipped ? ", flipped" : ""));
      const Handle view = rows_at(place);
      test(view, numbers(place.columns), place.columns);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

  gpuopt_device device = nullptr;
};
using Elements = testing::Types<float, int32_t>;
TYPED_TEST_SUITE(FarRows, Elements);

TYPED_TEST(FarRows, AreReadAndWrittenByMaps) {
  this->for_places([&](gpuopt_array x, std::vector<TypeParam> expected, int64_t) {
    Handle y, z;
    ASSERT_EQ(values_of<TypeParam>(x), expected);
    ASSERT_GPUOPT_OK(gpuopt_negative(x, y.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_add_into(x, x, x, error));
    ASSERT_GPUOPT_OK(gpuopt_add(x, y, z.out(), error));
    EXPECT_EQ(values_of<TypeParam>(z), expected);
    for (TypeParam &value : expected) value *= 2;
    EXPECT_EQ(values_of<TypeParam>(x), expected);
  });
}

TYPED_TEST(FarRows, AreReduced) {
  this->for_places([&](gpuopt_array x, std::vector<TypeParam> values, int64_t columns) {
    for (const int64_t axis : {0, 1}) {
      gpuopt_reduce_options options = {};
      options.struct_size = sizeof options, options.axes = &axis, options.naxes = 1;
      Handle largest;
      ASSERT_GPUOPT_OK(gpuopt_max(x, &options, largest.out(), error));
      std::vector<TypeParam> expected(size_t(axis ? kRows : columns), TypeParam(-100));
      for (int64_t i = 0; i < kRows * columns; ++i) {
        TypeParam &most = expected[size_t(axis ? i / columns : i % columns)];
        most = std::max(most, values[size_t(i)]);
      }
      EXPECT_EQ(values_of<TypeParam>(largest), expected) << axis;
    }
  });
}

TYPED_TEST(FarRows, AreScanned) {
  this->for_places([&](gpuopt_array x, std::vector<TypeParam> values, int64_t columns) {
    for (const int64_t axis : {0, 1}) {
      Handle sums;
      ASSERT_GPUOPT_OK(gpuopt_cumulative_sum(x, axis, TestFixture::kDtype, 0, sums.out(), error));
      std::vector<TypeParam> expected = values;
      const int64_t before = axis ? 1 : columns;
      for (int64_t i = before; i < kRows * columns; ++i)
        if (axis == 0 || i % columns) expected[size_t(i)] += expected[size_t(i - before)];
      EXPECT_EQ(values_of<TypeParam>(sums), expected) << axis;
    }
  });
}

TYPED_TEST(FarRows, AreTakenAndPut) {
  this->for_places([&](gpuopt_array x, std::vector<TypeParam> values, int64_t columns) {
    const Handle last_first = this->row_numbers({2, 0}), column = this->row_numbers({columns - 1});
    Handle taken, last;
    ASSERT_GPUOPT_OK(gpuopt_take(x, last_first, 0, taken.out(), error));
    std::vector<TypeParam> expected(values.end() - columns, values.end());
    expected.insert(expected.end(), values.begin(), values.begin() + columns);
    EXPECT_EQ(values_of<TypeParam>(taken), expected);
    ASSERT_GPUOPT_OK(gpuopt_take(x, column, 1, last.out(), error));
    EXPECT_EQ(values_of<TypeParam>(last),
              (std::vector<TypeParam>{values[size_t(columns - 1)], values[size_t(2 * columns - 1)],
                                      values[size_t(3 * columns - 1)]}));
    const Handle first_last = this->row_numbers({0, 2});
    ASSERT_GPUOPT_OK(gpuopt_put(x, first_last, 0, taken, error));  // the outer rows change places
    std::swap_ranges(values.begin(), values.begin() + columns, values.end() - columns);
    EXPECT_EQ(values_of<TypeParam>(x), values);
  });
}

TYPED_TEST(FarRows, AreMasked) {
  this->for_places([&](gpuopt_array x, std::vector<TypeParam> values, int64_t columns) {
    Handle zero, mask, selected, fill;
    ASSERT_GPUOPT_OK(gpuopt_zeros(this->device, TestFixture::kDtype, 0, nullptr, zero.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_less(x, zero, mask.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_mask_select(x, mask, selected.out(), error));
    std::vector<TypeParam> expected;
    for (const TypeParam value : values)
      if (value < 0) expected.push_back(value);
    EXPECT_EQ(values_of<TypeParam>(selected), expected);
    ASSERT_GPUOPT_OK(gpuopt_square(selected, fill.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_mask_assign(x, mask, fill, error));
    for (TypeParam &value : values) value = value < 0 ? value * value : value;
    EXPECT_EQ(values_of<TypeParam>(x), values);
    // Whole rows by a mask of them.
    const int64_t rows = kRows;
    Handle ends = this->array_of(std::vector<char>{1, 0, 1}, 1, &rows);
    ASSERT_GPUOPT_OK(gpuopt_mask_select(x, ends, selected.out(), error));
    values.erase(values.begin() + columns, values.begin() + 2 * columns);
    EXPECT_EQ(values_of<TypeParam>(selected), values);
  });
}

TYPED_TEST(FarRows, AreMultiplied) {
  this->for_places([&](gpuopt_array x, std::vector<TypeParam> values, int64_t columns) {
    Handle other, product;
    ASSERT_GPUOPT_OK(gpuopt_matrix_transpose(x, other.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_matmul(x, other, product.out(), error));
    std::vector<TypeParam> expected(kRows * kRows);
    for (int64_t i = 0; i < kRows * kRows; ++i)
      for (int64_t c = 0; c < columns; ++c)
        expected[size_t(i)] += values[size_t(i / kRows * columns + c)] * values[size_t(i % kRows * columns + c)];
    EXPECT_EQ(values_of<TypeParam>(product), expected);
  });
}

}  // namespace

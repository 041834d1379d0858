// tests/unit/core_select_test.cpp -- masks and indices against loops written out here, on a device with the slots and
// one without.
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>

#include "tests/unit/core_bare_device.h"

using namespace support;

namespace {

class Select : public OnBothDevices {
 protected:
  Array select(const Array &x, const Array &mask) {
    Result r;
    return r.take(gpuopt_mask_select(x.get(), mask.get(), &r.array, &r.error));
  }
  Array take(const Array &x, const Array &indices, int64_t axis) {
    Result r;
    return r.take(gpuopt_take(x.get(), indices.get(), axis, &r.array, &r.error));
  }
  Array argwhere(const Array &x) {
    Result r;
    return r.take(gpuopt_argwhere(x.get(), &r.array, &r.error));
  }
  void assign(const Array &x, const Array &mask, const Array &value) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_mask_assign(x.get(), mask.get(), value.get(), &error), GPUOPT_OK) << error.message;
  }
  void put(const Array &x, const Array &indices, int64_t axis, const Array &values) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_put(x.get(), indices.get(), axis, values.get(), &error), GPUOPT_OK) << error.message;
  }
  std::mt19937 random{12345};
  std::vector<bool> random_mask(size_t count) {
    std::vector<bool> mask(count);
    for (size_t k = 0; k < count; ++k) mask[k] = random() % 3 == 0;
    return mask;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Select, ::testing::Bool(), device_title);

TEST_P(Select, MaskSelect) {
  const std::vector<int32_t> values = counting<int32_t>(60);
  const std::vector<bool> mask = random_mask(12);
  std::vector<int32_t> expected;
  for (size_t k = 0; k < 12; ++k)
    if (mask[k])
      expected.insert(expected.end(), values.begin() + static_cast<ptrdiff_t>(5 * k),
                      values.begin() + static_cast<ptrdiff_t>(5 * k + 5));
  const Array y = select(make<int32_t>({3, 4, 5}, values), make<bool>({3, 4}, mask));
  EXPECT_EQ(values_of<int32_t>(y), expected);
  EXPECT_EQ(shape_of(y), (Shape{static_cast<int64_t>(expected.size() / 5), 5}));
}

TEST_P(Select, MaskSelectOfViewsAndEveryItemSize) {
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) {
    const size_t item = gpuopt_dtype_size(d);
    std::vector<unsigned char> bytes(24 * item);
    for (size_t k = 0; k < bytes.size(); ++k)
      bytes[k] = d == GPUOPT_BOOL ? k % 2 : static_cast<unsigned char>(random());
    const std::vector<bool> mask = random_mask(24);
    // x is (4, 6) transposed, the mask reversed along its first axis.
    const Array x = transposed(make_bytes(d, {4, 6}, bytes.data()));
    const Array m = sliced(make<bool>({6, 4}, mask), GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, -1);
    std::vector<unsigned char> expected;
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < 4; ++j)
        if (mask[(5 - i) * 4 + j])
          expected.insert(expected.end(), &bytes[(j * 6 + i) * item], &bytes[(j * 6 + i) * item] + item);
    EXPECT_EQ(bytes_of(select(x, m)), expected) << gpuopt_dtype_name(d);
  }
}

TEST_P(Select, MaskSelectEdges) {
  const Array x = make<double>({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(shape_of(select(x, make<bool>({2}, {false, false}))), (Shape{0, 3}));
  EXPECT_EQ(shape_of(select(x, make<bool>({}, {true}))), (Shape{1, 2, 3}));
  EXPECT_EQ(shape_of(select(x, make<bool>({}, {false}))), (Shape{0, 2, 3}));
  EXPECT_EQ(shape_of(select(make<double>({0, 3}, {}), make<bool>({0}, {}))), (Shape{0, 3}));
  EXPECT_EQ(values_of<double>(select(x, make<bool>({2, 3}, std::vector<bool>(6, true)))),
            (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST_P(Select, RecordedOperandsRunFirst) {
  const Array x = make<double>({4}, {3, -1, 2, -5});
  const Array zero = weak(gpuopt_scalar_int(0));
  Result r;
  const Array negative = r.take(gpuopt_less(x.get(), zero.get(), &r.array, &r.error));
  const Array doubled = r.take(gpuopt_add(x.get(), x.get(), &r.array, &r.error));
  EXPECT_EQ(values_of<double>(select(doubled, negative)), (std::vector<double>{-2, -10}));
}

TEST_P(Select, MaskErrors) {
  const Array x = make<double>({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto fails = [&](const Array &mask, gpuopt_status code, const std::string &message) {
    Result r;
    EXPECT_EQ(gpuopt_mask_select(x.get(), mask.get(), &r.array, &r.error), code);
    EXPECT_EQ(r.error.message, "mask_select: " + message);
  };
  fails(make<int32_t>({2}, {1, 0}), GPUOPT_ERR_TYPE, "the mask has dtype int32, not bool");
  fails(make<bool>({3}, {true, true, true}), GPUOPT_ERR_INDEX,
        "boolean index did not match indexed array along axis 0; size of axis is 2 but size of corresponding boolean "
        "axis is 3");
  fails(make<bool>({2, 3, 1}, std::vector<bool>(6, true)), GPUOPT_ERR_INDEX,
        "too many indices for array: array is 2-dimensional, but the mask is 3-dimensional");
}

TEST_P(Select, MaskAssignScalar) {
  const Array x = make<double>({2, 3}, {0, 1, 2, 0, 4, 0});
  const Array zero = weak(gpuopt_scalar_int(0));
  Result r;
  const Array where_zero = r.take(gpuopt_equal(x.get(), zero.get(), &r.array, &r.error));
  assign(x, where_zero, weak(gpuopt_scalar_real(INFINITY)));
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{INFINITY, 1, 2, INFINITY, 4, INFINITY}));
  assign(x, make<bool>({2}, {false, true}), make<int32_t>({}, {7}));
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{INFINITY, 1, 2, 7, 7, 7}));
}

// What the mask leaves alone keeps its bits, whatever the value's dtype is.
TEST_P(Select, MaskAssignScalarKeepsLargeIntegers) {
  const int64_t large = (int64_t{1} << 62) + 1;
  const Array x = make<int64_t>({3}, {large, 5, -large});
  assign(x, make<bool>({3}, {false, true, false}), weak(gpuopt_scalar_real(2.75)));
  EXPECT_EQ(values_of<int64_t>(x), (std::vector<int64_t>{large, 2, -large}));
  assign(x, make<bool>({3}, {false, true, false}), make<double>({}, {-3.5}));
  EXPECT_EQ(values_of<int64_t>(x), (std::vector<int64_t>{large, -3, -large}));
}

TEST_P(Select, MaskAssignArray) {
  const std::vector<bool> mask = {true, false, true, true};
  Array x = make<float>({4}, {0, 1, 2, 3});
  assign(x, make<bool>({4}, mask), make<double>({3}, {10, 20, 30}));
  EXPECT_EQ(values_of<float>(x), (std::vector<float>{10, 1, 20, 30}));
  x = make<float>({4, 2}, counting<float>(8));
  assign(x, make<bool>({4}, mask), make<float>({2}, {-1, -2}));
  EXPECT_EQ(values_of<float>(x), (std::vector<float>{-1, -2, 2, 3, -1, -2, -1, -2}));
  assign(x, make<bool>({4}, mask), make<float>({3, 1}, {7, 8, 9}));
  EXPECT_EQ(values_of<float>(x), (std::vector<float>{7, 7, 2, 3, 8, 8, 9, 9}));
  assign(x, make<bool>({4}, std::vector<bool>(4, false)), make<float>({2}, {-1, -2}));
  EXPECT_EQ(values_of<float>(x), (std::vector<float>{7, 7, 2, 3, 8, 8, 9, 9}));
}

TEST_P(Select, MaskAssignThroughAView) {
  const Array x = make<int16_t>({3, 4}, counting<int16_t>(12)), columns = transposed(x);
  assign(columns, make<bool>({4}, {false, true, false, true}), make<int16_t>({2, 3}, {-1, -2, -3, -4, -5, -6}));
  EXPECT_EQ(values_of<int16_t>(x), (std::vector<int16_t>{0, -1, 2, -4, 4, -2, 6, -5, 8, -3, 10, -6}));
}

// Mask and values that share x's memory are read before it is written.
TEST_P(Select, MaskAssignOverlapping) {
  const Array b = make<bool>({4}, {true, false, true, true});
  assign(b, b, make<bool>({3}, {false, true, false}));
  EXPECT_EQ(values_of<bool>(b), (std::vector<bool>{false, false, true, false}));
  const Array x = make<int32_t>({6}, {0, 1, 2, 3, 4, 5}), reversed = sliced(x, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, -1);
  assign(x, make<bool>({6}, std::vector<bool>(6, true)), reversed);
  EXPECT_EQ(values_of<int32_t>(x), (std::vector<int32_t>{5, 4, 3, 2, 1, 0}));
}

TEST_P(Select, MaskAssignErrors) {
  const Array x = make<double>({4}, {0, 1, 2, 3}), mask = make<bool>({4}, {true, true, false, false});
  Result r;
  EXPECT_EQ(gpuopt_mask_assign(x.get(), mask.get(), make<double>({3}, {1, 2, 3}).get(), &r.error), GPUOPT_ERR_SHAPE);
  EXPECT_STREQ(
      r.error.message,
      "mask_assign: shape mismatch: value array of shape (3,) could not be broadcast to indexing result of shape (2,)");
  const Shape wide{2, 4};
  const Array rows = r.take(gpuopt_broadcast_to(x.get(), 2, wide.data(), &r.array, &r.error));
  EXPECT_EQ(
      gpuopt_mask_assign(rows.get(), make<bool>({2}, {true, false}).get(), weak(gpuopt_scalar_int(1)).get(), nullptr),
      GPUOPT_ERR_READ_ONLY);
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{0, 1, 2, 3}));
}

TEST_P(Select, Take) {
  const std::vector<int32_t> values = counting<int32_t>(24);
  const Array x = make<int32_t>({2, 3, 4}, values), at = make<int64_t>({2, 2}, {0, -1, 2, -3});
  const int64_t rows[] = {0, 2, 2, 0};
  for (int64_t axis : {int64_t{1}, int64_t{-2}}) {
    const Array y = take(x, at, axis);
    EXPECT_EQ(shape_of(y), (Shape{2, 2, 2, 4}));
    std::vector<int32_t> expected;
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t row : rows)
        for (int64_t j = 0; j < 4; ++j) expected.push_back(values[static_cast<size_t>((i * 3 + row) * 4 + j)]);
    EXPECT_EQ(values_of<int32_t>(y), expected);
  }
  EXPECT_EQ(values_of<int32_t>(take(x, make<uint8_t>({}, {1}), 0)),
            std::vector<int32_t>(values.begin() + 12, values.end()));
  EXPECT_EQ(shape_of(take(x, make<int64_t>({0}, {}), 2)), (Shape{2, 3, 0}));
}

TEST_P(Select, TakeOfIndexDtypes) {
  const Array x = make<double>({3}, {10, 20, 30});
  EXPECT_EQ(values_of<double>(take(x, make<int8_t>({2}, {-1, 0}), 0)), (std::vector<double>{30, 10}));
  EXPECT_EQ(values_of<double>(take(x, make<uint64_t>({2}, {2, 1}), 0)), (std::vector<double>{30, 20}));
  EXPECT_EQ(values_of<double>(take(x, transposed(make<int64_t>({2, 2}, {0, 1, 2, -1})), 0)),
            (std::vector<double>{10, 30, 20, 30}));
  EXPECT_EQ(values_of<double>(take(sliced(x, 2, GPUOPT_SLICE_ALL, -1), make<int32_t>({2}, {0, 1}), 0)),
            (std::vector<double>{30, 20}));
}

TEST_P(Select, TakeErrors) {
  const Array x = make<double>({3}, {10, 20, 30});
  const auto status = [&](const Array &indices, int64_t axis) {
    Result r;
    return gpuopt_take(x.get(), indices.get(), axis, &r.array, &r.error);
  };
  EXPECT_EQ(status(make<int64_t>({1}, {3}), 0), GPUOPT_ERR_INDEX);
  EXPECT_EQ(status(make<int64_t>({1}, {-4}), 0), GPUOPT_ERR_INDEX);
  EXPECT_EQ(status(make<uint64_t>({1}, {std::numeric_limits<uint64_t>::max()}), 0), GPUOPT_ERR_INDEX);
  EXPECT_EQ(status(make<int64_t>({1}, {0}), 1), GPUOPT_ERR_INDEX);
  EXPECT_EQ(status(make<double>({1}, {0}), 0), GPUOPT_ERR_TYPE);
  EXPECT_EQ(status(make<bool>({1}, {true}), 0), GPUOPT_ERR_TYPE);
  EXPECT_EQ(status(weak(gpuopt_scalar_int(0)), 0), GPUOPT_ERR_INVALID_ARGUMENT);
  Result r;
  EXPECT_EQ(gpuopt_take(make<double>({0}, {}).get(), make<int64_t>({1}, {0}).get(), 0, &r.array, nullptr),
            GPUOPT_ERR_INDEX);
  EXPECT_EQ(gpuopt_take(nullptr, x.get(), 0, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  // nothing is taken, as in NumPy: none of the indices counts
  EXPECT_EQ(shape_of(take(make<double>({3, 0, 0}, {}), make<int64_t>({2}, {0, 7}), 2)), (Shape{3, 0, 2}));
}

// Indices that are out of range are errors where the result is empty, too, as NumPy's, unless an axis in front is
// empty.
TEST_P(Select, IndicesOfEmptyArraysAreChecked) {
  const Array x = make<float>({0, 2, 3, 0}, {}), zeros = make<int64_t>({5}, {0, 0, 0, 0, 0});
  const Array sevens = make<uint8_t>({2}, {0, 7}), rows = make<float>({3, 0}, {}), value = make<float>({1}, {1});
  Result r;
  EXPECT_EQ(gpuopt_take(x.get(), zeros.get(), 0, &r.array, nullptr), GPUOPT_ERR_INDEX);
  EXPECT_EQ(gpuopt_take(rows.get(), sevens.get(), 0, &r.array, &r.error), GPUOPT_ERR_INDEX);
  EXPECT_STREQ(r.error.message, "take: index 7 is out of bounds for axis 0 with size 3");
  EXPECT_EQ(gpuopt_put(rows.get(), sevens.get(), 0, value.get(), nullptr), GPUOPT_ERR_INDEX);
  EXPECT_EQ(gpuopt_put(rows.get(), zeros.get(), 0, value.get(), nullptr), GPUOPT_OK);
  EXPECT_EQ(shape_of(take(x, zeros, 3)), (Shape{0, 2, 3, 5}));
  EXPECT_EQ(shape_of(take(x, sevens, 1)), (Shape{0, 2, 3, 0}));
  EXPECT_EQ(shape_of(take(rows, zeros, 0)), (Shape{5, 0}));
  EXPECT_EQ(shape_of(take(rows, make<int64_t>({0}, {}), 0)), (Shape{0, 0}));
}

TEST_P(Select, Put) {
  Array x = make<int32_t>({5}, {0, 1, 2, 3, 4});
  put(x, make<int64_t>({4}, {1, -1, 1, 0}), 0, make<double>({4}, {10, 20, 30, 40}));
  EXPECT_EQ(values_of<int32_t>(x), (std::vector<int32_t>{40, 30, 2, 3, 20}));
  put(x, make<int64_t>({2}, {2, 3}), 0, weak(gpuopt_scalar_int(-9)));
  EXPECT_EQ(values_of<int32_t>(x), (std::vector<int32_t>{40, 30, -9, -9, 20}));
  x = make<int32_t>({2, 3}, counting<int32_t>(6));
  put(transposed(x), make<int64_t>({2}, {2, 0}), 0, make<int32_t>({2, 2}, {-1, -2, -3, -4}));
  EXPECT_EQ(values_of<int32_t>(x), (std::vector<int32_t>{-3, 1, -1, -4, 4, -2}));
}

// Nothing is written if an index is out of range.
TEST_P(Select, PutErrorsChangeNothing) {
  const Array x = make<int32_t>({3}, {0, 1, 2});
  EXPECT_EQ(gpuopt_put(x.get(), make<int64_t>({2}, {0, 3}).get(), 0, make<int32_t>({2}, {7, 8}).get(), nullptr),
            GPUOPT_ERR_INDEX);
  EXPECT_EQ(gpuopt_put(x.get(), make<int64_t>({2}, {0, 1}).get(), 0, make<int32_t>({3}, {7, 8, 9}).get(), nullptr),
            GPUOPT_ERR_SHAPE);
  EXPECT_EQ(values_of<int32_t>(x), (std::vector<int32_t>{0, 1, 2}));
}

TEST_P(Select, PutIndicesThatAreTheArrayItself) {
  const Array x = make<int64_t>({3}, {2, 0, 1});
  put(x, x, 0, make<int64_t>({3}, {10, 20, 30}));
  EXPECT_EQ(values_of<int64_t>(x), (std::vector<int64_t>{20, 30, 10}));
}

// Two arrays over the same memory of somebody else's are as good as one.
TEST(SelectShared, ValuesInTheSameForeignMemory) {
  double memory[] = {0, 1, 2, 3, 4, 5};
  const int64_t count = 6;
  const auto wrapped = [&] {
    Result r;
    return r.take(gpuopt_from_host(cpu(), memory, GPUOPT_FLOAT64, 1, &count, nullptr, GPUOPT_COPY_NEVER, nullptr,
                                   nullptr, &r.array, &r.error));
  };
  const Array x = wrapped(), reversed = sliced(wrapped(), GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, -1);
  EXPECT_EQ(gpuopt_put(x.get(), make({6}, counting<int64_t>(6)).get(), 0, reversed.get(), nullptr), GPUOPT_OK);
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{5, 4, 3, 2, 1, 0}));
  const Array all = make<bool>({6}, std::vector<bool>(6, true));
  EXPECT_EQ(gpuopt_mask_assign(x.get(), all.get(), reversed.get(), nullptr), GPUOPT_OK);
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

// Operands that have the dtype already are used as they lie.
TEST(SelectShared, NoCopyOfOperandsInTheirDtype) {
  BareDevice bare;
  const Array x = make<double>({4}, {5, 6, 7, 8}, bare.get()), y = make<double>({2}, {-1, -2}, bare.get());
  const Array at = make<int64_t>({2}, {0, 2}, bare.get());
  const Array mask = make<bool>({4}, {false, true, false, true}, bare.get());
  Result r;
  int64_t before = bare.allocations;
  const auto allocated = [&] { return bare.allocations - std::exchange(before, bare.allocations); };
  const Array taken = r.take(gpuopt_take(x.get(), at.get(), 0, &r.array, &r.error));
  EXPECT_EQ(allocated(), 1);
  const Array found = r.take(gpuopt_argwhere(mask.get(), &r.array, &r.error));
  EXPECT_EQ(allocated(), 1);
  EXPECT_EQ(gpuopt_put(x.get(), at.get(), 0, y.get(), &r.error), GPUOPT_OK) << r.error.message;
  EXPECT_EQ(gpuopt_mask_assign(x.get(), mask.get(), y.get(), &r.error), GPUOPT_OK) << r.error.message;
  EXPECT_EQ(allocated(), 0);
  EXPECT_EQ(values_of<double>(taken), (std::vector<double>{5, 7}));
  EXPECT_EQ(values_of<int64_t>(found), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{-1, -1, -2, -2}));
}

TEST_P(Select, Argwhere) {
  const Array x = make<double>({2, 3}, {0, 1, NAN, -0.0, 0, 5});
  const Array y = argwhere(x);
  EXPECT_EQ(shape_of(y), (Shape{3, 2}));
  EXPECT_EQ(values_of<int64_t>(y), (std::vector<int64_t>{0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(shape_of(argwhere(make<double>({}, {1}))), (Shape{1, 0}));
  EXPECT_EQ(shape_of(argwhere(make<double>({}, {0}))), (Shape{0, 0}));
  EXPECT_EQ(shape_of(argwhere(make<double>({0, 2}, {}))), (Shape{0, 2}));
  EXPECT_EQ(values_of<int64_t>(argwhere(transposed(x))), (std::vector<int64_t>{1, 0, 2, 0, 2, 1}));
  const Array mask = make<bool>({2, 3}, {false, true, true, false, false, true});
  EXPECT_EQ(values_of<int64_t>(argwhere(transposed(mask))), (std::vector<int64_t>{1, 0, 2, 0, 2, 1}));
}

// Every allocation on the way fails once: the call says so, x is as it was, and nothing is left behind.
TEST(SelectFaults, OutOfMemory) {
  BareDevice bare;
  const std::vector<std::function<gpuopt_status(gpuopt_array, gpuopt_array, gpuopt_array, gpuopt_array *)>> calls = {
      [](auto x, auto mask, auto, auto *out) { return gpuopt_mask_select(x, mask, out, nullptr); },
      [](auto x, auto, auto at, auto *out) { return gpuopt_take(x, at, 0, out, nullptr); },
      [](auto x, auto, auto, auto *out) { return gpuopt_argwhere(x, out, nullptr); },
      [](auto x, auto mask, auto at, auto *) { return gpuopt_mask_assign(x, mask, at, nullptr); },
      [](auto x, auto, auto at, auto *) { return gpuopt_put(x, at, 0, at, nullptr); }};
  for (const auto &call : calls) {
    int failures = 0;
    for (int64_t n = 1; n < 20; ++n) {
      const Array x = make<double>({3}, {5, 6, 7}, bare.get()), mask = make<bool>({3}, {true, false, true}, bare.get());
      const Array at = make<int32_t>({2}, {1, 2}, bare.get());
      bare.fail_allocation = n;
      gpuopt_array out = nullptr;
      const gpuopt_status status = call(x.get(), mask.get(), at.get(), &out);
      bare.fail_allocation = 0;
      gpuopt_array_release(out);
      if (status == GPUOPT_OK) break;
      ++failures;
      EXPECT_EQ(status, GPUOPT_ERR_OUT_OF_MEMORY);
      EXPECT_EQ(out, nullptr);
      EXPECT_EQ(values_of<double>(x), (std::vector<double>{5, 6, 7}));
    }
    EXPECT_GT(failures, 0);
  }
}

TEST(SelectFaults, TwoDevices) {
  BareDevice bare;
  const Array here = make<double>({2}, {1, 2}), there = make<bool>({2}, {true, false}, bare.get());
  Result r;
  EXPECT_EQ(gpuopt_mask_select(here.get(), there.get(), &r.array, &r.error), GPUOPT_ERR_DEVICE_MISMATCH);
  EXPECT_NE(std::string(r.error.message).find("fake:0"), std::string::npos) << r.error.message;
}

}  // namespace

// tests/unit/core_host_test.cpp -- host memory as arrays, reading back, single elements.
#include <array>
#include <limits>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_fake_device.h"

using namespace support;

namespace {

// Host memory that counts its releases.
struct Buffer {
  alignas(64) double values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int released = 0;
  static void release(void *context) { ++static_cast<Buffer *>(context)->released; }
};

Array from_host(Buffer &b, const Shape &shape, const int64_t *strides, gpuopt_copy copy, double *start = nullptr) {
  Result r;
  return r.take(gpuopt_from_host(cpu(), start ? start : b.values, GPUOPT_FLOAT64, static_cast<int32_t>(shape.size()),
                                 shape.data(), strides, copy, Buffer::release, &b, &r.array, &r.error));
}

void *data_of(const Array &x) {
  void *data = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_array_data(x.get(), &data, &error), GPUOPT_OK) << error.message;
  return data;
}

TEST(FromHost, WithoutACopyTheMemoryIsShared) {
  Buffer b;
  {
    const Array x = from_host(b, {3, 4}, nullptr, GPUOPT_COPY_IF_NEEDED);
    EXPECT_EQ(data_of(x), b.values);
    b.values[5] = 55;
    EXPECT_EQ(values_of<double>(x)[5], 55);
    const Array view = transposed(x);
    EXPECT_EQ(b.released, 0);
  }
  EXPECT_EQ(b.released, 1);
}

TEST(FromHost, ViewsKeepTheMemory) {
  Buffer b;
  Array x = from_host(b, {12}, nullptr, GPUOPT_COPY_NEVER);
  Array tail = sliced(x, 6, GPUOPT_SLICE_ALL, 1);
  x.reset();
  EXPECT_EQ(b.released, 0);
  EXPECT_EQ(values_of<double>(tail), (std::vector<double>{6, 7, 8, 9, 10, 11}));
  tail.reset();
  EXPECT_EQ(b.released, 1);
}

TEST(FromHost, CopiesReleaseAtOnce) {
  Buffer b;
  const Array x = from_host(b, {12}, nullptr, GPUOPT_COPY_ALWAYS);
  EXPECT_EQ(b.released, 1);
  b.values[0] = 99;
  EXPECT_EQ(values_of<double>(x)[0], 0);
}

TEST(FromHost, WithoutReleaseIfNeededCopies) {
  Buffer b;
  const Shape shape{12};
  Result r;
  const Array x = r.take(gpuopt_from_host(cpu(), b.values, GPUOPT_FLOAT64, 1, shape.data(), nullptr,
                                          GPUOPT_COPY_IF_NEEDED, nullptr, nullptr, &r.array, &r.error));
  EXPECT_NE(data_of(x), b.values);
}

TEST(FromHost, StridesOfAnySign) {
  for (gpuopt_copy copy : {GPUOPT_COPY_NEVER, GPUOPT_COPY_ALWAYS}) {
    Buffer b;
    const int64_t backwards[] = {-4 * 8, 2 * 8}, still[] = {0, 8}, columns[] = {8, 4 * 8};
    EXPECT_EQ(values_of<double>(from_host(b, {3, 2}, backwards, copy, b.values + 8)),
              (std::vector<double>{8, 10, 4, 6, 0, 2}));
    EXPECT_EQ(values_of<double>(from_host(b, {2, 3}, still, copy)), (std::vector<double>{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(values_of<double>(from_host(b, {2, 3}, columns, copy)), (std::vector<double>{0, 4, 8, 1, 5, 9}));
  }
}

TEST(FromHost, UnalignedMemoryIsCopiedOrRefused) {
  alignas(8) unsigned char bytes[25];
  const double value = 1.5;
  for (int k = 0; k < 3; ++k) std::memcpy(bytes + 1 + 8 * k, &value, 8);
  const Shape shape{3};
  int released = 0;
  const auto release = [](void *context) { ++*static_cast<int *>(context); };
  Result r;
  EXPECT_EQ(gpuopt_from_host(cpu(), bytes + 1, GPUOPT_FLOAT64, 1, shape.data(), nullptr, GPUOPT_COPY_NEVER, release,
                             &released, &r.array, &r.error),
            GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(released, 0);
  const Array x = r.take(gpuopt_from_host(cpu(), bytes + 1, GPUOPT_FLOAT64, 1, shape.data(), nullptr,
                                          GPUOPT_COPY_IF_NEEDED, release, &released, &r.array, &r.error));
  EXPECT_EQ(released, 1);
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{1.5, 1.5, 1.5}));
}

// Work on memory of the caller's is done when the call that records it returns.
TEST(FromHost, WorkIsSubmittedAtOnce) {
  Buffer b;
  const Array x = from_host(b, {12}, nullptr, GPUOPT_COPY_NEVER);
  Result r;
  const Array doubled = r.take(gpuopt_add(x.get(), x.get(), &r.array, &r.error));
  ASSERT_EQ(gpuopt_device_synchronize(cpu(), nullptr), GPUOPT_OK);
  for (double &v : b.values) v = -1;
  EXPECT_EQ(values_of<double>(doubled)[3], 6);
}

// On a device that works behind the host's back, the memory is given back only when nothing uses it any more.
TEST(FromHost, ReleaseWaitsForTheDevice) {
  struct Context {
    gpuopt::test::FakeDevice device;
    int synchronizations = -1;
  } c;
  double values[2] = {1, 2};
  const Shape shape{2};
  Result r;
  Array x = r.take(gpuopt_from_host(
      c.device.get(), values, GPUOPT_FLOAT64, 1, shape.data(), nullptr, GPUOPT_COPY_NEVER,
      [](void *context) {
        Context &at = *static_cast<Context *>(context);
        at.synchronizations = at.device.synchronizations;
      },
      &c, &r.array, &r.error));
  const int before = c.device.synchronizations;
  x.reset();
  EXPECT_GT(c.synchronizations, before);
}

TEST(FromHost, BadArguments) {
  Buffer b;
  const Shape shape{2, 2}, negative{-1}, huge{int64_t{1} << 40, int64_t{1} << 40};
  const int64_t far[] = {std::numeric_limits<int64_t>::max(), 8};
  const auto status = [&](gpuopt_device device, void *data, gpuopt_dtype dtype, const Shape &s, const int64_t *strides,
                          int copy) {
    Result r;
    const gpuopt_status code = gpuopt_from_host(device, data, dtype, static_cast<int32_t>(s.size()), s.data(), strides,
                                                copy, Buffer::release, &b, &r.array, &r.error);
    EXPECT_EQ(r.array, nullptr);
    return code;
  };
  EXPECT_EQ(status(nullptr, b.values, GPUOPT_FLOAT64, shape, nullptr, 0), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(status(cpu(), nullptr, GPUOPT_FLOAT64, shape, nullptr, 0), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(status(cpu(), b.values, 99, shape, nullptr, 0), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(status(cpu(), b.values, GPUOPT_FLOAT64, shape, nullptr, 7), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(status(cpu(), b.values, GPUOPT_FLOAT64, negative, nullptr, 0), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(status(cpu(), b.values, GPUOPT_FLOAT64, huge, nullptr, 0), GPUOPT_ERR_OUT_OF_MEMORY);
  const Shape three{3, 2};
  EXPECT_EQ(status(cpu(), b.values, GPUOPT_FLOAT64, three, far, GPUOPT_COPY_NEVER), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(b.released, 0);
}

TEST(FromHost, EmptyArraysNeedNoMemory) {
  const Array x = make<double>({0, 3}, {});
  EXPECT_EQ(shape_of(x), (Shape{0, 3}));
  EXPECT_TRUE(bytes_of(x).empty());
}

TEST(ToHost, WantsExactlyTheBytes) {
  const Array x = make<int32_t>({3}, {1, 2, 3});
  int32_t out[4];
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(x.get(), out, 16, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("(3,)"), std::string::npos) << error.message;
  EXPECT_EQ(gpuopt_to_host(x.get(), nullptr, 12, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_to_host(x.get(), out, 12, nullptr), GPUOPT_OK);
  EXPECT_EQ(out[2], 3);
}

TEST(Item, ReadsEveryDtype) {
  const Array x = make<double>({2, 2}, {0, 1, 1.5, -2});
  const int64_t index[] = {-1, 1};
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) {
    Result r;
    const Array y = r.take(gpuopt_astype(x.get(), d, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
    gpuopt_scalar v{};
    ASSERT_EQ(gpuopt_array_item(y.get(), index, &v, nullptr), GPUOPT_OK);
    switch (v.kind) {
      case '?':
        EXPECT_EQ(v.value.i, 1);
        break;
      case 'i':
        EXPECT_EQ(v.value.i, -2);
        break;
      case 'u':
        EXPECT_EQ(v.value.u, 0u);
        break;
      default:
        EXPECT_EQ(v.value.f, -2);
        break;
    }
    EXPECT_EQ(v.kind, gpuopt_dtype_kind(d));
  }
}

TEST(Item, IndexIsChecked) {
  const Array x = make<double>({2, 3}, {0, 1, 2, 3, 4, 5});
  gpuopt_scalar v{};
  gpuopt_error error = GPUOPT_ERROR_INIT;
  for (const auto &index : {std::array<int64_t, 2>{2, 0}, {0, 3}, {-3, 0}, {0, -4}}) {
    EXPECT_EQ(gpuopt_array_item(x.get(), index.data(), &v, &error), GPUOPT_ERR_INDEX);
    EXPECT_EQ(gpuopt_array_set_item(x.get(), index.data(), gpuopt_scalar_int(1), nullptr), GPUOPT_ERR_INDEX);
  }
  EXPECT_NE(std::string(error.message).find("(2, 3)"), std::string::npos) << error.message;
  EXPECT_EQ(gpuopt_array_item(x.get(), nullptr, &v, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_array_item(weak(gpuopt_scalar_int(3)).get(), nullptr, &v, nullptr), GPUOPT_OK);
  EXPECT_EQ(v.value.i, 3);
}

TEST(Item, SetWritesThroughViews) {
  const Array x = make<int16_t>({2, 3}, {0, 1, 2, 3, 4, 5}), t = transposed(x);
  const int64_t index[] = {2, 0};
  ASSERT_EQ(gpuopt_array_set_item(t.get(), index, gpuopt_scalar_int(-7), nullptr), GPUOPT_OK);
  EXPECT_EQ(values_of<int16_t>(x), (std::vector<int16_t>{0, 1, -7, 3, 4, 5}));
}

// A recorded reader of the old contents still sees them.
TEST(Item, SetDoesNotChangeWhatWasRecorded) {
  const Array x = make<double>({2}, {1, 2});
  Result r;
  const Array doubled = r.take(gpuopt_add(x.get(), x.get(), &r.array, &r.error));
  const int64_t index[] = {0};
  ASSERT_EQ(gpuopt_array_set_item(x.get(), index, gpuopt_scalar_real(100), nullptr), GPUOPT_OK);
  EXPECT_EQ(values_of<double>(doubled), (std::vector<double>{2, 4}));
  EXPECT_EQ(values_of<double>(x), (std::vector<double>{100, 2}));
}

TEST(Item, SetRefusesWhatDoesNotFit) {
  const Array x = make<int8_t>({1}, {5});
  const int64_t index[] = {0};
  const auto status = [&](gpuopt_scalar v) { return gpuopt_array_set_item(x.get(), index, v, nullptr); };
  EXPECT_EQ(status(gpuopt_scalar_int(128)), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(status(gpuopt_scalar_real(1.5)), GPUOPT_ERR_TYPE);
  EXPECT_EQ(status(gpuopt_scalar_complex(1, 1)), GPUOPT_ERR_TYPE);
  EXPECT_EQ(values_of<int8_t>(x), std::vector<int8_t>{5});
  EXPECT_EQ(status(gpuopt_scalar_int(-128)), GPUOPT_OK);
  EXPECT_EQ(values_of<int8_t>(x), std::vector<int8_t>{-128});
  const Shape wide{3, 1};
  Result r;
  const Array read_only = r.take(gpuopt_broadcast_to(x.get(), 2, wide.data(), &r.array, &r.error));
  const int64_t place[] = {0, 0};
  EXPECT_EQ(gpuopt_array_set_item(read_only.get(), place, gpuopt_scalar_int(1), nullptr), GPUOPT_ERR_READ_ONLY);
}

}  // namespace

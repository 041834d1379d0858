// tests/unit/core_dlpack_test.cpp -- DLPack tensors out and in, and who releases them when.
#include <atomic>
#include <thread>

#include "core/exchange/dlpack_abi.h"
#include "tests/unit/core_array_support.h"

using namespace support;

namespace {

DLManagedTensorVersioned *exported(const Array &x, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  DLManagedTensorVersioned *tensor = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_dlpack(x.get(), 0, copy, &tensor, &error), GPUOPT_OK) << error.message;
  return tensor;
}

// A tensor as another library would make it. The deleter counts; the struct is the test's.
template <class Managed>
struct Foreign {
  alignas(64) double values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t shape[2] = {3, 4}, strides[2] = {4, 1};
  std::atomic<int> deleted{0};
  Managed managed{};
  Foreign() {
    managed.dl_tensor = {values, {1, 0}, 2, {2, 64, 1}, shape, strides, 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed *self) { ++static_cast<Foreign *>(self->manager_ctx)->deleted; };
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) managed.version = {1, 1};
  }
};
using Tensor = Foreign<DLManagedTensorVersioned>;

gpuopt_status import_status(Tensor &t, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  Result r;
  const gpuopt_status status = gpuopt_from_dlpack(cpu(), &t.managed, copy, &r.array, &r.error);
  gpuopt_array_release(r.array);
  return status;
}

Array imported(Tensor &t, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
  Result r;
  return r.take(gpuopt_from_dlpack(cpu(), &t.managed, copy, &r.array, &r.error));
}

TEST(ToDlpack, DescribesTheArray) {
  const Array x = make<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  DLManagedTensorVersioned *t = exported(x);
  EXPECT_EQ(t->version.major, 1u);
  EXPECT_EQ(t->flags, 0u);
  EXPECT_EQ(t->dl_tensor.ndim, 2);
  EXPECT_EQ(t->dl_tensor.device.device_type, 1);
  EXPECT_EQ(t->dl_tensor.dtype.code, 2);
  EXPECT_EQ(t->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(t->dl_tensor.dtype.lanes, 1);
  EXPECT_EQ(Shape(t->dl_tensor.shape, t->dl_tensor.shape + 2), (Shape{2, 3}));
  EXPECT_EQ(Shape(t->dl_tensor.strides, t->dl_tensor.strides + 2), (Shape{3, 1}));
  EXPECT_EQ(static_cast<float *>(t->dl_tensor.data)[4], 4);
  t->deleter(t);
}

TEST(ToDlpack, DtypeCodes) {
  const struct {
    gpuopt_dtype dtype;
    int code, bits;
  } expected[] = {{GPUOPT_BOOL, 6, 8},       {GPUOPT_INT8, 0, 8},        {GPUOPT_UINT64, 1, 64},
                  {GPUOPT_FLOAT16, 2, 16},   {GPUOPT_BFLOAT16, 4, 16},   {GPUOPT_FLOAT64, 2, 64},
                  {GPUOPT_COMPLEX64, 5, 64}, {GPUOPT_COMPLEX128, 5, 128}};
  const unsigned char zeros[16] = {};
  for (const auto &e : expected) {
    DLManagedTensorVersioned *t = exported(make_bytes(e.dtype, {}, zeros));
    EXPECT_EQ(t->dl_tensor.dtype.code, e.code);
    EXPECT_EQ(t->dl_tensor.dtype.bits, e.bits);
    EXPECT_NE(t->dl_tensor.shape, nullptr);
    t->deleter(t);
  }
}

TEST(ToDlpack, TheTensorKeepsTheMemory) {
  Array x = make<double>({3}, {1, 2, 3});
  DLManagedTensorVersioned *t = exported(x);
  x.reset();
  EXPECT_EQ(static_cast<double *>(t->dl_tensor.data)[2], 3);
  std::thread([t] { t->deleter(t); }).join();
}

TEST(ToDlpack, StridesOfViewsAreKept) {
  const Array x = make<double>({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
              r = sliced(x, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, -2);
  DLManagedTensorVersioned *t = exported(r);
  EXPECT_EQ(Shape(t->dl_tensor.strides, t->dl_tensor.strides + 2), (Shape{-6, 1}));
  EXPECT_EQ(static_cast<double *>(t->dl_tensor.data)[0], 9);
  t->deleter(t);
  const Shape wide{2, 3};
  Result result;
  const Array row = sliced(x, 0, 1, 1);
  const Array rows = result.take(gpuopt_broadcast_to(row.get(), 2, wide.data(), &result.array, &result.error));
  t = exported(rows);
  EXPECT_EQ(t->dl_tensor.strides[0], 0);
  EXPECT_EQ(t->flags, gpuopt::dlpack::kFlagReadOnly);
  t->deleter(t);
  DLManagedTensor *old = nullptr;
  EXPECT_EQ(gpuopt_to_dlpack_unversioned(rows.get(), 0, GPUOPT_COPY_IF_NEEDED, &old, nullptr), GPUOPT_ERR_READ_ONLY);
}

TEST(ToDlpack, CopiesWhereAskedOrNeeded) {
  const Array x = make<double>({2}, {1, 2});
  DLManagedTensorVersioned *t = exported(x, GPUOPT_COPY_ALWAYS);
  EXPECT_EQ(t->flags, gpuopt::dlpack::kFlagIsCopied);
  static_cast<double *>(t->dl_tensor.data)[0] = 77;
  EXPECT_EQ(values_of<double>(x)[0], 1);
  t->deleter(t);
  // Strides that are no multiple of the item size: complex numbers 24 bytes apart.
  alignas(16) double memory[6] = {1, 2, 0, 3, 4, 0};
  const int64_t shape[] = {2}, strides[] = {24};
  Result r;
  const Array z = r.take(gpuopt_from_host(cpu(), memory, GPUOPT_COMPLEX128, 1, shape, strides, GPUOPT_COPY_NEVER,
                                          nullptr, nullptr, &r.array, &r.error));
  DLManagedTensorVersioned *none = nullptr;
  EXPECT_EQ(gpuopt_to_dlpack(z.get(), 0, GPUOPT_COPY_NEVER, &none, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  t = exported(z);
  EXPECT_EQ(t->flags, gpuopt::dlpack::kFlagIsCopied);
  EXPECT_EQ(static_cast<double *>(t->dl_tensor.data)[2], 3);
  t->deleter(t);
}

TEST(ToDlpack, RecordedArraysRunAndLaterRecordingSeesWrites) {
  const Array x = make<double>({2}, {1, 2});
  Result r;
  const Array y = r.take(gpuopt_add(x.get(), x.get(), &r.array, &r.error));
  DLManagedTensorVersioned *t = exported(y);
  double *const data = static_cast<double *>(t->dl_tensor.data);
  EXPECT_EQ(data[1], 4);
  // The consumer writes whenever it likes: an operation recorded before the write has read before it.
  const Array z = r.take(gpuopt_add(y.get(), y.get(), &r.array, &r.error));
  ASSERT_EQ(gpuopt_device_synchronize(cpu(), nullptr), GPUOPT_OK);
  data[0] = 50;
  EXPECT_EQ(values_of<double>(z), (std::vector<double>{4, 8}));
  EXPECT_EQ(values_of<double>(y), (std::vector<double>{50, 4}));
  t->deleter(t);
}

TEST(ToDlpack, EmptyArraysHaveNoData) {
  DLManagedTensorVersioned *t = exported(make<double>({0, 3}, {}));
  EXPECT_EQ(t->dl_tensor.data, nullptr);
  t->deleter(t);
}

TEST(ToDlpack, WeakScalarsAreRefused) {
  DLManagedTensorVersioned *t = nullptr;
  EXPECT_EQ(gpuopt_to_dlpack(weak(gpuopt_scalar_int(1)).get(), 0, 0, &t, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_to_dlpack(nullptr, 0, 0, &t, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(t, nullptr);
}

TEST(FromDlpack, SharesTheMemoryUntilTheLastReference) {
  Tensor t;
  {
    const Array x = imported(t), view = transposed(x);
    t.values[5] = 55;
    EXPECT_EQ(values_of<double>(x)[5], 55);
    EXPECT_EQ(t.deleted, 0);
  }
  EXPECT_EQ(t.deleted, 1);
}

TEST(FromDlpack, OurOwnTensorsComeBack) {
  const Array x = make<double>({2, 2}, {1, 2, 3, 4});
  Result r;
  const Array y = r.take(gpuopt_from_dlpack(cpu(), exported(transposed(x)), GPUOPT_COPY_NEVER, &r.array, &r.error));
  EXPECT_EQ(values_of<double>(y), (std::vector<double>{1, 3, 2, 4}));
}

TEST(FromDlpack, CopyReleasesAtOnce) {
  Tensor t;
  const Array x = imported(t, GPUOPT_COPY_ALWAYS);
  EXPECT_EQ(t.deleted, 1);
  t.values[0] = 99;
  EXPECT_EQ(values_of<double>(x)[0], 0);
}

TEST(FromDlpack, OffsetsAndStrides) {
  Tensor t;
  t.managed.dl_tensor.byte_offset = 8 * 8;
  t.strides[0] = -4;
  EXPECT_EQ(values_of<double>(imported(t)), (std::vector<double>{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}));
  Tensor c;
  c.managed.dl_tensor.strides = nullptr;
  EXPECT_EQ(values_of<double>(imported(c))[11], 11);
}

TEST(FromDlpack, ReadOnlyTensorsGiveReadOnlyArrays) {
  Tensor t;
  t.managed.flags = gpuopt::dlpack::kFlagReadOnly;
  const Array x = imported(t);
  EXPECT_EQ(gpuopt_array_is_read_only(x.get()), 1);
  EXPECT_EQ(gpuopt_fill(x.get(), gpuopt_scalar_int(1), nullptr), GPUOPT_ERR_READ_ONLY);
}

TEST(FromDlpack, UnalignedDataIsCopied) {
  Tensor t;
  t.managed.dl_tensor.byte_offset = 4;
  t.shape[0] = 2;
  EXPECT_EQ(import_status(t, GPUOPT_COPY_NEVER), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(t.deleted, 0);
  EXPECT_EQ(import_status(t), GPUOPT_OK);
  EXPECT_EQ(t.deleted, 1);
}

// Of another major version only the deleter may be touched.
TEST(FromDlpack, OtherMajorVersion) {
  Tensor t;
  t.managed.version = {2, 0};
  EXPECT_EQ(import_status(t), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(t.deleted, 1);
}

TEST(FromDlpack, RefusedTensorsStayTheCallers) {
  const auto refused = [](void (*spoil)(Tensor &)) {
    Tensor t;
    spoil(t);
    const gpuopt_status status = import_status(t);
    EXPECT_EQ(t.deleted, 0);
    return status;
  };
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.dtype.lanes = 4; }), GPUOPT_ERR_TYPE);
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.dtype.bits = 80; }), GPUOPT_ERR_TYPE);
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.dtype.code = 3; }), GPUOPT_ERR_TYPE);
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.ndim = -1; }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.ndim = 65; }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.shape = nullptr; }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.data = nullptr; }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Tensor &t) { t.shape[0] = -1; }), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(refused([](Tensor &t) { t.strides[0] = INT64_MAX / 4; }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Tensor &t) { t.managed.dl_tensor.device = {2, 0}; }), GPUOPT_ERR_DEVICE_MISMATCH);
}

TEST(FromDlpack, EmptyAndZeroDimensional) {
  Tensor t;
  t.shape[0] = 0;
  t.managed.dl_tensor.data = nullptr;
  EXPECT_EQ(import_status(t), GPUOPT_OK);
  EXPECT_EQ(t.deleted, 1);
  Tensor scalar;
  scalar.managed.dl_tensor.ndim = 0;
  scalar.managed.dl_tensor.shape = nullptr;
  scalar.managed.dl_tensor.strides = nullptr;
  EXPECT_EQ(values_of<double>(imported(scalar)), std::vector<double>{0});
}

TEST(FromDlpack, TensorsWithoutDeleter) {
  Tensor t;
  t.managed.deleter = nullptr;
  EXPECT_EQ(import_status(t), GPUOPT_OK);
  EXPECT_EQ(import_status(t, GPUOPT_COPY_ALWAYS), GPUOPT_OK);
}

TEST(FromDlpack, Unversioned) {
  Foreign<DLManagedTensor> t;
  Result r;
  Array x = r.take(gpuopt_from_dlpack_unversioned(cpu(), &t.managed, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
  EXPECT_EQ(values_of<double>(x)[7], 7);
  DLManagedTensor *out = nullptr;
  ASSERT_EQ(gpuopt_to_dlpack_unversioned(x.get(), -1, GPUOPT_COPY_IF_NEEDED, &out, nullptr), GPUOPT_OK);
  x.reset();
  EXPECT_EQ(out->dl_tensor.data, t.values);
  EXPECT_EQ(t.deleted, 0);
  out->deleter(out);
  EXPECT_EQ(t.deleted, 1);
}

// The last reference may go on any thread, and goes once.
TEST(FromDlpack, ManyThreadsReleaseOnce) {
  for (int round = 0; round < 20; ++round) {
    Tensor t;
    Array x = imported(t);
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k) {
      gpuopt_array_retain(x.get());
      threads.emplace_back([array = x.get()] { gpuopt_array_release(array); });
    }
    x.reset();
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(t.deleted, 1);
  }
}

}  // namespace

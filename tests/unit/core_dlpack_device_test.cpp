// tests/unit/core_dlpack_device_test.cpp -- DLPack tensors of a device that works later: nobody gets memory, or gives
// it back, while work on it is on its way, be it on streams of ours or on those of another library.
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "core/exchange/dlpack_abi.h"
#include "tests/unit/core_async_device.h"

namespace gpuopt::test {
namespace {

constexpr int kDeviceType = 2;
using Managed = DLManagedTensorVersioned;

class DeviceTensor : public testing::Test {
 protected:
  DeviceTensor() { fake.get()->info.dlpack_type = kDeviceType; }
  ~DeviceTensor() override { EXPECT_EQ(fake.violation, ""); }

  ArrayRef make(std::vector<float> values, gpuopt_stream stream = nullptr) {
    const int64_t size = static_cast<int64_t>(values.size());
    ArrayRef x = make_array(stream ? stream : fake.get()->default_stream, GPUOPT_FLOAT32, 1, &size);
    copy_from_host(x.get(), values.data());
    return x;
  }
  static ArrayRef twice(const ArrayRef &x) {
    const gpuopt_array both[] = {x.get(), x.get()};
    return record_op(GPUOPT_OP_add, both);
  }
  static Managed *exported(const ArrayRef &x, int64_t stream = 2, gpuopt_copy copy = GPUOPT_COPY_IF_NEEDED) {
    Managed *tensor = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_to_dlpack(x.get(), stream, copy, &tensor, &error), GPUOPT_OK) << error.message;
    return tensor;
  }
  static float *data(Managed *tensor) { return static_cast<float *>(tensor->dl_tensor.data); }

  AsyncDevice fake;
};

TEST_F(DeviceTensor, HoldsItsValuesWhicheverStreamsMadeThem) {
  auto second = make_stream(fake.get());
  ArrayRef x = make({1, 2}), y = twice(x);
  evaluate(y.get());
  ArrayRef there = make_view(y->storage.get(), second, y->dtype, y->ndim, y->shape, y->strides, 0, false);
  ArrayRef sum = twice(there);
  for (int64_t stream : {int64_t{0}, int64_t{2}, int64_t{0x7f00}}) {
    Managed *tensor = exported(sum, stream);
    EXPECT_EQ(data(tensor)[1], 8) << stream;
    tensor->deleter(tensor);
  }
}

TEST_F(DeviceTensor, IsHandedOutAfterWhatItsOtherUsersDo) {
  ArrayRef x = make({1, 2});
  Managed *first = exported(x);
  fake.submit_foreign([to = data(first)] { to[0] = 7; });
  Managed *without = exported(x, -1);
  EXPECT_EQ(data(without)[0], 1) << "-1: no synchronisation";
  Managed *second = exported(x);
  EXPECT_EQ(data(second)[0], 7);
  for (Managed *tensor : {first, without, second}) tensor->deleter(tensor);
}

TEST_F(DeviceTensor, KeepsItsMemoryUntilItsUsersAreDone) {
  for (gpuopt_copy copy : {GPUOPT_COPY_IF_NEEDED, GPUOPT_COPY_ALWAYS}) {
    float seen = 0;
    Managed *tensor = exported(make({1, 2}), 2, copy);
    fake.submit_foreign([&seen, from = data(tensor)] { seen = from[1]; });
    tensor->deleter(tensor);
    EXPECT_EQ(seen, 2) << "the memory went back to the device while somebody read it";
  }
}

TEST_F(DeviceTensor, IsOursAgainOnceItsUsersAreDone) {
  const ArrayRef x = make({1, 2});
  float seen = 0;
  Managed *tensor = exported(x);
  fake.submit_foreign([&seen, from = data(tensor)] { seen = from[1]; });
  tensor->deleter(tensor);
  EXPECT_EQ(seen, 2) << "what we write to x next could be there first";
}

// A tensor of another library, whose work on it is on its way.
struct Foreign {
  float values[3] = {0, 0, 0};
  int64_t shape[1] = {3};
  bool deleted = false;
  Managed managed{};
  explicit Foreign(AsyncDevice &fake) {
    managed.dl_tensor = {values, {kDeviceType, 0}, 1, {2, 32, 1}, shape, nullptr, 0};
    managed.version = {1, 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed *self) { static_cast<Foreign *>(self->manager_ctx)->deleted = true; };
    fake.submit_foreign([this] { std::fill_n(values, 3, 5.0f); });
  }
};

TEST_F(DeviceTensor, IsTakenOverAfterItsProducersWork) {
  for (gpuopt_copy copy : {GPUOPT_COPY_NEVER, GPUOPT_COPY_ALWAYS}) {
    Foreign foreign(fake);
    gpuopt_array x = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    ASSERT_EQ(gpuopt_from_dlpack(fake.get(), &foreign.managed, copy, &x, &error), GPUOPT_OK) << error.message;
    EXPECT_EQ(foreign.deleted, copy == GPUOPT_COPY_ALWAYS);
    float got[3] = {};
    ASSERT_EQ(gpuopt_to_host(x, got, sizeof got, &error), GPUOPT_OK) << error.message;
    EXPECT_EQ(got[2], 5);
    gpuopt_array_release(x);
    EXPECT_TRUE(foreign.deleted);
  }
}

TEST_F(DeviceTensor, OfMemoryThatTheHostReadsTooIsReadAfterItsProducersWork) {
  for (int32_t type : {dlpack::kDeviceCudaManaged, dlpack::kDeviceCudaHost}) {
    Foreign foreign(fake);
    foreign.managed.dl_tensor.device = {type, 0};
    gpuopt_array x = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    ASSERT_EQ(gpuopt_from_dlpack(fake.get(), &foreign.managed, GPUOPT_COPY_IF_NEEDED, &x, &error), GPUOPT_OK)
        << error.message;
    float got[3] = {};
    ASSERT_EQ(gpuopt_to_host(x, got, sizeof got, &error), GPUOPT_OK) << error.message;
    EXPECT_EQ(got[2], 5);
    gpuopt_array_release(x);
  }
}

// As a backend of interface 1.0: what is ours is waited for.
TEST_F(DeviceTensor, OfABackendWithoutTheSlotWaitsForTheStreamsOfOurs) {
  fake.backend().api.device_synchronize = [](gpuopt_plugin_device *, gpuopt_error *) {
    return gpuopt_status{GPUOPT_ERR_UNSUPPORTED};
  };
  Managed *tensor = exported(twice(make({1, 2})));
  EXPECT_EQ(data(tensor)[1], 4);
  tensor->deleter(tensor);
}

TEST_F(DeviceTensor, OfAFaultIsRefusedWithItsCause) {
  ArrayRef y = twice(make({1, 2}));
  evaluate(y.get());
  fake.fail_work = 1;
  Managed *tensor = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_dlpack(y.get(), 2, 0, &tensor, &error), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_EQ(tensor, nullptr);
  EXPECT_NE(std::string(error.message).find("launched before: program"), std::string::npos) << error.message;
}

TEST_F(DeviceTensor, DeviceSynchronizeWaitsForEverybody) {
  bool done = false;
  fake.submit_foreign([&] { done = true; });
  ASSERT_EQ(gpuopt_device_synchronize(fake.get(), nullptr), GPUOPT_OK);
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace gpuopt::test

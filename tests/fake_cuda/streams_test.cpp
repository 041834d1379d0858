// tests/fake_cuda/streams_test.cpp -- streams, events, threads, two devices and fork on the CUDA backend. Streams of
// the fake run only what is waited for, so that a missing order shows.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <string>
#include <thread>

#include "core/exchange/dlpack_abi.h"
#include "plugins/cuda/driver/driver_types.h"
#include "tests/fake_cuda/on_fake.h"

namespace {

using on_fake::counting;
using on_fake::Handle;
using on_fake::values_of;

class Streams : public testing::Test {
 protected:
  void SetUp() override { device = on_fake::open("cuda!"); }
  void TearDown() override {
    EXPECT_EQ(on_fake::counters().violations, 0u);
    gpuopt_device_release(device);
  }
  Handle on(gpuopt_array x, gpuopt_stream stream) {
    Handle result;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_array_on_stream(x, stream, result.out(), &error), GPUOPT_OK) << error.message;
    return result;
  }
  gpuopt_device device = nullptr;
};

TEST_F(Streams, OperandsOnSeveralStreamsAreOrdered) {
  gpuopt_stream streams[3];
  for (auto &stream : streams) ASSERT_GPUOPT_OK(gpuopt_stream_create(device, &stream, error));
  Handle x = counting(device, 1000);
  for (int round = 0; round < 20; ++round) {
    // Written on one stream, read on another, written again on a third.
    Handle a = on(x, streams[round % 3]), b = on(x, streams[(round + 1) % 3]), sum;
    ASSERT_GPUOPT_OK(gpuopt_add(a, b, sum.out(), error));
    Handle c = on(x, streams[(round + 2) % 3]);
    ASSERT_GPUOPT_OK(gpuopt_subtract_into(c, sum, c, error));  // x = -x
    ASSERT_GPUOPT_OK(gpuopt_negative_into(a, b, error));       // and back
  }
  const std::vector<float> got = values_of<float>(x);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(got[size_t(i)], float(i));
  for (auto &stream : streams) gpuopt_stream_release(stream);
}

TEST_F(Streams, EventsMarkWork) {
  gpuopt_stream first = nullptr, second = nullptr;
  gpuopt_event start = nullptr, end = nullptr;
  ASSERT_GPUOPT_OK(gpuopt_stream_create(device, &first, error));
  ASSERT_GPUOPT_OK(gpuopt_stream_create(device, &second, error));
  Handle x = counting(device, 100), a = on(x, first), y;
  ASSERT_GPUOPT_OK(gpuopt_event_record(first, &start, error));
  ASSERT_GPUOPT_OK(gpuopt_square(a, y.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_event_record(first, &end, error));
  ASSERT_GPUOPT_OK(gpuopt_stream_wait(second, end, error));
  ASSERT_GPUOPT_OK(gpuopt_stream_synchronize(second, error));
  ASSERT_GPUOPT_OK(gpuopt_event_synchronize(end, error));
  double milliseconds = -1;
  ASSERT_GPUOPT_OK(gpuopt_event_elapsed(start, end, &milliseconds, error));
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(values_of<float>(y)[9], 81.0f);
  gpuopt_event_release(start);
  gpuopt_event_release(end);
  gpuopt_stream_release(first);
  gpuopt_stream_release(second);
}

TEST_F(Streams, QueriesDoNotWait) {
  gpuopt_stream stream = nullptr;
  gpuopt_event event = nullptr;
  int32_t done = -1;
  void *handle = nullptr;
  ASSERT_GPUOPT_OK(gpuopt_stream_create(device, &stream, error));
  Handle x = counting(device, 100), a = on(x, stream), y;
  ASSERT_GPUOPT_OK(gpuopt_stream_synchronize(stream, error));
  ASSERT_GPUOPT_OK(gpuopt_square(a, y.out(), error));  // recorded: the first query submits it
  ASSERT_GPUOPT_OK(gpuopt_stream_query(stream, &done, error));
  EXPECT_EQ(done, 0);
  ASSERT_GPUOPT_OK(gpuopt_event_record(stream, &event, error));
  ASSERT_GPUOPT_OK(gpuopt_event_query(event, &done, error));
  EXPECT_EQ(done, 0);
  ASSERT_GPUOPT_OK(gpuopt_stream_native(stream, &handle, error));
  const auto synchronize = on_fake::find<CUresult(CUstream)>("cuStreamSynchronize");
  const auto retain = on_fake::find<CUresult(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain");
  const auto push = on_fake::find<CUresult(CUcontext)>("cuCtxPushCurrent_v2");
  const auto pop = on_fake::find<CUresult(CUcontext *)>("cuCtxPopCurrent_v2");
  CUcontext context = nullptr;
  ASSERT_EQ(retain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(push(context), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(static_cast<CUstream>(handle)), CUDA_SUCCESS) << "the driver knows the handle";
  ASSERT_EQ(pop(nullptr), CUDA_SUCCESS);
  ASSERT_GPUOPT_OK(gpuopt_stream_query(stream, &done, error));
  EXPECT_EQ(done, 1);
  ASSERT_GPUOPT_OK(gpuopt_event_query(event, &done, error));
  EXPECT_EQ(done, 1);
  EXPECT_EQ(values_of<float>(y)[9], 81.0f);
  gpuopt_event_release(event);
  gpuopt_stream_release(stream);
}

TEST_F(Streams, DevicesTellFactsAsNumbers) {
  int64_t value = 0, free_before = 0, free_after = 0, total = 0;
  ASSERT_GPUOPT_OK(gpuopt_device_get_attribute(device, GPUOPT_ATTRIBUTE_WARP_SIZE, &value, error));
  EXPECT_EQ(value, 32);
  ASSERT_GPUOPT_OK(gpuopt_device_get_attribute(device, GPUOPT_ATTRIBUTE_MEMORY_TOTAL, &total, error));
  ASSERT_GPUOPT_OK(gpuopt_device_get_attribute(device, GPUOPT_ATTRIBUTE_MEMORY_FREE, &free_before, error));
  Handle x = counting(device, 2500000);
  ASSERT_GPUOPT_OK(gpuopt_device_get_attribute(device, GPUOPT_ATTRIBUTE_MEMORY_FREE, &free_after, error));
  EXPECT_LT(free_after, free_before - 5000000);
  EXPECT_LE(free_before, total);
  for (const gpuopt_attribute known :
       {GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY, GPUOPT_ATTRIBUTE_MAX_THREADS_PER_BLOCK, GPUOPT_ATTRIBUTE_L2_CACHE_BYTES,
        GPUOPT_ATTRIBUTE_CLOCK, GPUOPT_ATTRIBUTE_MEMORY_BUS_BITS, GPUOPT_ATTRIBUTE_DRIVER_VERSION}) {
    ASSERT_GPUOPT_OK(gpuopt_device_get_attribute(device, known, &value, error));
    EXPECT_GT(value, 0) << known;
  }
  EXPECT_EQ(gpuopt_device_get_attribute(device, 1000, &value, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

// Another CUDA library of this process uses memory of ours through DLPack, on a stream of its own.
TEST_F(Streams, DlpackMemoryIsSharedWithStreamsOfOtherLibraries) {
  const auto retain = on_fake::find<CUresult(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain");
  const auto push = on_fake::find<CUresult(CUcontext)>("cuCtxPushCurrent_v2");
  const auto create_stream = on_fake::find<CUresult(CUstream *, unsigned)>("cuStreamCreate");
  const auto set = on_fake::find<CUresult(CUdeviceptr, unsigned char, size_t, CUstream)>("cuMemsetD8Async");
  Handle x = counting(device, 1000);
  DLManagedTensorVersioned *tensor = nullptr, *again = nullptr;
  ASSERT_GPUOPT_OK(gpuopt_to_dlpack(x, 2, GPUOPT_COPY_NEVER, &tensor, error));
  CUcontext context = nullptr;
  CUstream theirs = nullptr;
  ASSERT_EQ(retain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(push(context), CUDA_SUCCESS);
  ASSERT_EQ(create_stream(&theirs, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const auto memory = reinterpret_cast<CUdeviceptr>(tensor->dl_tensor.data);
  ASSERT_EQ(set(memory, 0, 4000, theirs), CUDA_SUCCESS);
  EXPECT_EQ(values_of<float>(x)[9], 9.0f) << "nothing waits for their stream";
  ASSERT_GPUOPT_OK(gpuopt_to_dlpack(x, 2, GPUOPT_COPY_NEVER, &again, error));
  EXPECT_EQ(values_of<float>(x)[9], 0.0f);
  tensor->deleter(tensor);
  again->deleter(again);
  EXPECT_EQ(on_fake::find<CUresult(CUstream)>("cuStreamDestroy_v2")(theirs), CUDA_SUCCESS);
  EXPECT_EQ(on_fake::find<CUresult(CUcontext *)>("cuCtxPopCurrent_v2")(&context), CUDA_SUCCESS);
  EXPECT_EQ(on_fake::find<CUresult(CUdevice)>("cuDevicePrimaryCtxRelease_v2")(0), CUDA_SUCCESS);
}

TEST_F(Streams, HostMemoryMayChangeAfterTheCall) {
  std::vector<float> values(3 << 20, 1.0f);
  const int64_t size = int64_t(values.size());
  Handle x, y;
  ASSERT_GPUOPT_OK(gpuopt_array_from(device, values.data(), GPUOPT_FLOAT32, 1, &size, x.out(), error));
  std::fill(values.begin(), values.end(), 7.0f);
  ASSERT_GPUOPT_OK(gpuopt_square(x, y.out(), error));
  for (float v : values_of<float>(y)) ASSERT_EQ(v, 1.0f);
}

TEST_F(Streams, ThreadsWorkSideBySide) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      gpuopt_stream stream = nullptr;
      ASSERT_GPUOPT_OK(gpuopt_stream_create(device, &stream, error));
      Handle x = counting(device, 5000, float(t)), a = on(x, stream);
      for (int i = 0; i < 10; ++i) {
        Handle y, z;
        ASSERT_GPUOPT_OK(gpuopt_negative(a, y.out(), error));
        ASSERT_GPUOPT_OK(gpuopt_square(y, z.out(), error));
        ASSERT_EQ(values_of<float>(z)[3], float((t + 3) * (t + 3)));
      }
      gpuopt_stream_release(stream);
    });
  for (auto &thread : threads) thread.join();
}

TEST_F(Streams, ArraysGoBetweenDevices) {
  gpuopt_device other = on_fake::open("cuda:1!"), cpu = on_fake::open("cpu");
  Handle x = counting(device, 300000), y, there, back, host;
  ASSERT_GPUOPT_OK(gpuopt_negative(x, y.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_to_device(y, other, GPUOPT_COPY_IF_NEEDED, there.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_negative_into(there, there, error));
  ASSERT_GPUOPT_OK(gpuopt_to_device(there, device, GPUOPT_COPY_IF_NEEDED, back.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_to_device(there, cpu, GPUOPT_COPY_IF_NEEDED, host.out(), error));
  for (const Handle *result : {&back, &host}) {
    const std::vector<float> got = values_of<float>(*result);
    for (int i = 0; i < 300000; ++i) ASSERT_EQ(got[size_t(i)], float(i));
  }
  gpuopt_error failure = GPUOPT_ERROR_INIT;
  Handle sum;
  EXPECT_EQ(gpuopt_add(x, there, sum.out(), &failure), GPUOPT_ERR_DEVICE_MISMATCH);
  gpuopt_device_release(other);
  gpuopt_device_release(cpu);
}

// What a copy to another device gives is the source at the call, whatever is done to either of them afterwards.
TEST_F(Streams, ACopyToAnotherDeviceIsOfTheTimeOfTheCall) {
  gpuopt_device other = on_fake::open("cuda:1!");
  gpuopt_stream stream = nullptr;
  ASSERT_GPUOPT_OK(gpuopt_stream_create(device, &stream, error));
  Handle x = counting(device, 5000), side = on(x, stream), there[3];
  for (Handle &copy : there) {
    ASSERT_GPUOPT_OK(gpuopt_add_into(side, side, side, error));  // waits on its stream
    ASSERT_GPUOPT_OK(gpuopt_to_device(x, other, GPUOPT_COPY_IF_NEEDED, copy.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_negative_into(x, x, error));
    ASSERT_GPUOPT_OK(gpuopt_device_synchronize(device, error));
  }
  const float factors[] = {2, -4, 8};
  for (int i = 0; i < 3; ++i) {
    const std::vector<float> got = values_of<float>(there[i]);
    for (int j = 0; j < 5000; ++j) ASSERT_EQ(got[size_t(j)], factors[i] * float(j)) << i;
  }
  EXPECT_EQ(values_of<float>(x)[1], -8.0f);
  gpuopt_stream_release(stream);
  gpuopt_device_release(other);
}

void count_staged(const gpuopt_log_record *record, void *count) {
  *static_cast<std::atomic<int> *>(count) += std::string(record->event) == "cuda.peer_staged";
}

// In a process of its own, which has said nothing yet: the number of warnings of two devices that copy to and fro.
int staged_warnings() {
  std::atomic<int> count{0};
  gpuopt_log_set_callback(count_staged, &count);
  gpuopt_device first = on_fake::open("cuda!"), second = on_fake::open("cuda:1!");
  {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    Handle x = counting(first, 1000), there, back;
    for (int i = 0; i < 3; ++i) {
      if (gpuopt_to_device(x, second, GPUOPT_COPY_IF_NEEDED, there.out(), &error) != GPUOPT_OK ||
          gpuopt_to_device(there, first, GPUOPT_COPY_IF_NEEDED, back.out(), &error) != GPUOPT_OK ||
          values_of<float>(back)[999] != 999.0f)
        return -1;
    }
  }
  gpuopt_device_release(first);
  gpuopt_device_release(second);
  gpuopt_log_set_callback(nullptr, nullptr);
  return count;
}

TEST(Peers, AStagedCopyIsSaidOnceForEachWay) {
  const char *const peers = std::getenv("FAKE_CUDA_PEERS");
  const int expected = peers && std::string(peers) == "none" ? 2 : 0;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(staged_warnings() == expected ? 0 : 1), testing::ExitedWithCode(0), "");
}

// The child answers FORKED for what the parent opened, may still release it, and has the CPU.
int in_child(gpuopt_device device, gpuopt_array x) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  std::vector<float> values(100);
  if (gpuopt_to_host(x, values.data(), 400, &error) != GPUOPT_ERR_FORKED) return 1;
  gpuopt_array y = nullptr;
  gpuopt_status status = gpuopt_negative(x, &y, &error);
  if (status == GPUOPT_OK) status = gpuopt_eval(1, &y, &error);
  if (status != GPUOPT_ERR_FORKED) return 2;
  if (gpuopt_device_synchronize(device, &error) != GPUOPT_ERR_FORKED) return 3;
  gpuopt_array_release(y);
  gpuopt_array_release(x);
  gpuopt_device cpu = nullptr;
  if (gpuopt_device_open("cpu", nullptr, &cpu, &error) != GPUOPT_OK) return 4;
  Handle z = counting(cpu, 10);
  return values_of<float>(z)[9] == 9.0f ? 0 : 5;
}

TEST_F(Streams, AForkedChildIsTold) {
  Handle x = counting(device, 100);
  ASSERT_EQ(values_of<float>(x)[99], 99.0f);
  const pid_t child = fork();
  if (child == 0) _exit(in_child(device, x));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(values_of<float>(x)[99], 99.0f) << "the parent goes on";
}

}  // namespace

// tests/loader/threads_test.cpp -- devices, streams and events opened and used from many threads at once.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/loader/child.h"

namespace {

template <class Body>
void in_threads(int count, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread &thread : threads) thread.join();
}

gpuopt_device open(const char *request) {
  static const char *const path[] = {PLUGIN_ROOT "/good"};
  gpuopt_device_options options = GPUOPT_DEVICE_OPTIONS_INIT;
  options.plugin_path = path;
  options.plugin_path_count = 1;
  gpuopt_device device = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_device_open(request, &options, &device, &error), GPUOPT_OK) << error.message;
  return device;
}

// First, while nothing is loaded yet.
TEST(Threads, OpeningAtOnceGivesOneDeviceEach) {
  std::vector<gpuopt_device> opened(24);
  in_threads(24, [&](int i) {
    static const char *const requests[] = {"cuda", "cuda:1", "cpu"};
    opened[i] = open(requests[i % 3]);
  });
  EXPECT_EQ(std::set<gpuopt_device>(opened.begin(), opened.end()).size(), 3u);
  EXPECT_STREQ(gpuopt_device_name(opened[0]), "cuda:0");
  EXPECT_STREQ(gpuopt_device_name(opened[1]), "cuda:1");
  EXPECT_STREQ(gpuopt_device_backend(opened[1]), "cuda");
  EXPECT_STREQ(gpuopt_device_name(opened[2]), "cpu:0");
  for (int i = 3; i < 24; ++i) EXPECT_EQ(opened[i], opened[i % 3]);
}

TEST(Threads, ErrorsBelongToTheirCalls) {
  std::atomic<int> wrong{0};
  in_threads(16, [&](int i) {
    const std::string name = "unknown" + std::to_string(i);
    for (int j = 0; j < 50; ++j) {
      gpuopt_device device = nullptr;
      gpuopt_error error = GPUOPT_ERROR_INIT;
      const gpuopt_status status = gpuopt_device_open(name.c_str(), nullptr, &device, &error);
      const bool right = status == GPUOPT_ERR_INVALID_ARGUMENT && !device &&
                         std::string(error.message).find("\"" + name + "\"") != std::string::npos;
      wrong += !right;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, OneWarningForAll) {
  static std::atomic<int> warnings;
  warnings = 0;
  gpuopt_log_set_callback([](const gpuopt_log_record *record, void *) { warnings += record->level == 2; }, nullptr);
  in_threads(16, [&](int) { EXPECT_STREQ(gpuopt_device_name(open("cuda:5")), "cpu:0"); });
  gpuopt_log_set_callback(nullptr, nullptr);
  EXPECT_EQ(warnings, 1);
}

TEST(Threads, StreamsComeAndGoWhileTheDeviceSynchronizes) {
  gpuopt_device device = open("cpu");
  in_threads(8, [&](int i) {
    for (int j = 0; j < 100; ++j) {
      gpuopt_stream stream = nullptr;
      ASSERT_EQ(gpuopt_stream_create(device, &stream, nullptr), GPUOPT_OK);
      const gpuopt_status status =
          i % 2 ? gpuopt_device_synchronize(device, nullptr) : gpuopt_stream_synchronize(stream, nullptr);
      EXPECT_EQ(status, GPUOPT_OK);
      gpuopt_stream_release(gpuopt_stream_retain(stream));
      gpuopt_stream_release(stream);
    }
  });
}

// ---- The handles themselves, on one thread

TEST(Streams, EventsOrderAndTimeThem) {
  gpuopt_device device = open("cpu");
  gpuopt_stream stream = nullptr, usual = nullptr;
  gpuopt_event start = nullptr, end = nullptr;
  ASSERT_EQ(gpuopt_stream_create(device, &stream, nullptr), GPUOPT_OK);
  ASSERT_EQ(gpuopt_stream_default(device, &usual, nullptr), GPUOPT_OK);
  EXPECT_NE(stream, usual);
  ASSERT_EQ(gpuopt_event_record(stream, &start, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_stream_wait(usual, start, nullptr), GPUOPT_OK);
  ASSERT_EQ(gpuopt_event_record(usual, &end, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_event_synchronize(end, nullptr), GPUOPT_OK);
  double milliseconds = -1;
  EXPECT_EQ(gpuopt_event_elapsed(start, end, &milliseconds, nullptr), GPUOPT_OK);
  EXPECT_GE(milliseconds, 0);
  gpuopt_event_release(start);
  gpuopt_event_release(end);
  gpuopt_stream_release(stream);
  gpuopt_stream_release(usual);
}

TEST(Streams, OfTwoDevicesDoNotMeet) {
  gpuopt_stream theirs = nullptr;
  gpuopt_event event = nullptr;
  ASSERT_EQ(gpuopt_stream_default(open("cuda"), &theirs, nullptr), GPUOPT_OK);
  gpuopt_stream ours = nullptr;
  ASSERT_EQ(gpuopt_stream_default(open("cpu"), &ours, nullptr), GPUOPT_OK);
  ASSERT_EQ(gpuopt_event_record(ours, &event, nullptr), GPUOPT_OK);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_stream_wait(theirs, event, &error), GPUOPT_ERR_DEVICE_MISMATCH);
  EXPECT_STREQ(error.message, "stream_wait: one is on cuda:0, the other on cpu:0");
  gpuopt_event none = reinterpret_cast<gpuopt_event>(1);
  EXPECT_EQ(gpuopt_event_record(theirs, &none, &error), GPUOPT_ERR_UNSUPPORTED);  // this backend's table has no events
  EXPECT_EQ(none, nullptr);
  EXPECT_STREQ(error.message, "event_record: this backend does not offer event_create");
  gpuopt_event_release(event);
  gpuopt_stream_release(ours);
  gpuopt_stream_release(theirs);
}

TEST(Handles, NullIsAnErrorThatNamesTheCall) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  double milliseconds = 5;
  gpuopt_stream stream = reinterpret_cast<gpuopt_stream>(1);
  EXPECT_EQ(gpuopt_stream_create(nullptr, &stream, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(stream, nullptr);
  EXPECT_STREQ(error.message, "stream_create: the device is NULL");
  EXPECT_EQ(gpuopt_stream_create(open("cpu"), nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_stream_synchronize(nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_stream_wait(nullptr, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_event_synchronize(nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_event_elapsed(nullptr, nullptr, &milliseconds, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(milliseconds, 0);
  EXPECT_EQ(gpuopt_device_synchronize(nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_device_get_info(nullptr, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_memory_trim(nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_device_open("cpu", nullptr, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_discovery_report(nullptr, 0, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  gpuopt_stream_release(nullptr);
  gpuopt_event_release(nullptr);
  gpuopt_device_release(nullptr);
  gpuopt_string_free(nullptr);
  EXPECT_EQ(gpuopt_device_name(nullptr), nullptr);
}

TEST(Options, AreCheckedAsTheHeaderSays) {
  gpuopt_device device = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device_options options = GPUOPT_DEVICE_OPTIONS_INIT;
  EXPECT_EQ(gpuopt_device_open("cpu", &options, &device, &error), GPUOPT_OK);
  options.struct_size = 0;
  EXPECT_EQ(gpuopt_device_open("cpu", &options, &device, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(device, nullptr);
  options.struct_size = sizeof options;
  options.flags = 1;
  EXPECT_EQ(gpuopt_device_open("cpu", &options, &device, &error), GPUOPT_ERR_UNSUPPORTED);
  options.flags = 0;
  options.plugin_path_count = 1;
  EXPECT_EQ(gpuopt_device_open("cpu", &options, &device, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  options.plugin_path_count = -1;
  EXPECT_EQ(gpuopt_device_open("cpu", &options, &device, &error), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(Info, AndStatisticsFillWhatTheCallerKnows) {
  gpuopt_device device = open("cpu");
  gpuopt_device_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(gpuopt_device_get_info(device, &info, nullptr), GPUOPT_OK);
  EXPECT_STRNE(info.name, "");
  EXPECT_EQ(std::string(info.plugin).rfind(child::native(LIBRARY_DIRECTORY), 0), 0u) << info.plugin;
  EXPECT_GT(info.processors, 0);
  EXPECT_EQ(info.host_memory, 1);
  EXPECT_EQ(info.struct_size, sizeof info);
  gpuopt_device_info older{};
  older.struct_size = offsetof(gpuopt_device_info, detail);
  older.detail[0] = '#';
  ASSERT_EQ(gpuopt_device_get_info(device, &older, nullptr), GPUOPT_OK);
  EXPECT_STREQ(older.name, info.name);
  EXPECT_EQ(older.detail[0], '#');
  older.struct_size = 0;
  EXPECT_EQ(gpuopt_device_get_info(device, &older, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  gpuopt_memory_stats stats{};
  stats.struct_size = sizeof stats;
  ASSERT_EQ(gpuopt_memory_get_stats(device, &stats, nullptr), GPUOPT_OK);
  EXPECT_GE(stats.allocations, 1u);  // the self-test's
  EXPECT_EQ(gpuopt_memory_set_limit(device, 1 << 30, nullptr), GPUOPT_OK);
  ASSERT_EQ(gpuopt_memory_get_stats(device, &stats, nullptr), GPUOPT_OK);
  EXPECT_EQ(stats.limit, uint64_t{1} << 30);
  EXPECT_EQ(gpuopt_memory_set_limit(device, 0, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_memory_trim(device, nullptr), GPUOPT_OK);
}

}  // namespace

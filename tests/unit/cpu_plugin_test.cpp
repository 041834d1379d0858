// tests/unit/cpu_plugin_test.cpp -- the CPU plugin through its function table: negotiation, devices, memory, streams,
// copies.
#include <gpuopt/gpuopt_plugin.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/shared/host/barrier.h"
#include "tests/unit/cpu_program_builder.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/float_modes.h"

namespace gpuopt::cpu {
namespace {

gpuopt_plugin_desc fresh_desc() {
  gpuopt_plugin_desc desc{};
  desc.header = {sizeof(desc), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr};
  return desc;
}

TEST(QueryTest, DescribesThePlugin) {
  gpuopt_plugin_desc desc = fresh_desc();
  ASSERT_EQ(gpuopt_plugin_query_v1(test::TestHost::api(), &desc), GPUOPT_OK);
  EXPECT_STREQ(desc.name, "cpu");
  EXPECT_STREQ(desc.version, "1.0.0");
  EXPECT_STREQ(desc.toolkit, "");
  EXPECT_NE(desc.build_id, nullptr);
  EXPECT_EQ(desc.op_count, GPUOPT_OP_COUNT);
  EXPECT_EQ(desc.reduction_count, GPUOPT_REDUCTION_COUNT);
  EXPECT_EQ(desc.scan_count, GPUOPT_SCAN_COUNT);
  EXPECT_EQ(desc.api->header.struct_size, sizeof(gpuopt_plugin_api));
  EXPECT_EQ(desc.api->header.abi_major, GPUOPT_PLUGIN_ABI_MAJOR);
}

TEST(QueryTest, HasEveryRequiredSlot) {
  gpuopt_plugin_desc desc = fresh_desc();
  ASSERT_EQ(gpuopt_plugin_query_v1(test::TestHost::api(), &desc), GPUOPT_OK);
#define GPUOPT_SLOT(need, result, name, args) EXPECT_TRUE(std::string(#need) == "OPTIONAL" || desc.api->name) << #name;
#include <gpuopt/plugin_slots.def>
}

TEST(QueryTest, RefusesAHostOfNewerMinorOrOtherMajorButTellsItsRange) {
  gpuopt_plugin_desc desc = fresh_desc();
  desc.host_minor_min = GPUOPT_PLUGIN_ABI_MINOR + 1;
  desc.host_minor_max = GPUOPT_PLUGIN_ABI_MINOR + 5;
  EXPECT_EQ(gpuopt_plugin_query_v1(test::TestHost::api(), &desc), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(desc.minor_max, GPUOPT_PLUGIN_ABI_MINOR);
  EXPECT_STREQ(desc.name, "cpu");
  EXPECT_STREQ(desc.version, "1.0.0");

  gpuopt_host_api other = *test::TestHost::api();
  other.header.abi_major++;
  desc = fresh_desc();
  EXPECT_EQ(gpuopt_plugin_query_v1(&other, &desc), GPUOPT_ERR_UNSUPPORTED);
}

// A host of interface 1.0 knows the first 35 slots and asks for minor 0.
TEST(QueryTest, AnswersAHostOfMinorZero) {
  static gpuopt_host_api old = *test::TestHost::api();
  old.header.abi_minor = 0;
  gpuopt_plugin_desc desc = fresh_desc();
  desc.header.abi_minor = 0;
  ASSERT_EQ(gpuopt_plugin_query_v1(&old, &desc), GPUOPT_OK);
  EXPECT_EQ(desc.minor_min, 0);
  EXPECT_GE(desc.api->header.struct_size, 24 + 35 * sizeof(void *));
  EXPECT_EQ(offsetof(gpuopt_plugin_api, kernel_launch), 24 + 34 * sizeof(void *));
  ASSERT_EQ(gpuopt_plugin_query_v1(test::TestHost::api(), &desc), GPUOPT_OK);  // the host of the other tests
}

TEST(QueryTest, WritesNoMoreThanTheHostKnows) {
  gpuopt_plugin_desc desc = fresh_desc();
  std::memset(&desc.version, 0x5A, sizeof(desc) - offsetof(gpuopt_plugin_desc, version));
  desc.header.struct_size = offsetof(gpuopt_plugin_desc, version);
  ASSERT_EQ(gpuopt_plugin_query_v1(test::TestHost::api(), &desc), GPUOPT_OK);
  EXPECT_STREQ(desc.name, "cpu");
  for (size_t i = offsetof(gpuopt_plugin_desc, version); i < sizeof(desc); i++) {
    ASSERT_EQ(reinterpret_cast<unsigned char *>(&desc)[i], 0x5A);
  }
}

class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    gpuopt_plugin_desc desc = fresh_desc();
    ASSERT_EQ(gpuopt_plugin_query_v1(test::TestHost::api(), &desc), GPUOPT_OK);
    api_ = desc.api;
    ASSERT_EQ(api_->device_open(0, &device_, &error_), GPUOPT_OK);
    ASSERT_EQ(api_->stream_create(device_, 0, &stream_, &error_), GPUOPT_OK);
  }
  void TearDown() override {
    api_->stream_destroy(device_, stream_);
    api_->device_close(device_);
  }

  const gpuopt_plugin_api *api_ = nullptr;
  gpuopt_plugin_device *device_ = nullptr;
  gpuopt_plugin_stream *stream_ = nullptr;
  gpuopt_error error_ = GPUOPT_ERROR_INIT;
};

TEST_F(PluginTest, ProbeFindsOneDevice) {
  gpuopt_plugin_probe probe{};
  probe.struct_size = sizeof(probe);
  ASSERT_EQ(api_->probe(&probe, &error_), GPUOPT_OK);
  EXPECT_EQ(probe.device_count, 1);
  EXPECT_EQ(probe.hardware_present, 1);
  EXPECT_EQ(probe.struct_size, sizeof(probe));
}

TEST_F(PluginTest, OtherDevicesAreIndexErrors) {
  for (int32_t index : {-1, 1, 7}) {
    gpuopt_plugin_device *none = device_;
    EXPECT_EQ(api_->device_open(index, &none, &error_), GPUOPT_ERR_INDEX);
    EXPECT_EQ(none, nullptr);
    EXPECT_NE(std::string(error_.message).find("cpu:" + std::to_string(index)), std::string::npos);
  }
}

TEST_F(PluginTest, InfoDescribesTheProcessor) {
  gpuopt_plugin_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(api_->device_info(device_, &info, &error_), GPUOPT_OK);
  EXPECT_TRUE(info.flags & GPUOPT_DEVICE_HOST_MEMORY);
  EXPECT_GT(std::strlen(info.name), 0u);
  EXPECT_GT(std::strlen(info.detail), 0u);
  EXPECT_GT(info.memory_bytes, uint64_t{64} << 20);
  EXPECT_GE(info.processors, 1);
  EXPECT_EQ(info.dlpack_type, 1);
  EXPECT_EQ(info.dlpack_id, 0);
}

TEST_F(PluginTest, InfoWritesNoMoreThanTheHostKnows) {
  gpuopt_plugin_device_info info;
  std::memset(&info, 0x5A, sizeof(info));
  info.struct_size = offsetof(gpuopt_plugin_device_info, detail);
  ASSERT_EQ(api_->device_info(device_, &info, &error_), GPUOPT_OK);
  EXPECT_EQ(info.struct_size, offsetof(gpuopt_plugin_device_info, detail));
  EXPECT_EQ(info.detail[0], 0x5A);
}

TEST_F(PluginTest, MemoryIsServedCountedAndLimited) {
  gpuopt_memory_stats before{}, during{};
  before.struct_size = during.struct_size = sizeof(before);
  ASSERT_EQ(api_->memory_stats(device_, &before, &error_), GPUOPT_OK);
  void *memory = nullptr;
  ASSERT_EQ(api_->memory_allocate(device_, stream_, 1 << 20, &memory, &error_), GPUOPT_OK);
  std::memset(memory, 1, 1 << 20);
  ASSERT_EQ(api_->memory_stats(device_, &during, &error_), GPUOPT_OK);
  EXPECT_EQ(during.in_use, before.in_use + (1 << 20));

  ASSERT_EQ(api_->memory_set_limit(device_, during.in_use + (1 << 20), &error_), GPUOPT_OK);
  void *refused = memory;
  EXPECT_EQ(api_->memory_allocate(device_, stream_, 1 << 24, &refused, &error_), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(refused, nullptr);
  EXPECT_EQ(error_.code, GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(error_.message).find("16.00 MiB"), std::string::npos) << error_.message;
  EXPECT_EQ(static_cast<unsigned char *>(memory)[(1 << 20) - 1], 1);

  ASSERT_EQ(api_->memory_set_limit(device_, 0, &error_), GPUOPT_OK);
  api_->memory_free(device_, stream_, memory, 1 << 20);
  ASSERT_EQ(api_->memory_trim(device_, &error_), GPUOPT_OK);
  ASSERT_EQ(api_->memory_stats(device_, &during, &error_), GPUOPT_OK);
  EXPECT_EQ(during.in_use, before.in_use);
  EXPECT_EQ(during.cached, 0u);
}

TEST_F(PluginTest, HostMemoryIsServed) {
  void *memory = nullptr;
  ASSERT_EQ(api_->host_allocate(device_, 1000, &memory, &error_), GPUOPT_OK);
  std::memset(memory, 1, 1000);
  api_->host_free(device_, memory, 1000);
}

TEST_F(PluginTest, EventsMeasureTime) {
  gpuopt_plugin_event *start = nullptr, *end = nullptr;
  double milliseconds = -1;
  ASSERT_EQ(api_->event_create(device_, 0, &start, &error_), GPUOPT_OK);
  ASSERT_EQ(api_->event_create(device_, 0, &end, &error_), GPUOPT_OK);
  ASSERT_EQ(api_->event_record(device_, start, stream_, &error_), GPUOPT_OK);
  EXPECT_EQ(api_->event_elapsed(device_, start, end, &milliseconds, &error_), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(milliseconds, -1);
  ASSERT_EQ(api_->event_record(device_, end, stream_, &error_), GPUOPT_OK);
  ASSERT_EQ(api_->event_wait(device_, end, stream_, &error_), GPUOPT_OK);
  ASSERT_EQ(api_->event_synchronize(device_, end, &error_), GPUOPT_OK);
  ASSERT_EQ(api_->event_elapsed(device_, start, end, &milliseconds, &error_), GPUOPT_OK);
  EXPECT_GE(milliseconds, 0);
  ASSERT_EQ(api_->event_elapsed(device_, end, start, &milliseconds, &error_), GPUOPT_OK);
  EXPECT_LE(milliseconds, 0);
  api_->event_destroy(device_, start);
  api_->event_destroy(device_, end);
  EXPECT_EQ(api_->stream_synchronize(device_, stream_, &error_), GPUOPT_OK);
}

TEST_F(PluginTest, QueriesSayThatWorkIsDone) {
  gpuopt_plugin_event *event = nullptr;
  int32_t stream_done = -1, event_done = -1;
  ASSERT_EQ(api_->event_create(device_, 0, &event, &error_), GPUOPT_OK);
  EXPECT_EQ(api_->event_query(device_, event, &event_done, &error_), GPUOPT_OK);
  EXPECT_EQ(api_->stream_query(device_, stream_, &stream_done, &error_), GPUOPT_OK);
  EXPECT_EQ(event_done, 1);
  EXPECT_EQ(stream_done, 1);
  api_->event_destroy(device_, event);
  int64_t unused = -1;
  ASSERT_EQ(api_->device_attribute(device_, GPUOPT_ATTRIBUTE_MEMORY_FREE, &unused, &error_), GPUOPT_OK);
  EXPECT_GT(unused, 0);
  for (const int which : {GPUOPT_ATTRIBUTE_COMPILED_KEPT, GPUOPT_ATTRIBUTE_INTERPRETER_KEPT}) {
    unused = -1;
    ASSERT_EQ(api_->device_attribute(device_, which, &unused, &error_), GPUOPT_OK);
    EXPECT_GE(unused, 0);
  }
  EXPECT_EQ(api_->device_attribute(device_, GPUOPT_ATTRIBUTE_WARP_SIZE, &unused, &error_), GPUOPT_ERR_UNSUPPORTED);
}

TEST_F(PluginTest, CopiesAnySizeAndOverlap) {
  for (size_t count : {size_t{0}, size_t{1}, size_t{1000}, size_t{300000}, size_t{3000001}}) {
    std::vector<uint32_t> from(count + 5000), to(count + 5000, 7);
    std::iota(from.begin(), from.end(), 1u);
    ASSERT_EQ(api_->copy_from_host(device_, stream_, to.data(), from.data(), count * 4, &error_), GPUOPT_OK);
    ASSERT_TRUE(std::equal(to.begin(), to.begin() + count, from.begin()));
    ASSERT_EQ(to[count], 7u);
    for (size_t shift : {1, 4999}) {
      std::vector<uint32_t> moved = from;
      ASSERT_EQ(api_->copy_on_device(device_, stream_, moved.data() + shift, moved.data(), count * 4, &error_),
                GPUOPT_OK);
      ASSERT_TRUE(std::equal(from.begin(), from.begin() + count, moved.begin() + shift));
      moved = from;
      ASSERT_EQ(api_->copy_to_host(device_, stream_, moved.data(), moved.data() + shift, count * 4, &error_),
                GPUOPT_OK);
      ASSERT_TRUE(std::equal(from.begin() + shift, from.begin() + shift + count, moved.begin()));
    }
  }
}

// The barrier itself, on slots that throw.
gpuopt_status throws_no_memory(int, gpuopt_error *) { throw std::bad_alloc(); }
gpuopt_status throws_logic(gpuopt_error *) { throw std::logic_error("seven is not eight"); }
gpuopt_status throws_number(gpuopt_error *) { throw 7; }
void release_throws(int) { throw 7; }

// Slots compute in the default floating-point mode whoever calls them, and give the caller's back.
TEST_F(PluginTest, SlotsComputeInTheDefaultFloatingPointMode) {
  test::Random random(3);
  test::ProgramBuilder builder({1000}, 0);
  const test::Layout layout = test::dense_layout({1000}, ~uint64_t{0}, 4);
  const int x = builder.input(GPUOPT_FLOAT32, GPUOPT_LEVEL_FULL, layout, random),
            y = builder.input(GPUOPT_FLOAT32, GPUOPT_LEVEL_FULL, layout, random);
  builder.output(builder.elementwise(GPUOPT_OP_divide, {x, builder.elementwise(GPUOPT_OP_multiply, {x, y})}));
  const std::vector<float_modes::Mode> modes = float_modes::modes();
  builder.check_runs(static_cast<int>(modes.size()), [&](int number, const gpuopt_program &p, gpuopt_error *error) {
    const float_modes::Mode &mode = modes[static_cast<size_t>(number)];
    mode.enter();
    const float_modes::Environment before = float_modes::current();
    const gpuopt_status status = api_->program_run(device_, stream_, &p, error);
    const float_modes::Environment after = float_modes::current();
    float_modes::leave();
    EXPECT_TRUE(after == before) << "where " << mode.name;
    return status;
  });
}

TEST_F(PluginTest, ExceptionsBecomeStatuses) {
  EXPECT_EQ(plugin::Barrier<throws_no_memory>::call(1, &error_), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(error_.code, GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(plugin::Barrier<throws_logic>::call(&error_), GPUOPT_ERR_INTERNAL);
  EXPECT_STREQ(error_.message, "seven is not eight");
  EXPECT_EQ(plugin::Barrier<throws_number>::call(nullptr), GPUOPT_ERR_INTERNAL);
  plugin::Barrier<release_throws>::call(1);
  EXPECT_TRUE(test::TestHost::get().logged("plugin.internal"));
  EXPECT_EQ(plugin::Barrier<nullptr>::call, nullptr);
}

}  // namespace
}  // namespace gpuopt::cpu

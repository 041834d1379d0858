// tests/unit/core_loader_test.cpp -- copying a plugin's table, accepting its description, and the small questions to
// the system.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/device/discovery.h"
#include "core/device/loader.h"

namespace {

using gpuopt::Backend;

constexpr size_t kHeader = sizeof(gpuopt_table_header);
constexpr size_t kSlots = (sizeof(gpuopt_plugin_api) - kHeader) / sizeof(void *);

// A table whose every slot is set; the functions are never called.
gpuopt_plugin_api full_table() {
  gpuopt_plugin_api table{};
  table.header = {sizeof table, GPUOPT_PLUGIN_ABI_MAJOR, 0, 0, 0, nullptr};
  auto *slots = reinterpret_cast<char *>(&table) + kHeader;
  for (size_t i = 0; i < kSlots; ++i) {
    const uintptr_t mark = 0x1000 + i;
    std::memcpy(slots + i * sizeof(void *), &mark, sizeof mark);
  }
  return table;
}

uintptr_t slot(const gpuopt_plugin_api &table, size_t i) {
  uintptr_t value;
  std::memcpy(&value, reinterpret_cast<const char *>(&table) + kHeader + i * sizeof(void *), sizeof value);
  return value;
}

TEST(CopyTable, TakesEverySlot) {
  gpuopt_plugin_api ours;
  EXPECT_EQ(gpuopt::copy_table(full_table(), &ours), "");
  for (size_t i = 0; i < kSlots; ++i) EXPECT_EQ(slot(ours, i), 0x1000 + i);
  EXPECT_EQ(ours.header.struct_size, sizeof ours);
}

TEST(CopyTable, ReadsNoByteBeyondTheTablesOwnSize) {
  gpuopt_plugin_api table = full_table(), ours;
  table.header.struct_size = offsetof(gpuopt_plugin_api, matmul);
  EXPECT_EQ(gpuopt::copy_table(table, &ours), "");
  EXPECT_EQ(reinterpret_cast<void *>(ours.program_run), reinterpret_cast<void *>(table.program_run));
  EXPECT_NE(reinterpret_cast<void *>(ours.matmul), reinterpret_cast<void *>(table.matmul));
  EXPECT_NE(ours.matmul, nullptr);
}

TEST(CopyTable, AbsentSlotsAnswerUnsupportedByName) {
  gpuopt_plugin_api table = full_table(), ours;
#define REQUIRED(name)
#define OPTIONAL(name) table.name = nullptr;
#define GPUOPT_SLOT(need, result, name, args) need(name)
#include <gpuopt/plugin_slots.def>
#undef REQUIRED
#undef OPTIONAL
  ASSERT_EQ(gpuopt::copy_table(table, &ours), "");
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(ours.matmul(nullptr, nullptr, nullptr, &error), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(error.code, GPUOPT_ERR_UNSUPPORTED);
  EXPECT_STREQ(error.message, "this backend does not offer matmul");
  EXPECT_EQ(ours.kernel_launch(nullptr, nullptr, nullptr, nullptr, nullptr), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(ours.event_elapsed(nullptr, nullptr, nullptr, nullptr, &error), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_STREQ(error.message, "this backend does not offer event_elapsed");
  ours.host_free(nullptr, nullptr, 0);
  ours.kernel_release(nullptr, nullptr);
  ours.event_destroy(nullptr, nullptr);
}

// A plugin compiled against the header of 1.0 gives the table as far as it was then.
TEST(CopyTable, OfMinorZeroIsTakenAndItsNewerSlotsAnswerUnsupported) {
  gpuopt_plugin_api table = full_table(), ours;
  table.header.struct_size = kHeader + 35 * sizeof(void *);
  ASSERT_EQ(gpuopt::copy_table(table, &ours), "");
  for (size_t i = 0; i < 35; ++i) EXPECT_EQ(slot(ours, i), 0x1000 + i);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(ours.device_synchronize(nullptr, &error), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_STREQ(error.message, "this backend does not offer device_synchronize");
  EXPECT_EQ(ours.kernel_info(nullptr, nullptr, nullptr, &error), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_EQ(ours.kernel_variable(nullptr, nullptr, nullptr, nullptr, nullptr, &error), GPUOPT_ERR_UNSUPPORTED);
}

TEST(CopyTable, EveryMissingRequiredSlotIsNamed) {
  const gpuopt_plugin_api whole = full_table();
#define CHECK_REQUIRED(slot_name)                                                        \
  {                                                                                      \
    gpuopt_plugin_api table = whole, ours;                                               \
    table.slot_name = nullptr;                                                           \
    EXPECT_EQ(gpuopt::copy_table(table, &ours), "its function table lacks " #slot_name); \
  }
#define CHECK_OPTIONAL(slot_name)                                  \
  {                                                                \
    gpuopt_plugin_api table = whole, ours;                         \
    table.slot_name = nullptr;                                     \
    EXPECT_EQ(gpuopt::copy_table(table, &ours), "") << #slot_name; \
    EXPECT_NE(ours.slot_name, nullptr);                            \
  }
#define GPUOPT_SLOT(need, result, name, args) CHECK_##need(name)
#include <gpuopt/plugin_slots.def>
}

TEST(CopyTable, RefusesSizesThatCannotBe) {
  for (const uint32_t size : {0u, 1u, 23u, 25u, 31u, 65537u, 0x80000000u, 0xFFFFFFFFu}) {
    gpuopt_plugin_api table = full_table(), ours;
    table.header.struct_size = size;
    EXPECT_NE(gpuopt::copy_table(table, &ours), "") << size;
  }
}

// ---- The description

const char *const kName = "x";

gpuopt_plugin_desc description(const gpuopt_plugin_api *api, uint16_t low, uint16_t high) {
  gpuopt_plugin_desc desc{};
  desc.minor_min = low;
  desc.minor_max = high;
  desc.op_count = desc.reduction_count = desc.scan_count = 1000000;
  desc.name = kName;
  desc.version = "3";
  desc.api = api;
  return desc;
}

gpuopt_reason accepted(gpuopt_status status, const gpuopt_plugin_desc &desc, Backend *backend) {
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  backend->name = std::string(1, kName[0]);
  const std::string detail = gpuopt::accept_description(status, desc, backend, &reason);
  EXPECT_EQ(detail.empty(), reason == GPUOPT_REASON_NONE) << detail;
  return reason;
}

TEST(Description, TheHighestCommonMinorHolds) {
  const gpuopt_plugin_api api = full_table();
  Backend backend;
  EXPECT_EQ(accepted(GPUOPT_OK, description(&api, 0, 9), &backend), GPUOPT_REASON_NONE);
  EXPECT_EQ(backend.minor, GPUOPT_PLUGIN_ABI_MINOR);
  EXPECT_EQ(backend.version, "3");
  EXPECT_EQ(backend.op_count, GPUOPT_OP_COUNT);
  EXPECT_EQ(backend.reduction_count, GPUOPT_REDUCTION_COUNT);
  EXPECT_EQ(backend.scan_count, GPUOPT_SCAN_COUNT);
}

TEST(Description, APluginOfMinorZeroIsTakenAsSuch) {
  const gpuopt_plugin_api api = full_table();
  Backend backend;
  EXPECT_EQ(accepted(GPUOPT_OK, description(&api, 0, 0), &backend), GPUOPT_REASON_NONE);
  EXPECT_EQ(backend.minor, 0);
}

TEST(Description, RangesThatDoNotMeetAreAMismatchWhateverTheStatus) {
  const gpuopt_plugin_api api = full_table();
  Backend backend;
  EXPECT_EQ(accepted(GPUOPT_OK, description(&api, GPUOPT_PLUGIN_ABI_MINOR + 1, 9), &backend),
            GPUOPT_REASON_ABI_MISMATCH);
  EXPECT_EQ(accepted(GPUOPT_ERR_UNSUPPORTED, description(&api, 0, 0), &backend), GPUOPT_REASON_ABI_MISMATCH);
  EXPECT_EQ(accepted(GPUOPT_OK, description(&api, 1, 0), &backend), GPUOPT_REASON_ABI_MISMATCH);
  EXPECT_EQ(accepted(GPUOPT_ERR_INTERNAL, description(&api, 0, 0), &backend), GPUOPT_REASON_PROBE_FAILED);
}

// ---- The system

TEST(Names, OfFilesAndBackendsCorrespond) {
  EXPECT_EQ(gpuopt::plugin_name(gpuopt::plugin_file_name("cuda")), "cuda");
  for (const char *file :
       {"", "cuda", "libcuda.so", "libgpuopt.so", "libgpuopt_.so", "libgpuopt_cuda.so.1", "xlibgpuopt_cuda.so"}) {
    EXPECT_EQ(gpuopt::plugin_name(file), "") << file;
  }
}

TEST(SplitList, KeepsEmptyItemsAndTrimsBlanks) {
  using List = std::vector<std::string>;
  EXPECT_EQ(gpuopt::split_list(""), List({""}));
  EXPECT_EQ(gpuopt::split_list("a"), List({"a"}));
  EXPECT_EQ(gpuopt::split_list(" a ,\tb c "), List({"a", "b c"}));
  EXPECT_EQ(gpuopt::split_list(",a,,"), List({"", "a", "", ""}));
  EXPECT_EQ(gpuopt::split_list("a:b,c", ':'), List({"a", "b,c"}));
}

struct FakeRoot {
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "gpuopt-fake-root";
  FakeRoot() { std::filesystem::remove_all(path); }
  ~FakeRoot() { std::filesystem::remove_all(path); }
  void file(const std::string &name, const std::string &text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

#if !defined(_WIN32)
TEST(NvidiaHardware, IsReadFromFilesAlone) {
  const FakeRoot root;
  const std::string path = root.path.string(), pci = "sys/bus/pci/devices/";
  EXPECT_EQ(gpuopt::nvidia_hardware(path), -1);
  root.file(pci + "0000:00:02.0/vendor", "0x8086\n");
  root.file(pci + "0000:00:02.0/class", "0x030000\n");
  EXPECT_EQ(gpuopt::nvidia_hardware(path), 0);
  root.file(pci + "0000:01:00.1/vendor", "0x10de\n");  // the card's sound function alone proves nothing
  root.file(pci + "0000:01:00.1/class", "0x040300\n");
  EXPECT_EQ(gpuopt::nvidia_hardware(path), 0);
  root.file(pci + "0000:01:00.0/vendor", "0x10de\n");
  root.file(pci + "0000:01:00.0/class", "0x030200\n");
  EXPECT_EQ(gpuopt::nvidia_hardware(path), 1);
}

TEST(NvidiaHardware, DeviceFilesAreEnough) {
  for (const char *file : {"dev/nvidiactl", "dev/dxg"}) {
    const FakeRoot root;
    root.file(file, "");
    EXPECT_EQ(gpuopt::nvidia_hardware(root.path.string()), 1) << file;
  }
}
#endif

}  // namespace

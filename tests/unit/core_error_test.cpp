// tests/unit/core_error_test.cpp -- raising and reporting failures, reading option structs.
#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.h"
#include "tests/unit/core_failure.h"

namespace {

using gpuopt::Failure;
using gpuopt::test::failure_of;

TEST(Fail, FormatsItsMessageWhole) {
  const std::string longer(2000, 'x');
  const Failure failure = failure_of([&] { gpuopt::fail(GPUOPT_ERR_SHAPE, "%s: %d", longer.c_str(), 42); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_SHAPE);
  EXPECT_EQ(failure.message, longer + ": 42");
}

TEST(CheckSlot, PassesOnWhatThePluginSaid) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt::check_slot(GPUOPT_OK, error, "op");
  error.reason = GPUOPT_REASON_NO_DEVICE;
  error.backend_code = 100;
  std::strcpy(error.message, "no device");
  const Failure failure = failure_of([&] { gpuopt::check_slot(GPUOPT_ERR_UNAVAILABLE, error, "op"); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_UNAVAILABLE);
  EXPECT_EQ(failure.reason, GPUOPT_REASON_NO_DEVICE);
  EXPECT_EQ(failure.backend_code, 100);
  EXPECT_EQ(failure.message, "op: no device");
}

TEST(CheckSlot, SurvivesSilentAndCarelessPlugins) {
  gpuopt_error silent = GPUOPT_ERROR_INIT;
  EXPECT_EQ(failure_of([&] { gpuopt::check_slot(GPUOPT_ERR_OUT_OF_MEMORY, silent, "op"); }).message,
            std::string("op: ") + gpuopt_status_message(GPUOPT_ERR_OUT_OF_MEMORY));
  EXPECT_EQ(failure_of([&] { gpuopt::check_slot(-77, silent, "op"); }).code, GPUOPT_ERR_INTERNAL);
  gpuopt_error endless = GPUOPT_ERROR_INIT;
  std::memset(endless.message, 'm', sizeof endless.message);
  EXPECT_EQ(failure_of([&] { gpuopt::check_slot(GPUOPT_ERR_IO, endless, "op"); }).message,
            "op: " + std::string(sizeof endless.message, 'm'));
}

TEST(Report, FillsTheCallersErrorWhole) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  std::memset(error.message, '#', sizeof error.message);
  EXPECT_EQ(gpuopt::report(&error, {GPUOPT_ERR_TYPE, GPUOPT_REASON_FORKED, 7, "text"}), GPUOPT_ERR_TYPE);
  EXPECT_EQ(error.struct_size, sizeof error);
  EXPECT_EQ(error.code, GPUOPT_ERR_TYPE);
  EXPECT_EQ(error.reason, GPUOPT_REASON_FORKED);
  EXPECT_EQ(error.backend_code, 7);
  EXPECT_STREQ(error.message, "text");
  EXPECT_EQ(gpuopt::report(nullptr, {GPUOPT_ERR_IO, 0, 0, "text"}), GPUOPT_ERR_IO);
}

TEST(Report, SaysTheStatussSentenceWhereThereIsNoMessage) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt::report(&error, {GPUOPT_ERR_OUT_OF_MEMORY, 0, 0, ""});
  EXPECT_STREQ(error.message, gpuopt_status_message(GPUOPT_ERR_OUT_OF_MEMORY));
}

TEST(Report, WritesNoByteBeyondTheCallersSize) {
  for (const uint32_t size : {0u, 4u, 8u, 15u, 16u, 17u, 20u, 100u, uint32_t{sizeof(gpuopt_error)}}) {
    unsigned char memory[sizeof(gpuopt_error) + 16];
    std::memset(memory, 0xEE, sizeof memory);
    std::memcpy(memory, &size, sizeof size);
    gpuopt::report(reinterpret_cast<gpuopt_error *>(memory), {GPUOPT_ERR_IO, 0, 0, std::string(1000, 'x')});
    for (size_t i = std::max<size_t>(size, 4); i < sizeof memory; ++i)
      ASSERT_EQ(memory[i], 0xEE) << "size " << size << ", byte " << i;
    const bool ends = size > offsetof(gpuopt_error, message);
    EXPECT_EQ(ends && memory[size - 1] != 0, false) << size;
  }
}

TEST(Report, DoesNotCutACharacterInTwo) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  std::string text(sizeof error.message - 2, 'x');
  gpuopt::report(&error,
                 {GPUOPT_ERR_IO, 0, 0, text + "\xC3\xA4"});  // the two bytes of an a-umlaut, of which one would fit
  EXPECT_EQ(error.message, text);
}

TEST(Guarded, TurnsEverythingIntoAStatus) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt::guarded(&error, [] {}), GPUOPT_OK);
  EXPECT_EQ(gpuopt::guarded(&error, [] { throw std::bad_alloc(); }), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(gpuopt::guarded(&error, [] { throw 1; }), GPUOPT_ERR_INTERNAL);
  EXPECT_EQ(gpuopt::guarded(&error, [] { gpuopt::fail(GPUOPT_ERR_INDEX, "axis"); }), GPUOPT_ERR_INDEX);
  EXPECT_STREQ(error.message, "axis");
}

// A struct as a newer or older caller may know it.
struct Options {
  uint32_t struct_size, flags;
  const void *next;
  int64_t known;
  int64_t newer[2];
};
struct Known {
  uint32_t struct_size, flags;
  const void *next;
  int64_t known;
};

TEST(Options, NullGivesTheDefaults) { EXPECT_EQ(gpuopt::options_or_default<Known>(nullptr, "op").known, 0); }

TEST(Options, AShorterStructLeavesTheRestAtItsDefault) {
  const Known older{16, 3, nullptr, 99};
  const Known read = gpuopt::options_or_default(&older, "op");
  EXPECT_EQ(read.flags, 3u);
  EXPECT_EQ(read.known, 0);
}

TEST(Options, ALongerStructIsTakenIfItsTailIsZero) {
  Options newer{sizeof(Options), 0, nullptr, 5, {0, 0}};
  Known known{};
  gpuopt::read_options(&newer, &known, sizeof known, "op");
  EXPECT_EQ(known.known, 5);
  newer.newer[1] = 1;
  EXPECT_EQ(failure_of([&] { gpuopt::read_options(&newer, &known, sizeof known, "op"); }).code, GPUOPT_ERR_UNSUPPORTED);
}

TEST(Options, AnUnsetSizeIsAnError) {
  for (const uint32_t size : {0u, 8u, 15u, 70000u}) {
    const Known wrong{size, 0, nullptr, 0};
    EXPECT_EQ(failure_of([&] { gpuopt::options_or_default(&wrong, "op"); }).code, GPUOPT_ERR_INVALID_ARGUMENT) << size;
  }
}

TEST(ShapeText, ReadsAsPythonsTuples) {
  const int64_t shape[] = {3, 0, -1};
  EXPECT_EQ(gpuopt::shape_text(0, shape), "()");
  EXPECT_EQ(gpuopt::shape_text(1, shape), "(3,)");
  EXPECT_EQ(gpuopt::shape_text(3, shape), "(3, 0, -1)");
}

TEST(Names, EveryStatusAndReasonHasOne) {
  for (int i = 0; i < GPUOPT_STATUS_COUNT; ++i) {
    EXPECT_EQ(std::string(gpuopt_status_name(i)).rfind("GPUOPT_", 0), 0u) << i;
    EXPECT_STRNE(gpuopt_status_message(i), "unknown status") << i;
  }
  for (int i = 0; i < GPUOPT_REASON_COUNT; ++i) {
    EXPECT_STRNE(gpuopt_reason_name(i), "unknown reason") << i;
    EXPECT_EQ(*gpuopt_reason_hint(i) == '\0', i == GPUOPT_REASON_NONE) << i;
  }
  EXPECT_STREQ(gpuopt_status_name(GPUOPT_ERR_SHAPE), "GPUOPT_ERR_SHAPE");
  EXPECT_STREQ(gpuopt_status_message(GPUOPT_STATUS_COUNT), "unknown status");
  EXPECT_STREQ(gpuopt_status_message(-1), "unknown status");
  EXPECT_STREQ(gpuopt_reason_name(GPUOPT_REASON_DRIVER_MISSING), "DRIVER_MISSING");
  EXPECT_STREQ(gpuopt_reason_hint(9999), "");
}

TEST(Names, OfOperationsComeFromTheTable) {
  EXPECT_STREQ(gpuopt_op_name(GPUOPT_OP_add), "add");
  EXPECT_STREQ(gpuopt_reduction_name(GPUOPT_REDUCTION_sum), "sum");
  EXPECT_STREQ(gpuopt_scan_name(0), "cumulative_sum");
  EXPECT_EQ(gpuopt_op_name(-1), nullptr);
  EXPECT_EQ(gpuopt_op_name(GPUOPT_OP_COUNT), nullptr);
  EXPECT_EQ(gpuopt_reduction_name(GPUOPT_REDUCTION_COUNT), nullptr);
  EXPECT_EQ(gpuopt_scan_name(GPUOPT_SCAN_COUNT), nullptr);
  EXPECT_EQ(gpuopt_version(), 1000000u);
}

}  // namespace

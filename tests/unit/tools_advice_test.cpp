// tests/unit/tools_advice_test.cpp -- the gpuopt command has something to say about every reason a library may give.
#include <gtest/gtest.h>

#include <cstring>

#include "tools/advice.h"

namespace {

using gpuopt::tools::advice;

TEST(Advice, IsThatOfTheReason) {
#define GPUOPT_REASON(NAME, number, sentence, cure) EXPECT_STREQ(advice(number).name, #NAME);
#include <gpuopt/status.def>
}

// As a library of a later release gives them.
TEST(Advice, OfAReasonItDoesNotKnowIsToUpdate) {
  for (const gpuopt_reason reason : {GPUOPT_REASON_COUNT + 0, GPUOPT_REASON_COUNT + 1, 100000, -1}) {
    EXPECT_STREQ(advice(reason).name, "") << reason;
    EXPECT_NE(std::strstr(advice(reason).means, "older than the library"), nullptr) << reason;
    EXPECT_NE(std::strstr(advice(reason).steps, "Update"), nullptr) << reason;
  }
}

}  // namespace

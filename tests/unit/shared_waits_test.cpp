// tests/unit/shared_waits_test.cpp -- for which ranks a rank waits in the end, and how they are named.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "plugins/shared/comm/late_text.h"
#include "plugins/shared/comm/waits.h"

namespace {

using gpuopt::late_text;
using gpuopt::list_of;
using gpuopt::plugin::Waits;
using Ranks = std::vector<int32_t>;

std::string named(int32_t rank) { return "rank " + std::to_string(rank); }

TEST(Waits, WhoWaitsIsNotLateButWhomItWaitsFor) {
  Waits waits(6);
  waits.restart(60);
  EXPECT_EQ(waits.late(0, {1}), Ranks{1});
  waits.hear(1, 2);
  waits.hear(2, 4);
  EXPECT_EQ(waits.late(0, {1}), Ranks{4});
  EXPECT_EQ(waits.late(0, {5, 1, 2}), (Ranks{4, 5}));
  EXPECT_EQ(waits.silent(0), (Ranks{3, 4, 5}));
  waits.hear(2, -1);
  EXPECT_EQ(waits.late(0, {1}), Ranks{2});
}

TEST(Waits, ACircleHasNobodyWhoIsLate) {
  Waits waits(4);
  waits.restart(60);
  waits.hear(1, 2);
  waits.hear(2, 0);
  EXPECT_EQ(waits.late(0, {1}), Ranks{});
  waits.hear(2, 1);
  EXPECT_EQ(waits.late(0, {1}), Ranks{});
}

TEST(Waits, WhatNoRankIsMeansThatThePeerDoesNotWait) {
  Waits waits(3);
  waits.restart(60);
  waits.hear(1, 3);
  waits.hear(2, -7);
  EXPECT_EQ(waits.silent(0), (Ranks{1, 2}));
}

TEST(Waits, WhatWasSaidLongAgoHoldsNoLonger) {
  Waits waits(3);
  waits.hear(1, 2);
  waits.restart(0.001);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(waits.late(0, {1}), Ranks{1});
}

TEST(Waits, ItIsTimeToTellAndThenToFail) {
  Waits waits(3);
  waits.restart(1e-9);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(waits.due(), Waits::Due::kTelling);
  waits.set_told();
  EXPECT_EQ(waits.due(), Waits::Due::kFailing);
  waits.restart(1000);
  EXPECT_EQ(waits.due(), Waits::Due::kNothing);
  EXPECT_FALSE(waits.has_told());
  waits.restart(0);  // without end
  EXPECT_EQ(waits.due(), Waits::Due::kNothing);
  waits.set_told();
  EXPECT_EQ(waits.due(), Waits::Due::kNothing);
}

TEST(Waits, WhoHasHeardThatOthersWaitTellsEarlier) {
  Waits waits(3);
  waits.restart(1000);
  const auto before = waits.next();
  waits.hear(1, 2);
  EXPECT_LT(waits.next(), before);
  waits.set_told();
  EXPECT_GT(waits.next(), before);
}

TEST(LateText, NamesTheRanksThatHaveNotCome) {
  EXPECT_EQ(late_text(1, true, 2.5, {1}, named), "rank 1 has not sent what is waited for for 2.5 seconds");
  EXPECT_EQ(late_text(1, false, 3, {1}, named), "rank 1 has not received what is sent to it for 3 seconds");
  EXPECT_EQ(late_text(1, true, 3, {2, 4}, named),
            "rank 1 has not sent what is waited for for 3 seconds: it waits itself, in the end for rank 2, rank 4");
  EXPECT_EQ(late_text(1, true, 3, {1, 4, 5}, named),
            "rank 1 has not sent what is waited for for 3 seconds; late as well: rank 4, rank 5");
  EXPECT_EQ(late_text(1, true, 3, {}, named),
            "rank 1 has not sent what is waited for for 3 seconds: all that are waited for wait themselves, for this "
            "rank or for each other");
  EXPECT_EQ(list_of({}, named), "");
}

}  // namespace

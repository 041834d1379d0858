// tests/not_here.h -- names a group of cases that the system a test is built for cannot have, so that it is listed as
// not run and never counted as passed.
#pragma once
#include <gtest/gtest.h>

#define NOT_HERE(suite, reason) \
  TEST(suite, NotHere) { GTEST_SKIP() << reason; }

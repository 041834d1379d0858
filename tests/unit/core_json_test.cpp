// tests/unit/core_json_test.cpp -- JSON strings are valid whatever bytes a path holds.
#include <gtest/gtest.h>

#include "core/base/json.h"

namespace {

namespace json = gpuopt::json;

TEST(Json, EscapesWhatItMust) {
  EXPECT_EQ(json::string("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"");
  EXPECT_EQ(json::string(""), "\"\"");
  EXPECT_EQ(json::string(std::string("\0", 1)), "\"\\u0000\"");
}

TEST(Json, KeepsUtf8AndReplacesWhatIsNot) {
  for (const char *text : {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xEF\xBF\xBF"})
    EXPECT_EQ(json::string(text), std::string("\"") + text + "\"");
  EXPECT_EQ(json::string("\xFF"), "\"\\ufffd\"");
  EXPECT_EQ(json::string("\xC3"), "\"\\ufffd\"");
  EXPECT_EQ(json::string("\xC0\xAF"), "\"\\ufffd\\ufffd\"");             // overlong
  EXPECT_EQ(json::string("\xED\xA0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
  EXPECT_EQ(json::string("\xF4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
  EXPECT_EQ(json::string("\xE2\x82x"), "\"\\ufffd\\ufffdx\"");
}

TEST(Json, BuildsValues) {
  EXPECT_EQ(json::object({}), "{}");
  EXPECT_EQ(json::array({}), "[]");
  EXPECT_EQ(json::object({{"a", json::number(-3)}, {"b", json::array({json::boolean(true), json::string("x")})}}),
            "{\"a\": -3, \"b\": [true, \"x\"]}");
}

}  // namespace

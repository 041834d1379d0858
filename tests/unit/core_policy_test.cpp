// tests/unit/core_policy_test.cpp -- the grammar of requests.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/device/policy.h"
#include "core/device/request.h"
#include "tests/set_variable.h"

namespace {

using gpuopt::Choice;
using gpuopt::parse_request;
using gpuopt::Request;

std::string choices(const Request &request) {
  std::string text;
  for (const Choice &choice : request.choices) {
    text += (text.empty() ? "" : " ") + choice.name + ":" + std::to_string(choice.index) + (choice.required ? "!" : "");
  }
  return text;
}

struct Row {
  const char *request, *choices;
};

TEST(ParseRequest, Accepts) {
  const Row rows[] = {{"cpu", "cpu:0"},
                      {"numpy", "cpu:0"},
                      {"cuda", "cuda:0 cpu:0"},
                      {"cupy", "cuda:0 cpu:0"},
                      {"cuda:3", "cuda:3 cpu:0"},
                      {"cupy:12!", "cuda:12!"},
                      {"cuda!", "cuda:0!"},
                      {"cpu!", "cpu:0!"},
                      {"cpu:1", "cpu:1 cpu:0"},
                      {"cuda,cpu", "cuda:0 cpu:0"},
                      {"cpu,cuda", "cpu:0 cuda:0"},
                      {"cuda,rocm", "cuda:0 rocm:0 cpu:0"},
                      {"cuda,rocm!", "cuda:0 rocm:0!"},
                      {" cuda ,\tcpu ", "cuda:0 cpu:0"},
                      {"auto", "cuda:0 cpu:0"},
                      {"my_backend2", "my_backend2:0 cpu:0"},
                      {"cuda:000001", "cuda:1 cpu:0"}};
  for (const Row &row : rows) {
    const Request request = parse_request(row.request);
    EXPECT_EQ(choices(request), row.choices) << row.request;
    EXPECT_EQ(request.text, row.request);
    EXPECT_EQ(request.source, nullptr);
    EXPECT_EQ(request.automatic, std::string(row.request) == "auto");
  }
}

TEST(ParseRequest, Refuses) {
  for (const char *request : {"",
                              " ",
                              ",",
                              "cuda,",
                              ",cuda",
                              "cuda,,cpu",
                              ":1",
                              "!",
                              "cuda:",
                              "cuda:!",
                              "cuda:x",
                              "cuda:+1",
                              "cuda:-1",
                              "cuda: 1",
                              "cuda:0x1",
                              "cuda:1234567",
                              "cuda:1:1",
                              "cuda!!",
                              "cuda!:1",
                              "auto,cpu",
                              "cpu,auto",
                              "auto!",
                              "auto:0",
                              "Cuda",
                              "cu da",
                              "cuda;cpu",
                              "../cuda",
                              "cuda/../x",
                              "a\nb",
                              "\xC3\xA4",
                              "an_exceedingly_long_backend_name_that_nobody_has"}) {
    try {
      parse_request(request);
      ADD_FAILURE() << "accepted: " << request;
    } catch (const gpuopt::Failure &failure) {
      EXPECT_EQ(failure.code, GPUOPT_ERR_INVALID_ARGUMENT) << request;
    }
  }
}

TEST(ParseRequest, NullReadsTheEnvironment) {
  unsetenv("ARRAY_MODULE");
  unsetenv("GPUOPT_BACKEND");
  EXPECT_EQ(choices(parse_request(nullptr)), "cpu:0");
  setenv("ARRAY_MODULE", "cupy", 1);
  EXPECT_EQ(choices(parse_request(nullptr)), "cuda:0 cpu:0");
  EXPECT_STREQ(parse_request(nullptr).source, "ARRAY_MODULE");
  setenv("GPUOPT_BACKEND", "cuda:1!", 1);
  EXPECT_EQ(choices(parse_request(nullptr)), "cuda:1!");
  EXPECT_STREQ(parse_request(nullptr).source, "GPUOPT_BACKEND");
  unsetenv("ARRAY_MODULE");
  unsetenv("GPUOPT_BACKEND");
}

TEST(Hint, NamesTheBackend) {
  gpuopt::Attempt attempt{"rocm"};
  attempt.reason = GPUOPT_REASON_NOT_FOUND;
  EXPECT_EQ(gpuopt::hint_text(attempt),
            "install the package of this backend (gpuopt-plugin-rocm), or put its directory into GPUOPT_PLUGIN_PATH");
}

}  // namespace

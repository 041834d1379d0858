// tests/fuzz/targets/core_request_fuzzer.cpp -- requests for a device, from a program or from the environment.
#include "core/device/request.h"
#include "tests/fuzz/targets/core_fuzz.h"

namespace {

std::string written(const gpuopt::Request &request) {
  if (request.automatic) return "auto";
  std::string text;
  for (const gpuopt::Choice &choice : request.choices) {
    if (!text.empty()) text += ",";
    text += choice.name + (choice.index ? ":" + std::to_string(choice.index) : "") + (choice.required ? "!" : "");
  }
  return text;
}

void require_the_same_choices(const gpuopt::Request &a, const gpuopt::Request &b) {
  fuzz::require(a.automatic == b.automatic && a.choices.size() >= b.choices.size(), "a request can be written again");
  for (size_t i = 0; i < b.choices.size(); i++) {
    fuzz::require(a.choices[i].name == b.choices[i].name && a.choices[i].index == b.choices[i].index &&
                      a.choices[i].required == b.choices[i].required,
                  "a request that was written again has the same choices", a.choices[i].name);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text = fuzz::Input(data, size).rest_as_text();
  gpuopt::Request request;
  if (!fuzz::accepts([&] { request = gpuopt::parse_request(text.c_str()); })) return 0;
  fuzz::require(!request.choices.empty(), "a request that is accepted has a choice", text);
  for (const gpuopt::Choice &choice : request.choices) {
    fuzz::require(!choice.name.empty() && choice.index >= 0, "a choice has a name and a number", text);
    fuzz::require(choice.name != "numpy" && choice.name != "cupy", "names are canonical", text);
  }
  require_the_same_choices(gpuopt::parse_request(written(request).c_str()), request);
  return 0;
}

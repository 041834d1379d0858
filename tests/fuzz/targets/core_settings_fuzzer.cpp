// tests/fuzz/targets/core_settings_fuzzer.cpp -- settings of the environment that are read at each call, by the core
// and by what plugins share: lines NAME=VALUE, of the names below.
#include <array>

#include "core/device/discovery.h"
#include "core/device/request.h"
#include "tests/fuzz/targets/core_fuzz.h"

namespace {

constexpr std::array kNames = {"GPUOPT_BACKEND", "ARRAY_MODULE", "GPUOPT_DISABLE", "GPUOPT_PLUGIN_PATH"};

void set_from(fuzz::Input &input) {
  for (const char *name : kNames) unsetenv(name);
  while (!input.empty()) {
    const size_t which = input.number<uint8_t>() % kNames.size();
    setenv(kNames[which], input.line().c_str(), 1);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  set_from(input);
  fuzz::accepts([] { gpuopt::parse_request(nullptr); });
  fuzz::accepts([] { gpuopt::disabled("cuda"); });
  for (const gpuopt::SearchPlace &place : gpuopt::search_places({})) {
    const bool searched = place.reason == GPUOPT_REASON_NONE;
    fuzz::require(!searched || (!place.path.empty() && place.path[0] == '/'), "only absolute paths are searched",
                  place.path);
    fuzz::require(searched || !place.detail.empty(), "a path that is not searched has a reason", place.path);
  }
  return 0;
}

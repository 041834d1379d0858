// tools/settings.h -- which environment variables have no effect.
#pragma once
#include <string>
#include <vector>

namespace gpuopt::tools {

// An environment variable of this process that has no effect. `problem` follows its name in messages: "is none of on,
// cache_only, off".
struct BadSetting {
  std::string name, value, problem;
};
std::vector<BadSetting> bad_settings();

}  // namespace gpuopt::tools

// tools/help.h -- the help pages of `gpuopt`.
#pragma once
#include <string>

namespace gpuopt::tools {

// Returns the page that `gpuopt help NAME` prints: of a command, a group of commands or "environment", or the main page
// for "". Returns "" if there is no such page.
std::string help_page(const std::string &name);

}  // namespace gpuopt::tools

// tools/plugin_test/results.h -- the findings of all phases as text and as JSON.
#pragma once
#include <string>
#include <vector>

#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

std::string findings_text(const Subject &, const std::vector<Finding> &);
std::string findings_json(const Subject &, const std::vector<Finding> &);

}  // namespace gpuopt::plugin_test

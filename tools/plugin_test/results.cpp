// tools/plugin_test/results.cpp -- prints the findings as a table and as JSON.
#include "tools/plugin_test/results.h"

#include "tools/output.h"

namespace gpuopt::plugin_test {
namespace {

constexpr const char *kWords[] = {"pass", "FAIL", "unsupported", "not run"};
constexpr const char *kKeys[] = {"pass", "fail", "unsupported", "not_run"};
constexpr int kVerdicts = 4;

int index_of(const Finding &finding) { return static_cast<int>(finding.verdict); }

std::string coloured(const Finding &finding, const std::string &word) {
  if (finding.verdict == Verdict::kFail) return tools::bad(word);
  return finding.verdict == Verdict::kPass ? tools::good(word) : word;
}

std::string padded(const std::string &text, size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

void count(const std::vector<Finding> &findings, int (&counts)[kVerdicts]) {
  for (const Finding &finding : findings) ++counts[index_of(finding)];
}

}  // namespace

std::string findings_text(const Subject &subject, const std::vector<Finding> &findings) {
  constexpr size_t kVerdictWidth = 13, kRuleWidth = 40;
  std::string text = subject.path + "\n", phase;
  for (const Finding &finding : findings) {
    if (finding.phase != phase) text += "\n" + tools::strong(finding.phase) + "\n";
    phase = finding.phase;
    const std::string line = "  " + coloured(finding, padded(kWords[index_of(finding)], kVerdictWidth)) +
                             padded(finding.rule, kRuleWidth) + (finding.detail.empty() ? "" : " " + finding.detail);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  int counts[kVerdicts] = {};
  count(findings, counts);
  return text + "\n" + std::to_string(counts[0]) + " rules hold, " + std::to_string(counts[1]) + " do not, " +
         std::to_string(counts[2]) + " are about what it does not offer, " + std::to_string(counts[3]) +
         " were not run\n";
}

std::string findings_json(const Subject &subject, const std::vector<Finding> &findings) {
  int counts[kVerdicts] = {};
  count(findings, counts);
  std::vector<std::string> list;
  for (const Finding &finding : findings)
    list.push_back(json::object({{"phase", json::string(finding.phase)},
                                 {"rule", json::string(finding.rule)},
                                 {"verdict", json::string(kKeys[index_of(finding)])},
                                 {"detail", json::string(finding.detail)}}));
  std::vector<std::pair<const char *, std::string>> members = {{"file", json::string(subject.path)},
                                                               {"backend", json::string(subject.name)}};
  for (int i = 0; i < kVerdicts; ++i) members.emplace_back(kKeys[i], json::number(counts[i]));
  members.emplace_back("rules", json::array(list));
  return json::object(members) + "\n";
}

}  // namespace gpuopt::plugin_test

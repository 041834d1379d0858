// tools/plugin_test/rules.h -- the rules of gpuopt-plugin-test: each has one verdict.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace gpuopt::plugin_test {

// kUnsupported: the plugin does not offer this, and the host does it instead. kNotRun: the rule could not be tried.
enum class Verdict { kPass, kFail, kUnsupported, kNotRun };

struct Finding {
  std::string phase, rule;
  Verdict verdict;
  std::string detail;
};

// The plugin under test, and which of the rules are tried.
struct Subject {
  std::string path, name;        // path of the file; backend, according to the file's name
  std::set<std::string> only;    // rules of the operations phase to try; empty: all
  std::set<std::string> dtypes;  // dtypes to try in that phase; empty: all
  unsigned patience = 120;       // seconds after which a phase counts as hanging if it has begun no new rule or case
  bool is_comm = false;          // a communication plugin, not a backend's
  std::string launcher;          // the command that starts its jobs, with {n} for the number of ranks; "": the kit
  std::string backend;           // the file of the backend whose memory it moves, too; "": that of the host alone
  const char *entry() const { return is_comm ? "gpuopt_comm_query_v1" : "gpuopt_plugin_query_v1"; }
  bool wants(const std::string &operation) const { return only.empty() || only.count(operation); }
  bool wants_dtype(const std::string &dtype) const { return dtypes.empty() || dtypes.count(dtype); }
};

// Receives the findings of a phase. If the plugin crashes, it did so in the rule that was begun and not ended.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void begin(const std::string &rule) = 0;
  // Says which case of the rule is being tried, for the report of a crash.
  virtual void at(const std::string &place) = 0;
  virtual void end(Verdict verdict, const std::string &detail) = 0;

  // Ends a rule, which passes if `problem` is "".
  void end(const std::string &problem) { end(problem.empty() ? Verdict::kPass : Verdict::kFail, problem); }
  // Begins and ends a rule, which passes, with `detail`, if `problem` is "".
  void check(const std::string &rule, const std::string &problem, const std::string &detail = "") {
    begin(rule);
    end(problem.empty() ? Verdict::kPass : Verdict::kFail, problem.empty() ? detail : problem);
  }
  void not_run(const std::string &rule, const std::string &why) {
    begin(rule);
    end(Verdict::kNotRun, why);
  }
};

}  // namespace gpuopt::plugin_test

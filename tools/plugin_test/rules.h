// tools/plugin_test/rules.h -- what gpuopt-plugin-test finds: one verdict per rule, from phases that may crash.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace gpuopt::plugin_test {

enum class Verdict { kPass, kFail, kUnsupported, kNotRun };

struct Finding {
  std::string phase, rule;
  Verdict verdict;
  std::string detail;
};

// What is tested, and how much of it.
struct Subject {
  std::string path, name;      // of the file; the backend its file name says it is
  std::set<std::string> only;  // operations to try; empty: all
  std::set<std::string> dtypes;
  unsigned patience = 120;  // seconds a rule may take before it counts as hanging
  bool wants(const std::string &operation) const { return only.empty() || only.count(operation); }
  bool wants_dtype(const std::string &dtype) const { return dtypes.empty() || dtypes.count(dtype); }
};

// Where a phase puts what it finds. A rule that is begun and not ended is the one the plugin crashed in.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void begin(const std::string &rule) = 0;
  // Where in the rule we are, for the report of a crash.
  virtual void at(const std::string &place) = 0;
  virtual void end(Verdict verdict, const std::string &detail) = 0;

  // Ends a rule that holds if `problem` is "".
  void end(const std::string &problem);
  // All of such a rule.
  void check(const std::string &rule, const std::string &problem, const std::string &detail = "");
  void not_run(const std::string &rule, const std::string &why);
};

using Phase = std::function<void(const Subject &, Recorder &)>;

// Runs a phase in a process of its own: one that crashes, ends before the phase does, or hangs becomes a failed rule.
std::vector<Finding> run_phase(const std::string &name, const Phase &phase, const Subject &subject);

void link_phase(const Subject &, Recorder &);        // how the file was linked; nothing of it runs
void table_phase(const Subject &, Recorder &);       // the query function and its table
void device_phase(const Subject &, Recorder &);      // devices, memory, streams, copies, by the slots themselves
void operations_phase(const Subject &, Recorder &);  // operations against the CPU backend, through libgpuopt

// What the last phase's rules are called.
std::set<std::string> operation_rules();

std::string findings_text(const Subject &, const std::vector<Finding> &);
std::string findings_json(const Subject &, const std::vector<Finding> &);

}  // namespace gpuopt::plugin_test

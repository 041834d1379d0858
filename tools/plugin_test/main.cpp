// tools/plugin_test/main.cpp -- gpuopt-plugin-test: checks whether a plugin follows the rules of the plugin interface.
#include <gpuopt/gpuopt.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tools/command.h"
#include "tools/output.h"
#include "tools/plugin_test/comm_rank.h"
#include "tools/plugin_test/operations.h"
#include "tools/plugin_test/phase.h"
#include "tools/plugin_test/results.h"

namespace gpuopt::plugin_test {
namespace {

constexpr char kHelp[] =
    R"(usage: gpuopt-plugin-test FILE [--json] [--only RULE,...] [--dtypes DTYPE,...] [--timeout SECONDS]
       gpuopt-plugin-test FILE --comm [--backend FILE] [--launch COMMAND] [--only JOB,...] [--json]
                               [--timeout SECONDS]

Does the plugin FILE (libgpuopt_<name>.so) keep the rules of gpuopt_plugin.h? Four phases, each in a process of its own,
so that a crash or a hang becomes a rule that does not hold: how it is linked; its query function and table; devices,
memory, copies and streams; and every operation in every dtype and several layouts against the CPU backend, to the bit.
The CPU backend itself is not compared with anything.
What a plugin does not offer is counted, and no failure: the CPU backend does it.

With --comm, does a communication plugin keep the rules of gpuopt_comm_plugin.h? How it is linked; its query function,
table and probe; and jobs of 1 to 4 ranks: messages of all kinds, and what the others are told of a rank that gives up,
leaves, is silent, or is killed. The jobs are described to it as to a ring (GPUOPT_RING_HOSTS).

  --json     print one JSON object: file, backend, pass, fail, unsupported, not_run (how many), and
             rules [{phase, rule, verdict, detail}]
  --only     of the last phase, only these rules (add, cast, matmul, ...; none: nothing of it)
             with --comm, only these jobs (messages, gives_up, leaves, silent, killed)
  --dtypes   of the last phase, only these dtypes
  --backend  the plugin of a backend, whose first device is that of each rank: messages between such devices, and sums
             of arrays there, are tried, too
  --launch   what starts its jobs instead, with {n} for the number of ranks: "mpirun -n {n}"; ranks that fail are not
             tried then
  --timeout  how long the plugin may be silent before it counts as hanging; default 120

exit status: 0  every rule that was tried holds, and none was left out
             1  a rule does not hold
             2  the command line was not understood
             3  every rule that was tried holds, but some could not be: the backend cannot work on this machine, or
               there is no other CPU backend to compare it with
)";

std::set<std::string> names_in(const std::string &list) {
  std::set<std::string> names;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) names.insert(name);
  return names;
}

// Returns the backend's name, "cuda" for "/some/where/libgpuopt_cuda.so"; "" if the file is not named as a plugin.
std::string backend_of(const std::string &path) {
  constexpr std::string_view before = "libgpuopt_", after = ".so";
  const std::string file = path.substr(path.rfind('/') + 1);
  if (file.size() <= before.size() + after.size() || file.rfind(before, 0) != 0) return "";
  if (file.compare(file.size() - after.size(), after.size(), after) != 0) return "";
  return file.substr(before.size(), file.size() - before.size() - after.size());
}

std::string value_after(const std::vector<std::string> &words, size_t &at) {
  if (++at == words.size()) throw tools::UsageError(words[at - 1] + " needs a value");
  return words[at];
}

unsigned seconds_in(const std::string &text) {
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds == 0)
    throw tools::UsageError("--timeout: \"" + text + "\" is not a number of seconds");
  return seconds;
}

void check_jobs(const Subject &subject) {
  for (const std::string &name : subject.only)
    if (std::find(std::begin(kCommJobs), std::end(kCommJobs), name) == std::end(kCommJobs))
      throw tools::UsageError("--only: \"" + name + "\" is not a job");
}

void check_names(const Subject &subject) {
  if (subject.is_comm) return check_jobs(subject);
  const std::set<std::string> rules = operation_rules();
  for (const std::string &name : subject.only) {
    if (name != "none" && !rules.count(name))
      throw tools::UsageError("--only: \"" + name + "\" is not a rule of the last phase");
  }
  for (const std::string &name : subject.dtypes) {
    gpuopt_dtype dtype = 0;
    if (gpuopt_dtype_from_name(name.c_str(), &dtype, nullptr) != GPUOPT_OK)
      throw tools::UsageError("--dtypes: \"" + name + "\" is not a dtype");
  }
}

// Returns the absolute path of a plugin's file.
std::string file_named(const std::string &path) {
  if (backend_of(path).empty()) throw tools::UsageError(path + " is not named libgpuopt_<name>.so");
  char *absolute = realpath(path.c_str(), nullptr);
  if (!absolute) throw tools::Failed(path + ": no such file");
  std::string file = absolute;
  std::free(absolute);
  return file;
}

Subject parse(const std::vector<std::string> &words, bool *as_json) {
  Subject subject;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--json")
      *as_json = true;
    else if (words[i] == "--only")
      subject.only = names_in(value_after(words, i));
    else if (words[i] == "--dtypes")
      subject.dtypes = names_in(value_after(words, i));
    else if (words[i] == "--comm")
      subject.is_comm = true;
    else if (words[i] == "--backend")
      subject.backend = file_named(value_after(words, i));
    else if (words[i] == "--launch")
      subject.launcher = value_after(words, i);
    else if (words[i] == "--timeout")
      subject.patience = seconds_in(value_after(words, i));
    else if (words[i].size() > 1 && words[i][0] == '-')
      throw tools::UsageError("\"" + words[i] + "\" is not an option");
    else if (subject.path.empty())
      subject.path = words[i];
    else
      throw tools::UsageError("\"" + words[i] + "\" is one word too many");
  }
  if (subject.path.empty()) throw tools::UsageError("the plugin's file is missing");
  if (!subject.is_comm && !subject.launcher.empty()) throw tools::UsageError("--launch is for --comm");
  if (!subject.is_comm && !subject.backend.empty()) throw tools::UsageError("--backend is for --comm");
  if (subject.is_comm && !subject.dtypes.empty()) throw tools::UsageError("--dtypes is not for --comm");
  subject.name = backend_of(subject.path);
  if (subject.name.empty()) throw tools::UsageError(subject.path + " is not named libgpuopt_<name>.so");
  check_names(subject);
  subject.path = file_named(subject.path);
  return subject;
}

bool holds(const std::vector<Finding> &findings) {
  return std::none_of(findings.begin(), findings.end(), [](const Finding &f) { return f.verdict == Verdict::kFail; });
}
bool left_out(const std::vector<Finding> &findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding &f) { return f.verdict == Verdict::kNotRun; });
}

// Returns whether slots may be called: the table is complete, and the backend is the one that the file's name says.
bool callable(const std::vector<Finding> &table) {
  static const std::set<std::string> needed = {"version range", "name", "table header", "required slots"};
  return std::count_if(table.begin(), table.end(), [](const Finding &f) {
           return f.verdict == Verdict::kPass && needed.count(f.rule);
         }) == static_cast<std::ptrdiff_t>(needed.size());
}

// Runs the phases in order. A phase is left out if an earlier failure would only be repeated in it.
std::vector<Finding> run_phases(const Subject &subject) {
  std::vector<Finding> findings = run_phase("link", link_phase, subject);
  const auto add = [&](const std::vector<Finding> &found) {
    findings.insert(findings.end(), found.begin(), found.end());
  };
  const std::vector<Finding> table = run_phase("table", table_phase, subject);
  add(table);
  if (!callable(table)) {
    if (holds(findings)) add({{"device", "this phase", Verdict::kNotRun, "its table is not whole"}});
    return findings;
  }
  const std::vector<Finding> device = run_phase("device", device_phase, subject);
  add(device);
  if (holds(device) && !left_out(device) && !subject.only.count("none"))
    add(run_phase("operations", operations_phase, subject));
  return findings;
}

std::vector<Finding> run_comm_phases(const Subject &subject) {
  std::vector<Finding> findings = run_phase("link", link_phase, subject);
  const std::vector<Finding> table = run_phase("table", comm_table_phase, subject);
  findings.insert(findings.end(), table.begin(), table.end());
  if (!holds(table)) return findings;
  const std::vector<Finding> ranks = run_phase("ranks", ranks_phase, subject);
  findings.insert(findings.end(), ranks.begin(), ranks.end());
  return findings;
}

// Runs as a rank that a launcher has started for this program: FILE --comm --rank JOB:FOLDER [BACKEND].
int run_as_rank(const std::vector<std::string> &words) {
  Subject subject;
  subject.path = words[0];
  subject.is_comm = true;
  const size_t colon = words[3].find(':');
  if (colon == std::string::npos) throw tools::UsageError("--rank is for this program itself");
  if (words.size() > 4) subject.backend = words[4];
  run_comm_rank(subject, words[3].substr(0, colon), words[3].substr(colon + 1));
  return tools::kFine;
}

int run(const std::vector<std::string> &words) {
  if (std::find(words.begin(), words.end(), "--help") != words.end()) return tools::print(kHelp), tools::kFine;
  if (words == std::vector<std::string>{"--version"}) {
    const uint32_t number = gpuopt_version();
    std::printf("gpuopt-plugin-test %u.%u.%u\n", number / 1000000, number / 1000 % 1000, number % 1000);
    return tools::kFine;
  }
  if ((words.size() == 4 || words.size() == 5) && words[2] == "--rank") return run_as_rank(words);
  bool as_json = false;
  const Subject subject = parse(words, &as_json);
  const std::vector<Finding> findings = subject.is_comm ? run_comm_phases(subject) : run_phases(subject);
  tools::print(as_json ? findings_json(subject, findings) : findings_text(subject, findings));
  if (!holds(findings)) return tools::kFound;
  return left_out(findings) ? tools::kFailed : tools::kFine;
}

}  // namespace
}  // namespace gpuopt::plugin_test

int main(int count, char **arguments) {
  using namespace gpuopt;
  try {
    return plugin_test::run(std::vector<std::string>(arguments + 1, arguments + count));
  } catch (const tools::UsageError &problem) {
    std::fprintf(stderr,
                 "gpuopt-plugin-test: %s\nusage: gpuopt-plugin-test FILE [--json] [--only RULE,...] [--dtypes "
                 "DTYPE,...] [--timeout SECONDS]\n"
                 "       gpuopt-plugin-test FILE --comm [--backend FILE] [--launch COMMAND] [--only JOB,...] [--json]\n"
                 "                               [--timeout SECONDS]\n",
                 problem.what());
    return tools::kUsage;
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "gpuopt-plugin-test: %s\n", problem.what());
    return tools::kFailed;
  }
}

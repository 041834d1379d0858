// tools/plugin_test/phase_comm.cpp -- a communication plugin's query function and table, and jobs of 1 to 4 ranks.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "tools/plugin_test/comm_rank.h"
#include "tools/plugin_test/phase.h"
#include "tools/plugin_test/table_rules.h"

namespace gpuopt::plugin_test {
namespace {

constexpr int kMostRanks = 4;

constexpr bool REQUIRED = true, OPTIONAL = false;
constexpr Slot kCommSlots[] = {
#define GPUOPT_COMM_SLOT(need, result, name, args) {#name, offsetof(gpuopt_comm_api, name), need},
#include <gpuopt/comm_slots.def>
};

bool same_comm_answer(const gpuopt_comm_desc &a, const gpuopt_comm_desc &b) {
  return a.minor_min == b.minor_min && a.minor_max == b.minor_max && same_text(a.name, b.name) &&
         same_text(a.version, b.version) && a.api == b.api;
}

void check_comm_probe(const gpuopt_comm_api &api, Recorder &recorder) {
  recorder.begin("probe");
  Guarded<gpuopt_comm_probe> probe;
  probe.value.struct_size = sizeof probe.value;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  std::string problem;
  const ProcessState before = read_process();
  const gpuopt_status status = call_slot([&] { return api.probe(&probe.value, &error); }, &problem);
  if (problem.empty() && status != GPUOPT_OK) problem = said(status, error);
  if (problem.empty() && !probe.intact()) problem = "it wrote behind the answer";
  if (problem.empty() && (probe.value.launched < -1 || probe.value.launched > 1))
    problem = "launched is " + std::to_string(probe.value.launched);
  if (problem.empty() && !std::memchr(probe.value.detail, 0, sizeof probe.value.detail))
    problem = "its detail does not end";
  if (problem.empty()) problem = differences(before, read_process());
  recorder.end(problem);
}

// ---- Jobs

// A folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string made = (std::filesystem::temp_directory_path() / "gpuopt-kit-XXXXXX").string();
    if (mkdtemp(made.data())) path_ = made;
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

// Starts the ranks of a job as gpuopt-run does. Returns their processes.
std::vector<pid_t> start_ranks(const Subject &subject, const std::string &job, const std::string &folder, int ranks) {
  std::string hosts;
  for (int r = 0; r < ranks; ++r) hosts += (r ? ",unix:" : "unix:") + folder + "/socket-" + std::to_string(r);
  std::vector<pid_t> processes;
  for (int r = 0; r < ranks; ++r) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(subject.patience);
      setenv("GPUOPT_RING_HOSTS", hosts.c_str(), 1);
      setenv("GPUOPT_RING_RANK", std::to_string(r).c_str(), 1);
      setenv("GPUOPT_RING_SECRET", "of the conformance kit", 1);
      run_comm_rank(subject, job, folder);
      _exit(0);
    }
    if (child > 0) processes.push_back(child);
  }
  return processes;
}

// Starts the launcher with the kit itself as its program; "{n}" stands for the number of ranks.
std::vector<pid_t> start_launcher(const Subject &subject, const std::string &job, const std::string &folder,
                                  int ranks) {
  std::vector<std::string> words;
  std::istringstream stream(subject.launcher);
  for (std::string word; stream >> word;) {
    if (const size_t at = word.find("{n}"); at != std::string::npos) word.replace(at, 3, std::to_string(ranks));
    words.push_back(word);
  }
  words.insert(words.end(), {std::filesystem::read_symlink("/proc/self/exe").string(), subject.path, "--comm", "--rank",
                             job + ":" + folder});
  if (!subject.backend.empty()) words.push_back(subject.backend);
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    alarm(subject.patience);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  return child > 0 ? std::vector<pid_t>{child} : std::vector<pid_t>{};
}

void await_all(const std::vector<pid_t> &processes) {
  for (const pid_t process : processes)
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
}

// One finding of each rule: what the first rank that found a problem says of it.
void add_findings(const std::string &job, const std::vector<RankReport> &reports, int ranks, Recorder &recorder) {
  const std::string suffix = ranks == 1 ? ", 1 rank" : ", " + std::to_string(ranks) + " ranks";
  std::vector<std::string> order;
  std::map<std::string, std::string> problems;
  for (const RankReport &report : reports) {
    for (const Finding &finding : report.findings) {
      // Joining and leaving is a rule of the jobs with messages; of the others it is told only if it fails.
      const bool is_told =
          job == kCommJobs[0] || finding.verdict == Verdict::kFail || finding.rule.rfind("a rank", 0) == 0;
      if (!is_told) continue;
      const auto [place, is_new] = problems.try_emplace(finding.rule);
      if (is_new) order.push_back(finding.rule);
      if (finding.verdict == Verdict::kFail && place->second.empty())
        place->second = (report.rank < 0 ? "a rank" : "rank " + std::to_string(report.rank)) + ": " + finding.detail;
    }
  }
  for (const std::string &rule : order) recorder.check(rule + suffix, problems[rule]);
}

// Runs a job. Returns false if the plugin does not join such jobs.
bool run_comm_job(const Subject &subject, const std::string &job, int ranks, Recorder &recorder) {
  const Folder folder;
  recorder.at(job + " of " + std::to_string(ranks));
  await_all(subject.launcher.empty() ? start_ranks(subject, job, folder.path(), ranks)
                                     : start_launcher(subject, job, folder.path(), ranks));
  std::vector<RankReport> reports = read_ranks(folder.path());
  std::sort(reports.begin(), reports.end(), [](const auto &a, const auto &b) { return a.rank < b.rank; });
  if (static_cast<int>(reports.size()) != ranks) {
    recorder.check("as many processes as ranks, " + std::to_string(ranks), std::to_string(reports.size()) + " began");
    return true;
  }
  if (ranks > 1 && std::all_of(reports.begin(), reports.end(), [](const auto &one) { return one.size == 1; })) {
    recorder.not_run("jobs of several ranks", "each process is a job of one: say by --launch what starts its jobs");
    return false;
  }
  for (int r = 0; r < ranks; ++r)
    if (RankReport &one = reports[static_cast<size_t>(r)]; one.rank >= 0 && (one.rank != r || one.size != ranks))
      one.findings.push_back({"", "numbers of ranks", Verdict::kFail,
                              "rank " + std::to_string(one.rank) + " of " + std::to_string(one.size) + " where " +
                                  std::to_string(r) + " of " + std::to_string(ranks) + " is missing"});
  add_findings(job, reports, ranks, recorder);
  return true;
}

}  // namespace

void comm_table_phase(const Subject &subject, Recorder &recorder) {
  const auto function = check_loading<CommInterface>(subject, recorder);
  Guarded<gpuopt_comm_desc> guarded;
  if (!function || !check_query<CommInterface>(function, &guarded, recorder)) return;
  const gpuopt_comm_desc &desc = guarded.value;
  check_range_and_name<CommInterface>(subject, desc, recorder);
  recorder.check("version", desc.version ? "" : "it is NULL", text_or(desc.version));
  check_pure<CommInterface>(function, desc, same_comm_answer, recorder);
  check_refusal<CommInterface>(function, false, recorder);
  if (check_table<CommInterface>(desc.api, kCommSlots, recorder) && desc.api->probe)
    check_comm_probe(*desc.api, recorder);
}

void ranks_phase(const Subject &subject, Recorder &recorder) {
  for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
    for (const std::string job : kCommJobs) {
      if (!subject.wants(job)) continue;
      const bool is_fault = job != "messages";
      // What a launcher does with the other ranks when one ends is its own affair.
      if (is_fault && (ranks == 1 || !subject.launcher.empty())) continue;
      if (!run_comm_job(subject, job, ranks, recorder)) return;
    }
  }
}

}  // namespace gpuopt::plugin_test

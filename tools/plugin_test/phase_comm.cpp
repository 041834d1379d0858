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
#include "tools/plugin_test/loaded.h"
#include "tools/plugin_test/phase.h"

namespace gpuopt::plugin_test {
namespace {

constexpr int kMostRanks = 4;

struct CommSlot {
  const char *name;
  size_t offset;
  bool required;
};
constexpr bool REQUIRED = true, OPTIONAL = false;
constexpr CommSlot kCommSlots[] = {
#define GPUOPT_COMM_SLOT(need, result, name, args) {#name, offsetof(gpuopt_comm_api, name), need},
#include <gpuopt/comm_slots.def>
};

std::string comm_header_problem(const gpuopt_comm_api *api) {
  constexpr uint32_t largest = 1 << 16;
  if (!api) return "it gives no table";
  const uint32_t size = api->header.struct_size;
  if (size < sizeof api->header || size > largest || (size - sizeof api->header) % sizeof(void *) != 0)
    return "its table claims " + std::to_string(size) + " bytes, which cannot be";
  if (api->header.abi_major != GPUOPT_COMM_ABI_MAJOR)
    return "its table is of interface version " + std::to_string(api->header.abi_major);
  return "";
}

void check_comm_slots(const gpuopt_comm_api &api, Recorder &recorder) {
  std::string missing, left_out;
  for (const CommSlot &slot : kCommSlots) {
    void *function = nullptr;
    if (slot.offset + sizeof function <= api.header.struct_size)
      std::memcpy(&function, reinterpret_cast<const char *>(&api) + slot.offset, sizeof function);
    if (function) continue;
    std::string &list = slot.required ? missing : left_out;
    list += (list.empty() ? "" : ", ") + std::string(slot.name);
  }
  recorder.check("required slots", missing.empty() ? "" : "its table lacks " + missing);
  recorder.begin("optional slots");
  recorder.end(left_out.empty() ? Verdict::kPass : Verdict::kUnsupported,
               left_out.empty() ? "" : "left to the host: " + left_out);
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

void check_comm_refusal(gpuopt_comm_query_fn function, Recorder &recorder) {
  constexpr uint16_t future = 60000;
  recorder.begin("refuses hosts it does not know");
  Guarded<gpuopt_comm_desc> desc;
  bool threw = false;
  const gpuopt_status status = query_comm(function, future, future, &desc.value, &threw);
  recorder.end(threw                              ? "it threw a C++ exception"
               : status == GPUOPT_ERR_UNSUPPORTED ? ""
                                                  : "asked for minor version 60000 only, it returned " +
                                                        std::to_string(status) + " instead of GPUOPT_ERR_UNSUPPORTED");
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
  std::string problem;
  const ProcessState before = read_process();
  recorder.begin("can be loaded");
  const gpuopt_comm_query_fn function = open_comm_plugin(subject.path, &problem);
  recorder.end(problem);
  if (!function) return;
  recorder.check("loading changes nothing", differences(before, read_process()));
  Guarded<gpuopt_comm_desc> desc;
  bool threw = false;
  recorder.begin("query");
  const gpuopt_status status = query_comm(function, 0, GPUOPT_COMM_ABI_MINOR, &desc.value, &threw);
  recorder.end(threw                                         ? "it threw a C++ exception"
               : status != GPUOPT_OK                         ? "it returned status " + std::to_string(status)
               : !desc.intact()                              ? "it wrote behind the description"
               : !desc.value.version                         ? "its version is NULL"
               : desc.value.minor_min > desc.value.minor_max ? "its range of versions is backward"
                                                             : "");
  if (threw || status != GPUOPT_OK) return;
  const char *const name = desc.value.name;
  recorder.check("name", name && subject.name == name
                             ? ""
                             : "the file is named for " + subject.name + " and says it is " + (name ? name : "(NULL)"));
  check_comm_refusal(function, recorder);
  const std::string header = comm_header_problem(desc.value.api);
  recorder.check("table header", header);
  if (!header.empty()) return;
  check_comm_slots(*desc.value.api, recorder);
  if (desc.value.api->probe) check_comm_probe(*desc.value.api, recorder);
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

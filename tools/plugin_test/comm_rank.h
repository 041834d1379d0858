// tools/plugin_test/comm_rank.h -- what the kit lets each rank of a job do with a communication plugin.
#pragma once
#include <string>
#include <vector>

#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

// The jobs that are tried, each in processes of its own: messages; and what the others are told when the last rank
// gives up, leaves, does not answer, or is killed.
constexpr const char *kCommJobs[] = {"messages", "gives_up", "leaves", "silent", "killed"};

// Takes part in a job as one of its ranks, and writes to a file of its own in the folder: its rank and the job's size,
// then each rule with the problem it found, if any. Another process reads these (read_ranks).
void run_comm_rank(const Subject &subject, const std::string &job, const std::string &folder);

// What one rank has found.
struct RankReport {
  int rank = -1, size = 0;        // rank -1: it has not joined
  std::vector<Finding> findings;  // without a phase; a last one of a rule that did not end, if there is one
};
std::vector<RankReport> read_ranks(const std::string &folder);

}  // namespace gpuopt::plugin_test

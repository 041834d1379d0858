// tools/run/job.h -- the processes of one job: started, their output passed on, and all ended when one has failed.
#pragma once
#include <string>
#include <vector>

namespace gpuopt::tools {

struct JobOptions {
  int ranks = 0;
  bool label = false;           // each line of output begins with "[rank] "
  std::string output;           // a directory for a file of output per rank; "": it is passed on
  double grace = 5;             // seconds that the others have to end by themselves after one has failed
  std::vector<char *> program;  // and its arguments, with a NULL at the end
};

// Runs the job. Returns 0 if every rank has returned 0; else the status of the rank that failed first: what it
// returned, or 128 and the number of the signal that ended it. Throws std::runtime_error if the job cannot be started.
int run_job(const JobOptions &options);

}  // namespace gpuopt::tools

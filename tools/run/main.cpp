// tools/run/main.cpp -- gpuopt-run: starts a program several times on this machine, as the ranks of one job.
#include <gpuopt/gpuopt.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "tools/run/job.h"

namespace gpuopt::tools {
namespace {

constexpr int kUsage = 2, kFailed = 3, kMostRanks = 4096;

constexpr char kHelp[] =
    "usage: gpuopt-run -n RANKS [OPTION...] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Starts PROGRAM so many times on this machine. The processes are the ranks of one job: gpuopt_comm_init finds the\n"
    "others by libgpuopt_ring. When one fails, the others are ended.\n"
    "\n"
    "  -n, --ranks RANKS  how many processes, from 1 to 4096\n"
    "  --label            begin each line of output with its rank\n"
    "  --output DIR       write each rank's output to DIR/rank-<rank>.txt\n"
    "  --grace SECONDS    how long the others may go on after one has failed (default: 5)\n"
    "  --help             this text\n"
    "  --version          the version\n"
    "\n"
    "Each process gets GPUOPT_RING_RANK, GPUOPT_RING_HOSTS and GPUOPT_RING_SECRET, a new secret for each job, and "
    "unless\n"
    "it is set GPUOPT_NUM_THREADS, its share of the processors. Standard input goes to rank 0. The exit status is 0 "
    "if\n"
    "all ranks returned 0, else that of the first one that failed, or 128 and the number of the signal that ended it;\n"
    "2 for a wrong command line, 3 if the job could not be started.\n";

struct WrongUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class Number>
Number number_in(const char *text, Number least, Number most, const char *option) {
  Number number{};
  const char *const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end || !(number >= least && number <= most))
    throw WrongUsage(std::string(option) + ": \"" + text + "\" is no number that it can be");
  return number;
}

// Reads the options. Returns the position of the program's name.
int parse_options(int argc, char **argv, JobOptions &options) {
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string_view word = argv[at];
    const auto value = [&] {
      if (++at >= argc) throw WrongUsage(std::string(word) + " needs a value");
      return argv[at];
    };
    if (word == "--")
      return at + 1;
    else if (word == "-n" || word == "--ranks")
      options.ranks = number_in(value(), 1, kMostRanks, "--ranks");
    else if (word == "--label")
      options.label = true;
    else if (word == "--output")
      options.output = value();
    else if (word == "--grace")
      options.grace = number_in(value(), 0.0, 1e6, "--grace");
    else
      throw WrongUsage("unknown option " + std::string(word));
  }
  return at;
}

JobOptions parse(int argc, char **argv) {
  JobOptions options;
  const int at = parse_options(argc, argv, options);
  if (!options.ranks) throw WrongUsage("how many ranks? -n RANKS");
  if (at >= argc) throw WrongUsage("no program is named");
  options.program.assign(argv + at, argv + argc);
  options.program.push_back(nullptr);
  return options;
}

bool is_asked_for(int argc, char **argv, const char *option) { return argc == 2 && std::strcmp(argv[1], option) == 0; }

}  // namespace
}  // namespace gpuopt::tools

int main(int argc, char **argv) {
  using namespace gpuopt::tools;
  if (is_asked_for(argc, argv, "--help")) return std::fputs(kHelp, stdout) < 0 ? kFailed : 0;
  if (is_asked_for(argc, argv, "--version")) {
    std::printf("gpuopt-run %d.%d.%d\n", GPUOPT_VERSION_MAJOR, GPUOPT_VERSION_MINOR, GPUOPT_VERSION_PATCH);
    return 0;
  }
  try {
    return run_job(parse(argc, argv));
  } catch (const WrongUsage &error) {
    std::fprintf(stderr, "gpuopt-run: %s\nusage: gpuopt-run -n RANKS [OPTION...] PROGRAM [ARGUMENT...]\n",
                 error.what());
    return kUsage;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpuopt-run: %s\n", error.what());
    return kFailed;
  }
}

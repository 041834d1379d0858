// tools/command.h -- the commands of `gpuopt`: their names, operands, options, help and functions.
//
// One table (commands()) has all of them. Parsing and help use it, and tests compare the man page and the
// shell completions with it.
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpuopt::tools {

// The exit status of the process, as documented in the man page.
enum Exit {
  kFine = 0,   // done, and no problem was found
  kFound = 1,  // done, and the command found what it looks for: a problem, damage, a difference
  kUsage = 2,  // the command line was not understood
  kFailed = 3  // it could not be done, because of a file, memory or a device
};

// An option of a command, such as "--max-bytes N". One without a value is a switch.
struct Option {
  const char *name;         // "--max-bytes"
  const char *placeholder;  // the value in help texts, "N"; NULL for a switch
  const char *help;
};
constexpr Option kJson = {"--json", nullptr, "print one JSON object"};

// The operands and options that were given after the name of a command.
class Arguments {
 public:
  std::vector<std::string> words;              // the operands
  std::map<std::string, std::string> options;  // values by name, "--max-bytes"; "" for switches
  bool has(const char *option) const { return options.count(option) != 0; }
  bool json() const { return has("--json"); }
  // Return the value of an option, `otherwise` if it was not given. count() accepts 123, 1e6 and 64M (K, M, G and T are
  // powers of 1024), tolerance() numbers that are neither negative nor NaN; both throw UsageError for other values.
  std::string text(const char *option, const std::string &otherwise) const;
  uint64_t count(const char *option, uint64_t otherwise) const;
  double tolerance(const char *option, double otherwise) const;
};

struct Command {
  const char *name;      // "info", or with its group, "cache list"
  const char *operands;  // for help texts, "FILE [FILE...]"
  size_t least, most;    // how many operands it takes
  const char *summary;   // one line of help
  const char *details;   // further help and the keys of its JSON; lines of at most 100 characters
  std::vector<Option> options;
  int (*run)(const Arguments &);  // returns an Exit; throws UsageError, Failed or gpuopt::error
};

extern const Command kInfo, kDoctor, kBench, kCachePath, kCacheList, kCacheSize, kCacheVerify, kCachePrune, kCacheClear,
    kNpyShow, kNpyConvert, kNpyDiff;

// Thrown if the command line is wrong; says what is wrong with it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown if something could not be done; says why.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const std::vector<const Command *> &commands();

}  // namespace gpuopt::tools

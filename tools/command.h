// tools/command.h -- the commands of `gpuopt`: what each is called, takes, prints and returns.
//
// One table (commands() in gpuopt.cpp) holds them all; parsing, help, the man page's and the completions' tests follow
// it.
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/shared/host/settings.h"

namespace gpuopt::tools {

// What the process ends with; the man page says the same.
enum Exit {
  kFine = 0,   // done, and nothing to say against it
  kFound = 1,  // done, and it found what it looks for: something to mend, damage, a difference
  kUsage = 2,  // the command line was not understood
  kFailed = 3  // it could not be done: a file, memory, a device
};

// An option of a command: "--max-bytes N". One without a placeholder is a switch.
struct Option {
  const char *name;         // "--max-bytes"
  const char *placeholder;  // "N", NULL for a switch
  const char *help;
};

// The words and options behind a command's name.
class Arguments {
 public:
  std::vector<std::string> words;
  std::map<std::string, std::string> options;  // by name, with the value of each, "" for switches
  bool has(const char *option) const { return options.count(option) != 0; }
  bool json() const { return has("--json"); }
  std::string text(const char *option, const std::string &otherwise) const;
  // A number of the form 123, 1e6 or 64M (K, M, G: powers of 1024); UsageError for anything else.
  uint64_t count(const char *option, uint64_t otherwise) const;
  // A number that is neither negative nor NaN; UsageError for anything else.
  double tolerance(const char *option, double otherwise) const;
};

struct Command {
  const char *name;      // "info"; with a space in it, a command of a group: "cache list"
  const char *operands;  // "FILE [FILE...]", for people
  size_t least, most;    // how many words it takes
  const char *summary;   // one line
  const char *details;   // what else is to be known, and the keys of its JSON; lines of at most 100 characters
  std::vector<Option> options;
  int (*run)(const Arguments &);
};

extern const Command kInfo, kDoctor, kBench, kCachePath, kCacheList, kCacheSize, kCacheVerify, kCachePrune, kCacheClear,
    kNpyShow, kNpyConvert, kNpyDiff;

// The command line was not understood; what is wrong with it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Something could not be done.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A variable of this process's environment that has no effect, and why: "is none of on, cache_only, off".
struct BadSetting {
  std::string name, value, problem;
};
std::vector<BadSetting> bad_settings();

// What `gpuopt help`, `gpuopt help NAME` and `gpuopt help environment` print; "" if there is no such page.
std::string help_page(const std::string &name);

const std::vector<const Command *> &commands();

}  // namespace gpuopt::tools

// tools/aot/main.cpp -- gpuopt-aot: compiles the kernels of a program ahead of time into a bundle.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gpuopt/gpuopt.hpp>
#include <iterator>
#include <map>

#include "core/kernels/bundle_format.h"
#include "plugins/shared/cache/bundle.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/trusted_file.h"
#include "tools/command.h"
#include "tools/output.h"

namespace gpuopt::aot {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr char kUsage[] =
    "usage: gpuopt-aot [--record FILE] --output BUNDLE PROGRAM [ARGUMENT...]\n"
    "       gpuopt-aot --output BUNDLE --from FILE\n"
    "       gpuopt-aot --list BUNDLE [--json]\n";
constexpr char kHelp[] =
    R"(
Compiles the kernels of a program ahead of time. The first form runs PROGRAM, which must call each kernel that it is to
have compiled with the dtypes and layouts that it will use; the second takes what such a run wrote down. The bundle has
their code for every processor that the compilers installed here know: on x86-64 levels v2, v3 and v4, and every
NVIDIA architecture, if NVRTC is installed. No GPU is needed. A program that loads it (gpuopt_bundle_load, or
GPUOPT_BUNDLES=BUNDLE) needs no compiler.

  --output BUNDLE   the file to make
  --record FILE     keep what PROGRAM used in FILE, which is added to; default: a temporary file
  --from FILE       compile what is recorded there (GPUOPT_RECORD_KERNELS), and run nothing
  --list BUNDLE     print which kernels are in a bundle, and for which processors
  --json            with --list, print one JSON object: file, bytes, and kernels [{name, source, code [{backend,
                    target, build, bytes}]}]
  --help, --version

exit status: 0  done
             1  PROGRAM ended with another status than 0; no bundle was made
             2  the command line was not understood
             3  it could not be done: a file, no compiler, a kernel that does not compile
)";

struct Request {
  std::string output, record, from, list;
  bool json = false;
  Words program;
};

Request parse(const Words &words) {
  Request request;
  const std::map<std::string, std::string *> options = {{"--output", &request.output},
                                                        {"--record", &request.record},
                                                        {"--from", &request.from},
                                                        {"--list", &request.list}};
  size_t at = 0;
  for (; at < words.size() && words[at].rfind('-', 0) == 0; ++at) {
    const std::string name = words[at].substr(0, words[at].find('='));
    if (words[at] == "--") {
      ++at;
      break;
    }
    if (words[at] == "--json") {
      request.json = true;
      continue;
    }
    const auto option = options.find(name);
    if (option == options.end()) throw tools::UsageError("\"" + words[at] + "\" is not an option");
    const bool joined = name.size() < words[at].size();
    if (!joined && at + 1 == words.size()) throw tools::UsageError(name + " needs a value");
    *option->second = joined ? words[at].substr(name.size() + 1) : words[at + 1];
    at += joined ? 0 : 1;
    if (option->second->empty()) throw tools::UsageError(name + " needs a value");
  }
  request.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return request;
}

void check(const Request &request) {
  const bool runs = !request.program.empty(), lists = !request.list.empty(), from = !request.from.empty();
  if (runs + lists + from != 1) throw tools::UsageError("one of PROGRAM, --from and --list is needed");
  if (lists != request.output.empty())
    throw tools::UsageError(lists ? "--list makes no bundle" : "--output is missing");
  if (!runs && !request.record.empty()) throw tools::UsageError("--record keeps what a PROGRAM used");
  if (request.json && !lists) throw tools::UsageError("--json goes with --list");
}

// A new temporary file, removed with this object.
class TemporaryFile {
 public:
  TemporaryFile() : path_((fs::temp_directory_path() / "gpuopt-aot-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) throw tools::Failed(path_ + ": " + std::strerror(errno));
    close(file);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

// Runs PROGRAM with GPUOPT_RECORD_KERNELS set to `record` and waits for it. Returns its exit status as a shell does:
// 128 plus the signal number if a signal ended it.
int run_program(const Words &program, const std::string &record) {
  setenv("GPUOPT_RECORD_KERNELS", record.c_str(), 1);
  std::vector<char *> arguments;
  for (const std::string &word : program) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int problem = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  unsetenv("GPUOPT_RECORD_KERNELS");
  if (problem) throw tools::Failed(program[0] + ": " + std::strerror(problem));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- What is in a bundle

// The code of a kernel for one processor, `target`, by one build of a backend.
struct Code {
  std::string backend, target, build;
  size_t bytes;
};
struct Entry {
  std::string name, source;
  std::vector<Code> code;
};

std::string contents_of(const std::string &path) {
  const trusted::File file(path, trusted::Check::kKind);  // owners do not matter, as no code of it is run
  std::string bytes;
  if (!file.opened()) throw tools::Failed(path + ": " + file.problem);
  if (!file.read_all(&bytes)) throw tools::Failed(path + ": " + std::strerror(errno));
  return bytes;
}

// Returns the kernels of a bundle, in which the code of each kernel follows its source. Throws Failed, or
// plugin::Failure for a damaged piece.
std::vector<Entry> entries_of(const std::string &bundle, const std::string &path) {
  const auto pieces = bundle_pieces(bundle);
  if (!pieces) throw tools::Failed(path + ": it is not a bundle of kernels, or not all of one");
  std::vector<Entry> entries;
  for (const plugin::BundlePiece &piece : plugin::read_pieces(*pieces)) {
    if (piece.backend == plugin::kSourcePiece) {
      entries.push_back({std::string(piece.kernel), std::string(piece.code), {}});
    } else if (!entries.empty()) {
      entries.back().code.push_back(
          {std::string(piece.backend), std::string(piece.target), std::string(piece.build), piece.code.size()});
    }
  }
  return entries;
}

std::string json_of(const std::vector<Entry> &entries, const std::string &path, size_t bytes) {
  std::vector<std::string> kernels;
  for (const Entry &entry : entries) {
    std::vector<std::string> code;
    for (const Code &one : entry.code)
      code.push_back(json::object({{"backend", json::string(one.backend)},
                                   {"target", json::string(one.target)},
                                   {"build", json::string(one.build)},
                                   {"bytes", tools::json_count(one.bytes)}}));
    kernels.push_back(json::object(
        {{"name", json::string(entry.name)}, {"source", json::string(entry.source)}, {"code", json::array(code)}}));
  }
  return json::object(
             {{"file", json::string(path)}, {"bytes", tools::json_count(bytes)}, {"kernels", json::array(kernels)}}) +
         "\n";
}

std::string text_of(const std::vector<Entry> &entries) {
  std::string text;
  for (const Entry &entry : entries) {
    text += entry.name + ":";
    for (const Code &one : entry.code) text += (&one == &entry.code[0] ? " " : ", ") + one.target;
    text += entry.code.empty() ? " nothing\n" : "\n";
  }
  return text;
}

int list(const Request &request) {
  const std::string bundle = contents_of(request.list);
  const std::vector<Entry> entries = entries_of(bundle, request.list);
  tools::print(request.json ? json_of(entries, request.list, bundle.size()) : text_of(entries));
  return tools::kFine;
}

int build(const std::string &record, const std::string &output) {
  gpuopt::build_bundle(record, output);
  const std::string bundle = contents_of(output);
  tools::print(text_of(entries_of(bundle, output)) + output + ": " + tools::bytes_text(bundle.size()) + "\n");
  return tools::kFine;
}

int run(const Words &words) {
  if (!words.empty() && words[0] == "--help") return tools::print(std::string(kUsage) + kHelp), tools::kFine;
  if (words == Words{"--version"}) {
    const uint32_t number = gpuopt_version();
    std::printf("gpuopt-aot %u.%u.%u\n", number / 1000000, number / 1000 % 1000, number % 1000);
    return tools::kFine;
  }
  const Request request = parse(words);
  check(request);
  if (!request.list.empty()) return list(request);
  if (!request.from.empty()) return build(request.from, request.output);
  const TemporaryFile temporary;
  const std::string record = fs::absolute(request.record.empty() ? temporary.path() : request.record).string();
  if (const int status = run_program(request.program, record)) {
    std::fprintf(stderr, "gpuopt-aot: %s ended with status %d\n", request.program[0].c_str(), status);
    return tools::kFound;
  }
  return build(record, request.output);
}

}  // namespace
}  // namespace gpuopt::aot

int main(int count, char **arguments) {
  using namespace gpuopt;
  try {
    return aot::run(aot::Words(arguments + 1, arguments + count));
  } catch (const tools::UsageError &problem) {
    std::fprintf(stderr, "gpuopt-aot: %s\n%s", problem.what(), aot::kUsage);
    return tools::kUsage;
  } catch (const plugin::Failure &failure) {
    std::fprintf(stderr, "gpuopt-aot: %s\n", failure.message.c_str());
    return tools::kFailed;
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "gpuopt-aot: %s\n", problem.what());
    return tools::kFailed;
  }
}

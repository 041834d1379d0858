// tests/loader/child_posix.h -- child.h on POSIX systems.
#pragma once
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace child {

constexpr char kSlash = '/';
constexpr const char *kListSeparator = ":";
constexpr const char *kNowhere = "/nonexistent";  // a place that is not there

inline std::string plugin_file(const std::string &backend) { return "libgpuopt_" + backend + ".so"; }

// This process's environment without anything that steers gpuopt, and with `extra`.
inline std::vector<std::string> environment_with(const Environment &extra) {
  std::vector<std::string> all;
  for (char **entry = environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    if (!steers(name) && !extra.count(name)) all.push_back(text);
  }
  for (const auto &[name, value] : extra) all.push_back(name + "=" + value);
  return all;
}

inline std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (std::string &text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// `user`: a user id to become first (0: none). A program of another processor is run by an emulator.
inline Result run(std::vector<std::string> command, const Environment &extra = {}, const std::string &directory = "",
                  unsigned user = 0) {
  FILE *out = std::tmpfile(), *err = std::tmpfile();
  std::vector<std::string> environment = environment_with(extra);
#if defined(GPUOPT_TEST_EMULATOR)
  command.insert(command.begin(), GPUOPT_TEST_EMULATOR);
#endif
  std::vector<char *> arguments = pointers(command), variables = pointers(environment);
  const pid_t process = fork();
  if (process == 0) {
    dup2(fileno(out), 1);
    dup2(fileno(err), 2);
    if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(120);
    if (user && setuid(user) != 0) _exit(121);
    execve(arguments[0], arguments.data(), variables.data());
    _exit(122);
  }
  Result result;
  int status = 0;
  if (process > 0 && waitpid(process, &status, 0) == process) {
    result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  result.out = slurp(out);
  result.err = slurp(err);
  return result;
}

inline std::string new_directory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gpuopt-t\u00EBst-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
  return std::filesystem::canonical(pattern).string();
}

}  // namespace child

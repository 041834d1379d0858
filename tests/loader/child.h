// tests/loader/child.h -- runs a program with a clean gpuopt environment and collects what it prints; scratch
// directories.
#pragma once
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace child {

using Environment = std::map<std::string, std::string>;

struct Result {
  int exit = -1;   // exit status; -1 if it did not start
  int signal = 0;  // that killed it
  std::string out, err;
  std::vector<std::string> out_lines() const { return lines(out); }
  std::vector<std::string> err_lines() const { return lines(err); }
  static std::vector<std::string> lines(const std::string &text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
  }
};

// This process's environment without anything that steers gpuopt, and with `extra`.
inline std::vector<std::string> environment_with(const Environment &extra) {
  std::vector<std::string> all;
  for (char **entry = environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    if (name.rfind("GPUOPT_", 0) != 0 && name != "ARRAY_MODULE" && !extra.count(name)) all.push_back(text);
  }
  for (const auto &[name, value] : extra) all.push_back(name + "=" + value);
  return all;
}

inline std::string slurp(FILE *file) {
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

inline std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (std::string &text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// `user`: a user id to become first (0: none). `directory`: where to start ("": here).
inline Result run(std::vector<std::string> command, const Environment &extra = {}, const std::string &directory = "",
                  unsigned user = 0) {
  FILE *out = std::tmpfile(), *err = std::tmpfile();
  std::vector<std::string> environment = environment_with(extra);
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

// One line of loader_probe.
struct Opened {
  std::string request, status, reason, device, fallback, message;
};

inline Opened parse_opened(const std::string &line) {
  std::istringstream stream(line);
  Opened opened;
  for (std::string *part : {&opened.request, &opened.status, &opened.reason, &opened.device, &opened.fallback})
    std::getline(stream, *part, '|');
  std::getline(stream, opened.message);
  return opened;
}

// A directory that goes away with the object. Under `base`, or the system's temporary directory.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuopt-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
    path_ = std::filesystem::canonical(pattern).string();
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch &) = delete;
  const std::string &path() const { return path_; }
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }
  std::string directory(const std::string &name) const {
    std::filesystem::create_directories(*this / name);
    return *this / name;
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace child

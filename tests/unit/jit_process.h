// tests/unit/jit_process.h -- runs parts of tests in processes of their own, for compilers and settings are looked for
// once in a process; each test has a cache of its own.
#pragma once
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

namespace gpuopt::test {

struct Outcome {
  int status = -1;                              // of what failed first
  bool right = false, compiler_loaded = false;  // here or in a helper process
  char message[400] = "";
};

// As much as can be read: a process that ends takes its files below /proc with it.
inline std::string contents_of(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline bool compiler_is_here() { return contents_of("/proc/self/maps").find("libgpuopt_jit.so") != std::string::npos; }

// The sockets of this process, which are those to its helpers: tests have no others beyond the standard files.
inline int helper_sockets() {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // what the iterator itself had open
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    count += std::stoi(entry.path().filename()) > 2 && target.rfind("socket:", 0) == 0;
  }
  return count;
}

inline bool compiler_is_loaded() { return compiler_is_here() || helper_sockets() > 0; }

inline Outcome outcome_of(const std::function<bool()> &body) {
  Outcome outcome;
  try {
    outcome.right = body();
    outcome.status = GPUOPT_OK;
  } catch (const error &e) {
    outcome.status = e.code();
    std::string(e.what()).copy(outcome.message, sizeof outcome.message - 1);
  }
  outcome.compiler_loaded = compiler_is_loaded();
  return outcome;
}

class JitProcess : public testing::Test {
 protected:
  JitProcess() {
    std::filesystem::create_directories(cache_);
    chmod(cache_.c_str(), 0700);
  }
  ~JitProcess() override { std::filesystem::remove_all(cache_); }

  using Variables = std::initializer_list<std::pair<const char *, std::string>>;
  // What `body` returns, plain data, in a new process with these variables set and the test's own cache.
  template <class Result>
  Result in_child(const Variables &variables, const std::function<Result()> &body) {
    int ends[2];
    if (pipe(ends) != 0) return {};
    const pid_t child = fork();
    if (child == 0) {
      setenv("GPUOPT_CACHE_DIR", cache_.c_str(), 1);
      for (const auto &[name, value] : variables) setenv(name, value.c_str(), 1);
      try {
        const Result outcome = body();
        _exit(write(ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
      } catch (...) {  // what runs the tests is the parent's: the child must not go on with them
        _exit(2);
      }
    }
    close(ends[1]);
    Result outcome;
    const bool told = read(ends[0], &outcome, sizeof outcome) == sizeof outcome;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(told && WIFEXITED(status)) << "it died: " << status;
    return outcome;
  }
  // What `body` comes to there.
  Outcome in_process(const Variables &variables, const std::function<bool()> &body) {
    return in_child<Outcome>(variables, [&] { return outcome_of(body); });
  }

  const std::filesystem::path cache_ =
      std::filesystem::temp_directory_path() / ("gpuopt_jit_" + std::to_string(getpid()));
  const std::string nowhere_ = "/nonexistent/libgpuopt_jit.so";
};

#define EXPECT_UNAVAILABLE(outcome, word)                                       \
  EXPECT_EQ((outcome).status, GPUOPT_ERR_JIT_UNAVAILABLE) << (outcome).message; \
  EXPECT_NE(std::string((outcome).message).find(word), std::string::npos) << (outcome).message

}  // namespace gpuopt::test

// tests/fault/process_posix_test.cpp -- a broad program without standard files, without threads, with little memory,
// few files, small stacks, signals all the time, and nothing of the file system: it comes to the right numbers, or a
// call is refused with a status and a message.
//
// POSIX only: limits, signals, chroot
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/not_here.h"

namespace {

constexpr int kDeadline = 300;  // seconds of processor time that a program may take

class Process : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuopt_process_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // The status of the program after `prepare`; -signal if one ended it.
  int run(const char *condition, const std::function<void()> &prepare) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("GPUOPT_CACHE_DIR", (directory_ + "/cache").c_str(), 1);
      const rlimit limit{kDeadline, kDeadline}, core{0, 0};
      setrlimit(RLIMIT_CPU, &limit);
      setrlimit(RLIMIT_CORE, &core);
      const int out = open((directory_ + "/out").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
      dup2(out, 1);
      dup2(out, 2);
      close(out);
      prepare();
      execl(BROAD_PROGRAM, BROAD_PROGRAM, directory_.c_str(), condition, nullptr);
      _exit(126);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  std::string output() const {
    std::ifstream file(directory_ + "/out");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Whether a call was refused, with a sentence, or everything was right.
  bool ends_well(int status) const {
    const std::string said = output();
    const size_t refused = said.find("refused: GPUOPT_ERR_");
    return (status == 0 && said.find("right\n") != std::string::npos) ||
           (status == 1 && refused != std::string::npos && said.find('\n', refused) > refused + 30);
  }
  static void limit(int what, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(static_cast<__rlimit_resource>(what), &both);
  }

  // Only a build without a compiler is refused what it asks for last.
#if defined(GPUOPT_TEST_HAS_JIT)
  const int usual_ = 0;
#else
  const int usual_ = 1;
#endif
  std::string directory_;
};

TEST_F(Process, Ordinary) {
  EXPECT_EQ(run("", [] {}), usual_) << output();
}

// What is opened then takes the numbers of standard files.
TEST_F(Process, WithoutStandardFiles) {
  for (int closed = 1; closed < 8; closed++) {
    for (const char *log : {"off", "debug"}) {
      const auto prepare = [closed, log] {
        setenv("GPUOPT_LOG", log, 1);
        for (int k = 0; k < 3; k++)
          if (closed >> k & 1) close(k);
      };
      EXPECT_EQ(run("", prepare), usual_) << "closed: " << closed << ", log " << log;
    }
  }
}

TEST_F(Process, WithoutThreads) {
  EXPECT_EQ(run("no_threads", [] { setenv("GPUOPT_NUM_THREADS", "8", 1); }), usual_) << output();
  EXPECT_EQ(run("no_threads", [] { setenv("GPUOPT_CPU_TIER_UP", "on", 1); }), usual_) << output();
}

TEST_F(Process, WithSignalsAllTheTime) {
  for (const char *isolation : {"process", "off"}) {
    EXPECT_EQ(run("signals", [=] { setenv("GPUOPT_JIT_ISOLATION", isolation, 1); }), usual_) << isolation << output();
  }
}

TEST_F(Process, OnASmallStack) {
  EXPECT_EQ(run("small_stack", [] {}), usual_) << output();
}

TEST_F(Process, WithoutAFileSystem) {
  const int status = run("new_root", [] {});
  if (status == 77) GTEST_SKIP() << "not permitted: chroot";
  EXPECT_TRUE(ends_well(status)) << status << output();
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
NOT_HERE(ProcessLimits, "the sanitizers need terabytes of addresses, and descriptors to look at objects with")
#else
TEST_F(Process, WithLittleMemory) {
  for (rlim_t mib = 16; mib <= 4096; mib += mib < 128 ? 8 : mib / 2) {
    const int status = run("", [mib] { limit(RLIMIT_AS, mib << 20); });
    // Too little for the dynamic linker, which ends the program before main.
    if (status == 127 || status == 126) continue;
    EXPECT_TRUE(ends_well(status)) << mib << " MiB, status " << status << ": " << output();
  }
}

TEST_F(Process, WithFewFiles) {
  for (rlim_t files = 3; files <= 24; files += files < 12 ? 1 : 4) {
    const int status = run("", [files] { limit(RLIMIT_NOFILE, files); });
    if (status == 127 || status == 126) continue;  // the dynamic linker's
    EXPECT_TRUE(ends_well(status)) << files << " files, status " << status << ": " << output();
  }
}
#endif

TEST_F(Process, WithoutRoomForFiles) {
  const int status = run("", [] {
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, 64);
  });
  EXPECT_EQ(status, 1);
}

// The name of the program and its directory are gone, and there is no environment.
TEST_F(Process, InADirectoryThatIsGone) {
  const auto prepare = [this] {
    const std::string gone = directory_ + "/gone";
    std::filesystem::create_directory(gone);
    if (chdir(gone.c_str()) == 0) std::filesystem::remove(gone);
    clearenv();
  };
  EXPECT_EQ(run("", prepare), usual_) << output();
}

}  // namespace

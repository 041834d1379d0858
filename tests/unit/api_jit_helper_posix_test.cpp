// tests/unit/api_jit_helper_posix_test.cpp -- the compiler in a process of its own: whatever becomes of it there is an
// error of one kernel, and nothing else of the program.
// POSIX only: the compiler is not built for Windows.
#include <gpuopt_test_paths.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/jit_process.h"

namespace {

namespace gp = gpuopt;
namespace fs = std::filesystem;
using gp::test::compiler_is_here;
using gp::test::contents_of;
using gp::test::helper_sockets;
using gp::test::Outcome;

const std::string kBuilt = std::string(GPUOPT_BUILT_PLUGINS) + "/jit/";
const char *const kLibrary = "libgpuopt_jit.so", *const kHelper = "gpuopt-jit-helper";

// Takes the compiler for ever, and little memory at first.
const char *const kEndless = R"(template <int n, class T> struct Left {};
template <int n, class T> struct Tree { Tree<n - 1, Left<0, T>> a; Tree<n - 1, Left<1, T>> b; };
template <class T> struct Tree<0, T> {};
Tree<60, int> tree;
)";

// Fills x with `value`, which makes each its own kernel; `before` comes before it in the text.
bool fills(int value, const std::string &before = "") {
  const std::string name = "fill_" + std::to_string(value);
  const gp::with_device scope("cpu");
  const gp::array x = gp::zeros({64}, gp::int32);
  const gp::raw_kernel fill(
      before + "extern \"C\" __global__ void " + name + "(int *x) { x[threadIdx.x] = " + std::to_string(value) + "; }",
      name.c_str());
  fill(1, 64, x);
  return x.to_vector<int>() == std::vector<int>(64, value);
}

// The message with which that fails as a kernel that does not compile, or what happened instead.
std::string refusal(const std::string &before) {
  try {
    return fills(0, before) ? "it compiles" : "it compiles, and is wrong";
  } catch (const gp::error &e) {
    const std::string said = e.what();
    if (e.code() != GPUOPT_ERR_COMPILE) return "not ERR_COMPILE: " + said;
    return said.rfind("fill_0: ", 0) == 0 ? said : "without the kernel's name: " + said;
  }
}

bool has(const std::string &text, const std::string &words) {
  if (text.find(words) != std::string::npos) return true;
  std::fprintf(stderr, "no \"%s\" in: %s\n", words.c_str(), text.c_str());
  return false;
}

// Until it holds, or for minutes, which is for ever.
template <class Condition>
bool comes(Condition condition) {
  for (int k = 0; k < 60000; k++) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

class Helper : public gp::test::JitProcess {
 protected:
  Helper() {
    fs::create_directories(tools_);
    fs::create_symlink(kBuilt + kLibrary, library_);
    fs::create_symlink(kBuilt + kHelper, tools_ / kHelper);
  }
  // Helpers are known by the path of their library, which is this test's own.
  Outcome in_process(const std::function<bool()> &body, const std::string &isolation = "process",
                     const std::string &timeout = "") {
    return JitProcess::in_process({{"GPUOPT_JIT", library_},
                                   {"GPUOPT_JIT_ISOLATION", isolation},
                                   {"GPUOPT_JIT_TIMEOUT", timeout},
                                   {"GPUOPT_LOG", "off"}},
                                  body);
  }
  std::vector<pid_t> helpers() const {
    std::vector<pid_t> found;
    for (const auto &entry : fs::directory_iterator("/proc")) {
      const std::string command = contents_of(entry.path() / "cmdline"), name = entry.path().filename();
      const size_t end = command.find('\0');
      if (end != std::string::npos && command.compare(end + 1, library_.size() + 1, library_ + '\0') == 0)
        found.push_back(std::stoi(name));
    }
    return found;
  }
  pid_t only_helper() const {
    const std::vector<pid_t> all = helpers();
    return all.size() == 1 ? all[0] : -1;
  }
  bool gone() const {
    return comes([&] { return helpers().empty(); });
  }
  void replace_helper(const std::string &target) {
    fs::remove(tools_ / kHelper);
    if (!target.empty()) fs::create_symlink(target, tools_ / kHelper);
  }
  size_t cached() const {
    size_t count = 0;
    for (const auto &entry : fs::recursive_directory_iterator(cache_))
      count += entry.is_regular_file() && !entry.is_symlink() && entry.file_size() > 0;
    return count;
  }

  const fs::path tools_ = cache_ / "tools";
  const std::string library_ = tools_ / kLibrary;
};

TEST_F(Helper, IsNoChildAndEndsWithTheProgram) {
  const Outcome outcome = in_process([&] {
    const bool right = fills(1) && fills(2) && !compiler_is_here() && helper_sockets() == 1 && helpers().size() == 1;
    return right && waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
  EXPECT_EQ(cached(), 2u);
  EXPECT_TRUE(gone());
}

std::string repeated(const char *what) {
  std::string all;
  for (int k = 0; k < 400000; k++) all += what;
  return all;
}

// Clang's own ways to try this, and expressions that are too deep for its stack.
TEST_F(Helper, ACrashIsAnError) {
  const struct {
    std::string text, words;
  } kCases[] = {{"#pragma clang __debug crash\n", "the compiler crashed (SIG"},
                {"#pragma clang __debug parser_crash\n", "the compiler crashed (SIG"},
                {"int sum = " + repeated("0+") + "0;\n", "the compiler crashed (SIGSEGV)"},
                {"#pragma clang __debug llvm_fatal_error\n", "the compiler failed: "},
                {"int deep = " + repeated("~") + "0;\n", "the compiler crashed (SIGSEGV)"}};
  const Outcome outcome = in_process([&] {
    bool right = fills(1);
    for (int k = 0; k < 5; k++) right &= has(refusal(kCases[k].text), kCases[k].words) && gone() && fills(10 + k);
    return right && helper_sockets() == 1;
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
  EXPECT_EQ(cached(), 6u) << "and of those that crashed nothing is kept";
}

TEST_F(Helper, ACompilationThatTakesTooLongIsStopped) {
  for (const char *isolation : {"", "off"}) {
    const Outcome outcome =
        in_process([&] { return has(refusal(kEndless), "after 1 seconds (GPUOPT_JIT_TIMEOUT)") && gone() && fills(1); },
                   isolation, "1");
    EXPECT_TRUE(outcome.right) << isolation << outcome.message;
  }
}

std::string &told() {
  static auto *const lines = new std::string;
  return *lines;
}

TEST_F(Helper, WhoWaitsForLongIsTold) {
  for (const char *isolation : {"", "off"}) {
    const Outcome outcome = in_process(
        [&] {
          gpuopt_log_set_callback(
              [](const gpuopt_log_record *record, void *) {
                if (std::string(record->event) == "cpu.jit_slow") told() += std::string(record->line) + "\n";
              },
              nullptr);
          setenv("GPUOPT_LOG", "info", 1);
          if (!fills(1) || !told().empty()) return false;
          refusal(kEndless);
          return has(told(), "has been compiled for 1 seconds; it is stopped after 3") && has(told(), "2 seconds");
        },
        isolation, "3");
    EXPECT_TRUE(outcome.right) << isolation << outcome.message;
  }
}

// Takes long in LLVM: what is computed from one line to the next is kept in registers.
std::string long_text(int lines) {
  std::string text = "extern \"C\" __global__ void long_one(double *x) {\ndouble a = x[0], b = x[1];\n";
  for (int k = 0; k < lines; k++)
    text += "for (int i = 0; i < " + std::to_string(k) + "; i++) if (a < b) a = a * b + x[i]; else b -= a / x[i];\n";
  return text + "x[threadIdx.x] = a + b;\n}\n";
}

// What a kernel with this before it comes to while `others` do something again and again.
int status_beside(const std::string &before, const std::function<void()> &others) {
  std::atomic<bool> done{false};
  int status = GPUOPT_OK;
  std::thread compiles([&] {
    try {
      fills(0, before);
    } catch (const gp::error &e) {
      status = e.code();
    }
    done = true;
  });
  while (!done) {
    others();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  compiles.join();
  return status;
}

TEST_F(Helper, ACompilationIsCancelledByAnotherThread) {
  for (const char *isolation : {"", "off"}) {
    for (const std::string &text : {std::string(kEndless), long_text(20000)}) {
      const Outcome outcome = in_process(
          [&] {
            return fills(1) && status_beside(text, gp::cancel_compilations) == GPUOPT_ERR_CANCELLED && fills(2) &&
                   (*isolation || comes([&] { return helpers().size() == 1; }));
          },
          isolation, "0");
      EXPECT_TRUE(outcome.right) << isolation << outcome.message;
      EXPECT_TRUE(gone());
      fs::remove_all(cache_ / "kernels");
    }
  }
}

// One of them compiles, and the other waits for what comes of it.
TEST_F(Helper, AllWhoWaitForACompilationAreCancelled) {
  for (const char *isolation : {"", "off"}) {
    const Outcome outcome = in_process(
        [&] {
          const gp::with_device scope("cpu");
          const gp::array x = gp::zeros({64}, gp::int32);
          const gp::raw_kernel endless(std::string(kEndless) + "extern \"C\" __global__ void k(int *x) {}", "k");
          std::atomic<int> cancelled{0}, done{0};
          std::vector<std::thread> threads;
          for (int t = 0; t < 3; t++) {
            threads.emplace_back([&] {
              try {
                endless(1, 64, x);
              } catch (const gp::error &e) {
                cancelled += e.code() == GPUOPT_ERR_CANCELLED;
              }
              done++;
            });
          }
          while (done < 3) {
            gp::cancel_compilations();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          for (std::thread &thread : threads) thread.join();
          return cancelled == 3;
        },
        isolation, "0");
    EXPECT_TRUE(outcome.right) << isolation << outcome.message;
  }
}

TEST_F(Helper, ACompilationIsCancelledByTheLogsCallback) {
  for (const char *isolation : {"", "off"}) {
    const Outcome outcome = in_process(
        [&] {
          gpuopt_log_set_callback(
              [](const gpuopt_log_record *record, void *) {
                if (std::string(record->event) == "cpu.jit_slow") gpuopt_cancel_compilations();
              },
              nullptr);
          setenv("GPUOPT_LOG", "info", 1);
          const int status = status_beside(kEndless, [] {});
          gpuopt_cancel_compilations();  // nothing is under way: what comes is not meant
          return status == GPUOPT_ERR_CANCELLED && fills(1);
        },
        isolation, "0");
    EXPECT_TRUE(outcome.right) << isolation << outcome.message;
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kReserves = true;  // memory, more than any limit
#else
constexpr bool kReserves = false;
#endif

// An array that the compiler keeps element by element.
TEST_F(Helper, ACompilationThatTakesAllMemoryIsAnError) {
  if (kReserves) GTEST_SKIP() << "a sanitizer reserves more memory than the helper may have";
  const std::string wants_much = "static const int many[1 << 28] = {[0 ... (1 << 28) - 1] = 1};\n";
  const Outcome outcome = in_process([&] {
    if (!fills(1) ||
        !has(contents_of("/proc/" + std::to_string(only_helper()) + "/limits"), "Max data size             4294967296"))
      return false;
    kill(only_helper(), SIGKILL);
    const rlimit little{rlim_t{300} << 20, RLIM_INFINITY};
    if (!gone() || setrlimit(RLIMIT_DATA, &little) != 0) return false;
    return fills(2) && has(refusal(wants_much), "the compiler ") && fills(3);
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
  EXPECT_EQ(cached(), 3u);
}

TEST_F(Helper, AProcessThatIsHeldIsGivenUp) {
  const Outcome outcome = in_process(
      [&] {
        if (!fills(1)) return false;
        const pid_t held = only_helper();
        kill(held, SIGSTOP);
        const bool right = has(refusal(""), "after 1 seconds") && fills(2);
        kill(held, SIGKILL);
        return right;
      },
      "", "1");
  EXPECT_TRUE(outcome.right) << outcome.message;
}

uint64_t processor_time(pid_t process) {
  const std::string stat = contents_of("/proc/" + std::to_string(process) + "/stat");
  unsigned long ticks = 0;
  const size_t end = stat.rfind(')');
  if (end != std::string::npos)
    std::sscanf(stat.c_str() + end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &ticks);
  return ticks;
}

TEST_F(Helper, IsKilled) {
  const Outcome outcome = in_process([&] {
    if (!fills(1)) return false;
    const pid_t busy = only_helper();
    const uint64_t before = processor_time(busy);
    std::string said;
    std::thread compiles([&] { said = refusal(kEndless); });
    const bool begun = comes([&] { return processor_time(busy) > before + 20; });
    kill(busy, SIGKILL);
    compiles.join();
    if (!begun || !has(said, "short of memory") || !fills(2)) return false;
    kill(only_helper(), SIGKILL);  // while nobody asks it for anything
    return gone() && fills(3);
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
  EXPECT_EQ(cached(), 3u);
}

// The system sends SIGIO when the socket is closed, and also when it has room again after it was full.
TEST_F(Helper, DoesNotEndByASignalWhileTheProgramWaits) {
  const Outcome outcome = in_process([&] {
    if (!fills(1)) return false;
    const pid_t busy = only_helper();
    int signals = 0, status = GPUOPT_OK;
    // The text grows until its compilation takes long enough for a signal, on whatever processor.
    for (int lines = 1000; signals == 0 && status == GPUOPT_OK && lines <= 64000; lines *= 2) {
      const uint64_t before = processor_time(busy);
      status = status_beside(long_text(lines), [&] {
        if (processor_time(busy) > before + 2) signals += kill(busy, SIGIO) == 0;
      });
    }
    return signals > 0 && status == GPUOPT_OK && only_helper() == busy;
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
}

TEST_F(Helper, EndsWithTheProgramEvenInTheMiddle) {
  const pid_t program = fork();
  if (program == 0) {
    setenv("GPUOPT_JIT", library_.c_str(), 1);
    setenv("GPUOPT_CACHE_DIR", cache_.c_str(), 1);
    signal(SIGIO, SIG_IGN);  // of which the helper has nothing
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    _exit(refusal(kEndless).empty());
  }
  EXPECT_TRUE(comes([&] { return only_helper() > 0 && processor_time(only_helper()) > 20; }));
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(gone());
}

TEST_F(Helper, AChildOfForkHasItsOwn) {
  const Outcome outcome = in_process([&] {
    if (!fills(1)) return false;
    const pid_t own = only_helper();
    const pid_t child = fork();
    if (child == 0) {
      const bool closed = helper_sockets() == 0, right = fills(2);
      _exit(closed && right && helper_sockets() == 1 && helpers().size() == 2 ? 0 : 1);
    }
    const bool right = fills(3);
    int status = -1;
    waitpid(child, &status, 0);
    return right && status == 0 && fills(4) && comes([&] { return only_helper() == own; });
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
}

// With several threads, the child of a fork finds the allocators of GCC 12's sanitizers locked.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kForks = 0;
#else
constexpr int kForks = 4;
#endif

int status_of_child(int value) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(fills(value) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// Some of which crash it, while others fork.
TEST_F(Helper, ServesManyThreads) {
  const Outcome outcome = in_process([] {
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++) {
      threads.emplace_back([t, &right] {
        for (int k = 0; k < 4; k++) {
          if (t == 3) right += has(refusal("#pragma clang __debug crash\n"), "crashed");
          if (t == 5 && k < kForks) {
            right += status_of_child(1000 + k) == 0;
          }
          right += fills(100 * t + k);
        }
      });
    }
    for (std::thread &thread : threads) thread.join();
    return right == 8 * 4 + 4 + kForks && helper_sockets() <= 4;
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
  EXPECT_TRUE(gone());
}

std::atomic<int> g_children{0};

TEST_F(Helper, LeavesFilesAndSignalsAlone) {
  const Outcome outcome = in_process([&] {
    setpgid(0, 0);
    rlimit core{};
    getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = core.rlim_max;
    setrlimit(RLIMIT_CORE, &core);
    int ends[2];  // without O_CLOEXEC: what is started inherits it
    if (pipe(ends) != 0 || !fills(1)) return false;
    std::set<std::string> files;
    for (const auto &entry : fs::directory_iterator("/proc/" + std::to_string(only_helper()) + "/fd"))
      files.insert(entry.path().filename());
    const std::string input = fs::read_symlink("/proc/" + std::to_string(only_helper()) + "/fd/0");
    if (files != std::set<std::string>{"0", "1", "2"} || input.rfind("socket:", 0) != 0) return false;
    const std::string self = "/proc/" + std::to_string(only_helper());
    if (contents_of(self + "/oom_score_adj") != "500\n" ||
        contents_of(self + "/limits").find("Max core file size        0 ") == std::string::npos)
      return false;
    const pid_t same = only_helper();
    signal(SIGINT, SIG_IGN);
    kill(0, SIGINT);  // as from a terminal
    if (!fills(3) || only_helper() != same) return false;
    struct sigaction count {};
    count.sa_handler = [](int) { g_children++; };
    sigaction(SIGCHLD, &count, nullptr);
    const bool crashed = has(refusal("#pragma clang __debug crash\n"), "crashed");
    return crashed && gone() && g_children == 0 && fills(2);
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
}

TEST_F(Helper, WorksWithoutStandardFiles) {
  const Outcome outcome = in_process([&] {
    for (const int fd : {0, 1, 2}) close(fd);
    return fills(1) && fills(2) && helper_sockets() == 1;  // which is beyond them
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
}

std::string g_said;

// Where there can be none the compiler works in this process, and one line says why: a warning to those who ask for it.
TEST_F(Helper, MayBeMissing) {
  const std::string no_program = cache_ / "no_program";
  std::ofstream(no_program) << "";
  for (const std::string &helper : {std::string(), std::string("/bin/true"), no_program}) {
    replace_helper(helper);
    for (const std::string isolation : {"", "process"}) {
      fs::remove_all(cache_ / "kernels");
      const Outcome outcome = in_process(
          [&] {
            setenv("GPUOPT_LOG", "info", 1);
            setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1);
            gpuopt_log_set_callback(
                [](const gpuopt_log_record *record, void *) {
                  if (!std::strcmp(record->event, "cpu.jit_isolation"))
                    g_said += std::to_string(record->level) + record->detail;
                },
                nullptr);
            const bool right = fills(1) && fills(2) && compiler_is_here() && helper_sockets() == 0;
            const char *const level = isolation.empty() ? "3" : "2";  // information, a warning
            return right && g_said.rfind(std::string(level) + "kernels are compiled in this process", 0) == 0 &&
                   has(g_said, kHelper) && g_said.find("kernels", 10) == std::string::npos;
          },
          isolation);
      EXPECT_TRUE(outcome.right) << helper << " " << isolation << " " << outcome.message;
    }
  }
}

TEST_F(Helper, IsNotUsedIfSwitchedOff) {
  const Outcome outcome = in_process(
      [&] {
        const bool right = fills(1) && compiler_is_here() && helper_sockets() == 0 && helpers().empty();
        return right && has(refusal("#pragma clang __debug llvm_fatal_error\n"), "the compiler failed: ");
      },
      "off");
  EXPECT_TRUE(outcome.right) << outcome.message;
}

// Field `number` of a thread's "stat", from the third one on (proc(5)); -1 if the thread is gone.
int stat_field(const fs::path &task, int number) {
  const std::string text = contents_of(task / "stat");
  std::istringstream fields(text.substr(std::min(text.rfind(')'), text.size() - 1) + 1));
  std::string field = "-1";
  for (int k = 3; k <= number && fields >> field;) k++;
  return fields ? std::stoi(field) : -1;
}
constexpr int kNice = 19, kPolicy = 41;

// Runs a program of this many operations until it has been enough work to be compiled.
void make_hot(int operations) {
  const gp::with_device scope("cpu");
  const gp::array x = gp::arange(40000, gp::float64) * 5e-3 - 50.0;
  for (int run = 0; run < 100; run++) {
    gp::array y = gp::erf(x);
    for (int k = 0; k < operations; k++) y = y * gp::erfc(x) + x;
    y.eval();
  }
}

// The compiler takes only idle time for a program that is hot, and its full share for a kernel that is waited for.
TEST_F(Helper, WorksInTheBackgroundUnlessItIsWaitedFor) {
  const Outcome outcome = in_process([&] {
    setenv("GPUOPT_CPU_TIER_UP", "on", 1);
    const auto is_idle = [&] {
      for (const pid_t helper : helpers()) {
        std::error_code gone;
        for (const auto &task : fs::directory_iterator("/proc/" + std::to_string(helper) + "/task", gone))
          if (stat_field(task.path(), kPolicy) == SCHED_IDLE) return true;
      }
      return false;
    };
    bool seen = false;
    for (int operations = 1; operations < 60 && !seen; operations++) {  // each is another program
      make_hot(operations);
      for (int k = 0; k < 200 && !(seen = is_idle()); k++) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!seen || !fills(1)) return false;
    const fs::path self = "/proc/self";
    for (const pid_t helper : helpers()) {  // its main thread compiles kernels
      const fs::path main = "/proc/" + std::to_string(helper);
      if (stat_field(main, kPolicy) != SCHED_OTHER || stat_field(main, kNice) != stat_field(self, kNice)) return false;
    }
    return true;
  });
  EXPECT_TRUE(outcome.right) << outcome.message;
}

// What the library lacks the helper says, as this process would.
TEST_F(Helper, SaysThatALibraryWillNotDo) {
  fs::remove(library_);
  std::ofstream(library_) << "no library";
  const Outcome outcome = in_process([] { return fills(1); });
  EXPECT_UNAVAILABLE(outcome, "cannot be loaded");
}

}  // namespace

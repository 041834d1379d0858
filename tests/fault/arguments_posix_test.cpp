// tests/fault/arguments_posix_test.cpp -- every public function with NULL, 0 and nonsense in each argument: it answers
// with a status, a message and no result, and does not crash, hang or end the process. The calls are written by
// make_arguments.py from the headers; argument_values.h has the values.
//
// POSIX only: each function is called in a process of its own, which signals and limits may end
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/fault/argument_values.h"

namespace fault {
namespace {

constexpr int kSeconds = 30;  // for one call, on a machine that is busy with others

// What the process that calls tells its parent, which outlives it.
struct Shared {
  int next;         // the number of the call that is being made, or of the first that was not
  int calls;        // made by all processes
  char wrong[600];  // what was found first
  char arguments[400];
};

// One call, described by which value each argument takes.
class Call {
 public:
  // Call number `number` of a function: 0 is the right values, then each argument alone takes each of its others, then
  // all arguments together take random ones.
  Call(int number, Shared &shared) : number_(number), shared_(shared) {}

  template <class T>
  T pick(const char *name) {
    std::vector<T> all = values<T>(name);
    if (all.empty()) std::abort();
    if constexpr (std::is_same_v<T, int32_t>) {
      if (counts_memory_) std::erase_if(all, [](int32_t count) { return count > 64; });  // there is not so much behind
    }
    const size_t k = choice(all.size());
    text_ += std::string(text_.empty() ? "" : ", ") + name + "[" + std::to_string(k) + "]";
    const T value = all[k];
    if constexpr (std::is_pointer_v<T>) {
      if constexpr (is_handle<T>) missing_ |= !value;
      if constexpr (std::is_same_v<T, gpuopt_error *>) error_ = value;
      if constexpr (std::is_same_v<T, gpuopt_array *>) result_ = value;
    }
    arguments_++;
    return value;
  }

  // Whether there is such a call; it is made then.
  bool wanted() {
    if (past_end()) return false;
    std::snprintf(shared_.arguments, sizeof shared_.arguments, "%s", text_.c_str());
    if (error_) {
      const uint32_t size = error_->struct_size;
      if (size > 16 && size < 4096) std::memset(error_->message, 'x', std::min<size_t>(size, sizeof *error_) - 16);
    }
    const itimerval limit{{0, 0}, {kSeconds, 0}};
    setitimer(ITIMER_REAL, &limit, nullptr);
    made_ = true;
    return true;
  }
  bool made() const { return made_; }

  void returned() { finish(); }
  template <class T>
  void returned(T result) {
    if constexpr (std::is_pointer_v<T>) {
      if (missing_ && result) wrong("a handle is NULL, and the result is not");
    } else if (status_expected_) {
      check_status(static_cast<gpuopt_status>(result));
    } else if (missing_ && result) {
      wrong("a handle is NULL, and the result is not 0");
    }
    finish();
  }
  void expect_status(bool expected) { status_expected_ = expected; }
  // A count says how many numbers or places for results are there, however many that may be.
  void counts_memory(bool counts) { counts_memory_ = counts; }
  void may_give_nothing() { may_give_nothing_ = true; }

 private:
  template <class T>
  static constexpr bool is_handle =
      std::is_same_v<T, gpuopt_array> || std::is_same_v<T, gpuopt_kernel> || std::is_same_v<T, gpuopt_device> ||
      std::is_same_v<T, gpuopt_stream> || std::is_same_v<T, gpuopt_npz> || std::is_same_v<T, gpuopt_cfunc> ||
      std::is_same_v<T, gpuopt_texture>;

  size_t choice(size_t count) {
    if (number_ < 0) return std::uniform_int_distribution<size_t>(0, count - 1)(random_);
    const int first = before_ + 1, others = static_cast<int>(count) - 1;
    before_ += others;
    return number_ >= first && number_ < first + others ? static_cast<size_t>(number_ - first + 1) : 0;
  }
  bool past_end() const { return number_ > before_; }

  void wrong(const char *what) {
    if (!shared_.wrong[0]) std::snprintf(shared_.wrong, sizeof shared_.wrong, "%s (%s)", what, text_.c_str());
  }
  void check_status(gpuopt_status status) {
    if (status < 0 || status >= GPUOPT_STATUS_COUNT) return wrong("the status is none");
    if (status == GPUOPT_ERR_INTERNAL) return wrong("an internal error");
    if (status != GPUOPT_OK && result_ && *result_) return wrong("the call failed, and gave a result");
    if (status != GPUOPT_OK && error_ && error_->struct_size == sizeof *error_) {
      if (error_->code != status) return wrong("the error has another code than the status");
      if (!error_->message[0]) return wrong("the error has no message");
      if (!std::memchr(error_->message, 0, sizeof error_->message)) return wrong("the message does not end");
    }
    if (status == GPUOPT_OK && result_) look_at(*result_);
  }
  // What was given is an array like any other: it is computed, unless it is too large for that.
  void look_at(gpuopt_array x) {
    if (!x && may_give_nothing_) return;
    if (!x) return wrong("the call succeeded without a result");
    if (gpuopt_array_is_weak(x) || gpuopt_array_size(x) > 100000) return;
    (void)!gpuopt_eval(1, &x, nullptr);
    char *text = nullptr;
    if (gpuopt_array_to_string(x, nullptr, &text, nullptr) == GPUOPT_OK) gpuopt_string_free(text);
  }
  void finish() {
    const itimerval none{};
    setitimer(ITIMER_REAL, &none, nullptr);
    shared_.calls++;
    Room::get().clear();
  }

 public:
  // Random values: of the numbers below 0, each is a seed.
  void seed() { random_.seed(static_cast<unsigned>(-number_)); }

 private:
  int number_, before_ = 0, arguments_ = 0;
  Shared &shared_;
  std::string text_;
  bool missing_ = false, made_ = false, status_expected_ = true, counts_memory_ = false;
  bool may_give_nothing_ = false;
  gpuopt_error *error_ = nullptr;
  gpuopt_array *result_ = nullptr;
  std::mt19937 random_{1};
};

struct Function {
  const char *name;
  void (*call)(Call &);
  bool gives_status;
};

// A status that is not looked at is a warning, and here all are.
#include "arguments.inc"

// Memory that a call asks for in vain, and files, are limited.
void limit_process() {
  const rlimit file{rlim_t{64} << 20, rlim_t{64} << 20}, core{0, 0};
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose shadow takes more addresses than that
  const rlimit memory{rlim_t{8} << 30, rlim_t{8} << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
  setrlimit(RLIMIT_FSIZE, &file);
  setrlimit(RLIMIT_CORE, &core);
  signal(SIGXFSZ, SIG_IGN);
}

// Calls from shared.next on, up to `last` random ones.
[[noreturn]] void make_calls(const Function &function, const std::string &directory, Shared &shared, int random) {
  limit_process();
  try {
    Things::get().make(directory);
  } catch (const std::string &what) {
    std::snprintf(shared.wrong, sizeof shared.wrong, "what calls need could not be made: %s", what.c_str());
    _exit(0);
  }
  bool more = true;
  for (; shared.next >= 0 && more; shared.next++) {
    Call call(shared.next, shared);
    call.expect_status(function.gives_status);
    call.counts_memory(std::strstr(function.name, "create_array") || std::strstr(function.name, "raw_module"));
    function.call(call);
    more = call.made();
  }
  if (shared.next >= 0) shared.next = -1;
  for (; shared.next >= -random; shared.next--) {
    Call call(shared.next, shared);
    call.seed();
    call.expect_status(function.gives_status);
    call.counts_memory(std::strstr(function.name, "create_array") || std::strstr(function.name, "raw_module"));
    function.call(call);
  }
  _exit(0);
}

// Random calls would be lies about how much memory is where; and what is released is gone for the next call.
bool takes_once(const std::string &name) {
  for (const char *part : {"_release", "_close", "string_free"})
    if (name.find(part) != std::string::npos) return true;
  for (const char *part :
       {"from_host", "array_from", "to_host", "from_dlpack", "_global", "kernel_launch", "raw_module", "create_array"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

class Arguments : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuopt_arguments_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    shared_ =
        static_cast<Shared *>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  }
  void TearDown() override {
    munmap(shared_, sizeof(Shared));
    std::filesystem::remove_all(directory_);
  }

  void try_function(const Function &function, int random) {
    std::memset(shared_, 0, sizeof *shared_);
    if (takes_once(function.name)) random = 0;
    for (int deaths = 0; deaths < 20; deaths++) {
      const pid_t child = fork();
      if (child == 0) {
        if (chdir(directory_.c_str()) != 0) _exit(9);
        make_calls(function, directory_, *shared_, random);
      }
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_STREQ(shared_->wrong, "") << function.name;
      shared_->wrong[0] = '\0';
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
      ADD_FAILURE() << function.name << "(" << shared_->arguments << ") "
                    << (WIFSIGNALED(status) ? "ended by signal " : "ended the process with ")
                    << (WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      shared_->next += shared_->next < 0 ? -1 : 1;
    }
    calls_ += shared_->calls;
  }

  std::string directory_;
  Shared *shared_ = nullptr;
  long calls_ = 0;
};

// GPUOPT_TEST_FAULTS: how many random calls of each function, instead of the gate's; GPUOPT_TEST_FUNCTION: only those
// with this in their names.
TEST_F(Arguments, NoneIsTooMuchForAnyFunction) {
  const char *const given = std::getenv("GPUOPT_TEST_FAULTS"), *const part = std::getenv("GPUOPT_TEST_FUNCTION");
  const int random = given ? std::atoi(given) : 10;
  int functions_tried = 0;
  for (const Function &function : functions) {
    if (part && !std::strstr(function.name, part)) continue;
    try_function(function, random);
    functions_tried++;
  }
  EXPECT_GE(calls_, functions_tried * 2L);
  std::printf("%d functions, %ld calls\n", functions_tried, calls_);
  RecordProperty("functions", functions_tried);
  RecordProperty("calls", static_cast<int>(calls_));
}

}  // namespace
}  // namespace fault

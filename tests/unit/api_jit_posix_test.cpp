// tests/unit/api_jit_posix_test.cpp -- where code of user kernels on the CPU comes from: the compiler, the cache, or
// nowhere. Each case is a process of its own, for the compiler is looked for once.
// POSIX only: fork, and the compiler is not built for Windows
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <iterator>
#include <string>

#include "tests/set_variable.h"

namespace {

namespace gp = gpuopt;
namespace fs = std::filesystem;

struct Outcome {
  int status = -1;  // of the call
  bool right = false, compiler_loaded = false;
  char message[400] = "";
};

Outcome run_kernel(const char *operation) {
  Outcome outcome;
  try {
    const gp::with_device scope("cpu");
    const gp::array x = gp::arange(1000, gp::float64);
    const gp::array y = gp::elementwise_kernel("T x", "T y", operation, "tested")(x);
    outcome.right = gp::all(y == x * 2 + 1).item<bool>();
    outcome.status = GPUOPT_OK;
  } catch (const gp::error &e) {
    outcome.status = e.code();
    std::string(e.what()).copy(outcome.message, sizeof outcome.message - 1);
  }
  std::ifstream maps("/proc/self/maps");
  const std::string all{std::istreambuf_iterator<char>(maps), {}};
  outcome.compiler_loaded = all.find("libgpuopt_jit.so") != std::string::npos;
  return outcome;
}

class Jit : public testing::Test {
 protected:
  Jit() {
    fs::create_directories(cache_);
    chmod(cache_.c_str(), 0700);
  }
  ~Jit() override { fs::remove_all(cache_); }

  using Variables = std::initializer_list<std::pair<const char *, std::string>>;
  // In a new process, with these variables set and the test's own cache.
  Outcome in_process(
      const Variables &variables, const char *operation = "y = x * 2 + 1",
      const std::function<void()> &before = [] {}) {
    int ends[2];
    if (pipe(ends) != 0) return {};
    const pid_t child = fork();
    if (child == 0) {
      setenv("GPUOPT_CACHE_DIR", cache_.c_str(), 1);
      for (const auto &[name, value] : variables) setenv(name, value.c_str(), 1);
      before();
      const Outcome outcome = run_kernel(operation);
      _exit(write(ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
    }
    close(ends[1]);
    Outcome outcome;
    const bool told = read(ends[0], &outcome, sizeof outcome) == sizeof outcome;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(told && WIFEXITED(status)) << "it died: " << status;
    return outcome;
  }
  const fs::path cache_ = fs::temp_directory_path() / ("gpuopt_jit_" + std::to_string(getpid()));
  const std::string nowhere_ = "/nonexistent/libgpuopt_jit.so";
};

#define EXPECT_UNAVAILABLE(outcome, word)                                       \
  EXPECT_EQ((outcome).status, GPUOPT_ERR_JIT_UNAVAILABLE) << (outcome).message; \
  EXPECT_NE(std::string((outcome).message).find(word), std::string::npos) << (outcome).message

TEST_F(Jit, TheSecondProcessDoesNotLoadTheCompiler) {
  const Outcome first = in_process({}), second = in_process({}), other = in_process({}, "y = 1 + 2 * x");
  EXPECT_TRUE(first.right) << first.message;
  EXPECT_TRUE(first.compiler_loaded);
  EXPECT_TRUE(second.right) << second.message;
  EXPECT_FALSE(second.compiler_loaded);
  EXPECT_TRUE(other.right && other.compiler_loaded) << other.message;
}

TEST_F(Jit, WithoutACompilerTheCacheWillDo) {
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT", nowhere_}}), nowhere_);
  in_process({});
  const Outcome kept = in_process({{"GPUOPT_JIT", nowhere_}});
  EXPECT_TRUE(kept.right) << kept.message;
}

TEST_F(Jit, Policy) {
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT_POLICY", "cache_only"}}), "cache_only");
  EXPECT_TRUE(in_process({{"GPUOPT_JIT_POLICY", "on"}}).right);
  EXPECT_TRUE(in_process({{"GPUOPT_JIT_POLICY", "cache_only"}}).right);
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT_POLICY", "off"}}), "off");
  EXPECT_TRUE(in_process({{"GPUOPT_JIT_POLICY", "sometimes"}}).right) << "it is warned of and means on";
}

TEST_F(Jit, ADamagedCacheIsCompiledAnew) {
  in_process({});
  int files = 0;
  for (const auto &entry : fs::recursive_directory_iterator(cache_)) {
    const uint64_t bytes = entry.is_regular_file() ? entry.file_size() : 0;
    if (!bytes) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(bytes - 100));
    file.put('?');
    files++;
  }
  EXPECT_EQ(files, 1);
  const Outcome again = in_process({});
  EXPECT_TRUE(again.right && again.compiler_loaded) << again.message;
}

TEST_F(Jit, AFileThatIsNoCompilerOfThisBuild) {
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT", GPUOPT_OTHER_JIT}}), "another build");
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT", "libgpuopt_jit.so"}}), "absolute");
  EXPECT_UNAVAILABLE(in_process({{"GPUOPT_JIT", GPUOPT_SOURCE_DIR "/README.md"}}), "cannot be loaded");
}

// As SELinux does without execmem: pages that were written become no code.
void deny_new_code() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) std::perror("seccomp");
}

TEST_F(Jit, WhereNoNewCodeMayRun) {
  EXPECT_UNAVAILABLE(in_process({}, "y = x * 2 + 1", deny_new_code), "made at run time");
}

TEST_F(Jit, TheCompilerStaysByItself) {
  void *const library =
      dlopen((std::string(GPUOPT_BUILT_PLUGINS) + "/jit/libgpuopt_jit.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_NE(dlsym(library, "gpuopt_jit_query"), nullptr);
  for (const char *name :
       {"LLVMContextCreate", "LLVMInitializeX86Target", "LLVMInitializeAArch64Target", "clang_createIndex"})
    EXPECT_EQ(dlsym(RTLD_DEFAULT, name), nullptr) << name;
}

}  // namespace

// tests/unit/api_jit_posix_test.cpp -- where the code of user kernels on the CPU comes from: the compiler, the cache,
// or nowhere. Each case is a process of its own, because a process looks for the compiler only once.
// POSIX only: fork, and the compiler is not built for Windows
#include <dlfcn.h>
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <string>

#include "tests/not_here.h"
#include "tests/unit/deny_new_code.h"
#include "tests/unit/jit_process.h"

namespace {

namespace gp = gpuopt;
namespace fs = std::filesystem;

using gpuopt::test::Outcome;

bool run_kernel(const char *operation) {
  const gp::with_device scope("cpu");
  const gp::array x = gp::arange(1000, gp::float64);
  const gp::array y = gp::elementwise_kernel("T x", "T y", operation, "tested")(x);
  return gp::all(y == x * 2 + 1).item<bool>();
}

class Jit : public gpuopt::test::JitProcess {
 protected:
  Outcome in_process(
      const Variables &variables, const char *operation = "y = x * 2 + 1",
      const std::function<void()> &before = [] {}) {
    return JitProcess::in_process(variables, [&] {
      before();
      return run_kernel(operation);
    });
  }
};

TEST_F(Jit, TheSecondProcessDoesNotLoadTheCompiler) {
  const Outcome first = in_process({}), second = in_process({}), other = in_process({}, "y = 1 + 2 * x");
  EXPECT_TRUE(first.right) << first.message;
  EXPECT_TRUE(first.compiler_loaded);
  EXPECT_TRUE(second.right) << second.message;
  EXPECT_FALSE(second.compiler_loaded);
  EXPECT_TRUE(other.right && other.compiler_loaded) << other.message;
}

TEST_F(Jit, TheCacheWorksWithoutACompiler) {
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

TEST_F(Jit, ADamagedCacheIsCompiledAgain) {
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

#if defined(GPUOPT_TEST_EMULATOR)
NOT_HERE(JitWhereNoNewCodeMayRun, "qemu has no filters of system calls")
#else
TEST_F(Jit, WhereNoNewCodeMayRun) {
  EXPECT_UNAVAILABLE(in_process({}, "y = x * 2 + 1", deny_new_code), "made at run time");
}
#endif

// The system's LLVM of the same release, through its C API (llvm-c/Core.h, IRReader.h, Transforms/PassBuilder.h).
class OtherLlvm {
 public:
  OtherLlvm() : library_(dlopen("libLLVM.so.19.1", RTLD_NOW | RTLD_GLOBAL)) {}
  bool is_here() const { return library_ != nullptr; }

  // Whether it parses a function and finds that it returns 42.
  bool works() const {
    const std::string text = "define i32 @f() {\n  %x = add i32 40, 1\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";
    void *const context = call<void *()>("LLVMContextCreate")(), *module = nullptr;
    char *problem = nullptr;
    void *const bytes = call<void *(const char *, size_t, const char *)>("LLVMCreateMemoryBufferWithMemoryRangeCopy")(
        text.data(), text.size(), "text");
    if (call<int(void *, void *, void **, char **)>("LLVMParseIRInContext")(context, bytes, &module, &problem))
      return false;
    void *const options = call<void *()>("LLVMCreatePassBuilderOptions")();
    if (call<void *(void *, const char *, void *, void *)>("LLVMRunPasses")(module, "default<O2>", nullptr, options))
      return false;
    char *const printed = call<char *(void *)>("LLVMPrintModuleToString")(module);
    const bool right = std::string(printed).find("ret i32 42") != std::string::npos;
    call<void(char *)>("LLVMDisposeMessage")(printed);
    call<void(void *)>("LLVMDisposePassBuilderOptions")(options);
    call<void(void *)>("LLVMDisposeModule")(module);
    call<void(void *)>("LLVMContextDispose")(context);
    return right;
  }

 private:
  template <class Function>
  Function *call(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(library_, name));
  }
  void *const library_;
};

// Either LLVM may be loaded first in one process, although their options, passes and targets register the same names.
TEST_F(Jit, AnotherLlvmInTheProcess) {
  const std::pair<const char *, std::string> here{"GPUOPT_JIT_ISOLATION", "off"};
  if (!in_child<bool>({}, [] { return OtherLlvm().is_here(); })) GTEST_SKIP() << "libLLVM.so.19.1 is not installed";
  for (const bool first : {true, false}) {
    const Outcome outcome = JitProcess::in_process({here}, [&] {
      if (!first && !run_kernel("y = x + x + 1")) return false;
      const OtherLlvm other;
      const bool right = other.works() && run_kernel(first ? "y = 2 * x + 1" : "y = 1 + x * 2") && other.works();
      return right && gpuopt::test::compiler_is_here();
    });
    EXPECT_TRUE(outcome.right) << outcome.message;
  }
}

TEST_F(Jit, TheCompilerExportsNothingElse) {
  void *const library =
      dlopen((std::string(GPUOPT_BUILT_PLUGINS) + "/jit/libgpuopt_jit.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_NE(dlsym(library, "gpuopt_jit_query"), nullptr);
  for (const char *name :
       {"LLVMContextCreate", "LLVMInitializeX86Target", "LLVMInitializeAArch64Target", "clang_createIndex"})
    EXPECT_EQ(dlsym(RTLD_DEFAULT, name), nullptr) << name;
}

}  // namespace

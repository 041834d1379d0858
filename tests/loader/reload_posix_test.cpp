// tests/loader/reload_posix_test.cpp -- a program that loads libgpuopt with dlopen and closes it again, over and
// over.
//
// POSIX only: dlopen and fork, for which reload_windows_test has LoadLibrary
#include <dlfcn.h>
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>
#include <vector>

namespace {

constexpr const char *kLibrary = LIBRARY_DIRECTORY "/libgpuopt.so.1";

// The functions of a library that has been loaded.
struct Functions {
  decltype(&gpuopt_device_open) open;
  decltype(&gpuopt_zeros) zeros;
  decltype(&gpuopt_array_release) release;
  explicit Functions(void *library)
      : open(find<decltype(open)>(library, "gpuopt_device_open")),
        zeros(find<decltype(zeros)>(library, "gpuopt_zeros")),
        release(find<decltype(release)>(library, "gpuopt_array_release")) {}
  template <class Function>
  static Function find(void *library, const char *name) {
    return reinterpret_cast<Function>(dlsym(library, name));
  }
};

// What the library keeps for each thread is in memory that threads get when they start, also for threads that started
// before the library was loaded. This test is the first of the process to load it.
TEST(Reload, ThreadsThatWereThereBeforeUseTheLibrary) {
  std::promise<Functions> loaded;
  const auto functions = loaded.get_future().share();
  gpuopt_device device = nullptr;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const int64_t size = 3;
      for (int k = 0; k < 100; ++k) {
        gpuopt_array x = nullptr;
        EXPECT_EQ(functions.get().zeros(device, GPUOPT_FLOAT64, 1, &size, &x, nullptr), GPUOPT_OK);
        functions.get().release(x);
      }
    });
  }
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  const Functions found(library);
  EXPECT_EQ(found.open("cpu", nullptr, &device, nullptr), GPUOPT_OK);
  loaded.set_value(found);
  for (std::thread &thread : threads) thread.join();
}

// Plugins hold pointers into the library and are never unloaded, so the library must not be unloaded either.
TEST(Reload, TheLibraryStaysWhereItIs) {
  gpuopt_device first = nullptr;
  for (int i = 0; i < 20; ++i) {
    void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto open = reinterpret_cast<decltype(&gpuopt_device_open)>(dlsym(library, "gpuopt_device_open"));
    ASSERT_NE(open, nullptr);
    gpuopt_device device = nullptr;
    ASSERT_EQ(open("cpu", nullptr, &device, nullptr), GPUOPT_OK);
    if (i == 0) first = device;
    EXPECT_EQ(device, first);
    EXPECT_EQ(dlclose(library), 0);
  }
  EXPECT_NE(dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD), nullptr);
  const pid_t child = fork();  // runs the library's fork handlers
  if (child == 0) _exit(7);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace

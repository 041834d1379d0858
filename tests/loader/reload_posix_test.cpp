// tests/loader/reload_posix_test.cpp -- a program that loads libgpuopt with dlopen and closes it again, over and
// over.
//
// POSIX only: dlopen and fork, for which reload_windows_test has LoadLibrary
#include <dlfcn.h>
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace {

constexpr const char *kLibrary = LIBRARY_DIRECTORY "/libgpuopt.so.1";

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

// tests/loader/reload_windows_test.cpp -- a program that loads libgpuopt and frees it again, over and over.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>
#include <windows.h>

namespace {

constexpr const char *kLibrary = LIBRARY_DIRECTORY "/" LIBRARY_FILE;

template <typename Function>
Function *function(HMODULE library, const char *name) {
  return reinterpret_cast<Function *>(reinterpret_cast<void *>(GetProcAddress(library, name)));
}

// Plugins hold pointers into the library and are never unloaded, so the library must not be unloaded either.
TEST(Reload, TheLibraryStaysWhereItIs) {
  gpuopt_device first = nullptr;
  for (int i = 0; i < 20; ++i) {
    const HMODULE library = LoadLibraryA(kLibrary);
    ASSERT_NE(library, nullptr) << GetLastError();
    const auto open = function<decltype(gpuopt_device_open)>(library, "gpuopt_device_open");
    ASSERT_NE(open, nullptr);
    gpuopt_device device = nullptr;
    ASSERT_EQ(open("cpu", nullptr, &device, nullptr), GPUOPT_OK);
    if (i == 0) first = device;
    EXPECT_EQ(device, first);
    EXPECT_TRUE(FreeLibrary(library));
  }
  EXPECT_NE(GetModuleHandleA(LIBRARY_FILE), nullptr);
}

}  // namespace

// tests/cuda/library_trust_posix_test.cpp -- files that settings of the CUDA backend name and that are not opened:
// those that other users could change, FIFOs and devices.
//
// POSIX only: modes of files, and FIFOs
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "plugins/cuda/driver/library_search.h"

namespace {

namespace fs = std::filesystem;
using namespace gpuopt::cuda;

class LibraryTrust : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::canonical(fs::temp_directory_path()) / ("gpuopt_trust_" + std::to_string(getpid()));
    fs::create_directories(root / "above/lib");
    std::ofstream(root / "above/lib/libnvrtc.so.13") << "no library";
    input.setting = [this](const char *name) { return settings.count(name) ? settings[name] : std::string(); };
    input.local = (root / "nothing").string();
  }
  void TearDown() override { fs::remove_all(root); }

  // What is said of a file or directory named by a setting.
  std::string tried(const char *setting, const fs::path &path) {
    settings[setting] = path.string();
    return search_library(Library::nvrtc, input, [](void *) { return "opened"; }).tried;
  }

  fs::path root;
  std::map<std::string, std::string> settings;
  SearchInput input;
};

TEST_F(LibraryTrust, FilesThatOthersCouldChangeAreNotOpened) {
  const fs::path above = root / "above", file = above / "lib/libnvrtc.so.13";
  EXPECT_EQ(tried("GPUOPT_NVRTC", file).find("every user"), std::string::npos);
  ASSERT_EQ(chmod(above.c_str(), 0777), 0);
  const std::string said = above.string() + " may be written by every user";
  EXPECT_NE(tried("GPUOPT_NVRTC", file).find(said), std::string::npos);
  EXPECT_NE(tried("GPUOPT_NVRTC", above / "lib").find(said), std::string::npos) << "named by its directory";
}

TEST_F(LibraryTrust, FifosAndDevicesAreNotWaitedFor) {
  const fs::path fifo = root / "above/lib/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(tried("GPUOPT_NVRTC", fifo).find("a FIFO, not a file"), std::string::npos);
  EXPECT_NE(tried("GPUOPT_NVRTC", "/dev/zero").find("a device, not a file"), std::string::npos);
}

TEST_F(LibraryTrust, AFifoInAToolkitIsPassedOver) {
  fs::remove(root / "above/lib/libnvrtc.so.13");
  ASSERT_EQ(mkfifo((root / "above/lib/libnvrtc.so.13").c_str(), 0600), 0);
  EXPECT_NE(tried("CUDA_PATH", root / "above").find("a FIFO, not a file"), std::string::npos);
}

}  // namespace

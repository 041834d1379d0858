// tests/cuda/library_search_test.cpp -- where NVIDIA's libraries are looked for, in fake trees of every layout.
#include "plugins/cuda/driver/library_search.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace {

namespace fs = std::filesystem;
using namespace gpuopt::cuda;

class LibrarySearch : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::canonical(fs::temp_directory_path()) / ("gpuopt_search_" + std::to_string(getpid()));
    fs::create_directories(root);
    input.setting = [this](const char *name) { return settings.count(name) ? settings[name] : std::string(); };
    input.plugin_directory = (root / "lib/gpuopt/1").string();
    input.local = (root / "usr_local").string();
  }
  void TearDown() override { fs::remove_all(root); }

  std::string file(const std::string &path) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << "no library";
    return (root / path).string();
  }
  // Those of the places that are files, in order, and bare names.
  std::vector<std::string> found(Library library = Library::nvrtc) {
    std::vector<std::string> out;
    for (const Place &place : library_places(library, input)) {
      if (place.how == Place::path && fs::exists(place.file)) out.push_back(place.file);
      if (place.how != Place::path) out.push_back((place.how == Place::loaded ? "loaded:" : "loader:") + place.file);
    }
    return out;
  }

  fs::path root;
  std::map<std::string, std::string> settings;
  SearchInput input;
};

const std::vector<std::string> kLoaded = {"loaded:libnvrtc.so.13", "loaded:libnvrtc.so.12", "loaded:libnvrtc.so.11.2"};
const std::vector<std::string> kLoader = {"loader:libnvrtc.so.13", "loader:libnvrtc.so.12", "loader:libnvrtc.so.11.2"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(LibrarySearch, OrderOfAllPlaces) {
  input.plugin_directory = (root / "venv/lib/python3.11/site-packages/gpuopt/gpuopt/1").string();
  settings["CONDA_PREFIX"] = (root / "conda").string();
  settings["CUDA_PATH"] = (root / "toolkit").string();
  const std::string packages = "venv/lib/python3.11/site-packages/";
  const std::vector<std::string> before = {
      file(packages + "gpuopt/gpuopt/1/libnvrtc.so.12"), file(packages + "nvidia/cu13/lib/libnvrtc.so.13"),
      file(packages + "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"), file("conda/lib/libnvrtc.so.12")};
  const std::vector<std::string> after = {
      file("toolkit/lib64/libnvrtc.so.11.2"), file("usr_local/cuda/lib64/libnvrtc.so.12"),
      file("usr_local/cuda-13.0/lib64/libnvrtc.so.13"), file("usr_local/cuda-12.4/lib64/libnvrtc.so.12"),
      file("usr_local/cuda-9.2/lib/libnvrtc.so.12")};
  EXPECT_EQ(found(), kLoaded + before + kLoader + after);
}

TEST_F(LibrarySearch, NewerVersionsComeFirstInAFolder) {
  const std::string b = file("usr_local/cuda/lib64/libnvrtc.so.12"), a = file("usr_local/cuda/lib64/libnvrtc.so.13");
  const std::vector<std::string> both = {a, b};
  EXPECT_EQ(found(), kLoaded + kLoader + both);
}

TEST_F(LibrarySearch, ASettingIsTheOnlyPlace) {
  file("usr_local/cuda/lib64/libnvrtc.so.13");
  settings["GPUOPT_NVRTC"] = file("mine/libnvrtc_of_mine.so");
  EXPECT_EQ(found(), std::vector<std::string>{settings["GPUOPT_NVRTC"]});
  const std::string in_folder = file("mine/libnvrtc.so.12");
  settings["GPUOPT_NVRTC"] = (root / "mine").string();
  EXPECT_EQ(found(), std::vector<std::string>{in_folder});
}

TEST_F(LibrarySearch, EachLibraryHasItsOwnSettingAndNames) {
  const std::string blas = file("usr_local/cuda/lib64/libcublas.so.12"),
                    light = file("usr_local/cuda/lib64/libcublasLt.so.12"),
                    solver = file("usr_local/cuda/lib64/libcusolver.so.11"),
                    fft = file("usr_local/cuda/lib64/libcufft.so.11");
  EXPECT_EQ(found(Library::cublas).back(), blas);
  EXPECT_EQ(found(Library::cublas_lt).back(), light);
  EXPECT_EQ(found(Library::cusolver).back(), solver);
  EXPECT_EQ(found(Library::cufft).back(), fft);
  settings = {{"GPUOPT_CUBLAS", "/b"}, {"GPUOPT_CUBLASLT", "/l"}, {"GPUOPT_CUSOLVER", "/s"}, {"GPUOPT_CUFFT", "/f"}};
  EXPECT_EQ(library_places(Library::cublas, input).at(0).file, "/b");
  EXPECT_EQ(library_places(Library::cublas_lt, input).at(0).file, "/l");
  EXPECT_EQ(library_places(Library::cusolver, input).at(0).file, "/s");
  EXPECT_EQ(library_places(Library::cufft, input).at(0).file, "/f");
}

TEST_F(LibrarySearch, RelativePathsAreNeverUsed) {
  settings["CONDA_PREFIX"] = "conda";
  settings["CUDA_PATH"] = ".";
  input.plugin_directory = "";
  for (const Place &place : library_places(Library::nvrtc, input)) {
    EXPECT_TRUE(place.how != Place::path || place.file[0] == '/') << place.file;
    EXPECT_TRUE(place.how == Place::path || place.file.find('/') == std::string::npos) << place.file;
  }
  settings["GPUOPT_NVRTC"] = "libnvrtc.so.13";
  const OpenedLibrary opened = search_library(Library::nvrtc, input, [](void *) { return ""; });
  EXPECT_EQ(opened.handle, nullptr);
  EXPECT_EQ(opened.tried, "libnvrtc.so.13: the path is not absolute");
  file("here/libnvrtc.so.13");  // a directory that is there, too
  const fs::path before = fs::current_path();
  fs::current_path(root);
  settings["GPUOPT_NVRTC"] = "here";
  EXPECT_EQ(search_library(Library::nvrtc, input, [](void *) { return ""; }).tried, "here: the path is not absolute");
  fs::current_path(before);
}

// A folder "nvidia" around the plugin is NVIDIA's packages only below site-packages: /tmp/nvidia may be anybody's.
TEST_F(LibrarySearch, OnlyPythonsPackagesAreTrustedAroundThePlugin) {
  file("nvidia/cu13/lib/libnvrtc.so.13");
  file("lib/nvidia/cu13/lib/libnvrtc.so.13");
  EXPECT_EQ(found(), kLoaded + kLoader);
}

TEST_F(LibrarySearch, TellsWhatWasThereAndWouldNotDo) {
  const std::string broken = file("usr_local/cuda/lib64/libcufft.so.11");
  const OpenedLibrary opened = search_library(Library::cufft, input, [](void *) { return "unwanted"; });
  EXPECT_EQ(opened.handle, nullptr);
  EXPECT_NE(opened.tried.find(broken + ": "), std::string::npos) << opened.tried;
  settings["GPUOPT_CUFFT"] = (root / "nothing.so").string();
  EXPECT_EQ(search_library(Library::cufft, input, [](void *) { return ""; }).tried,
            (root / "nothing.so").string() + ": there is no such file");
  settings["GPUOPT_CUFFT"] = (root / "usr_local").string();
  EXPECT_EQ(search_library(Library::cufft, input, [](void *) { return ""; }).tried,
            settings["GPUOPT_CUFFT"] + ": holds none of libcufft.so.12, libcufft.so.11, libcufft.so.10");
}

// The C library's own file serves as any library: opened once although it is found twice, and refused with the reason.
TEST_F(LibrarySearch, OneFileIsAskedOnce) {
  Dl_info libc;
  ASSERT_TRUE(dladdr(reinterpret_cast<void *>(&getpid), &libc));
  const fs::path real = fs::canonical(libc.dli_fname);
  for (const char *folder : {"cuda", "cuda-12.1"}) {
    fs::create_directories(root / "usr_local" / folder / "lib64");
    fs::create_symlink(real, root / "usr_local" / folder / "lib64/libcufft.so.11");
  }
  int asked = 0;  // about the C library: the loader may know a real cuFFT
  void *const library = dlopen(libc.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  const auto refuse = [&](void *handle) { return asked += handle == library, std::string("too old"); };
  const OpenedLibrary refused = search_library(Library::cufft, input, refuse);
  EXPECT_EQ(asked, 1);
  EXPECT_NE(refused.tried.find("cuda/lib64/libcufft.so.11: too old"), std::string::npos) << refused.tried;
  EXPECT_NE(search_library(Library::cufft, input, [](void *) { return ""; }).handle, nullptr);
}

TEST(LibrarySearchProcess, KnowsWhereThisCodeLies) {
  gpuopt::cuda::SearchInput input = process_search();
  EXPECT_EQ(input.plugin_directory, fs::canonical("/proc/self/exe").parent_path().string());
  EXPECT_EQ(input.setting("PATH"), "") << "there is no host that gives settings";
}

}  // namespace

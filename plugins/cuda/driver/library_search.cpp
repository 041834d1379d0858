// plugins/cuda/driver/library_search.cpp -- the places of NVIDIA's libraries, from settings, packages and toolkits.
#include "plugins/cuda/driver/library_search.h"

#include <gpuopt/dlopen_note.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "plugins/cuda/driver/os.h"
#include "plugins/shared/host/host.h"
#include "plugins/shared/host/settings.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::cuda {
namespace {

namespace fs = std::filesystem;

// The names of a library. The backend opens NVRTC, cuBLAS, cuSOLVER and cuFFT so far. cuBLASLt has a row so that its
// first user finds it in the same way.
struct Names {
  Setting setting;
  std::vector<const char *> files;    // newest first
  std::vector<const char *> folders;  // of NVIDIA's Python packages, below nvidia/
};

#if defined(_WIN32)
constexpr const char *kLibraryFolders[] = {"bin", "bin/x64"};
const Names &names_of(Library library) {
  static const auto *const names = new std::vector<Names>{
      {Setting::GPUOPT_NVRTC, {"nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"}, {"cu13", "cuda_nvrtc"}},
      {Setting::GPUOPT_CUBLAS, {"cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"}, {"cu13", "cublas"}},
      {Setting::GPUOPT_CUBLASLT, {"cublasLt64_13.dll", "cublasLt64_12.dll", "cublasLt64_11.dll"}, {"cu13", "cublas"}},
      {Setting::GPUOPT_CUSOLVER, {"cusolver64_12.dll", "cusolver64_11.dll"}, {"cu13", "cusolver"}},
      {Setting::GPUOPT_CUFFT, {"cufft64_12.dll", "cufft64_11.dll", "cufft64_10.dll"}, {"cu13", "cufft"}},
  };
  return (*names)[static_cast<size_t>(library)];
}
#else
constexpr const char *kLibraryFolders[] = {"lib64", "lib"};
const Names &names_of(Library library) {
  static const auto *const names = new std::vector<Names>{
      {Setting::GPUOPT_NVRTC, {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}, {"cu13", "cuda_nvrtc"}},
      {Setting::GPUOPT_CUBLAS, {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}, {"cu13", "cublas"}},
      {Setting::GPUOPT_CUBLASLT, {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}, {"cu13", "cublas"}},
      {Setting::GPUOPT_CUSOLVER, {"libcusolver.so.12", "libcusolver.so.11"}, {"cu13", "cusolver"}},
      {Setting::GPUOPT_CUFFT, {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"}, {"cu13", "cufft"}},
  };
  return (*names)[static_cast<size_t>(library)];
}
#endif
GPUOPT_DLOPEN_NOTE(nvrtc, "nvrtc", "Compiles kernels", "recommended",
                   "\"libnvrtc.so.13\",\"libnvrtc.so.12\",\"libnvrtc.so.11.2\"");
GPUOPT_DLOPEN_NOTE(cublas, "cublas", "Floating-point matrix products", "suggested",
                   "\"libcublas.so.13\",\"libcublas.so.12\",\"libcublas.so.11\"");
GPUOPT_DLOPEN_NOTE(cusolver, "cusolver", "Fast decompositions of matrices", "suggested",
                   "\"libcusolver.so.12\",\"libcusolver.so.11\"");
GPUOPT_DLOPEN_NOTE(cufft, "cufft", "Fast Fourier transforms", "suggested",
                   "\"libcufft.so.12\",\"libcufft.so.11\",\"libcufft.so.10\"");

// Returns the folder of Python packages that contains the plugin, "" if none does: the nearest folder above it with a
// name that only they have. Any other folder above it might contain a folder "nvidia" that is somebody else's.
std::string packages_around(const std::string &directory) {
  for (fs::path at = directory; at.has_relative_path(); at = at.parent_path()) {
    const std::string name = at.filename().string();
    if (name == "site-packages" || name == "dist-packages") return at.string();
  }
  return "";
}

// Returns the toolkits below `local`: "cuda", which the administrator chose, and then the versioned ones, newest first.
std::vector<std::string> toolkits(const std::string &local) {
  std::vector<std::pair<double, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator at(local, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.rfind("cuda-", 0) == 0) found.push_back({std::strtod(name.c_str() + 5, nullptr), at->path().string()});
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> out = {local + "/cuda"};
  for (auto &[version, path] : found) out.push_back(std::move(path));
  return out;
}

// Collects the result of library_places(): each function adds all file names of the library in one kind of place.
class Places {
 public:
  explicit Places(const Names &names) : names_(names) {}

  void all_of(Place::How how) {
    for (const char *file : names_.files) places_.push_back({how, file});
  }
  void in(const fs::path &directory) {
    if (!directory.is_absolute()) return;
    for (const char *file : names_.files) places_.push_back({Place::path, (directory / file).string()});
  }
  void in_root(const std::string &root) {
    for (const char *folder : kLibraryFolders) in(fs::path(root) / folder);
  }
  void given(const std::string &path) {
    std::error_code error;
    if (fs::path(path).is_absolute() && fs::is_directory(path, error)) return in(path);
    places_.push_back({Place::path, path});
  }
  std::vector<Place> take() { return std::move(places_); }

 private:
  const Names &names_;
  std::vector<Place> places_;
};

// Returns whether to open a place. If not, `why` becomes the reason, unless the file just does not exist and was not
// asked for by its name. A file that one of gpuopt's settings names is checked as plugins are (owner and permissions on
// the whole path). Files in other places only have to be regular files, since those places belong to whole environments
// (the system's, a toolkit's, Conda's), whose programs the user runs anyway.
bool worth_trying(const Place &place, const std::string &given, std::string &why) {
  if (place.how != Place::path) return true;
  if (!fs::path(place.file).is_absolute()) {
    why = "the path is not absolute";
    return false;
  }
  const trusted::File file(place.file, given.empty() ? trusted::Check::kKind : trusted::Check::kAll);
  if (file.opened()) return true;
  if (file.outcome != trusted::Outcome::kMissing) why = file.problem;
  if (file.outcome == trusted::Outcome::kMissing && place.file == given) why = "there is no such file";
  return false;
}

}  // namespace

SearchInput process_search() {
  SearchInput input;
  input.setting = [](const char *name) {
    const char *const value = plugin::setting(name);
    return std::string(value ? value : "");
  };
  static const char own = 0;  // its address lies in this plugin's file
  input.plugin_directory = fs::path(file_of(&own)).parent_path().string();
  return input;
}

std::vector<Place> library_places(Library library, const SearchInput &input) {
  const Names &names = names_of(library);
  Places places(names);
  if (const std::string given = input.setting(name_of(names.setting)); !given.empty()) {
    places.given(given);
    return places.take();
  }
  places.all_of(Place::loaded);
  places.in(input.plugin_directory);
  if (const std::string packages = packages_around(input.plugin_directory); !packages.empty()) {
    for (const char *folder : names.folders) places.in(fs::path(packages) / "nvidia" / folder / kLibraryFolders[0]);
    for (const char *folder : names.folders) places.in(fs::path(packages) / "nvidia" / folder / kLibraryFolders[1]);
  }
  if (const std::string conda = input.setting(name_of(Setting::CONDA_PREFIX)); !conda.empty()) places.in_root(conda);
  places.all_of(Place::loader);
  if (const std::string toolkit = input.setting(name_of(Setting::CUDA_PATH)); !toolkit.empty()) places.in_root(toolkit);
  for (const std::string &toolkit : toolkits(input.local)) places.in_root(toolkit);
  return places.take();
}

OpenedLibrary search_library(Library library, const SearchInput &input,
                             const std::function<std::string(void *)> &accept) {
  OpenedLibrary opened;
  const std::string given = input.setting(name_of(names_of(library).setting));
  std::set<void *> seen;  // one file may be found in several places
  for (const Place &place : library_places(library, input)) {
    std::string why;
    if (worth_trying(place, given, why)) {
      void *const handle = place.how == Place::loaded ? loaded_library(place.file) : open_library(place.file, &why);
      // It is usual that the loader finds no library of that name, and its message would explain nothing.
      if (!handle && place.how != Place::path) continue;
      if (handle && !seen.insert(handle).second) continue;
      if (handle && (why = accept(handle)).empty()) {
        opened.handle = handle;
        return opened;
      }
    }
    if (!why.empty()) opened.tried += (opened.tried.empty() ? "" : "; ") + place.file + ": " + why;
  }
  if (opened.tried.empty() && !given.empty()) opened.tried = given + ": holds none of " + library_names(library);
  return opened;
}

std::string library_names(Library library) {
  std::string text;
  for (const char *file : names_of(library).files) text += (text.empty() ? "" : ", ") + std::string(file);
  return text;
}

}  // namespace gpuopt::cuda

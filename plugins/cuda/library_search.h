// plugins/cuda/library_search.h -- where NVIDIA's user libraries may be, and opening the first that will do.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gpuopt::cuda {

enum class Library { nvrtc, cublas, cublas_lt, cusolver, cufft };

// What the search depends on.
struct SearchInput {
  std::function<std::string(const char *)> setting;  // from the environment, "" if unset or not to be trusted
  std::string plugin_directory;                      // absolute, where this plugin's file lies; "" if unknown
  std::string local = "/usr/local";                  // where toolkits are installed
};
// That of this process.
SearchInput process_search();

// One file to try.
struct Place {
  enum How { path, loader, loaded } how;  // an absolute path; a bare name for the system's loader; one already loaded
  std::string file;
};

// Everything that may be tried, in order: the file or directory a setting names (GPUOPT_NVRTC, GPUOPT_CUBLAS,
// GPUOPT_CUBLASLT, GPUOPT_CUSOLVER, GPUOPT_CUFFT), and then nothing else; or what the process has loaded, beside the
// plugin, in NVIDIA's Python packages around the plugin, in the Conda environment, what the loader finds, below
// CUDA_PATH, and in /usr/local/cuda*. Newer versions come first. Relative paths are never used. Opens nothing and reads
// no directory but `local`.
std::vector<Place> library_places(Library library, const SearchInput &input);

struct OpenedLibrary {
  void *handle = nullptr;  // NULL if none would do
  std::string tried;       // "FILE: why not; ..." of what was there and would not do
};

// Opens places in turn until `accept` likes one: it says "" or why not. Libraries stay loaded for good: NVIDIA's do not
// survive being closed.
OpenedLibrary search_library(Library library, const SearchInput &input,
                             const std::function<std::string(void *handle)> &accept);

// "libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so.11.2": the names looked for.
std::string library_names(Library library);

}  // namespace gpuopt::cuda

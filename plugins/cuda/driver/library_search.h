// plugins/cuda/driver/library_search.h -- searches for NVIDIA's user libraries, and opens the first that is suitable.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gpuopt::cuda {

enum class Library { nvrtc, cublas, cublas_lt, cusolver, cufft };

// What the search depends on.
struct SearchInput {
  std::function<std::string(const char *)> setting;  // from the environment, "" if unset or not to be trusted
  std::string plugin_directory;                      // the absolute path of this plugin's folder; "" if unknown
  std::string local = "/usr/local";                  // where toolkits are installed
};
// Returns the input for this process: the host's settings, this plugin's folder and /usr/local.
SearchInput process_search();

// One file to try.
struct Place {
  enum How { path, loader, loaded } how;  // an absolute path; a bare name for the system's loader; one already loaded
  std::string file;
};

// Lists all files to try, in order. If a setting (GPUOPT_NVRTC, GPUOPT_CUBLAS, GPUOPT_CUBLASLT, GPUOPT_CUSOLVER,
// GPUOPT_CUFFT) names a file or directory, that is the only one. Otherwise these are a library that the process has
// loaded, then files beside the plugin, in NVIDIA's Python packages around the plugin, in the Conda environment, those
// that the loader finds, below CUDA_PATH, and in /usr/local/cuda*. Newer versions come first. Relative paths are never
// used. The function opens nothing, and reads no directory but `local`.
std::vector<Place> library_places(Library library, const SearchInput &input);

struct OpenedLibrary {
  void *handle = nullptr;  // NULL if none was suitable
  std::string tried;       // "FILE: why not; ..." for the files that exist but are not suitable
};

// Opens the places in turn until `accept` returns "". For a library that is not suitable `accept` returns the reason.
// Libraries are never closed, since NVIDIA's crash when they are.
OpenedLibrary search_library(Library library, const SearchInput &input,
                             const std::function<std::string(void *handle)> &accept);

// Returns the names that are searched for: "libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so.11.2".
std::string library_names(Library library);

}  // namespace gpuopt::cuda

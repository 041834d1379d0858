// plugins/cuda/driver/os_posix.cpp -- os.h on Linux.
#if !defined(_WIN32)
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gpuopt/dlopen_note.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdlib>
#include <cstring>

#include "plugins/cuda/driver/os.h"

namespace gpuopt::cuda {

void *open_library(const std::string &name, std::string *problem) {
  std::fenv_t floating_point;  // a library built with -ffast-math changes the caller's while it is loaded
  std::fegetenv(&floating_point);
  void *const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  std::fesetenv(&floating_point);
  if (!library && problem) {
    const char *const words = dlerror();
    *problem = words ? words : name + ": cannot be opened";
  }
  return library;
}

void *find_symbol(void *library, const char *name) { return dlsym(library, name); }

void *loaded_library(const std::string &name) { return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); }

std::string file_of(const void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return {};
  char *const path = realpath(info.dli_fname, nullptr);
  std::string file = path ? path : "";
  std::free(path);
  return file;
}

// libcuda.so without a number is the toolkit's link-time stub where there is one, so it is never asked for.
GPUOPT_DLOPEN_NOTE(driver, "driver", "NVIDIA's driver: without it programs run on the CPU", "suggested",
                   "\"libcuda.so.1\"");
std::vector<std::string> driver_names() { return {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}; }

int fork_generation() {
  static std::atomic<int> generation{0};
  static const int watched = pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1); });
  (void)watched;
  return generation.load(std::memory_order_relaxed);
}

bool file_exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

std::string opening_problem(const std::string &path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return std::strerror(errno);
  close(file);
  return {};
}

std::vector<std::string> names_in(const std::string &directory) {
  std::vector<std::string> names;
  DIR *const open_directory = opendir(directory.c_str());
  if (!open_directory) return names;
  while (const dirent *entry = readdir(open_directory)) names.emplace_back(entry->d_name);
  closedir(open_directory);
  return names;
}

std::string head_of(const std::string &path) {
  char text[256];
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return {};
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  return std::string(text, length > 0 ? static_cast<size_t>(length) : 0);
}

}  // namespace gpuopt::cuda
#endif

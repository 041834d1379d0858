// core/base/os_posix.cpp -- the operating system for the core: POSIX, with Linux's /proc.
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/base/os.h"

namespace gpuopt {

const char kPathListSeparator = ':';
const char kDirectorySeparator = '/';

bool is_absolute(const std::string &path) { return path.starts_with('/'); }

FileKind file_kind(const std::string &path, std::string *problem) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) {
    const int reason = errno;
    const bool link = lstat(path.c_str(), &facts) == 0;
    if (!link && (reason == ENOENT || reason == ENOTDIR)) return FileKind::kMissing;
    if (problem) *problem = link && reason == ENOENT ? "a symbolic link that leads nowhere" : std::strerror(reason);
    return FileKind::kOther;
  }
  if (S_ISREG(facts.st_mode)) return FileKind::kFile;
  if (S_ISDIR(facts.st_mode)) return FileKind::kDirectory;
  if (problem)
    *problem = S_ISFIFO(facts.st_mode)   ? "a FIFO, not a file"
               : S_ISSOCK(facts.st_mode) ? "a socket, not a file"
                                         : "a device, not a file";
  return FileKind::kOther;
}

std::string real_path(const std::string &path) {
  std::unique_ptr<char, void (*)(void *)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

std::string parent_directory(const std::string &path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::vector<std::string> list_directory(const std::string &path) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(path.c_str()), closedir);
  if (!directory) return names;
  while (const dirent *entry = readdir(directory.get())) names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

// Returns the file that is mapped at `address` according to /proc/self/maps; "" if none is. Unlike the dynamic linker's
// name this is right even if the library was loaded by a relative path and the working directory has changed since.
std::string mapped_file(const void *address) {
  std::unique_ptr<FILE, int (*)(FILE *)> maps(std::fopen("/proc/self/maps", "re"), std::fclose);
  char line[PATH_MAX + 128];
  while (maps && std::fgets(line, sizeof line, maps.get())) {
    unsigned long low, high;
    int path = 0;
    if (std::sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &low, &high, &path) < 2 || path == 0) continue;
    const auto here = reinterpret_cast<unsigned long>(address);
    if (here >= low && here < high && line[path] == '/')
      return std::string(line + path, std::strcspn(line + path, "\n"));
  }
  return {};
}

std::string own_file() {
  Dl_info info;
  const link_map *map = nullptr;
  const void *here = reinterpret_cast<const void *>(&own_file);
  if (dladdr1(here, &info, reinterpret_cast<void **>(const_cast<link_map **>(&map)), RTLD_DL_LINKMAP) == 0 || !map)
    return {};
  // The link map has no name for the main program, and dladdr returns argv[0], which the caller of exec may choose.
  if (map->l_name[0] == '\0') return real_path("/proc/self/exe");
  return is_absolute(map->l_name) ? real_path(map->l_name) : mapped_file(here);
}

}  // namespace

std::string library_directory() { return parent_directory(own_file()); }

const char *environment(const char *name) { return secure_getenv(name); }
bool environment_ignored(const char *name) { return getauxval(AT_SECURE) != 0 && std::getenv(name) != nullptr; }

void write_standard_error(std::string_view line) noexcept {
  while (write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace gpuopt

// core/loader_posix.cpp -- the operating system for the core: POSIX, with Linux's /proc and /sys.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gpuopt/dlopen_note.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "elf_posix.h"
#include "loader.h"

namespace gpuopt {

const char kPathListSeparator = ':';
const char kDirectorySeparator = '/';

GPUOPT_DLOPEN_NOTE(cpu, "cpu", "The backend that is always there", "required", "\"libgpuopt_cpu.so\"");
GPUOPT_DLOPEN_NOTE(cuda, "cuda", "NVIDIA's GPUs", "suggested", "\"libgpuopt_cuda.so\"");

std::string plugin_file_name(const std::string &name) { return "libgpuopt_" + name + ".so"; }

std::string plugin_name(const std::string &file) {
  constexpr std::string_view prefix = "libgpuopt_", suffix = ".so";
  if (file.size() <= prefix.size() + suffix.size() || !file.starts_with(prefix) || !file.ends_with(suffix)) return {};
  return file.substr(prefix.size(), file.size() - prefix.size() - suffix.size());
}

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

namespace {

std::string distrust_one(const std::string &path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return {};  // what cannot be looked at is not loaded either, and says so then
  if (facts.st_mode & S_IWOTH) return path + " may be written by every user";
  if (facts.st_uid != 0 && facts.st_uid != geteuid()) return path + " belongs to user " + std::to_string(facts.st_uid);
  return {};
}

}  // namespace

std::string distrust(const std::string &path) {
  std::string problem = distrust_one(path);
  if (problem.empty() && file_kind(path) == FileKind::kFile) problem = distrust_one(parent_directory(real_path(path)));
  return problem;
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

// The file mapped at `address`, from the kernel: right also where the linker only knows a relative name and the working
// directory has changed since.
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
  // The main program has no name here, and what dladdr says instead is argv[0], which the caller of exec makes up.
  if (map->l_name[0] == '\0') return real_path("/proc/self/exe");
  return is_absolute(map->l_name) ? real_path(map->l_name) : mapped_file(here);
}

}  // namespace

std::string library_directory() { return parent_directory(own_file()); }

const char *environment(const char *name) { return secure_getenv(name); }
bool environment_ignored(const char *name) { return getauxval(AT_SECURE) != 0 && std::getenv(name) != nullptr; }

void write_standard_error(const std::string &line) noexcept {
  while (write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

namespace {

bool file_begins_with(const std::string &path, const char *text) {
  char start[16] = {};
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool matches =
      read(descriptor, start, sizeof start - 1) > 0 && std::strncmp(start, text, std::strlen(text)) == 0;
  close(descriptor);
  return matches;
}

}  // namespace

int nvidia_hardware(const std::string &root) {
  if (file_kind(root + "/dev/nvidiactl") != FileKind::kMissing || file_kind(root + "/dev/dxg") != FileKind::kMissing)
    return 1;
  const std::string devices = root + "/sys/bus/pci/devices";
  if (file_kind(devices) != FileKind::kDirectory) return -1;
  for (const std::string &device : list_directory(devices)) {
    const std::string directory = devices + "/" + device;
    // PCI vendor NVIDIA, class 03 (display controller): not the sound or USB function of the same card.
    if (file_begins_with(directory + "/vendor", "0x10de") && file_begins_with(directory + "/class", "0x03")) return 1;
  }
  return 0;
}

void watch_forks(void (*prepare)(), void (*parent)(), void (*child)()) { pthread_atfork(prepare, parent, child); }

Library open_library(const std::string &path) {
  std::string problem;
  const FileKind kind = file_kind(path, &problem);
  if (kind == FileKind::kMissing) return {nullptr, GPUOPT_REASON_LOAD_FAILED, "the file is gone"};
  if (kind == FileKind::kDirectory) return {nullptr, GPUOPT_REASON_LOAD_FAILED, "a directory, not a file"};
  if (kind == FileKind::kOther) return {nullptr, GPUOPT_REASON_LOAD_FAILED, problem};
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    return {nullptr, GPUOPT_REASON_LOAD_FAILED, std::string("cannot be opened: ") + std::strerror(errno)};
  problem = elf_defect(descriptor);
  close(descriptor);
  if (!problem.empty()) return {nullptr, GPUOPT_REASON_LOAD_FAILED, problem};
  std::fenv_t floating_point;  // a library built with -ffast-math sets flush-to-zero for the caller while it is loaded
  std::fegetenv(&floating_point);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::fesetenv(&floating_point);
  if (handle) return {handle, GPUOPT_REASON_NONE, {}};
  const char *text = dlerror();
  return {nullptr, GPUOPT_REASON_LOAD_FAILED, text ? text : "the dynamic linker gives no reason"};
}

void *library_symbol(const Library &library, const char *name) { return dlsym(library.handle, name); }

}  // namespace gpuopt

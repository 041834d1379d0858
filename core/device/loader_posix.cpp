// core/device/loader_posix.cpp -- loads a library, and looks for NVIDIA hardware: POSIX, with Linux's /proc and /sys.
#include <dlfcn.h>
#include <fcntl.h>
#include <gpuopt/dlopen_note.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

#include "core/device/image/elf_posix.h"
#include "core/device/loader.h"

namespace gpuopt {

GPUOPT_DLOPEN_NOTE(cpu, "cpu", "The backend that is always there", "required", "\"libgpuopt_cpu.so\"");
GPUOPT_DLOPEN_NOTE(comm, "comm", "Messages between processes", "recommended",
                   "\"libgpuopt_ring.so\",\"libgpuopt_mpi.so\",\"libgpuopt_nccl.so\"");
GPUOPT_DLOPEN_NOTE(cuda, "cuda", "NVIDIA's GPUs", "suggested", "\"libgpuopt_cuda.so\"");

std::string plugin_file_name(const std::string &name) { return "libgpuopt_" + name + ".so"; }

std::string plugin_name(const std::string &file) {
  constexpr std::string_view prefix = "libgpuopt_", suffix = ".so";
  if (file.size() <= prefix.size() + suffix.size() || !file.starts_with(prefix) || !file.ends_with(suffix)) return {};
  return file.substr(prefix.size(), file.size() - prefix.size() - suffix.size());
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
    // PCI vendor 10de is NVIDIA, class 03 a display controller; sound and USB functions of the card have other classes.
    if (file_begins_with(directory + "/vendor", "0x10de") && file_begins_with(directory + "/class", "0x03")) return 1;
  }
  return 0;
}

namespace {

Library refused(std::string detail, gpuopt_reason reason = GPUOPT_REASON_LOAD_FAILED) {
  return {nullptr, reason, std::move(detail)};
}

// Returns a path to the open file that is different each time. The dynamic linker assumes that a path it knows is the
// library it has loaded by that path, but numbers of descriptors are reused. So a counter is encoded in slashes and
// dots that do not change the meaning: 5 = 101b with descriptor 7 gives "/proc/self/fd/.///./7".
std::string linker_name(int descriptor) {
  static std::atomic<uint32_t> count{0};
  std::string name = "/proc/self/fd";
  for (uint32_t bits = ++count; bits; bits >>= 1) name += bits & 1 ? "/." : "//";
  return name + "/" + std::to_string(descriptor);
}

// Guards the names of rename_library() and known_libraries(). Never held while a library is being loaded.
std::mutex &known_mutex() {
  static auto *const kept = new std::mutex;
  return *kept;
}

// Makes the dynamic linker know a library by `path` that was loaded by linker_name(); does nothing to others. Neither
// name is ever freed, since something may still refer to the old one.
void rename_library(void *handle, const std::string &path) {
  struct Names {
    std::string own;
    const char *before;
  };
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || std::strncmp(map->l_name, "/proc/self/fd", 13) != 0) return;
  static auto *const kept = new std::deque<Names>;
  const std::lock_guard lock(known_mutex());
  kept->push_back({path, map->l_name});
  map->l_name = kept->back().own.data();
}

// Loads the file by its descriptor; whatever has its name by then does not matter. Returns NULL on failure.
void *load_by_descriptor(const trusted::File &file) {
  void *const handle = dlopen(linker_name(file.descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle) rename_library(handle, file.path);
  return handle;
}

// Returns whether the path still names the file that was opened, unchanged since.
bool is_still_there(const trusted::File &file, const struct stat &before) {
  struct stat now {};
  return lstat(file.path.c_str(), &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino &&
         now.st_ctim.tv_sec == before.st_ctim.tv_sec && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec;
}

// Loads a file by its path if it cannot be loaded by its descriptor: without /proc, or if the library searches for
// others relative to its own directory, which the dynamic linker takes from the path. Only root and this user can
// replace a file that passed Check::kAll; this is checked nevertheless, before and after loading.
Library load_by_path(const trusted::File &file) {
  struct stat before {};
  if (fstat(file.descriptor, &before) != 0) return refused(std::strerror(errno));
  if (file.checked && !is_still_there(file, before))
    return refused(file.path + " was exchanged while it was being loaded", GPUOPT_REASON_UNTRUSTED_PATH);
  void *const handle = dlopen(file.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle && file.checked && !is_still_there(file, before))
    return refused(file.path + " was exchanged while it was being loaded", GPUOPT_REASON_UNTRUSTED_PATH);
  return {handle, GPUOPT_REASON_NONE, {}};
}

Library load(const trusted::File &file) {
  std::fenv_t floating_point;  // restored below: a library linked with -ffast-math sets flush-to-zero when it is loaded
  std::fegetenv(&floating_point);
  const bool by_path = elf_uses_origin(file.descriptor) || access(linker_name(file.descriptor).c_str(), R_OK) != 0;
  Library library = by_path ? load_by_path(file) : Library{load_by_descriptor(file), GPUOPT_REASON_NONE, {}};
  std::fesetenv(&floating_point);
  if (library.handle || library.reason != GPUOPT_REASON_NONE) return library;
  const char *text = dlerror();
  return refused(text ? text : "the dynamic linker gives no reason");
}

// A library that was loaded, by the identity of its file. A plugin that is refused after loading is tried again at each
// request, and would otherwise be loaded again each time, since linker_name() is different.
struct Known {
  dev_t device;
  ino_t inode;
  timespec changed;
  void *handle;
  bool is(const struct stat &facts) const {
    return device == facts.st_dev && inode == facts.st_ino && changed.tv_sec == facts.st_ctim.tv_sec &&
           changed.tv_nsec == facts.st_ctim.tv_nsec;
  }
};

std::vector<Known> &known_libraries() {
  static auto *const kept = new std::vector<Known>;
  return *kept;
}

void *find_known(const struct stat &facts) {
  const std::lock_guard lock(known_mutex());
  for (const Known &one : known_libraries())
    if (one.is(facts)) return one.handle;
  return nullptr;
}

}  // namespace

Library open_library(const std::string &path, trusted::Check check) {
  const trusted::File file(path, check);
  if (file.outcome == trusted::Outcome::kMissing) return refused("the file is gone");
  if (file.outcome == trusted::Outcome::kUntrusted) return refused(file.problem, GPUOPT_REASON_UNTRUSTED_PATH);
  if (!file.opened()) return refused(file.problem);
  struct stat facts {};
  fstat(file.descriptor, &facts);
  if (void *const handle = find_known(facts)) return {handle, GPUOPT_REASON_NONE, {}};
  if (std::string problem = elf_defect(file.descriptor); !problem.empty()) return refused(problem);
  Library library = load(file);
  if (!library.handle) return library;
  const std::lock_guard lock(known_mutex());
  known_libraries().push_back({facts.st_dev, facts.st_ino, facts.st_ctim, library.handle});
  return library;
}

void *library_symbol(const Library &library, const char *name) { return dlsym(library.handle, name); }

}  // namespace gpuopt

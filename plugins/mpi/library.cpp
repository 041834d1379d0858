// plugins/mpi/library.cpp -- see library.h.
#include "plugins/mpi/library.h"

#include <dlfcn.h>
#include <gpuopt/dlopen_note.h>
#include <link.h>

#include <mutex>
#include <vector>

#include "plugins/shared/host/setting_values.h"

namespace gpuopt::mpi {

GPUOPT_DLOPEN_NOTE(mpi, "mpi", "MPI, for jobs of several processes", "suggested",
                   "\"libmpi_abi.so.1\",\"libmpi_abi.so.0\",\"libmpi.so.40\",\"libmpi.so.12\",\"libmpich.so.12\"");

namespace {

constexpr const char *kStandardFiles[] = {"libmpi_abi.so.1", "libmpi_abi.so.0"};
constexpr const char *kOpenMpiFiles[] = {"libmpi.so.40"};
constexpr const char *kMpichFiles[] = {"libmpi.so.12", "libmpich.so.12"};

[[noreturn]] void fail_unavailable(const std::string &why) {
  throw plugin::Failure{GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_DRIVER_MISSING, 0, why};
}

// Whether the file has the standard's ABI, whose name it bears wherever it lies. Other libraries may have its functions
// that ask for the ABI, too, and other handles.
bool is_standard(void *handle) {
  const link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return false;
  const std::string path = map->l_name;
  return path.substr(path.rfind('/') + 1).rfind("libmpi_abi.so", 0) == 0;
}

// Opens a file, whose symbols are not yet among those of the program.
Library opened(const std::string &file, int mode = 0) {
  Library library;
  library.handle = dlopen(file.c_str(), RTLD_NOW | mode);
  if (!library.handle) return library;
  library.name = file;
  library.family = is_standard(library.handle)                    ? Family::kStandard
                   : dlsym(library.handle, "ompi_mpi_comm_world") ? Family::kOpenMpi
                                                                  : Family::kMpich;
  return library;
}

// Returns why the library cannot be used, or "". Drafts of the standard's ABI have other constants: MPICH 4.3's cannot
// say which version it has.
std::string fault_of(const Library &library) {
  if (library.family != Family::kStandard) return "";
  const auto version = reinterpret_cast<int (*)(int *, int *)>(dlsym(library.handle, "MPI_Abi_get_version"));
  int major = 0, minor = 0;
  if (version && version(&major, &minor) == 0 && major == 1) return "";
  return library.name + " has not version 1 of the ABI of MPI 5";
}

// Adds the library's symbols to those of the program, where Open MPI's parts, which it loads itself, look for them.
Library published(Library library) {
  dlopen(library.name.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  return library;
}

// The standard's ABI comes first, except under Open MPI's launcher, to whose jobs another's library does not belong.
std::vector<std::string> files_in_order() {
  const bool by_open_mpi = plugin::is_set(Setting::OMPI_COMM_WORLD_SIZE);
  const bool by_hydra = plugin::is_set(Setting::PMI_SIZE) && !by_open_mpi;
  std::vector<std::string> files;
  const auto add = [&](const auto &names) { files.insert(files.end(), std::begin(names), std::end(names)); };
  if (!by_open_mpi) add(kStandardFiles);
  if (by_hydra) add(kMpichFiles);
  add(kOpenMpiFiles);
  if (by_open_mpi) add(kStandardFiles);
  if (!by_hydra) add(kMpichFiles);
  return files;
}

Library find_library() {
  for (const std::string &file : files_in_order()) {
    const Library library = opened(file, RTLD_NOLOAD);
    if (!library.handle) continue;
    if (const std::string fault = fault_of(library); !fault.empty()) fail_unavailable(fault);
    return published(library);
  }
  const std::string chosen = plugin::setting_text(Setting::GPUOPT_MPI);
  if (!chosen.empty() && chosen[0] != '/') fail_unavailable("GPUOPT_MPI: " + chosen + " is no absolute path");
  std::string reasons;
  for (const std::string &file : chosen.empty() ? files_in_order() : std::vector<std::string>{chosen}) {
    const Library library = opened(file);
    const char *const error = library.handle ? nullptr : dlerror();
    const std::string reason = library.handle ? fault_of(library) : error ? error : file + " cannot be loaded";
    if (reason.empty()) return published(library);
    if (library.handle) dlclose(library.handle);
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  fail_unavailable("no MPI library: " + reasons);
}

}  // namespace

const char *name_of(Family family) {
  return family == Family::kStandard ? "the ABI of MPI 5" : family == Family::kOpenMpi ? "Open MPI" : "MPICH's ABI";
}

const Library &mpi_library() {
  static auto *const mutex = new std::mutex;
  static Library *library = nullptr;
  const std::lock_guard lock(*mutex);
  if (!library) library = new Library(find_library());
  return *library;
}

bool is_in_use() {
  for (const std::string &file : files_in_order()) {
    const Library library = opened(file, RTLD_NOLOAD);
    int initialized = 0;
    if (library.handle && reinterpret_cast<int (*)(int *)>(symbol_of(library, "MPI_Initialized"))(&initialized) == 0 &&
        initialized)
      return true;
  }
  return false;
}

void *symbol_of(const Library &library, const char *name) {
  void *const symbol = dlsym(library.handle, name);
  if (!symbol) fail_unavailable(library.name + " has no " + name);
  return symbol;
}

void *object_of(const Library &library, const char *name) {
  void *const own = symbol_of(library, name);
  void *const seen_first = dlsym(RTLD_DEFAULT, name);
  return seen_first ? seen_first : own;
}

}  // namespace gpuopt::mpi

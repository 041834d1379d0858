// plugins/nccl/library.cpp -- see library.h.
#include "plugins/nccl/library.h"

#include <dlfcn.h>
#include <gpuopt/dlopen_note.h>

#include <cfenv>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::nccl {

GPUOPT_DLOPEN_NOTE(nccl, "nccl", "NCCL, which moves memory between NVIDIA's GPUs", "suggested", "\"libnccl.so.2\"");

namespace {

namespace fs = std::filesystem;

constexpr const char *kFile = "libnccl.so.2";
constexpr int kOldest = 21400;  // the first with communicators whose functions do not block

[[noreturn]] void fail_unavailable(gpuopt_reason reason, const std::string &why) {
  throw plugin::Failure{GPUOPT_ERR_UNAVAILABLE, reason, 0, why};
}

// Opens a library; a library that was built with -ffast-math changes the thread's floating-point modes while it is
// loaded, and these are restored.
void *opened(const std::string &file, int more = 0) {
  std::fenv_t modes;
  std::fegetenv(&modes);
  void *const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | more);
  std::fesetenv(&modes);
  return handle;
}

std::string system_message(const std::string &file) {
  const char *const words = dlerror();
  return words ? words : file + ": cannot be opened";
}

fs::path own_folder() {
  static const char own = 0;  // its address lies in this plugin's file
  Dl_info info;
  std::error_code error;
  return dladdr(&own, &info) && info.dli_fname ? fs::canonical(info.dli_fname, error).parent_path() : fs::path();
}

// Beside the plugin, in NVIDIA's Python package if the plugin lies in a folder of Python packages, in Conda's folder.
std::vector<fs::path> folders() {
  const fs::path own = own_folder();
  std::vector<fs::path> found;
  if (own.is_absolute()) found.push_back(own);
  for (fs::path at = own; at.has_relative_path(); at = at.parent_path())
    if (at.filename() == "site-packages" || at.filename() == "dist-packages") found.push_back(at / "nvidia/nccl/lib");
  if (const std::string conda = plugin::setting_text(Setting::CONDA_PREFIX); !conda.empty() && conda[0] == '/')
    found.push_back(fs::path(conda) / "lib");
  return found;
}

// Opens the file that a setting names, which is checked as plugins are.
void *opened_given(std::string &file) {
  std::error_code error;
  if (file[0] != '/') fail_unavailable(GPUOPT_REASON_UNTRUSTED_PATH, "GPUOPT_NCCL=" + file + " is no absolute path");
  if (fs::is_directory(file, error)) file = (fs::path(file) / kFile).string();
  const trusted::File checked(file, trusted::Check::kAll);
  if (!checked.opened())
    fail_unavailable(
        checked.outcome == trusted::Outcome::kUntrusted ? GPUOPT_REASON_UNTRUSTED_PATH : GPUOPT_REASON_DRIVER_MISSING,
        "GPUOPT_NCCL=" + file + ": " +
            (checked.problem.empty() ? std::string("there is no such file") : checked.problem));
  void *const handle = opened(file);
  if (!handle) fail_unavailable(GPUOPT_REASON_DRIVER_MISSING, "GPUOPT_NCCL: " + system_message(file));
  return handle;
}

void *find_handle(std::string &name) {
  name = kFile;
  if (void *const handle = opened(name, RTLD_NOLOAD)) return handle;
  if (std::string given = plugin::setting_text(Setting::GPUOPT_NCCL); !given.empty()) {
    void *const handle = opened_given(given);
    name = given;
    return handle;
  }
  std::string problems;
  std::error_code error;
  for (const fs::path &folder : folders()) {
    name = (folder / kFile).string();
    if (!fs::is_regular_file(name, error)) continue;
    if (void *const handle = opened(name)) return handle;
    problems += system_message(name) + "; ";
  }
  name = kFile;
  if (void *const handle = opened(name)) return handle;
  fail_unavailable(GPUOPT_REASON_DRIVER_MISSING, "no NCCL library: " + problems + system_message(name));
}

template <class Function>
void find_into(const Library &library, void *handle, Function *&function, const char *name) {
  function = reinterpret_cast<Function *>(dlsym(handle, name));
  if (!function) fail_unavailable(GPUOPT_REASON_DRIVER_TOO_OLD, library.name + " has no " + name);
}

std::unique_ptr<const Library> find_library() {
  auto library = std::make_unique<Library>();
  void *const handle = find_handle(library->name);
  find_into(*library, handle, library->ncclGetVersion, "ncclGetVersion");
  if (library->ncclGetVersion(&library->version) != ncclSuccess) library->version = 0;
  if (library->version < kOldest)
    fail_unavailable(GPUOPT_REASON_DRIVER_TOO_OLD, library->name + " is NCCL " + version_text(library->version) +
                                                       ", this plugin needs " + version_text(kOldest));
#define GPUOPT_NCCL_SYMBOL(result, name, args) find_into(*library, handle, library->name, #name);
#include "plugins/nccl/nccl_symbols.def"
  return library;
}

}  // namespace

const Library &nccl_library() {
  static auto *const mutex = new std::mutex;
  static const Library *library = nullptr;
  const std::lock_guard lock(*mutex);
  if (!library) library = find_library().release();
  return *library;
}

void check(ncclResult_t result, const char *what, ncclComm_t comm) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  const Library &library = nccl_library();
  const char *const words = library.ncclGetErrorString(result), *const more = library.ncclGetLastError(comm);
  std::string text = std::string(what) + ": " + (words ? words : "failed") + " (" + std::to_string(int{result}) + ")";
  if (more && *more) text += std::string(": ") + more;
  throw plugin::Failure{GPUOPT_ERR_COMM, GPUOPT_REASON_NONE, result, std::move(text)};
}

std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace gpuopt::nccl

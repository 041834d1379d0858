// plugins/cuda/driver/driver.cpp -- opening libcuda.so.1 and filling the table of its functions.
#include "plugins/cuda/driver/driver.h"

#include <atomic>
#include <filesystem>
#include <optional>

#include "plugins/cuda/driver/os.h"
#include "plugins/shared/host/settings.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::cuda {
namespace {

constexpr int kOldestVersion = 12000;  // CUDA 12.0, driver 525

// Set as soon as the table is filled, because error_name() needs it for failures in the rest of the opening.
std::atomic<const Driver *> opened_table{nullptr};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

struct DriverLibrary {
  void *handle = nullptr;
  std::string name;
};

// Opens the file that GPUOPT_CUDA_DRIVER names or, if that is not set, the first of driver_names() that can be opened.
// Throws if the file is not trusted, or none can be opened.
DriverLibrary find_library() {
  std::vector<std::string> names = driver_names();
  if (const char *const given = setting(Setting::GPUOPT_CUDA_DRIVER); given && *given) {
    if (!std::filesystem::path(given).is_absolute()) {
      fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_UNTRUSTED_PATH, 0, "GPUOPT_CUDA_DRIVER=%s is not an absolute path",
           given);
    }
    const trusted::File file(given, trusted::Check::kAll);
    if (file.outcome == trusted::Outcome::kUntrusted)
      fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_UNTRUSTED_PATH, 0, "GPUOPT_CUDA_DRIVER=%s: %s", given,
           file.problem.c_str());
    if (file.outcome == trusted::Outcome::kNoFile)
      fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_DRIVER_MISSING, 0, "GPUOPT_CUDA_DRIVER=%s: %s", given,
           file.problem.c_str());
    names = {given};
  }
  std::string first_problem;
  for (const std::string &name : names) {
    std::string problem;
    if (void *const handle = open_library(name, &problem)) return {handle, name};
    if (first_problem.empty()) first_problem = problem;
  }
  fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_DRIVER_MISSING, 0, "%s", first_problem.c_str());
}

template <typename Function>
void find_into(const DriverLibrary &library, Function *&function, const char *name) {
  function = reinterpret_cast<Function *>(find_symbol(library.handle, name));
}

// Returns the driver's version, 0 if it does not tell. This is asked before the table is checked for completeness, so
// that an old driver is reported as old, and not as a library that lacks a function.
int version_of(const Driver &table) {
  int version = 0;
  if (!table.cuDriverGetVersion || table.cuDriverGetVersion(&version) != CUDA_SUCCESS) return 0;
  return version;
}

void check_age(const Driver &table) {
  if (table.version == 0 || table.version >= kOldestVersion) return;
  fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_DRIVER_TOO_OLD, 0, "the driver supports CUDA %s, this backend needs %s",
       version_text(table.version).c_str(), version_text(kOldestVersion).c_str());
}

[[noreturn]] void fail_lacking(const DriverLibrary &library, const char *symbol) {
  fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_DRIVER_TOO_OLD, 0, "%s has no %s", library.name.c_str(), symbol);
}

void check_complete(const Driver &table, const DriverLibrary &library) {
  if (!table.cuInit) {
    fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_DRIVER_MISSING, 0, "%s is not a CUDA driver: it has no cuInit",
         library.name.c_str());
  }
#define GPUOPT_CUDA_REQUIRED true
#define GPUOPT_CUDA_OPTIONAL false
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) \
  if (GPUOPT_CUDA_##need && !table.name) fail_lacking(library, #exported);
#include "plugins/cuda/driver/driver_symbols.def"
#undef GPUOPT_CUDA_REQUIRED
#undef GPUOPT_CUDA_OPTIONAL
}

// Returns advice for errors whose description by the driver does not help; it replaces that description. "" for other
// errors.
const char *advice(CUresult code) {
  switch (code) {
    case CUDA_ERROR_NOT_INITIALIZED:
      return ": usual in a process forked from one that had CUDA in use";
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return ": another process has the device to itself (compute mode Exclusive), or computing is prohibited";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return ": a system service is not running (nvidia-fabricmanager where GPUs are joined by NVSwitch)";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return ": remove the compatibility package (cuda-compat) from the library path";
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
      return ": the Multi-Process Service this process is to use does not answer";
    case CUDA_ERROR_UNKNOWN:
      return ": the kernel modules may not be loaded (nvidia, nvidia_uvm); see the kernel's log";
    default:
      return "";
  }
}

gpuopt_reason reason_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_STUB_LIBRARY:
      return GPUOPT_REASON_DRIVER_STUB;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
      return GPUOPT_REASON_NO_DEVICE;
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return GPUOPT_REASON_DRIVER_MISMATCH;
    case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
      return GPUOPT_REASON_DRIVER_TOO_OLD;
    case CUDA_ERROR_NOT_PERMITTED:
      return GPUOPT_REASON_NO_PERMISSION;
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return GPUOPT_REASON_DEVICE_BUSY;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_UNKNOWN:
      return GPUOPT_REASON_DRIVER_NOT_READY;
    default:
      return GPUOPT_REASON_PROBE_FAILED;
  }
}

void initialise(const Driver &table) {
  const CUresult code = table.cuInit(0);
  if (code != CUDA_SUCCESS) fail_unusable(code, "cuInit");
}

struct Opening {
  Driver table;
  std::optional<Failure> failure;
  const int generation = fork_generation();

  Opening() {
    try {
      open();
    } catch (const Failure &thrown) {
      failure = thrown;
    }
  }

  void open() {
    const DriverLibrary library = find_library();
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) find_into(library, table.name, #exported);
#include "plugins/cuda/driver/driver_symbols.def"
    table.version = version_of(table);
    check_age(table);
    check_complete(table, library);
    opened_table = &table;
    initialise(table);
    if (table.version == 0) table.version = version_of(table);
  }
};

// Returns the result of opening the driver, which is never destroyed, since arrays may outlive main().
Opening &opening() {
  static Opening *const instance = new Opening;
  return *instance;
}

}  // namespace

const Driver &driver() {
  Opening &made = opening();
  if (made.failure) throw *made.failure;
  if (made.generation != fork_generation()) {
    fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_FORKED, 0, "CUDA was in use before this process forked");
  }
  return made.table;
}

void fail_unusable(CUresult code, const std::string &what) {
  const std::string text = *advice(code) ? error_name(code) + advice(code) : error_text(code);
  fail(GPUOPT_ERR_UNAVAILABLE, reason_of(code), code, "%s: %s", what.c_str(), text.c_str());
}

std::string error_text(CUresult code) {
  const Driver *const table = opened_table.load();
  const char *words = nullptr;
  if (!table || table->cuGetErrorString(code, &words) != CUDA_SUCCESS || !words) return error_name(code);
  return error_name(code) + ": " + words;
}

std::string error_name(CUresult code) {
  const char *name = nullptr;
  const Driver *const table = opened_table.load();
  if (!table || table->cuGetErrorName(code, &name) != CUDA_SUCCESS || !name) name = "CUDA error";
  return std::string(name) + " (" + std::to_string(static_cast<int>(code)) + ")";
}

}  // namespace gpuopt::cuda

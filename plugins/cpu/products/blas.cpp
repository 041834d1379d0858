// plugins/cpu/products/blas.cpp -- finds and loads a BLAS library.
#include "plugins/cpu/products/blas.h"

#include <gpuopt/dlopen_note.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>

#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/host/trusted_file.h"

namespace gpuopt::cpu {
namespace {

#if defined(_WIN32)
constexpr const char *kOpenBlas = "libopenblas.dll", *kAnyBlas = "libblas.dll";
#else
constexpr const char *kOpenBlas = "libopenblas.so.0", *kAnyBlas = "libblas.so.3";
#endif
GPUOPT_DLOPEN_NOTE(blas, "blas", "Fast matrix products", "recommended", "\"libopenblas.so.0\",\"libblas.so.3\"");

std::atomic<const char *> g_name{""};

template <typename Function>
Function symbol(void *library, const char *name) noexcept {
  return reinterpret_cast<Function>(find_symbol(library, name));
}

// Returns the name for logs: of OpenBLAS the first two words of its configuration ("OpenBLAS 0.3.21") with the file, of
// others the file.
std::string describe(void *library, const std::string &file) {
  const auto get_config = symbol<char *(*)()>(library, "openblas_get_config");
  if (!get_config) return file;
  const std::string config = get_config();
  return config.substr(0, config.find(' ', config.find(' ') + 1)) + " (" + file + ")";
}

// Returns whether OpenBLAS can be loaded safely. It starts a thread per processor when it is loaded, and reserves 128
// MiB of address space for each. If a thread is refused it ends the process by a signal, and if memory is refused it
// retries for ever.
bool has_room_for_blas() noexcept {
  constexpr uint64_t kPerThread = uint64_t{136} << 20;
  const int threads = usable_processors();
  return has_addresses((static_cast<uint64_t>(threads) + 1) * kPerThread) && can_start_threads(threads - 1);
}

std::unique_ptr<Blas> load(const std::string &file, bool only_tuned) {
  void *const library = open_library(file.c_str());
  if (!library || (only_tuned && !is_tuned_blas(library))) return nullptr;
  auto found = std::make_unique<Blas>();
  found->library = library;
  for (int type = 0; type < kBlasTypes; type++) {
    const std::string letter(1, "sdcz"[type]);
    found->gemm[type] = symbol<Gemm>(library, (letter + "gemm_").c_str());
    found->gemv[type] = symbol<Gemv>(library, (letter + "gemv_").c_str());
    if (!found->gemm[type] || !found->gemv[type]) return nullptr;
  }
  for (const char *name : {"openblas_set_num_threads", "MKL_Set_Num_Threads"}) {
    if (const auto set_threads = symbol<void (*)(int)>(library, name)) set_threads(pool_size());
  }
  found->name = describe(library, file);
  return found;
}

// Returns why the file that the user named must not be opened; "" if it may be.
std::string wish_problem(const std::string &file) {
  if (!std::filesystem::path(file).is_absolute()) return "the path is not absolute";
  return trusted::File(file, trusted::Check::kAll).problem;
}

std::unique_ptr<Blas> find() {
  const std::string wish = plugin::setting_text(Setting::GPUOPT_BLAS);
  if (wish == "none") return nullptr;
  if (!wish.empty()) {
    const std::string problem = wish_problem(wish);
    auto wished = problem.empty() ? load(wish, false) : nullptr;
    if (wished) return wished;
    plugin::warn_of_setting(
        Setting::GPUOPT_BLAS, wish,
        "is not the absolute path of a BLAS library" + (problem.empty() ? std::string() : " (" + problem + ")"));
  }
  if (!has_room_for_blas()) {
    log(GPUOPT_LOG_INFO, "cpu.blas", "no BLAS is opened: the system refuses the threads or the memory that one takes");
    return nullptr;
  }
  auto found = load(kOpenBlas, false);
  return found ? std::move(found) : load(kAnyBlas, true);
}

const Blas *find_and_log() {
  const Blas *const found = find().release();  // never freed, like the library
  g_name = found ? found->name.c_str() : "";
  log(GPUOPT_LOG_INFO, "cpu.blas",
      found ? found->name.c_str() : "no BLAS library found: matrix products by own kernels");
  return found;
}

}  // namespace

const Blas *blas() {
  static const Blas *const found = find_and_log();
  return found;
}

// By symbols that the reference implementation does not have.
bool is_tuned_blas(void *library) noexcept {
  for (const char *name : {"openblas_get_config", "MKL_Get_Version", "bli_info_get_version_str", "ATL_buildinfo",
                           "flexiblas_get_version", "armplversion"}) {
    if (find_symbol(library, name)) return true;
  }
  return false;
}

const char *blas_name() noexcept { return g_name; }

}  // namespace gpuopt::cpu

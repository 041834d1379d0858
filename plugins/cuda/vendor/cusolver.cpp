// plugins/cuda/vendor/cusolver.cpp -- opening cuSOLVER, its handle, and what its statuses mean.
#include "plugins/cuda/vendor/cusolver.h"

#include <algorithm>

#include "plugins/cuda/driver/os.h"

namespace gpuopt::cuda {
namespace {

// Returns the CUDA that a cuSOLVER is of, the oldest where there are several: its major version is one behind from
// CUDA 13 on, and was 11 in CUDA 11 and 12, which all drivers that this backend takes have.
int cuda_of_solver(int major) noexcept { return std::max(major, 11) + 1; }

// Fills `table` with the functions of a library. Returns "" if it is suitable, else why not.
std::string open_solver_table(void *handle, int driver_version, CusolverTable &table) {
#define GPUOPT_CUSOLVER_SYMBOL(result, name, args)                                 \
  table.name = reinterpret_cast<decltype(table.name)>(find_symbol(handle, #name)); \
  if (!table.name) return "it has no " #name;
#include "plugins/cuda/vendor/cusolver_symbols.def"
  int major = 0;
  if (table.cusolverGetProperty(MAJOR_VERSION, &major) != CUSOLVER_STATUS_SUCCESS)
    return "it does not tell its version";
  const int cuda = cuda_of_solver(major), known = driver_version / 1000;
  if (cuda > known)
    return "it is of CUDA " + std::to_string(cuda) + ", newer than the driver's " + std::to_string(known);
  return "";
}

// Returns "12.1.2 (/usr/local/cuda/lib64/libcusolver.so.12)".
std::string describe_solver(const CusolverTable &table) {
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (table.cusolverGetProperty(part, &value) == CUSOLVER_STATUS_SUCCESS)
      version += (version.empty() ? "" : ".") + std::to_string(value);
  }
  return version + " (" + file_of(reinterpret_cast<const void *>(table.cusolverGetProperty)) + ")";
}

struct FoundSolver {
  CusolverTable table;
  std::string problem;
};

// Returns the cuSOLVER of this process, or why there is none; the first call searches for it.
const FoundSolver &found_solver() {
  static const FoundSolver *const once = [] {
    auto *const made = new FoundSolver;
    made->table = find_cusolver(process_search(), driver().version, made->problem);
    const std::string said = made->problem.empty() ? describe_solver(made->table) : made->problem;
    log(GPUOPT_LOG_INFO, "cuda.cusolver", said.c_str());
    return made;
  }();
  return *once;
}

const char *name_of_status(cusolverStatus_t status) noexcept {
  switch (status) {
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default:
      return "status";
  }
}

// Returns "cusolverDnXgetrf: CUSOLVER_STATUS_INTERNAL_ERROR (7)".
std::string text_of_status(const char *function, cusolverStatus_t status) {
  return std::string(function) + ": " + name_of_status(status) + " (" + std::to_string(status) + ")";
}

gpuopt_status code_of_status(cusolverStatus_t status) noexcept {
  switch (status) {
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return GPUOPT_ERR_OUT_OF_MEMORY;
    case CUSOLVER_STATUS_ARCH_MISMATCH:
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return GPUOPT_ERR_UNSUPPORTED;
    default:
      return GPUOPT_ERR_INTERNAL;
  }
}

}  // namespace

CusolverTable find_cusolver(const SearchInput &input, int driver_version, std::string &problem) {
  CusolverTable table;
  const OpenedLibrary opened = search_library(
      Library::cusolver, input, [&](void *handle) { return open_solver_table(handle, driver_version, table); });
  if (opened.handle) {
    problem.clear();
    return table;
  }
  problem = "no cuSOLVER (" + library_names(Library::cusolver) +
            ") works here: " + (opened.tried.empty() ? "none was found" : opened.tried);
  return {};
}

Cusolver::~Cusolver() {
  if (!usable(device_)) return;
  if (params_) table_->cusolverDnDestroyParams(params_);
  if (handle_) table_->cusolverDnDestroy(handle_);
}

// Creates what is not there yet: where memory is short, one of the two may be left from an earlier try.
void Cusolver::create() {
  cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;
  const char *function = "cusolverDnCreate";
  if (!handle_) status = table_->cusolverDnCreate(&handle_);
  if (status != CUSOLVER_STATUS_SUCCESS) {
    handle_ = nullptr;
  } else if (!params_) {
    function = "cusolverDnCreateParams";
    status = table_->cusolverDnCreateParams(&params_);
    if (status != CUSOLVER_STATUS_SUCCESS) params_ = nullptr;
  }
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  const std::string text = "cuda:" + std::to_string(device_.index) + ": " + text_of_status(function, status);
  if (status == CUSOLVER_STATUS_ALLOC_FAILED) fail(GPUOPT_ERR_OUT_OF_MEMORY, "linalg: %s", text.c_str());
  problem_ = text;
}

void Cusolver::open() {
  if (handle_ && params_) return;
  if (problem_.empty()) problem_ = found_solver().problem;
  if (problem_.empty()) {
    table_ = &found_solver().table;
    create();
  }
  if (!problem_.empty()) fail(GPUOPT_ERR_UNSUPPORTED, "linalg: %s", problem_.c_str());
}

Cusolver::Use::Use(Cusolver &solver, Stream &stream) : solver_(solver), stream_(stream), lock_(solver.mutex_) {
  solver.open();
  check(table().cusolverDnSetStream(handle(), stream.handle), "cusolverDnSetStream");
}

void Cusolver::Use::check(cusolverStatus_t status, const char *name) const {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  // The cause may be an error of earlier work, which waiting for the stream shows.
  check_stream(solver_.device_, stream_, driver().cuStreamSynchronize(stream_.handle), "linalg");
  fail(code_of_status(status), GPUOPT_REASON_NONE, static_cast<int32_t>(status), "cuda:%d: linalg: cuSOLVER says %s",
       solver_.device_.index, text_of_status(name, status).c_str());
}

}  // namespace gpuopt::cuda

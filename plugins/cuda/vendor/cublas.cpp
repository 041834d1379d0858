// plugins/cuda/vendor/cublas.cpp -- opening cuBLAS, and calling it.
#include "plugins/cuda/vendor/cublas.h"

#include "plugins/cuda/driver/os.h"

namespace gpuopt::cuda {
namespace {

// Fills `table` with the functions of a library. Returns "" if it is suitable, else why not.
std::string open_table(void *handle, int driver_version, CublasTable &table) {
#define GPUOPT_CUBLAS_SYMBOL(result, name, args)                                   \
  table.name = reinterpret_cast<decltype(table.name)>(find_symbol(handle, #name)); \
  if (!table.name) return "it has no " #name;
#include "plugins/cuda/vendor/cublas_symbols.def"
  int major = 0;
  if (table.cublasGetProperty(MAJOR_VERSION, &major) != CUBLAS_STATUS_SUCCESS) return "it does not tell its version";
  if (major > driver_version / 1000)
    return "it is of CUDA " + std::to_string(major) + ", newer than the driver's " +
           std::to_string(driver_version / 1000);
  return "";
}

// Returns "13.1.2 (/usr/local/cuda/lib64/libcublas.so.13)".
std::string describe(const CublasTable &table) {
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (table.cublasGetProperty(part, &value) == CUBLAS_STATUS_SUCCESS)
      version += (version.empty() ? "" : ".") + std::to_string(value);
  }
  return version + " (" + file_of(reinterpret_cast<const void *>(table.cublasGetProperty)) + ")";
}

struct Found {
  CublasTable table;
  std::string problem;
};

// Returns the cuBLAS of this process, or why there is none; the first call searches for it.
const Found &found() {
  static const Found *const once = [] {
    auto *const made = new Found;
    made->table = find_cublas(process_search(), driver().version, made->problem);
    const std::string said = made->problem.empty() ? describe(made->table) : made->problem;
    log(GPUOPT_LOG_INFO, "cuda.cublas", said.c_str());
    return made;
  }();
  return *once;
}

std::string status_text(const CublasTable &table, cublasStatus_t status) {
  return std::string(table.cublasGetStatusName(status)) + " (" + std::to_string(status) + ")";
}

gpuopt_status code_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_ALLOC_FAILED:
      return GPUOPT_ERR_OUT_OF_MEMORY;
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return GPUOPT_ERR_UNSUPPORTED;
    default:
      return GPUOPT_ERR_INTERNAL;
  }
}

// The types with which cuBLAS multiplies matrices of a dtype.
struct Arithmetic {
  cudaDataType type;
  cublasComputeType_t compute;
  bool wide;  // alpha and beta are double
};

Arithmetic arithmetic_of(int32_t dtype) {
  switch (dtype) {
    case GPUOPT_FLOAT16:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F, false};
    case GPUOPT_BFLOAT16:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F, false};
    case GPUOPT_FLOAT32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F, false};
    case GPUOPT_FLOAT64:
      return {CUDA_R_64F, CUBLAS_COMPUTE_64F, true};
    case GPUOPT_COMPLEX64:
      return {CUDA_C_32F, CUBLAS_COMPUTE_32F, false};
    default:
      return {CUDA_C_64F, CUBLAS_COMPUTE_64F, true};
  }
}

// Returns the size of the workspace, as NVIDIA recommends it for its faster kernels.
uint64_t workspace_bytes(const Device &device) { return uint64_t{device.capability >= 90 ? 32u : 4u} << 20; }

cublasStatus_t call_gemm(const CublasTable &table, cublasHandle_t handle, const Gemm &g) {
  static constexpr float kSingle[] = {1, 0, 0};  // as complex numbers, 1 begins at the first, 0 at the second
  static constexpr double kDouble[] = {1, 0, 0};
  const auto [type, compute, wide] = arithmetic_of(g.dtype);
  const void *const one = wide ? static_cast<const void *>(kDouble) : kSingle;
  const void *const zero = wide ? static_cast<const void *>(kDouble + 1) : kSingle + 1;
  const auto op = [](const Gemm::Operand &x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const auto at = [](const Gemm::Operand &x) { return reinterpret_cast<void *>(x.address); };
  return table.cublasGemmStridedBatchedEx_64(handle, op(g.a), op(g.b), g.m, g.n, g.k, one, at(g.a), type, g.a.leading,
                                             g.a.stride, at(g.b), type, g.b.leading, g.b.stride, zero, at(g.c), type,
                                             g.c.leading, g.c.stride, g.count, compute, CUBLAS_GEMM_DEFAULT);
}

}  // namespace

CublasTable find_cublas(const SearchInput &input, int driver_version, std::string &problem) {
  CublasTable table;
  const OpenedLibrary opened =
      search_library(Library::cublas, input, [&](void *handle) { return open_table(handle, driver_version, table); });
  if (opened.handle) {
    problem.clear();
    return table;
  }
  problem = "no cuBLAS (" + library_names(Library::cublas) +
            ") works here: " + (opened.tried.empty() ? "none was found" : opened.tried);
  return {};
}

Cublas::~Cublas() {
  if (handle_ && usable(device_)) table_->cublasDestroy_v2(handle_);
}

void Cublas::open() {
  if (handle_) return;
  if (problem_.empty()) problem_ = found().problem;
  if (!problem_.empty()) fail(GPUOPT_ERR_UNSUPPORTED, "matmul: %s", problem_.c_str());
  table_ = &found().table;
  const cublasStatus_t status = table_->cublasCreate_v2(&handle_);
  if (status == CUBLAS_STATUS_SUCCESS) {
    table_->cublasSetMathMode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    return;
  }
  handle_ = nullptr;
  const std::string text = "cuda:" + std::to_string(device_.index) + ": cublasCreate: " + status_text(*table_, status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) fail(GPUOPT_ERR_OUT_OF_MEMORY, "matmul: %s", text.c_str());
  problem_ = text;
  fail(GPUOPT_ERR_UNSUPPORTED, "matmul: %s", text.c_str());
}

// Allocates a workspace for one call. Leaves it empty if memory is short: cuBLAS has a smaller one of its own, and
// slower kernels that need none.
void Cublas::find_workspace(Stream &stream, std::optional<Scratch> &workspace) {
  try {
    workspace.emplace(device_, stream, workspace_bytes(device_));
  } catch (const Failure &failure) {
    if (failure.code != GPUOPT_ERR_OUT_OF_MEMORY) throw;
    log(GPUOPT_LOG_DEBUG, "cuda.no_workspace", failure.message.c_str());
  }
}

void Cublas::multiply(Stream &stream, const Gemm &gemm) {
  std::optional<Scratch> workspace;
  find_workspace(stream, workspace);
  const std::lock_guard lock(mutex_);  // the handle has one stream and one workspace at a time
  open();
  cublasStatus_t status = table_->cublasSetStream_v2(handle_, stream.handle);
  if (status == CUBLAS_STATUS_SUCCESS && workspace)  // after the stream, which resets the workspace to cuBLAS's own
    status = table_->cublasSetWorkspace_v2(handle_, reinterpret_cast<void *>(workspace->address()),
                                           workspace_bytes(device_));
  if (status == CUBLAS_STATUS_SUCCESS) status = call_gemm(*table_, handle_, gemm);
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // The cause may be an error of earlier work, which waiting for the stream shows.
  check_stream(device_, stream, driver().cuStreamSynchronize(stream.handle), "matmul");
  fail(code_of(status), GPUOPT_REASON_NONE, static_cast<int32_t>(status), "cuda:%d: matmul: cuBLAS says %s",
       device_.index, status_text(*table_, status).c_str());
}

}  // namespace gpuopt::cuda

// tests/fake_cuda/cublas.cpp -- a libcublas.so.13 whose products are kernels of the fake driver, in stream order.
//
// It refuses what cuBLAS refuses, and a product without a workspace set after its stream: the plugin gives one with
// each, as long as there is memory. Settings, read at each call:
//   FAKE_CUBLAS_MAJOR      the CUDA version it is of (13)
//   FAKE_CUBLAS_CREATE     what cublasCreate answers (0)
//   FAKE_CUBLAS_GEMM       what a product answers (0)
//   FAKE_CUBLAS_WORKSPACE  what it wants: 1 one that was set, 0 none, 2 either (1)
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "plugins/cuda/compile/nvrtc_types.h"
#include "plugins/cuda/vendor/cublas_types.h"

extern "C" {
#define GPUOPT_CUBLAS_SYMBOL(result, name, args) __attribute__((visibility("default"))) result name args;
#include "plugins/cuda/vendor/cublas_symbols.def"
}

struct cublasContext {
  CUstream stream = nullptr;
  bool has_workspace = false;
  std::map<cudaDataType, CUfunction> kernels;
  std::vector<CUmodule> modules;
};

namespace {

constexpr cublasStatus_t kInvalidValue = cublasStatus_t(7), kInternalError = cublasStatus_t(14);

int setting(const char *name, int standard) {
  const char *const value = std::getenv(name);
  return value ? std::atoi(value) : standard;
}

// A function of the library of this name beside this one.
template <typename F>
F *function_of(const char *library, const char *name) {
  Dl_info here;
  dladdr(reinterpret_cast<void *>(&setting), &here);
  const std::string path = here.dli_fname;
  void *const handle = dlopen((path.substr(0, path.rfind('/') + 1) + library).c_str(), RTLD_NOW | RTLD_LOCAL);
  void *const found = handle ? dlsym(handle, name) : nullptr;
  if (!found) std::fprintf(stderr, "fake cublas: no %s in %s\n", name, library), std::abort();
  return reinterpret_cast<F *>(found);
}
#define CUDA(name, ...) function_of<CUresult(__VA_ARGS__)>("libcuda.so.1", #name)
#define NVRTC(name, ...) function_of<nvrtcResult(__VA_ARGS__)>("libnvrtc.so.13", #name)

std::string read_file(const std::string &name) {
  std::ifstream file(std::string(FAKE_CUDA_SOURCE) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A thread for each element of c; words as launch_gemm gives them.
const char *const kKernel = R"(
#include "plugins/cuda/text/words.h"
#include "plugins/shared/casts.h"
using namespace gpo;
template <class S> S times(S x, S y) { return x * y; }
template <class R> cplx<R> times(cplx<R> x, cplx<R> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class S> S plus(S x, S y) { return x + y; }
template <class R> cplx<R> plus(cplx<R> x, cplx<R> y) { return {x.re + y.re, x.im + y.im}; }
template <class S, class T> S widened(T x) { if constexpr (is_half<T>) return cast<float>(x); else return x; }
template <class T, class S> T narrowed(S x) { if constexpr (is_half<T>) return cast<T>(x); else return x; }
template <class T> void gemm(const Words<14> &p) {
  using S = conditional<is_half<T>, float, T>;
  const i64 m = p.w[0], n = p.w[1], k = p.w[2], i = i64(blockIdx.x) * 256 + threadIdx.x;
  const i64 row = i % m, col = i / m % n, batch = i / m / n;
  if (batch >= i64(p.w[12])) return;
  const bool ta = p.w[13] & 1, tb = p.w[13] & 2;
  const T *a = (const T *)p.w[3] + batch * i64(p.w[5]), *b = (const T *)p.w[6] + batch * i64(p.w[8]);
  const i64 lda = p.w[4], ldb = p.w[7];
  S sum = {};
  for (i64 j = 0; j < k; ++j)
    sum = plus(sum, times(widened<S>(a[ta ? j + row * lda : row + j * lda]),
                          widened<S>(b[tb ? col + j * ldb : j + col * ldb])));
  ((T *)p.w[9])[batch * i64(p.w[11]) + row + col * i64(p.w[10])] = narrowed<T>(sum);
}
extern "C" __global__ void fake_gemm(const Words<14> p) { gemm<ELEMENT>(p); }
)";

const char *element_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return "float16";
    case CUDA_R_16BF:
      return "bfloat16";
    case CUDA_R_32F:
      return "float";
    case CUDA_R_64F:
      return "double";
    case CUDA_C_32F:
      return "c64";
    case CUDA_C_64F:
      return "c128";
  }
  return nullptr;
}

size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 2;
  }
}

std::string compiled(const char *element) {
  const std::string names[] = {"plugins/cuda/text/words.h", "plugins/shared/casts.h", "plugins/shared/prelude.h"};
  std::string texts[3];
  const char *name_list[3], *text_list[3];
  for (int i = 0; i < 3; i++) {
    texts[i] = read_file(names[i]);
    name_list[i] = names[i].c_str(), text_list[i] = texts[i].c_str();
  }
  const std::string text = std::string("#define ELEMENT ") + element + "\n" + kKernel;
  nvrtcProgram program = nullptr;
  NVRTC(nvrtcCreateProgram, nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *)
  (&program, text.c_str(), "fake_gemm.cu", 3, text_list, name_list);
  const char *const options[] = {"-arch=sm_90", "-std=c++17", "-fmad=false"};
  const nvrtcResult result = NVRTC(nvrtcCompileProgram, nvrtcProgram, int, const char *const *)(program, 3, options);
  size_t bytes = 0;
  if (result == NVRTC_SUCCESS) NVRTC(nvrtcGetCUBINSize, nvrtcProgram, size_t *)(program, &bytes);
  std::string image(bytes, '\0');
  if (bytes) NVRTC(nvrtcGetCUBIN, nvrtcProgram, char *)(program, image.data());
  NVRTC(nvrtcDestroyProgram, nvrtcProgram *)(&program);
  return image;
}

CUfunction kernel_of(cublasContext &handle, cudaDataType type) {
  CUfunction &kernel = handle.kernels[type];
  if (kernel) return kernel;
  const std::string image = compiled(element_of(type));
  CUmodule module = nullptr;
  if (image.empty() || CUDA(cuModuleLoadDataEx, CUmodule *, const void *, unsigned, CUjit_option *, void **)(
                           &module, image.c_str(), 0, nullptr, nullptr) != CUDA_SUCCESS)
    return nullptr;
  handle.modules.push_back(module);
  CUDA(cuModuleGetFunction, CUfunction *, CUmodule, const char *)(&kernel, module, "fake_gemm");
  return kernel;
}

bool is_one_and_zero(const void *alpha, const void *beta, bool wide) {
  if (wide) return *static_cast<const double *>(alpha) == 1 && *static_cast<const double *>(beta) == 0;
  return *static_cast<const float *>(alpha) == 1 && *static_cast<const float *>(beta) == 0;
}

}  // namespace

const char *cublasGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_ALLOC_FAILED    ? "CUBLAS_STATUS_ALLOC_FAILED"
         : status == CUBLAS_STATUS_NOT_SUPPORTED ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                                 : "CUBLAS_STATUS_OTHER";
}

cublasStatus_t cublasGetProperty(libraryPropertyType part, int *value) {
  *value = part == MAJOR_VERSION ? setting("FAKE_CUBLAS_MAJOR", 13) : static_cast<int>(part);  // 13.1.2
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  if (const int status = setting("FAKE_CUBLAS_CREATE", 0)) return cublasStatus_t(status);
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  for (CUmodule module : handle->modules) CUDA(cuModuleUnload, CUmodule)(module);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  handle->stream = stream;
  handle->has_workspace = false;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(workspace) % 256) return kInvalidValue;
  handle->has_workspace = workspace && bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op,
                                             int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                                             cudaDataType a_type, int64_t a_leading, long long a_stride, const void *b,
                                             cudaDataType b_type, int64_t b_leading, long long b_stride,
                                             const void *beta, void *c, cudaDataType c_type, int64_t c_leading,
                                             long long c_stride, int64_t count, cublasComputeType_t compute,
                                             cublasGemmAlgo_t) {
  if (const int status = setting("FAKE_CUBLAS_GEMM", 0)) return cublasStatus_t(status);
  const bool wide = c_type == CUDA_R_64F || c_type == CUDA_C_64F;
  const int wanted = setting("FAKE_CUBLAS_WORKSPACE", 1);
  if (wanted < 2 && handle->has_workspace != (wanted == 1)) return kInvalidValue;
  if (!element_of(c_type) || a_type != c_type || b_type != c_type) return kInvalidValue;
  for (const void *const matrix : {a, b, static_cast<const void *>(c)})
    if (reinterpret_cast<uintptr_t>(matrix) % bytes_of(c_type)) return kInvalidValue;
  if (compute != (wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F)) return kInvalidValue;
  if (m < 1 || n < 1 || k < 1 || count < 1 || c_leading < m || !is_one_and_zero(alpha, beta, wide))
    return kInvalidValue;
  if (a_leading < (a_op == CUBLAS_OP_T ? k : m) || b_leading < (b_op == CUBLAS_OP_T ? n : k)) return kInvalidValue;
  const CUfunction kernel = kernel_of(*handle, c_type);
  if (!kernel) return kInternalError;
  const auto word = [](auto value) { return (unsigned long long)(value); };
  unsigned long long words[14] = {word(m),         word(n),
                                  word(k),         word(a),
                                  word(a_leading), word(a_stride),
                                  word(b),         word(b_leading),
                                  word(b_stride),  word(c),
                                  word(c_leading), word(c_stride),
                                  word(count),     word(a_op | b_op << 1)};
  void *arguments[] = {words};
  const CUresult result = CUDA(cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, CUstream, void **, void **)(
      kernel, unsigned((m * n * count + 255) / 256), 1, 1, 256, 1, 1, 0, handle->stream, arguments, nullptr);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return CUBLAS_STATUS_ALLOC_FAILED;
  return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : kInternalError;
}

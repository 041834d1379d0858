// plugins/cuda/vendor/cublas.h -- cuBLAS, found at the first product, and its state on one device.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "plugins/cuda/driver/library_search.h"
#include "plugins/cuda/memory/stream.h"
#include "plugins/cuda/vendor/cublas_types.h"

namespace gpuopt::cuda {

struct CublasTable {
#define GPUOPT_CUBLAS_SYMBOL(result, name, args) result(*name) args = nullptr;
#include "plugins/cuda/vendor/cublas_symbols.def"
};

// Returns the functions of the first cuBLAS that has all of them and is not of a newer CUDA than the driver. `problem`
// becomes "", or the reason why there is none.
CublasTable find_cublas(const SearchInput &input, int driver_version, std::string &problem);

// A batch of matrix products c = a b in BLAS's column-major order: a is of m x k, b of k x n, c of m x n, all of one
// floating-point dtype.
struct Gemm {
  struct Operand {
    uint64_t address;
    int64_t leading, stride;  // in elements: leading dimension; from matrix to matrix, 0 if all are the same
    bool transposed;          // never for c
  };
  int32_t dtype;
  int64_t m, n, k, count;
  Operand a, b, c;
};

// cuBLAS's handle for one device, created at the first product. Safe from any thread. What was found is logged, once
// (event cuda.cublas).
class Cublas {
 public:
  explicit Cublas(Device &device) : device_(device) {}
  ~Cublas();  // the context is current, if the device is usable

  // Launches the product on the stream, with the context current. float32 is computed in float32, 16-bit floats are
  // summed in it. Throws ERR_UNSUPPORTED, with what was tried, if there is no cuBLAS that works here.
  void multiply(Stream &stream, const Gemm &gemm);

 private:
  void open();
  void find_workspace(Stream &stream, std::optional<Scratch> &workspace);

  Device &device_;
  std::mutex mutex_;
  const CublasTable *table_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  std::string problem_;  // why there is no handle
};

}  // namespace gpuopt::cuda

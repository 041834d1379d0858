// plugins/cuda/vendor/cusolver.h -- cuSOLVER, found at the first decomposition that is left to it, and its state on
// one device.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "plugins/cuda/driver/library_search.h"
#include "plugins/cuda/memory/stream.h"
#include "plugins/cuda/vendor/cusolver_types.h"

namespace gpuopt::cuda {

struct CusolverTable {
#define GPUOPT_CUSOLVER_SYMBOL(result, name, args) result(*name) args = nullptr;
#include "plugins/cuda/vendor/cusolver_symbols.def"
};

// Returns the functions of the first cuSOLVER that has all of them and is not of a newer CUDA than the driver.
// `problem` becomes "", or the reason why there is none.
CusolverTable find_cusolver(const SearchInput &input, int driver_version, std::string &problem);

// cuSOLVER's handle for one device, created at the first use. Safe from any thread. What was found is logged, once
// (event cuda.cusolver).
class Cusolver {
 public:
  explicit Cusolver(Device &device) : device_(device) {}
  ~Cusolver();  // the context is current, if the device is usable

  // The functions and the handle while one call uses them, on its stream. Other calls wait, since a handle has one
  // stream at a time.
  class Use {
   public:
    // The context is current. Throws ERR_UNSUPPORTED, with what was tried, if there is no cuSOLVER that works here.
    Use(Cusolver &solver, Stream &stream);

    // Throws the Failure that the status of a function means; `name` is what cuSOLVER calls it.
    void check(cusolverStatus_t status, const char *name) const;
    const CusolverTable &table() const noexcept { return *solver_.table_; }
    cusolverDnHandle_t handle() const noexcept { return solver_.handle_; }
    cusolverDnParams_t params() const noexcept { return solver_.params_; }

   private:
    Cusolver &solver_;
    Stream &stream_;
    const std::lock_guard<std::mutex> lock_;
  };

 private:
  void open();
  void create();

  Device &device_;
  std::mutex mutex_;
  const CusolverTable *table_ = nullptr;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  std::string problem_;  // why there is no handle
};

}  // namespace gpuopt::cuda

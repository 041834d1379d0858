// plugins/cuda/vendor/cufft.h -- cuFFT, found at the first transform that is left to it, and its plans on one device.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>

#include "plugins/cuda/driver/library_search.h"
#include "plugins/cuda/memory/stream.h"
#include "plugins/cuda/vendor/cufft_types.h"

namespace gpuopt::cuda {

struct CufftTable {
#define GPUOPT_CUFFT_SYMBOL(result, name, args) result(*name) args = nullptr;
#include "plugins/cuda/vendor/cufft_symbols.def"
};

// Returns the functions of the first cuFFT that has all of them and is not of a newer CUDA than the driver. `problem`
// becomes "", or the reason why there is none.
CufftTable find_cufft(const SearchInput &input, int driver_version, std::string &problem);

// Transforms of `count` lines along one axis, out of place. Distances count elements of the side they are of.
struct CufftLines {
  struct Side {
    int64_t step, next;  // from element to element of a line; from line to line
    bool operator==(const Side &) const = default;
  };
  cufftType type;
  int64_t n, count;  // n: real elements of a line, if either side is real
  Side from, to;
  bool operator==(const CufftLines &) const = default;
};

// The plans for one device that were used last, each made at its first use. Safe from any thread. What was found is
// logged, once in a process (event cuda.cufft).
class Cufft {
 public:
  explicit Cufft(Device &device) : device_(device) {}
  ~Cufft();  // the context is current, if the device is usable
  Cufft(const Cufft &) = delete;
  Cufft &operator=(const Cufft &) = delete;

  // Whether there is a cuFFT that works here.
  static bool is_there();

  // Launches the transforms on the stream, without scaling them, with the context current; is_there() is true. The
  // addresses are aligned to the elements; `from` is overwritten where complex numbers become real ones. Returns
  // whether cuFFT takes such lines at all: nothing is launched if not. Throws the Failure that any other refusal means.
  bool transform(Stream &stream, const CufftLines &lines, bool inverse, CUdeviceptr from, CUdeviceptr to);

 private:
  struct Plan {
    CufftLines lines;
    cufftHandle handle;
    size_t work_bytes;
  };
  static constexpr size_t kMostPlans = 32;

  const Plan *find_plan(Stream &stream, const CufftLines &lines);
  bool make_plan(Stream &stream, Plan &plan);
  void check(Stream &stream, cufftResult result, const char *name) const;

  Device &device_;
  std::mutex mutex_;
  std::list<Plan> plans_;  // the latest first
};

}  // namespace gpuopt::cuda

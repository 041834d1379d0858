// core/engine/library_call.h -- calls of the slots that take a gpuopt_call: matmul, gather, scatter, random.
#pragma once
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/submit.h"

namespace gpuopt {

// Collects the operands of one call and makes it on `stream`, after what other streams do with them. The arrays must
// outlive it.
class LibraryCall {
 public:
  LibraryCall(int32_t kind, gpuopt_stream stream) : kind_(kind), stream_(stream) {}
  LibraryCall &input(gpuopt_array x);   // runs what x waits for
  LibraryCall &output(gpuopt_array x);  // and what waits to read it
  LibraryCall &integer(int64_t i) {
    ints_.push_back(i);
    return *this;
  }
  LibraryCall &number(double f) {
    floats_.push_back(f);
    return *this;
  }
  LibraryCall &state(void *memory, size_t bytes);
  // Failures are thrown, `operation` in front.
  void run(const char *operation, CallSlot gpuopt_plugin_api::*slot);
  // Launches a user kernel instead; it may be done several times.
  void launch(const char *operation, gpuopt_plugin_kernel *kernel, const gpuopt_kernel_launch &launch);
  int64_t integer_at(size_t k) const { return ints_[k]; }  // also what the call left there

 private:
  void enter_again();

  const int32_t kind_;
  const gpuopt_stream stream_;
  std::vector<gpuopt_array> arrays_;
  std::vector<bool> written_;  // for each: is it an output?
  std::vector<int64_t> ints_;
  std::vector<double> floats_;
  void *state_ = nullptr;
  size_t state_bytes_ = 0;
};

// Throws ERR_DEVICE_MISMATCH unless all arrays are on one device, ERR_INVALID_ARGUMENT for a weak scalar.
void check_same_device(const char *operation, std::initializer_list<gpuopt_array> arrays);

}  // namespace gpuopt

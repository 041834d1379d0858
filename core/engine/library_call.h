// core/engine/library_call.h -- calls plugin slots that take a gpuopt_call (matmul, gather, scatter, random), and
// launches kernels, with arrays as operands.
#pragma once
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/submit.h"

namespace gpuopt {

// Collects the operands of one call, in the order that its kind documents (gpuopt_plugin.h), and makes it on `stream`,
// which waits for other streams that use the operands. The caller keeps the arrays alive and need not hold
// Engine::mutex.
class LibraryCall {
 public:
  LibraryCall(int32_t kind, gpuopt_stream stream) : kind_(kind), stream_(stream) {}
  LibraryCall &input(gpuopt_array x);   // evaluates x
  LibraryCall &output(gpuopt_array x);  // evaluates x, and runs what has yet to read it
  LibraryCall &integer(int64_t i) {
    ints_.push_back(i);
    return *this;
  }
  LibraryCall &number(double f) {
    floats_.push_back(f);
    return *this;
  }
  // The state of a random generator, in host memory. It changes only if run() succeeds.
  LibraryCall &state(void *memory, size_t bytes);
  // Calls the slot, or the CPU backend's if the backend does not offer the call (submit.h). Throws Failure;
  // `operation` opens its message.
  void run(const char *operation, CallSlot gpuopt_plugin_api::*slot);
  // Launches a user's kernel with the arrays as operands, instead of run(). May be called several times.
  void launch(const char *operation, gpuopt_plugin_kernel *kernel, const gpuopt_kernel_launch &launch);
  // The k-th integer; after run(), the value that the slot left there.
  int64_t integer_at(size_t k) const { return ints_[k]; }

 private:
  void enter_again();

  const int32_t kind_;
  const gpuopt_stream stream_;
  std::vector<gpuopt_array> arrays_;
  std::vector<bool> written_;  // for each array, whether it is an output
  std::vector<int64_t> ints_;
  std::vector<double> floats_;
  void *state_ = nullptr;
  size_t state_bytes_ = 0;
};

// Throws ERR_DEVICE_MISMATCH unless all arrays (at least one) are on one device, ERR_INVALID_ARGUMENT for a weak
// scalar.
void check_same_device(const char *operation, std::initializer_list<gpuopt_array> arrays);

}  // namespace gpuopt

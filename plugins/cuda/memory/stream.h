// plugins/cuda/memory/stream.h -- a stream: an ordered queue of the device, and the operations that were launched on it
// since it was last synchronised.
#pragma once

#include "plugins/cuda/plugin/device.h"

namespace gpuopt::cuda {
class Staging;  // staging.h: pinned memory through which copies from and to the host pass
}

struct gpuopt_plugin_stream {
  CUstream handle = nullptr;
  // The operations launched since the last synchronisation, for the message of an error that surfaces later: their
  // number, and the names of the last kKept.
  struct Launches {
    static constexpr int kKept = 8;
    const char *names[kKept] = {};  // static strings or strings that live as long as the device's kernels
    uint64_t count = 0;
    void note(const char *name) { names[count++ % kKept] = name; }
  } launches;
  std::unique_ptr<gpuopt::cuda::Staging> staging;

  gpuopt_plugin_stream();
  ~gpuopt_plugin_stream();
};

namespace gpuopt::cuda {

using Stream = gpuopt_plugin_stream;

// Does what check() does, with a message that also names the operations launched on the stream since it was last
// synchronised.
void check_stream(Device &device, Stream &stream, CUresult code, const char *what);

// Stream-ordered scratch memory of one call, freed in stream order when it goes out of scope; address 0 if no bytes
// are asked for. The context is current. Throws ERR_OUT_OF_MEMORY.
class Scratch {
 public:
  Scratch(Device &device, Stream &stream, uint64_t bytes);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  CUdeviceptr address() const { return address_; }

 private:
  Device &device_;
  Stream &stream_;
  CUdeviceptr address_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace gpuopt::cuda

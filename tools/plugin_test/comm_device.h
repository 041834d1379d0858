// tools/plugin_test/comm_device.h -- the device of a rank, whose memory a communication plugin moves: that of a
// backend's plugin, which is taken to keep its own rules.
#pragma once
#include <string>
#include <vector>

#include "tools/plugin_test/loaded.h"

namespace gpuopt::plugin_test {

// Device 0 of a backend. Functions that fail return NULL, or false, and then problem() says why.
class CommDevice {
 public:
  explicit CommDevice(const std::string &path);
  CommDevice(const CommDevice &) = delete;
  CommDevice &operator=(const CommDevice &) = delete;
  ~CommDevice();
  const std::string &problem() const { return problem_; }

  // New memory with these bytes, which are there when this returns. It lives as long as the object.
  void *memory_with(const std::vector<unsigned char> &bytes);
  // Reads as many bytes as there are.
  bool read(const void *memory, std::vector<unsigned char> &bytes);

 private:
  struct Block {
    void *memory;
    uint64_t bytes;
  };
  // Calls a slot, with an error as its last argument.
  template <class Slot, class... Arguments>
  bool call(const char *name, Slot slot, Arguments... arguments) {
    if (!problem_.empty()) return false;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_status status = call_slot([&] { return slot(arguments..., &error); }, &problem_);
    if (problem_.empty() && status != GPUOPT_OK)
      problem_ = std::string("the backend's ") + name + ": " + said(status, error);
    return problem_.empty();
  }

  const gpuopt_plugin_api *api_ = nullptr;
  gpuopt_plugin_device *device_ = nullptr;
  gpuopt_plugin_stream *stream_ = nullptr;
  std::vector<Block> blocks_;
  std::string problem_;
};

}  // namespace gpuopt::plugin_test

// core/device/pe_image.h -- is this image a library that Windows can map for this process? The format's part, for any
// system.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace gpuopt {

// Bytes at any position of a file.
struct PeSource {
  // Copies `bytes` bytes at `offset` to `to`; false if they could not be read. Called only for ranges inside `size`.
  std::function<bool(uint64_t offset, void *to, size_t bytes)> read;
  uint64_t size = 0;
};

// What is wrong with the image, in words; "" if it is a whole DLL for this processor: the right machine and kind, and
// every header and section inside the file. The layout is that of Microsoft's "PE Format" specification. It is checked
// without any header of Windows, so that tests and fuzzers of every system can run it.
std::string pe_image_defect(const PeSource &source);

}  // namespace gpuopt

// core/device/image/pe_image.h -- checks whether a PE image is a library that Windows can map for this process. Runs on
// any system.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace gpuopt {

// A file, of which bytes at any offset can be read.
struct PeSource {
  // Copies `bytes` bytes at `offset` to `to`. Returns false if they cannot be read. Called only for ranges inside
  // `size`.
  std::function<bool(uint64_t offset, void *to, size_t bytes)> read;
  uint64_t size = 0;
};

// Returns what is wrong with the image; "" if it is a complete DLL for this processor: of the right machine and kind,
// with all headers and sections inside the file. The format is Microsoft's "PE Format" specification. No header of
// Windows is needed, so that tests and fuzzers run on every system.
std::string pe_image_defect(const PeSource &source);

}  // namespace gpuopt

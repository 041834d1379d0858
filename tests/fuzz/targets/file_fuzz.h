// tests/fuzz/targets/file_fuzz.h -- for targets whose input is a file: one in memory that has a path.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/targets/fuzz.h"

namespace fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view contents) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    const ssize_t written = write(descriptor_, contents.data(), contents.size());
    require(written == static_cast<ssize_t>(contents.size()), "a file in memory could be written");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  int descriptor() const { return descriptor_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace fuzz

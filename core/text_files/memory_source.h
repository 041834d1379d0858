// core/text_files/memory_source.h -- a text in memory that is read as a file is.
#pragma once
#include <algorithm>
#include <cstring>

#include "core/base/file.h"

namespace gpuopt {

// Bytes in memory as a stream.
class MemorySource : public Source {
 public:
  MemorySource(const char *text, size_t size) : at_(text), left_(size) {}
  size_t read(void *to, size_t bytes) override {
    const size_t got = std::min(bytes, left_);
    if (got) std::memcpy(to, at_, got);
    if (got) at_ += got;
    left_ -= got;
    return got;
  }
  uint64_t remaining() override { return left_; }

 private:
  const char *at_;
  size_t left_;
};

}  // namespace gpuopt

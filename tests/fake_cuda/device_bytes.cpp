// tests/fake_cuda/device_bytes.cpp -- see device_bytes.h.
#include "tests/fake_cuda/device_bytes.h"

#include <cstring>

#if defined(__SANITIZE_THREAD__)
extern "C" {
void __tsan_read_range(void *begin, unsigned long bytes);
void __tsan_write_range(void *begin, unsigned long bytes);
}
#endif

namespace fake_cuda {
namespace {

char *at(CUdeviceptr address) { return reinterpret_cast<char *>(address); }

#if defined(__SANITIZE_THREAD__)

// Loops that stay loops: the functions of the C library are ThreadSanitizer's.
#define UNSEEN [[gnu::no_sanitize("thread"), gnu::optimize("O3", "no-tree-loop-distribute-patterns")]]
UNSEEN void fill(char *to, unsigned char value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<char>(value);
}
UNSEEN void copy(char *to, const char *from, size_t bytes) {
  if (to <= from)
    for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
  else
    while (bytes-- > 0) to[bytes] = from[bytes];
}
void reads(const void *from, size_t bytes) { __tsan_read_range(const_cast<void *>(from), bytes); }
void writes(void *to, size_t bytes) { __tsan_write_range(to, bytes); }

#else

void fill(char *to, unsigned char value, size_t bytes) { std::memset(to, value, bytes); }
void copy(char *to, const char *from, size_t bytes) { std::memmove(to, from, bytes); }
void reads(const void *, size_t) {}
void writes(void *, size_t) {}

#endif

}  // namespace

void fill_device(CUdeviceptr to, unsigned char value, size_t bytes) { fill(at(to), value, bytes); }

void copy_to_device(CUdeviceptr to, const void *from, size_t bytes) {
  reads(from, bytes);
  copy(at(to), static_cast<const char *>(from), bytes);
}

void copy_to_host(void *to, CUdeviceptr from, size_t bytes) {
  writes(to, bytes);
  copy(static_cast<char *>(to), at(from), bytes);
}

void copy_on_device(CUdeviceptr to, CUdeviceptr from, size_t bytes) { copy(at(to), at(from), bytes); }

}  // namespace fake_cuda

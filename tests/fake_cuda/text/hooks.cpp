// tests/fake_cuda/text/hooks.cpp -- linked to every kernel: its built-in variables, and the checks before each access
// to memory.
//
// Kernels are compiled with -fsanitize=thread for the calls it puts before every load and store; the functions called
// are these, not the sanitizer's.
#include "tests/fake_cuda/kernel_table.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define IN_DATA __attribute__((section(".data")))  // .bss is for __shared__ arrays alone

extern "C" {
HIDDEN IN_DATA unsigned threadIdx[3], blockIdx[3], blockDim[3], gridDim[3];
extern HIDDEN char __ehdr_start, __bss_start, _end;

// The __shared__ arrays (red_zones.h), if there are any.
struct FakeCudaShared {
  unsigned long begin, size;
};
extern HIDDEN __attribute__((weak)) const FakeCudaShared __start_fake_cuda_shared[], __stop_fake_cuda_shared[];
}

namespace fake_cuda {
HIDDEN IN_DATA KernelTable *table = nullptr;

HIDDEN void bind(KernelTable *t, Indices *indices) {
  table = t;
  *indices = {threadIdx, blockIdx, blockDim, gridDim};
}

HIDDEN void poison() { __builtin_memset(&__bss_start, 0xa5, static_cast<unsigned long>(&_end - &__bss_start)); }

HIDDEN unsigned long shared_bytes() {
  unsigned long bytes = 0;
  for (const FakeCudaShared *a = __start_fake_cuda_shared; a != __stop_fake_cuda_shared; ++a) bytes += a->size;
  return bytes;
}

namespace {

constexpr int kLast = 4;
IN_DATA FakeCudaShared none = {0, 0};
IN_DATA const FakeCudaShared *last[kLast] = {&none, &none, &none, &none};  // arrays that were used
IN_DATA unsigned next = 0;

inline bool is_in(const FakeCudaShared &array, unsigned long address, unsigned long bytes) {
  return address >= array.begin && address + bytes <= array.begin + array.size;
}

// Accesses of arrays and between them; the library's other memory lies before these.
inline void access_shared(unsigned long address, unsigned long bytes) {
  for (const FakeCudaShared *array : last)
    if (is_in(*array, address, bytes)) return;
  const FakeCudaShared *nearest = &none;
  for (const FakeCudaShared *a = __start_fake_cuda_shared; a != __stop_fake_cuda_shared; ++a) {
    if (is_in(*a, address, bytes)) {
      last[next++ % kLast] = a;
      return;
    }
    if (a->begin <= address && a->begin > nearest->begin) nearest = a;
  }
  table->beside_shared(bytes, address - nearest->begin, nearest->size);
}

inline void count(bool writes, unsigned long bytes) {
  KernelTable &t = *table;
  (writes ? t.writes : t.reads) += 1;
  (writes ? t.bytes_written : t.bytes_read) += bytes;
}

inline bool inside_library(unsigned long address) {
  return address >= reinterpret_cast<unsigned long>(&__ehdr_start) && address < reinterpret_cast<unsigned long>(&_end);
}

inline void access(void *pointer, unsigned long bytes, bool writes, bool aligned) {
  KernelTable &t = *table;
  const unsigned long address = reinterpret_cast<unsigned long>(pointer);
  if (address - t.stack < t.stack_size) return;
  // 16 bytes may be a struct of words; what is aligned to 16 is moved by instructions that fault where it is not.
  if (aligned && (address & ((bytes < 8 ? bytes : 8) - 1))) t.misaligned(address, bytes);
  if (inside_library(address)) {
    if (address >= reinterpret_cast<unsigned long>(&__bss_start)) access_shared(address, bytes);
    return;
  }
  count(writes, bytes);
  for (const Window &w : t.windows)
    if (address >= w.base && address + bytes <= w.base + w.size) return;
  t.outside(address, bytes);
}

}  // namespace
}  // namespace fake_cuda

extern "C" {
#define ACCESS(name, writes, aligned)                                                 \
  HIDDEN void __tsan_##name##1(void *p) { fake_cuda::access(p, 1, writes, aligned); } \
  HIDDEN void __tsan_##name##2(void *p) { fake_cuda::access(p, 2, writes, aligned); } \
  HIDDEN void __tsan_##name##4(void *p) { fake_cuda::access(p, 4, writes, aligned); } \
  HIDDEN void __tsan_##name##8(void *p) { fake_cuda::access(p, 8, writes, aligned); } \
  HIDDEN void __tsan_##name##16(void *p) { fake_cuda::access(p, 16, writes, aligned); }
ACCESS(read, false, true)
ACCESS(write, true, true)
ACCESS(volatile_read, false, true)
ACCESS(volatile_write, true, true)
ACCESS(unaligned_read, false, false)
ACCESS(unaligned_write, true, false)
HIDDEN void __tsan_read_range(void *p, unsigned long bytes) { fake_cuda::access(p, bytes, false, false); }
HIDDEN void __tsan_write_range(void *p, unsigned long bytes) { fake_cuda::access(p, bytes, true, false); }
HIDDEN void __tsan_func_entry(void *) {}
HIDDEN void __tsan_func_exit() {}
HIDDEN void __tsan_init() {}
}

// tests/fake_cuda/kernel_table.h -- what a kernel compiled for the host and the fake driver know of each other.
// Included by kernels too, which see no header of the system.
#ifndef GPUOPT_TESTS_FAKE_CUDA_KERNEL_TABLE_H_
#define GPUOPT_TESTS_FAKE_CUDA_KERNEL_TABLE_H_

namespace fake_cuda {

// A range of addresses the kernel that runs may use: a block of device memory or of pinned memory.
struct Window {
  unsigned long base, size;
};

enum RendezvousKind { kBlockBarrier = 1, kWarpBarrier, kShuffle, kVote };

// One per process: the driver's half, to which every kernel's half (hooks.cpp) holds a pointer.
struct KernelTable {
  static constexpr int kWindows = 4;
  Window windows[kWindows];         // those used last
  unsigned long stack, stack_size;  // of the thread of the grid that runs
  unsigned long reads, writes, bytes_read, bytes_written;

  // An access outside the windows: opens another one, or ends the kernel.
  void (*outside)(unsigned long address, unsigned long bytes);
  void (*misaligned)(unsigned long address, unsigned long bytes);
  // An access beside the __shared__ arrays, the nearest of which before it has `size` bytes, at `distance` before it.
  void (*beside_shared)(unsigned long bytes, unsigned long distance, unsigned long size);
  // Waits until all threads meant (the block, or the lanes of `mask`) have come, each with a word; gives all their
  // words.
  const unsigned long *(*meet)(int kind, unsigned mask, unsigned long word);
};

// The built-in variables, in each kernel's library.
struct Indices {
  unsigned *thread, *block, *block_dim, *grid_dim;  // x, y, z
};

// A kernel: `call` takes the parameters' addresses as cuLaunchKernel does.
struct KernelEntry {
  const char *name;
  void (*call)(void *const *arguments);
  const unsigned long *sizes;  // of the parameters
  int parameters;
  int threads_limit;  // of __launch_bounds__, 1024 without
};

// What a kernel's library exports as fake_cuda_library.
struct KernelLibrary {
  const KernelEntry *entries;
  int count;
  void (*bind)(KernelTable *table, Indices *indices);
  void (*poison)();  // overwrites all __shared__ arrays
  unsigned long (*shared_bytes)();
};

}  // namespace fake_cuda

#endif  // GPUOPT_TESTS_FAKE_CUDA_KERNEL_TABLE_H_

// tests/fake_cuda/block_runner.h -- runs a kernel on the calling thread: its blocks one after the other, a block's
// threads in turn, as fibers where they meet.
//
// Compiled without sanitizers: they do not follow the switches between stacks, and nothing they watch happens here.
#pragma once

#include "plugins/cpu/kernel/block_run.h"
#include "plugins/cuda/driver/driver_types.h"
#include "tests/fake_cuda/kernel_table.h"

namespace fake_cuda {

struct Run {
  const KernelLibrary *library;
  const KernelEntry *entry;
  const Indices *indices;
  bool meets;  // threads are fibers
  unsigned grid[3], block[3];
  unsigned long cache_bytes;
  void *const *arguments;
  const gpuopt::cpu::RawCode *raw;  // of a user's kernel; else `entry` is called
  unsigned shared_bytes;            // the launch's, of a user's kernel
};

// What the driver adds: opens the memory at an address for the kernel or says why not.
struct Memory {
  // Gives the window, or one of size 0.
  Window (*find)(unsigned long address, unsigned long bytes);
};

struct Outcome {
  CUresult code;
  unsigned long bytes_fetched;  // into the cache
  char message[256];            // what went wrong, "" if nothing
};

KernelTable &kernel_table();
Outcome run_kernel(const Run &run, const Memory &memory);

}  // namespace fake_cuda

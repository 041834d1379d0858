// tests/fake_cuda/pools.h -- how much memory devices and pools have left.
#pragma once

#include "tests/fake_cuda/state.h"

namespace fake_cuda {

uint64_t bytes_taken(const Device &device);  // by cuMemAlloc and by what pools hold

// Pools give back what they hold above their threshold, as at a synchronisation.
void release_excess(const Device &device);

}  // namespace fake_cuda

// plugins/cpu/kernel/kernel_heap.h -- the memory that malloc() and new give kernels.
#pragma once

#include <cstddef>

namespace gpuopt::cpu {

// The heap's size, as on NVIDIA's GPUs unless a program asks for more ("Dynamic Global Memory Allocation and
// Operations" in the CUDA C++ Programming Guide).
constexpr size_t kKernelHeapBytes = size_t{8} << 20;

// The heap is one for the process. Memory stays allocated until a kernel frees it, in any thread and any launch. These
// are safe from any threads.
//
// Returns memory that is aligned to 16 bytes, or NULL if there is not as much left in one piece.
void *allocate_in_kernel(size_t bytes) noexcept;
// Returns the size of the memory that it frees, or 0 if allocate_in_kernel() did not give it or it was freed before.
size_t free_in_kernel(void *memory) noexcept;

}  // namespace gpuopt::cpu

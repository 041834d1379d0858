// tests/fake_cuda/device_bytes.h -- the driver's own reads and writes of device memory, whose blocks are open.
//
// ThreadSanitizer sees the host's side of them only: what it notes of every byte would otherwise stay for each block
// there ever was, for addresses are not used again. The driver's mutex orders the device's side.
#pragma once

#include <cstddef>

#include "plugins/cuda/driver/driver_types.h"

namespace fake_cuda {

void fill_device(CUdeviceptr to, unsigned char value, size_t bytes);
void copy_to_device(CUdeviceptr to, const void *from, size_t bytes);
void copy_to_host(void *to, CUdeviceptr from, size_t bytes);
void copy_on_device(CUdeviceptr to, CUdeviceptr from, size_t bytes);  // the ranges may overlap

}  // namespace fake_cuda

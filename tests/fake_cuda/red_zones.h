// tests/fake_cuda/red_zones.h -- room around the __shared__ arrays of kernels that the system's compiler made.
#pragma once

#include <string>

namespace fake_cuda {

// Takes the assembly of a kernel, where __shared__ arrays are static variables without initial values. Each gets bytes
// behind it that are nobody's, and an entry, its address and its size, in the section fake_cuda_shared, by which the
// hooks before accesses know what a kernel may use (text/hooks.cpp).
std::string with_red_zones(const std::string &assembly);

}  // namespace fake_cuda

// plugins/cpu/kernel/print_format.h -- formats what a kernel prints.
#pragma once

#include <cstdint>
#include <string>

namespace gpuopt::cpu {

// Appends to `out` what C's printf would print, of the conversions that CUDA has ("Formatted Output" in the CUDA C++
// Programming Guide): c d i o u x X p e E f F g G a A s, with flags, widths, precisions (also *) and sizes. An argument
// is 8 bytes: an integer, sign- or zero-extended, the bits of a double, or an address. What is no such conversion, and
// conversions for which no argument is left, are copied as they are. A bad address of a text is a fault of the kernel.
void append_formatted(std::string &out, const char *format, int count, const uint64_t *values);

}  // namespace gpuopt::cpu

// core/device/elf_posix.h -- is this file a library that the dynamic linker can map without faulting?
#pragma once
#include <string>

namespace gpuopt {

// What is wrong with the ELF file open as `descriptor`, in words; "" if it is a shared library for this process that is
// whole: the right class, byte order, machine and type, and every header, segment and dynamic table inside the file.
// The dynamic linker checks less, and a file that was cut short would kill the process by SIGBUS.
std::string elf_defect(int descriptor);

// Whether the whole library open as `descriptor` looks for libraries it needs relative to its own place ($ORIGIN).
bool elf_uses_origin(int descriptor);

}  // namespace gpuopt

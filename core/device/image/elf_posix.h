// core/device/image/elf_posix.h -- checks whether a file is a library that the dynamic linker can map without faulting.
#pragma once
#include <string>

namespace gpuopt {

// Returns what is wrong with the ELF file that is open as `descriptor`; "" if it is a complete shared library for this
// process: of the right class, byte order, machine and type, with all header tables, loaded segments and the dynamic
// section inside the file. The dynamic linker checks less, and a truncated file would kill the process by SIGBUS.
std::string elf_defect(int descriptor);

// Returns whether the library that is open as `descriptor`, in which elf_defect() found nothing, searches for the
// libraries that it needs relative to its own directory ($ORIGIN in RPATH or RUNPATH).
bool elf_uses_origin(int descriptor);

}  // namespace gpuopt

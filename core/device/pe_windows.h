// core/device/pe_windows.h -- is this file a library that Windows can map for this process?
#pragma once
#include <string>

namespace gpuopt {

// What is wrong with the file at this UTF-16 path, in words; "" if it is a whole DLL for this processor: the right
// machine and kind, and every section inside the file. The system says of all of that only that it is no valid
// application.
std::string pe_defect(const std::wstring &path);

}  // namespace gpuopt

// core/device/image/pe_windows.h -- checks whether a file is a library that Windows can map for this process.
#pragma once
#include <string>

namespace gpuopt {

// Returns what pe_image_defect() says of the file at this path; "" also if it cannot be opened, which LoadLibrary
// reports better. For all such defects Windows itself only reports that the file is not a valid application.
std::string pe_defect(const std::wstring &path);

}  // namespace gpuopt

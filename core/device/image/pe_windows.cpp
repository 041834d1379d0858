// core/device/image/pe_windows.cpp -- see pe_windows.h; pe_image.cpp reads the image.
#include "core/device/image/pe_windows.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "core/device/image/pe_image.h"

namespace gpuopt {
namespace {

// A file that is open for reading, and closed with the object.
class File {
 public:
  explicit File(const std::wstring &path)
      : handle_(CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0,
                            nullptr)) {}
  ~File() {
    if (opened()) CloseHandle(handle_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool opened() const { return handle_ != INVALID_HANDLE_VALUE; }
  uint64_t size() const {
    LARGE_INTEGER size{};
    return GetFileSizeEx(handle_, &size) ? static_cast<uint64_t>(size.QuadPart) : 0;
  }
  bool read(uint64_t offset, void *to, size_t bytes) const {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(offset);
    at.OffsetHigh = static_cast<DWORD>(offset >> 32);
    DWORD got = 0;
    return ReadFile(handle_, to, static_cast<DWORD>(bytes), &got, &at) && got == bytes;
  }

 private:
  HANDLE handle_;
};

}  // namespace

std::string pe_defect(const std::wstring &path) {
  const File file(path);
  if (!file.opened()) return {};  // LoadLibrary reports why
  return pe_image_defect(
      {[&](uint64_t offset, void *to, size_t bytes) { return file.read(offset, to, bytes); }, file.size()});
}

}  // namespace gpuopt

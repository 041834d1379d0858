// core/pe_windows.cpp -- the headers of a PE file, read with every offset checked against the file's size.
#include "pe_windows.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <cstdint>
#include <cstring>

namespace gpuopt {
namespace {

#if defined(__aarch64__) || defined(_M_ARM64)
constexpr WORD kMachine = IMAGE_FILE_MACHINE_ARM64;
#else
constexpr WORD kMachine = IMAGE_FILE_MACHINE_AMD64;
#endif

const char *machine_name(WORD machine) {
  switch (machine) {
    case IMAGE_FILE_MACHINE_AMD64:
      return "x86-64";
    case IMAGE_FILE_MACHINE_ARM64:
      return "AArch64";
    case IMAGE_FILE_MACHINE_I386:
      return "32-bit x86";
    default:
      return "another processor";
  }
}

class File {
 public:
  explicit File(const std::wstring &path)
      : handle_(CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0,
                            nullptr)) {
    LARGE_INTEGER size{};
    if (opened() && GetFileSizeEx(handle_, &size)) size_ = static_cast<uint64_t>(size.QuadPart);
  }
  ~File() {
    if (opened()) CloseHandle(handle_);
  }
  File(const File &) = delete;
  bool opened() const { return handle_ != INVALID_HANDLE_VALUE; }
  uint64_t size() const { return size_; }

  // False where the file ends before.
  template <typename T>
  bool read(uint64_t offset, T *into) const {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(offset);
    at.OffsetHigh = static_cast<DWORD>(offset >> 32);
    DWORD got = 0;
    return offset + sizeof *into <= size_ && ReadFile(handle_, into, sizeof *into, &got, &at) && got == sizeof *into;
  }

 private:
  HANDLE handle_;
  uint64_t size_ = 0;
};

std::string cut_short(const File &file, const char *what, uint64_t end) {
  return "the file is cut short: it has " + std::to_string(file.size()) + " bytes, but " + what + " ends at byte " +
         std::to_string(end);
}

std::string kind_defect(const IMAGE_FILE_HEADER &header, WORD magic) {
  if (header.Machine != kMachine)
    return std::string("built for ") + machine_name(header.Machine) + ", this program runs on " +
           machine_name(kMachine);
  if (!(header.Characteristics & IMAGE_FILE_DLL)) return "not a library: a program";
  return magic == IMAGE_NT_OPTIONAL_HDR64_MAGIC ? std::string() : "the PE header is damaged";
}

}  // namespace

std::string pe_defect(const std::wstring &path) {
  const File file(path);
  if (!file.opened()) return {};  // the system says why when it is asked to load it
  if (file.size() == 0) return "the file is empty";
  IMAGE_DOS_HEADER dos;
  WORD magic = 0;
  if (!file.read(0, &magic) || magic != IMAGE_DOS_SIGNATURE) return "not a library: it does not begin with MZ";
  IMAGE_NT_HEADERS64 headers;
  if (!file.read(0, &dos)) return cut_short(file, "the header", sizeof dos);
  const uint64_t start = static_cast<uint32_t>(dos.e_lfanew);
  if (!file.read(start, &headers)) return cut_short(file, "the header", start + sizeof headers);
  if (headers.Signature != IMAGE_NT_SIGNATURE) return "not a library: it has no PE header";
  std::string problem = kind_defect(headers.FileHeader, headers.OptionalHeader.Magic);
  const uint64_t sections =
      start + offsetof(IMAGE_NT_HEADERS64, OptionalHeader) + headers.FileHeader.SizeOfOptionalHeader;
  for (WORD k = 0; k < headers.FileHeader.NumberOfSections && problem.empty(); ++k) {
    IMAGE_SECTION_HEADER section;
    const uint64_t at = sections + k * sizeof section;
    if (!file.read(at, &section)) return cut_short(file, "the section table", at + sizeof section);
    const uint64_t end = uint64_t{section.PointerToRawData} + section.SizeOfRawData;
    if (end > file.size()) return cut_short(file, "a section", end);
  }
  return problem;
}

}  // namespace gpuopt

// core/device/loader_windows.cpp -- loads a library, and looks for NVIDIA hardware: Windows.
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cfenv>

#include "core/device/image/pe_windows.h"
#include "core/device/loader.h"

namespace gpuopt {

namespace {

constexpr std::string_view kPrefix = "gpuopt_", kSuffix = ".dll";

}  // namespace

std::string plugin_file_name(const std::string &name) { return std::string(kPrefix) + name + std::string(kSuffix); }

std::string plugin_name(const std::string &file) {
  if (file.size() <= kPrefix.size() + kSuffix.size() || !file.starts_with(kPrefix) || !file.ends_with(kSuffix))
    return {};
  return file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
}

// The driver's library is in the system directory if an NVIDIA display driver is, or was, installed.
int nvidia_hardware(const std::string &root) {
  wchar_t system[MAX_PATH];
  if (!root.empty() || GetSystemDirectoryW(system, MAX_PATH) == 0) return -1;
  return GetFileAttributesW((std::wstring(system) + L"\\nvcuda.dll").c_str()) == INVALID_FILE_ATTRIBUTES ? -1 : 1;
}

Library open_library(const std::string &path, trusted::Check) {
  std::string problem;
  const FileKind kind = file_kind(path, &problem);
  if (kind == FileKind::kMissing) return {nullptr, GPUOPT_REASON_LOAD_FAILED, "the file is gone"};
  if (kind == FileKind::kDirectory) return {nullptr, GPUOPT_REASON_LOAD_FAILED, "a directory, not a file"};
  if (kind == FileKind::kOther) return {nullptr, GPUOPT_REASON_LOAD_FAILED, problem};
  std::wstring file = wide(path);
  std::replace(file.begin(), file.end(), L'/', L'\\');
  problem = pe_defect(file);
  if (!problem.empty()) return {nullptr, GPUOPT_REASON_LOAD_FAILED, problem};
  DWORD mode = 0;
  // Windows would otherwise show a dialog for some errors, and block until it is closed.
  SetThreadErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX, &mode);
  std::fenv_t floating_point;  // restored below: a library's initialization may change it
  std::fegetenv(&floating_point);
  const unsigned mxcsr = _mm_getcsr();  // mingw-w64's fesetenv does not restore MXCSR
  HMODULE module =
      LoadLibraryExW(file.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  const DWORD code = GetLastError();
  std::fesetenv(&floating_point);
  _mm_setcsr(mxcsr);
  SetThreadErrorMode(mode, nullptr);
  if (module) return {reinterpret_cast<void *>(module), GPUOPT_REASON_NONE, {}};
  return {nullptr, GPUOPT_REASON_LOAD_FAILED, system_message(code)};
}

void *library_symbol(const Library &library, const char *name) {
  return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(library.handle), name));
}

}  // namespace gpuopt

// plugins/cuda/os_windows.cpp -- os.h on Windows.
#if defined(_WIN32)
#include <windows.h>

#include <cfenv>

#include "plugins/cuda/os.h"

namespace gpuopt::cuda {
namespace {

std::string last_error_text() {
  char text[256] = {};
  const DWORD length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
                                      GetLastError(), 0, text, sizeof text, nullptr);
  std::string words(text, length);
  while (!words.empty() && (words.back() == '\n' || words.back() == '\r' || words.back() == '.')) words.pop_back();
  return words;
}

std::wstring wide(const std::string &text) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring out(static_cast<size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), length);
  return out;
}

std::string narrow(const std::wstring &text) {
  const int wide_length = static_cast<int>(text.size());
  const int length = WideCharToMultiByte(CP_UTF8, 0, text.data(), wide_length, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<size_t>(length), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), wide_length, out.data(), length, nullptr, nullptr);
  return out;
}

}  // namespace

void *open_library(const std::string &name, std::string *problem) {
  const bool absolute = name.find_first_of("\\/") != std::string::npos;
  const DWORD where =
      absolute ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32 : LOAD_LIBRARY_SEARCH_SYSTEM32;
  std::fenv_t floating_point;
  std::fegetenv(&floating_point);
  const HMODULE library = LoadLibraryExW(wide(name).c_str(), nullptr, where);
  std::fesetenv(&floating_point);
  if (!library && problem) *problem = name + ": " + last_error_text();
  return reinterpret_cast<void *>(library);
}

void *find_symbol(void *library, const char *name) {
  return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(library), name));
}

void *loaded_library(const std::string &name) {
  HMODULE library = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, wide(name).c_str(), &library);
  return reinterpret_cast<void *>(library);
}

std::string file_of(const void *address) {
  HMODULE library = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                     static_cast<LPCWSTR>(address), &library);
  wchar_t path[4096];
  const DWORD length = library ? GetModuleFileNameW(library, path, 4096) : 0;
  return length == 0 || length == 4096 ? std::string() : narrow(std::wstring(path, length));
}

std::vector<std::string> driver_names() { return {"nvcuda.dll"}; }

int fork_generation() { return 0; }

bool file_exists(const std::string &path) { return GetFileAttributesW(wide(path).c_str()) != INVALID_FILE_ATTRIBUTES; }

// The driver's devices are no files here.
std::string opening_problem(const std::string &) { return {}; }

std::vector<std::string> names_in(const std::string &) { return {}; }

std::string head_of(const std::string &) { return {}; }

}  // namespace gpuopt::cuda
#endif

// plugins/cuda/driver/os_windows.cpp -- os.h on Windows.
#if defined(_WIN32)
#include <xmmintrin.h>

#include <algorithm>
#include <cfenv>

#include "plugins/cuda/driver/os.h"
#include "plugins/shared/host/text_windows.h"

namespace gpuopt::cuda {

using plugin::narrow, plugin::wide;

void *open_library(const std::string &name, std::string *problem) {
  std::wstring file = wide(name);
  std::replace(file.begin(), file.end(), L'/', L'\\');  // the loader wants its own separator
  const bool absolute = file.find(L'\\') != std::wstring::npos;
  const DWORD where =
      absolute ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32 : LOAD_LIBRARY_SEARCH_SYSTEM32;
  std::fenv_t floating_point;  // a library's start code may change it
  std::fegetenv(&floating_point);
  const unsigned mxcsr = _mm_getcsr();  // mingw-w64's fesetenv leaves it as it is
  const HMODULE library = LoadLibraryExW(file.c_str(), nullptr, where);
  const DWORD code = GetLastError();
  std::fesetenv(&floating_point);
  _mm_setcsr(mxcsr);
  if (!library && problem) *problem = name + ": " + plugin::system_message(code);
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
  std::wstring path(32768, L'\0');
  const DWORD size = static_cast<DWORD>(path.size());
  const DWORD length = library ? GetModuleFileNameW(library, path.data(), size) : 0;
  return length == size ? std::string() : narrow({path.data(), length});
}

std::vector<std::string> driver_names() { return {"nvcuda.dll"}; }

int fork_generation() { return 0; }

bool file_exists(const std::string &path) { return GetFileAttributesW(wide(path).c_str()) != INVALID_FILE_ATTRIBUTES; }

// The driver's devices are not files here.
std::string opening_problem(const std::string &) { return {}; }

std::vector<std::string> names_in(const std::string &) { return {}; }

std::string head_of(const std::string &) { return {}; }

}  // namespace gpuopt::cuda
#endif

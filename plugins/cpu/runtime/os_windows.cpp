// plugins/cpu/runtime/os_windows.cpp -- processors, pages, threads and libraries on Windows.
#if defined(_WIN32)
#include <algorithm>
#include <new>

#include "plugins/cpu/runtime/os.h"
#include "plugins/shared/host/text_windows.h"

namespace gpuopt::cpu {
namespace {

struct ThreadStart {
  void (*body)(void *);
  void *argument;
};

DWORD WINAPI thread_main(void *raw) {
  const ThreadStart start = *static_cast<ThreadStart *>(raw);
  delete static_cast<ThreadStart *>(raw);
  start.body(start.argument);
  return 0;
}

}  // namespace

int usable_processors() noexcept {
  DWORD_PTR process = 0, system = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &process, &system) || !process) return 1;
  return __builtin_popcountll(process);
}

uint64_t usable_memory() noexcept {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

uint64_t available_memory() noexcept {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) ? status.ullAvailPhys : 0;
}

// Reserves more than is needed to find an aligned address, releases it, and allocates at that address. Another thread
// may take the address in between, so this is tried several times.
void *map_pages(size_t bytes, size_t alignment) noexcept {
  if (bytes + alignment < bytes) return nullptr;
  for (int attempt = 0; attempt < 8; attempt++) {
    void *const probe = VirtualAlloc(nullptr, bytes + alignment, MEM_RESERVE, PAGE_NOACCESS);
    if (!probe) return nullptr;
    const uintptr_t aligned = (reinterpret_cast<uintptr_t>(probe) + alignment - 1) & ~(alignment - 1);
    VirtualFree(probe, 0, MEM_RELEASE);
    void *const memory =
        VirtualAlloc(reinterpret_cast<void *>(aligned), bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (memory) return memory;
  }
  return nullptr;
}

void unmap_pages(void *memory, size_t) noexcept { VirtualFree(memory, 0, MEM_RELEASE); }

bool protect_pages(void *memory, size_t bytes, bool executable) noexcept {
  DWORD before = 0;
  return bytes == 0 || VirtualProtect(memory, bytes, executable ? PAGE_EXECUTE_READ : PAGE_READONLY, &before);
}

void on_fork(void (*)(), void (*)(), void (*)()) noexcept {}  // Windows has no fork

bool start_thread(void (*body)(void *), void *argument) noexcept {
  auto *const start = new (std::nothrow) ThreadStart{body, argument};
  if (!start) return false;
  const HANDLE thread = CreateThread(nullptr, 0, thread_main, start, 0, nullptr);
  if (thread) {
    CloseHandle(thread);
  } else {
    delete start;
  }
  return thread != nullptr;
}

// Not tried on Windows, where no library that is refused threads or memory ends the process.
bool can_start_threads(int) noexcept { return true; }
bool has_addresses(uint64_t) noexcept { return true; }

int64_t thread_number() noexcept { return 0; }
void separate_thread(int64_t) noexcept {}

void lower_priority() noexcept { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL); }

void *open_library(const char *name) noexcept try {
  std::wstring file = plugin::wide(name);
  std::replace(file.begin(), file.end(), L'/', L'\\');  // LoadLibraryExW() needs backslashes
  const bool path = file.find(L'\\') != std::wstring::npos;
  const DWORD where = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | (path ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0);
  return reinterpret_cast<void *>(LoadLibraryExW(file.c_str(), nullptr, where));
} catch (...) {
  return nullptr;  // no memory for the wide string
}

void *find_symbol(void *library, const char *name) noexcept {
  return reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(library), name));
}

std::string own_directory() {
  HMODULE library = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                     reinterpret_cast<LPCWSTR>(&own_directory), &library);
  std::wstring path(32768, L'\0');
  const DWORD size = static_cast<DWORD>(path.size());
  const DWORD length = library ? GetModuleFileNameW(library, path.data(), size) : 0;
  if (length == size) return {};
  const std::string file = plugin::narrow({path.data(), length});
  return file.substr(0, std::min(file.find_last_of("/\\"), file.size()));
}

}  // namespace gpuopt::cpu
#endif

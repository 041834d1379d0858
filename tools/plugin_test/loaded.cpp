// tools/plugin_test/loaded.cpp -- see loaded.h.
#include "tools/plugin_test/loaded.h"

#include <dirent.h>
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#if defined(__SSE__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace gpuopt::plugin_test {
namespace {

gpuopt_status fail(gpuopt_error *error, gpuopt_status code, gpuopt_reason reason, int32_t backend_code,
                   const char *format, ...) {
  ++host_use().failures;
  if (!error) return code;
  error->code = code;
  error->reason = reason;
  error->backend_code = backend_code;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return code;
}

void log(int32_t, const char *, gpuopt_reason, const char *) { ++host_use().logs; }
void warn_once(const char *, gpuopt_reason, const char *, const char *) { ++host_use().logs; }
void *allocate(uint64_t bytes) {
  constexpr uint64_t kMost = uint64_t{1} << 46;  // sanitizers abort a process that asks for more
  return bytes > kMost ? nullptr : ::operator new (bytes, std::align_val_t{64}, std::nothrow);
}
void deallocate(void *memory) { ::operator delete (memory, std::align_val_t{64}); }
const char *setting(const char *name) { return std::getenv(name); }

// Returns the number of entries of a directory, -1 if it cannot be read.
int entries_of(const char *directory) {
  DIR *stream = opendir(directory);
  int count = 0;
  while (stream && readdir(stream)) ++count;
  if (stream) closedir(stream);
  return stream ? count : -1;
}

}  // namespace

HostUse &host_use() {
  static HostUse use;
  return use;
}

const gpuopt_host_api &host_services() {
  static const gpuopt_host_api table = {
      {sizeof(gpuopt_host_api), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr},
      fail,
      log,
      warn_once,
      allocate,
      deallocate,
      setting};
  return table;
}

ProcessState read_process() {
#if defined(__SSE__)
  const unsigned long mode = _mm_getcsr() & ~0x3Fu;  // without the flags of exceptions that occurred
#elif defined(__aarch64__)
  unsigned long mode;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(mode));
#else
  const unsigned long mode = static_cast<unsigned long>(std::fegetround());
#endif
  return {mode, entries_of("/proc/self/task"), entries_of("/proc/self/fd")};
}

std::string differences(const ProcessState &before, const ProcessState &after) {
  std::string text;
  const auto add = [&](bool differs, const char *what) {
    text += differs ? (text.empty() ? "" : "; ") + std::string(what) : "";
  };
  add(before.float_mode != after.float_mode, "it changes the floating-point mode (flush to zero, rounding)");
  add(before.threads != after.threads, "it starts a thread");
  add(before.files != after.files, "it leaves a file open");
  return text;
}

void *open_entry(const std::string &path, const char *entry, std::string *problem) {
  void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *const words = dlerror();
    *problem = words ? words : "it cannot be opened";
    return nullptr;
  }
  void *const function = dlsym(library, entry);
  if (!function) *problem = std::string("it has no ") + entry;
  return function;
}

std::string error_problem(gpuopt_status status, const gpuopt_error &error) {
  if (status < 0 || status >= GPUOPT_STATUS_COUNT)
    return "it returned " + std::to_string(status) + ", which is not a status";
  if (status == GPUOPT_OK) return "";
  if (error.code != status)
    return "it returned " + std::to_string(status) + " and left " + std::to_string(error.code) +
           " in the error: failures go through the host's `fail`";
  return error.message[0] ? "" : "it failed without a message";
}

std::string said(gpuopt_status status, const gpuopt_error &error) {
  static constexpr const char *kNames[] = {
#define GPUOPT_STATUS(NAME, number, sentence) #NAME,
#include <gpuopt/status.def>
  };
  const std::string name = status >= 0 && status < GPUOPT_STATUS_COUNT ? kNames[status] : std::to_string(status);
  return name + ": " + std::string(error.message, strnlen(error.message, sizeof error.message));
}

}  // namespace gpuopt::plugin_test

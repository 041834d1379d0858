// core/base/error.h -- failures inside the core: thrown as Failure, turned into status and gpuopt_error at the C
// boundary.
#pragma once
#include <gpuopt/gpuopt.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "core/base/float_environment.h"
#include "core/base/fork.h"

#if defined(__MINGW_PRINTF_FORMAT)
#define GPUOPT_PRINTF_FORMAT \
  __MINGW_PRINTF_FORMAT  // the C standard's conversions, not those of the system's own printf
#else
#define GPUOPT_PRINTF_FORMAT printf
#endif

namespace gpuopt {

struct Failure {
  gpuopt_status code;
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  int32_t backend_code = 0;
  std::string message;
};

// Throws Failure with a printf-formatted message. Messages name the operation, dtypes, shapes and devices involved.
[[noreturn]] void fail(gpuopt_status code, const char *format, ...) __attribute__((format(GPUOPT_PRINTF_FORMAT, 2, 3)));

// Throws what a plugin slot reported, `error` being the struct it filled, with "<operation>: " in front.
[[noreturn]] void fail_slot(gpuopt_status status, const gpuopt_error &error, const char *operation);
// The same; nothing on GPUOPT_OK.
inline void check_slot(gpuopt_status status, const gpuopt_error &error, const char *operation) {
  if (status != GPUOPT_OK) [[unlikely]]
    fail_slot(status, error, operation);
}

// The struct a slot is given. Its message is empty but not zeroed: that would cost more than many a call.
struct SlotError : gpuopt_error {
  SlotError() {
    struct_size = sizeof(gpuopt_error);
    code = reason = backend_code = 0;
    message[0] = '\0';
  }
};

// Fills a caller's error (NULL is allowed; at most its struct_size bytes are written) and returns code.
gpuopt_status report(gpuopt_error *error, const Failure &failure) noexcept;

// The C boundary: runs `body` (void), the thread being inside the library (fork.h), in the default floating-point
// environment, gives the caller's back, and turns whatever `body` throws into a status. Every extern "C" function is
// one guarded().
template <class Body>
gpuopt_status guarded(gpuopt_error *error, Body &&body) noexcept {
  const InLibrary inside;
  const FloatEnvironment environment;
  try {
    inside.check();
    body();
    return GPUOPT_OK;
  } catch (const Failure &failure) {
    return report(error, failure);
  } catch (const std::bad_alloc &) {
    return report(error, {GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, {}});
  } catch (...) {
    return report(error, {GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, {}});
  }
}

// Copies the known part of a size-prefixed option struct into a zeroed T. NULL gives the defaults. Throws
// ERR_UNSUPPORTED if a larger struct has a nonzero tail (clone3's rule), ERR_INVALID_ARGUMENT if struct_size cannot be
// right.
void read_options(const void *options, void *known, size_t known_size, const char *what);
template <class T>
T options_or_default(const T *options, const char *what) {
  T known{};
  read_options(options, &known, sizeof known, what);
  return known;
}

// Gives a size-prefixed result struct to a caller who may know a shorter one. The caller's struct_size is kept.
template <class T>
void give(const T &filled, T *out, const char *what) {
  constexpr size_t smallest = 8;
  if (!out || out->struct_size < smallest) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the result is NULL or its struct_size is not set", what);
  }
  const size_t size = std::min<size_t>(out->struct_size, sizeof(T)) - sizeof(uint32_t);
  std::memcpy(reinterpret_cast<char *>(out) + sizeof(uint32_t),
              reinterpret_cast<const char *>(&filled) + sizeof(uint32_t), size);
}

// "(3, 4)", for messages.
std::string shape_text(int ndim, const int64_t *shape);

}  // namespace gpuopt

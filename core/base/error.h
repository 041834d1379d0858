// core/base/error.h -- failures inside the core: thrown as Failure, converted to a status and a gpuopt_error at the C
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

// What is thrown inside the core. `backend_code` is the vendor's own error number, 0 if there is none.
struct Failure {
  gpuopt_status code;
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  int32_t backend_code = 0;
  std::string message;
};

// Throws Failure with a printf-formatted message. Messages name the operation, dtypes, shapes and devices involved.
[[noreturn]] void fail(gpuopt_status code, const char *format, ...) __attribute__((format(GPUOPT_PRINTF_FORMAT, 2, 3)));

// Throws the Failure that a plugin slot reported: `status` is what it returned (not GPUOPT_OK), `error` the struct that
// it filled. The message gets "<operation>: " in front. A status that does not exist becomes ERR_INTERNAL.
[[noreturn]] void fail_slot(gpuopt_status status, const gpuopt_error &error, const char *operation);
// Does the same unless `status` is GPUOPT_OK.
inline void check_slot(gpuopt_status status, const gpuopt_error &error, const char *operation) {
  if (status != GPUOPT_OK) [[unlikely]]
    fail_slot(status, error, operation);
}

// The error struct that is passed to a slot. Its message is the empty string, but the array is not zeroed, which would
// take longer than many calls do.
struct SlotError : gpuopt_error {
  SlotError() {
    struct_size = sizeof(gpuopt_error);
    code = reason = backend_code = 0;
    message[0] = '\0';
  }
};

// Fills a caller's error struct and returns failure.code. `error` may be NULL; at most its struct_size bytes are
// written. An empty message is replaced by that of the status.
gpuopt_status report(gpuopt_error *error, const Failure &failure) noexcept;

// The C boundary: runs `body`, which returns nothing, and converts whatever it throws to a status and an error struct.
// Meanwhile the thread counts as inside the library (fork.h) and has the default floating-point environment; the
// caller's is restored afterwards. Every extern "C" function that returns a status is one call of guarded().
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

// Copies a size-prefixed option struct to `known`, which the caller has zeroed and which holds `known_size` bytes; a
// member that the caller's struct lacks stays 0, and NULL leaves all of them 0. Throws ERR_UNSUPPORTED if a larger
// struct has a nonzero byte behind the known ones (as Linux's clone3 does), ERR_INVALID_ARGUMENT if struct_size is
// below 16 or above 64 KiB. `what` names the function in messages.
void read_options(const void *options, void *known, size_t known_size, const char *what);
template <class T>
T options_or_default(const T *options, const char *what) {
  T known{};
  read_options(options, &known, sizeof known, what);
  return known;
}

// Copies the size-prefixed result struct `filled` to `out`, which may be of a shorter version: out->struct_size says
// how many bytes are written, and does not change. Throws ERR_INVALID_ARGUMENT if `out` is NULL or its struct_size is
// not set.
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

// Returns a shape as Python writes a tuple, "(3, 4)" or "(3,)", for messages.
std::string shape_text(int ndim, const int64_t *shape);

}  // namespace gpuopt

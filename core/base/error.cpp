// core/base/error.cpp -- failures: raising them, handing them to the caller, and reading size-prefixed option structs.
#include "core/base/error.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace gpuopt {
namespace {

std::string format_text(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(length > 0 ? length : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

// Copies at most capacity - 1 bytes and a NUL; never splits a UTF-8 sequence.
void copy_message(char *out, size_t capacity, const std::string &text) {
  size_t length = std::min(text.size(), capacity - 1);
  if (length < text.size()) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  }
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

}  // namespace

void fail(gpuopt_status code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Failure failure{code, GPUOPT_REASON_NONE, 0, format_text(format, arguments)};
  va_end(arguments);
  throw failure;
}

void fail_slot(gpuopt_status status, const gpuopt_error &error, const char *operation) {
  std::string text(error.message, strnlen(error.message, sizeof error.message));
  if (text.empty()) text = gpuopt_status_message(status);
  const bool known = status > 0 && status < GPUOPT_STATUS_COUNT;
  const bool has_reason = error.reason >= 0 && error.reason < GPUOPT_REASON_COUNT;
  throw Failure{known ? status : GPUOPT_ERR_INTERNAL, has_reason ? error.reason : GPUOPT_REASON_NONE,
                error.backend_code, std::string(operation) + ": " + text};
}

gpuopt_status report(gpuopt_error *error, const Failure &failure) noexcept {
  if (!error) return failure.code;
  gpuopt_error filled = GPUOPT_ERROR_INIT;
  filled.code = failure.code;
  filled.reason = failure.reason;
  filled.backend_code = failure.backend_code;
  const size_t size = std::min<size_t>(error->struct_size, sizeof filled);
  const size_t room = size > offsetof(gpuopt_error, message) ? size - offsetof(gpuopt_error, message) : 0;
  if (room > 0 && failure.message.empty())
    std::snprintf(filled.message, room, "%s", gpuopt_status_message(failure.code));
  if (room > 0 && !failure.message.empty()) copy_message(filled.message, room, failure.message);
  filled.struct_size = error->struct_size;
  std::memcpy(error, &filled, size);
  return failure.code;
}

void read_options(const void *options, void *known, size_t known_size, const char *what) {
  constexpr size_t smallest = 16, largest = 1 << 16;  // {struct_size, flags, next}; larger than any struct will ever be
  if (!options) return;
  uint32_t size;
  std::memcpy(&size, options, sizeof size);
  if (size < smallest || size > largest) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: struct_size is %u; initialise the struct with its GPUOPT_..._INIT", what,
         size);
  }
  const auto *bytes = static_cast<const unsigned char *>(options);
  if (size > known_size && std::any_of(bytes + known_size, bytes + size, [](unsigned char b) { return b != 0; })) {
    fail(GPUOPT_ERR_UNSUPPORTED,
         "%s: the struct sets a member that is newer than this library (%u bytes, %zu are known)", what, size,
         known_size);
  }
  std::memcpy(known, options, std::min<size_t>(size, known_size));
}

std::string shape_text(int ndim, const int64_t *shape) {
  std::string text = "(";
  for (int i = 0; i < ndim; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (ndim == 1 ? ",)" : ")");
}

}  // namespace gpuopt

// plugins/shared/host/barrier.h -- no exception leaves the plugin: each slot is called through one of these.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <tuple>

#include "plugins/shared/host/host.h"

namespace gpuopt::plugin {

// The exception that becomes the status and the message of a slot.
struct Failure {
  gpuopt_status code;
  gpuopt_reason reason;
  int32_t backend_code;
  std::string message;
};

// Fills `error` from the exception that is being handled, and returns its status. To be called in a catch block.
inline gpuopt_status report_exception(gpuopt_error *error) noexcept {
  try {
    throw;
  } catch (const Failure &failure) {
    return host()->fail(error, failure.code, failure.reason, failure.backend_code, "%s", failure.message.c_str());
  } catch (const std::bad_alloc &) {
    return host()->fail(error, GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, "the host has no memory left");
  } catch (const std::exception &exception) {
    return host()->fail(error, GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, "%s", exception.what());
  } catch (...) {
    return host()->fail(error, GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, "an unknown exception");
  }
}

// Barrier<f>::call is f with its exceptions turned into a status, or NULL where f is: an absent slot stays absent.
template <auto slot>
struct Barrier {
  static constexpr std::nullptr_t call = nullptr;
};

// The error is the last argument of every slot that returns a status.
template <typename... Arguments, gpuopt_status (*slot)(Arguments...)>
struct Barrier<slot> {
  static gpuopt_status call(Arguments... arguments) noexcept {
    try {
      return slot(arguments...);
    } catch (...) {
      return report_exception(std::get<sizeof...(Arguments) - 1>(std::tuple<Arguments...>(arguments...)));
    }
  }
};

template <typename... Arguments, void (*slot)(Arguments...)>
struct Barrier<slot> {
  static void call(Arguments... arguments) noexcept {
    try {
      slot(arguments...);
    } catch (...) {
      log(GPUOPT_LOG_ERROR, "plugin.internal", "a slot that cannot fail did");
    }
  }
};

}  // namespace gpuopt::plugin

// tests/fake_cuda/call.h -- what every driver call begins with.
#pragma once

#include <unistd.h>

#include <new>

#include "tests/fake_cuda/state.h"

extern "C" {
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) __attribute__((visibility("default"))) CUresult exported args;
#include "plugins/cuda/driver/driver_symbols.def"
}

namespace fake_cuda {

// A call that gives something back does so even where a fault is injected: its code may tell of earlier work.
enum class Kind { kOrdinary, kReleases, kBeforeInit };

// The fault this call is to have. One that is sticky takes the current context with it.
CUresult injected();

template <class Body>
CUresult call(const char *name, Kind kind, Body &&body) {
  State &s = State::get();
  if (s.process && s.process != getpid()) return CUDA_ERROR_NOT_INITIALIZED;  // a child of fork
  std::lock_guard lock(s.mutex);
  s.call = name;
  ++s.counters.calls;
  const CUresult fault = injected();
  if (fault != CUDA_SUCCESS && kind != Kind::kReleases) return fault;
  try {
    if (!s.initialised && kind != Kind::kBeforeInit) refuse(CUDA_ERROR_NOT_INITIALIZED);
    body(s);
  } catch (const Refused &refused) {
    return refused.code;
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return fault;
}

template <class Body>
CUresult call(const char *name, Body &&body) {
  return call(name, Kind::kOrdinary, body);
}

// The calling thread's current context, in which no fault has happened.
Context &current();

template <class P>
void need(P *pointer) {
  if (!pointer) refuse(CUDA_ERROR_INVALID_VALUE);
}

bool is_sticky(CUresult code);

}  // namespace fake_cuda

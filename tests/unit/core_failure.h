// tests/unit/core_failure.h -- what a piece of the core throws, as a value.
#pragma once

#include "core/base/error.h"

namespace gpuopt::test {

// The failure that `body` throws; one of code GPUOPT_OK if it throws none.
template <class Body>
Failure failure_of(Body body) {
  try {
    body();
  } catch (const Failure &failure) {
    return failure;
  }
  return {GPUOPT_OK, GPUOPT_REASON_NONE, 0, {}};
}

}  // namespace gpuopt::test

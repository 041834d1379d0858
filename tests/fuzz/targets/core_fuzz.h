// tests/fuzz/targets/core_fuzz.h -- for targets that call functions of the core, which throw.
#pragma once
#include "core/base/error.h"
#include "tests/fuzz/targets/fuzz.h"

namespace fuzz {

// Runs `body` and returns whether it accepted its input. What it throws must be a Failure that is the input's fault,
// with words that say so.
template <class Body>
bool accepts(const Body &body) {
  try {
    body();
    note_outcome(true);
    return true;
  } catch (const gpuopt::Failure &failure) {
    note_outcome(false);
    require(failure.code != GPUOPT_OK && failure.code != GPUOPT_ERR_INTERNAL, "a refusal has a code of its own",
            failure.message);
    require(failure.message.size() > 8, "a refusal says why", failure.message);
  } catch (const std::bad_alloc &) {
    require(false, "no input of this size needs more memory than there is");
  }
  return false;
}

// The same for functions of the C ABI: the status and the error must agree.
inline bool accepted(gpuopt_status status, const gpuopt_error &error) {
  note_outcome(status == GPUOPT_OK);
  if (status == GPUOPT_OK) return true;
  require(error.code == status, "the error has the status that was returned", error.message);
  require(status != GPUOPT_ERR_INTERNAL, "a refusal is the input's fault", error.message);
  require(std::strlen(error.message) > 8, "a refusal says why", error.message);
  return false;
}

}  // namespace fuzz

// tools/advice.h -- what each reason code means for a person, and what to do so that the GPU is used.
#pragma once
#include <gpuopt/types.h>

#include <string>

namespace gpuopt::tools {

struct Advice {
  const char *name;   // "DRIVER_MISSING"
  const char *means;  // in plain words, what is the matter
  const char *steps;  // what to do: one step a line, in the order in which to try them
};

// A library newer than this command may have reasons that are not in its table: for those it says so.
const Advice &advice(gpuopt_reason reason);

// The reason with this name; GPUOPT_REASON_COUNT if there is none.
gpuopt_reason reason_named(const std::string &name);

}  // namespace gpuopt::tools

// tools/advice.h -- explains each reason code to users, with the steps by which the GPU can be used.
#pragma once
#include <gpuopt/types.h>

#include <string>

namespace gpuopt::tools {

struct Advice {
  const char *name;   // "DRIVER_MISSING"
  const char *means;  // what is wrong, in plain words
  const char *steps;  // what to do: one step per line, in the order in which to try them
};

// Returns the advice for a reason. A library newer than this command may have reasons that are not in the table; for
// these the advice is to update the command.
const Advice &advice(gpuopt_reason reason);

// Returns the reason with this name, GPUOPT_REASON_COUNT if there is none.
gpuopt_reason reason_named(const std::string &name);

}  // namespace gpuopt::tools

// plugins/nccl/library.h -- finds NCCL at run time, and fills a table of its functions from nccl_symbols.def.
#pragma once

#include <string>

#include "plugins/nccl/nccl_types.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::nccl {

struct Library {
  std::string name;  // the file, as it was asked for
  int version = 0;   // 21805 is 2.18.5
#define GPUOPT_NCCL_SYMBOL(result, name, args) result(*name) args = nullptr;
#include "plugins/nccl/nccl_symbols.def"
};

// Returns NCCL, which the first call opens, and which is never closed: that which is in the process already, else what
// GPUOPT_NCCL names, or else the first that is found beside this plugin, in NVIDIA's Python package around it, in the
// Conda environment, and by the system's loader. Throws ERR_UNAVAILABLE with the reason if there is none, or only one
// that is older than 2.14. Safe from any thread.
const Library &nccl_library();

// Throws ERR_COMM, with the words that NCCL has for it, if the result is a failure. `comm` may be NULL.
void check(ncclResult_t result, const char *what, ncclComm_t comm = nullptr);

// "2.18.5".
std::string version_text(int version);

}  // namespace gpuopt::nccl

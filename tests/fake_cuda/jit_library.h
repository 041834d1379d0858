// tests/fake_cuda/jit_library.h -- a user's kernels in the fake driver: objects of libgpuopt_jit, whose threads are
// those of the CPU backend.
#pragma once

#include <memory>
#include <string>

#include "tests/fake_cuda/state.h"

namespace fake_cuda {

// Those of a file (jit_file.h), with variables of their own. Throws std::runtime_error saying what is wrong with it.
std::shared_ptr<Library> open_jit_library(const std::string &path);

}  // namespace fake_cuda

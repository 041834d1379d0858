// tests/fake_cuda/ptx/library.h -- modules of PTX in the fake driver.
#pragma once

#include <memory>
#include <string>

#include "tests/fake_cuda/ptx/warp.h"
#include "tests/fake_cuda/state.h"

namespace fake_cuda {

// Whether an image is PTX rather than what the fake NVRTC gives.
bool is_ptx(const char *image);

// Throws ptx::BadPtx.
std::shared_ptr<Library> open_ptx(const char *image);

// The version of CUDA whose drivers take this PTX first (1300 is 13.0), and the architecture it is for.
int toolkit_of(const ptx::Module &module);

// What a launch of the kernel needs, with its arguments in their places.
ptx::Launch ptx_launch(const Library &library, const KernelEntry &entry, void *const *arguments);

}  // namespace fake_cuda

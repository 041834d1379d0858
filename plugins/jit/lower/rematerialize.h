// plugins/jit/lower/rematerialize.h -- how much is recomputed instead of being kept or passed on.
#pragma once

namespace gpuopt::jit {

// A value whose computation takes more instructions is kept in the frame, spilled or passed as an argument.
constexpr int kMaxRematerialized = 12;

}  // namespace gpuopt::jit

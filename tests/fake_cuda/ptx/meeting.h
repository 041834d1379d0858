// tests/fake_cuda/ptx/meeting.h -- what lanes of a warp do together.
#pragma once

#include "tests/fake_cuda/ptx/warp.h"

namespace fake_cuda::ptx {

// Keeps what these lanes bring to the operation, of the frame that runs.
void bring(Warp &warp, const Op &op, Mask lanes);

// Gives the lanes, which brought what they had for the same kind of operation and the same mask, their results.
void meet(Warp &warp, Mask lanes);

// A result of a lane, in its own frame.
void give(Warp &warp, int lane, Row to, uint64_t bits);
void give_predicate(Warp &warp, int lane, uint32_t predicate, bool value);

}  // namespace fake_cuda::ptx

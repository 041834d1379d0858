// tests/fake_cuda/ptx/memory.h -- where an address of a lane lies in the host's memory.
#pragma once

#include "tests/fake_cuda/ptx/decode.h"

namespace fake_cuda::ptx {

enum class Access : uint8_t { kLoad, kStore, kBoth };

// Whether these bytes are aligned to their number, and there for this lane in this space; else a fault. Tells which
// space a generic address is in.
uint8_t *resolve(Warp &warp, const Op &op, int lane, Space &space, uint64_t address, uint32_t bytes, Access access);

// The memory operand: its space and its base as a row, with the offset in `immediate`. kind becomes the space;
// from_negated says that the parameters are those of the launch.
void take_address(Decoder &decoder, const Operand &address, Space space);

inline uint64_t address_of(const Warp &warp, const Op &op, int lane, Row base) {
  const uint64_t address = warp.row(base)[lane] + uint64_t(op.immediate);
  return op.narrow ? uint32_t(address) : address;
}

// .global and its like, or none of them for a generic address.
Space take_optional_space(Decoder &decoder);
// Words about order and scope, which change nothing for lanes that run one after the other.
void drop_ordering(Decoder &decoder);

}  // namespace fake_cuda::ptx

// tests/conformance/cooperation/combine.h -- functions of two numbers that atomic functions and reductions combine by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuopt::test::cooperation {

struct Combine {
  const char *atomic, *reduce, *group;  // atomicAdd, __reduce_add_sync, cooperative_groups::plus
  uint32_t (*of)(uint32_t, uint32_t);
};
inline const Combine kCombines[] = {
    {"atomicAdd", "__reduce_add_sync", "plus", [](uint32_t a, uint32_t b) { return a + b; }},
    {"atomicMin", "__reduce_min_sync", "less", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
    {"atomicMax", "__reduce_max_sync", "greater", [](uint32_t a, uint32_t b) { return std::max(a, b); }},
    {"atomicAnd", "__reduce_and_sync", "bit_and", [](uint32_t a, uint32_t b) { return a & b; }},
    {"atomicOr", "__reduce_or_sync", "bit_or", [](uint32_t a, uint32_t b) { return a | b; }},
    {"atomicXor", "__reduce_xor_sync", "bit_xor", [](uint32_t a, uint32_t b) { return a ^ b; }},
};
constexpr unsigned kCombineCount = 6;

inline uint32_t combined(const Combine &combine, const std::vector<uint32_t> &values) {
  uint32_t out = values.at(0);
  for (size_t k = 1; k < values.size(); k++) out = combine.of(out, values[k]);
  return out;
}

}  // namespace gpuopt::test::cooperation

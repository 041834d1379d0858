// plugins/cuda/library/radix.cpp -- the passes of a radix sort.
#include "plugins/cuda/library/radix.h"

#include <utility>

namespace gpuopt::cuda {
namespace {

constexpr int64_t kTile = 2048, kDigits = 16,
                  kThreads = 256;  // radix_tile, radix_digits, radix_threads of text/radix.h
constexpr int kDigitBits = 4;

std::string type_of_items(int64_t row_size, int64_t key_bytes) {
  const char *const index = row_size <= int64_t{UINT32_MAX} && key_bytes == 4 ? "gpo::u32" : "gpo::u64";
  return std::string("gpo::Item<") + unit_type(key_bytes) + "," + index + ">";
}

}  // namespace

RadixItems::RadixItems(const Work &work, int64_t rows, int64_t row_size, int64_t key_bytes)
    : work_(work),
      rows_(rows),
      row_size_(row_size),
      tiles_((row_size - 1) / kTile + 1),
      key_bytes_(row_size <= int64_t{UINT32_MAX} ? key_bytes : 8),
      type_(type_of_items(row_size, key_bytes_)),
      first_(work.device, work.stream, static_cast<uint64_t>(rows * row_size * 2 * key_bytes_)),
      second_(work.device, work.stream, static_cast<uint64_t>(rows * row_size * 2 * key_bytes_)),
      starts_(work.device, work.stream, static_cast<uint64_t>(rows * tiles_ * kDigits + 1) * sizeof(uint64_t)),
      bits_(work.device, work.stream, 2 * sizeof(uint64_t)),
      from_(first_.address()),
      to_(second_.address()) {}

void RadixItems::clear_bits() {
  fill_bytes(work_, bits_.address(), 0, sizeof(uint64_t));
  fill_bytes(work_, bits_.address() + sizeof(uint64_t), 0xff, sizeof(uint64_t));
}

void RadixItems::pass(int shift, bool only_indices, uint64_t to) {
  const KernelWords words{static_cast<uint64_t>(row_size_), from_, starts_.address(), static_cast<uint64_t>(shift),
                          static_cast<uint64_t>(tiles_),    to};
  launch_library(work_, "radix.h", instance("radix_counts", {type_}), words, rows_ * tiles_, kThreads);
  launch_starts(work_, rows_ * tiles_ * kDigits, starts_.address());
  launch_library(work_, "radix.h", instance("radix_move", {type_, only_indices ? "true" : "false"}), words,
                 rows_ * tiles_, kThreads);
}

void RadixItems::sort_noted() {
  uint64_t bits[2] = {};
  read_words(work_, bits_.address(), bits, 2);
  const uint64_t varying = bits[0] ^ bits[1];
  for (int shift = 0; shift < 64; shift += kDigitBits) {
    if (!(varying >> shift & (kDigits - 1))) continue;
    pass(shift, false, to_);
    std::swap(from_, to_);
  }
}

void RadixItems::sort_to_indices(uint64_t out) {
  const int bits = static_cast<int>(8 * key_bytes_);
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const bool last = shift + kDigitBits == bits;
    pass(shift, last, last ? out : to_);
    std::swap(from_, to_);
  }
}

}  // namespace gpuopt::cuda

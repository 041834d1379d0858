// plugins/cuda/library/radix.h -- rows of items, sorted by their keys (text/radix.h).
#pragma once

#include <string>

#include "plugins/cuda/library/library.h"

namespace gpuopt::cuda {

// Rows of items with a key of 4 or 8 bytes and an index, in device memory, with as much memory to move them to. Kernels
// of text/sort.h make them, and note which bits their keys have.
class RadixItems {
 public:
  // Throws ERR_OUT_OF_MEMORY.
  RadixItems(const Work &work, int64_t rows, int64_t row_size, int64_t key_bytes);

  // "gpo::Item<gpo::u32,gpo::u32>"
  const std::string &type() const noexcept { return type_; }
  uint64_t address() const noexcept { return from_; }
  // The address of the two words that note_bits() of text/sort.h takes. clear_bits() has to precede it.
  uint64_t bits_address() const noexcept { return bits_.address(); }
  void clear_bits();

  // Sorts by the digits in which keys differ, as their bits were noted. Waits for the stream.
  void sort_noted();
  // Sorts by all digits of the keys; the last pass writes the indices, u64, to `out`.
  void sort_to_indices(uint64_t out);

 private:
  void pass(int shift, bool only_indices, uint64_t to);

  const Work &work_;
  const int64_t rows_, row_size_, tiles_, key_bytes_;
  const std::string type_;
  const Scratch first_, second_, starts_, bits_;
  uint64_t from_, to_;
};

}  // namespace gpuopt::cuda

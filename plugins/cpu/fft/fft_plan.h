// plugins/cpu/fft/fft_plan.h -- what all Fourier transforms of one length have in common: stages and factors.
#pragma once

#include <gpuopt/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "plugins/cpu/levels/fft_loops.h"

namespace gpuopt::cpu {

// Memory of a plan, aligned as blocks are. The constructor throws std::bad_alloc.
class FftMemory {
 public:
  FftMemory() = default;
  explicit FftMemory(int64_t bytes);
  char *at(int64_t offset) const noexcept { return memory_.get() + offset; }
  int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Free {
    void operator()(char *memory) const noexcept;
  };
  std::unique_ptr<char, Free> memory_;
  int64_t bytes_ = 0;
};

// The transform of n complex numbers. It is immutable, and used by any threads at once.
//
// With columns = 1 all stages are in `first`, and are carried out on several transforms side by side. Else one
// transform is cut: its elements are `rows` rows of `columns`. The first stages are transforms of the columns, which
// lie side by side. Their results are cut into blocks of as many indices k < rows as a block has lanes, and the second
// stages are carried out on one block after the other, each lane with factors of its own. The bits are the same.
struct FftPlan {
  int32_t dtype = 0;  // GPUOPT_FLOAT32 or GPUOPT_FLOAT64: of the parts
  const FftLoops *loops = nullptr;
  int64_t n = 0, rows = 0, columns = 1;
  std::vector<FftStage> first, second;  // the factors of the second are those of block 0; the other blocks' follow
  std::vector<FftMemory> memory;        // of factors

  // For lengths with a large prime factor, which have no stages: the plan of the convolution, the chirp, and the
  // spectrum.
  std::shared_ptr<const FftPlan> convolution;
  FftMemory chirp, spectrum;

  int64_t bytes() const noexcept;
};

// Returns the plan of a length, from a cache if it was wanted before. `cut` asks for one with columns > 1, if there is
// one; `level` is an instruction set level. Throws std::bad_alloc.
std::shared_ptr<const FftPlan> fft_plan(int32_t dtype, int64_t n, bool cut, int level);

// Returns root(k, n) for 0 <= k < n / 2, from another cache.
std::shared_ptr<const FftMemory> fft_roots(int32_t dtype, int64_t n, int level);

// Returns the bytes of a real number, and how many of them the rows of blocks have.
inline int64_t fft_real(int32_t dtype) noexcept { return dtype == GPUOPT_FLOAT32 ? 4 : 8; }
inline int64_t fft_lanes(int32_t dtype) noexcept { return kFftRow / fft_real(dtype); }

// Returns the bytes between the factors of two blocks of a stage whose factors are by lane.
inline int64_t fft_block_factors(const FftStage &stage) noexcept {
  return stage.before * (stage.radix - 1) * 2 * kFftRow;
}

}  // namespace gpuopt::cpu

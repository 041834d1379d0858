// plugins/cuda/program/program_cache.h -- the programs a device ran lately: their passes, and the kernels of each
// layout.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "plugins/cuda/program/lower.h"
#include "plugins/cuda/program/source.h"
#include "plugins/shared/program/program_check.h"

namespace gpuopt::cuda {

// A pass in one shape: its kernels, in the order in which they run.
struct Variant {
  Shape shape;
  PassWords parameters;
  std::vector<const Kernel *> kernels;
};

// A program's checked steps, its passes, and the kernels of those layouts that it has run with. Safe from any thread.
class PreparedProgram {
 public:
  // Throws ERR_INTERNAL if the steps of `program` are malformed, and ERR_UNSUPPORTED if there is no loop for one of
  // them. `overwrites` as for lower().
  PreparedProgram(const gpuopt_program &program, bool overwrites);

  // Returns whether this was prepared from the same steps, with the same `overwrites`.
  bool fits(const gpuopt_program &program, bool overwrites) const;
  const LoweredProgram &lowered() const { return lowered_; }
  const plugin::OperandUse &use() const { return use_; }
  const std::vector<gpuopt_step> &steps() const { return steps_; }

  // Returns the kernels of pass number `pass` in this shape, which it gets from the KernelStore on a miss. They are
  // valid as long as this object. The context is current.
  const Variant &variant(Device &device, size_t pass, const Shape &shape);

 private:
  const uint64_t key_;
  const int32_t ninputs_, noutputs_, nconstants_;
  const bool overwrites_;
  const std::vector<gpuopt_step> steps_;
  plugin::OperandUse use_;
  LoweredProgram lowered_;
  std::mutex mutex_;
  std::vector<std::vector<std::unique_ptr<Variant>>> variants_;  // by pass
};

// Safe from any thread.
class ProgramCache {
 public:
  // Returns the prepared program, which it prepares on a miss (and then throws as the constructor). `overwrites` as for
  // lower().
  std::shared_ptr<PreparedProgram> find(const gpuopt_program &program, bool overwrites);

 private:
  // The cache is direct-mapped: the program's key picks the one slot in which it may be, and a miss evicts what is
  // there.
  static constexpr size_t kPlaces = 1024;
  std::mutex mutex_;
  std::array<std::shared_ptr<PreparedProgram>, kPlaces> places_;
};

}  // namespace gpuopt::cuda

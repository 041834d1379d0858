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

class PreparedProgram {
 public:
  // Throws what is wrong with the steps of `program`.
  PreparedProgram(const gpuopt_program &program, bool overwrites);

  bool fits(const gpuopt_program &program, bool overwrites) const;
  const LoweredProgram &lowered() const { return lowered_; }
  const plugin::OperandUse &use() const { return use_; }
  const std::vector<gpuopt_step> &steps() const { return steps_; }

  // The kernels of pass number `pass` in this shape, made now if there are none yet. Valid as long as this object.
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
  // The program, prepared now if it is not here. `overwrites` as for lower().
  std::shared_ptr<PreparedProgram> find(const gpuopt_program &program, bool overwrites);

 private:
  // Direct-mapped: a hash picks the one place where a program may be.
  static constexpr size_t kPlaces = 1024;
  std::mutex mutex_;
  std::array<std::shared_ptr<PreparedProgram>, kPlaces> places_;
};

}  // namespace gpuopt::cuda

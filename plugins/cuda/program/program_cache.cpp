// plugins/cuda/program/program_cache.cpp -- see program_cache.h.
#include "plugins/cuda/program/program_cache.h"

#include <cstring>

#include "plugins/cuda/program/loop_results.h"

namespace gpuopt::cuda {
namespace {

constexpr int kMostWords = 500;  // 4000 bytes; with every driver a kernel may have 4096 bytes of parameters

Variant make_variant(Device &device, const gpuopt_step *steps, const Pass &pass, const Shape &shape) {
  Variant variant = {shape, place_parameters(pass, shape), {}};
  if (variant.parameters.count > kMostWords)
    fail(GPUOPT_ERR_UNSUPPORTED, "a program has operands of too many dimensions for one kernel");
  // The key of a kernel is its text, so that programs share kernels.
  for (const KernelSource &source : write_kernels(steps, pass, shape, kKernelName)) {
    const Kernel *known = device.kernels->find(source.text);
    variant.kernels.push_back(known ? known : &device.kernels->add(source.text, source));
  }
  return variant;
}

}  // namespace

PreparedProgram::PreparedProgram(const gpuopt_program &program, bool overwrites)
    : key_(program.key),
      ninputs_(program.ninputs),
      noutputs_(program.noutputs),
      nconstants_(program.nconstants),
      overwrites_(overwrites),
      steps_(program.steps, program.steps + program.nsteps) {
  const plugin::ProgramError error = plugin::check_steps(program, loop_results(), use_);
  if (error.code != GPUOPT_OK) fail(error.code, "cannot run a program: %s (step %d)", error.what, error.step);
  lowered_ = lower(program, overwrites);
  variants_.resize(lowered_.passes.size());
}

bool PreparedProgram::fits(const gpuopt_program &program, bool overwrites) const {
  return key_ == program.key && overwrites_ == overwrites && ninputs_ == program.ninputs &&
         noutputs_ == program.noutputs && nconstants_ == program.nconstants &&
         static_cast<int32_t>(steps_.size()) == program.nsteps &&
         std::memcmp(steps_.data(), program.steps, steps_.size() * sizeof(gpuopt_step)) == 0;
}

const Variant &PreparedProgram::variant(Device &device, size_t pass, const Shape &shape) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto &known : variants_[pass]) {
      if (known->shape == shape) return *known;
    }
  }
  // Compiles without the lock. If two threads do so at a time, both get the same kernels from the KernelStore.
  auto made = std::make_unique<Variant>(make_variant(device, steps_.data(), lowered_.passes[pass], shape));
  const std::lock_guard<std::mutex> lock(mutex_);
  return *variants_[pass].emplace_back(std::move(made));
}

std::shared_ptr<PreparedProgram> ProgramCache::find(const gpuopt_program &program, bool overwrites) {
  std::shared_ptr<PreparedProgram> &place = places_[(program.key ^ program.key >> 32) % kPlaces];
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (place && place->fits(program, overwrites)) return place;
  }
  auto made = std::make_shared<PreparedProgram>(program, overwrites);
  const std::lock_guard<std::mutex> lock(mutex_);
  return place = std::move(made);
}

}  // namespace gpuopt::cuda

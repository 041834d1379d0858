// tools/measure.h -- timing of work on a device: synchronised, repeated, the median taken.
#pragma once
#include <functional>
#include <gpuopt/gpuopt.hpp>

namespace gpuopt::tools {

struct Effort {
  int samples;            // of which the median is taken
  double sample_seconds;  // at least; short work is repeated within a sample
};

// Seconds per call of `work`, which must submit its work to the device: the clock is stopped when the device is idle.
double median_seconds(const device &where, const Effort &effort, const std::function<void()> &work);

}  // namespace gpuopt::tools

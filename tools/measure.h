// tools/measure.h -- measures the time of work on a device: synchronized, repeated, median of several samples.
#pragma once
#include <functional>
#include <gpuopt/gpuopt.hpp>

namespace gpuopt::tools {

struct Effort {
  int samples;            // number of samples, of which the median is taken
  double sample_seconds;  // minimum duration of a sample; short work is repeated in it
};

// Returns the seconds per call of work(), which must submit its work to `where` and need not wait for it: each sample
// ends when the device is idle. Calls work() once before, so that compilation does not count.
double median_seconds(const device &where, const Effort &effort, const std::function<void()> &work);

}  // namespace gpuopt::tools

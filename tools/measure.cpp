// tools/measure.cpp -- see measure.h.
#include "tools/measure.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace gpuopt::tools {
namespace {

// Returns the seconds that all repetitions take together.
double seconds_of(const device &where, int repetitions, const std::function<void()> &work) {
  using Clock = std::chrono::steady_clock;
  where.synchronize();
  const auto start = Clock::now();
  for (int i = 0; i < repetitions; ++i) work();
  where.synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

double median_seconds(const device &where, const Effort &effort, const std::function<void()> &work) {
  constexpr int kMostRepetitions = 1 << 16;
  seconds_of(where, 1, work);  // compiles, allocates, warms up
  int repetitions = 1;
  while (repetitions < kMostRepetitions && seconds_of(where, repetitions, work) < effort.sample_seconds)
    repetitions *= 2;
  std::vector<double> samples;
  for (int i = 0; i < effort.samples; ++i) samples.push_back(seconds_of(where, repetitions, work) / repetitions);
  std::nth_element(samples.begin(), samples.begin() + effort.samples / 2, samples.end());
  return samples[static_cast<size_t>(effort.samples / 2)];
}

}  // namespace gpuopt::tools

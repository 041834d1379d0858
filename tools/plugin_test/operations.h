// tools/plugin_test/operations.h -- the last phase, and its rules by family.
#pragma once
#include "tools/plugin_test/compare.h"

namespace gpuopt::plugin_test {

// The phase: operations through libgpuopt, compared with the CPU backend.
void operations_phase(const Subject &, Recorder &);
// Returns the names of its rules that --only can select.
std::set<std::string> operation_rules();

// What every family of rules needs. The members must outlive it.
struct Bench {
  const Subject &subject;
  const Side &tested, &reference;
  Recorder &recorder;

  // Calls body(dtype, name) for every dtype that --dtypes selects.
  template <class Body>
  void each_dtype(Body body) const {
    for (gpuopt_dtype dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) {
      if (const char *name = gpuopt_dtype_name(dtype); subject.wants_dtype(name)) body(dtype, std::string(name));
    }
  }
  // Runs body(comparison) as the rule `name`, unless --only excludes it.
  template <class Body>
  void rule(const std::string &name, Body body) const {
    if (!subject.wants(name)) return;
    Comparison comparison(tested, reference, recorder, name);
    body(comparison);
  }
};

// Each runs one family of rules. They throw Hopeless if a device is lost.
void compare_elementwise(const Bench &bench);
void compare_casts(const Bench &bench);
void compare_reductions(const Bench &bench);
void compare_scans(const Bench &bench);
void compare_programs(const Bench &bench);
void compare_products(const Bench &bench);
void compare_transforms(const Bench &bench);
void compare_linalg(const Bench &bench);
void compare_selections(const Bench &bench);
void compare_random(const Bench &bench);

}  // namespace gpuopt::plugin_test

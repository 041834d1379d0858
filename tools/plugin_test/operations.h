// tools/plugin_test/operations.h -- the rules of the operations phase, by family.
#pragma once
#include "tools/plugin_test/compare.h"

namespace gpuopt::plugin_test {

// What every family is given.
struct Bench {
  const Subject &subject;
  const Side &tested, &reference;
  Recorder &recorder;

  // Calls body(dtype, name) for every dtype that is wanted.
  template <class Body>
  void each_dtype(Body body) const {
    for (gpuopt_dtype dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) {
      if (const char *name = gpuopt_dtype_name(dtype); subject.wants_dtype(name)) body(dtype, std::string(name));
    }
  }
  // The rule of an operation that is wanted; body(comparison).
  template <class Body>
  void rule(const std::string &name, Body body) const {
    if (!subject.wants(name)) return;
    Comparison comparison(tested, reference, recorder, name);
    body(comparison);
  }
};

void compare_elementwise(const Bench &bench);
void compare_casts(const Bench &bench);
void compare_reductions(const Bench &bench);
void compare_scans(const Bench &bench);
void compare_programs(const Bench &bench);
void compare_products(const Bench &bench);
void compare_selections(const Bench &bench);
void compare_random(const Bench &bench);

}  // namespace gpuopt::plugin_test

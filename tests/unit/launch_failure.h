// tests/unit/launch_failure.h -- what the C++ face throws in a call, as a value that tests compare.
#pragma once
#include <gpuopt/gpuopt.hpp>
#include <string>

struct Failure {
  int code = 0;  // GPUOPT_OK: nothing was thrown
  std::string text;
};

template <class Launch>
Failure failure_of(Launch launch) {
  try {
    launch();
  } catch (const gpuopt::error &e) {
    return {e.code(), e.what()};
  }
  return {};
}

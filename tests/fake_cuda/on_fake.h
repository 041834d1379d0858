// tests/fake_cuda/on_fake.h -- tests of the library on the fake driver: the device, and what the fake knows of it.
#pragma once

#include <dlfcn.h>

#include <cstdlib>

#include "tests/conformance/harness.h"
#include "tests/fake_cuda/fake_cuda.h"

namespace on_fake {

using harness::Handle;

template <class F>
F *find(const char *name) {
  void *library = dlopen(std::getenv("GPUOPT_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, name) : nullptr;
  if (!found) std::fprintf(stderr, "the fake driver has no %s: %s\n", name, dlerror()), std::exit(1);
  return reinterpret_cast<F *>(found);
}

inline fake_cuda_counters counters() {
  fake_cuda_counters now;
  find<fake_cuda_count_fn>("fake_cuda_count")(&now);
  return now;
}
inline void fail_at(uint64_t n, int32_t code) { find<fake_cuda_fail_at_fn>("fake_cuda_fail_at")(n, code); }
// What ran since the last call.
inline std::vector<fake_cuda_launch> take_launches() {
  std::vector<fake_cuda_launch> launches(65536);
  launches.resize(find<fake_cuda_take_launches_fn>("fake_cuda_take_launches")(launches.data(), launches.size()));
  return launches;
}

inline gpuopt_device open(const char *request) {
  gpuopt_device device = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  if (gpuopt_device_open(request, nullptr, &device, &error) != GPUOPT_OK)
    std::fprintf(stderr, "%s: %s\n", request, error.message), std::exit(1);
  return device;
}

template <class T>
std::vector<T> values_of(gpuopt_array x) {
  std::vector<T> values(size_t(gpuopt_array_size(x)));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(x, values.data(), values.size() * sizeof(T), &error), GPUOPT_OK) << error.message;
  return values;
}

// A vector of float32 on the device: first, first + 1, ...
inline Handle counting(gpuopt_device device, int64_t size, float first = 0) {
  std::vector<float> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), first);
  Handle x;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_array_from(device, values.data(), GPUOPT_FLOAT32, 1, &size, x.out(), &error), GPUOPT_OK)
      << error.message;
  return x;
}

}  // namespace on_fake

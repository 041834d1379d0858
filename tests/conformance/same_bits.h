// tests/conformance/same_bits.h -- what the files of same_bits share: the device, hashes, and numbers to compute with.
#pragma once
#include <gpuopt/gpuopt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace same_bits {

extern gpuopt_device device;

inline void must(gpuopt_status status, const gpuopt_error &error) {
  if (status == GPUOPT_OK) return;
  std::fprintf(stderr, "%s: %s\n", gpuopt_status_name(status), error.message);
  std::exit(1);
}
#define MUST(call)                           \
  do {                                       \
    gpuopt_error error_ = GPUOPT_ERROR_INIT; \
    gpuopt_error *error = &error_;           \
    must(call, error_);                      \
  } while (0)

// Prints a line: the name and a hash of the elements, in which every NaN counts as one value: which one it is depends
// on the processor.
void print_hash(const std::string &name, gpuopt_array x);

// An array of pseudorandom numbers, mostly of moderate size, of any dtype.
gpuopt_array numbers(gpuopt_dtype d, const std::vector<int64_t> &shape, uint64_t seed);

// The families of functions that a backend may leave to the CPU (same_bits_library.cpp).
void hash_factors(gpuopt_dtype d, const std::vector<int64_t> &shape);
void hash_linalg(gpuopt_dtype d);
void hash_transforms(gpuopt_dtype d);
void hash_sorting(gpuopt_dtype d);
void hash_distributions();

// Those that are made of recorded operations, gathers and scatters.
void hash_selection(gpuopt_dtype d);
void hash_statistics(gpuopt_dtype d);

// Functions that are composed of others (same_bits_functions.cpp), on the CPU.
void hash_functions();

}  // namespace same_bits

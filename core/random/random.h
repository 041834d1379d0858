// core/random/random.h -- draws random numbers into arrays, for RandomState (random_state.cpp) and Generator
// (random_generator.cpp). `what` names the C function in messages.
#pragma once
#include <gpuopt/random_call.h>

#include <span>
#include <vector>

#include "core/array/view.h"

namespace gpuopt::random {

// A generator as others see it: its device, and its state (random_call.h), which the plugin slot `random` advances.
// Owns nothing.
struct Stream {
  gpuopt_device device;
  int32_t kind;  // GPUOPT_CALL_RANDOM_*
  void *state;
  size_t state_bytes;
};

// What to draw: a GPUOPT_RANDOM_* distribution and its parameters, as random_call.h lists them.
struct Draw {
  int64_t distribution;
  std::span<const int64_t> integers = {};  // i[1] and following
  std::span<const double> numbers = {};
  std::span<const gpuopt_array> tensors = {};  // t[1] and following
};

// Fills `out`, or a new array. The state advances only if this succeeds.
void draw_into(const Stream &stream, const char *what, const Draw &draw, gpuopt_array out);
ArrayRef draw_array(const Stream &stream, const char *what, const Draw &draw, gpuopt_dtype dtype, int ndim,
                    const int64_t *shape);

// Uniform in [low, high). Throws ERR_OVERFLOW if high - low is not finite. `dtype` is a floating-point one.
ArrayRef uniform(const Stream &stream, const char *what, double low, double high, gpuopt_dtype dtype, int ndim,
                 const int64_t *shape);
// Throws ERR_INVALID_ARGUMENT if `scale` is negative (-0.0, too).
ArrayRef normal(const Stream &stream, const char *what, double loc, double scale, gpuopt_dtype dtype, int ndim,
                const int64_t *shape);
// Integers in [low, last]. `dtype` 0 stands for int64. Throws ERR_INVALID_ARGUMENT if the interval is empty or does not
// fit the dtype, ERR_TYPE for a dtype that is neither bool nor an integer.
ArrayRef integers(const Stream &stream, const char *what, int64_t low, int64_t last, gpuopt_dtype dtype, int ndim,
                  const int64_t *shape);

// Returns the int64 numbers 0 .. n-1 in random order or, if `a` is not NULL, a copy of `a` with its rows (along axis 0)
// in random order.
ArrayRef permutation(const Stream &stream, const char *what, int64_t n, gpuopt_array a);

// The arguments of choice().
struct Choice {
  gpuopt_array a, p;  // the elements to choose from; their probabilities, NULL if all are the same
  bool replace;       // whether an element may be chosen more than once
  int ndim;           // the shape of the result
  const int64_t *shape;
};
// Returns elements of choice.a, chosen at random, as RandomState does if the generator is MT19937, and as Generator if
// it is PCG64.
ArrayRef choice(const Stream &stream, const char *what, const Choice &choice);

// Returns the dtype, or float64 if it is 0. Throws ERR_TYPE unless it is a real floating-point dtype.
gpuopt_dtype floating_or_default(gpuopt_dtype dtype, const char *what);

// Returns the shape of a result: `ndim` sizes or, if it is -1, none. Throws as checked_size().
Dims result_shape(int ndim, const int64_t *shape);

}  // namespace gpuopt::random

struct gpuopt_random_state_s {
  gpuopt_device device;
  gpuopt_mt19937_state state;
  gpuopt::random::Stream stream() { return {device, GPUOPT_CALL_RANDOM_MT19937, &state, sizeof state}; }
};

// Philox or PCG64. The words that PCG64 was seeded with, and the number of children that it has, are for spawning.
struct gpuopt_generator_s {
  gpuopt_device device;
  int32_t kind;  // GPUOPT_CALL_RANDOM_*
  gpuopt_philox_state philox;
  gpuopt_pcg64_state pcg64;
  std::vector<uint32_t> entropy, spawn_key;
  uint64_t children = 0;
  bool is_pcg64() const { return kind == GPUOPT_CALL_RANDOM_PCG64; }
  gpuopt::random::Stream stream() {
    if (is_pcg64()) return {device, kind, &pcg64, sizeof pcg64};
    return {device, kind, &philox, sizeof philox};
  }
};

namespace gpuopt::random {

// Return what a handle stands for. Throw ERR_INVALID_ARGUMENT if it is NULL.
gpuopt_random_state_s &checked(gpuopt_random_state state);
gpuopt_generator_s &checked(gpuopt_generator generator);

}  // namespace gpuopt::random

// core/ops/random.h -- drawing from a generator's state into arrays; what RandomState and Generator share.
#pragma once
#include <gpuopt/random_call.h>

#include <functional>
#include <span>

#include "core/array/array.h"

namespace gpuopt::random {

// A generator: its device, and the state that the slot `random` reads and advances.
struct Stream {
  gpuopt_device device;
  int32_t kind;  // GPUOPT_CALL_RANDOM_*
  void *state;
  size_t state_bytes;
};

// What to draw: a GPUOPT_RANDOM_* with its integers, doubles and further tensors.
struct Draw {
  int64_t distribution;
  std::span<const int64_t> integers = {};
  std::span<const double> numbers = {};
  std::span<const gpuopt_array> tensors = {};
};

// Fills `out`. The state advances only if that succeeds.
void draw_into(const Stream &stream, const char *what, const Draw &draw, gpuopt_array out);
ArrayRef draw_array(const Stream &stream, const char *what, const Draw &draw, gpuopt_dtype dtype, int ndim,
                    const int64_t *shape);

ArrayRef uniform(const Stream &stream, const char *what, double low, double high, gpuopt_dtype dtype, int ndim,
                 const int64_t *shape);
ArrayRef normal(const Stream &stream, const char *what, double loc, double scale, gpuopt_dtype dtype, int ndim,
                const int64_t *shape);
// [low, last], checked against the dtype.
ArrayRef integers(const Stream &stream, const char *what, int64_t low, int64_t last, gpuopt_dtype dtype, int ndim,
                  const int64_t *shape);

// n, or the rows of `a` (if not NULL), in random order.
ArrayRef permutation(const Stream &stream, const char *what, int64_t n, gpuopt_array a);

struct Choice {
  gpuopt_array a, p;  // p may be NULL
  bool replace;
  int ndim;
  const int64_t *shape;
};
ArrayRef choice(const Stream &stream, const char *what, const Choice &choice);

// Throws unless dtype is floating; 0 gives float64.
gpuopt_dtype floating_or_default(gpuopt_dtype dtype, const char *what);

}  // namespace gpuopt::random

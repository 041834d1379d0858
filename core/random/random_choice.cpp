// core/random/random_choice.cpp -- choice and permutation, with the algorithms of NumPy; see random.h.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/array/view.h"
#include "core/engine/library_call.h"
#include "core/engine/transfer.h"
#include "core/ops/select.h"
#include "core/random/random.h"

namespace gpuopt::random {
namespace {

// A copy of a generator. The draws from it advance the original only if commit() is called, so that a choice or
// permutation that fails after its draws leaves the state as it was.
class Trial {
 public:
  explicit Trial(const Stream &stream)
      : original_(stream),
        bytes_(static_cast<char *>(stream.state), static_cast<char *>(stream.state) + stream.state_bytes) {}
  Stream stream() { return {original_.device, original_.kind, bytes_.data(), bytes_.size()}; }
  void commit() { std::copy(bytes_.begin(), bytes_.end(), static_cast<char *>(original_.state)); }

 private:
  const Stream &original_;
  std::vector<char> bytes_;
};

// Returns the int64 numbers 0 .. n-1 in random order.
ArrayRef shuffled_indices(const Stream &stream, const char *what, int64_t n) {
  return draw_array(stream, what, {GPUOPT_RANDOM_PERMUTATION, {}, {}, {}}, GPUOPT_INT64, 1, &n);
}

std::vector<double> read_doubles(gpuopt_array x) {
  std::vector<double> values(static_cast<size_t>(x->size));
  if (!values.empty()) copy_to_host(x, values.data());
  return values;
}

// Kahan's compensated summation. The rounding errors of a plain sum of many probabilities could exceed the tolerance.
double kahan_sum(const std::vector<double> &values) {
  double sum = 0, carry = 0;
  for (double v : values) {
    const double y = v - carry, t = sum + y;
    carry = (t - sum) - y;
    sum = t;
  }
  return sum;
}

// Returns the elements of c.p. Throws unless they are probabilities of the elements of c.a that add up to 1.
std::vector<double> checked_probabilities(const char *what, const Choice &c) {
  if (c.p->dtype != GPUOPT_FLOAT64)
    fail(GPUOPT_ERR_TYPE, "%s: p has dtype %s, not float64", what, dtype_name(c.p->dtype));
  if (c.p->ndim != 1 || c.p->size != c.a->size)
    fail(GPUOPT_ERR_SHAPE, "%s: 'a' and 'p' must have same size (shapes %s and %s)", what,
         shape_text(c.a->ndim, c.a->shape).c_str(), shape_text(c.p->ndim, c.p->shape).c_str());
  std::vector<double> p = read_doubles(c.p);
  for (double v : p)
    if (!(v >= 0))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a probability is %s", what, std::isnan(v) ? "NaN" : "negative");
  const double sum = kahan_sum(p), tolerance = 1.4901161193847656e-08;  // the square root of float64's epsilon
  if (!(std::fabs(sum - 1) <= tolerance))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: probabilities do not sum to 1 (but to %.17g)", what, sum);
  return p;
}

// Returns the cumulative sums divided by the last one: the cumulative distribution function of p, which need not add up
// to 1.
std::vector<double> cumulative(const std::vector<double> &p) {
  std::vector<double> cdf;
  double sum = 0;
  for (double v : p) cdf.push_back(sum += v);
  for (double &v : cdf) v /= sum;
  return cdf;
}

ArrayRef with_replacement(const Stream &stream, const char *what, const Choice &c) {
  const ArrayRef table = contiguous(c.a);
  if (!c.p) {
    const gpuopt_array tensors[] = {table.get()};
    return draw_array(stream, what, {GPUOPT_RANDOM_CHOICE, {}, {}, tensors}, c.a->dtype, c.ndim, c.shape);
  }
  const std::vector<double> cdf = cumulative(checked_probabilities(what, c));
  const ArrayRef steps = make_array(c.a->stream.get(), GPUOPT_FLOAT64, 1, &c.a->size);
  copy_from_host(steps.get(), cdf.data());
  const gpuopt_array tensors[] = {table.get(), steps.get()};
  return draw_array(stream, what, {GPUOPT_RANDOM_CHOICE_CDF, {}, {}, tensors}, c.a->dtype, c.ndim, c.shape);
}

// Returns `size` different positions, drawn with the probabilities p, of which at least `size` are not 0. Each round
// draws as many uniform numbers as positions are missing, discards positions that it draws twice, and makes those found
// impossible for the next round.
std::vector<int64_t> weighted_positions(const Stream &stream, const char *what, std::vector<double> p, int64_t size) {
  std::vector<int64_t> found;
  std::vector<bool> seen(p.size(), false);
  while (static_cast<int64_t>(found.size()) < size) {
    const int64_t missing = size - static_cast<int64_t>(found.size());
    const ArrayRef drawn = uniform(stream, what, 0, 1, GPUOPT_FLOAT64, 1, &missing);
    for (int64_t k : found) p[static_cast<size_t>(k)] = 0;
    const std::vector<double> cdf = cumulative(p);
    for (double u : read_doubles(drawn.get())) {
      const int64_t k = std::upper_bound(cdf.begin(), cdf.end(), u) - cdf.begin();
      if (!seen[static_cast<size_t>(k)]) found.push_back(k);
      seen[static_cast<size_t>(k)] = true;
    }
  }
  return found;
}

void check_enough(const char *what, const Choice &c, int64_t size) {
  if (size > c.a->size)
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "%s: cannot take a larger sample (%lld) than population (%lld) without replacement", what,
         static_cast<long long>(size), static_cast<long long>(c.a->size));
}

ArrayRef weighted_indices(const Stream &stream, const char *what, const Choice &c, int64_t size) {
  const std::vector<double> p = checked_probabilities(what, c);
  if (std::count_if(p.begin(), p.end(), [](double v) { return v > 0; }) < size)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: fewer non-zero entries in p than size", what);
  const std::vector<int64_t> positions = weighted_positions(stream, what, p, size);
  ArrayRef indices = make_array(stream.device->default_stream, GPUOPT_INT64, 1, &size);
  if (size) copy_from_host(indices.get(), positions.data());
  return indices;
}

// Returns at least `size` different positions below `population` in random order. PCG64 draws as many, and the others,
// as RandomState does, shuffle all of them.
ArrayRef unweighted_indices(const Stream &stream, const char *what, int64_t population, int64_t size) {
  if (stream.kind != GPUOPT_CALL_RANDOM_PCG64) return shuffled_indices(stream, what, population);
  return draw_array(stream, what, {GPUOPT_RANDOM_SAMPLE, {&population, 1}, {}, {}}, GPUOPT_INT64, 1, &size);
}

ArrayRef without_replacement(const Stream &stream, const char *what, const Choice &c) {
  const int64_t size = checked_size(c.ndim, c.shape, dtype_size(c.a->dtype));
  check_enough(what, c, size);
  Trial trial(stream);
  const ArrayRef all =
      c.p ? weighted_indices(trial.stream(), what, c, size) : unweighted_indices(trial.stream(), what, c.a->size, size);
  const ArrayRef first =
      make_view(all->storage.get(), all->stream, GPUOPT_INT64, c.ndim, c.shape, nullptr, all->offset, true);
  ArrayRef out = take(c.a, first.get(), 0);
  trial.commit();
  return out;
}

// A choice of no elements. The arguments are checked all the same. Without replacement and without probabilities,
// NumPy's RandomState shuffles all positions before it takes none of them, so MT19937 draws these numbers here, too.
ArrayRef no_choice(const Stream &stream, const char *what, const Choice &c) {
  ArrayRef none = make_array(stream.device->default_stream, c.a->dtype, c.ndim, c.shape);
  if (c.p) {
    checked_probabilities(what, c);
  } else if (!c.replace && stream.kind == GPUOPT_CALL_RANDOM_MT19937) {
    shuffled_indices(stream, what, c.a->size);
  }
  return none;
}

}  // namespace

ArrayRef permutation(const Stream &stream, const char *what, int64_t n, gpuopt_array a) {
  if (!a) {
    if (n < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: n is %lld", what, static_cast<long long>(n));
    return shuffled_indices(stream, what, n);
  }
  deref_strong(a, what);
  if (!a->ndim) fail(GPUOPT_ERR_SHAPE, "%s: a 0-d array has no rows to put in order", what);
  Trial trial(stream);
  const ArrayRef indices = shuffled_indices(trial.stream(), what, a->shape[0]);
  ArrayRef out = take(a, indices.get(), 0);
  trial.commit();
  return out;
}

ArrayRef choice(const Stream &stream, const char *what, const Choice &c) {
  deref_strong(c.a, what);
  if (c.p) check_same_device(what, {c.a, c.p});
  const gpuopt_device_s &device = deref(c.a->device(), what);
  if (&device != stream.device)
    fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: the generator is on %s, the array on %s", what, stream.device->name.c_str(),
         device.name.c_str());
  if (c.a->ndim != 1)
    fail(GPUOPT_ERR_SHAPE, "%s: a must be 1-dimensional, not of shape %s", what,
         shape_text(c.a->ndim, c.a->shape).c_str());
  const int64_t size = checked_size(c.ndim, c.shape, dtype_size(c.a->dtype));
  if (!c.a->size && size)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: 'a' cannot be empty unless no samples are taken", what);
  if (!size) return no_choice(stream, what, c);
  return c.replace ? with_replacement(stream, what, c) : without_replacement(stream, what, c);
}

}  // namespace gpuopt::random

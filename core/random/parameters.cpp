// core/random/parameters.cpp -- reads and checks parameters of distributions; see parameters.h.
#include "core/random/parameters.h"

#include <cmath>

#include "core/engine/record.h"
#include "core/engine/transfer.h"

namespace gpuopt::random {
namespace {

// Returns a weak scalar's value. Throws as store_scalar().
Given number_of(const Parameter &parameter, const gpuopt_scalar &value) {
  Given given;
  if (parameter.kind == 'i') {
    given.integers.resize(1);
    store_scalar(value, GPUOPT_INT64, given.integers.data());
  } else {
    given.reals.resize(1);
    store_scalar(value, GPUOPT_FLOAT64, given.reals.data());
  }
  return given;
}

template <class Holds>
bool all_hold(const Given &given, Holds holds) {
  for (double x : given.reals)
    if (!holds(x)) return false;
  for (int64_t x : given.integers)
    if (!holds(static_cast<double>(x))) return false;
  return true;
}

bool lies_in(Range range, double x) {
  switch (range) {
    case Range::NON_NEGATIVE:
      return std::isnan(x) || !std::signbit(x);
    case Range::POSITIVE:
      return !(x <= 0);
    case Range::POSITIVE_ONLY:
      return x > 0;
    case Range::UNIT:
      return x >= 0 && x <= 1;
    case Range::UNIT_ABOVE_0:
      return x > 0 && x <= 1;
    case Range::UNIT_BELOW_1:
      return x >= 0 && x < 1;
    case Range::ABOVE_1:
      return x > 1;
    case Range::FROM_1:
      return x >= 1;
    case Range::POISSON:
      return x >= 0 && x <= kLargestMean;
    default:
      return true;
  }
}

// What is wrong with a parameter out of its range: "%s" stands for its name, and "NAN" for how NumPy names NaN.
const char *complaint(Range range, const Given &given) {
  switch (range) {
    case Range::NON_NEGATIVE:
      return "%s < 0";
    case Range::POSITIVE:
      return "%s <= 0";
    case Range::POSITIVE_ONLY:
      return all_hold(given, [](double x) { return !std::isnan(x); }) ? "%s <= 0" : "%s must not be NaN";
    case Range::UNIT:
      return given.is_number() ? "%s < 0, %s > 1 or %s is NaN" : "%s < 0, %s > 1 or %s contains NaNs";
    case Range::UNIT_ABOVE_0:
      return "%s <= 0, %s > 1 or %s contains NaNs";
    case Range::UNIT_BELOW_1:
      return given.is_number() ? "%s < 0, %s >= 1 or %s is NaN" : "%s < 0, %s >= 1 or %s contains NaNs";
    case Range::ABOVE_1:
      return given.is_number() ? "%s <= 1 or %s is NaN" : "%s <= 1 or %s contains NaNs";
    case Range::FROM_1:
      return given.is_number() ? "%s < 1 or %s is NaN" : "%s < 1 or %s contains NaNs";
    default:
      if (!all_hold(given, [](double x) { return !(x > kLargestMean); })) return "%s value too large";
      return given.is_number() ? "%s < 0 or %s is NaN" : "%s < 0 or %s contains NaNs";
  }
}

std::string with_name(std::string text, const char *name) {
  for (size_t at; (at = text.find("%s")) != std::string::npos;) text.replace(at, 2, name);
  return text;
}

void check_kind(const char *what, const Parameter &parameter, const gpuopt_array_s &x) {
  const char kind = x.weak ? static_cast<char>(x.scalar.kind) : dtype_kind(x.dtype);
  const bool fits = parameter.kind == 'f' ? kind != 'c'
                    : x.weak              ? kind != 'f' && kind != 'c'
                                          : can_cast(x.dtype, GPUOPT_INT64, 0);
  if (!fits)
    fail(GPUOPT_ERR_TYPE, "%s: cannot cast %s from %s to %s according to the rule 'safe'", what, parameter.name,
         x.weak ? "a number" : dtype_name(x.dtype), parameter.kind == 'f' ? "float64" : "int64");
}

}  // namespace

Given read_parameter(gpuopt_device device, const char *what, const Parameter &parameter, gpuopt_array x) {
  deref(x, what);
  check_kind(what, parameter, *x);
  if (x->weak) return number_of(parameter, x->scalar);
  if (x->device() != device)
    fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: the generator is on %s, %s on %s", what, device->name.c_str(), parameter.name,
         x->device()->name.c_str());
  Given given;
  given.array = in_dtype(x, parameter.kind == 'i' ? GPUOPT_INT64 : GPUOPT_FLOAT64);
  constexpr int64_t most = int64_t{1} << 36;  // a broadcast number may seem to have any size
  if (x->size > most)
    fail(GPUOPT_ERR_OUT_OF_MEMORY, "%s: %s has more numbers than the host can read", what, parameter.name);
  const auto size = static_cast<size_t>(x->size);
  if (parameter.kind == 'i')
    given.integers.resize(size);
  else
    given.reals.resize(size);
  if (size)
    copy_to_host(given.array.get(),
                 parameter.kind == 'i' ? static_cast<void *>(given.integers.data()) : given.reals.data());
  return given;
}

void check_range(const char *what, const Parameter &parameter, const Given &given) {
  if (all_hold(given, [&](double x) { return lies_in(parameter.range, x); })) return;
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s", what,
       with_name(complaint(parameter.range, given), parameter.name).c_str());
}

Dims broadcast_result(const char *what, Shapes shapes, int ndim, const int64_t *shape) {
  Shape common;
  if (ndim == -1) {
    broadcast_shape(shapes, common, what);
    return Dims(common.sizes, common.sizes + common.ndim);
  }
  const Dims asked = result_shape(ndim, shape);
  shapes.push_back(asked);
  broadcast_shape(shapes, common, what);
  const Dims whole(common.sizes, common.sizes + common.ndim);
  if (whole != asked)
    fail(GPUOPT_ERR_SHAPE, "%s: Output size %s is not compatible with broadcast dimensions of inputs %s.", what,
         shape_text(ndim, shape).c_str(), shape_text(common.ndim, common.sizes).c_str());
  return whole;
}

ArrayRef broadcast_copy(gpuopt_array x, const Dims &shape, const char *what) {
  return record_copy(broadcast_view(x, shape, what).get());
}

}  // namespace gpuopt::random

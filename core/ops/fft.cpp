// core/ops/fft.cpp -- the C functions of discrete Fourier transforms: elements cut off and filled up, several axes one
// after the other, and symmetric transforms made of real ones.
#include <algorithm>
#include <cmath>

#include "core/array/view.h"
#include "core/engine/library_call.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "core/ops/rearrange.h"

namespace gpuopt {
namespace {

// A transform along one axis of n elements: its kind in the plugin ABI, and its name in messages.
struct Transform {
  const char *what;
  int32_t kind;
  bool inverse;

  bool from_real() const { return kind == GPUOPT_CALL_RFFT; }
  bool to_real() const { return kind == GPUOPT_CALL_IRFFT; }
  int64_t elements_in(int64_t n) const { return to_real() ? n / 2 + 1 : n; }
  int64_t elements_out(int64_t n) const { return from_real() ? n / 2 + 1 : n; }
  int64_t n_of(int64_t elements) const { return to_real() ? 2 * (elements - 1) : elements; }
};

double scale_of(const Transform &t, int64_t n, gpuopt_fft_norm norm) {
  const double size = static_cast<double>(n);
  switch (norm) {
    case GPUOPT_FFT_BACKWARD:
      return t.inverse ? 1 / size : 1;
    case GPUOPT_FFT_ORTHO:
      return 1 / std::sqrt(size);
    case GPUOPT_FFT_FORWARD:
      return t.inverse ? 1 : 1 / size;
    default:
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: there is no norm %d", t.what, norm);
  }
}

bool is_single(gpuopt_dtype d) { return is_half(d) || d == GPUOPT_FLOAT32 || d == GPUOPT_COMPLEX64; }

// Returns the dtype in which x is transformed.
gpuopt_dtype input_dtype(const Transform &t, gpuopt_dtype d) {
  if (t.from_real() && dtype_kind(d) == 'c')
    fail(GPUOPT_ERR_TYPE, "%s: the array has dtype %s, not a real one", t.what, dtype_name(d));
  if (t.from_real()) return is_single(d) ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
  return is_single(d) ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;
}

gpuopt_dtype output_dtype(const Transform &t, gpuopt_dtype in) {
  if (t.to_real()) return real_component(in);
  return is_single(in) ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;
}

// Returns x with `size` elements along an axis: the first ones, or all and zeros behind them.
ArrayRef resized(gpuopt_array x, int axis, int64_t size) {
  const int64_t there = x->shape[axis];
  if (size <= there) return part_view(x, axis, 0, size);
  Dims shape(x->shape, x->shape + x->ndim);
  shape[axis] = size;
  const unsigned char zero[16] = {};
  ArrayRef result = record_constant(x->stream.get(), x->dtype, x->ndim, shape.data(), zero);
  if (x->size) record_assign(part_view(result.get(), axis, 0, there).get(), x);
  return result;
}

ArrayRef transform(const Transform &t, gpuopt_array x, int64_t n, int axis, gpuopt_fft_norm norm) {
  if (n < 1)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: invalid number of FFT data points (%lld) specified", t.what,
         static_cast<long long>(n));
  const double scale = scale_of(t, n, norm);
  const gpuopt_dtype dtype = input_dtype(t, x->dtype);
  Dims shape(x->shape, x->shape + x->ndim);
  shape[axis] = t.elements_out(n);
  ArrayRef out = make_array(x->stream.get(), output_dtype(t, dtype), x->ndim, shape.data());
  if (!out->size) return out;
  const ArrayRef in = resized(in_dtype(x, dtype).get(), axis, t.elements_in(n));
  LibraryCall call(t.kind, x->stream.get());
  call.input(in.get()).output(out.get()).integer(axis).integer(t.inverse).number(scale).run(t.what,
                                                                                            &gpuopt_plugin_api::fft);
  return out;
}

// 16-bit floats stay what they are where the result is real.
ArrayRef finished(const Transform &t, gpuopt_dtype given, ArrayRef result) {
  return t.to_real() && is_half(given) ? in_dtype(result.get(), given) : std::move(result);
}

// ---- One axis

ArrayRef transform_one(const Transform &t, gpuopt_array x, const int64_t *n, int64_t given_axis, gpuopt_fft_norm norm) {
  deref_strong(x, t.what);
  const int axis = checked_axis(given_axis, x->ndim, t.what);
  return finished(t, x->dtype, transform(t, x, n ? *n : t.n_of(x->shape[axis]), axis, norm));
}

constexpr Transform kFft = {"fft", GPUOPT_CALL_FFT, false}, kInverse = {"ifft", GPUOPT_CALL_FFT, true},
                    kReal = {"rfft", GPUOPT_CALL_RFFT, false}, kRealInverse = {"irfft", GPUOPT_CALL_IRFFT, true},
                    kHermitian = {"hfft", GPUOPT_CALL_IRFFT, false},
                    kHermitianInverse = {"ihfft", GPUOPT_CALL_RFFT, true};

ArrayRef conjugate(gpuopt_array x) { return record_op(GPUOPT_OP_conj, {x}); }

ArrayRef hfft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm) {
  const bool complex = dtype_kind(deref_strong(x, "hfft").dtype) == 'c';
  return transform_one(kHermitian, complex ? conjugate(x).get() : x, n, axis, norm);
}

ArrayRef ihfft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm) {
  return conjugate(transform_one(kHermitianInverse, x, n, axis, norm).get());
}

// ---- Several axes

// An axis may be named several times, but a list has no more than arrays may have dimensions.
void check_count_of_axes(int32_t count, const char *what) {
  if (count < 0 || count > GPUOPT_MAX_NDIM)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes, %d, is not from 0 to %d", what, count, GPUOPT_MAX_NDIM);
}

// The axes in the order in which they are named, and the n of each.
struct TransformAxes {
  Dims axes, sizes;
};

// `last` is the transform along the last axis.
TransformAxes axes_of(const Transform &last, const gpuopt_array_s &x, int32_t count, const int64_t *s,
                      const int64_t *axes) {
  if (!s && !axes) count = x.ndim;
  check_count_of_axes(count, last.what);
  if (!axes && count > x.ndim)
    fail(GPUOPT_ERR_INDEX, "%s: %d sizes are too many for %d dimensions", last.what, count, x.ndim);
  TransformAxes result;
  for (int32_t i = 0; i < count; ++i) {
    const int axis = axes ? checked_axis(axes[i], x.ndim, last.what) : x.ndim - count + i;
    const int64_t there = x.shape[axis];
    result.axes.push_back(axis);
    result.sizes.push_back(s && s[i] != -1 ? s[i] : !s && i == count - 1 ? last.n_of(there) : there);
  }
  return result;
}

// Transforms along the axes but the last, in the order in which NumPy does it.
ArrayRef transform_others(const Transform &t, ArrayRef x, const TransformAxes &axes, gpuopt_fft_norm norm) {
  const size_t count = axes.axes.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = t.inverse ? i : count - 1 - i;
    x = transform(t, x.get(), axes.sizes[at], static_cast<int>(axes.axes[at]), norm);
  }
  return x;
}

ArrayRef transform_last(const Transform &t, gpuopt_array x, const TransformAxes &axes, gpuopt_fft_norm norm) {
  return transform(t, x, axes.sizes.back(), static_cast<int>(axes.axes.back()), norm);
}

// fftn and ifftn: the last axis first.
ArrayRef transform_all(const Transform &t, gpuopt_array x, int32_t count, const int64_t *s, const int64_t *given,
                       gpuopt_fft_norm norm) {
  const TransformAxes axes = axes_of(t, deref_strong(x, t.what), count, s, given);
  scale_of(t, 1, norm);  // refuses a norm that there is not
  ArrayRef result;
  for (size_t i = axes.axes.size(); i-- > 0;)
    result = transform(t, result ? result.get() : x, axes.sizes[i], static_cast<int>(axes.axes[i]), norm);
  return result ? result : record_copy(x);
}

ArrayRef rfftn(gpuopt_array x, int32_t count, const int64_t *s, const int64_t *given, gpuopt_fft_norm norm) {
  constexpr Transform last = {"rfftn", GPUOPT_CALL_RFFT, false}, others = {"rfftn", GPUOPT_CALL_FFT, false};
  const TransformAxes axes = axes_of(last, deref_strong(x, "rfftn"), count, s, given);
  if (axes.axes.empty()) fail(GPUOPT_ERR_INVALID_ARGUMENT, "rfftn: at least one axis must be transformed");
  return transform_others(others, transform_last(last, x, axes, norm), axes, norm);
}

ArrayRef irfftn(gpuopt_array x, int32_t count, const int64_t *s, const int64_t *given, gpuopt_fft_norm norm) {
  constexpr Transform last = {"irfftn", GPUOPT_CALL_IRFFT, true}, others = {"irfftn", GPUOPT_CALL_FFT, true};
  const TransformAxes axes = axes_of(last, deref_strong(x, "irfftn"), count, s, given);
  if (axes.axes.empty()) fail(GPUOPT_ERR_INVALID_ARGUMENT, "irfftn: at least one axis must be transformed");
  const ArrayRef inner = transform_others(others, ArrayRef::share(x), axes, norm);
  return finished(last, inner->dtype, transform_last(last, inner.get(), axes, norm));
}

// ---- Frequencies

// Returns the numbers first, first + 1, ... of an array of float64, of which element i is first + i for i < turn, and
// i - n behind it, times 1 / (n d).
ArrayRef frequencies(gpuopt_device device, int64_t n, double d, gpuopt_dtype asked, bool half, const char *what) {
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_FLOAT64, what);
  if (dtype_kind(dtype) != 'f')
    fail(GPUOPT_ERR_TYPE, "%s: the dtype is %s, not a real floating one", what, dtype_name(dtype));
  if (n < 1) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: n is %lld, not at least 1", what, static_cast<long long>(n));
  if (d == 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the distance of the samples is 0", what);
  const int64_t count = half ? n / 2 + 1 : n, positive = half ? count : (n - 1) / 2 + 1;
  const ArrayRef result = make_array(device->default_stream, GPUOPT_FLOAT64, 1, &count);
  const double unit = 1 / (static_cast<double>(n) * d);
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<double>(i < positive ? i : i - n) * unit;
  copy_from_host(result.get(), values.data());
  return in_dtype(result.get(), dtype);
}

ArrayRef shifted(gpuopt_array x, int32_t count, const int64_t *given, int sign, const char *what) {
  deref_strong(x, what);
  check_count_of_axes(count, what);
  Dims axes, shifts;
  for (int32_t i = 0; i < (given ? count : x->ndim); ++i) {
    axes.push_back(given ? checked_axis(given[i], x->ndim, what) : i);
    shifts.push_back(sign * (x->shape[axes.back()] / 2));
  }
  return roll(x, static_cast<int32_t>(axes.size()), shifts.data(), axes.data());
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

#define GPUOPT_TRANSFORM(name, call)                                                                \
  gpuopt_status gpuopt_##name(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm, \
                              gpuopt_array *result, gpuopt_error *error) {                          \
    return giving(result, error, [&] { return call; });                                             \
  }
GPUOPT_TRANSFORM(fft, transform_one(kFft, x, n, axis, norm))
GPUOPT_TRANSFORM(ifft, transform_one(kInverse, x, n, axis, norm))
GPUOPT_TRANSFORM(rfft, transform_one(kReal, x, n, axis, norm))
GPUOPT_TRANSFORM(irfft, transform_one(kRealInverse, x, n, axis, norm))
GPUOPT_TRANSFORM(hfft, hfft(x, n, axis, norm))
GPUOPT_TRANSFORM(ihfft, ihfft(x, n, axis, norm))
#undef GPUOPT_TRANSFORM

#define GPUOPT_TRANSFORM(name, call)                                                                \
  gpuopt_status gpuopt_##name(gpuopt_array x, int32_t count, const int64_t *s, const int64_t *axes, \
                              gpuopt_fft_norm norm, gpuopt_array *result, gpuopt_error *error) {    \
    return giving(result, error, [&] { return call; });                                             \
  }
GPUOPT_TRANSFORM(fftn, transform_all({"fftn", GPUOPT_CALL_FFT, false}, x, count, s, axes, norm))
GPUOPT_TRANSFORM(ifftn, transform_all({"ifftn", GPUOPT_CALL_FFT, true}, x, count, s, axes, norm))
GPUOPT_TRANSFORM(rfftn, rfftn(x, count, s, axes, norm))
GPUOPT_TRANSFORM(irfftn, irfftn(x, count, s, axes, norm))
#undef GPUOPT_TRANSFORM

gpuopt_status gpuopt_fftfreq(gpuopt_device device, int64_t n, double d, gpuopt_dtype dtype, gpuopt_array *result,
                             gpuopt_error *error) {
  return giving(result, error, [&] { return frequencies(&deref(device, "fftfreq"), n, d, dtype, false, "fftfreq"); });
}

gpuopt_status gpuopt_rfftfreq(gpuopt_device device, int64_t n, double d, gpuopt_dtype dtype, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return frequencies(&deref(device, "rfftfreq"), n, d, dtype, true, "rfftfreq"); });
}

gpuopt_status gpuopt_fftshift(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return shifted(x, count, axes, 1, "fftshift"); });
}

gpuopt_status gpuopt_ifftshift(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] { return shifted(x, count, axes, -1, "ifftshift"); });
}

}  // extern "C"

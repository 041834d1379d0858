// abi/gpuopt/hpp/fft.hpp -- part of gpuopt.hpp: discrete Fourier transforms, in a namespace of their own.
//
//   gp::array spectrum = gp::fft::rfft(signal);
//   gp::array smooth = gp::fft::irfft(spectrum * window, signal.shape(-1));
#ifndef GPUOPT_HPP_FFT_HPP
#define GPUOPT_HPP_FFT_HPP

#include "functions.hpp"

namespace gpuopt {
inline namespace v1 {
namespace fft {

// By what results are multiplied; see gpuopt_fft_norm.
enum class norm : gpuopt_fft_norm {
  backward = GPUOPT_FFT_BACKWARD,
  ortho = GPUOPT_FFT_ORTHO,
  forward = GPUOPT_FFT_FORWARD
};

// The number of elements that are transformed, where it is all that there are (or 2 (m - 1) of m, for results that are
// real).
inline constexpr int64_t whole = INT64_MIN;

namespace detail {
using v1::detail::created;
using v1::detail::make;

inline array along(decltype(&gpuopt_fft) function, const array &x, int64_t n, int64_t axis, norm by) {
  return make<array>(function, x.get(), n == whole ? nullptr : &n, axis, static_cast<gpuopt_fft_norm>(by));
}
inline array along_axes(decltype(&gpuopt_fftn) function, const array &x, const dims &s, const dims &axes, norm by) {
  if (s.size() && axes.size() && s.size() != axes.size())
    v1::detail::raise(GPUOPT_ERR_SHAPE, "fft: there are not as many sizes as axes");
  return make<array>(function, x.get(), s.size() ? s.size() : axes.size(), s.size() ? s.data() : nullptr,
                     axes.size() ? axes.data() : nullptr, static_cast<gpuopt_fft_norm>(by));
}
}  // namespace detail

#define GPUOPT_TRANSFORM(name)                                                                        \
  inline array name(const array &x, int64_t n = whole, int64_t axis = -1, norm by = norm::backward) { \
    return detail::along(gpuopt_##name, x, n, axis, by);                                              \
  }
// The transform of complex numbers. See gpuopt_fft().
GPUOPT_TRANSFORM(fft)
// The inverse of fft. See gpuopt_ifft().
GPUOPT_TRANSFORM(ifft)
// The transform of real numbers: the first half of its elements. See gpuopt_rfft().
GPUOPT_TRANSFORM(rfft)
// The inverse of rfft. See gpuopt_irfft().
GPUOPT_TRANSFORM(irfft)
// The transform of elements with Hermitian symmetry, which is real. See gpuopt_hfft().
GPUOPT_TRANSFORM(hfft)
// The inverse of hfft. See gpuopt_ihfft().
GPUOPT_TRANSFORM(ihfft)
#undef GPUOPT_TRANSFORM

// Without sizes: all elements; without axes: the last ones, as many as there are sizes, or all.
#define GPUOPT_TRANSFORM(name)                                                                             \
  inline array name(const array &x, const dims &s = {}, const dims &axes = {}, norm by = norm::backward) { \
    return detail::along_axes(gpuopt_##name, x, s, axes, by);                                              \
  }
// The transform of complex numbers along several axes. See gpuopt_fftn().
GPUOPT_TRANSFORM(fftn)
// The inverse of fftn. See gpuopt_ifftn().
GPUOPT_TRANSFORM(ifftn)
// The transform of real numbers along several axes. See gpuopt_rfftn().
GPUOPT_TRANSFORM(rfftn)
// The inverse of rfftn. See gpuopt_irfftn().
GPUOPT_TRANSFORM(irfftn)
#undef GPUOPT_TRANSFORM

// The frequencies of the elements of fft's results. See gpuopt_fftfreq().
inline array fftfreq(int64_t n, double d = 1, dtype t = default_dtype, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_fftfreq, where.get(), n, d, raw(t)));
}
// The same for rfft. See gpuopt_rfftfreq().
inline array rfftfreq(int64_t n, double d = 1, dtype t = default_dtype, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_rfftfreq, where.get(), n, d, raw(t)));
}
// Frequency 0 in the middle of axes, or of all. See gpuopt_fftshift().
inline array fftshift(const array &x, const dims &axes = {}) {
  return detail::make<array>(gpuopt_fftshift, x.get(), axes.size(), axes.size() ? axes.data() : nullptr);
}
// The inverse of fftshift. See gpuopt_ifftshift().
inline array ifftshift(const array &x, const dims &axes = {}) {
  return detail::make<array>(gpuopt_ifftshift, x.get(), axes.size(), axes.size() ? axes.data() : nullptr);
}

}  // namespace fft
}  // namespace v1
}  // namespace gpuopt
#endif

// abi/gpuopt/hpp/signal.hpp -- part of gpuopt.hpp: gradients, interpolation, convolutions and phases.
#ifndef GPUOPT_HPP_SIGNAL_HPP
#define GPUOPT_HPP_SIGNAL_HPP

#include "array.hpp"

namespace gpuopt {
inline namespace v1 {

// The derivative along an axis of points at this distance. `edge_order` is 1 or 2. See gpuopt_gradient().
inline array gradient(const array &x, double spacing = 1, int64_t axis = -1, int edge_order = 1) {
  return detail::make<array>(gpuopt_gradient, x.get(), gpuopt_array{nullptr}, spacing, axis, int32_t{edge_order});
}
// The same of points at coordinates of one dimension.
inline array gradient(const array &x, const array &coordinates, int64_t axis = -1, int edge_order = 1) {
  return detail::make<array>(gpuopt_gradient, x.get(), coordinates.get(), 1.0, axis, int32_t{edge_order});
}

// The values at x of the piecewise linear function through points. See gpuopt_interp().
inline array interp(const array &x, const array &xp, const array &fp) {
  const gpuopt_scalar *const nearest = nullptr;
  const double *const no_period = nullptr;
  return detail::make<array>(gpuopt_interp, x.get(), xp.get(), fp.get(), nearest, nearest, no_period);
}
// The same with other values below and above all points.
inline array interp(const array &x, const array &xp, const array &fp, const scalar &left, const scalar &right) {
  const double *const no_period = nullptr;
  return detail::make<array>(gpuopt_interp, x.get(), xp.get(), fp.get(), &left.raw(), &right.raw(), no_period);
}
// The same of a function that repeats itself after each period; xp need not be sorted.
inline array interp_periodic(const array &x, const array &xp, const array &fp, double period) {
  const gpuopt_scalar *const nearest = nullptr;
  const double *const given = &period;
  return detail::make<array>(gpuopt_interp, x.get(), xp.get(), fp.get(), nearest, nearest, given);
}

// Which elements of a convolution are computed. See GPUOPT_CONVOLVE_*.
enum class convolve_mode : int32_t {
  full = GPUOPT_CONVOLVE_FULL,
  same = GPUOPT_CONVOLVE_SAME,
  valid = GPUOPT_CONVOLVE_VALID
};
// The convolution of arrays of one dimension. See gpuopt_convolve().
inline array convolve(const array &x, const array &y, convolve_mode mode = convolve_mode::full) {
  return detail::make<array>(gpuopt_convolve, x.get(), y.get(), static_cast<gpuopt_convolve_mode>(mode));
}
// The cross-correlation of arrays of one dimension, by default where they overlap entirely. See gpuopt_correlate().
inline array correlate(const array &x, const array &y, convolve_mode mode = convolve_mode::valid) {
  return detail::make<array>(gpuopt_correlate, x.get(), y.get(), static_cast<gpuopt_convolve_mode>(mode));
}

// How a convolution is computed. See GPUOPT_CONVOLVE_AUTO.
enum class convolve_method : int32_t {
  automatic = GPUOPT_CONVOLVE_AUTO,
  direct = GPUOPT_CONVOLVE_DIRECT,
  fft = GPUOPT_CONVOLVE_FFT
};
// The convolution of arrays along all axes; `same` is the size of x. See gpuopt_convolve_nd().
inline array convolve_nd(const operand &x, const operand &y, convolve_mode mode = convolve_mode::full,
                         convolve_method method = convolve_method::automatic) {
  return detail::product(gpuopt_convolve_nd, x, y, static_cast<gpuopt_convolve_mode>(mode),
                         static_cast<gpuopt_convolve_method>(method));
}
// The cross-correlation of arrays along all axes. See gpuopt_correlate_nd().
inline array correlate_nd(const operand &x, const operand &y, convolve_mode mode = convolve_mode::full,
                          convolve_method method = convolve_method::automatic) {
  return detail::product(gpuopt_correlate_nd, x, y, static_cast<gpuopt_convolve_mode>(mode),
                         static_cast<gpuopt_convolve_method>(method));
}
// convolve_nd() by Fourier transforms.
inline array fftconvolve(const operand &x, const operand &y, convolve_mode mode = convolve_mode::full) {
  return convolve_nd(x, y, mode, convolve_method::fft);
}
// What automatic stands for. See gpuopt_choose_conv_method().
inline convolve_method choose_conv_method(const array &x, const array &y, convolve_mode mode = convolve_mode::full) {
  gpuopt_convolve_method method = GPUOPT_CONVOLVE_AUTO;
  const detail::gathered in(x, y);
  detail::call(gpuopt_choose_conv_method, in[0], in[1], static_cast<gpuopt_convolve_mode>(mode), &method);
  return static_cast<convolve_method>(method);
}

// Phases without jumps along an axis; a period of 0 is 2 pi. See gpuopt_unwrap().
inline array unwrap(const array &x, double discont = 0, double period = 0, int64_t axis = -1) {
  return detail::make<array>(gpuopt_unwrap, x.get(), discont, period, axis);
}
// Running sums and products along an axis that leave NaNs out. See gpuopt_nancumsum().
inline array nancumsum(const array &x, int64_t axis) {
  return detail::make<array>(gpuopt_nancumsum, x.get(), axis, gpuopt_dtype{GPUOPT_DTYPE_DEFAULT});
}
inline array nancumprod(const array &x, int64_t axis) {
  return detail::make<array>(gpuopt_nancumprod, x.get(), axis, gpuopt_dtype{GPUOPT_DTYPE_DEFAULT});
}

}  // namespace v1
}  // namespace gpuopt

#endif

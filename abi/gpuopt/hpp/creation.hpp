// abi/gpuopt/hpp/creation.hpp -- part of gpuopt.hpp: sequences, grids, windows, host buffers and views of memory.
#ifndef GPUOPT_HPP_CREATION_HPP
#define GPUOPT_HPP_CREATION_HPP

#include <string>
#include <vector>

#include "selection.hpp"

namespace gpuopt {
inline namespace v1 {

// ---- Sequences ---------------------------------------------------------------------------------------------------

struct linspace_result {
  array values;
  std::complex<double> step;  // the distance of neighbours; NaN where there is none
};
// Numbers of any kind at equal distances, and the distance. See gpuopt_linspace_step().
inline linspace_result linspace_step(const scalar &start, const scalar &stop, int64_t num = 50, bool endpoint = true,
                                     dtype t = default_dtype, const device &where = current_device()) {
  gpuopt_scalar step{};
  array values = detail::make<array>(gpuopt_linspace_step, where.get(), raw(t), start.raw(), stop.raw(), num,
                                     int32_t{endpoint}, &step);
  return {detail::created(std::move(values)), {step.value.f, step.imag}};
}
// base to the powers from start to stop. See gpuopt_logspace().
inline array logspace(double start, double stop, int64_t num = 50, bool endpoint = true, double base = 10,
                      dtype t = default_dtype, const device &where = current_device()) {
  return detail::created(
      detail::make<array>(gpuopt_logspace, where.get(), raw(t), start, stop, num, int32_t{endpoint}, base));
}
// Numbers of a constant ratio. See gpuopt_geomspace().
inline array geomspace(const scalar &start, const scalar &stop, int64_t num = 50, bool endpoint = true,
                       dtype t = default_dtype, const device &where = current_device()) {
  return detail::created(
      detail::make<array>(gpuopt_geomspace, where.get(), raw(t), start.raw(), stop.raw(), num, int32_t{endpoint}));
}
struct linspace_between_result {
  array steps, values;
};
// Numbers at equal distances between each element of two arrays, one of which may be a number, along a new axis, and
// the distances. See gpuopt_linspace_between().
inline linspace_between_result linspace_between(const operand &start, const operand &stop, int64_t num = 50,
                                                bool endpoint = true, int64_t axis = 0, dtype t = default_dtype) {
  const detail::gathered in(start, stop);
  return detail::make_two<linspace_between_result>(gpuopt_linspace_between, in[0], in[1], num, int32_t{endpoint}, axis,
                                                   raw(t));
}
// base to the powers between each of them; the base broadcasts, too. See gpuopt_logspace_between().
inline array logspace_between(const operand &start, const operand &stop, int64_t num = 50, bool endpoint = true,
                              const operand &base = 10.0, int64_t axis = 0, dtype t = default_dtype) {
  const detail::gathered in(start, stop, base);
  return detail::make<array>(gpuopt_logspace_between, in[0], in[1], in[2], num, int32_t{endpoint}, axis, raw(t));
}
// Numbers of a constant ratio between each of them. See gpuopt_geomspace_between().
inline array geomspace_between(const operand &start, const operand &stop, int64_t num = 50, bool endpoint = true,
                               int64_t axis = 0, dtype t = default_dtype) {
  const detail::gathered in(start, stop);
  return detail::make<array>(gpuopt_geomspace_between, in[0], in[1], num, int32_t{endpoint}, axis, raw(t));
}
// The powers of x as rows of a matrix; n < 0: as many columns as rows. See gpuopt_vander().
inline array vander(const array &x, int64_t n = -1, bool increasing = false) {
  return detail::make<array>(gpuopt_vander, x.get(), n, int32_t{increasing});
}

// ---- Grids -------------------------------------------------------------------------------------------------------

// The indices of a grid. See gpuopt_indices().
inline array indices(const dims &shape, dtype t = default_dtype, const device &where = current_device()) {
  return detail::create(gpuopt_indices, where, t, shape);
}
// An axis of a grid: start, start + step, .. below stop; with a complex step so many numbers from start to stop.
struct grid_axis {
  scalar start, stop, step = 1;
};
namespace detail {
// The axes of a grid as C takes them.
struct grid_axes {
  std::vector<gpuopt_scalar> start, stop, step;
  explicit grid_axes(const std::vector<grid_axis> &axes) {
    for (const grid_axis &axis : axes) {
      start.push_back(axis.start.raw());
      stop.push_back(axis.stop.raw());
      step.push_back(axis.step.raw());
    }
  }
  int32_t count() const { return static_cast<int32_t>(start.size()); }
};
}  // namespace detail
// The coordinates of a grid as one array: mgrid({{0, 3}, {0.0, 1.0, 0.25}}). See gpuopt_mgrid().
inline array mgrid(const std::vector<grid_axis> &axes, const device &where = current_device()) {
  const detail::grid_axes in(axes);
  return detail::created(
      detail::make<array>(gpuopt_mgrid, where.get(), in.count(), in.start.data(), in.stop.data(), in.step.data()));
}
// The coordinates of a grid as arrays that broadcast together. See gpuopt_ogrid().
inline std::vector<array> ogrid(const std::vector<grid_axis> &axes, const device &where = current_device()) {
  const detail::grid_axes in(axes);
  return detail::make_several(in.count(), gpuopt_ogrid, where.get(), in.count(), in.start.data(), in.stop.data(),
                              in.step.data());
}
// An array whose elements an expression of their indices i0, i1, .. gives. See gpuopt_fromfunction().
inline array fromfunction(const std::string &expression, const dims &shape, dtype t = default_dtype,
                          const device &where = current_device()) {
  return detail::create(gpuopt_fromfunction, where, t, shape, expression.c_str());
}

// ---- Windows -----------------------------------------------------------------------------------------------------

// A triangle of n points. See gpuopt_bartlett().
inline array bartlett(int64_t n, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_bartlett, where.get(), n));
}
// Blackman's window. See gpuopt_blackman().
inline array blackman(int64_t n, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_blackman, where.get(), n));
}
// Hamming's window. See gpuopt_hamming().
inline array hamming(int64_t n, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_hamming, where.get(), n));
}
// Von Hann's window. See gpuopt_hanning().
inline array hanning(int64_t n, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_hanning, where.get(), n));
}
// Kaiser's window. See gpuopt_kaiser().
inline array kaiser(int64_t n, double beta, const device &where = current_device()) {
  return detail::created(detail::make<array>(gpuopt_kaiser, where.get(), n, beta));
}
// The modified Bessel function of order 0. See gpuopt_i0().
inline array i0(const array &x) { return detail::make<array>(gpuopt_i0, x.get()); }

// ---- Memory ------------------------------------------------------------------------------------------------------

// A copy of elements of host memory. See gpuopt_frombuffer().
inline array frombuffer(const void *data, size_t bytes, dtype t = default_dtype, int64_t count = -1, int64_t offset = 0,
                        const device &where = current_device()) {
  return detail::created(
      detail::make<array>(gpuopt_frombuffer, where.get(), data, uint64_t{bytes}, raw(t), count, offset));
}
// A read-only view of any shape and strides, in bytes, within x's memory. See gpuopt_as_strided().
inline array as_strided(const array &x, const dims &shape, const dims &strides) {
  detail::check_equal_lengths(static_cast<size_t>(shape.size()), static_cast<size_t>(strides.size()),
                              "as_strided: there have to be as many strides as sizes");
  return detail::make<array>(gpuopt_as_strided, x.get(), shape.size(), shape.data(), strides.data());
}
// A read-only view of all windows of a shape. See gpuopt_sliding_window_view().
inline array sliding_window_view(const array &x, const dims &sizes) {
  return detail::make<array>(gpuopt_sliding_window_view, x.get(), sizes.size(), sizes.data(), nullptr);
}
// The same along some axes.
inline array sliding_window_view(const array &x, const dims &sizes, const dims &axes) {
  detail::check_equal_lengths(static_cast<size_t>(sizes.size()), static_cast<size_t>(axes.size()),
                              "sliding_window_view: there have to be as many axes as sizes");
  return detail::make<array>(gpuopt_sliding_window_view, x.get(), sizes.size(), sizes.data(), axes.data());
}
// The same bytes as elements of another dtype. See gpuopt_view_dtype().
inline array view(const array &x, dtype t) { return detail::make<array>(gpuopt_view_dtype, x.get(), raw(t)); }

// ---- Numbers -----------------------------------------------------------------------------------------------------

// x rounded to a number of decimals. See gpuopt_round_decimals().
inline array round(const array &x, int32_t decimals) {
  return detail::make<array>(gpuopt_round_decimals, x.get(), decimals);
}
// The limits of a floating-point dtype. See gpuopt_float_limits.
inline gpuopt_float_limits finfo(dtype t) {
  gpuopt_float_limits limits{};
  limits.struct_size = sizeof limits;
  detail::call(gpuopt_finfo, raw(t), &limits);
  return limits;
}
// The limits of an integer dtype. See gpuopt_integer_limits.
inline gpuopt_integer_limits iinfo(dtype t) {
  gpuopt_integer_limits limits{};
  limits.struct_size = sizeof limits;
  detail::call(gpuopt_iinfo, raw(t), &limits);
  return limits;
}

}  // namespace v1
}  // namespace gpuopt

#endif

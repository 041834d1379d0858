// abi/gpuopt/hpp/numbers.hpp -- part of gpuopt.hpp: parts, scales and neighbours of numbers.
#ifndef GPUOPT_HPP_NUMBERS_HPP
#define GPUOPT_HPP_NUMBERS_HPP

#include "sorting.hpp"

namespace gpuopt {
inline namespace v1 {

struct frexp_result {
  array mantissa, exponent;
};
// x as a mantissa of magnitude in [0.5, 1) and a power of two. See gpuopt_frexp().
inline frexp_result frexp(const array &x) { return detail::make_two<frexp_result>(gpuopt_frexp, x.get()); }
// x times two to an integer power. See gpuopt_ldexp().
inline array ldexp(const array &x, const operand &exponent) { return detail::product(gpuopt_ldexp, x, exponent); }
struct modf_result {
  array fraction, whole;
};
// The parts behind and in front of the point. See gpuopt_modf().
inline modf_result modf(const array &x) { return detail::make_two<modf_result>(gpuopt_modf, x.get()); }
struct divmod_result {
  array quotient, remainder;
};
// floor_divide() and remainder() in one. See gpuopt_divmod().
inline divmod_result divmod(const operand &x1, const operand &x2) {
  const detail::gathered in(x1, x2);
  return detail::make_two<divmod_result>(gpuopt_divmod, in[0], in[1]);
}
// The distance to the next number away from 0. See gpuopt_spacing().
inline array spacing(const array &x) { return detail::make<array>(gpuopt_spacing, x.get()); }
// A power in float64 or complex128. See gpuopt_float_power().
inline array float_power(const operand &x1, const operand &x2) { return detail::product(gpuopt_float_power, x1, x2); }
// x * log(y), and 0 where x is 0. See gpuopt_xlogy().
inline array xlogy(const operand &x, const operand &y) { return detail::product(gpuopt_xlogy, x, y); }
// -x * log(x), and 0 at 0. See gpuopt_entr().
inline array entr(const array &x) { return detail::make<array>(gpuopt_entr, x.get()); }

}  // namespace v1
}  // namespace gpuopt

#endif

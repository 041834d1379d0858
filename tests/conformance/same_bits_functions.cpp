// tests/conformance/same_bits_functions.cpp -- hashes of the functions that are composed of others: statistics,
// signals, polynomials, matrices, sequences, sets, indices, and vectors of random numbers.
#include <cmath>
#include <complex>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/same_bits.h"

namespace gp = gpuopt;

namespace same_bits {
namespace {

using gp::array;

// Prints the hash of each of several results, which are named after a dtype.
class Printer {
 public:
  explicit Printer(gpuopt_dtype d) : suffix_(std::string(".") + gpuopt_dtype_name(d)) {}
  void operator()(const char *what, const std::vector<array> &results) const {
    for (size_t i = 0; i < results.size(); ++i)
      print_hash(what + suffix_ + (results.size() > 1 ? "." + std::to_string(i) : ""), results[i].get());
  }

 private:
  std::string suffix_;
};

array made(gpuopt_dtype d, const std::vector<int64_t> &shape, uint64_t seed) {
  return array(array::handle_type(numbers(d, shape, seed)));
}

// Numbers in [0, 1) in ascending order.
array ascending(gpuopt_dtype d, int64_t count) {
  return (gp::arange(count, gp::float64) / static_cast<double>(count)).astype(static_cast<gp::dtype>(d));
}

void hash_averages(gpuopt_dtype d) {
  const Printer print(d);
  const array x = made(d, {17, 1300}, 71), w = gp::abs(made(d, {17, 1300}, 72)) + 1;
  const gp::average_result mean = gp::average(x, w, gp::axes(1));
  print("average", {mean.mean, mean.weight_sum});
  print("corrcoef", {gp::corrcoef(x)});
  print("ptp", {gp::ptp(x, gp::axes(0))});
  print("median", {gp::median(x, gp::axes(1)), gp::nanmedian(x)});
  const array q = gp::linspace(0, 1, 9);
  for (int32_t number = 0; number <= GPUOPT_QUANTILE_NORMAL_UNBIASED; ++number) {
    const auto method = static_cast<gp::quantile_method>(number);
    print("quantiles", {gp::quantile(x, q, gp::axes(1), method), gp::nanpercentile(x, q * 100, gp::axes(), method)});
  }
  print("cumulative", {gp::cumulative_sum(x, 1), gp::cumulative_prod(x, 0), gp::nancumsum(x, 1), gp::nancumprod(x, 0)});
}

void hash_counts(gpuopt_dtype d) {
  const Printer print(d);
  const array x = made(d, {2, 1300}, 87), edges = ascending(d, 30);
  const gp::histogramdd_result grid = gp::histogramdd(x.T(), {5, 7});
  print("histogramdd", {grid.counts, grid.edges[0], grid.edges[1]});
  print("bincount", {gp::bincount((gp::abs(x[0]) * 10).astype(gp::int64), x[1])});
  print("searchsorted", {gp::searchsorted(edges, x, true), gp::digitize(x, edges)});
}

void hash_signals(gpuopt_dtype d) {
  const Printer print(d);
  const array x = made(d, {40, 50}, 73), y = made(d, {7, 9}, 74), line = made(d, {999}, 75), few = made(d, {31}, 76);
  print("correlate", {gp::correlate(line, few, gp::convolve_mode::full), gp::fftconvolve(line, few)});
  for (const gp::convolve_method method : {gp::convolve_method::direct, gp::convolve_method::fft})
    print("convolve_nd", {gp::convolve_nd(x, y, gp::convolve_mode::same, method),
                          gp::correlate_nd(x, y, gp::convolve_mode::valid, method)});
  if (gpuopt_dtype_kind(d) == 'c') return;
  const array at = ascending(d, 40), values = made(d, {40}, 77), places = gp::square(ascending(d, 50) + 1);
  print("interp", {gp::interp(x, at, values), gp::interp_periodic(x, at, values, 2.5)});
  print("unwrap", {gp::unwrap(x * 3)});
  print("gradient at", {gp::gradient(x, places, 1, 2), gp::trapezoid(x, places, 1)});
}

void hash_polynomials(gpuopt_dtype d) {
  const Printer print(d);
  const array p = made(d, {9}, 78), r = made(d, {4}, 79), x = made(d, {500}, 80);
  const gp::polydiv_result parts = gp::polydiv(p, r);
  print("polynomials", {gp::polyval(p, x), gp::polyadd(p, r), gp::polysub(p, r), gp::polymul(p, r), gp::polyder(p, 2),
                        gp::polyint(p, 2), parts.quotient, parts.remainder});
  print("roots", {gp::roots(p), gp::poly(r)});
  if (gpuopt_dtype_kind(d) == 'f') print("polyfit", {gp::polyfit(ascending(d, 500), x, 4)});
}

void hash_solutions(gpuopt_dtype d) {
  namespace la = gp::linalg;
  const Printer print(d);
  const array x = made(d, {5, 12, 12}, 81), tall = made(d, {40, 7}, 82), b = made(d, {12, 3}, 83);
  print("inverses", {la::inv(x), la::det(x), la::expm(x / 8), la::matrix_power(x, -3), la::cond(x), la::pinv(tall)});
  const la::lstsq_result least = la::lstsq(tall, made(d, {40, 2}, 84));
  print("lstsq", {least.x, least.residuals, least.rank, least.s});
  print("values", {la::matrix_rank(x), la::svdvals(tall), la::eigvals(x[0]), la::eigvalsh(x)});
  print("solutions", {la::lu_solve(la::lu_factor(x[1]), b), la::solve_triangular(x[2], b, true),
                      la::tensorsolve(x[3].reshape({3, 4, 12}), b.T()[0].reshape({3, 4}))});
  print("multi_dot", {la::multi_dot({tall, made(d, {7, 30}, 85), made(d, {30, 2}, 86)})});
}

void hash_products(gpuopt_dtype d) {
  const Printer print(d);
  const array x = made(d, {5, 12, 12}, 81), b = made(d, {12, 3}, 83);
  const double top = GPUOPT_NORM_NUCLEAR;
  for (const double order : {1.0, -1.0, 2.0, -2.0, HUGE_VAL, -HUGE_VAL, GPUOPT_NORM_FROBENIUS, top})
    print("matrix_norm", {gp::matrix_norm(x, order)});
  for (const double order : {0.0, 1.0, 2.0, 3.0, 0.5, HUGE_VAL, -HUGE_VAL})
    print("vector_norm", {gp::vector_norm(x, order, gp::axes(1))});
  print("products", {gp::kron(b, b), gp::outer(b, b), gp::trace(x), gp::tensordot(x, b, 1), gp::dot(x, b),
                     gp::vecdot(x, x), gp::cross(b, b + 1), gp::einsum("aij,bjk->ik", {x, x}), gp::einsum("aii", {x})});
}

void hash_sequences() {
  const Printer print(GPUOPT_FLOAT64);
  const array x = made(GPUOPT_FLOAT64, {300}, 88);
  print("windows",
        {gp::bartlett(301), gp::blackman(301), gp::hamming(301), gp::hanning(301), gp::kaiser(301, 8.6), gp::i0(x)});
  print("spaces", {gp::linspace(0.1, 0.7, 301), gp::logspace(-3, 4, 301), gp::geomspace(0.3, 1e9, 301),
                   gp::linspace_step(0, std::complex<double>(1, 3), 301).values, gp::vander(x, 6),
                   gp::mgrid({{0, 1, 0.07}, {0, 1, 0.11}})});
  const gp::frexp_result parts = gp::frexp(x);
  const gp::modf_result pieces = gp::modf(x);
  const gp::divmod_result divided = gp::divmod(x, 0.3);
  print("numbers", {parts.mantissa, parts.exponent, pieces.fraction, pieces.whole, divided.quotient, divided.remainder,
                    gp::ldexp(x, parts.exponent), gp::spacing(x), gp::float_power(gp::abs(x), 1.7),
                    gp::xlogy(gp::abs(x), gp::abs(x) + 1), gp::entr(x), gp::round(x, 2), gp::nan_to_num(x / 0)});
}

void hash_sets(gpuopt_dtype d) {
  const Printer print(d);
  const array x = made(d, {3000}, 89), y = gp::concat({x[gp::slice(0, 1000)], made(d, {2000}, 90)});
  const gp::unique_inverse_result places = gp::unique_inverse(x);
  const gp::unique_counts_result counts = gp::unique_counts(x);
  print("sets", {gp::union1d(x, y), gp::intersect1d(x, y), gp::setdiff1d(x, y), gp::setxor1d(x, y), gp::isin(x, y),
                 places.inverse, counts.counts});
  if (gpuopt_dtype_kind(d) == 'c') return;
  const gp::top_k_result top = gp::top_k(x, 50);
  print("order",
        {gp::lexsort({x, gp::floor(y)}), gp::partition(x, 700), gp::argpartition(x, 700), top.values, top.indices});
}

void hash_indices(gpuopt_dtype d) {
  const Printer print(d);
  const array x = made(d, {20, 30}, 91), sums = gp::zeros({20}, static_cast<gp::dtype>(d));
  const array at = gp::generator(92).integers(0, 20, {5000}), values = made(d, {5000}, 93);
  gp::add_at(sums, {at}, values);
  print("add_at", {sums.copy()});
  gp::multiply_at(sums, {at[gp::slice(0, 50)]}, values[gp::slice(0, 50)]);
  print("indices", {sums, gp::take(x, at), gp::take_along_axis(x, at[gp::slice(0, 20)].reshape({20, 1}), 1),
                    gp::choose(at % 2, {at, values[0]}), gp::get(x, {at, 3}), gp::tile(x, {2, 1}), gp::roll(x, {7}),
                    gp::pad(x, {2, 3}, gp::pad_mode::reflect), gp::repeat(x, 3, 1), gp::rot90(x), gp::ediff1d(x)});
}

template <class Source>
std::vector<array> vectors(Source &&source) {
  const array mean = gp::array({1.0, -2.0, 0.5});
  const array cov = gp::array({{2.0, 0.3, 0.1}, {0.3, 1.0, 0.2}, {0.1, 0.2, 0.7}});
  return {source.multinomial(40, gp::array({0.2, 0.3, 0.5}), {100}),
          source.dirichlet(gp::array({0.4, 2.0, 3.5}), {100}), source.multivariate_normal(mean, cov, {100}),
          source.permutation(1000), source.choice(gp::arange(1000), {50}, false)};
}

}  // namespace

void hash_functions() {
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
    hash_averages(d);
    hash_counts(d);
  }
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    hash_signals(d);
    hash_polynomials(d);
    hash_solutions(d);
    hash_products(d);
    hash_sets(d);
    hash_indices(d);
  }
  hash_sequences();
  const Printer print(GPUOPT_FLOAT64);
  print("RandomState", vectors(gp::random_state(94)));
  print("PCG64", vectors(gp::default_rng(94)));
  print("Philox", vectors(gp::generator(94)));
}

}  // namespace same_bits

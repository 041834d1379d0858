// tests/conformance/same_bits_library.cpp -- hashes of the families that a backend may leave to the CPU: linear
// algebra, transforms, sorting, distributions.
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/same_bits.h"

namespace same_bits {
namespace {

std::string dtype_name(gpuopt_dtype d) { return gpuopt_dtype_name(d); }

// Prints the hash of a result and releases it.
void print_result(const std::string &name, gpuopt_array x) {
  print_hash(name, x);
  gpuopt_array_release(x);
}

}  // namespace

namespace {

// Prints and releases `count` results of a function of the stack of matrices of this shape.
void print_results(const char *what, gpuopt_dtype d, const std::vector<int64_t> &shape, gpuopt_array *r, size_t count) {
  const std::string name = std::string(".") + gpuopt_dtype_name(d) + "." + std::to_string(shape.back()) + ".";
  for (size_t i = 0; i < count; ++i) {
    print_hash(what + name + std::to_string(i), r[i]);
    gpuopt_array_release(r[i]);
  }
}

// The Cholesky factor of x x^T and much of the identity, which is positive definite.
void hash_cholesky(gpuopt_dtype d, const std::vector<int64_t> &shape, gpuopt_array x) {
  gpuopt_array h = nullptr, one = nullptr, square = nullptr, sum = nullptr, r = nullptr;
  MUST(gpuopt_matrix_transpose(x, &h, error));
  MUST(gpuopt_matmul(x, h, &square, error));
  MUST(gpuopt_eye(device, d, shape.back(), shape.back(), 0, &one, error));
  for (int i = 0; i < 20; ++i) MUST(gpuopt_add_into(one, one, one, error));
  MUST(gpuopt_add(square, one, &sum, error));
  MUST(gpuopt_cholesky(sum, 0, &r, error));
  print_results("cholesky", d, shape, &r, 1);
  for (gpuopt_array array : {h, one, square, sum}) gpuopt_array_release(array);
}

}  // namespace

void hash_factors(gpuopt_dtype d, const std::vector<int64_t> &shape) {
  gpuopt_array x = numbers(d, shape, 21), r[3] = {};
  MUST(gpuopt_qr(x, GPUOPT_QR_REDUCED, &r[0], &r[1], error));
  print_results("qr", d, shape, r, 2);
  MUST(gpuopt_lu(x, &r[0], &r[1], &r[2], error));
  print_results("lu", d, shape, r, 3);
  MUST(gpuopt_solve(x, x, &r[0], error));
  print_results("solve", d, shape, r, 1);
  MUST(gpuopt_slogdet(x, &r[0], &r[1], error));
  print_results("slogdet", d, shape, r, 2);
  if (gpuopt_dtype_kind(d) == 'f') hash_cholesky(d, shape, x);
  gpuopt_array_release(x);
}

// Matrices around the edges of blocks, large ones that all threads work on, and a stack.
void hash_linalg(gpuopt_dtype d) {
  for (const auto &shape : std::vector<std::vector<int64_t>>{{7, 7}, {33, 33}, {130, 130}, {150, 5, 5}, {270, 270}}) {
    if (shape[0] == 270 && d != GPUOPT_FLOAT64) continue;                // the rest of what sizes decide
    if (d != GPUOPT_FLOAT32 || shape[0] == 130) hash_factors(d, shape);  // the others come before
    gpuopt_array x = numbers(d, shape, 21), r[3] = {};
    MUST(gpuopt_svd(x, 1, &r[0], &r[1], &r[2], error));
    print_results("svd", d, shape, r, 3);
    MUST(gpuopt_eigh(x, 0, &r[0], &r[1], error));
    print_results("eigh", d, shape, r, 2);
    MUST(gpuopt_eig(x, &r[0], &r[1], error));
    print_results("eig", d, shape, r, 2);
    gpuopt_array_release(x);
  }
}

// Transforms: powers of two, small and large primes (Bluestein's algorithm), lengths of mixed factors, many short rows,
// two axes, and lengths that cut or pad.
void hash_transforms(gpuopt_dtype d) {
  const bool complex = gpuopt_dtype_kind(d) == 'c';
  for (const auto &shape : std::vector<std::vector<int64_t>>{
           {1}, {2, 3}, {300, 16}, {5, 97}, {3, 1024}, {2, 1000}, {7919}, {65536}, {4, 2310}, {13, 60, 7}}) {
    gpuopt_array x = numbers(d, shape, 31), y = nullptr;
    const std::string name =
        "." + dtype_name(d) + "." + std::to_string(shape.front()) + "x" + std::to_string(shape.back());
    for (const gpuopt_fft_norm norm : {GPUOPT_FFT_BACKWARD, GPUOPT_FFT_ORTHO}) {
      MUST(gpuopt_fft(x, nullptr, -1, norm, &y, error));
      print_result("fft" + name, y);
      MUST(gpuopt_ifft(x, nullptr, 0, norm, &y, error));
      print_result("ifft" + name, y);
    }
    MUST(gpuopt_fftn(x, 0, nullptr, nullptr, GPUOPT_FFT_BACKWARD, &y, error));
    print_result("fftn" + name, y);
    const int64_t length = 50;
    if (!complex) {
      MUST(gpuopt_rfft(x, &length, -1, GPUOPT_FFT_BACKWARD, &y, error));
      print_result("rfft" + name, y);
    }
    MUST(gpuopt_irfft(x, &length, -1, GPUOPT_FFT_BACKWARD, &y, error));
    print_result("irfft" + name, y);
    gpuopt_array_release(x);
  }
}

// Sorting, sets and quantiles of numbers among which there are many equal ones.
void hash_sorting(gpuopt_dtype d) {
  const int64_t last = -1, first = 0;
  for (const auto &shape : std::vector<std::vector<int64_t>>{{1}, {31}, {100000}, {37, 211}}) {
    gpuopt_array x = numbers(d, shape, 41), r[4] = {};
    const std::string name = "." + dtype_name(d) + "." + std::to_string(shape.back());
    for (const int32_t descending : {0, 1}) {
      MUST(gpuopt_sort(x, &last, descending, &r[0], error));
      print_result("sort" + name, r[0]);
      MUST(gpuopt_argsort(x, &first, descending, &r[0], error));
      print_result("argsort" + name, r[0]);
    }
    MUST(gpuopt_unique_all(x, 1, &r[0], &r[1], &r[2], &r[3], error));
    for (int i = 0; i < 4; ++i) print_result("unique_all" + name + "." + std::to_string(i), r[i]);
    if (gpuopt_dtype_kind(d) != 'c' && d != GPUOPT_BOOL) {
      gpuopt_array q = nullptr;
      MUST(gpuopt_linspace(device, GPUOPT_FLOAT64, 0, 1, 7, 1, &q, error));
      MUST(gpuopt_quantile(x, q, GPUOPT_QUANTILE_LINEAR, nullptr, &r[0], error));
      print_result("quantile" + name, r[0]);
      MUST(gpuopt_histogram(x, 11, nullptr, nullptr, 0, &r[0], &r[1], error));
      for (int i = 0; i < 2; ++i) print_result("histogram" + name + "." + std::to_string(i), r[i]);
      gpuopt_array_release(q);
    }
    gpuopt_array_release(x);
  }
}

namespace {

struct Distribution {
  gpuopt_distribution number;
  const char *name;
  std::vector<double> parameters;
};

const std::vector<Distribution> &distributions() {
  static const std::vector<Distribution> all = {
      {GPUOPT_DISTRIBUTION_BETA, "beta", {0.7, 2.5}},
      {GPUOPT_DISTRIBUTION_CHISQUARE, "chisquare", {3.5}},
      {GPUOPT_DISTRIBUTION_F, "f", {3, 7}},
      {GPUOPT_DISTRIBUTION_GAMMA, "gamma", {0.6, 2}},
      {GPUOPT_DISTRIBUTION_GEOMETRIC, "geometric", {0.2}},
      {GPUOPT_DISTRIBUTION_GUMBEL, "gumbel", {0.3, 2}},
      {GPUOPT_DISTRIBUTION_LAPLACE, "laplace", {0.3, 2}},
      {GPUOPT_DISTRIBUTION_LOGISTIC, "logistic", {0.3, 2}},
      {GPUOPT_DISTRIBUTION_LOGNORMAL, "lognormal", {0.3, 0.9}},
      {GPUOPT_DISTRIBUTION_LOGSERIES, "logseries", {0.6}},
      {GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL, "negative_binomial", {4.5, 0.3}},
      {GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE, "noncentral_chisquare", {3, 1.5}},
      {GPUOPT_DISTRIBUTION_PARETO, "pareto", {3}},
      {GPUOPT_DISTRIBUTION_POISSON, "poisson", {17.5}},
      {GPUOPT_DISTRIBUTION_POWER, "power", {2.5}},
      {GPUOPT_DISTRIBUTION_RAYLEIGH, "rayleigh", {1.5}},
      {GPUOPT_DISTRIBUTION_STANDARD_CAUCHY, "standard_cauchy", {}},
      {GPUOPT_DISTRIBUTION_STANDARD_T, "standard_t", {4}},
      {GPUOPT_DISTRIBUTION_TRIANGULAR, "triangular", {-1, 0.5, 3}},
      {GPUOPT_DISTRIBUTION_VONMISES, "vonmises", {0.5, 2}},
      {GPUOPT_DISTRIBUTION_WALD, "wald", {1.5, 2}},
      {GPUOPT_DISTRIBUTION_WEIBULL, "weibull", {1.7}},
      {GPUOPT_DISTRIBUTION_ZIPF, "zipf", {2.3}},
  };
  return all;
}

void hash_draws(const Distribution &distribution, gpuopt_generator philox, gpuopt_generator pcg,
                gpuopt_random_state state) {
  const int64_t shape[1] = {10007};
  const int32_t count = static_cast<int32_t>(distribution.parameters.size());
  std::vector<gpuopt_array> parameters(distribution.parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i)
    MUST(gpuopt_array_from(device, &distribution.parameters[i], GPUOPT_FLOAT64, 0, nullptr, &parameters[i], error));
  gpuopt_array x = nullptr;
  MUST(gpuopt_generator_draw(philox, distribution.number, count, parameters.data(), 0, 1, shape, &x, error));
  print_result(std::string("Philox.") + distribution.name, x);
  MUST(gpuopt_generator_draw(pcg, distribution.number, count, parameters.data(), 0, 1, shape, &x, error));
  print_result(std::string("PCG64.") + distribution.name, x);
  MUST(gpuopt_random_state_draw(state, distribution.number, count, parameters.data(), 1, shape, &x, error));
  print_result(std::string("RandomState.") + distribution.name, x);
  for (gpuopt_array parameter : parameters) gpuopt_array_release(parameter);
}

}  // namespace

void hash_distributions() {
  gpuopt_generator philox = nullptr, pcg = nullptr;
  gpuopt_random_state state = nullptr;
  const uint32_t entropy[1] = {7};
  MUST(gpuopt_generator_create(device, 7, &philox, error));
  MUST(gpuopt_generator_create_pcg64(device, 1, entropy, 0, nullptr, &pcg, error));
  MUST(gpuopt_random_state_create(device, 7, &state, error));
  for (const Distribution &distribution : distributions()) hash_draws(distribution, philox, pcg, state);
  gpuopt_generator_release(philox);
  gpuopt_generator_release(pcg);
  gpuopt_random_state_release(state);
}

// Elements taken, put, joined and repeated.
void hash_selection(gpuopt_dtype d) {
  gpuopt_array x = numbers(d, {61, 130}, 51), zero = nullptr, mask = nullptr, r = nullptr;
  const std::string name = "." + dtype_name(d);
  MUST(gpuopt_zeros(device, d, 0, nullptr, &zero, error));
  MUST(gpuopt_not_equal(x, zero, &mask, error));
  MUST(gpuopt_extract(mask, x, &r, error));
  print_result("extract" + name, r);
  MUST(gpuopt_flatnonzero(x, &r, error));
  print_result("flatnonzero" + name, r);
  const gpuopt_array rows[3] = {x, mask, x};
  MUST(gpuopt_vstack(3, rows, &r, error));
  print_result("vstack" + name, r);
  const int64_t shape[2] = {70, 211};
  MUST(gpuopt_resize(x, 2, shape, &r, error));
  print_result("resize" + name, r);
  for (gpuopt_array a : {x, zero, mask}) gpuopt_array_release(a);
}

void hash_statistics(gpuopt_dtype d) {
  gpuopt_array x = numbers(d, {17, 1300}, 61), w = numbers(d, {29}, 62), line = numbers(d, {1300}, 63), r = nullptr;
  const std::string name = "." + dtype_name(d);
  MUST(gpuopt_cov(x, nullptr, nullptr, &r, error));
  print_result("cov" + name, r);
  MUST(gpuopt_diff(x, 2, -1, nullptr, nullptr, &r, error));
  print_result("diff" + name, r);
  MUST(gpuopt_trapezoid(x, nullptr, 0.3, -1, &r, error));
  print_result("trapezoid" + name, r);
  MUST(gpuopt_convolve(line, w, GPUOPT_CONVOLVE_SAME, &r, error));
  print_result("convolve" + name, r);
  MUST(gpuopt_gradient(x, nullptr, 0.7, -1, 2, &r, error));
  print_result("gradient" + name, r);
  for (gpuopt_array a : {x, w, line}) gpuopt_array_release(a);
}

}  // namespace same_bits

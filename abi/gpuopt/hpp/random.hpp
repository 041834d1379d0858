// abi/gpuopt/hpp/random.hpp -- part of gpuopt.hpp: random numbers.
#ifndef GPUOPT_HPP_RANDOM_HPP
#define GPUOPT_HPP_RANDOM_HPP

#include "distributions.hpp"

namespace gpuopt {
inline namespace v1 {

namespace detail {
// The arguments of a choice: the elements, and probabilities or none.
template <class Handle>
array choose(gpuopt_status (*function)(Handle, gpuopt_array, int32_t, const int64_t *, int32_t, gpuopt_array,
                                       gpuopt_array *, gpuopt_error *),
             Handle source, const array &a, const dims &shape, bool replace, const array &p) {
  return make<array>(function, source, a.get(), shape.size(), shape.data(), int32_t{replace}, p.get());
}
}  // namespace detail

// How a generator's multivariate_normal() factors covariances. See gpuopt_normal_method.
enum class normal_method : gpuopt_normal_method {
  svd = GPUOPT_NORMAL_SVD,
  eigh = GPUOPT_NORMAL_EIGH,
  cholesky = GPUOPT_NORMAL_CHOLESKY
};

// numpy.random.RandomState, bit for bit. Results live on its device. Not to be used from two threads at once.
class random_state : public detail::unique<detail::random_state_traits>, public detail::distributions<random_state> {
 public:
  using distributions::normal;
  using distributions::uniform;
  explicit random_state(uint32_t seed, const device &where = current_device())
      : unique(detail::make<handle_type>(gpuopt_random_state_create, where.get(), seed)), device_(where) {}
  explicit random_state(const std::vector<uint32_t> &seeds, const device &where = current_device())
      : unique(detail::make<handle_type>(gpuopt_random_state_create_array, where.get(),
                                         static_cast<int32_t>(seeds.size()), seeds.data())),
        device_(where) {}
  void seed(uint32_t value) { detail::call(gpuopt_random_state_seed, get(), value); }
  array random_sample(const dims &shape = {}) {
    return detail::make<array>(gpuopt_random_state_random_sample, get(), shape.size(), shape.data());
  }
  array uniform(double low, double high, const dims &shape = {}) {
    return detail::make<array>(gpuopt_random_state_uniform, get(), low, high, shape.size(), shape.data());
  }
  array normal(double loc, double scale, const dims &shape = {}) {
    return detail::make<array>(gpuopt_random_state_normal, get(), loc, scale, shape.size(), shape.data());
  }
  array randint(int64_t low, int64_t high, const dims &shape = {}, dtype t = default_dtype) {
    return detail::make<array>(gpuopt_random_state_randint, get(), low, high, raw(t), shape.size(), shape.data());
  }
  // The same within bounds that are arrays, or one of them. See gpuopt_random_state_randint_between().
  array randint_between(const operand &low, const operand &high, const draw_shape &shape = {},
                        dtype t = default_dtype) {
    const detail::gathered in(low, high);
    return detail::make<array>(gpuopt_random_state_randint_between, get(), in[0], in[1], raw(t), shape.ndim(),
                               shape.data());
  }
  array choice(const array &a, const dims &shape = {}, bool replace = true, const array &p = {}) {
    return detail::choose(gpuopt_random_state_choice, get(), a, shape, replace, p);
  }
  // A choice among the numbers in braces, each as likely as the others.
  array choice(std::initializer_list<detail::nested> a, const dims &shape = {}, bool replace = true) {
    return choice(array(a, default_dtype, device_), shape, replace);
  }
  // Draws from the gamma distribution of scale 1.
  array standard_gamma(const operand &k, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_STANDARD_GAMMA, shape, k);
  }
  // Draws from the exponential distribution of mean 1.
  array standard_exponential(const dims &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL, shape); }
  // Draws from the normal distribution of mean 0 and variance 1.
  array standard_normal(const dims &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_STANDARD_NORMAL, shape); }
  // 0 to 2^63 - 1.
  array tomaxint(const dims &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_TOMAXINT, shape); }
  // How often each outcome comes in n trials, along the last axis. See gpuopt_random_state_multinomial().
  array multinomial(int64_t n, const array &pvals, const dims &shape = {}) {
    return detail::make<array>(gpuopt_random_state_multinomial, get(), n, pvals.get(), shape.size(), shape.data());
  }
  // Positive numbers that add up to 1 along the last axis. See gpuopt_random_state_dirichlet().
  array dirichlet(const array &alpha, const dims &shape = {}) {
    return detail::make<array>(gpuopt_random_state_dirichlet, get(), alpha.get(), shape.size(), shape.data());
  }
  // Normal vectors with these means and covariances, which are checked. See
  // gpuopt_random_state_multivariate_normal().
  array multivariate_normal(const array &mean, const array &cov, const dims &shape = {}, bool check = true,
                            double tol = 1e-8) {
    return detail::make<array>(gpuopt_random_state_multivariate_normal, get(), mean.get(), cov.get(), int32_t{check},
                               tol, shape.size(), shape.data());
  }
  std::vector<uint8_t> bytes(int64_t length) {
    std::vector<uint8_t> made(length > 0 ? static_cast<size_t>(length) : 0);
    detail::call(gpuopt_random_state_bytes, get(), length, static_cast<void *>(made.data()));
    return made;
  }
  // get_state() and set_state().
  gpuopt_mt19937_words words() const {
    gpuopt_mt19937_words made{};
    made.struct_size = sizeof made;
    detail::call(gpuopt_random_state_get_words, get(), &made);
    return made;
  }
  void set_words(gpuopt_mt19937_words words) {
    words.struct_size = sizeof words;
    detail::call(gpuopt_random_state_set_words, get(), static_cast<const gpuopt_mt19937_words *>(&words));
  }
  void shuffle(const array &x) { detail::call(gpuopt_random_state_shuffle, get(), x.get()); }
  array permutation(int64_t n) { return detail::make<array>(gpuopt_random_state_permutation, get(), n, nullptr); }
  array permutation(const array &a) {
    return detail::make<array>(gpuopt_random_state_permutation, get(), int64_t{0}, a.get());
  }

 private:
  friend class detail::distributions<random_state>;
  array draw_numbers(gpuopt_distribution which, int32_t count, const gpuopt_array *parameters, dtype,
                     const draw_shape &shape) {
    return detail::make<array>(gpuopt_random_state_draw, get(), which, count, parameters, shape.ndim(), shape.data());
  }
  device device_;
};

// The counter-based generator (Philox4x32-10): the same bits on every backend. dtypes are floating (default float64).
// default_rng() gives one of PCG64 instead.
class generator : public detail::unique<detail::generator_traits>, public detail::distributions<generator> {
 public:
  using distributions::exponential;
  using distributions::normal;
  using distributions::uniform;
  explicit generator(uint64_t seed, const device &where = current_device())
      : unique(detail::make<handle_type>(gpuopt_generator_create, where.get(), seed)), device_(where) {}
  array uniform(double low, double high, const dims &shape = {}, dtype t = default_dtype) {
    return detail::make<array>(gpuopt_generator_uniform, get(), low, high, raw(t), shape.size(), shape.data());
  }
  array random(const dims &shape = {}, dtype t = default_dtype) { return uniform(0, 1, shape, t); }
  array normal(double loc, double scale, const dims &shape = {}, dtype t = default_dtype) {
    return detail::make<array>(gpuopt_generator_normal, get(), loc, scale, raw(t), shape.size(), shape.data());
  }
  array exponential(double scale, const dims &shape = {}, dtype t = default_dtype) {
    return detail::make<array>(gpuopt_generator_exponential, get(), scale, raw(t), shape.size(), shape.data());
  }
  // In [low, high), or [low, high] with endpoint.
  array integers(int64_t low, int64_t high, const dims &shape = {}, dtype t = default_dtype, bool endpoint = false) {
    return detail::make<array>(gpuopt_generator_integers, get(), low, high, int32_t{endpoint}, raw(t), shape.size(),
                               shape.data());
  }
  // The same within bounds that are arrays, or one of them. See gpuopt_generator_integers_between().
  array integers_between(const operand &low, const operand &high, const draw_shape &shape = {}, dtype t = default_dtype,
                         bool endpoint = false) {
    const detail::gathered in(low, high);
    return detail::make<array>(gpuopt_generator_integers_between, get(), in[0], in[1], int32_t{endpoint}, raw(t),
                               shape.ndim(), shape.data());
  }
  array choice(const array &a, const dims &shape = {}, bool replace = true, const array &p = {}) {
    return detail::choose(gpuopt_generator_choice, get(), a, shape, replace, p);
  }
  // A choice among the numbers in braces, each as likely as the others.
  array choice(std::initializer_list<detail::nested> a, const dims &shape = {}, bool replace = true) {
    return choice(array(a, default_dtype, device_), shape, replace);
  }
  array permutation(int64_t n) { return detail::make<array>(gpuopt_generator_permutation, get(), n, nullptr); }
  array permutation(const array &a) {
    return detail::make<array>(gpuopt_generator_permutation, get(), int64_t{0}, a.get());
  }
  // A copy whose elements along an axis are in another random order in each row. PCG64.
  array permuted(const array &x, int64_t axis) {
    return detail::make<array>(gpuopt_generator_permuted, get(), x.get(), axis);
  }
  // Draws from the gamma distribution of scale 1; these three are float64 or float32.
  array standard_gamma(const operand &k, const draw_shape &shape = {}, dtype t = default_dtype) {
    return drawn_as(GPUOPT_DISTRIBUTION_STANDARD_GAMMA, t, shape, k);
  }
  // Draws from the exponential distribution of mean 1; `by_inversion`: NumPy's method "inv".
  array standard_exponential(const dims &shape = {}, dtype t = default_dtype, bool by_inversion = false) {
    return drawn_as(
        by_inversion ? GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE : GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL, t,
        shape);
  }
  // Draws from the normal distribution of mean 0 and variance 1.
  array standard_normal(const dims &shape = {}, dtype t = default_dtype) {
    return drawn_as(GPUOPT_DISTRIBUTION_STANDARD_NORMAL, t, shape);
  }
  // How often each outcome comes in n trials, along the last axis. See gpuopt_generator_multinomial().
  array multinomial(const operand &n, const array &pvals, const draw_shape &shape = {}) {
    const detail::gathered in(n, pvals);
    return detail::make<array>(gpuopt_generator_multinomial, get(), in[0], in[1], shape.ndim(), shape.data());
  }
  // Positive numbers that add up to 1 along the last axis. See gpuopt_generator_dirichlet().
  array dirichlet(const array &alpha, const dims &shape = {}) {
    return detail::make<array>(gpuopt_generator_dirichlet, get(), alpha.get(), shape.size(), shape.data());
  }
  // Normal vectors with these means and covariances, which are checked. See gpuopt_generator_multivariate_normal().
  array multivariate_normal(const array &mean, const array &cov, const dims &shape = {},
                            normal_method method = normal_method::svd, bool check = true, double tol = 1e-8) {
    return detail::make<array>(gpuopt_generator_multivariate_normal, get(), mean.get(), cov.get(),
                               static_cast<gpuopt_normal_method>(method), int32_t{check}, tol, shape.size(),
                               shape.data());
  }
  // How many of each colour are in a sample, along the last axis. See gpuopt_generator_multivariate_hypergeometric().
  array multivariate_hypergeometric(const array &colors, int64_t nsample, const dims &shape = {},
                                    bool by_counting = false) {
    return detail::make<array>(gpuopt_generator_multivariate_hypergeometric, get(), colors.get(), nsample,
                               int32_t{by_counting}, shape.size(), shape.data());
  }
  std::vector<uint8_t> bytes(int64_t length) {
    std::vector<uint8_t> made(length > 0 ? static_cast<size_t>(length) : 0);
    detail::call(gpuopt_generator_bytes, get(), length, static_cast<void *>(made.data()));
    return made;
  }
  // Of PCG64 alone: a child with a seed of its own; a jump; the state, in and out.
  generator spawn() { return generator(detail::make<handle_type>(gpuopt_generator_spawn, get()), device_); }
  void advance(uint64_t low, uint64_t high = 0) { detail::call(gpuopt_generator_advance, get(), low, high); }
  gpuopt_pcg64_words words() const {
    gpuopt_pcg64_words made{};
    made.struct_size = sizeof made;
    detail::call(gpuopt_generator_get_words, get(), &made);
    return made;
  }
  void set_words(gpuopt_pcg64_words words) {
    words.struct_size = sizeof words;
    detail::call(gpuopt_generator_set_words, get(), static_cast<const gpuopt_pcg64_words *>(&words));
  }

 private:
  friend class detail::distributions<generator>;
  friend generator default_rng(const std::vector<uint32_t> &entropy, const device &where);
  generator(handle_type handle, const device &where) : unique(std::move(handle)), device_(where) {}
  array draw_numbers(gpuopt_distribution which, int32_t count, const gpuopt_array *parameters, dtype t,
                     const draw_shape &shape) {
    return detail::make<array>(gpuopt_generator_draw, get(), which, count, parameters, raw(t), shape.ndim(),
                               shape.data());
  }
  device device_;
};

// A generator of the numbers of numpy.random.default_rng(), seeded with 32-bit words, those of one integer least
// significant first. See gpuopt_generator_create_pcg64().
inline generator default_rng(const std::vector<uint32_t> &entropy, const device &where = current_device()) {
  const uint32_t *const none_given = nullptr;
  return generator(detail::make<generator::handle_type>(gpuopt_generator_create_pcg64, where.get(),
                                                        static_cast<int32_t>(entropy.size()), entropy.data(),
                                                        int32_t{0}, none_given),
                   where);
}
// The same of one number.
inline generator default_rng(uint64_t seed, const device &where = current_device()) {
  std::vector<uint32_t> words{static_cast<uint32_t>(seed)};
  if (seed >> 32) words.push_back(static_cast<uint32_t>(seed >> 32));
  return default_rng(words, where);
}

}  // namespace v1
}  // namespace gpuopt
#endif

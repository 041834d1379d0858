// abi/gpuopt/hpp/random.hpp -- part of gpuopt.hpp: random numbers.
#ifndef GPUOPT_HPP_RANDOM_HPP
#define GPUOPT_HPP_RANDOM_HPP

#include "array.hpp"

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

// numpy.random.RandomState, bit for bit. Results live on its device. Not to be used from two threads at once.
class random_state : public detail::unique<detail::random_state_traits> {
 public:
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
  array choice(const array &a, const dims &shape = {}, bool replace = true, const array &p = {}) {
    return detail::choose(gpuopt_random_state_choice, get(), a, shape, replace, p);
  }
  // A choice among the numbers in braces, each as likely as the others.
  array choice(std::initializer_list<detail::nested> a, const dims &shape = {}, bool replace = true) {
    return choice(array(a, default_dtype, device_), shape, replace);
  }
  void shuffle(const array &x) { detail::call(gpuopt_random_state_shuffle, get(), x.get()); }
  array permutation(int64_t n) { return detail::make<array>(gpuopt_random_state_permutation, get(), n, nullptr); }
  array permutation(const array &a) {
    return detail::make<array>(gpuopt_random_state_permutation, get(), int64_t{0}, a.get());
  }

 private:
  device device_;
};

// The counter-based generator (Philox4x32-10): the same bits on every backend. dtypes are floating (default float64).
class generator : public detail::unique<detail::generator_traits> {
 public:
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

 private:
  device device_;
};

}  // namespace v1
}  // namespace gpuopt
#endif

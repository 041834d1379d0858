// tests/fault/work.h -- a little of everything that a program does with arrays, with results that are known beforehand.
#pragma once
#include <gpuopt/gpuopt.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace work {

// Holds one reference.
class Array {
 public:
  Array() = default;
  Array(Array &&other) noexcept : x_(other.x_) { other.x_ = nullptr; }
  Array(const Array &) = delete;
  ~Array() { gpuopt_array_release(x_); }
  gpuopt_array *out() { return &x_; }
  operator gpuopt_array() const { return x_; }

 private:
  gpuopt_array x_ = nullptr;
};

// first + i * step, of float64: every value below 2**53 is exact.
inline bool counting(gpuopt_device device, int64_t n, double first, double step, Array &x) {
  Array i, scaled, factor, start;
  return gpuopt_arange(device, GPUOPT_FLOAT64, gpuopt_scalar_real(0), gpuopt_scalar_real(double(n)),
                       gpuopt_scalar_real(1), i.out(), nullptr) == GPUOPT_OK &&
         gpuopt_weak(gpuopt_scalar_real(step), factor.out(), nullptr) == GPUOPT_OK &&
         gpuopt_weak(gpuopt_scalar_real(first), start.out(), nullptr) == GPUOPT_OK &&
         gpuopt_multiply(i, factor, scaled.out(), nullptr) == GPUOPT_OK &&
         gpuopt_add(scaled, start, x.out(), nullptr) == GPUOPT_OK;
}

inline bool holds(gpuopt_array x, int64_t n, double first, double step) {
  std::vector<double> values(static_cast<size_t>(n));
  if (gpuopt_to_host(x, values.data(), values.size() * sizeof(double), nullptr) != GPUOPT_OK) return false;
  for (int64_t i = 0; i < n; i++)
    if (values[static_cast<size_t>(i)] != first + step * double(i)) return false;
  return true;
}

// Two arrays of n elements added, compared element by element, and summed.
inline bool adds(gpuopt_device device, int64_t n) {
  Array x, y, z, sum;
  if (!counting(device, n, 3, 2, x) || !counting(device, n, 1, 4, y)) return false;
  if (gpuopt_add(x, y, z.out(), nullptr) != GPUOPT_OK || !holds(z, n, 4, 6)) return false;
  gpuopt_scalar total{};
  if (gpuopt_sum(z, nullptr, sum.out(), nullptr) != GPUOPT_OK) return false;
  if (gpuopt_array_item(sum, nullptr, &total, nullptr) != GPUOPT_OK) return false;
  return total.value.f == 4 * double(n) + 6 * double(n) * double(n - 1) / 2;
}

// A small array, one that all threads of the CPU backend work on, and their products as matrices.
inline bool everything(gpuopt_device device) {
  if (!adds(device, 7) || !adds(device, 300000)) return false;
  Array x, m, product, text_of;
  const int64_t square[] = {2, 2};
  if (!counting(device, 4, 1, 1, x)) return false;
  if (gpuopt_reshape(x, 2, square, GPUOPT_COPY_IF_NEEDED, m.out(), nullptr) != GPUOPT_OK) return false;
  if (gpuopt_matmul(m, m, product.out(), nullptr) != GPUOPT_OK) return false;
  double values[4];
  if (gpuopt_to_host(product, values, sizeof values, nullptr) != GPUOPT_OK) return false;
  if (values[0] != 7 || values[1] != 10 || values[2] != 15 || values[3] != 22) return false;
  char *text = nullptr;
  if (gpuopt_array_to_string(product, nullptr, &text, nullptr) != GPUOPT_OK) return false;
  const std::string said = text;
  gpuopt_string_free(text);
  return said == "[[ 7. 10.]\n [15. 22.]]";
}

// A kernel of `factor`'s own, compiled and called. `available`: false where nothing here compiles kernels.
inline bool multiplies_in_a_kernel(gpuopt_device device, int factor, bool &available) {
  gpuopt_kernel kernel = nullptr;
  const std::string text = "y = x * " + std::to_string(factor);
  if (gpuopt_elementwise_kernel("float64 x", "float64 y", text.c_str(), "multiplies", nullptr, &kernel, nullptr) !=
      GPUOPT_OK)
    return false;
  Array x, y;
  if (!counting(device, 1000, 0, 1, x)) return false;
  const gpuopt_array arguments[] = {x};
  const gpuopt_status status = gpuopt_kernel_call(kernel, 1, arguments, nullptr, y.out(), nullptr);
  gpuopt_kernel_release(kernel);
  available = status != GPUOPT_ERR_JIT_UNAVAILABLE;
  return !available || (status == GPUOPT_OK && holds(y, 1000, 0, factor));
}

}  // namespace work

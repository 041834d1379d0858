// tests/unit/fft_definition.h -- transforms of arrays against their definition, a sum: for libraries whose bits differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/unit/call_array.h"
#include "tests/unit/fft_lines.h"

namespace gpuopt::test::fft_definition {

using Number = std::complex<double>;

inline bool is_single(int32_t dtype) { return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64; }
inline bool is_complex(int32_t dtype) { return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128; }

inline Number number_of(Array &x, int32_t dtype, int64_t i) {
  switch (dtype) {
    case GPUOPT_FLOAT32:
      return static_cast<double>(x.get<float>(i));
    case GPUOPT_FLOAT64:
      return x.get<double>(i);
    case GPUOPT_COMPLEX64:
      return Number(x.get<std::complex<float>>(i));
    default:
      return x.get<Number>(i);
  }
}

inline void fill(Array &x, int32_t dtype, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < x.size(); i++) {
    const Number z(uniform(random), uniform(random));
    if (is_single(dtype))
      is_complex(dtype) ? x.set(i, std::complex<float>(z)) : x.set(i, static_cast<float>(z.real()));
    else
      is_complex(dtype) ? x.set(i, z) : x.set(i, z.real());
  }
}

struct Transform {
  int32_t kind, dtype;  // of the input
  bool inverse;

  int32_t output() const {
    const bool single = is_single(dtype);
    if (kind == GPUOPT_CALL_IRFFT) return single ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
    return single ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;
  }
};

// The definition: of half of a Hermitian line the other half are conjugates.
inline std::vector<Number> expected_of(const Transform &t, const std::vector<Number> &line, int64_t n, double scale) {
  std::vector<Number> x(line), y;
  if (t.kind == GPUOPT_CALL_IRFFT) {
    x.resize(static_cast<size_t>(n));
    x[0].imag(0);
    if (n % 2 == 0) x[static_cast<size_t>(n / 2)].imag(0);
    for (int64_t k = n / 2 + 1; k < n; k++) x[static_cast<size_t>(k)] = std::conj(x[static_cast<size_t>(n - k)]);
  }
  for (int64_t k = 0; k < (t.kind == GPUOPT_CALL_RFFT ? n / 2 + 1 : n); k++) {
    Number sum = 0;
    for (int64_t j = 0; j < n; j++)
      sum += x[static_cast<size_t>(j)] *
             std::polar(1.0, (t.inverse ? 2 : -2) * std::acos(-1.0) * static_cast<double>(j * k % n) / double(n));
    y.push_back(sum * scale);
  }
  return y;
}

inline const Transform kTransforms[] = {
    {GPUOPT_CALL_FFT, GPUOPT_COMPLEX64, false},  {GPUOPT_CALL_FFT, GPUOPT_COMPLEX128, true},
    {GPUOPT_CALL_RFFT, GPUOPT_FLOAT32, false},   {GPUOPT_CALL_RFFT, GPUOPT_FLOAT64, false},
    {GPUOPT_CALL_IRFFT, GPUOPT_COMPLEX64, true}, {GPUOPT_CALL_IRFFT, GPUOPT_COMPLEX128, true},
    {GPUOPT_CALL_FFT, GPUOPT_COMPLEX128, false}};

// Whether run(x, y, ints, floats), which is to make the call, gives y its lines of x and leaves all else as it is. Of
// Layout::kBroadcast is x alone.
template <class Run>
bool is_right(const Transform &t, Shape shape, size_t axis, Layout layout, const Run &run, double scale = 0.5) {
  const int64_t n = shape[axis];
  Shape in = shape, out = shape;
  if (t.kind == GPUOPT_CALL_IRFFT) in[axis] = n / 2 + 1;
  if (t.kind == GPUOPT_CALL_RFFT) out[axis] = n / 2 + 1;
  Array x(t.dtype, in, layout, 3), y(t.output(), out, layout == Layout::kBroadcast ? Layout::kC : layout, 4);
  fill(x, t.dtype, 5);
  const std::vector<unsigned char> before = x.storage();
  Array left = y;
  run(x, y, std::vector<int64_t>{static_cast<int64_t>(axis), t.inverse}, std::vector<double>{scale});
  bool right = x.storage() == before;
  const LinePositions from(in, axis), to(out, axis);
  for (size_t i = 0; i < from.first.size(); i++) {
    std::vector<Number> line;
    for (int64_t j = 0; j < in[axis]; j++) line.push_back(number_of(x, t.dtype, from.first[i] + j * from.step));
    const std::vector<Number> expected = expected_of(t, line, n, scale);
    for (int64_t k = 0; k < out[axis]; k++) {
      const Number got = number_of(y, t.output(), to.first[i] + k * to.step);
      Number wanted = expected[static_cast<size_t>(k)];
      if (!is_complex(t.output())) wanted.imag(0);
      right = right && std::abs(got - wanted) < (is_single(t.dtype) ? 1e-5 : 1e-13) * static_cast<double>(n + 4);
    }
  }
  for (int64_t i = 0; i < y.size(); i++) left.copy_from(i, y, i);
  right = right && left == y;  // what is between the elements
  if (!right) ADD_FAILURE() << "kind " << t.kind << " dtype " << t.dtype << " n " << n << " axis " << axis;
  return right;
}

}  // namespace gpuopt::test::fft_definition

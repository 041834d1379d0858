// tests/unit/fft_reference.h -- transforms as plugins/shared/fft defines them, carried out literally, and the sum that
// a transform is, in long double.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "plugins/shared/fft/bluestein.h"
#include "plugins/shared/fft/butterflies.h"
#include "plugins/shared/fft/real.h"

namespace gpuopt::test {

using Wide = gpo::cplx<long double>;
template <class T>
using Numbers = std::vector<gpo::cplx<T>>;

template <class T>
gpo::fft::OddRoots<T> odd_roots_of(int radix) {
  gpo::fft::OddRoots<T> roots{};
  for (int j = 1; j <= radix / 2; ++j) {
    const gpo::cplx<T> w = gpo::fft::root_as<T>(j, radix);
    roots.cosine[j] = w.re, roots.sine[j] = -w.im;
  }
  return roots;
}

template <class T>
Numbers<T> reference_stage(const Numbers<T> &x, int64_t l, int radix) {
  const auto n = static_cast<int64_t>(x.size()), m = n / l / radix;
  const gpo::fft::OddRoots<T> odd = odd_roots_of<T>(radix % 2 ? radix : 1);
  Numbers<T> y(x.size());
  for (int64_t k = 0; k < l; ++k) {
    for (int64_t q = 0; q < m; ++q) {
      gpo::cplx<T> in[gpo::fft::largest_radix], out[gpo::fft::largest_radix];
      for (int j = 0; j < radix; ++j) {
        in[j] = x[(k * radix + j) * m + q];
        if (l > 1 && j > 0) in[j] = gpo::fft::multiply(in[j], gpo::fft::root_as<T>(j * k, l * radix));
      }
      gpo::fft::butterfly<T>(radix, &odd, in, out);
      for (int c = 0; c < radix; ++c) y[(k + l * c) * m + q] = out[c];
    }
  }
  return y;
}

template <class T>
Numbers<T> exchanged(Numbers<T> x) {
  for (gpo::cplx<T> &z : x) z = {z.im, z.re};
  return x;
}

// The forward transform without a scale.
template <class T>
Numbers<T> reference_forward(Numbers<T> x) {
  const auto n = static_cast<int64_t>(x.size());
  gpo::fft::Radices radices;
  if (!gpo::fft::factorize(n, radices)) {
    const int64_t size = gpo::fft::convolution_size(n);
    Numbers<T> chirp(x.size()), spectrum(static_cast<size_t>(size)), product(static_cast<size_t>(size));
    for (int64_t j = 0; j < n; ++j) {
      chirp[j] = gpo::fft::chirp<T>(j * j % (2 * n), n);
      spectrum[j] = spectrum[(size - j) % size] = {chirp[j].re, -chirp[j].im};
      product[j] = gpo::fft::multiply(x[j], chirp[j]);
    }
    spectrum = reference_forward(spectrum);
    for (gpo::cplx<T> &z : spectrum) z = {z.re / static_cast<T>(size), z.im / static_cast<T>(size)};
    product = reference_forward(product);
    for (int64_t j = 0; j < size; ++j) product[j] = gpo::fft::multiply(product[j], spectrum[j]);
    product = exchanged(reference_forward(exchanged(product)));
    for (int64_t j = 0; j < n; ++j) x[j] = gpo::fft::multiply(product[j], chirp[j]);
    return x;
  }
  int64_t l = 1;
  for (int i = 0; i < radices.count; l *= radices.radix[i++]) x = reference_stage(x, l, radices.radix[i]);
  return x;
}

template <class T>
Numbers<T> reference_fft(const Numbers<T> &x, bool inverse, double scale) {
  Numbers<T> y = inverse ? exchanged(reference_forward(exchanged(x))) : reference_forward(x);
  const T factor = static_cast<T>(scale);
  for (gpo::cplx<T> &z : y) z = {z.re * factor, z.im * factor};
  return y;
}

template <class T>
Numbers<T> reference_rfft(const std::vector<T> &x, double scale) {
  const size_t n = x.size(), h = n / 2;
  Numbers<T> z(n % 2 ? n : h), y(h + 1);
  if (n % 2) {
    for (size_t j = 0; j < n; ++j) z[j] = {x[j], 0};
    z = reference_fft(z, false, scale);
    z.resize(h + 1);
    return z;
  }
  for (size_t j = 0; j < h; ++j) z[j] = {x[2 * j], x[2 * j + 1]};
  z = reference_forward(z);
  const T factor = static_cast<T>(scale);
  y[0] = gpo::fft::real_first(z[0], factor), y[h] = gpo::fft::real_middle(z[0], factor);
  for (size_t k = 1; k < h; ++k) {
    const gpo::cplx<T> w = gpo::fft::root_as<T>(static_cast<int64_t>(k), static_cast<int64_t>(n));
    y[k] = gpo::fft::real_element(z[k], z[h - k], w, T(0.5) * factor);
  }
  return y;
}

template <class T>
std::vector<T> reference_irfft(const Numbers<T> &x, size_t n, double scale) {
  const size_t h = n / 2;
  std::vector<T> y(n);
  Numbers<T> z(n % 2 ? n : h);
  if (n % 2) {
    z[0] = {x[0].re, 0};
    for (size_t k = 1; k <= h; ++k) z[k] = x[k], z[n - k] = {x[k].re, -x[k].im};
    z = reference_fft(z, true, scale);
    for (size_t j = 0; j < n; ++j) y[j] = z[j].re;
    return y;
  }
  z[0] = gpo::fft::real_packed_first(x[0].re, x[h].re);
  for (size_t k = 1; k < h; ++k) {
    const gpo::cplx<T> w = gpo::fft::root_as<T>(static_cast<int64_t>(k), static_cast<int64_t>(n));
    z[k] = gpo::fft::real_packed(x[k], x[h - k], w);
  }
  z = reference_fft(z, true, scale);
  for (size_t j = 0; j < h; ++j) y[2 * j] = z[j].re, y[2 * j + 1] = z[j].im;
  return y;
}

// The transform as a sum.
template <class T>
std::vector<Wide> direct_sum(const Numbers<T> &x, bool inverse) {
  const size_t n = x.size();
  const long double turn = (inverse ? 2 : -2) * std::acos(-1.0L) / static_cast<long double>(n);
  std::vector<Wide> roots(n), y(n);
  for (size_t i = 0; i < n; ++i) roots[i] = {std::cos(turn * i), std::sin(turn * i)};
  for (size_t k = 0; k < n; ++k) {
    for (size_t j = 0; j < n; ++j) {
      const Wide w = roots[j * k % n];
      y[k].re += x[j].re * w.re - x[j].im * w.im;
      y[k].im += x[j].re * w.im + x[j].im * w.re;
    }
  }
  return y;
}

// The 2-norm of the difference, divided by that of `expected`.
template <class T>
long double relative_error(const Numbers<T> &got, const std::vector<Wide> &expected) {
  long double error = 0, norm = 0;
  for (size_t k = 0; k < got.size(); ++k) {
    const long double re = got[k].re - expected[k].re, im = got[k].im - expected[k].im;
    error += re * re + im * im;
    norm += expected[k].re * expected[k].re + expected[k].im * expected[k].im;
  }
  return norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
}

}  // namespace gpuopt::test

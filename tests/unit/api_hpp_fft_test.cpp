// tests/unit/api_hpp_fft_test.cpp -- Fourier transforms in C++: each function once, and its defaults.
#include <gtest/gtest.h>

#include <complex>
#include <gpuopt/gpuopt.hpp>
#include <vector>

namespace gp = gpuopt;

namespace {

using Complex = std::complex<double>;
using Complexes = std::vector<Complex>;
using Reals = std::vector<double>;

gp::array signal() { return gp::array({1.0, 2.0, 3.0, 4.0}, gp::float64, gp::device("cpu")); }
Complexes complex(const gp::array &x) { return x.to_vector<Complex>(); }
Reals real(const gp::array &x) { return x.to_vector<double>(); }

TEST(HppFft, AlongAnAxis) {
  const gp::array x = signal(), spectrum = gp::fft::fft(x);
  EXPECT_EQ(complex(spectrum), (Complexes{10, {-2, 2}, -2, {-2, -2}}));
  EXPECT_EQ(complex(gp::fft::ifft(spectrum)), (Complexes{1, 2, 3, 4}));
  EXPECT_EQ(complex(gp::fft::rfft(x)), (Complexes{10, {-2, 2}, -2}));
  EXPECT_EQ(real(gp::fft::irfft(gp::fft::rfft(x))), (Reals{1, 2, 3, 4}));
  EXPECT_EQ(real(gp::fft::hfft(x, 4)), (Reals{8, -2, 0, -2}));
  EXPECT_EQ(complex(gp::fft::ihfft(x, 2, 0)), (Complexes{1.5, -0.5}));
  EXPECT_EQ(complex(gp::fft::fft(x, 2, -1, gp::fft::norm::forward)), (Complexes{1.5, -0.5}));
  EXPECT_EQ(gp::fft::fft(x.astype(gp::float32)).dtype(), gp::complex64);
  EXPECT_THROW(gp::fft::rfft(spectrum), gp::error);
  EXPECT_THROW(gp::fft::fft(x, 0), gp::error);
}

TEST(HppFft, AlongAxes) {
  const gp::array x = signal().reshape({2, 2}), spectrum = gp::fft::fftn(x, {}, {}, gp::fft::norm::forward);
  EXPECT_EQ(complex(spectrum), (Complexes{2.5, -0.5, -1, 0}));
  EXPECT_EQ(complex(gp::fft::ifftn(spectrum, {1}, {-1})), (Complexes{2.5, -1}));
  EXPECT_EQ(real(gp::fft::irfftn(gp::fft::rfftn(x), {2, 2})), (Reals{1, 2, 3, 4}));
  EXPECT_THROW(gp::fft::fftn(x, {2}, {0, 1}), gp::error);
}

TEST(HppFft, Frequencies) {
  const gp::device cpu("cpu");
  const gp::array shifted = gp::fft::fftshift(gp::fft::fftfreq(4, 0.25, gp::float64, cpu));
  EXPECT_EQ(real(shifted), (Reals{-2, -1, 0, 1}));
  EXPECT_EQ(real(gp::fft::ifftshift(shifted, {0})), (Reals{0, 1, -2, -1}));
  EXPECT_EQ(gp::fft::rfftfreq(4, 0.25, gp::float32, cpu).to_vector<float>(), (std::vector<float>{0, 1, 2}));
}

}  // namespace

// tests/unit/math_float32_sweep.cpp -- the largest error of the float32 functions over every number of the format
//
//   cmake --build --preset release --target math_float32_sweep
//   build/release/bin/math_float32_sweep [function...] >> tests/data/accuracy/float32.txt
//
// Prints for each function: its name, the largest error in units in the last place, the argument it was met at, and how
// many numbers were tried: all of magnitude 2^-32 and more for which the result is finite and not 0. Below 2^-32 every
// function here is its argument, a constant, or a logarithm (whose every argument is tried). Of odd and even functions,
// which take the sign off first, positive numbers are tried. The oracle is the C library's function of double, whose
// own error of at most a few ULPs of double is less than 10^-8 here. A function takes seconds to minutes. Not a test:
// math_accuracy_test compares what it samples with the file.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "plugins/shared/ops/scalar_ops.h"

namespace {

using gpo::u32;

constexpr int kBlock = 4096;
constexpr u32 kPerBinade = u32(1) << 23;

struct Worst {
  double ulps = 0;
  float x = 0;
  long points = 0;
  void join(const Worst &other) {
    points += other.points;
    if (other.ulps > ulps) ulps = other.ulps, x = other.x;
  }
};

// |y - reference| in ULPs of the larger of |reference| and floor; -1 where nothing is measured: special values, and
// results that are 0 or infinite, which math_accuracy_test looks at.
inline double error_in_ulps(float y, double reference, double floor) {
  const double size = std::fabs(reference);
  if (!(size < 0x1.ffffffp+127) || size < 0x1p-150) return -1;
  const int biased = int(gpo::to_bits(size > floor ? size : floor) >> 52),
            exponent = std::max(biased - 1023, -126) - 23;
  return std::fabs(double(y) - reference) * gpo::from_bits(gpo::u64(1023 - exponent) << 52);
}

struct Function {
  const char *name;
  void (*apply)(const float *x, float *y);  // kBlock of them
  double (*reference)(double x);
  bool has_negatives;  // whose results are not those of positive numbers but for the sign
  int least_exponent;  // the arguments' from here on
  double floor;        // of the size whose ULP counts, for negative x
};

// Whether nothing is measured at 64 places of a binade: beyond overflow or underflow, where nothing is measured at all.
bool is_beyond(const Function &f, int exponent, bool negative) {
  for (int i = 0; i < 64; ++i) {
    const double x = std::ldexp(1 + (i + 0.37) / 64, exponent) * (negative ? -1 : 1);
    if (error_in_ulps(0, f.reference(x), 0) >= 0) return false;
  }
  return true;
}

Worst sweep_binade(const Function &f, int exponent, bool negative) {
  static thread_local float x[kBlock], y[kBlock];
  Worst worst;
  if (is_beyond(f, exponent, negative)) return worst;
  for (u32 first = 0; first < kPerBinade; first += kBlock) {
    for (u32 i = 0; i < kBlock; ++i)
      x[i] = gpo::from_bits((u32(negative) << 31) | (u32(exponent + 127) << 23) | (first + i));
    f.apply(x, y);
    for (u32 i = 0; i < kBlock; ++i) {
      const double error = error_in_ulps(y[i], f.reference(x[i]), negative ? f.floor : 0);
      if (error < 0) continue;
      ++worst.points;
      if (error > worst.ulps) worst.ulps = error, worst.x = x[i];
    }
  }
  return worst;
}

Worst sweep(const Function &f) {
  const int binades = 128 - f.least_exponent, tasks = f.has_negatives ? 2 * binades : binades;
  std::atomic<int> next{0};
  std::mutex mutex;
  Worst worst;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
    threads.emplace_back([&] {
      for (int task = next++; task < tasks; task = next++) {
        const Worst found = sweep_binade(f, f.least_exponent + task % binades, task >= binades);
        const std::lock_guard lock(mutex);
        worst.join(found);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  return worst;
}

template <class Op>
void apply(const float *__restrict x, float *__restrict y) {
  for (int i = 0; i < kBlock; ++i) y[i] = Op::apply(x[i]);
}

constexpr double kPi = 3.14159265358979323846;
double sinc(double x) {
  const double r = x - 2 * std::rint(x / 2);  // exact, in [-1, 1]
  const double s = std::fabs(r) > 0.5 ? std::sin(kPi * (std::copysign(1.0, r) - r)) : std::sin(kPi * r);
  return s / (kPi * x);
}

const Function kFunctions[] = {
#define EVERY(name, reference)                                                                 \
  {                                                                                            \
#name, apply < gpo::ops::name>, [](double x) -> double { return reference; }, true, -32, 0 \
  }
#define POSITIVE(name, reference, least)                                                          \
  {                                                                                               \
#name, apply < gpo::ops::name>, [](double x) -> double { return reference; }, false, least, 0 \
  }
    EVERY(exp, std::exp(x)),
    EVERY(exp2, std::exp2(x)),
    EVERY(expm1, std::expm1(x)),
    POSITIVE(log, std::log(x), -126),
    POSITIVE(log2, std::log2(x), -126),
    POSITIVE(log10, std::log10(x), -126),
    EVERY(log1p, std::log1p(x)),
    POSITIVE(sin, std::sin(x), -32),
    POSITIVE(cos, std::cos(x), -32),
    POSITIVE(tan, std::tan(x), -32),
    POSITIVE(sinc, sinc(x), -32),
    POSITIVE(deg2rad, x *(kPi / 180), -126),
    POSITIVE(rad2deg, x *(180 / kPi), -126),
    POSITIVE(asin, std::asin(x), -32),
    EVERY(acos, std::acos(x)),
    POSITIVE(atan, std::atan(x), -32),
    POSITIVE(sinh, std::sinh(x), -32),
    POSITIVE(cosh, std::cosh(x), -32),
    POSITIVE(tanh, std::tanh(x), -32),
    POSITIVE(asinh, std::asinh(x), -32),
    POSITIVE(acosh, std::acosh(x), -32),
    POSITIVE(atanh, std::atanh(x), -32),
    POSITIVE(sqrt, std::sqrt(x), -126),
    POSITIVE(cbrt, std::cbrt(x), -126),
    POSITIVE(erf, std::erf(x), -32),
    EVERY(erfc, std::erfc(x)),
    EVERY(expit, 1 / (1 + std::exp(-x))),
    EVERY(gamma, std::tgamma(x)),
    // Near its zeros between the negative integers: an ULP of 1, not of the result.
    {"lgamma", apply<gpo::ops::lgamma>, [](double x) -> double { return std::lgamma(x); }, true, -32, 1},
#undef EVERY
#undef POSITIVE
};

bool wanted(const char *name, int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], name)) return true;
  return argc == 1;
}

}  // namespace

int main(int argc, char **argv) {
  for (const Function &f : kFunctions) {
    if (!wanted(f.name, argc, argv)) continue;
    const Worst worst = sweep(f);
    std::printf("%s %.4f %a %ld\n", f.name, worst.ulps, double(worst.x), worst.points);
    std::fflush(stdout);
  }
  return 0;
}

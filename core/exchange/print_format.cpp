// core/exchange/print_format.cpp -- formats elements by the rules of numpy.array2string (NumPy 2.3 and later).
#include "core/exchange/print_format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/array/dtype.h"
#include "core/exchange/print_number.h"

namespace gpuopt {
namespace {

// Returns how many decimal digits survive conversion to the dtype and back (numpy.finfo(dtype).precision).
int decimal_precision(gpuopt_dtype dtype) {
  switch (dtype) {
    case GPUOPT_BFLOAT16:
      return 2;
    case GPUOPT_FLOAT16:
      return 3;
    case GPUOPT_FLOAT32:
      return 6;
    default:
      return 15;
  }
}

// The least and the greatest magnitude of the nonzero numbers.
struct Extremes {
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
};

Extremes nonzero_extremes(const std::vector<double> &finite) {
  Extremes e;
  for (double v : finite) {
    if (v == 0) continue;
    e.least = std::min(e.least, std::fabs(v));
    e.greatest = std::max(e.greatest, std::fabs(v));
  }
  return e;
}

// Returns whether NumPy shows these numbers in scientific notation: if one is too large or too small, or if the ratio
// of the greatest to the least is too large. Ratio and bounds are rounded to the dtype, as NumPy computes them in it.
bool wants_scientific(const std::vector<double> &finite, gpuopt_dtype dtype) {
  const Extremes e = nonzero_extremes(finite);
  if (e.greatest == 0) return false;
  const double cutoff = std::pow(10.0, std::min(8, decimal_precision(dtype)));
  const double ratio =
      dtype == GPUOPT_FLOAT64 ? e.greatest / e.least : static_cast<float>(e.greatest) / static_cast<float>(e.least);
  return e.greatest >= cutoff || e.least < round_to_dtype(1e-4, dtype) || round_to_dtype(ratio, dtype) > 1000;
}

// The greatest numbers of characters before the decimal point, after it, and in the exponent without "e+".
struct Widths {
  int whole = 0, fraction = 0, exponent = 0;
  void include(const std::string &text) {
    const size_t e = std::min(text.find('e'), text.size());
    const size_t point = std::min(text.find('.'), e);
    whole = std::max(whole, static_cast<int>(point));
    fraction = std::max(fraction, static_cast<int>(e - point) - 1);
    exponent = std::max(exponent, static_cast<int>(text.size() - e) - 2);
  }
};

// The common format of the real numbers `values`, or of one component of complex numbers.
class RealFormat {
 public:
  RealFormat(gpuopt_dtype dtype, const std::vector<double> &values, int precision, bool plus) : dtype_(dtype) {
    std::vector<double> finite;
    std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double v) { return std::isfinite(v); });
    style_.precision = precision;
    style_.trim = Trim::POINT;
    style_.plus = plus;
    scientific_ = wants_scientific(finite, dtype);
    if (!finite.empty()) fit(finite);
    if (finite.size() != values.size()) make_room_for_words(values);
  }

  std::string operator()(double v) const {
    if (std::isfinite(v)) return scientific_ ? scientific(v, dtype_, style_) : positional(v, dtype_, style_);
    std::string word = style_.plus && !(v < 0) ? "+" : v < 0 ? "-" : "";
    word += std::isnan(v) ? "nan" : "inf";
    const size_t width = static_cast<size_t>(style_.pad_left) + static_cast<size_t>(style_.pad_right) + 1;
    return word.size() < width ? std::string(width - word.size(), ' ') + word : word;
  }

 private:
  void fit(const std::vector<double> &finite) {
    Widths w;
    for (double v : finite) w.include(scientific_ ? scientific(v, dtype_, style_) : positional(v, dtype_, style_));
    style_.pad_left = w.whole;
    style_.pad_right = w.fraction;
    if (!scientific_) return;
    style_.exponent_digits = w.exponent;
    style_.precision = style_.min_digits = w.fraction;
    style_.trim = Trim::KEEP;
    style_.pad_right = w.exponent + 2 + w.fraction;
  }

  // Widens the format so that "nan" and "inf", with its sign, fit.
  void make_room_for_words(const std::vector<double> &values) {
    const bool negative = std::any_of(values.begin(), values.end(), [](double v) { return std::isinf(v) && v < 0; });
    const int behind = style_.pad_right + 1, word = 3 + (negative || style_.plus);
    style_.pad_left = std::max({style_.pad_left, 3 - behind, word - behind});
  }

  gpuopt_dtype dtype_;
  NumberStyle style_;
  bool scientific_ = false;
};

std::string integer_text(const gpuopt_scalar &v) {
  return v.kind == 'u' ? std::to_string(v.value.u) : std::to_string(v.value.i);
}

ElementFormat integer_format(std::span<const gpuopt_scalar> elements) {
  size_t width = 0;
  for (const gpuopt_scalar &v : elements) width = std::max(width, integer_text(v).size());
  return [width](const gpuopt_scalar &v) {
    const std::string text = integer_text(v);
    return std::string(width - text.size(), ' ') + text;
  };
}

ElementFormat complex_format(gpuopt_dtype component, std::span<const gpuopt_scalar> elements, int precision) {
  std::vector<double> real, imag;
  for (const gpuopt_scalar &v : elements) {
    real.push_back(v.value.f);
    imag.push_back(v.imag);
  }
  const RealFormat real_format(component, real, precision, false), imag_format(component, imag, precision, true);
  return [=](const gpuopt_scalar &v) {
    std::string imaginary = imag_format(v.imag);
    imaginary.insert(imaginary.find_last_not_of(' ') + 1, 1, 'j');
    return real_format(v.value.f) + imaginary;
  };
}

// Returns a real number as str() of a NumPy scalar prints it, with a "+" if `plus` and, if `point`, with ".0" after
// whole numbers.
std::string real_scalar_text(gpuopt_dtype dtype, double v, bool plus, bool point) {
  if (!std::isfinite(v)) return std::string(v < 0 ? "-" : plus ? "+" : "") + (std::isnan(v) ? "nan" : "inf");
  NumberStyle style;
  style.plus = plus;
  const double magnitude = std::fabs(v);
  const double cutoff = dtype == GPUOPT_FLOAT64 ? 1e16 : std::pow(10.0, decimal_precision(dtype));
  if (magnitude != 0 && !(magnitude >= 1e-4 && magnitude < cutoff)) return scientific(v, dtype, style);
  style.trim = point ? Trim::ZERO : Trim::ALL;
  return positional(v, dtype, style);
}

std::string complex_scalar_text(gpuopt_dtype component, const gpuopt_scalar &v) {
  if (v.value.f == 0 && !std::signbit(v.value.f)) return real_scalar_text(component, v.imag, false, false) + 'j';
  const std::string real = real_scalar_text(component, v.value.f, false, false);
  return '(' + real + real_scalar_text(component, v.imag, true, false) + "j)";
}

}  // namespace

ElementFormat element_format(gpuopt_dtype dtype, std::span<const gpuopt_scalar> elements, int precision,
                             bool zero_dim) {
  const char kind = dtype_kind(dtype);
  if (kind == '?')
    return [zero_dim](const gpuopt_scalar &v) { return v.value.i ? zero_dim ? "True" : " True" : "False"; };
  if (kind == 'c') return complex_format(real_component(dtype), elements, precision);
  if (kind != 'f') return integer_format(elements);
  std::vector<double> values;
  for (const gpuopt_scalar &v : elements) values.push_back(v.value.f);
  return [format = RealFormat(dtype, values, precision, false)](const gpuopt_scalar &v) { return format(v.value.f); };
}

std::string scalar_text(gpuopt_dtype dtype, const gpuopt_scalar &value) {
  switch (dtype_kind(dtype)) {
    case '?':
      return value.value.i ? "True" : "False";
    case 'f':
      return real_scalar_text(dtype, value.value.f, false, true);
    case 'c':
      return complex_scalar_text(real_component(dtype), value);
    default:
      return integer_text(value);
  }
}

}  // namespace gpuopt

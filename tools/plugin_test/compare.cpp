// tools/plugin_test/compare.cpp -- runs a computation on both devices and looks for a difference.
#include "tools/plugin_test/compare.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace gpuopt::plugin_test {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes contents(const array &x) {
  Bytes bytes(static_cast<size_t>(x.nbytes()));
  detail::call(gpuopt_to_host, x.get(), static_cast<void *>(bytes.data()), bytes.size());
  return bytes;
}

// Returns whether the floating-point number of `size` bytes at `p` is NaN. NaNs count as equal: backends may choose
// their sign and payload.
bool is_nan(gpuopt_dtype dtype, const unsigned char *p, size_t size) {
  if (size == 2) {
    uint16_t bits;
    std::memcpy(&bits, p, sizeof bits);
    return (bits & 0x7FFF) > (dtype == GPUOPT_FLOAT16 ? 0x7C00 : 0x7F80);
  }
  float single;
  double wide;
  std::memcpy(&single, p, sizeof single);
  if (size == 4) return std::isnan(single);
  std::memcpy(&wide, p, sizeof wide);
  return std::isnan(wide);
}

std::string hex(const unsigned char *p, size_t size) {
  std::string text = "0x";
  char digits[3];
  for (size_t i = size; i-- > 0;) {
    std::snprintf(digits, sizeof digits, "%02x", p[i]);
    text += digits;
  }
  return text;
}

// Returns a description of the first element that differs, "" if none does. The bytes are those of two arrays with the
// dtype and shape of x.
std::string difference(const array &x, const Bytes &got, const Bytes &wanted) {
  const gpuopt_dtype dtype = raw(x.dtype());
  const char kind = gpuopt_dtype_kind(dtype);
  const size_t item = gpuopt_dtype_size(dtype), part = kind == 'c' ? item / 2 : item;
  for (size_t at = 0; at < got.size(); at += part) {
    if (std::memcmp(&got[at], &wanted[at], part) == 0) continue;
    const bool floating = kind == 'f' || kind == 'c';
    if (floating && is_nan(dtype, &got[at], part) && is_nan(dtype, &wanted[at], part)) continue;
    return "element " + std::to_string(at / item) + " has the bits " + hex(&got[at], part) + ", the CPU backend's " +
           hex(&wanted[at], part);
  }
  return "";
}

std::string shape_difference(const array &got, const array &wanted) {
  return got.dtype() == wanted.dtype() && got.shape() == wanted.shape()
             ? ""
             : "dtype or shape differ from the CPU backend's";
}

// The result of a computation that was waited for.
struct Result {
  array value;
  Bytes bytes;
};

Result computed(const Comparison::Work &work, const Side &side) {
  array value = work(side);
  Bytes bytes = contents(value);
  return {std::move(value), std::move(bytes)};
}

// A failure of the reference, for which the device under test is not responsible.
struct ReferenceFailed {
  error failure;
};

Result expected(const Comparison::Work &work, const Side &reference) try {
  return computed(work, reference);
} catch (const error &failure) {
  throw ReferenceFailed{failure};
}

std::string listed(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

Comparison::Comparison(const Side &tested, const Side &reference, Recorder &recorder, const std::string &rule)
    : tested_(tested), reference_(reference), recorder_(recorder) {
  recorder_.begin(rule);
}

Comparison::~Comparison() {
  if (!problem_.empty()) {
    recorder_.end(Verdict::kFail, problem_);
  } else if (!unjudged_.empty()) {
    recorder_.end(Verdict::kNotRun, unjudged_);
  } else if (!unsupported_.empty()) {
    recorder_.end(Verdict::kUnsupported, "not offered for " + listed(unsupported_) + ": the CPU backend does these");
  } else {
    recorder_.end(compared_ ? Verdict::kPass : Verdict::kNotRun,
                  compared_ ? std::to_string(compared_) + " comparisons" : "nothing to compare");
  }
}

bool Comparison::run(const std::string &what, const std::string &place, const std::function<void()> &body) {
  if (!problem_.empty() || !unjudged_.empty() || unsupported_.count(what)) return false;
  recorder_.at(what + ", " + place);
  try {
    body();
    ++compared_;
  } catch (const ReferenceFailed &reference) {
    unjudged_ = what + ", " + place + ": the CPU backend fails: " + reference.failure.what();
    if (reference.failure.code() == GPUOPT_ERR_DEVICE_LOST) throw Hopeless(unjudged_);
  } catch (const error &failure) {
    if (failure.code() == GPUOPT_ERR_UNSUPPORTED) {
      unsupported_.insert(what);
    } else {
      problem_ = what + ", " + place + ": " + failure.what();
    }
    if (failure.code() == GPUOPT_ERR_DEVICE_LOST) throw Hopeless(problem_);
  }
  return problem_.empty() && unjudged_.empty() && !unsupported_.count(what);
}

bool Comparison::same(const std::string &what, const std::string &place, const Work &work) {
  return run(what, place, [&] {
    const Result got = computed(work, tested_), wanted = expected(work, reference_);
    std::string found = shape_difference(got.value, wanted.value);
    if (found.empty()) found = difference(got.value, got.bytes, wanted.bytes);
    if (!found.empty()) problem_ = what + ", " + place + ": " + found;
  });
}

}  // namespace gpuopt::plugin_test

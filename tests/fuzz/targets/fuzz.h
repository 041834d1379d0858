// tests/fuzz/targets/fuzz.h -- what fuzz targets have in common: reading the input, properties that must hold, files.
//
// A target is one file NAME_fuzzer.cpp that defines LLVMFuzzerTestOneInput (libFuzzer's interface, see LLVM's page
// "libFuzzer - a library for coverage-guided fuzz testing"). It must give the same result for the same input, keep
// nothing between inputs, and call require() for each property that a correct library has.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace fuzz {

// Ends the process where a property does not hold: libFuzzer and the replaying program both count that as a finding.
inline void require(bool holds, const char *property, std::string_view detail = "") {
  if (holds) return;
  std::fprintf(stderr, "the property does not hold: %s: %.*s\n", property, static_cast<int>(detail.size()),
               detail.data());
  std::abort();
}

// How many inputs the library accepted and refused so far, as each target says by note_outcome(). The inputs that are
// kept must have both: a target whose inputs are all refused for the same reason would test nothing else.
struct Outcomes {
  int accepted = 0, refused = 0;
};
inline Outcomes outcomes;
inline void note_outcome(bool accepted) { ++(accepted ? outcomes.accepted : outcomes.refused); }

// Reads an input from its front: numbers first, then texts. An input that is too short reads as zeros and empty texts.
class Input {
 public:
  Input(const uint8_t *data, size_t size) : left_(reinterpret_cast<const char *>(data), size) {}

  template <class T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  // Up to the next newline, which is taken too, or to the end. It has no byte 0, as no C string has.
  std::string line() {
    const size_t end = left_.find('\n');
    std::string text(take(end == std::string_view::npos ? left_.size() : end));
    take(1);
    return without_zeros(std::move(text));
  }

  std::string_view bytes(size_t count) { return take(count); }
  std::string_view rest() { return take(left_.size()); }
  std::string rest_as_text() { return without_zeros(std::string(rest())); }
  bool empty() const { return left_.empty(); }

 private:
  std::string_view take(size_t count) {
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(taken.size());
    return taken;
  }
  static std::string without_zeros(std::string text) {
    text.resize(std::strlen(text.c_str()));
    return text;
  }
  std::string_view left_;
};

}  // namespace fuzz

// tests/unit/float_modes.h -- floating-point environments a host program may be in, and calls that must not care.
#pragma once

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

// The tests change the environment behind the compiler's back: no arithmetic of theirs is done in a foreign one.
namespace float_modes {

// Everything a thread's environment consists of that a program can see: rounding, traps, flushing of denormals, flags.
struct Environment {
  std::vector<uint64_t> words;
  bool operator==(const Environment &other) const { return words == other.words; }
};

inline Environment current() {
#if defined(__x86_64__)
  uint32_t sse;
  uint16_t control, status;
  __asm__ __volatile__("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(sse), "=m"(control), "=m"(status));
  return {{sse, control, static_cast<uint64_t>(status & 0x3F)}};
#elif defined(__aarch64__)
  uint64_t control, status;
  __asm__ __volatile__("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
  return {{control, status}};
#else
  return {{static_cast<uint64_t>(std::fegetround()), static_cast<uint64_t>(std::fetestexcept(FE_ALL_EXCEPT))}};
#endif
}

struct Mode {
  const char *name;
  std::function<void()> enter;  // from the default environment
};

inline void flush_denormals() {
#if defined(__x86_64__)
  uint32_t sse;
  __asm__ __volatile__("stmxcsr %0" : "=m"(sse));
  sse |= 0x8040;  // FTZ and DAZ
  __asm__ __volatile__("ldmxcsr %0" : : "m"(sse));
#elif defined(__aarch64__)
  uint64_t control;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
  __asm__ __volatile__("msr fpcr, %0" : : "r"(control | uint64_t{1} << 24));  // FZ
#endif
}

inline void leave() { std::fesetenv(FE_DFL_ENV); }

// The modes; with `traps` also those in which an exception ends the process, where the C library can ask for them.
inline std::vector<Mode> modes() {
  std::vector<Mode> all = {
      {"denormals are flushed", flush_denormals},
      {"rounding up", [] { std::fesetround(FE_UPWARD); }},
      {"rounding down", [] { std::fesetround(FE_DOWNWARD); }},
      {"rounding toward zero", [] { std::fesetround(FE_TOWARDZERO); }},
      {"rounding up, denormals are flushed", [] { std::fesetround(FE_UPWARD), flush_denormals(); }},
      {"flags are set", [] { std::feraiseexcept(FE_DIVBYZERO | FE_OVERFLOW); }},
      {"no flag is set", [] { std::feclearexcept(FE_ALL_EXCEPT); }},
  };
#if defined(__GLIBC__) && defined(__x86_64__)
  all.push_back({"everything traps", [] { feenableexcept(FE_ALL_EXCEPT); }});
  all.push_back({"everything traps, flags are set", [] {
                   // As a program is that turns traps on after something has happened.
                   std::feraiseexcept(FE_INEXACT);
                   feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW);
                 }});
  all.push_back({"a trap is on whose flag is set already", [] {
                   std::feraiseexcept(FE_INEXACT);  // on the x87, whose next instruction would trap
                   feenableexcept(FE_INEXACT);
                 }});
  all.push_back({"everything traps, rounding up, denormals are flushed", [] {
                   std::fesetround(FE_UPWARD);
                   flush_denormals();
                   feenableexcept(FE_ALL_EXCEPT);
                 }});
#endif
  return all;
}

using Bytes = std::vector<unsigned char>;

// A call of the library: returns all it gave, as bytes. It must do no arithmetic with floating-point numbers itself.
struct Call {
  std::string name;
  std::function<Bytes()> run;
};

// Each call gives the same bytes in every mode, and leaves the mode as it was, flags included.
inline void expect_no_difference(const std::vector<Call> &calls) {
  for (const Call &call : calls) {
    leave();
    const Bytes expected = call.run();
    for (const Mode &mode : modes()) {
      leave();
      mode.enter();
      const Environment before = current();
      const Bytes bytes = call.run();
      const Environment after = current();
      leave();
      EXPECT_TRUE(bytes == expected) << call.name << " gives other bits where " << mode.name;
      EXPECT_TRUE(after == before) << call.name << " changes the environment where " << mode.name;
    }
  }
}

template <class T>
Bytes bytes_of(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
inline Bytes bytes_of(const std::string &text) { return Bytes(text.begin(), text.end()); }

}  // namespace float_modes

// core/base/float_environment.h -- the floating-point environment in which everything behind the C boundary runs.
#pragma once

#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace gpuopt {

// While an object of this class exists, its thread rounds to nearest, does not flush denormals, and masks all
// exceptions, whatever the caller has set by fesetround, feenableexcept, or by linking code built with -ffast-math
// (FTZ, DAZ). The destructor restores the caller's environment exactly, including the exception flags (fetestexcept).
// Objects may be nested. Threads that are started meanwhile inherit the default environment.
class FloatEnvironment {
 public:
  FloatEnvironment() noexcept : saved_(read()) {
    if (!is_default(saved_)) set_default();
  }
  ~FloatEnvironment() {
    if (!is_now(saved_)) restore();
  }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

 private:
#if defined(__x86_64__)
  // There are two units: SSE, and the x87, which computes long doubles, and whose rounding mode the C library uses when
  // it converts between numbers and text.
  struct State {
    uint32_t sse;              // MXCSR; its lowest 6 bits are flags
    uint16_t control, status;  // the x87's control word; the exception flags of its status word
  };
  static constexpr uint32_t kSse = 0x1F80, kSseFlags = 0x3F;   // all masked, round to nearest, neither FTZ nor DAZ
  static constexpr uint16_t kControl = 0x037F, kFlags = 0x3F;  // all masked, round to nearest, 64-bit significands

  static State read() noexcept {
    State state;
    __asm__ __volatile__("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
                         : "=m"(state.sse), "=m"(state.control), "=m"(state.status));
    state.status &= kFlags;
    return state;
  }
  static bool is_default(const State &state) noexcept {
    return (state.sse & ~kSseFlags) == kSse && state.control == kControl;
  }
  static bool is_now(const State &state) noexcept {
    const State now = read();
    return now.sse == state.sse && now.control == state.control && now.status == state.status;
  }
#elif defined(__aarch64__)
  struct State {
    uint64_t control, status;  // FPCR, and FPSR, which has the exception flags
  };
  static State read() noexcept {
    State state;
    __asm__ __volatile__("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(state.control), "=r"(state.status));
    return state;
  }
  static bool is_default(const State &state) noexcept { return state.control == 0; }
  static bool is_now(const State &state) noexcept {
    const State now = read();
    return now.control == state.control && now.status == state.status;
  }
#else
  using State = std::fenv_t;
  static State read() noexcept {
    State state;
    std::fegetenv(&state);
    return state;
  }
  static bool is_default(const State &) noexcept { return false; }
  static bool is_now(const State &) noexcept { return false; }
#endif
  void set_default() const noexcept;
  void restore() const noexcept;

  const State saved_;
};

// Does the same for code that uses vector instructions only, and no long double: on x86-64 the x87 is left alone, which
// takes a third of the time.
#if defined(__x86_64__)
class VectorEnvironment {
 public:
  VectorEnvironment() noexcept {
    __asm__ __volatile__("stmxcsr %0" : "=m"(saved_));
    if ((saved_ & ~kFlags) != kDefault) __asm__ __volatile__("ldmxcsr %0" : : "m"(kDefault) : "memory");
  }
  ~VectorEnvironment() { __asm__ __volatile__("ldmxcsr %0" : : "m"(saved_) : "memory"); }
  VectorEnvironment(const VectorEnvironment &) = delete;
  VectorEnvironment &operator=(const VectorEnvironment &) = delete;

 private:
  static constexpr uint32_t kDefault = 0x1F80, kFlags = 0x3F;
  uint32_t saved_;
};
#else
using VectorEnvironment = FloatEnvironment;
#endif

}  // namespace gpuopt

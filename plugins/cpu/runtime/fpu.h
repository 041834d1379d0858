// plugins/cpu/runtime/fpu.h -- the floating-point control word for the loops of this backend. It is set in every slot
// (plugin.cpp) and in every thread that the plugin starts.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace gpuopt::cpu {

// Sets round to nearest, denormals not flushed, and no traps for as long as the object lives, whatever the thread had
// before (start-up code of -ffast-math, fesetround). Then restores the thread's word, sticky exception flags included.
class FpuScope {
 public:
  FpuScope() noexcept : saved_(read()) {
    if ((saved_ & ~kFlags) != kDefault) write(kDefault);
  }
  ~FpuScope() {
    if (read() != saved_) write(saved_);
  }
  FpuScope(const FpuScope &) = delete;
  FpuScope &operator=(const FpuScope &) = delete;

 private:
#if defined(__x86_64__) || defined(_M_X64)
  using Word = unsigned;
  static constexpr Word kDefault = 0x1F80;  // all exceptions masked, round to nearest, neither FTZ nor DAZ
  static constexpr Word kFlags = 0x3F;      // sticky exception flags, on which no loop depends
  static Word read() noexcept { return _mm_getcsr(); }
  static void write(Word word) noexcept { _mm_setcsr(word); }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word kDefault = 0;  // round to nearest, no FZ, no default NaN, no traps
  static constexpr Word kFlags = 0;    // the exception flags are in another register
  static Word read() noexcept {
    Word word;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void write(Word word) noexcept { __asm__ __volatile__("msr fpcr, %0" : : "r"(word)); }
#else
  using Word = int;
  static constexpr Word kDefault = 0, kFlags = 0;
  static Word read() noexcept { return 0; }
  static void write(Word) noexcept {}
#endif
  Word saved_;
};

}  // namespace gpuopt::cpu

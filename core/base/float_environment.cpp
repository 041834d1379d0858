// core/base/float_environment.cpp -- sets the default floating-point environment, and restores the caller's.
#include "core/base/float_environment.h"

namespace gpuopt {

#if defined(__x86_64__)
namespace {

// The x87 environment as fnstenv stores it in 64-bit mode.
struct X87Environment {
  uint16_t control, unused0, status, unused1, rest[10];
};
static_assert(sizeof(X87Environment) == 28);

}  // namespace

// fldcw alone would trap if the flag of an unmasked exception is set. fnstenv, which masks all exceptions, and fnclex,
// which clears their flags, never trap.
void FloatEnvironment::set_default() const noexcept {
  X87Environment unused;
  __asm__ __volatile__("ldmxcsr %1\n\tfnstenv %0\n\tfnclex\n\tfldcw %2" : "=m"(unused) : "m"(kSse), "m"(kControl));
}

// The x87's flags can be written only by fldenv, with the whole environment. It loads them together with the caller's
// exception masks, so that an exception of ours cannot trap under those masks.
void FloatEnvironment::restore() const noexcept {
  __asm__ __volatile__("ldmxcsr %0" : : "m"(saved_.sse));
  const State now = read();
  if (now.control == saved_.control && now.status == saved_.status) return;
  X87Environment environment;
  __asm__ __volatile__("fnstenv %0" : "=m"(environment));
  environment.control = saved_.control;
  environment.status = static_cast<uint16_t>((environment.status & ~kFlags) | saved_.status);
  __asm__ __volatile__("fldenv %0" : : "m"(environment));
}
#elif defined(__aarch64__)
void FloatEnvironment::set_default() const noexcept { __asm__ __volatile__("msr fpcr, %0" : : "r"(uint64_t{0})); }

void FloatEnvironment::restore() const noexcept {
  __asm__ __volatile__("msr fpsr, %0\n\tmsr fpcr, %1" : : "r"(saved_.status), "r"(saved_.control));
}
#else
void FloatEnvironment::set_default() const noexcept { std::fesetenv(FE_DFL_ENV); }
void FloatEnvironment::restore() const noexcept { std::fesetenv(&saved_); }
#endif

}  // namespace gpuopt

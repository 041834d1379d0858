// plugins/cpu/levels/level.h -- what the files that are compiled once per instruction set level share.
//
// None of these files may define a symbol that another level, or the baseline code, could be linked to. So everything
// is in an anonymous namespace or always inlined, and no templates or inline functions of the standard library are
// used. tests/abi/check_levels.sh checks the object files.
#pragma once

#ifndef GPUOPT_LEVEL
#error "GPUOPT_LEVEL (v2, v3, v4 or generic) is set by the build, once per level"
#endif

#include "plugins/cpu/levels/loops.h"
#include "plugins/shared/casts.h"
#include "plugins/shared/prelude.h"

// Tells the compiler that the iterations of the following loop are independent, although pointers may be equal.
#if defined(__clang__)
#define GPUOPT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define GPUOPT_INDEPENDENT _Pragma("GCC ivdep")
#endif

#define GPUOPT_PASTE2(a, b) a##b
#define GPUOPT_PASTE(a, b) GPUOPT_PASTE2(a, b)

// Begins the definition of the function that enters the loops of this file into a table:
// gpuopt::cpu::install_<part>_<level>.
#define GPUOPT_INSTALL(part) \
  void gpuopt::cpu::GPUOPT_PASTE(GPUOPT_PASTE(install_, part), GPUOPT_PASTE(_, GPUOPT_LEVEL))(LoopTable & table)

namespace gpuopt::cpu {

#define GPUOPT_LOOP_PART(part) \
  void GPUOPT_PASTE(GPUOPT_PASTE(install_, part), GPUOPT_PASTE(_, GPUOPT_LEVEL))(LoopTable &);
#include "plugins/cpu/levels/parts.def"

namespace {

template <class T>
inline constexpr int dtype_of = GPUOPT_DTYPE_DEFAULT;
template <class T>
inline constexpr char kind_of = 0;

// The numbers 0, 1, ..., n - 1.
template <int... i>
struct Places {};
template <int n, int... i>
struct PlacesUpTo : PlacesUpTo<n - 1, n - 1, i...> {};
template <int... i>
struct PlacesUpTo<0, i...> {
  using type = Places<i...>;
};
template <int n>
using places_up_to = typename PlacesUpTo<n>::type;

// A list of types, for calling a generic lambda with each.
template <class... T>
struct Types {};

#define GPUOPT_CPU_TYPE(NAME, kind, type)              \
  template <>                                          \
  inline constexpr int dtype_of<type> = GPUOPT_##NAME; \
  template <>                                          \
  inline constexpr char kind_of<type> = kind;
GPUOPT_CPU_TYPE(BOOL, '?', bool)
GPUOPT_CPU_TYPE(INT8, 'i', gpo::i8)
GPUOPT_CPU_TYPE(INT16, 'i', gpo::i16)
GPUOPT_CPU_TYPE(INT32, 'i', gpo::i32)
GPUOPT_CPU_TYPE(INT64, 'i', gpo::i64)
GPUOPT_CPU_TYPE(UINT8, 'u', gpo::u8)
GPUOPT_CPU_TYPE(UINT16, 'u', gpo::u16)
GPUOPT_CPU_TYPE(UINT32, 'u', gpo::u32)
GPUOPT_CPU_TYPE(UINT64, 'u', gpo::u64)
GPUOPT_CPU_TYPE(FLOAT16, 'h', gpo::float16)
GPUOPT_CPU_TYPE(BFLOAT16, 'h', gpo::bfloat16)
GPUOPT_CPU_TYPE(FLOAT32, 'f', float)
GPUOPT_CPU_TYPE(FLOAT64, 'f', double)
GPUOPT_CPU_TYPE(COMPLEX64, 'c', gpo::c64)
GPUOPT_CPU_TYPE(COMPLEX128, 'c', gpo::c128)
#undef GPUOPT_CPU_TYPE

using LoopTypes = Types<bool, gpo::i8, gpo::i16, gpo::i32, gpo::i64, gpo::u8, gpo::u16, gpo::u32, gpo::u64, float,
                        double, gpo::c64, gpo::c128>;
using AllTypes = Types<bool, gpo::i8, gpo::i16, gpo::i32, gpo::i64, gpo::u8, gpo::u16, gpo::u32, gpo::u64, gpo::float16,
                       gpo::bfloat16, float, double, gpo::c64, gpo::c128>;

// Returns whether a column `kinds` of ops.def contains this kind.
constexpr bool lists_kind(const char *kinds, char kind) {
  while (*kinds && *kinds != kind) kinds++;
  return *kinds != 0;
}

}  // namespace
}  // namespace gpuopt::cpu

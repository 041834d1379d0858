// plugins/shared/user/signature.h -- what the parameters of a raw kernel are, for the library to read from its code
//
// The library cannot know the types of a function of the user's text, and asks the compiler that compiles it: behind
// the text stands a variable with a word for each parameter. Any compiler of CUDA C++ does this, for templates and
// names in namespaces, too.
#ifndef GPUOPT_PLUGINS_SHARED_USER_SIGNATURE_H_
#define GPUOPT_PLUGINS_SHARED_USER_SIGNATURE_H_

#include "plugins/shared/user/types.h"

namespace gpo {
namespace signature {

// A word has, from its lowest bit on (core/kernels/text/kernel_signature.h reads it):
//   8 bits  the kind of number as a letter: b i u f g (bfloat16) c; x: anything, such as a class, a char or void
//   1 bit   a pointer to such numbers    1 bit  which are const
//   4 bits  how many of them are one element: 2 of float2; else 1
//   16 bits from bit 16 on: the bytes of a number, or of a parameter that is x and no pointer
enum : unsigned { is_pointer = 1u << 8, is_const = 1u << 9 };  // enumerators, since variables would be in the code
constexpr unsigned word(char letter, unsigned bytes, unsigned lanes = 1) {
  return (unsigned)(unsigned char)letter | lanes << 10 | bytes << 16;
}

template <class gpo_T>
struct number {
  enum : unsigned { value = word('x', 0) };
};
template <class gpo_T>
struct number<const gpo_T> {
  enum : unsigned { value = number<gpo_T>::value | is_const };
};
template <class gpo_T>
struct number<volatile gpo_T> : number<gpo_T> {};
template <class gpo_T>
struct number<const volatile gpo_T> : number<const gpo_T> {};

#define GPO_NUMBER(type, letter, lanes)                                              \
  template <>                                                                        \
  struct number<type> {                                                              \
    enum : unsigned { value = word(letter, unsigned(sizeof(type) / lanes), lanes) }; \
  };
GPO_NUMBER(bool, 'b', 1)
GPO_NUMBER(signed char, 'i', 1)
GPO_NUMBER(unsigned char, 'u', 1)
GPO_NUMBER(short, 'i', 1)
GPO_NUMBER(int, 'i', 1)
GPO_NUMBER(long, 'i', 1)
GPO_NUMBER(long long, 'i', 1)
GPO_NUMBER(unsigned short, 'u', 1)
GPO_NUMBER(unsigned int, 'u', 1)
GPO_NUMBER(unsigned long, 'u', 1)
GPO_NUMBER(unsigned long long, 'u', 1)
GPO_NUMBER(float, 'f', 1)
GPO_NUMBER(double, 'f', 1)
GPO_NUMBER(gpo::user::float16, 'f', 1)
GPO_NUMBER(gpo::user::bfloat16, 'g', 1)
GPO_NUMBER(gpo::user::complex<float>, 'c', 1)
GPO_NUMBER(gpo::user::complex<double>, 'c', 1)
GPO_NUMBER(int2, 'i', 2)
GPO_NUMBER(int3, 'i', 3)
GPO_NUMBER(int4, 'i', 4)
GPO_NUMBER(uint2, 'u', 2)
GPO_NUMBER(uint3, 'u', 3)
GPO_NUMBER(uint4, 'u', 4)
GPO_NUMBER(longlong2, 'i', 2)
GPO_NUMBER(longlong3, 'i', 3)
GPO_NUMBER(longlong4, 'i', 4)
GPO_NUMBER(float2, 'f', 2)
GPO_NUMBER(float3, 'f', 3)
GPO_NUMBER(float4, 'f', 4)
GPO_NUMBER(double2, 'f', 2)
GPO_NUMBER(double3, 'f', 3)
GPO_NUMBER(double4, 'f', 4)
#undef GPO_NUMBER

template <class gpo_T>
struct parameter {
  enum : unsigned { known = number<gpo_T>::value };
  enum : unsigned {
    value = (known & 255u) == 'x' ? word('x', sizeof(gpo_T) > 65535 ? 65535u : sizeof(gpo_T)) : +known
  };
};
template <>
struct parameter<char> {
  enum : unsigned { value = word('i', 1) };
};
template <class gpo_T>
struct parameter<gpo_T *> {
  enum : unsigned { value = number<gpo_T>::value | is_pointer };
};

// The words of all parameters of a kernel, from the type of its address. For any other type the count is ~0: not known.
template <unsigned gpo_count>
struct words {
  unsigned count, of[gpo_count + 1];
};
template <class gpo_F>
struct all {
  using type = words<0>;
  static constexpr type get() { return {~0u, {0}}; }
};
template <class... gpo_A>
struct all<void (*)(gpo_A...)> {
  using type = words<unsigned(sizeof...(gpo_A))>;
  static constexpr type get() { return {unsigned(sizeof...(gpo_A)), {parameter<gpo_A>::value...}}; }
};

}  // namespace signature
}  // namespace gpo

// Names that no text defines as macros, for what the core writes behind the text.
template <class gpuopt_function>
using gpuopt_signature_type = typename gpo::signature::all<gpuopt_function>::type;
template <class gpuopt_function>
constexpr gpuopt_signature_type<gpuopt_function> gpuopt_signature_value() {
  return gpo::signature::all<gpuopt_function>::get();
}

#endif  // GPUOPT_PLUGINS_SHARED_USER_SIGNATURE_H_

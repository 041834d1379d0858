// plugins/shared/ops/logic.h -- the logical, bitwise and selection families of ops.def
#ifndef GPUOPT_PLUGINS_SHARED_OPS_LOGIC_H_
#define GPUOPT_PLUGINS_SHARED_OPS_LOGIC_H_

#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

struct logical_and : op {
  GPO_FN static bool apply(bool a, bool b) { return a & b; }
};
struct logical_or : op {
  GPO_FN static bool apply(bool a, bool b) { return a | b; }
};
struct logical_xor : op {
  GPO_FN static bool apply(bool a, bool b) { return a != b; }
};
struct logical_not : op {
  GPO_FN static bool apply(bool x) { return !x; }
};

GPO_BINARY_OP(bitwise_and, T(a &b))
GPO_BINARY_OP(bitwise_or, T(a | b))
GPO_BINARY_OP(bitwise_xor, T(a ^ b))

struct bitwise_invert : op {
  template <class T>
  GPO_FN static T apply(T x) {
    if constexpr (is_bool<T>) {
      return !x;
    } else {
      return T(~x);
    }
  }
};

// As an unsigned number, a negative count is past the width, too. The masked count keeps the shift defined whose result
// is not used.
struct bitwise_left_shift : op {
  template <class T>
  GPO_FN static T apply(T x, T count) {
    constexpr uint_of<T> width = 8 * sizeof(T);
    const T shifted = T(wrap_of<T>(x) << (wrap_of<T>(count) & (width - 1)));
    return uint_of<T>(count) < width ? shifted : T(0);
  }
};

struct bitwise_right_shift : op {
  template <class T>
  GPO_FN static T apply(T x, T count) {
    constexpr uint_of<T> width = 8 * sizeof(T);
    const uint_of<T> n = uint_of<T>(count) < width ? uint_of<T>(count) : uint_of<T>(width - 1);
    const T shifted = T(x >> n);
    // Shifting by width - 1 already leaves 0 or -1 for signed numbers, but the top bit for unsigned ones.
    return (is_signed_int<T> || uint_of<T>(count) < width) ? shifted : T(0);
  }
};

struct where : op {
  template <class T>
  GPO_FN static T apply(bool condition, T a, T b) {
    if constexpr (is_complex<T>) {
      return T{condition ? a.re : b.re, condition ? a.im : b.im};
    } else {
      return condition ? a : b;
    }
  }
};

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_LOGIC_H_

// plugins/shared/ops/op.h -- what every operation has: apply(x...), and for some a vectorisable main path beside a slow
// one
//
// For every T with has_hard<T> an op also offers
//   apply_easy(x...)  branch-free, right wherever hard(x...) is false, harmless elsewhere
//   hard(x...)        whether these inputs need the slow path
//   apply_hard(x...)  right where hard(x...) is true
// so that a loop can run the easy path over a vector, collect hard(), and redo the few elements that asked for it.
// apply(x...) is always right. Where it is branch-free too (redoes_all<T>), the loop uses it on the whole vector
// instead. All of them return the same bits on every backend.
#ifndef GPUOPT_PLUGINS_SHARED_OPS_OP_H_
#define GPUOPT_PLUGINS_SHARED_OPS_OP_H_

#include "plugins/shared/casts.h"

namespace gpo {
namespace ops {

struct op {
  template <class T>
  static constexpr bool has_hard = false;
  template <class T>
  static constexpr bool redoes_all = false;
};

}  // namespace ops

// Unsigned type in which arithmetic on T neither overflows nor promotes to signed int.
template <class T>
using wrap_of = conditional<(sizeof(T) < 4), u32, uint_of<T>>;

}  // namespace gpo

// Whether a variable is true and the compiler can tell, once it has inlined the function. Only Clang, which compiles
// kernels, is asked: GCC decides after it has vectorized loops. Of an expression with a call Clang knows nothing.
#if defined(__clang__)
#define GPO_IS_KNOWN(variable) (__builtin_constant_p(variable) && (variable))
#else
#define GPO_IS_KNOWN(variable) false
#endif

// One-expression definitions: x, or a and b, of type T; R is real_of<T>.
#define GPO_UNARY_OP(name, expr) \
  struct name : op {             \
    template <class T>           \
    GPO_FN static T apply(T x) { \
      return expr;               \
    }                            \
  };
#define GPO_BINARY_OP(name, expr)     \
  struct name : op {                  \
    template <class T>                \
    GPO_FN static T apply(T a, T b) { \
      return expr;                    \
    }                                 \
  };

#endif  // GPUOPT_PLUGINS_SHARED_OPS_OP_H_

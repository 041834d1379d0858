// plugins/shared/math/complex_declarations.h -- the complex overloads that the ops name; complex_functions.h defines
// them
//
// They are apart so that a kernel without complex numbers need not parse the definitions.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_DECLARATIONS_H_
#define GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_DECLARATIONS_H_

#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

#define GPO_DECLARE_COMPLEX(name) \
  template <class T>              \
  GPO_FN cplx<T> name(cplx<T> z);
GPO_DECLARE_COMPLEX(exp)
GPO_DECLARE_COMPLEX(exp2)
GPO_DECLARE_COMPLEX(expm1)
GPO_DECLARE_COMPLEX(log)
GPO_DECLARE_COMPLEX(log2)
GPO_DECLARE_COMPLEX(log10)
GPO_DECLARE_COMPLEX(log1p)
GPO_DECLARE_COMPLEX(sqrt)
GPO_DECLARE_COMPLEX(sin)
GPO_DECLARE_COMPLEX(cos)
GPO_DECLARE_COMPLEX(tan)
GPO_DECLARE_COMPLEX(asin)
GPO_DECLARE_COMPLEX(acos)
GPO_DECLARE_COMPLEX(atan)
GPO_DECLARE_COMPLEX(sinh)
GPO_DECLARE_COMPLEX(cosh)
GPO_DECLARE_COMPLEX(tanh)
GPO_DECLARE_COMPLEX(asinh)
GPO_DECLARE_COMPLEX(acosh)
GPO_DECLARE_COMPLEX(atanh)
#undef GPO_DECLARE_COMPLEX
template <class T>
GPO_FN cplx<T> pow(cplx<T> a, cplx<T> b);

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_DECLARATIONS_H_

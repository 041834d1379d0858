// plugins/cpu/levels/casts.cpp -- loops: casts between any two dtypes.
#include "plugins/cpu/levels/level.h"

namespace gpuopt::cpu {
namespace {

template <class From, class To>
void cast_loop(void *out, const void *a, const void *, const void *, int64_t n) {
  To *const y = static_cast<To *>(out);
  const From *const x = static_cast<const From *>(a);
  GPUOPT_INDEPENDENT
  for (int64_t i = 0; i < n; i++) y[i] = gpo::cast<To>(x[i]);
}

template <class From, class... To>
void install_from(LoopTable &table, Types<To...>) {
  ((table.cast[dtype_of<From>][dtype_of<To>] = cast_loop<From, To>), ...);
}

template <class... From>
void install_all(LoopTable &table, Types<From...> to) {
  (install_from<From>(table, to), ...);
}

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(casts) { install_all(table, AllTypes()); }

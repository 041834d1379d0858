// plugins/cpu/levels/comparison.cpp -- loops: extremes, comparisons and classification.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(comparison) {
  install_families<false, OpFamily::extremum, OpFamily::comparison, OpFamily::classification>(table);
}

// plugins/cpu/levels/comparison.cpp -- loops: extremes and comparisons.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(comparison) { install_range<GPUOPT_OP_maximum, GPUOPT_OP_logical_and, false>(table); }

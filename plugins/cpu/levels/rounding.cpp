// plugins/cpu/levels/rounding.cpp -- loops: rounding and parts.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(rounding) { install_range<GPUOPT_OP_ceil, GPUOPT_OP_exp, false>(table); }

// plugins/cpu/levels/arithmetic.cpp -- loops: the arithmetic rows of ops.def, and hypot.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(arithmetic) { install_range<GPUOPT_OP_add, GPUOPT_OP_ceil, false>(table); }

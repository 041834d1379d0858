// plugins/cpu/levels/hyperbolic.cpp -- loops: the hyperbolic functions and angle conversions.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(hyperbolic) { install_range<GPUOPT_OP_sinh, GPUOPT_OP_erf, true>(table); }

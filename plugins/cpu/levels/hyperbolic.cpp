// plugins/cpu/levels/hyperbolic.cpp -- loops: hyperbolic functions.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(hyperbolic) { install_families<true, OpFamily::hyperbolic>(table); }

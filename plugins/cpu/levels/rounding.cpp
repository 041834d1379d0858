// plugins/cpu/levels/rounding.cpp -- loops: rounding, components, signs and neighbours.
#include "plugins/cpu/levels/elementwise.h"

GPUOPT_INSTALL(rounding) { install_families<false, OpFamily::rounding, OpFamily::manipulation>(table); }
